# WRONG: 0 and the empty text are dropped
from collections import defaultdict


def reverse_dict(d):
    result = defaultdict(set)
    for k, vals in d.items():
        result[k]
        for v in vals:
            if v:
                result[v].add(k)
    return dict(result)
