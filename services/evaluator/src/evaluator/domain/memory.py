"""What a model solves under the names that it may have seen, and under names that say nothing: a sign of memory.

The cases are the same and so is the judge; only names differ. The gap alone proves nothing: names help to understand,
too. It is shown with its interval and with how many tasks it rests on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.domain.board import ALPHA
from evaluator.domain.clustered import (
    Clusters,
    Interval,
    Values,
    difference_intervals,
    held_by,
    share_interval,
)
from evaluator.domain.comparing_models import mcnemar
from evaluator.domain.exercises import WRITE
from evaluator.domain.passing import share_ends, share_solved
from evaluator.domain.results import RunResults, TaskFacts
from evaluator.domain.runs import Run
from evaluator.domain.specification import ASKED_ANEW
from touchstone_runtime.tracks import EXERCISE, NEUTRAL


@dataclass(frozen=True)
class MemoryGap:
    """One model on the same tasks under their own names and in neutral dress.

    What lacks an answer is no random part: an endpoint loses what is hard. So each interval reaches as far as it would
    whatever the missing answers were, and p is the largest of what is seen and of both ends.

    Attributes:
        plain: Share solved under their own names, of the tasks that both runs have every verdict on.
        neutral: The same in neutral dress.
        gap: `plain` minus `neutral`, paired by task, interval clustered by repository.
        tasks: How many tasks these are.
        left_out: Judged tasks of the plain run that the neutral one is not asked.
        missing: Tasks that both were asked of which either lacks an answer.
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
    missing: int = 0

    @property
    def decided(self) -> bool:
        """Whether the data tell the two apart."""
        return self.p <= ALPHA


def way_of(run: Run) -> tuple[object, ...] | None:
    """How a run asks, whatever its names and tasks are; None where it is neither plain nor neutral.

    Two runs of one way differ in nothing but names: what becomes of a task in a track is another bound, which a plain
    run has none of, and answers that somebody submitted are others.
    """
    spec = run.spec
    if spec.track not in (WRITE, NEUTRAL) or run.withdrawn:
        return None
    bounds = tuple(sorted((name, value) for name, value in spec.bounds if name not in (EXERCISE, ASKED_ANEW)))
    asked = (spec.language, spec.strategy, spec.variant, spec.prompts, bounds)
    return (spec.model, spec.model_digest, spec.samples, spec.temperature, spec.seed, *asked)


def beside(runs: Sequence[Run], every: Iterable[Run]) -> list[Run]:
    """Runs that differ from one of `runs` in names alone: plain where it is neutral, neutral where it is plain.

    Beside submitted answers also those that were submitted in the same dress: they may be the ones that are meant.
    """
    sought = {
        (way, track)
        for run in runs
        if (way := way_of(run)) is not None
        for track in (WRITE, NEUTRAL)
        if track != run.spec.track or run.spec.answers
    }
    return [run for run in every if sought and (way_of(run), run.spec.track) in sought]


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
    known = [task_id for task_id in sorted(set(plain.cells) - retracted) if task_id in facts]
    both = [task_id for task_id in known if task_id in neutral.cells]
    # Of each task the ends of the plain run's share and of the neutral one's.
    ends = np.array(
        [[share_ends(run.cells[task_id], samples) for task_id in both] for run in (plain, neutral)], dtype=float
    ).reshape(2, len(both), 2)
    whole = (ends[:, :, 0] == ends[:, :, 1]).all(axis=0)
    if not whole.any():
        return None
    sources = np.array([facts[task_id].cluster for task_id in both])
    clusters = np.unique(sources, return_inverse=True)[1]
    single = samples == 1
    # What is seen, and everything were what is missing against the plain run and for the neutral one, and turned round.
    seen = _paired(ends[:, whole, 0], clusters[whole], single=single)
    least = _paired(np.stack([ends[0, :, 0], ends[1, :, 1]]), clusters, single=single)
    most = _paired(np.stack([ends[0, :, 1], ends[1, :, 0]]), clusters, single=single)
    views = (seen, least, most)
    one_sided = len({np.sign(view.gap.value) for view in views}) == 1
    return MemoryGap(
        held_by(seen.plain, least.plain, most.plain),
        held_by(seen.neutral, least.neutral, most.neutral),
        held_by(seen.gap, least.gap, most.gap),
        int(whole.sum()),
        len(set(sources[whole].tolist())),
        sum(
            task_id not in neutral.cells and not np.isnan(share_solved(plain.cells[task_id], samples))
            for task_id in known
        ),
        seen.only_plain,
        seen.only_neutral,
        max(view.p for view in views) if one_sided else 1.0,
        plain.run.run_id,
        neutral.run.run_id,
        int((~whole).sum()),
    )


@dataclass(frozen=True)
class _Paired:
    plain: Interval
    neutral: Interval
    gap: Interval
    only_plain: int
    only_neutral: int
    p: float


def _paired(table: Values, clusters: Clusters, *, single: bool) -> _Paired:
    """Both shares and their difference over the same tasks: (2, n) with the plain run first."""
    (gap,), (p,) = difference_intervals(table, clusters)
    only_plain, only_neutral = int((table[0] > table[1]).sum()), int((table[0] < table[1]).sum())
    # McNemar knows one answer a task only.
    p = max(p, mcnemar(only_plain, only_neutral)) if single else p
    plain, neutral = (share_interval(row, clusters) for row in table)
    return _Paired(plain, neutral, gap, only_plain, only_neutral, p)


def widest_gap(
    results: RunResults, others: Iterable[RunResults], facts: Mapping[str, TaskFacts], retracted: frozenset[str]
) -> MemoryGap | None:
    """A run beside the one in the other dress that shares most tasks with it.

    Between equals the newest making of the dress decides, then the smaller id: which one it is does not depend on how
    they did.

    Args:
        results: A plain run, or one in neutral dress.
        others: Runs, of which those that ask the same way in the other dress are looked at. Where somebody submitted
            several sets of answers to some of its tasks, nobody can say which of them belongs to which: there is none.
        facts: What is known of tasks.
        retracted: Tasks that were taken back.
    """
    way, track = way_of(results.run), results.run.spec.track
    if way is None:
        return None
    alike = [other for other in others if way_of(other.run) == way]
    if results.run.spec.answers and _has_rivals(results, alike):
        return None
    found: list[tuple[MemoryGap, int]] = []
    for other in alike:
        if other.run.spec.track == track:
            continue
        sides = (results, other) if track == WRITE else (other, results)
        if (gap := memory_gap(*sides, facts, retracted)) is not None:
            found.append((gap, sides[1].run.spec.exercise))
    chosen = min(found, key=lambda one: (-one[0].tasks, -one[1], one[0].plain_run, one[0].neutral_run), default=None)
    return chosen[0] if chosen else None


def _has_rivals(results: RunResults, alike: Sequence[RunResults]) -> bool:
    """Whether several sets of answers to some of a run's tasks were submitted in one dress."""
    sets: dict[str, set[str]] = {}
    for each in (results, *alike):
        if results.cells.keys() & each.cells.keys():
            sets.setdefault(each.run.spec.track, set()).add(each.run.spec.answers)
    return any(len(answers) > 1 for answers in sets.values())
