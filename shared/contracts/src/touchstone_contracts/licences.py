"""Under which licences the code of a task stands: its source's, and those of files that a slice took parts of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_AND = " AND "


def part_licences(function: Mapping[str, Any]) -> list[dict[str, str]]:
    """Files of the parts that name a licence, each with it; a file that names none has the source's.

    Args:
        function: The record of a function.
    """
    parts: Iterable[Mapping[str, Any]] = function.get("parts") or ()
    named = {(str(part.get("path") or ""), str(part["licence"])) for part in parts if part.get("licence")}
    return [{"path": path, "licence": licence} for path, licence in sorted(named)]


def licence_of(function: Mapping[str, Any]) -> str | None:
    """The licence of all code of a task as one SPDX expression; None where its source states none.

    Args:
        function: The record of a function.

    Example:
        >>> part = {"path": "a/b.py", "licence": "BSD-3-Clause OR MIT"}
        >>> licence_of({"source": {"licence": "Apache-2.0"}, "parts": [part, {"path": "a/c.py", "licence": ""}]})
        'Apache-2.0 AND (BSD-3-Clause OR MIT)'
    """
    own = str(function["source"].get("licence") or "")
    if not own:
        return None
    others = [each["licence"] for each in part_licences(function)]
    if not others:
        # As its makers wrote it.
        return own
    terms = [term for licence in (own, *sorted(others)) for term in _terms(licence)]
    return _AND.join(dict.fromkeys(terms)) if len(set(terms)) > 1 else own


def _terms(licence: str) -> list[str]:
    """What holds of an expression one beside the other."""
    if "(" in licence or " OR " in licence:
        return [f"({licence})"]
    return licence.split(_AND)
