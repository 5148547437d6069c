"""What is known of a value without running anything: its kind, the range of a whole number, the length of a list.

Every part of a description is on the safe side: a value may be anything that the description does not exclude. Bounds
say something of a value only as far as it is of a kind that has them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

SIZED = frozenset({"str", "bytes", "list", "tuple", "set", "dict", "other"})
WHOLE = frozenset({"int", "bool"})
NUMBERS = WHOLE | {"float"}
# What an input may be: built-in kinds, and values of libraries. Subclasses count with their base.
DATA_KINDS = frozenset({"none", "float"}) | WHOLE | SIZED
# Anything else: functions, modules, classes, iterators.
ANY_KINDS = DATA_KINDS | {"object"}
FIXED = frozenset({"none", "bool", "int", "float", "str", "bytes"})


@dataclass(frozen=True)
class Value:
    """A description of a value.

    Attributes:
        kinds: What kinds it may have.
        low: Least value of it as a whole number.
        high: Greatest value of it as a whole number.
        least: Least length.
        most: Greatest length.
        items: Its parts, where they are known one by one.
        element: What each of its parts is; None when nothing is known.
        constant: The value itself in a tuple, where it is known.
        data: Its parts are data too.
        measures: The variable whose length it is.
    """

    kinds: frozenset[str] = ANY_KINDS
    low: float = -math.inf
    high: float = math.inf
    least: float = 0
    most: float = math.inf
    items: tuple[Value, ...] | None = None
    element: Value | None = None
    constant: tuple[object, ...] = ()
    data: bool = False
    measures: str = ""

    def only(self, kinds: frozenset[str]) -> bool:
        """Whether it surely has one of these kinds."""
        return bool(self.kinds) and self.kinds <= kinds

    def part(self) -> Value:
        """What iterating over it gives."""
        if self.items:
            return joined(*self.items)
        if self.element is not None:
            return self.element
        if self.only(frozenset({"str"})):
            return Value(frozenset({"str"}), least=1, most=1)
        if self.only(frozenset({"bytes"})):
            return Value(frozenset({"int"}), low=0, high=255)
        return DATA if self.data else ANY


ANY = Value()
DATA = Value(DATA_KINDS, data=True)


def of_kind(*kinds: str, **known: object) -> Value:
    """A value of one of some kinds."""
    return replace(Value(frozenset(kinds)), **known)  # pyright: ignore[reportArgumentType]


def constant(value: object) -> Value:
    """A value that is known."""
    match value:
        case None:
            return Value(frozenset({"none"}), constant=(None,))
        case bool():
            return Value(frozenset({"bool"}), low=int(value), high=int(value), constant=(value,))
        case int() if abs(value) < 2**53:
            return Value(frozenset({"int"}), low=value, high=value, constant=(value,))
        case int():
            return of_kind("int")
        case float():
            return Value(frozenset({"float"}), constant=(value,) if value == value else ())
        case str():
            return Value(frozenset({"str"}), least=len(value), most=len(value), constant=(value,))
        case bytes():
            return Value(frozenset({"bytes"}), least=len(value), most=len(value), constant=(value,))
        case _:
            return ANY


def joined(*values: Value) -> Value:
    """What holds for each of some values."""
    result = values[0]
    for other in values[1:]:
        result = _join(result, other)
    return result


def _join(first: Value, second: Value) -> Value:
    if first == second and first.kinds == second.kinds:
        return first if _same_constant(first, second) else replace(first, constant=())
    pairs = [value for value in (first, second) if value.kinds & WHOLE]
    sized = [value for value in (first, second) if value.kinds & SIZED]
    items = None
    if first.items is not None and second.items is not None and len(first.items) == len(second.items):
        items = tuple(joined(one, two) for one, two in zip(first.items, second.items, strict=True))
    return Value(
        kinds=first.kinds | second.kinds,
        low=min((value.low for value in pairs), default=-math.inf),
        high=max((value.high for value in pairs), default=math.inf),
        least=min((value.least for value in sized), default=0),
        most=max((value.most for value in sized), default=math.inf),
        items=items if len(sized) == 2 else None,
        element=_join_parts(sized),
        constant=first.constant if _same_constant(first, second) else (),
        data=all(value.data or value.kinds <= FIXED for value in (first, second)),
        measures=first.measures if first.measures == second.measures else "",
    )


def _join_parts(sized: list[Value]) -> Value | None:
    # An empty literal has no parts that could be of another kind.
    known = [value for value in sized if value.most > 0]
    if not known:
        return None
    if all(value.only(FIXED) for value in known):
        return None
    parts = [
        value.element if value.element is not None else joined(*value.items) if value.items else None for value in known
    ]
    found = [part for part in parts if part is not None]
    return joined(*found) if len(found) == len(parts) else None


def _same_constant(first: Value, second: Value) -> bool:
    if not first.constant or not second.constant:
        return False
    return type(first.constant[0]) is type(second.constant[0]) and first.constant[0] == second.constant[0]


def widened(old: Value, new: Value) -> Value:
    """What to assume of a value that a loop goes on changing."""
    both = joined(old, new)
    if both == old:
        return old
    return Value(
        kinds=both.kinds,
        low=both.low if both.low == old.low else -math.inf,
        high=both.high if both.high == old.high else math.inf,
        least=both.least if both.least == old.least else 0,
        most=both.most if both.most == old.most else math.inf,
        data=both.data,
    )


def truths(value: Value) -> frozenset[bool]:
    """Which truth values a value may have."""
    return frozenset(truth for truth in (True, False) if being(value, truth=truth) is not None)


def being(value: Value, *, truth: bool) -> Value | None:
    """The value where it is known to be true, or false; None when it cannot be."""
    if value.constant:
        return value if bool(value.constant[0]) is truth else None
    if truth:
        kinds = value.kinds - {"none"}
        changed = replace(value, kinds=kinds, least=max(value.least, 1), low=1 if value.low == 0 else value.low)
        changed = replace(changed, high=-1 if value.high == 0 else changed.high)
    else:
        # An array with one zero in it is false and not empty.
        most = value.most if "other" in value.kinds else 0
        kinds = value.kinds - SIZED | (value.kinds & {"other"}) if value.least > 0 else value.kinds
        changed = replace(value, kinds=kinds, low=max(value.low, 0), high=min(value.high, 0), most=most)
    return consistent(changed)


def consistent(value: Value) -> Value | None:
    """The value without kinds that its bounds exclude; None when none is left."""
    kinds = value.kinds
    if value.low > value.high:
        kinds -= WHOLE
    elif not (value.low <= 0 <= value.high or value.low <= 1 <= value.high):
        kinds -= {"bool"}
    if value.least > value.most:
        kinds -= SIZED
    if not kinds:
        return None
    result = value if kinds == value.kinds else replace(value, kinds=kinds)
    if not kinds & WHOLE:
        result = replace(result, low=-math.inf, high=math.inf)
    if not kinds & SIZED:
        result = replace(result, least=0, most=math.inf, items=None, element=None)
    return result


def shrunk(value: Value) -> Value:
    """What stays true of a value that may be changed in place: its kind."""
    if value.kinds <= FIXED:
        return value
    return replace(value, least=0, most=math.inf, items=None, element=None, data=False, constant=())
