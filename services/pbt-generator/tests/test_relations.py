"""Inputs whose parts have to do with each other: which parameters a body joins, and how values are related."""

from __future__ import annotations

import ast
import random
import re

import pytest

from pbt_generator.domain.inputs.drawing.relating import Relater
from pbt_generator.domain.inputs.drawing.sampling import Sampler
from pbt_generator.domain.inputs.inference.relations import related_parameters
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    Field,
    InputShape,
    IntShape,
    ListShape,
    LiteralShape,
    MapShape,
    ParameterShape,
    RecordShape,
    SetShape,
    Shape,
    TextShape,
    TupleShape,
)
from pbt_generator.domain.oracle.runs import Input


def _function(text: str) -> ast.FunctionDef:
    found = ast.parse(text).body[0]
    assert isinstance(found, ast.FunctionDef)
    return found


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("def f(a, b):\n    return [x for x in a if x in b]", ((0, 1),)),
        ("def f(a, b):\n    return sum(x == y for x, y in zip(a, b))", ((0, 1),)),
        ("def f(table, names):\n    return [table[name] for name in names]", ((0, 1),)),
        ("def f(table, names):\n    for n in names:\n        if table.get(n):\n            return n", ((0, 1),)),
        ("def f(text, mark):\n    return text.startswith(mark)", ((0, 1),)),
        ("def f(pair, pairs):\n    a, b = pair\n    return [c for c, d in pairs if d == b]", ((0, 1),)),
        ("def f(a, b):\n    return len(a) == len(b)", ()),
        ("def f(a, b):\n    return a + b", ()),
        ("def f(a):\n    return a == 3", ()),
        ("def f(a, *, low):\n    return [x for x in a if x > low]", ()),
    ],
)
def test_parameters_that_a_body_brings_together(text: str, pairs: tuple[tuple[int, int], ...]) -> None:
    assert related_parameters(_function(text)) == pairs


def _inputs(*shapes: Shape, relations: tuple[tuple[int, int], ...] = ()) -> list[Input]:
    parameters = tuple(ParameterShape(f"p{place}", shape) for place, shape in enumerate(shapes))
    sampler = Sampler(InputShape(parameters, relations=relations), 7)
    return [sampler.input() for _ in range(400)]


def test_members_of_one_collection_are_found_in_another() -> None:
    inputs = _inputs(ListShape(TextShape()), MapShape(TextShape(), IntShape()), relations=((0, 1),))
    shared = [(names, table) for names, table in inputs if names and set(names) & table.keys()]  # type: ignore[operator]
    assert len(shared) > 30
    assert any(set(names) < table.keys() for names, table in shared)
    assert any(set(names) - table.keys() for names, table in shared)


def test_sequences_have_members_in_common_without_being_equal() -> None:
    inputs = _inputs(ListShape(IntShape()), ListShape(IntShape()), relations=((0, 1),))
    assert sum(first != second and bool(set(first) & set(second)) for first, second in inputs) > 40  # type: ignore[call-overload]
    assert sum(sorted(first) == sorted(second) and first != second for first, second in inputs) > 1  # type: ignore[type-var]


def test_a_text_holds_another_parameter() -> None:
    inputs = _inputs(TextShape(), TextShape(), relations=((0, 1),))
    assert sum(len(piece) > 1 and piece in text and piece != text for text, piece in inputs) > 12  # type: ignore[arg-type, operator]


def test_a_member_of_a_set_equals_a_tuple() -> None:
    pair = TupleShape((TextShape(), TextShape()))
    inputs = _inputs(pair, SetShape(pair), relations=((0, 1),))
    assert sum(one in many for one, many in inputs) > 5  # type: ignore[operator]
    assert sum(any(one[1] == other[1] and one != other for other in many) for one, many in inputs) > 10  # type: ignore[index, union-attr]


def test_names_of_records_and_known_values_stay_as_they_are() -> None:
    record = RecordShape((Field("name", TextShape()), Field("mode", LiteralShape(("on", "off")))))
    for given, _ in _inputs(ListShape(record), TextShape(), relations=((0, 1),)):
        for entry in given:  # type: ignore[attr-defined]
            assert entry.get("mode", "on") in {"on", "off"}


def test_aligned_tables_have_the_same_keys() -> None:
    table = MapShape(TextShape(), IntShape())
    shape = InputShape(
        (ParameterShape("a", table), ParameterShape("b", table), ParameterShape("c", ListShape(AnyShape())))
    )
    sampler = Sampler(shape, 3)
    relater = Relater(random.Random(3), sampler.value)
    whole = 0
    for _ in range(50):
        first, second, names = relater.aligned(sampler.input(), shape)
        whole += first.keys() == second.keys() and set(names) <= first.keys()  # type: ignore[attr-defined, call-overload]
    assert whole > 25


def test_a_list_or_text_is_a_way_into_the_data_beside_it() -> None:
    data = MapShape(TextShape(), MapShape(TextShape(), ListShape(IntShape())))
    for way in (ListShape(AnyShape()), TextShape()):
        deepest = 0
        for doc, keys in _inputs(data, way, relations=((0, 1),)):
            inside, steps = doc, 0
            for key in re.split("[./]", keys) if isinstance(keys, str) else keys:  # type: ignore[attr-defined]
                try:
                    inside, steps = inside[key], steps + 1  # type: ignore[index]
                except (KeyError, IndexError, TypeError):
                    break
            deepest = max(deepest, steps)
        assert deepest > 1


def test_the_same_seed_relates_the_same_way() -> None:
    shapes = (SetShape(TextShape()), MapShape(TextShape(), ListShape(IntShape())), TextShape())
    assert _inputs(*shapes, relations=((0, 1), (1, 2))) == _inputs(*shapes, relations=((0, 1), (1, 2)))


def test_letters_of_one_text_repeat_where_a_body_compares_them() -> None:
    texts = [str(given[0]) for given in _inputs(TextShape(), relations=((0, 0),))]
    doubled = [text for text in texts if len(text) == 6 and text[::2] == text[1::2]]
    assert doubled
