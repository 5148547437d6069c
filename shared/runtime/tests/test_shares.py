"""A share, or a difference, is never told as another one that decides something else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from touchstone_runtime.shares import percent, points

parts = st.tuples(st.integers(0, 200_000), st.integers(1, 200_000)).map(lambda two: min(two) / max(two))


@given(parts, st.integers(0, 1))
def test_what_is_not_all_or_nothing_is_never_told_so(share, digits):
    told = float(percent(share, digits))
    assert (told == 0.0, told == 100.0) == (share == 0.0, share == 1.0)
    assert abs(told - 100 * share) <= 0.5 * 10.0**-digits + 1e-9


@given(parts, st.sampled_from([-1.0, 1.0]), st.integers(0, 1))
def test_a_difference_is_told_on_its_side_of_nothing(share, sign, digits):
    told = points(sign * share, digits)
    assert told[0] in "+-" and abs(float(told) - 100 * sign * share) <= 0.5 * 10.0**-digits + 1e-9
    assert (float(told) > 0, float(told) < 0) == (sign * share > 0, sign * share < 0)
    assert share or told.startswith("+")
