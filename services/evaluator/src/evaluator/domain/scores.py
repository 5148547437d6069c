"""How each task was answered over all runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator.domain.difficulty import Difficulty, difficulty_of, fitted
from evaluator.domain.outcomes import Outcome, is_scored, outcome_named
from evaluator.domain.results import RunResults, TaskFacts
from evaluator.domain.wording import wording_of
from touchstone_runtime.wordings import WORDINGS

Counts = NDArray[np.int64]
_JUDGED, _PASSED, _NEAR = range(3)


@dataclass(frozen=True)
class TaskScore:
    """One task over all runs.

    Attributes:
        judged: Answers with a verdict that counts.
        passed: Those that passed.
        near_misses: Those that failed and passed nearly every case.
        difficulty: From what every run made of every task; None for a task that was taken back or has no such answer.
    """

    judged: int
    passed: int
    near_misses: int
    difficulty: Difficulty | None


@dataclass(frozen=True)
class Tally:
    """One run, task by task; it does not depend on other runs.

    Attributes:
        run_id: Which run.
        task_ids: The tasks that it has.
        counts: (tasks, 3) answers with a verdict that counts, those that passed, near misses.
    """

    run_id: str
    task_ids: tuple[str, ...]
    counts: Counts


def tally_of(results: RunResults) -> Tally:
    """The tally of a run."""
    counts: list[tuple[int, int, int]] = []
    for cells in results.cells.values():
        outcomes = [outcome_named(cell.outcome) for cell in cells if cell.outcome]
        judged, passed = sum(map(is_scored, outcomes)), outcomes.count(Outcome.PASSED)
        counts.append((judged, passed, sum(cell.near_miss for cell in cells)))
    table = np.array(counts, dtype=np.int64).reshape(-1, 3)
    return Tally(results.run.run_id, tuple(results.cells), table)


def scores_of(
    tallies: Sequence[Tally], retracted: Collection[str], facts: Mapping[str, TaskFacts]
) -> dict[str, TaskScore]:
    """The score of every task that some run has.

    Args:
        tallies: Runs on the board.
        retracted: Tasks that were taken back: they say nothing of models, and have no difficulty.
        facts: What is known of tasks. How hard described tasks are rests on answers to described tasks alone, and
            so for those by example: a model that guesses well from examples makes no described task harder.
    """
    runs = sorted(tallies, key=lambda tally: tally.run_id)
    tasks = sorted({task_id for tally in runs for task_id in tally.task_ids})
    place = {task_id: number for number, task_id in enumerate(tasks)}
    table = np.zeros((len(runs), len(tasks), 3))
    for row, tally in enumerate(runs):
        places = [place[task_id] for task_id in tally.task_ids]
        table[row, places] = tally.counts
    kinds = np.array(
        [wording_of(facts[task_id]) if task_id in facts and task_id not in retracted else "" for task_id in tasks]
    )
    found: dict[int, Difficulty] = {}
    for wording in WORDINGS:
        mine = kinds == wording
        met = np.flatnonzero(mine & (table[:, :, _JUDGED].sum(axis=0) > 0))
        if len(met):
            judged, passed = (table[:, met, which] for which in (_JUDGED, _PASSED))
            hardness, spread = fitted(judged, passed)
            told = zip(met.tolist(), hardness.tolist(), spread.tolist(), strict=True)
            found |= {number: difficulty_of(value, error) for number, value, error in told}
    totals = table.sum(axis=0).astype(int).tolist()
    return {
        task_id: TaskScore(judged, passed, near, found.get(number))
        for number, (task_id, (judged, passed, near)) in enumerate(zip(tasks, totals, strict=True))
    }
