"""What a caller of a search asks, and whether it can be answered."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace

from retriever.domain.code import ALL_FORMS, CLASS_FORMS, FUNCTION_FORMS, SearchFilter
from retriever.domain.exact import demand_pattern
from retriever.domain.paging import question_digest
from retriever.domain.streams import CLASS, CODE, COMPONENT, QUERY, STEPS, STREAMS
from retriever.errors import BadRequestError

DEFAULT_LIMIT = 10
MOST_RESULTS = 100
MOST_CHARACTERS = 4000
MOST_VALUES = 100
MOST_WILDCARDS = 10


@dataclass(frozen=True)
class SearchQuestion:
    """What a caller asks; see `touchstone.retriever.v1.SearchRequest`.

    Args:
        kinds_named: Whether the filter's forms were named: an augmented search looks at classes as well unless they
            were, also where they are all that there are of functions.
        with_digest: Whether the answer names what is indexed; nothing else is found for it.
    """

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
    kinds_named: bool = False
    with_digest: bool = False

    @property
    def exact(self) -> bool:
        """Whether there is nothing to rank by."""
        return not self.query and not self.like_function_id

    @property
    def streams_forms(self) -> frozenset[str]:
        """Among which forms the streams of an augmented search look."""
        named = self.kinds_named or self.chosen.forms != FUNCTION_FORMS
        return self.chosen.forms if named else ALL_FORMS

    @property
    def steps_taken(self) -> tuple[str, ...]:
        """Steps of an augmented search, without the streams that look among no form that is wanted."""
        idle = {CLASS} if not self.streams_forms & CLASS_FORMS else set[str]()
        idle |= {CODE, COMPONENT} if not self.streams_forms & FUNCTION_FORMS else set()
        return tuple(step for step in self.steps or STEPS if step not in idle)

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
    if question.parts and (mode == "augmented" or (not query and not question.like_function_id)):
        raise BadRequestError(
            "parts are those of a plain search's ranking",
            thing="parts",
            way_out="leave them out" if mode == "plain" else "leave them out, or use plain",
        )
    if unknown := sorted(set(question.steps) - set(STEPS)):
        raise BadRequestError("no such step", thing=unknown[0][:40], way_out=f"use {', '.join(STEPS)}")
    if question.steps and (mode != "augmented" or not set(question.steps) & set(STREAMS)):
        raise BadRequestError(
            "steps are those of an augmented search, with a stream among them",
            thing="steps",
            way_out=f"name {' or '.join(STREAMS)}, and mode augmented",
        )
    if mode == "augmented" and question.chosen.forms and not set(question.steps_taken) & set(STREAMS):
        among = "classes" if question.streams_forms <= CLASS_FORMS else "functions"
        raise BadRequestError(
            f"none of these steps looks among {among}, which the kinds name",
            thing="steps",
            way_out=f"name {QUERY} beside them",
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
    for name, text in (("symbol", chosen.symbol), ("path", chosen.path)):
        if (many := len(re.findall(r"\*+", text))) > MOST_WILDCARDS:
            raise BadRequestError(f"has {many} wildcards", thing=name, way_out=f"use at most {MOST_WILDCARDS}")
    if chosen.pattern:
        demand_pattern(chosen.pattern)
