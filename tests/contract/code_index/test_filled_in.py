"""What codes of an earlier release lack is made anew beside searches: words, digests, and those of twins."""

import asyncio
import uuid
from dataclasses import replace

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import TSVECTOR

from retriever.adapters.pg_rows import columns_of
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
        await session.execute(sa.update(codes).where(codes.c.function_id == ids["c"]).values(digest=0))
    bare = await index.digest(())
    assert await index.fill_in() == 3 and await index.fill_in() == 0
    assert await index.digest(()) == digest != bare
    assert {one.twin for one in (await index.listed(list(ids.values()))).values()} == {entries[0].code.twin}
    for word in ("row", "numero"):
        near = await index.near({}, [word], SearchFilter(), 10)
        assert set(near.ids) == set(ids.values())
    await index.close()
    await database.close()


async def test_what_is_written_beside_the_filling_in_stays(postgres, made):
    schema = f"retriever_{uuid.uuid4().hex[:8]}"
    database = Database(postgres, schema, MIGRATIONS, extensions=("vector",))
    await database.migrate()
    index = PgvectorIndex(database)
    before, after = (made.make_entry("a", 1, code=f"def same(rows):\n    return {word}") for word in ("rows", "pears"))
    # The same function, read again by a newer release of the one who read it.
    after = replace(after, code=replace(after.code, function_id=before.code.function_id))
    await index.upsert([after])
    digest = await index.digest(())
    await index.upsert([before])
    async with database.session() as session:
        await session.execute(sa.update(codes).values(words_form="", digest=0))
    async with database.session() as session:
        # Held until the other has read the row as it was, and waits to write it.
        await session.execute(sa.update(codes).values(columns_of(after.code) | {"words": cast_words(after)}))
        filling = asyncio.create_task(index.fill_in())
        await until_waiting(database)
    await filling
    assert await index.digest(()) == digest
    assert (await index.near({}, ["pear"], SearchFilter(), 10)).ids == {before.code.function_id}
    assert await index.fill_in() == 0
    await index.close()
    await database.close()


def cast_words(entry):
    return sa.cast(columns_of(entry.code)["words"], TSVECTOR)


async def until_waiting(database):
    asked = sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted AND pid != pg_backend_pid()")
    for _ in range(200):
        async with database.session() as session:
            if (await session.execute(asked)).scalar_one():
                return
        await asyncio.sleep(0.05)
    raise AssertionError("nobody waits")
