"""What the record of a label proves of the rows of a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from annotator.domain.release import WITHHELD, Json, PooledCode
from annotator.domain.withheld import told_instead
from touchstone_runtime.storable import storable

# A licence decides no label, so that no record has one.
_OF_CODE = tuple(name for name in PooledCode.__dataclass_fields__ if name != "licence")
# As records have it.
_DIGITS = 6


def differing(row: Mapping[str, Any], record: Json) -> list[str]:
    """Where the row of a label says something else than its record, or than one that is withheld, in words.

    Example:
        >>> differing({"label": 1}, {"label": 0})
        ['label is 1, its record says 0']
    """
    said = _said(record)
    withheld = told_instead(row["decided_by"], said["decided_by"]) if row.get("decided_by") in WITHHELD else {}
    said |= withheld
    return [
        f"{name} is {row[name]!r}, {'a withheld label has' if name in withheld else 'its record says'} {said[name]!r}"
        for name in sorted(said)
        if name in row and _rounded(_kept(row[name])) != said[name]
    ]


def code_in(content: Mapping[str, Any]) -> Json:
    """Text, language and place of a code, of its row or of the pair in a record."""
    return {name: _kept(content.get(name, "")) for name in _OF_CODE}


def _said(record: Json) -> Json:
    """What a record says of its label, as rows have it; where people decided, nothing ran and there is no score."""
    pair = cast("Json", record.get("pair") or {})
    said: Json = {name: pair.get(name) for name in ("pair_id", "query_id", "function_id")}
    said |= {name: record.get(name) for name in ("label", "decided_by", "method_id", "audit")}
    said |= {name: record.get(name, "") for name in ("reason", "reading")}
    said |= {"self_reported": record.get("self_reported", False), "score": record.get("score")}
    said["executed"] = _executed(cast("Sequence[Json]", record.get("steps") or ()))
    return {name: _kept(value) for name, value in said.items()}


def _executed(steps: Sequence[Json]) -> bool | None:
    """Whether each test ended as an execution and not as an error; None where nothing was run."""
    executions = [step for step in steps if step.get("name") == "execution" and step.get("report")]
    last: dict[Any, Json] = {step.get("interpretation"): step["report"] for step in executions}
    results = [report.get("result") for report in last.values() if not report.get("simulated")]
    return all(result != "error" for result in results) if results else None


def _kept(value: Any) -> Any:
    """As it is compared: where a text cannot be kept, releases before 1 December 2026 have a question mark."""
    return storable(value).replace("\ufffd", "?") if isinstance(value, str) else value


def _rounded(value: Any) -> Any:
    return round(value, _DIGITS) if isinstance(value, float) else value
