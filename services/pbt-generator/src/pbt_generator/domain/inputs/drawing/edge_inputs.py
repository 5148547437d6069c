"""Inputs at the edges: what a caller may send and a plain draw seldom gives, made from inputs that returned.

Each class of edges stands for programs by other hands that passed suites without it: repeats that do not lie side by
side, one beside 1.0, maps of equal keys, large powers of two, characters beyond ASCII, near misses of a syntax, blank
parts, escapes before a marker, mixed case, pieces of the program in new combinations, one value where a list of them
may come, empty parts, days at the end of a month, decimals with exponents, fractions that are not in lowest terms,
numbers beside large powers, other separators, texts that are the same when case is left aside.

Every place of an input (`[0]["name"]`, any member of `[1]`) has its turn with every class of its kind, in several
inputs; then two places at once.
"""

from __future__ import annotations

import copy
import datetime
import decimal
import itertools
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import cast

from pbt_generator.domain.inputs.drawing.moments import later
from pbt_generator.domain.inputs.drawing.splicing import Path, places, replaced
from pbt_generator.domain.oracle.runs import Input

# Inputs in which a place has its turn, and places of one input.
_TURNS, _PARTS = 3, 40
# Texts of an input that are changed wherever they stand.
_SAME = 2
_POWERS = (2**31, 2**32 + 1, -(2**31) - 1, 2**40, 2**52, 10**15 + 1, 2**53 - 1)
# Beside powers of two and ten, where a double's logarithm is the power's.
_BESIDE = (2**53 - 1, 2**49 + 1, 10**15 - 1)
_LETTERS = ("é", "ß", "İ", "ſ", "中", "\U0001f600")
_DIGITS = ("٣", "²", "７")
# The same digits in another script.
_ARABIC = {ord("0") + digit: chr(0x660 + digit) for digit in range(10)}
_BLANKS = ("\u00a0", "\u3000", "\t", "\u2003")
# Letters that are other letters in upper case, or where case is left aside.
_TURNING = ("ß", "ı", "ς", "ſ")
# What stands between the parts of texts, and signs that are taken for these.
_SEPARATORS = (";", ",", "|", ":", "/", "=", "&", "-", ".", "_", "\t", "\n", " ", "\uff1a", "\\")
_BETWEEN = (",", "-", ".", " ", "_", "e")
_NUMBER, _LONGEST = re.compile(r"\d+"), 16
_WORD = re.compile(r"\w+")
_DATE = re.compile(r"(?<!\d)(\d{4})(\D)(\d\d)\2(\d\d)(?!\d)|(?<!\d)(\d\d)(\D)(\d\d)\6(\d{4})(?!\d)")
# The last day of a leap year's February and the next, days that do not exist, the ends of a year.
_DAYS = (
    (2024, 2, 29), (2023, 2, 29), (2000, 2, 29), (1900, 2, 29), (2024, 2, 31), (2023, 2, 28), (2024, 3, 1),
    (2023, 4, 31), (2023, 12, 31), (2024, 1, 1), (2024, 13, 1), (2024, 0, 10),
)  # fmt: skip
_DECIMALS = (
    "1E+3", "1E-7", "-0", "0.10", "100", "3.14159265358979323846264338327950288", "0.5", "2.5", "-1.5", "1.005",
    "12345678901234567890.12", "1E+30",
)  # fmt: skip
# Kinds of value that stand in place of one another where a program takes several; what truth values and numbers with a
# fraction equal differs between languages.
_SHARED: tuple[object, ...] = (None, 0, 1, "", "ab", "1", [], {})
_OTHERS: tuple[object, ...] = (*_SHARED, True, False, 1.5)


