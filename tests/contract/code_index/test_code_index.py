"""What every index does."""

import asyncio

import numpy as np
import pytest

from retriever.adapters.memory_index import MemoryIndex
from retriever.domain.code import ALL_FORMS, CLASS_FORMS, IndexCounts, SearchFilter
from retriever.domain.text import query_terms
from retriever.domain.versions import Reading


def names(hits):
    return [hit.code.qualname for hit in hits]


async def test_an_empty_index_finds_nothing(index, made):
    assert await index.search({"m": made.toward(0)}, {}, SearchFilter(), 5) == []
    assert await index.vectors(["nobody"], ["m"]) == {}
    assert await index.spaces() == set() and await index.lacking(["m"]) == 0 == await index.forget(["m"])
    assert await index.ids_lacking(["m"], "", 5) == []
    assert await index.counts() == IndexCounts(0, 0)
    assert await index.ready() == ""


async def test_the_nearest_come_first_with_their_cosine_and_everything_about_them(index, made):
    entries = [made.make_entry(f"f{degrees}", degrees) for degrees in (80, 20, 140, 0)]
    await index.upsert(entries)
    hits = await index.search({"m": made.toward(10)}, {}, SearchFilter(), 3)
    assert names(hits) == ["f0", "f20", "f80"]
    assert [hit.score for hit in hits] == pytest.approx(np.cos(np.radians([10, 10, 70])), abs=2e-6)
    assert hits[0].code == entries[3].code
    assert not hits[0].superseded


async def test_scores_are_the_weighted_mean_over_the_models(index, made):
    await index.upsert(
        [
            made.make_entry("even", vectors={"all-a": made.toward(30), "b.2": made.toward(30, 3)}),
            made.make_entry("split", vectors={"all-a": made.toward(0), "b.2": made.toward(90, 3)}),
        ]
    )
    query = {"all-a": made.toward(0), "b.2": made.toward(0, 3)}
    assert names(await index.search(query, {}, SearchFilter(), 5)) == ["even", "split"]
    weighted = await index.search(query, {"b.2": 0.1}, SearchFilter(), 5)
    assert [(hit.code.qualname, hit.score) for hit in weighted] == [
        ("split", pytest.approx(1 / 1.1, abs=2e-6)),
        ("even", pytest.approx(np.cos(np.radians(30)), abs=2e-6)),
    ]
    assert names(await index.search(query, {"all-a": 0}, SearchFilter(), 5)) == ["even", "split"]
    assert await index.search(query, {"all-a": 0, "b.2": 0}, SearchFilter(), 5) == []


async def test_codes_without_a_model_are_scored_by_the_others(index, made):
    await index.upsert(
        [
            made.make_entry("both", vectors={"a": made.toward(20), "b": made.toward(20)}),
            made.make_entry("only_a", vectors={"a": made.toward(10)}),
            made.make_entry("only_c", vectors={"c": made.toward(0)}),
            made.make_entry("none", vectors={"a": np.zeros(2, dtype=np.float32)}),
        ]
    )
    query = {"a": made.toward(0), "b": made.toward(0), "unknown": made.toward(0)}
    hits = await index.search(query, {}, SearchFilter(), 5)
    assert [(hit.code.qualname, hit.score) for hit in hits] == [
        ("only_a", pytest.approx(np.cos(np.radians(10)), abs=2e-6)),
        ("both", pytest.approx(np.cos(np.radians(20)), abs=2e-6)),
        ("none", 0.0),
    ]


async def test_equal_scores_are_ordered_by_id(index, made):
    await index.upsert([made.make_entry(name, 25) for name in ("d", "B", "a", "c", "_")])
    hits = await index.search({"m": made.toward(0)}, {}, SearchFilter(), 4)
    assert names(hits) == ["B", "_", "a", "c"]
    assert len({hit.score for hit in hits}) == 1


