"""The ingester's store, in memory and in a real PostgreSQL."""

from __future__ import annotations

import uuid

import pytest

from ingester.adapters.store import SqlStore
from ingester.app import MIGRATIONS
from touchstone_runtime.database import Database


@pytest.fixture(scope="session")
def fakes(load_module):
    """The fakes that the ingester's unit tests use: this suite holds them to the real store."""
    return load_module("services/ingester/tests/conftest.py")


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def store(request, fakes):
    if request.param == "memory":
        yield fakes.MemoryStore()
        return
    database = Database(request.getfixturevalue("postgres"), f"ingester_{uuid.uuid4().hex[:8]}", MIGRATIONS)
    await database.migrate()
    yield SqlStore(database)
    await database.close()