def edge_inputs(
    bases: Sequence[Input],
    pieces: Sequence[str],
    rng: random.Random,
    count: int,
    allowed: Callable[[Input], bool] | None = None,
    *,
    portable: bool = False,
) -> list[Input]:
    """So many inputs at edges: every place with every class of its kind, several times where there is room.

    Args:
        bases: Inputs that returned.
        pieces: Short texts of the program; keys of maps that are among them name a place of their own.
        rng: The only source of chance.
        count: Most inputs.
        allowed: Whether a caller may send an input; all may where it is None.
        portable: Other kinds of value are those that five languages tell apart alike.
    """
    named = set(pieces)
    spots: dict[tuple[object, ...], list[tuple[Input, Path, object]]] = {}
    for base in bases:
        for path, part in itertools.islice(places(base), 1, _PARTS):
            place = (path[0], *(key if key in named else "" for key in path[1:]))
            # A text of digits comes beside others, and has edges of its own.
            spots.setdefault((place, type(part), _all_digits(part)), []).append((base, path, part))
    groups = [rng.sample(found, min(len(found), _TURNS)) for found in spots.values()]
    found: list[Input] = []
    for turn in range(_TURNS):
        queues = [
            _edges(*group[turn], pieces, rng, _SHARED if portable else _OTHERS) for group in groups if turn < len(group)
        ]
        if not turn:
            some = rng.sample(list(bases), min(len(bases), 8))
            queues += [_together(base) for base in some]
            queues += [_throughout(base, text) for base in some for text in _repeated(base)]
            queues += [_alike(base) for base in some[:_SAME]]
        for row in itertools.zip_longest(*queues, fillvalue=None):
            found.extend(made for made in row if made is not None and (allowed is None or allowed(made)))
            if len(found) >= count:
                return found[:count]
    # Two edges at once.
    for _ in range(count - len(found) if found else 0):
        base, path, part = rng.choice(rng.choice(groups))
        values = list(_near(part, pieces, rng))
        made = rng.choice(found)
        if values and type(made[cast("int", path[0])]) is type(base[cast("int", path[0])]):
            changed = cast("Input", replaced(base, path, rng.choice(values)))
            mixed = tuple(changed[at] if at == path[0] else value for at, value in enumerate(made))
            found.extend([mixed] if allowed is None or allowed(mixed) else [])
    return found[:count]


def _edges(
    base: Input, path: Path, part: object, pieces: Sequence[str], rng: random.Random, others: Sequence[object]
) -> Iterator[Input]:
    for value in (*_near(part, pieces, rng), *_other_kinds(part, others)):
        yield cast("Input", replaced(base, path, value))


def _near(part: object, pieces: Sequence[str], rng: random.Random) -> Iterator[object]:
    """Values at the edges near a part of an input."""
    match part:
        case bool() | None:
            return
        case int():
            yield from (0, 1, -part, rng.choice(_POWERS), part + 1, part - 1, *_BESIDE, rng.choice(_POWERS))
        case float():
            whole = (float(round(part)), int(part) + 0.5) if math.isfinite(part) else ()
            yield from (0.0, *whole, -part, 2.0 ** rng.randrange(31, 53), part / 1000)
            yield from (0.005, 1.005, 2.675, 1e-07)
        case str():
            yield from _texts(part, pieces, rng)
        case list():
            yield from _lists(cast("list[object]", part), rng)
        case dict():
            yield from _maps(cast("dict[object, object]", part))
        case datetime.date():
            yield from _days(part)
        case decimal.Decimal():
            yield from map(decimal.Decimal, _DECIMALS)
        case datetime.timedelta():
            # The longest span has no negative.
            yield from (-min(part, -datetime.timedelta.min), datetime.timedelta(0), datetime.timedelta(days=1))
            yield datetime.timedelta(microseconds=-1)
        case bytes():
            yield from (b"", b"\x00", b"\xff", part + b"\x00", b"\x00" + part, part + b"\n", part * 2, part[::-1])
        case _:
            return


def _other_kinds(part: object, others: Sequence[object]) -> Iterator[object]:
    """Values of other kinds: the part alone in a list, the first of a list alone, and what is nothing or plain."""
    if isinstance(part, list) and part:
        yield copy.deepcopy(cast("list[object]", part)[0])
    yield [copy.deepcopy(cast("object", part))]
    if isinstance(part, (int, float, str)):
        yield {"a": part}
        yield float(part) if type(part) is int and abs(part) < 2**53 else str(part)
    yield from (copy.deepcopy(other) for other in others if type(other) is not type(cast("object", part)))


def _maps(items: dict[object, object]) -> Iterator[dict[object, object]]:
    yield {}
    if len(items) > 1:
        # The same values under other keys.
        yield dict(zip(items, [*list(items.values())[1:], next(iter(items.values()))], strict=True))
        yield dict(list(items.items())[:1])
    for key in list(items)[:4]:
        yield {other: value for other, value in items.items() if other != key}
    if items and all(type(key) is str for key in items):
        value = next(iter(items.values()))
        key = cast("str", next(iter(items)))
        yield {**items, "": copy.deepcopy(value)}
        yield {**items, key.swapcase(): copy.deepcopy(value)}