async def test_filters(index, made):
    other = made.make_source("Other_Pkg")
    await index.upsert(
        [
            made.make_entry("f", 10),
            made.make_entry("K", 5, form="class", searchable_pair=False),
            made.make_entry("K.m", 20, form="method", searchable_pair=False),
            made.make_entry("g", 30, source=other),
            made.make_entry("h", 40, source=other, language="go"),
        ]
    )
    query = {"m": made.toward(0)}

    async def found(**chosen):
        return names(await index.search(query, {}, SearchFilter(**chosen), 10))

    assert await found() == ["f", "K.m", "g", "h"]
    assert await found(forms=CLASS_FORMS) == ["K"]
    assert await found(forms=ALL_FORMS) == ["K", "f", "K.m", "g", "h"]
    assert await found(forms=frozenset()) == []
    assert await found(pairs_only=True) == ["f", "g", "h"]
    assert await found(repositories=("other-pkg",)) == ["g", "h"]
    assert await found(repositories=("other-pkg", "SHAPES")) == ["f", "K.m", "g", "h"]
    assert await found(repositories=("other",)) == []
    assert await found(languages=("Go",)) == ["h"]
    assert await found(languages=("Go", "python")) == ["f", "K.m", "g", "h"]
    assert await found(repositories=("shapes",), forms=ALL_FORMS, pairs_only=True) == ["f"]
    assert await index.search(query, {}, SearchFilter(), 0) == []


EXACT = [
    ({"symbol": "total"}, ["a/sums.py:total", "shop/cart.py:Cart.total"]),
    ({"symbol": "CART.total"}, ["shop/cart.py:Cart.total"]),
    ({"symbol": "art.total"}, []),
    ({"symbol": "Cart.*"}, ["shop/cart.py:Cart.add_item", "shop/cart.py:Cart.total"]),
    ({"symbol": "add*"}, ["shop/cart.py:Cart.add_item"]),
    ({"symbol": "*_item"}, ["shop/cart.py:Cart.add_item"]),
    ({"path": "shop"}, ["shop/cart.py:Cart", "shop/cart.py:Cart.add_item", "shop/cart.py:Cart.total"]),
    ({"path": "sho"}, []),
    ({"path": "shop/cart.py", "symbol": "total"}, ["shop/cart.py:Cart.total"]),
    ({"path": "**/c*.py"}, ["shop/cart.py:Cart", "shop/cart.py:Cart.add_item", "shop/cart.py:Cart.total"]),
    ({"path": "*.py"}, []),
    ({"path": "a/b?d/x.py"}, ["a/b.d/x.py:odd_"]),
    ({"path": "a/**"}, ["a/b.d/x.py:odd_", "a/sums.py:total"]),
    ({"path": "a/b.d"}, ["a/b.d/x.py:odd_"]),
    ({"path": "a/bxd"}, []),
    ({"pattern": r"sum\(\w+\)$"}, ["a/sums.py:total"]),
    ({"pattern": r"\bself\.items\b"}, ["shop/cart.py:Cart.add_item", "shop/cart.py:Cart.total"]),
    ({"pattern": "(?i)RETURN.*rows"}, ["a/sums.py:total"]),
    ({"pattern": "50%|'naïve"}, ["a/b.d/x.py:odd_"]),
    ({"pattern": "5_%"}, []),
    ({"licences": ("apache-2.0",)}, ["a/sums.py:total", "a/b.d/x.py:odd_"]),
    ({"licences": ("MIT", "Apache-2.0"), "symbol": "total"}, ["a/sums.py:total", "shop/cart.py:Cart.total"]),
    ({"version": "2.0"}, ["a/sums.py:total", "a/b.d/x.py:odd_"]),
    ({"version": "2"}, []),
    ({"forms": CLASS_FORMS, "path": "shop"}, ["shop/cart.py:Cart"]),
]


