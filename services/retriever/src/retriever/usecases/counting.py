"""How many codes the index holds, which every answer says: counting reads them all, so not every search does it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Collection

from retriever.ports import CodeIndex
from touchstone_runtime.errors import TouchstoneError

# Where there are more, counting takes longer than a search.
_BESIDE = 10_000
_EVERY_S, _BESIDE_EVERY_S = 1.0, 5.0
# The store compares all codes with all vectors for it: a search waits so long for the first count, and for later ones.
_LACKING_EVERY_S = 10.0
_FIRST_S, _AGAIN_S = 1.0, 0.05


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


class LackingCodes:
    """Counts the codes that no model finds, as they have no vector of the generation that answers.

    They are those that came while another generation is built, or an earlier one was chosen. Of very many the last
    count is given while they are counted again.

    Args:
        index: What is counted.
        clock: Seconds.
    """

    def __init__(self, index: CodeIndex, clock: Callable[[], float] = time.monotonic) -> None:
        self._index = index
        self._clock = clock
        # By keys: the last count, and until when it is given.
        self._known: dict[frozenset[str], tuple[int, float]] = {}
        self._counting: dict[frozenset[str], asyncio.Task[None]] = {}

    async def __call__(self, keys: Collection[str]) -> int:
        """The count; as it was last known where the index does not answer, or not soon.

        Args:
            keys: Spaces of the generation's models. Vectors of some may come later, behind those of another one: the
                least of their counts is of codes that lack them all.
        """
        wanted = frozenset(keys)
        if not wanted:
            return 0
        known = self._known.get(wanted)
        if wanted not in self._counting and (known is None or self._clock() >= known[1]):
            self._counting[wanted] = asyncio.create_task(self._count(wanted))
        if wanted in self._counting:
            # Who gives up does not take the others with him.
            await asyncio.wait({self._counting[wanted]}, timeout=_FIRST_S if known is None else _AGAIN_S)
        return self._last(wanted)

    def _last(self, keys: frozenset[str]) -> int:
        return self._known.get(keys, (0, 0.0))[0]

    async def _count(self, keys: frozenset[str]) -> None:
        count = self._last(keys)
        try:
            with contextlib.suppress(TouchstoneError):
                count = min([await self._index.lacking({key}) for key in sorted(keys)])
        finally:
            self._known[keys] = (count, self._clock() + _LACKING_EVERY_S)
            del self._counting[keys]
