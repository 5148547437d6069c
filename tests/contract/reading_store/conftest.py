"""The retriever's store of readings, in memory and in a real PostgreSQL with a folder of blobs."""

from __future__ import annotations

import json
import uuid

import pytest

from retriever.adapters.reading_store import SqlReadingStore
from retriever.app import MIGRATIONS
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.database import Database


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def store(request, load_module, tmp_path):
    """The store, and what keeps places and gives their digest."""
    if request.param == "memory":
        memory = load_module("services/retriever/tests/conftest.py").MemoryReadings()

        async def keep(places):
            digest = f"d{len(memory.standing)}"
            memory.standing[digest] = frozenset(places)
            return digest

        yield memory, keep
        return
    schema = f"retriever_{uuid.uuid4().hex[:8]}"
    database = Database(request.getfixturevalue("postgres"), schema, MIGRATIONS, extensions=("vector",))
    await database.migrate()
    blobs = BlobStore(f"file://{tmp_path}")
    yield SqlReadingStore(database, blobs), lambda places: blobs.put(json.dumps(sorted(places)).encode())
    await database.close()
