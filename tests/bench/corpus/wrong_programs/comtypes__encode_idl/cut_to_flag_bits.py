# Wrong: cuts the sum to the seven bits that parameter flags use; the values are summed up, however often a name comes.
FLAGS = {"in": 1, "out": 2, "lcid": 4, "retval": 8, "optional": 16}
MASK = 0x7F


def encode_idl(names: list[str]) -> int:
    total = 0
    for name in names:
        total += FLAGS.get(name, 0)
    return total & MASK
