"""Runs of answers that somebody else sampled: nobody is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evaluator.domain.outcomes import Outcome
from evaluator.domain.runs import Run
from evaluator.domain.submitted import SubmittedAnswer, submission
from evaluator.domain.tasks import Solution, Task
from evaluator.errors import NoExerciseError
from evaluator.ports import AnswerSets, Exercises, Said
from evaluator.usecases.strategies import Draft
from evaluator.usecases.tracks import TRACKS, posed
from touchstone_runtime.storable import storable


class Submitted:
    """Takes the program out of an answer that lies there, as `Direct` takes it out of one that it asked for.

    A task of the run without an answer is one without a program: what was not shown counts against its model.

    Args:
        sets: The submitted answers.
        exercises: Tasks as other questions.
    """

    prompts = ()
    parts = ()
    tracks = tuple(TRACKS)

    def __init__(self, sets: AnswerSets, exercises: Exercises) -> None:
        self._sets = sets
        self._exercises = exercises
        self.bounds: Mapping[str, int] = {}

    def variant(self, text: str) -> str:
        """There is one way of looking an answer up."""
        if text:
            raise ValueError(f"the strategy has no variant {text!r}")
        return ""

    async def solve(self, run: Run, task: Task, sample: int = 0) -> Solution:
        """Look one answer up."""
        found = await self._sets.get(run.spec.answers)
        draft = Draft(run, task, sample)
        if found is None:
            # No fault of the answer; once they are submitted again, so can the run be.
            return draft.given_up(
                Outcome.INFRASTRUCTURE, f"nobody submitted answers with the digest {run.spec.answers}"
            )
        text = found.text_of(task.task_id, sample)
        if text is None:
            return draft.given_up(Outcome.NO_CODE, "no answer was submitted")
        try:
            exercise = await posed(draft, self._exercises)
        except NoExerciseError as error:
            # It cannot be judged: no fault of the answer, and asking again says the same.
            return draft.given_up(Outcome.INFRASTRUCTURE, str(error))
        return TRACKS[run.spec.track].solution(draft, Said(storable(text), draft.effort), exercise)


async def submit_answers(sets: AnswerSets, answers: Iterable[SubmittedAnswer]) -> tuple[str, int, int]:
    """Keep answers for runs to judge.

    Returns:
        Their digest, how many answers there are, and of how many tasks.

    Raises:
        BadSpecificationError: There are none, two have one place, or a number is out of bounds.
    """
    submitted = submission(answers)
    return await sets.put(submitted), len(submitted.answers), len(submitted.task_ids)
