"""Ordinary inputs: what the plainest caller sends, and whether a value is of that kind."""

from __future__ import annotations

import ast
import copy
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from pbt_generator.domain.inputs.drawing.sampling import Sampler
from pbt_generator.domain.inputs.drawing.words import WORDS
from pbt_generator.domain.inputs.inference.offered import offered_texts, signs_of
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    BoolShape,
    FloatShape,
    InputShape,
    IntShape,
    ListShape,
    LiteralShape,
    MapShape,
    NoneShape,
    ParameterShape,
    RecordShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    VariadicTupleShape,
)
from pbt_generator.domain.oracle.runs import Input
from pbt_generator.domain.oracle.syntax import FunctionNode, named_parameters

# Signs of everyday texts; beside them stand those of the program's own.
SIGNS = " -_."
_LARGEST, _DECIMALS, _LONGEST = 10_000, 2, 60
_NUMBERS = (1, 2, 3, 4, 5, 7, 8, 10, 12, 15, 20, 24, 25, 30, 40, 50, 60, 75, 80, 90, 99, 100, 120, 250, 500, 1000)
_FRACTIONS = (0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 7.5, 10.0, 12.5, 20.0, 25.0, 50.0, 75.0, 80.0, 82.5, 90.0, 100.0)
# A text of a known form is drawn so often until one is ordinary.
_TRIES = 25
_DEEP = 3
# A value of every kind that data has, empty ones and such that hold what is empty among them.
_OF_EACH_KIND: tuple[Any, ...] = (None, True, False, 0, 3, 2.5, "", "a", [], [3, "a"], [""], {}, {"a": 3}, {"a": None})
_FORMED = re.compile(r"[^\w\s]{2,}")


def is_ordinary(value: object, signs: str = SIGNS) -> bool:
    """Whether a value is one of everyday: no empty text, sequence or map in it, no odd character, no extreme number.

    Args:
        value: A value, or a portable one that was parsed.
        signs: Those that its texts may hold beside letters and digits of ASCII, no two on one another.

    Example:
        >>> [is_ordinary(each) for each in ("two words", 75, 82.5, ["a.b"], None, True)]
        [True, True, True, True, True, True]
        >>> [is_ordinary(each) for each in ("", " a", "a\\n", "é", "a#", 1e12, 0.266123, -5, [], {"": 1}, "..a")]
        [False, False, False, False, False, False, False, False, False, False, False]
        >>> is_ordinary("#a1", "#"), is_ordinary({"$": "tuple", "v": [1, "a"]})
        (True, True)
    """
    match value:
        case None | bool():
            return True
        case int() | float():
            return 0 <= value <= _LARGEST and round(value, _DECIMALS) == value
        case str():
            return _is_plain(value, signs)
        case dict():
            entries = cast("dict[object, object]", value)
            if entries.get("$") == "tuple":
                return is_ordinary(entries.get("v"), signs)
            return bool(entries) and all(
                is_ordinary(each, signs) for pair in entries.items() for each in pair if each is not None
            )
        case list() | tuple():
            members = cast("Sequence[object]", value)
            return bool(members) and all(is_ordinary(each, signs) for each in members)
        case _:
            return False


def _is_plain(text: str, signs: str) -> bool:
    if not text or len(text) > _LONGEST or text != text.strip() or not text.isascii() or "  " in text:
        return False
    if not any(each.isalnum() for each in text) or _FORMED.search(text):
        return False
    return all(each.isalnum() or each in SIGNS or each in signs for each in text)


def of_every_kind(tree: FunctionNode, shape: InputShape, bases: Sequence[Input]) -> list[Input]:
    """Inputs with a value of each kind, full and empty, where an author declares that a parameter may be anything.

    What the body asks of such a parameter says less than its author: callers send all kinds, and whoever forgets one
    that the body treats like others is wrong.

    Args:
        tree: The function.
        shape: Its parameters.
        bases: Inputs that returned.

    Example:
        >>> tree = ast.parse("def f(a: Any, b: int): pass").body[0]
        >>> shape = InputShape((ParameterShape("a", AnyShape()), ParameterShape("b", IntShape())))
        >>> len(of_every_kind(tree, shape, [(1, 2)])), of_every_kind(tree, shape, [(1, 2)])[:2]
        (14, [(None, 2), (True, 2)])
    """
    declared = {each.arg for each in named_parameters(tree.args) if _means_anything(each.annotation)}
    places = [place for place, each in enumerate(shape.parameters) if each.name in declared and not each.variadic]
    return [
        (*base[:place], value, *base[place + 1 :])
        for base in bases
        if len(base) == len(shape.parameters)
        for place in places
        for value in copy.deepcopy(_OF_EACH_KIND)
    ]


def _means_anything(annotation: ast.expr | None) -> bool:
    return annotation is not None and ast.unparse(annotation).strip("'\"").rpartition(".")[2] in ("Any", "object")


