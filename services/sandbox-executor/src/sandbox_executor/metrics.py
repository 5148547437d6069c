"""Every metric of the executor."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

JOBS = Counter("touchstone_sandbox_executor_jobs_total", "Jobs that ended, by kind", ["kind"])
JOB_SECONDS = Histogram(
    "touchstone_sandbox_executor_job_seconds",
    "What one job took, queueing left out",
    ["kind"],
    buckets=(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 600),
)
VERDICTS = Counter("touchstone_sandbox_executor_verdicts_total", "Verdicts announced, by outcome", ["outcome"])
SESSIONS = Gauge("touchstone_sandbox_executor_open_sessions_count", "Sessions that are open")
SESSIONS_ENDED = Counter("touchstone_sandbox_executor_sessions_ended_total", "Sessions that ended, by reason", ["how"])


def observe_session(open_now: int, how: str) -> None:
    """Note a session that was opened, or ended: `how`, empty for opened."""
    SESSIONS.set(open_now)
    if how:
        SESSIONS_ENDED.labels(how).inc()


def observe(kind: str, seconds: float) -> None:
    """Count one job."""
    JOBS.labels(kind).inc()
    JOB_SECONDS.labels(kind).observe(seconds)
