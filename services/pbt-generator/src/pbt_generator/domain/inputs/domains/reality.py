"""How near an input is to what callers really send: the very same, near one, or neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from pbt_generator.domain.oracle.runs import Input

Nearness = Literal["real", "near", "inferred"]
# Characters that a near text may have changed, beside a third of its length.
_CHANGED = 2


@dataclass(frozen=True)
class Reality:
    """How many cases of a suite have inputs that callers send, that are near such, and that were inferred."""

    real: int = 0
    near: int = 0
    inferred: int = 0


def nearness(given: Input, real: Sequence[Input]) -> Nearness:
    """Where an input stands to the real ones: near is who has every argument near one that a caller sent for it.

    Example:
        >>> [nearness(given, [("ab", 3)]) for given in (("ab", 3), ("abc", 4), ("ab", "3"))]
        ['real', 'near', 'inferred']
    """
    if any(_same(given, each) for each in real):
        return "real"
    near = bool(real) and all(
        any(is_near(value, each[place]) for each in real if place < len(each)) for place, value in enumerate(given)
    )
    return "near" if near else "inferred"


def is_near(value: object, other: object) -> bool:
    """Whether a value is a neighbour of another one.

    Numbers of one kind: at most one apart, or half of the other. Texts: one piece of at most two characters or a third
    of the text changed. Sequences and sets: at most one member more, less or changed to a near one. Maps: at most one
    entry more, less or changed so.
    """
    if _same(value, other):
        return True
    if isinstance(value, bool) or isinstance(other, bool):
        return isinstance(value, bool) and isinstance(other, bool)
    if isinstance(value, int | float) and isinstance(other, int | float):
        return type(value) is type(other) and abs(value - other) <= max(1, abs(other) / 2)
    if type(value) is not type(other):
        return False
    match value:
        case str() | bytes():
            first, second = _differing(value, cast("str | bytes", other))
            return max(len(first), len(second)) <= max(_CHANGED, len(cast("str | bytes", other)) // 3)
        case list() | tuple():
            return _members_near(cast("Sequence[object]", value), cast("Sequence[object]", other))
        case set() | frozenset():
            return len(cast("set[object]", value) ^ cast("set[object]", other)) <= 1
        case dict():
            return _entries_near(cast("dict[object, object]", value), cast("dict[object, object]", other))
        case _:
            return False


def _same(value: object, other: object) -> bool:
    """Equal, and of the same kinds throughout: 1 is not True."""
    return repr(value) == repr(other)


def _differing(first: Sequence[object], second: Sequence[object]) -> tuple[Sequence[object], Sequence[object]]:
    """What is left of two sequences without what they begin and end with alike."""
    start = 0
    while start < min(len(first), len(second)) and _same(first[start], second[start]):
        start += 1
    end = 0
    while end < min(len(first), len(second)) - start and _same(first[-1 - end], second[-1 - end]):
        end += 1
    return first[start : len(first) - end], second[start : len(second) - end]


def _members_near(first: Sequence[object], second: Sequence[object]) -> bool:
    mine, others = _differing(first, second)
    if len(mine) + len(others) <= 1:
        return True
    return len(mine) == len(others) == 1 and is_near(mine[0], others[0])


def _entries_near(first: dict[object, object], second: dict[object, object]) -> bool:
    keys = first.keys() ^ second.keys()
    changed = [key for key in first.keys() & second.keys() if not _same(first[key], second[key])]
    if keys:
        return len(keys) == 1 and not changed
    return len(changed) == 1 and is_near(first[changed[0]], second[changed[0]])


__all__ = ["Nearness", "Reality", "is_near", "nearness"]
