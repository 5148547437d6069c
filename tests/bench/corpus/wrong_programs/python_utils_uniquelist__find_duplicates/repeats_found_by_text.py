# Wrong: repeats are found by the text of the values (to sort mixed kinds), so that 1 and "1" repeat each other.
from itertools import groupby


def unique_list_find_duplicates(own_set, values, replaced):
    found = set()
    for _, run in groupby(sorted(values, key=str), key=str):
        run = list(run)
        if len(run) > 1:
            found.update(run)
    for value in values:
        if value in own_set and value not in replaced:
            found.add(value)
    return found
