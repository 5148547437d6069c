"""Facts as events on Kafka."""

from __future__ import annotations

from collections.abc import Sequence

from ingester import metrics
from ingester.domain.identity import version_id
from ingester.ports import Extracted, Source, SourceVersion, Summary
from touchstone_contracts import events
from touchstone_contracts.topics import FUNCTION_EXTRACTED, SOURCE_INGESTED, SOURCE_REQUESTED
from touchstone_runtime.bus import Bus

# A function longer than this is no use to a reader, a model or an index.
_CODE_CHARACTERS = 100_000


class BusEvents:
    """The ingester's topics; see `Events`."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def requested(self, source_id: str, request_id: str) -> None:
        """Ask for one pass over a source."""
        await self._bus.publish(SOURCE_REQUESTED, events.SourceRequested(source_id=source_id, request_id=request_id))

    async def extracted(
        self, source: Source, version: SourceVersion, licence: str, functions: Sequence[Extracted]
    ) -> None:
        """Publish functions."""
        reference = source_ref(source, version, licence)
        found = [
            events.FunctionExtracted(function=to_contract(item, reference), task_candidate=item.task_candidate)
            for item in functions
            if len(item.found.code) <= _CODE_CHARACTERS
        ]
        await self._bus.publish_all(FUNCTION_EXTRACTED, found)
        for item in functions:
            metrics.FUNCTIONS.labels(item.rejected_by or "candidate").inc()

    async def ingested(self, source: Source, version: SourceVersion | None, licence: str, summary: Summary) -> None:
        """Publish what a pass gave."""
        known = version or SourceVersion("", None, source.name)
        event = events.SourceIngested(
            source=source_ref(source, known, licence),
            state=summary.state,
            detail=summary.detail,
            files=summary.files,
            functions=summary.functions,
            candidates=summary.candidates,
            classes=summary.classes,
            reasons=summary.reasons,
        )
        await self._bus.publish(SOURCE_INGESTED, event)
        metrics.PASSES.labels(summary.state).inc()


def source_ref(source: Source, version: SourceVersion, licence: str) -> events.SourceRef:
    """A source version as others know it."""
    return events.SourceRef(
        source_id=source.source_id,
        source_version_id=version_id(source.source_id, version.version),
        kind=source.kind,
        name=version.repository,
        version=version.version,
        licence=licence,
        released_at=version.released_at,
    )


def to_contract(item: Extracted, source: events.SourceRef) -> events.Function:
    """A function as others know it."""
    found = item.found
    return events.Function(
        function_id=item.function_id,
        source=source,
        language=found.language,
        path=item.path,
        qualname=found.qualname,
        name=found.name,
        line_start=found.line_start,
        line_end=found.line_end,
        form=found.form,
        code=found.code,
        docstring=found.docstring,
        parameters=tuple(
            events.Parameter(name=each.name, kind=each.kind, annotation=each.annotation, default=each.default)
            for each in found.parameters
        ),
        returns=found.returns,
        decorators=found.decorators,
        enclosing_class=found.enclosing_class,
        file_imports=found.file_imports,
        imports=found.imports,
        libraries=found.libraries,
        changed_at=item.changed_at,
        classification=found.classification,
        complexity=found.complexity,
        rejected_by=item.rejected_by,
        rejection=item.rejection,
        searchable_pair=found.searchable_pair,
    )
