"""The retriever's index behind its port: in memory, in a real PostgreSQL (both searches), in a real Weaviate."""

from __future__ import annotations

import uuid

import pytest

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


ADAPTERS = ["memory", *(pytest.param(name, marks=pytest.mark.real) for name in ("exact", "hnsw", "weaviate"))]


@pytest.fixture(params=ADAPTERS)
async def index(request):
    if request.param == "memory":
        yield MemoryIndex()
    elif request.param == "weaviate":
        http, grpc = request.getfixturevalue("weaviate")
        adapter = WeaviateIndex(http, grpc, collection=f"Code{uuid.uuid4().hex[:8]}")
        yield adapter
        await adapter.close()
    else:
        schema = f"retriever_{uuid.uuid4().hex[:8]}"
        database = Database(request.getfixturevalue("postgres"), schema, MIGRATIONS, extensions=("vector",))
        await database.migrate()
        adapter = PgvectorIndex(database, search=request.param)
        yield adapter
        await adapter.close()
        await database.close()
