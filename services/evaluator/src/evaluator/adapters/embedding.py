"""The embedder over gRPC, for scores of its models."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import numpy as np
from numpy.typing import NDArray

from evaluator.adapters.retrieval_files import chunks
from touchstone.embedder.v1 import embedder_pb2, embedder_pb2_grpc
from touchstone_runtime.faults import rpc_fault
from touchstone_runtime.grpc_server import channel

_TEXTS = 64
_TIMEOUT_S = 600.0

Embed = Callable[[str, list[str], str], Awaitable[NDArray[np.float32]]]


@asynccontextmanager
async def embedding(address: str, identity: Any) -> AsyncIterator[Embed]:
    """Gives what embeds texts: model, texts and role in, (n, dimensions) float32 out.

    Raises:
        RetryableError: the embedder does not embed.
    """
    async with channel(address, identity) as connection:
        stub: Any = embedder_pb2_grpc.EmbedderServiceStub(connection)

        async def embed(model: str, texts: list[str], role: str) -> NDArray[np.float32]:
            rows: list[NDArray[np.float32]] = []
            for part in chunks(texts, _TEXTS):
                request = embedder_pb2.EmbedRequest(texts=part, models=[model], role=role)
                [answer] = (await stub.Embed(request, timeout=_TIMEOUT_S)).vectors
                rows.append(np.frombuffer(answer.data, dtype="<f4").reshape(len(part), answer.dimensions))
                if sys.stderr.isatty():
                    sys.stderr.write(f"\r{model} {role}: {sum(map(len, rows))} of {len(texts)}")
            if sys.stderr.isatty():
                sys.stderr.write("\n")
            return np.concatenate(rows)

        try:
            yield embed
        except grpc.aio.AioRpcError as error:
            raise rpc_fault(
                error, f"the embedder at {address}", way_out="is it running? see `touchstone status`"
            ) from error
