"""Every metric of the executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prometheus_client import Counter, Gauge, Histogram

from sandbox_executor.domain.outcomes import Outcome
from sandbox_executor.usecases.described import Load
from touchstone_runtime.metrics import LONG_S

JOBS = Counter("touchstone_sandbox_executor_jobs_total", "Jobs that ended, by kind", ["kind"])
JOB_SECONDS = Histogram(
    "touchstone_sandbox_executor_job_seconds",
    "What one job took, queueing left out",
    ["kind"],
    buckets=LONG_S,
)
JOB_WAIT_SECONDS = Histogram(
    "touchstone_sandbox_executor_job_wait_seconds", "How long one job waited for its turn", ["kind"], buckets=LONG_S
)
JOBS_WAITING = Gauge("touchstone_sandbox_executor_jobs_waiting", "Jobs that wait for their turn")
JOBS_RUNNING = Gauge("touchstone_sandbox_executor_jobs_running", "Jobs that run")
WORKERS = Gauge("touchstone_sandbox_executor_workers", "Jobs that may run at a time")
ENDINGS = Counter(
    "touchstone_sandbox_executor_endings_total",
    "Cases and programs that ended, by how: timed_out, memory, output_limit, process_limit and killed were ended by us",
    ["backend", "outcome"],
)
VERDICTS = Counter("touchstone_sandbox_executor_verdicts_total", "Verdicts announced, by outcome", ["outcome"])
SESSIONS = Gauge("touchstone_sandbox_executor_open_sessions", "Sessions that are open")
SESSIONS_ENDED = Counter("touchstone_sandbox_executor_sessions_ended_total", "Sessions that ended, by reason", ["how"])


def observe_session(open_now: int, how: str) -> None:
    """Note a session that was opened, or ended: `how`, empty for opened."""
    SESSIONS.set(open_now)
    if how:
        SESSIONS_ENDED.labels(how).inc()


def observe(kind: str, seconds: float, waited_s: float) -> None:
    """Count one job."""
    JOBS.labels(kind).inc()
    JOB_SECONDS.labels(kind).observe(seconds)
    JOB_WAIT_SECONDS.labels(kind).observe(waited_s)


def watch(load: Callable[[], Load], backends: Iterable[str]) -> None:
    """Show how busy the executor is, whenever somebody looks, and endings that did not happen yet as 0."""
    for backend in backends:
        for outcome in Outcome:
            ENDINGS.labels(backend, outcome.value)
    JOBS_WAITING.set_function(lambda: load().queued)
    JOBS_RUNNING.set_function(lambda: load().running)
    WORKERS.set_function(lambda: load().workers)


def count(backend: str, outcome: str) -> None:
    """Count how a case or a program ended."""
    ENDINGS.labels(backend, outcome).inc()
