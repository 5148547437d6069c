"""Plain and exact search."""

import dataclasses
import subprocess
import sys

import pytest

from retriever.adapters.agent import NoAgent
from retriever.adapters.memory_index import MemoryIndex
from retriever.domain.code import ALL_FORMS, SearchFilter
from retriever.domain.ensemble import Weights
from retriever.errors import BadRequestError
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.index import IndexFunctions
from retriever.usecases.plain import PlainSearch
from retriever.usecases.question import SearchQuestion
from retriever.usecases.search import Search

MODELS_ONLY = (Weights({"m": 1.0}, text=0, crowding=0),)


@pytest.fixture
def searching(memory_index, embedder, lag, memory_readings):
    """Makes a `Search` over entries."""

    async def make(entries, weights=MODELS_ONLY):
        await IndexFunctions(memory_index, memory_readings)(entries)
        augmented = AugmentedSearch(memory_index, embedder, NoAgent("none"), {})
        plain = PlainSearch(memory_index, embedder, weights)
        return Search(memory_index, plain, augmented, lag)

    return make


def names(answer):
    return [result.hit.code.qualname for result in answer.results]


async def test_the_nearest_come_first_with_counts_and_lag(searching, entry):
    search = await searching([entry(f"f{degrees}", degrees) for degrees in (50, 10, 30)])
    answer = await search(SearchQuestion("what is near to 0", limit=2))
    assert names(answer) == ["f10", "f30"]
    assert (answer.indexed, answer.functions_behind, answer.mode, answer.note) == (3, 5, "plain", "")
    # Scores of models are brought to mean 0 and deviation 1 over the candidates.
    assert answer.results[0].hit.score > 0.9 and answer.results[0].parts[0].value == pytest.approx(0.9848, abs=1e-3)
    assert answer.results[0].streams == ("query",)


async def test_what_is_indexed_is_named_when_asked_for(searching, entry, memory_index):
    search = await searching([entry("f", 10), entry("g", 20)])
    assert (await search(SearchQuestion("0"))).index_digest == ""
    assert (await search(SearchQuestion("0", with_digest=True))).index_digest == await memory_index.digest(())
    assert SearchQuestion("0", with_digest=True).digest == SearchQuestion("0").digest, "the same pages"


async def test_classes_and_superseded_code_are_shown_when_asked_for(searching, entry, source):
    new = source(version="2.0", released="2026-06-01T00:00:00Z")
    search = await searching(
        [entry("f", 10), entry("f", 20, source=new), entry("K", 5, form="class", searchable_pair=False)]
    )
    assert names(await search(SearchQuestion("0"))) == ["f"]
    assert names(await search(SearchQuestion("0", SearchFilter(forms=ALL_FORMS)))) == ["K", "f"]
    both = await search(SearchQuestion("0", SearchFilter(superseded=True)))
    assert [(one.hit.code.version, one.hit.superseded) for one in both.results] == [("1.0", True), ("2.0", False)]


async def test_repository_and_language_narrow_the_search(searching, entry, source):
    search = await searching(
        [entry("f", 10), entry("g", 20, source=source(name="Other_Pkg")), entry("h", 30, language="go")]
    )
    assert names(await search(SearchQuestion("0", SearchFilter(repositories=("other-pkg",))))) == ["g"]
    assert names(await search(SearchQuestion("0", SearchFilter(languages=("Go",))))) == ["h"]
    nothing = await search(SearchQuestion("0", SearchFilter(repositories=("absent",), languages=("go",))))
    assert nothing.results == () and nothing.note == (
        "nothing indexed matches absent and go; classes and replaced versions were left out"
    )


async def test_an_empty_index_says_so(searching):
    answer = await (await searching([]))(SearchQuestion("0"))
    assert answer.results == () and "add a source" in answer.note


