"""RepoRift: the query is enriched in the repository's context, and several comparisons are united.

Source: RepoRift, section 2; the numbers are the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from retriever.domain.code import ALL_FORMS, CLASS_FORMS, FUNCTION_FORMS, Hit, SearchFilter
from retriever.domain.generated import code_in, components_of
from retriever.domain.streams import MOST, MOST_COMPONENTS, TOP, StreamHit, reorder, unite
from retriever.errors import AgentAwayError, AgentError
from retriever.ports import CodeIndex, QueryEmbedder, SearchAgent

MOST_LOOK_UPS = 2
NOTE_CHARACTERS = 900
# Fifteen of them and the rest of the question fit into a context of 4,096 tokens.
SNIPPET_CHARACTERS = 320


@dataclass(frozen=True)
class AugmentedOutcome:
    """What was found, best first, and what went less well than it should."""

    found: tuple[StreamHit, ...]
    augmented_query: str
    note: str = ""


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

    async def __call__(self, query: str, chosen: SearchFilter) -> AugmentedOutcome:
        """Search among what a filter admits; functions and classes are looked at, whatever forms it names.

        A step at which the model fails is left out and noted.

        Raises:
            AgentAwayError: the model cannot be used at all.
        """
        notes: list[str] = []
        chosen = replace(chosen, forms=ALL_FORMS)
        augmented = await self._augment(query, chosen, notes)
        code = await self._write(augmented, next(iter(chosen.languages), ""), notes)
        united = await self._compare(augmented, code, chosen)
        found = await self._rerank(query, augmented, united, notes)
        return AugmentedOutcome(tuple(found), augmented, "; ".join(notes))

    async def _augment(self, query: str, chosen: SearchFilter, notes: list[str]) -> str:
        """The query with detail of the repository: at most two look-ups, one document each."""
        looked_up: dict[str, str] = {}
        try:
            for left in range(MOST_LOOK_UPS, -1, -1):
                step = await self._agent.step(
                    query, ", ".join(chosen.repositories), list(looked_up.values()), may_look_up=left > 0
                )
                if step.augmented.strip():
                    # The question itself stays in front: what a model adds may lead astray.
                    return f"{query}\n{step.augmented.strip()}"
                if not step.look_up.strip() or not left:
                    break
                await self._look_up(step.look_up, chosen, looked_up)
        except AgentAwayError:
            raise
        except AgentError as error:
            notes.append(f"the query was not enriched: {error}")
            return query
        notes.append("the query was not enriched: the model wrote nothing")
        return query

    async def _look_up(self, text: str, chosen: SearchFilter, looked_up: dict[str, str]) -> None:
        [vectors] = await self._embedder.embed([text.strip()], "query")
        for hit in await self._index.search(vectors, self._weights, chosen, len(looked_up) + 1):
            if hit.code.function_id not in looked_up:
                looked_up[hit.code.function_id] = f"{hit.code.path}\n{hit.code.code[:NOTE_CHARACTERS]}"
                return

    async def _write(self, augmented: str, language: str, notes: list[str]) -> str:
        try:
            return code_in(await self._agent.write_code(augmented, language or "python"))
        except AgentAwayError:
            raise
        except AgentError as error:
            notes.append(f"no code was written: {error}")
            return ""

    async def _compare(self, augmented: str, code: str, chosen: SearchFilter) -> list[StreamHit]:
        functions, classes = replace(chosen, forms=FUNCTION_FORMS), replace(chosen, forms=CLASS_FORMS)
        by_query = await self._nearest([augmented], "query", functions, MOST)
        components = components_of(code)[:MOST_COMPONENTS]
        if not components:
            return unite(by_query[0], [], [], [])
        by_code = await self._nearest([code], "code", functions, TOP)
        by_class = await self._nearest([code], "code", classes, TOP)
        by_component = await self._nearest(components, "code", functions, 1)
        return unite(by_query[0], by_code[0], by_class[0], by_component)

    async def _nearest(self, texts: Sequence[str], role: str, chosen: SearchFilter, limit: int) -> list[list[Hit]]:
        embedded = await self._embedder.embed(texts, "code" if role == "code" else "query")
        return [await self._index.search(vectors, self._weights, chosen, limit) for vectors in embedded]

    async def _rerank(self, query: str, augmented: str, united: list[StreamHit], notes: list[str]) -> list[StreamHit]:
        if len(united) < 2:
            return united
        snippets = [f"{one.hit.code.path} {one.hit.code.qualname}\n{_shown(one)}" for one in united]
        try:
            return reorder(united, await self._agent.order(query, augmented, snippets))
        except AgentError as error:
            notes.append(f"ordered by similarity alone: {error}")
            return united


def _shown(one: StreamHit) -> str:
    return one.hit.code.code[:SNIPPET_CHARACTERS]
