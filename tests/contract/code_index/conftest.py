"""The retriever's index behind its port: in memory, in a real PostgreSQL (both searches), in a real Weaviate."""

from __future__ import annotations

import contextlib
import uuid

import pytest

from retriever.adapters.held_index import HeldIndex
from retriever.adapters.memory_index import MemoryIndex
from retriever.adapters.pgvector_index import PgvectorIndex
from retriever.adapters.weaviate_index import WeaviateIndex
from retriever.app import MIGRATIONS
from touchstone_local import weaviate as local_weaviate
from touchstone_local.settings import folders
from touchstone_runtime.database import Database


@pytest.fixture(scope="session")
def made(load_module):
    """The makers that the retriever's unit tests use."""
    return load_module("services/retriever/tests/conftest.py")


@pytest.fixture(scope="session")
def weaviate(tmp_path_factory):
    """A real Weaviate; gives host:port of HTTP and of gRPC."""
    program = local_weaviate.find(folders().cache)
    assert program is not None, "Weaviate is not there: run `make tools`"
    with local_weaviate.start(tmp_path_factory.mktemp("weaviate"), program) as server:
        yield server.http, server.grpc


STORES = ("exact", "hnsw", "weaviate")
# An index that holds codes in memory does the same over every store.
HELD = ("held-exact", "held-weaviate")
ADAPTERS = ["memory", "held-memory", *(pytest.param(name, marks=pytest.mark.real) for name in (*STORES, *HELD))]


@pytest.fixture(params=ADAPTERS)
async def index(request, made):
    store = request.param.removeprefix("held-")
    async with opened(request, store) as adapter:
        if "held-" not in request.param:
            yield adapter
            return
        over = HeldIndex(adapter, made.MemoryChanges(), 2**26)
        await over.follow()
        yield over
        # Whoever let go of a space reads all of it again.
        await over.follow()
        assert "codes in" in over.state
        await over.close()


@contextlib.asynccontextmanager
async def opened(request, store):
    """The adapter of a store, on a real server where it has one."""
    if store == "memory":
        yield MemoryIndex()
    elif store == "weaviate":
        http, grpc = request.getfixturevalue("weaviate")
        adapter = WeaviateIndex(http, grpc, collection=f"Code{uuid.uuid4().hex[:8]}")
        yield adapter
        await adapter.close()
    else:
        schema = f"retriever_{uuid.uuid4().hex[:8]}"
        database = Database(request.getfixturevalue("postgres"), schema, MIGRATIONS, extensions=("vector",))
        await database.migrate()
        adapter = PgvectorIndex(database, search=store)
        yield adapter
        await adapter.close()
        await database.close()
