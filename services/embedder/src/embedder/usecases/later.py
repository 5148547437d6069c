"""Vectors of the models that come later, behind all other work."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from embedder.ports import FunctionStore
from embedder.usecases.ensemble import Ensemble
from embedder.usecases.functions import EmbedFunctions

# How long counts are good for, and how often a model that is not there is tried again.
_AGAIN_S = 60.0
# The counts, while something comes.
_GREW_AGAIN_S = 10.0


@dataclass(frozen=True)
class LaterProgress:
    """How far the models are that come later.

    Args:
        done: Functions that have the vectors of all models.
        total: Functions that are embedded.
        left_s: Seconds that what is left takes where nothing comes between; -1 where it is not known yet.
        rests: Nothing new waits, and nothing came for some time.
    """

    done: int
    total: int
    left_s: float
    rests: bool

    @property
    def caught_up(self) -> bool:
        """Whether the sources rest and all that came of them has all vectors."""
        return self.rests and 0 < self.total == self.done


class EmbedLater:
    """Goes over what is embedded and publishes each function once more, with the vectors of all models.

    It goes on only while nothing new waits and nothing came for some time, a few functions at a time. What is done is
    marked in the store, so that it goes on where it was stopped; of several replicas one does it.

    Args:
        ensemble: The models; those that were not there at the start are tried again.
        embed: Embeds and publishes.
        store: Functions and vectors.
        lag: Functions that wait; -1 when nobody can say.
        rest_s: How long nothing new may have come, in seconds.
        page: Functions at a time: so many, at most, stand before one that comes meanwhile.
        clock: Seconds.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        embed: EmbedFunctions,
        store: FunctionStore,
        lag: Callable[[], Awaitable[int]],
        *,
        rest_s: float = 120.0,
        page: int = 16,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ensemble = ensemble
        self._embed = embed
        self._store = store
        self._lag = lag
        self._rest_s = rest_s
        self._page = page
        self._clock = clock
        self._tried_at = self._counted_at = -math.inf
        self._given, self._spent_s = 0, 0.0
        self.progress: LaterProgress | None = None

    async def __call__(self) -> int:
        """Do what is left as long as nothing new comes; gives how many functions got vectors."""
        await self._ensemble.wait_loaded()
        rests = await self._rests()
        # Without any model functions wait for one, and so does what comes later.
        if rests or not self._ensemble.models:
            await self._try_missing()
        if not self._ensemble.later:
            self.progress = None
            return 0
        grew = self._embed.grew_at >= self._counted_at
        again_s = _GREW_AGAIN_S if grew else _AGAIN_S
        if self.progress is None or self._clock() - self._counted_at >= again_s or rests != self.progress.rests:
            await self._count(rests=rests)
        if not rests or self.progress is None or self.progress.done >= self.progress.total:
            return 0
        async with self._store.turn() as mine:
            given = await self._walk() if mine else 0
        await self._count(rests=await self._rests())
        return given

    async def _rests(self) -> bool:
        return self._clock() - self._embed.grew_at >= self._rest_s and await self._lag() == 0

    async def _try_missing(self) -> None:
        if self._ensemble.unavailable and self._clock() - self._tried_at >= _AGAIN_S:
            await self._ensemble.load_missing()
            self._tried_at, self.progress = self._clock(), None

    async def _count(self, *, rests: bool) -> None:
        counts = [await self._store.embedded_by(key) for key in await self._embed.whole_keys()]
        done, total = sum(done for done, _total in counts), counts[-1][1]
        self._counted_at = self._clock()
        self.progress = LaterProgress(done, total, self._left_s(total - done), rests)

    async def _walk(self) -> int:
        given, after, keys = 0, "", await self._embed.whole_keys()
        while await self._rests():
            units = await self._store.not_embedded_by(keys, after, self._page)
            if not units:
                break
            began = self._clock()
            await self._embed.whole(units)
            self._spent_s += self._clock() - began
            self._given += len(units)
            given, after = given + len(units), units[-1].function_id
            if self.progress is not None:
                done = min(self.progress.done + len(units), self.progress.total)
                self.progress = replace(self.progress, done=done, left_s=self._left_s(self.progress.total - done))
        return given

    def _left_s(self, functions: int) -> float:
        if not functions:
            return 0.0
        return functions * self._spent_s / self._given if self._given else -1.0
