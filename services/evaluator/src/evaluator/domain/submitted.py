"""Answers that somebody else sampled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluator.errors import BadSpecificationError

# A run with more is no run that anybody waits for.
MAX_SAMPLES = 1000
_MAX_NAME = 200


@dataclass(frozen=True)
class SubmittedAnswer:
    """One answer: whole id of its task, number from 0, and what was said."""

    task_id: str
    sample: int
    text: str


@dataclass(frozen=True)
class Submission:
    """Answers by task and number."""

    answers: Mapping[tuple[str, int], str]

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The tasks that have an answer."""
        return tuple(sorted({task_id for task_id, _ in self.answers}))

    @property
    def samples(self) -> int:
        """How many answers a task of the run has: what the best served one has."""
        return max((sample for _, sample in self.answers), default=-1) + 1


def submission(answers: Iterable[SubmittedAnswer]) -> Submission:
    """Put answers in their places.

    Raises:
        BadSpecificationError: There are none, two have one place, or a number is out of bounds.
    """
    places: dict[tuple[str, int], str] = {}
    for answer in answers:
        if not answer.task_id or not 0 <= answer.sample < MAX_SAMPLES:
            raise BadSpecificationError(
                f"an answer has a task and a number from 0 to {MAX_SAMPLES - 1}, this one {answer.sample}",
                thing=answer.task_id,
            )
        if (answer.task_id, answer.sample) in places:
            raise BadSpecificationError(f"there are two answers of number {answer.sample}", thing=answer.task_id)
        places[answer.task_id, answer.sample] = answer.text
    if not places:
        raise BadSpecificationError("there is no answer to judge")
    return Submission(places)


def answering_name(name: str) -> str:
    """The name that submitted answers stand under.

    Raises:
        BadSpecificationError: It is empty, too long, or nothing that a line can show.
    """
    name = name.strip()
    if not name or len(name) > _MAX_NAME or not name.isprintable():
        raise BadSpecificationError(
            "submitted answers need the name of the model that gave them, on one line",
            thing=name[:_MAX_NAME],
            way_out="name it: --model NAME",
        )
    return name
