"""What shown examples lead a reader to believe of all cases: that results are trimmed, that nothing gives nothing."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

# Values of which readers expect one result, whatever stands beside them.
_SPECIAL = frozenset({'""', "0", "[]", "{}", "null", "false", "true"})

# Blanks that a result may lack, and that readers forget.
_GOING = (("a tab that goes", "\t"), ("a line break that goes", "\n"))


def given(arguments: str) -> dict[str, Any]:
    """The arguments of a case by name or place.

    Example:
        >>> given('[1,"a"]'), given('{"n":1}')
        ({'0': 1, '1': 'a'}, {'n': 1})
    """
    held: Any = json.loads(arguments)
    pairs = cast("dict[str, Any]", held).items() if isinstance(held, dict) else enumerate(cast("list[Any]", held))
    return {str(place): value for place, value in pairs}


def shows(arguments: str, expected: str) -> Iterator[tuple[str, str]]:
    r"""What a case shows that nobody expects where none does: kinds of arguments and results, and how they look.

    Args:
        arguments: Portable text of the arguments.
        expected: Of the result.

    Example:
        >>> sorted(shows('["a"]', '["b ","a"]'))[1:]
        [('result', 'a blank at an end'), ('result', 'list, True'), ('result', 'out of order')]
        >>> ('0', 'a letter of several') in set(shows('["İ"]', '"i\u0307"'))
        True
    """
    values, result = given(arguments), json.loads(expected)
    for place, value in [*values.items(), ("result", result)]:
        yield place, f"{type(value).__name__}, {bool(value)}"
    for look in _looks(result):
        yield "result", look
    for place, value in values.items():
        texts = list(texts_in(value, keys=False))
        if any(letter not in expected for letter in _of_several(texts)):
            yield place, "a letter of several"
        for look, sign in _GOING:
            if any(sign in text for text in texts) and json.dumps(sign)[1:-1] not in expected:
                yield place, look


def _looks(result: Any) -> Iterator[str]:
    inner = cast("dict[str, Any]", result).get("v") if isinstance(result, dict) else result
    items = cast("list[Any]", inner) if isinstance(inner, list) else [inner]
    texts = [item for item in items if isinstance(item, str)]
    if any(text != text.strip() for text in texts):
        yield "a blank at an end"
    if any(text != text.lower() for text in texts):
        yield "a capital letter"
    if any("\n" in text.strip() for text in texts):
        yield "several lines"
    numbers = [item for item in items if isinstance(item, (int, float)) and not isinstance(item, bool)]
    if any(number < 0 for number in numbers):
        yield "less than nothing"
    if len(items) > 1:
        written = [json.dumps(item, sort_keys=True) for item in items]
        if len({*written}) < len(written):
            yield "repeats"
        for alike in (texts, numbers):
            if len(alike) == len(items) and sorted(alike) != items:
                yield "out of order"


def texts_in(value: Any, *, keys: bool) -> Iterator[str]:
    """The texts of a portable value that was parsed, with the keys of its maps or without."""
    match value:
        case str():
            yield value
        case dict():
            for key, held in cast("dict[str, Any]", value).items():
                if keys and key not in ("$", "v"):
                    yield key
                yield from texts_in(held, keys=keys)
        case list():
            for held in cast("list[Any]", value):
                yield from texts_in(held, keys=keys)
        case _:
            pass


def _of_several(texts: Iterable[str]) -> set[str]:
    """Letters that become several in lower or in upper case."""
    letters = {letter for text in texts for letter in text if not letter.isascii()}
    return {letter for letter in letters if len(letter.lower()) > 1 or len(letter.upper()) > 1}


def counterexamples(shown: Iterable[tuple[str, str]], cases: Sequence[tuple[str, str]]) -> list[frozenset[int]]:
    """Per belief that shown examples lead to, the places of the cases that show otherwise, where there are such.

    The belief is that a value such as an empty text or nothing gives what it gives in each example that holds it,
    whatever the other arguments are.

    Example:
        >>> counterexamples([('["",1]', "[]")], [('["",1]', "[]"), ('["",0]', '[""]'), ('["a",0]', '["a"]')])
        [frozenset({1})]
    """
    believed: dict[tuple[str, str], set[str]] = defaultdict(set)
    for arguments, expected in shown:
        for belief in _special(arguments):
            believed[belief].add(expected)
    against: dict[tuple[str, str], set[int]] = {each: set() for each, results in believed.items() if len(results) == 1}
    for place, (arguments, expected) in enumerate(cases):
        for belief in _special(arguments):
            if belief in against and expected not in believed[belief]:
                against[belief].add(place)
    return [frozenset(places) for places in against.values() if places]


def _special(arguments: str) -> Iterator[tuple[str, str]]:
    values = given(arguments)
    if len(values) > 1:
        for place, value in values.items():
            written = json.dumps(value)
            if written in _SPECIAL:
                yield place, written


__all__ = ["counterexamples", "given", "shows", "texts_in"]
