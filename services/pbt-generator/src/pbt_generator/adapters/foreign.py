"""A foreign task as the events have functions."""

from __future__ import annotations

from typing import Any

from pbt_generator.domain.foreign import ForeignSet, ForeignTask
from touchstone_contracts.envelope import content_id
from touchstone_contracts.events import Function, SourceRef
from touchstone_runtime.source_kinds import BENCHMARK


def record_of_foreign(whose: ForeignSet, foreign: ForeignTask) -> dict[str, Any]:
    """The record of a foreign ground truth: its path is the task's id in its set, its source the set."""
    source_id = content_id("source", BENCHMARK, whose.name)
    version_id = content_id("source_version", source_id, whose.version, whose.licence)
    source = SourceRef(
        source_id=source_id,
        source_version_id=version_id,
        kind=BENCHMARK,
        name=whose.name,
        version=whose.version,
        licence=whose.licence,
    )
    function = Function(
        function_id=content_id("function", version_id, foreign.foreign_id, foreign.source),
        source=source,
        path=foreign.foreign_id,
        qualname=foreign.entry_point,
        name=foreign.entry_point,
        line_start=1,
        line_end=foreign.source.count("\n") + 1,
        code=foreign.source,
    )
    return function.model_dump(mode="json")
