"""What table programs prove of a suite in each language: that every case reaches its program, and is compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.adapters.tables import TablePrograms
from pbt_generator.domain.oracle.orders import with_other_sets
from pbt_generator.ports import Failure, ForeignProgram, Judgement
from pbt_generator.usecases.certify import Certifier, SuiteFacts

CASES = [("[1]", "1"), ("[2]", "4"), ("[3]", "9")]


class Judging:
    """A sandbox for one language that says of the cases of a table program what it is told to; the rest passes."""

    def __init__(self, judgement: Judgement) -> None:
        self._judgement = judgement
        self.suites: list[bytes] = []

    async def languages(self) -> Sequence[str]:
        return ("go",)

    async def judge(self, program: ForeignProgram, suite: bytes, **_named: Any) -> Judgement:
        if program.language == "python":
            return Judgement("passed", 3, 3, (), 0.0)
        self.suites.append(suite)
        return self._judgement


async def tabled(judgement: Judgement) -> tuple[list[tuple[str, bool]], Judging]:
    """The trials of table programs, with whether each went as it should."""
    sandbox = Judging(judgement)
    frozen = ContractFreezer().freeze("portable", "f", 1, CASES)
    arguments, expected = zip(*CASES, strict=True)
    facts = SuiteFacts(frozen.data, arguments, expected, "f", portable=True)
    certifier = Certifier(sandbox, TablePrograms(), ContractFreezer())  # pyright: ignore[reportArgumentType]
    trials, _ = await certifier.certify("def f(x):\n    return x * x\n", facts)
    return [(trial.program, trial.as_it_should) for trial in trials if trial.language == "go"], sandbox


async def test_one_run_shows_that_right_results_pass_and_that_another_one_does_not() -> None:
    judgement = Judgement("wrong_output", 4, 3, (Failure(3, "wrong_output"),), 0.1)
    trials, sandbox = await tabled(judgement)
    assert trials == [("table", True), ("table_broken", True)]
    (suite,) = sandbox.suites
    opened = ContractFreezer().open(suite)
    assert list(opened.cases) == [*CASES, ("[2]", "[4]")]


@pytest.mark.parametrize(
    ("judgement", "trials"),
    [
        # A right result that is called wrong; that the last case fails as well proves nothing then.
        (
            Judgement("wrong_output", 4, 2, (Failure(1, "wrong_output"), Failure(3, "wrong_output")), 0.1),
            [("table", False)],
        ),
        # As many pass as the suite has cases, but the wrong one is among them.
        (Judgement("wrong_output", 4, 3, (Failure(1, "wrong_output"),), 0.1), [("table", False)]),
        (Judgement("passed", 4, 4, (), 0.1), [("table", True), ("table_broken", False)]),
        (Judgement("load_error", 4, 0, (Failure(0, "load_error"),), 0.1), [("table", False)]),
        # Nobody says which case failed.
        (Judgement("timed_out", 4, 0, (), 0.1), [("table", False)]),
    ],
)  # fmt: skip
async def test_whatever_else_a_language_shows_proves_nothing(judgement: Judgement, trials: Any) -> None:
    assert (await tabled(judgement))[0] == trials


SETS = "def f(x):\n    return len({x, 1})\n"


class Changing:
    """A sandbox where all passes but the program with another order of its sets."""

    def __init__(self, judgement: Judgement) -> None:
        self._judgement = judgement

    async def languages(self) -> Sequence[str]:
        return ()

    async def judge(self, program: ForeignProgram, suite: bytes, **named: Any) -> Judgement:
        if "_ts_Set" not in program.source:
            return Judgement("passed", 3, 3, (), 0.0)
        # Nothing is left out after the first failure.
        assert not named["stop_after_failures"]
        return self._judgement


@pytest.mark.parametrize(
    ("judgement", "tried", "refused"),
    [
        (Judgement("passed", 3, 3, (), 0.1), True, False),
        (Judgement("wrong_output", 3, 2, (Failure(1, "wrong_output"),), 0.1), True, True),
        (Judgement("raised", 3, 1, (Failure(0, "raised"), Failure(2, "wrong_output")), 0.1), True, True),
        (Judgement("raised", 3, 2, (Failure(0, "raised"),), 0.1), False, False),
        (Judgement("load_error", 3, 0, (Failure(0, "load_error"),), 0.1), False, False),
    ],
)
async def test_one_case_that_another_order_of_sets_does_not_suit_hides_no_other(
    judgement: Judgement, *, tried: bool, refused: bool
) -> None:
    frozen = ContractFreezer().freeze("portable", "f", 1, CASES)
    arguments, expected = zip(*CASES, strict=True)
    facts = SuiteFacts(frozen.data, arguments, expected, "f", portable=True)
    certifier = Certifier(Changing(judgement), None, ContractFreezer())  # pyright: ignore[reportArgumentType]
    trials, _ = await certifier.certify(SETS, facts)
    found = [trial for trial in trials if trial.program == "ground_truth_other_set_order"]
    assert [trial.as_it_should for trial in found] == ([not refused] if tried else [])
    assert bool(certifier.untried) is not tried
    assert tried or "other set order: the changed program does not run" in certifier.untried[0]


async def test_sets_in_cases_are_walked_through_otherwise_whatever_the_program_says_of_them() -> None:
    frozen = ContractFreezer().freeze("exact", "f", 1, [('[{"$":"set","v":[1,2]}]', "[1,2]")])
    facts = SuiteFacts(frozen.data, ('[{"$":"set","v":[1,2]}]',), ("[1,2]",), "f", portable=False)
    judgement = Judgement("wrong_output", 1, 0, (Failure(0, "wrong_output"),), 0.1)
    certifier = Certifier(Changing(judgement), None, ContractFreezer())  # pyright: ignore[reportArgumentType]
    trials, _ = await certifier.certify("def f(x):\n    return [*x]\n", facts)
    assert (trials[-1].program, trials[-1].as_it_should) == ("ground_truth_other_set_order", False)


class Turning(Changing):
    """A sandbox where a program raises with its sets in another order, and not with the same order."""

    async def judge(self, program: ForeignProgram, suite: bytes, **named: Any) -> Judgement:
        turned = with_other_sets(SETS, "f") == program.source
        return await super().judge(program, suite, **named) if turned else Judgement("passed", 3, 3, (), 0.0)


@pytest.mark.parametrize(
    ("failures", "refused"),
    [
        ((Failure(0, "raised"), Failure(2, "raised")), True),
        # What takes too long says nothing.
        ((Failure(0, "raised"), Failure(2, "timed_out")), False),
        ((), False),
    ],
)
async def test_an_error_that_comes_of_another_order_of_sets_alone_refuses(
    failures: tuple[Failure, ...], *, refused: bool
) -> None:
    frozen = ContractFreezer().freeze("portable", "f", 1, CASES)
    arguments, expected = zip(*CASES, strict=True)
    facts = SuiteFacts(frozen.data, arguments, expected, "f", portable=True)
    judgement = Judgement("raised", 3, 1, failures, 0.1)
    certifier = Certifier(Turning(judgement), None, ContractFreezer())  # pyright: ignore[reportArgumentType]
    trials, _ = await certifier.certify(SETS, facts)
    found = [trial for trial in trials if trial.program == "ground_truth_other_set_order"]
    assert [trial.as_it_should for trial in found] == [False] * refused
    assert bool(certifier.untried) is not refused
