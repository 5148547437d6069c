"""RepoRift: the query is enriched in the repository's context, and several comparisons are united.

Source: RepoRift, section 2; the numbers are the paper's.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from retriever.domain.code import ALL_FORMS, CLASS_FORMS, FUNCTION_FORMS, Hit, SearchFilter, Vectors
from retriever.domain.ensemble import DEPTH
from retriever.domain.generated import code_in, components_of
from retriever.domain.scoring import model_of
from retriever.domain.streams import (
    CLASS,
    CODE,
    COMPONENT,
    ENRICH,
    LOOK_UP,
    MOST,
    MOST_COMPONENTS,
    QUERY,
    RERANK,
    STEPS,
    TOP,
    StreamHit,
    fitting,
    reorder,
    unite,
)
from retriever.errors import AgentAwayError, AgentError, EmbedderUnavailableError, ModelsLoadingError
from retriever.ports import QUESTION_CHARACTERS, CodeIndex, QueryEmbedder, Role, SearchAgent
from retriever.usecases.embedding import embedded
from retriever.usecases.proposals import MOST_LOOKED_AT

MOST_LOOK_UPS = 2
NOTE_CHARACTERS = 900
WRITE, COMPARE = "write", "compare"

T = TypeVar("T")


@dataclass
class StepUse:
    """What one step took.

    Args:
        step: `look_up`, `enrich`, `write` (code), `compare` (all streams) or `rerank`.
        seconds: Until its end; writing code and comparing the query go on at once.
        tokens_in: Tokens that the model was asked.
        tokens_out: Tokens that it answered.
    """

    step: str
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0

    def count(self, tokens_in: int, tokens_out: int) -> None:
        """Add what one question to the model cost."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out


@dataclass(frozen=True)
class Compared:
    """By which models an index was compared with texts, one after the other.

    Args:
        models: Those that took part each time; None before the first. None of them where one text was not compared.
        loading: Those that did not, as they were still being loaded.
    """

    models: frozenset[str] | None = None
    loading: frozenset[str] = frozenset()

    def then(self, models: Collection[str], loading: Collection[str] = ()) -> Compared:
        """With one more comparison."""
        both = frozenset(models) if self.models is None else self.models & set(models)
        return Compared(both, self.loading.union(loading))


@dataclass(frozen=True)
class AugmentedOutcome:
    """What was found, best first, what went less well than it should, what each step took, which models compared."""

    found: tuple[StreamHit, ...]
    augmented_query: str
    note: str = ""
    used: tuple[StepUse, ...] = ()
    compared: Compared = Compared()


@dataclass(frozen=True)
class LookUp:
    """What the model looked up in the index, and the code that it was shown; None where there was no further one."""

    text: str
    found: Hit | None


@dataclass(frozen=True)
class Piece:
    """What an augmented search has when a step is done.

    Args:
        step: `look_up`, `enrich`, `query` (that stream), `write`, or `compare` (the streams of the code).
        augmented_query: The question as it is compared; empty before it is enriched.
        found: The union of the streams so far, best first.
        look_ups: Only where the step is `look_up`.
        compared: By which models, so far.
    """

    step: str
    augmented_query: str = ""
    found: tuple[StreamHit, ...] = ()
    look_ups: tuple[LookUp, ...] = ()
    compared: Compared = Compared()


Tell = Callable[[Piece], None]


def tell_nobody(_piece: Piece) -> None:
    """For who waits for the whole."""


@dataclass
class _Streams:
    """What each stream found so far."""

    query: list[Hit] = field(default_factory=list[Hit])
    code: list[Hit] = field(default_factory=list[Hit])
    classes: list[Hit] = field(default_factory=list[Hit])
    components: list[list[Hit]] = field(default_factory=list[list[Hit]])
    # By twin all copies that were met, by id; none where each code is one of its own.
    met: dict[str, dict[str, Hit]] = field(default_factory=dict[str, dict[str, Hit]])

    @property
    def united(self) -> list[StreamHit]:
        if not self.met:
            return unite(self.query, self.code, self.classes, self.components)
        # Streams may come upon different copies of one code: all stand for the first by place.
        copies = {twin: sorted(met.values(), key=lambda hit: hit.code.place) for twin, met in self.met.items()}

        def firsts(hits: Sequence[Hit]) -> list[Hit]:
            return [replace(copies[hit.code.twin][0], score=hit.score) for hit in hits]

        found = unite(
            firsts(self.query), firsts(self.code), firsts(self.classes), [firsts(hits) for hits in self.components]
        )
        return [replace(one, copies=tuple(copy.code for copy in copies[one.hit.code.twin][1:])) for one in found]


