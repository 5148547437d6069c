"""What becomes of runs is a fact like a verdict: kept with what it does, told, and met again in a replay."""

from __future__ import annotations

from evaluator.domain.lives import RunChange
from evaluator.domain.runs import Run
from evaluator.ports import Announcer, Store, TaskLists
from touchstone_runtime.errors import TouchstoneError


async def publish_changes(store: Store, announcer: Announcer, run_id: str = "") -> int:
    """Tell of changes that were kept and not told, of one run or of all; gives how many.

    Raises:
        TouchstoneError: One could not be told; those of other runs were.
    """
    told = 0
    failed: dict[str, TouchstoneError] = {}
    for change in await store.unpublished_changes(run_id):
        if change.run_id in failed:
            continue
        try:
            await announcer.run_changed(change, await store.find_run(change.run_id))
        except TouchstoneError as error:
            failed[change.run_id] = error
            continue
        await store.mark_published([change])
        told += 1
    for error in failed.values():
        raise error
    return told


async def learn_change(store: Store, lists: TaskLists, change: RunChange, run: Run | None) -> None:
    """Let a change hold that somebody told of; one that is known changes nothing.

    What is open again by it is asked for by the sweep that publishes what a crash left unpublished.

    Args:
        store: The evaluator's memory.
        lists: Knows the run's tasks where the store does not, as in a replay.
        change: What became of the run.
        run: As whoever told of it describes it; None where it was removed.
    """
    await store.learn_change(change)
    known = None if run is None else await known_run(store, lists, run)
    if known is not None and known.paused:
        # Tasks that came meanwhile: of those that nobody asks for no request tells.
        await store.save_run(known, await _ids_of(lists, known))


async def known_run(store: Store, lists: TaskLists, run: Run) -> Run | None:
    """A run as it is known here, or made known as it is described; None where it was removed."""
    if (known := await store.find_run(run.run_id)) is not None:
        return known
    if await store.is_forgotten(run.run_id):
        return None
    ids = await _ids_of(lists, run)
    await store.save_run(run, ids)
    # A replay asks for what was asked for, and for nothing more.
    await store.mark_requested(run.run_id, [(each, number) for each in ids for number in range(run.spec.samples)])
    return await store.find_run(run.run_id)


async def _ids_of(lists: TaskLists, run: Run) -> list[str]:
    digest = run.spec.tasks.digest
    return (await lists.get(digest) if digest else None) or []
