"""The plain search: models and text together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection

from retriever.domain.code import Hit, SearchFilter, Vectors
from retriever.domain.ensemble import CROWDING, DEPTH, TEXT, Ranking, Weights, ranked, weights_for
from retriever.domain.generations import Generation
from retriever.domain.scoring import model_of
from retriever.domain.text import query_terms
from retriever.errors import BadRequestError, ModelsLoadingError
from retriever.ports import CodeIndex, QueryEmbedder, Role
from retriever.usecases.embedding import embedded


class PlainSearch:
    """One text against the index.

    Args:
        index: Where codes are.
        embedder: Makes vectors of texts.
        weights: What each part of the ranking counts, for each set of models that was fitted.
        generation: Gives the generation that answers, whose weights come before those.
    """

    def __init__(
        self,
        index: CodeIndex,
        embedder: QueryEmbedder,
        weights: Collection[Weights] = (),
        generation: Callable[[], Awaitable[Generation | None]] | None = None,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._weights = weights
        self._generation = generation

    async def generation(self) -> Generation | None:
        """The generation that answers."""
        return await self._generation() if self._generation else None

    async def __call__(
        self,
        query: str,
        chosen: SearchFilter,
        *,
        parts: Collection[str] = (),
        role: Role = "query",
        within_s: float | None = None,
        without: Collection[str] = (),
        depth: int = DEPTH,
    ) -> Ranking:
        """The candidates of a question in words, or of code, best first.

        Args:
            query: What is asked.
            chosen: What may be found.
            parts: Of the ranking; none for what it does by itself. `text` alone asks no model.
            role: Whether the query is code.
            within_s: How long the embedder is waited for, in seconds; None for as long as it takes.
            without: Models by which is not ranked, whether they can be asked or not.
            depth: How many candidates of each part.

        Raises:
            BadRequestError: a part is asked for that is not there.
            EmbedderUnavailableError: nobody can embed the question, or not in time.
            ModelsLoadingError: some of the models that are wanted are still being loaded; it bears the question's
                vectors of the others.
        """
        vectors: Vectors = {}
        if set(parts) != {TEXT}:
            try:
                [vectors] = await embedded(self._embedder, [query], role, within_s)
            except ModelsLoadingError as error:
                if set(error.loading) & set(parts or error.loading) - set(without):
                    raise
                [vectors] = error.ready
        return await self.ranked(_left(vectors, without), query, chosen, parts, depth)

    async def like(
        self,
        function_id: str,
        chosen: SearchFilter,
        parts: Collection[str] = (),
        without: Collection[str] = (),
        depth: int = DEPTH,
    ) -> Ranking:
        """The codes that are most like one that is indexed, itself left out.

        Args:
            function_id: That code; models of which it has no vector do not rank.
            chosen: What may be found.
            parts: Of the ranking; none for what it does by itself.
            without: Models by which is not ranked either.
            depth: How many candidates of each part.

        Raises:
            BadRequestError: it is not indexed.
        """
        code = await indexed(self._index, function_id)
        generation = await self.generation()
        keys = generation.keys if generation else await self._index.spaces()
        vectors = (await self._index.vectors([function_id], keys)).get(function_id, {})
        words = f"{code.code.qualname}\n{code.code.docstring}"
        return (await self.ranked(_left(vectors, without), words, chosen, parts, depth)).without(function_id)

    async def ranked(
        self, vectors: Vectors, query: str, chosen: SearchFilter, parts: Collection[str] = (), depth: int = DEPTH
    ) -> Ranking:
        """The same, for a question that has its vectors already; words alone rank where it has none."""
        parts = parts or (() if vectors else (TEXT,))
        weights, models = await self._weighed(vectors), {key: model_of(key) for key in vectors}
        there = [*sorted(models.values()), TEXT, CROWDING]
        unknown = sorted(set(parts) - set(there))
        if unknown:
            raise BadRequestError(
                "no such part of the ranking", thing=unknown[0][:80], way_out=f"use {', '.join(there)}"
            )
        if CROWDING in parts and not set(parts) & set(models.values()):
            raise BadRequestError(
                "is told of models alone, and brings no candidates by itself",
                thing=CROWDING,
                way_out="name a model beside it",
            )
        used = set(parts) or {part for part in there if weights.of(part)}
        if len(used) == 1:
            # A part that is asked for alone ranks by itself, whatever it counts among others.
            weights = Weights(dict.fromkeys(used, 1.0), text=1.0, crowding=weights.crowding)
        asked = {key: vector for key, vector in vectors.items() if models[key] in used}
        near = await self._index.near(asked, query_terms(query) if TEXT in used else [], chosen, depth)
        # Hundreds of vectors are a megabyte: they are fetched only where they are compared with one another.
        wanted = bool(asked) and (CROWDING in used or near.cosines is None)
        of_near = await self._index.vectors(near.ids, asked.keys()) if wanted else {}
        if not wanted:
            return ranked(asked, near, of_near, weights, used)
        # Hundreds of vectors take milliseconds, which other callers would wait.
        return await asyncio.to_thread(ranked, asked, near, of_near, weights, used)

    async def _weighed(self, vectors: Vectors) -> Weights:
        generation = await self.generation()
        if generation is not None and generation.keys >= set(vectors):
            return generation.weights
        return weights_for([model_of(key) for key in vectors], self._weights)


async def indexed(index: CodeIndex, function_id: str) -> Hit:
    """A code by its id.

    Raises:
        BadRequestError: it is not indexed.
    """
    # No store that keeps texts by their end takes a NUL, and no id has one.
    found = {} if "\0" in function_id else await index.codes([function_id])
    if function_id not in found:
        raise BadRequestError("is not indexed", thing=function_id[:80], way_out="take function_id from a result")
    return found[function_id]


def _left(vectors: Vectors, without: Collection[str]) -> Vectors:
    return {key: vector for key, vector in vectors.items() if model_of(key) not in without}
