"""Which code a newer version of the same source has replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from retriever.domain.code import IndexedCode

_PARTS = re.compile(r"\d+|[a-z]+", re.IGNORECASE)


def version_key(code: IndexedCode) -> str:
    """A text that sorts by code point as the versions of a source follow one another.

    By date; of the same date by version number; of the same number by id, so that the order is total.

    Example:
        >>> numbered_key("1.9") < numbered_key("1.10")
        True
    """
    return key_of_version(code.dated_at, code.version, code.source_version_id)


def key_of_version(dated_at: str, version: str, source_version_id: str) -> str:
    """The same for a version by itself."""
    return f"{dated_at}|{numbered_key(version)}|{source_version_id}"


def numbered_key(version: str) -> str:
    """A version whose numbers sort by size."""
    return ".".join(f"{part:0>10}" if part.isdigit() else part.lower() for part in _PARTS.findall(version))


@dataclass(frozen=True)
class Reading:
    """What a source held when it was last read.

    Args:
        source_version_id: The version that was read.
        earlier: Versions that were read, or tried, before it.
        standing: Plain path and qualified name of everything in it; None where the reading did not say.
        version_key: Key of the version that was read; empty where it bears no date, as a commit.
    """

    source_version_id: str
    earlier: frozenset[str] = frozenset()
    standing: frozenset[tuple[str, str]] | None = None
    version_key: str = ""


@dataclass(frozen=True)
class Placed:
    """A code as far as its standing among the versions goes."""

    function_id: str
    lineage: tuple[str, str, str]
    source_version_id: str
    version_key: str


def placed(code: IndexedCode) -> Placed:
    """A code's place and version."""
    return Placed(code.function_id, code.lineage, code.source_version_id, version_key(code))


def superseded_ids(codes: Iterable[Placed], readings: Mapping[str, Reading]) -> set[str]:
    """Ids of the codes that stand no more: a newer version replaced them, or the last reading did not meet them.

    What the last reading met keeps standing in its earlier form until its newer form is indexed. Versions that were
    read are ordered by their readings (a commit has no date of its own), all others by `version_key`. Two definitions
    at one place of one version stand side by side: neither replaces the other.

    Args:
        codes: All codes of their lineages.
        readings: The last reading of each source that has one.
    """
    by_lineage: dict[tuple[str, str, str], list[Placed]] = {}
    for code in codes:
        by_lineage.setdefault(code.lineage, []).append(code)
    return {
        code.function_id
        for lineage, together in by_lineage.items()
        for code in together
        if _gone(code, readings.get(lineage[0])) or _replaced(code, together, readings.get(lineage[0]))
    }


def _gone(code: Placed, reading: Reading | None) -> bool:
    return (
        reading is not None
        and reading.standing is not None
        and code.source_version_id in reading.earlier
        and code.lineage[1:] not in reading.standing
    )


def _replaced(code: Placed, together: Iterable[Placed], reading: Reading | None) -> bool:
    return any(
        other.source_version_id != code.source_version_id and _order(other, reading) > _order(code, reading)
        for other in together
    )


def _order(code: Placed, reading: Reading | None) -> tuple[int, str]:
    """Versions read earlier, then the one read last; one that is being read is newer unless its date says otherwise."""
    if reading is None:
        return (0, code.version_key)
    if code.source_version_id == reading.source_version_id:
        return (1, code.version_key)
    if code.source_version_id in reading.earlier:
        return (0, code.version_key)
    return (2 if code.version_key > reading.version_key else 0, code.version_key)
