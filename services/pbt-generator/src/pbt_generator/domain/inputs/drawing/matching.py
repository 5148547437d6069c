"""Texts that a regular expression matches, by Hypothesis.

Hypothesis tries an expression on what it draws. One that may take for ever to match, or whose repeats alone take for
ever, is not read at all.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from pbt_generator.domain.inputs.drawing.hypothesis_draws import drawn_by_hypothesis

# The parser of `re` has no public name; Hypothesis reads expressions through it as well.
_parser: Any = importlib.import_module("re._parser")
# How the groups are named that stand for a part that only running knows.
HOLE = "hole"
_MOST = 300
# Texts of one expression, and how long they may be.
_TEXTS = 12
_LONGEST = 240
# What is longer is cut off.
_CUT = 2000
# Parts that are drawn for one text: who asks for more repeats nothing, or hides the few texts among repeats of nothing.
_MOST_PARTS = 20_000
# Every printable character: a pattern whose literal is missing here could not be matched at all.
_ALPHABET = [*map(chr, range(32, 127)), "\t", "\n"]
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT"})
# So many repeats cut a text up in more ways than can be tried.
_MANY = 10
# What only a regular expression has, and neither a sentence, a date format nor a path.
_SIGNS = re.compile(
    r"\\[dwsbDWSB]|\.[*+]|\[\^?[^\]\s]+\][*+?{]|\(\?[:P=!<i]|\)[*+?]|^\^|[^\s$]\$$|\\[.()\[\]*+?|${}]|\w\+\w*\)"
)


def looks_like_pattern(text: str) -> bool:
    """Whether a constant of a program reads like a regular expression."""
    return 2 < len(text) <= _MOST and _SIGNS.search(text) is not None and is_readable(text)


def is_readable(pattern: str) -> bool:
    """Whether texts can be drawn that a regular expression matches: it is one, and drawing and matching come to an end.

    Example:
        >>> [is_readable(each) for each in ("(a+)+", "(?:x{900}){900}", "(", "(?:(?:x{0}){900}){900}")]
        [True, True, False, False]
    """
    return _parsed(pattern) is not None and not may_stall(pattern)


def may_stall(pattern: str) -> bool:
    """Whether trying an expression on a text that was drawn by it may take for ever.

    It may where repeats hold repeats or alternatives, so that one text is cut up in many ways, and something in it lets
    a text fail that was drawn by it: an assertion, or another alternative.

    Example:
        >>> [may_stall(each) for each in (r"^(\\.\\w+)*$", r"(a+)+$(?<!a)", r"(?:ab|a)*\\b-", r"\\w+(?=x)")]
        [False, True, True, False]
    """
    parsed = _parsed(pattern)
    if parsed is None:
        return False
    inner = list(parsed)
    # Both ends of a text are where it is matched as a whole.
    while inner and str(inner[0][0]) == "AT":
        inner = inner[1:]
    while inner and str(inner[-1][0]) == "AT":
        inner = inner[:-1]
    parts = list(_all_parts(inner))
    deciding = any(op in ("ASSERT", "ASSERT_NOT", "AT", "BRANCH", "GROUPREF", "GROUPREF_EXISTS") for op, _ in parts)
    repeats = (list(_all_parts(value[2])) for op, value in parts if op in _REPEATS and int(value[1]) >= _MANY)
    return deciding and any(
        op == "BRANCH" or (op in _REPEATS and int(value[1]) > int(value[0])) for held in repeats for op, value in held
    )


def _all_parts(items: Any) -> Iterator[tuple[str, Any]]:
    for op, value in items:
        yield str(op), value
        for held in _held(str(op), value):
            yield from _all_parts(held)


@lru_cache(maxsize=512)
def matching_texts(pattern: str) -> tuple[str, ...]:
    """Texts that a regular expression matches, always the same; none for one that cannot be read."""
    if not is_readable(pattern):
        return ()
    alphabet = st.sampled_from([*_ALPHABET, *sorted({char for char in pattern if ord(char) > 126})])
    for whole in (True, False):
        with suppress(re.error, HypothesisException, OverflowError, RecursionError, NotImplementedError, ValueError):
            texts = drawn_by_hypothesis(st.from_regex(pattern, fullmatch=whole, alphabet=alphabet), 2 * _TEXTS, 1)
            if short := tuple([text for text in texts if len(text) <= _LONGEST][:_TEXTS]):
                return short
    return ()


@lru_cache(maxsize=512)
def _parsed(pattern: str) -> Any:
    try:
        parsed = _parser.parse(pattern)
        return parsed if _parts(parsed) <= _MOST_PARTS else None
    except (re.error, OverflowError, RecursionError, ValueError):
        return None


def _parts(items: Any) -> int:
    """How many parts are drawn for one text, on the average of the repeats and for the longest of the alternatives."""
    return sum(1 + _parts_within(str(op), value) for op, value in items)


def _parts_within(op: str, value: Any) -> int:
    longest = max(map(_parts, _held(op, value)), default=0)
    if op not in _REPEATS and op != "POSSESSIVE_REPEAT":
        return longest
    low, high, width = int(value[0]), int(value[1]), int(value[2].getwidth()[0])
    count = low + (low < high)
    # What has grown too long is cut off.
    return (min(count, _CUT // width + 1) if width else count) * (1 + longest)


def _held(op: str, value: Any) -> list[Any]:
    """The sequences of parts that a part of an expression holds."""
    match op:
        case "SUBPATTERN":
            return [value[3]]
        case "ATOMIC_GROUP":
            return [value]
        case "ASSERT" | "ASSERT_NOT":
            return [value[1]]
        case "BRANCH":
            return list(value[1])
        case "GROUPREF_EXISTS":
            return [each for each in value[1:] if each is not None]
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return [value[2]]
        case _:
            return []
