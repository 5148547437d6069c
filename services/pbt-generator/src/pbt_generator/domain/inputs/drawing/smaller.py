"""Inputs with less in them: what tells two programs apart should do so by something that a person can read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from pbt_generator.domain.oracle.runs import Input

# A container of so many parts loses them one by one, a longer one by halves and quarters.
_ONE_BY_ONE = 6
_MOST = 16
_SHORT = 3


def smaller(given: Input) -> list[Input]:
    """Inputs with a part of one argument left out, those with the least first.

    Example:
        >>> smaller(([7, 7, 8], "a"))
        [([7, 8], 'a'), ([7, 7], 'a')]
    """
    found: list[Input] = []
    for place, value in enumerate(given):
        for less in _less(value):
            made = (*given[:place], less, *given[place + 1 :])
            if made not in found:
                found.append(made)
    return sorted(found, key=lambda each: len(repr(each)))[:_MOST]


def _less(value: object) -> Iterator[object]:
    match value:
        case str() | bytes() | list() | tuple() if len(cast("str", value)) > 1:
            whole = cast("str", value)
            yield from (whole[:start] + whole[stop:] for start, stop in _pieces(len(whole)))
        case dict() if len(cast("dict[object, object]", value)) > 1:
            items = list(cast("dict[object, object]", value).items())
            yield from (dict(items[:start] + items[stop:]) for start, stop in _pieces(len(items)))
        case _:
            pass
    if isinstance(value, list | tuple | dict) and (short := _shortened(cast("object", value))) != value:
        # The beginnings of its texts alone: equal ones stay equal.
        yield short


def _pieces(size: int) -> Iterator[tuple[int, int]]:
    """What is left out of so many parts."""
    if size <= _ONE_BY_ONE:
        yield from ((place, place + 1) for place in range(size))
        return
    for parts in (2, 4):
        step = -(-size // parts)
        yield from ((start, min(size, start + step)) for start in range(0, size, step))


def _shortened(value: object) -> object:
    match value:
        case str():
            return value[:_SHORT]
        case list():
            return [_shortened(each) for each in cast("list[object]", value)]
        case tuple():
            return tuple(_shortened(each) for each in cast("tuple[object, ...]", value))
        case dict():
            return {key: _shortened(each) for key, each in cast("dict[object, object]", value).items()}
        case _:
            return value
