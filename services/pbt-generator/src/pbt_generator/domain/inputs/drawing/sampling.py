"""Draws values of a shape quickly, with the constants of the program and their neighbours among them."""

# The functions that draw share one signature.
# ruff: noqa: ARG001, ARG005
from __future__ import annotations

import contextlib
import json
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from pbt_generator.domain.inputs.drawing.library_values import draw_library
from pbt_generator.domain.inputs.drawing.relating import Relater
from pbt_generator.domain.inputs.drawing.texts import TextSampler
from pbt_generator.domain.inputs.shapes import (
    NUMBER,
    AnyShape,
    BoolShape,
    BytesShape,
    FloatShape,
    InputShape,
    IntShape,
    LibraryShape,
    ListShape,
    LiteralShape,
    MapShape,
    NoneShape,
    OpaqueShape,
    OperationShape,
    RecordShape,
    SetShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    VariadicTupleShape,
)
from pbt_generator.domain.oracle.runs import Input

_SIZES = (0, 1, 1, 2, 2, 3, 3, 4, 5, 6)
MAX_INT = 2**53 - 1
# So much is drawn for one value before what it holds is as short as it may be: parts, and characters in their texts. A
# longer value is no case, and sizes of several levels multiply.
_MOST_PARTS, _CHARACTERS_A_PART = 2000, 4
# So many lists of unknown things hold things of one kind.
_ONE_KIND = 0.9


