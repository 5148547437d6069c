"""`function.embedded` on the bus."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from embedder.adapters.records import function_of
from embedder.domain.units import EmbeddedUnit
from touchstone_contracts.events import FunctionEmbedded, Vector
from touchstone_contracts.topics import FUNCTION_EMBEDDED
from touchstone_runtime.bus import Bus

_FLOAT_BYTES = 4


class BusPublisher:
    """Publishes embedded functions; implements `EmbeddedPublisher`."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def publish(self, embedded: Sequence[EmbeddedUnit]) -> None:
        """Publish; returns when the broker has confirmed all."""
        await self._bus.publish_all(FUNCTION_EMBEDDED, [event_of(one) for one in embedded])


def event_of(embedded: EmbeddedUnit) -> FunctionEmbedded:
    """The event of an embedded function."""
    return FunctionEmbedded(
        function=function_of(embedded.unit),
        vectors=tuple(
            Vector(
                model=one.model,
                identity=one.identity,
                dimensions=len(one.data) // _FLOAT_BYTES,
                data=base64.b64encode(one.data).decode(),
            )
            for one in embedded.vectors
        ),
        text_form=embedded.text_form,
    )
