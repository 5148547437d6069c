"""An index that answers from memory what a store behind it holds, and knows by a log what replicas changed there."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from retriever.adapters.held_codes import HeldCodes, Prepared, prepared
from retriever.adapters.held_vectors import learn, no_threads_beside, one_thread
from retriever.domain.code import Hit, IndexCounts, IndexEntry, Listed, SearchFilter, Vectors
from retriever.domain.ensemble import Near
from retriever.domain.versions import Reading
from retriever.ports import NO_READINGS, CodeIndex
from touchstone_runtime import collecting
from touchstone_runtime.telemetry import get_logger

# Reading a record takes a tenth of a millisecond, and others wait meanwhile.
_PAGE = 100
_MOST_CHANGES = 200
# Codes that a page shows.
_FEW = 16
# What was removed leaves within ten seconds: who has not seen the log for as long lets the store answer.
_TRUSTED_S = 8.0
_log = get_logger()
_T = TypeVar("_T")


@dataclass(frozen=True)
class Change:
    """One change of the store, by whichever replica.

    Args:
        number: Changes are counted without a gap.
        function_ids: Codes that were written.
        source_ids: Sources that were read.
        keys: Spaces of the vectors that were written, or let go of where no code is named.
    """

    number: int
    function_ids: tuple[str, ...] = ()
    source_ids: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


class ChangeLog(Protocol):
    """What replicas changed in the store, in the order in which it can be seen."""

    async def append(self, function_ids: Sequence[str], source_ids: Sequence[str], keys: Sequence[str]) -> None:
        """Note a change that the store has; see `Change`."""
        ...

    async def head(self) -> int:
        """Number of the last change; 0 where there was none."""
        ...

    async def after(self, number: int, most: int) -> list[Change]:
        """Changes after a number, in order; those of long ago are kept no more."""
        ...


class Store(CodeIndex, Protocol):
    """An index whose codes can be gone through."""

    async def ids(self, after: str, most: int) -> list[str]:
        """Ids of codes, each once, in an order of the store's own.

        Args:
            after: The last one of before; empty at the beginning.
            most: How many; fewer come at the end alone.

        Raises:
            IndexUnavailableError: the index does not answer.
        """
        ...


class HeldIndex:
    """Implements `CodeIndex` over another one.

    Writes go to the store, and are noted in the log. Searches are answered from memory once it is whole; until then,
    and for symbols, paths and patterns, by the store.

    Args:
        store: Where codes are kept.
        log: What was changed there.
        most_bytes: What may be held; 0 holds nothing and only notes what is written.
    """

    def __init__(self, store: Store, log: ChangeLog, most_bytes: int) -> None:
        self._store = store
        self._log = log
        self._most_bytes = most_bytes
        self._codes: HeldCodes | None = None
        self._at = 0
        self._until = 0.0
        self._state = "filling" if most_bytes else "off"
        self._following = asyncio.Lock()
        self._thread = one_thread()
        # Of who reads and writes what is held.
        self._turn = threading.Lock()
        no_threads_beside()

    @property
    def state(self) -> str:
        """What is held, in words."""
        if self._codes is None:
            return self._state
        used = f"{len(self._codes):,} codes in {self._codes.bytes / 2**20:,.0f} of {self._most_bytes / 2**20:,.0f} MiB"
        return (
            used if time.monotonic() < self._until else f"{used}; the log of changes cannot be read, the store answers"
        )

    async def follow(self) -> None:
        """Fill the memory where it is not whole, and take in what replicas changed; due every second.

        Raises:
            IndexUnavailableError: the store does not answer.
        """
        if not self._most_bytes or self._state.startswith("too"):
            return
        async with self._following:
            if self._codes is None or self._codes.wasted:
                await self._fill()
            await self._catch_up()

    async def upsert(self, entries: Sequence[IndexEntry], readings: Mapping[str, Reading] = NO_READINGS) -> None:
        """Take in or replace codes by id, and note which codes are superseded now."""
        await self._store.upsert(entries, readings)
        if entries:
            keys = sorted({key for entry in entries for key in entry.vectors})
            await self._noted([entry.code.function_id for entry in entries], [], keys)

    async def settle(self, source_id: str, reading: Reading) -> int:
        """A source was read: note which of its codes are superseded now; gives how many changed."""
        count = await self._store.settle(source_id, reading)
        # Even where nothing changed: a process that ended before it noted the change does it again.
        await self._noted([], [source_id], [])
        return count

    async def forget(self, keys: Collection[str]) -> int:
        """Let go of all vectors of these spaces; gives how many codes had any."""
        count = await self._store.forget(keys)
        # Who hears of it reads all codes anew.
        if count:
            await self._noted([], [], sorted(keys))
        return count

    async def search(self, query: Vectors, weights: Mapping[str, float], chosen: SearchFilter, limit: int) -> list[Hit]:
        """The nearest codes by weighted mean cosine, best first, equal scores by id."""
        held = self._holding(chosen)
        if held is None:
            return await self._store.search(query, weights, chosen, limit)
        return await self._beside(lambda: held.search(query, weights, chosen, limit))

    async def near(self, query: Vectors, asked: Sequence[str], chosen: SearchFilter, depth: int) -> Near:
        """The candidates of a question."""
        held = self._holding(chosen)
        if held is None:
            return await self._store.near(query, asked, chosen, depth)
        if asked or not self._turn.acquire(blocking=False):
            return await self._beside(lambda: held.near(query, asked, chosen, depth))
        # Half a millisecond of work, and nobody else is at it: another thread would have to wake, and to wake this one.
        try:
            if held.knows(chosen):
                return held.near(query, asked, chosen, depth)
        finally:
            self._turn.release()
        return await self._beside(lambda: held.near(query, asked, chosen, depth))

    async def select(self, chosen: SearchFilter, most: int) -> list[Listed]:
        """What a filter admits, by place."""
        return await self._store.select(chosen, most)

    async def listed(self, function_ids: Collection[str]) -> dict[str, Listed]:
        """Place and twin of codes by id."""
        return await self._store.listed(function_ids)

    async def codes(self, function_ids: Collection[str]) -> dict[str, Hit]:
        """Codes by id."""
        held = self._holding()
        if held is None:
            return await self._store.codes(function_ids)
        if len(function_ids) <= _FEW:
            # Sooner read than another thread is asked; what a slot holds never changes.
            return held.codes(function_ids)
        return await self._beside(lambda: held.codes(function_ids))

    async def vectors(self, function_ids: Collection[str], keys: Collection[str] | None) -> dict[str, Vectors]:
        """Vectors of codes by id, of these spaces or of all."""
        held = self._holding()
        if held is None or not function_ids:
            return await self._store.vectors(function_ids, keys)
        return await self._beside(lambda: held.vectors(function_ids, keys))

    async def counts(self) -> IndexCounts:
        """How much the index holds."""
        return await self._store.counts()

    async def digest(self, keys: Collection[str]) -> str:
        """Names the codes that it holds, and which of them lack a vector of these spaces."""
        return await self._store.digest(keys)

    async def spaces(self) -> set[str]:
        """Keys of the spaces that the index has vectors of."""
        return await self._store.spaces()

    async def lacking(self, keys: Collection[str]) -> int:
        """How many codes lack a vector of at least one of these spaces."""
        return await self._store.lacking(keys)

    async def ids_lacking(self, keys: Collection[str], after: str, most: int) -> list[str]:
        """Ids of these codes."""
        return await self._store.ids_lacking(keys, after, most)

    async def tend(self) -> None:
        """Do what keeps searches fast as the index grows, here and in the store."""
        await self._store.tend()
        async with self._following:
            await self._learn(self._codes)

    async def fill_in(self) -> int:
        """Give codes that an earlier release indexed what this one needs of them; gives how many."""
        return await self._store.fill_in()

    async def ready(self) -> str:
        """Why the index cannot be used, empty when it can."""
        return await self._store.ready()

    async def close(self) -> None:
        """Let go of the memory and of the store."""
        self._codes, self._state = None, "off"
        self._thread.shutdown(wait=False, cancel_futures=True)
        await self._store.close()

    def _holding(self, chosen: SearchFilter | None = None) -> HeldCodes | None:
        """What answers; None where the store does."""
        if time.monotonic() >= self._until or (chosen is not None and chosen.exact):
            return None
        return self._codes

    async def _beside(self, work: Callable[[], _T]) -> _T:
        def in_turn() -> _T:
            with self._turn:
                return work()

        return await asyncio.get_running_loop().run_in_executor(self._thread, in_turn)

    async def _noted(self, function_ids: Sequence[str], source_ids: Sequence[str], keys: Sequence[str]) -> None:
        await self._log.append(function_ids, source_ids, keys)
        if self._codes is not None:
            async with self._following:
                await self._catch_up()

    async def _fill(self) -> None:
        """Read the whole store; what is changed meanwhile stands in the log."""
        self._codes, self._state = None, "filling"
        head, began = await self._log.head(), time.monotonic()
        expected = (await self._store.counts()).indexed
        held = HeldCodes(expected + expected // 10)
        after = ""
        while page := await self._store.ids(after, _PAGE):
            fresh = await self._read(page)
            await self._beside(lambda fresh=fresh: held.take(fresh))
            after = page[-1]
            wanted = held.wanted(expected)
            self._state = f"filling: {len(held):,} of {expected:,} codes"
            if wanted > self._most_bytes:
                self._give_up(wanted)
                return
        await self._learn(held)
        self._codes, self._at = held, head
        collecting.keep()
        _log.info("search_memory_filled", codes=len(held), bytes=held.bytes, seconds=round(time.monotonic() - began, 1))

    def _give_up(self, wanted: float) -> None:
        self._codes = None
        self._state = (
            f"too much to hold: {wanted / 2**20:,.0f} MiB where search_memory_mb allows "
            f"{self._most_bytes / 2**20:,.0f}; the store answers"
        )
        _log.warning("search_memory_too_small", wanted_bytes=int(wanted), most_bytes=self._most_bytes)

    async def _catch_up(self) -> None:
        """Take in what the log has since; what a code is like now is asked of the store."""
        while (held := self._codes) is not None:
            asked = time.monotonic()
            # The end first: what is written while the changes are read is no sign of changes that are gone.
            head = await self._log.head()
            changes = await self._log.after(self._at, _MOST_CHANGES)
            gap = changes[0].number != self._at + 1 if changes else head != self._at
            if gap or any(map(_lets_go, changes)):
                # So old, or of another database, that what lies between is not known; or spaces that were let go of:
                # what is written to them since cannot be told from what was.
                self._codes = None
                return
            await self._apply(held, changes)
            if changes:
                self._at = changes[-1].number
            if held.bytes > self._most_bytes:
                self._give_up(held.bytes)
            elif len(changes) < _MOST_CHANGES:
                self._until = asked + _TRUSTED_S
                return

    async def _apply(self, held: HeldCodes, changes: Sequence[Change]) -> None:
        written = list(dict.fromkeys(name for one in changes for name in one.function_ids))
        codes = []
        for start in range(0, len(written), _PAGE):
            page = written[start : start + _PAGE]
            fresh = await self._read(page)
            codes += [one.code for one in fresh]
            await self._beside(lambda page=page, fresh=fresh: _replace(held, page, fresh))
        sources = {name for one in changes for name in one.source_ids}
        kin = await self._beside(lambda: held.kin(codes, sources)) if codes or sources else []
        for start in range(0, len(kin), _PAGE):
            page = kin[start : start + _PAGE]
            found = await self._store.codes(page)
            await self._beside(lambda page=page, found=found: _mark(held, page, found))

    async def _read(self, function_ids: Sequence[str]) -> list[Prepared]:
        codes = await self._store.codes(function_ids)
        # Of all spaces: a store may know by a sample alone which there are, and one that is new lies in few codes.
        vectors = await self._store.vectors(list(codes), None) if codes else {}
        return await asyncio.to_thread(lambda: [prepared(hit, vectors.get(one, {})) for one, hit in codes.items()])

    async def _learn(self, held: HeldCodes | None) -> None:
        for space in held.due() if held else ():
            learned = await asyncio.to_thread(learn, space)
            await self._beside(lambda space=space, learned=learned: held.adopt(space, learned) if held else None)


def _replace(held: HeldCodes, page: Sequence[str], fresh: Sequence[Prepared]) -> None:
    held.take(fresh)
    held.leave(set(page) - {one.code.function_id for one in fresh})


def _mark(held: HeldCodes, page: Sequence[str], found: Mapping[str, Hit]) -> None:
    held.mark({name: hit.superseded for name, hit in found.items()})
    held.leave(set(page) - set(found))


def _lets_go(change: Change) -> bool:
    return bool(change.keys) and not change.function_ids
