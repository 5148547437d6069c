"""Kafka in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from retriever.adapters.publishers import query_of
from retriever.adapters.records import entry_of, reading_of
from retriever.usecases.generations import Generations
from retriever.usecases.index import IndexFunctions, SettleSource
from retriever.usecases.proposals import ProposePairs
from touchstone_contracts.events import FunctionEmbedded, QueryImported, SourceIngested


def on_functions_embedded(
    index: IndexFunctions, generations: Generations
) -> Callable[[list[FunctionEmbedded]], Awaitable[None]]:
    """Takes a batch of embedded functions into the index."""

    async def handle(events: list[FunctionEmbedded]) -> None:
        # Vectors are many numbers, which a search beside them would wait for.
        entries = await asyncio.to_thread(lambda: [entry_of(event) for event in events])
        await index(await generations.placed(entries))

    return handle


def on_source_ingested(settle: SettleSource) -> Callable[[SourceIngested], Awaitable[None]]:
    """Lets go of what a source holds no more."""

    async def handle(event: SourceIngested) -> None:
        record = reading_of(event)
        if record is not None:
            await settle(record)

    return handle


def on_query_imported(propose: ProposePairs) -> Callable[[QueryImported], Awaitable[None]]:
    """Proposes candidate pairs for a query."""

    async def handle(event: QueryImported) -> None:
        await propose(query_of(event))

    return handle
