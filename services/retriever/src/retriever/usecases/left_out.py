"""Models of the index that took no part in an answer: which, why, and what is said of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from retriever.domain.ensemble import Ranking
from retriever.domain.generations import Generation
from retriever.errors import EmbedderAwayError, EmbedderUnavailableError
from retriever.usecases.question import SearchQuestion


@dataclass(frozen=True)
class Candidates:
    """Candidates, best first.

    Args:
        ranked: The candidates.
        words_alone: Why they are ranked by words alone, where nobody decided that they be.
        loading: Models that did not take part, as they are still being loaded.
    """

    ranked: Ranking
    words_alone: str = ""
    loading: tuple[str, ...] = ()


def left_out_of(question: SearchQuestion, generation: Generation | None, found: Candidates) -> tuple[str, ...]:
    """Models that should have ranked and could not be asked."""
    if question.parts:
        return ()
    if generation is None:
        return tuple(sorted(found.loading))
    if found.words_alone:
        return generation.lacking(())
    # A model that was asked is among the parts also where no candidate has a vector of it, or there is none.
    return generation.lacking(found.ranked.parts)


def note_on_models(
    question: SearchQuestion, left_out: Sequence[str], loading: Collection[str], before: Collection[str]
) -> str:
    """Says which models of the index took no part, and why."""
    names = " and ".join(left_out)
    if left_out and before:
        return f"as on the page before, ranked without {names}"
    if left_out and question.like_function_id:
        return f"ranked without {names}: that code has no vector of it yet"
    return note_on_less("ranked", left_out, loading)


def note_on_less(done: str, left_out: Sequence[str], loading: Collection[str]) -> str:
    """Says without which models something was done: who waits for some of them asks again."""
    coming = " and ".join(one for one in left_out if one in loading)
    gone = " and ".join(one for one in left_out if one not in loading)
    what = f"{done} without {gone}: the embedder does not have what the index was made by"
    return joined(
        f"{done} without {coming}, which the embedder is still loading; ask again later" if coming else "",
        f"{what}; the next generation takes over when it is whole" if gone else "",
    )


def page_of_others(models: str, error: EmbedderUnavailableError | None = None) -> EmbedderAwayError:
    """For who asks for the page after one that was ranked by models that cannot be asked now."""
    why = f": {error}" if error else ""
    return EmbedderAwayError(
        f"the page before was ranked by {models}, which cannot be asked now{why}",
        thing="cursor",
        way_out="ask again in some seconds, or begin without it",
    )


def joined(*notes: str) -> str:
    """One note of several, those that say nothing left out."""
    return "; ".join(filter(None, notes))
