"""The generator's metrics."""

from __future__ import annotations

from datetime import UTC, datetime

from prometheus_client import Counter, Histogram

from touchstone_runtime.metrics import FRESHNESS_S

DECISIONS = Counter("touchstone_pbt_generator_decisions_total", "Candidates decided, by task or refusal", ["result"])
BUILD_CPU_SECONDS = Histogram(
    "touchstone_pbt_generator_build_cpu_seconds",
    "CPU time of a released suite, sandbox included",
    buckets=(0.5, 1, 2, 3, 5, 10, 20, 40),
)
TRACE_CPU_SECONDS = Histogram(
    "touchstone_pbt_generator_trace_cpu_seconds",
    "CPU time of running a package's own tests to see what callers send, apart from that of suites",
    buckets=(1, 3, 10, 30, 60, 120),
)
CERTIFICATES_FAILED = Counter(
    "touchstone_pbt_generator_certificates_failed_total",
    "Proofs of an oracle that did not hold: of a candidate, or of a released task that was verified again",
    ["of"],
)
for _of in ("candidate", "released"):
    CERTIFICATES_FAILED.labels(_of)
FRESHNESS = Histogram(
    "touchstone_pbt_generator_task_freshness_seconds",
    "From when a function's code appeared to its certified task",
    buckets=FRESHNESS_S,
)


def observe_freshness(appeared: datetime | None) -> None:
    """Note how old a function's code is when its task stands; nothing where nobody knows its date."""
    if appeared is not None:
        moment = appeared if appeared.tzinfo else appeared.replace(tzinfo=UTC)
        FRESHNESS.observe(max(0.0, (datetime.now(UTC) - moment).total_seconds()))
