"""What examples and types of a docstring promise is held against the cases, in whatever form it is written."""

from __future__ import annotations

import json

import pytest

from pbt_generator.domain.inputs.inference.docstrings import read_docstring
from pbt_generator.domain.task.wording.contradicting import contradictions, disagreements
from pbt_generator.domain.task.wording.instruction import compose, neutral
from pbt_generator.domain.task.wording.observed import Observed
from pbt_generator.domain.task.wording.prose import Prose
from pbt_generator.domain.task.wording.told import Told

_CASES = {"[1]": "2", "[2]": '"two"', "[3]": "[1,2]", "[[1]]": "2"}


def _portable(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _against(example: str) -> list[str]:
    return contradictions(f"X.\n\n{example}\n", "f", _CASES, _portable, ["n"])


@pytest.mark.parametrize(
    "example",
    [
        ">>> f(1)\n99", ">>> _f(1)\n99", ">>> f (1)\n99", ">>> f(n=1)\n99", ">>> x = f(1)\n>>> x\n99",
        ">>> n = 1\n>>> f(n)\n99", ">>> print(f(1))\n99", ">>> print(f(2))\n2", ">>> x = f(2)\n>>> print(x)\n2",
        ">>> f(1) == 99\nTrue", ">>> f(1) == 2\nFalse", ">>> f(1) != 2\nTrue", ">>> x = f(1); x\n99",
        ">>> x = f(3)\n>>> x\n[1, 2]\n>>> print(x)\n[1, 2]\n>>> x == [1]\nTrue", ">>> n = [1]\n>>> f(n)\n99",
        ">>> f(1)\nTraceback (most recent call last):\nValueError: no",
        # One that is written badly hides no other.
        ">>> f(1)\n99\n>>>g(2)\n3", ">>> f(1)\n99\n\n >>> f(2)\n...no\n",
    ],
)  # fmt: skip
def test_another_result_contradicts_in_whatever_form_the_call_stands(example: str) -> None:
    assert len(_against(example)) == 1


@pytest.mark.parametrize(
    "example",
    [
        ">>> f(1)\n2", ">>> _f(1)\n2", ">>> f(1) == 2\nTrue", ">>> f(1) == 3\nFalse", ">>> f(1) != 3\nTrue",
        ">>> f(3)[0]\n1", ">>> f(1) + 5\n7", ">>> len(f(3))\n2", ">>> print(f(1))\n2", ">>> print(f(2))\ntwo",
        ">>> x = f(1)\n>>> x = 7\n>>> x\n7", ">>> x = f(1)\n>>> x += 5\n>>> x\n7",
        ">>> for x in f(3):\n...     x\n1\n2",
        ">>> n = 1\n>>> for n in (7, 8):\n...     pass\n>>> f(n)\n99", ">>> box.f(1)\n99", ">>> f(9)\n99",
        # What a name holds may have been changed.
        ">>> x = f(3)\n>>> x.append(3)\n>>> x\n[1, 2, 3]", ">>> x = f(3)\n>>> x[0] = 3\n>>> x\n[3, 2]",
        ">>> x = f(3)\n>>> x.sort(reverse=True)\n>>> x\n[2, 1]", ">>> x = f(3)\n>>> y = g(x)\n>>> x == [2]\nTrue",
        ">>> n = [1]\n>>> n.append(2)\n>>> f(n)\n99", ">>> n = [1]\n>>> f(n)\n2\n>>> f(n)\n99",
        ">>> f(1)  # doctest: +SKIP\n5", ">>> f(2)  # doctest: +ELLIPSIS\n't...'",
        ">>> print(f(2))  # doctest: +NORMALIZE_WHITESPACE\nt w o",
        ">>> f(1) < 5\nTrue", ">>> print(f(2))\nt...", ">>> f(1)\n{[1]: 2}",
    ],
)  # fmt: skip
def test_an_example_that_does_more_than_show_a_result_contradicts_nothing(example: str) -> None:
    assert _against(example) == []


def test_an_example_without_a_blank_behind_its_prompt_is_read() -> None:
    assert read_docstring("X.\n\n>>>g(2)\n3\n>>> f(1)\n2\n").calls == ("g(2)", "f(1)")


_MIXED = Observed("any", kinds=("int", "text"))


@pytest.mark.parametrize(
    ("docstring", "result", "contradicts"),
    [
        ("X.\n\n:rtype: dict", _MIXED, True),
        ("X.\n\n:rtype: int", _MIXED, True),
        ("X.\n\n:rtype: int or str", _MIXED, False),
        ("X.\n\n:rtype: Color", _MIXED, False),
        ("X.\n\nReturns:\n    int: the number", _MIXED, True),
        ("X.\n\nReturns\n-------\nint\n    The number.", _MIXED, True),
        ("Returns a dict of all.", _MIXED, True),
        # Words on a result that go on may name a further kind.
        ("Returns a string of all names, or how many there are where they are many.", _MIXED, False),
        ("Whether it is there.", _MIXED, True),
        ("Whether it is there.", Observed("any", kinds=("bool", "text")), False),
        ("X.\n\n:rtype: float", Observed("any", kinds=("float", "int")), False),
        ("X.\n\n:rtype: int", Observed("any"), False),
        ("X.\n\n:rtype: dict", Observed("any", kinds=("ndarray", "text")), True),
    ],
)
def test_several_kinds_of_results_are_held_against_the_kind_that_is_promised(
    docstring: str, result: Observed, contradicts: bool
) -> None:
    assert bool(disagreements(docstring, [], result)) is contradicts


@pytest.mark.parametrize(
    ("words", "kinds", "contradicts"),
    [("int", ("int", "text"), True), ("int", ("bool", "int"), False), ("int or str", ("int", "text"), False)],
)
def test_several_kinds_of_arguments_are_held_against_the_kind_that_is_promised(
    words: str, kinds: tuple[str, ...], contradicts: bool
) -> None:
    told = Told("size", Observed("any", kinds=kinds))
    assert bool(disagreements(f"X.\n\n:type size: {words}", [told], Observed("int"))) is contradicts


@pytest.mark.parametrize(
    ("words", "own", "told"),
    [
        ("The word None for an empty one.", [], "The word None for an empty one."),
        ("None for an empty one.", ["None"], "None for an empty one."),
        ("None for an empty one.", ["other"], "nothing (null) for an empty one."),
        ("The string True, or True.", [], "The string True, or true."),
        ("Names of the literal dict.", [], "Names of the literal dict."),
        ("A tuple and the text tuple.", [], "A sequence and the text tuple."),
    ],
)
def test_a_word_that_stands_for_itself_stays(words: str, own: list[str], told: str) -> None:
    assert neutral(words, own) == told


def test_a_dictionary_is_a_map_where_cases_hold_maps() -> None:
    """A dictionary of words is none."""
    prose = Prose("Looks a word up in a dictionary.")
    for seen, word in ((Observed("text"), "dictionary"), (Observed("list", Observed("map")), "map")):
        text = compose("f", "SC", prose, [Told("word", seen)], Observed("text"), [])
        assert f"Looks a word up in a {word}." in text
