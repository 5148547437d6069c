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
    entries = [made.make_entry(name, 1, code="def same(rows):\n    return rows") for name in "abc"]
    await index.upsert(entries)
    digest = await index.digest(())
    ids = {entry.code.qualname: entry.code.function_id for entry in entries}
    async with database.session() as session:
        await session.execute(sa.update(codes).where(codes.c.function_id == ids["a"]).values(twin="0" * 32))
        await session.execute(sa.update(codes).where(codes.c.function_id == ids["b"]).values(length=0, words=""))
        await session.execute(sa.update(codes).where(codes.c.function_id == ids["c"]).values(digest=0))
    bare = await index.digest(())
    assert await index.fill_in() == 3 and await index.fill_in() == 0
    assert await index.digest(()) == digest != bare
    assert {one.twin for one in (await index.listed(list(ids.values()))).values()} == {entries[0].code.twin}
    near = await index.near({}, ["row"], SearchFilter(), 10)
    assert set(near.ids) == set(ids.values())
    await index.close()
    await database.close()
