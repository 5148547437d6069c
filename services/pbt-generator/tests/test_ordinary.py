"""What words offer for a parameter and what the plainest caller sends: tried, among the cases, and shown first."""

from __future__ import annotations

import pytest

from pbt_generator.domain.inputs.drawing.sampling import Sampler
from pbt_generator.domain.inputs.inference.offered import offered_values
from pbt_generator.domain.inputs.ordinary import OrdinaryInputs, is_ordinary
from pbt_generator.domain.inputs.shapes import (
    BytesShape,
    FloatShape,
    InputShape,
    IntShape,
    ListShape,
    MapShape,
    ParameterShape,
    SetShape,
    Shape,
    TextShape,
    TupleShape,
)
from pbt_generator.domain.task.wording.examples import OFFERED, ORDINARY, OTHER, examples


def _shape(**parameters: Shape) -> InputShape:
    return InputShape(tuple(ParameterShape(name, each) for name, each in parameters.items()))


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (":param v: A colour (a string like '#000000').", {"v": ("#000000",)}),
        ("Args:\n    v: the mode, `'r'` or \"w\".\n", {"v": ("r", "w")}),
        ('Reads degrees (eg, "12319.943281" = 123 degrees).', {"v": ("12319.943281",)}),
        ("Reads such as '1h', '2 min' or '3d'.", {"v": ("1h", "2 min", "3d")}),
        (":param n: a share, e.g. 0.75, of `v`.", {"n": (0.75,)}),
        (":param v: beside 'n'.\n:returns: a text like 'abc'.", {}),
        ("Quotes a text in '\"'.", {}),
        ("Acts like the others.", {}),
    ],
)
def test_values_are_offered_in_words(words: str, offered: dict[str, tuple[object, ...]]) -> None:
    """An author who writes what a value looks like has said what callers send."""
    source = f"def f(v, n):\n    {words!r}\n    return v * n\n"
    assert offered_values(source, "f", _shape(v=TextShape(), n=FloatShape())) == offered


@pytest.mark.parametrize(
    ("shape", "words", "value"),
    [
        (ListShape(IntShape()), "a list like [3, 1, 2]", [3, 1, 2]),
        (MapShape(TextShape(), IntShape()), "a count, e.g. {'a': 1}", {"a": 1}),
        (SetShape(IntShape()), "such as {1, 2}", {1, 2}),
    ],
)
def test_lists_maps_and_sets_are_offered_too(shape: Shape, words: str, value: object) -> None:
    """What has no hash is a value like others, as an ordinary input as well as in words."""
    for docs in (f"Counts {words}.", f":param v: {words}"):
        offered = offered_values(f'def f(v):\n    """{docs}"""\n    return len(v)\n', "f", _shape(v=shape))
        assert offered == {"v": (value,)}
        drawn = OrdinaryInputs(_shape(v=shape), Sampler(_shape(v=shape), 1), offered, 1)
        assert [given for given in drawn.of_offered([]) if given[0] == value]


def test_maps_whose_keys_have_no_hash_are_no_ordinary_inputs() -> None:
    """No such map can be written down."""
    shape = _shape(m=MapShape(TupleShape((TextShape(), ListShape(IntShape()))), IntShape()))
    assert not list(OrdinaryInputs(shape, Sampler(shape, 1), {}, 1).inputs(3))


def test_a_value_that_two_parameters_may_have_is_offered_for_none() -> None:
    """Words on no parameter do not say which."""
    source = "def f(a, b):\n    \"Joins texts like 'x-y'.\"\n    return a + b\n"
    assert offered_values(source, "f", _shape(a=TextShape(), b=TextShape())) == {}


def test_ordinary_inputs_hold_nothing_odd() -> None:
    """Texts, numbers, lists and maps of a plain caller."""
    numbers = {"n": IntShape(), "x": FloatShape(), "xs": ListShape(IntShape())}
    shape = _shape(a=TextShape(), m=MapShape(TextShape(), IntShape()), **numbers)
    drawn = OrdinaryInputs(shape, Sampler(shape, 1), {}, 1)
    inputs = list(drawn.inputs(30))
    assert len(inputs) == 30 and all(is_ordinary(value) for given in inputs for value in given)
    assert not list(OrdinaryInputs(_shape(b=BytesShape()), Sampler(shape, 1), {}, 1).inputs(30))


def test_offered_values_are_tried_whole_and_with_other_digits() -> None:
    """`#000000` alone has the same digit everywhere."""
    shape = _shape(v=TextShape(), n=IntShape())
    drawn = OrdinaryInputs(shape, Sampler(shape, 1), {"v": ("#000000",)}, 1)
    assert {given[0] for given in drawn.of_offered([("x", -9)])} == {"#000000"}
    assert -9 in {given[1] for given in drawn.of_offered([("x", -9)])}
    others = {given[0] for given in drawn.like_offered([("x", -9)])}
    assert others and all(len(str(each)) == 7 and str(each)[0] == "#" and "0" not in str(each) for each in others)


def test_of_inputs_that_decide_the_same_the_ordinary_one_is_shown() -> None:
    """A garbled one says no more, and nobody reads it."""
    cases = [('["a\\t.."]', "1", 0), ('["bc d"]', "1", 0), ('["\\u2003"]', "0", 1), ('["zz"]', "0", 1)]
    apart = [frozenset({0, 1}), frozenset({2, 3})]
    usual = [OTHER, ORDINARY, OTHER, ORDINARY]
    shown = examples([*cases, *((f'["{n}__"]', "2", 2) for n in range(9))], (), apart, (), [*usual, *[OTHER] * 9])
    assert [arguments for arguments, _ in shown[:2]] == ['["zz"]', '["bc d"]']


def test_what_words_offer_is_shown_and_stands_first() -> None:
    """Though it decides nothing that others do not."""
    cases = [(f'["{n}"]', str(n), n) for n in range(12)] + [('["#000000"]', "[0,0,0]", 0)]
    shown = examples(cases, [0, *[2] * 12], (), (), [*[ORDINARY] * 12, OFFERED])
    assert shown[0] == ('["#000000"]', "[0,0,0]")


def test_one_ordinary_input_is_shown_where_the_cases_hold_one() -> None:
    """Whatever the odd ones decide."""
    cases = [(f'["{n}\\t.."]', str(n), n) for n in range(20)] + [('["plain"]', "5", 5)]
    shown = examples(cases, (), [frozenset({n}) for n in range(20)], (), [*[OTHER] * 20, ORDINARY])
    assert ('["plain"]', "5") in shown
