"""The memory of batches: one suite for the one in memory and for the one in PostgreSQL."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa

from evaluator.app import MIGRATIONS
from touchstone_runtime.database import Database
from touchstone_runtime.llm import (
    Batch,
    ChatRequest,
    LedgerEntry,
    LlmUsage,
    MemoryBatchStore,
    MemoryLedger,
    Question,
    SqlBatchStore,
    SqlLedger,
    system,
    user,
)

AT = datetime(2026, 6, 1, 12, tzinfo=UTC)
MOST = LlmUsage(tokens_in=10, tokens_out=20, cost_usd=0.5)


def question(number: int, **changed: object) -> Question:
    """A question with everything that one can have, characters among it that PostgreSQL has none for."""
    request = ChatRequest(
        "m@host",
        (system("be brief"), user(f"say {number} \x00 \ud800 ü")),
        64,
        0.5,
        7,
        {"type": "object"},
        ("END",),
        2,
    )
    asked = Question(f"{number:064x}", "m", "solve_v1", request, MOST, AT + timedelta(seconds=number))
    return replace(asked, **changed)


def batch(number: int = 1) -> Batch:
    return Batch(f"b{number}", "m", AT + timedelta(minutes=number))


LATER = AT + timedelta(hours=1)


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def kept(request):
    if request.param == "memory":
        ledger = MemoryLedger()
        yield MemoryBatchStore(ledger), ledger
        return
    database = Database(request.getfixturevalue("postgres"), "evaluator", MIGRATIONS)
    try:
        await database.migrate()
        async with database.session() as session:
            await session.execute(sa.text("TRUNCATE llm_batches, llm_batch_questions, llm_ledger"))
        yield SqlBatchStore(database.session), SqlLedger(database.session)
    finally:
        await database.close()


@pytest.fixture
def store(kept):
    return kept[0]


async def _formed(store, *numbers: int, number: int = 1) -> None:
    for each in numbers:
        await store.put(question(each))
    assert await store.form(batch(number), 100, LATER)


async def test_a_question_is_kept_as_it_is_and_once(store):
    assert await store.find(question(1).key) is None and await store.endpoints() == []
    assert await store.put(question(1)) == question(1)
    assert await store.put(question(1, purpose="other", asked_at=LATER)) == question(1)
    assert await store.find(question(1).key) == question(1)
    assert await store.endpoints() == ["m"]
    assert await store.waiting([question(1).key, question(2).key]) == {question(1).key}
    assert await store.waiting([]) == set()
    await store.drop(question(1).key)
    assert await store.find(question(1).key) is None


async def test_questions_gather_until_they_are_many_or_old(store):
    assert not await store.form(batch(), 2, LATER)
    for number in (3, 1, 2):
        await store.put(question(number))
    await store.put(question(4, endpoint="other"))
    assert not await store.form(batch(), 4, AT)
    assert await store.open() == []
    assert await store.form(batch(), 2, AT)
    assert await store.questions("b1") == [question(1, batch_id="b1"), question(2, batch_id="b1")]
    assert await store.open() == [replace(batch(), total=2)]
    assert not await store.form(batch(2), 2, AT)
    assert await store.form(batch(2), 2, AT + timedelta(seconds=3))
    assert [each.key for each in await store.questions("b2")] == [question(3).key]
    assert await store.endpoints() == ["other"]


async def test_a_batch_is_as_it_was_saved(store):
    await _formed(store, 1)
    seen = replace(
        batch(), file_id="f", remote_id="r", without=("seed",), total=9, answered=3, reason="é", cancelled=True
    )
    await store.save(seen)
    assert await store.batch("b1") == seen and await store.open() == [seen]
    assert await store.batch("none") is None


async def test_the_next_batch_goes_without_what_the_last_was_refused(store):
    await _formed(store, 1)
    await store.close(replace(batch(), state="ended", without=("max_tokens", "seed")), ())
    assert await store.form(batch(2), 100, LATER)
    second = await store.batch("b2")
    assert second is not None and second.without == ("max_tokens", "seed")


async def test_an_answer_is_booked_once_with_its_question_forgotten(kept):
    store, ledger = kept
    await _formed(store, 1)
    entry = LedgerEntry(
        question(1).key, "solve_v1", "m@host", LlmUsage(3, 4, 0.0, 0.25, 1), cached=False, day=date(2026, 6, 1)
    )
    assert await store.settle(entry)
    assert not await store.settle(entry)
    assert await ledger.spent() == entry.usage and await store.questions("b1") == []


async def test_what_is_lost_is_booked_with_the_fault_or_the_batch_that_tells_of_it(kept):
    store, ledger = kept
    await _formed(store, 1, 2)
    first, second = (
        LedgerEntry(
            question(number).key, "solve_v1", "m@host", LlmUsage(3, 4, lost_tokens=7), cached=False, day=AT.date()
        )
        for number in (1, 2)
    )
    await store.fail(question(1).key, 500, "no", [first])
    assert await ledger.spent() == first.usage
    await store.close(replace(batch(), state="ended"), [question(2).key], [second])
    assert await ledger.spent() == first.usage + second.usage and await store.open() == []


async def test_what_is_open_is_reserved(store):
    assert await store.reserved() == LlmUsage()
    await _formed(store, 1, 2)
    await store.put(question(3))
    assert await store.reserved() == MOST + MOST + MOST
    await store.fail(question(1).key, 400, "no")
    assert await store.reserved() == MOST + MOST
    await store.close(replace(batch(), state="failed"), ())
    assert await store.reserved() == MOST
    assert await store.waiting([question(number).key for number in (1, 2, 3)]) == {question(3).key}


async def test_what_a_batch_leaves_waits_for_the_next(store):
    await _formed(store, 1, 2, 3)
    await store.fail(question(1).key, 400, "no \x00 \ud800")
    await store.close(replace(batch(), state="ended"), [question(2).key])
    assert await store.open() == [] and await store.questions("b1") == []
    failed = await store.find(question(1).key)
    assert failed is not None and failed.status == 400 and failed.said.startswith("no ")
    assert await store.form(batch(2), 100, LATER)
    assert await store.questions("b2") == [question(2, batch_id="b2", tries=1), question(3, batch_id="b2")]


async def test_a_failed_batch_keeps_its_questions_until_they_are_asked_anew(store):
    await _formed(store, 1, 2)
    await store.close(replace(batch(), state="failed", reason="why"), ())
    assert await store.endpoints() == []
    await store.put(question(3))
    await store.fail(question(3).key, 500, "no")
    await store.put(question(4))
    await store.begin_anew("somebody else")
    assert await store.find(question(1).key) is not None
    await store.begin_anew("m@host")
    assert [await store.find(question(number).key) for number in (1, 2, 3)] == [None] * 3
    assert await store.find(question(4).key) == question(4)


async def test_what_nobody_wants_is_forgotten_once_its_batch_is_over(store):
    await _formed(store, 1, 2)
    await store.put(question(3))
    await store.give_up([question(number).key for number in (1, 3, 9)])
    assert await store.find(question(3).key) is None
    assert [each.unwanted for each in await store.questions("b1")] == [True, False]
    await store.close(replace(batch(), state="ended"), ())
    assert await store.find(question(1).key) is None and await store.find(question(2).key) == question(2)


async def test_what_is_wanted_again_is_kept(store):
    await _formed(store, 1)
    await store.give_up([question(1).key])
    assert await store.put(question(1)) == question(1, batch_id="b1")
    await store.close(replace(batch(), state="ended"), ())
    assert await store.find(question(1).key) == question(1)


async def test_one_at_a_time_looks_after_batches(store):
    async with store.turn() as first, store.turn() as second:
        assert (first, second) == (True, False)
    async with store.turn() as again:
        assert again
    with pytest.raises(ValueError, match="dies"):
        async with store.turn():
            raise ValueError("dies")
    async with store.turn() as again:
        assert again


async def test_questions_are_in_one_batch_however_many_form_them(store):
    for number in range(20):
        await store.put(question(number))
    formed = await asyncio.gather(*(store.form(batch(number), 5, LATER) for number in range(8)))
    assert sum(formed) == 4
    found = [each.key for number in range(8) for each in await store.questions(f"b{number}")]
    assert len(found) == len(set(found)) == 20
