"""Every metric of the evaluator."""

from __future__ import annotations

from prometheus_client import Counter

SOLUTIONS = Counter(
    "touchstone_evaluator_solutions_generated_total",
    "Solutions made, by strategy and by whether there is a program to run",
    ["strategy", "runnable"],
)
VERDICTS = Counter(
    "touchstone_evaluator_verdicts_recorded_total", "Verdicts kept, by outcome; replays count again", ["outcome"]
)
HALTS = Counter("touchstone_evaluator_halts_total", "Times that a run stood still, by the kind of fault", ["fault"])
