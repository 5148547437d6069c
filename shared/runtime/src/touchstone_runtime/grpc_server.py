"""gRPC servers and channels: health, reflection, metrics, and errors mapped to status codes once."""

# The Kafka and gRPC libraries ship few types; what comes out of them is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from pydantic import ValidationError

from touchstone_runtime import metrics, tracing
from touchstone_runtime.dialling import ANSWERED, MESSAGE_BYTES, TRACE_HEADER, Carried, Identity, dial
from touchstone_runtime.errors import (
    NotFoundError,
    PermanentError,
    PreconditionError,
    RetryableError,
    StoppingError,
    SuspendedError,
    TouchstoneError,
    words_of,
)
from touchstone_runtime.faults import DependencyAwayError, Fault, classify, rpc_fault
from touchstone_runtime.gate import (
    Gate,
    NotAdmittedError,
    NotAllowedError,
    RequestTooLargeError,
    TooManyRequestsError,
    caller,
)
from touchstone_runtime.scopes import scope_of
from touchstone_runtime.telemetry import get_logger, trace_id

# Callers look a name up again when a connection ends: without an end they would never meet a replica that came later.
# Calls in flight are finished first, however long they take.
_SERVER_OPTIONS: list[tuple[str, Any]] = [
    ("grpc.max_send_message_length", MESSAGE_BYTES),
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),
    ("grpc.max_connection_age_ms", 30_000),
    # A quiet RPC is no reason to hang up: clients ping each minute, and a server that counts such pings as an attack
    # ends the connection at the fifth minute with "too many pings".
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
]
_CODE_OF = {
    Fault.WAIT: grpc.StatusCode.UNAVAILABLE,
    Fault.RETRY: grpc.StatusCode.INTERNAL,
    Fault.FINAL: grpc.StatusCode.INVALID_ARGUMENT,
}
# Whoever asks whether a server lives holds no token; all else needs one.
_OPEN = "/grpc.health."
_REFLECTION_SCOPE = "read"
# Bytes; each may be sent as three.
_MOST_WORDS = 2000
_WHOLE = (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64)
_log = get_logger()


def status_of(error: Exception) -> tuple[grpc.StatusCode, str]:
    """The status code and the words that a caller gets for a fault."""
    match error:
        case NotAdmittedError():
            return grpc.StatusCode.UNAUTHENTICATED, str(error)
        case NotAllowedError():
            return grpc.StatusCode.PERMISSION_DENIED, str(error)
        case TooManyRequestsError() | RequestTooLargeError():
            return grpc.StatusCode.RESOURCE_EXHAUSTED, str(error)
        case NotFoundError():
            return grpc.StatusCode.NOT_FOUND, str(error)
        case DependencyAwayError() | StoppingError():
            return grpc.StatusCode.UNAVAILABLE, str(error)
        case PreconditionError() | SuspendedError():
            return grpc.StatusCode.FAILED_PRECONDITION, str(error)
        case PermanentError() | ValidationError():
            return grpc.StatusCode.INVALID_ARGUMENT, str(error)
        case RetryableError():
            return grpc.StatusCode.UNAVAILABLE, str(error)
        case _LateError():
            return grpc.StatusCode.DEADLINE_EXCEEDED, str(error)
        case TouchstoneError():
            return grpc.StatusCode.INTERNAL, str(error)
        case grpc.aio.AioRpcError():
            return status_of(rpc_fault(error, "a service that this one calls"))
        case _:
            # What a client library raised, unnamed: the table knows whether somebody else is away.
            words = f"{type(error).__name__}: {words_of(error) or 'no words'}"
            return _CODE_OF[classify(error)], words


def _refuse_negative_counts(request: Any) -> None:
    """Whole numbers of a request are counts, but for seeds: below 0 they mean nothing, or all there is to some stores.

    Those of what stands in it once are among them; of many answers or labels whoever takes them says which is none.

    Raises:
        PermanentError: one is negative.
    """
    for held, value in request.ListFields():
        if held.message_type is not None and not held.is_repeated:
            _refuse_negative_counts(value)
        if held.cpp_type in _WHOLE and isinstance(value, int) and value < 0 and not held.name.endswith("seed"):
            raise PermanentError(f"{value} is below 0", thing=held.name, way_out="leave it out, or send a count")


