from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from evaluator.domain.statistics import clopper_pearson, share

trials = st.integers(1, 400).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))


@given(trials, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_is_that_of_the_beta_distribution(counts, confidence):
    hits, total = counts
    low, high = clopper_pearson(hits, total, confidence)
    tail = (1 - confidence) / 2
    assert low == pytest.approx(beta.ppf(tail, hits, total - hits + 1) if hits else 0.0, abs=1e-9)
    assert high == pytest.approx(beta.ppf(1 - tail, hits + 1, total - hits) if hits < total else 1.0, abs=1e-9)


@given(trials)
def test_the_interval_holds_the_share_and_mirrors(counts):
    hits, total = counts
    result = share(hits, total)
    assert 0 <= result.low <= result.value <= result.high <= 1
    mirrored = share(total - hits, total)
    assert result.low == pytest.approx(1 - mirrored.high, abs=1e-9)


@given(trials)
def test_more_trials_of_the_same_share_narrow_the_interval(counts):
    hits, total = counts
    few, many = share(hits, total), share(3 * hits, 3 * total)
    assert many.high - many.low < few.high - few.low


@pytest.mark.parametrize(("hits", "total"), [(101, 1163), (464, 1163), (20000, 40000)])
def test_large_counts_stay_exact(hits, total):
    low, high = clopper_pearson(hits, total)
    assert low == pytest.approx(beta.ppf(0.025, hits, total - hits + 1), abs=1e-8)
    assert high == pytest.approx(beta.ppf(0.975, hits + 1, total - hits), abs=1e-8)


def test_nothing_tried_says_nothing():
    result = share(0, 0)
    assert (result.value, result.low, result.high) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(("hits", "total"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(hits, total):
    with pytest.raises(ValueError, match="no share"):
        clopper_pearson(hits, total)
