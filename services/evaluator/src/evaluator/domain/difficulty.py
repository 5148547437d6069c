"""How hard each task is, from what all models made of it: the Rasch model.

A task that strong models fail is harder than one that weak ones fail, so that a share of solvers alone misleads where
not every model met every task. Each run has one ability and each task one difficulty; an answer passes with the
logistic of their difference. Both have normal priors, so that a task that nobody solved is hard and not infinitely so.

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
    hardness, spread = _fitted(judged, passed)
    return {
        task: Difficulty(float(value), float(value - _Z * error), float(value + _Z * error))
        for task, value, error in zip(tasks, hardness, spread, strict=True)
    }


def _fitted(judged: Numbers, passed: Numbers) -> tuple[Numbers, Numbers]:
    """Difficulties and their standard errors, by Newton's steps on tasks and runs in turn."""
    ability, hardness = np.zeros(judged.shape[0]), np.zeros(judged.shape[1])
    information = np.zeros(judged.shape[1])
    for _ in range(_ROUNDS):
        expected = _expected(ability, hardness)
        weight = judged * expected * (1.0 - expected)
        information = weight.sum(axis=0) + 1.0 / _TASKS**2
        step = ((judged * expected - passed).sum(axis=0) - hardness / _TASKS**2) / information
        hardness = hardness + np.clip(step, -1.0, 1.0)
        expected = _expected(ability, hardness)
        weight = judged * expected * (1.0 - expected)
        move = ((passed - judged * expected).sum(axis=1) - ability / _RUNS**2) / (weight.sum(axis=1) + 1.0 / _RUNS**2)
        ability = ability + np.clip(move, -1.0, 1.0)
        # Only differences are seen: the average run is at 0.
        centre = float(ability.mean())
        ability, hardness = ability - centre, hardness - centre
        if max(float(np.abs(step).max()), float(np.abs(move).max())) < _CLOSE:
            break
    return hardness, 1.0 / np.sqrt(information)


def _expected(ability: Numbers, hardness: Numbers) -> Numbers:
    return 1.0 / (1.0 + np.exp(hardness[None, :] - ability[:, None]))
