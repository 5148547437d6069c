"""What people say of a query and a code counts at every door, by whatever id and however the code is written."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.method import ABLATIONS
from annotator.domain.pair import Pair
from annotator.domain.release import Selection
from annotator.domain.review import Review
from annotator.rpc import AnnotatorServicer, pair_on_demand
from annotator.usecases.announcing import announce_waiting
from annotator.usecases.exhibits import Exhibits
from annotator.usecases.importing import GivenLabel, LabelImport
from annotator.usecases.judging import Judge
from annotator.usecases.labelling import Labelling
from annotator.usecases.on_demand import OnDemand, Question
from annotator.usecases.people import agree, by_people
from annotator.usecases.releases import ReleaseDesk
from annotator.usecases.reviewing import ReviewDesk
from annotator.usecases.verify_releases import Verifier
from annotator.usecases.waiting import PoolWork
from touchstone.annotator.v1 import annotator_pb2 as pb
from touchstone_contracts import identities
from touchstone_contracts.envelope import content_id
from touchstone_runtime.retry import RetryPolicy

QUERY = "reverse a string"
CODE = "def rev(x):\n    return x[::-1]"
NO_MATCH = '{"reason": "it does not", "verdict": "no_match"}'
# One code as editors, files and classes have it.
SPELLINGS = (
    CODE,
    CODE + "\n",
    CODE + "\r\n",
    f"\n\n{CODE}\n\n",
    CODE.replace("\n", "  \n"),
    CODE.replace("\n", "\r\n"),
    CODE.replace("def", "    def").replace("    return", "        return"),
)


def proposed(function_id="f" * 32, code=CODE):
    """The pair as a pool has it: its code has a function's id."""
    query_id = identities.query_id(QUERY)
    pair_id = identities.pair_id(query_id, function_id)
    return Pair(
        pair_id, query_id, QUERY, function_id, code, name="rev", repository="boltons", version="1", licence="MIT"
    )


@pytest.fixture
def model(scripted):
    return scripted(screener=[NO_MATCH] * 9)


@pytest.fixture
def labelling(model, fake_sandbox, labels, records, announcer):
    return Labelling(
        Judge(model, fake_sandbox(), replace(ABLATIONS["full"], checker=False)), labels, records, announcer
    )


@pytest.fixture
def work(labelling, memory_waiting, labels):
    return PoolWork(labelling, memory_waiting(labels=labels), RetryPolicy(1))


@pytest.fixture
def bring(labels, records, announcer):
    return LabelImport(labels, records, announcer)


@pytest.fixture
def desk(reviews, labels, records, announcer):
    return ReviewDesk(reviews, labels, records, announcer, Exhibits(records))


async def pool(work, pair):
    await work.enter(pair, 1.0)
    while await work.step():
        pass


@pytest.mark.parametrize("text", SPELLINGS)
@pytest.mark.parametrize("people_first", [True, False])
async def test_a_query_and_a_code_have_one_label_of_now_whichever_order(
    work, bring, labels, records, model, announcer, memory_pool, releases, people_first, text
):
    steps = [lambda: bring("me", [GivenLabel(QUERY, text, 1)]), lambda: pool(work, proposed())]
    for step in steps if people_first else steps[::-1]:
        await step()
    [stands] = labels.current().values()
    assert (stands.decided_by, stands.outcome) == ("person", "yes")
    assert (stands.pair.function_id, stands.pair.repository, stands.pair.licence) == ("f" * 32, "boltons", "MIT")
    assert len(model.asked) == (0 if people_first else 1), "what people said is not asked again"
    assert announcer.announced[-1] == stands
    record = json.loads(records.blobs[stands.record_digest])
    assert record["pair"]["pair_id"] == stands.pair.pair_id and record["method_id"] == stands.method_id
    made = ReleaseDesk(memory_pool(list(labels.current().values())), releases, records, records, {})
    await made.create("one", Selection())
    checked = Verifier(records, records=True).verify((await made.show("one")).manifest)
    assert [each.problems async for each in checked if each.problems] == []
    # Said again, it is known; said otherwise by the same origin, it is refused, as in the other order.
    again = await bring("me", [GivenLabel(QUERY, CODE, 1), GivenLabel(QUERY, CODE, 0)])
    assert (again.stored, again.already, len(again.refused)) == (0, 1, 1)
    assert list(labels.current().values()) == [stands]


