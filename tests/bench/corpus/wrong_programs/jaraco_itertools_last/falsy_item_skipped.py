# Wrong: a false, zero or empty item does not replace the true one before it.
from functools import reduce


def last(iterable):
    try:
        return reduce(lambda before, item: item or before, iterable)
    except TypeError:
        raise ValueError("Iterable contains no items") from None
