"""Before and after a model's cutoff."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.domain.clustered import Interval, share_interval
from evaluator.domain.contamination import around_cutoff, difference_of_shares

SOURCES = [f"pack{number}" for number in range(8)]


def around(months, values, cutoff="2024-06", sources=SOURCES):
    """NaN is a task that lacks its answer."""
    ends = (np.array([end if math.isnan(value) else value for value in values], dtype=float) for end in (0.0, 1.0))
    return around_cutoff(cutoff, months, *ends, sources[: len(months)])


def test_the_month_of_the_cutoff_is_before_and_what_nobody_dates_on_neither_side():
    found = around(["2024-05", "2024-06", "2024-07", "2025-01", ""], [1, 1, 0, 1, 1])
    assert found is not None
    assert (found.tasks_before, found.tasks_after, found.undated) == (2, 2, 1)
    assert (found.before.value, found.after.value, found.gap.value) == (1.0, 0.5, -0.5)


def test_a_missing_answer_is_in_no_value_and_is_told():
    found = around(["2024-05", "2024-05", "2024-07", ""], [1, math.nan, 0, math.nan])
    assert found is not None and (found.tasks_before, found.tasks_after, found.undated) == (1, 1, 0)
    assert (found.missing_before, found.missing_after) == (1, 0)
    assert around(["2024-05", "2024-07"], [math.nan, 1]) is None


def test_a_gap_that_stands_on_what_was_lost_is_not_decided():
    months, sources = ["2024-01"] * 200 + ["2025-01"] * 200, [f"p{number}" for number in range(400)]
    # Half is solved on either side; of the newer the endpoint lost what it would have failed, or solved.
    for lost in (0.0, 1.0):
        values = [0.0, 1.0] * 100 + [math.nan if value == lost else value for value in [0.0, 1.0] * 100]
        found = around(months, values, sources=sources)
        assert found is not None and (found.tasks_after, found.missing_after) == (100, 100)
        assert found.gap.value == (0.5 if lost == 0.0 else -0.5) and not found.decided
        assert found.gap.low < 0.0 < found.gap.high and found.after.low < 0.5 < found.after.high
    # A few that were lost hide no clear gap.
    values = [0.0, 1.0] * 100 + [0.0] * 190 + [math.nan] * 10
    found = around(months, values, sources=sources)
    assert found is not None and found.decided and found.gap.high < 0.0


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 1.0, math.nan]), st.booleans()), max_size=30))
def test_the_interval_of_a_gap_holds_it_whatever_the_missing_answers_were(rows):
    months = ["2024-05" if old else "2024-07" for old, *_ in rows]
    seen = around(months, [value for _, value, _ in rows], sources=SOURCES * 4)
    if seen is None:
        return
    full = around(
        months, [float(other) if math.isnan(value) else value for _, value, other in rows], sources=SOURCES * 4
    )
    assert full is not None
    for name in ("before", "after", "gap"):
        assert getattr(seen, name).low - 1e-9 <= getattr(full, name).value <= getattr(seen, name).high + 1e-9
    assert full.missing_before == full.missing_after == 0


@pytest.mark.parametrize(
    ("months", "cutoff"),
    [(["2024-05", "2024-07"], ""), (["2024-05", "2024-06"], "2024-06"), (["2024-07"], "2024-06"), ([""], "2024-06")],
)
def test_without_a_cutoff_or_a_side_there_is_nothing_to_show(months, cutoff):
    assert around(months, [1.0] * len(months), cutoff) is None


def test_a_gap_is_decided_only_where_zero_lies_outside():
    wide = around(["2024-05", "2024-07"] * 4, [1, 0, 0, 1, 1, 0, 0, 1])
    assert wide is not None and not wide.decided
    months, values = ["2024-01"] * 200 + ["2025-01"] * 200, np.array([0.0, 1.0] * 100 + [0.0] * 190 + [1.0] * 10)
    found = around(months, values, sources=[f"p{number}" for number in range(400)])
    assert found is not None and found.decided and found.gap.high < 0.0


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), min_size=1, max_size=40))
def test_the_interval_holds_the_gap_and_is_no_narrower_than_either_share(rows):
    new = np.array([row[0] for row in rows])
    values, clusters = np.array([float(row[1]) for row in rows]), np.array([row[2] for row in rows])
    first, second = share_interval(values[new], clusters[new]), share_interval(values[~new], clusters[~new])
    gap = difference_of_shares(first, second)
    assert -1.0 <= gap.low <= gap.value <= gap.high <= 1.0
    back = difference_of_shares(second, first)
    assert (back.low, back.high) == pytest.approx((-gap.high, -gap.low))


def test_two_exact_shares_differ_exactly():
    sure = Interval(0.75, 0.75, 0.75)
    assert difference_of_shares(sure, Interval(0.25, 0.25, 0.25)) == Interval(0.5, 0.5, 0.5)
