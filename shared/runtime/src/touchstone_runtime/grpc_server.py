"""gRPC servers and channels: health, reflection, metrics, and errors mapped to status codes once."""

# The Kafka and gRPC libraries ship few types; what comes out of them is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from pydantic import ValidationError

from touchstone_runtime import metrics
from touchstone_runtime.errors import (
    NotFoundError,
    PermanentError,
    PreconditionError,
    RetryableError,
    SuspendedError,
    TouchstoneError,
)
from touchstone_runtime.telemetry import get_logger, trace_id

MESSAGE_BYTES = 64 * 1024 * 1024
OPTIONS = [
    ("grpc.max_send_message_length", MESSAGE_BYTES),
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),
    ("grpc.keepalive_time_ms", 60_000),
]
TRACE_HEADER = "touchstone-trace-id"
_log = get_logger()


def status_of(error: Exception) -> tuple[grpc.StatusCode, str]:
    """The status code and the words that a caller gets for a fault."""
    match error:
        case NotFoundError():
            return grpc.StatusCode.NOT_FOUND, str(error)
        case PreconditionError() | SuspendedError():
            return grpc.StatusCode.FAILED_PRECONDITION, str(error)
        case PermanentError() | ValidationError():
            return grpc.StatusCode.INVALID_ARGUMENT, str(error)
        case RetryableError():
            return grpc.StatusCode.UNAVAILABLE, str(error)
        case TouchstoneError():
            return grpc.StatusCode.INTERNAL, str(error)
        case grpc.aio.AioRpcError():
            return error.code(), error.details() or "a service that this one calls failed"
        case _:
            return grpc.StatusCode.INTERNAL, f"{type(error).__name__}: {error}"


class _Interceptor(grpc.aio.ServerInterceptor):
    """Times each RPC, carries the trace id, and turns faults into status codes."""

    async def intercept_service(
        self,
        continuation: Callable[[Any], Awaitable[Any]],
        handler_call_details: Any,
    ) -> Any:
        handler = await continuation(handler_call_details)
        method = str(handler_call_details.method)
        if handler is None or handler.request_streaming or not method.startswith("/touchstone."):
            return handler
        codecs = {
            "request_deserializer": handler.request_deserializer,
            "response_serializer": handler.response_serializer,
        }
        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(_guard_stream(method, handler.unary_stream), **codecs)
        return grpc.unary_unary_rpc_method_handler(_guard_unary(method, handler.unary_unary), **codecs)


def _trace_of(context: Any) -> str:
    return next((str(value) for name, value in context.invocation_metadata() or () if name == TRACE_HEADER), "")


async def _fail(context: Any, method: str, error: Exception) -> None:
    code, words = status_of(error)
    metrics.RPCS_HANDLED.labels(method, code.name).inc()
    if code is grpc.StatusCode.INTERNAL:
        _log.error("rpc_failed", method=method, exc_info=error)
    await context.abort(code, words)


def _guard_unary(method: str, call: Callable[[Any, Any], Awaitable[Any]]) -> Callable[[Any, Any], Awaitable[Any]]:
    async def guarded(request: Any, context: Any) -> Any:
        started = time.monotonic()
        token = trace_id.set(_trace_of(context))
        try:
            answer = await call(request, context)
        except grpc.aio.AbortError:
            raise
        except Exception as error:  # noqa: BLE001  mapped to a status code, once for all RPCs
            return await _fail(context, method, error)
        finally:
            trace_id.reset(token)
            metrics.RPC_SECONDS.labels(method).observe(time.monotonic() - started)
        metrics.RPCS_HANDLED.labels(method, "OK").inc()
        return answer

    return guarded


def _guard_stream(
    method: str, call: Callable[[Any, Any], AsyncIterator[Any]]
) -> Callable[[Any, Any], AsyncIterator[Any]]:
    async def guarded(request: Any, context: Any) -> AsyncIterator[Any]:
        started = time.monotonic()
        trace_id.set(_trace_of(context))
        try:
            async for item in call(request, context):
                yield item
        except grpc.aio.AbortError:
            raise
        except Exception as error:  # noqa: BLE001  mapped to a status code, once for all RPCs
            await _fail(context, method, error)
            return
        finally:
            metrics.RPC_SECONDS.labels(method).observe(time.monotonic() - started)
        metrics.RPCS_HANDLED.labels(method, "OK").inc()

    return guarded


class GrpcServer:
    """A gRPC server with health and reflection.

    Args:
        listen: `host:port` (port 0 picks a free one) or `unix:PATH`.
    """

    def __init__(self, listen: str) -> None:
        self._listen = listen
        self._server = grpc.aio.server(interceptors=[_Interceptor()], options=OPTIONS)
        self._health: Any = health.aio.HealthServicer()  # pyright: ignore[reportAttributeAccessIssue]
        register_health: Callable[[Any, Any], None] = health_pb2_grpc.add_HealthServicer_to_server
        register_health(self._health, self._server)
        self._names: list[str] = []
        self.address = listen

    def add(self, register: Callable[[Any, Any], None], servicer: object, full_name: str) -> None:
        """Serve a servicer.

        Args:
            register: The generated `add_XServicer_to_server`.
            servicer: What answers.
            full_name: Name of the service in the proto, for health and reflection.
        """
        register(servicer, self._server)
        self._names.append(full_name)

    async def start(self) -> None:
        """Listen.

        Raises:
            PreconditionError: the address is taken.
        """
        reflection.enable_server_reflection([*self._names, health.SERVICE_NAME, reflection.SERVICE_NAME], self._server)
        try:
            port = self._server.add_insecure_port(self._listen)
        except RuntimeError as error:
            raise PreconditionError(
                "cannot listen",
                thing=self._listen,
                way_out="is it in use? name another in TOUCHSTONE_GRPC_LISTEN",
            ) from error
        if not self._listen.startswith("unix:"):
            self.address = f"{self._listen.rsplit(':', 1)[0]}:{port}"
        await self._server.start()

    async def set_serving(self, serving: bool) -> None:
        """Tell health probes whether this server takes work."""
        state = health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING
        for name in ["", *self._names]:
            await self._health.set(name, state)

    async def stop(self, grace_s: float) -> None:
        """Refuse new calls and give running ones so many seconds."""
        await self._server.stop(grace_s)


class _TraceClient(grpc.aio.UnaryUnaryClientInterceptor):
    """Passes the trace id on to the called service."""

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        current = trace_id.get()
        if current:
            metadata = grpc.aio.Metadata(*(client_call_details.metadata or ()))
            metadata.add(TRACE_HEADER, current)
            client_call_details = client_call_details._replace(metadata=metadata)
        return await continuation(client_call_details, request)


def channel(address: str) -> grpc.aio.Channel:
    """A channel to another service; connects when first used, and again when the service comes back."""
    options = [
        *OPTIONS,
        ("grpc.initial_reconnect_backoff_ms", 200),
        ("grpc.max_reconnect_backoff_ms", 3000),
    ]
    return grpc.aio.insecure_channel(address, options=options, interceptors=[_TraceClient()])
