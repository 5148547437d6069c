"""Codes in memory by slot: columns for filters, records, words, and vectors of every space."""

from __future__ import annotations

from array import array
from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from typing import Any

import faiss as untyped
import numpy as np
from numpy.typing import NDArray

from retriever.adapters.held_few import FewCodes, compared_again
from retriever.adapters.held_order import IdOrder
from retriever.adapters.held_vectors import HeldSpace, Lists, Slots
from retriever.adapters.held_words import HeldWords
from retriever.adapters.records import code_of_record
from retriever.domain.candidates import Column, OrderedIds
from retriever.domain.code import Hit, IndexedCode, SearchFilter, Vectors, licence_key, repository_key
from retriever.domain.ensemble import Near
from retriever.domain.scoring import DIGITS, weight_of
from retriever.domain.text import words_of

# Its stubs know few of its arguments.
faiss: Any = untyped
# So few codes are compared with one by one.
_MOST_COMPARED = 8000
_MOST_FILTERS = 256
_LEAST_CANDIDATES = 100
# So few values are sooner compared one by one.
_FEW_VALUES = 4
# Identifier, places in lists and tables.
_BYTES_OF_CODE = 500
_COLUMNS = ("repository", "language", "form", "licence", "version")


@dataclass(frozen=True)
class Prepared:
    """A code as it comes from the store, with what takes long already made of it."""

    code: IndexedCode
    superseded: bool
    vectors: Vectors
    words: Counter[str]
    record: bytes


def prepared(hit: Hit, vectors: Vectors) -> Prepared:
    """A code of the store."""
    # Not compressed: that saves a tenth of what codes take in all, and to undo it took a twentieth of a search.
    record = hit.code.record.encode("utf-8", "surrogatepass")
    return Prepared(hit.code, hit.superseded, vectors, words_of(hit.code), record)


@dataclass(frozen=True)
class _Admitted:
    """What a filter admits: of each slot whether, a selector for faiss, how many, and which where they are few."""

    version: int
    mask: NDArray[np.bool_]
    selector: Any
    count: int
    few: Slots | None


