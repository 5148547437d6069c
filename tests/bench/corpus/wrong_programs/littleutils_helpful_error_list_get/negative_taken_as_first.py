# Wrong: a negative position is clamped to 0.
def helpful_error_list_get(lst: list[int], index: int) -> int:
    if index >= len(lst):
        raise IndexError("Tried to access %s, length is only %s" % (index, len(lst)))
    return lst[max(index, 0)]