async def test_the_discount_is_taken_over_a_pool_and_keeps_the_limit(searching, entry, memory_index):
    entries = [entry(f"f{number:03}", number / 10) for number in range(300)]
    answer = await (await searching(entries, weights=()))(SearchQuestion("0", limit=7))
    assert len(answer.results) == 7
    scores = [result.hit.score for result in answer.results]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (SearchQuestion("  "), "say in words"),
        (SearchQuestion("x" * 5000), "4000"),
        (SearchQuestion("x", limit=101), "1 to 100"),
        (SearchQuestion("x", limit=-1), "1 to 100"),
        (SearchQuestion("x", mode="deep"), "augmented"),
        (SearchQuestion("", SearchFilter(languages=("go",))), "a symbol, a path or a pattern"),
        (SearchQuestion("x", like_function_id="y"), "one of them"),
        (SearchQuestion("", like_function_id="nobody"), "is not indexed"),
        (SearchQuestion("x", mode="augmented", query_is_code=True), "in words"),
        (SearchQuestion("x", SearchFilter(forms=frozenset({"slice"}))), "class, function"),
        (SearchQuestion("x", SearchFilter(pattern="(")), "no regular expression"),
        (SearchQuestion("x", SearchFilter(pattern="a" * 301)), "at most 300"),
        (SearchQuestion("x", SearchFilter(languages=("go",) * 101)), "at most 100"),
        (SearchQuestion("x", SearchFilter(symbol="x" * 4001)), "at most 4000"),
        (SearchQuestion("x", SearchFilter(symbol="*a" * 11)), "symbol: has 11 wildcards.*at most 10"),
        (SearchQuestion("x", SearchFilter(path="**/a*b" * 6)), "path: has 12 wildcards.*at most 10"),
        (SearchQuestion("x", parts=("m", "other")), "use m, text, crowding"),
        (SearchQuestion("x", parts=("crowding",)), "a model beside it"),
        (SearchQuestion("x", parts=("text", "crowding")), "a model beside it"),
        (SearchQuestion("x", mode="augmented", parts=("text",)), "use plain"),
        (SearchQuestion("", SearchFilter(symbol="f"), parts=("text",)), "leave them out"),
        *(
            (SearchQuestion("x", SearchFilter(**{name: value})), f"{name}.*leave out the NUL")
            for name, value in (("symbol", "a\0b"), ("path", "a\0"), ("version", "\0"), ("repositories", ("a\0",)))
        ),
        (SearchQuestion("x", cursor="!"), "no cursor"),
        (SearchQuestion("", SearchFilter(symbol="a"), cursor="bnVsbA"), "no cursor"),
    ],
)
async def test_questions_that_cannot_be_answered_are_refused(searching, question, words):
    with pytest.raises(BadRequestError, match=words):
        await (await searching([]))(question)


async def test_an_id_that_no_store_can_hold_is_no_fault_of_the_store(embedder, lag):
    class AsPostgres(MemoryIndex):
        async def codes(self, function_ids):
            assert not any("\0" in one for one in function_ids), "DataError"
            return await super().codes(function_ids)

    index = AsPostgres()
    search = Search(index, PlainSearch(index, embedder), AugmentedSearch(index, embedder, None, {}), lag)
    for asked in (search(SearchQuestion("", like_function_id="no\0body")), search.code("no\0body")):
        with pytest.raises(BadRequestError, match="is not indexed"):
            await asked


async def test_the_last_word_on_a_function_counts(searching, entry):
    search = await searching([entry("f", 80), entry("g", 40), entry("f", 10)])
    answer = await search(SearchQuestion("0"))
    assert names(answer) == ["f", "g"] and answer.indexed == 2


