"""The simplest strategy: one question, one answer."""

from __future__ import annotations

from evaluator.domain.runs import Run
from evaluator.domain.tasks import Solution, Task
from evaluator.ports import Exercises, LanguageModels
from evaluator.usecases.strategies import Draft
from evaluator.usecases.tracks import TRACKS, posed


class Direct:
    """One question, one answer, in every track.

    Source: Code2Bench, evaluation: temperature 0, one sample.

    Args:
        models: The models under test.
        exercises: Tasks as other questions.
        max_tokens: Upper bound of the answer's length.
    """

    prompts = ("solve_v1",)
    parts = ()
    tracks = tuple(TRACKS)

    def __init__(self, models: LanguageModels, exercises: Exercises, *, max_tokens: int) -> None:
        self._models = models
        self._exercises = exercises
        self.bounds = {"tokens": max_tokens}

    def variant(self, text: str) -> str:
        """There is one way of asking once."""
        if text:
            raise ValueError(f"the strategy has no variant {text!r}")
        return ""

    async def solve(self, run: Run, task: Task, sample: int = 0) -> Solution:
        """Ask once and take the program out of the answer."""
        draft, track = Draft(run, task, sample), TRACKS[run.spec.track]
        exercise = await posed(draft, self._exercises)
        said = await self._models.ask(
            run.spec.endpoint,
            track.prompt,
            max_tokens=run.spec.bound("tokens", self.bounds["tokens"]),
            sampling=draft.sampling,
            **track.words(draft.task, run.spec.language, exercise),
        )
        draft.spend(said.effort)
        return track.solution(draft, said, exercise)
