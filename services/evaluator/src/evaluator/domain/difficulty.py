"""How hard each task is, from what all models made of it: the Rasch model.

A task that strong models fail is harder than one that weak ones fail, so that a share of solvers alone misleads where
not every model met every task. Each run has one ability and each task one difficulty; an answer passes with the
logistic of their difference, and several answers of a run to a task count as one. Both have normal priors, so that a
task that nobody solved is hard and not infinitely so.

Source: Rasch 1960; Mislevy 1986, Bayes modal estimation in item response models. The interval is the curvature at the
mode with abilities held, as in marginal practice; `tests/bench/board_statistics.py` measures its coverage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
# Spread of the priors, in logits: wide beside what tasks and models show.
_TASKS, _RUNS = 2.0, 2.0
_ROUNDS, _CLOSE = 200, 1e-6
_Z = 1.959964


@dataclass(frozen=True)
class Difficulty:
    """A task's difficulty in logits with its 95 % interval; 0 is one that the average run solves half of the time."""

    value: float
    low: float
    high: float


def difficulties(answers: Mapping[str, Mapping[str, tuple[int, int]]]) -> dict[str, Difficulty]:
    """Difficulty of every task that has a judged answer.

    Args:
        answers: By run and task: answers judged, and how many of them passed.

    Example:
        >>> found = difficulties({"a": {"easy": (1, 1), "hard": (1, 0)}, "b": {"easy": (1, 1), "hard": (1, 1)}})
        >>> found["easy"].value < found["hard"].value
        True
    """
    runs = sorted(answers)
    tasks = sorted({task for each in answers.values() for task, (judged, _) in each.items() if judged})
    if not tasks:
        return {}
    place = {task: number for number, task in enumerate(tasks)}
    judged, passed = np.zeros((len(runs), len(tasks))), np.zeros((len(runs), len(tasks)))
    for row, run in enumerate(runs):
        for task, (total, hits) in answers[run].items():
            if total:
                judged[row, place[task]], passed[row, place[task]] = total, hits
    hardness, spread = fitted(judged, passed)
    return {
        task: difficulty_of(value, error)
        for task, value, error in zip(tasks, hardness.tolist(), spread.tolist(), strict=True)
    }


def difficulty_of(value: float, error: float) -> Difficulty:
    """A difficulty with its interval, of a value and its standard error as `fitted` gives them."""
    return Difficulty(value, value - _Z * error, value + _Z * error)


def fitted(judged: Numbers, passed: Numbers) -> tuple[Numbers, Numbers]:
    """Difficulties and their standard errors, by Newton's steps on tasks and runs in turn.

    What a run made of a task is one answer, however many samples it has: they share what the model knows of that task
    beyond its ability. A run without a judged answer has no ability, and no part in the average.

    Args:
        judged: (runs, tasks) answers with a verdict.
        passed: (runs, tasks) those that passed.
    """
    met = (judged > 0).any(axis=1)
    passed = passed[met] / np.maximum(judged[met], 1.0)
    judged = (judged[met] > 0).astype(float)
    of_tasks, of_runs = passed.sum(axis=0), passed.sum(axis=1)
    ability, hardness = np.zeros(judged.shape[0]), np.zeros(judged.shape[1])
    information = np.zeros(judged.shape[1])
    for _ in range(_ROUNDS):
        expected = judged * _chance(ability, hardness)
        information = _information(expected, judged).sum(axis=0) + 1.0 / _TASKS**2
        step = (expected.sum(axis=0) - of_tasks - hardness / _TASKS**2) / information
        hardness = hardness + np.clip(step, -1.0, 1.0)
        expected = judged * _chance(ability, hardness)
        weight = _information(expected, judged).sum(axis=1) + 1.0 / _RUNS**2
        move = (of_runs - expected.sum(axis=1) - ability / _RUNS**2) / weight
        ability = ability + np.clip(move, -1.0, 1.0)
        # Answers show differences alone: where all of it lies is for the priors, and in one step, not in hundreds.
        pull = float(ability.sum()) / _RUNS**2 + float(hardness.sum()) / _TASKS**2
        shift = pull / (len(ability) / _RUNS**2 + len(hardness) / _TASKS**2)
        ability, hardness = ability - shift, hardness - shift
        if max(float(np.abs(step).max()), float(np.abs(move).max())) < _CLOSE:
            break
    # The average run is at 0.
    return hardness - float(ability.mean()), 1.0 / np.sqrt(information)


def _information(expected: Numbers, judged: Numbers) -> Numbers:
    """Variance of how many answers pass."""
    return expected * (1.0 - expected / np.maximum(judged, 1.0))


def _chance(ability: Numbers, hardness: Numbers) -> Numbers:
    return 1.0 / (1.0 + np.exp(hardness[None, :] - ability[:, None]))
