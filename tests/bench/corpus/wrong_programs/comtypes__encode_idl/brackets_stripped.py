# Wrong: strips square brackets as in IDL source from the names before looking them up; names must match exactly.
VALUES = {"in": 1, "out": 2, "lcid": 4, "retval": 8, "optional": 16}


def encode_idl(names: list[str]) -> int:
    total = 0
    for name in names:
        total += VALUES.get(name.strip("[]"), 0)
    return total