@pytest.fixture
async def shop(index, made):
    """Codes of two packages, and the index that holds them."""
    other = made.make_source("sums", version="2.0", licence="Apache-2.0")
    in_cart = {"path": "shapes-1.0/shop/cart.py"}
    await index.upsert(
        [
            made.make_entry("Cart", 10, form="class", **in_cart, code="class Cart: ..."),
            made.make_entry("Cart.total", 20, form="method", **in_cart, code="def total(self):\n    return self.items"),
            made.make_entry("Cart.add_item", 30, form="method", **in_cart, code="def add_item(self):\n    self.items"),
            made.make_entry("total", 40, source=other, path="a/sums.py", code="def total(rows):\n    return sum(rows)"),
            made.make_entry(
                "odd_", 50, source=other, path="a/b.d/x.py", code="def odd_():\n    '50% naïve \x00 \\\\ \"'"
            ),
        ]
    )
    return index


@pytest.mark.parametrize(("asked", "expected"), EXACT, ids=lambda one: str(one)[:40])
async def test_exact_questions_admit_the_same_when_listed_and_when_ranked(shop, made, asked, expected):
    chosen = SearchFilter(**{"forms": ALL_FORMS, **asked})
    listed = await shop.select(chosen, 10)
    assert sorted(":".join(one.place[1:3]) for one in listed) == sorted(expected)
    assert [one.place for one in listed] == sorted(one.place for one in listed)
    hits = await shop.search({"m": made.toward(0)}, {}, chosen, 10)
    assert sorted(f"{hit.code.plain_path}:{hit.code.qualname}" for hit in hits) == sorted(expected)
    found = await shop.codes([one.function_id for one in listed])
    assert {one.function_id: found[one.function_id].code.place for one in listed} == {
        one.function_id: one.place for one in listed
    }
    assert await shop.listed([one.function_id for one in listed]) == {one.function_id: one for one in listed}
    assert await shop.select(chosen, 1) == listed[:1]


async def test_lists_follow_one_order_and_name_copies(index, made):
    copy = "def f(x):\n    return x"
    other = made.make_source("Other_Pkg")
    await index.upsert(
        [
            made.make_entry("b", 1, code=copy),
            made.make_entry("B", 2, code="def f(x):\n\n  return  x "),
            made.make_entry("a", 3, source=other, code="def g(x):\n    return x"),
            made.make_entry("_c", 4, path="pkg/a.py", code=copy),
        ]
    )
    listed = await index.select(SearchFilter(), 10)
    assert [one.place[:3] for one in listed] == [
        ("other-pkg", "pkg/core.py", "a"),
        ("shapes", "pkg/a.py", "_c"),
        ("shapes", "pkg/core.py", "B"),
        ("shapes", "pkg/core.py", "b"),
    ]
    assert [one.twin for one in listed[1:]] == [listed[1].twin] * 3 and listed[0].twin != listed[1].twin
    assert (await index.codes([])) == {} == await index.codes(["nobody"])


async def test_text_is_found_by_its_words_rare_ones_first(index, made):
    newer = made.make_source(version="2.0", released="2026-06-01T00:00:00Z")
    other = made.make_source("other")
    await index.upsert(
        [
            made.make_entry("parseHTTPDate", 10, code="def parseHTTPDate(raw): ...", docstring="Reads a date."),
            made.make_entry("read_lines", 20, code="def read_lines(path):\n    date = 1"),
            made.make_entry("date_of", 30, source=other, code="def date_of(x): ..."),
            made.make_entry("Date", 30, form="class", code="class Date: ..."),
            made.make_entry("old_http", 40, code="def old_http(): ..."),
            made.make_entry("old_http", 50, source=newer, code="def old_http(y): ..."),
            made.make_entry("odd", 60, code="def odd():\n    return 'it\\'s \\\\ & | ! : * naïve 漢字'"),
        ]
    )

    async def found(question, depth=10, **chosen):
        near = await index.near({}, query_terms(question), SearchFilter(**chosen), depth)
        assert near.ids == set(near.text)
        return sorted(near.text, key=lambda one: (-near.text[one], one))

    assert await found("HTTP dates") == [
        "shapes-1.0:parseHTTPDate",
        "shapes-2.0:old_http",
        "other-1.0:date_of",
        "shapes-1.0:read_lines",
    ]
    assert await found("http", superseded=True) == [
        "shapes-1.0:old_http",
        "shapes-2.0:old_http",
        "shapes-1.0:parseHTTPDate",
    ]
    assert await found("dates", depth=1) == ["other-1.0:date_of"]
    assert await found("dates", repositories=("other",)) == ["other-1.0:date_of"]
    assert await found("date", forms=CLASS_FORMS) == ["shapes-1.0:Date"]
    assert await found("date", pattern="raw") == ["shapes-1.0:parseHTTPDate"]
    assert await found("漢字") == ["shapes-1.0:odd"] and await found("absent") == [] == await found("")


