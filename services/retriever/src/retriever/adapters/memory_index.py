"""An index in memory: for tests, and for measurements without a server."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from retriever.domain.code import Hit, IndexEntry, SearchFilter, Vectors
from retriever.domain.scoring import mean_cosine, ordered
from retriever.domain.versions import superseded_ids
from retriever.ports import IndexCounts


class MemoryIndex:
    """Implements `CodeIndex` by comparing with everything; what is in it ends with the process."""

    def __init__(self) -> None:
        self._entries: dict[str, IndexEntry] = {}
        self._superseded: set[str] = set()

    async def upsert(self, entries: Sequence[IndexEntry]) -> None:
        """Take in or replace codes by id."""
        for entry in entries:
            self._entries[entry.code.function_id] = entry
        self._superseded = superseded_ids(entry.code for entry in self._entries.values())

    async def search(self, query: Vectors, weights: Mapping[str, float], chosen: SearchFilter, limit: int) -> list[Hit]:
        """The nearest codes by weighted mean cosine, best first, equal scores by id."""
        hits: list[Hit] = []
        for function_id, entry in self._entries.items():
            superseded = function_id in self._superseded
            if chosen.admits(entry.code, superseded=superseded):
                score = mean_cosine(query, entry.vectors, weights)
                if score is not None:
                    hits.append(Hit(entry.code, score, superseded))
        return ordered(hits)[: max(0, limit)]

    async def vectors(self, function_ids: Collection[str]) -> dict[str, Vectors]:
        """Vectors of codes by id."""
        return {
            function_id: {model: np.array(vector) for model, vector in self._entries[function_id].vectors.items()}
            for function_id in function_ids
            if function_id in self._entries
        }

    async def counts(self) -> IndexCounts:
        """How much the index holds."""
        return IndexCounts(len(self._entries), len(self._superseded))

    async def ready(self) -> str:
        """Always ready."""
        return ""

    async def close(self) -> None:
        """Nothing to let go of."""
