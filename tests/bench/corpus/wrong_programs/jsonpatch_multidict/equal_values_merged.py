# Wrong: equal values of one key are kept once.
from collections import defaultdict


def multidict(ordered_pairs):
    d = defaultdict(list)
    for key, value in ordered_pairs:
        if value not in d[key]:
            d[key].append(value)
    return {key: values[0] if len(values) == 1 else values for key, values in d.items()}
