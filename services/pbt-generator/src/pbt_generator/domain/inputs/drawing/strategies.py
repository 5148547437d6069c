"""From shapes to Hypothesis strategies, and the first inputs of a function drawn with them.

Hypothesis explores sizes, nesting and edge cases evenly and knows how to build texts for a regular expression; it is
seeded from the function's content and keeps no database, so the same function gives the same inputs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pbt_generator.domain.inputs.drawing.hypothesis_draws import drawn_by_hypothesis
from pbt_generator.domain.inputs.drawing.matching import matching_texts
from pbt_generator.domain.inputs.drawing.sampling import Sampler, hashable
from pbt_generator.domain.inputs.shapes import (
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
    mapped,
)
from pbt_generator.domain.oracle.runs import Input

_ALPHABET = "abcXYZ019 .,-_:/é"


class StrategyBuilder:
    """Builds strategies for one function.

    Args:
        sampler: Draws what Hypothesis has no words for: texts in the program's own formats, library values.
    """

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler

    def inputs(self, shape: InputShape) -> SearchStrategy[Input]:
        """A strategy for whole inputs."""
        parts: list[SearchStrategy[Any]] = []
        for parameter in shape.parameters:
            strategy = self.of(parameter.shape)
            if parameter.variadic:
                strategy = st.lists(strategy, max_size=4).map(tuple)
            elif parameter.default:
                strategy = st.one_of(strategy, st.just(parameter.default[0]))
            parts.append(strategy)
        return st.tuples(*parts)

    def of(self, shape: Shape) -> SearchStrategy[Any]:
        """A strategy for one shape."""
        match shape:
            case NoneShape():
                return st.none()
            case BoolShape():
                return st.booleans()
            case IntShape():
                return self._ints(shape)
            case FloatShape():
                return self._floats(shape)
            case TextShape():
                return self._texts(shape)
            case BytesShape():
                return st.binary(max_size=8) | st.sampled_from(shape.hints or (b"abc",))
            case ListShape():
                size = min(shape.max_size, max(shape.min_size, 5))
                return st.lists(self.of(shape.element), min_size=min(shape.min_size, size), max_size=size)
            case TupleShape():
                return st.tuples(*(self.of(item) for item in shape.items))
            case OperationShape():
                return st.tuples(st.just(shape.name), *(self.of(item) for item in shape.arguments)).map(list)
            case VariadicTupleShape():
                return st.lists(self.of(shape.element), max_size=5).map(tuple)
            case SetShape():
                made = st.lists(self.of(shape.element).map(hashable), max_size=5)
                return made.map(frozenset) if shape.frozen else made.map(set)
            case MapShape():
                return st.dictionaries(self.of(shape.key).map(hashable), self.of(shape.value), max_size=4)
            case RecordShape():
                return self._record(shape)
            case LiteralShape():
                return st.sampled_from(shape.values) if shape.values else st.none()
            case UnionShape():
                return st.one_of(*(self.of(option) for option in shape.options))
            case AnyShape() | OpaqueShape() | LibraryShape():
                return self._drawn(shape)

    def _drawn(self, shape: Shape) -> SearchStrategy[Any]:
        """Values that the sampler draws, chosen from a fixed list, so that order decides nothing."""
        return st.sampled_from([self.sampler.value(shape) for _ in range(24)])

    def _ints(self, shape: IntShape) -> SearchStrategy[int]:
        if shape.low is not None and shape.high is not None:
            return st.integers(shape.low, shape.high)
        hints = [value + step for value in (shape.hints or self.sampler.ints)[:12] for step in (-1, 0, 1)]
        small = st.integers(-20, 100)
        return small | st.integers(-(2**31), 2**31 - 1) if not hints else st.one_of(small, st.sampled_from(hints))

    def _floats(self, shape: FloatShape) -> SearchStrategy[float]:
        low = shape.low if shape.low is not None else min(-1e6, (shape.high or 0.0) - 1e6)
        high = shape.high if shape.high is not None else max(1e6, (shape.low or 0.0) + 1e6)
        # A limit such as .1 is no float of 32 bits.
        width = 32 if shape.low is None and shape.high is None else 64
        drawn = st.floats(low, high, allow_nan=False, width=width)
        return drawn | st.sampled_from(shape.hints or (0.0, 1.0, -1.0, 0.5))

    def _texts(self, shape: TextShape) -> SearchStrategy[str]:
        if shape.length == 1:
            return st.sampled_from(list(_ALPHABET) + [hint for hint in shape.hints if len(hint) == 1])
        composed = st.sampled_from([self.sampler.texts.text(shape) for _ in range(24)])
        pieces = [*shape.tokens, *shape.hints, "a", " ", "1"][:30]
        joined = st.lists(st.sampled_from(pieces), max_size=6).map("".join)
        plain = st.text(_ALPHABET, max_size=10)
        return st.one_of(composed, joined, plain) if shape.tokens or shape.hints else st.one_of(composed, plain)

    def _record(self, shape: RecordShape) -> SearchStrategy[Any]:
        required = {entry.name: self.of(entry.shape) for entry in shape.fields if entry.required}
        optional = {entry.name: self.of(entry.shape) for entry in shape.fields if not entry.required}
        return st.fixed_dictionaries(required, optional=optional)


def draw_inputs(shape: InputShape, sampler: Sampler, count: int, seed_value: int) -> list[Input]:
    """Draw inputs with Hypothesis.

    Args:
        shape: What to draw.
        sampler: Its generator is advanced while strategies are built.
        count: How many, at most: a small space is exhausted earlier.
        seed_value: Same seed, same inputs.
    """
    return drawn_by_hypothesis(StrategyBuilder(sampler).inputs(shape), count, seed_value)


def with_matching_texts(shape: InputShape) -> InputShape:
    """Give texts that are matched with regular expressions some that match."""

    def collect(part: Shape) -> Shape:
        if isinstance(part, TextShape) and part.patterns:
            texts = [text for pattern in part.patterns[:6] for text in matching_texts(pattern)]
            return replace(part, tokens=tuple(dict.fromkeys((*part.tokens, *texts))))
        return part

    parameters = tuple(replace(parameter, shape=mapped(parameter.shape, collect)) for parameter in shape.parameters)
    return replace(shape, parameters=parameters)
