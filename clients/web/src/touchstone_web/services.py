"""The services behind the pages, by gRPC."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Annotated, Any

from fastapi import Depends, Query, Request

from touchstone.annotator.v1.annotator_pb2_grpc import AnnotatorServiceStub
from touchstone.embedder.v1.embedder_pb2_grpc import EmbedderServiceStub
from touchstone.evaluator.v1.evaluator_pb2_grpc import EvaluatorServiceStub
from touchstone.ingester.v1.ingester_pb2_grpc import IngesterServiceStub
from touchstone.pbt_generator.v1.pbt_generator_pb2_grpc import PbtGeneratorServiceStub
from touchstone.retriever.v1.retriever_pb2_grpc import RetrieverServiceStub
from touchstone.sandbox.v1.sandbox_pb2_grpc import SandboxServiceStub
from touchstone_runtime.dialling import as_token

_STUBS: dict[str, Callable[[Any], Any]] = {
    "ingester": IngesterServiceStub,
    "embedder": EmbedderServiceStub,
    "retriever": RetrieverServiceStub,
    "annotator": AnnotatorServiceStub,
    "sandbox-executor": SandboxServiceStub,
    "pbt-generator": PbtGeneratorServiceStub,
    "evaluator": EvaluatorServiceStub,
}
NAMES = tuple(_STUBS)


class Services:
    """Calls to the services, each with the application's deadline.

    Args:
        channels: A gRPC channel by service name.
        timeout_s: Longest wait for one answer, in seconds.
    """

    def __init__(self, channels: dict[str, Any], *, timeout_s: float = 10.0) -> None:
        self._stubs = {name: _STUBS[name](channel) for name, channel in channels.items()}
        self._timeout_s = timeout_s

    async def call(self, service: str, method: str, request: Any, *, timeout_s: float = 0.0, token: str = "") -> Any:
        """Call a method and wait for its answer.

        Args:
            service: For example "evaluator".
            method: Name of the RPC.
            request: Its request message.
            timeout_s: Longest wait; 0 is the application's own.
            token: Text of the visitor's token, where the call is theirs and not the application's.

        Raises:
            grpc.aio.AioRpcError: The service is away or refuses; the application makes a page of it.
        """
        call = getattr(self._stubs[service], method)
        return await call(request, timeout=timeout_s or self._timeout_s, metadata=as_token(token))

    async def stream(self, service: str, method: str, request: Any, *, timeout_s: float) -> AsyncGenerator[Any]:
        """Call a method that answers in pieces; who closes the generator cancels the call.

        Args:
            service: For example "retriever".
            method: Name of the RPC.
            request: Its request message.
            timeout_s: Longest wait for all pieces.

        Raises:
            grpc.aio.AioRpcError: as `call`.
        """
        running = getattr(self._stubs[service], method)(request, timeout=timeout_s)
        try:
            async for piece in running:
                yield piece
        finally:
            running.cancel()


def _services(request: Request) -> Services:
    return request.app.state.services


Backends = Annotated[Services, Depends(_services)]
# A number of an address, as messages to services hold one.
Number = Annotated[int, Query(ge=-(2**31), lt=2**31)]
