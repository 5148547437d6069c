"""Inputs that mean the same in five languages."""

from __future__ import annotations

import json
from typing import Any

import pytest

import touchstone_values as values
from pbt_generator.domain.inputs.portable import shared_by_languages
from pbt_generator.domain.task.neutral import (
    asks_for_kinds_of_sequence,
    differs_in_text,
    has_tuples,
    has_usual_keys,
    own_spelling,
    usual_keys,
    with_lists,
)
from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite


@pytest.mark.parametrize(
    ("text", "own"),
    [("1_000", True), ("x1_0", True), ("a_1", False), ("1_a", False), ("٣", True), ("12", False), ("½", False)],
)
def test_spellings(text: str, own: bool) -> None:
    assert own_spelling(text) is own


def test_one_kind_of_keys_a_place() -> None:
    inputs: list[tuple[Any, ...]] = [
        ({"a": {"b": 1}}, {1: 2}),
        ({"a": {1: 1}}, {1: 2}),
        ({"a": [{"c": 1}]}, {"a": 1}),
        ({"a": {}}, {1: 2, "b": 3}),
        ({"d": {"e": 1}}, {}),
    ]
    usual = usual_keys(inputs)
    assert usual == {"/0": "text", "/0{}": "text", "/0{}[]": "text", "/1": "int"}
    assert [has_usual_keys(given, usual) for given in inputs] == [True, False, False, False, True]
    assert has_usual_keys(({1: 2},), {}) and usual_keys([]) == {}


def test_tuples_are_given_as_lists() -> None:
    source = "def kinds(*parts, named=()):\n    return [type(part).__name__ for part in (*parts, *named)]\n"
    space: dict[str, Any] = {}
    exec(compile(with_lists(source, "kinds"), "kinds", "exec"), space)
    assert space["kinds"]((1,), [(2,)], named=((3,), {"a": (4,)})) == ["list", "list", "list", "dict"]
    assert has_tuples('[{"$":"tuple","v":[]}]') and not has_tuples('["tuple"]')


@pytest.mark.parametrize(
    ("test", "asks"),
    [
        ("isinstance(x, (str, list))", True),
        ("type(x) is tuple", True),
        ("isinstance(x, collections.abc.Sequence)", True),
        ("isinstance(x, str)", False),
        ("tuple(x) in y", False),
    ],
)
def test_who_asks_for_the_kind_of_a_sequence(test: str, asks: bool) -> None:
    assert asks_for_kinds_of_sequence(f"def f(x, y):\n    return 1 if {test} else 2\n") is asks


def test_what_is_written_into_a_text_differs_in_text() -> None:
    assert differs_in_text({"a": ["x (1,)"]}, {"a": ["x [1]"]})
    assert not differs_in_text([1, None], [2, 3]) and not differs_in_text({"a": 1}, {"b": "x"})


SHIFT = '''
def shift(before: list[tuple[int, int]], after: list[tuple[int, int]]) -> bool:
    """Whether some point lies one step to the right afterwards."""
    if not before:
        return not after
    return any((x + 1, y) in after for x, y in before)
'''
FLAT = '''
def flat(value: object) -> list:
    """All numbers that a value holds."""
    if isinstance(value, list):
        return [number for item in value for number in flat(item)]
    if isinstance(value, tuple):
        return ["tuple"]
    return [value] if isinstance(value, int) else []
'''
PAIRS = '''
def span(pair: tuple[int, int]) -> int:
    """How far two numbers are from each other, one way twice as far."""
    first, second = pair
    if first > second:
        return first - second
    return 2 * second - first
'''


async def test_no_case_hangs_on_tuples(workshop: Workshop) -> None:
    built = await build_suite(Candidate("id-span", "span", "span", PAIRS.strip(), (), "SC"), workshop)
    assert isinstance(built, BuiltSuite)
    assert len(built.cases) > 100
    # Other languages compare points by content, as Python compares tuples.
    shift = await build_suite(Candidate("id-shift", "shift", "shift", SHIFT.strip(), (), "SC"), workshop)
    assert isinstance(shift, BuiltSuite)
    assert {"true", "false"} == {case.expected for case in shift.cases}
    other = await build_suite(Candidate("id-flat", "flat", "flat", FLAT.strip(), (), "SC"), workshop)
    # The arm that asks for a tuple has no input that other languages could be given.
    assert not isinstance(other, BuiltSuite)


JOIN = '''
def join(table: dict, sign: str) -> str:
    """The keys of a table."""
    if not table:
        return sign
    return sign.join(f"{key}" for key in table)
'''


async def test_keys_of_a_place_are_of_one_kind(workshop: Workshop) -> None:
    built = await build_suite(Candidate("id-join", "join", "join", JOIN.strip(), (), "SC"), workshop)
    assert isinstance(built, BuiltSuite)
    tables = [json.loads(case.arguments)[0] for case in built.cases]
    assert len({"$" in table for table in tables if table}) == 1


def test_a_key_that_marks_tagged_forms_is_in_no_input_for_five_languages() -> None:
    assert shared_by_languages(values.parse('{"$":"map","v":[["$",1]]}')) == "a map with the key $"
    assert shared_by_languages(values.parse('{"$":"map","v":[[1,1]]}')) == ""
