"""The retriever's metrics."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

from retriever.ports import LagProbe
from retriever.usecases.answer import SearchAnswer
from touchstone_runtime.metrics import SHORT_S

SEARCHES_ANSWERED = Counter("touchstone_retriever_searches_answered_total", "Searches answered, by mode", ["mode"])
SEARCH_SECONDS = Histogram(
    "touchstone_retriever_search_seconds",
    "Time of one search",
    ["mode"],
    buckets=(*SHORT_S, 100),
)
SEARCHES_FELL_BACK = Counter(
    "touchstone_retriever_searches_fell_back_total", "Augmented searches that did less than asked"
)
FUNCTIONS_BEHIND = Gauge(
    "touchstone_retriever_functions_behind", "Functions extracted but not yet searchable; -1 when unknown"
)
# Before the first search too: what only comes to be has no rate.
for _mode in ("plain", "augmented"):
    SEARCHES_ANSWERED.labels(_mode)
    SEARCH_SECONDS.labels(_mode)


def observe_search(answer: SearchAnswer) -> None:
    """Count a search that was answered."""
    SEARCHES_ANSWERED.labels(answer.mode).inc()
    SEARCH_SECONDS.labels(answer.mode).observe(answer.elapsed_s)


def tell_behind(lag: LagProbe) -> None:
    """Tell how far the index is behind whenever it is asked, searched or not."""
    FUNCTIONS_BEHIND.set_function(lambda: lag.functions_behind)
