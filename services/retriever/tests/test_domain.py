"""Scores, ties, filters, versions, streams and generated code."""

import dataclasses
import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.domain.code import ALL_FORMS, CLASS_FORMS, Hit, SearchFilter, repository_key
from retriever.domain.ensemble import Near, Weights, ranked, weights_for
from retriever.domain.generated import code_in, components_of
from retriever.domain.scoring import crowding_of, mean_cosine, ordered
from retriever.domain.streams import MOST, reorder, unite
from retriever.domain.text import TextStatistics, bm25, query_terms, words_of
from retriever.domain.versions import Reading, numbered_key, placed, superseded_ids
from touchstone_contracts.events import SourceRef
from touchstone_runtime.words import terms

COSINES = st.floats(-1, 1, allow_nan=False).map(lambda value: round(value, 6))


def test_the_score_is_the_weighted_mean_of_the_cosines(direction):
    query = {"a": direction(0), "b": direction(0)}
    code = {"a": direction(60), "b": direction(90)}
    assert mean_cosine(query, code, {}) == pytest.approx(0.25, abs=1e-6)
    assert mean_cosine(query, code, {"a": 3}) == pytest.approx(0.375, abs=1e-6)
    assert mean_cosine(query, code, {"b": 0}) == pytest.approx(0.5, abs=1e-6)


def test_models_that_one_side_lacks_do_not_count(direction):
    assert mean_cosine({"a": direction(0), "b": direction(0)}, {"a": direction(60)}, {}) == pytest.approx(0.5, abs=1e-6)
    assert mean_cosine({"a": direction(0)}, {"b": direction(0)}, {}) is None
    assert mean_cosine({"a": direction(0)}, {"a": direction(0, 3)}, {}) is None
    assert mean_cosine({"a": direction(0)}, {"a": direction(0)}, {"a": 0}) is None
    assert mean_cosine({"a": direction(0)}, {"a": np.zeros(2, dtype=np.float32)}, {}) == 0.0


@given(
    st.lists(st.tuples(st.floats(0, 360), st.floats(0, 360), st.floats(0.01, 10)), min_size=1, max_size=5),
    st.integers(0, 1000),
)
def test_a_mean_lies_between_its_cosines_and_ignores_the_order_of_models(angles, seed):
    vectors = [
        {f"m{number}": np.array([np.cos(np.radians(angle[side])), np.sin(np.radians(angle[side]))], dtype=np.float32)
         for number, angle in enumerate(angles)}
        for side in (0, 1)
    ]  # fmt: skip
    weights = {f"m{number}": angle[2] for number, angle in enumerate(angles)}
    score = mean_cosine(vectors[0], vectors[1], weights)
    singles = [mean_cosine({name: vectors[0][name]}, vectors[1], weights) for name in weights]
    assert min(singles) - 1e-6 <= score <= max(singles) + 1e-6
    names = list(weights)
    random.Random(seed).shuffle(names)
    shuffled = [{name: side[name] for name in names} for side in vectors]
    assert mean_cosine(shuffled[0], shuffled[1], weights) == score
    assert mean_cosine(vectors[1], vectors[0], weights) == pytest.approx(score, abs=1e-6)


@given(st.lists(st.sampled_from([0.1, 0.2, 0.200001, 0.9]), max_size=12), st.integers(0, 1000))
def test_ties_are_broken_by_id_whatever_the_order(scores, seed):
    from retriever.domain.code import IndexedCode

    blank = IndexedCode("", "", "", "", "", "", "", "", "", "function", "", "", True, "{}")
    hits = [Hit(dataclasses.replace(blank, function_id=f"f{number:02}"), score) for number, score in enumerate(scores)]
    shuffled = hits[:]
    random.Random(seed).shuffle(shuffled)
    result = ordered(shuffled)
    assert result == ordered(hits)
    for one, other in itertools.pairwise(result):
        assert one.score > other.score or (one.score == other.score and one.code.function_id < other.code.function_id)


