"""Tasks come, and some are taken back."""

from __future__ import annotations

from evaluator.domain.tasks import Retraction, Task
from evaluator.ports import Store


async def learn_task(store: Store, task: Task) -> None:
    """Keep a released task; it takes part in runs that are started from now on."""
    await store.save_task(task)


async def retract_task(store: Store, task_id: str, reason: str) -> None:
    """Take a task out of every score; scores are computed when they are read, so nothing else is to do."""
    await store.retract_task(task_id, reason or "retracted without a reason")


async def get_retractions(store: Store) -> list[Retraction]:
    """What was taken back, with the public notes."""
    return await store.retractions()
