"""The ingester's metrics."""

from __future__ import annotations

from prometheus_client import Counter

FUNCTIONS = Counter("touchstone_ingester_functions_total", "Functions extracted, by what became of them", ["result"])
PASSES = Counter("touchstone_ingester_passes_total", "Passes over a source, by how they ended", ["state"])
