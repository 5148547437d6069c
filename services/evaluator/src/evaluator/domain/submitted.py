"""Answers that somebody else sampled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from evaluator.errors import BadSpecificationError

# A run with more is no run that anybody waits for.
MAX_SAMPLES = 1000
_MAX_NAME = 200
# A shorter beginning of an id may be somebody else's number of another task.
SHORTEST = 8


@dataclass(frozen=True)
class SubmittedAnswer:
    """One answer: whole id of its task, number from 0, and what was said."""

    task_id: str
    sample: int
    text: str


@dataclass(frozen=True)
class Submission:
    """Answers by task and number; a task goes by its id or by the beginning of it, as tables show ids."""

    answers: Mapping[tuple[str, int], str]

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The tasks that have an answer."""
        return tuple(sorted({task_id for task_id, _ in self.answers}))

    @property
    def samples(self) -> int:
        """How many answers a task of the run has: what the best served one has."""
        return max((sample for _, sample in self.answers), default=-1) + 1

    @cached_property
    def _lengths(self) -> frozenset[int]:
        return frozenset(len(task_id) for task_id, _ in self.answers)

    def names_of(self, task_id: str) -> list[str]:
        """What the answers call a task."""
        cut = (task_id[:length] for length in sorted(self._lengths) if SHORTEST <= length <= len(task_id))
        names = {name for name in [*cut, task_id] if name in self._named}
        return sorted(names)

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(task_id for task_id, _ in self.answers)

    def text_of(self, task_id: str, sample: int) -> str | None:
        """What was said to a task; None where no answer of this number was submitted."""
        for name in self.names_of(task_id):
            if (name, sample) in self.answers:
                return self.answers[name, sample]
        return None


def submission(answers: Iterable[SubmittedAnswer]) -> Submission:
    """Put answers in their places; a number that no task has an answer of is nobody's, as where files count from 1.

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
    numbers = {number: place for place, number in enumerate(sorted({sample for _, sample in places}))}
    return Submission({(task_id, numbers[sample]): text for (task_id, sample), text in places.items()})


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
