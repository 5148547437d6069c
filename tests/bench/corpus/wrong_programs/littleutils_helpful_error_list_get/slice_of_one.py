# Wrong: the item is taken from a slice of length one, which is empty for -1.
def helpful_error_list_get(lst: list[int], index: int) -> int:
    found = lst[index:index + 1]
    if not found:
        raise IndexError("Tried to access %s, length is only %s" % (index, len(lst)))
    return found[0]
