"""Which faults pass, and how long to wait before trying again."""

# The Kafka and gRPC libraries ship few types; what comes out of them is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

import grpc
from aiokafka.errors import KafkaConnectionError, KafkaError
from pydantic import ValidationError
from sqlalchemy.exc import InterfaceError, OperationalError

from touchstone_runtime.errors import PermanentError, SuspendedError

T = TypeVar("T")

_WAITABLE_RPC = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED})
_FINAL_RPC = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.OUT_OF_RANGE,
    }
)


class Fault(Enum):
    """What can be done about a fault."""

    # Something the platform stands on is away: wait without end, nothing is lost.
    WAIT = "wait"
    # May pass: try again a bounded number of times.
    RETRY = "retry"
    # Cannot pass.
    FINAL = "final"


def classify(error: BaseException) -> Fault:
    """Tell what can be done about a fault."""
    if isinstance(error, PermanentError | ValidationError | UnicodeDecodeError):
        return Fault.FINAL
    if isinstance(error, SuspendedError | OperationalError | InterfaceError | ConnectionError):
        return Fault.WAIT
    if isinstance(error, KafkaError):
        return Fault.WAIT if error.retriable or isinstance(error, KafkaConnectionError) else Fault.RETRY
    if isinstance(error, grpc.aio.AioRpcError):
        if error.code() in _WAITABLE_RPC:
            return Fault.WAIT
        return Fault.FINAL if error.code() in _FINAL_RPC else Fault.RETRY
    return Fault.RETRY


@dataclass(frozen=True)
class RetryPolicy:
    """Exponential backoff: `backoff_s`, twice that, and so on up to `backoff_max_s`."""

    attempts: int = 5
    backoff_s: float = 0.5
    backoff_max_s: float = 15.0

    def wait_s(self, attempt: int) -> float:
        """Seconds to wait after the given failed attempt, the first being 1."""
        return min(self.backoff_s * 2 ** min(attempt - 1, 30), self.backoff_max_s)


class GivenUpError(Exception):
    """A piece of work failed for good; `cause` is the last fault."""

    def __init__(self, cause: Exception, attempts: int) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.attempts = attempts


async def attempt(
    work: Callable[[], Awaitable[T]],
    policy: RetryPolicy,
    *,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    on_fault: Callable[[Exception, Fault, int], None] = lambda _error, _fault, _attempt: None,
) -> T:
    """Do the work, again while its faults may pass.

    Args:
        work: Does the work once.
        policy: How often and with what waits.
        sleep: Waits so many seconds; tests pass their own.
        on_fault: Called after each fault, for logs and metrics.

    Raises:
        GivenUpError: the fault is final, or the attempts are used up.
    """
    tries = 0
    while True:
        tries += 1
        try:
            return await work()
        except Exception as error:
            fault = classify(error)
            on_fault(error, fault, tries)
            if fault is Fault.FINAL or (fault is Fault.RETRY and tries >= policy.attempts):
                raise GivenUpError(error, tries) from error
            wait = error.retry_after_s if isinstance(error, SuspendedError) else policy.wait_s(tries)
            await sleep(wait)
