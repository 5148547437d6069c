"""What is known of the inputs of a task before anything is run, as proofs read it: declared kinds, and no others."""

from __future__ import annotations

from collections.abc import Mapping

from pbt_generator.domain.inputs.domains.domain import InputDomain
from pbt_generator.domain.inputs.inference.signature import shape_of_value
from pbt_generator.domain.inputs.shapes import (
    BoolShape,
    BytesShape,
    FloatShape,
    IntShape,
    ListShape,
    LiteralShape,
    MapShape,
    NoneShape,
    RecordShape,
    SetShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    VariadicTupleShape,
)
from pbt_generator.domain.oracle.proofs.abstract_values import DATA, Value, constant, joined, of_kind


def given_values(domain: InputDomain) -> Mapping[str, Value]:
    """Per parameter with declared kinds what it may be; no input outside is ever a case."""
    found: dict[str, Value] = {}
    for place, parameter in enumerate(domain.parameters):
        if parameter.kinds is None or place == domain.variadic:
            continue
        value = value_of(parameter.kinds)
        if parameter.default:
            value = joined(value, Value(value_of(shape_of_value(parameter.default[0])).kinds, data=True))
        found[parameter.name] = value
    return found


def value_of(shape: Shape) -> Value:
    """What the values of a shape may be.

    Example:
        >>> sorted(value_of(UnionShape((TextShape(), NoneShape()))).kinds)
        ['none', 'str']
    """
    match shape:
        case NoneShape():
            return constant(None)
        case BoolShape():
            return of_kind("bool")
        case IntShape():
            return of_kind("int")
        case FloatShape():
            return of_kind("int", "float")
        case TextShape():
            return of_kind("str", data=True)
        case BytesShape():
            return of_kind("bytes", data=True)
        case LiteralShape(values=values) if values:
            return Value(frozenset(kind for value in values for kind in constant(value).kinds))
        case ListShape(element=element):
            return of_kind("list", element=value_of(element), data=True)
        case VariadicTupleShape(element=element):
            return of_kind("tuple", element=value_of(element), data=True)
        case TupleShape(items=items):
            values = tuple(map(value_of, items))
            return of_kind("tuple", items=values, least=len(values), most=len(values), data=True)
        case SetShape(element=element):
            return of_kind("set", element=value_of(element), data=True)
        case MapShape(key=key):
            return of_kind("dict", element=value_of(key), data=True)
        case RecordShape():
            return of_kind("dict", element=of_kind("str", data=True), data=True)
        case UnionShape(options=options) if options:
            return joined(*map(value_of, options))
        case _:
            return DATA


__all__ = ["given_values", "value_of"]
