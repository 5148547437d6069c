"""Queries in, candidate pairs out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retriever.domain.code import SearchFilter
from retriever.errors import BadRequestError, EmptyIndexError
from retriever.ports import (
    CodeIndex,
    ImportedQuery,
    Proposal,
    ProposalPublisher,
    ProposalStore,
    QueryEmbedder,
    QueryPublisher,
)
from touchstone_contracts.identities import pair_id, query_id, query_words

# The paper's number.
DEFAULT_CANDIDATES = 20
MOST_CANDIDATES = 100
MOST_CHARACTERS = 2000


class ImportQueries:
    """Keeps queries and publishes them, so that candidates are proposed for each."""

    def __init__(self, store: ProposalStore, publisher: QueryPublisher) -> None:
        self._store = store
        self._publisher = publisher
        self._unpublished: dict[str, ImportedQuery] = {}
        self._looked_back = False

    async def __call__(self, queries: Sequence[tuple[str, str]], candidates: int) -> list[str]:
        """Import queries.

        Args:
            queries: Text and origin of each.
            candidates: How many codes to propose for each; 0 for the default.

        Returns:
            Ids in the order of the queries; the same text has the same id.

        Raises:
            BadRequestError: a text is empty or too long, or the number is out of range.
        """
        if not 0 <= candidates <= MOST_CANDIDATES:
            raise BadRequestError(
                f"{candidates} candidates cannot be asked for",
                thing="candidates",
                way_out=f"use 1 to {MOST_CANDIDATES}",
            )
        imported = [
            ImportedQuery(query_id(text), _checked(text), origin, candidates or DEFAULT_CANDIDATES)
            for text, origin in queries
        ]
        first: dict[str, ImportedQuery] = {}
        for query in imported:
            first.setdefault(query.query_id, query)
        distinct = list(first.values())
        await self._store.add(distinct)
        await self._publish(distinct)
        return [query.query_id for query in imported]

    async def again(self) -> int:
        """Publish what is stored and could not be published, now or before this process; gives how many queries.

        The first time those that merely wait for their turn are among them: who is asked twice proposes the same pairs.
        """
        if not self._looked_back:
            self._unpublished |= {query.query_id: query for query in await self._store.unanswered()}
            self._looked_back = True
        waiting = list(self._unpublished.values())
        if waiting:
            await self._publish(waiting)
        return len(waiting)

    async def _publish(self, queries: Sequence[ImportedQuery]) -> None:
        self._unpublished |= {query.query_id: query for query in queries}
        await self._publisher.publish(queries)
        for query in queries:
            self._unpublished.pop(query.query_id, None)


class ProposePairs:
    """Proposes the nearest codes of a query, once and for all.

    Source: CoSQA+, section on candidates: the best 20 by the mean cosine of an ensemble, among functions
    with a parameter and a returned value.

    Args:
        index: Where codes are.
        embedder: Makes vectors of texts.
        store: What was proposed.
        publisher: Tells the platform.
        weights: A model's weight in the mean; 1 where it is not named.
    """

    def __init__(
        self,
        index: CodeIndex,
        embedder: QueryEmbedder,
        store: ProposalStore,
        publisher: ProposalPublisher,
        weights: Mapping[str, float],
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._store = store
        self._publisher = publisher
        self._weights = weights

    async def __call__(self, query: ImportedQuery) -> None:
        """Propose; a query that was proposed for before gets the very same pairs again.

        Raises:
            EmptyIndexError: nothing that could be proposed is indexed yet; the query waits.
        """
        kept = await self._store.proposals(query.query_id)
        if not kept:
            kept = await self._store.save(query, await self._nearest(query))
        await self._publisher.publish(query, kept)

    async def _nearest(self, query: ImportedQuery) -> list[Proposal]:
        [vectors] = await self._embedder.embed([query.text], "query")
        hits = await self._index.search(vectors, self._weights, SearchFilter(pairs_only=True), query.candidates)
        if not hits:
            raise EmptyIndexError(
                "no function that could answer a query is indexed yet",
                thing=query.text,
                way_out="add a source; the query goes on by itself",
            )
        return [
            Proposal(
                pair_id=pair_id(query.query_id, hit.code.function_id),
                function_id=hit.code.function_id,
                rank=rank,
                score=hit.score,
                record=hit.code.record,
            )
            for rank, hit in enumerate(hits, start=1)
        ]


def _checked(text: str) -> str:
    cleaned = query_words(text)
    if not cleaned:
        raise BadRequestError("a query is empty", thing="queries", way_out="leave it out")
    if len(cleaned) > MOST_CHARACTERS:
        raise BadRequestError(
            f"a query has {len(cleaned)} characters", thing=cleaned[:40], way_out=f"use at most {MOST_CHARACTERS}"
        )
    return cleaned
