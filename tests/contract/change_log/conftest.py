"""What replicas changed in the index, in memory and in a real PostgreSQL; five changes are kept."""

from __future__ import annotations

import uuid

import pytest

from retriever.adapters.change_log import SqlChangeLog
from retriever.app import MIGRATIONS
from touchstone_runtime.database import Database


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def log(request, load_module):
    if request.param == "memory":
        yield load_module("services/retriever/tests/conftest.py").MemoryChanges(5)
        return
    schema = f"retriever_{uuid.uuid4().hex[:8]}"
    database = Database(request.getfixturevalue("postgres"), schema, MIGRATIONS, extensions=("vector",))
    await database.migrate()
    yield SqlChangeLog(database, 5)
    await database.close()
