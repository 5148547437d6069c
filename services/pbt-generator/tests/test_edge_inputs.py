"""Inputs at edges: what programs by other hands got wrong is among them, and kinds stay what they were."""

from __future__ import annotations

import datetime
import decimal
import math
import random
from typing import cast

import pytest

from pbt_generator.domain.inputs.drawing.edge_inputs import edge_inputs
from pbt_generator.domain.inputs.drawing.sampling import Sampler
from pbt_generator.domain.inputs.drawing.splicing import spliced
from pbt_generator.domain.inputs.drawing.variation import Variation
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    InputShape,
    ParameterShape,
)
from pbt_generator.domain.oracle.edges import features_of
from pbt_generator.domain.oracle.runs import Operands


def made(*bases: tuple[object, ...], pieces: tuple[str, ...] = ()) -> list[tuple[object, ...]]:
    """Inputs at edges near some of one signature, the kinds of their arguments being declared."""
    kinds = [type(value) for value in bases[0]]
    return edge_inputs(
        list(bases) * 40, pieces, random.Random(5), 2000, lambda given: [type(value) for value in given] == kinds
    )


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
        ("3/2", "6/4"), ("16:9", "32:18"), ("3", "٣"),
    ],
)  # fmt: skip
def test_texts_come_near_their_syntax(text: str, wanted: str) -> None:
    assert any(wanted in found for (found,) in made((text,)))


def test_cases_hold_a_fraction_that_is_not_in_lowest_terms_and_digits_of_another_script() -> None:
    met = {text: features_of(f'["{text}"]', ()) for text in ("6/4", "3/2", "4/4", "٣", "3")}
    assert [text for text, found in met.items() if "0: numbers with a common divisor" in found] == ["6/4"]
    assert [text for text, found in met.items() if "0: digit of another script" in found] == ["٣"]


@pytest.mark.parametrize("seed", range(6))
def test_a_text_of_digits_has_every_edge_of_digits_however_seldom_it_comes(seed: int) -> None:
    bases: list[tuple[object, ...]] = [(f"word {'x' * number}",) for number in range(39)]
    made = edge_inputs([*bases, ("5",)], (), random.Random(seed), 400)
    found = {text for (text,) in made if isinstance(text, str)}
    assert {"5,5", "5-5", "5.5", "5 5", "5_5", "5e5", "٣", "²", "７"} <= found


def test_parts_of_texts_may_be_blank() -> None:
    assert any(found.split(",")[1].isspace() for (found,) in made(("a,b,c",)) if found.count(",") == 2)


def test_pieces_of_the_program_meet() -> None:
    found = [text for (text,) in made(("ab",), pieces=("!", "{"))]
    assert any("!{" in text or "{!" in text for text in found)


def test_the_same_seed_gives_the_same_inputs_and_bases_stay_whole() -> None:
    base = ([1, 2], {"a": "b c"})
    assert made(base) == made(base) and base == ([1, 2], {"a": "b c"})


@pytest.mark.parametrize(
    ("base", "wanted"),
    [
        ("token", ("",)),
        ({"LINK": 3}, ({"LINK": [3]},)),
        ({"LINK": 3}, ({"LINK": "ab"},)),
        ([("a", 1)], ([("a", [1]), ("a", 1)],)),
        (decimal.Decimal("1.5"), (decimal.Decimal("1E+3"),)),
        ("1.5", ("3.14159265358979323846264338327950288",)),
        ("on 2021-06-30", ("on 2024-02-31",)),
        ("01/02/2020", ("29/02/1900",)),
        (datetime.date(2021, 6, 30), (datetime.date(2024, 2, 29),)),
        ("a b", ("a b\n",)),
        (7.25, (7.5,)),
        ("ab", ("AB",)),
    ],
)
def test_every_kind_has_its_edges(base: object, wanted: tuple[object, ...]) -> None:
    assert wanted in made((base,), pieces=("LINK",))


@pytest.mark.parametrize(
    "extreme",
    [
        math.inf, -math.inf, math.nan, 1.7e308, 10**400, -(10**400), datetime.date.max, datetime.date.min,
        datetime.datetime.max, datetime.datetime.min, datetime.timedelta.max, datetime.timedelta.min,
        decimal.Decimal("Infinity"), decimal.Decimal("NaN"),
    ],
)  # fmt: skip
def test_what_lies_at_the_end_of_a_kind_has_neighbours_too(extreme: object) -> None:
    bases: list[tuple[object, ...]] = [(extreme, 2), (extreme, [extreme, extreme]), (2.5, {"a": extreme})]
    assert len(edge_inputs(bases, (), random.Random(5), 500)) > 20
    shape = InputShape(tuple(ParameterShape(name, AnyShape()) for name in "ab"))
    sampler = Sampler(shape, 3)
    variation = Variation(sampler)
    for base in bases * 60:
        assert len(variation.vary(base, bases[0])) == len(sampler.relater.relate(base, shape)) == 2
        for seen in (Operands(0, "<", extreme, 2), Operands(0, "<", 3, extreme), Operands(0, "==", 3, 2)):
            made = spliced(base, seen, sampler.rng)
            assert made is None or len(made) == 2


def test_a_text_that_is_longer_than_a_number_stays_so() -> None:
    rng = random.Random(7)
    computed = [spliced(("abcdefghij", 8), Operands(0, ">", 2, 12), rng) for _ in range(40)]
    given = [spliced(("abcdefghij", 8), Operands(0, ">", 8, 40), rng) for _ in range(40)]
    for made in (computed, given):
        found = [each for each in made if each is not None]
        assert any(len(cast("str", text)) > cast("int", width) >= 17 for text, width in found)
        # And the number alone, too.
        assert any(text == "abcdefghij" and cast("int", width) >= 17 for text, width in found)


def test_two_holidays_in_a_row_and_longer_paths() -> None:
    friday, monday = datetime.date(2021, 7, 2), datetime.timedelta(days=3)
    found = made((friday, [datetime.date(2020, 1, 1)]))
    assert (friday, [friday + monday, friday + monday + datetime.timedelta(days=1)]) in found
    assert ({"a": {"b": 1}}, ["a", "b"]) in made(({"b": 1}, ["b"]))


def test_nothing_is_made_that_no_caller_may_send() -> None:
    base = ("ab", 3)
    found = edge_inputs([base], (), random.Random(1), 200, lambda given: isinstance(given[1], int))
    assert len(found) > 20 and all(isinstance(number, int) for _, number in found)
    assert {type(value) for value, _ in edge_inputs([base], (), random.Random(1), 300, portable=True)} >= {str, list}
