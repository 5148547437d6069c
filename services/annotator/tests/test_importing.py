"""Labels that somebody brings, and the one identity of a pair."""

import json
from dataclasses import replace

import pytest

from annotator.domain.corpus_filter import unfit
from annotator.domain.pair import Pair
from annotator.errors import BadRequestError
from annotator.rpc import pair_on_demand
from annotator.usecases.importing import GivenLabel, LabelImport, pair_of
from touchstone_contracts import identities
from touchstone_contracts.events import Function, SourceRef

CODE = "def rev(x):\n    return x[::-1]"
GIVEN = GivenLabel(" reverse  a string\n", CODE, 1)


@pytest.fixture
def bring(labels, records, announcer):
    return LabelImport(labels, records, announcer, records)


async def test_a_label_that_is_brought_is_a_persons_and_has_its_record(bring, labels, records, announcer):
    done = await bring("me", [replace(GIVEN, licence="MIT", reason="I wrote it")])
    assert (done.stored, done.already, done.refused) == (1, 0, ())
    [stored] = announcer.announced
    assert (stored.decided_by, stored.label, stored.reason, stored.pair.licence) == ("person", 1, "I wrote it", "MIT")
    assert stored.pair.query == "reverse a string" and not stored.pair.on_demand
    record = json.loads(records.blobs[stored.record_digest])
    assert record["origin"] == "me" and record["pair"]["pair_id"] == stored.pair.pair_id
    assert {name: record[name] for name in ("label", "decided_by", "method_id")} == {
        "label": 1, "decided_by": "person", "method_id": stored.method_id,
    }  # fmt: skip


async def test_of_one_origin_the_first_label_stands_and_another_origin_has_its_own(bring, labels, announcer):
    await bring("me", [GIVEN])
    again = await bring("me", [replace(GIVEN, label=0), GIVEN])
    assert (again.stored, again.already) == (0, 1)
    [(place, words)] = again.refused
    assert (
        place == 0 and words.startswith("me has said yes of this pair before, which stands: ") and "--origin" in words
    )
    other = await bring("you", [replace(GIVEN, label=0)])
    [(place, words)] = other.contradicting
    assert (other.stored, place) == (1, 0) and words.endswith("people's label was yes (given by me)")
    assert sorted(row.label for row in labels.rows.values()) == [0, 1]
    await bring("me", [GIVEN])
    assert [each.label for each in announcer.announced] == [1, 1, 0, 0], "what the pair's label is by then"


async def test_what_comes_by_its_text_is_the_pair_of_the_pool_with_that_text(bring, labels, judged):
    pool = judged("reverse a string", CODE, 0)
    pool = replace(pool, pair=replace(pool.pair, pair_id="a" * 32, function_id="f" * 32))
    await labels.add(pool)
    for stored, already in ((1, 0), (0, 1)):
        done = await bring("me", [GIVEN])
        assert (done.stored, done.already) == (stored, already)
    assert {row.pair.pair_id for row in labels.rows.values()} == {"a" * 32}
    assert labels.current()["a" * 32].decided_by == "person"


async def test_what_reviewers_decided_stands_against_what_is_brought(bring, labels, judged):
    review = await labels.add(judged("reverse a string", CODE, 0, method="person-review", decided_by="person"))
    done = await bring("me", [GIVEN])
    assert done.stored == 1 and "people's label was no, and stands" in done.contradicting[0][1]
    assert labels.current()[review.pair.pair_id] == review
    same = await bring("you", [replace(GIVEN, label=0)])
    assert same.stored == 1 and not same.contradicting


async def test_files_of_one_name_that_two_people_bring_are_two_origins(bring, labels):
    """Nobody named the origin: it is the file's name, and whoever brings it."""
    told = {}
    for who, label in (("ada", 1), ("ben", 0), ("cyd", 1), ("ada", 1)):
        done = await bring("labels.jsonl", [replace(GIVEN, label=label)], who, unnamed=True)
        told[who] = done.stored, done.already, len(done.refused), [words for _, words in done.contradicting]
    assert told["ada"] == (0, 1, 0, [])
    assert told["ben"][:3] == told["cyd"][:3] == (1, 0, 0)
    assert "people's label was yes (given by labels.jsonl of ada)" in told["ben"][3][0]
    assert "people's label was no (given by labels.jsonl of ben)" in told["cyd"][3][0]
    assert (await bring("labels.jsonl", [GIVEN], unnamed=True)).stored == 1, "where there is no door nobody is known"
    with pytest.raises(BadRequestError):
        await bring("x" * 499, [GIVEN], "ada", unnamed=True)


async def test_who_is_refused_hears_who_brought_the_first_and_the_way_out(bring, records):
    await bring("a set", [GIVEN], "ada")
    [(_, words)] = (await bring("a set", [replace(GIVEN, label=0)], "ben")).refused
    assert words.startswith("a set has said yes of this pair before, which stands (brought by ada): ")
    assert words.endswith("where somebody else says this, name them with --origin")
    records.blobs.clear()
    [(_, words)] = (await bring("a set", [replace(GIVEN, label=0)], "ben")).refused
    assert "before, which stands: " in words


async def test_one_file_that_says_both_of_a_pair_is_told_so(bring, labels):
    done = await bring("me", [GIVEN, replace(GIVEN, label=0), GIVEN])
    assert (done.stored, done.already, [place for place, _ in done.refused]) == (1, 1, [1]) and len(labels.rows) == 1


