"""The parts of an input with their shapes: where they are, what may stand for them, and how they are rewritten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from pbt_generator.domain.inputs.fitting import fits
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    FloatShape,
    IntShape,
    ListShape,
    LiteralShape,
    MapShape,
    OperationShape,
    RecordShape,
    SetShape,
    Shape,
    TextShape,
    TupleShape,
    VariadicTupleShape,
    options_of,
)

Path = tuple[object, ...]
ANY = AnyShape()
SCALARS = (str, int, float)


@dataclass(frozen=True)
class Spot:
    """A part of an input: where it is, what it is, and of what shape."""

    path: Path
    value: object
    shape: Shape


def members_of(value: object) -> list[object]:
    """The members of a collection, the keys of a map, in an order that does not depend on hashes."""
    members = list(cast("list[object]", value))
    return sorted(members, key=repr) if type(value) in (set, frozenset) else members


def option_of(value: object, shape: Shape) -> Shape:
    """The alternative of a shape that a value is of."""
    options = options_of(shape)
    return options[0] if len(options) == 1 else next((option for option in options if fits(value, option)), ANY)


def family_of(value: object, shape: Shape) -> tuple[object, ...]:
    """Leaves of one family may stand for each other: same kind, same format, same range."""
    match shape:
        case TextShape(formats=formats, content=content, length=length):
            return ("text", formats if content is None else ("json",), length)
        case IntShape(low=low, high=high):
            return ("int", low, high)
        case FloatShape(low=low, high=high):
            return (type(value).__name__, low, high)
        case _:
            return (type(value).__name__, None, None) if not isinstance(value, str) else ("text", (), None)


def inner_shape(shape: Shape, place: object) -> Shape:
    """The shape of a part of a value of a shape."""
    match shape:
        case ListShape(element=element) | VariadicTupleShape(element=element) | SetShape(element=element):
            return element
        case TupleShape(items=items):
            return items[place] if isinstance(place, int) and place < len(items) else ANY
        case OperationShape(name=name, arguments=arguments):
            return LiteralShape((name,)) if place == 0 else arguments[place - 1] if isinstance(place, int) else ANY
        case MapShape(value=value):
            return value
        case RecordShape(fields=fields, extra=extra):
            known = next((entry.shape for entry in fields if entry.name == place), None)
            return known if known is not None else extra.value if extra is not None else ANY
        case _:
            return ANY


def parts_of(value: object, shape: Shape, path: Path) -> Iterator[Spot]:
    """Every part of a value that can be written to, with its shape; the value itself first."""
    shape = option_of(value, shape)
    yield Spot(path, value, shape)
    if isinstance(value, (list, tuple)):
        for place, item in enumerate(cast("list[object]", value)):
            yield from parts_of(item, inner_shape(shape, place), (*path, place))
    elif isinstance(value, dict):
        for key, item in cast("dict[object, object]", value).items():
            yield from parts_of(item, inner_shape(shape, key), (*path, key))


def rewritten(value: object, shape: Shape, change: Callable[[object, Shape], object]) -> object:
    """The value with its leaves changed, keys of maps and members of sets among them; names of records stay."""
    shape = option_of(value, shape)
    kind = type(value)
    if kind in SCALARS:
        return value if isinstance(shape, LiteralShape) else change(value, shape)
    if kind in (list, tuple):
        items = cast("list[object]", value)
        made = [rewritten(item, inner_shape(shape, place), change) for place, item in enumerate(items)]
        return made if kind is list else tuple(made)
    if kind in (set, frozenset):
        element = inner_shape(shape, None)
        members = [rewritten(item, element, change) for item in sorted(cast("set[object]", value), key=repr)]
        return set(members) if kind is set else frozenset(members)
    if kind is dict:
        result: dict[object, object] = {}
        named = {entry.name for entry in shape.fields} if isinstance(shape, RecordShape) else set[object]()
        key_shape = shape.key if isinstance(shape, MapShape) else ANY
        for key, item in cast("dict[object, object]", value).items():
            kept = key in named or type(key) not in SCALARS
            name = key if kept else change(key, key_shape)
            result[name] = rewritten(item, inner_shape(shape, key), change)
        return result
    return value