def test_a_code_with_many_look_alikes_falls_behind_a_lonely_one(code, direction):
    def vector(*values):
        row = np.array(values, dtype=np.float32)
        return row / np.linalg.norm(row)

    crowd = [(code(f"get{number}"), vector(1, 0.9, 0.02 * number)) for number in range(12)]
    lonely = (code("parse"), vector(1, 0, 0.93))
    query = vector(1, 0, 0)
    hits = [Hit(one, round(float(row @ query), 9)) for one, row in [*crowd, lonely]]
    vectors = {one.function_id: {"m": row} for one, row in [*crowd, lonely]}
    assert ordered(hits)[0].code.qualname != "parse"
    near = Near(frozenset(vectors), {})
    discounted = ranked({"m": query}, near, vectors, Weights({"m": 1.0}, crowding=-1.5), {"m", "crowding"})
    assert discounted[0].function_id == lonely[0].function_id
    assert {one.function_id for one in discounted} == set(vectors)
    plain = ranked({"m": query}, near, vectors, Weights({"m": 1.0}), {"m"})
    assert [one.function_id for one in plain] == [hit.code.function_id for hit in ordered(hits)]


POOLS = st.dictionaries(
    st.sampled_from([f"f{number:02}" for number in range(25)]),
    st.tuples(st.floats(0, 360), st.floats(0, 360), st.floats(0, 30)),
    min_size=1,
)


@given(POOLS, st.floats(-2, 2), st.floats(-2, 2))
def test_scores_are_sums_of_parts_with_mean_zero_and_deviation_one(pool, one_weight, text_weight):
    def row(degrees):
        return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], dtype=np.float32)

    vectors = {name: {"a": row(a), "b": row(b)} for name, (a, b, _text) in pool.items()}
    near = Near(frozenset(pool), {name: text for name, (_a, _b, text) in pool.items() if text})
    weights = Weights({"a": one_weight, "b": 1.0}, text=text_weight)
    query = {"a": row(0), "b": row(0)}
    found = ranked(query, near, vectors, weights, {"a", "b", "text", "crowding"})
    assert sorted(one.function_id for one in found) == sorted(pool)
    assert list(found) == sorted(found, key=lambda one: (-one.score, one.function_id))
    for one in found:
        assert one.score == pytest.approx(sum(part.contribution for part in one.parts), abs=1e-6)
        assert all(part.contribution == pytest.approx(part.weight * part.z) for part in one.parts)
    for name in ("a", "b", "text"):
        z = [part.z for one in found for part in one.parts if part.part == name]
        assert np.mean(z) == pytest.approx(0, abs=1e-6)
        assert np.std(z) == pytest.approx(1, abs=1e-6) or set(z) == {0.0}
    # Where a pool comes from makes no difference.
    other = Near(frozenset(sorted(pool, reverse=True)), near.text)
    assert list(ranked(query, other, vectors, weights, {"crowding", "text", "b", "a"})) == list(found)
    # Nor in which order an index has measured it.
    backwards = sorted(pool, reverse=True)
    cosines = {
        key: {name: round(float(vectors[name][key].astype(float) @ query[key].astype(float)), 6) for name in backwards}
        for key in query
    }
    measured = Near(dict.fromkeys(backwards).keys(), near.text, cosines)
    assert list(ranked(query, measured, vectors, weights, {"a", "b", "text", "crowding"})) == list(found)


def test_a_code_that_a_model_does_not_know_stands_at_its_mean(direction):
    vectors = {"x": {"a": direction(0)}, "y": {"a": direction(90)}, "z": {}}
    near = Near(frozenset(vectors), {"z": 2.0})
    found = ranked({"a": direction(0)}, near, vectors, Weights({"a": 1.0}), {"a"})
    assert [(one.function_id, one.score) for one in found] == [("x", 1.0), ("z", 0), ("y", -1.0)]


@given(POOLS, st.sets(st.sampled_from([f"f{number:02}" for number in range(25)])), st.floats(0.1, 3))
def test_a_code_that_one_model_lacks_stands_where_the_other_puts_it(pool, young, big):
    def row(degrees):
        return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], dtype=np.float32)

    vectors = {name: {"a": row(a)} | ({} if name in young else {"b": row(b)}) for name, (a, b, _text) in pool.items()}
    near = Near(frozenset(pool), {name: text for name, (_a, _b, text) in pool.items() if text})
    weights = Weights({"a": 1.0, "b": big}, text=0.3, crowding=-0.2)
    found = ranked({"a": row(0), "b": row(0)}, near, vectors, weights, {"a", "b", "text", "crowding"})
    alone = ranked({"a": row(0)}, near, vectors, weights, {"a"})
    z = {one.function_id: one.score for one in alone}
    for one in found:
        assert one.score == pytest.approx(sum(part.contribution for part in one.parts), abs=1e-6)
        of_part = {part.part: part for part in one.parts}
        assert ("b" in of_part) == (one.function_id not in young)
        if one.function_id in young:
            assert of_part["a"].weight == pytest.approx(1 + big)
            assert of_part["a"].contribution == pytest.approx((1 + big) * z[one.function_id], abs=1e-5)
        else:
            assert (of_part["a"].weight, of_part["b"].weight) == (1.0, big)
    # Where all of them lack it, the other model orders them.
    if young >= set(pool):
        both = ranked({"a": row(0), "b": row(0)}, near, vectors, weights, {"a", "b"})
        assert [one.function_id for one in both] == [one.function_id for one in alone]