class HeldCodes:
    """Codes and vectors in memory; one thread at a time, but for what says otherwise.

    A code whose vector changes gets another slot, so that what an inverted file knows of a slot stays true.

    Args:
        codes: How many there will be at first.
    """

    def __init__(self, codes: int = 0) -> None:
        self._expected = max(codes, 16)
        self._order = IdOrder()
        self._ids = self._order.ids
        self._slot_of: dict[str, int] = {}
        self._records: list[bytes] = []
        self._record_bytes = 0
        self._columns = {name: array("i") for name in _COLUMNS}
        self._values: dict[str, dict[str, int]] = {name: {} for name in _COLUMNS}
        self._flags = {name: array("b") for name in ("alive", "superseded", "pair")}
        # Lineages and sources by their hashes: who shares one by chance is looked at once more, no harm done.
        self._lineages, self._sources = array("q"), array("q")
        self._words = HeldWords()
        self._spaces: dict[tuple[str, int], HeldSpace] = {}
        self._version = 0
        self._admitted: OrderedDict[SearchFilter, _Admitted] = OrderedDict()
        self._few = FewCodes()

    def __len__(self) -> int:
        return len(self._slot_of)

    @property
    def bytes(self) -> int:
        """About what it all takes; any thread may ask, as for `codes`."""
        spaces = sum(space.bytes for space in list(self._spaces.values()))
        return spaces + self._words.bytes + self._record_bytes + _BYTES_OF_CODE * len(self._ids)

    def wanted(self, codes: int) -> float:
        """About what so many codes take at least, by those that are here."""
        share = max(codes / max(len(self), 1), 1.0)
        rows = sum(space.count * space.dimensions * 4 * share + len(space.there) for space in self._spaces.values())
        return rows + self._words.wanted(share) + share * (self._record_bytes + _BYTES_OF_CODE * len(self._ids))

    @property
    def keys(self) -> set[str]:
        """Keys of the spaces that it has vectors of."""
        return {key for key, _dimensions in self._spaces}

    @property
    def wasted(self) -> bool:
        """Whether so many slots were left that filling anew is worth it."""
        return len(self._ids) > 1000 and len(self._slot_of) < 0.7 * len(self._ids)

    def take(self, fresh: Sequence[Prepared]) -> None:
        """Take in or replace codes."""
        self._version += 1
        added: dict[tuple[str, int], list[tuple[int, NDArray[np.float32]]]] = {}
        for one in fresh:
            slot, vectors = self._placed(one)
            for key, row in vectors.items():
                added.setdefault((key, len(row)), []).append((slot, row))
        for space, rows in added.items():
            held = self._spaces.setdefault(space, HeldSpace(space[1], self._expected))
            held.put(np.array([slot for slot, _row in rows], dtype=np.int64), np.stack([row for _slot, row in rows]))

    def _placed(self, one: Prepared) -> tuple[int, Vectors]:
        """The slot of a code, and those of its vectors that are not there yet."""
        before = self._slot_of.get(one.code.function_id)
        if before is not None:
            known = self._vectors_of(before)
            same = all(key in one.vectors and np.array_equal(row, one.vectors[key]) for key, row in known.items())
            if same and self._records[before] == one.record:
                self._flags["superseded"][before] = one.superseded
                return before, {key: row for key, row in one.vectors.items() if key not in known}
        slot = len(self._ids)
        self._order.append(one.code.function_id)
        self._records.append(one.record)
        self._record_bytes += len(one.record)
        code = one.code
        licence = licence_key(code.licence)
        values = (repository_key(code.repository), code.language.lower(), code.form, licence, code.version)
        for name, value in zip(_COLUMNS, values, strict=True):
            known_values = self._values[name]
            self._columns[name].append(known_values.setdefault(value, len(known_values)))
        for name, flag in (("alive", True), ("superseded", one.superseded), ("pair", code.searchable_pair)):
            self._flags[name].append(flag)
        self._lineages.append(hash(code.lineage))
        self._sources.append(hash(code.source_id))
        self._words.put(slot, one.words)
        # Last of all, and in one step: who reads meanwhile (`codes`) finds either slot whole, and always one.
        self._slot_of[one.code.function_id] = slot
        if before is not None:
            self._retire(before)
        return slot, one.vectors

    def leave(self, function_ids: Collection[str]) -> None:
        """Codes are there no more."""
        self._version += 1
        for function_id in function_ids:
            slot = self._slot_of.pop(function_id, None)
            if slot is not None:
                self._retire(slot)

    def _retire(self, slot: int) -> None:
        """A slot is found no more; what it holds stays for who reads it now."""
        self._flags["alive"][slot] = False
        self._words.leave(slot, words_of(self._code(slot)))

    def mark(self, superseded: Mapping[str, bool]) -> None:
        """Note which codes are superseded."""
        self._version += 1
        for function_id, flag in superseded.items():
            if function_id in self._slot_of:
                self._flags["superseded"][self._slot_of[function_id]] = flag

    def kin(self, codes: Collection[IndexedCode], source_ids: Collection[str]) -> list[str]:
        """Ids of what shares a lineage with these codes, or is of these sources."""
        if not self._ids:
            return []
        shared = np.isin(np.array(self._lineages), [hash(code.lineage) for code in codes])
        shared |= np.isin(np.array(self._sources), [hash(source_id) for source_id in source_ids])
        return [self._ids[slot] for slot in np.flatnonzero(shared & np.array(self._flags["alive"], dtype=np.bool_))]

    def due(self) -> list[HeldSpace]:
        """Spaces that want an inverted file."""
        return [space for space in self._spaces.values() if space.due()]

    def adopt(self, space: HeldSpace, learned: Lists) -> None:
        """Use an inverted file that was learned beside; what came meanwhile goes into it."""
        fresh = np.setdiff1d(np.flatnonzero(space.there).astype(np.int64), learned.slots)
        if len(fresh):
            learned.file.add_with_ids(space.rows[fresh], fresh)
            learned.short.put(fresh, space.rows[fresh])
        space.lists = replace(learned, slots=learned.slots[:0])

    def knows(self, chosen: SearchFilter) -> bool:
        """Whether it was looked at what a filter admits, and nothing was written since."""
        known = self._admitted.get(chosen)
        return known is not None and known.version == self._version

    def near(self, query: Vectors, asked: Sequence[str], chosen: SearchFilter, depth: int) -> Near:
        """As `CodeIndex.near`; the filter has no symbol, path or pattern."""
        admitted = self._admits(chosen)
        if not admitted.count or depth < 1:
            return Near(frozenset(), {})
        text = self._words.best(asked, admitted.mask, admitted.few, self._order, depth) if asked else {}
        spaces = self._asked(query)
        found = [self._nearest(key, space, query[key], chosen, admitted, depth) for key, space in spaces.items()]
        of_text = np.fromiter(text, np.int64, len(text))
        together = self._order.by_id(np.unique(np.concatenate([of_text, *found])))
        ids = OrderedIds(partial(_id_at, self._ids, together.tolist()), len(together))
        cosines: dict[str, Mapping[str, float]] = {key: {} for key in query}
        for key, space in spaces.items():
            there = space.has(together)
            whole = bool(there.all())
            slots = together if whole else together[there]
            values = np.round(space.cosines(query[key], slots).astype(np.float64), DIGITS)
            having = compress(ids, there.tolist())
            cosines[key] = Column(ids, values) if whole else dict(zip(having, values.tolist(), strict=True))
        by_text = {self._ids[slot]: score for slot, score in text.items()}
        return Near(ids, by_text, cosines if query else None)

    def search(self, query: Vectors, weights: Mapping[str, float], chosen: SearchFilter, limit: int) -> list[Hit]:
        """As `CodeIndex.search`; the filter has no symbol, path or pattern."""
        admitted = self._admits(chosen)
        spaces = {key: space for key, space in self._asked(query).items() if weight_of(key, weights) > 0}
        if not admitted.count or not spaces or limit < 1:
            return []
        depth = max(2 * limit, _LEAST_CANDIDATES)
        slots = admitted.few
        if slots is None:
            found_by = [self._nearest(key, space, query[key], chosen, admitted, depth) for key, space in spaces.items()]
            slots = np.unique(np.concatenate(found_by))
        total, weight = np.zeros(len(slots)), np.zeros(len(slots))
        for key, space in spaces.items():
            where = np.isin(slots, space.having(slots))
            total[where] += weight_of(key, weights) * space.cosines(query[key], slots[where])
            weight[where] += weight_of(key, weights)
        found = weight > 0
        scores = np.round(total[found] / weight[found], DIGITS)
        best = self._order.top(slots[found], scores, limit)
        return [Hit(self._code(slot), score, bool(self._flags["superseded"][slot])) for slot, score in best]

    def codes(self, function_ids: Collection[str]) -> dict[str, Hit]:
        """As `CodeIndex.codes`; any thread may ask, also while another one writes."""
        there = {one: slot for one in function_ids if (slot := self._slot_of.get(one)) is not None}
        return {one: Hit(self._code(slot), 0.0, bool(self._flags["superseded"][slot])) for one, slot in there.items()}

    def vectors(self, function_ids: Collection[str], keys: Collection[str] | None) -> dict[str, Vectors]:
        """As `CodeIndex.vectors`."""
        found = {one: self._vectors_of(self._slot_of[one], keys) for one in function_ids if one in self._slot_of}
        return {function_id: vectors for function_id, vectors in found.items() if vectors}

    def _nearest(
        self, key: str, space: HeldSpace, asked: NDArray[np.float32], chosen: SearchFilter, admitted: _Admitted,
        depth: int,
    ) -> Slots:  # fmt: skip
        lists, few = space.lists, admitted.few
        if lists is None:
            slots = space.having(np.flatnonzero(admitted.mask) if few is None else few)
        elif few is None:
            share = admitted.count / len(self._ids)
            slots = space.candidates(asked, admitted.selector, share, depth + depth // 2)
        elif len(few) > 2 * (most := compared_again(len(few), depth)):
            of, among = (key, space.dimensions), partial(space.having, few)
            slots = self._few.nearest(chosen, of, admitted.version, among, lists.short, asked, most)
        else:
            slots = space.having(few)
        return self._order.best(slots, np.round(space.cosines(asked, slots).astype(np.float64), DIGITS), depth)

    def _asked(self, query: Vectors) -> dict[str, HeldSpace]:
        found = {key: self._spaces.get((key, len(row))) for key, row in query.items()}
        return {key: space for key, space in found.items() if space is not None}

    def _admits(self, chosen: SearchFilter) -> _Admitted:
        known = self._admitted.get(chosen)
        if known is None or known.version != self._version:
            known = self._admitted[chosen] = self._filtered(chosen)
            while len(self._admitted) > _MOST_FILTERS:
                self._admitted.popitem(last=False)
        self._admitted.move_to_end(chosen)
        return known

    def _filtered(self, chosen: SearchFilter) -> _Admitted:
        mask = np.array(self._flags["alive"], dtype=np.bool_)
        if not chosen.superseded:
            mask &= ~np.array(self._flags["superseded"], dtype=np.bool_)
        if chosen.pairs_only:
            mask &= np.array(self._flags["pair"], dtype=np.bool_)
        for name, keys in (
            ("form", sorted(chosen.forms)),
            ("repository", chosen.repository_keys),
            ("language", chosen.language_keys),
            ("licence", chosen.licence_keys),
            ("version", [chosen.version] if chosen.version else []),
        ):
            if keys or name == "form":
                wanted = [self._values[name][key] for key in keys if key in self._values[name]]
                mask &= _among(np.array(self._columns[name]), wanted)
        count = int(np.count_nonzero(mask))
        few = np.flatnonzero(mask).astype(np.int64) if count <= _MOST_COMPARED else None
        selector = None if few is not None else faiss.IDSelectorBitmap(np.packbits(mask, bitorder="little"))
        return _Admitted(self._version, mask, selector, count, few)

    def _vectors_of(self, slot: int, keys: Collection[str] | None = None) -> dict[str, NDArray[np.float32]]:
        return {
            key: space.rows[slot]
            for (key, _dimensions), space in self._spaces.items()
            if (keys is None or key in keys) and slot < len(space.there) and space.there[slot]
        }

    def _code(self, slot: int) -> IndexedCode:
        return code_of_record(self._records[slot].decode("utf-8", "surrogatepass"))


def _id_at(ids: Sequence[str], slots: Sequence[int], place: int) -> str:
    return ids[slots[place]]


def _among(column: NDArray[np.int32], wanted: Sequence[int]) -> NDArray[np.bool_]:
    """Where a column has one of these values."""
    if not 0 < len(wanted) <= _FEW_VALUES:
        return np.isin(column, wanted)
    found = column == wanted[0]
    for value in wanted[1:]:
        found |= column == value
    return found
