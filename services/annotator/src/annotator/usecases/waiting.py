"""Pairs of the pools, judged one after the other in the order of what they tell, as far as the budget goes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from annotator.domain.pair import Pair
from annotator.ports.waiting import Waiting, WaitingPair, WaitingState
from annotator.usecases.judging import require_judgeable
from annotator.usecases.labelling import Labelling
from touchstone_runtime.faults import Fault
from touchstone_runtime.retry import GivenUpError, RetryPolicy, attempt
from touchstone_runtime.telemetry import get_logger

# A lease lasts longer than three of these.
KEEP_EVERY_S = 20.0
# Pairs that another process put back, and budgets whose next period begins, are seen after this long.
LOOK_EVERY_S = 5.0
_log = get_logger()


class PoolWork:
    """Lets proposed pairs wait, and judges them.

    Args:
        labelling: Judges and keeps labels; its model pays from the purse of `waiting`.
        waiting: Where pairs wait.
        policy: How often a pair is tried whose judging fails.
        sleep: Waits so many seconds.
        stopping: Set when the process shall end: no further pair is begun, and what waits in hand is given back.
    """

    def __init__(
        self,
        labelling: Labelling,
        waiting: Waiting,
        policy: RetryPolicy,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        stopping: asyncio.Event | None = None,
    ) -> None:
        self._labelling = labelling
        self._waiting = waiting
        self._policy = policy
        self._stopping = stopping or asyncio.Event()
        self._sleep = sleep
        self._news = asyncio.Event()
        self._stands: dict[str, str] = {}

    async def enter(self, pair: Pair, worth: float) -> None:
        """Let a pair wait for its turn; one that has its label is announced again instead.

        Raises:
            BadPairError: there is nothing to judge.
        """
        require_judgeable(pair)
        if not await self._labelling.known(pair):
            await self._waiting.enter(pair, worth)
            self._news.set()

    async def work(self) -> None:
        """Judge pairs until the process shall end; several of these share the pairs."""
        while not self._stopping.is_set():
            self._news.clear()
            busy = False
            try:
                busy = await self.step()
            except Exception as error:  # noqa: BLE001  the store is away, for example: the pair keeps its place
                _log.warning("waiting_pairs_unreadable", error=f"{type(error).__name__}: {error}")
            if not busy:
                await _first_of(self._news.wait(), self._stopping.wait(), asyncio.sleep(LOOK_EVERY_S))

    async def step(self) -> bool:
        """Judge the first pair that waits; False where none may be begun now.

        Raises:
            asyncio.CancelledError: the process shall end; the pair was given back, and whoever takes it next has the
                answers that it has had so far.
        """
        pair = await self._waiting.take()
        if pair is None:
            return False
        try:
            async with self._kept(pair):
                await attempt(lambda: self._judge(pair), self._policy, sleep=self._pause, on_fault=self._tell_of(pair))
        except GivenUpError as error:
            _log.warning("pair_set_aside", pair_id=pair.pair_id, error=str(error))
            await self._waiting.set_aside(pair.pair_id, f"{type(error.cause).__name__}: {error}")
            return True
        except asyncio.CancelledError:
            # The next process takes it at once, rather than when the lease ends.
            await asyncio.shield(self._waiting.give_back(pair.pair_id))
            raise
        finally:
            self._stands.pop(pair.pair_id, None)
        await self._waiting.done(pair.pair_id)
        return True

    async def state(self) -> WaitingState:
        """How many pairs wait, and what the budget has left."""
        return await self._waiting.state()

    async def listed(self, limit: int) -> Sequence[WaitingPair]:
        """The first pairs in their order, those that were set aside last."""
        return await self._waiting.listed(limit)

    @property
    def activities(self) -> list[str]:
        """What is being judged, and what stands still and why, one line each."""
        return [*dict.fromkeys(self._stands.values()), *self._labelling.activities]

    async def _judge(self, pair: Pair) -> None:
        # People may have decided meanwhile, or a caller asked for the same pair.
        if not await self._labelling.known(pair):
            await self._labelling.label(pair)

    async def _pause(self, seconds: float) -> None:
        await _first_of(self._sleep(seconds), self._stopping.wait())
        if self._stopping.is_set():
            raise asyncio.CancelledError

    def _tell_of(self, pair: Pair) -> Callable[[Exception, Fault, int], None]:
        def tell(error: Exception, fault: Fault, _attempt: int) -> None:
            if fault is not Fault.FINAL:
                self._stands[pair.pair_id] = f"pairs of pools: waiting: {error}"

        return tell

    @contextlib.asynccontextmanager
    async def _kept(self, pair: Pair) -> AsyncGenerator[None]:
        async def keep() -> None:
            while True:
                await asyncio.sleep(KEEP_EVERY_S)
                with contextlib.suppress(Exception):
                    await self._waiting.keep(pair.pair_id)

        keeping = asyncio.create_task(keep())
        try:
            yield
        finally:
            keeping.cancel()


async def _first_of(*waits: Awaitable[object]) -> None:
    """Wait until one of these is over; a fault of it is raised."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()


def held_line(state: WaitingState) -> str:
    """What a person is told while the budget holds pairs; empty where it holds none."""
    if not state.standing:
        return ""
    when = f"goes on {state.ends:%Y-%m-%d %H:%M} UTC" if state.ends else "change it and restart the annotator"
    return f"{state.standing:,} proposed pairs are held: {state.held} ({when}; TOUCHSTONE_ANNOTATOR_BUDGET_…)"
