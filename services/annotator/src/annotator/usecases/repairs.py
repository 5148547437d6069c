"""What of a repair is taken: a test that was mended expects what it expected."""

from __future__ import annotations

from dataclasses import replace

from annotator.domain.execution import Report
from annotator.domain.expectations import digest, rearranged
from annotator.domain.program import DataTest, ProgramTest
from annotator.domain.subject import Subject
from annotator.usecases.trials import Test

CHANGED_EXPECTATION = "the repair changes what is expected; only its scaffolding was taken"


def held(before: Test, after: Test, subject: Subject, report: Report) -> tuple[Test, str]:
    """What is taken of a repaired test, and a remark where that is not all of it.

    Args:
        before: The test as it was.
        after: The same form of test, repaired.
        subject: The code under test.
        report: What the last run of `before` showed.
    """
    if isinstance(before, DataTest) and isinstance(after, DataTest):
        sound = _only_calls_differ(before, after, report)
    elif isinstance(before, ProgramTest) and isinstance(after, ProgramTest):
        names = (subject.language, subject.entry_point)
        sound = digest(after, *names) == digest(before, *names)
    else:
        raise TypeError("a repair keeps the form of its test")
    # Its scaffolding may still be what was missing.
    return (after, "") if sound else (replace(before, setup=after.setup), CHANGED_EXPECTATION)


def _only_calls_differ(before: DataTest, after: DataTest, report: Report) -> bool:
    """Whether a repair kept what is expected, and touched the arguments of no case that could be called."""
    if digest(before, "", "") != digest(after, "", ""):
        return False
    return all(
        old.arguments == new.arguments or (told.result == "error" and rearranged(old.arguments, new.arguments))
        for old, new, told in zip(before.cases, after.cases, report.cases, strict=True)
    )
