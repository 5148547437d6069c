"""Replicas of the retriever share one database: what one has counted, another may have outdated."""

import uuid

import pytest

from retriever.adapters.pgvector_index import PgvectorIndex
from retriever.app import MIGRATIONS
from retriever.domain.code import SearchFilter
from retriever.domain.text import query_terms
from touchstone_runtime.database import Database


@pytest.mark.real
async def test_a_replica_that_was_asked_before_there_was_any_code_finds_what_another_takes_in(postgres, made):
    database = Database(postgres, f"retriever_{uuid.uuid4().hex[:8]}", MIGRATIONS, extensions=("vector",))
    await database.migrate()
    asked, written = PgvectorIndex(database), PgvectorIndex(database)

    async def found(question):
        return set((await asked.near({}, query_terms(question), SearchFilter(), 10)).text)

    assert await found("dates") == set()
    await written.upsert(
        [made.make_entry(f"read_{name}", 10, code=f"def read_{name}(raw): ...") for name in ("date", "line")]
    )
    # What was counted a moment ago may be believed for another; a word that was not asked for is counted now.
    near = await asked.near({}, query_terms("line"), SearchFilter(), 10)
    assert set(near.text) == {"shapes-1.0:read_line"} and min(near.text.values()) > 0
    assert await found("read date") == {"shapes-1.0:read_date", "shapes-1.0:read_line"}
    await database.close()
