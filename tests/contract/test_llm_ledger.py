"""The accounts of the model client: one suite for the one in memory and for the one in PostgreSQL."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.schema import CreateSchema

from touchstone_runtime.database import Database
from touchstone_runtime.faults import DependencyAwayError
from touchstone_runtime.llm import (
    DayTotal,
    LedgerEntry,
    LlmUsage,
    MemoryLedger,
    SqlLedger,
    add_day,
    add_lost,
    add_thoughts,
    drop_lost,
    drop_thoughts,
    ledger_table,
    spending,
)

SCHEMA = "ledger_contract"


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def ledger(request, tmp_path):
    if request.param == "memory":
        yield MemoryLedger()
        return
    database = Database(request.getfixturevalue("postgres"), SCHEMA, tmp_path)
    metadata = sa.MetaData(schema=SCHEMA)
    ledger_table(metadata)
    try:
        async with database.engine.begin() as connection:
            await connection.execute(CreateSchema(SCHEMA, if_not_exists=True))
            await connection.run_sync(metadata.drop_all)
            await connection.run_sync(metadata.create_all)
        yield SqlLedger(database.session)
    finally:
        await database.close()


async def test_an_empty_ledger_shows_nothing(ledger):
    assert await ledger.spent() == LlmUsage()
    assert await ledger.by_day() == []


async def test_totals_by_purpose_and_model_with_cached_hits_apart(ledger):
    usage = LlmUsage(100, 10, 0.5, 0.25, 1, thought_tokens=7, lost_tokens=3)
    await ledger.record(LedgerEntry("k1", "solve", "small", usage, cached=False))
    await ledger.record(LedgerEntry("k1", "solve", "small", LlmUsage(), cached=True))
    await ledger.record(LedgerEntry("k1", "solve", "small", LlmUsage(), cached=True))
    await ledger.record(LedgerEntry("k2", "solve", "small", usage, cached=False))
    await ledger.record(LedgerEntry("k2", "judge", "small", usage, cached=False))
    await ledger.record(LedgerEntry("k3", "solve", "large", usage, cached=False))
    assert await ledger.by_day() == [
        DayTotal(None, "judge", "small", usage, 0),
        DayTotal(None, "solve", "large", usage, 0),
        DayTotal(None, "solve", "small", usage + usage, 2),
    ]
    assert await ledger.spent() == LlmUsage(400, 40, 2.0, 1.0, 4, thought_tokens=28, lost_tokens=12)
    assert [each.thought_tokens for each in await spending(ledger, wanted=True)] == [7, 7, 14]
    assert [each.lost_tokens for each in await spending(ledger, wanted=True)] == [3, 3, 6]


async def test_tokens_of_questions_that_cost_nothing_as_booked_are_told(ledger):
    await ledger.record(LedgerEntry("k1", "solve", "big@api.example", LlmUsage(100, 10, 0.5, 0.0, 1), cached=False))
    await ledger.record(LedgerEntry("k2", "solve", "big@api.example", LlmUsage(100, 10, 0.5, 0.25, 1), cached=False))
    await ledger.record(LedgerEntry("k1", "solve", "big@api.example", LlmUsage(), cached=True))
    await ledger.record(LedgerEntry("k3", "solve", "small", LlmUsage(100, 10, 0.5, 0.0, 1), cached=False))
    assert [each.unpriced_tokens for each in await ledger.by_day()] == [110, 110]
    # Our own models are free.
    told = {each.model: each.unpriced_tokens for each in await spending(ledger, wanted=True)}
    assert told == {"big@api.example": 110, "small": 0}
    # But for one that is served elsewhere at a price that nobody named.
    ledger.unpriced = lambda model: model == "small"
    told = {each.model: each.unpriced_tokens for each in await spending(ledger, wanted=True)}
    assert told == {"big@api.example": 110, "small": 110}


async def test_a_question_counts_on_the_day_when_it_was_first_asked(ledger):
    usage = LlmUsage(100, 10, 0.5, 0.25, 1)
    first, second = date(2026, 3, 1), date(2026, 3, 2)
    await ledger.record(LedgerEntry("old", "solve", "small", usage, cached=False))
    await ledger.record(LedgerEntry("k1", "solve", "small", usage, cached=False, day=first))
    await ledger.record(LedgerEntry("k1", "solve", "small", LlmUsage(), cached=True, day=second))
    await ledger.record(LedgerEntry("k2", "solve", "small", usage, cached=False, day=second))
    await ledger.record(LedgerEntry("k3", "judge", "small", usage, cached=False, day=second))
    assert await ledger.by_day() == [
        DayTotal(None, "solve", "small", usage, 0),
        DayTotal(first, "solve", "small", usage, 1),
        DayTotal(second, "judge", "small", usage, 0),
        DayTotal(second, "solve", "small", usage, 0),
    ]
    told = await spending(ledger, wanted=True)
    assert [(each.day, each.purpose, each.calls, each.cached_hits, each.cost_usd) for each in told] == [
        ("", "solve", 1, 0, 0.25),
        ("2026-03-01", "solve", 1, 1, 0.25),
        ("2026-03-02", "judge", 1, 0, 0.25),
        ("2026-03-02", "solve", 1, 0, 0.25),
    ]
    assert await spending(ledger, wanted=False) == await spending(None, wanted=True) == []


@pytest.mark.real
async def test_the_ledger_of_an_earlier_release_gets_its_days_thoughts_and_what_was_lost(postgres):
    engine = create_async_engine(postgres)
    try:
        async with engine.begin() as connection:
            await connection.execute(sa.text("DROP SCHEMA IF EXISTS ledger_before CASCADE"))
            await connection.execute(CreateSchema("ledger_before"))
            await connection.execute(sa.text("SET LOCAL search_path TO ledger_before"))
            before = ledger_table(sa.MetaData())
            columns = ", ".join(
                f"{column.name} {column.type.compile(engine.dialect)}"
                for column in before.columns
                if column.name not in ("day", "thought_tokens", "lost_tokens")
            )
            await connection.execute(sa.text(f"CREATE TABLE llm_ledger ({columns})"))
            # Twice: a schema that this release made has the column already.
            for _ in range(2):
                statements = []
                add_day(SimpleNamespace(execute=statements.append))
                add_thoughts(SimpleNamespace(execute=statements.append))
                add_lost(SimpleNamespace(execute=statements.append))
                for statement in statements:
                    await connection.execute(sa.text(statement))
            await connection.execute(sa.select(before))
            # A replica of before knows nothing of the column and books on.
            await connection.execute(
                sa.insert(before).values(
                    request_key="k",
                    purpose="p",
                    model="m",
                    calls=1,
                    cached_hits=0,
                    tokens_in=1,
                    tokens_out=1,
                    seconds=0.0,
                    cost_usd=0.0,
                )
            )
            assert (await connection.execute(sa.select(before.c.thought_tokens))).scalar() == 0
            assert (await connection.execute(sa.select(before.c.lost_tokens))).scalar() == 0
            for drop in (drop_thoughts, drop_lost):
                drop(SimpleNamespace(execute=statements.append))
                await connection.execute(sa.text(statements[-1]))
    finally:
        await engine.dispose()


@pytest.mark.real
@pytest.mark.parametrize("lost", ["after the commit", "before the commit"])
async def test_what_is_booked_counts_once_also_where_the_answer_to_a_commit_was_lost(postgres, tmp_path, lost):
    database, falls = Database(postgres, SCHEMA, tmp_path), [True]

    @asynccontextmanager
    async def session():
        async with database.session() as opened:
            yield opened
            if falls and lost == "before the commit":
                raise DependencyAwayError("connection lost", thing=str(falls.pop()))
        if falls:
            raise DependencyAwayError("connection lost", thing=str(falls.pop()))

    metadata = sa.MetaData(schema=SCHEMA)
    ledger_table(metadata)
    async with database.engine.begin() as connection:
        await connection.execute(CreateSchema(SCHEMA, if_not_exists=True))
        await connection.run_sync(metadata.drop_all)
        await connection.run_sync(metadata.create_all)
    ledger, entry = SqlLedger(session), LedgerEntry("k", "solve", "m", LlmUsage(1, 1, 0.5, 0.25, 1), False, booking="b")
    with pytest.raises(DependencyAwayError):
        await ledger.record(entry)
    # Somebody else's booking of the same question changes nothing of it.
    await ledger.record(replace(entry, booking="another"))
    await ledger.record(entry)
    assert (await ledger.spent()) == LlmUsage(2, 2, 1.0, 0.5, 2)
    await database.close()


async def test_nothing_is_lost_side_by_side(ledger):
    entry = LedgerEntry("k", "solve", "small", LlmUsage(1, 1, 0.5, 0.0, 1), cached=False)
    await asyncio.gather(*(ledger.record(entry) for _ in range(20)))
    assert (await ledger.spent()).calls == 20
