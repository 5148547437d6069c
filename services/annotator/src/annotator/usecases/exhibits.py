"""Tests and their runs in full, as the record has them: who decides about a pair must see what was tested."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from annotator.domain.execution import CaseReport, Report, describe
from annotator.domain.program import Case, DataTest
from annotator.domain.text import clipped
from annotator.ports import Portions, StoredLabel
from annotator.usecases.evidence import cases_as_text

# Characters of one test or of one run, at most.
_LONGEST = 4000

_Json = Mapping[str, Any]


class Exhibits:
    """Reads tests and runs out of records.

    Args:
        records: Where records lie; what is missing there is not shown.
    """

    def __init__(self, records: Portions) -> None:
        self._records = records

    async def shown(self, label: StoredLabel) -> StoredLabel:
        """The label, its steps with what they wrote or saw.

        Raises:
            RetryableError: the store is away.
        """
        if not label.steps:
            return label
        found = contents_of(await self._records.get(label.record_digest) or b"")
        if len(found) != len(label.steps):
            return label
        both = zip(label.steps, found, strict=True)
        return replace(label, steps=tuple(replace(step, content=content) for step, content in both))


def contents_of(record: bytes) -> list[str]:
    """The test or the run of each step of a record, empty for all other steps; nothing where it is no record."""
    try:
        steps = cast("_Json", json.loads(record)).get("steps", [])
        return [_content_of(step) for step in steps]
    except (ValueError, TypeError, KeyError, AttributeError):
        # A record of another version is no reason to show nothing at all.
        return []


def _content_of(step: _Json) -> str:
    if (told := step["report"]) is not None:
        fields: dict[str, Any] = {**told, "cases": tuple(CaseReport(**case) for case in told["cases"])}
        report = Report(**fields)
        return "" if report.simulated else describe(report, _LONGEST)
    if (test := step["test"]) is None:
        return ""
    if "cases" not in test:
        return clipped(_joined(test["setup"], test["tests"]), _LONGEST)
    cases = tuple(Case(**case) for case in test["cases"])
    return clipped(_joined(test["setup"], cases_as_text(DataTest("", "", cases))), _LONGEST)


def _joined(setup: str, tests: str) -> str:
    return f"{setup}\n\n{tests}" if setup.strip() else tests
