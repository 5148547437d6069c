"""How long to wait before trying again, and when to stop trying; what passes and what does not is in `faults`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from touchstone_runtime.errors import SuspendedError, words_of
from touchstone_runtime.faults import Fault, classify
from touchstone_runtime.telemetry import get_logger

T = TypeVar("T")
_log = get_logger()


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


def told(event: str, **fields: object) -> Callable[[Exception, Fault, int], None]:
    """What `attempt` is given where nobody else says what it waits for: the log has it, and is not filled with it.

    Args:
        event: What the log calls it.
        fields: What else it says.
    """

    def tell(error: Exception, _fault: Fault, tries: int) -> None:
        if tries in (1, 10) or tries % 60 == 0:
            _log.warning(event, **fields, error=words_of(error) or type(error).__name__)

    return tell


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
    tries = waits = 0
    while True:
        try:
            return await work()
        except Exception as error:
            fault = classify(error)
            # A wait says nothing about the work: only faults that count against it use its attempts up.
            waits, tries = (waits + 1, tries) if fault is Fault.WAIT else (0, tries + 1)
            on_fault(error, fault, waits or tries)
            if fault is Fault.FINAL or (fault is Fault.RETRY and tries >= policy.attempts):
                raise GivenUpError(error, tries) from error
            wait = error.retry_after_s if isinstance(error, SuspendedError) else policy.wait_s(waits or tries)
            await sleep(wait)
