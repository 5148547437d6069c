"""What searching needs from outside."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from retriever.domain.code import Hit, IndexCounts, IndexEntry, Listed, SearchFilter, Vectors
from retriever.domain.ensemble import Near
from retriever.domain.generations import Described, Generation, KnownGenerations, State
from retriever.domain.versions import Reading

Role = Literal["query", "code"]
NO_READINGS: Mapping[str, Reading] = MappingProxyType({})


class CodeIndex(Protocol):
    """Codes with their vectors, of several models and generations at once.

    Vectors bear the key of their space (`generations.Space`): those of different spaces never meet.
    Every adapter passes the suite in tests/contract/code_index.
    Every method may raise `IndexUnavailableError`: the index does not answer.
    """

    async def upsert(self, entries: Sequence[IndexEntry], readings: Mapping[str, Reading] = NO_READINGS) -> None:
        """Take in or replace codes by id, and note which codes are superseded now.

        Args:
            entries: Codes with their vectors.
            readings: The last reading of each source, as far as there was one.

        Replacing replaces the code and its vectors of the spaces that the entry has; those of other spaces stay.
        What this returns from is found by every later search."""
        ...

    async def settle(self, source_id: str, reading: Reading) -> int:
        """A source was read: note which of its codes are superseded now; gives how many changed."""
        ...

    async def search(self, query: Vectors, weights: Mapping[str, float], chosen: SearchFilter, limit: int) -> list[Hit]:
        """The nearest codes by weighted mean cosine over the models that query and code share.

        Args:
            query: (d,) float32 for each space, L2-normalised.
            weights: A model's weight by its name, 1 where it is not named; a model of weight 0 is not used.
            chosen: What may be found.
            limit: Most hits.

        Returns:
            Best first, equal scores by id. Codes that share no model with the query are not found."""
        ...

    async def near(self, query: Vectors, asked: Sequence[str], chosen: SearchFilter, depth: int) -> Near:
        """The candidates of a question: the nearest of each model, and the best by text.

        Args:
            query: (d,) float32 for each space, L2-normalised.
            asked: Words of the question, see `query_terms`; none leaves the text out.
            chosen: What may be found.
            depth: Most candidates of each part.

        Raises:
            BadRequestError: the pattern takes too long.
        """
        ...

    async def select(self, chosen: SearchFilter, most: int) -> list[Listed]:
        """What a filter admits, by place.

        Args:
            chosen: What is wanted.
            most: Most codes; where more are admitted, the first ones by place.

        Raises:
            BadRequestError: the pattern takes too long.
        """
        ...

    async def listed(self, function_ids: Collection[str]) -> dict[str, Listed]:
        """Place and twin of codes by id; unknown ids are missing from the answer."""
        ...

    async def codes(self, function_ids: Collection[str]) -> dict[str, Hit]:
        """Codes by id, their scores 0; unknown ids are missing from the answer."""
        ...

    async def vectors(self, function_ids: Collection[str], keys: Collection[str] | None) -> dict[str, Vectors]:
        """Vectors of codes by id; ids that are unknown or have none are missing from the answer.

        Args:
            function_ids: The codes.
            keys: Of these spaces; None for all that the index has vectors of.
        """
        ...

    async def counts(self) -> IndexCounts:
        """How much the index holds."""
        ...

    async def digest(self, keys: Collection[str]) -> str:
        """Names the codes that it holds, and which of them lack a vector of these spaces; see `content_digest`."""
        ...

    async def spaces(self) -> set[str]:
        """Keys of the spaces that the index has vectors of, as far as a sample of its codes tells."""
        ...

    async def lacking(self, keys: Collection[str]) -> int:
        """How many codes lack a vector of at least one of these spaces."""
        ...

    async def ids_lacking(self, keys: Collection[str], after: str, most: int) -> list[str]:
        """Ids of the codes that `lacking` counts, each once, in an order of the index's own.

        Args:
            keys: The spaces.
            after: The last one of before; empty at the beginning.
            most: How many; fewer come at the end alone.
        """
        ...

    async def forget(self, keys: Collection[str]) -> int:
        """Let go of all vectors of these spaces; gives how many codes had any."""
        ...

    async def tend(self) -> None:
        """Do what keeps searches fast as the index grows, where something is due; searches and writes go on beside."""
        ...

    async def fill_in(self) -> int:
        """Give codes that an earlier release indexed what this one needs of them; gives how many."""
        ...

    async def ready(self) -> str:
        """Why the index cannot be used, empty when it can."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@dataclass(frozen=True)
class ReadingRecord:
    """One reading of one version of a source, as it was told; `digest` names the blob of what stands, or is empty."""

    source_id: str
    source_version_id: str
    version_key: str
    read_at: str
    whole: bool
    repository: str
    version: str
    digest: str


