"""Inputs with less in them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pbt_generator.domain.inputs.drawing.smaller import smaller

_VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=3), inner, max_size=9),
    max_leaves=9,
)


def test_parts_are_left_out_and_equal_texts_stay_equal() -> None:
    long = ["  x y z ", "  x y z ", "b"]
    found = smaller((long, 5))
    assert (["  x", "  x", "b"], 5) in found and (["  x y z ", "  x y z "], 5) in found
    assert smaller(("abcdefgh",))[0] in {("abcd",), ("efgh",), ("cdefgh",)}
    assert smaller((1, None, "a", [])) == []


@given(st.tuples(_VALUES, _VALUES))
def test_every_one_is_another_input_of_the_same_kinds_that_is_no_longer(value: tuple[object, object]) -> None:
    found = smaller(value)
    assert len(found) <= 16
    for each in found:
        assert each != value and len(repr(each)) <= len(repr(value)) + 8
        assert [type(part) for part in each] == [type(part) for part in value]
