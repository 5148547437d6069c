"""The tracks: what is asked of a task, and what an answer to it amounts to. One entry each in one registry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from evaluator.domain.exercises import (
    WRITE,
    Exercise,
    asked_program,
    completed,
    constant_program,
    predicted,
    value_in,
    worn,
)
from evaluator.domain.outcomes import Outcome
from evaluator.domain.tasks import Solution, Task
from evaluator.errors import UnknownTrackError
from evaluator.ports import Exercises, Said
from evaluator.usecases.strategies import Draft, Strategy, beside, code_of, described, program_of, tracks_of
from touchstone_runtime.extraction import with_prelude
from touchstone_runtime.thoughts import spoken
from touchstone_runtime.tracks import (
    COMPLETION,
    HELPERS,
    NEUTRAL,
    PREDICT_INPUT,
    PREDICT_OUTPUT,
    REPAIR,
    ROBUSTNESS,
    SPEED,
)
from touchstone_runtime.tracks import TRACKS as NAMES
from touchstone_runtime.tracks import WRITE as NAMED_WRITE

_SHOWN = 4000


class Track(Protocol):
    """What is asked of a task."""

    @property
    def prompt(self) -> str:
        """The prompt file."""
        ...

    def words(self, task: Task, language: str, exercise: Exercise) -> Mapping[str, str]:
        """What the prompt says of the task."""
        ...

    def solution(self, draft: Draft, said: Said, exercise: Exercise) -> Solution:
        """What an answer amounts to; whatever it says is a value."""
        ...


@dataclass(frozen=True)
class Written:
    """A whole function is asked for, and the task's own suite judges it, or the exercise's."""

    prompt: str

    def words(self, task: Task, language: str, exercise: Exercise) -> Mapping[str, str]:
        """The task, a case where one is shown, and the broken program that fails it where there is one."""
        case = {"arguments": exercise.arguments, "expected": exercise.expected} if exercise.arguments else {}
        broken = {"program": exercise.program.strip(), "seen": exercise.seen} if exercise.program else {}
        return described(task, language) | case | broken

    def solution(self, draft: Draft, said: Said, exercise: Exercise) -> Solution:
        """The program in the answer."""
        return program_of(draft, said) or draft.finished(code_of(draft, said))


class Given:
    """A function is asked for, and what the ground truth calls of its own stands before it."""

    prompt = "solve_given_v1"

    def words(self, task: Task, language: str, exercise: Exercise) -> Mapping[str, str]:
        """The task and the helpers."""
        return described(task, language) | {"program": exercise.program.strip()}

    def solution(self, draft: Draft, said: Said, exercise: Exercise) -> Solution:
        """The helpers with the answer behind them; what the answer defines anew hides what was given."""
        ended = program_of(draft, said)
        return ended or draft.finished(with_prelude(exercise.program, code_of(draft, said)), whole=True)


class Completed:
    """The rest of a function is asked for."""

    prompt = "complete_v1"

    def words(self, task: Task, language: str, exercise: Exercise) -> Mapping[str, str]:
        """The task and the beginning."""
        return described(task, language) | {"program": exercise.program.rstrip()}

    def solution(self, draft: Draft, said: Said, exercise: Exercise) -> Solution:
        """The beginning with the answer behind it."""
        if said.refused:
            return _refused(draft, said)
        program = completed(exercise.program, said.text, draft.task.entry_point)
        _note(draft, said, "program" if program else "nothing")
        if program is None:
            return draft.given_up(Outcome.NO_ENTRY_POINT, "the answer does not go on from the beginning that was given")
        return draft.finished(program, whole=True)


@dataclass(frozen=True)
class Predicted:
    """A value is asked for: what the ground truth returns for some arguments, or arguments for what it returns.

    A suite of that one case judges, and what runs holds nothing of the answer but data.
    """

    prompt: str

    def words(self, task: Task, language: str, exercise: Exercise) -> Mapping[str, str]:
        """The ground truth and one side of the case."""
        asked_with = {"arguments": exercise.arguments} if exercise.arguments else {"expected": exercise.expected}
        return {"entry_point": task.entry_point, "program": exercise.program.strip()} | asked_with

    def solution(self, draft: Draft, said: Said, exercise: Exercise) -> Solution:
        """A program that gives the value, or that asks the ground truth with it."""
        if said.refused:
            return _refused(draft, said)
        entry = draft.task.entry_point
        # An exported run holds the program that was made of the value.
        value = value_in(said.text, entry) or predicted(said.text)
        _note(draft, said, "value" if value else "nothing")
        if value is None or (exercise.track == PREDICT_INPUT and not value.startswith("[")):
            return draft.given_up(Outcome.NO_CODE, "the answer names no value of the kind that was asked for")
        if exercise.track == PREDICT_INPUT:
            return draft.finished(asked_program(exercise.program, entry, value), whole=True)
        return draft.finished(constant_program(entry, value), whole=True)


TRACKS: dict[str, Track] = {
    WRITE: Written("solve_v1"),
    REPAIR: Written("repair_v1"),
    COMPLETION: Completed(),
    PREDICT_OUTPUT: Predicted("predict_output_v2"),
    PREDICT_INPUT: Predicted("predict_input_v1"),
    SPEED: Written("solve_fast_v1"),
    HELPERS: Given(),
    # A suite of its own, in the exercise, judges: its score is never mixed with the task's.
    ROBUSTNESS: Written("solve_robust_v1"),
    # The question of writing, to the word: only the task wears other names.
    NEUTRAL: Written("solve_v1"),
}


def track_named(strategy: Strategy, full_name: str, wanted: str, language: str) -> str:
    """The track that is asked for, empty where it is to write the function.

    Raises:
        UnknownTrackError: There is no such track, or the strategy or the language has none of it.
    """
    track = WRITE if wanted == NAMED_WRITE else wanted
    if track not in TRACKS:
        raise UnknownTrackError(f"known are: {', '.join(NAMES)}", thing=wanted, way_out="name one of them")
    if track not in tracks_of(strategy):
        raise UnknownTrackError(
            f"the strategy {full_name} cannot be asked so", thing=wanted, way_out="use the strategy direct"
        )
    if track not in (WRITE, NEUTRAL) and language != "python":
        raise UnknownTrackError(
            "ground truths are Python, so that other questions than writing are asked in Python alone",
            thing=wanted,
            way_out="leave out the language",
        )
    return track


async def posed(draft: Draft, exercises: Exercises) -> Exercise:
    """What is asked of a draft's task in its run; the draft keeps which suite judges and what was measured.

    In neutral dress the draft's task wears it from here on.

    Raises:
        NoExerciseError: The task gives no exercise of the run's track and version.
        ExercisesAwayError: Whoever makes them does not answer.
    """
    track = draft.run.spec.track
    if track == WRITE:
        return Exercise()
    exercise = await exercises.find(draft.task.task_id, track, draft.run.spec.exercise)
    draft.suite_digest, draft.reference_cpu_s = exercise.suite_digest, exercise.reference_cpu_s
    draft.task, draft.entry_point = worn(draft.task, exercise), exercise.entry_point
    shown: dict[str, Any] = {"program": exercise.program, "arguments": exercise.arguments, "seen": exercise.seen}
    shown |= {"instruction": exercise.instruction}
    told = {name: text[:_SHOWN] for name, text in shown.items() if text}
    measured = {"reference_cpu_s": exercise.reference_cpu_s} if exercise.reference_cpu_s else {}
    draft.note("exercise", track, **told, **({"expected": exercise.expected} if exercise.expected else {}), **measured)
    return exercise


def _refused(draft: Draft, said: Said) -> Solution:
    draft.note("answer", "refused", detail=said.refused[:_SHOWN])
    return draft.given_up(Outcome.REFUSED, said.refused)


def _note(draft: Draft, said: Said, found: str) -> None:
    draft.note("answer", found, answer=spoken(said.text)[:_SHOWN], truncated=said.truncated, **beside(said))
