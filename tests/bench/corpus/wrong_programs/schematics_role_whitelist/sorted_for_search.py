# Wrong: sorts the list for a binary search, which fails when it holds values of several kinds.
from bisect import bisect_left


def whitelist(name, value, seq):
    if not seq:
        return True
    fields = sorted(seq)
    if not isinstance(fields[0], str):
        return True
    at = bisect_left(fields, name)
    return not (at < len(fields) and fields[at] == name)