class Sampler:
    """Draws inputs of one function.

    Args:
        shape: What the inputs look like.
        seed: Same seed, same inputs.
        portable: Stay inside what five languages share (SC tasks).
    """

    def __init__(self, shape: InputShape, seed: int, *, portable: bool = True) -> None:
        self.shape = shape
        self.rng = random.Random(seed)
        self.portable = portable
        # Whether floats may be NaN or infinite: where the program asks for that.
        self.non_finite = False
        texts = tuple(value for value in shape.constants if isinstance(value, str))
        numbers = [
            value for value in shape.constants if isinstance(value, (int, float)) and not isinstance(value, bool)
        ]
        self.ints = tuple(sorted({int(value) for value in numbers if abs(value) < 1e15 and value == int(value)}))
        self.texts = TextSampler(self.rng, texts, self.ints)
        self.relater = Relater(self.rng)
        self.floats = tuple(sorted({float(value) for value in numbers if abs(value) < 1e15}))
        self.sizes = tuple(value for value in self.ints if 3 <= value <= 300)
        self.large = True
        # Now and then everything in an input is longer: a tenth of six words is nothing, and a loop over three items
        # tells little of the tenth round.
        self.growing = True
        self.unknown: Shape | None = None
        self._drawn = 0
        # Units and bases: a program that divides by 1024 again and again wants 1024 to the fifth.
        bases = [value for value in self.ints if 2 <= value <= 100_000]
        self.float_powers = tuple(
            sorted({float(base**step) for base in bases for step in range(2, 8) if base**step < 1e19})
        )
        self.powers = tuple(sorted({base**step for base in bases for step in range(2, 7) if base**step <= MAX_INT}))

    def with_seed(self, seed: int) -> Sampler:
        """Another one, which draws the same kinds of inputs by a seed of its own."""
        other = Sampler(self.shape, seed, portable=self.portable)
        other.non_finite, other.large, other.growing = self.non_finite, self.large, self.growing
        return other

    def input(self) -> Input:
        """One input: a value per parameter, a tuple of values for `*args`."""
        values: list[object] = []
        self.texts.last_moment = None
        # What is unknown is often of one kind throughout: names of nodes, or numbers.
        self.unknown = self.rng.choice((None, None, *_UNKNOWN))
        self.texts.growth = self.rng.choice((2, 3, 5)) if self.growing and self.rng.random() < 0.06 else 1
        for parameter in self.shape.parameters:
            if parameter.variadic:
                values.append(tuple(self.value(parameter.shape) for _ in range(self.rng.choice((0, 1, 2, 2, 3, 4)))))
                continue
            if parameter.default and self.rng.random() < 0.15:
                values.append(parameter.default[0])
                continue
            value = self.value(parameter.shape)
            if values and self.rng.random() < 0.12:
                value = self.echo(value, values)
            values.append(value)
        drawn = tuple(values)
        share = self.relater.share(self.shape)
        if share and self.rng.random() < share:
            drawn = self.relater.relate(drawn, self.shape)
        return drawn

    def echo(self, value: object, earlier: list[object]) -> object:
        """A value of another parameter in place of a fresh one of the same kind: functions compare their arguments."""
        same = [other for other in earlier if type(other) is type(value)]
        if not same:
            return value
        chosen = self.rng.choice(same)
        if isinstance(chosen, str) and chosen and self.rng.random() < 0.5:
            start = self.rng.randrange(len(chosen))
            return self.rng.choice((chosen[start:], chosen[: start + 1], chosen.swapcase(), chosen + "x"))
        if isinstance(chosen, int) and not isinstance(chosen, bool) and self.rng.random() < 0.5:
            return chosen + self.rng.choice((-1, 1))
        return chosen

    def value(self, shape: Shape, depth: int = 0) -> object:
        """One value of a shape."""
        if depth == 0:
            self._drawn = 0
        self._drawn += 1
        return _DRAW[type(shape)](self, shape, depth)

    def spent(self, text: str) -> str:
        """A text that was drawn, its length noted."""
        self._drawn += len(text) // _CHARACTERS_A_PART
        return text

    def json(self, shape: Shape, depth: int = 0) -> str:
        """The JSON text of a value of a shape."""
        return json.dumps(_jsonable(self.value(shape, depth + 1)), ensure_ascii=False)

    def number(self, shape: IntShape) -> int:
        """An integer: small ones mostly, constants with their neighbours, bounds, a few large ones."""
        rng = self.rng
        low, high = shape.low, shape.high
        roll = rng.random()
        hints = shape.hints or self.ints
        if low is not None and high is not None and roll < 0.8:
            return rng.choice((low, high, rng.randint(low, high), rng.randint(low, high), rng.randint(low, high)))
        if hints and roll < 0.25:
            value = rng.choice(hints) + rng.choice((-1, 0, 0, 1))
        elif self.ints and roll < 0.35:
            value = rng.choice(self.ints) * rng.choice((1, 1, -1, 2, 10)) + rng.choice((-1, 0, 1))
            if rng.random() < 0.3:
                # Anywhere in the decades that begin at a constant.
                value += rng.randrange(abs(value) * rng.choice((1, 9, 99)) + 1)
        elif roll < 0.65:
            value = rng.randint(0, 10)
        elif roll < 0.78:
            value = rng.randint(-10, 30)
        elif roll < 0.9:
            value = rng.randint(-100, 1000)
        elif roll < 0.97 or not self.large:
            value = rng.choice((0, 1, -1, 2, 100, 255, 256, 1000, 1024, 3600, 86400, 999, 9999, 65536))
        else:
            value = rng.choice(
                (10**6, 123456789, 2**31 - 1, -(2**31), 10**12 + 7, rng.randrange(10 ** rng.randint(4, 12)))
            )
        if self.powers and self.large and rng.random() < 0.06:
            value = rng.choice(self.powers) * rng.choice((1, 1, 1, 2, 3)) + rng.choice((-1, 0, 0, 1, 5))
        return self.bounded(value)

    def bounded(self, value: int) -> int:
        """The value, or a smaller one once large numbers were seen to exhaust the sandbox."""
        return value if self.large or abs(value) <= 2000 else value % 1000

    def decimal(self, shape: FloatShape) -> float:
        """A float: short decimals mostly."""
        rng = self.rng
        if self.non_finite and rng.random() < 0.12:
            return rng.choice((math.nan, math.inf, -math.inf))
        roll = rng.random()
        if shape.low is not None and shape.high is not None and roll < 0.8:
            value = rng.uniform(shape.low, shape.high)
            return float(rng.choice((round(value, 2), round(value, 1), shape.low, shape.high)))
        hints = shape.hints or self.floats
        if self.float_powers and rng.random() < 0.06:
            return rng.choice(self.float_powers) * rng.choice((1.0, 1.0, 1.5, 3.0, 0.99))
        if hints and roll < 0.25:
            value = rng.choice(hints)
            return float(
                rng.choice((value, value, value + 0.5, value - 0.5, value + 0.001, value - 0.001, value * 2, -value))
            )
        if roll < 0.5:
            return round(rng.uniform(0, 10), rng.choice((0, 1, 2)))
        if roll < 0.65:
            return round(rng.uniform(-1, 1), rng.choice((1, 2, 3)))
        if roll < 0.85:
            return round(rng.uniform(-100, 1000), rng.choice((0, 1, 2)))
        return rng.choice((0.0, 1.0, -1.0, 0.5, 0.1, 100.0, 1e-6, 1e6, 2.5, 3.14159, 1e9, -0.25, 1e12, -1e12))

    def size(self, low: int, high: int) -> int:
        """The length of a collection."""
        if self._drawn > _MOST_PARTS:
            return low
        if self.sizes and self.rng.random() < 0.08:
            return max(low, min(self.rng.choice(self.sizes) + self.rng.choice((-1, 0, 1)), 60))
        size = self.rng.choice(_SIZES)
        if low != high:
            size, high = size * self.texts.growth, high * self.texts.growth
        return min(max(size, low if self.rng.random() < 0.92 else 0), high)

    def items(self, shape: Shape, count: int, depth: int, least: int = 0) -> list[object]:
        """Values of one shape; at times with repeats, at times in order, and fewer where enough was drawn."""
        rng = self.rng
        chosen = shape
        if isinstance(shape, UnionShape) and (rng.random() < 0.6 or shape == NUMBER):
            # Most real lists hold one kind.
            chosen = shape.options[min(int(rng.expovariate(1.2)), len(shape.options) - 1)]
        elif isinstance(shape, AnyShape) and rng.random() < _ONE_KIND:
            chosen = self.kind(depth + 1)
        items: list[object] = []
        weights: list[int] = []
        repeats = rng.random() < 0.3
        for _ in range(count):
            before = self._drawn
            if repeats and items and rng.random() < 0.45:
                place = rng.randrange(len(items))
                items.append(items[place])
                self._drawn += weights[place]
            else:
                mixed = not self.portable and not isinstance(shape, AnyShape) and rng.random() < 0.05
                items.append(self.value(shape if mixed else chosen, depth + 1))
            weights.append(self._drawn - before)
            if self._drawn > _MOST_PARTS and len(items) >= least:
                break
        if count > 1 and rng.random() < 0.2:
            with contextlib.suppress(TypeError):
                items.sort(reverse=rng.random() < 0.3)  # pyright: ignore[reportCallIssue, reportArgumentType]
        return items

    def any(self, depth: int) -> object:
        """A value of unknown kind.

        For five languages only texts, integers and nothing: what equals what among truth values, integers and floats
        differs between them.
        """
        return self.value(self.kind(depth), depth + 1)

    def kind(self, depth: int) -> Shape:
        """A kind for what is unknown."""
        if self.unknown is not None and self.rng.random() < 0.9:
            return self.unknown
        if depth <= 1 and self.rng.random() < 0.25:
            return self.rng.choice(_COMPOSITES)
        return self.rng.choice(_SHARED_SCALARS if self.portable else _SCALARS)