@dataclass
class _Asked:
    """One search while it goes on."""

    query: str
    chosen: SearchFilter
    steps: Collection[str]
    until: float | None
    tell: Tell
    embedding_s: float | None = None
    merge: bool = False
    notes: list[str] = field(default_factory=list[str])
    missed: EmbedderUnavailableError | None = None
    compared: Compared = Compared()
    used: list[StepUse] = field(default_factory=list[StepUse])
    # Whether the model has answered at all: from then on what it does not answer is left out.
    answered: bool = False

    @contextmanager
    def timed(self, step: str) -> Generator[StepUse]:
        use = StepUse(step)
        self.used.append(use)
        started = time.monotonic()
        try:
            yield use
        finally:
            use.seconds = time.monotonic() - started

    def among(self, forms: frozenset[str]) -> SearchFilter:
        """What may be found, of these forms alone."""
        return replace(self.chosen, forms=self.chosen.forms & forms)

    def miss(self, what: str, error: EmbedderUnavailableError) -> None:
        """Note a stream that cannot be compared."""
        self.notes.append(f"{what} was not compared: {error}")
        self.missed, self.compared = error, self.compared.then(())

    def deadline(self) -> asyncio.Timeout:
        """Ends the wait for the model when the time of all is over."""
        return asyncio.timeout_at(self.until)

    @property
    def over(self) -> bool:
        """Whether the time of all is over."""
        return self.until is not None and asyncio.get_running_loop().time() >= self.until


