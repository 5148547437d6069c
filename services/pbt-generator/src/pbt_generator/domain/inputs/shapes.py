"""What a value may look like: the type descriptions that inference writes and generation reads.

A shape is data. It says nothing about how a value is drawn; `sampling` and `strategies` do that.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from pbt_generator.domain.oracle.syntax import NO_LITERAL

Scalar: TypeAlias = "str | int | float | bool | bytes | None"


@dataclass(frozen=True)
class AnyShape:
    """Nothing is known; probing in the sandbox has to find out."""


@dataclass(frozen=True)
class NoneShape:
    """The value None."""


@dataclass(frozen=True)
class BoolShape:
    """A truth value."""


@dataclass(frozen=True)
class IntShape:
    """An integer; `hints` are constants of the program worth trying with their neighbours."""

    low: int | None = None
    high: int | None = None
    hints: tuple[int, ...] = ()


# What bytes are to languages that have none of their own in common: integers from 0 to 255.
OCTET = IntShape(0, 255)


@dataclass(frozen=True)
class FloatShape:
    """A finite float."""

    low: float | None = None
    high: float | None = None
    hints: tuple[float, ...] = ()


@dataclass(frozen=True)
class TextShape:
    """A text.

    Attributes:
        hints: whole texts that the program compares with.
        tokens: pieces that it searches for, splits at or strips.
        patterns: regular expressions that it applies.
        formats: named text formats, for example "integer", "json", "date:%Y-%m-%d".
        length: exact length where one is known.
        content: what the text holds as JSON, where the program reads it so.
    """

    hints: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    length: int | None = None
    content: Shape | None = None


@dataclass(frozen=True)
class BytesShape:
    """Bytes, with pieces that the program looks for."""

    hints: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class ListShape:
    """A list of one element shape."""

    element: Shape
    min_size: int = 0
    max_size: int = 6


@dataclass(frozen=True)
class TupleShape:
    """A tuple of known length."""

    items: tuple[Shape, ...]


@dataclass(frozen=True)
class OperationShape:
    """A list of the name of an operation and its arguments."""

    name: str
    arguments: tuple[Shape, ...] = ()


@dataclass(frozen=True)
class VariadicTupleShape:
    """A tuple of any length of one element shape."""

    element: Shape


@dataclass(frozen=True)
class SetShape:
    """A set or frozen set."""

    element: Shape
    frozen: bool = False


@dataclass(frozen=True)
class MapShape:
    """A map whose keys are not known by name."""

    key: Shape
    value: Shape


@dataclass(frozen=True)
class Field:
    """One named entry of a record; an entry that is not required is left out at times."""

    name: Scalar
    shape: Shape
    required: bool = True


@dataclass(frozen=True)
class RecordShape:
    """A map with known keys; `extra` says what else its entries may hold, if anything."""

    fields: tuple[Field, ...]
    extra: MapShape | None = None


@dataclass(frozen=True)
class LiteralShape:
    """One of a few known values."""

    values: tuple[Scalar, ...]


@dataclass(frozen=True)
class UnionShape:
    """One of several shapes; earlier options are drawn more often.

    Attributes:
        options: The alternatives.
        checked: The program itself asks which of them it has (`isinstance`), so that all of them are worth drawing even
            where a declaration names only some.
        guessed: Use does not tell the options apart; running has to choose one of them.
    """

    options: tuple[Shape, ...]
    checked: bool = False
    guessed: bool = False


@dataclass(frozen=True)
class LibraryShape:
    """A value of a library's type.

    Attributes:
        kind: date, datetime, time, timedelta, decimal, fraction, complex, path, range, ndarray, series, frame, index.
        dtype: for arrays and columns: "float", "int", "bool", "text" or "date".
        dimensions: for arrays, how many axes.
        columns: for frames, the column names that the program reads, each with its dtype.
        sizes: for arrays, lengths of axes that are known (-1: any).
        aware: for moments, the program asks for their time zone: some have one.
    """

    kind: str
    dtype: str = "float"
    dimensions: int = 1
    columns: tuple[tuple[str, str], ...] = ()
    sizes: tuple[int, ...] = ()
    aware: bool = False


@dataclass(frozen=True)
class OpaqueShape:
    """A value that cannot be made from data: a function, a file, an object of the project's own class."""

    name: str


Shape: TypeAlias = (
    AnyShape
    | NoneShape
    | BoolShape
    | IntShape
    | FloatShape
    | TextShape
    | BytesShape
    | ListShape
    | TupleShape
    | OperationShape
    | VariadicTupleShape
    | SetShape
    | MapShape
    | RecordShape
    | LiteralShape
    | UnionShape
    | LibraryShape
    | OpaqueShape
)

NUMBER: Shape = UnionShape((IntShape(), FloatShape()))


@dataclass(frozen=True)
class ParameterShape:
    """One parameter with the shape of its values.

    Attributes:
        keyword_only: the value must be passed by name.
        variadic: the parameter is `*args`; its shape describes one element.
        default: the default value where it is a literal, wrapped so that None can be told from absence.
        certain: the shape was declared (annotation or docstring) or strongly used; probing leaves it alone.
    """

    name: str
    shape: Shape
    keyword_only: bool = False
    variadic: bool = False
    default: tuple[object, ...] = ()
    certain: bool = False


