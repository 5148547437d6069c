"""The accounts of the model client: one suite for the one in memory and for the one in PostgreSQL."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa
from sqlalchemy.schema import CreateSchema

from touchstone_runtime.database import Database
from touchstone_runtime.llm import LedgerEntry, LlmUsage, MemoryLedger, PurposeTotal, SqlLedger, ledger_table

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
    assert await ledger.totals() == []


async def test_totals_by_purpose_and_model_with_cached_hits_apart(ledger):
    usage = LlmUsage(100, 10, 0.5, 0.25, 1)
    await ledger.record(LedgerEntry("k1", "solve", "small", usage, cached=False))
    await ledger.record(LedgerEntry("k1", "solve", "small", LlmUsage(), cached=True))
    await ledger.record(LedgerEntry("k1", "solve", "small", LlmUsage(), cached=True))
    await ledger.record(LedgerEntry("k2", "solve", "small", usage, cached=False))
    await ledger.record(LedgerEntry("k2", "judge", "small", usage, cached=False))
    await ledger.record(LedgerEntry("k3", "solve", "large", usage, cached=False))
    assert await ledger.totals() == [
        PurposeTotal("judge", "small", usage, 0),
        PurposeTotal("solve", "large", usage, 0),
        PurposeTotal("solve", "small", usage + usage, 2),
    ]
    assert await ledger.spent() == LlmUsage(400, 40, 2.0, 1.0, 4)


async def test_nothing_is_lost_side_by_side(ledger):
    entry = LedgerEntry("k", "solve", "small", LlmUsage(1, 1, 0.5, 0.0, 1), cached=False)
    await asyncio.gather(*(ledger.record(entry) for _ in range(20)))
    assert (await ledger.spent()).calls == 20