def test_a_young_code_among_look_alikes_leaves_the_crowding_of_the_others_as_it_was(direction):
    vectors = {f"f{number}": {"a": direction(number), "b": direction(9 * number)} for number in range(8)}
    weights = {"a": 1.0, "b": 3.0}
    before = crowding_of(vectors, weights, neighbours=2)
    young = crowding_of({**vectors, "young": {"a": direction(120)}}, weights, neighbours=2)
    # Its one model tells how near it is, and it is near to nobody.
    assert {name: young[name] for name in before} == pytest.approx(before) and young["young"] < 0
    strangers = {"x": {"a": direction(0)}, "y": {"b": direction(0)}, "z": {"b": direction(0)}}
    assert crowding_of(strangers, weights, neighbours=2) == pytest.approx({"x": 0.0, "y": 0.5, "z": 0.5})


def test_weights_are_those_fitted_for_the_largest_part_of_the_models():
    one, both = Weights({"a": 2.0}, text=0.5), Weights({"a": 1.0, "b": 3.0}, text=0.7)
    assert weights_for(["a"], [one, both]) == one
    assert weights_for(["b", "a"], [one, both]) == both
    more = weights_for(["a", "c", "bow-hash-8"], [one, both])
    assert (more.of("a"), more.of("c"), more.of("bow-hash-8"), more.text) == (2.0, 1.0, 0.05, 0.5)
    assert weights_for(["c"], [both]).of("c") == weights_for(["bow-hash-8"], [both]).of("bow-hash-8") == 1.0


def test_words_of_names_count_most_and_rare_ones_weigh_most(code):
    words = words_of(
        code("Shop.parseHTTPDate", code="def parseHTTPDate(raw):\n    return to_date(raw)", docstring="Dates.")
    )
    assert words["pars"] == 5 and words["http"] == 5 and words["raw"] == 3 and words["shop"] == 1
    assert words["dat"] == 7 and "return" not in words
    assert query_terms("How to parse the dates, and parsing a date?") == ["pars", "dat"]
    assert query_terms(f"find {'acgt' * 600} in a sequence") == ["find", "sequenc"]
    assert query_terms("résumé für número") == ["resum", "fur", "numero"] and query_terms("sum") == ["sum"]
    statistics = TextStatistics(100, 20.0, {"pars": 3, "dat": 60, "raw": 0})
    assert statistics.rarity("raw") > statistics.rarity("pars") > statistics.rarity("dat") > 0
    assert bm25(["pars"], words, statistics) > bm25(["dat"], words, statistics)
    assert bm25(["absent"], words, statistics) == 0
    assert words_of(code("f", code="x" * 5000)).keys() == set(terms("f"))


def test_filters(code, source):
    plain = code("area")
    assert SearchFilter().admits(plain, superseded=False)
    assert not SearchFilter().admits(plain, superseded=True)
    assert SearchFilter(superseded=True).admits(plain, superseded=True)
    assert SearchFilter(repositories=("other", "SHAPES"), languages=("Python",)).admits(plain, superseded=False)
    assert not SearchFilter(repositories=("shape",)).admits(plain, superseded=False)
    assert not SearchFilter(languages=("go", "java")).admits(plain, superseded=False)
    a_class = code("Area", form="class", searchable_pair=False)
    assert not SearchFilter().admits(a_class, superseded=False)
    assert SearchFilter(forms=ALL_FORMS).admits(a_class, superseded=False)
    assert SearchFilter(forms=CLASS_FORMS).admits(a_class, superseded=False)
    assert not SearchFilter(forms=ALL_FORMS, pairs_only=True).admits(a_class, superseded=False)


@given(st.text(alphabet="abcXYZ-_.", min_size=1, max_size=12))
def test_a_key_of_a_repository_is_its_own_key(name):
    assert repository_key(repository_key(name)) == repository_key(name)


