# WRONG: the set is replaced, not extended
from collections import defaultdict


def reverse_dict(d):
    result = defaultdict(set)
    for k, vals in d.items():
        result[k]
        for v in vals:
            result[v] = {k}
    return dict(result)