async def test_it_outranks_every_method(bring, labels, judged):
    await bring("me", [GIVEN])
    [brought] = labels.rows.values()
    await labels.add(judged("reverse a string", CODE, 0, method="full-9"))
    assert labels.current()[brought.pair.pair_id] == brought


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"query": "  "}, "its query is empty"),
        ({"code": ""}, "its code is empty"),
        ({"label": 2}, "its label is 2"),
        ({"label": -1}, "not 0 or 1"),
        ({"language": "cobol"}, "'cobol', not one of python"),
        ({"code": "x" * 20_001}, "its code has 20001 characters"),
        ({"query": "x" * 2_001}, "its query has 2001 characters"),
        ({"function_id": "x" * 501}, "its function_id has 501"),
        ({"repository": "x" * 501}, "its repository has 501"),
        ({"reason": "x" * 4_001}, "its reason has 4001"),
        ({"code": CODE + "\0"}, "its code holds a NUL"),
        ({"query": "reverse\0"}, "its query holds a NUL"),
        ({"function_id": "a b"}, "is no id"),
        ({"code": "def f(self): return 1"}, "takes an argument"),
        ({"code": "def f(x): print(x)"}, "returns a value"),
        ({"code": "def f(x:"}, "no Python 3"),
    ],
)
async def test_what_is_no_label_is_refused_in_words_and_the_others_are_taken(bring, labels, changes, words):
    done = await bring("me", [replace(GIVEN, **changes), GIVEN])
    [(place, reason)] = done.refused
    assert place == 0 and words in reason and done.stored == len(labels.rows) == 1


@pytest.mark.parametrize("origin", [" ", "x" * 501])
async def test_nobody_is_no_origin(bring, origin):
    with pytest.raises(BadRequestError):
        await bring(origin, [GIVEN])


@pytest.fixture
async def pooled(labels, judged):
    """A pair of the pools, whose code the platform took in as f1."""
    label = judged("turn it round", CODE, 1)
    pair = replace(label.pair, function_id="f1", licence="GPL-3.0-only", repository="theirs", path="a.py")
    return (await labels.add(replace(label, pair=pair))).pair


async def test_one_function_is_one_code(bring, labels, pooled):
    await bring("me", [replace(GIVEN, function_id="f1")])
    done = await bring("you", [replace(GIVEN, function_id="f1", code="def rev(x): return x")])
    assert done.refused == ((0, "f1 is another code here"),) and len(labels.rows) == 2


async def test_whose_code_an_id_is_that_no_pool_holds_nobody_can_tell(bring, labels, judged):
    done = await bring("me", [replace(GIVEN, function_id="f1")])
    [(place, words)] = done.refused
    assert (place, done.stored) == (0, 0) and words.startswith("no pool holds f1 yet") and not labels.rows
    # A code's own id says which code it is.
    own = identities.code_id(CODE, "python")
    assert (await bring("me", [replace(GIVEN, function_id=own)])).stored == 1
    other = await bring("me", [replace(GIVEN, function_id=own, code="def rev(x): return x", query="other")])
    assert "is another code" in other.refused[0][1]
    unheard = identities.code_id("def other(x): return x", "python")
    assert (await bring("me", [replace(GIVEN, function_id=unheard)])).stored == 0


async def test_what_the_platform_knows_of_a_code_is_nobody_elses_word(bring, labels, pooled):
    given = replace(
        GIVEN, function_id="f1", licence="MIT", repository="mine", path="b.py", language="php", name="other"
    )
    assert (await bring("me", [given])).stored == 1
    [brought] = [row.pair for row in labels.rows.values() if row.decided_by == "person"]
    assert brought == replace(pooled, pair_id=brought.pair_id, query_id=brought.query_id, query="reverse a string")
    assert brought.pair_id == identities.pair_id(identities.query_id("reverse a string"), "f1")


@pytest.mark.parametrize(
    ("language", "code", "fits"),
    [
        ("python", "class A:\n    def f(self, x):\n        return x", True),
        ("python", "def f(*values):\n    return sum(values)", True),
        ("python", "def f(x):\n    return", False),
        ("java", "class A { static int f(int x) { return x + 1; } }", True),
        ("java", "class A { static int f() { return 1; } }", False),
        ("java", 'class A { static void f(int x) { print("return x"); } }', False),
        ("go", "func f(x int) int { return x }", True),
        ("php", "function f($x) { return $x; }", True),
        ("javascript", "const f = (x) => { return x + 1 }", True),
        ("javascript", "function f() { return 1 }", False),
    ],
)
def test_codes_take_something_and_give_something(language, code, fits):
    assert (unfit(Pair("p", "q", "ask", "f", code, language)) == "") == fits


def test_a_pair_has_one_identity_wherever_it_comes_from(judged):
    brought = pair_of(replace(GIVEN, function_id="f1"))
    assert brought.query_id == identities.query_id("reverse a string")
    assert brought.pair_id == identities.pair_id(brought.query_id, "f1")
    of_the_words = pair_of(GIVEN)
    on_demand = pair_on_demand("reverse  a string", CODE, "Python")
    assert (on_demand.pair_id, on_demand.query_id, on_demand.function_id) == (
        of_the_words.pair_id, of_the_words.query_id, of_the_words.function_id,
    )  # fmt: skip
    assert judged("reverse a string", CODE, 1).pair.pair_id == of_the_words.pair_id
    source = SourceRef(source_id="s", source_version_id="v", kind="package", name="p", version="1")
    function = Function(
        function_id="f1", source=source, path="a.py", qualname="f", name="f", line_start=1, line_end=2, code=CODE
    )
    assert identities.pair_id(identities.query_id("reverse a string"), function.function_id) == brought.pair_id
