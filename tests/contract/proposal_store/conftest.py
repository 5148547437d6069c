"""The retriever's store of proposals, in memory and in a real PostgreSQL."""

from __future__ import annotations

import importlib.util
import uuid
from pathlib import Path

import pytest

from retriever.adapters.proposal_store import SqlProposalStore
from retriever.app import MIGRATIONS
from touchstone_runtime.database import Database

FAKES = Path(__file__).parents[3] / "services/retriever/tests/conftest.py"


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def store(request):
    if request.param == "memory":
        spec = importlib.util.spec_from_file_location("retriever_fakes", FAKES)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module.MemoryProposals()
        return
    schema = f"retriever_{uuid.uuid4().hex[:8]}"
    database = Database(request.getfixturevalue("postgres"), schema, MIGRATIONS, extensions=("vector",))
    await database.migrate()
    yield SqlProposalStore(database)
    await database.close()
