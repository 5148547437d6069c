"""The embedder's store of functions, in memory and in a real PostgreSQL."""

from __future__ import annotations

import uuid

import pytest

from embedder.adapters.sql_store import SqlFunctionStore
from embedder.app import MIGRATIONS
from touchstone_runtime.database import Database


@pytest.fixture(scope="session")
def fakes(load_module):
    """The fakes that the embedder's unit tests use: this suite holds them to the real store."""
    return load_module("services/embedder/tests/conftest.py")


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def store(request, fakes):
    if request.param == "memory":
        yield fakes.MemoryFunctionStore()
        return
    database = Database(request.getfixturevalue("postgres"), f"embedder_{uuid.uuid4().hex[:8]}", MIGRATIONS)
    await database.migrate()
    yield SqlFunctionStore(database)
    await database.close()
