"""How a client reaches a service: TLS, the token, the trace id. Clients and services use this and nothing else.

Calls go to the address that was given, through no proxy: `http_proxy` and its kin are for what fetches.

Example:
    identity = Identity.of(token_file=Path(".state/token"))
    with dial_blocking("127.0.0.1:7103", identity) as channel:
        RetrieverServiceStub(channel).Search(request, timeout=10)
"""

# gRPC ships few types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUntypedBaseClass=false

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import grpc

from touchstone_runtime.identity import SYSTEM, Identity, as_token

__all__ = ["SYSTEM", "Identity", "answered", "as_token", "dial", "dial_blocking"]

MESSAGE_BYTES = 64 * 1024 * 1024
TRACE_HEADER = "touchstone-trace-id"
# Set behind every fault that a server of this house answers: what it says of others who are away is then not taken for
# what gRPC says of the server itself.
ANSWERED = "touchstone-answered"
# A server that stops gives back the calls that it had not begun. RPCs of this house bear being sent twice, for their
# ids are made from content. Only a session's steps do not, which change what the next one finds, and judging again,
# which judges once more what came back meanwhile. What a server says of itself takes some tenths of a second longer to
# arrive by this.
_ONCE = (
    *(
        ("touchstone.sandbox.v1.SandboxService", method)
        for method in ("OpenSession", "ExecuteInSession", "CloseSession")
    ),
    ("touchstone.evaluator.v1.EvaluatorService", "JudgeAgain"),
)
_RETRIES: dict[str, Any] = {
    "methodConfig": [
        {"name": [{"service": service, "method": method} for service, method in _ONCE]},
        {
            "name": [{}],
            "retryPolicy": {
                "maxAttempts": 4,
                "initialBackoff": "0.05s",
                "maxBackoff": "0.5s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE", "CANCELLED"],
            },
        },
    ]
}
NO_PROXY = ("grpc.enable_http_proxy", 0)
OPTIONS: list[tuple[str, Any]] = [
    ("grpc.max_send_message_length", MESSAGE_BYTES),
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    # A connection that broke without a word is noticed; the servers of this house bear a ping every ten seconds.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 3000),
    # A pod that takes another's place has another address. gRPC would keep to the old ones for 30 s after a look-up.
    ("grpc.dns_min_time_between_resolutions_ms", 1000),
    # A name may stand for several replicas: calls take turns among them.
    ("grpc.lb_policy_name", "round_robin"),
    ("grpc.service_config", json.dumps(_RETRIES)),
    # gRPC would by itself go through a proxy that the environment names, to this machine too, and without TLS show it
    # the token.
    NO_PROXY,
]
# What a call carries beside its identity, by the method; and who is told of the call once it is begun.
Carried = tuple[list[tuple[str, str]], Callable[[Any], None] | None]


def _nothing(_method: str) -> Carried:
    return [], None


def dial(
    address: str, identity: Identity | None = None, trace: Callable[[str], Carried] = _nothing
) -> grpc.aio.Channel:
    """An asyncio channel; connects when first used, and again when the service comes back.

    Args:
        address: Where.
        identity: What is shown and trusted.
        trace: Begins a call's part of its trace: what the call carries, and who is told of the call.
    """
    shown = identity or Identity()
    inside: list[Any] = [_AsyncUnary(shown, trace), _AsyncStream(shown, trace)]
    credentials = shown.credentials(address)
    if credentials is None:
        return grpc.aio.insecure_channel(address, options=OPTIONS, interceptors=inside)
    return grpc.aio.secure_channel(address, credentials, options=OPTIONS, interceptors=inside)


def dial_blocking(address: str, identity: Identity | None = None, server_name: str = "") -> grpc.Channel:
    """A channel for programs without an event loop.

    Args:
        address: Where.
        identity: What is shown and trusted.
        server_name: Whose certificate is expected, where the address does not say it: one replica of a service.
    """
    shown = identity or Identity()
    credentials = shown.credentials(address)
    if credentials is None:
        plain = grpc.insecure_channel(address, options=OPTIONS)
    else:
        named = [("grpc.ssl_target_name_override", server_name)] if server_name else []
        plain = grpc.secure_channel(address, credentials, options=[*OPTIONS, *named])
    return grpc.intercept_channel(plain, _Blocking(shown))


def answered(error: Exception) -> bool:
    """Whether a fault is what a server of this house answered, and no word of gRPC's own."""
    trailers = error.trailing_metadata() if isinstance(error, grpc.Call | grpc.aio.AioRpcError) else None
    return any(name == ANSWERED for name, _ in trailers or ())


def _carrying(details: Any, more: Sequence[tuple[str, str]]) -> Any:
    metadata = grpc.aio.Metadata(*(details.metadata or ()))
    for name, value in _lacking(details.metadata, more):
        metadata.add(name, value)
    return details._replace(metadata=metadata)


def _lacking(given: Any, more: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """What a call carries besides what it was given: a token of its own stays its only one."""
    own = any(name == "authorization" for name, _ in given or ())
    return [(name, value) for name, value in more if not own or name != "authorization"]


async def _begin(
    trace: Callable[[str], Carried], identity: Identity, continuation: Any, details: Any, request: Any
) -> Any:
    method = details.method if isinstance(details.method, str) else details.method.decode()
    more, told = trace(method)
    call = await continuation(_carrying(details, [*identity.metadata(), *more]), request)
    if told is not None:
        told(call)
    return call


class _AsyncUnary(grpc.aio.UnaryUnaryClientInterceptor):
    def __init__(self, identity: Identity, trace: Callable[[str], Carried]) -> None:
        self._identity = identity
        self._trace = trace

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return await _begin(self._trace, self._identity, continuation, client_call_details, request)


class _AsyncStream(grpc.aio.UnaryStreamClientInterceptor):
    def __init__(self, identity: Identity, trace: Callable[[str], Carried]) -> None:
        self._identity = identity
        self._trace = trace

    async def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return await _begin(self._trace, self._identity, continuation, client_call_details, request)


class _BlockingDetails(grpc.ClientCallDetails):
    def __init__(self, details: Any, metadata: Sequence[tuple[str, str]]) -> None:
        self.method = details.method
        self.timeout = details.timeout
        self.metadata = (*(details.metadata or ()), *_lacking(details.metadata, metadata))
        self.credentials = details.credentials
        self.wait_for_ready = details.wait_for_ready
        self.compression = details.compression


class _Blocking(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    def __init__(self, identity: Identity) -> None:
        self._identity = identity

    def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return continuation(_BlockingDetails(client_call_details, self._identity.metadata()), request)

    def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return continuation(_BlockingDetails(client_call_details, self._identity.metadata()), request)
