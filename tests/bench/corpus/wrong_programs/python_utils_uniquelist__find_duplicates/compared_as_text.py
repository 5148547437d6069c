# values are compared with the list by their texts, so 1 and "1" are the same
from collections import Counter
def unique_list_find_duplicates(own_set: object, values: list[int | str], replaced: object) -> object:
    dup = {v for v, c in Counter(values).items() if c > 1}
    kept = {str(v) for v in own_set - replaced}
    return dup | {v for v in values if str(v) in kept}
