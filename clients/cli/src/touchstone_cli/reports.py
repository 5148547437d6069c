"""What `touchstone ci` found, as JUnit XML and as SARIF 2.1.0."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any, Literal
from urllib.parse import quote
from xml.etree import ElementTree

from touchstone_cli.explain import catalogue

# What XML 1.0 has no form for, surrogates among it.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Checked:
    """What became of one function.

    Attributes:
        file: Path below the top of the repository.
        line: First line, from 1.
        line_end: Last line.
        outcome: "failed" is a fault of the platform, not of the function.
        reason: Name of a filter or of a refusal; empty for a task.
        seconds: How long building took.
    """

    file: str
    line: int
    line_end: int
    function: str
    outcome: Literal["task", "refused", "no_candidate", "not_tried", "failed"]
    reason: str
    detail: str
    seconds: float = 0.0

    def as_object(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def junit(checked: Sequence[Checked]) -> bytes:
    """A test case for each function: a task passed, what is none was skipped, what could not be tried is an error."""
    skipped = [one for one in checked if one.outcome not in ("task", "failed")]
    failed = [one for one in checked if one.outcome == "failed"]
    counts = {"tests": len(checked), "failures": 0, "errors": len(failed), "skipped": len(skipped)}
    facts = {"name": "touchstone", **{name: str(count) for name, count in counts.items()}}
    suite = ElementTree.Element("testsuite", facts)
    for one in checked:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=_xml(one.file),
            name=_xml(one.function),
            file=_xml(one.file),
            line=str(one.line),
            time=f"{one.seconds:.3f}",
        )
        words = _xml(": ".join(part for part in (one.reason, one.detail) if part))
        if one.outcome == "failed":
            ElementTree.SubElement(case, "error", message=words)
        elif one.outcome != "task":
            ElementTree.SubElement(case, "skipped", message=words)
        else:
            ElementTree.SubElement(case, "system-out").text = words
    root = ElementTree.Element("testsuites")
    root.append(suite)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def _xml(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)


def sarif(checked: Sequence[Checked]) -> str:
    """A result for each function; its rule is the reason, with the words of `touchstone explain`.

    What could not be tried is left open, and told as an error of the tool's run: it says nothing of the function.

    Source: SARIF 2.1.0, OASIS standard, sections 3.19, 3.20 and 3.27.
    """
    known = catalogue()
    results = [_result(one) for one in checked]
    used = sorted({result["ruleId"] for result in results})
    rules = [_rule(name, known.get(name, {})) for name in used]
    driver = {"name": "touchstone", "rules": rules}
    untried = [result["message"] for one, result in zip(checked, results, strict=True) if one.outcome == "failed"]
    told = [{"level": "error", "message": message} for message in untried]
    ended = {"executionSuccessful": not untried, "toolExecutionNotifications": told}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [ended],
        "results": results,
    }
    schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule(name: str, words: dict[str, str]) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": name}
    if words:
        rule["shortDescription"] = {"text": words["means"]}
        rule["help"] = {"text": words["do"]}
    return rule


def _result(one: Checked) -> dict[str, Any]:
    # Whatever is no task is no defect either: a note at most. What could not be tried has no result.
    kinds = {"task": ("pass", "none"), "failed": ("open", "none"), "refused": ("fail", "note")}
    kind, level = kinds.get(one.outcome, ("notApplicable", "none"))
    location = {
        "artifactLocation": {"uri": quote(PurePosixPath(one.file).as_posix(), errors="surrogateescape")},
        "region": {"startLine": one.line, "endLine": one.line_end},
    }
    words = one.detail or one.reason or one.outcome
    return {
        "ruleId": one.reason or one.outcome,
        "kind": kind,
        "level": level,
        "message": {"text": f"{_xml(one.function)}: {_xml(words)}"},
        "locations": [{"physicalLocation": location}],
    }
