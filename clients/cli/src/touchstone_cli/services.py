"""Calls to services, with faults told in one line."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import grpc

from touchstone_cli.errors import CliError
from touchstone_cli.settings import address_of, identity
from touchstone_runtime.dialling import answered, dial_blocking

# Service: module of its stubs, and the name of its gRPC service.
_STUBS = {
    "ingester": ("touchstone.ingester.v1.ingester", "IngesterService"),
    "embedder": ("touchstone.embedder.v1.embedder", "EmbedderService"),
    "retriever": ("touchstone.retriever.v1.retriever", "RetrieverService"),
    "annotator": ("touchstone.annotator.v1.annotator", "AnnotatorService"),
    "sandbox-executor": ("touchstone.sandbox.v1.sandbox", "SandboxService"),
    "pbt-generator": ("touchstone.pbt_generator.v1.pbt_generator", "PbtGeneratorService"),
    "evaluator": ("touchstone.evaluator.v1.evaluator", "EvaluatorService"),
}


class Caller(Protocol):
    """A connection to a service."""

    @property
    def messages(self) -> Any:
        """The module with its request types."""
        ...

    def call(self, method: str, request: Any = None, *, timeout_s: float = 60.0) -> Any:
        """Call a method; raises CliError."""
        ...


class Streaming(Caller, Protocol):
    """A connection to a service that also answers in pieces."""

    def stream(self, method: str, request: Any, *, timeout_s: float = 600.0) -> Iterator[Any]:
        """Call a method that answers with a stream; raises CliError."""
        ...


@dataclass(frozen=True)
class Service:
    """A connection to one service.

    Attributes:
        name: Its name.
        address: Where it is.
        messages: The module with its request and answer types.
    """

    name: str
    address: str
    messages: Any
    _stub: Any
    _channel: grpc.Channel

    def call(self, method: str, request: Any = None, *, timeout_s: float = 60.0) -> Any:
        """Call a method and wait for its answer.

        Args:
            method: Name of the RPC.
            request: Its request; an empty one by default.
            timeout_s: Deadline.

        Raises:
            CliError: the service cannot be reached, or refuses; the message is one line for the user.
        """
        if request is None:
            request = getattr(self.messages, f"{method}Request")()
        try:
            return getattr(self._stub, method)(request, timeout=timeout_s)
        except grpc.RpcError as error:
            raise explain(self.name, self.address, error) from error

    def stream(self, method: str, request: Any, *, timeout_s: float = 600.0) -> Iterator[Any]:
        """Call a method that answers with a stream; yields its messages. Who reads no further cancels the call.

        Raises:
            CliError: as `call`.
        """
        running = getattr(self._stub, method)(request, timeout=timeout_s)
        try:
            yield from running
        except grpc.RpcError as error:
            raise explain(self.name, self.address, error) from error
        finally:
            running.cancel()

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()


class PassingError(CliError):
    """A fault that may be over soon: a service restarts, its database or the broker is away."""


class UnreachableError(PassingError):
    """Nothing answers at a service's address."""


def connect(name: str, address: str = "", server_name: str = "") -> Service:
    """A connection to a service by its name; nothing is sent before the first call.

    Args:
        name: For example "ingester".
        address: `host:port` or `unix:PATH`; by default the one in force.
        server_name: Whose certificate is expected, where the address does not say it.
    """
    module, service = _STUBS[name]
    where = address or address_of(name)
    channel = dial_blocking(where, identity(), server_name)
    stub = getattr(importlib.import_module(f"{module}_pb2_grpc"), f"{service}Stub")(channel)
    return Service(name, where, importlib.import_module(f"{module}_pb2"), stub, channel)


def explain(name: str, address: str, error: grpc.RpcError) -> CliError:
    """The one line that says what an RPC's fault means for the user."""
    code = error.code() if isinstance(error, grpc.Call) else grpc.StatusCode.UNKNOWN
    details = (error.details() if isinstance(error, grpc.Call) else "") or ""
    details = " ".join(details.split())
    heard = answered(error)
    if code is grpc.StatusCode.UNAVAILABLE and not heard and ("connect" in details.lower() or not details):
        return UnreachableError(f"the {name} does not answer at {address}; start it with `touchstone up`")
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return PassingError(
            f"the {name} {details}" if heard else f"the {name} took too long; see `touchstone logs {name}`"
        )
    if code is grpc.StatusCode.UNAUTHENTICATED:
        return CliError(
            f"the {name} at {address} does not know us: {details}; name a token with TOUCHSTONE_TOKEN or "
            "TOUCHSTONE_TOKEN_FILE"
        )
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return CliError(f"the {name} at {address} does not know this request; is it of another version?")
    if code in (grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL):
        return PassingError(f"the {name} failed ({details or code.name}); see `touchstone logs {name}`")
    if code is grpc.StatusCode.UNAVAILABLE:
        return PassingError(details)
    return CliError(details or f"the {name} refused: {code.name}")
