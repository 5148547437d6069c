"""Plain search, and the choice between plain and augmented."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from retriever.domain.code import ALL_FORMS, CLASS_FORMS, FUNCTION_FORMS, Hit, SearchFilter, Vectors
from retriever.domain.scoring import CROWDING_POOL, CROWDING_WEIGHT, discount_crowding
from retriever.errors import AgentAwayError, AgentError, BadRequestError
from retriever.ports import CodeIndex, LagProbe, QueryEmbedder
from retriever.usecases.augmented import AugmentedSearch

DEFAULT_LIMIT = 10
MOST_RESULTS = 100
MOST_CHARACTERS = 4000


@dataclass(frozen=True)
class SearchQuestion:
    """What a caller asks; see `touchstone.retriever.v1.SearchRequest`."""

    query: str
    repository: str = ""
    limit: int = 0
    mode: str = "plain"
    language: str = ""
    include_classes: bool = False
    include_superseded: bool = False


@dataclass(frozen=True)
class SearchResult:
    """One result, with the streams that found it."""

    hit: Hit
    streams: tuple[str, ...]


@dataclass(frozen=True)
class SearchAnswer:
    """What a caller gets."""

    results: tuple[SearchResult, ...]
    indexed: int
    functions_behind: int
    elapsed_s: float
    mode: str
    augmented_query: str = ""
    note: str = ""


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

    async def __call__(self, query: str, chosen: SearchFilter, limit: int) -> list[Hit]:
        """The best codes for a question in words, best first."""
        [vectors] = await self._embedder.embed([query], "query")
        return await self.by_vectors(vectors, chosen, limit)

    async def by_vectors(self, vectors: Vectors, chosen: SearchFilter, limit: int) -> list[Hit]:
        """The same, for a question that has its vectors already."""
        if self._crowding == 0:
            return await self._index.search(vectors, self._weights, chosen, limit)
        pool = await self._index.search(vectors, self._weights, chosen, max(CROWDING_POOL, 2 * limit))
        of_pool = await self._index.vectors([hit.code.function_id for hit in pool])
        return discount_crowding(pool, of_pool, self._weights, strength=self._crowding)[:limit]


class Search:
    """Answers searches in both modes.

    Args:
        index: Where codes are.
        plain: The plain search.
        augmented: The augmented search.
        lag: Knows how far the index is behind.
        patience_s: Longest wait for the augmented search, in seconds; the plain one answers after it.
        report: Told when an augmented search was asked and something else was done, and why.
    """

    def __init__(
        self,
        index: CodeIndex,
        plain: PlainSearch,
        augmented: AugmentedSearch,
        lag: LagProbe,
        *,
        patience_s: float = 180.0,
        report: Callable[[str], None] = lambda _reason: None,
    ) -> None:
        self._index = index
        self._plain = plain
        self._augmented = augmented
        self._lag = lag
        self._patience_s = patience_s
        self._report = report

    async def __call__(self, question: SearchQuestion) -> SearchAnswer:
        """Search.

        Raises:
            BadRequestError: the question cannot be answered.
            EmbedderUnavailableError: nobody can embed the question.
            IndexUnavailableError: the index does not answer.
        """
        question = _checked(question)
        started = time.monotonic()
        answer = await self._answer(question)
        counts = await self._index.counts()
        note = answer.note or _note_on_nothing(question, answer, counts.indexed)
        return replace(
            answer,
            indexed=counts.indexed,
            functions_behind=self._lag.functions_behind,
            elapsed_s=time.monotonic() - started,
            note=note,
        )

    async def _answer(self, question: SearchQuestion) -> SearchAnswer:
        if question.mode == "plain":
            return await self._answer_plainly(question, "")
        try:
            # The caller has a deadline; what the model still answers is cached for the next time.
            async with asyncio.timeout(self._patience_s):
                outcome = await self._augmented(
                    question.query, question.repository, question.language, superseded=question.include_superseded
                )
        except TimeoutError:
            reason = f"the model did not answer within {self._patience_s:g} s"
            self._report(reason)
            return await self._answer_plainly(question, f"{reason}, so this is the plain search; ask again later")
        except AgentError as error:
            reason = str(error)
            self._report(reason)
            lead = "augmented search is not available" if isinstance(error, AgentAwayError) else "the model failed"
            return await self._answer_plainly(question, f"{lead}, so this is the plain search: {reason}")
        if outcome.note:
            self._report(outcome.note)
        results = tuple(SearchResult(one.hit, one.streams) for one in outcome.found[: question.limit])
        return SearchAnswer(results, 0, -1, 0.0, "augmented", outcome.augmented_query, outcome.note)

    async def _answer_plainly(self, question: SearchQuestion, note: str) -> SearchAnswer:
        chosen = SearchFilter(
            repository=question.repository,
            language=question.language,
            forms=ALL_FORMS if question.include_classes else FUNCTION_FORMS,
            superseded=question.include_superseded,
        )
        hits = await self._plain(question.query, chosen, question.limit)
        results = tuple(SearchResult(hit, ("class",) if hit.code.form in CLASS_FORMS else ("query",)) for hit in hits)
        return SearchAnswer(results, 0, -1, 0.0, "plain", note=note)


def _checked(question: SearchQuestion) -> SearchQuestion:
    query = question.query.strip()
    if not query:
        raise BadRequestError("the query is empty", thing="query", way_out="say in words what the code shall do")
    if len(query) > MOST_CHARACTERS:
        raise BadRequestError(
            f"the query has {len(query)} characters", thing="query", way_out=f"use at most {MOST_CHARACTERS}"
        )
    if not 0 <= question.limit <= MOST_RESULTS:
        raise BadRequestError(
            f"{question.limit} results cannot be asked for", thing="limit", way_out=f"use 1 to {MOST_RESULTS}"
        )
    mode = question.mode or "plain"
    if mode not in ("plain", "augmented"):
        raise BadRequestError("no such mode", thing=mode, way_out='say "plain" or "augmented"')
    return replace(question, query=query, limit=question.limit or DEFAULT_LIMIT, mode=mode)


def _note_on_nothing(question: SearchQuestion, answer: SearchAnswer, indexed: int) -> str:
    if answer.results:
        return ""
    if not indexed:
        return "the index is empty: add a source and wait until its functions are embedded"
    chosen = [text for text in (question.repository, question.language) if text]
    return f"nothing indexed matches {' and '.join(chosen)}" if chosen else "nothing indexed matches"
