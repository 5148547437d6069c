# Wrong: takes "inout" for in and out together; only the five names count.
from collections import Counter

VALUES = {"in": 1, "out": 2, "inout": 3, "lcid": 4, "retval": 8, "optional": 16}


def encode_idl(names: list[str]) -> int:
    counts = Counter(names)
    return sum(counts[name] * value for name, value in VALUES.items())
