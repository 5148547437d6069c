"""How fresh verdicts are."""

from datetime import UTC, datetime

import pytest
from prometheus_client import REGISTRY

from evaluator import metrics

NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("appeared", "seconds"),
    [("2026-03-01T00:00:00+00:00", 86400), ("2026-03-01T12:00:00", 43200), ("2026-03-01", 86400), ("2027-01-01", 0)],
)
def test_a_verdict_is_as_old_as_the_code_it_judges(appeared, seconds):
    name = "touchstone_evaluator_verdict_freshness_seconds"
    before = REGISTRY.get_sample_value(f"{name}_sum"), REGISTRY.get_sample_value(f"{name}_count")
    metrics.observe_freshness(appeared, NOW)
    assert REGISTRY.get_sample_value(f"{name}_sum") - before[0] == seconds
    assert REGISTRY.get_sample_value(f"{name}_count") - before[1] == 1


def test_code_without_a_date_is_not_counted():
    count = REGISTRY.get_sample_value("touchstone_evaluator_verdict_freshness_seconds_count")
    metrics.observe_freshness("", NOW)
    assert REGISTRY.get_sample_value("touchstone_evaluator_verdict_freshness_seconds_count") == count
