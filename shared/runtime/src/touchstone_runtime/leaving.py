"""How clients of others are left: whoever is away keeps nobody, and whatever a client ends by ends nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from touchstone_runtime.errors import words_of
from touchstone_runtime.telemetry import get_logger

# Seconds that a broker has for what it is told at the end; one that is there takes a moment.
LEAVE_S = 5.0
_BROKEN_OFF_S = 1.0
_log = get_logger()


async def leave(work: Awaitable[Any], what: str) -> None:
    """Do the last that is done with a client, and break it off where that takes too long; raises no fault of it.

    The Kafka library waits for ever for a broker that is away.

    Args:
        work: Tells somebody else that we go.
        what: What is left, for the log.
    """
    task = asyncio.ensure_future(work)
    for patience in (LEAVE_S, _BROKEN_OFF_S):
        await asyncio.wait({task}, timeout=patience)
        if task.done():
            break
        task.cancel()
    error = fault_of(task) if task.done() else asyncio.CancelledError("does not answer")
    if error is not None:
        _log.warning("left_in_haste", what=what, error=words_of(error) or type(error).__name__)


def fault_of(task: asyncio.Future[Any]) -> BaseException | None:
    """Why something that is done failed; None where it did not.

    Where the Kafka library breaks its own tasks off it tells whoever asked it that he was cancelled himself.
    """
    return asyncio.CancelledError("was broken off") if task.cancelled() else task.exception()


def is_cancelled() -> bool:
    """Whether somebody cancelled the task that asks; without that, a cancellation that it meets is a client's fault."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
