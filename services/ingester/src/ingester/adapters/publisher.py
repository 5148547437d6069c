"""Facts as events on Kafka."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ingester import metrics
from ingester.adapters.encoding import source_ref, to_contract
from ingester.ports import Extracted, Source, SourceVersion, Summary
from touchstone_contracts import events
from touchstone_contracts.topics import FUNCTION_EXTRACTED, SOURCE_INGESTED, SOURCE_REQUESTED
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.bus import Bus


class BusEvents:
    """The ingester's topics; see `Events`."""

    def __init__(self, bus: Bus, blobs: BlobStore) -> None:
        self._bus = bus
        self._blobs = blobs

    async def requested(self, source_id: str, request_id: str) -> None:
        """Ask for one pass over a source."""
        await self._bus.publish(SOURCE_REQUESTED, events.SourceRequested(source_id=source_id, request_id=request_id))

    async def keep_tests(self, archive: bytes) -> str:
        """Keep the tests of a version in the blob store."""
        return await self._blobs.put(archive)

    async def extracted(
        self, source: Source, version: SourceVersion, licence: str, functions: Sequence[Extracted]
    ) -> None:
        """Publish functions."""
        reference = source_ref(source, version, licence)
        contracts = [(to_contract(item, reference), item.task_candidate) for item in functions]
        # Each function begins a trace of its own, named by its id: a pass over a package would be one of thousands.
        found = [
            events.FunctionExtracted(function=function, task_candidate=candidate, trace_id=function.function_id)
            for function, candidate in contracts
        ]
        await self._bus.publish_all(FUNCTION_EXTRACTED, found)
        for item in functions:
            metrics.FUNCTIONS.labels(item.rejected_by or "candidate").inc()

    async def ingested(self, source: Source, version: SourceVersion | None, licence: str, summary: Summary) -> None:
        """Publish what a pass gave; one that met the version of before is counted only."""
        if summary.state == "unchanged":
            # A message an hour for each source would fill a topic that is kept for years.
            metrics.PASSES.labels(summary.state).inc()
            return
        known = version or SourceVersion("", None, source.name)
        standing = ""
        if summary.state == "ingested":
            # Tens of thousands of places make an event too large to carry about.
            standing = await self._blobs.put(json.dumps(sorted(summary.places)).encode())
        event = events.SourceIngested(
            source=source_ref(source, known, licence),
            state=summary.state,
            detail=summary.detail,
            files=summary.files,
            functions=summary.functions,
            candidates=summary.candidates,
            classes=summary.classes,
            reasons=summary.reasons,
            standing_digest=standing,
        )
        await self._bus.publish(SOURCE_INGESTED, event)
        metrics.PASSES.labels(summary.state).inc()
