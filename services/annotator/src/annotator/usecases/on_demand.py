"""Judgements on demand: while somebody waits, within a budget."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from annotator.domain.pair import Pair
from annotator.errors import BadPairError
from annotator.ports import Labels, StoredLabel
from annotator.usecases.announcing import current_label
from annotator.usecases.importing import GivenLabel, pair_of
from annotator.usecases.labelling import Labelling
from annotator.usecases.people import foremost
from touchstone_contracts import identities


@dataclass(frozen=True, slots=True)
class Question:
    """A query and a code that somebody wants judged.

    Attributes:
        function_id: The code's id; where a pool holds it, the pair joins that pool. Any other id counts for nothing,
            since two corpora may give one id to two codes.
        code: Its text; empty where a pool holds the code.
    """

    query: str
    code: str
    language: str = "python"
    function_id: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one question.

    Attributes:
        place: Which question, counted from 0.
        done: Questions answered so far, this one included.
        label: None where there is no judgement.
        fresh: Whether it was judged now.
        refused: Why there is no judgement; empty where there is one.
    """

    place: int
    done: int
    total: int
    label: StoredLabel | None
    fresh: bool = False
    refused: str = ""


class OnDemand:
    """Answers questions one by one.

    Args:
        labelling: Judges.
        labels: What is judged already.
    """

    def __init__(self, labelling: Labelling, labels: Labels) -> None:
        self._labelling = labelling
        self._labels = labels

    async def judge(self, questions: Sequence[Question], budget: int) -> AsyncIterator[Answer]:
        """Answer questions in their order, as they are done.

        A pair that has a label is not judged again, whoever gave it. Who stops listening stops the work; what is
        judged by then stays.

        Args:
            questions: What is asked.
            budget: So many are judged anew at most; the others are refused.

        Raises:
            RetryableError: model, sandbox, store or broker are away.
        """
        for place, question in enumerate(questions):
            known = await self._labels.code_of(question.function_id) if question.function_id else None
            pair, why = _pair(question, known)
            if known is None and (same := foremost(await self._labels.same_texts(pair))):
                pair = same.pair
            label = None if why else await self._current(pair)
            fresh = False
            if not why and label is None:
                if budget <= 0:
                    why = "the budget is spent"
                else:
                    budget, fresh = budget - 1, True
                    label, why = await self._judged(pair)
            yield Answer(place, place + 1, len(questions), label, fresh and not why, why)

    async def _current(self, pair: Pair) -> StoredLabel | None:
        label = await current_label(self._labels, pair.pair_id)
        if label is None and not pair.on_demand and await self._labelling.known(pair):
            # People have said it of the same texts, before the pair joined its pool.
            return await current_label(self._labels, pair.pair_id)
        return label

    async def _judged(self, pair: Pair) -> tuple[StoredLabel | None, str]:
        try:
            return await self._labelling.label(pair), ""
        except BadPairError as error:
            return None, str(error)


def _pair(question: Question, known: Pair | None) -> tuple[Pair, str]:
    """The pair that is meant, and why it cannot be judged; empty where it can."""
    given = pair_of(GivenLabel(question.query, question.code, 0, question.language))
    if known is None:
        return replace(given, on_demand=True), ""
    if question.code and identities.code_words(question.code) != identities.code_words(known.code):
        return given, f"{question.function_id} is another code here"
    of_known = pair_of(
        GivenLabel(question.query, known.code, 0, known.language, known.function_id, licence=known.licence)
    )
    return replace(
        known,
        pair_id=of_known.pair_id,
        query_id=of_known.query_id,
        query=of_known.query,
        similarity=None,
        on_demand=False,
        joined=True,
    ), ""
