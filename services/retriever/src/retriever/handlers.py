"""Kafka in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from retriever.adapters.publishers import query_of
from retriever.adapters.records import entry_of
from retriever.usecases.index import IndexFunctions
from retriever.usecases.proposals import ProposePairs
from touchstone_contracts.events import FunctionEmbedded, QueryImported


def on_functions_embedded(index: IndexFunctions) -> Callable[[list[FunctionEmbedded]], Awaitable[None]]:
    """Takes a batch of embedded functions into the index."""

    async def handle(events: list[FunctionEmbedded]) -> None:
        await index([entry_of(event) for event in events])

    return handle


def on_query_imported(propose: ProposePairs) -> Callable[[QueryImported], Awaitable[None]]:
    """Proposes candidate pairs for a query."""

    async def handle(event: QueryImported) -> None:
        await propose(query_of(event))

    return handle
