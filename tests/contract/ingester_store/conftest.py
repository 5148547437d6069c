"""The ingester's store, in memory and in a real PostgreSQL."""

from __future__ import annotations

import importlib.util
import sys
import uuid
from pathlib import Path

import pytest

from ingester.adapters.store import SqlStore
from ingester.app import MIGRATIONS
from touchstone_runtime.database import Database

FAKES = Path(__file__).parents[3] / "services/ingester/tests/conftest.py"


@pytest.fixture(scope="session")
def fakes():
    """The fakes that the ingester's unit tests use: this suite holds them to the real store."""
    spec = importlib.util.spec_from_file_location("ingester_fakes", FAKES)
    module = importlib.util.module_from_spec(spec)
    sys.modules["ingester_fakes"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def store(request, fakes):
    if request.param == "memory":
        yield fakes.MemoryStore()
        return
    database = Database(request.getfixturevalue("postgres"), f"ingester_{uuid.uuid4().hex[:8]}", MIGRATIONS)
    await database.migrate()
    yield SqlStore(database)
    await database.close()