async def test_what_people_say_while_a_pair_is_judged_is_its_label(work, bring, labels, model, monkeypatch):
    ask = model.ask

    async def slow(*given, **named):
        if not labels.rows:
            await bring("me", [GivenLabel(QUERY, CODE, 1)])
        return await ask(*given, **named)

    monkeypatch.setattr(model, "ask", slow)
    await pool(work, proposed())
    [stands] = labels.current().values()
    assert (stands.decided_by, stands.outcome, stands.pair.function_id) == ("person", "yes", "f" * 32)


async def test_what_was_stored_before_this_was_so_agrees_with_the_next_sweep(labels, records, announcer, judged):
    method = judged(QUERY, CODE, 0)
    await labels.add(replace(method, pair=proposed()))
    await labels.add(judged(QUERY, CODE + "\n", 1, method="person-1", decided_by="person"))
    await announce_waiting(labels, records, announcer)
    [stands] = labels.current().values()
    assert (stands.outcome, stands.pair.function_id, stands.method_id) == ("yes", "f" * 32, "person-1")
    assert announcer.announced[-1] == stands and not await labels.unannounced(9)


async def test_what_reviewers_decide_holds_for_every_pair_with_these_texts(work, desk, bring, labels, reviews):
    one, two = proposed(), proposed("e" * 32)
    for pair in (one, two):
        await pool(work, pair)
    for name in ("ada", "ben"):
        await desk.add(Review(one.pair_id, name, "yes"))
    assert {row.outcome for row in labels.current().values()} == {"yes"}
    assert await reviews.next_pair("cleo") is None, "nobody is asked again"
    assert (await reviews.figures())[2] == 1, "one pair was looked at"
    # What is brought outranks reviewers at neither of them.
    done = await bring("me", [GivenLabel(QUERY, CODE, 0, function_id=two.function_id)])
    assert done.stored == 1 and "people's label was yes, and stands" in done.contradicting[0][1]
    await pool(work, proposed("d" * 32))
    assert {row.outcome for row in labels.current().values()} == {"yes"} and len(labels.current()) == 3
    # Two others who had the second pair before them decide it otherwise, and the last word of reviewers is of both.
    for name in ("cleo", "dan"):
        await desk.add(Review(two.pair_id, name, "no"))
    assert {row.outcome for row in labels.current().values()} == {"no"}


async def test_a_label_under_a_functions_id_meets_what_came_by_its_text(bring, labels, judged):
    await bring("me", [GivenLabel(QUERY, CODE, 1)])
    other = judged("another query", CODE, 1)
    await labels.add(replace(other, pair=replace(other.pair, function_id="f" * 32, pair_id="a" * 32)))
    given = GivenLabel(QUERY, CODE + "\n", 0, function_id="f" * 32)
    same = await bring("me", [given])
    assert "said yes of this pair before" in same.refused[0][1]
    [(_, words)] = (await bring("you", [given])).contradicting
    assert "people's label was yes" in words
    [stands] = [row for row in labels.current().values() if row.pair.query == QUERY]
    assert (stands.outcome, stands.pair.function_id) == ("no", "f" * 32)


@pytest.mark.parametrize("text", SPELLINGS)
async def test_who_asks_on_demand_is_answered_with_peoples_word(labelling, bring, labels, model, text):
    await bring("two experts", [GivenLabel(QUERY, CODE, 1)])
    servicer = AnnotatorServicer(labelling, *[None] * 9)
    request = pb.AnnotateRequest(query=QUERY, code=text, language="python")
    answer = (await servicer.Annotate(request, None)).pair
    assert (answer.outcome, answer.decided_by) == ("yes", "person")
    [given] = [each async for each in OnDemand(labelling, labels).judge([Question(QUERY, text)], 1)]
    assert (given.label.outcome, given.label.decided_by, given.fresh) == ("yes", "person", False)
    assert not model.asked and len(labels.rows) == 1


async def test_a_pair_that_joins_its_pool_on_demand_has_what_people_said(labelling, bring, labels, judged, model):
    await bring("me", [GivenLabel(QUERY, CODE, 1)])
    other = judged("another query", CODE + "\n", 1)
    await labels.add(replace(other, pair=replace(other.pair, function_id="f" * 32, pair_id="a" * 32)))
    [given] = [
        each async for each in OnDemand(labelling, labels).judge([Question(QUERY, CODE, function_id="f" * 32)], 1)
    ]
    assert (given.label.outcome, given.label.decided_by, given.label.pair.function_id) == ("yes", "person", "f" * 32)
    assert not model.asked and not given.refused


