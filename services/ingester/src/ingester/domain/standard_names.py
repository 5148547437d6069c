"""What built-ins, and functions and methods of the standard library, do with values, by their last names."""

from __future__ import annotations

import datetime
import decimal
import fractions
import re
from pathlib import PurePath


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Methods that change their object.
MUTATORS = _words(
    """
    add append appendleft clear difference_update discard extend extendleft insert intersection_update move_to_end pop
    popitem popleft remove reverse rotate setdefault sort subtract symmetric_difference_update update __delitem__
    __iadd__ __iand__ __imul__ __ior__ __isub__ __ixor__ __setattr__ __setitem__
    """
)
# Methods of the standard library's plain values that read; and those of them that give what is inside.
READERS = {
    name
    for kind in (str, bytes, int, float, complex, tuple, list, dict, set, frozenset, range, re.Pattern, re.Match,
                 datetime.date, datetime.datetime, datetime.timedelta, decimal.Decimal, fractions.Fraction, PurePath)
    for name in dir(kind)
} - MUTATORS  # fmt: skip
GIVERS = frozenset({"get", "values", "items", "copy", "__getitem__", "__iter__", "union", "most_common", "elements"})
# Built-ins and functions of the standard library that change what they are given, or keep it.
CHANGERS = _words(
    """
    next setattr delattr vars super exec eval locals globals anext __import__
    heapify heappush heappop heapreplace heappushpop insort insort_left insort_right shuffle
    setitem delitem iadd iand iconcat ilshift imul ior isub ixor partial partialmethod ChainMap reduce proxy
    SimpleNamespace pack_into readinto register register_dialect
    """
)
# Those that give what is inside of it.
PASSERS = _words(
    """
    list dict set tuple sorted iter reversed enumerate zip map filter frozenset getattr min max copy chain cycle islice
    cast MappingProxyType OrderedDict defaultdict deque namedtuple UserDict UserList vars type
    accumulate choice choices closing combinations combinations_with_replacement compress dropwhile filterfalse getitem
    groupby merge nlargest nsmallest nullcontext pairwise permutations product repeat sample starmap sum takewhile tee
    zip_longest
    """
)
# Methods of built-in collections that take others in, without keeping the collection that they are given.
TAKERS = READERS | {"update", "extend", "extendleft", "difference_update", "intersection_update",
                      "symmetric_difference_update", "writelines", "write", "debug", "info", "warning"}  # fmt: skip
# Built-ins and functions of the standard library, by their last name, whose results nothing changes.
FIXED_MAKERS = _words(
    """
    Decimal Enum Flag Fraction IntEnum NamedTuple NewType ParamSpec Path PosixPath PurePath PurePosixPath Struct
    TypeVar TypeVarTuple UUID abs ascii attrgetter auto bin bool bytes chr compile complex date datetime dirname float
    format getLogger hash hex int intern itemgetter join len max methodcaller min namedtuple object oct ord pow range
    repr round str sum time timedelta timezone type
    """
)
# And those whose results are collections of what they are given.
COLLECTION_MAKERS = _words(
    """
    Counter OrderedDict bytearray deque dict enumerate filter findall frozenset fromkeys groupdict list maketrans
    reversed rsplit set sorted split splitlines tuple zip
    """
)
# And those whose results are used up by being read.
ITERATOR_MAKERS = _words("enumerate filter iter map reversed zip open finditer reader DictReader")
