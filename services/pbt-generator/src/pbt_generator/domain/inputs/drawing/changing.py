"""Values that differ from one in a way that is easily overlooked: as callers send them, and as they hardly ever do.

What a caller may well send becomes a case for its own sake: nobody lists all the ways in which an argument is misread.
What is odd (characters beyond ASCII, numbers beyond a double) is a case where it tells a program apart; else a few are.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import cast

# Texts up to such a length are changed, lists of so many items, and numbers of so many bits.
_LONGEST, _MOST, _BITS = 80, 40, 200
_SEPARATORS = ",;:/.|-_ \n\t@=&"
# Years at which rules on years change their mind.
_CENTURIES = (1800, 1900, 2000, 2400, 12_000)
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[A-Za-z]+")
# More than a double holds exactly.
_EXACT = 2**53
# Divided by each odd prime up to 47, which floating point does not do exactly; and beyond 64 and 128 bits.
_LARGE = 307_444_891_294_245_705
_WIDE = 2**130 + 2**66 + _EXACT + 1
# Names that mean something to whoever handles code.
_NAMES = ("class", "self", "__import__")
_NOTATIONS = ("%20", "&amp;", ".*", "\\n", "%s{0}$1", "?a=1#b")
# Texts that are read as something else by who converts them without being asked.
_LOOKING = ("2024-02-29T12:30:00", "1e5", "true", "none", "NaN", "0")
_LONG_WORD = "ab" * 60
_LETTER, _TWO_LETTERS = re.compile(r"[^\W\d_]"), re.compile(r"[^\W\d_]{2}")


def usual_changes(value: object) -> Iterator[object]:
    """Values of the same kind that a caller may send as well.

    Example:
        >>> [*usual_changes(True)], "v1.10" in usual_changes("v1.2"), [2, 1] in usual_changes([1, 2])
        ([False], True, True)
    """
    match value:
        case str() if len(value) <= _LONGEST:
            yield from _of_text(value)
        case bool():
            yield not value
        case int() if value.bit_length() <= _BITS:
            yield from _of_number(value)
        case float():
            yield from (0.0, -value, value + 0.5, value / 8, value * 1000)
            if math.isfinite(value):
                yield float(round(value))
        case bytes():
            yield from (b"", value[::-1], value + value, value[:-1], value[1:])
            yield from (bytes(len(value)), value + b"\0", b"\0" + value)
        case list() if len(value) <= _MOST:  # pyright: ignore[reportUnknownArgumentType]
            yield from _of_list(cast("list[object]", value))
        case tuple() if len(value) <= _MOST:  # pyright: ignore[reportUnknownArgumentType]
            yield from (tuple(each) for each in _of_list(list(cast("tuple[object, ...]", value))))
        case set() if len(value) <= _MOST:  # pyright: ignore[reportUnknownArgumentType]
            yield from map(set, _of_set(cast("set[object]", value)))
        case frozenset() if len(value) <= _MOST:  # pyright: ignore[reportUnknownArgumentType]
            yield from map(frozenset, _of_set(cast("frozenset[object]", value)))
        case dict():
            yield from _of_map(cast("dict[object, object]", value))
        case _:
            pass


def odd_changes(value: object) -> Iterator[object]:
    """Values of the same kind that programs for the usual ones get wrong.

    Example:
        >>> "a\\n" in odd_changes("a"), 2**53 + 1 in odd_changes(0)
        (True, True)
    """
    match value:
        case str() as text if len(text) <= _LONGEST:
            yield f"{text}\n"
            yield f"\t{text} "
            yield f"{text}\n{text}"
            yield f"{text}é"
            yield f"{text}ΩΣ"
            # Longer than a line, without a place to break it.
            yield f"{text}{_LONG_WORD}"
            yield from (f"{text[:1]}'{text[1:]}", f"{text}:", f"/{text}/", f"{text}+{text}")
            yield from _LOOKING
            yield f"Ä{text}ß"
            yield unicodedata.normalize("NFD", f"é{text}")
            yield f"😀{text}"
            yield from in_other_letters(text)
            yield f"{text}'\""
            yield f"{text}'s"
            yield f"{text}\xa0{text}"
            yield f"{text}\u2028{text}\r\n{text}"
            yield f"{text}\f{text}\x85{text}"
            yield f"\u3000{text}\xa0"
            yield f"\r{text}\r\n"
            yield f"{text}²٣"
            yield f"{text}\x07\x1b\x1f"
            yield f"{text}\x7f\x80\xff"
            yield f"~/{text}"
            if text.isdigit():
                yield str(_EXACT + 1)
            if text.isidentifier():
                yield from (*_NAMES, f"*{text}")
        case bool():
            pass
        case int():
            # Odd ones: those are no doubles.
            yield from (_EXACT + (abs(value) | 1), -_EXACT - (abs(value) | 1), _LARGE, -_LARGE, _WIDE)
            yield from _CENTURIES if value >= 1000 else (100 * value,)
        case bytes():
            yield from (value + b"\x7f\x80\xff", b"\xff" + value)
        case dict():
            entries = cast("dict[object, object]", value)
            for key in [key for key in entries if isinstance(key, str)][:2]:
                for other in (f"Ä{key}ß", *in_other_letters(key), f"{key}\n", f"\u3000{key}\xa0"):
                    yield {other if name == key else name: held for name, held in entries.items()}
        case _:
            pass


def in_other_letters(text: str) -> Iterator[str]:
    """A text of as many characters as it has, of which some take two units of UTF-16, or belong to the one before.

    Example:
        >>> [*map(ascii, in_other_letters("ab-c"))]
        ["'\\\\U0001f600\\\\U0001f600-\\\\U0001f600'", "'e\\\\u0301-c'"]
    """
    for letters, other in ((_LETTER, "😀"), (_TWO_LETTERS, "e\u0301")):
        changed = letters.sub(other, text)
        if changed != text:
            yield changed


def other_kind(value: object) -> object:
    """The number that a text shows, or the text of a number; None of what is neither.

    Example:
        >>> other_kind(7), other_kind("7"), other_kind("a")
        ('7', 7, None)
    """
    match value:
        case int() if not isinstance(value, bool) and value.bit_length() <= _BITS:
            return str(value)
        case str() if value.isascii() and value.isdigit() and len(value) <= _LONGEST:
            return int(value)
        case _:
            return None


def _of_two_kinds(value: object) -> list[object]:
    """What a value makes a pair with of a number and its text; where it makes none, such a pair."""
    other = other_kind(value)
    return [1, "1"] if other is None else [other]


def other_kinds(value: object) -> Iterator[object]:
    """Values of other kinds, for a place of which nobody says what comes there: the value in a list, and plain ones."""
    yield [value]
    plain: list[object] = [None, 0, 1, "", "ab", "1", [], [0], [""], ["ab", "ab"], {}, {"ab": 0}, False, True, 1.5, ()]
    yield from (each for each in plain if type(each) is not type(value) or not value)


def less_of(value: object) -> Iterator[object]:
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


def _of_number(value: int) -> Iterator[int]:
    yield from (0, 1, -value, value + 1, value - 1, 2 * value, 10 * value)
    power = 10 ** max(1, len(str(abs(value))) - 1)
    yield from (power - 1, power, power + 1, 1000 * value, 999, 1000, 10**6, 1 << max(1, abs(value).bit_length()))


def _of_text(text: str) -> Iterator[str]:
    yield ""
    yield text.swapcase()
    yield text.capitalize() if text != text.capitalize() else text.upper()
    yield from _in_parts(text)
    yield f"{text}{text}"
    yield from (text[:-1], text[1:], text[:1], f"{text}{text[-1:]}", f"{text[:1]}{text}")
    numbers = [*_NUMBER.finditer(text)]
    for number in dict.fromkeys([*numbers[:2], *numbers[-1:]]):
        before, written, behind = text[: number.start()], number.group(), text[number.end() :]
        for other in (
            "0",
            "1",
            "10",
            f"0{written}",
            f"{written}0",
            written[:-1],
            str(int(written) + 1),
            "",
            f"-{written}",
            f"{written}.5",
        ):
            yield f"{before}{other}{behind}"
    words = [*_WORD.finditer(text)]
    for word in [words[0], words[-1]] if len(words) > 1 else words:
        before, written, behind = text[: word.start()], word.group(), text[word.end() :]
        for other in (
            written.upper(),
            written.title(),
            f"{written}2",
            f"{written}s",
            written[:1],
            "",
            f"_{written}",
            f"{written}{written.title()}",
        ):
            yield f"{before}{other}{behind}"
    # What stands for something else in one notation or another, and a line that ends within a part.
    yield from (f"{text}{each}" for each in _NOTATIONS)
    sign = next((place for place, each in enumerate(text) if not each.isalnum()), len(text) // 2)
    yield f"{text[: sign + 1]}\n{text[sign + 1 :]}"
    yield f"{text[: sign + 2]}\n{text[sign + 2 :]}"
    yield f" {text}"
    yield f"{text} "
    yield f"({text})"
    yield f'"{text}"'


def _in_parts(text: str) -> Iterator[str]:
    """A text cut at its signs: a part comes twice, in another order, is empty, alone or lacking; a sign is another."""
    signs = [sign for sign in _SEPARATORS if sign in text] or [" "]
    for sign in signs[:2]:
        first, *others = text.split(sign)
        yield sign.join([first, *others, first])
        yield sign.join([first, first, *others])
        yield sign.join([first, "", *others])
        yield sign.join(["", first, *others])
        yield sign.join([first, *others, ""])
        yield sign.join([first, *others, *reversed([first, *others])])
        if others:
            yield sign.join([*others, first])
            yield sign.join([first, *others[1:]])
            yield sign.join(others)
            yield first
            yield f"{first}{sign}"
            yield f"{sign}{others[-1]}"
            yield sign
        for other in _SEPARATORS:
            if others and other not in signs:
                yield text.replace(sign, other)
                break


def _of_list(items: list[object]) -> Iterator[list[object]]:
    yield []
    yield items[::-1]
    if items:
        yield [*items, items[0]]
        yield [items[0], *items]
        yield items * 2
        yield [items[0]] * 3
        yield items[1:]
        yield items[:-1]
        yield items[:1]
        yield items[-1:]
        yield [items[-1], *items[1:-1], items[0]]
        yield [*items, *less_of(items[-1])]
        yield [*less_of(items[0]), *items]
        yield [*less_of(items[0])]
        yield [*items, *_of_two_kinds(items[0])]
        yield [*items, None]
        yield [list(items), list(items)]
        yield [[[[list(items)]]]]
    texts = [place for place, item in enumerate(items) if isinstance(item, str)]
    for place in texts[:2]:
        # The same but for its case comes before it, or behind.
        yield [cast("str", items[place]).swapcase(), *items]
        yield [*items, cast("str", items[place]).swapcase()]
    numbers = [item for item in items if isinstance(item, int) and not isinstance(item, bool)]
    if numbers:
        yield [*items, 10, 9]
        yield [*items, -numbers[0]]
        yield [-numbers[0], numbers[0], numbers[0]]


def _of_set(items: Iterable[object]) -> Iterator[list[object]]:
    # A set has no order of its own: what is taken out must be the same in every process.
    listed = sorted(items, key=lambda item: (type(item).__name__, repr(item)))
    yield []
    if listed:
        yield listed[1:]
        yield listed[:1]
        yield [*listed, *less_of(listed[0])]
        yield [*listed, *_of_two_kinds(listed[0])]
    yield from ([*listed, item.swapcase()] for item in listed[:2] if isinstance(item, str))


def _of_map(entries: dict[object, object]) -> Iterator[dict[object, object]]:
    yield {}
    yield dict(reversed(entries.items()))
    listed = list(entries.items())
    if len(listed) > 1:
        yield dict(listed[1:])
        yield dict(listed[:1])
        yield {key: listed[place - 1][1] for place, (key, _) in enumerate(listed)}
        yield {key: listed[0][1] for key, _ in listed}
    if listed and isinstance(listed[0][0], int):
        yield {10: listed[0][1], **entries, 9: listed[-1][1]}
    for key, value in listed[:3]:
        for nothing in less_of(value):
            yield {**entries, key: nothing}
        if isinstance(key, str):
            yield {key.swapcase(): value, **entries}
            yield {**entries, key.swapcase(): value}
            for other in (key.swapcase(), f" {key}"):
                yield {name if name != key else other: item for name, item in entries.items()}
        if isinstance(value, dict):
            # One level more than there was.
            yield {**entries, key: dict.fromkeys(cast("dict[object, object]", value), entries) or {key: entries}}


__all__ = ["in_other_letters", "less_of", "odd_changes", "other_kind", "other_kinds", "usual_changes"]
