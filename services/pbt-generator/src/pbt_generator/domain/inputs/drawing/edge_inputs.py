"""Inputs at the edges: what a caller may send and a plain draw seldom gives, made from inputs that returned.

Each class of edges stands for programs by other hands that passed suites without it: repeats that do not lie side by
side, one beside 1.0, maps of equal keys, large powers of two, characters beyond ASCII, near misses of a syntax, blank
parts, escapes before a marker, mixed case, pieces of the program in new combinations.
"""

from __future__ import annotations

import copy
import itertools
import random
import re
from collections.abc import Iterator, Sequence
from typing import cast

from pbt_generator.domain.inputs.drawing.splicing import places, replaced
from pbt_generator.domain.inputs.shapes import (
    BoolShape,
    InputShape,
    IntShape,
    ListShape,
    NoneShape,
    Shape,
    TextShape,
    UnionShape,
)
from pbt_generator.domain.oracle.runs import Input

# Parts of an input that are changed, so that one large input does not take all turns.
_PARTS = 12
_POWERS = (2**31, 2**32 + 1, -(2**31) - 1, 2**40, 2**52, 10**15 + 1, 2**53 - 1)
_LETTERS = ("é", "ß", "İ", "ſ", "中", "\U0001f600")
_DIGITS = ("٣", "²", "７")
_BLANKS = ("\u00a0", "\u3000", "\t", "\u2003")
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"\w+")
_GONE = object()


def edge_inputs(bases: Sequence[Input], pieces: Sequence[str], rng: random.Random, count: int) -> list[Input]:
    """So many inputs at edges, the classes in turn.

    Args:
        bases: Inputs that returned.
        pieces: Short texts of the program.
        rng: The only source of chance.
        count: Most inputs.
    """
    queues = [_edges(base, pieces, rng) for base in bases]
    found: list[Input] = []
    while queues and len(found) < count:
        for queue in list(queues):
            made = next(queue, None)
            if made is None:
                queues.remove(queue)
            elif len(found) < count:
                found.append(made)
    return found


def _edges(base: Input, pieces: Sequence[str], rng: random.Random) -> Iterator[Input]:
    spots = [(path, part) for path, part in places(base) if path]
    rng.shuffle(spots)
    ways: list[list[Input]] = []
    for path, part in spots[:_PARTS]:
        values = list(_near(part, pieces, rng))
        rng.shuffle(values)
        ways.append([cast("Input", replaced(base, path, value)) for value in values])
    for row in itertools.zip_longest(*ways):
        yield from (made for made in row if made is not None)


def _near(part: object, pieces: Sequence[str], rng: random.Random) -> Iterator[object]:
    """Values at the edges near a part of an input."""
    match part:
        case bool() | None:
            return
        case int():
            yield from (rng.choice(_POWERS), rng.choice(_POWERS), -part, 0)
        case float():
            yield from (float(round(part)), part + 0.5, -part, 2.0 ** rng.randrange(31, 53))
        case str():
            yield from _texts(part, pieces, rng)
        case list():
            yield from _lists(cast("list[object]", part), rng)
        case dict():
            items = cast("dict[object, object]", part)
            if len(items) > 1:
                # The same values under other keys.
                yield dict(zip(items, [*list(items.values())[1:], next(iter(items.values()))], strict=True))
        case _:
            return


def _lists(items: list[object], rng: random.Random) -> Iterator[list[object]]:
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
        yield [*items, float(first)]
    if type(first) is str:
        yield [*items, first.swapcase()]
        yield [*items, " "]
    if type(first) is dict and first:
        other = copy.deepcopy(cast("dict[object, object]", first))
        key = rng.choice(list(other))
        maps = [cast("dict[object, object]", item) for item in items[1:] if type(item) is dict]
        other[key] = next((item.get(key) for item in maps), None)
        yield [*items, other]


def _texts(text: str, pieces: Sequence[str], rng: random.Random) -> Iterator[str]:
    """A text with one part beyond the usual: each class of edges once."""
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
    if numbers := list(_NUMBER.finditer(text)):
        number = rng.choice(numbers)
        before, inside, after = text[: number.start()], number.group(), text[number.end() :]
        yield before + rng.choice(_DIGITS) + after
        yield before + inside + rng.choice((",", "-", ".", " ", "_", "e")) + inside + after
        yield before + rng.choice(("-", "+", "0", " ")) + inside + after
        yield before + "9" * rng.choice((2, 3, 10, 16)) + after
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
    yield rng.choice(_BLANKS) + text + rng.choice(_BLANKS)


def small_inputs(shape: InputShape, pieces: Sequence[str], count: int) -> list[Input]:
    """All inputs of small domains, smallest first, up to a number; none where a parameter has other kinds of values."""
    columns: list[list[object]] = []
    for parameter in shape.parameters:
        column = _small(parameter.shape, pieces)
        if not column or parameter.variadic:
            return []
        columns.append([*column, *(value for value in parameter.default[:1] if value not in column)])
    longest = max(map(len, columns), default=0)
    found: list[Input] = []
    for bound in range(1, longest + 1):
        for values in itertools.product(*(column[:bound] for column in columns)):
            pairs = zip(values, columns, strict=True)
            if any(len(column) >= bound and value is column[bound - 1] for value, column in pairs):
                found.append(copy.deepcopy(values))
                if len(found) >= count:
                    return found
    return found


def _small(shape: Shape, pieces: Sequence[str]) -> list[object]:
    """The smallest values of a shape, smallest first; empty where it has none."""
    match shape:
        case NoneShape():
            return [None]
        case BoolShape():
            return [False, True]
        case IntShape(low=low, high=high):
            start = max(low if low is not None else -2, -2)
            near = sorted(range(start, start + 8), key=lambda value: (abs(value), value < 0))
            return [value for value in near if high is None or value <= high]
        case ListShape(element=IntShape() | BoolShape() as element):
            members = _small(element, pieces)[:3]
            return [list(items) for size in range(4) for items in itertools.product(members, repeat=size)]
        case TextShape(formats=()):
            own = list(dict.fromkeys(char for piece in pieces for char in piece))[:2]
            letters = [*own, "a", "A", " "]
            return ["".join(part) for size in range(4) for part in itertools.product(letters[:3], repeat=size)]
        case UnionShape(options=options):
            parts = [_small(option, pieces) for option in options]
            rows = itertools.zip_longest(*parts, fillvalue=_GONE)
            return [value for row in rows for value in row if value is not _GONE] if all(parts) else []
        case _:
            return []
