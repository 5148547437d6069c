"""Kafka in."""

from __future__ import annotations

from pbt_generator.adapters.publisher import to_subject
from pbt_generator.usecases.serve import TaskDesk
from touchstone_contracts.events import FunctionExtracted
from touchstone_contracts.topics import FUNCTION_EXTRACTED
from touchstone_runtime.bus import Bus


def register(bus: Bus, desk: TaskDesk, workers: int) -> None:
    """Consume the generator's topics."""

    async def function_extracted(event: FunctionExtracted) -> None:
        if event.task_candidate:
            await desk.decide(to_subject(event.function), event.function.model_dump(mode="json"))

    # Sources take turns: the first tasks come from all of them, and a large one holds up no small one.
    bus.consume(
        FUNCTION_EXTRACTED,
        function_extracted,
        workers=workers,
        lane=lambda event: event.function.source.source_id,
        together=workers,
    )