def hashable(value: object) -> object:
    """A value that may be a key or a member of a set, whatever its parts are."""
    if isinstance(value, (list, tuple)):
        return tuple(hashable(item) for item in cast("Sequence[object]", value))
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def _draw_map(sampler: Sampler, shape: Shape, depth: int) -> object:
    assert isinstance(shape, MapShape)
    size = sampler.size(0, 5)
    keys = [hashable(sampler.value(shape.key, depth + 1)) for _ in range(size)]
    known = shape.key.hints if isinstance(shape.key, (TextShape, IntShape)) else ()
    if known and sampler.rng.random() < 0.6:
        # Keys that the program asks for: some of them, or all.
        count = sampler.rng.choice((1, 1, 2, 3, len(known), len(known)))
        keys = [
            *sampler.rng.sample(known, min(count, len(known), 12)),
            *(keys[:1] if sampler.rng.random() < 0.3 else ()),
        ]
        size = len(keys)
    return dict(zip(keys, sampler.items(shape.value, size, depth), strict=False))


def _draw_record(sampler: Sampler, shape: Shape, depth: int) -> object:
    assert isinstance(shape, RecordShape)
    rng = sampler.rng
    whole = rng.random()
    result: dict[object, object] = {}
    for entry in shape.fields:
        # A required entry is left out now and then: the program may have a way for that.
        if rng.random() < (0.97 if entry.required else 0.3 if whole < 0.15 else 0.95 if whole > 0.6 else 0.7):
            result[entry.name] = sampler.value(entry.shape, depth + 1)
    if (shape.extra is not None and rng.random() < 0.5) or rng.random() < 0.04:
        extra = shape.extra or MapShape(TextShape(), AnyShape())
        for _ in range(rng.choice((1, 2))):
            result.setdefault(hashable(sampler.value(extra.key, depth + 1)), sampler.value(extra.value, depth + 1))
    return result


