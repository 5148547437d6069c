"""Whether a test can fail: it is tried on wrong programs before what it says is believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.echo import echoes_case
from annotator.domain.execution import CaseRun, Held, judge_cases
from annotator.domain.program import Case, DataTest
from annotator.domain.raised import short_name
from annotator.domain.stubs import StubRuns, stub_runs
from annotator.domain.subject import Subject

_KINDS = ("value", "check", "raises")
# What a language raises by itself where a value is of a kind that an operation does not know, whatever the code is for.
_BY_ITSELF = frozenset(
    {"TypeError", "AttributeError", "NullPointerException", "ClassCastException", "ArgumentCountError", "panic"}
)
# What a check of Python calls equal.
_NUMBERS = {"true": "1", "false": "0"}


@dataclass(frozen=True, slots=True)
class CaseTrial:
    """What is to be asked of the checks before a test of cases can be believed.

    Attributes:
        stubs: How each stub would have answered.
        asked: For each question to the checks: stub, case, and the arguments of `holds`.
        easy: Cases that expect an exception which a language raises by itself: any code meets them.
    """

    stubs: tuple[StubRuns, ...]
    asked: tuple[tuple[int, int, str], ...]
    easy: frozenset[int] = frozenset()


def prepare_trial(test: DataTest, runs: Sequence[CaseRun]) -> CaseTrial:
    """What each stub would have answered, and what of it the checks must be asked about."""
    stubs = stub_runs(test.cases, runs)
    asked = tuple(
        (number, index, f"[{index},{case.arguments},{stub.runs[index].value}]")
        for number, stub in enumerate(stubs)
        for index, case in enumerate(test.cases)
        if case.kind == "check" and stub.runs[index].outcome == "returned"
    )
    told = enumerate(zip(test.cases, runs, strict=True))
    easy = frozenset(place for place, (case, run) in told if case.kind == "raises" and _is_easy(case, run))
    return CaseTrial(stubs, asked, easy)


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
    passed: list[frozenset[int]] = []
    for number, stub in enumerate(trial.stubs):
        # A check that breaks on a stub's result does not pass it.
        own: dict[int, Held] = {
            index: "yes" if value else "no" for (other, index), value in held.items() if other == number
        }
        report = judge_cases(test, stub.runs, own, language=subject.language)
        if report.all_passed:
            return f"it also passes on code that {stub.kind}"
        passed.append(frozenset(place for place, case in enumerate(report.cases) if case.result == "passed"))
    return _weak_by_kind(test, trial, passed)


def _weak_by_kind(test: DataTest, trial: CaseTrial, passed: Sequence[frozenset[int]]) -> str:
    """Say which stub passes that answers cases of each kind in a way of its own; empty where none does."""
    places = {kind: frozenset(n for n, case in enumerate(test.cases) if case.kind == kind) for kind in _KINDS}
    given, raises = places["value"] | places["check"], places["raises"]
    met = list(zip(trial.stubs, passed, strict=True))
    for stub, held in met:
        if raises and raises == trial.easy and given <= held and not stub.raises:
            return f"beside exceptions that any code raises it also passes on code that {stub.kind}"
    # What gives nothing at all and raises where it is asked to may be all that is wished for.
    constants = [(stub.constant, held) for stub, held in met if stub.constant not in ("", "null" if raises else "")]
    values = [text for text, held in constants if places["value"] <= held]
    checked = [text for text, held in constants if places["check"] <= held]
    # A check that one constant alone meets is as good as a value, and tells it from that of the others.
    vague = len({_NUMBERS.get(text, text) for text in checked}) > 1 or not places["value"]
    if given and values and checked and (vague or not places["check"]):
        words = " or ".join(dict.fromkeys(text[:60] for text in (values[0], checked[0])))
        return f"it also passes on code that gives {words} for every case of a kind, and raises what is expected"
    return ""


def _is_easy(case: Case, run: CaseRun) -> bool:
    return short_name(run.error_type if run.outcome == "raised" else case.expected) in _BY_ITSELF
