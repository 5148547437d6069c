"""What a caller of a search asks, and whether it can be answered."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from retriever.domain.code import ALL_FORMS, SearchFilter
from retriever.domain.exact import demand_pattern
from retriever.domain.paging import question_digest
from retriever.domain.streams import STEPS, STREAMS
from retriever.errors import BadRequestError

DEFAULT_LIMIT = 10
MOST_RESULTS = 100
MOST_CHARACTERS = 4000
MOST_VALUES = 100


@dataclass(frozen=True)
class SearchQuestion:
    """What a caller asks; see `touchstone.retriever.v1.SearchRequest`."""

    query: str
    chosen: SearchFilter = field(default_factory=SearchFilter)
    limit: int = 0
    mode: str = "plain"
    cursor: str = ""
    merge_duplicates: bool = False
    parts: tuple[str, ...] = ()
    query_is_code: bool = False
    like_function_id: str = ""
    steps: tuple[str, ...] = ()
    generation: str = ""
    within_s: float = math.inf

    @property
    def exact(self) -> bool:
        """Whether there is nothing to rank by."""
        return not self.query and not self.like_function_id

    @property
    def digest(self) -> str:
        """Tells it from other questions; pages of different lengths are of one question."""
        return question_digest(
            self.query, self.mode, self.merge_duplicates, self.parts, self.query_is_code, self.like_function_id,
            self.steps, self.generation, _stable(self.chosen),
        )  # fmt: skip


def _stable(chosen: SearchFilter) -> tuple[object, ...]:
    """A filter without sets, whose order differs from process to process."""
    return (
        chosen.repository_keys,
        chosen.language_keys,
        sorted(chosen.forms),
        chosen.superseded,
        chosen.licence_keys,
        chosen.symbol,
        chosen.path,
        chosen.pattern,
        chosen.version,
    )


def checked(question: SearchQuestion) -> SearchQuestion:
    """The question with what it leaves open filled in.

    Raises:
        BadRequestError: it cannot be answered.
    """
    query = question.query.strip()
    if query and question.like_function_id:
        raise BadRequestError("a query and a function to be like", thing="like_function_id", way_out="send one of them")
    mode = question.mode or "plain"
    if mode not in ("plain", "augmented"):
        raise BadRequestError("no such mode", thing=mode, way_out='say "plain" or "augmented"')
    if not query and not question.like_function_id and not question.chosen.exact:
        raise BadRequestError(
            "the query is empty",
            thing="query",
            way_out="say in words what the code shall do, or name a symbol, a path or a pattern",
        )
    if mode == "augmented" and (not query or question.query_is_code):
        raise BadRequestError("an augmented search needs a question in words", thing="query", way_out="use plain")
    if unknown := sorted(set(question.steps) - set(STEPS)):
        raise BadRequestError("no such step", thing=unknown[0][:40], way_out=f"use {', '.join(STEPS)}")
    if question.steps and (mode != "augmented" or not set(question.steps) & set(STREAMS)):
        raise BadRequestError(
            "steps are those of an augmented search, with a stream among them",
            thing="steps",
            way_out=f"name {' or '.join(STREAMS)}, and mode augmented",
        )
    if len(query) > MOST_CHARACTERS:
        raise BadRequestError(
            f"the query has {len(query)} characters", thing="query", way_out=f"use at most {MOST_CHARACTERS}"
        )
    if not 0 <= question.limit <= MOST_RESULTS:
        raise BadRequestError(
            f"{question.limit} results cannot be asked for", thing="limit", way_out=f"use 1 to {MOST_RESULTS}"
        )
    _check_filter(question.chosen)
    return replace(question, query=query, limit=question.limit or DEFAULT_LIMIT, mode=mode)


def _check_filter(chosen: SearchFilter) -> None:
    if unknown := sorted(chosen.forms - ALL_FORMS):
        raise BadRequestError("no such kind", thing=unknown[0][:40], way_out=f"use {', '.join(sorted(ALL_FORMS))}")
    for name, values in (
        ("repositories", chosen.repositories),
        ("languages", chosen.languages),
        ("licences", chosen.licences),
    ):
        if len(values) > MOST_VALUES:
            raise BadRequestError(f"{len(values)} values", thing=name, way_out=f"use at most {MOST_VALUES}")
    for name, values in (
        ("symbol", [chosen.symbol]),
        ("path", [chosen.path]),
        ("version", [chosen.version]),
        ("repositories", chosen.repositories),
        ("languages", chosen.languages),
        ("licences", chosen.licences),
    ):
        if any("\0" in value for value in values):
            raise BadRequestError("holds a character that no name has", thing=name, way_out="leave out the NUL")
    for name, text in (("symbol", chosen.symbol), ("path", chosen.path), ("version", chosen.version)):
        if len(text) > MOST_CHARACTERS:
            raise BadRequestError(f"has {len(text)} characters", thing=name, way_out=f"use at most {MOST_CHARACTERS}")
    if chosen.pattern:
        demand_pattern(chosen.pattern)