def test_a_question_has_one_digest_in_every_process():
    said = "from retriever.usecases.question import SearchQuestion as Q; print(Q('x').digest)"
    told = {
        subprocess.run(
            [sys.executable, "-c", said], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout.strip()
        for seed in "1234"
    }
    assert told == {SearchQuestion("x").digest}


@pytest.mark.parametrize(
    "other",
    [
        {"query": "y"},
        {"mode": "augmented"},
        {"merge_duplicates": True},
        {"parts": ("text",)},
        {"query_is_code": True},
        {"like_function_id": "f"},
        {"steps": ("query",)},
        {"generation": "g"},
        *({"chosen": SearchFilter(**chosen)} for chosen in (
            {"repositories": ("a",)}, {"languages": ("go",)}, {"forms": ALL_FORMS}, {"superseded": True},
            {"licences": ("MIT",)}, {"symbol": "a"}, {"path": "a"}, {"pattern": "a"}, {"version": "1"},
        )),
    ],
)  # fmt: skip
def test_questions_that_differ_have_digests_that_do(other):
    question = SearchQuestion("x")
    assert dataclasses.replace(question, **other).digest != question.digest
    assert dataclasses.replace(question, cursor="c", limit=7, within_s=3.0).digest == question.digest


async def all_pages(search, question):
    """Names on each page, until there is no next one."""
    pages, cursor = [], ""
    while True:
        answer = await search(dataclasses.replace(question, cursor=cursor))
        pages.append(names(answer))
        cursor = answer.next_cursor
        if not cursor:
            return pages


async def test_exact_questions_are_listed_by_place_and_need_no_embedder(searching, entry, source, embedder):
    other = source(name="another", version="3.0")
    search = await searching(
        [
            entry("Cart.total", 80, form="method", path="shop/cart.py"),
            entry("total", 10, path="shop/sums.py", code="def total(rows):\n    return sum(rows)"),
            entry("subtotal", 20, path="shop/sums.py"),
            entry("total", 30, source=other, path="a/b.py"),
        ]
    )
    answer = await search(SearchQuestion("", SearchFilter(symbol="TOTAL")))
    assert [(one.hit.code.repository, one.hit.code.qualname) for one in answer.results] == [
        ("another", "total"),
        ("shapes", "Cart.total"),
        ("shapes", "total"),
    ]
    assert (answer.mode, answer.parts, {one.hit.score for one in answer.results}) == ("exact", (), {0.0})
    assert names(await search(SearchQuestion("", SearchFilter(pattern=r"sum\(\w+\)")))) == ["total"]
    assert names(await search(SearchQuestion("", SearchFilter(path="shop/s*.py")))) == ["subtotal", "total"]
    assert embedder.asked == []
    # The same conditions narrow a question in words.
    assert names(await search(SearchQuestion("near to 25", SearchFilter(path="shop")))) == [
        "subtotal",
        "total",
        "Cart.total",
    ]
    nothing = await search(SearchQuestion("", SearchFilter(symbol="absent")))
    assert nothing.note == "nothing indexed matches absent; classes and replaced versions were left out"
    for forms, note in ((ALL_FORMS, ""), (frozenset({"class"}), "; only kind class was looked at")):
        nothing = await search(SearchQuestion("", SearchFilter(symbol="absent", forms=forms)))
        assert nothing.note == f"nothing indexed matches absent{note}; replaced versions were left out"
        nothing = await search(SearchQuestion("", SearchFilter(symbol="absent", forms=forms, superseded=True)))
        assert nothing.note == f"nothing indexed matches absent{note}"
    nothing = await search(SearchQuestion("zebra", SearchFilter(forms=ALL_FORMS, superseded=True), parts=("text",)))
    assert nothing.note == "nothing indexed holds a word of the question"
    nothing = await search(SearchQuestion("zebra", SearchFilter(path="shop", forms=ALL_FORMS), parts=("text",)))
    assert nothing.note == (
        "nothing indexed that matches shop holds a word of the question; replaced versions were left out"
    )


@pytest.mark.parametrize("query", ["what is near to 0", ""])
async def test_pages_hold_every_result_once_in_order(searching, entry, query):
    search = await searching([entry(f"f{number:02}", number) for number in range(23)])
    question = SearchQuestion(query, SearchFilter(symbol="f*"), limit=5)
    pages = await all_pages(search, question)
    assert [len(page) for page in pages] == [5, 5, 5, 5, 3]
    assert [name for page in pages for name in page] == [f"f{number:02}" for number in range(23)]
    first = await search(question)
    with pytest.raises(BadRequestError, match="another question"):
        await search(dataclasses.replace(question, query="other 0", cursor=first.next_cursor))


async def test_what_comes_and_goes_between_pages_hides_nothing_behind_it(searching, entry, memory_index):
    search = await searching([entry(f"f{number}", 10 * number) for number in range(6)])
    question = SearchQuestion("", SearchFilter(symbol="f*"), limit=2)
    first = await search(question)
    await memory_index.upsert([entry("f00", 1), entry("f11", 1)])
    assert names(await search(dataclasses.replace(question, cursor=first.next_cursor))) == ["f11", "f2"]


@pytest.mark.parametrize("newcomers", [(80, 85, 88), (1, 2, 3)])
async def test_what_comes_between_pages_moves_all_scores_and_hides_or_repeats_nothing(
    searching, entry, memory_index, newcomers
):
    search = await searching([entry(f"f{number}", 10 * number) for number in range(6)])
    question = SearchQuestion("what is near to 0", limit=2)
    first = await search(question)
    # Scores are deviations from the mean of the candidates: one that comes changes those of all others.
    await memory_index.upsert([entry(f"g{degrees}", degrees) for degrees in newcomers])
    found, cursor = names(first), first.next_cursor
    while cursor:
        answer = await search(dataclasses.replace(question, cursor=cursor))
        found, cursor = found + names(answer), answer.next_cursor
    assert [name for name in found if name.startswith("f")] == [f"f{number}" for number in range(6)]


async def test_copies_become_one_result_that_names_the_others(searching, entry):
    copy = "def f(x):\n    return x + 1"
    search = await searching(
        [
            entry("b", 20, code=copy, path="z.py"),
            entry("a", 10, code=copy),
            entry("c", 30, code="def f(x):\n\n    return  x + 1", path="y.py"),
            entry("other", 40),
        ]
    )
    for query in ("near to 0", ""):
        question = SearchQuestion(query, SearchFilter(pattern="return"), merge_duplicates=True)
        answer = await search(question)
        assert names(answer) == ["a", "other"]
        assert [code.qualname for code in answer.results[0].duplicates] == ["c", "b"]
        assert len((await search(dataclasses.replace(question, merge_duplicates=False))).results) == 4


@pytest.mark.parametrize("copies", [50, 99, 100, 150, 450])
async def test_copies_take_no_place_of_what_stands_behind_them(searching, entry, source, copies):
    """As of vendored files: were they all of the candidates, nothing else could be reached."""
    same = "def f(x):\n    return x + 1"
    entries = [entry("f", 1, code=same, path="v/f.py", source=source(name=f"p{number}")) for number in range(copies)]
    search = await searching([*entries, *(entry(f"g{degrees}", degrees) for degrees in range(10, 60, 5))])
    found, cursor = [], ""
    while cursor or not found:
        answer = await search(SearchQuestion("near to 0", merge_duplicates=True, limit=4, cursor=cursor))
        found += answer.results
        cursor = answer.next_cursor
    assert [one.hit.code.qualname for one in found] == ["f", *(f"g{degrees}" for degrees in range(10, 60, 5))]
    first = found[0]
    assert len(first.duplicates) == 20 and first.more_duplicates == copies - 21
    liked = await search(SearchQuestion("", like_function_id=first.hit.code.function_id, merge_duplicates=True))
    assert {"g10", "g15", "g50"} <= set(names(liked))


async def test_each_result_says_how_its_score_came_about(searching, entry, embedder):
    embedder.models = ("m", "n")
    entries = [entry(f"f{degrees}", degrees, models=("m", "n")) for degrees in (5, 40, 60, 90)]
    search = await searching(entries, weights=())
    everything = await search(SearchQuestion("0"))
    assert everything.parts == ("m", "n", "text", "crowding")
    for one in everything.results:
        assert sum(part.contribution for part in one.parts) == pytest.approx(one.hit.score, abs=2e-6)
    alone = await search(SearchQuestion("0", parts=("n",)))
    assert alone.parts == ("n",) and names(alone) == names(everything)


async def test_text_finds_what_no_model_knows_and_needs_no_embedder(searching, entry, embedder):
    entries = [entry(f"f{degrees}", degrees) for degrees in range(0, 80, 5)]
    entries.append(entry("parse_rfc3339_date", 170, code="def parse_rfc3339_date(raw):\n    return raw"))
    search = await searching(entries, weights=())
    found = await search(SearchQuestion("rfc3339 dates", parts=("text",)))
    assert names(found) == ["parse_rfc3339_date"] and found.parts == ("text",)
    assert embedder.asked == []
    assert "parse_rfc3339_date" in names(await search(SearchQuestion("rfc3339 dates", limit=100)))


async def test_code_like_a_piece_of_code_and_like_an_indexed_one(searching, entry, embedder):
    search = await searching([entry(f"f{degrees}", degrees) for degrees in (10, 20, 50, 90)])
    assert names(await search(SearchQuestion("return ( 60 )", query_is_code=True, limit=2))) == ["f50", "f90"]
    assert embedder.asked[-1][0] == "code"
    assert names(await search(SearchQuestion("", like_function_id="shapes-1.0:f20", limit=2))) == ["f10", "f50"]


async def test_one_code_whole_by_its_id(searching, entry):
    search = await searching([entry("f", 10)])
    assert (await search.code("shapes-1.0:f")).code == entry("f", 10).code
    with pytest.raises(BadRequestError, match="is not indexed"):
        await search.code("nobody")
