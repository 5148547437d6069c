"""The retriever's store of generations, in memory and in a real PostgreSQL."""

from __future__ import annotations

import uuid

import pytest

from retriever.adapters.generation_store import SqlGenerationStore
from retriever.app import MIGRATIONS
from touchstone_runtime.database import Database


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def store(request, load_module):
    if request.param == "memory":
        yield load_module("services/retriever/tests/conftest.py").MemoryGenerations()
        return
    schema = f"retriever_{uuid.uuid4().hex[:8]}"
    database = Database(request.getfixturevalue("postgres"), schema, MIGRATIONS, extensions=("vector",))
    await database.migrate()
    yield SqlGenerationStore(database)
    await database.close()