def _draw_list(sampler: Sampler, shape: Shape, depth: int) -> object:
    assert isinstance(shape, ListShape)
    high = shape.max_size if depth < 2 else min(shape.max_size, max(shape.min_size, 3))
    size = sampler.size(shape.min_size, max(high, shape.min_size))
    return sampler.items(shape.element, size, depth, shape.min_size)


def _draw_union(sampler: Sampler, shape: Shape, depth: int) -> object:
    assert isinstance(shape, UnionShape)
    options = shape.options
    if isinstance(options[0], OperationShape):
        # None of them is likelier than another one.
        return sampler.value(sampler.rng.choice(options), depth)
    place = min(int(sampler.rng.expovariate(0.7)), len(options) - 1) if len(options) > 1 else 0
    if isinstance(options[place], NoneShape) and len(options) > 1 and sampler.rng.random() < 0.5:
        place = 0
    return sampler.value(options[place], depth)


def _draw_set(sampler: Sampler, shape: Shape, depth: int) -> object:
    assert isinstance(shape, SetShape)
    items = {hashable(item) for item in sampler.items(shape.element, sampler.size(0, 5), depth)}
    return frozenset(items) if shape.frozen else items


def _draw_bytes(sampler: Sampler, shape: Shape, depth: int) -> object:
    assert isinstance(shape, BytesShape)
    rng = sampler.rng
    body = rng.choice(
        (b"", b"abc", b"\x00\x01", b"\xfb\xff\xbf", b"hello world",
         bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9))),
         sampler.texts.accents().encode(), sampler.texts.words().encode())
    )  # fmt: skip
    return (
        body
        if not shape.hints or rng.random() < 0.5
        else rng.choice((rng.choice(shape.hints) + body, body + rng.choice(shape.hints), rng.choice(shape.hints)))
    )


def _draw_tuple(sampler: Sampler, shape: Shape, depth: int) -> object:
    assert isinstance(shape, (TupleShape, VariadicTupleShape))
    if isinstance(shape, TupleShape):
        return tuple(sampler.value(item, depth + 1) for item in shape.items)
    return tuple(sampler.items(shape.element, sampler.size(0, 5), depth))


def _draw_operation(sampler: Sampler, shape: Shape, depth: int) -> object:
    assert isinstance(shape, OperationShape)
    return [shape.name, *(sampler.value(item, depth + 1) for item in shape.arguments)]


def _draw_text(sampler: Sampler, shape: Shape, depth: int) -> object:
    assert isinstance(shape, TextShape)
    if shape.content is not None and depth < 4 and sampler.rng.random() < (0.3 if shape.patterns else 0.6):
        # Programs often cut the JSON out of other text first.
        text = sampler.texts.around(sampler.json(shape.content, depth), shape)
        return sampler.spent(text if sampler.rng.random() < 0.93 else text[:-1])
    return sampler.spent(sampler.texts.text(shape))


def _jsonable(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _jsonable(item) for key, item in cast("dict[object, object]", value).items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_jsonable(item) for item in cast("list[object]", value)]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def _draw_int(sampler: Sampler, shape: Shape, depth: int) -> object:
    assert isinstance(shape, IntShape)
    return sampler.number(shape)


def _draw_float(sampler: Sampler, shape: Shape, depth: int) -> object:
    assert isinstance(shape, FloatShape)
    return sampler.decimal(shape)


