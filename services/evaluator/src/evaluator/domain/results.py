"""What a board is computed from: for each run and task how its answers ended, without any code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from evaluator.domain.runs import Run


class Cell(NamedTuple):
    """One answer: `outcome` is empty until there is a verdict."""

    outcome: str
    near_miss: bool
    tokens_in: int
    tokens_out: int
    seconds: float
    cost_usd: float
    cpu_s: float


@dataclass(frozen=True)
class RunResults:
    """One run (without attempts) and its answers by task, samples in order."""

    run: Run
    cells: Mapping[str, tuple[Cell, ...]]


@dataclass(frozen=True)
class TaskFacts:
    """What a board knows of a task.

    Attributes:
        languages: Target languages that it can be asked for in.
        month: Month of the source's version, YYYY-MM; empty when unknown.
        complexity: Cyclomatic; 0 when unknown.
    """

    task_id: str
    kind: str
    difficulty: str
    source: str
    licence: str
    month: str
    form: str
    complexity: int
    languages: frozenset[str]


@dataclass(frozen=True)
class Scope:
    """A set of tasks over which runs are compared: a release, or the set that some runs have.

    Attributes:
        digest: Of the release where it is one, else of the set.
        task_ids: Its tasks, retracted ones included.
    """

    digest: str
    kind: str
    name: str
    task_ids: frozenset[str]
