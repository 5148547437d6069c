"""Kafka in."""

from __future__ import annotations

from ingester.usecases import Ingestion
from touchstone_contracts.events import SourceRequested
from touchstone_contracts.topics import SOURCE_REQUESTED
from touchstone_runtime.bus import Bus


def register(bus: Bus, ingestion: Ingestion) -> None:
    """Consume the ingester's topics."""

    async def source_requested(event: SourceRequested) -> None:
        await ingestion.ingest(event.source_id)

    bus.consume(SOURCE_REQUESTED, source_requested)