def _days(day: datetime.date) -> Iterator[datetime.date]:
    for year, month, number in _DAYS:
        try:
            yield day.replace(year=year, month=month, day=number)
        except ValueError:
            continue
    for step in (1, 5 - day.weekday(), 6 - day.weekday(), 7 - day.weekday(), 4 - day.weekday()):
        yield later(day, step)
    if isinstance(day, datetime.datetime):
        yield day.replace(hour=0, minute=0, second=0, microsecond=0)
        yield day.replace(hour=23, minute=59, second=59, microsecond=999999)


def _together(base: Input) -> Iterator[Input]:
    """Edges of two arguments: days in a row from one that the other holds, and a path one step longer."""
    for place, many in enumerate(base):
        if not isinstance(many, (list, tuple, set, frozenset)):
            continue
        members = cast("Sequence[object]", many)
        kind = cast("Callable[[list[object]], object]", type(members))
        for other, one in enumerate(base):
            if other == place:
                continue
            if isinstance(one, datetime.date) and all(isinstance(each, datetime.date) for each in members):
                friday = later(one, (4 - one.weekday()) % 7)
                for start, steps in ((one, (0, 1)), (one, (1, 2)), (friday, (3, 4)), (friday, (0, 3)), (one, (-1, -2))):
                    days: list[object] = [later(start, step) for step in steps]
                    yield tuple(start if at == other else kind(days) if at == place else x for at, x in enumerate(base))
            elif isinstance(one, (dict, list)) and isinstance(many, (list, tuple)):
                inner = cast("object", one)
                deeper: list[tuple[object, object]] = [("a", {"a": inner}), (0, [inner]), ("b", {"a": [1], "b": inner})]
                for step, around in deeper:
                    path = kind([step, *members])
                    yield tuple(
                        copy.deepcopy(around) if at == other else path if at == place else x
                        for at, x in enumerate(base)
                    )


def _alike(base: Input) -> Iterator[Input]:
    """A text of one argument and one of another that are the same when case is left aside, by some rule or another."""
    held = [next(iter(_counted((value,))), None) for value in base]
    for one, other in itertools.combinations([place for place, text in enumerate(held) if text], 2):
        for first, second in _forms(cast("str", held[one])):
            changed = {one: first, other: second}
            yield tuple(
                _renamed(value, held[place] or "", changed[place]) if place in changed else value
                for place, value in enumerate(base)
            )


def _forms(text: str) -> Iterator[tuple[str, str]]:
    """Pairs of texts that are the same in upper case, in lower case, or where case is left aside."""
    yield text, text.swapcase()
    for letter in _TURNING:
        yield letter + text, (letter + text).upper()
    yield "ß" + text, ("ß" + text).casefold()


def _counted(base: Input) -> Counter[str]:
    """The texts of an input, keys of maps among them."""
    parts = [part for _, part in places(base)]
    keys = [key for part in parts if isinstance(part, dict) for key in cast("dict[object, object]", part)]
    return Counter(part for part in (*parts, *keys) if isinstance(part, str))


def _repeated(base: Input) -> list[str]:
    """Texts that stand in several places of an input."""
    return [text for text, count in _counted(base).most_common(_SAME) if count > 1]


def _throughout(base: Input, text: str) -> Iterator[Input]:
    """Another text in all places where one stands: what belongs together stays together."""
    for other in (
        f"{text}.x",
        f"x {text}",
        text.swapcase(),
        f"{text}/x",
        "0",
        "",
        f"é{text}",
        f"{text},-1",
        f" {text}",
    ):
        yield tuple(_renamed(value, text, other) for value in base)


def _renamed(value: object, text: str, other: str) -> object:
    match value:
        case str():
            return other if value == text else value
        case list() | tuple():
            members = [_renamed(member, text, other) for member in cast("list[object]", value)]
            return members if isinstance(value, list) else tuple(members)
        case dict():
            entries = cast("dict[object, object]", value)
            return {_renamed(key, text, other): _renamed(held, text, other) for key, held in entries.items()}
        case _:
            return value