class ReadingStore(Protocol):
    """When which version of which source was read, and what stood in it."""

    async def add(self, record: ReadingRecord) -> None:
        """Keep a reading; of one version the latest counts."""
        ...

    async def readings(self, source_ids: Collection[str]) -> dict[str, Reading]:
        """The last whole reading of each source; sources without one are missing."""
        ...


class GenerationStore(Protocol):
    """Generations of the index, which of them answers, and whether somebody chose it."""

    async def known(self) -> KnownGenerations:
        """All that there were, and which of them answers, as of one moment."""
        ...

    async def add(self, generation: Generation) -> None:
        """Keep a generation; one of that name is as before, but building again where it was dropped."""
        ...

    async def choose(self, name: str, *, pinned: bool) -> None:
        """Let a generation answer from now on."""
        ...

    async def set_state(self, name: str, state: State) -> None:
        """Note that a generation is whole, or dropped."""
        ...

    async def bind(self, generation: Generation, doubles: Collection[str]) -> None:
        """Note the identities and the text form of a generation that was taken over; those named are no more."""
        ...


@dataclass(frozen=True)
class BuildPlace:
    """How far one partition of a stream was read: where to go on, events taken, messages left (-1 not known yet)."""

    stream: str
    partition: int
    position: int
    taken: int = 0
    left: int = -1


class BuildStore(Protocol):
    """How far a build of the index is."""

    async def begin(self, places: Sequence[tuple[str, int]]) -> bool:
        """Note places to read from their first message, unless a build goes on; gives whether it did."""
        ...

    async def places(self) -> list[BuildPlace]:
        """How far each place is, by stream and partition; none where no build goes on."""
        ...

    async def advance(self, stream: str, partition: int, position: int, taken: int, left: int) -> None:
        """Note that so many more events of a place were taken, up to a position."""
        ...

    async def ended(self, stream: str) -> None:
        """Note that nothing is left of a stream."""
        ...

    async def finish(self) -> None:
        """Note that the build is done."""
        ...

    def turn(self) -> AbstractAsyncContextManager[bool]:
        """Held by one process at a time; gives whether it is this one. A process that ends gives it back."""
        ...


@dataclass(frozen=True)
class TextRows:
    """Vectors of one model for several texts: (n, d) float32, L2-normalised."""

    model: str
    identity: str
    rows: NDArray[np.float32]


@dataclass(frozen=True)
class Answered:
    """What the embedder answers: vectors of each model that can be had, and names of those that are being loaded."""

    rows: list[TextRows]
    loading: tuple[str, ...] = ()


class ModelServer(Protocol):
    """The embedder, as the retriever reaches it."""

    async def embed(self, texts: Sequence[str], models: Sequence[str], role: Role) -> Answered:
        """Vectors of the texts by these models; those that cannot be had any more are left out.

        Raises:
            EmbedderUnavailableError: nobody answers, or none of the models is loaded yet.
        """
        ...

    async def describe(self) -> Described | None:
        """What it makes now; None where it does not answer, or its models are not loaded yet."""
        ...

    async def embed_functions(self, records: Sequence[str]) -> None:
        """Have functions embedded and published as if they had just been extracted; returns when it is done.

        Args:
            records: Whole functions, as `IndexedCode.record` has them.

        Raises:
            EmbedderRefusedError: it cannot take one of them.
            EmbedderUnavailableError: nobody answers, or what is asked failed.
        """
        ...


class QueryEmbedder(Protocol):
    """Vectors of questions."""

    async def embed(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        """Vectors of each text, by the keys of the spaces of the generation that answers.

        Raises:
            EmbedderUnavailableError: nobody answers, or no model is there.
            ModelsLoadingError: some of the models are still being loaded; it bears the vectors of the others.
            ModelsGoneError: the embedder has none of the generation's models.
        """
        ...


@dataclass(frozen=True)
class AgentStep:
    """What the query's agent does next: looks things up, or has its augmented query ready."""

    look_ups: tuple[str, ...] = ()
    augmented: str = ""


class Meter(Protocol):
    """Takes what a question to the model cost, also where its answer was of no use."""

    def __call__(self, tokens_in: int, tokens_out: int) -> None:
        """Add so many tokens."""
        ...


# So many of a question, in both its forms, have their place beside the code that is shown with it.
QUESTION_CHARACTERS = 1_200


class SearchAgent(Protocol):
    """The language model's part of an augmented search. Every method may raise `AgentError`."""

    @property
    def room(self) -> int:
        """Characters of code that one question to the model may show, beside `QUESTION_CHARACTERS` of the question."""
        ...

    async def step(
        self, query: str, repository: str, notes: Sequence[str], meter: Meter, *, may_look_up: bool
    ) -> AgentStep:
        """Decide on look-ups, or write the augmented query from the notes."""
        ...

    async def write_code(self, augmented: str, language: str, meter: Meter) -> str:
        """Code that would answer the augmented query."""
        ...

    async def order(self, query: str, augmented: str, snippets: Sequence[str], meter: Meter) -> list[int]:
        """Positions of the snippets, counted from 1, best answer first."""
        ...


@dataclass(frozen=True)
class ImportedQuery:
    """A query that came in."""

    query_id: str
    text: str
    origin: str
    candidates: int


@dataclass(frozen=True)
class Proposal:
    """One candidate of a query; `record` is the whole function as it was when it was proposed.

    `rank` is its place among the nearest when it entered the pool, with which version it did; `twin` is the same for
    codes that differ in white space at most; `places` is by retriever the place that it alone gave the code, 0 where it
    is not among those asked for.
    """

    pair_id: str
    function_id: str
    rank: int
    score: float
    record: str
    version: int = 1
    twin: str = ""
    places: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True)
