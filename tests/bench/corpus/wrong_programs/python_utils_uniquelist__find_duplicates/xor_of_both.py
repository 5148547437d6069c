# values that are both repeated and in the list drop out (xor for union)
from collections import Counter
def unique_list_find_duplicates(own_set: object, values: list[int | str], replaced: object) -> object:
    dup = {v for v, c in Counter(values).items() if c > 1}
    return dup ^ (set(values) & (own_set - replaced))
