"""Answers whose questions are asked in batches: put away until the batch is back, then asked for again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from evaluator.ports import Announcer, Place, Store

# Answers of a run that are asked for again before it is noted: what comes in between asks for so many twice.
MOST_WOKEN = 2000


class Parked(Protocol):
    """Answers of runs that wait for something, by its key."""

    async def park(self, run_id: str, place: Place, key: str) -> None:
        """Note that an answer waits; it waits for one thing at a time."""
        ...

    async def parked(self) -> list[tuple[str, Place, str]]:
        """Run, place and key of every answer that waits, sorted."""
        ...

    async def unpark(self, run_id: str, waited: Sequence[tuple[Place, str]]) -> None:
        """These answers of a run, however many, wait no more for these keys; one that waits for another by now does."""
        ...


class Batches(Protocol):
    """Questions to models that are asked in batches, by the keys of their requests."""

    async def waiting(self, keys: Collection[str]) -> set[str]:
        """Those of these questions of which an answer or a fault is still to come."""
        ...

    async def give_up(self, keys: Collection[str]) -> None:
        """Nobody waits for these questions any more."""
        ...

    async def begin_anew(self, model: str) -> None:
        """Forget what failed of a model's questions, so that they are asked again."""
        ...


@dataclass(frozen=True)
class Parking:
    """Looks after answers that wait for a batch.

    A run puts every answer away with the first question that waits, and so is free to ask the next: this is how the
    questions of a run come together. Asked for again, a strategy begins anew, finds in the cache what it has asked
    before, and comes as far as its next question.

    Args:
        store: The evaluator's memory.
        announcer: Publishes requests.
        parked: Which answers wait.
        batches: What they wait for.
    """

    store: Store
    announcer: Announcer
    parked: Parked
    batches: Batches

    async def wake(self) -> int:
        """Ask again for every answer whose question waits no more; gives how many.

        Published first and noted second: a request that comes twice finds its solution.
        """
        known = await self.parked.parked()
        waiting = await self.batches.waiting({key for _, _, key in known})
        due: dict[str, list[tuple[Place, str]]] = {}
        for run_id, place, key in known:
            if key not in waiting:
                due.setdefault(run_id, []).append((place, key))
        for run_id, waited in due.items():
            for at in range(0, len(waited), MOST_WOKEN):
                await self._ask(run_id, waited[at : at + MOST_WOKEN])
        return sum(map(len, due.values()))

    async def _ask(self, run_id: str, waited: Sequence[tuple[Place, str]]) -> None:
        # A run that was removed asks for nothing, and one that was paused for nothing that the pause took back.
        if (run := await self.store.find_run(run_id)) is not None:
            held = await self.store.unasked(run_id) if run.paused else set[Place]()
            await self.announcer.request_solutions(run, [place for place, _ in waited if place not in held])
        await self.parked.unpark(run_id, waited)

    async def give_up(self, run_id: str) -> None:
        """A run waits for nothing more; what no other run waits for is not asked, or cancelled where it is."""
        known = await self.parked.parked()
        others = {key for run, _, key in known if run != run_id}
        await self.batches.give_up({key for run, _, key in known if run == run_id} - others)

    async def begin_anew(self, model: str) -> None:
        """Somebody asks for a run of this model again: its questions that failed may be asked again."""
        await self.batches.begin_anew(model)