@pytest.mark.parametrize("text", SPELLINGS)
async def test_a_persons_label_is_in_the_pools_though_somebody_asked_before(
    labelling, bring, labels, announcer, memory_pool, releases, records, text
):
    await labelling.label(pair_on_demand(QUERY, text, "python"))
    given = GivenLabel(QUERY, CODE, 1, licence="MIT", repository="me/mine", name="rev")
    assert (await bring("me", [given])).stored == 1
    [stands] = [row for row in labels.current().values() if row.decided_by == "person"]
    assert (stands.pair.on_demand, stands.pair.licence, stands.pair.repository) == (False, "MIT", "me/mine")
    assert announcer.announced == [stands]
    made = ReleaseDesk(memory_pool(list(labels.current().values())), releases, records, records, {})
    row, _ = await made.create("one", Selection())
    assert row.pairs == 1


async def test_what_reviewers_decide_of_a_pair_on_demand_is_no_judgement_on_demand(labelling, desk, labels, announcer):
    asked = await labelling.label(pair_on_demand(QUERY, CODE, "python"))
    announcer.fails = 1
    await desk.add(Review(asked.pair.pair_id, "ada", "yes"))
    with pytest.raises(ConnectionError):
        await desk.add(Review(asked.pair.pair_id, "ben", "yes"))
    assert await labels.unannounced(9) == [asked.pair.pair_id]
    [stands] = labels.current().values()
    assert (stands.decided_by, stands.pair.on_demand) == ("person", False)


@given(st.text(alphabet="ab \t\r\n:", max_size=40))
def test_what_is_compared_of_a_code_stays_as_it_is_and_lacks_white_space_alone(code):
    words = identities.code_words(code)
    assert identities.code_words(words) == words
    bare = dict.fromkeys(map(ord, identities.CODE_SPACE))
    assert words.translate(bare) == code.translate(bare), "what the database leaves out is never the same"


def test_a_code_has_one_id_however_its_lines_end():
    assert len({identities.code_id(text, "python") for text in SPELLINGS}) == 1
    inner = "def f(x):\n    if x:\n        return 1\n    return 2"
    others = (
        CODE + " + 1",
        inner,
        inner.replace("    return 2", "        return 2"),
        "\tdef f(x): ...",
        "def f(x):...",
    )
    assert len({identities.code_id(text, "python") for text in (CODE, *others)}) == 6
    assert identities.code_id(CODE, "python") != identities.code_id(CODE, "php")


async def of_before(labels, text, function_id, origin="x", label=1):
    """A label that people gave before pairs with the same texts had one."""
    pair = replace(proposed(function_id, text), repository="", version="")
    return await labels.add(by_people(pair, label, "said", f"person-{origin}", "0" * 64))


@pytest.mark.parametrize("spelled", [CODE, CODE + "\n", CODE.replace("\n", "\r\n")])
async def test_a_code_that_was_brought_before_keeps_its_id_for_other_queries(labels, bring, spelled):
    earlier = content_id("code", "python", CODE + "\n")
    await of_before(labels, CODE + "\n", earlier)
    await bring("me", [GivenLabel("turn a word around", spelled, 1)])
    stands = labels.current().values()
    assert {label.pair.function_id for label in stands} == {earlier} and len(stands) == 2
    for label in stands:
        assert label.pair.pair_id == identities.pair_id(label.pair.query_id, earlier)


async def test_twins_of_before_have_the_newest_word_of_people(labels, records, announcer):
    for function_id, origin, label in (("f", "x", 1), ("f", "y", 0), ("e", "x", 1)):
        await of_before(labels, CODE, function_id * 32, origin, label)
    await announce_waiting(labels, records, announcer)
    one, other = labels.current().values()
    assert {one.outcome, other.outcome} == {"yes"} and one.pair.pair_id != other.pair.pair_id
    assert {label.pair.pair_id: label.outcome for label in announcer.announced} == {
        one.pair.pair_id: "yes",
        other.pair.pair_id: "yes",
    }
    for label in (one, other):
        assert await agree(labels, records, label.pair) == []
