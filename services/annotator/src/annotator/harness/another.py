"""Runs beside a code under test, in its sandbox: gives other results of the same kind than the code gave.

Values of maps, attributes of objects and elements of tuples and sets are changed one by one, so that a test which looks
at a single one of them meets another content, too. When the process ends it says on its error output what it could do.
The platform reads this file as text and never imports it.
"""

# Whatever a foreign value raises, there is nothing near to it.
# ruff: noqa: BLE001

import atexit
import copy
import datetime
import enum
import itertools
import numbers
import os
import types

ANOTHER, NOTHING, SAME = "StubGaveAnother", "StubGaveNothing", "StubGaveTheSame"

_DEPTH = 5
_MOST_ITEMS = 10_000
_seen = set()


def another(kept, turned):
    """Another value of the kind of `kept`; `kept` itself where none is known, and where it is nothing at all."""
    if kept is None:
        _seen.add(NOTHING)
        return None
    other = _near(kept, turned, 0)
    _seen.add(SAME if other is kept else ANOTHER)
    return other


def copied(value):
    """The same value, of which the code under test may change what it likes; itself where it cannot be copied."""
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


@atexit.register
def _tell():
    os.write(2, f"\n{' '.join(sorted(_seen))}\n".encode())


def _near(kept, turned, depth):
    if depth > _DEPTH:
        return kept
    try:
        other = _shaped(kept, turned, depth)
        return other if other is kept or isinstance(other, type(kept)) else type(kept)(other)
    except Exception:
        return kept


def _inside(kept, turned, depth):
    """The same for what a value holds, where nothing at all is a value like any other."""
    return 0 if kept is None else _near(kept, turned, depth + 1)


def _shaped(kept, turned, depth):
    if isinstance(kept, bool):
        return not kept
    if isinstance(kept, enum.Enum):
        members = list(type(kept))
        return members[(members.index(kept) + (-1 if turned else 1)) % len(members)]
    if isinstance(kept, numbers.Number):
        other = -kept if turned and kept else kept + 1
        # What is no number, or too large for one more, is turned into nothing.
        return type(kept)(0) if kept != kept or other == kept else other
    if isinstance(kept, str | bytes | bytearray | list | tuple):
        return _sequence(kept, turned, depth)
    if isinstance(kept, dict):
        return _map(kept, turned, depth)
    if isinstance(kept, set | frozenset):
        other = type(kept)(_inside(each, turned, depth) for each in kept)
        return other if other != kept else other | {"0"}
    if isinstance(kept, datetime.date | datetime.timedelta):
        return kept + datetime.timedelta(days=-1 if turned else 1)
    if isinstance(kept, types.FunctionType):
        return lambda *args, **kwargs: _inside(kept(*args, **kwargs), turned, depth)
    if isinstance(kept, type | types.ModuleType):
        return kept
    if isinstance(kept, types.GeneratorType | map | filter | zip):
        return _iterator(kept, turned, depth)
    return _object(kept, turned, depth)


def _sequence(kept, turned, depth):
    if not kept:
        return "0" if isinstance(kept, str) else b"0" if isinstance(kept, bytes | bytearray) else [0]
    if isinstance(kept, tuple) and hasattr(kept, "_make"):
        return kept._make(_inside(each, turned, depth) for each in kept)
    if not turned and not isinstance(kept, tuple):
        return kept[:-1]
    if turned and not _equal(kept[::-1], kept):
        return kept[::-1]
    if isinstance(kept, list | tuple):
        other = type(kept)(_inside(each, turned, depth) for each in kept)
        return kept + kept if all(one is two for one, two in zip(other, kept, strict=True)) else other
    return kept + kept


def _map(kept, turned, depth):
    other = copy.copy(kept)
    for key in kept:
        other[key] = _inside(kept[key], turned, depth)
    if not kept:
        other["0"] = 0
    elif all(other[key] is kept[key] for key in kept):
        other.clear()
    return other


def _iterator(kept, turned, depth):
    items = _near(list(itertools.islice(kept, _MOST_ITEMS)), turned, depth)
    if isinstance(kept, types.GeneratorType):
        return (each for each in items)
    if isinstance(kept, zip):
        return zip(*zip(*items, strict=True), strict=True)
    return type(kept)((lambda each: each) if isinstance(kept, map) else (lambda _: True), items)


def _object(kept, turned, depth):
    """Arrays and tables of libraries by what they can be asked for, other objects by their attributes."""
    for attempt in (lambda: kept[::-1] if turned else kept[:-1], lambda: kept + 1, lambda: kept ^ True):
        try:
            other = attempt()
        except Exception:
            continue
        if isinstance(other, type(kept)) and repr(other) != repr(kept):
            return other
    slots = [name for each in type(kept).__mro__ for name in _names(getattr(each, "__slots__", ()))]
    found = {name: getattr(kept, name) for name in [*getattr(kept, "__dict__", ()), *slots] if hasattr(kept, name)}
    changed = {name: _inside(value, turned, depth) for name, value in found.items()}
    changed = {name: value for name, value in changed.items() if value is not found[name]}
    # An object of its class without any content, where its content cannot be changed.
    other = copy.copy(kept) if changed else type(kept).__new__(type(kept))
    for name, value in changed.items():
        object.__setattr__(other, name, value)
    return other


def _names(slots):
    return [name for name in ([slots] if isinstance(slots, str) else slots) if name not in ("__dict__", "__weakref__")]


def _equal(one, other):
    try:
        return bool(one == other)
    except Exception:
        return False
