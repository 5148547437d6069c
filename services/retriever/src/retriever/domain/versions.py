"""Which code a newer version of the same source has replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable

from retriever.domain.code import IndexedCode

_PARTS = re.compile(r"\d+|[a-z]+", re.IGNORECASE)


def version_key(code: IndexedCode) -> str:
    """A text that sorts by code point as the versions of a source follow one another.

    By release date; of the same date by version number; of the same number by id, so that the order is total.

    Example:
        >>> numbered_key("1.9") < numbered_key("1.10")
        True
    """
    return f"{code.released_at}|{numbered_key(code.version)}|{code.source_version_id}"


def numbered_key(version: str) -> str:
    """A version whose numbers sort by size."""
    return ".".join(f"{part:0>10}" if part.isdigit() else part.lower() for part in _PARTS.findall(version))


def superseded_ids(codes: Iterable[IndexedCode]) -> set[str]:
    """Ids of the codes that another of the given ones replaces.

    Two definitions at one place of one version stand side by side: neither replaces the other.
    """
    newest: dict[tuple[str, str, str], str] = {}
    all_codes = list(codes)
    for code in all_codes:
        newest[code.lineage] = max(newest.get(code.lineage, ""), version_key(code))
    return {code.function_id for code in all_codes if version_key(code) != newest[code.lineage]}
