"""What a caller of a search gets, whole and in pieces, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice

from retriever.domain.code import CLASS_FORMS, FUNCTION_FORMS, Hit, IndexedCode, Listed
from retriever.domain.ensemble import TEXT, ScorePart
from retriever.domain.generations import Generation
from retriever.domain.streams import CLASS, CODE, COMPONENT, ENRICH, LOOK_UP, QUERY, RERANK, STEPS, StreamHit
from retriever.usecases.augmented import COMPARE, WRITE, Compared, LookUp, Piece, StepUse
from retriever.usecases.left_out import joined, note_on_less
from retriever.usecases.question import SearchQuestion

# Merged views name so many other places of one result.
MOST_DUPLICATES = 20
# Steps of an answer in pieces, beside those of the augmented search.
PLAIN, ANSWER = "plain", "answer"


@dataclass(frozen=True)
class SearchResult:
    """One result: what found it, how its score came about, other places of the same code, and how many more."""

    hit: Hit
    streams: tuple[str, ...]
    parts: tuple[ScorePart, ...] = ()
    duplicates: tuple[IndexedCode, ...] = ()
    more_duplicates: int = 0


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
    next_cursor: str = ""
    parts: tuple[str, ...] = ()
    generation: str = ""
    steps: tuple[StepUse, ...] = ()
    left_out: tuple[str, ...] = ()
    index_digest: str = ""


# What is done one after the other, the steps of which it needs one, and the words for it that every client shows.
_BY_CODE = frozenset({CODE, CLASS, COMPONENT})
_DOINGS = (
    (frozenset({LOOK_UP}), "a model reads the question"),
    (frozenset({ENRICH}), "the model describes what is wanted"),
    (_BY_CODE, "the model writes such code"),
    (_BY_CODE, "what is indexed is compared with that code"),
    (frozenset({RERANK}), "the model puts the results in order"),
)
# With how many of them it is over when a step is done.
_OVER = {PLAIN: 0, LOOK_UP: 1, ENRICH: 2, QUERY: 2, WRITE: 3, COMPARE: 4}
_LAST_OF_ALL = "what was found is put together"


@dataclass(frozen=True)
class SearchPiece:
    """What there is of an answer when a step is done; each takes the place of the one before.

    Args:
        step: `plain`, one of the augmented search's (see `Piece`), or `answer`, which is last.
        answer: All that was found so far; of the step `answer` the whole.
        look_ups: What the model looked up so far.
        steps: Those that the search takes.
    """

    step: str
    answer: SearchAnswer
    look_ups: tuple[LookUp, ...] = ()
    steps: tuple[str, ...] = STEPS

    @property
    def going_on(self) -> str:
        """What goes on now, in words; empty of the last one."""
        if self.step not in _OVER:
            return ""
        # A look-up serves the enrichment alone.
        taken = set(self.steps) - ({LOOK_UP} if ENRICH not in self.steps else set())
        left = (words for needed, words in _DOINGS[_OVER[self.step] :] if needed & taken)
        return next(left, _LAST_OF_ALL)


def of_streams(found: Iterable[StreamHit], question: SearchQuestion) -> tuple[SearchResult, ...]:
    """Results of an augmented search."""
    return tuple(
        SearchResult(one.hit, one.streams, (), one.copies[:MOST_DUPLICATES], max(len(one.copies) - MOST_DUPLICATES, 0))
        for one in islice(found, question.limit)
    )


def with_piece(
    so_far: SearchPiece, piece: Piece, question: SearchQuestion, generation: Generation | None, elapsed_s: float
) -> SearchPiece:
    """What there is after one more step: what was found before stays until a stream has found something."""
    answer = replace(so_far.answer, elapsed_s=elapsed_s)
    if piece.step == LOOK_UP:
        return replace(so_far, step=piece.step, answer=answer, look_ups=piece.look_ups)
    answer = replace(answer, augmented_query=piece.augmented_query)
    if results := of_streams(piece.found, question):
        answer = replace(answer, results=results, mode="augmented", note="", parts=())
        answer = compared(answer, generation, piece.compared)
    return replace(so_far, step=piece.step, answer=answer)


def compared(answer: SearchAnswer, generation: Generation | None, compared: Compared) -> SearchAnswer:
    """The answer of an augmented search with the generation that gave it, and what models of it took no part."""
    missing = generation.lacking(compared.models) if generation and compared.models is not None else ()
    left_out = missing or tuple(sorted(compared.loading))
    # Where a text was not compared at all the note says so.
    note = joined(answer.note, note_on_less("compared", left_out, compared.loading) if compared.models else "")
    return replace(answer, note=note, left_out=left_out, generation=generation.name if generation else "")


def by_twin(listed: Iterable[Listed]) -> dict[str, list[Listed]]:
    """Codes that differ in white space at most, together."""
    found: dict[str, list[Listed]] = {}
    for one in listed:
        found.setdefault(one.twin, []).append(one)
    return found


def note_on_nothing(question: SearchQuestion, answer: SearchAnswer, indexed: int) -> str:
    """Says why nothing was found, where nothing was."""
    if answer.results:
        return ""
    if not indexed:
        return "the index is empty: add a source and wait until its functions are embedded"
    chosen = question.chosen
    forms = question.streams_forms if answer.mode == "augmented" else chosen.forms
    words = [
        *chosen.repositories, *chosen.languages, *chosen.licences,
        *(text for text in (chosen.symbol, chosen.path, chosen.pattern, chosen.version) if text),
    ]  # fmt: skip
    said = " ".join(["nothing indexed matches", " and ".join(words)]).strip()
    if (TEXT,) in (question.parts, answer.parts):
        among = f" that matches {' and '.join(words)}" if words else ""
        said = f"nothing indexed{among} holds a word of the question"
    left_out: list[str] = []
    if forms >= FUNCTION_FORMS:
        left_out += [] if forms >= CLASS_FORMS else ["classes"]
    else:
        said += f"; only kind {' and '.join(sorted(forms))} was looked at"
    # What the newest version does not hold any more is indexed all the same.
    left_out += [] if chosen.superseded else ["replaced versions"]
    return f"{said}; {' and '.join(left_out)} were left out" if left_out else said
