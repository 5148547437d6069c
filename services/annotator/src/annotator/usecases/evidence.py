"""What was found so far, as the arbiter and the checker read it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from annotator.domain.execution import SUPPLIED, Report, describe
from annotator.domain.program import DataTest, ProgramTest
from annotator.domain.record import CANNOT_FAIL, Record, Step, unswayed
from annotator.domain.subject import Subject
from annotator.domain.text import clipped, fenced
from annotator.domain.wordless import Wordless

NOTHING = "nothing"
NO_TEST = "There was no usable test."


def screening(steps: Sequence[Step]) -> str:
    """The screener's words."""
    for step in steps:
        if step.name == "screener":
            return f"{step.outcome}. {step.detail}"
    return NOTHING


def tests(steps: Sequence[Step], subject: Subject, limit: int, shown: Wordless | None) -> str:
    """Each interpretation's last test and last report.

    Args:
        steps: What was done.
        subject: What was tested.
        limit: Characters of a test or a report, at most.
        shown: How the code is shown without words, if it is; then nothing that it printed, raised or returned is told.
    """
    steps = unswayed(steps) if shown else steps
    found: list[str] = []
    numbers = sorted({step.interpretation for step in steps if step.interpretation})
    for number in numbers:
        own = [step for step in steps if step.interpretation == number]
        test = next((step.test for step in reversed(own) if step.test), None)
        report = next((step.report for step in reversed(own) if step.report), None)
        trial = next((step for step in reversed(own) if step.name == "trial"), None)
        if test is None:
            continue
        if trial is not None and trial.outcome == CANNOT_FAIL:
            # Shown, it would look like evidence.
            found.append(f"A test was written and thrown away: {trial.detail}.")
            continue
        named = shown.rename if shown else str
        lines = [f"Meaning tested: {named(test.interpretation) or 'not stated'}"]
        if isinstance(test, DataTest):
            cases = fenced(clipped(named(cases_as_text(test)), limit), "json")
            lines.append(f"Cases for {named(subject.entry_point)}:\n{cases}")
        else:
            lines.append(f"Assertions:\n{fenced(clipped(named(test.tests), limit), subject.language)}")
        if report is None:
            lines.append("It was not run.")
        elif shown:
            lines.append(_result(report))
        else:
            source = "A model predicts, nothing ran. " if report.simulated else ""
            lines.append(f"{source}{describe(report, limit)}")
        found.append("\n".join(lines))
    return clipped("\n\n".join(found), limit * 2) or NO_TEST


def _result(report: Report) -> str:
    """What a run came to, without a word of the code's."""
    cases = "".join(f"\n{number}. {case.result}" for number, case in enumerate(report.cases, 1))
    remark = f"\n{SUPPLIED}." if report.supplied else ""
    return f"Result: {report.result}{remark}{cases}"


def whole(record: Record, limit: int) -> str:
    """Every step in its order."""
    lines: list[str] = []
    for index, step in enumerate(record.steps, 1):
        lines.append(
            f"{index}. {step.name.replace('_', ' ')}: {step.outcome}. {clipped(step.detail, 300)}".rstrip(". ")
        )
        if isinstance(step.test, DataTest):
            lines.append(fenced(clipped(cases_as_text(step.test), limit // 2), "json"))
        elif isinstance(step.test, ProgramTest):
            lines.append(fenced(clipped(step.test.tests, limit // 2), record.pair.language))
        if step.report:
            lines.append(describe(step.report, limit // 2))
    return clipped("\n".join(lines), limit * 2)


def cases_as_text(test: DataTest) -> str:
    """Cases in the form in which models write them, one a line."""
    lines: list[str] = []
    for case in test.cases:
        wanted: object = json.loads(case.expected) if case.kind == "value" else case.expected
        name = {"value": "expected", "check": "check", "raises": "raises"}[case.kind]
        lines.append(json.dumps({"args": json.loads(case.arguments), name: wanted}, ensure_ascii=False))
    return "\n".join(lines)
