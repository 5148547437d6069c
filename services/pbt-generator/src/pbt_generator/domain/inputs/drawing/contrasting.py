"""Inputs that hold what somebody who misreads an argument would not see: one part of an input, changed one way.

Whoever takes `a` for `A`, a repeated part for one, a line end for nothing, or zero for missing is right on every input
without these. So each is put into some inputs that returned; whatever tells a misreading apart then becomes a case.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import cast

from pbt_generator.domain.inputs.drawing.splicing import places, replaced
from pbt_generator.domain.oracle.runs import Input

# So many places of an input are changed, and texts up to such a length.
_PLACES, _LONGEST = 6, 80
_WAYS = "./:"
_SEPARATORS = ",;:/.|-_ \n\t"
_SIGNS, _SIGN = 6, 24
# Years at which rules on years change their mind.
_CENTURIES = (1800, 1900, 2000, 2400, 12_000)
# Where a form is filled in.
_FORM = re.compile(r"%[-+ #0-9.]*[sdrf]|\{[^{}]*\}")
_WORD = re.compile(r"[A-Za-z]{2,12}")
# More than a double holds exactly, and more than 32 bits.
_EXACT = 2**53


def contrasts(given: Input, constants: Sequence[object] = ()) -> list[Input]:
    """Inputs that differ from one in one part, or in two that meet, each in a way that is easily overlooked.

    Args:
        given: An input that returned.
        constants: Values that the program writes down.

    Example:
        >>> made = contrasts((["-a"],))
        >>> (["-A"],) in made, (["-a", "-a"],) in made, (["-a\\n"],) in made
        (True, True, True)
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
    made = [*_meeting(given, signs), *_sized(given), *_deeper(given)]
    for path, value in parts[:_PLACES]:
        changed = [*_changed(value)]
        if isinstance(value, str):
            changed += _around(value, [*signs, *beside])
        made += [cast("Input", replaced(given, path, each)) for each in changed]
    found = {repr(each): each for each in made}
    found.pop(repr(given), None)
    return list(found.values())


def _around(text: str, signs: Sequence[str]) -> list[str]:
    """A text that holds what the program looks for: in its middle, at both ends, at one; a form that is filled."""
    word = next(iter(_WORD.findall(text)), "ab")
    return [
        made
        for sign in signs
        for plain in [_FORM.sub(word, sign)]
        for made in (f"{word} {plain} {word}", f"{plain}{word}{plain}", f"{word}{plain}", f"{plain}{word}", plain)
    ]


def _sized(given: Input) -> Iterator[Input]:
    """A text beside a number that is its length: as characters, as twice their units, and one more and less."""
    for place, text in enumerate(given):
        for other, size in enumerate(given):
            if not isinstance(text, str) or not isinstance(size, int) or isinstance(size, bool):
                continue
            for sign in ("a", "é", "😀"):
                for many, limit in ((3, 3), (3, 4), (4, 3), (3, 0), (3, -1)):
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
            return [next(iter(_WORD.findall(value)), "Key"), "\n"]
        case int() if not isinstance(value, bool):
            return [7]
        case list() if any(isinstance(each, str) for each in cast("list[object]", value)):
            return ["Key", *(f"{sign}Key" for sign in signs[:2])]
        case _:
            return []


def _put(value: object, word: object) -> object:
    return [word, *cast("list[object]", value)] if isinstance(value, list) else word


def _holding(value: object, word: object) -> Iterator[object]:
    turned = word.swapcase() if isinstance(word, str) else str(word)
    match value:
        case dict():
            kinds = [*cast("dict[object, object]", value).values()] or [1]
            yield from ({turned: kinds[0]}, {word: kinds[0]}, {word: kinds[0], turned: kinds[-1]})
            yield from ({word: nothing} for nothing in _less(kinds[0]))
            yield {word: {word: kinds[0], turned: 0}}
        case list():
            yield from ([turned], [word], [word, turned], [turned, word, turned], [word, "", word])
        case str():
            yield from (turned, str(word), f"{turned} {word}", f"{word}{word}", f"ab{word}", f"{word}ab")
        case _:
            pass


def _changed(value: object) -> Iterator[object]:
    match value:
        case str() if len(value) <= _LONGEST:
            yield from _of_text(value)
        case bool():
            yield not value
        case int():
            yield from (0, -value, value + _EXACT + 1, -value - _EXACT - 1)
            yield from _CENTURIES if value >= 1000 else (100 * value, 1000 * value)
        case float():
            yield from (0.0, -value, value + 0.5)
        case bytes():
            yield from (b"", b"\0" + value, value + b"\0", value[::-1], value + b"\xff")
        case list():
            yield from _of_list(cast("list[object]", value))
        case tuple():
            yield from (tuple(each) for each in _of_list(list(cast("tuple[object, ...]", value))))
        case dict():
            yield from _of_map(cast("dict[object, object]", value))
        case _:
            pass


def _of_text(text: str) -> Iterator[str]:
    yield ""
    yield text.swapcase()
    yield text.capitalize() if text != text.capitalize() else text.upper()
    yield f"{text}\n"
    yield f" {text}"
    yield f"\t{text} "
    yield f"{text}\n{text}"
    yield f"{text}é"
    yield unicodedata.normalize("NFD", f"é{text}")
    yield f"😀{text}"
    yield f"{text}'\""
    yield f"{text}\xa0{text}"
    yield f"{text}\u2028{text}\r\n{text}"
    yield f"{text}{text}"
    if text.isdigit():
        yield f"0{text}"
        yield str(_EXACT + 1)
    signs = [sign for sign in _SEPARATORS if sign in text] or [" "]
    for sign in signs[:2]:
        first, *others = text.split(sign)
        # One part comes twice, at the ends and beside itself; a part is empty; there is one more.
        yield sign.join([first, *others, first])
        yield sign.join([first, first, *others])
        yield sign.join([first, "", *others])
        yield sign.join([first, *others, *reversed([first, *others])])


def _of_list(items: list[object]) -> Iterator[list[object]]:
    yield []
    yield items[::-1]
    if items:
        yield [*items, items[0]]
        yield [items[0], *items]
        yield items * 3
        yield [*items, *_less(items[-1])]
    texts = [place for place, item in enumerate(items) if isinstance(item, str)]
    for place in texts[:2]:
        # The same but for its case comes before it, or behind.
        yield [cast("str", items[place]).swapcase(), *items]
        yield [*items, cast("str", items[place]).swapcase()]
    numbers = [item for item in items if isinstance(item, int) and not isinstance(item, bool)]
    if numbers:
        yield [*items, 10, 9]


def _of_map(entries: dict[object, object]) -> Iterator[dict[object, object]]:
    yield {}
    yield dict(reversed(entries.items()))
    for key, value in list(entries.items())[:3]:
        for nothing in _less(value):
            yield {**entries, key: nothing}
        if isinstance(key, str):
            yield {key.swapcase(): value, **entries}
            yield {**entries, key.swapcase(): value}
            for other in (key.swapcase(), f" {key}"):
                yield {name if name != key else other: item for name, item in entries.items()}
        if isinstance(value, dict):
            # One level more than there was.
            yield {**entries, key: dict.fromkeys(cast("dict[object, object]", value), entries) or {key: entries}}


def _less(value: object) -> Iterator[object]:
    """What is there and easily taken for nothing, of the kind of a value."""
    match value:
        case str():
            yield from ("", " ")
        case bool():
            yield False
        case int():
            yield 0
        case float():
            yield 0.0
        case list():
            yield []
        case dict():
            yield {}
        case _:
            pass


__all__ = ["contrasts"]
