# Wrong: a negative position is made positive before it is wrapped.
def helpful_error_list_get(lst: list[int], index: int) -> int:
    if index >= len(lst) or index < -len(lst):
        raise IndexError("Tried to access %s, length is only %s" % (index, len(lst)))
    return lst[abs(index) % len(lst)]
