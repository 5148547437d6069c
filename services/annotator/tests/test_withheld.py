"""What a release does not tell of its queries and codes is undecided in it, and no search is wrong by it."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.adapters.exporters import EXPORTERS
from annotator.domain.release import CONTRADICTED, LEFT_OUT, WITHHELD, PooledLabel, Selection
from annotator.domain.withheld import with_withheld
from annotator.usecases.releases import ReleaseDesk
from annotator.usecases.verify_releases import Verifier
from touchstone_contracts.identities import query_id

PEOPLES = Selection(decided_by=("person",))
TEXT = "def f(x):\n    return x"


@pytest.fixture
def made(memory_pool, releases, records):
    """A release of labels, with a way to its rows and its exported files."""

    async def make(labels, selection):
        desk = ReleaseDesk(memory_pool(labels), releases, records, records, EXPORTERS)
        await desk.create("a", selection)
        manifest = (await desk.show("a")).manifest
        assert not [line async for one in Verifier(records, records=True).verify(manifest) for line in one.problems]
        files = defaultdict(bytes)
        async for piece in desk.export("a", "beir"):
            files[piece.path] += piece.data
        rows = {part: [row async for of, row in desk.stream("a") if of == part] for part in ("queries", "labels")}
        return rows["labels"], {path: data.decode() for path, data in files.items()}, manifest

    return make


async def test_what_others_decided_of_a_taken_query_and_code_is_undecided(made, judged):
    by_others = judged("second", "code a", 1)
    undecided = judged("first", "code b", None)
    labels = [
        judged("first", "code a", 1, decided_by="person"),
        judged("second", "code b", 0, decided_by="person"),
        judged("second", "code c", 1),
        judged("third", "code a", 1),
        by_others,
        undecided,
    ]
    rows, files, manifest = await made(labels, PEOPLES)
    withheld = {(row["query_id"], row["function_id"]) for row in rows if row["decided_by"] == LEFT_OUT}
    expected = {(label.pair.query_id, label.pair.function_id) for label in (by_others, undecided)}
    assert withheld == expected and len(rows) == 4
    listed = {tuple(line.split("\t")) for line in files["undecided.tsv"].splitlines()[1:]}
    assert listed == expected
    assert (manifest["counts"]["yes"], manifest["counts"]["no"], manifest["counts"]["undecided"]) == (1, 1, 2)
    assert manifest["counts"]["pairs_by_decider"] == {LEFT_OUT: 2, "person": 2}


@pytest.mark.parametrize(("other", "told"), [(0, None), (1, 1), (None, 1)])
async def test_methods_that_contradict_each_other_on_one_text_have_said_nothing(made, judged, other, told):
    labels = [
        judged("query", TEXT, 1, function_id="f" * 32, decided_by="execution"),
        judged("query", f"    {TEXT.replace(chr(10), chr(10) + '    ')}\n", other, function_id="e" * 32),
        judged("query", "def g(): ...", 0),
        judged("another", TEXT, 0, function_id="e" * 32),
    ]
    rows, files, manifest = await made(labels, Selection())
    of_query = {row["function_id"]: row for row in rows if row["query_id"] == query_id("query")}
    assert of_query["f" * 32]["label"] == told
    contradicted = manifest["counts"]["pairs_by_decider"].get(CONTRADICTED, 0)
    assert contradicted == (2 if told is None else 0)
    assert manifest["counts"]["no"] == 2 and len(rows) == 4
    assert len(files["undecided.tsv"].splitlines()) - 1 == manifest["counts"]["undecided"]


async def test_methods_that_were_not_asked_for_contradict_nobody(made, judged):
    labels = [
        judged("query", TEXT, 1, function_id="f" * 32, decided_by="execution"),
        judged("query", TEXT, 0, function_id="e" * 32),
        judged("another", TEXT, 0, function_id="e" * 32, decided_by="execution"),
    ]
    rows, _, _ = await made(labels, Selection(decided_by=("execution",)))
    assert sorted((row["label"] is None, row["decided_by"]) for row in rows) == [
        (False, "execution"),
        (False, "execution"),
        (True, LEFT_OUT),
    ]


@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from([0, 1, None]), st.sampled_from(["person", "execution"])),
        max_size=8,
        unique_by=lambda row: row[0],
    ),
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from("xy")),
)
def test_no_release_tells_two_labels_of_methods_for_one_text(drawn, same_text):
    rows = [
        PooledLabel("q", code, code, label, by, "", "", None, None, False, None, "m", "d") for code, label, by in drawn
    ]
    told = with_withheld(rows, Selection(), same_text)
    assert [row.function_id for row in told] == [row.function_id for row in rows]
    for before, row in zip(rows, told, strict=True):
        assert row == before or (row.label is None and row.decided_by in WITHHELD and before.decided_by != "person")
    for text in "xy":
        of_text = [row for row in told if same_text.get(row.function_id) == text and row.label is not None]
        methods = {row.label for row in of_text if row.decided_by != "person"}
        assert len(methods) < 2 and (not methods or methods >= {row.label for row in of_text})
