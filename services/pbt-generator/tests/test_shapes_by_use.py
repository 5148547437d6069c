"""Shapes that only several uses together tell: keys, pairs, checked kinds, defaults that are code."""

from __future__ import annotations

import pytest

from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    BoolShape,
    IntShape,
    ListShape,
    MapShape,
    RecordShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    VariadicTupleShape,
    options_of,
)


def _shape_of(text: str, place: int = 0) -> Shape:
    program = read_program(text, (), "f")
    return input_shape(program).parameters[place].shape


def test_keys_of_maps_are_hashable_whatever_is_asked_of_them() -> None:
    shape = _shape_of("def f(d, marks):\n    return {k: v for k, v in d.items() if any(m in k for m in marks)}")
    assert isinstance(shape, MapShape) and shape.key == TextShape()


def test_a_value_indexed_by_what_iterating_it_gives_is_a_map() -> None:
    shape = _shape_of("def f(d):\n    return [d[k] + 1 for k in d]")
    assert isinstance(shape, MapShape)


def test_an_unknown_item_beside_a_map_makes_a_pair() -> None:
    shape = _shape_of("def f(rows):\n    return [[row[0], row[1].get('x', 2)] for row in rows]")
    assert isinstance(shape, ListShape) and isinstance(shape.element, TupleShape)
    assert isinstance(shape.element.items[1], RecordShape)


def test_type_is_asks_for_a_kind_like_isinstance() -> None:
    shape = _shape_of("def f(x):\n    return type(x) is bool or x in ('yes', 'no')")
    assert isinstance(shape, UnionShape) and shape.checked
    assert BoolShape() in shape.options


def test_a_default_that_is_a_class_or_function_is_no_parameter_of_a_case() -> None:
    program = read_program("def f(x, kinds=(str, bytes), *, key=len, low=3):\n    return key(x) > low", (), "f")
    assert [parameter.name for parameter in input_shape(program).parameters] == ["x", "low"]


def test_members_are_of_every_kind_that_the_body_asks_one_of_them_for() -> None:
    code = "def f(rows):\n    first = rows[0]\n    if isinstance(first, str):\n        return 1\n    return 2 * rows[1]"
    shape = _shape_of(code)
    assert isinstance(shape, ListShape) and TextShape() in options_of(shape.element)


def test_a_tuple_whose_length_is_asked_has_other_lengths_too() -> None:
    code = (
        "def f(x):\n    return isinstance(x, tuple) and len(x) == 2 and isinstance(x[0], str) and isinstance(x[1], int)"
    )
    found = [part for option in options_of(_shape_of(code)) for part in options_of(option)]
    assert any(isinstance(part, VariadicTupleShape) for part in found)
    assert any(isinstance(part, TupleShape) and len(part.items) == 2 for part in found)


def test_values_declared_to_be_anything_are_not_only_texts() -> None:
    code = "def f(d: dict[str, Any], names: list[str]):\n    return [str(d.get(name, '')) for name in names]"
    shape = _shape_of(code)
    assert isinstance(shape, MapShape) and AnyShape() in options_of(shape.value)
    assert IntShape() not in options_of(shape.value)


@pytest.mark.parametrize(
    ("caught", "loose"), [("ValueError", True), ("(OSError, ValueError)", True), ("KeyError", False)]
)
def test_a_number_of_parts_whose_error_is_caught_is_not_the_only_one(caught: str, *, loose: bool) -> None:
    body = f"    try:\n        a, b = x\n    except {caught}:\n        return None\n    return a.upper() + b.upper()\n"
    options = options_of(_shape_of(f"def f(x):\n{body}"))
    assert any(isinstance(option, TupleShape) and len(option.items) == 2 for option in options)
    assert any(isinstance(option, VariadicTupleShape) for option in options) == loose


@pytest.mark.parametrize(
    ("body", "caught"),
    [
        ("try:\n        a, b = x\n    except ValueError:\n        return 0\n    return a", True),
        ("try:\n        a, b = x\n    except ERRORS:\n        return 0\n    return a", True),
        ("with suppress(ValueError):\n        a, b = x\n        return a", True),
        ("def g(t):\n        a, b = t\n    try:\n        return g(x)\n    except ValueError:\n        return 0", True),
        ("try:\n        a, b = x\n    except KeyError:\n        return 0\n    return a", False),
        ("try:\n        a, b = x\n    except ValueError:\n        raise KeyError from None\n    return a", False),
        ("with suppress(KeyError):\n        a, b = x\n        return a", False),
    ],
)
def test_another_number_of_parts_is_an_input_where_its_error_is_caught(body: str, *, caught: bool) -> None:
    shapes = options_of(_shape_of(f"def f(x):\n    {body}"))
    assert any(isinstance(shape, VariadicTupleShape) for shape in shapes) is caught
