"""The plain search: one text against the index."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping

from retriever.domain.code import SearchFilter, Vectors
from retriever.domain.scoring import CROWDING, CROWDING_POOL, CROWDING_WEIGHT, Ranked, explained, weight_of
from retriever.errors import BadRequestError
from retriever.ports import CodeIndex, QueryEmbedder, Role

# Pages of one question go no deeper: what is ranked is a pool, and the correction for crowding is taken over it.
RANKED = 200


class PlainSearch:
    """One text against the index.

    Args:
        index: Where codes are.
        embedder: Makes vectors of texts.
        weights: A model's weight in the mean; 1 where it is not named.
        crowding: Strength of the discount for crowded neighbourhoods; 0 leaves the plain mean cosine.
    """

    def __init__(
        self,
        index: CodeIndex,
        embedder: QueryEmbedder,
        weights: Mapping[str, float],
        *,
        crowding: float = CROWDING_WEIGHT,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._weights = weights
        self._crowding = crowding

    async def __call__(
        self, query: str, chosen: SearchFilter, limit: int, *, parts: Collection[str] = (), role: Role = "query"
    ) -> list[Ranked]:
        """The best codes for a question in words, or for code, best first.

        Raises:
            BadRequestError: a part is asked for that is not there.
        """
        [vectors] = await self._embedder.embed([query], role)
        return await self.by_vectors(vectors, chosen, limit, parts=parts)

    async def like(self, function_id: str, chosen: SearchFilter, limit: int, parts: Collection[str]) -> list[Ranked]:
        """The codes that are most like one that is indexed, itself left out.

        Raises:
            BadRequestError: it is not indexed.
        """
        vectors = (await self._index.vectors([function_id])).get(function_id)
        if not vectors:
            raise BadRequestError("is not indexed", thing=function_id[:80], way_out="take function_id from a result")
        found = await self.by_vectors(vectors, chosen, limit + 1, parts=parts)
        return [one for one in found if one.hit.code.function_id != function_id][:limit]

    async def by_vectors(
        self, vectors: Vectors, chosen: SearchFilter, limit: int, *, parts: Collection[str] = ()
    ) -> list[Ranked]:
        """The same, for a question that has its vectors already."""
        weights, strength = self._used(vectors, parts)
        depth = max(CROWDING_POOL, limit) if strength else limit
        pool = await self._index.search(vectors, weights, chosen, depth)
        of_pool = await self._index.vectors([hit.code.function_id for hit in pool])
        # Matrices of a hundred vectors take milliseconds, which other callers would wait.
        return (await asyncio.to_thread(explained, vectors, pool, of_pool, weights, strength=strength))[:limit]

    def _used(self, vectors: Vectors, parts: Collection[str]) -> tuple[dict[str, float], float]:
        there = {model: weight_of(model, self._weights) for model in vectors}
        unknown = sorted(set(parts) - set(there) - {CROWDING})
        if unknown:
            raise BadRequestError(
                "no such part of the ranking", thing=unknown[0][:80], way_out=f"use {', '.join([*there, CROWDING])}"
            )
        if not parts:
            return there, self._crowding
        used = {model: weight if model in parts else 0.0 for model, weight in there.items()}
        if not any(used.values()):
            # A model that weighs nothing among others ranks by itself when it is asked for alone.
            used = {model: float(model in parts) for model in there}
        return used, self._crowding if CROWDING in parts else 0.0
