"""Inputs that a model proposes: data that is checked, run, and counted for what it does."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import touchstone_values as values
from pbt_generator.domain.inputs.drawing.library_values import ArrayValue
from pbt_generator.domain.inputs.proposals import MAX_INPUTS, Proposal, proposed_inputs, with_patterns
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    InputShape,
    IntShape,
    ListShape,
    ParameterShape,
    TextShape,
    UnionShape,
)
from pbt_generator.domain.refusals import Reason
from pbt_generator.usecases.build import BuiltSuite, Candidate, RefusedSuite, Workshop, build_suite

TWO = InputShape((ParameterShape("text", TextShape()), ParameterShape("size", IntShape(), default=(8,))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('["a", 3]', [("a", 3)]),
        ('["a"]', [("a", 8)]),
        ('{"text": "a"}', [("a", 8)]),
        ('{"size": 2, "text": "b"}', [("b", 2)]),
        ('[{"$": "tuple", "v": [1]}, 3]', [((1,), 3)]),
        # A model writes large numbers as they are.
        ('["a", 9007199254740993]', [("a", 2**53 + 1)]),
        ('[["a", {"k": -18446744073709551617}]]', [(["a", {"k": -(2**64) - 1}], 8)]),
        ('[{"$": "int", "v": "9007199254740993"}, 1]', [(2**53 + 1, 1)]),
        ('["a", ' + "9" * 5000 + "]", []),
        ('["a", NaN]', []),
        ("[]", []),
        ('["a", 3, 4]', []),
        ('{"size": 2}', []),
        ('{"text": "a", "other": 1}', []),
        ('"a"', []),
        ("[1,", []),
        (
            '[[{"$": "ndarray", "dtype": "<f8", "shape": [2, 1], "v": [0.5, {"$": "float", "v": "inf"}]}], 1]',
            [([ArrayValue("float64", (2, 1), (0.5, math.inf))], 1)],
        ),
        ('[{"$": "ndarray", "dtype": "<f8", "shape": [3], "v": [1.0]}, 1]', []),
        ('[{"$": "ndarray", "dtype": "|O", "shape": [1], "v": [null]}, 1]', []),
        ('[{"$": "ndarray", "v": [1]}, 1]', []),
        (
            '[{"$": "tuple", "v": [{"$": "ndarray", "dtype": "|b1", "shape": [1], "v": [true]}]}, 1]',
            [((ArrayValue("bool", (1,), (True,)),), 1)],
        ),
        (
            '[{"$": "map", "v": [[1, {"$": "ndarray", "dtype": "|b1", "shape": [1], "v": [true]}]]}, 1]',
            [],
        ),
        ('[{"$": "exec", "v": "1"}, 1]', []),
    ],
)
def test_only_what_the_function_can_be_given_is_taken(text: str, expected: list[tuple[object, ...]]) -> None:
    assert proposed_inputs(Proposal((text,)), TWO) == expected


def test_what_is_left_over_goes_to_the_open_end() -> None:
    shape = InputShape((ParameterShape("first", AnyShape()), ParameterShape("rest", AnyShape(), variadic=True)))
    assert proposed_inputs(Proposal(("[1]", "[1, 2, 3]")), shape) == [(1, ()), (1, (2, 3))]


def test_no_more_than_a_few_are_taken() -> None:
    assert len(proposed_inputs(Proposal(tuple(f'["{n}"]' for n in range(99))), TWO)) == MAX_INPUTS


@given(st.text(max_size=40))
def test_whatever_a_model_writes_is_only_data(text: str) -> None:
    for made in proposed_inputs(Proposal((text,)), TWO):
        assert len(made) == 2


def test_patterns_go_into_the_texts_of_their_parameter() -> None:
    shape = InputShape(
        (
            ParameterShape("one", TextShape(tokens=("-",))),
            ParameterShape("many", ListShape(TextShape())),
            ParameterShape("open", AnyShape()),
            ParameterShape("number", IntShape()),
        )
    )
    asked = (("one", "a+"), ("many", "b+"), ("open", "c+"), ("number", "d+"), ("nobody", "e+"), ("one", "("))
    made = with_patterns(Proposal(patterns=asked), shape).parameters
    assert made[0].shape == TextShape(tokens=("-",), patterns=("a+",))
    assert made[1].shape == ListShape(TextShape(patterns=("b+",)))
    assert made[2].shape == TextShape(patterns=("c+",))
    assert made[3].shape == UnionShape((IntShape(), TextShape(patterns=("d+",))))


LOCK = '''
def lock(code: str) -> str:
    """Whether a code opens the lock."""
    total = 0
    for char in code:
        total = (total * 31 + ord(char)) % 1000003
    if total == {key}:
        return "open"
    return f"closed {total % 7}"
'''


def key_of(code: str) -> int:
    total = 0
    for char in code:
        total = (total * 31 + ord(char)) % 1000003
    return total


class Proposer:
    """Proposes the same whatever it is asked, and remembers what that was."""

    def __init__(self, proposal: Proposal | None) -> None:
        self.proposal = proposal
        self.asked: list[tuple[str, str, Sequence[str], Sequence[str]]] = []

    async def propose(
        self, code: str, kind: str, parameters: Sequence[str], missing: Sequence[str]
    ) -> Proposal | None:  # fmt: skip
        self.asked.append((code, kind, parameters, missing))
        return self.proposal

    async def mistakes(self, *asked: Any) -> None:
        """Makes up none."""


def lock() -> Candidate:
    code = LOCK.replace("{key}", str(key_of("q7#Lamp")))
    return Candidate("id-lock", "lock", "lock", code.strip(), (), "SC")


async def test_a_proposal_opens_what_the_search_cannot(workshop: Workshop) -> None:
    texts = tuple(json.dumps([code]) for code in ("wrong", "q7#Lamp"))
    proposer: Any = Proposer(Proposal(texts, model="m"))
    built = await build_suite(lock(), replace(workshop, proposer=proposer))
    assert isinstance(built, BuiltSuite), built.refusal.words
    ((_, kind, parameters, missing),) = proposer.asked
    assert (kind, list(parameters)) == ("SC", ["code"]) and any("true" in words for words in missing)
    assert built.certificate.inputs_proposed_by == "m"
    opened = [case for case in built.cases if values.decode(case.expected) == "open"]
    assert [case.arguments for case in opened] == ['["q7#Lamp"]']


@pytest.mark.parametrize("proposal", [None, Proposal(('["wrong"]', "no JSON"), model="m")])
async def test_a_useless_proposal_changes_nothing(workshop: Workshop, proposal: Proposal | None) -> None:
    alone = await build_suite(lock(), workshop)
    proposer: Any = Proposer(proposal)
    helped = await build_suite(lock(), replace(workshop, proposer=proposer))
    assert isinstance(alone, RefusedSuite) and isinstance(helped, RefusedSuite)
    assert helped.refusal == alone.refusal and alone.refusal.reason is Reason.COVERAGE_INCOMPLETE
    assert len(proposer.asked) == 1
