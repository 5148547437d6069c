"""Which code a newer version of the same source has replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable

from retriever.domain.code import IndexedCode

_PARTS = re.compile(r"\d+|[a-z]+", re.IGNORECASE)


def version_key(code: IndexedCode) -> str:
    """A text that sorts by code point as the versions of a source follow one another.

    By date; of the same date by version number; of the same number by id, so that the order is total.

    Example:
        >>> numbered_key("1.9") < numbered_key("1.10")
        True
    """
    return f"{code.dated_at}|{numbered_key(code.version)}|{code.source_version_id}"


def numbered_key(version: str) -> str:
    """A version whose numbers sort by size."""
    return ".".join(f"{part:0>10}" if part.isdigit() else part.lower() for part in _PARTS.findall(version))


def superseded_ids(codes: Iterable[IndexedCode]) -> set[str]:
    """Ids of the codes that a newer version among the given ones replaces.

    Two definitions at one place of one version stand side by side: neither replaces the other.
    """
    by_lineage: dict[tuple[str, str, str], list[IndexedCode]] = {}
    for code in codes:
        by_lineage.setdefault(code.lineage, []).append(code)
    return {
        code.function_id
        for together in by_lineage.values()
        for code in together
        if any(
            other.source_version_id != code.source_version_id and version_key(other) > version_key(code)
            for other in together
        )
    }
