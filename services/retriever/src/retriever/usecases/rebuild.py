"""An index that was lost is built again from what the broker keeps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retriever.ports import BuildStore, CodeIndex
from touchstone_runtime.rereading import Reread
from touchstone_runtime.telemetry import get_logger

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

    Each message is read once, so the work grows with what there is.

    Args:
        store: How far it is.
        index: Begun by itself where this holds nothing.
        streams: In this order.
    """

    def __init__(self, store: BuildStore, index: CodeIndex, streams: Sequence[Stream]) -> None:
        self._store = store
        self._index = index
        self._streams = streams
        self._looked = False

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
        if not self._looked:
            # An index without a single code was lost, or is new; then there is nothing to read either.
            if not (await self._index.counts()).indexed:
                await self.begin()
            self._looked = True
        if not await self._store.places():
            return
        async with self._store.turn() as mine:
            if not mine:
                return
            for stream in self._streams:
                await self._read(stream)
            report = await self.report()
            await self._store.finish()
            _log.info("index_build_ends", taken=report.taken if report else 0)

    async def _read(self, stream: Stream) -> None:
        reached = {
            place.partition: place.position for place in await self._store.places() if place.stream == stream.name
        }
        async for page in stream.read(reached):
            await stream.take(list(page.events))
            # Only what is in the index counts as read: a kill between the two repeats a page.
            await self._store.advance(stream.name, page.partition, page.position, len(page.events), page.left)
        await self._store.ended(stream.name)
