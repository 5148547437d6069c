"""Globs, wildcards and patterns that admit more codes than one filter of a real Weaviate's can name."""

import uuid

import pytest

from retriever.adapters import weaviate_index
from retriever.adapters.memory_index import MemoryIndex
from retriever.adapters.weaviate_index import WeaviateIndex
from retriever.domain.code import SearchFilter
from retriever.domain.text import query_terms

pytestmark = pytest.mark.real


@pytest.fixture
async def index(weaviate):
    http, grpc = weaviate
    adapter = WeaviateIndex(http, grpc, collection=f"Code{uuid.uuid4().hex[:8]}")
    yield adapter
    await adapter.close()


@pytest.mark.parametrize("chosen", [{"path": "**"}, {"symbol": "get_*"}, {"pattern": "def get_"}])
async def test_what_is_admitted_is_ranked_whole_wherever_it_stands(index, made, monkeypatch, chosen):
    memory = MemoryIndex()
    # What is nearest, and what holds the rare word, stands last by place.
    entries = [
        made.make_entry(
            f"get_{'rare' if number == 22 else 'one'}_{number:02}",
            vectors={"m": made.toward(80 - 3 * number), "n": made.toward(3 * number)},
            path=f"pkg/{number:02}.py",
        )
        for number in range(23)
    ]
    for one in (memory, index):
        await one.upsert(entries)
    monkeypatch.setattr(weaviate_index, "_MOST_SELECTED", 5)
    query, asked = {"m": made.toward(14), "n": made.toward(66)}, query_terms("get rare")
    for depth in (3, 23):
        expected = await memory.near(query, asked, SearchFilter(**chosen), depth)
        near = await index.near(query, asked, SearchFilter(**chosen), depth)
        assert set(near.ids) == set(expected.ids) and near.text.keys() == expected.text.keys()
        assert near.text == pytest.approx(expected.text, abs=1e-4)
        hits = [hit.code.qualname for hit in await index.search(query, {}, SearchFilter(**chosen), depth)]
        assert hits == [hit.code.qualname for hit in await memory.search(query, {}, SearchFilter(**chosen), depth)]
        assert hits[0] == "get_rare_22"
