"""The embedder over gRPC: vectors of queries, and how far it is behind."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import grpc

from retriever.adapters.records import by_text, rows_of
from retriever.domain.code import Vectors
from retriever.errors import EmbedderAwayError, EmbedderUnavailableError
from retriever.ports import Role
from touchstone.embedder.v1 import embedder_pb2, embedder_pb2_grpc
from touchstone_contracts.topics import FUNCTION_EMBEDDED
from touchstone_runtime.bus import Bus
from touchstone_runtime.faults import FaultKinds, rpc_fault

_EMBED_TIMEOUT_S = 60.0
_PROGRESS_TIMEOUT_S = 5.0


class GrpcEmbedder:
    """Implements `QueryEmbedder`.

    Args:
        channel: To the embedder.
        address: For error messages.
        models: Models to ask for; empty asks for all that answer.
    """

    def __init__(self, channel: Any, address: str, models: Sequence[str] = ()) -> None:
        self._stub: Any = embedder_pb2_grpc.EmbedderServiceStub(channel)
        self._address = address
        self._models = list(models)

    async def embed(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        """Vectors of each text, of every model that answers."""
        request = embedder_pb2.EmbedRequest(texts=list(texts), models=self._models, role=role)
        try:
            answer = await self._stub.Embed(request, timeout=_EMBED_TIMEOUT_S)
        except grpc.aio.AioRpcError as error:
            raise rpc_fault(
                error,
                f"embedder at {self._address}",
                kinds=FaultKinds(away=EmbedderAwayError, failed=EmbedderUnavailableError),
                way_out="is it running and ready? see `touchstone status`",
            ) from error
        of_models = [(one.model, rows_of(one.data, one.dimensions, one.model)) for one in answer.vectors]
        if not of_models or any(len(rows) != len(texts) for _model, rows in of_models):
            raise EmbedderUnavailableError(
                "answered without the vectors that were asked for", thing=f"embedder at {self._address}"
            )
        return by_text(of_models, len(texts))

    async def functions_behind(self) -> int:
        """Functions that the embedder has not embedded yet; -1 when it cannot say."""
        try:
            answer = await self._stub.Progress(embedder_pb2.ProgressRequest(), timeout=_PROGRESS_TIMEOUT_S)
        except grpc.aio.AioRpcError:
            return -1
        return int(answer.progress.lag)


class LagWatch:
    """Implements `LagProbe`: looks again every so often, so that no search waits for the broker."""

    def __init__(self, bus: Bus, embedder: GrpcEmbedder, *, every_s: float = 2.0) -> None:
        self._bus = bus
        self._embedder = embedder
        self._every_s = every_s
        self._behind = -1

    @property
    def functions_behind(self) -> int:
        """Functions extracted but not yet searchable, as last seen; -1 when nobody can say."""
        return self._behind

    async def look(self) -> int:
        """Look now: what the embedder has not embedded, and what this service has not indexed."""
        parts = await asyncio.gather(self._embedder.functions_behind(), self._bus.lag_of(FUNCTION_EMBEDDED))
        self._behind = -1 if min(parts) < 0 else sum(parts)
        return self._behind

    async def run(self) -> None:
        """Look without end."""
        while True:
            await self.look()
            await asyncio.sleep(self._every_s)
