"""Whether a test can fail: it is tried on wrong programs before what it says is believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.echo import echoes_case
from annotator.domain.execution import CaseRun, Held, judge_cases
from annotator.domain.program import DataTest
from annotator.domain.stubs import StubRuns, stub_runs
from annotator.domain.subject import Subject


@dataclass(frozen=True, slots=True)
class CaseTrial:
    """What is to be asked of the checks before a test of cases can be believed.

    Attributes:
        stubs: How each stub would have answered.
        asked: For each question to the checks: stub, case, and the arguments of `holds`.
    """

    stubs: tuple[StubRuns, ...]
    asked: tuple[tuple[int, int, str], ...]


def prepare_trial(test: DataTest, runs: Sequence[CaseRun]) -> CaseTrial:
    """What each stub would have answered, and what of it the checks must be asked about."""
    stubs = stub_runs(test.cases, runs)
    asked = tuple(
        (number, index, f"[{index},{case.arguments},{stub.runs[index].value}]")
        for number, stub in enumerate(stubs)
        for index, case in enumerate(test.cases)
        if case.kind == "check" and stub.runs[index].outcome == "returned"
    )
    return CaseTrial(stubs, asked)


def weakness(test: DataTest, subject: Subject, trial: CaseTrial, held: dict[tuple[int, int], bool | None]) -> str:
    """Say on which wrong program a test does not fail; empty where it fails on all.

    Args:
        test: The cases.
        subject: The code under test, whose own expressions are no expectation.
        trial: The stubs.
        held: For stub and case: whether the check held; None where it failed itself.
    """
    for case in test.cases:
        if echo := echoes_case(case, subject):
            return echo
    for number, stub in enumerate(trial.stubs):
        # A check that breaks on a stub's result does not pass it.
        own: dict[int, Held] = {
            index: "yes" if value else "no" for (other, index), value in held.items() if other == number
        }
        if judge_cases(test, stub.runs, own, language=subject.language).all_passed:
            return f"it also passes on code that {stub.kind}"
    return ""
