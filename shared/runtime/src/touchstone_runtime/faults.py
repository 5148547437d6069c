"""The one table of faults: for everything that can go wrong, whether to wait, to try again, or to give up.

Nobody else decides. An adapter that meets the fault of a server hands it to `rpc_fault` (or `database_fault`,
`file_fault`), which gives it the class that the table reads; the bus and the gRPC server read the same table.

| verdict | what it means | example |
|---|---|---|
| wait | something that the platform stands on is away; nothing is lost, the work goes on with it | UNAVAILABLE |
| retry | may pass; tried again so often as the settings say | an answer that makes no sense |
| final | the message, the run or the candidate is at fault | INVALID_ARGUMENT |
"""

# The Kafka and gRPC libraries ship few types; what comes out of them is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import errno
import re
import socket
from dataclasses import dataclass
from enum import Enum

import grpc
from aiokafka.errors import (
    ClusterAuthorizationFailedError,
    GroupAuthorizationFailedError,
    InvalidTimestampError,
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    MessageSizeTooLargeError,
    RecordTooLargeError,
    SaslAuthenticationFailed,
    TopicAuthorizationFailedError,
    UnsupportedSaslMechanismError,
)
from asyncpg.exceptions import InterfaceError as AsyncpgInterfaceError
from asyncpg.exceptions import PostgresError
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from touchstone_runtime.errors import PermanentError, PreconditionError, RetryableError, SuspendedError, words_of


class Fault(Enum):
    """What can be done about a fault."""

    # Something the platform stands on is away: wait without end, nothing is lost.
    WAIT = "wait"
    # May pass: try again a bounded number of times.
    RETRY = "retry"
    # Cannot pass.
    FINAL = "final"


class DependencyAwayError(SuspendedError):
    """Something that the platform stands on does not answer; the work waits for it."""


class DependencyFailedError(RetryableError):
    """Something that the platform stands on answered, and failed at this piece of work."""


class DependencyRefusedError(PermanentError):
    """What was asked for can never be had as it was asked."""


_CODES: dict[grpc.StatusCode, Fault] = {
    # The server is away, too busy, not ready for want of something that a person must bring, or was stopped with our
    # call in its hands; or it does not know us, or is another service or of another release than this one takes it
    # for, which only who runs the platform can mend.
    grpc.StatusCode.UNAVAILABLE: Fault.WAIT,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Fault.WAIT,
    grpc.StatusCode.FAILED_PRECONDITION: Fault.WAIT,
    grpc.StatusCode.CANCELLED: Fault.WAIT,
    grpc.StatusCode.UNAUTHENTICATED: Fault.WAIT,
    grpc.StatusCode.PERMISSION_DENIED: Fault.WAIT,
    grpc.StatusCode.UNIMPLEMENTED: Fault.WAIT,
    grpc.StatusCode.DEADLINE_EXCEEDED: Fault.RETRY,
    grpc.StatusCode.ABORTED: Fault.RETRY,
    grpc.StatusCode.INTERNAL: Fault.RETRY,
    grpc.StatusCode.UNKNOWN: Fault.RETRY,
    grpc.StatusCode.DATA_LOSS: Fault.RETRY,
    grpc.StatusCode.INVALID_ARGUMENT: Fault.FINAL,
    grpc.StatusCode.NOT_FOUND: Fault.FINAL,
    grpc.StatusCode.ALREADY_EXISTS: Fault.FINAL,
    grpc.StatusCode.OUT_OF_RANGE: Fault.FINAL,
}
# gRPC has no code of its own for a message beyond its limit, and it will be as large the next time. What a token may
# not send is told in other words: another token may.
_TOO_LARGE = re.compile(r"(Sent|Received) message larger than max \(")
# SQLSTATE classes (PostgreSQL manual, appendix A): connection, authorisation, resources, operator, system, schema.
_AWAY_STATES = ("08", "25006", "28", "3D", "3F", "42501", "53", "55P03", "57", "58")
_DATA_STATES = ("22",)
_AWAY_NUMBERS = frozenset(
    {
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EROFS,
        errno.EIO,
        errno.ESTALE,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOMEM,
        errno.ENETDOWN,
        errno.ENETUNREACH,
        errno.EHOSTDOWN,
        errno.EHOSTUNREACH,
        errno.ETIMEDOUT,
        errno.ENOTCONN,
    }
)
_KAFKA_AWAY = (
    KafkaConnectionError,
    KafkaTimeoutError,
    ClusterAuthorizationFailedError,
    GroupAuthorizationFailedError,
    # The clock here is more than an hour ahead of the broker's: that is mended, and no message is at fault for it.
    InvalidTimestampError,
    SaslAuthenticationFailed,
    TopicAuthorizationFailedError,
    UnsupportedSaslMechanismError,
)


def classify(error: BaseException) -> Fault:
    """Tell what can be done about a fault; a group of faults is as bad as its worst."""
    if isinstance(error, BaseExceptionGroup):
        found = {classify(inner) for inner in error.exceptions}
        return next(fault for fault in (Fault.FINAL, Fault.WAIT, Fault.RETRY) if fault in found)
    if isinstance(error, PermanentError | ValidationError | UnicodeDecodeError):
        return Fault.FINAL
    if isinstance(error, SuspendedError):
        return Fault.WAIT
    if isinstance(error, RetryableError):
        return Fault.RETRY
    if isinstance(error, KafkaError):
        return _of_kafka(error)
    if isinstance(error, grpc.aio.AioRpcError):
        return code_fault(error.code(), error.details() or "")
    if isinstance(error, DBAPIError | PostgresError | AsyncpgInterfaceError | PoolTimeoutError):
        return _of_database(error)
    if isinstance(error, ConnectionError | socket.gaierror):
        return Fault.WAIT
    if isinstance(error, OSError) and error.errno in _AWAY_NUMBERS:
        return Fault.WAIT
    return Fault.RETRY


