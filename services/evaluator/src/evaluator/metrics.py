"""Every metric of the evaluator."""

from __future__ import annotations

from datetime import UTC, datetime

from prometheus_client import Counter, Histogram

from evaluator.domain.tasks import Solution
from touchstone_runtime.errors import SuspendedError
from touchstone_runtime.metrics import FRESHNESS_S

SOLUTIONS = Counter(
    "touchstone_evaluator_solutions_generated_total",
    "Solutions made, by strategy and by whether there is a program to run",
    ["strategy", "runnable"],
)
VERDICTS = Counter(
    "touchstone_evaluator_verdicts_recorded_total", "Verdicts kept, by outcome; replays count again", ["outcome"]
)
HALTS = Counter("touchstone_evaluator_halts_total", "Times that a run came to a halt, by the kind of fault", ["fault"])
FRESHNESS = Histogram(
    "touchstone_evaluator_verdict_freshness_seconds",
    "From when a function's code appeared to a verdict on a solution of its task",
    buckets=FRESHNESS_S,
)


def count_solution(strategy: str, solution: Solution) -> None:
    """Count a solution that was made."""
    SOLUTIONS.labels(strategy, str(solution.outcome is None).lower()).inc()


def count_halt(fault: SuspendedError) -> None:
    """Count a run that came to stand still."""
    HALTS.labels(type(fault).__name__).inc()


def observe_freshness(appeared: str, now: datetime | None = None) -> None:
    """Note how old a task's code is at its verdict; nothing where nobody knows its date (ISO 8601, else UTC)."""
    if appeared:
        moment = datetime.fromisoformat(appeared)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        FRESHNESS.observe(max(0.0, ((now or datetime.now(UTC)) - moment).total_seconds()))
