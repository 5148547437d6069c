"""Giving back to the embedder what lacks vectors that it cannot know of."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping

from retriever.domain.generations import Described, Generation
from retriever.errors import EmbedderAwayError, EmbedderRefusedError, EmbedderUnavailableError
from retriever.ports import CodeIndex, LagProbe, ModelServer
from retriever.usecases.generations import Generations
from touchstone_runtime.telemetry import get_logger

# Codes that are asked of the index, and given to the embedder, at once: people's code waits no longer than for these.
_PAGE, _AT_ONCE = 256, 16
# How often a code is given at which the embedder fails: that may be a fault of its database, which passes.
_TRIES = 3
_log = get_logger()


class GiveBack:
    """Lets every code of the index come to the vectors of the newest generation.

    The embedder gives vectors to what it keeps. An index may hold more: what was replaced or removed before the
    embedder's tables were lost, or what the broker alone still knew when the index was built again; and an event may
    have gone to the dead letters. Nothing would ever give these their vectors, and the generation would never be whole.
    So what lacks them, while embedder and broker have nothing left to do, is given to the embedder as if it had just
    been extracted. What lacks them even then is counted, told, and waited for no more.

    Args:
        generations: Which is the newest; told what is waited for no more.
        index: Where codes lack vectors.
        server: Takes them.
        lag: Knows whether anything is still under way.
        patience_s: How long the number of codes must have stood still, in seconds.
        clock: Seconds.
    """

    def __init__(
        self,
        generations: Generations,
        index: CodeIndex,
        server: ModelServer,
        lag: LagProbe,
        *,
        patience_s: float = 600.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._generations = generations
        self._index = index
        self._server = server
        self._lag = lag
        self._patience_s = patience_s
        self._clock = clock
        # To which generation codes were given back, and which.
        self._given_to = ""
        self._given: set[str] = set()
        self._failed = Counter[str]()
        # The generation, and how many codes lack its vectors; since when that is so.
        self._stands: tuple[str, int] | None = None
        self._since = 0.0

    async def __call__(self) -> int:
        """Give back what is due, if anything; gives how many codes.

        Raises:
            EmbedderAwayError: it went away; what was not given yet is given the next time.
            IndexUnavailableError: the index does not answer.
        """
        generation, described = self._generations.newest, self._generations.described
        if generation is None or described is None or not self._rests(described):
            self._stands = None
            return 0
        stands = (generation.name, await self._index.lacking(generation.keys))
        if stands != self._stands:
            self._stands, self._since = stands, self._clock()
            return 0
        if not stands[1] or self._clock() - self._since < self._patience_s:
            return 0
        given = await self._give(generation)
        # It has as long to come back.
        self._since = self._clock()
        if given:
            _log.info("codes_given_back", generation=generation.name, codes=given, lacking=stands[1])
        else:
            self._generations.leave_out(*stands)
            _log.warning("codes_left_out", generation=generation.name, codes=stands[1])
        return given

    def _rests(self, described: Described) -> bool:
        """Whether the embedder has all vectors of what it knows, be that nothing, and the index all that it made."""
        later = described.later
        done = later is None or later.caught_up or (later.rests and later.done == later.total)
        return self._lag.functions_behind == 0 and done

    async def _give(self, generation: Generation) -> int:
        if self._given_to != generation.name:
            self._given_to = generation.name
            self._given.clear()
            self._failed.clear()
        given, after = 0, ""
        while page := await self._index.ids_lacking(generation.keys, after, _PAGE):
            fresh = [name for name in page if name not in self._given]
            for start in range(0, len(fresh), _AT_ONCE):
                names = fresh[start : start + _AT_ONCE]
                codes = await self._index.codes(names)
                again = await self._take({name: hit.code.record for name, hit in codes.items()})
                self._given.update(name for name in names if name not in again)
            given, after = given + len(fresh), page[-1]
        return given

    async def _take(self, records: Mapping[str, str]) -> set[str]:
        """Give codes by id to the embedder; gives which of them are to be tried again, as it failed at them."""
        try:
            await self._server.embed_functions(list(records.values()))
        except EmbedderAwayError:
            raise
        except (EmbedderRefusedError, EmbedderUnavailableError) as error:
            if len(records) > 1:
                # It is one of them that cannot be taken.
                alone = [await self._take({name: record}) for name, record in records.items()]
                return set[str]().union(*alone)
            _log.warning("code_not_taken_back", error=str(error))
            if isinstance(error, EmbedderUnavailableError):
                self._failed.update(records.keys())
                return {name for name in records if self._failed[name] < _TRIES}
        return set()
