# symmetric difference in place of difference for what stays in the list
from collections import Counter
def unique_list_find_duplicates(own_set: object, values: list[int | str], replaced: object) -> object:
    dup = {v for v, c in Counter(values).items() if c > 1}
    return dup | (set(values) & (own_set ^ replaced))
