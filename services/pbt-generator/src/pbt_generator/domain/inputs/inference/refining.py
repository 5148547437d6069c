"""Joins what two sources say of one value: a declaration and its use, or two uses."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    BoolShape,
    FloatShape,
    IntShape,
    LibraryShape,
    ListShape,
    LiteralShape,
    MapShape,
    NoneShape,
    OpaqueShape,
    RecordShape,
    SetShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    VariadicTupleShape,
    options_of,
    union,
)

_T = TypeVar("_T")


def compatible(first: Shape, second: Shape) -> bool:
    """Whether two shapes are of one family, so that one may fill in the other."""
    numbers = (IntShape, FloatShape)
    sequences = (ListShape, TupleShape, VariadicTupleShape)
    maps = (MapShape, RecordShape)
    for family in (numbers, sequences, maps):
        if isinstance(first, family) and isinstance(second, family):
            return True
    if isinstance(first, LibraryShape) and isinstance(second, LibraryShape):
        return first.kind == second.kind or {first.kind, second.kind} <= {"date", "datetime"}
    if isinstance(first, LiteralShape):
        return isinstance(second, (TextShape, IntShape, NoneShape, BoolShape))
    return type(first) is type(second)


def refine(declared: Shape, inferred: Shape) -> Shape:
    """Fill what a declaration leaves open with what use shows; the declaration wins where they disagree.

    Example:
        >>> refine(ListShape(AnyShape()), ListShape(IntShape()))
        ListShape(element=IntShape(low=None, high=None, hints=()), min_size=0, max_size=6)
    """
    if isinstance(declared, AnyShape) or isinstance(inferred, AnyShape):
        return inferred if isinstance(declared, AnyShape) else declared
    if isinstance(declared, OpaqueShape):
        return inferred
    if isinstance(declared, UnionShape):
        return _refine_union(declared, inferred)
    if isinstance(inferred, UnionShape):
        fitting = [option for option in inferred.options if compatible(declared, option)]
        refined = refine(declared, fitting[0]) if fitting else declared
        if inferred.checked:
            # The body asks for other kinds too, whatever the declaration says.
            return union(refined, *(option for option in inferred.options if not compatible(declared, option)))
        # The body asks for None although the declaration leaves it out: both are worth trying.
        return union(refined, NoneShape()) if NoneShape() in inferred.options else refined
    if not compatible(declared, inferred):
        return declared
    match declared, inferred:
        case TextShape(), TextShape():
            return TextShape(
                _merged(declared.hints, inferred.hints), _merged(declared.tokens, inferred.tokens),
                _merged(declared.patterns, inferred.patterns), _merged(declared.formats, inferred.formats),
                declared.length or inferred.length,
                declared.content or inferred.content,
            )  # fmt: skip
        case IntShape(), IntShape():
            low, high = (declared.low, declared.high) if declared.low is not None else (inferred.low, inferred.high)
            return IntShape(low, high, _merged(declared.hints, inferred.hints))
        case FloatShape(), FloatShape():
            return replace(declared, hints=_merged(declared.hints, inferred.hints))
        case FloatShape(), IntShape():
            return replace(declared, hints=_merged(declared.hints, tuple(float(value) for value in inferred.hints)))
        case ListShape(), ListShape():
            return ListShape(refine(declared.element, inferred.element), inferred.min_size, inferred.max_size)
        case ListShape(), TupleShape():
            return ListShape(refine(declared.element, union(*inferred.items)), len(inferred.items), len(inferred.items))
        case ListShape(), VariadicTupleShape():
            return ListShape(refine(declared.element, inferred.element))
        case VariadicTupleShape(), TupleShape() if isinstance(declared.element, AnyShape):
            return inferred
        case VariadicTupleShape(), ListShape() | VariadicTupleShape():
            return VariadicTupleShape(refine(declared.element, inferred.element))
        case TupleShape(), TupleShape() if len(declared.items) == len(inferred.items):
            return TupleShape(tuple(map(refine, declared.items, inferred.items)))
        case MapShape(), RecordShape():
            return _refine_record(declared, inferred)
        case MapShape(), MapShape():
            value = refine(declared.value, inferred.value)
            if isinstance(declared.value, AnyShape) and any(option == TextShape() for option in options_of(value)):
                # Declared to be anything, and no more known than that a text is made of it: other kinds come too.
                value = union(value, AnyShape())
            return MapShape(refine(declared.key, inferred.key), value)
        case SetShape() as mine, SetShape() as other:
            return SetShape(refine(mine.element, other.element), mine.frozen)
        case LibraryShape() as mine, LibraryShape() as other:
            return _refine_library(mine, other)
        case LiteralShape(), _:
            return declared
        case _:
            return declared


def _merged(first: tuple[_T, ...], second: tuple[_T, ...]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _refine_union(declared: UnionShape, inferred: Shape) -> Shape:
    others = options_of(inferred)
    options: list[Shape] = []
    unasked = [NoneShape()] if NoneShape() in others and NoneShape() not in declared.options else []
    for option in declared.options:
        fitting = [other for other in others if compatible(option, other)]
        options.append(refine(option, fitting[0]) if fitting else option)
    known = [option for option in options if not isinstance(option, (AnyShape, OpaqueShape))]
    if isinstance(inferred, UnionShape) and inferred.checked:
        unasked += [other for other in others if not any(compatible(option, other) for option in declared.options)]
    if len(known) == len(options):
        return union(*options, *unasked)
    return (
        union(*known, *(other for other in others if not isinstance(other, OpaqueShape)))
        if known or others
        else AnyShape()
    )


def _refine_record(declared: MapShape, inferred: RecordShape) -> Shape:
    fields = tuple(replace(entry, shape=refine(declared.value, entry.shape)) for entry in inferred.fields)
    extra = inferred.extra
    if extra is not None:
        extra = MapShape(refine(declared.key, extra.key), refine(declared.value, extra.value))
    return RecordShape(fields, extra)


def _refine_library(declared: LibraryShape, inferred: LibraryShape) -> LibraryShape:
    return replace(
        declared,
        dimensions=declared.dimensions
        if declared.dimensions > 1 or declared.kind != "ndarray"
        else inferred.dimensions,
        columns=declared.columns or inferred.columns,
        sizes=declared.sizes or inferred.sizes,
        kind=declared.kind,
        aware=declared.aware or inferred.aware,
    )
