"""The embedder over gRPC: vectors of queries, and how far it is behind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import grpc

from retriever.adapters.records import rows_of
from retriever.domain.code import Vectors
from retriever.domain.generations import Described, Later
from retriever.errors import EmbedderAwayError, EmbedderRefusedError, EmbedderUnavailableError
from retriever.ports import Answered, ModelServer, Role, TextRows
from touchstone.embedder.v1 import embedder_pb2, embedder_pb2_grpc
from touchstone_contracts.topics import FUNCTION_EMBEDDED
from touchstone_runtime.bus import Bus
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.faults import FaultKinds, rpc_fault

_EMBED_TIMEOUT_S = 60.0
_PROGRESS_TIMEOUT_S = 5.0


class GrpcEmbedder:
    """Implements `ModelServer`.

    Args:
        channel: To the embedder.
        address: For error messages.
    """

    def __init__(self, channel: Any, address: str) -> None:
        self._stub: Any = embedder_pb2_grpc.EmbedderServiceStub(channel)
        self._address = address
        # As last described.
        self._missing = frozenset[str]()

    async def embed(self, texts: Sequence[str], models: Sequence[str], role: Role) -> Answered:
        """Vectors of the texts by these models; those that cannot be had any more are left out."""
        # One that it is told to use and cannot load takes no other with it.
        there = [name for name in models if name not in self._missing]
        if len(there) < len(models):
            return await self.embed(texts, there, role) if there else Answered([])
        try:
            return await self._embedded(texts, models, role)
        except EmbedderRefusedError:
            if len(models) < 2:
                return Answered([])
        # One of them is gone; the others go on.
        return Answered([rows for model in models for rows in (await self.embed(texts, [model], role)).rows])

    async def describe(self) -> Described | None:
        """What it makes now; None where it does not answer, or its models are not loaded yet."""
        try:
            answer = await self._stub.Describe(embedder_pb2.DescribeRequest(), timeout=_PROGRESS_TIMEOUT_S)
        except grpc.aio.AioRpcError:
            return None
        models = tuple((one.name, one.identity) for one in answer.models)
        if not models:
            return None
        names, told = frozenset(one.name for one in answer.models if one.later), answer.later
        later = Later(names, told.done, told.total, told.left_s, told.rests, told.caught_up)
        if not answer.HasField("later"):
            later = Later(names)
        missing = tuple((one.name, one.reason) for one in answer.unavailable)
        self._missing = frozenset(name for name, _reason in missing)
        return Described(models, answer.text_form, later if names else None, missing)

    async def embed_functions(self, records: Sequence[str]) -> None:
        """Have functions embedded and published as if they had just been extracted; returns when it is done."""
        try:
            request = embedder_pb2.EmbedFunctionsRequest(functions=records)
            await self._stub.EmbedFunctions(request, timeout=_EMBED_TIMEOUT_S)
        except grpc.aio.AioRpcError as error:
            raise self._fault(error) from error

    def _fault(self, error: grpc.aio.AioRpcError) -> TouchstoneError:
        return rpc_fault(
            error,
            f"embedder at {self._address}",
            kinds=FaultKinds(away=EmbedderAwayError, failed=EmbedderUnavailableError, refused=EmbedderRefusedError),
            way_out="is it running and ready? see `touchstone status`",
        )

    async def _embedded(self, texts: Sequence[str], models: Sequence[str], role: Role) -> Answered:
        request = embedder_pb2.EmbedRequest(texts=list(texts), models=models, role=role, ready_alone=True)
        try:
            answer = await self._stub.Embed(request, timeout=_EMBED_TIMEOUT_S)
        except grpc.aio.AioRpcError as error:
            raise self._fault(error) from error
        found = [
            TextRows(one.model, one.identity, rows_of(one.data, one.dimensions, one.model)) for one in answer.vectors
        ]
        if not found or any(len(one.rows) != len(texts) for one in found):
            raise EmbedderUnavailableError(
                "answered without the vectors that were asked for", thing=f"embedder at {self._address}"
            )
        return Answered(found, tuple(answer.loading))

    async def functions_behind(self) -> int:
        """Functions that the embedder has not embedded yet; -1 when it cannot say."""
        try:
            answer = await self._stub.Progress(embedder_pb2.ProgressRequest(), timeout=_PROGRESS_TIMEOUT_S)
        except grpc.aio.AioRpcError:
            return -1
        return int(answer.progress.lag)


class NamedModels:
    """Implements `QueryEmbedder` for an index that lives as long as its process: vectors bear models' names.

    Args:
        server: The embedder.
        models: Models to ask for; empty asks for all that it is told to have.
    """

    def __init__(self, server: ModelServer, models: Sequence[str] = ()) -> None:
        self._server = server
        self._models = tuple(models)

    async def embed(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        """Vectors of each text, by models' names: in every answer the same models.

        Raises:
            EmbedderUnavailableError: one of them is gone or not there yet, or there is none.
        """
        answered = (await self._server.embed(texts, self._models, role)).rows
        there = sorted(one.model for one in answered)
        if not there or there != sorted(self._models or there):
            wanted = " and ".join(sorted(self._models)) or "any model"
            raise EmbedderUnavailableError(
                f"has {' and '.join(there)} alone, and not {wanted}" if there else f"does not have {wanted}",
                thing="the embedder",
                way_out="see `touchstone status`",
            )
        if not self._models:
            await self._demand_whole(there)
        self._models = tuple(there)
        return [{one.model: one.rows[number] for one in answered} for number in range(len(texts))]

    async def _demand_whole(self, there: Sequence[str]) -> None:
        """Refuse models that are not all that the embedder is told to have.

        What is ranked by those that happen to be there would bear the name of the whole.
        """
        described = await self._server.describe()
        if described is None:
            raise EmbedderUnavailableError(
                "does not tell which models it has", thing="the embedder", way_out="ask again in some seconds"
            )
        if described.missing:
            why = "; ".join(reason for _name, reason in described.missing)
            names = " and ".join(name for name, _reason in described.missing)
            raise EmbedderUnavailableError(
                f"lacks {names}: {why}",
                thing="the embedder",
                way_out=f"wait for it, or go without by TOUCHSTONE_SEARCH_MODELS='{json.dumps(there)}'",
            )


class LagWatch:
    """Implements `LagProbe`: what was seen when somebody looked last."""

    def __init__(self, bus: Bus, embedder: GrpcEmbedder) -> None:
        self._bus = bus
        self._embedder = embedder
        self._behind = -1

    @property
    def functions_behind(self) -> int:
        """Functions extracted but not yet searchable, as last seen; -1 when nobody can say."""
        return self._behind

    async def look(self) -> int:
        """Look now: what the embedder has not embedded, and what this service has not indexed."""
        try:
            parts = await asyncio.gather(self._embedder.functions_behind(), self._bus.lag_of(FUNCTION_EMBEDDED))
        except Exception:
            # What was seen before is known no more.
            self._behind = -1
            raise
        self._behind = -1 if min(parts) < 0 else sum(parts)
        return self._behind
