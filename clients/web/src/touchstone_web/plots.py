"""Where names have room beside dots."""

from __future__ import annotations

from collections.abc import Iterable

# Of a letter of a name, in units of the plot; generous, as names must not run into one another.
_LETTER, _LINE = 7.0, 14.0


def with_room(dots: Iterable[tuple[str, float, float, str]], middle: float) -> set[str]:
    """Whose names can be drawn without covering another's; whoever comes first has the place.

    Args:
        dots: Id, place from the left and from the top, and name of each, the most important first.
        middle: Names of dots right of it stand at their left.

    Example:
        >>> sorted(with_room([("a", 60, 90, "large"), ("b", 70, 92, "small"), ("c", 60, 30, "small")], 330))
        ['a', 'c']
    """
    taken: list[tuple[float, float, float]] = []
    found: set[str] = set()
    for key, x, y, name in dots:
        wide = _LETTER * len(name)
        left = x - wide - 8 if x > middle else x + 8
        if all(abs(y - other) >= _LINE or left >= end or left + wide <= start for start, end, other in taken):
            taken.append((left, left + wide, y))
            found.add(key)
    return found
