"""Inputs that hold what somebody who misreads an argument would not see: one part of an input, changed one way.

Whoever takes `a` for `A`, a repeated part for one, a line end for nothing, or zero for missing is right on every input
without these. So each is put into some inputs that returned; whatever tells a misreading apart then becomes a case.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import cast

from pbt_generator.domain.inputs.drawing.changing import (
    in_other_letters,
    less_of,
    odd_changes,
    other_kind,
    other_kinds,
    usual_changes,
)
from pbt_generator.domain.inputs.drawing.splicing import places, replaced
from pbt_generator.domain.oracle.runs import Input

# So many places of an input are changed, and so many that hold yes or no are tried in every way.
_PLACES, _FLAGS = 6, 4
# Inputs whose other arguments stand beside every such way.
_BASES = 4
# Inputs begin so many changes apart.
_STRIDE = 5
_WAYS = "./:"
_SIGNS, _SIGN = 6, 24
# Where a form is filled in.
_FORM = re.compile(r"%[-+ #0-9.]*[sdrf]|\{[^{}]*\}")
_WORD = re.compile(r"[A-Za-z]{2,12}")
_NUMBER = re.compile(r"\d+")
# A name that is a regular expression too, and what this one finds.
_EXPRESSION = "a.b+"
_TAKEN_FOR = {_EXPRESSION: "axb"}
_LEVEL = ((10**12 + 1, 10**12), (2**53 + 1, 2**53), (2**24 + 1, 2**24), (0.1 + 0.2, 0.3), (1.0 + 1e-7, 1.0))


def contrasts(given: Input, constants: Sequence[object] = (), turn: int = 0) -> list[Input]:
    """Inputs that differ from one in one part, or in two that meet, as a caller may send them.

    Args:
        given: An input that returned.
        constants: Values that the program writes down.
        turn: With which of the changes to begin, so that the first ones of several inputs are not the same.

    Example:
        >>> made = contrasts((["-a"],))
        >>> (["-A"],) in made, (["-a", "-a"],) in made
        (True, True)
        >>> ({"a": {"b": 1}}, "a.b") in contrasts(({"b": 1}, "b"))
        True
        >>> ("ab # ab",) in contrasts(("ab",), ["#"])
        True
    """
    written = [each for each in constants if isinstance(each, str) and 0 < len(each) <= _SIGN]
    # A text of signs alone is mostly a list of them.
    single = [sign for each in written if len(each) <= _SIGNS and not re.search(r"\w", each) for sign in each]
    signs = list(dict.fromkeys([*single, *written]))[:_SIGNS]
    beside = [each for each in given if isinstance(each, str) and 0 < len(each) <= 3]
    parts = [(path, value) for path, value in places(given) if path]
    changed = [
        *([replaced(given, path, each) for each in usual_changes(value)] for path, value in parts[:_PLACES]),
        *(
            [replaced(given, path, each) for each in _around(value, [*signs, *beside])]
            for path, value in parts[:_PLACES]
            if isinstance(value, str)
        ),
    ]
    ways = [_alike(given), _meeting(given, signs), _deeper(given), _throughout(given), *changed]
    return _unlike(given, [_flags(given), *(_from(turn, each) for each in ways)])


def oddities(given: Input, turn: int = 0) -> list[Input]:
    """Inputs that differ from one in one part, or in two that meet, in a way that programs seldom are written for.

    Args:
        given: An input that returned.
        turn: With which of the changes to begin, so that the first ones of several inputs are not the same.

    Example:
        >>> (["-a\\n"],) in oddities((["-a"],))
        True
    """
    parts = [(path, value) for path, value in places(given) if path]
    changed = ([replaced(given, path, each) for each in odd_changes(value)] for path, value in parts[:_PLACES])
    kinds = ([replaced(given, path, each) for each in other_kinds(value)] for path, value in parts[:_PLACES])
    ways = (_sized(given), _level(given), *changed, *kinds)
    return _unlike(given, [_lettered(given), *(_from(turn, each) for each in ways)])


def _from(turn: int, made: Iterable[object]) -> list[object]:
    """The same in another order: the turn says with which to begin."""
    listed = [*made]
    start = turn * _STRIDE % max(1, len(listed))
    return [*listed[start:], *listed[:start]]


def in_all_ways(inputs: Sequence[Input]) -> list[Input]:
    """Of arguments that may be nothing: every way of giving and leaving them, with values that the inputs have.

    Args:
        inputs: Inputs that returned, one shape.

    Example:
        >>> in_all_ways([(1, None, None), (2, "a", None), (3, None, "b")])[-1]
        (3, 'a', 'b')
    """
    values = [[given[place] for given in inputs] for place in range(min(map(len, inputs), default=0))]
    held = {place: next((each for each in column if each is not None), None) for place, column in enumerate(values)}
    asked = [place for place, column in enumerate(values) if None in column and held[place] is not None][:_FLAGS]
    made: list[Input] = []
    for given in inputs[:_BASES] if len(asked) > 1 else ():
        for answers in itertools.product((False, True), repeat=len(asked)):
            chosen = {place: held[place] if answer else None for place, answer in zip(asked, answers, strict=True)}
            made.append(tuple(chosen.get(place, value) for place, value in enumerate(given)))
    return made


def in_turns(made: Iterable[Iterable[object]]) -> Iterator[Input]:
    """The first of each, then the second of each, and so on.

    Example:
        >>> [*in_turns([[(1,), (2,)], [], [(3,)]])]
        [(1,), (3,), (2,)]
    """
    return (cast("Input", each) for turn in itertools.zip_longest(*made) for each in turn if each is not None)


def _unlike(given: Input, made: Iterable[Iterable[object]]) -> list[Input]:
    """What was made, in turns, without the input that it was made of and without repeats."""
    found = {repr(each): each for each in in_turns(made)}
    found.pop(repr(given), None)
    return list(found.values())


def _flags(given: Input) -> Iterator[object]:
    """Every way of saying yes and no at the places that do."""
    asked = [path for path, value in places(given) if isinstance(value, bool)][:_FLAGS]
    if len(asked) > 1:
        for answers in itertools.product((False, True), repeat=len(asked)):
            made: object = given
            for path, answer in zip(asked, answers, strict=True):
                made = replaced(made, path, answer)
            yield made


def _alike(given: Input) -> Iterator[Input]:
    """Two arguments of one kind that are the same, or stand in each other's place."""
    for place, value in enumerate(given):
        for other in range(place):
            if type(value) is type(given[other]) and value is not None:
                for pair in ((value, given[other]), (value, value), (given[other], given[other])):
                    made = [*given]
                    made[other], made[place] = pair
                    yield tuple(made)


