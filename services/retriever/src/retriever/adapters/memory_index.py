"""An index in memory: for tests, and for measurements without a server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retriever.domain.code import Hit, IndexCounts, IndexEntry, Listed, SearchFilter, Vectors, content_digest
from retriever.domain.ensemble import Near
from retriever.domain.scoring import DIGITS, weight_of
from retriever.domain.text import TextStatistics, bm25, words_of
from retriever.domain.versions import Reading, placed, superseded_ids
from retriever.ports import NO_READINGS


@dataclass(frozen=True)
class _Matrix:
    positions: NDArray[np.intp]
    rows: NDArray[np.float64]


class _Texts:
    """The words of all codes, counted once after each change."""

    def __init__(self, words: Mapping[str, Counter[str]]) -> None:
        self.words = words
        self.mean_words = sum(one.total() for one in words.values()) / max(len(words), 1)
        self.holding: dict[str, list[str]] = {}
        for name, counted in words.items():
            for term in counted:
                self.holding.setdefault(term, []).append(name)


class MemoryIndex:
    """Implements `CodeIndex` by comparing with everything; what is in it ends with the process."""

    def __init__(self) -> None:
        self._entries: dict[str, IndexEntry] = {}
        self._superseded: set[str] = set()
        self._readings: dict[str, Reading] = {}
        self._matrices: dict[str, _Matrix] = {}
        self._by_id: NDArray[np.intp] | None = None
        self._texts: _Texts | None = None

    async def upsert(self, entries: Sequence[IndexEntry], readings: Mapping[str, Reading] = NO_READINGS) -> None:
        """Take in or replace codes by id."""
        for entry in entries:
            before = self._entries.get(entry.code.function_id)
            kept = before.vectors if before else {}
            self._entries[entry.code.function_id] = IndexEntry(entry.code, {**kept, **entry.vectors})
        self._readings |= readings
        self._mark()
        self._matrices = {}
        self._by_id = None
        self._texts = None

    async def settle(self, source_id: str, reading: Reading) -> int:
        """Note which codes of a source are superseded now."""
        before = set(self._superseded)
        self._readings[source_id] = reading
        self._mark()
        return len(before ^ self._superseded)

    def _mark(self) -> None:
        self._superseded = superseded_ids((placed(entry.code) for entry in self._entries.values()), self._readings)

    async def search(self, query: Vectors, weights: Mapping[str, float], chosen: SearchFilter, limit: int) -> list[Hit]:
        """The nearest codes by weighted mean cosine, best first, equal scores by id."""
        total = np.zeros(len(self._entries))
        shared = np.zeros(len(self._entries))
        for model, vector in sorted(query.items()):
            weight = weight_of(model, weights)
            matrix = self._matrix(model, len(vector))
            if weight > 0 and matrix is not None:
                total[matrix.positions] += weight * (matrix.rows @ vector.astype(np.float64))
                shared[matrix.positions] += weight
        found = np.flatnonzero(shared)
        scores = np.round(total[found] / shared[found], DIGITS)
        entries = list(self._entries.values())
        hits: list[Hit] = []
        for place in np.lexsort((self._ranks()[found], -scores)):
            if len(hits) >= limit:
                break
            code = entries[found[place]].code
            superseded = code.function_id in self._superseded
            if chosen.admits(code, superseded=superseded):
                hits.append(Hit(code, float(scores[place]), superseded))
        return hits

    async def near(self, query: Vectors, asked: Sequence[str], chosen: SearchFilter, depth: int) -> Near:
        """The candidates of a question."""
        ids: set[str] = set()
        for model, vector in query.items():
            hits = await self.search({model: vector}, {}, chosen, depth)
            ids |= {hit.code.function_id for hit in hits}
        text = self._by_text(asked, chosen, depth)
        return Near(frozenset(ids | set(text)), text)

    def _by_text(self, asked: Sequence[str], chosen: SearchFilter, depth: int) -> dict[str, float]:
        if self._texts is None:
            self._texts = _Texts({name: words_of(entry.code) for name, entry in self._entries.items()})
        texts = self._texts
        holding = {term: texts.holding.get(term, ()) for term in asked}
        statistics = TextStatistics(
            len(texts.words), texts.mean_words, {term: len(names) for term, names in holding.items()}
        )
        scores = {
            function_id: round(bm25(asked, texts.words[function_id], statistics), DIGITS)
            for function_id in {name for names in holding.values() for name in names}
            if chosen.admits(self._entries[function_id].code, superseded=function_id in self._superseded)
        }
        return dict(sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:depth])

    async def select(self, chosen: SearchFilter, most: int) -> list[Listed]:
        """What a filter admits, by place."""
        codes = [entry.code for entry in self._entries.values()]
        admitted = [one for one in codes if chosen.admits(one, superseded=one.function_id in self._superseded)]
        listed = [Listed(code.function_id, code.place, code.twin) for code in admitted]
        return sorted(listed, key=lambda one: one.place)[:most]

    async def listed(self, function_ids: Collection[str]) -> dict[str, Listed]:
        """Place and twin of codes by id."""
        codes = [self._entries[function_id].code for function_id in function_ids if function_id in self._entries]
        return {code.function_id: Listed(code.function_id, code.place, code.twin) for code in codes}

    async def codes(self, function_ids: Collection[str]) -> dict[str, Hit]:
        """Codes by id."""
        return {
            function_id: Hit(self._entries[function_id].code, 0.0, function_id in self._superseded)
            for function_id in function_ids
            if function_id in self._entries
        }

    async def ids(self, after: str, most: int) -> list[str]:
        """Ids of codes after one, by code point."""
        return sorted(one for one in self._entries if one > after)[:most]

    async def vectors(self, function_ids: Collection[str], keys: Collection[str] | None) -> dict[str, Vectors]:
        """Vectors of codes by id, of these spaces or of all."""
        found = {
            function_id: {
                key: np.array(vector)
                for key, vector in self._entries[function_id].vectors.items()
                if keys is None or key in keys
            }
            for function_id in function_ids
            if function_id in self._entries
        }
        return {function_id: vectors for function_id, vectors in found.items() if vectors}

    async def counts(self) -> IndexCounts:
        """How much the index holds."""
        return IndexCounts(len(self._entries), len(self._superseded))

    async def digest(self, keys: Collection[str]) -> str:
        """Names the codes that it holds, and which of them lack a vector of these spaces."""
        digests = {name: entry.code.digest for name, entry in self._entries.items()}
        lacking = {key: sum(digests[name] for name in self._lacking([key])) for key in keys}
        return content_digest(sum(digests.values()), lacking)

    async def spaces(self) -> set[str]:
        """Keys of the spaces that the index has vectors of."""
        return {key for entry in self._entries.values() for key in entry.vectors}

    async def lacking(self, keys: Collection[str]) -> int:
        """How many codes lack a vector of at least one of these spaces."""
        return len(self._lacking(keys))

    async def ids_lacking(self, keys: Collection[str], after: str, most: int) -> list[str]:
        """Ids of these codes after one, by code point."""
        return sorted(name for name in self._lacking(keys) if name > after)[:most]

    def _lacking(self, keys: Collection[str]) -> list[str]:
        return [name for name, entry in self._entries.items() if not set(keys) <= set(entry.vectors)]

    async def forget(self, keys: Collection[str]) -> int:
        """Let go of all vectors of these spaces; gives how many codes had any."""
        having = {name: entry for name, entry in self._entries.items() if set(entry.vectors) & set(keys)}
        for name, entry in having.items():
            left = {key: vector for key, vector in entry.vectors.items() if key not in keys}
            self._entries[name] = IndexEntry(entry.code, left)
        self._matrices = {}
        return len(having)

    async def tend(self) -> None:
        """Nothing is due."""

    async def fill_in(self) -> int:
        """Nothing is from an earlier release."""
        return 0

    async def ready(self) -> str:
        """Always ready."""
        return ""

    async def close(self) -> None:
        """Nothing to let go of."""

    def _ranks(self) -> NDArray[np.intp]:
        """The place of each entry in the order of ids, computed once after each change."""
        if self._by_id is None:
            self._by_id = np.argsort(np.argsort(np.array(list(self._entries), dtype=object)))
        return self._by_id

    def _matrix(self, model: str, dimensions: int) -> _Matrix | None:
        """The vectors of a model, stacked once after each change."""
        if model not in self._matrices:
            having = [
                (position, entry.vectors[model].astype(np.float64))
                for position, entry in enumerate(self._entries.values())
                if model in entry.vectors and len(entry.vectors[model]) == dimensions
            ]
            if not having:
                return None
            positions = np.array([position for position, _row in having])
            self._matrices[model] = _Matrix(positions, np.stack([row for _position, row in having]))
        matrix = self._matrices[model]
        return matrix if matrix.rows.shape[1] == dimensions else None
