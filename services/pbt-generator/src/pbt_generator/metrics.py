"""The generator's metrics."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

DECISIONS = Counter("touchstone_pbt_generator_decisions_total", "Candidates decided, by task or refusal", ["result"])
BUILD_CPU_SECONDS = Histogram(
    "touchstone_pbt_generator_build_cpu_seconds",
    "CPU time of a released suite, sandbox included",
    buckets=(0.5, 1, 2, 3, 5, 10, 20, 40),
)