def _around(text: str, signs: Sequence[str]) -> list[str]:
    """A text that holds what the program looks for: in its middle, at both ends, at one; a form that is filled."""
    word = next(iter(_WORD.findall(text)), "ab")
    return [
        made
        for sign in signs
        for plain in [_FORM.sub(word, sign)]
        for made in (f"{word} {plain} {word}", f"{plain}{word}{plain}", f"{word}{plain}", f"{plain}{word}", plain)
    ]


def _lettered(given: Input) -> Iterator[Input]:
    """All texts in other letters, so that lengths and what stands where stay as they are for who counts characters."""
    for way in range(2):
        yield tuple(_in_letters(value, way) for value in given)


def _in_letters(value: object, way: int) -> object:
    match value:
        case str():
            others = [*in_other_letters(value)]
            return others[min(way, len(others) - 1)] if others else value
        case list() | tuple() | set() | frozenset():
            return _made(cast("object", value))([_in_letters(each, way) for each in cast("Iterable[object]", value)])
        case dict():
            entries = cast("dict[object, object]", value)
            return {_in_letters(key, way): _in_letters(held, way) for key, held in entries.items()}
        case _:
            return value


def _throughout(given: Input) -> Iterator[Input]:
    """A number that several texts hold, changed in all of them: what belongs together stays together."""
    texts = [(path, value) for path, value in places(given) if isinstance(value, str)]
    counts = Counter(number for _, text in texts for number in {*_NUMBER.findall(text)})
    for number in [number for number, count in counts.items() if count > 1][:_PLACES]:
        for other in ("0", "1", "99", f"{number}0", f"0{number}", number[:-1] or "7"):
            made: object = given
            for path, text in texts:
                made = replaced(made, path, re.sub(rf"(?<!\d){number}(?!\d)", other, text))
            yield cast("Input", made)


