"""Every metric of the executor."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

JOBS = Counter("touchstone_sandbox_executor_jobs_total", "Jobs that ended, by kind", ["kind"])
JOB_SECONDS = Histogram(
    "touchstone_sandbox_executor_job_seconds",
    "What one job took, queueing left out",
    ["kind"],
    buckets=(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 600),
)
VERDICTS = Counter("touchstone_sandbox_executor_verdicts_total", "Verdicts announced, by outcome", ["outcome"])


def observe(kind: str, seconds: float) -> None:
    """Count one job."""
    JOBS.labels(kind).inc()
    JOB_SECONDS.labels(kind).observe(seconds)