async def test_the_candidates_are_those_of_each_model_and_of_the_text(index, made):
    memory = MemoryIndex()
    # Words so many times, so that no two texts are equally good.
    times = {7: 1, 12: 2, 21: 3, 33: 5, 44: 8, 56: 13}
    entries = [
        made.make_entry(
            f"f{number:02}",
            vectors={"a": made.toward(number), "b": made.toward(90 - number)},
            code=f"def f{number:02}(x):\n    return " + "split " * times.get(number, 0) + "join " * (number == 21),
        )
        for number in range(60)
    ]
    for one in (index, memory):
        await one.upsert(entries)
    query = {"a": made.toward(0), "b": made.toward(0)}
    # No store takes a word of thousands of letters.
    asked = query_terms(f"split and {'acgt' * 600} join")
    near, expected = [await one.near(query, asked, SearchFilter(), 5) for one in (index, memory)]
    assert near.ids == expected.ids == {f"shapes-1.0:f{n:02}" for n in (*range(5), *range(55, 60))} | set(near.text)
    # Each store rounds by itself, and Weaviate keeps lengths of texts in fewer digits.
    assert dict(near.text) == pytest.approx(dict(expected.text), rel=0.05)
    assert len(near.text) == 5
    narrow = SearchFilter(symbol="f1*")
    assert (await index.near({"a": made.toward(0)}, [], narrow, 3)).ids == {f"shapes-1.0:f{n}" for n in (10, 11, 12)}
    assert (await index.near({"unknown": made.toward(0)}, [], narrow, 3)).ids == frozenset()


async def test_a_newer_version_replaces_the_older_in_any_order(index, made):
    versions = [
        made.make_source(version=version, released=f"2026-0{month}-01T00:00:00Z")
        for version, month in (("1.0", 1), ("1.1", 2), ("1.2", 3))
    ]
    query = {"m": made.toward(0)}

    async def shown(**chosen):
        hits = await index.search(query, {}, SearchFilter(**chosen), 10)
        return [(hit.code.qualname, hit.code.version, hit.superseded) for hit in hits]

    await index.upsert([made.make_entry("f", 20, source=versions[1]), made.make_entry("kept", 30, source=versions[0])])
    assert await shown() == [("f", "1.1", False), ("kept", "1.0", False)]
    await index.upsert([made.make_entry("f", 10, source=versions[0])])
    assert await shown() == [("f", "1.1", False), ("kept", "1.0", False)]
    await index.upsert([made.make_entry("f", 40, source=versions[2])])
    assert await shown() == [("kept", "1.0", False), ("f", "1.2", False)]
    assert await shown(superseded=True) == [
        ("f", "1.0", True),
        ("f", "1.1", True),
        ("kept", "1.0", False),
        ("f", "1.2", False),
    ]
    assert await index.counts() == IndexCounts(4, 2)


