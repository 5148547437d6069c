"""How each task was answered over all runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from evaluator.domain.difficulty import Difficulty, difficulties
from evaluator.domain.outcomes import Outcome, is_scored, outcome_named
from evaluator.domain.results import RunResults, TaskFacts
from evaluator.domain.wording import wording_of
from touchstone_runtime.wordings import WORDINGS


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


def scores_of(
    results: Sequence[RunResults], retracted: Collection[str], facts: Mapping[str, TaskFacts]
) -> dict[str, TaskScore]:
    """The score of every task that some run has.

    Args:
        results: Runs on the board.
        retracted: Tasks that were taken back: they say nothing of models, and have no difficulty.
        facts: What is known of tasks. How hard described tasks are rests on answers to described tasks alone, and
            so for those by example: a model that guesses well from examples makes no described task harder.
    """
    counted: dict[str, dict[str, tuple[int, int]]] = {}
    near: dict[str, int] = {}
    for each in results:
        mine = counted.setdefault(each.run.run_id, {})
        for task_id, cells in each.cells.items():
            outcomes = [outcome_named(cell.outcome) for cell in cells if cell.outcome]
            judged = sum(is_scored(outcome) for outcome in outcomes)
            mine[task_id] = judged, sum(outcome is Outcome.PASSED for outcome in outcomes)
            near[task_id] = near.get(task_id, 0) + sum(cell.near_miss for cell in cells)
    found: dict[str, Difficulty] = {}
    for wording in WORDINGS:
        standing = {
            run_id: {
                task_id: pair
                for task_id, pair in mine.items()
                if task_id in facts and task_id not in retracted and wording_of(facts[task_id]) == wording
            }
            for run_id, mine in counted.items()
        }
        # A run without an answer of a kind has no ability to be told of.
        found |= difficulties({run_id: mine for run_id, mine in standing.items() if mine})
    totals: dict[str, tuple[int, int]] = dict.fromkeys(near, (0, 0))
    for mine in counted.values():
        for task_id, (judged, passed) in mine.items():
            totals[task_id] = totals[task_id][0] + judged, totals[task_id][1] + passed
    return {task_id: TaskScore(*totals[task_id], near[task_id], found.get(task_id)) for task_id in totals}
