"""Databases of the evaluator from before changes of runs were kept."""

from __future__ import annotations

import uuid

import pytest
import sqlalchemy as sa

from evaluator.adapters.store import SqlStore
from evaluator.adapters.tables import ATTEMPTS, FORGOTTEN, RUNS, TASKS
from evaluator.app import MIGRATIONS
from evaluator.domain.lives import RunChange, Touched
from touchstone_runtime.database import Database

pytestmark = pytest.mark.real
TEXTS = {
    sa.Text: "",
    sa.Integer: 0,
    sa.BigInteger: 0,
}


async def keep(session, table, **values):
    """Keep a row with what is said, and what is empty else, in a table as it was then."""
    there = sa.text(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = :schema AND table_name = :name"
    )
    schema = await session.scalar(sa.text("SELECT current_schema()"))
    names = set(await session.scalars(there, {"schema": schema, "name": table.name}))
    empty = {column.name: TEXTS.get(type(column.type), {}) for column in table.c if not column.nullable}
    known = {name: value for name, value in {**empty, **values}.items() if name in names}
    await session.execute(sa.insert(table).values(known))


async def test_what_was_done_to_runs_is_told_as_if_it_were_done_now(postgres):
    database = Database(postgres, f"before_{uuid.uuid4().hex[:8]}", MIGRATIONS)
    try:
        await database.migrate("0015")
        ended = {"outcome": "infrastructure", "detail": "cancelled", "early_outcome": "infrastructure"}
        answers = [
            ("off", {"outcome": "passed"}),
            ("waits", {}),
            ("ended", ended),
            ("answered", {**ended, "early_outcome": None}),
            ("lost", {**ended, "detail": "its endpoint is away"}),
        ]
        async with database.session() as session:
            await keep(session, TASKS, task_id="t")
            for name, values in answers:
                about = {"withdrawn": "asked wrongly" if name == "off" else "", "paused": name == "waits"}
                await keep(session, RUNS, run_id=name, **about)
                await keep(session, ATTEMPTS, run_id=name, task_id="t", requested=name != "waits", **values)
            await keep(session, FORGOTTEN, run_id="gone", revision=3)
        await database.migrate()
        store = SqlStore(database.session)
        assert await store.unpublished_changes() == [
            RunChange("answered", 2, "cancelled", answers=(Touched("t", 0, answered=True),)),
            RunChange("ended", 2, "cancelled", answers=(Touched("t", 0),)),
            RunChange("gone", 1, "deleted"),
            RunChange("off", 1, "withdrawn", "asked wrongly"),
            RunChange("waits", 3, "paused", answers=(Touched("t", 0),)),
        ]
        assert (await store.find_run("waits")).changed == 3 and (await store.find_run("lost")).changed == 0
        # What is done next has the next number.
        await store.set_paused("waits", paused=False)
        assert (await store.unpublished_changes("waits"))[-1] == RunChange("waits", 4, "resumed")
    finally:
        await database.close()
