"""Figures, checked against their defining properties and known values."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.domain.statistics import (
    Effort,
    accuracy,
    clopper_pearson,
    execution_rate,
    krippendorff_alpha,
    mean_effort,
)

counts = st.integers(1, 400).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))


def tail_at_least(successes, trials, share):
    return math.fsum(
        math.comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(successes, trials + 1)
    )


@given(counts)
def test_interval_holds_its_estimate(count):
    successes, trials = count
    interval = clopper_pearson(successes, trials)
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    mirrored = clopper_pearson(trials - successes, trials)
    assert interval.low == pytest.approx(1 - mirrored.high, abs=1e-9)


@settings(max_examples=40)
@given(st.integers(1, 60).flatmap(lambda trials: st.tuples(st.integers(1, trials), st.just(trials))))
def test_interval_ends_where_the_binomial_tail_is_small(count):
    successes, trials = count
    low = clopper_pearson(successes, trials).low
    assert tail_at_least(successes, trials, low) == pytest.approx(0.025, abs=1e-6)


@given(counts, st.floats(0.5, 0.98))
def test_more_confidence_is_wider(count, confidence):
    narrow, wide = clopper_pearson(*count, confidence), clopper_pearson(*count, 0.99)
    assert wide.low <= narrow.low + 1e-12 and narrow.high <= wide.high + 1e-12


def test_known_intervals():
    interval = clopper_pearson(939, 1000)
    assert (round(interval.low, 3), round(interval.high, 3)) == (0.922, 0.953)
    assert clopper_pearson(10, 10).high == 1.0


@pytest.mark.parametrize("bad", [(0, 0), (5, 4), (-1, 3)])
def test_no_share(bad):
    with pytest.raises(ValueError, match="no share"):
        clopper_pearson(*bad)


labels = st.lists(st.integers(0, 1), min_size=1, max_size=60)


@given(labels)
def test_accuracy_of_the_truth_is_one(truth):
    assert accuracy(truth, truth).estimate == 1.0
    assert accuracy([1 - label for label in truth], truth).estimate == 0.0


def test_accuracy_needs_equal_lengths():
    with pytest.raises(ValueError, match="cannot be compared"):
        accuracy([1], [1, 0])


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=60))
def test_alpha_of_two_raters_follows_its_definition(units):
    alpha = krippendorff_alpha([[a for a, _ in units], [b for _, b in units]])
    values = [label for unit in units for label in unit]
    ones, total = sum(values), len(values)
    if ones in (0, total):
        assert alpha is None
        return
    observed = sum(a != b for a, b in units) / len(units)
    expected = 2 * ones * (total - ones) / (total * (total - 1))
    assert alpha == pytest.approx(1 - observed / expected, abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=40), st.randoms())
def test_alpha_knows_no_order(units, random):
    shuffled = list(units)
    random.shuffle(shuffled)
    one = krippendorff_alpha([[a for a, _ in units], [b for _, b in units]])
    other = krippendorff_alpha([[b for _, b in shuffled], [a for a, _ in shuffled]])
    assert one == other or one == pytest.approx(other, abs=1e-9)


def test_alpha_leaves_out_units_with_one_label():
    assert krippendorff_alpha([[1, 0, 1, None], [1, 0, None, 0]]) == pytest.approx(1.0)
    assert krippendorff_alpha([[1, None], [None, 0]]) is None


def test_alpha_needs_the_same_units():
    with pytest.raises(ValueError, match="same units"):
        krippendorff_alpha([[1, 0], [1]])


@given(st.lists(st.sampled_from([True, False, None]), max_size=50))
def test_execution_rate_counts_tested_pairs(executed):
    rate = execution_rate(executed)
    tested = [value for value in executed if value is not None]
    assert (rate is None) == (not tested)
    if rate:
        assert rate.estimate == pytest.approx(sum(tested) / len(tested))


efforts = st.builds(Effort, st.integers(0, 10**6), st.integers(0, 10**6), st.floats(0, 10), st.floats(0, 1000))


@given(st.lists(efforts, min_size=1, max_size=20))
def test_mean_lies_between_the_extremes(found):
    mean = mean_effort(found)
    assert mean.pairs == len(found)
    for name in ("tokens_in", "tokens_out", "cost_usd", "seconds"):
        values = [getattr(effort, name) for effort in found]
        assert min(values) - 1e-6 <= getattr(mean, name) <= max(values) + 1e-6


def test_mean_of_nothing_is_zero():
    assert mean_effort([]).tokens_in == 0.0
