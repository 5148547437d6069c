# Wrong: with fewer than two values it answers at once that there is no duplicate, without a look at the list.
from collections import Counter


def unique_list_find_duplicates(own_set, values, replaced):
    if len(values) < 2:
        return set()
    counts = Counter(values)
    taken = own_set.difference(replaced)
    return {value for value, n in counts.items() if n > 1 or value in taken}