class Look:
    """What the index was like when a query's candidates were looked for.

    Args:
        at: When.
        index: Tells one state of the index from another.
        asked: How many candidates there were: as many as were asked for, or all that the index has.
        shared: How many of them each two models share, see `overlap`.
    """

    at: datetime
    index: str
    asked: int
    shared: Mapping[str, int]


@dataclass(frozen=True)
class PoolVersion:
    """A version of a query's pool: when it came to be, and how many pairs entered with it."""

    query_id: str
    version: int
    entered: int
    look: Look


@dataclass(frozen=True)
class ProposalCounts:
    """Queries known, queries with proposals, and proposals in all."""

    queries: int
    answered: int
    proposals: int


class ProposalStore(Protocol):
    """Queries and their pools: what was proposed for them, version by version."""

    async def add(self, imported: Sequence[ImportedQuery]) -> set[str]:
        """Keep queries, one that is known stays as it is; gives the ids of those that are new."""
        ...

    async def meant(self, beginning: str) -> list[str]:
        """Ids of queries that begin so, a whole one alone; two at most, in their order."""
        ...

    async def proposals(self, query_id: str) -> list[Proposal]:
        """A query's pool by version and rank; empty when nothing was proposed yet."""
        ...

    async def extend(self, query: ImportedQuery, fresh: Sequence[Proposal], look: Look, most: int) -> list[Proposal]:
        """Let into a query's pool what does not stand there, as its next version.

        Args:
            query: The query; kept if it is not.
            fresh: The nearest of now, best first; their versions are not read.
            look: When and how they were found; kept even if nothing enters.
            most: How much a pool may hold.

        Returns:
            What entered; of two writers at once the second one's is what the first one's left over.
        """
        ...

    async def unpublished(self, query_id: str) -> list[Proposal]:
        """What stands in a pool and was not said to be published, by version and rank."""
        ...

    async def mark_published(self, query_id: str, pair_ids: Collection[str]) -> None:
        """Keep that pairs were published."""
        ...

    async def due(self, index: str, rested: datetime, stale: datetime, limit: int) -> list[ImportedQuery]:
        """Queries whose pool should be looked at again, those first whose last look is longest ago.

        Args:
            index: The state of the index now.
            rested: A query last looked at then or before is due if the index was in another state then.
            stale: A query last looked at before is due in any case.
            limit: Most queries.

        Queries with unpublished pairs are due at once; queries without any pair never: they wait elsewhere.
        """
        ...

    async def versions(self, query_id: str = "") -> list[PoolVersion]:
        """Versions of one pool, or of all, by query and version."""
        ...

    async def unanswered(self) -> list[ImportedQuery]:
        """Queries without proposals, by id."""
        ...

    async def listed(self, limit: int, after: str = "") -> list[tuple[ImportedQuery, int]]:
        """Queries with the number of their proposals, by id; only those whose id comes after the given one."""
        ...

    async def counts(self) -> ProposalCounts:
        """How much the store holds."""
        ...


class QueryPublisher(Protocol):
    """Says that queries came in."""

    async def publish(self, queries: Sequence[ImportedQuery]) -> None:
        """Publish; returns when all are confirmed."""
        ...


class ProposalPublisher(Protocol):
    """Tells the platform about candidate pairs."""

    async def publish(self, query: ImportedQuery, proposals: Sequence[Proposal]) -> None:
        """Publish; returns when all are confirmed."""
        ...


class LagProbe(Protocol):
    """Knows how far the index is behind."""

    @property
    def functions_behind(self) -> int:
        """Functions extracted but not yet searchable, as last seen; -1 when nobody can say."""
        ...
