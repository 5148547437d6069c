"""What a model solves under the names that it may have seen, and under names that say nothing: a sign of memory.

The cases are the same and so is the judge; only names differ. The gap alone proves nothing: names help to understand,
too. It is shown with its interval and with how many tasks it rests on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from evaluator.domain.board import ALPHA, share_solved
from evaluator.domain.clustered import Interval, difference_intervals, share_interval
from evaluator.domain.comparing_models import mcnemar
from evaluator.domain.exercises import EXERCISE, WRITE
from evaluator.domain.results import RunResults, TaskFacts
from evaluator.domain.runs import Run
from evaluator.domain.specification import ASKED_ANEW
from touchstone_runtime.tracks import NEUTRAL


@dataclass(frozen=True)
class MemoryGap:
    """One model on the same tasks under their own names and in neutral dress.

    Attributes:
        plain: Share solved under their own names, of the tasks that both runs have every verdict on.
        neutral: The same in neutral dress.
        gap: `plain` minus `neutral`, paired by task, interval clustered by repository.
        tasks: How many tasks these are.
        left_out: Judged tasks of the plain run that the neutral one lacks.
        only_plain: Tasks that only the plain run solved; of several samples, solved more often.
        p: The larger of exact McNemar's (one answer a task) and the clustered comparison's p-value.
        plain_run: Ids of the runs.
    """

    plain: Interval
    neutral: Interval
    gap: Interval
    tasks: int
    repositories: int
    left_out: int
    only_plain: int
    only_neutral: int
    p: float
    plain_run: str
    neutral_run: str

    @property
    def decided(self) -> bool:
        """Whether the data tell the two apart."""
        return self.p <= ALPHA


def way_of(run: Run) -> tuple[object, ...] | None:
    """How a run asks, whatever its names and tasks are; None where it is neither plain nor neutral.

    Two runs of one way differ in nothing but names: what becomes of a task in a track is another bound, and answers
    that somebody submitted are others.
    """
    spec = run.spec
    if spec.track not in (WRITE, NEUTRAL) or run.withdrawn:
        return None
    bounds = tuple(sorted((name, value) for name, value in spec.bounds if name not in (EXERCISE, ASKED_ANEW)))
    asked = (spec.language, spec.strategy, spec.variant, spec.prompts, bounds)
    return (spec.model, spec.model_digest, spec.samples, spec.temperature, spec.seed, *asked)


def memory_gap(
    plain: RunResults, neutral: RunResults, facts: Mapping[str, TaskFacts], retracted: frozenset[str]
) -> MemoryGap | None:
    """Compare two runs that differ in names; None where no task has every verdict of both.

    Args:
        plain: The run under the tasks' own names.
        neutral: The run in neutral dress.
        facts: What is known of tasks.
        retracted: Tasks that were taken back; they count nowhere.
    """
    samples = plain.run.spec.samples
    shares: dict[str, tuple[float, float]] = {}
    judged = 0
    for task_id in sorted(set(plain.cells) - retracted):
        own = share_solved(plain.cells[task_id], samples)
        if task_id not in facts or np.isnan(own):
            continue
        judged += 1
        other = share_solved(neutral.cells.get(task_id, ()), samples)
        if not np.isnan(other):
            shares[task_id] = own, other
    if not shares:
        return None
    table = np.array(list(shares.values()), dtype=float).T
    sources = [facts[task_id].source for task_id in shares]
    clusters = np.unique(np.array(sources), return_inverse=True)[1]
    (gap,), (p,) = difference_intervals(table, clusters)
    only_plain, only_neutral = int((table[0] > table[1]).sum()), int((table[0] < table[1]).sum())
    return MemoryGap(
        share_interval(table[0], clusters),
        share_interval(table[1], clusters),
        gap,
        len(shares),
        len(set(sources)),
        judged - len(shares),
        only_plain,
        only_neutral,
        # McNemar knows one answer a task only.
        max(p, mcnemar(only_plain, only_neutral)) if plain.run.spec.greedy else p,
        plain.run.run_id,
        neutral.run.run_id,
    )


def widest_gap(
    results: RunResults, others: Iterable[RunResults], facts: Mapping[str, TaskFacts], retracted: frozenset[str]
) -> MemoryGap | None:
    """A run beside the one in the other dress that shares most tasks with it; the smaller id decides between equals.

    Which one it is does not depend on how they did.

    Args:
        results: A plain run, or one in neutral dress.
        others: Runs, of which those that ask the same way in the other dress are looked at.
        facts: What is known of tasks.
        retracted: Tasks that were taken back.
    """
    way, track = way_of(results.run), results.run.spec.track
    if way is None:
        return None
    found = [
        memory_gap(results, other, facts, retracted) if track == WRITE else memory_gap(other, results, facts, retracted)
        for other in others
        if other.run.spec.track != track and way_of(other.run) == way
    ]
    there = [gap for gap in found if gap is not None]
    return min(there, key=lambda gap: (-gap.tasks, gap.plain_run, gap.neutral_run), default=None)