async def test_removed_and_moved_functions_leave_when_their_source_was_read(index, made):
    first, second = (
        made.make_source(version=v, released=f"2026-0{m}-01T00:00:00Z") for v, m in (("1.0", 1), ("2.0", 2))
    )
    other = made.make_source("other")
    await index.upsert(
        [
            made.make_entry("gone", 10, source=first),
            made.make_entry("moved", 20, source=first),
            made.make_entry("kept", 30, source=first),
            made.make_entry("moved", 40, source=second, path="pkg/new.py"),
            made.make_entry("gone", 50, source=other),
        ]
    )
    reading = Reading(
        second.source_version_id,
        frozenset({first.source_version_id}),
        frozenset({("pkg/core.py", "kept"), ("pkg/new.py", "moved")}),
    )

    async def found(**chosen):
        hits = await index.search({"m": made.toward(0)}, {}, SearchFilter(**chosen), 10)
        return [(hit.code.qualname, hit.code.version, hit.code.path) for hit in hits]

    assert await index.settle(first.source_id, reading) == 2
    expected = [("kept", "1.0", "pkg/core.py"), ("moved", "2.0", "pkg/new.py"), ("gone", "1.0", "pkg/core.py")]
    assert await found() == expected
    assert len(await found(superseded=True)) == 5
    assert await index.settle(first.source_id, reading) == 0
    # A late word about the version before changes nothing.
    await index.upsert([made.make_entry("gone", 10, source=first)], {first.source_id: reading})
    assert await found() == expected
    # What comes back stands again.
    back = Reading(second.source_version_id, reading.earlier, reading.standing | {("pkg/core.py", "gone")})
    assert await index.settle(first.source_id, back) == 1
    assert ("gone", "1.0", "pkg/core.py") in await found(repositories=("shapes",))


async def test_a_folder_that_names_the_version_hides_nothing(index, made):
    for version, month in (("1.0", 1), ("1.1", 2)):
        source = made.make_source(version=version, released=f"2026-0{month}-01T00:00:00Z")
        await index.upsert([made.make_entry("f", 10, source=source, path=f"shapes-{version}/shapes/core.py")])
        await index.upsert([made.make_entry("f", 10, source=source, function_id=version + "b", path="setup.py")])
    hits = await index.search({"m": made.toward(0)}, {}, SearchFilter(), 10)
    assert sorted((hit.code.path, hit.code.version) for hit in hits) == [
        ("setup.py", "1.1"),
        ("shapes-1.1/shapes/core.py", "1.1"),
    ]


async def test_writing_again_replaces_code_and_vectors(index, made):
    await index.upsert([made.make_entry("f", 80, models=("a", "b")), made.make_entry("g", 40, models=("a", "b"))])
    await index.upsert([made.make_entry("f", 80, models=("a", "b")), made.make_entry("g", 40, models=("a", "b"))])
    assert await index.counts() == IndexCounts(2, 0)
    changed = made.make_entry("f", 10, models=("a",), code="def f(y):\n    return 'naïve\\x00'")
    await index.upsert([changed])
    hits = await index.search({"a": made.toward(0), "b": made.toward(0)}, {}, SearchFilter(), 5)
    assert names(hits) == ["g", "f"]
    assert hits[1].code == changed.code
    # What it had of other spaces stays: another generation of the index may answer with it.
    [vectors] = (await index.vectors([changed.code.function_id], ["a", "b", "c"])).values()
    assert np.array_equal(vectors["a"], made.toward(10)) and np.array_equal(vectors["b"], made.toward(80))
    await index.upsert([])