class AugmentedSearch:
    """Searches with a language model's help.

    Args:
        index: Where codes are.
        embedder: Makes vectors of texts.
        agent: The language model's part.
        weights: A model's weight in the mean; 1 where it is not named.
    """

    def __init__(
        self, index: CodeIndex, embedder: QueryEmbedder, agent: SearchAgent, weights: Mapping[str, float]
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._agent = agent
        self._weights = weights
        self._left: set[asyncio.Task[Any]] = set()

    async def __call__(
        self,
        query: str,
        chosen: SearchFilter,
        steps: Collection[str] = STEPS,
        within_s: float | None = None,
        tell: Tell = tell_nobody,
        embedding_s: float | None = None,
        used: list[StepUse] | None = None,
        *,
        merge: bool = False,
    ) -> AugmentedOutcome:
        """Search among what a filter admits.

        Where it admits no functions the question is compared with classes; look-ups are not held to its forms.

        A step at which a model fails, or for which no time is left, is left out and noted. A question that the model
        did not answer in time it still answers, for the next time; one whose asker is gone it does not.

        Args:
            query: In words.
            chosen: What may be found.
            steps: Of `STEPS`; a look-up serves the enrichment alone.
            within_s: Seconds that the model may take in all; None for as long as it likes.
            tell: Told of each step that is done.
            embedding_s: Seconds that the embedder is waited for each time; None for as long as it takes.
            used: Gets what each step took, where the search fails too.
            merge: Whether copies are one, which takes one place of a stream.

        Raises:
            AgentAwayError: the model cannot be used at all.
            EmbedderUnavailableError: nothing could be compared, as nobody can embed the question.
            TimeoutError: no time was left for the first question to the model.
        """
        until = None if within_s is None else asyncio.get_running_loop().time() + within_s
        asked = _Asked(query, chosen, frozenset(steps), until, tell, embedding_s, merge)
        asked.used = asked.used if used is None else used
        augmented = await self._augment(asked)
        if ENRICH in asked.steps:
            tell(Piece(ENRICH, augmented))
        united = await self._compare(augmented, asked)
        found = await self._rerank(augmented, united, asked)
        return AugmentedOutcome(tuple(found), augmented, "; ".join(asked.notes), tuple(asked.used), asked.compared)

    async def _answered(self, question: Coroutine[Any, Any, T], asked: _Asked) -> T:
        """A question to the model, which goes on without us where only its time is over."""
        running = asyncio.ensure_future(question)
        try:
            answer = await asyncio.shield(running)
            asked.answered = True
            return answer
        except asyncio.CancelledError:
            if asked.over:
                self._left.add(running)
                running.add_done_callback(self._landed)
            else:
                running.cancel()
            raise

    def _landed(self, task: asyncio.Task[Any]) -> None:
        self._left.discard(task)
        if not task.cancelled():
            # Nobody waits for its answer, nor for its fault.
            task.exception()

    async def _augment(self, asked: _Asked) -> str:
        """The query with detail of the repository: at most two look-ups at once, one document each."""
        if ENRICH not in asked.steps:
            return asked.query
        repository = ", ".join(asked.chosen.repositories)
        documents: list[str] = []
        with asked.timed(ENRICH) as use:
            try:
                async with asked.deadline():
                    if LOOK_UP in asked.steps:
                        first = self._agent.step(asked.query, repository, [], use.count, may_look_up=True)
                        step = await self._answered(first, asked)
                        if step.augmented.strip():
                            return _enriched(asked.query, step.augmented)
                        documents = await self._look_up(step.look_ups[:MOST_LOOK_UPS], asked)
                    last = self._agent.step(asked.query, repository, documents, use.count, may_look_up=False)
                    step = await self._answered(last, asked)
            except TimeoutError:
                if not asked.answered:
                    raise
                asked.notes.append("the query was not enriched: the time was over")
                return asked.query
            except AgentError as error:
                if isinstance(error, AgentAwayError) and not asked.answered:
                    raise
                asked.notes.append(f"the query was not enriched: {error}")
                return asked.query
        if step.augmented.strip():
            return _enriched(asked.query, step.augmented)
        asked.notes.append("the query was not enriched: the model wrote nothing")
        return asked.query

    async def _look_up(self, texts: Sequence[str], asked: _Asked) -> list[str]:
        """One document for each text, no document twice."""
        wanted = list(dict.fromkeys(text.strip() for text in texts if text.strip()))
        if not wanted:
            return []
        anything = replace(asked.chosen, forms=ALL_FORMS)
        with asked.timed(LOOK_UP):
            try:
                of_texts = await self._embedded(wanted, "query", asked)
            except EmbedderUnavailableError as error:
                asked.notes.append(f"nothing was looked up: {error}")
                asked.compared = asked.compared.then(())
                return []
            found = await asyncio.gather(
                *(self._index.search(vectors, self._weights, anything, len(wanted)) for vectors in of_texts)
            )
        documents: dict[str, str] = {}
        look_ups: list[LookUp] = []
        for text, hits in zip(wanted, found, strict=True):
            new = next((hit for hit in hits if hit.code.function_id not in documents), None)
            look_ups.append(LookUp(text, new))
            if new is not None:
                documents[new.code.function_id] = f"{new.code.path}\n{new.code.code[:NOTE_CHARACTERS]}"
        asked.tell(Piece(LOOK_UP, look_ups=tuple(look_ups)))
        return list(documents.values())

    async def _compare(self, augmented: str, asked: _Asked) -> list[StreamHit]:
        streams = _Streams()
        # What needs no model goes on while it writes.
        by_query = asyncio.create_task(self._by_query(augmented, asked, streams))
        try:
            await self._by_code(augmented, asked, streams)
            await by_query
        finally:
            by_query.cancel()
        if asked.missed is not None and not streams.united:
            raise asked.missed
        return streams.united

    async def _embedded(self, texts: Sequence[str], role: Role, asked: _Asked) -> Sequence[Vectors]:
        """Vectors of each text, by the models that are ready."""
        loading: Sequence[str] = ()
        try:
            found: Sequence[Vectors] = await embedded(self._embedder, texts, role, asked.embedding_s)
        except ModelsLoadingError as error:
            found, loading = error.ready, error.loading
            if not found[0]:
                raise
        asked.compared = asked.compared.then([model_of(key) for key in found[0]], loading)
        return found

    async def _by_query(self, augmented: str, asked: _Asked, streams: _Streams) -> None:
        if QUERY not in asked.steps:
            return
        try:
            [vectors] = await self._embedded([augmented], "query", asked)
        except EmbedderUnavailableError as error:
            asked.miss("the question", error)
            return
        functions = asked.among(FUNCTION_FORMS)
        wanted = functions if functions.forms else asked.chosen
        streams.query = await self._found(vectors, wanted, MOST, asked, streams)
        asked.tell(Piece(QUERY, augmented, tuple(streams.united), compared=asked.compared))

    async def _by_code(self, augmented: str, asked: _Asked, streams: _Streams) -> None:
        """Functions and classes near to the code that the model writes, and functions near to its components."""
        if not {CODE, CLASS, COMPONENT} & set(asked.steps):
            return
        code = await self._write(augmented, asked)
        components = components_of(code)[:MOST_COMPONENTS]
        if not components:
            return
        asked.tell(Piece(WRITE, augmented, tuple(streams.united), compared=asked.compared))
        with asked.timed(COMPARE):
            # The whole and its parts go to the models once, whatever compares them.
            try:
                whole, *parts = await self._embedded([code, *components], "code", asked)
            except EmbedderUnavailableError as error:
                asked.miss("the code", error)
                return
            functions, classes = asked.among(FUNCTION_FORMS), asked.among(CLASS_FORMS)
            streams.code, streams.classes, *streams.components = await asyncio.gather(
                self._nearest(CODE, whole, functions, TOP, asked, streams),
                self._nearest(CLASS, whole, classes, TOP, asked, streams),
                *(self._nearest(COMPONENT, part, functions, 1, asked, streams) for part in parts),
            )
        asked.tell(Piece(COMPARE, augmented, tuple(streams.united), compared=asked.compared))

    async def _nearest(
        self, stream: str, vectors: Vectors, chosen: SearchFilter, limit: int, asked: _Asked, streams: _Streams
    ) -> list[Hit]:
        return await self._found(vectors, chosen, limit, asked, streams) if stream in asked.steps else []

    async def _found(
        self, vectors: Vectors, chosen: SearchFilter, limit: int, asked: _Asked, streams: _Streams
    ) -> list[Hit]:
        """So many nearest codes; where copies are one, of these the nearest."""
        if not asked.merge:
            return await self._index.search(vectors, self._weights, chosen, limit)
        depth = DEPTH
        while True:
            hits = await self._index.search(vectors, self._weights, chosen, depth)
            nearest: dict[str, Hit] = {}
            for hit in hits:
                nearest.setdefault(hit.code.twin, hit)
            if len(nearest) >= limit or len(hits) < depth or depth >= MOST_LOOKED_AT:
                break
            depth = min(depth * 4, MOST_LOOKED_AT)
        for hit in hits:
            streams.met.setdefault(hit.code.twin, {}).setdefault(hit.code.function_id, hit)
        return list(nearest.values())[:limit]

    async def _write(self, augmented: str, asked: _Asked) -> str:
        language = next(iter(asked.chosen.languages), "") or "python"
        with asked.timed(WRITE) as use:
            try:
                async with asked.deadline():
                    written = self._agent.write_code(augmented, language, use.count)
                    code = code_in(await self._answered(written, asked))
                if not code:
                    asked.notes.append("no code was written: the model wrote nothing")
                return code
            except TimeoutError:
                if ENRICH not in asked.steps:
                    raise
                asked.notes.append("no code was written: the time was over")
            except AgentError as error:
                if isinstance(error, AgentAwayError) and ENRICH not in asked.steps:
                    raise
                asked.notes.append(f"no code was written: {error}")
        return ""

    async def _rerank(self, augmented: str, united: list[StreamHit], asked: _Asked) -> list[StreamHit]:
        if len(united) < 2 or RERANK not in asked.steps:
            return united
        heads = [f"{one.hit.code.path} {one.hit.code.qualname}\n" for one in united]
        # What a long question takes more than its share is code that cannot be shown.
        more = max(len(asked.query) + len(augmented) - QUESTION_CHARACTERS, 0)
        room = self._agent.room - more - sum(map(len, heads))
        codes = fitting([one.hit.code.code for one in united], max(room, 0))
        snippets = [head + code for head, code in zip(heads, codes, strict=True)]
        with asked.timed(RERANK) as use:
            try:
                async with asked.deadline():
                    ordering = self._agent.order(asked.query, augmented, snippets, use.count)
                    order = await self._answered(ordering, asked)
                if not any(1 <= position <= len(united) for position in order):
                    asked.notes.append("ordered by similarity alone: the model named none of the results")
                return reorder(united, order)
            except TimeoutError:
                asked.notes.append("ordered by similarity alone: the time was over")
            except AgentError as error:
                asked.notes.append(f"ordered by similarity alone: {error}")
        return united


def _enriched(query: str, more: str) -> str:
    """The question itself stays in front: what a model adds may lead astray."""
    return f"{query}\n{more.strip()}"
