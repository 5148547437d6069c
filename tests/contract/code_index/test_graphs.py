"""PostgreSQL makes graphs of spaces that have grown large, beside whoever searches and writes."""

import asyncio
import uuid

import numpy as np
import pytest
import sqlalchemy as sa

from retriever.adapters.memory_index import MemoryIndex
from retriever.adapters.pg_near import PgNear, graph_name
from retriever.adapters.pg_rows import conditions
from retriever.adapters.pg_text import PgText
from retriever.adapters.pgvector_index import PgvectorIndex
from retriever.app import MIGRATIONS
from retriever.domain.code import SearchFilter
from retriever.domain.text import query_terms
from retriever.domain.versions import Reading
from touchstone_runtime.database import Database

pytestmark = pytest.mark.real
KEY = "mini:1@code-1"


@pytest.fixture
async def database(postgres):
    made = Database(postgres, f"retriever_{uuid.uuid4().hex[:8]}", MIGRATIONS, extensions=("vector",))
    await made.migrate()
    yield made
    await made.close()


@pytest.fixture
async def index(database):
    made = PgvectorIndex(database, graph_from=300)
    yield made
    await made.close()


async def valid(database, name):
    query = sa.text("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)")
    async with database.session() as session:
        return (await session.execute(query, {"name": f'"{name}"'})).scalar()


async def test_a_space_that_grew_gets_a_graph_and_finds_the_same(database, index, made):
    rows = np.random.default_rng(3).normal(size=(400, 24)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    sources = [made.make_source(f"p{number}") for number in range(20)]
    entries = [
        made.make_entry(f"f{number:03}", vectors={KEY: row}, source=sources[number % 20])
        for number, row in enumerate(rows)
    ]
    memory = MemoryIndex()
    await memory.upsert(entries)
    await index.upsert(entries[:200])
    await index.tend()
    assert await valid(database, graph_name(KEY, 24)) is None
    await index.upsert(entries[200:])
    await index.tend()
    assert await valid(database, graph_name(KEY, 24)) is True
    for chosen in (SearchFilter(), SearchFilter(repositories=("p7",)), SearchFilter(symbol="f1*")):
        query = {KEY: rows[17]}
        found, expected = await index.near(query, [], chosen, 10), await memory.near(query, [], chosen, 10)
        assert found.ids == expected.ids
        cosines = {one: float(rows[int(one[-3:])] @ rows[17]) for one in found.ids}
        assert dict(found.cosines[KEY]) == pytest.approx(cosines, abs=1e-5)
        hits = [await one.search(query, {}, chosen, 10) for one in (index, memory)]
        assert [hit.code for hit in hits[0]] == [hit.code for hit in hits[1]]
    # Another replica, and a later start, find the graph.
    other = PgvectorIndex(database, graph_from=300)
    await other.tend()
    assert (await other.near({KEY: rows[17]}, [], SearchFilter(), 10)).ids
    await other.close()
    await index.forget([KEY])
    assert await valid(database, graph_name(KEY, 24)) is None
    assert (await index.near({KEY: rows[17]}, [], SearchFilter(), 10)).ids == frozenset()


async def test_a_graph_that_was_broken_off_is_made_anew(database, index, made):
    entries = [made.make_entry(f"f{number:03}", number / 10, models=(KEY,)) for number in range(300)]
    await index.upsert(entries)
    await index.tend()
    async with database.session() as session:
        broken = sa.text("UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(:name)")
        await session.execute(broken, {"name": f'"{graph_name(KEY, 2)}"'})
    fresh = PgvectorIndex(database, graph_from=300)
    await fresh.tend()
    assert await valid(database, graph_name(KEY, 2)) is True
    await fresh.close()


async def test_the_best_by_text_are_the_same_however_few_codes_are_scored_at_first(database, index, made):
    words = ["date", "line", "header", "value", "socket"]
    entries = [
        made.make_entry(
            f"f{number:03}",
            number / 10,
            code=f"def f{number:03}(raw):\n    "
            + " ".join(words[place] for place in range(5) if number % (place + 2) == 0),
        )
        for number in range(300)
    ]
    memory = MemoryIndex()
    await memory.upsert(entries)
    await index.upsert(entries)
    near = PgNear(database)
    for question in ("date", "socket value", "header line date socket value", "date raw"):
        expected = await memory.near({}, query_terms(question), SearchFilter(), 10)
        for first_scored in (1, 60, 1000):
            text = PgText(near.reader, first_scored)
            found = await text.best(query_terms(question), sa.and_(*conditions(SearchFilter())), 10)
            assert found == pytest.approx(dict(expected.text), abs=2e-6)
    await near.close()


async def test_what_is_read_goes_on_after_its_connections_were_ended(database, index, made):
    await index.upsert([made.make_entry("f", 10)])
    query = {"m": made.toward(0)}
    ended = sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = :name")

    async def end() -> int:
        async with database.session() as session:
            found = await session.execute(ended, {"name": f"{database.schema} reads"})
            return len(found.scalars().all())

    assert (await index.near(query, [], SearchFilter(), 5)).ids
    assert await end() == 1
    # While some are being lent, asked or given back, too.
    for _ in range(30):
        *found, _gone = await asyncio.gather(*(index.near(query, [], SearchFilter(), 5) for _ in range(8)), end())
        assert all(near.ids for near in found)


async def test_what_is_kept_of_a_narrow_filter_is_as_new_as_the_index(database, index, made):
    sources = [made.make_source(f"p{number}") for number in range(4)]
    await index.upsert(
        [
            made.make_entry(f"f{number:03}", number / 10, models=(KEY,), source=sources[number % 4])
            for number in range(400)
        ]
    )
    await index.tend()
    assert await valid(database, graph_name(KEY, 2)) is True
    query, chosen = {KEY: made.toward(0)}, SearchFilter(repositories=("p1",))

    async def nearest():
        near = await index.near(query, [], chosen, 3)
        return {one.rpartition(":")[2]: cosine for one, cosine in near.cosines[KEY].items()}

    first = await nearest()
    assert set(first) == {"f001", "f005", "f009"}
    # From the second time on they come from memory.
    for _ in range(3):
        assert await nearest() == pytest.approx(first, abs=2e-6)
    other = PgvectorIndex(database, graph_from=300)
    await other.upsert([made.make_entry("nearer", 0.05, models=(KEY,), source=sources[1])])
    for _ in range(3):
        assert set(await nearest()) == {"nearer", "f001", "f005"}
    # The newest version of the source holds nothing: all of it is replaced.
    gone = Reading("p1-2.0", frozenset({sources[1].source_version_id}), frozenset())
    assert await other.settle(sources[1].source_id, gone) == 101
    for _ in range(3):
        assert await nearest() == {}
    await other.close()
