"""Kafka in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from embedder.adapters.records import unit_of
from embedder.usecases.functions import EmbedFunctions
from touchstone_contracts.events import FunctionExtracted
from touchstone_runtime.forms import MADE_FORMS


def on_functions_extracted(embed: EmbedFunctions) -> Callable[[list[FunctionExtracted]], Awaitable[None]]:
    """Embeds a batch of extracted functions."""

    async def handle(events: list[FunctionExtracted]) -> None:
        await embed([unit_of(event.function) for event in events if event.function.form not in MADE_FORMS])

    return handle
