"""How far a build of the index is, in memory and in a real PostgreSQL."""

from __future__ import annotations

import uuid

import pytest

from retriever.adapters.build_store import SqlBuildStore
from retriever.app import MIGRATIONS
from touchstone_runtime.database import Database


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def store(request, load_module):
    if request.param == "memory":
        yield load_module("services/retriever/tests/conftest.py").MemoryBuilds()
        return
    schema = f"retriever_{uuid.uuid4().hex[:8]}"
    database = Database(request.getfixturevalue("postgres"), schema, MIGRATIONS, extensions=("vector",))
    await database.migrate()
    yield SqlBuildStore(database)
    await database.close()
