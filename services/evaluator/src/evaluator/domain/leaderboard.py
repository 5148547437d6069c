"""From attempts to a leaderboard."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from evaluator.domain.outcomes import Outcome, OutcomeClass, class_of
from evaluator.domain.statistics import Share, share
from evaluator.domain.tasks import Attempt, Effort, Run, Task, Verdict

# Source: Code2Bench, evaluation: a failed solution that passes at least this share of the cases.
NEAR_MISS_SHARE = 0.98

_DIFFICULTIES = ("Easy", "Medium", "Hard")


@dataclass(frozen=True)
class Row:
    """One line of the leaderboard: one run's standing tasks.

    Attributes:
        pass_at_1: Share of the judged tasks whose one solution passed every case.
        by_kind: The same by task kind, sorted by name; by_difficulty: from easy to hard.
        failures: Failed solutions by outcome, most frequent first.
        classes: All judged solutions by class.
        near_misses: Failed solutions that passed at least 98 % of the cases.
        effort: What the model took, for solutions of standing tasks.
        sandbox_cpu_s: CPU-seconds of test running.
        pending: Standing tasks without a verdict.
        retracted: Tasks of the run that were taken back; they count nowhere else.
    """

    run: Run
    pass_at_1: Share
    by_kind: tuple[tuple[str, Share], ...]
    by_difficulty: tuple[tuple[str, Share], ...]
    failures: tuple[tuple[Outcome, int], ...]
    classes: tuple[tuple[OutcomeClass, int], ...]
    near_misses: int
    effort: Effort
    sandbox_cpu_s: float
    pending: int
    retracted: int


def is_near_miss(verdict: Verdict) -> bool:
    """Whether a failed solution came as close as the paper counts."""
    if verdict.outcome is Outcome.PASSED or verdict.cases == 0:
        return False
    # In whole numbers: a share of exactly 98 % must not be lost to rounding.
    return verdict.passed * 100 >= verdict.cases * round(NEAR_MISS_SHARE * 100)


def row_of(run: Run) -> Row:
    """Score one run over the tasks that stand."""
    standing = [attempt for attempt in run.attempts if not attempt.retracted]
    judged = [(attempt, attempt.verdict) for attempt in standing if attempt.verdict is not None]
    outcomes = Counter(verdict.outcome for _, verdict in judged)
    failures = sorted(
        ((outcome, count) for outcome, count in outcomes.items() if outcome is not Outcome.PASSED),
        key=lambda pair: (-pair[1], pair[0]),
    )
    classes: Counter[OutcomeClass] = Counter()
    for outcome, count in outcomes.items():
        classes[class_of(outcome)] += count
    return Row(
        run=run,
        pass_at_1=share(outcomes[Outcome.PASSED], len(judged)),
        by_kind=_by(judged, lambda attempt: attempt.task.kind, ("SC", "WSC")),
        by_difficulty=_by(judged, lambda attempt: attempt.task.difficulty, _DIFFICULTIES),
        failures=tuple(failures),
        classes=tuple((kind, classes[kind]) for kind in OutcomeClass),
        near_misses=sum(is_near_miss(verdict) for _, verdict in judged),
        effort=_total(attempt.solution.effort for attempt in standing if attempt.solution is not None),
        sandbox_cpu_s=math.fsum(verdict.cpu_s for _, verdict in judged),
        pending=len(standing) - len(judged),
        retracted=len(run.attempts) - len(standing),
    )


def leaderboard(runs: Iterable[Run], language: str = "") -> list[Row]:
    """Rows of all runs, best first; runs without any standing task are left out.

    Args:
        runs: With their attempts.
        language: Only runs in this target language; empty takes all.
    """
    rows = [row_of(run) for run in runs if not language or run.language == language]
    shown = [row for row in rows if row.pass_at_1.total or row.pending]
    return sorted(shown, key=lambda row: (-row.pass_at_1.value, -row.pass_at_1.total, row.run.model, row.run.label))


@dataclass(frozen=True)
class TaskRecord:
    """How a standing task fared: judged in so many runs, passed in so many of them."""

    task: Task
    judged: int
    passed: int


def task_records(tasks: Iterable[Task], runs: Iterable[Run]) -> list[TaskRecord]:
    """How each task fared over all runs, in the order of the tasks."""
    judged: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for attempt in (attempt for run in runs for attempt in run.attempts):
        if attempt.verdict is not None:
            judged[attempt.task.task_id] += 1
            passed[attempt.task.task_id] += attempt.verdict.outcome is Outcome.PASSED
    return [TaskRecord(task, judged[task.task_id], passed[task.task_id]) for task in tasks]


def _total(efforts: Iterable[Effort]) -> Effort:
    return sum(efforts, Effort())


def _by(
    judged: list[tuple[Attempt, Verdict]], group: Callable[[Attempt], str], order: tuple[str, ...]
) -> tuple[tuple[str, Share], ...]:
    totals = Counter(group(attempt) for attempt, _ in judged)
    hits = Counter(group(attempt) for attempt, verdict in judged if verdict.outcome is Outcome.PASSED)
    names = [*(name for name in order if name in totals), *sorted(set(totals) - set(order))]
    return tuple((name, share(hits[name], totals[name])) for name in names)
