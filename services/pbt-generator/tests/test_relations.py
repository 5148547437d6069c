"""Inputs whose parts have to do with each other."""

from __future__ import annotations

from pbt_generator.domain.inputs.drawing.sampling import Sampler
from pbt_generator.domain.inputs.shapes import (
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


def _inputs(*shapes: Shape) -> list[Input]:
    parameters = tuple(ParameterShape(f"p{place}", shape) for place, shape in enumerate(shapes))
    sampler = Sampler(InputShape(parameters), 7)
    return [sampler.input() for _ in range(400)]


def test_members_of_one_collection_are_found_in_another() -> None:
    inputs = _inputs(ListShape(TextShape()), MapShape(TextShape(), IntShape()))
    shared = [(names, table) for names, table in inputs if names and set(names) & table.keys()]  # type: ignore[operator]
    assert len(shared) > 30
    assert any(set(names) < table.keys() for names, table in shared)
    assert any(set(names) - table.keys() for names, table in shared)


def test_sequences_have_members_in_common_without_being_equal() -> None:
    inputs = _inputs(ListShape(IntShape()), ListShape(IntShape()))
    assert sum(first != second and bool(set(first) & set(second)) for first, second in inputs) > 40  # type: ignore[call-overload]
    assert sum(sorted(first) == sorted(second) and first != second for first, second in inputs) > 1  # type: ignore[type-var]


def test_a_text_holds_another_parameter() -> None:
    inputs = _inputs(TextShape(), TextShape())
    assert sum(len(piece) > 1 and piece in text and piece != text for text, piece in inputs) > 12  # type: ignore[arg-type, operator]


def test_a_member_of_a_set_equals_a_tuple() -> None:
    pair = TupleShape((TextShape(), TextShape()))
    inputs = _inputs(pair, SetShape(pair))
    assert sum(one in many for one, many in inputs) > 5  # type: ignore[operator]
    assert sum(any(one[1] == other[1] and one != other for other in many) for one, many in inputs) > 10  # type: ignore[index, union-attr]


def test_names_of_records_and_known_values_stay_as_they_are() -> None:
    record = RecordShape((Field("name", TextShape()), Field("mode", LiteralShape(("on", "off")))))
    for given, _ in _inputs(ListShape(record), TextShape()):
        for entry in given:  # type: ignore[attr-defined]
            assert entry.get("mode", "on") in {"on", "off"}


def test_the_same_seed_relates_the_same_way() -> None:
    shapes = (SetShape(TextShape()), MapShape(TextShape(), ListShape(IntShape())), TextShape())
    assert _inputs(*shapes) == _inputs(*shapes)


def test_letters_of_one_text_repeat_where_a_body_compares_them() -> None:
    texts = [str(given[0]) for given in _inputs(TextShape())]
    doubled = [text for text in texts if len(text) == 6 and text[::2] == text[1::2]]
    assert doubled