def is_the_messages(error: BaseException) -> bool:
    """Whether a fault that ended a message's handling is the message's own, and not one of the service's.

    What a handler meets when it decodes or builds something of its own (a ValidationError of its own event, bytes that
    are no text) cannot pass either, but it is the service that made or took it.
    """
    if isinstance(error, BaseExceptionGroup):
        return all(is_the_messages(inner) for inner in error.exceptions)
    return classify(error) is Fault.FINAL and not isinstance(error, PreconditionError | ValidationError | UnicodeError)


def is_the_platforms(error: BaseException) -> bool:
    """Whether a fault is of what the platform stands on, so that the same work may well be done later.

    Anything else that a piece of work raises comes of what it was given, or of how the service reads it.
    """
    if classify(error) is not Fault.RETRY:
        return classify(error) is Fault.WAIT
    neighbours = (KafkaError, grpc.RpcError, DBAPIError, PostgresError, AsyncpgInterfaceError, PoolTimeoutError)
    return isinstance(error, (RetryableError, *neighbours))


def code_fault(code: grpc.StatusCode, details: str = "") -> Fault:
    """What a callee's status means for the caller's work."""
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED and _TOO_LARGE.search(details):
        return Fault.FINAL
    return _CODES.get(code, Fault.RETRY)


@dataclass(frozen=True)
class FaultKinds:
    """The classes that a service has for the faults of one neighbour, where its use cases tell them apart."""

    away: type[SuspendedError] = DependencyAwayError
    failed: type[RetryableError] = DependencyFailedError
    refused: type[PermanentError] = DependencyRefusedError


def rpc_fault(
    error: grpc.RpcError, service: str, *, kinds: FaultKinds | None = None, way_out: str = ""
) -> RetryableError | PermanentError:
    """The fault of a call to another service, in the class that the table has for it.

    Args:
        error: What the call raised.
        service: Who was called, for people.
        kinds: Classes of the caller's own for the three verdicts.
        way_out: What a person can do where the service is away or fails.
    """
    chosen = kinds or FaultKinds()
    code = error.code() if isinstance(error, grpc.aio.AioRpcError | grpc.Call) else grpc.StatusCode.UNKNOWN
    details = (error.details() if isinstance(error, grpc.aio.AioRpcError | grpc.Call) else str(error)) or ""
    words = f"{code.name}: {details}" if details else code.name
    match code_fault(code, details):
        case Fault.WAIT:
            return chosen.away(
                f"does not take the call: {words}", thing=service, way_out=way_out or "see `touchstone status`"
            )
        case Fault.RETRY:
            return chosen.failed(
                f"failed: {words}", thing=service, way_out=way_out or f"see `touchstone logs {service}`"
            )
        case Fault.FINAL:
            return chosen.refused(f"refuses: {details or code.name}", thing=service)


def refused(error: grpc.aio.AioRpcError) -> str:
    """The callee's words when it says that the request itself is at fault; empty when it says anything else."""
    if code_fault(error.code(), error.details() or "") is Fault.FINAL:
        return error.details() or error.code().name
    return ""


def file_fault(error: Exception, thing: str, *, way_out: str = "") -> RetryableError:
    """The fault of a folder or bucket that the platform keeps things in: whatever it is, it is not the message's."""
    return DependencyAwayError(f"cannot be used: {error}", thing=thing, way_out=way_out or "is the disk full or away?")


def database_fault(error: Exception) -> RetryableError:
    """The fault of connecting to the database."""
    words = words_of(error) or type(error).__name__
    return DependencyAwayError(f"cannot be reached: {words}", thing="the database", way_out="see `touchstone status`")


def _of_kafka(error: KafkaError) -> Fault:
    if isinstance(error, MessageSizeTooLargeError | RecordTooLargeError):
        return Fault.FINAL
    if error.retriable or isinstance(error, _KAFKA_AWAY):
        return Fault.WAIT
    return Fault.RETRY


def _of_database(error: Exception) -> Fault:
    original = getattr(error, "orig", None) or error
    state = str(getattr(original, "sqlstate", None) or "")
    if not state and (cause := getattr(original, "__cause__", None)) is not None:
        state = str(getattr(cause, "sqlstate", None) or "")
    refused = isinstance(original, ValueError) or isinstance(getattr(original, "__cause__", None), ValueError)
    if refused or state.startswith(_DATA_STATES):
        # The driver refuses a value with a ValueError, the server with a state of its own: the value stays what it is.
        return Fault.FINAL
    if state.startswith(_AWAY_STATES):
        return Fault.WAIT
    if state:
        return Fault.RETRY
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return Fault.WAIT
    lost = OperationalError | InterfaceError | AsyncpgInterfaceError | PoolTimeoutError
    return Fault.WAIT if isinstance(error, lost) else Fault.RETRY