def _level(given: Input) -> Iterator[Input]:
    """Two numbers that nearly equal one another, for who compares them in floating point or with a tolerance."""
    for one, other in itertools.combinations(range(len(given)), 2):
        for first, second in _LEVEL:
            if type(first) is type(given[one]) and type(second) is type(given[other]):
                for pair in ((first, second), (second, first)):
                    made = [*given]
                    made[one], made[other] = pair
                    yield tuple(made)


def _sized(given: Input) -> Iterator[Input]:
    """A text beside a number that is its length: as characters, as twice their units, and one more and less."""
    for place, text in enumerate(given):
        for other, size in enumerate(given):
            if not isinstance(text, str) or not isinstance(size, int) or isinstance(size, bool):
                continue
            for many, limit in ((3, 3), (3, 4), (4, 3), (3, 0), (3, -1)):
                for sign in ("😀", "e\u0301", "é", "a"):
                    made = [*given]
                    made[place], made[other] = sign * many, limit
                    yield tuple(made)


def _deeper(given: Input) -> Iterator[Input]:
    """A map within a map, where a text says the way into it: one step more, and two."""
    maps = [place for place, value in enumerate(given) if isinstance(value, dict) and value]
    texts = [(place, value) for place, value in enumerate(given) if isinstance(value, str) and value]
    for held in maps[:1]:
        for place, text in texts[:2]:
            signs = [sign for sign in _WAYS if sign in text] or list(_WAYS)
            for sign in signs:
                for way in ("a", f"a{sign}b"):
                    inner: object = given[held]
                    for step in reversed(way.split(sign)):
                        inner = {step: inner}
                    made = [*given]
                    made[held], made[place] = inner, f"{way}{sign}{text}"
                    yield tuple(made)
                # One step beyond what is there.
                made = [*given]
                made[place] = f"{text}{sign}a"
                yield tuple(made)


def _meeting(given: Input, signs: Sequence[str]) -> Iterator[Input]:
    """What two arguments both hold: as it is, in another case, in another kind, with a value that counts as none."""
    for place, value in enumerate(given):
        for word in _words(value, signs):
            for other, second in enumerate(given):
                if other == place:
                    continue
                for held in _holding(second, word):
                    made = [*given]
                    made[place], made[other] = _put(value, word), held
                    yield tuple(made)


def _words(value: object, signs: Sequence[str]) -> list[object]:
    match value:
        case str():
            return [next(iter(_WORD.findall(value)), "Key"), _EXPRESSION, "\n"]
        case int() if not isinstance(value, bool):
            return [7]
        case list() | set() | frozenset() | tuple():
            items = [*cast("Iterable[object]", value)]
            numbers = [7] if any(isinstance(each, int) for each in items) else []
            named = ["Key", _EXPRESSION, *(f"{sign}Key" for sign in signs[:2])]
            texts = named if any(isinstance(each, str) for each in items) else []
            return [*texts, *numbers]
        case _:
            return []


def _put(value: object, word: object) -> object:
    match value:
        case list() | set() | frozenset() | tuple():
            return _made(cast("object", value))([word, *cast("Iterable[object]", value)])
        case _:
            return word


def _made(value: object) -> Callable[[list[object]], object]:
    # A named tuple is made otherwise.
    return next(kind for kind in (list, tuple, set, frozenset) if isinstance(value, kind))


def _holding(value: object, word: object) -> Iterator[object]:
    turned = _TAKEN_FOR.get(word, word.swapcase()) if isinstance(word, str) else other_kind(word)
    match value:
        case dict():
            kinds = [*cast("dict[object, object]", value).values()] or [1]
            yield from ({turned: kinds[0]}, {word: kinds[0]}, {word: kinds[0], turned: kinds[-1]})
            yield from ({word: nothing} for nothing in less_of(kinds[0]))
            yield {word: {word: kinds[0], turned: 0}}
        case list():
            yield from ([turned], [word], [word, turned], [turned, word, turned], [word, "", word])
        case set() | frozenset() | tuple():
            yield from map(_made(cast("object", value)), ([turned], [word], [word, turned]))
        case str():
            yield from (turned, str(word), f"{turned} {word}", f"{word}{word}", f"ab{word}", f"{word}ab")
        case _:
            pass


__all__ = ["contrasts", "in_all_ways", "in_turns", "oddities"]
