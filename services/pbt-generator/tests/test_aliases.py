"""Annotations mean what the program says that their names mean, not what a library calls so."""

from __future__ import annotations

import pytest

from pbt_generator.domain.inputs.inference.signature import declared_shapes, read_program
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    FloatShape,
    IntShape,
    ListShape,
    MapShape,
    Shape,
    TextShape,
    union,
)


@pytest.mark.parametrize(
    ("before", "annotation", "shape"),
    [
        ("Path = Union[str, Sequence[int]]", "Path", union(TextShape(), ListShape(IntShape()))),
        ("Part = Union[int, str]\nPath = List[Part]", "Path", ListShape(union(IntShape(), TextShape()))),
        ("Index = int | str", "dict[str, 'Index']", MapShape(TextShape(), union(IntShape(), TextShape()))),
        ("Series: TypeAlias = 'list[float]'", "Series", ListShape(FloatShape())),
        ("text_type = str", "text_type", TextShape()),
        ("Name = NewType('Name', str)", "Name", TextShape()),
        ("Bound = TypeVar('Bound', bound=int)", "list[Bound]", ListShape(IntShape())),
        ("OneOf = typing.TypeVar('OneOf', int, str)", "OneOf", union(IntShape(), TextShape())),
    ],
)
def test_a_name_of_the_program_means_what_the_program_says(before: str, annotation: str, shape: Shape) -> None:
    program = read_program(f"{before}\ndef f(x: {annotation}):\n    return x\n", (), "f")
    assert declared_shapes(program)["x"] == (shape, "annotation")


@pytest.mark.parametrize(
    ("before", "annotation"),
    [
        ("Tree = Union[int, List['Tree']]", "Tree"),
        ("Free = TypeVar('Free')", "Free"),
        ("One = Two\nTwo = One", "One"),
    ],
)
def test_what_names_itself_and_what_is_free_ends(before: str, annotation: str) -> None:
    program = read_program(f"{before}\ndef f(x: {annotation}):\n    return x\n", (), "f")
    assert program.tree.args.args[0].annotation is not None
    shape, _ = declared_shapes(program).get("x", (AnyShape(), ""))
    assert isinstance(shape, AnyShape) or annotation == "Tree"


def test_a_name_that_is_written_twice_is_left_alone() -> None:
    program = read_program("N = int\nN = make()\ndef f(x: N):\n    return x\n", (), "f")
    assert "x" not in declared_shapes(program)
