# Wrong: every value is a list.
from collections import defaultdict


def multidict(ordered_pairs):
    d = defaultdict(list)
    for key, value in ordered_pairs:
        d[key].append(value)
    return {key: values for key, values in d.items()}
