"""Inputs at edges: what programs by other hands got wrong is among them, and kinds stay what they were."""

from __future__ import annotations

import random

import pytest

from pbt_generator.domain.inputs.drawing.edge_inputs import edge_inputs, small_inputs
from pbt_generator.domain.inputs.shapes import (
    BoolShape,
    InputShape,
    IntShape,
    ListShape,
    NoneShape,
    ParameterShape,
    TextShape,
    UnionShape,
)


def made(*bases: tuple[object, ...], pieces: tuple[str, ...] = ()) -> list[tuple[object, ...]]:
    return edge_inputs(list(bases) * 40, pieces, random.Random(5), 2000)


def test_lists_repeat_what_does_not_lie_side_by_side() -> None:
    found = [items for (items,) in made(([3, 8, 5],))]
    assert [3, 8, 5, 3] in found and [5, 8, 3] in found and [3] in found
    assert any([type(item) for item in items] == [int, int, int, float] for items in found)
    assert any(len(items) >= 9 for items in found)


def test_maps_of_equal_keys_hold_other_values() -> None:
    found = [items for (items,) in made(([{"a": 1, "b": 2}, {"a": 5, "b": 2}],))]
    assert any(len(items) == 3 and items[2].keys() == items[0].keys() and items[2] != items[0] for items in found)
    assert any(entry == {"a": 2, "b": 1} for (entry,) in made(({"a": 1, "b": 2},)))


def test_numbers_grow_beyond_what_32_bits_hold() -> None:
    found = {number for (number,) in made((7,))}
    assert {2**31, 2**32 + 1, 2**52} <= found and all(abs(number) < 2**53 for number in found)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("12 ab", "²"), ("12 ab", "٣"), ("ab cd", "é"), ("ab cd", "\U0001f600"), ("a b", "\u00a0"), ("a|b", "\\|"),
        ("5", "5,5"), ("5", "5-5"), ("ab cd", "AB"), ("a,b", "a,,b"), ("ab", "ab"),
    ],
)  # fmt: skip
def test_texts_come_near_their_syntax(text: str, wanted: str) -> None:
    assert any(wanted in found for (found,) in made((text,)))


def test_parts_of_texts_may_be_blank() -> None:
    assert any(found.split(",")[1].isspace() for (found,) in made(("a,b,c",)) if found.count(",") == 2)


def test_pieces_of_the_program_meet() -> None:
    found = [text for (text,) in made(("ab",), pieces=("!", "{"))]
    assert any("!{" in text or "{!" in text for text in found)


def test_the_same_seed_gives_the_same_inputs_and_bases_stay_whole() -> None:
    base = ([1, 2], {"a": "b c"})
    assert made(base) == made(base) and base == ([1, 2], {"a": "b c"})


def _shape(*shapes: object) -> InputShape:
    parameters = tuple(ParameterShape(f"p{place}", shape) for place, shape in enumerate(shapes))  # pyright: ignore[reportArgumentType]
    return InputShape(parameters)


def test_small_domains_are_tried_whole() -> None:
    found = small_inputs(_shape(IntShape(low=0, high=2), BoolShape()), (), 300)
    assert sorted(found) == [(number, truth) for number in range(3) for truth in (False, True)]
    lists = small_inputs(_shape(ListShape(IntShape())), (), 300)
    assert len(lists) == 1 + 3 + 9 + 27 and ([0, 1, 0],) in lists
    assert (None,) in small_inputs(_shape(UnionShape((TextShape(), NoneShape()))), (), 300)
    assert small_inputs(_shape(ListShape(TextShape())), (), 300) == []
