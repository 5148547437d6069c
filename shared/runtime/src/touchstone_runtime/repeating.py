"""Background work that is done every so often."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from touchstone_runtime.faults import classify
from touchstone_runtime.leaving import is_cancelled
from touchstone_runtime.telemetry import get_logger

_log = get_logger()


async def repeat(work: Callable[[], Awaitable[object]], every_s: float) -> None:
    """Do a piece of background work every so often, for ever; what fails is said, and done again the next time.

    Args:
        work: Does it once.
        every_s: Seconds between two times.
    """
    while True:
        await _done(work)
        await asyncio.sleep(every_s)


async def until_done(work: Callable[[], Awaitable[object]], every_s: float) -> None:
    """Do a piece of background work once; where it fails that is said, and it is done again until it goes well.

    Args:
        work: Does it.
        every_s: Seconds between two tries.
    """
    while True:
        if await _done(work):
            return
        await asyncio.sleep(every_s)


async def _done(work: Callable[[], Awaitable[object]]) -> bool:
    try:
        await work()
    except (Exception, asyncio.CancelledError) as error:
        if is_cancelled():
            raise
        # Whatever it is, the next time may go well.
        _log.warning("sweep_failed", fault=classify(error).value, error=f"{type(error).__name__}: {error}")
        return False
    return True
