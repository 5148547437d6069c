"""What codes of an earlier release lack is made anew beside searches: words, digests, and those of twins."""

import uuid

import pytest
import sqlalchemy as sa

from retriever.adapters.pgvector_index import PgvectorIndex
from retriever.adapters.tables import codes
from retriever.app import MIGRATIONS
from retriever.domain.code import SearchFilter
from touchstone_runtime.database import Database

pytestmark = pytest.mark.real


async def test_codes_of_before_get_words_and_twins_once(postgres, made):
    schema = f"retriever_{uuid.uuid4().hex[:8]}"
    database = Database(postgres, schema, MIGRATIONS, extensions=("vector",))
    await database.migrate()
    index = PgvectorIndex(database)
    entries = [made.make_entry(name, 1, code="def same(rows):\n    return rows  # número") for name in "abc"]
    await index.upsert(entries)
    digest = await index.digest(())
    ids = {entry.code.qualname: entry.code.function_id for entry in entries}
    async with database.session() as session:
        await session.execute(sa.update(codes).where(codes.c.function_id == ids["a"]).values(twin="0" * 32))
        await session.execute(
            sa.update(codes).where(codes.c.function_id == ids["b"]).values(words_form="", words="'mero':1")
        )
    assert await index.fill_in() == 2 and await index.fill_in() == 0
    assert {one.twin for one in (await index.listed(list(ids.values()))).values()} == {entries[0].code.twin}
    for word in ("row", "numero"):
        near = await index.near({}, [word], SearchFilter(), 10)
        assert set(near.ids) == set(ids.values())
    await index.close()
    await database.close()
