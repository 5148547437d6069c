"""What a solver is told of types: words of no language, and heads in five."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import touchstone_values as values
from pbt_generator.domain.inputs.portable import with_uniform_maps
from pbt_generator.domain.task.wording.heads import signatures
from pbt_generator.domain.task.wording.instruction import compose
from pbt_generator.domain.task.wording.observed import Observed, observe, words
from pbt_generator.domain.task.wording.prose import Prose
from pbt_generator.domain.task.wording.told import Told

TREES = st.recursive(
    st.integers(-9, 9) | st.text("ab", max_size=2) | st.none() | st.booleans() | st.floats(-1, 1),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3)
        | st.dictionaries(st.integers(0, 5), inner, max_size=3)
        | st.tuples(inner, inner)
    ),
    max_leaves=10,
)


def tagged(pairs: list[list[Any]]) -> dict[str, Any]:
    return {"$": "map", "v": pairs}


@pytest.mark.parametrize(
    ("trees", "expected"),
    [
        ([1, 2], "an integer"),
        ([1, 2.5, None], "a number, or nothing"),
        ([[1], []], "a sequence of integers"),
        ([[], []], "a sequence of values"),
        ([{"a": 1}, {"b": 2}, {}], "a map from texts to integers"),
        ([tagged([[1, "a"]]), {}], "a map from integers to texts"),
        ([tagged([[1, "a"], ["b", "c"]])], "a map from texts and integers to texts"),
        ([[tagged([[1, 2]])], [{}]], "a sequence of maps from integers to integers"),
        ([1, "a"], "one of several kinds: an integer, a text"),
        ([[1, "a", None]], "a sequence of values of several kinds (integers, texts) (or nothing)"),
        ([[[1], None, [2, None]], []], "a sequence of sequences (or nothing) of integers (or nothing)"),
        ([[{"a": [1]}, None, {"b": [2]}]], "a sequence of maps (or nothing) from texts to sequences of integers"),
        ([[number, number] for number in range(9)], "a sequence of 2 integers"),
        ([[number, number] for number in range(3)], "a sequence of integers"),
        (
            [{"$": "tuple", "v": [number, "a"]} for number in range(9)],
            "a sequence of 2: an integer; a text",
        ),
        (
            [{"id": number, **({"name": "x"} if number % 2 else {})} for number in range(9)],
            'a map with "id" (an integer), "name" (a text; may be missing)',
        ),
        ([{f"k{number}": number} for number in range(20)], "a map from texts to integers"),
    ],
)
def test_words(trees: list[Any], expected: str) -> None:
    assert words(observe(trees)) == expected


def test_heads_in_five_languages() -> None:
    rows = observe([[{"id": 1, "size": None}, {"id": 2, "size": 1.5}][:size] for size in (1, 2) * 5])
    index = observe([tagged([[1, ["a"]]]), {}])
    pair = observe([[number, "a"] for number in range(9)])
    heads = signatures("find", [Told("rows", rows), Told("index", index), Told("pair", pair)], observe([None, 3]))
    assert heads["python"] == (
        "def find(rows: list[dict[str, float | None]], index: dict[int, list[str]], "
        "pair: list[int | str]) -> int | None"
    )
    assert heads["typescript"] == (
        "function find(rows: ({ id: number; size: number | null })[], index: Map<number, string[]>, "
        "pair: [number, string]): number | null"
    )
    assert (
        heads["java"].splitlines()[-1]
        == "static Long find(List<Map<String, Double>> rows, Map<Long, List<String>> index, List<Object> pair)"
    )
    assert (
        heads["go"].splitlines()[-1]
        == "func find(rows []map[string]*float64, index map[int64][]string, pair []any) *int64"
    )
    assert heads["javascript"].splitlines() == [
        "/**",
        " * @param {({ id: number; size: number | null })[]} rows",
        " * @param {Map<number, string[]>} index",
        " * @param {[number, string]} pair",
        " * @returns {number | null}",
        " */",
        "function find(rows, index, pair)",
    ]


def test_several_kinds_are_a_union_where_a_language_has_them() -> None:
    mixed = observe([1, "a", None])
    heads = signatures("f", [Told("x", observe([[1, "a"], []])), Told("y", observe([[1], 2.5]))], mixed)
    assert heads["python"] == "def f(x: list[int | str], y: float | list[object]) -> int | str | None"
    assert heads["typescript"] == "function f(x: (number | string)[], y: number | unknown[]): number | string | null"
    assert heads["java"].splitlines()[-1] == "static Object f(List<Object> x, Object y)"
    assert heads["go"].splitlines()[-1] == "func f(x []any, y any) any"


def test_heads_say_what_a_value_of_any_kind_is() -> None:
    heads = signatures("f", [Told("x", observe([[1, "a"], []]))], observe([1]))
    assert heads["java"].startswith("// An Object is null, ") and heads["java"].endswith(
        "static long f(List<Object> x)"
    )
    assert heads["go"].startswith("// An any is nil, ") and heads["go"].endswith("func f(x []any) int64")
    assert "//" not in signatures("f", [Told("anything", observe([1]))], observe([None, "a", 1]))["go"]


def test_keys_that_are_no_names_are_quoted() -> None:
    seen = observe([{"content-type": "a", "id": 1}] * 9)
    assert signatures("f", [], seen)["typescript"] == 'function f(): { "content-type": string; id: number }'


@given(st.lists(TREES, max_size=9))
def test_every_value_has_words_and_heads(given_values: list[object]) -> None:
    seen = observe(values.parse(values.encode(value)) for value in given_values)
    assert words(seen)
    assert len(signatures("f", [Told("x", seen)], seen)) == 5


@given(st.lists(st.lists(TREES, max_size=2), max_size=5))
def test_uniform_maps_hold_the_same_values(inputs: list[list[object]]) -> None:
    texts = [values.encode(each) for each in inputs]
    made = with_uniform_maps(texts)
    for before, after in zip(texts, made, strict=True):
        assert values.compare(before, after, "exact") is None
        assert repr(values.decode(before)) == repr(values.decode(after))
    assert with_uniform_maps(made) == made


def test_a_place_with_integer_keys_has_them_in_every_case() -> None:
    texts = ['[{"$":"map","v":[[1,{}]]},{}]', "[{},{}]", '{"first":{},"second":{}}']
    made = [json.loads(text) for text in with_uniform_maps(texts)]
    assert made[1] == [{"$": "map", "v": []}, {}]
    assert made[0][0]["v"] == [[1, {}]] and made[2] == {"first": {}, "second": {}}


def test_examples_say_how_they_are_written() -> None:
    case = ('[{"$":"map","v":[[1,2]]}]', '{"$":"tuple","v":[1,{"$":"date","v":"2024-01-01"}]}')
    told = compose("f", "WSC", Prose(), [Told("x", Observed("any"))], Observed("any"), [case])
    assert "a map whose keys are not texts" in told and "a sequence of fixed length" in told
    assert "of the kind that it names (date)" in told
    plain = compose("f", "SC", Prose(), [Told("x", Observed("int"))], Observed("int"), [("[1]", "2")])
    assert "(arguments in order, then the result):" in plain


def test_keys_that_may_be_nothing_are_of_any_kind():
    """A map whose keys are data of several kinds, nothing among them, as a `defaultdict` over optional values gives."""
    trees = [{"$": "map", "v": [[None, 1.5], ["a", 2.5]]}, {"$": "map", "v": [[None, 1.0]]}]
    seen = observe(trees)
    assert seen.name == "map" and seen.key == "any"
    assert observe([{"$": "map", "v": [[None, 1]]}]).key == "any"
    assert words(seen)


@pytest.mark.parametrize(
    "other",
    [
        '{"$":"counter","v":[[1,2]]}',
        '{"$":"ordered_map","v":[[1,2]]}',
        '{"$":"default_map","factory":"int","v":[[3,2]]}',
        '{"$":"deque","maxlen":null,"v":[1]}',
        '{"$":"set","v":[1]}',
        '{"$":"float","v":"nan"}',
        '{"$":"tuple","v":[1,{"$":"deque","maxlen":null,"v":[]}]}',
    ],
)
def test_what_stands_where_others_have_a_map_of_whole_numbers_stays_as_it_is(other: str) -> None:
    texts = ['[{"$":"map","v":[[1,2]]},[{"$":"map","v":[[1,2]]}]]', f"[{other},[{other}]]", '[{},[{"a":1}]]']
    made = with_uniform_maps(texts)
    assert made[:2] == texts[:2]
    assert made[2] == '[{"$":"map","v":[]},[{"$":"map","v":[["a",1]]}]]'
