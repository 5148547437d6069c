"""Every metric of the annotator."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

from annotator.ports import StoredLabel
from annotator.ports.waiting import WaitingState

PAIRS = Counter(
    "touchstone_annotator_pairs_labelled_total", "Pairs labelled, by label and by who decided", ["label", "decided_by"]
)
TESTS = Counter("touchstone_annotator_pairs_tested_total", "Pairs with a test, by whether all tests ran", ["executed"])
AUDITS = Counter("touchstone_annotator_audits_total", "Audits by the checker, by whether it agrees", ["agrees"])
TOKENS = Counter("touchstone_annotator_model_tokens_total", "Tokens of the agents' model", ["direction"])
COST = Counter("touchstone_annotator_cost_dollars_total", "What the agents' model cost, US dollars")
WAITING = Gauge(
    "touchstone_annotator_pairs_waiting",
    "Proposed pairs without a label, of all replicas together: waiting, begun, held by the budget, or set aside",
    ["state"],
)
SECONDS = Histogram(
    "touchstone_annotator_pair_seconds",
    "What one pair took, model and executions",
    buckets=(1, 2, 5, 10, 20, 50, 100, 300, 600),
)

_LABELS = {1: "1", 0: "0", None: "undecided"}


def tell_waiting(state: WaitingState) -> None:
    """Tell how many pairs wait."""
    for name, count in state.kinds().items():
        WAITING.labels(name).set(count)


def observe(stored: StoredLabel) -> None:
    """Count one new label."""
    PAIRS.labels(_LABELS[stored.label], stored.decided_by).inc()
    if stored.executed is not None:
        TESTS.labels(str(stored.executed).lower()).inc()
    if stored.audit is not None:
        AUDITS.labels(str(stored.audit == stored.label).lower()).inc()
    TOKENS.labels("in").inc(stored.effort.tokens_in)
    TOKENS.labels("out").inc(stored.effort.tokens_out)
    COST.inc(stored.effort.cost_usd)
    SECONDS.observe(stored.effort.seconds)