@dataclass(frozen=True)
class Tls:
    """A server's certificate chain and key, PEM."""

    certificate: Path
    key: Path

    def check(self) -> None:
        """See whether a server can listen with these.

        Raises:
            PreconditionError: a file cannot be read, or is none of its kind, or the two do not belong together.
        """
        way_out = "correct TOUCHSTONE_TLS_CERTIFICATE and TOUCHSTONE_TLS_KEY"
        try:
            self._pair()
            # Of a key with a password nobody is asked for it.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key, password=lambda: b"")
        except ssl.SSLError as error:
            words = f"is no certificate with its key in {self.key}: {error.reason or 'no PEM'}"
            raise PreconditionError(words, thing=str(self.certificate), way_out=way_out) from error
        except OSError as error:
            words = f"cannot be read: {error.strerror}"
            raise PreconditionError(words, thing=str(error.filename), way_out=way_out) from error

    def credentials(self) -> grpc.ServerCredentials:
        """What the server listens with; a certificate that is renewed is shown to the next who connects.

        Raises:
            PreconditionError: as `check`.
        """
        self.check()
        shown = self._pair()

        def newer() -> grpc.ServerCertificateConfiguration | None:
            nonlocal shown
            try:
                now = self._pair()
            except OSError:
                return None
            if now == shown:
                return None
            shown = now
            return _certificate(now)

        # The stubs leave out that nothing new may be given.
        return grpc.dynamic_ssl_server_credentials(_certificate(shown), newer)  # pyright: ignore[reportArgumentType]

    async def follow(self, context: ssl.SSLContext | None, every_s: float = 60.0) -> None:
        """Have a server that uses this context show a certificate that is renewed; looks for one without end.

        Args:
            context: Of the server; None has nothing to show.
            every_s: How often it looks, in seconds.
        """
        shown = self._pair()
        while context is not None:
            await asyncio.sleep(every_s)
            # While it is being replaced the two may not belong together: then with the next look.
            with contextlib.suppress(OSError, ssl.SSLError):
                now = self._pair()
                if now != shown:
                    context.load_cert_chain(self.certificate, self.key)
                    shown = now

    def _pair(self) -> tuple[bytes, bytes]:
        return self.key.read_bytes(), self.certificate.read_bytes()


def _certificate(pair: tuple[bytes, bytes]) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration([pair])


class _Interceptor(grpc.aio.ServerInterceptor):
    """Lets callers in, times each RPC, carries the trace id, and turns faults into status codes.

    Args:
        gate: Who may come in.
        deadline_s: Longest that any RPC runs, whatever its caller allows, in seconds.
    """

    def __init__(self, gate: Gate, deadline_s: float) -> None:
        self._gate = gate
        self._deadline_s = deadline_s

    async def intercept_service(
        self,
        continuation: Callable[[Any], Awaitable[Any]],
        handler_call_details: Any,
    ) -> Any:
        handler = await continuation(handler_call_details)
        method = str(handler_call_details.method)
        if handler is None or method.startswith(_OPEN):
            return handler
        if handler.request_streaming:
            # Reflection alone: no RPC of this house takes a stream.
            return grpc.stream_stream_rpc_method_handler(
                self._guard_reflection(method, handler.stream_stream),
                request_deserializer=handler.request_deserializer,
                response_serializer=handler.response_serializer,
            )
        # Requests arrive as bytes: what is too large or comes from nobody is not even decoded, and what cannot be
        # decoded is the caller's fault, where gRPC itself would call it ours.
        decode, encode = handler.request_deserializer, handler.response_serializer
        if handler.response_streaming:
            guarded = self._guard_stream(method, decode, handler.unary_stream)
            return grpc.unary_stream_rpc_method_handler(guarded, response_serializer=encode)
        guarded = self._guard_unary(method, decode, handler.unary_unary)
        return grpc.unary_unary_rpc_method_handler(guarded, response_serializer=encode)

    def _admit(self, context: Any, method: str, decode: Callable[[bytes], Any], request: bytes) -> Any:
        # Each call has a context of its own, which ends with it.
        caller.set(self._gate.admit(_header(context, "authorization"), scope_of(method), len(request)))
        try:
            decoded = decode(request)
        except DecodeError as error:
            raise PermanentError(f"the request cannot be decoded: {error}", thing=method) from error
        _refuse_negative_counts(decoded)
        return decoded

    def _guard_unary(
        self, method: str, decode: Callable[[bytes], Any], call: Callable[[Any, Any], Awaitable[Any]]
    ) -> Callable[[Any, Any], Awaitable[Any]]:
        async def guarded(request: Any, context: Any) -> Any:
            started = time.monotonic()
            token = trace_id.set(_header(context, TRACE_HEADER))
            begun = tracing.serving(method, context.invocation_metadata() or ())
            code = grpc.StatusCode.CANCELLED
            metrics.RPCS_IN_FLIGHT.inc()
            limit = asyncio.timeout(self._deadline_s)
            try:
                decoded = self._admit(context, method, decode, request)
                async with limit:
                    answer = await call(decoded, context)
                code = grpc.StatusCode.OK
            except grpc.aio.AbortError:
                code = grpc.StatusCode.ABORTED
                raise
            except Exception as error:  # noqa: BLE001  mapped to a status code, once for all RPCs
                fault = self._late(limit, error)
                code = status_of(fault)[0]
                return await _fail(context, method, fault)
            finally:
                tracing.ended(begun, code.name)
                trace_id.reset(token)
                metrics.RPCS_IN_FLIGHT.dec()
                metrics.RPC_SECONDS.labels(method).observe(time.monotonic() - started)
            metrics.RPCS_HANDLED.labels(method, "OK").inc()
            return answer

        return guarded

    def _guard_stream(
        self, method: str, decode: Callable[[bytes], Any], call: Callable[[Any, Any], AsyncIterator[Any]]
    ) -> Callable[[Any, Any], AsyncIterator[Any]]:
        async def guarded(request: Any, context: Any) -> AsyncIterator[Any]:
            started = time.monotonic()
            trace_id.set(_header(context, TRACE_HEADER))
            begun = tracing.serving(method, context.invocation_metadata() or ())
            code = grpc.StatusCode.CANCELLED
            metrics.RPCS_IN_FLIGHT.inc()
            limit = asyncio.timeout(self._deadline_s)
            try:
                decoded = self._admit(context, method, decode, request)
                async with limit:
                    async for item in call(decoded, context):
                        yield item
                code = grpc.StatusCode.OK
            except grpc.aio.AbortError:
                code = grpc.StatusCode.ABORTED
                raise
            except Exception as error:  # noqa: BLE001  mapped to a status code, once for all RPCs
                fault = self._late(limit, error)
                code = status_of(fault)[0]
                await _fail(context, method, fault)
                return
            finally:
                tracing.ended(begun, code.name)
                metrics.RPCS_IN_FLIGHT.dec()
                metrics.RPC_SECONDS.labels(method).observe(time.monotonic() - started)
            metrics.RPCS_HANDLED.labels(method, "OK").inc()

        return guarded

    def _guard_reflection(
        self, method: str, call: Callable[[Any, Any], AsyncIterator[Any]]
    ) -> Callable[[Any, Any], AsyncIterator[Any]]:
        async def guarded(requests: Any, context: Any) -> AsyncIterator[Any]:
            try:
                self._gate.admit(_header(context, "authorization"), _REFLECTION_SCOPE, 0)
            except TouchstoneError as error:
                await _fail(context, method, error)
                return
            async for answer in call(requests, context):
                yield answer

        return guarded

    def _late(self, limit: asyncio.Timeout, error: Exception) -> Exception:
        if not limit.expired():
            return error
        return _LateError(
            f"took longer than {self._deadline_s:g} s",
            way_out="ask for less at once, or have TOUCHSTONE_RPC_DEADLINE_S allow more",
        )


