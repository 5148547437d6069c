"""Edges of values: what a caller may send, and what programs that were written for the middle get wrong.

A kind of value offers certain edges; the cases of a suite hold some of them. Where few mutants count, these are what
a certificate rests on.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, cast

_DATE = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_BLANK = re.compile(r"\s+")
_NUMBERS = re.compile(r"(?<!\d)\d{1,9}(?!\d)")
_LARGE, _ROUNDED = 2**31, 2**48 - 1
_LONG, _MOST = 32, 120
_HOLDING = {"tuple", "set", "frozenset", "map"}
_WRITTEN = {"date", "datetime", "time", "decimal", "fraction", "path", "int"}
_SHAPES = {
    "ends a line": re.compile(r"\n\Z"),
    "lines": re.compile(r"\n."),
    "blank before": re.compile(r"\A\s+\S"),
    "blank behind": re.compile(r"\S[^\S\n]+\Z"),
    "tab or odd blank": re.compile(r"[^\S \n]"),
    "blanks in a row": re.compile(r"\S\s{2,}\S"),
    "sign twice": re.compile(r"([^\w\s])\1"),
    "blank beside sign": re.compile(r"[^\w\s]\s|\s[^\w\s]"),
    "sign first": re.compile(r"\A[^\w\s]"),
    "sign last": re.compile(r"[^\w\s]\Z"),
    "backslash": re.compile(r"\\"),
    "quote": re.compile(r"['\"]"),
    "underscore": re.compile(r"_"),
    "upper": re.compile(r"\A[^a-z]*[A-Z][^a-z]*\Z"),
    "digits": re.compile(r"\A\d+\Z"),
    "digit of another script": re.compile(r"(?![0-9])\d"),
    "signed number": re.compile(r"\A\s*[-+]\d"),
    "point": re.compile(r"\d\.\d"),
    "exponent": re.compile(r"\A\s*[-+]?\d[\d.]*[eE]"),
    "zero first": re.compile(r"(?<![\d.])0\d"),
    "zero last": re.compile(r"\.\d*0\Z"),
    "many digits": re.compile(r"\d{17}|\d\.\d{17}|\d\.?\d{28}"),
    "end of a year": re.compile(r"\d{4}.?(?:12.?31|01.?01)(?!\d)"),
    "day 29 to 31": re.compile(r"\D(?:29|30|31)(?!\d)"),
    "self": re.compile(r"\b(?:self|cls)\b"),
    **{
        f"{name} between words": re.compile(rf"\w{sign}\w")
        for name, sign in {
            "comma": ",",
            "semicolon": ";",
            "bar": r"\|",
            "colon": ":",
            "slash": "/",
            "equals": "=",
            "and": "&",
            "dash": "-",
            "point": r"\.",
            "tab": r"\t",
            "line break": r"\n",
            "blank": " ",
        }.items()
    },
    "no value": re.compile(r"\A(?:None|null|nan|inf|true|false|-)\Z", re.IGNORECASE),
}


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


def features_of(arguments: str, named: Collection[str]) -> frozenset[str]:
    """What is at the places of an input: kinds and edges of values, each with its place.

    Args:
        arguments: Portable text.
        named: Keys that name a place of their own; any other entry of a map is one.

    Example:
        >>> sorted(features_of('[[1, "a"]]', ()))
        ['0: list', '0: mixed', '0[]: int', '0[]: one', '0[]: one character', '0[]: str']
    """
    tree: Any = json.loads(arguments)
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    found: set[str] = set()
    for place, value in pairs:  # pyright: ignore[reportUnknownVariableType]
        _features(str(place), value, named, found)  # pyright: ignore[reportUnknownArgumentType]
    return frozenset(found)


def _features(place: str, value: Any, named: Collection[str], found: set[str]) -> None:
    if len(found) > _MOST:
        return
    if isinstance(value, dict) and "$" in value:
        entries = cast("dict[str, Any]", value)
        found.add(f"{place}: {entries['$']}")
        held = entries.get("v")
        if entries["$"] in _HOLDING and isinstance(held, list):
            _features(f"{place}$", held, named, found)
        elif isinstance(held, str) and entries["$"] in _WRITTEN:
            found.update(f"{place}: {edge}" for edge in (*_edges(held)[1], *_finer(held)))
        return
    kind = type(cast("object", value)).__name__
    found.update(f"{place}: {edge}" for edge in (kind, *_edges(value)[1], *_finer(value)))
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            _features(f"{place}[]", item, named, found)
    elif isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            _features(f"{place}.{key if key in named else ''}", item, named, found)


def _beside_power(number: float) -> Iterator[str]:
    """By one beside a power so large that a double's logarithm is that of the power."""
    if number % 1 == 0 and _ROUNDED <= number < math.inf:
        powers = [int(number) + step for step in (1, -1)]
        if any(power & (power - 1) == 0 for power in powers):
            yield "beside a power of two"
        if any(str(power).rstrip("0") == "1" for power in powers):
            yield "beside a power of ten"


def _finer(value: Any) -> Iterator[str]:
    """Edges beyond those that a certificate weighs."""
    match value:
        case bool() | None:
            return
        case int() | float():
            if value == 1:
                yield "one"
            yield from _beside_power(value)
            if type(value) is float:
                yield "half" if value % 1 == 0.5 else "fraction" if value % 1 else "whole"
                if 0 < abs(value) < 0.01:
                    yield "tiny"
        case str():
            yield from (name for name, pattern in _SHAPES.items() if pattern.search(value))
            numbers = [int(number) for number in _NUMBERS.findall(value)]
            if len(numbers) > 1 and math.gcd(*numbers[:2]) > 1 and numbers[0] != numbers[1]:
                yield "numbers with a common divisor"
            yield "one character" if len(value) == 1 else "long" if len(value) > _LONG else "few characters"
        case list():
            items = cast("list[Any]", value)
            if len(items) > _LONG // 4:
                yield "long"
            if len({type(item).__name__ for item in items}) > 1:
                yield "mixed"
        case _:
            return


def _parts(value: Any) -> Iterator[Any]:
    """A value and everything in it; tagged forms as what they hold."""
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        if "$" in entries:
            held = entries.get("v")
            if entries["$"] in {"tuple", "set", "frozenset"} and isinstance(held, list):
                yield from _parts(held)
            elif entries["$"] == "map" and isinstance(held, list):
                # The same map is written without its tag where all keys are texts.
                yield from _parts({json.dumps(key): item for key, item in cast("list[list[Any]]", held)})
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
