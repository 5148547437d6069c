"""Programs that take an argument for something else: each is the ground truth over a changed argument.

Wrong solutions by other hands mostly differ from the right one in what they make of a value before they begin: blanks
at its ends, its case, the order of a list, a part that holds a separator. A function of few expressions has few mutants
and can be misread in all of these ways, so a score on few mutants is told together with these. A misreading may well be
right for every input that a caller sends: it never counts in the score.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import cast

# What a value is taken for, by what it has to hold for that to be another value; the harness does it (`_ts_misread`).
RULES: dict[str, tuple[str, ...]] = {
    "text": (
        "blanks at the ends left out", "in lower case", "in upper case", "what is beyond ASCII left out",
        "what is beyond ASCII as question marks", "composed characters", "without the end of its line",
        "texts of digits as numbers", "texts of digits as doubles",
        "zeros in front left out", "the first line alone", "the first word alone",
    ),
    "texts": ("cut at points", "cut at blanks", "cut at slashes", "cut at commas", "cut at dashes"),
    "list": ("in order", "turned round", "repeats left out", "what is empty left out", "the first alone"),
    "within": ("zero and the empty text taken for nothing",),
    "map": ("entries without a value left out",),
    "number": ("without its sign", "cut to 32 bits", "as a double", "at most a million", "numbers as texts"),
    "fraction": ("without its fraction",),
    "date": ("on the first of its month", "without its time of day", "without its zone"),
    "empty": ("what is empty taken for nothing",),
}  # fmt: skip
_RULES = frozenset(rule for rules in RULES.values() for rule in rules)
READING = "misreading"
# Parameters, and what they are taken for.
Misreading = tuple[tuple[str, ...], str]
_EMPTY = (str, int, float, bool, list, dict)


def misreadings(held: Mapping[str, Iterable[object]]) -> list[Misreading]:
    """Pairs of a parameter, or of all that may be misread so at once, and what they may be taken for.

    Who compares two texts in lower case changes both.

    Args:
        held: Values that each parameter had.

    Example:
        >>> misreadings({"n": [1.5], "flag": [True]})[-1]
        (('n',), 'without its fraction')
        >>> misreadings({"a": ["x"], "b": ["y"]})[-1]
        (('a', 'b'), 'the first word alone')
    """
    kinds = {name: set[str]().union(*map(_kinds, values)) for name, values in held.items()}
    ruled = [(kind, rule) for kind, rules in RULES.items() for rule in rules]
    alone = [((name,), rule) for name, found in kinds.items() for kind, rule in ruled if kind in found]
    together = [(tuple(name for name, found in kinds.items() if kind in found), rule) for kind, rule in ruled]
    return [*alone, *((names, rule) for names, rule in together if len(names) > 1)]


def in_words(names: Iterable[str], rule: str) -> str:
    """A misreading as a certificate tells it."""
    return f"{', '.join(names)}: {rule}"


def read_misreading(words: str) -> Misreading:
    """A misreading that a certificate tells of.

    Raises:
        ValueError: nobody knows such a one.

    Example:
        >>> read_misreading(in_words(("a", "b"), "in order"))
        (('a', 'b'), 'in order')
    """
    names, _, rule = words.partition(": ")
    if rule not in _RULES:
        raise ValueError(words)
    return tuple(names.split(", ")), rule


def _kinds(value: object, depth: int = 0) -> set[str]:
    found: set[str] = set()
    if depth == 0 and isinstance(value, _EMPTY) and not value:
        found.add("empty")
    match value:
        case str():
            found.add("text")
        case bool() | None:
            pass
        case int() | float():
            found |= {"number"} | ({"fraction"} if isinstance(value, float) else set())
        case datetime.date():
            found.add("date")
        case list() | tuple():
            items = cast("list[object]", value)
            found |= {"list", "within"} | ({"texts"} if any(isinstance(item, str) for item in items) else set())
            found = found.union(*(_kinds(item, depth + 1) for item in items))
        case dict():
            entries = cast("dict[object, object]", value)
            found = (found | {"map", "within"}).union(
                *(_kinds(part, depth + 1) for pair in entries.items() for part in pair)
            )
        case _:
            pass
    return found


__all__ = ["READING", "RULES", "Misreading", "in_words", "misreadings", "read_misreading"]
