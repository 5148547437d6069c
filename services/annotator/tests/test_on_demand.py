"""Judgements while a caller waits: within a budget, what is known costs nothing, cancelling keeps what is there."""

import json
from dataclasses import replace

import pytest

from annotator.domain.method import ABLATIONS
from annotator.rpc import pair_on_demand
from annotator.usecases.judging import Judge
from annotator.usecases.labelling import Labelling
from annotator.usecases.on_demand import OnDemand, Question
from annotator.usecases.waiting import PoolWork
from touchstone_contracts import identities
from touchstone_runtime.retry import RetryPolicy

MATCH = '{"reason": "it does", "verdict": "match"}'
CODES = [f"def f{number}(x):\n    return x" for number in range(6)]


@pytest.fixture
def model(scripted):
    return scripted(screener=[MATCH] * 20)


@pytest.fixture
def desk(model, fake_sandbox, labels, records, announcer):
    judge = Judge(model, fake_sandbox(), replace(ABLATIONS["full"], checker=False))
    return OnDemand(Labelling(judge, labels, records, announcer), labels)


async def answers(desk, questions, budget):
    return [answer async for answer in desk.judge(questions, budget)]


async def test_no_more_are_judged_than_the_budget_allows(desk, model):
    found = await answers(desk, [Question("ask", code) for code in CODES], 4)
    assert [(answer.place, answer.done, answer.total, answer.fresh) for answer in found] == [
        (place, place + 1, 6, place < 4) for place in range(6)
    ]
    assert [answer.refused for answer in found] == [""] * 4 + ["the budget is spent"] * 2
    assert [answer.label is None for answer in found] == [False] * 4 + [True] * 2
    assert len(model.asked) == 4


async def test_what_has_a_label_costs_nothing_whoever_gave_it(desk, model, labels, judged):
    await labels.add(judged("ask", CODES[0], 0, decided_by="person"))
    await labels.add(judged("ask", CODES[1], None))
    found = await answers(desk, [Question("ask", code) for code in CODES[:3]], 1)
    assert [(answer.label.outcome, answer.fresh) for answer in found] == [
        ("no", False), ("undecided", False), ("yes", True),
    ]  # fmt: skip
    assert len(model.asked) == 1
    again = await answers(desk, [Question(" ask", CODES[2])], 0)
    assert again[0].label == found[2].label and not again[0].fresh


async def test_a_code_of_a_pool_lets_the_pair_join_it(desk, labels, announcer, judged):
    known = judged("other", CODES[0], 1, licence="MIT", repository="boltons")
    await labels.add(known)
    [answer] = await answers(desk, [Question("ask", "", function_id=known.pair.function_id)], 1)
    pair = answer.label.pair
    assert (pair.licence, pair.repository, pair.code, pair.on_demand) == ("MIT", "boltons", CODES[0], False)
    assert pair.pair_id == identities.pair_id(identities.query_id("ask"), known.pair.function_id)
    assert announcer.announced == [answer.label]


async def test_a_pair_that_joined_its_pool_is_judged_as_the_pool_proposes_it(
    desk, model, labels, records, judged, memory_waiting
):
    """What stands in the file beside the code helps to judge it; what only a proposal tells, a later one brings."""
    known = judged("other", CODES[0], 1, repository="boltons")
    known = replace(known, pair=replace(known.pair, file_imports=("import math",), similarity=0.3))
    await labels.add(known)
    question = Question("ask", "", function_id=known.pair.function_id)
    [answer] = await answers(desk, [question], 1)
    told = json.loads(records.blobs[answer.label.record_digest])["pair"]
    assert told["file_imports"] == ["import math"] and "joined" not in told
    pair_id = answer.label.pair.pair_id
    again = await desk._labelling.label(pair_on_demand("ask", CODES[0], "python"))
    assert again == answer.label and len(model.asked) == 1, "asked for again, it is the same"
    proposed = replace(answer.label.pair, similarity=0.9)
    work = PoolWork(desk._labelling, memory_waiting(labels=labels), RetryPolicy(1))
    await work.enter(proposed, 1.0)
    while await work.step():
        pass
    current, before = await labels.of_pair(pair_id)
    assert before == answer.label and current.method_id != before.method_id and len(model.asked) == 2
    await work.enter(proposed, 1.0)
    assert not await work.step(), "once"
    for label in (
        await desk._labelling.label(pair_on_demand("ask", CODES[0], "python")),
        (await answers(desk, [question], 1))[0].label,
    ):
        assert label == current and len(model.asked) == 2, "and whoever asks has what the pool says"


async def test_the_same_texts_are_the_same_pair_by_whatever_door_they_come(desk, labels, judged, model):
    """A pool names a code by its place; who brings the text alone, is answered with what the pool's pair is."""
    pool = judged("ask", CODES[0], 0)
    pool = replace(pool, pair=replace(pool.pair, pair_id="a" * 32, function_id="f" * 32))
    await labels.add(pool)
    found = await answers(desk, [Question(" ask\n", CODES[0]), Question("ask", CODES[0], "php")], 1)
    assert (found[0].label.pair.pair_id, found[0].label.outcome, found[0].fresh) == ("a" * 32, "no", False)
    assert found[1].label is None or found[1].label.pair.language == "php"
    asked = len(model.asked)
    again = await desk._labelling.label(pair_on_demand("ask", CODES[0], ""))
    assert again.pair.pair_id == "a" * 32 and not again.pair.on_demand, "one that is judged anew is the pool's, too"
    assert len(model.asked) > asked


async def test_an_id_that_no_pool_holds_counts_for_nothing(desk, announcer):
    found = await answers(desk, [Question("ask", code, function_id="d1") for code in CODES[:2]], 2)
    pairs = [answer.label.pair for answer in found]
    assert [pair.pair_id for pair in pairs] == [pair_on_demand("ask", code, "").pair_id for code in CODES[:2]]
    assert all(pair.on_demand for pair in pairs) and not announcer.announced


async def test_another_code_under_a_known_id_is_refused(desk, labels, judged, model):
    known = judged("other", CODES[0], 1)
    await labels.add(known)
    [answer] = await answers(desk, [Question("ask", CODES[1], function_id=known.pair.function_id)], 1)
    assert "is another code here" in answer.refused and answer.label is None and not model.asked


async def test_a_pair_that_cannot_be_judged_stops_no_other(desk):
    questions = [Question(" ", CODES[0]), Question("ask", CODES[0], "cobol"), Question("ask", CODES[1])]
    found = await answers(desk, questions, 3)
    assert "the query is empty" in found[0].refused and "cobol" in found[1].refused
    assert found[2].label.outcome == "yes" and [answer.fresh for answer in found] == [False, False, True]


async def test_who_stops_listening_stops_the_work_and_keeps_what_was_judged(desk, labels, model):
    stream = desk.judge([Question("ask", code) for code in CODES], 6)
    async for answer in stream:
        if answer.done == 2:
            break
    await stream.aclose()
    assert len(labels.rows) == len(model.asked) == 2