class _LateError(TouchstoneError):
    """An RPC took longer than any may."""


def _header(context: Any, wanted: str) -> str:
    return next((str(value) for name, value in context.invocation_metadata() or () if name == wanted), "")


async def _fail(context: Any, method: str, error: Exception) -> None:
    code, words = status_of(error)
    metrics.RPCS_HANDLED.labels(method, code.name).inc()
    if code is grpc.StatusCode.INTERNAL:
        _log.error("rpc_failed", method=method, exc_info=error)
    # Words may hold what the caller sent; gRPC carries no more than a few kilobytes of them, and drops the code too.
    await context.abort(code, _sendable(words), ((ANSWERED, "1"),))


def _sendable(words: str) -> str:
    kept = words.encode(errors="replace")
    return kept.decode() if len(kept) <= _MOST_WORDS else kept[:_MOST_WORDS].decode(errors="ignore") + " …"


class GrpcServer:
    """A gRPC server with health and reflection.

    Args:
        listen: `host:port` (port 0 picks a free one) or `unix:PATH`.
        gate: Who may come in; everybody by default, which suits tests and a socket that file modes guard.
        tls: Certificate and key; None speaks plainly.
        deadline_s: Longest that any RPC runs, in seconds.
    """

    def __init__(
        self, listen: str, *, gate: Gate | None = None, tls: Tls | None = None, deadline_s: float = 3600.0
    ) -> None:
        self._listen = listen
        self._tls = tls
        self._server = grpc.aio.server(
            interceptors=[_Interceptor(gate or Gate(None), deadline_s)], options=_SERVER_OPTIONS
        )
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
            port = (
                self._server.add_secure_port(self._listen, self._tls.credentials())
                if self._tls
                else self._server.add_insecure_port(self._listen)
            )
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


def channel(address: str, identity: Identity | None = None) -> grpc.aio.Channel:
    """A channel to another service, which carries the trace on."""
    return dial(address, identity, _traced)


# Whoever awaits a call's code must not be collected before.
_ending: set[asyncio.Task[None]] = set()


def _traced(method: str) -> Carried:
    current = trace_id.get()
    carried = [(TRACE_HEADER, current)] if current else []
    if not tracing.is_on():
        return carried, None
    more, begun = tracing.calling(method)

    async def end(call: Any) -> None:
        tracing.ended(begun, (await call.code()).name)

    def done(call: Any) -> None:
        # Only now is the code there without a wait; to await the call itself would take its cancellation from it.
        task = asyncio.get_running_loop().create_task(end(call))
        _ending.add(task)
        task.add_done_callback(_ending.discard)

    return [*carried, *more], lambda call: call.add_done_callback(done)
