"""What a test expects, and what of a repair is taken: it may change how code is called, never what must come out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from annotator.domain import repair_python, repair_text
from annotator.domain.execution import CaseReport
from annotator.domain.fault import Fault, fault_in
from annotator.domain.program import Case, DataTest, ProgramTest
from annotator.domain.repair_python import Parts
from annotator.domain.subject import Subject

Test = DataTest | ProgramTest


def taken(first: Test, before: Test, after: Test, subject: Subject, words: str, cases: Sequence[CaseReport]) -> Test:
    """What is taken of a repaired test; it is the repaired one itself where that expects what was expected.

    Held are kinds and expectations of cases, what a program's tests do, and whatever the names stand for that these,
    or the code under test, reach in setup and tests. What the error says is lacking may be supplied.

    Args:
        first: The test as it was written, before any repair.
        before: The test as it was run last.
        after: The same form of test, repaired.
        subject: The code under test.
        words: What the error of the last run says.
        cases: Case by case, how the last run ended.
    """
    fault = fault_in(words)
    parts = repair_python.taken if subject.language == "python" else repair_text.taken
    mended = parts(_parts(first), _parts(before), _parts(after), subject, fault)
    if isinstance(before, DataTest) and isinstance(after, DataTest):
        kept = after.cases if _only_calls_differ(before.cases, after.cases, cases, fault) else before.cases
        return replace(before, setup=mended.setup, cases=kept)
    return replace(before, setup=mended.setup, tests=mended.tests)


def rearranged(before: str, after: str, *, surplus: bool = False) -> bool:
    """Whether repaired arguments are the ones that were there: a repair corrects a call and invents none.

    Args:
        before: Portable arguments of a case that could not be called.
        after: Its repaired arguments.
        surplus: Whether more was given than is taken; then some may be gone.

    Example:
        >>> rearranged('["a","b"]', '{"y":"b","x":"a"}'), rearranged('[1,2]', '[[1,2]]'), rearranged('["a"]', '["b"]')
        (True, True, False)
        >>> rearranged('["a",1]', '["a"]'), rearranged('["a",1]', '["a"]', surplus=True)
        (False, True)
    """
    old, new = _values(before), _values(after)
    one, other = Counter(old), Counter(new)
    return one == other or _leaves(before) == _leaves(after) or (surplus and other <= one)


def _parts(test: Test) -> Parts:
    return Parts(test.setup, test.tests if isinstance(test, ProgramTest) else "")


def _only_calls_differ(before: Sequence[Case], after: Sequence[Case], told: Sequence[CaseReport], fault: Fault) -> bool:
    """Whether a repair kept what is expected, and touched the arguments of no case that could be called."""
    if [(case.kind, case.expected) for case in before] != [(case.kind, case.expected) for case in after]:
        return False
    return all(
        old.arguments == new.arguments
        or (
            report.result == "error"
            and fault_in(report.detail).arguments
            and rearranged(old.arguments, new.arguments, surplus=fault_in(report.detail).surplus or fault.surplus)
        )
        for old, new, report in zip(before, after, told, strict=True)
    )


def _values(arguments: str) -> list[str]:
    found: object = json.loads(arguments)
    if isinstance(found, dict):
        return [json.dumps(value, sort_keys=True) for value in cast("dict[str, object]", found).values()]
    return [json.dumps(value, sort_keys=True) for value in cast("list[object]", found)]


def _leaves(arguments: str) -> list[str]:
    found: object = json.loads(arguments)
    # Of named arguments the names say where a value goes; inside a value a key is a part of it.
    return _inside(list(cast("dict[str, object]", found).values()) if isinstance(found, dict) else found)


def _inside(value: object) -> list[str]:
    if isinstance(value, list):
        return [each for item in cast("list[object]", value) for each in _inside(item)]
    return [json.dumps(value, sort_keys=True)]
