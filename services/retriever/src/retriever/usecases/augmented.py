"""RepoRift: the query is enriched in the repository's context, and several comparisons are united.

Source: RepoRift, section 2; the numbers are the paper's.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from retriever.domain.code import ALL_FORMS, CLASS_FORMS, FUNCTION_FORMS, Hit, SearchFilter, Vectors
from retriever.domain.generated import code_in, components_of
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
from retriever.errors import AgentAwayError, AgentError
from retriever.ports import CodeIndex, QueryEmbedder, SearchAgent

MOST_LOOK_UPS = 2
NOTE_CHARACTERS = 900
WRITE, COMPARE = "write", "compare"


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
class AugmentedOutcome:
    """What was found, best first, what went less well than it should, and what each step took."""

    found: tuple[StreamHit, ...]
    augmented_query: str
    note: str = ""
    used: tuple[StepUse, ...] = ()


@dataclass
class _Asked:
    """One search while it goes on."""

    query: str
    chosen: SearchFilter
    steps: Collection[str]
    until: float | None
    notes: list[str] = field(default_factory=list[str])
    used: list[StepUse] = field(default_factory=list[StepUse])

    @contextmanager
    def timed(self, step: str) -> Generator[StepUse]:
        use = StepUse(step)
        self.used.append(use)
        started = time.monotonic()
        try:
            yield use
        finally:
            use.seconds = time.monotonic() - started

    def deadline(self) -> asyncio.Timeout:
        """Ends a question to the model when the time of all is over."""
        return asyncio.timeout_at(self.until)


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

    async def __call__(
        self, query: str, chosen: SearchFilter, steps: Collection[str] = STEPS, within_s: float | None = None
    ) -> AugmentedOutcome:
        """Search among what a filter admits; functions and classes are looked at, whatever forms it names.

        A step at which the model fails, or for which no time is left, is left out and noted.

        Args:
            query: In words.
            chosen: What may be found.
            steps: Of `STEPS`; a look-up serves the enrichment alone.
            within_s: Seconds that the model may take in all; None for as long as it likes.

        Raises:
            AgentAwayError: the model cannot be used at all.
            TimeoutError: no time was left for the first question to the model.
        """
        until = None if within_s is None else asyncio.get_running_loop().time() + within_s
        asked = _Asked(query, replace(chosen, forms=ALL_FORMS), frozenset(steps), until)
        augmented = await self._augment(asked)
        united = await self._compare(augmented, asked)
        found = await self._rerank(augmented, united, asked)
        return AugmentedOutcome(tuple(found), augmented, "; ".join(asked.notes), tuple(asked.used))

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
                        step = await self._agent.step(asked.query, repository, [], use.count, may_look_up=True)
                        if step.augmented.strip():
                            return _enriched(asked.query, step.augmented)
                        documents = await self._look_up(step.look_ups[:MOST_LOOK_UPS], asked)
                    step = await self._agent.step(asked.query, repository, documents, use.count, may_look_up=False)
            except AgentAwayError:
                raise
            except AgentError as error:
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
        with asked.timed(LOOK_UP):
            embedded = await self._embedder.embed(wanted, "query")
            found = await asyncio.gather(
                *(self._index.search(vectors, self._weights, asked.chosen, len(wanted)) for vectors in embedded)
            )
        documents: dict[str, str] = {}
        for hits in found:
            new = next((hit for hit in hits if hit.code.function_id not in documents), None)
            if new is not None:
                documents[new.code.function_id] = f"{new.code.path}\n{new.code.code[:NOTE_CHARACTERS]}"
        return list(documents.values())

    async def _compare(self, augmented: str, asked: _Asked) -> list[StreamHit]:
        # What needs no model goes on while it writes.
        by_query = asyncio.create_task(self._by_query(augmented, asked))
        try:
            by_code = await self._by_code(augmented, asked)
            return unite(await by_query, *by_code)
        finally:
            by_query.cancel()

    async def _by_query(self, augmented: str, asked: _Asked) -> list[Hit]:
        if QUERY not in asked.steps:
            return []
        [vectors] = await self._embedder.embed([augmented], "query")
        functions = replace(asked.chosen, forms=FUNCTION_FORMS)
        return await self._index.search(vectors, self._weights, functions, MOST)

    async def _by_code(self, augmented: str, asked: _Asked) -> tuple[list[Hit], list[Hit], list[list[Hit]]]:
        """Functions and classes near to the code that the model writes, and functions near to its components."""
        if not {CODE, CLASS, COMPONENT} & set(asked.steps):
            return [], [], []
        code = await self._write(augmented, asked)
        components = components_of(code)[:MOST_COMPONENTS]
        if not components:
            return [], [], []
        with asked.timed(COMPARE):
            # The whole and its parts go to the models once, whatever compares them.
            whole, *parts = await self._embedder.embed([code, *components], "code")
            functions, classes = replace(asked.chosen, forms=FUNCTION_FORMS), replace(asked.chosen, forms=CLASS_FORMS)
            by_code, by_class, *by_component = await asyncio.gather(
                self._nearest(CODE, whole, functions, TOP, asked),
                self._nearest(CLASS, whole, classes, TOP, asked),
                *(self._nearest(COMPONENT, part, functions, 1, asked) for part in parts),
            )
        return by_code, by_class, by_component

    async def _nearest(
        self, stream: str, vectors: Vectors, chosen: SearchFilter, limit: int, asked: _Asked
    ) -> list[Hit]:
        return await self._index.search(vectors, self._weights, chosen, limit) if stream in asked.steps else []

    async def _write(self, augmented: str, asked: _Asked) -> str:
        language = next(iter(asked.chosen.languages), "") or "python"
        with asked.timed(WRITE) as use:
            try:
                async with asked.deadline():
                    return code_in(await self._agent.write_code(augmented, language, use.count))
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
        room = self._agent.room - sum(map(len, heads))
        codes = fitting([one.hit.code.code for one in united], max(room, 0))
        snippets = [head + code for head, code in zip(heads, codes, strict=True)]
        with asked.timed(RERANK) as use:
            try:
                async with asked.deadline():
                    return reorder(united, await self._agent.order(asked.query, augmented, snippets, use.count))
            except TimeoutError:
                asked.notes.append("ordered by similarity alone: the time was over")
            except AgentError as error:
                asked.notes.append(f"ordered by similarity alone: {error}")
        return united


def _enriched(query: str, more: str) -> str:
    """The question itself stays in front: what a model adds may lead astray."""
    return f"{query}\n{more.strip()}"
