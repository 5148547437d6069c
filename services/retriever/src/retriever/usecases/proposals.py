"""Queries in, candidate pairs out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from retriever.domain.code import Hit, SearchFilter, Vectors
from retriever.domain.ensemble import TEXT
from retriever.domain.generations import Generation
from retriever.domain.pools import MEAN, overlap
from retriever.domain.scoring import model_of, weight_of
from retriever.domain.text import query_terms
from retriever.errors import BadRequestError, EmbedderAwayError, EmptyIndexError
from retriever.ports import (
    CodeIndex,
    ImportedQuery,
    Look,
    Proposal,
    ProposalPublisher,
    ProposalStore,
    QueryEmbedder,
    QueryPublisher,
)
from touchstone_contracts.identities import pair_id, query_id, query_words
from touchstone_runtime.meant import the_one

# The paper's number.
DEFAULT_CANDIDATES = 20
MOST_CANDIDATES = 100
MOST_CHARACTERS = 2000
# Where nearly all that is near is copies of a few codes, no more are looked through.
MOST_LOOKED_AT = 1000


class ImportQueries:
    """Keeps queries and publishes them, so that candidates are proposed for each."""

    def __init__(self, store: ProposalStore, publisher: QueryPublisher) -> None:
        self._store = store
        self._publisher = publisher
        self._unpublished: dict[str, ImportedQuery] = {}
        self._looked_back = False

    async def __call__(self, queries: Sequence[tuple[str, str]], candidates: int) -> tuple[list[str], int]:
        """Import queries; those that were imported before stay as they are, and are not published again.

        Args:
            queries: Text and origin of each.
            candidates: How many codes to propose for each; 0 for the default.

        Returns:
            Ids in the order of the queries, the same text has the same id; and how many of them are new.

        Raises:
            BadRequestError: a text is empty or too long, or the number is out of range.
        """
        wanted = candidates or DEFAULT_CANDIDATES
        _demand_some(wanted)
        imported = [ImportedQuery(query_id(text), _checked(text), origin, wanted) for text, origin in queries]
        first: dict[str, ImportedQuery] = {}
        for query in imported:
            first.setdefault(query.query_id, query)
        distinct = list(first.values())
        new = await self._store.add(distinct)
        if due := [query for query in distinct if query.query_id in new or query.query_id in self._unpublished]:
            await self._publish(due)
        return [query.query_id for query in imported], len(new)

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


async def query_meant(store: ProposalStore, beginning: str) -> str:
    """The id of the one query whose id begins so.

    Raises:
        BadRequestError: there is no such query, or there are several.
    """
    found = await store.meant(beginning)
    return the_one(
        beginning, found, ("query", "several queries"), BadRequestError, way_out="see `touchstone queries list`"
    )


def _demand_some(candidates: int) -> None:
    if not 1 <= candidates <= MOST_CANDIDATES:
        raise BadRequestError(
            f"{candidates} candidates cannot be asked for", thing="candidates", way_out=f"use 1 to {MOST_CANDIDATES}"
        )


@dataclass(frozen=True)
class PoolRules:
    """What pools may hold, and how often they are looked at.

    Args:
        models: Models whose mean cosine chooses candidates; none for all that there are.
        most_pairs: How many pairs one pool may hold over all its versions.
        queries_a_sweep: How many queries one sweep looks at.
        pairs_a_sweep: About how many new pairs one sweep lets in; the sweep ends with the query that reaches it.
        rest: A growing index is looked at again after this long; one that has caught up at once.
        stale: Every query is looked at again after this long.
    """

    models: tuple[str, ...] = ()
    most_pairs: int = 100
    queries_a_sweep: int = 50
    pairs_a_sweep: int = 200
    rest: timedelta = timedelta(minutes=10)
    stale: timedelta = timedelta(days=1)


class ProposePairs:
    """Proposes the nearest codes of a query, and what comes to stand among them.

    Source: CoSQA+, section on candidates: the best 20 by the mean cosine of an ensemble, among functions
    with a parameter and a returned value.

    Args:
        index: Where codes are.
        embedder: Makes vectors of texts.
        store: The pools.
        publisher: Tells the platform.
        weights: A model's weight in the mean; 1 where it is not named.
        rules: What pools may hold.
        now: The clock.
        generation: Gives the generation of the index that answers, since another one has other nearest codes.
    """

    def __init__(
        self,
        index: CodeIndex,
        embedder: QueryEmbedder,
        store: ProposalStore,
        publisher: ProposalPublisher,
        weights: Mapping[str, float],
        rules: PoolRules = PoolRules(),
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        generation: Callable[[], Awaitable[Generation | None]] | None = None,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._store = store
        self._publisher = publisher
        self._weights = weights
        self._rules = rules
        self._now = now
        self._generation = generation

    async def __call__(self, query: ImportedQuery) -> None:
        """Propose; a query that was proposed for before gets the very same pairs again.

        Raises:
            BadRequestError: the query asks for no number of candidates that can be had.
            EmptyIndexError: nothing that could be proposed is indexed yet; the query waits.
            EmbedderAwayError: a model that chooses candidates cannot be asked now; the query waits.
        """
        _demand_some(query.candidates)
        pool = await self._store.proposals(query.query_id)
        if not pool:
            await self._grow(query)
            pool = await self._store.proposals(query.query_id)
        await self._publish(query, pool)

    async def refresh(self, *, caught_up: bool) -> int:
        """Let new code into the pools and propose it; gives how many pairs were proposed.

        Whose last look is longest ago comes first. What an earlier sweep kept and could not publish is published.

        Args:
            caught_up: Nothing waits to be indexed, so that looking now is not looking in vain.

        Raises:
            EmbedderAwayError: a model that chooses candidates cannot be asked now, so no pool has grown since.
        """
        now, state = self._now(), await self._state()
        rested = now if caught_up else now - self._rules.rest
        proposed, away = 0, None
        for query in await self._store.due(state, rested, now - self._rules.stale, self._rules.queries_a_sweep):
            try:
                if away is None:
                    await self._grow(query)
            except EmptyIndexError:
                # Where all code is gone the pool stays as it is.
                pass
            except EmbedderAwayError as error:
                away = error
            new = await self._store.unpublished(query.query_id)
            await self._publish(query, new)
            proposed += len(new)
            if proposed >= self._rules.pairs_a_sweep:
                break
        if away is not None:
            raise away
        return proposed

    async def _publish(self, query: ImportedQuery, pairs: Sequence[Proposal]) -> None:
        if not pairs:
            return
        await self._publisher.publish(query, pairs)
        await self._store.mark_published(query.query_id, [one.pair_id for one in pairs])

    async def _state(self) -> str:
        counts = await self._index.counts()
        generation = await self._generation() if self._generation else None
        return f"{counts.indexed}:{counts.superseded}:{generation.name if generation else ''}"

    async def _grow(self, query: ImportedQuery) -> None:
        # Before the search: what comes meanwhile makes the state another one, and the query due again.
        state = await self._state()
        [vectors] = await self._embedder.embed([query.text], "query")
        wanted = self._rules.models
        used = {key: of_text for key, of_text in vectors.items() if not wanted or model_of(key) in wanted}
        await self._demand_all(used)
        hits = await self._nearest(used, self._weights, query.candidates)
        if not hits:
            raise EmptyIndexError(
                "no function that could answer a query is indexed yet",
                thing=query.text,
                way_out="add a source; the query goes on by itself",
            )
        by_model = {model_of(key): await self._nearest({key: used[key]}, {}, query.candidates) for key in used}
        alone = {name: {hit.code.twin: place for place, hit in enumerate(found, 1)} for name, found in by_model.items()}
        alone[TEXT] = await self._by_words(query)
        nearest = {name: {hit.code.twin for hit in found} for name, found in (by_model | {MEAN: hits}).items()}
        look = Look(self._now(), state, len(hits), overlap(nearest))
        fresh = [
            Proposal(
                pair_id=pair_id(query.query_id, hit.code.function_id),
                function_id=hit.code.function_id,
                rank=rank,
                score=hit.score,
                record=hit.code.record,
                twin=hit.code.twin,
                places={name: places.get(hit.code.twin, 0) for name, places in alone.items()},
            )
            for rank, hit in enumerate(hits, start=1)
        ]
        await self._store.extend(query, fresh, look, max(self._rules.most_pairs, query.candidates))

    async def _demand_all(self, used: Vectors) -> None:
        """What a pool holds stays, so no pool is made while a model that chooses candidates is left out."""
        models = {model_of(key) for key in used}
        generation = await self._generation() if self._generation else None
        wanted = set(self._rules.models)
        if not wanted and generation is not None:
            wanted = {space.model for space in generation.spaces if weight_of(space.model, self._weights) > 0}
        missing = " and ".join(sorted(wanted - models))
        if missing:
            raise EmbedderAwayError(
                f"candidates are chosen by {missing} too, of which the answering generation has no vectors now",
                thing="the embedder",
                way_out="wait, see `touchstone index status`; or name other models in TOUCHSTONE_POOL_MODELS",
            )

    async def _by_words(self, query: ImportedQuery) -> dict[str, int]:
        """By twin the places of the codes that are best by text alone: a retriever that chooses no pool."""
        chosen, terms = SearchFilter(pairs_only=True), query_terms(query.text)
        asked = query.candidates
        while True:
            text = (await self._index.near({}, terms, chosen, asked)).text
            best = sorted(text, key=lambda function_id: (-text[function_id], function_id))[:asked]
            listed = await self._index.listed(best)
            twins = list(dict.fromkeys(listed[function_id].twin for function_id in best if function_id in listed))
            if len(twins) >= query.candidates or len(best) < asked or asked >= MOST_LOOKED_AT:
                return {twin: place for place, twin in enumerate(twins[: query.candidates], 1)}
            asked = _more(asked)

    async def _nearest(self, vectors: Vectors, weights: Mapping[str, float], wanted: int) -> list[Hit]:
        """So many nearest codes, of duplicates the first."""
        asked = wanted
        while True:
            hits = await self._index.search(vectors, weights, SearchFilter(pairs_only=True), asked)
            first: dict[str, Hit] = {}
            for hit in hits:
                first.setdefault(hit.code.twin, hit)
            if len(first) >= wanted or len(hits) < asked or asked >= MOST_LOOKED_AT:
                return list(first.values())[:wanted]
            asked = _more(asked)


def _more(asked: int) -> int:
    """How many codes are looked through next, where too many of so many are copies."""
    return min(asked * 4, MOST_LOOKED_AT)


def _checked(text: str) -> str:
    cleaned = query_words(text)
    if not cleaned:
        raise BadRequestError("a query is empty", thing="queries", way_out="leave it out")
    if len(cleaned) > MOST_CHARACTERS:
        raise BadRequestError(
            f"a query has {len(cleaned)} characters", thing=cleaned[:40], way_out=f"use at most {MOST_CHARACTERS}"
        )
    return cleaned
