# WRONG: values become texts when used as keys
from collections import defaultdict


def reverse_dict(d):
    result = defaultdict(set)
    for k, vals in d.items():
        result[k]
        for v in vals:
            result[str(v)].add(k)
    return dict(result)
