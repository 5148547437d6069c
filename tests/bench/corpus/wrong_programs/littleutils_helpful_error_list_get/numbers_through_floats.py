# Wrong: the numbers go through an array of doubles, so large ones lose digits.
from array import array


def helpful_error_list_get(lst: list[int], index: int) -> int:
    values = array("d", lst)
    try:
        return int(values[index])
    except IndexError:
        raise IndexError("Tried to access %s, length is only %s" % (index, len(lst)))