def test_the_newest_by_date_then_by_number_replaces_the_others(code, source):
    old = code("area", source=source(version="1.10", released="2025-01-01T00:00:00Z"))
    new = code("area", source=source(version="1.9", released="2026-01-01T00:00:00+02:00"))
    assert superseded_ids(map(placed, [new, old]), {}) == {old.function_id}
    undated = [code("area", source=source(version=version, released=None)) for version in ("1.9", "1.10", "1.2")]
    assert superseded_ids(map(placed, undated), {}) == {undated[0].function_id, undated[2].function_id}


def test_only_the_same_place_of_the_same_source_is_replaced(code, source):
    old, new = source(version="1"), source(version="2", released="2026-06-01T00:00:00Z")
    codes = [
        code("area", source=old),
        code("gone", source=old),
        code("area", source=new, function_id="first"),
        code("area", source=new, function_id="second", line_start=20),
        code("area", source=source(name="other")),
        code("area", source=new, function_id="moved", path="pkg/else.py"),
    ]
    assert superseded_ids(map(placed, codes), {}) == {"shapes-1:area"}


def test_the_folder_that_names_the_version_does_not_hide_a_newer_version(code, source):
    old = source("More.Itertools", version="1.0")
    new = source("More.Itertools", version="1.1", released="2026-06-01T00:00:00Z")
    before = code("f", source=old, path="more_itertools-1.0/more/core.py")
    after = code("f", source=new, path="more_itertools-1.1/more/core.py")
    assert before.lineage == after.lineage == ("id-More.Itertools", "more/core.py", "f")
    assert superseded_ids(map(placed, [before, after]), {}) == {before.function_id}
    assert code("f", source=old, path="more_itertools/core.py").lineage[1] == "more_itertools/core.py"


def test_code_of_commits_is_ordered_by_its_last_change(code, source):
    first, second = (source(version=commit, released=None) for commit in ("ffff", "aaaa"))
    old = code("f", source=first, changed_at="2026-01-01T00:00:00Z")
    new = code("f", source=second, changed_at="2026-02-01T00:00:00Z")
    assert superseded_ids(map(placed, [new, old]), {}) == {old.function_id}
    overloads = [code("g", source=first, function_id=str(n), changed_at=f"2026-0{n}-01T00:00:00Z") for n in (1, 2)]
    assert superseded_ids(map(placed, overloads), {}) == set()


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=4), st.lists(st.integers(0, 10**6), min_size=1, max_size=4))
def test_versions_sort_by_their_numbers(one, other):
    keys = [numbered_key(".".join(map(str, parts))) for parts in (one, other)]
    assert (keys[0] < keys[1]) == (one < other)


def _hits(code, *pairs):
    return [Hit(code(name), score) for name, score in pairs]


def test_the_union_takes_the_best_of_each_stream_and_the_highest_cosine(code):
    united = unite(
        _hits(code, ("a", 0.9), ("b", 0.8), ("c", 0.7), ("d", 0.6), ("e", 0.5)),
        _hits(code, ("b", 0.95), ("f", 0.4)),
        _hits(code, ("K", 0.3)),
        [_hits(code, ("b", 0.2)), _hits(code, ("g", 0.1), ("h", 0.05)), []],
    )
    assert [(one.hit.code.qualname, one.hit.score, one.streams) for one in united] == [
        ("b", 0.95, ("query", "code", "component")),
        ("a", 0.9, ("query",)),
        ("c", 0.7, ("query",)),
        ("f", 0.4, ("code",)),
        ("K", 0.3, ("class",)),
        ("g", 0.1, ("component",)),
    ]


def test_a_small_union_is_filled_up_from_the_first_stream(code):
    query = _hits(code, *[(name, 1 - number / 10) for number, name in enumerate("abcdefg")])
    assert [one.hit.code.qualname for one in unite(query, query[:3], [], [query])] == list("abcde")
    assert [one.hit.code.qualname for one in unite(query[:2], [], [], [])] == ["a", "b"]
    assert unite([], [], [], []) == []


@given(st.data())
def test_a_union_has_five_to_fifteen_where_there_are_as_many(data):
    from retriever.domain.code import IndexedCode

    blank = IndexedCode("", "", "", "", "", "", "", "", "", "function", "", "", True, "{}")

    def stream(most):
        ids = data.draw(st.lists(st.integers(0, 40), unique=True, max_size=most))
        return ordered(Hit(dataclasses.replace(blank, function_id=str(i)), data.draw(COSINES)) for i in ids)

    query, code_hits, classes = stream(20), stream(5), stream(5)
    components = [stream(3) for _ in range(data.draw(st.integers(0, 12)))]
    united = unite(query, code_hits, classes, components)
    ids = [one.hit.code.function_id for one in united]
    assert len(set(ids)) == len(ids) <= MOST
    assert len(ids) >= min(5, len(query))
    scores = [one.hit.score for one in united]
    assert scores == sorted(scores, reverse=True)
    assert {hit.code.function_id for hit in [*query[:3], *code_hits[:3], *classes[:3]]} <= set(ids)