@dataclass(frozen=True)
class InputShape:
    """All parameters of a function in order, and the constants of its body.

    Attributes:
        parameters: Every parameter with its shape.
        constants: The literals of the body.
        examples: Inputs that the docstring shows.
    """

    parameters: tuple[ParameterShape, ...]
    constants: tuple[Scalar, ...] = ()
    examples: tuple[tuple[object, ...], ...] = field(default=())

    @property
    def named(self) -> bool:
        """Whether arguments travel by name, because one of them is keyword-only."""
        return any(parameter.keyword_only for parameter in self.parameters)

    def mapped(self, change: Callable[[Shape], Shape]) -> InputShape:
        """The same parameters with every shape changed."""
        return replace(self, parameters=tuple(replace(each, shape=change(each.shape)) for each in self.parameters))

    def with_shape(self, index: int, shape: Shape) -> InputShape:
        """The same parameters with another shape at one place."""
        changed = replace(self.parameters[index], shape=shape)
        return replace(self, parameters=(*self.parameters[:index], changed, *self.parameters[index + 1 :]))


def union(*shapes: Shape) -> Shape:
    """The shape that admits what any of the given ones admits; flattened, in order, without doubles."""
    options: list[Shape] = []
    checked = guessed = False
    for shape in shapes:
        checked = checked or (isinstance(shape, UnionShape) and shape.checked)
        guessed = guessed or (isinstance(shape, UnionShape) and shape.guessed)
        for option in shape.options if isinstance(shape, UnionShape) else (shape,):
            if option not in options:
                options.append(option)
    if len(options) == 1:
        return options[0]
    return UnionShape(tuple(options), checked, guessed) if options else AnyShape()


def one_of(*shapes: Shape) -> Shape:
    """Like `union`, of alternatives that use does not tell apart."""
    found = union(*shapes)
    return replace(found, guessed=True) if isinstance(found, UnionShape) else found


def optional(shape: Shape) -> Shape:
    """The shape, or None."""
    return union(shape, NoneShape())


def options_of(shape: Shape) -> tuple[Shape, ...]:
    """The alternatives of a union, or the shape itself."""
    return shape.options if isinstance(shape, UnionShape) else (shape,)


def has_literal(value: object) -> bool:
    """Whether Python writes a value as a literal: infinity and the ellipsis are names there, or nothing.

    Example:
        >>> [has_literal(value) for value in (1.5, (1, "a"), float("inf"), [...])]
        [True, True, False, False]
    """
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except NO_LITERAL:
        return False


def contains_any(shape: Shape) -> bool:
    """Whether some part of the shape is unknown."""
    match shape:
        case AnyShape():
            return True
        case ListShape(element=inner) | VariadicTupleShape(element=inner) | SetShape(element=inner):
            return contains_any(inner)
        case MapShape(key=key, value=value):
            return contains_any(key) or contains_any(value)
        case TupleShape(items=items) | OperationShape(arguments=items):
            return any(contains_any(item) for item in items)
        case UnionShape(options=options):
            return any(contains_any(option) for option in options)
        case RecordShape(fields=fields):
            return any(contains_any(entry.shape) for entry in fields)
        case _:
            return False


def opaque_name(shape: Shape) -> str:
    """Name of a part that cannot be made from data, when no alternative avoids it; else empty."""
    match shape:
        case OpaqueShape(name=name):
            return name
        case ListShape(element=inner) | VariadicTupleShape(element=inner) | SetShape(element=inner):
            return opaque_name(inner)
        case MapShape(value=value):
            return opaque_name(value)
        case TupleShape(items=items) | OperationShape(arguments=items):
            return next((name for name in map(opaque_name, items) if name), "")
        case UnionShape(options=options):
            names = [opaque_name(option) for option in options]
            return names[0] if names and all(names) else ""
        case _:
            return ""


def mapped(shape: Shape, change: Callable[[Shape], Shape]) -> Shape:
    """The shape with every part changed, inner parts first."""
    match shape:
        case ListShape():
            shape = replace(shape, element=mapped(shape.element, change))
        case VariadicTupleShape():
            shape = VariadicTupleShape(mapped(shape.element, change))
        case SetShape():
            shape = replace(shape, element=mapped(shape.element, change))
        case MapShape():
            shape = MapShape(mapped(shape.key, change), mapped(shape.value, change))
        case TupleShape():
            shape = TupleShape(tuple(mapped(item, change) for item in shape.items))
        case OperationShape():
            shape = replace(shape, arguments=tuple(mapped(item, change) for item in shape.arguments))
        case UnionShape():
            changed = union(*(mapped(option, change) for option in shape.options))
            if isinstance(changed, UnionShape):
                changed = replace(changed, checked=shape.checked, guessed=shape.guessed)
            shape = changed
        case RecordShape():
            fields = tuple(replace(entry, shape=mapped(entry.shape, change)) for entry in shape.fields)
            extra = None if shape.extra is None else mapped(shape.extra, change)
            shape = RecordShape(fields, extra if isinstance(extra, MapShape) else None)
        case _:
            pass
    return change(shape)


def shared_kinds(shape: Shape) -> Shape:
    """A shape as five languages have it: lists where it has sets, integers where it has bytes alone.

    Example:
        >>> shared_kinds(UnionShape((TextShape(), BytesShape()))) == TextShape()
        True
        >>> shared_kinds(BytesShape()) == ListShape(OCTET)
        True
    """

    def change(part: Shape) -> Shape:
        match part:
            case UnionShape(options=options) if ListShape(OCTET) in options:
                # Bytes beside other kinds: the others.
                left = tuple(option for option in options if option != ListShape(OCTET))
                return left[0] if len(left) == 1 else replace(part, options=left)
            case BytesShape():
                return ListShape(OCTET)
            case SetShape(element=element):
                return ListShape(element)
            case _:
                return part

    return mapped(shape, change)
