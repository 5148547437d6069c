"""An index in memory: for tests, and for measurements without a server."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retriever.domain.code import Hit, IndexEntry, SearchFilter, Vectors
from retriever.domain.scoring import DIGITS, ordered, weight_of
from retriever.domain.versions import superseded_ids
from retriever.ports import IndexCounts


@dataclass(frozen=True)
class _Matrix:
    positions: NDArray[np.intp]
    rows: NDArray[np.float64]


class MemoryIndex:
    """Implements `CodeIndex` by comparing with everything; what is in it ends with the process."""

    def __init__(self) -> None:
        self._entries: dict[str, IndexEntry] = {}
        self._superseded: set[str] = set()
        self._matrices: dict[str, _Matrix] = {}

    async def upsert(self, entries: Sequence[IndexEntry]) -> None:
        """Take in or replace codes by id."""
        for entry in entries:
            self._entries[entry.code.function_id] = entry
        self._superseded = superseded_ids(entry.code for entry in self._entries.values())
        self._matrices = {}

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
        hits: list[Hit] = []
        for position, (function_id, entry) in enumerate(self._entries.items()):
            superseded = function_id in self._superseded
            if shared[position] and chosen.admits(entry.code, superseded=superseded):
                score = round(float(total[position] / shared[position]), DIGITS)
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
