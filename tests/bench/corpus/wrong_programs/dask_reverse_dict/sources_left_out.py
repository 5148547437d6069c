# WRONG: names that nobody points to are missing from the result
from collections import defaultdict


def reverse_dict(d):
    result = defaultdict(set)
    for k, vals in d.items():
        for v in vals:
            result[v].add(k)
    return dict(result)
