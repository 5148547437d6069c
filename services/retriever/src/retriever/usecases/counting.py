"""How many codes the index holds, which every answer says: counting reads them all, so not every search does it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from retriever.ports import CodeIndex
from touchstone_runtime.errors import TouchstoneError

# Where there are more, counting takes longer than a search.
_BESIDE = 10_000
_EVERY_S, _BESIDE_EVERY_S = 1.0, 5.0


class CountedCodes:
    """Counts for all who ask within a second; of very many codes the last count is given while they are counted again.

    Args:
        index: What is counted.
        clock: Seconds.
    """

    def __init__(self, index: CodeIndex, clock: Callable[[], float] = time.monotonic) -> None:
        self._index = index
        self._clock = clock
        self._count, self._until = 0, float("-inf")
        self._counting: asyncio.Task[int] | None = None

    async def __call__(self) -> int:
        """The count.

        Raises:
            IndexUnavailableError: the index does not answer, and few codes were there before.
        """
        if self._counting is None and self._clock() >= self._until:
            self._counting = asyncio.create_task(self._counted())
            self._counting.add_done_callback(self._over)
        if self._counting is not None and self._count < _BESIDE:
            # Who gives up does not take the others with him.
            return await asyncio.shield(self._counting)
        return self._count

    async def _counted(self) -> int:
        return (await self._index.counts()).indexed

    def _over(self, counting: asyncio.Task[int]) -> None:
        self._counting = None
        if counting.cancelled():
            return
        error = counting.exception()
        if error is None:
            self._count = counting.result()
            self._until = self._clock() + (_EVERY_S if self._count < _BESIDE else _BESIDE_EVERY_S)
        elif not isinstance(error, TouchstoneError):
            raise error
