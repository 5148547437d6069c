"""An index that was lost is built again from what the broker keeps."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retriever.ports import BuildStore, CodeIndex
from touchstone_runtime.faults import Fault, classify
from touchstone_runtime.rereading import Reread
from touchstone_runtime.telemetry import get_logger

# How often is looked whether the index was lost, in seconds; counting codes takes a database some milliseconds.
_LOOK_EVERY_S = 30.0
_log = get_logger()


@dataclass(frozen=True)
class Stream:
    """One topic that an index is built from.

    Args:
        name: The topic's name.
        partitions: How many it has.
        read: Its events from given positions on, to the end.
        take: Takes events in; doing it again changes nothing.
    """

    name: str
    partitions: int
    read: Callable[[Mapping[int, int]], AsyncIterator[Reread]]
    take: Callable[[list[Any]], Awaitable[None]]


@dataclass(frozen=True)
class BuildReport:
    """How far a build is: events taken in, and messages still to be read as last seen, -1 before the first look."""

    taken: int
    left: int


class RebuildIndex:
    """Reads the streams once more, each from its first message; goes on where it stopped, after a kill too.

    Each message is read once, so the work grows with what there is. An event that cannot be taken in, which the
    consumer of its topic has put into the dead letters, is said and left out.

    Args:
        store: How far it is.
        index: Begun by itself where this holds nothing at the start, or lost more than half of what it held.
        streams: In this order; the last one fills the index.
        tries: How often a page is tried at which the index fails, before its events are taken one by one.
        clock: Seconds.
    """

    def __init__(
        self,
        store: BuildStore,
        index: CodeIndex,
        streams: Sequence[Stream],
        *,
        tries: int = 30,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._index = index
        self._streams = streams
        self._tries = tries
        self._clock = clock
        # How many codes it held at the last look; None before the first.
        self._held: int | None = None
        self._looked_at = 0.0
        # The page at which the index failed last, and how often.
        self._failed: tuple[str, int, int] | None = None
        self._failures = 0

    async def begin(self) -> None:
        """Build anew from the first message; a build that goes on already goes on."""
        places = {(stream.name, number): 0 for stream in self._streams for number in range(stream.partitions)}
        if await self._store.begin(list(places)):
            _log.info("index_build_begins")

    async def report(self) -> BuildReport | None:
        """How far a build is; None where there is none."""
        places = await self._store.places()
        if not places:
            return None
        unknown = any(place.left < 0 for place in places)
        return BuildReport(sum(place.taken for place in places), -1 if unknown else sum(place.left for place in places))

    async def go_on(self) -> None:
        """Do what is left of a build, if there is one, unless another replica does.

        Raises:
            DependencyAwayError: the broker is away.
            IndexUnavailableError: the index does not answer.
        """
        lost = await self._lost()
        if not lost and not await self._store.places():
            return
        async with self._store.turn() as mine:
            if not mine:
                return
            held = (await self._index.counts()).indexed
            last = self._streams[-1].name
            filled = any(place.taken for place in await self._store.places() if place.stream == last)
            if lost or (filled and not held):
                # What a build took in before is lost too.
                await self._store.finish()
                await self.begin()
                self._held = held
            for stream in self._streams:
                await self._read(stream)
            report = await self.report()
            await self._store.finish()
            _log.info("index_build_ends", taken=report.taken if report else 0)

    async def _lost(self) -> bool:
        """Whether the index holds nothing at the start, or much less than it did: codes never leave it."""
        if self._held is not None and self._clock() - self._looked_at < _LOOK_EVERY_S:
            return False
        held, before = (await self._index.counts()).indexed, self._held
        # One without a single code was lost, or is new; then there is nothing to read either.
        if not held if before is None else 2 * held < before:
            return True
        self._held, self._looked_at = held, self._clock()
        return False

    async def _read(self, stream: Stream) -> None:
        reached = {
            place.partition: place.position for place in await self._store.places() if place.stream == stream.name
        }
        async for page in stream.read(reached):
            taken = await self._take(stream, page)
            # Only what is in the index counts as read: a kill between the two repeats a page.
            await self._store.advance(stream.name, page.partition, page.position, taken, page.left)
        await self._store.ended(stream.name)

    async def _take(self, stream: Stream, page: Reread) -> int:
        """Take a page in; gives how many of its events could be taken."""
        events = list(page.events)
        try:
            await stream.take(events)
            return len(events)
        except Exception as error:
            fault = classify(error)
            if fault is Fault.WAIT or (fault is Fault.RETRY and self._may_pass(stream, page)):
                raise
        left_out: list[Exception] = []
        for event in events:
            try:
                await stream.take([event])
            except Exception as error:
                if classify(error) is Fault.WAIT:
                    raise
                left_out.append(error)
        passing = [error for error in left_out if classify(error) is Fault.RETRY]
        if len(passing) == len(events) > 1:
            # It is not the events at which the index fails.
            raise passing[0]
        for error in left_out:
            _log.warning("event_left_out", topic=stream.name, partition=page.partition, error=str(error))
        return len(events) - len(left_out)

    def _may_pass(self, stream: Stream, page: Reread) -> bool:
        """Whether a page at which the index fails is to be tried again as it is."""
        here = (stream.name, page.partition, page.position)
        self._failures = self._failures + 1 if here == self._failed else 1
        self._failed = here
        return self._failures < self._tries
