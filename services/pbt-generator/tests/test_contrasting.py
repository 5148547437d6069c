"""Inputs in which one part is changed that is easily overlooked, and that they become cases for their own sake."""

from __future__ import annotations

import json

import pytest

from pbt_generator.domain.inputs.drawing.contrasting import contrasts, in_all_ways, oddities
from pbt_generator.domain.oracle.mutation.kills import KillMatrix, of_other_kinds
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.runs import RETURNED, Exploration, Input, Run
from pbt_generator.domain.oracle.selection import select


def written(value: object) -> str:
    """A value as text, with the members of its sets in one order: equal sets may be made in two."""
    match value:
        case set() | frozenset():
            return f"{{{', '.join(sorted(map(written, value)))}}}"
        case list() | tuple():
            return f"{type(value).__name__}({', '.join(map(written, value))})"
        case dict():
            return f"{{{', '.join(f'{written(key)}: {written(item)}' for key, item in value.items())}}}"
        case _:
            return repr(value)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((True, False, True), (False, True, False)),
        (({"a": True, "b": [False]}, True), ({"a": False, "b": [True]}, False)),
        (("gh:1",), ("gh:",)),
        (("gh:1",), (":1",)),
        (("a,b",), ("a,,b",)),
        (("a,b",), ("b,a",)),
        (("v1.2",), ("v1.02",)),
        (("v1.2",), ("v10.2",)),
        (("two words",), ("two WORDS",)),
        (("a[b]",), ("a[\nb]",)),
        (("a/b",), ("a/b%20",)),
        ((640,), (100,)),
        ((640,), (99,)),
        ((b"ab",), (b"\0\0",)),
        (([1, 2, 3],), ([3, 2, 1],)),
        (([1, 2, 3],), ([1, 1, 1],)),
        (({"a": 1, "b": 2},), ({"a": 2, "b": 1},)),
        (("one", "two"), ("two", "one")),
        (("one", "two"), ("one", "one")),
        (([1, 2],), ([1, 2, "1"],)),
        ((["a"],), (["a", 1, "1"],)),
        (([5],), ([0],)),
        (({1, 2},), ({1, 2, "1"},)),
        (({1: "a"},), ({10: "a", 1: "a", 9: "a"},)),
        (("0:00:07.500",), ("0:00:07.50",)),
        (("4:13", {"mins": "4"}), ("99:13", {"mins": "99"})),
        (([3], ["a"]), ([7, 3], ["7"])),
        (({3}, ["a"]), ({7, 3}, ["7"])),
        (("k", ["a"]), ("a.b+", ["axb", "a.b+", "axb"])),
        (([["a"]],), ([[[[[["a"]]]]]],)),
    ],
)
def test_a_part_is_changed_as_a_caller_may_send_it(given: Input, wanted: Input) -> None:
    made = [written(each) for each in contrasts(given)]
    assert written(wanted) in made and written(given) not in made
    assert len({*made}) == len(made)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (("a",), ("a\x7f\x80\xff",)),
        (("pfel",), ("Äpfelß",)),
        ((2,), (2**53 + 3,)),
        (("ab", 1), ("😀😀", 1)),
        (("abc", ["de"]), ("e\u0301c", ["e\u0301"])),
        (("ab", 7), ("😀😀😀", 3)),
        (("ab", 7), ("e\u0301" * 3, 3)),
        (("ab",), ("ab's",)),
        (("ab",), ("~/ab",)),
        (("ab",), ("ab\x07\x1b\x1f",)),
        (("ab",), ("\u3000ab\xa0",)),
        (("ab",), ("self",)),
        (({"ab": 1}, "ab"), ({"😀😀": 1}, "😀😀")),
        (({"k": 1},), ({"Äkß": 1},)),
        (([1],), ([2**53 + 1],)),
        ((3, 4), (2**53 + 1, 2**53)),
        ((0.5, 2.5), (0.1 + 0.2, 0.3)),
        (("ab",), ("ab" + "ab" * 60,)),
        (("ab",), ("a'b",)),
        (("ab",), ("none",)),
    ],
)
def test_odd_values_are_kept_apart(given: Input, wanted: Input) -> None:
    assert wanted in oddities(given) and wanted not in contrasts(given)


def test_arguments_that_may_be_nothing_are_given_in_all_ways() -> None:
    made = in_all_ways([("x", None, None, 1), ("y", "a", None, 2), ("z", None, "b", 2)])
    assert ("x", "a", "b", 1) in made and ("y", None, None, 2) in made and len({*made}) == 12
    assert not in_all_ways([("x", None), ("y", 1)]) and not in_all_ways([])


def test_inputs_in_turn_begin_with_other_changes() -> None:
    given: Input = ("some text", [1, 2])
    assert contrasts(given)[:9] != contrasts(given, (), 1)[:9]
    assert {*map(repr, contrasts(given))} == {*map(repr, contrasts(given, (), 1))}
    assert oddities(given)[:9] != oddities(given, 1)[:9]
    assert {*map(repr, oddities(given))} == {*map(repr, oddities(given, 1))}


def test_no_value_is_too_large_to_be_changed() -> None:
    given: Input = (10**400, float("inf"), float("nan"), "1" * 79, list(range(5000)), "x" * 5000)
    assert all(len(repr(each)) < 200_000 for each in [*contrasts(given), *oddities(given)])


def test_what_is_overlooked_is_a_case_though_nothing_else_asks_for_it() -> None:
    source = "def f(n):\n    return n\n"
    found = Exploration(instrument(source, "f"), 0)
    found.add(Run((n,), json.dumps([n]), RETURNED, frozenset(), (), n, 0, "int", steps=1, size=1) for n in range(2000))
    overlooked = [json.dumps([n]) for n in range(1900, 2000)]
    chosen = {run.text for run in select(found, KillMatrix([]), contrasted=overlooked)}
    assert chosen.issuperset(overlooked) and len(chosen) == 500
    # They leave room for the others.
    many = [json.dumps([n]) for n in range(1000, 2000)]
    chosen = {run.text for run in select(found, KillMatrix([]), contrasted=many)}
    assert 200 <= len(chosen.intersection(many)) <= 260


def test_what_is_made_of_inputs_that_callers_send_comes_first() -> None:
    source = "def f(n):\n    return n\n"
    found = Exploration(instrument(source, "f"), 0)
    found.add(Run((n,), json.dumps([n]), RETURNED, frozenset(), (), n, 0, "int", steps=1, size=1) for n in range(2000))
    many, near = [json.dumps([n]) for n in range(500, 1700)], [json.dumps([n]) for n in range(1800, 1900)]
    odd = [json.dumps([n]) for n in range(1900, 2000)]
    chosen = {run.text for run in select(found, KillMatrix([]), contrasted=many, of_real=near, odd=odd)}
    assert chosen.issuperset(near) and 200 <= len(chosen.intersection(many)) <= 360
    assert 60 <= len(chosen.intersection(odd)) <= 80


def test_inputs_that_hold_other_kinds_are_changed_too() -> None:
    given: list[Input] = [(["a"],), (["b"],), ([1],), ([],), ([["a"]],), ({"a": 1},)]
    runs = [Run(each, json.dumps(each), RETURNED, frozenset(), (), 0, 0, "int", steps=1, size=1) for each in given]
    assert [run.given for run in of_other_kinds(runs[:1], runs, 9)] == [([],), ([1],), ([["a"]],), ({"a": 1},)]
