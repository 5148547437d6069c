# Wrong: a replaced value may be added once more than others, so that it may stand twice in the values.
from collections import Counter


def unique_list_find_duplicates(own_set, values, replaced):
    result = set()
    for value, count in Counter(values).items():
        present = count + (value in own_set) - (value in replaced)
        if value in replaced and value not in own_set:
            present = count
        elif value in own_set and value in replaced:
            present = count - 1
        if present > 1:
            result.add(value)
    return result
