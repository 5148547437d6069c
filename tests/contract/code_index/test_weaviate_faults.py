"""A Weaviate that is away is a fault with a name, and passes."""

import pytest

from retriever.adapters.weaviate_index import WeaviateIndex, vector_name
from retriever.domain.code import SearchFilter
from retriever.errors import IndexUnavailableError


async def test_a_server_that_is_away_is_named(made):
    index = WeaviateIndex("127.0.0.1:9", "127.0.0.1:10")
    with pytest.raises(IndexUnavailableError, match="TOUCHSTONE_CODE_INDEX=pgvector"):
        await index.search({"m": made.toward(0)}, {}, SearchFilter(), 5)
    assert "127.0.0.1:9" in await index.ready()
    await index.close()


def test_like_names_of_models_stay_apart():
    assert vector_name("a-b") != vector_name("a_b")
    assert vector_name("org/model.v2").replace("_", "").isalnum()
