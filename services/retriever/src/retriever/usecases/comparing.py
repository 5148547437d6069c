"""Any retriever of ours by its name, so that they can be compared."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from retriever.domain.code import ALL_FORMS, SearchFilter, Vectors
from retriever.domain.ensemble import TEXT, Ranked
from retriever.domain.streams import ENRICH, LOOK_UP, STEPS, STREAMS
from retriever.errors import AgentError, BadRequestError, EmbedderUnavailableError
from retriever.ports import CodeIndex, QueryEmbedder, Role
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.plain import PlainSearch

PLAIN, BM25, ENSEMBLE, AUGMENTED = "plain", "bm25", "ensemble", "augmented"
AUGMENTED_STEPS: Mapping[str, tuple[str, ...]] = {AUGMENTED: STEPS} | {
    f"{AUGMENTED}-{stream}": (LOOK_UP, ENRICH, stream) for stream in STREAMS
}
# What runs hold of each query.
DEPTH = 100
# A corpus is ranked whole: of what a filter left out nothing would tell why it is not found.
ANYTHING = SearchFilter(forms=ALL_FORMS, superseded=True)

Ranking = list[tuple[str, float]]


@dataclass(frozen=True)
class Run:
    """What one retriever found.

    Args:
        rankings: For each query codes with scores, best first.
        seconds: What all queries took, vectors of the codes left out.
        tokens: What a language model was asked and answered.
        models: By which models the codes were ranked.
        incomplete: For each query at which the model did not do all its steps, what it did not do and why.
    """

    rankings: Mapping[str, Ranking]
    seconds: float
    tokens: int = 0
    models: Sequence[str] = ()
    incomplete: Mapping[str, str] = field(default_factory=dict[str, str])


class TimedEmbedder:
    """Implements `QueryEmbedder`: asks for each text once, and counts for whoever asks for it again what it took.

    Whoever ranks first would else bear the cost of all questions, and look slow beside the others.

    Attributes:
        spared: Seconds that were not waited, as the vectors were there.
    """

    def __init__(self, embedder: QueryEmbedder) -> None:
        self._embedder = embedder
        self._known: dict[tuple[Role, tuple[str, ...]], tuple[list[Vectors], float]] = {}
        self.spared = 0.0

    async def embed(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        """Vectors of each text, by the keys of the spaces."""
        key = (role, tuple(texts))
        if key in self._known:
            vectors, seconds = self._known[key]
            self.spared += seconds
            return vectors
        began = time.monotonic()
        vectors = await self._embedder.embed(texts, role)
        self._known[key] = (vectors, time.monotonic() - began)
        return vectors


class Retrievers:
    """Ranks queries with any of them.

    - `plain`: what a search does by itself, models and text as weighted z-scores.
    - `bm25`: text alone.
    - `ensemble`: the mean cosine of all models, as candidate pairs are chosen.
    - a model's name: that model alone.
    - `augmented`: all steps of an augmented search; `augmented-query`, `augmented-code`, `augmented-class` and
      `augmented-component`: the enriched query with that stream alone.

    Args:
        index: Where codes are.
        embedder: Makes vectors of texts.
        plain: The plain search.
        weights: A model's weight in the mean cosine; 1 where it is not named.
        augmented: The augmented search.
    """

    def __init__(
        self,
        index: CodeIndex,
        embedder: QueryEmbedder,
        plain: PlainSearch,
        weights: Mapping[str, float],
        augmented: AugmentedSearch,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._plain = plain
        self._weights = weights
        self._augmented = augmented
        self._tokens = 0
        self._undone = ""

    def demand(self, names: Sequence[str], models: Sequence[str]) -> None:
        """Refuse retrievers that there are not, before any of them has worked.

        Raises:
            BadRequestError: one is none.
        """
        for name in names:
            self._named(name, models)

    async def run(self, name: str, queries: Mapping[str, str], models: Sequence[str]) -> Run:
        """Rank all queries with one retriever.

        Args:
            name: Which.
            queries: Texts by id.
            models: Models that there are.

        Raises:
            BadRequestError: there is no such retriever.
            AgentAwayError: it needs a language model that cannot be used; nothing else is ranked in its place.
            AgentError: the model did all steps at none of the queries.
            EmbedderUnavailableError: a model does not answer; nothing is ranked without it.
        """
        asked = self._named(name, models)
        self._tokens = 0
        started = time.monotonic()
        rankings: dict[str, Ranking] = {}
        incomplete: dict[str, str] = {}
        for query, text in queries.items():
            self._undone = ""
            rankings[query] = (await asked(text))[:DEPTH]
            if self._undone:
                incomplete[query] = self._undone
        if incomplete and len(incomplete) == len(queries):
            raise AgentError(
                f"left out steps at {len(queries)} of {len(queries)} queries: {next(iter(incomplete.values()))}",
                thing=name,
                way_out="use a model that can do all its steps, or leave this retriever out",
            )
        return Run(rankings, time.monotonic() - started, self._tokens, self._models_of(name, models), incomplete)

    def _models_of(self, name: str, models: Sequence[str]) -> Sequence[str]:
        if name == BM25:
            return ()
        return [name] if name in models else models

    def _named(self, name: str, models: Sequence[str]) -> Callable[[str], Awaitable[Ranking]]:
        parts = {PLAIN: (), BM25: (TEXT,)} | {model: (model,) for model in models}
        if name == ENSEMBLE:
            return self._by_mean
        if name in AUGMENTED_STEPS:
            return partial(self._with_model, AUGMENTED_STEPS[name])
        if name not in parts:
            known = ", ".join([PLAIN, BM25, ENSEMBLE, *AUGMENTED_STEPS, *models])
            raise BadRequestError("is no retriever", thing=name[:80], way_out=f"use {known}")

        async def ranked(text: str) -> Ranking:
            return _scored(await self._plain(text, ANYTHING, parts=parts[name]))

        return ranked

    async def _by_mean(self, text: str) -> Ranking:
        [vectors] = await self._embedder.embed([text], "query")
        hits = await self._index.search(vectors, self._weights, ANYTHING, DEPTH)
        return [(hit.code.function_id, hit.score) for hit in hits]

    async def _with_model(self, steps: Sequence[str], text: str) -> Ranking:
        outcome = await self._augmented(text, ANYTHING, steps)
        if outcome.compared.models == frozenset():
            raise EmbedderUnavailableError(outcome.note, thing="the embedder", way_out="see `touchstone status`")
        self._undone = outcome.note
        self._tokens += sum(use.tokens_in + use.tokens_out for use in outcome.used)
        # A place, not a cosine: the model's order need not follow the cosines.
        return [(one.hit.code.function_id, float(-place)) for place, one in enumerate(outcome.found)]


def _scored(ranked: Sequence[Ranked]) -> Ranking:
    return [(one.function_id, one.score) for one in ranked]