async def test_spaces_lie_side_by_side_and_go_by_themselves(index, made):
    old, new = "mini:1@code-1", "mini:2@code-1"
    entries = [made.make_entry(f"f{degrees}", degrees, models=(old,)) for degrees in (10, 20, 30)]
    await index.upsert(entries)
    assert await index.spaces() == {old}
    assert [await index.lacking(keys) for keys in ([old], [new], [old, new], [])] == [0, 3, 3, 0]
    first = await index.ids_lacking([old, new], "", 2)
    rest = await index.ids_lacking([old, new], first[-1], 2)
    assert (len(first), len(rest), await index.ids_lacking([new], rest[-1], 2)) == (2, 1, [])
    assert sorted(first + rest) == [one.code.function_id for one in entries]
    turned = [made.make_entry(one.code.qualname, 90 - degrees, models=(new,)) for one, degrees in
              zip(entries, (10, 20, 30), strict=True)]  # fmt: skip
    await index.upsert(turned[:2])
    assert await index.spaces() == {old, new}
    assert [await index.lacking(keys) for keys in ([old], [new], [old, new])] == [0, 1, 1]
    assert [await index.ids_lacking(keys, "", 9) for keys in ([old], [new])] == [[], ["shapes-1.0:f30"]]

    async def found(key):
        near = await index.near({key: made.toward(0)}, [], SearchFilter(), 1)
        hits = await index.search({key: made.toward(0)}, {"mini": 1}, SearchFilter(), 5)
        return near.ids, names(hits)

    # The same words in each space: a question meets the vectors of its own space only.
    assert await found(old) == (frozenset({"shapes-1.0:f10"}), ["f10", "f20", "f30"])
    assert await found(new) == (frozenset({"shapes-1.0:f20"}), ["f20", "f10"])
    assert await index.search({old: made.toward(0)}, {"mini": 0}, SearchFilter(), 5) == []
    await index.upsert(turned[2:])
    ids = [one.code.function_id for one in entries]
    assert {tuple(one) for one in (await index.vectors(ids, [new])).values()} == {(new,)}
    assert await index.forget([old]) == 3
    assert await index.spaces() == {new} and await index.lacking([old]) == 3 and await index.lacking([new]) == 0
    assert await found(old) == (frozenset(), [])
    assert (await found(new))[1] == ["f30", "f20", "f10"]
    assert await index.vectors(ids, [old]) == {}
    assert await index.forget([old]) == 0
    assert (await index.codes(ids[:1]))[ids[0]].code == entries[0].code


async def test_vectors_come_back_as_they_went_in(index, made):
    rows = np.random.default_rng(1).normal(size=(3, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    entries = [
        made.make_entry(f"f{number}", vectors={"m": row, "n": made.toward(number)}) for number, row in enumerate(rows)
    ]
    await index.upsert(entries)
    found = await index.vectors([*(entry.code.function_id for entry in entries), "nobody"], ["m", "n"])
    assert set(found) == {entry.code.function_id for entry in entries}
    some = [entry.code.function_id for entry in entries[:2]]
    assert {(name, *sorted(of)) for name, of in (await index.vectors(some, None)).items()} == {
        (name, "m", "n") for name in some
    }
    for entry in entries:
        assert np.array_equal(found[entry.code.function_id]["m"], entry.vectors["m"])
        assert found[entry.code.function_id]["n"].shape == (2,)


async def test_every_index_ranks_as_the_one_in_memory_does(index, made):
    random = np.random.default_rng(7)
    rows = random.normal(size=(400, 16)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    entries = [
        made.make_entry(f"f{number:03}", vectors={"m": row, "n": row[::-1].copy()}) for number, row in enumerate(rows)
    ]
    memory = MemoryIndex()
    for start in range(0, 400, 150):
        await index.upsert(entries[start : start + 150])
        await memory.upsert(entries[start : start + 150])
    for number in range(5):
        query = {"m": rows[number], "n": random.permutation(rows[number])}
        expected = await memory.search(query, {"n": 0.2}, SearchFilter(), 10)
        found = await index.search(query, {"n": 0.2}, SearchFilter(), 10)
        assert names(found) == names(expected)
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=2e-6)


async def test_writers_side_by_side_agree(index, made):
    sources = [made.make_source(version=f"1.{n}", released=f"2026-01-{n + 1:02}T00:00:00Z") for n in range(6)]
    await asyncio.gather(
        *(
            index.upsert([made.make_entry(f"f{k}", 10 + n, source=one) for k in range(5)])
            for n, one in enumerate(sources)
        )
    )
    hits = await index.search({"m": made.toward(0)}, {}, SearchFilter(), 50)
    assert sorted((hit.code.qualname, hit.code.version) for hit in hits) == [(f"f{k}", "1.5") for k in range(5)]
    assert await index.counts() == IndexCounts(30, 25)
