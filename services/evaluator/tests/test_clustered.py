"""Intervals over few repositories of unlike sizes: what they promise, and where their degrees of freedom come from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluator.domain import clustered
from evaluator.domain.clustered import difference_intervals, share_interval
from evaluator.domain.passing import pass_at_k

TAIL = 0.025


def reference(sizes):
    return clustered._reference(np.array(sizes, dtype=float).tobytes(), TAIL)


@given(st.integers(2, 40), st.integers(1, 60))
def test_repositories_of_one_size_have_the_usual_freedom_however_alike_their_tasks(number, size):
    kept, freedom = reference([size] * number)
    assert kept == pytest.approx(np.ones(len(kept)))
    assert freedom == pytest.approx(np.full(len(freedom), number - 1.0), rel=1e-3)


@given(st.lists(st.integers(1, 80), min_size=3, max_size=30))
def test_unlike_sizes_take_freedom_and_never_give_any(sizes):
    kept, freedom = reference(sizes)
    assert (freedom <= len(sizes) - 1.0 + 1e-2).all() and (freedom > 0.4).all()
    assert (kept <= 1.0).all() and (kept > 0.0).all() and kept[0] == pytest.approx(1.0)


@pytest.mark.parametrize("sizes", [[40, 12, 6, 5, 4, 3], [9] * 6, [30, 20, 1, 1, 1, 1, 1, 1]])
def test_the_freedom_is_that_of_normal_means_of_such_sizes(sizes):
    rng, sizes = np.random.default_rng(4), np.array(sizes, dtype=float)
    sums = rng.normal(0.0, np.sqrt(sizes), (40_000, len(sizes)))
    means, weights = sums.sum(axis=1) / sizes.sum(), sizes / sizes.sum()
    errors = np.sqrt(((sums - means[:, None] * sizes) ** 2 / (1.0 - weights)).sum(axis=1)) / sizes.sum()
    end = stats.t.ppf(1.0 - TAIL, reference(sizes)[1][0])
    # Three standard errors of what 40,000 draws show.
    assert (np.abs(means) > end * errors).mean() == pytest.approx(2 * TAIL, abs=0.0033)


@st.composite
def tables(draw):
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=9))
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    cells = st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=2 * len(clusters), max_size=2 * len(clusters))
    return np.array(draw(cells)).reshape(2, -1), clusters


@given(tables())
def test_a_pair_is_told_apart_by_its_p_value_where_its_interval_leaves_out_zero(data):
    (gap,), (p,) = difference_intervals(*data)
    outside = gap.low > 0.0 or gap.high < 0.0
    # On the edge rounding may do either; a difference of everything is as far as it goes.
    if abs(p - 2 * TAIL) > 1e-9 and abs(gap.value) < 1.0:
        assert outside == (p < 2 * TAIL)


@given(tables())
def test_repositories_that_are_alike_by_luck_narrow_an_interval_to_no_less_than_half(data):
    table, clusters = data
    (gap,), _ = difference_intervals(table, clusters)
    differences = table[0] - table[1]
    alone = stats.t.ppf(1.0 - TAIL, max(1, len(differences) - 1)) * differences.std() / np.sqrt(len(differences))
    assert gap.high - gap.value >= min(1.0 - gap.value, 0.5 * alone) - 1e-9
    assert gap.value - gap.low >= min(1.0 + gap.value, 0.5 * alone) - 1e-9


def test_equal_repositories_are_no_certainty():
    clusters = np.repeat(np.arange(6), 8)
    found = share_interval(np.tile([0.0, 1.0], 24), clusters)
    assert found.high - found.low > 0.14


@pytest.mark.parametrize("value", [0.0, 0.25, 0.5, 1.0])
def test_equal_values_leave_room_for_what_none_of_them_shows(value):
    """Where all of two are alike, five of six others may be unlike them: nobody met one by a chance of 2.5 %."""
    found, room = share_interval(np.full(2, value), np.arange(2)), 1.0 - TAIL**0.5
    assert (found.low, found.value, found.high) == pytest.approx(
        (value * (1 - room), value, value + (1 - value) * room)
    )
    more = share_interval(np.full(200, value), np.arange(200))
    assert more.low <= value <= more.high and 0.0 < more.high - more.low < 0.02


near = st.sampled_from([0.0, 1.0]).flatmap(lambda end: st.integers(1, 17).map(lambda digits: abs(end - 10.0**-digits)))


@given(st.lists(near, min_size=1, max_size=12), st.integers(1, 12))
def test_values_that_differ_by_a_bit_have_the_interval_of_equal_ones(values, repositories):
    clusters = np.arange(len(values)) % repositories
    found = share_interval(np.array(values), clusters)
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0
    assert min(values) <= found.value <= max(values)
    for least, most in ((0.999, 1.0), (0.0, 0.001)):
        if least <= min(values) and max(values) <= most:
            equal = share_interval(np.full(len(values), found.value), clusters)
            assert (found.low, found.high) == pytest.approx((equal.low, equal.high), abs=0.01)


@pytest.mark.parametrize("repositories", [6, 12, 20])
def test_pass_at_k_is_covered_where_what_is_never_solved_is_rarely_met(repositories):
    rng, rounds, held = np.random.default_rng(3), 300, 0
    table = np.array([pass_at_k(20, passed, 10) for passed in range(21)])

    def drawn(number):
        rates = np.where(rng.random(number) < 0.1, 0.0, rng.uniform(0.3, 1.0, number))
        return table[rng.binomial(20, rates)]

    truth = float(drawn(400_000).mean())
    for _ in range(rounds):
        found = share_interval(drawn(repositories), np.arange(repositories))
        held += found.low <= truth <= found.high
    assert held / rounds >= 0.92


def test_many_values_each_on_its_own_have_the_usual_interval_of_a_mean():
    assert reference([1] * 50_000)[1] == pytest.approx(np.full(9, 49_999.0)), "and need no search for it"
    values = np.tile([0.25, 0.75], 500)
    found, error = share_interval(values, np.arange(1000)), values.std(ddof=1) / np.sqrt(1000)
    assert found.high - found.low == pytest.approx(2 * stats.t.ppf(1.0 - TAIL, 999) * error, rel=0.01)


@pytest.mark.parametrize("number", [6, 12])
@pytest.mark.parametrize(("alike", "uneven"), [(0.0, 0.3), (0.3, 0.3), (0.0, 1.2), (0.3, 1.2)])
def test_few_repositories_are_covered_neither_too_seldom_nor_too_often(number, alike, uneven):
    rng, rounds, held, told = np.random.default_rng(11), 300, 0, 0
    for _ in range(rounds):
        sizes = np.maximum(1, rng.lognormal(2, uneven, number)).astype(int)
        spread = (1 - alike) / alike if alike else 1e6
        rates = rng.beta(0.4 * spread, 0.6 * spread, (2, number))
        clusters = np.repeat(np.arange(number), sizes)
        table = (rng.random((2, len(clusters))) < rates[:, clusters]).astype(float)
        share, ((gap,), _) = share_interval(table[0], clusters), difference_intervals(table, clusters)
        held, told = held + (share.low <= 0.4 <= share.high), told + (gap.low <= 0.0 <= gap.high)
    # Three standard errors around 93 to 97 %; the bench simulates more and other shapes.
    assert 0.89 <= held / rounds <= 0.995 and 0.89 <= told / rounds <= 0.995
