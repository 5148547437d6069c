"""Whether a value is of a shape: inputs of other kinds are kept out of a suite unless a branch needs them."""

from __future__ import annotations

import datetime
import decimal
import fractions
import pathlib
from typing import cast

from pbt_generator.domain.inputs.drawing.library_values import ArrayValue, FrameValue, SeriesValue
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
    options_of,
)
from pbt_generator.domain.oracle.runs import Input

# Floats hold every integer up to here.
_LARGEST_WHOLE = 2**53
_LIBRARY_TYPES: dict[str, tuple[type, ...]] = {
    "date": (datetime.date,), "datetime": (datetime.datetime,), "time": (datetime.time,),
    "timedelta": (datetime.timedelta,), "decimal": (decimal.Decimal,), "fraction": (fractions.Fraction,),
    "complex": (complex,), "path": (pathlib.PurePath,), "range": (range,), "ndarray": (ArrayValue,),
    "series": (SeriesValue,), "index": (SeriesValue,), "frame": (FrameValue,),
}  # fmt: skip


def input_fits(given: Input, shape: InputShape) -> bool:
    """Whether every argument is of its parameter's shape, or its default."""
    for value, parameter in zip(given, shape.parameters, strict=True):
        if parameter.default and type(value) is type(parameter.default[0]) and value == parameter.default[0]:
            continue
        values = sent(value, variadic=parameter.variadic)
        if values is None or not all(fits(item, parameter.shape) for item in values):
            return False
    return True


def sent(value: object, *, variadic: bool) -> tuple[object, ...] | None:
    """The values that one parameter gets; None where `*args` would be no tuple, as what is steered may be."""
    if not variadic:
        return (value,)
    return cast("tuple[object, ...]", value) if type(value) is tuple else None


def fits(value: object, shape: Shape) -> bool:
    """Whether a value is of a shape's kind; sizes, ranges and missing keys of records do not matter.

    Example:
        >>> fits([1, 2], ListShape(IntShape())), fits([1, "a"], ListShape(IntShape()))
        (True, False)
    """
    match shape:
        case AnyShape() | OpaqueShape():
            return True
        case NoneShape():
            return value is None
        case BoolShape():
            return type(value) is bool
        case IntShape():
            return type(value) is int
        case FloatShape():
            return type(value) in (int, float)
        case TextShape():
            return type(value) is str
        case BytesShape():
            return type(value) is bytes
        case LiteralShape(values=values):
            return any(type(value) is type(option) for option in values)
        case UnionShape(options=options):
            return any(fits(value, option) for option in options)
        case ListShape(element=element):
            return type(value) is list and all(fits(item, element) for item in cast("list[object]", value))
        case VariadicTupleShape(element=element):
            return type(value) is tuple and all(fits(item, element) for item in cast("tuple[object, ...]", value))
        case TupleShape(items=items):
            if type(value) is not tuple or len(cast("tuple[object, ...]", value)) != len(items):
                return False
            return all(map(fits, cast("tuple[object, ...]", value), items))
        case OperationShape():
            return _holds(shape, value) and all(map(fits, cast("list[object]", value)[1:], shape.arguments))
        case SetShape(element=element):
            return type(value) in (set, frozenset) and all(fits(item, element) for item in cast("set[object]", value))
        case MapShape(key=key, value=inner):
            return type(value) is dict and all(
                fits(name, key) and fits(item, inner) for name, item in cast("dict[object, object]", value).items()
            )
        case RecordShape():
            return type(value) is dict and _record_fits(cast("dict[object, object]", value), shape)
        case LibraryShape(kind=kind, dimensions=dimensions):
            if isinstance(value, ArrayValue) and kind == "ndarray" and dimensions:
                return len(value.shape) == dimensions
            return isinstance(value, _LIBRARY_TYPES.get(kind, ()))


def numeric_texts(shape: Shape) -> list[Shape]:
    """The alternatives of a shape that are texts of a number, or lists of such texts."""
    return [
        option
        for option in options_of(shape)
        if is_numeric_text(option.element if isinstance(option, ListShape) else option)
    ]


def is_numeric_text(shape: Shape) -> bool:
    """Whether a shape is a text that is read as a number."""
    return isinstance(shape, TextShape) and bool({"integer", "number", "float", "decimal"} & set(shape.formats))


def shared_numbers(value: object, shape: Shape) -> object:
    """The value with whole floats as integers, unless its shape knows floats only.

    Most languages have one kind of number for both: 5 and 5.0 would be one input with two results.

    Example:
        >>> shared_numbers([2.0, 2.5], ListShape(AnyShape())), shared_numbers(2, FloatShape())
        ([2, 2.5], 2.0)
    """
    options = options_of(shape)
    if type(value) in (int, float):
        number = cast("int | float", value)
        kinds = {type(option) for option in options}
        if FloatShape in kinds and not kinds & {IntShape, AnyShape, LiteralShape}:
            return float(number) if abs(number) <= _LARGEST_WHOLE else number
        return int(number) if abs(number) <= _LARGEST_WHOLE and number == int(number) else number
    inner = next((option for option in options if _holds(option, value)), AnyShape())
    match value:
        case list() if isinstance(inner, OperationShape):
            name, *given = cast("list[object]", value)
            return [name, *map(shared_numbers, given, inner.arguments)]
        case list():
            element = inner.element if isinstance(inner, ListShape) else AnyShape()
            return [shared_numbers(item, element) for item in cast("list[object]", value)]
        case tuple():
            items = cast("tuple[object, ...]", value)
            shapes = inner.items if isinstance(inner, TupleShape) else ()
            element = inner.element if isinstance(inner, VariadicTupleShape) else AnyShape()
            return tuple(
                shared_numbers(item, shapes[place] if place < len(shapes) else element)
                for place, item in enumerate(items)
            )
        case dict():
            entries = {entry.name: entry.shape for entry in inner.fields} if isinstance(inner, RecordShape) else {}
            other = inner.value if isinstance(inner, MapShape) else AnyShape()
            return {
                key: shared_numbers(item, entries.get(cast("str", key), other))
                for key, item in cast("dict[object, object]", value).items()
            }
        case _:
            return value


def _holds(shape: Shape, value: object) -> bool:
    """Whether a shape is of a container's kind, whatever is in it."""
    match shape:
        case ListShape():
            return type(value) is list
        case OperationShape(name=name, arguments=arguments):
            length = len(arguments) + 1
            return type(value) is list and value[:1] == [name] and len(cast("list[object]", value)) == length
        case TupleShape(items=items):
            return type(value) is tuple and len(cast("tuple[object, ...]", value)) == len(items)
        case VariadicTupleShape():
            return type(value) is tuple
        case MapShape() | RecordShape():
            return type(value) is dict
        case _:
            return False


def _record_fits(value: dict[object, object], shape: RecordShape) -> bool:
    entries = {entry.name: entry.shape for entry in shape.fields}
    extra = shape.extra.value if shape.extra is not None else AnyShape()
    return all(type(name) is str and fits(item, entries.get(name, extra)) for name, item in value.items())
