"""Kafka in."""

from __future__ import annotations

from ingester.usecases.ingestion import Ingestion
from touchstone_contracts.events import SourceRequested, TaskRefused
from touchstone_contracts.topics import SOURCE_REQUESTED, TASK_REFUSED
from touchstone_runtime.bus import Bus


def register(bus: Bus, ingestion: Ingestion) -> None:
    """Consume the ingester's topics."""

    async def source_requested(event: SourceRequested) -> None:
        await ingestion.ingest(event.source_id)

    async def task_refused(event: TaskRefused) -> None:
        await ingestion.refused(event.function_id)

    bus.consume(SOURCE_REQUESTED, source_requested)
    bus.consume(TASK_REFUSED, task_refused)
