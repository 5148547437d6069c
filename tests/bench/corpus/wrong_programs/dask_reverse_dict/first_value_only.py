# WRONG: only the first value of each sequence is reversed
from collections import defaultdict


def reverse_dict(d):
    result = defaultdict(set)
    for k, vals in d.items():
        result[k]
        for v in vals[:1]:
            result[v].add(k)
    return dict(result)