class OrdinaryInputs:
    """Draws them.

    Args:
        shape: The parameters.
        sampler: Draws texts of known forms.
        offered: Values that an author offers for a parameter, by its name.
        seed: Decides every choice.
    """

    def __init__(self, shape: InputShape, sampler: Sampler, offered: Mapping[str, Sequence[object]], seed: int) -> None:
        self._shape = shape
        self._sampler = sampler
        self._offered = offered
        self._rng = random.Random(seed)
        texts = offered_texts(shape, offered)
        self._signs = SIGNS + signs_of([*texts, *(each for each in shape.constants if isinstance(each, str))])
        self._hints = [text for text in texts if _is_plain(text, self._signs)]

    def of_offered(self, bases: Sequence[Input]) -> list[Input]:
        """Inputs with each offered value in its place; what stands beside it is offered, ordinary, or of a base."""
        return [
            (*rest[:place], value, *rest[place + 1 :])
            for place, value in self._told()
            for rest in (self._input(), self._input(), *bases)
            if rest is not None
        ]

    def like_offered(self, bases: Sequence[Input]) -> list[Input]:
        """The same with other digits in the offered texts."""
        return [
            (*rest[:place], other, *rest[place + 1 :])
            for place, value in self._told()
            for other in self._alike(value)
            for rest in (self._input(), *bases[:1])
            if rest is not None
        ]

    def _told(self) -> list[tuple[int, object]]:
        parameters = enumerate(self._shape.parameters)
        return [(place, value) for place, each in parameters for value in self._offered.get(each.name, ())]

    def inputs(self, count: int) -> Iterator[Input]:
        """Some ordinary inputs; none where a parameter has no ordinary value."""
        for _ in range(count):
            given = self._input()
            if given is None:
                return
            yield given

    def _alike(self, value: object) -> Iterator[str]:
        """A text with other digits."""
        if isinstance(value, str) and any(each.isdecimal() for each in value):
            for _ in range(3):
                yield "".join(self._rng.choice("123456789") if each in "0123456789" else each for each in value)

    def _input(self) -> Input | None:
        """An input with one ordinary value for each parameter."""
        values: list[object] = []
        for parameter in self._shape.parameters:
            value = self._argument(parameter)
            if value is _NONE:
                return None
            values.append(value)
        return tuple(values)

    def _argument(self, parameter: ParameterShape) -> object:
        if parameter.variadic:
            held = [self._value(parameter.shape, 1) for _ in range(2)]
            return _NONE if _NONE in held else tuple(held)
        offered = self._offered.get(parameter.name, ())
        if offered:
            value = self._rng.choice(offered)
            return self._rng.choice((value, *self._alike(value)))
        if parameter.default and self._rng.random() < 0.5:
            return parameter.default[0]
        value = self._value(parameter.shape, 0)
        return parameter.default[0] if value is _NONE and parameter.default else value

    def _value(self, shape: Shape, depth: int) -> object:
        rng = self._rng
        match shape:
            case BoolShape():
                return rng.random() < 0.5
            case IntShape(low=low, high=high, hints=hints):
                return self._number([*(each for each in hints if is_ordinary(each)), *_NUMBERS], low, high)
            case FloatShape(low=low, high=high):
                return self._number(_FRACTIONS, low, high)
            case TextShape():
                return self._text(shape)
            case LiteralShape(values=values):
                return rng.choice(values)
            case UnionShape(options=options):
                kept = [each for each in options if not isinstance(each, NoneShape)]
                return self._value(rng.choice(kept), depth) if kept else None
            case NoneShape():
                return None
            case AnyShape():
                return rng.choice(WORDS)
            case ListShape() | VariadicTupleShape() | TupleShape() | MapShape() | RecordShape() if depth < _DEEP:
                return self._held(shape, depth + 1)
            case _:
                return _NONE

    def _held(self, shape: Shape, depth: int) -> object:
        match shape:
            case ListShape(element=element) | VariadicTupleShape(element=element):
                held = [self._value(element, depth) for _ in range(self._rng.choice((1, 2, 2, 3)))]
                made: object = held if isinstance(shape, ListShape) else tuple(held)
            case TupleShape(items=items):
                held = [self._value(each, depth) for each in items]
                made = tuple(held)
            case MapShape(key=key, value=value):
                keys = [self._value(key, depth) for _ in range(self._rng.choice((1, 2, 2)))]
                try:
                    hash(tuple(keys))
                except TypeError:
                    return _NONE
                pairs = {each: self._value(value, depth) for each in keys}
                held, made = [*keys, *pairs.values()], pairs
            case RecordShape(fields=fields):
                record = {each.name: self._value(each.shape, depth) for each in fields}
                held, made = [*record.values()], record
            case _:
                return _NONE
        return _NONE if _NONE in held else made

    def _number(self, numbers: Sequence[float], low: float | None, high: float | None) -> object:
        kept = [each for each in numbers if (low is None or each >= low) and (high is None or each <= high)]
        return self._rng.choice(kept) if kept else _NONE

    def _text(self, shape: TextShape) -> object:
        plain = [each for each in shape.hints if _is_plain(each, self._signs)] or self._hints
        if shape.formats or shape.patterns or shape.length is not None or shape.content is not None or shape.tokens:
            for _ in range(_TRIES):
                text = self._sampler.texts.text(shape)
                if _is_plain(text, self._signs):
                    return text
        if plain and self._rng.random() < 0.6:
            return self._rng.choice(plain)
        words = [self._rng.choice(WORDS) for _ in range(self._rng.choice((1, 1, 2)))]
        return " ".join(words)


# Stands for a value that nothing ordinary is of.
_NONE = type("_None", (), {})()

__all__ = ["SIGNS", "OrdinaryInputs", "is_ordinary"]