def _lists(items: list[object], rng: random.Random) -> Iterator[list[object]]:
    yield []
    if not items:
        return
    first = copy.deepcopy(items[0])
    yield [*items, first]
    yield items[::-1]
    yield [*items[1:], first]
    yield [first]
    yield [first, copy.deepcopy(first)]
    if len(items) <= 12:
        yield copy.deepcopy(items * 3)
    if type(first) is int:
        yield [*items, float(first) if abs(first) < 2**53 else 0.5]
        yield [*items, 0]
    if type(first) is str:
        yield from ([*items, one, other] for one, other in _forms(first))
        yield [*items, " "]
        yield ["", *items]
        yield [*items, ""]
    if isinstance(first, datetime.date):
        yield [first, *(later(first, step) for step in (1, 2, 3))]
    if type(first) is dict and first:
        other = copy.deepcopy(cast("dict[object, object]", first))
        key = rng.choice(list(other))
        maps = [cast("dict[object, object]", item) for item in items[1:] if type(item) is dict]
        other[key] = next((item.get(key) for item in maps), None)
        yield [*items, other]
    if isinstance(first, (list, tuple)) and first:
        # The first again with another last member: pairs of equal keys.
        pair = cast("Sequence[object]", first)
        kind = cast("Callable[[list[object]], object]", type(pair))
        for last in (pair[-1], "b", None):
            yield [kind([*pair[:-1], last]), *items]
            yield [kind([*pair[:-1], [last]]), *items]
            yield [*items, kind([*pair[:-1], [last]])]


def _texts(text: str, pieces: Sequence[str], rng: random.Random) -> Iterator[str]:
    """A text with one part beyond the usual: each class of edges once."""
    yield from ("", " ", text + "\n", f" {text} ", text + "2", text[:-1])
    for found in itertools.islice(_DATE.finditer(text), 1):
        year, sign = found.group(1, 2)
        for numbers in _DAYS:
            years, months, days = numbers
            made = f"{years:04}{sign}{months:02}{sign}{days:02}"
            if year is None:
                made = f"{days:02}{found[6]}{months:02}{found[6]}{years:04}"
            yield text[: found.start()] + made + text[found.end() :]
    words = list(_WORD.finditer(text))
    if words:
        word = rng.choice(words)
        before, inside, after = text[: word.start()], word.group(), text[word.end() :]
        place = rng.randrange(len(inside))
        yield before + inside[:place] + rng.choice(_LETTERS) + inside[place + 1 :] + after
        yield before + " " + after
        yield before + after
        yield before + inside.swapcase() + after
        yield before + inside.capitalize() + after
        yield before + inside + after + before + inside + after
        yield text.upper()
        yield text.lower()
        yield inside
        yield inside.join(("", *_SEPARATORS, ""))
        turning = rng.choice(_TURNING)
        yield before + turning + turning.upper() + after
    if numbers := list(_NUMBER.finditer(text)):
        number = rng.choice(numbers)
        before, inside, after = text[: number.start()], number.group(), text[number.end() :]
        scripts, between = (_DIGITS, _BETWEEN) if _all_digits(text) else map(rng.choices, (_DIGITS, _BETWEEN))
        yield from (before + digit + after for digit in scripts)
        yield before + inside.translate(_ARABIC) + after
        yield before + "0" * len(inside) + after
        yield from (before + inside + sign + inside + after for sign in between)
        yield before + rng.choice(("-", "+", "0", " ")) + inside + after
        yield before + "9" * rng.choice((2, 3, 10, 16)) + after
        if len(numbers) > 1:
            # The same ratio in larger numbers.
            yield _NUMBER.sub(lambda found: str(2 * int(found[0])) if len(found[0]) < _LONGEST else found[0], text)
        if _plain_number(text):
            yield from _DECIMALS
    signs = [place for place, char in enumerate(text) if not char.isalnum()]
    if signs:
        place = rng.choice(signs)
        yield text[:place] + "\\" + text[place:]
        yield text[:place] + text[place] + text[place:]
        yield text[:place] + rng.choice(_BLANKS) + text[place + 1 :]
        yield text[:place] + text[place + 1 :]
        yield text[:place] + " " + text[place] + " " + text[place + 1 :]
    short = [piece for piece in pieces if len(piece) <= 12]
    if short:
        one, two = rng.choice(short), rng.choice(short)
        place = rng.randrange(len(text) + 1)
        yield text[:place] + one + text[place:]
        yield text[:place] + one + two + text[place:]
        yield one + text + two
        yield text[:place] + one + rng.choice("a3é ") + two + text[place:]
        yield one.swapcase()
    yield rng.choice(_BLANKS) + text + rng.choice(_BLANKS)
    if signs:
        sign = text[rng.choice(signs)]
        yield from (text.replace(sign, other) for other in _SEPARATORS if other != sign)


def _all_digits(part: object) -> bool:
    return isinstance(part, str) and part.isascii() and part.isdigit()


def _plain_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?\d+(?:\.\d+)?", text) is not None
