"""What of a repair is taken: a test that was mended expects what it expected."""

from __future__ import annotations

from annotator.domain.execution import Report
from annotator.domain.expectations import taken
from annotator.domain.program import DataTest
from annotator.domain.subject import Subject
from annotator.usecases.trials import Test

CHANGED_EXPECTATION = "the repair changes what is expected; only imports and new names of it were taken"


def held(first: Test, before: Test, after: Test, subject: Subject, report: Report) -> tuple[Test, str]:
    """What is taken of a repaired test, and a remark where that is not all of it.

    Args:
        first: The test as it was written.
        before: The test as it was run last.
        after: The same form of test, repaired.
        subject: The code under test.
        report: What the last run of `before` showed.
    """
    if isinstance(before, DataTest) != isinstance(after, DataTest):
        raise TypeError("a repair keeps the form of its test")
    # What a Python program prints is its own word; in other languages compilers say there what is lacking.
    output = "" if subject.language == "python" else report.output
    words = "\n".join((report.detail, output, *(case.detail for case in report.cases if case.result == "error")))
    kept = taken(first, before, after, subject, words, report.cases)
    return kept, "" if kept == after else CHANGED_EXPECTATION
