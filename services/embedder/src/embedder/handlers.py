"""Kafka in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from embedder.adapters.records import unit_of
from embedder.usecases.functions import EmbedFunctions
from touchstone_contracts.events import FunctionExtracted


def on_functions_extracted(embed: EmbedFunctions) -> Callable[[list[FunctionExtracted]], Awaitable[None]]:
    """Embeds a batch of extracted functions."""

    async def handle(events: list[FunctionExtracted]) -> None:
        # A slice or a record is a task; the function that it was made of comes beside it and is what people search.
        await embed([unit_of(event.function) for event in events if event.function.form not in ("slice", "record")])

    return handle