@given(st.integers(0, 8), st.lists(st.integers(-3, 12), max_size=12))
def test_a_reordering_loses_and_invents_nothing(size, order):
    items = list(range(size))
    result = reorder(items, order)
    assert sorted(result) == items
    valid = [position - 1 for position in dict.fromkeys(order) if 1 <= position <= size]
    assert result[: len(valid)] == valid


def test_code_is_found_in_answers():
    assert code_in("Sure!\n```python\ndef a():\n    return 1\n```\nDone.") == "def a():\n    return 1"
    assert code_in("```\nx = 1\n```\nand\n```js\ny = 2\n```") == "x = 1\n\ny = 2"
    assert code_in("```python\ndef cut(") == "def cut("
    assert code_in("  def bare():\n      pass") == "def bare():\n    pass"
    assert code_in("") == ""


def test_components_are_functions_and_methods():
    code = (
        "import re\n\nclass Reader:\n    limit = 1\n\n    @property\n    def rows(self):\n        def inner(): pass\n"
        "        return 1\n\nasync def load():\n    pass\n\nasync def load():\n    pass\n"
    )
    assert components_of(code) == [
        "def rows(self):\n    def inner(): pass\n    return 1",
        "async def load():\n    pass",
    ]
    assert components_of("x = 1") == ["x = 1"]
    assert components_of("  ") == []
    assert components_of("def broken(:\n  pass\ndef whole():\n  pass") == [
        "def broken(:\n  pass",
        "def whole():\n  pass",
    ]
    javascript = "export async function a() {\n  return 1;\n}\nfunction b() {\n  return 2;\n}"
    assert components_of(javascript) == [
        "export async function a() {\n  return 1;\n}",
        "function b() {\n  return 2;\n}",
    ]


@given(st.text(max_size=200))
def test_any_text_has_components_without_a_fault(text):
    components = components_of(code_in(text))
    assert all(component.strip() for component in components)


def commits(code, *versions, name="area"):
    """The same function in versions that bear no date, as commits of a repository."""
    made = []
    for version in versions:
        source = {"source_id": "repo", "source_version_id": version, "kind": "git", "name": "r", "version": version}
        made.append(placed(code(name, source=SourceRef(**source))))
    return made


def test_what_a_reading_did_not_meet_is_gone(code):
    old, other = commits(code, "c9")[0], commits(code, "c9", name="kept")[0]
    standing = frozenset({other.lineage[1:]})
    reading = {"repo": Reading("c1", frozenset({"c9"}), standing)}
    assert superseded_ids([old, other], reading) == {old.function_id}
    assert superseded_ids([old, other], {"another": reading["repo"]}) == set()
    # A reading that does not say what stands takes nothing away.
    assert superseded_ids([old, other], {"repo": Reading("c1", frozenset({"c9"}))}) == set()


def test_commits_follow_one_another_as_they_were_read(code):
    first, second, third = commits(code, "c9", "c1", "c5")
    standing = frozenset({first.lineage[1:]})
    assert superseded_ids([first, second], {"repo": Reading("c1", frozenset({"c9"}), standing)}) == {first.function_id}
    # Until the newer form is indexed the earlier one stands.
    assert superseded_ids([first], {"repo": Reading("c1", frozenset({"c9"}), standing)}) == set()
    # One whose reading is still going on is newer than all that was read.
    assert superseded_ids([first, second, third], {"repo": Reading("c1", frozenset({"c9"}), standing)}) == {
        first.function_id,
        second.function_id,
    }


def test_a_dated_version_that_nobody_read_is_placed_by_its_date(code, source):
    old, new = (
        placed(code("f", source=source(version=v, released=f"2026-0{m}-01T00:00:00Z"))) for v, m in (("1", 1), ("2", 2))
    )
    assert superseded_ids([old, new], {old.lineage[0]: Reading("shapes-2", version_key=new.version_key)}) == {
        old.function_id
    }
    assert superseded_ids([old, new], {old.lineage[0]: Reading("shapes-1", version_key=old.version_key)}) == {
        old.function_id
    }
