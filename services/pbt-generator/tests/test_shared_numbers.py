"""Inputs of suites for five languages hold one form of each number."""

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from pbt_generator.domain.inputs.fitting import shared_numbers
from pbt_generator.domain.inputs.portable import has_negative_zero
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    FloatShape,
    IntShape,
    ListShape,
    NoneShape,
    TupleShape,
    UnionShape,
)
from pbt_generator.usecases.build import BuiltSuite, Candidate, build_suite

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def kinds(value):
    if isinstance(value, list):
        return [kinds(item) for item in value]
    if isinstance(value, dict):
        return {key: kinds(item) for key, item in value.items()}
    return type(value)


@given(VALUES)
def test_values_stay_equal_and_settle_at_once(value):
    once = shared_numbers(value, AnyShape())
    assert once == value
    again = shared_numbers(once, AnyShape())
    assert kinds(again) == kinds(once)


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15))
def test_a_whole_float_is_an_integer_unless_only_floats_are_known(number):
    whole = number == int(number)
    assert type(shared_numbers(number, UnionShape((IntShape(), FloatShape())))) is (int if whole else float)
    assert type(shared_numbers(number, FloatShape())) is float
    assert type(shared_numbers(int(number), UnionShape((FloatShape(), NoneShape())))) is float


def test_members_follow_their_own_shapes():
    pair = TupleShape((FloatShape(), IntShape()))
    assert kinds(list(shared_numbers((1, 2.0), pair))) == [float, int]
    assert kinds(shared_numbers([1, 2.0, True], ListShape(FloatShape()))) == [float, float, bool]


def test_negative_zero_is_found_wherever_it_stands():
    assert has_negative_zero({"a": [1, {"$": "tuple", "v": [-0.0]}]})
    assert not has_negative_zero([0, 0.0, "-0.0", None, -1.5])
    assert math.copysign(1, -0.0) < 0


async def test_a_text_of_a_number_is_certified_though_kinds_of_numbers_read_otherwise(workshop):
    code = "def f(n):\n    if n < 10:\n        return f'{n} B'\n    return f'{n / 10:.1f} kB'\n"
    built = await build_suite(Candidate("id", "f", "f", code, (), "SC"), workshop)
    assert isinstance(built, BuiltSuite), built.refusal
    numbers = [json.loads(case.arguments)[0] for case in built.cases]
    assert not any(isinstance(number, float) and number == int(number) for number in numbers)
    # No two cases ask the same in a language that has one kind of number.
    assert len({float(number) for number in numbers}) == len(numbers)
