# Wrong: accepts the constants' names (PARAMFLAG_FIN and so on) as well, though all other PARAMFLAG_ stuff is to be ignored.
VALUES = {"in": 1, "out": 2, "lcid": 4, "retval": 8, "optional": 16}
CONSTANTS = {
    "PARAMFLAG_FIN": 1,
    "PARAMFLAG_FOUT": 2,
    "PARAMFLAG_FLCID": 4,
    "PARAMFLAG_FRETVAL": 8,
    "PARAMFLAG_FOPT": 16,
}


def encode_idl(names: list[str]) -> int:
    return sum(VALUES.get(n, 0) or CONSTANTS.get(n, 0) for n in names)
