"""Tolerance of floats, and the pairing of sets whose elements are only close."""

import itertools
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import touchstone_values as values


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_tolerance_is_absolute_plus_relative(a, b):
    close = abs(a - b) <= 1e-6 + 1e-6 * abs(a)
    assert (values.compare(values.encode(a), values.encode(b), "exact") is None) == close


def test_closeness_in_sets_is_matched_whatever_the_order():
    # 0.0 is close to both others; 2e-6 only to the middle one: a first fit would fail.
    expected, actual = {0.9e-6, 0.0}, {1.8e-6, 1e-7}
    assert values.compare(values.encode(expected), values.encode(actual), "exact") is None
    assert values.compare(values.encode({1, 2}), values.encode({1, 3}), "portable") is not None


def test_pairing_by_trying_is_bounded():
    large = {(*(1.5,) * 3000, i + 0.5) for i in range(60)}
    near = {(*(1.5000001,) * 3000, i + 0.5) for i in range(60)}
    # In order they are partners at once; that took a refusal before.
    assert values.compare(values.encode(large), values.encode(near), "exact") is None
    # Each is close to all others in every number but one: only trying tells, and that has its limit.
    expected = {(1.0, frozenset({i * 1e-9 + 0.5, 7.0})) for i in range(600)}
    actual = {(1.0, frozenset({i * 1e-9 + 0.5, 7.1})) for i in range(600)}
    began = time.process_time()
    difference = values.compare(values.encode(expected), values.encode(actual), "exact")
    assert difference is not None
    assert time.process_time() - began < 20


@pytest.mark.parametrize("mode", ["portable", "exact"])
def test_sets_of_many_numbers_are_paired_without_trying_all(mode):
    rng = random.Random(7)
    expected = {rng.uniform(-1e6, 1e6) for _ in range(4000)}
    actual = {value * (1 + 1e-9) for value in expected}
    assert values.compare(values.encode(expected), values.encode(actual), mode) is None
    assert values.compare(values.encode(expected), values.encode({*list(actual)[1:], 3e9}), mode) is not None
    pairs = {(i // 50, value) for i, value in enumerate(sorted(expected))}
    near = {(key, value * (1 + 1e-9)) for key, value in pairs}
    assert values.compare(values.encode(pairs), values.encode(near), mode) is None
    keyed = values.encode(dict.fromkeys(expected, 1))
    assert values.compare(keyed, values.encode(dict.fromkeys(actual, 1)), mode) is None


@given(st.lists(st.floats(0, 1e-5) | st.integers(0, 1), max_size=5, unique=True), st.randoms())
def test_pairing_agrees_with_trying_every_order(expected, rng):
    actual = [value + rng.choice([0.0, 5e-7, 1.5e-6]) if type(value) is float else value for value in expected]
    if len(set(actual)) < len(actual):
        return
    partners = any(
        all(values.compare_values(e, a, "portable") is None for e, a in zip(expected, order, strict=True))
        for order in itertools.permutations(actual)
    )
    assert (values.compare_values(set(expected), set(actual), "portable") is None) == partners
    boxed = {(value, 1.0) for value in expected}, {(value, 1.0) for value in actual}
    assert (values.compare_values(*boxed, "portable") is None) == partners
