"""An index in Weaviate as the release before generations wrote it: counted, added to, and let go of like any other."""

import uuid

import pytest
import weaviate as client
from weaviate.classes.data import DataObject

from retriever.adapters.memory_index import MemoryIndex
from retriever.adapters.weaviate_index import WeaviateIndex
from retriever.adapters.weaviate_objects import (
    object_id,
    properties_of,
    schema,
    text_settings,
    vector_config,
    vector_name,
)
from retriever.domain.code import SearchFilter

pytestmark = pytest.mark.real
# Properties that objects of that release do not have.
LATER = ("spaces", "words_form", "digest_high", "digest_low")


async def written_before(http, grpc, name, entries):
    """A collection without spaces and digests of its codes, and with words that were cut at every accent."""
    (host, port), (grpc_host, grpc_port) = http.split(":"), grpc.split(":")
    server = client.use_async_with_custom(
        http_host=host, http_port=int(port), http_secure=False,
        grpc_host=grpc_host, grpc_port=int(grpc_port), grpc_secure=False, skip_init_checks=True,
    )  # fmt: skip
    await server.connect()
    try:
        collection = await server.collections.create(
            name,
            properties=[one for one in schema() if one.name not in LATER],
            vector_config=[vector_config(vector_name("mini"))],
            inverted_index_config=text_settings(),
        )
        for entry in entries:
            properties = properties_of(entry, superseded=False) | {"words": "mero"}
            kept = {key: value for key, value in properties.items() if key not in LATER}
            rows = {vector_name(key): row.tolist() for key, row in entry.vectors.items()}
            answer = await collection.data.insert_many(
                [DataObject(uuid=object_id(entry.code.function_id), properties=kept, vector=rows)]
            )
            assert not answer.has_errors
    finally:
        await server.close()


async def test_codes_of_before_are_counted_and_go_on(weaviate, made):
    name = f"Old{uuid.uuid4().hex[:8]}"
    code = "def f(): ...  # número"
    entries = [made.make_entry(f"f{degrees}", degrees, models=("mini",), code=code) for degrees in (10, 20, 30)]
    await written_before(*weaviate, f"{name}_2", entries)
    index = WeaviateIndex(*weaviate, collection=name)
    try:
        assert await index.spaces() == {"mini"} and (await index.counts()).indexed == 3
        bare = await index.digest(["mini"])
        assert await index.fill_in() == 3 and await index.fill_in() == 0
        same = MemoryIndex()
        await same.upsert(entries)
        assert await index.digest(["mini"]) == await same.digest(["mini"]) != bare
        assert len((await index.near({}, ["numero"], SearchFilter(), 5)).ids) == 3
        assert await index.lacking(["mini"]) == 0 and await index.lacking(["big:1@code-1"]) == 3
        await index.upsert([made.make_entry("f10", 80, models=("big:1@code-1",))])
        assert await index.lacking(["mini"]) == 0 and await index.lacking(["mini", "big:1@code-1"]) == 2
        hits = await index.search({"mini": made.toward(0)}, {}, SearchFilter(), 5)
        assert [hit.code.qualname for hit in hits] == ["f10", "f20", "f30"]
        assert await index.forget(["mini"]) == 3 and await index.spaces() == {"big:1@code-1"}
    finally:
        await index.close()