def _draw_literal(sampler: Sampler, shape: Shape, depth: int) -> object:
    assert isinstance(shape, LiteralShape)
    return sampler.rng.choice(shape.values) if shape.values else None


def _draw_library(sampler: Sampler, shape: Shape, depth: int) -> object:
    assert isinstance(shape, LibraryShape)
    return draw_library(sampler.rng, shape, sampler.texts.near_moment)


_DRAW: dict[type, Callable[[Sampler, Shape, int], object]] = {
    AnyShape: lambda sampler, shape, depth: sampler.any(depth),
    NoneShape: lambda sampler, shape, depth: None,
    BoolShape: lambda sampler, shape, depth: sampler.rng.random() < 0.5,
    IntShape: _draw_int,
    FloatShape: _draw_float,
    TextShape: _draw_text,
    BytesShape: _draw_bytes,
    ListShape: _draw_list,
    TupleShape: _draw_tuple,
    OperationShape: _draw_operation,
    VariadicTupleShape: _draw_tuple,
    SetShape: _draw_set,
    MapShape: _draw_map,
    RecordShape: _draw_record,
    LiteralShape: _draw_literal,
    UnionShape: _draw_union,
    LibraryShape: _draw_library,
    OpaqueShape: lambda sampler, shape, depth: sampler.any(depth),
}
_SCALARS: tuple[Shape, ...] = (TextShape(), IntShape(), TextShape(), IntShape(), FloatShape(), BoolShape(), NoneShape())
_UNKNOWN: tuple[Shape, ...] = (TextShape(), IntShape(0, 9))
_SHARED_SCALARS: tuple[Shape, ...] = (TextShape(), IntShape(), TextShape(), IntShape(), TextShape(), NoneShape())
_COMPOSITES: tuple[Shape, ...] = (
    ListShape(IntShape()), ListShape(TextShape()), MapShape(TextShape(), IntShape()),
    ListShape(TupleShape((TextShape(), IntShape()))),
    MapShape(TextShape(), AnyShape()),
)  # fmt: skip


def probe_shapes(shape: Shape, modules: frozenset[str], *, portable: bool) -> tuple[Shape, ...]:
    """Kinds of value to try for a parameter of which too little is known, likeliest first."""
    texts = replace(shape, length=None) if isinstance(shape, TextShape) else TextShape()
    candidates: tuple[Shape, ...] = (
        texts, IntShape(), ListShape(IntShape()), ListShape(TextShape()), FloatShape(),
        MapShape(TextShape(), IntShape()), MapShape(TextShape(), TextShape()),
        ListShape(TupleShape((IntShape(), IntShape()))), ListShape(ListShape(IntShape())),
        ListShape(MapShape(TextShape(), AnyShape())), BoolShape(), ListShape(FloatShape()), NoneShape(),
        ListShape(TupleShape((TextShape(), IntShape()))), MapShape(TextShape(), ListShape(TextShape())),
        VariadicTupleShape(IntShape()), MapShape(TextShape(), MapShape(TextShape(), AnyShape())), SetShape(IntShape()),
        MapShape(IntShape(), IntShape()), ListShape(ListShape(TextShape())),
    )  # fmt: skip
    if not portable:
        candidates = (*candidates, BytesShape())
        # A value of a library that the program does not load would load it for nothing.
        if modules & {"numpy", "scipy", "pandas", "sklearn"}:
            candidates += (
                LibraryShape("ndarray"), LibraryShape("ndarray", dimensions=2), LibraryShape("ndarray", dimensions=3),
                LibraryShape("ndarray", dimensions=2, sizes=(3, 3)),
                LibraryShape("ndarray", dimensions=2, sizes=(4, 4)),
            )  # fmt: skip
        if "pandas" in modules:
            candidates += (LibraryShape("frame"), LibraryShape("series"))
        if modules & {"datetime", "dateutil", "calendar", "time"}:
            candidates += (LibraryShape("datetime"), LibraryShape("date"), LibraryShape("timedelta"))
        if modules & {"decimal", "fractions"}:
            candidates += (LibraryShape("decimal"), LibraryShape("fraction"))
    return tuple(dict.fromkeys((shape, *candidates))) if not isinstance(shape, AnyShape) else candidates
