"""Answers that wait for a batch: one suite for the fake and the real memory."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from evaluator.adapters.parked import SqlParked
from evaluator.app import MIGRATIONS
from touchstone_runtime.database import Database


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def parked(request, load_module):
    if request.param == "memory":
        yield load_module("services/evaluator/tests/parking/conftest.py").MemoryParked()
        return
    database = Database(request.getfixturevalue("postgres"), "evaluator", MIGRATIONS)
    try:
        await database.migrate()
        async with database.session() as session:
            await session.execute(sa.text("TRUNCATE parked_answers"))
        yield SqlParked(database.session)
    finally:
        await database.close()


async def test_an_answer_waits_for_one_thing_until_it_waits_no_more(parked):
    assert await parked.parked() == []
    for run, place, key in (("r2", ("t1", 0), "k1"), ("r1", ("t2", 1), "k2"), ("r1", ("t2", 0), "k2")):
        await parked.park(run, place, key)
    await parked.park("r2", ("t1", 0), "k3")
    assert await parked.parked() == [("r1", ("t2", 0), "k2"), ("r1", ("t2", 1), "k2"), ("r2", ("t1", 0), "k3")]
    await parked.unpark("r1", [(("t2", 1), "k2"), (("t9", 0), "k2")])
    await parked.unpark("r2", [])
    assert await parked.parked() == [("r1", ("t2", 0), "k2"), ("r2", ("t1", 0), "k3")]
    # It waits for something else by now.
    await parked.unpark("r2", [(("t1", 0), "k1")])
    await parked.unpark("r1", [(("t1", 0), "k3")])
    assert await parked.parked() == [("r1", ("t2", 0), "k2"), ("r2", ("t1", 0), "k3")]


async def test_as_many_answers_wait_no_more_at_once_as_a_run_may_have(parked):
    await parked.park("r1", ("t7", 0), "k7")
    await parked.unpark("r1", [((f"t{number}", 0), f"k{number}") for number in range(100_000)])
    assert await parked.parked() == []
