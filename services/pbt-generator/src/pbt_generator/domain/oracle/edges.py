"""Edges of values: what a caller may send, and what programs that were written for the middle get wrong.

A kind of value offers certain edges; the cases of a suite hold some of them. Where few mutants count, these are what
a certificate rests on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

_DATE = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_BLANK = re.compile(r"\s+")
_LARGE = 2**31


def edges_of(arguments: Iterable[str]) -> tuple[set[str], set[str]]:
    """Edges that the kinds of values in some arguments offer, and those of them that are there.

    Args:
        arguments: Portable texts.

    Example:
        >>> offered, met = edges_of(['[[1, 2, 1]]', '[[]]'])
        >>> sorted(met)
        ['empty list', 'repeated item']
        >>> sorted(offered - met)
        ['large number', 'negative number', 'single item', 'zero']
    """
    offered: set[str] = set()
    met: set[str] = set()
    for text in arguments:
        tree: Any = json.loads(text)
        for value in tree.values() if isinstance(tree, dict) else tree:  # pyright: ignore[reportUnknownVariableType]
            for part in _parts(value):
                kinds, found = _edges(part)
                offered |= kinds
                met |= found
    return offered, met


def _parts(value: Any) -> Iterator[Any]:
    """A value and everything in it; tagged forms as what they hold."""
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        if "$" in entries:
            held = entries.get("v")
            if entries["$"] in {"tuple", "set", "frozenset"} and isinstance(held, list):
                yield from _parts(held)
            elif entries["$"] in {"date", "datetime"} and isinstance(held, str):
                yield held
            return
        yield entries
        for item in entries.values():
            yield from _parts(item)
    elif isinstance(value, list):
        items = cast("list[Any]", value)
        yield items
        for item in items:
            yield from _parts(item)
    else:
        yield value


def _edges(value: Any) -> tuple[set[str], set[str]]:
    """The edges that a value's kind offers, and those that it is."""
    match value:
        case bool() | None:
            return set(), set()
        case int() | float():
            found = {"zero": value == 0, "negative number": value < 0, "large number": abs(value) >= _LARGE}
        case str():
            found = {
                "empty text": not value, "blank text": bool(_BLANK.fullmatch(value)),
                "beyond ASCII": not value.isascii(), "both cases": value != value.lower() and value != value.upper(),
                "repeated character": len(set(value)) < len(value),
            }  # fmt: skip
            if match := _DATE.search(value):
                year, month, day = map(int, match.groups())
                found |= {"end of a month": day >= 30, "February": month == 2 and day >= 28, "leap year": year % 4 == 0}
        case list():
            items = [json.dumps(item, sort_keys=True) for item in cast("list[Any]", value)]
            found = {
                "empty list": not items, "single item": len(items) == 1, "repeated item": len(set(items)) < len(items),
            }  # fmt: skip
        case dict():
            found = {"empty map": not value, "single entry": len(cast("dict[str, Any]", value)) == 1}
        case _:
            return set(), set()
    return set(found), {name for name, there in found.items() if there}
