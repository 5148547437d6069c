# Wrong: groups the values without sorting them, so that only repeats next to each other are seen.
from itertools import groupby


def unique_list_find_duplicates(own_set, values, replaced):
    repeated = {value for value, run in groupby(values) if len(list(run)) > 1}
    return repeated | {value for value in values if value in own_set - replaced}
