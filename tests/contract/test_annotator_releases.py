"""Releases of labels and the frozen pool: the fakes of the unit tests and PostgreSQL, by the same rules."""

import asyncio
from dataclasses import asdict, replace

import pytest

from annotator.adapters.exporters import EXPORTERS
from annotator.adapters.labels import SqlLabels
from annotator.adapters.releases import SqlPool, SqlReleases
from annotator.app import MIGRATIONS
from annotator.domain.release import Selection
from annotator.ports.releases import ReleaseRow
from annotator.usecases.releases import ReleaseDesk, portion_of
from annotator.usecases.verify_releases import Verifier
from touchstone_contracts import identities
from touchstone_contracts.manifests import canonical
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.database import Database
from touchstone_runtime.exported import BlobParts

pytestmark = pytest.mark.real
FAKES = "services/annotator/tests/conftest.py"


class Memory:
    def __init__(self, fakes):
        self.rows = []
        self.releases, self.pool = fakes.MemoryReleases(), fakes.MemoryPool(self.rows)

    async def add(self, label):
        self.rows.append(label)


class Sql:
    def __init__(self, database):
        self.labels = SqlLabels(database.session)
        self.releases, self.pool = SqlReleases(database.session), SqlPool(database.session)

    async def add(self, label):
        await self.labels.add(label)


@pytest.fixture
def fakes(load_module):
    return load_module(FAKES)


@pytest.fixture
async def database(postgres):
    made = Database(postgres, "annotator_releases", MIGRATIONS)
    await made.migrate()
    yield made
    async with made.engine.begin() as connection:
        await connection.exec_driver_sql("DROP SCHEMA annotator_releases CASCADE")
    await made.close()


@pytest.fixture(params=["memory", "sql"])
def world(request, fakes):
    return Memory(fakes) if request.param == "memory" else Sql(request.getfixturevalue("database"))


ALL = Selection()


async def rows_of(world, selection=ALL):
    async with world.pool.freeze(selection) as frozen:
        return (
            [row async for row in frozen.queries()],
            [row async for row in frozen.codes()],
            [row async for row in frozen.labels()],
        )


async def test_a_pool_holds_current_labels_in_order(world, fakes):
    for number in range(7):
        await world.add(
            fakes.judged("a query" if number % 2 else "B query", f"code {number}", (0, 1, None)[number % 3])
        )
    await world.add(fakes.judged("a query", "code 1", 0, method="full-2", licence="MIT"))
    await world.add(fakes.judged("elsewhere", "code x", 1, on_demand=True))
    queries, codes, labels = await rows_of(world)
    assert [row.text for row in sorted(queries, key=lambda row: row.text)] == ["B query", "a query"]
    assert [row.query_id for row in queries] == sorted(row.query_id for row in queries)
    assert [row.function_id for row in codes] == sorted(identities.code_id(f"code {n}", "python") for n in range(7))
    keys = [(row.query_id, row.pair_id) for row in labels]
    assert keys == sorted(keys) and len(set(keys)) == 7
    [again] = [row for row in labels if row.method_id == "full-2"]
    assert again.label == 0
    assert {row.licence for row in codes} == {None, "MIT"}
    assert sum(row.label is None for row in labels) == 2


@pytest.mark.parametrize(
    ("selection", "left"),
    [
        (Selection(languages=("go",)), ["in go"]),
        (Selection(licences=("MIT",)), ["free"]),
        (Selection(decided_by=("person",)), ["by hand"]),
        (Selection(languages=("go",), decided_by=("person",)), []),
    ],
)
async def test_a_selection_takes_rows_of_all_parts(world, fakes, selection, left):
    await world.add(fakes.judged("q1", "in go", 1, language="go"))
    await world.add(fakes.judged("q2", "free", 0, licence="MIT"))
    await world.add(fakes.judged("q3", "by hand", 1, decided_by="person"))
    queries, codes, labels = await rows_of(world, selection)
    assert [row.code for row in codes] == left and len(queries) == len(labels) == len(left)


async def test_pairs_of_taken_queries_and_codes_are_told_whoever_decided(world, fakes):
    for query, code, by in [
        ("q1", "a", "person"),
        ("q2", "b", "person"),
        ("q2", "a", "screener"),
        ("q1", "c", "score"),
    ]:
        await world.add(fakes.judged(query, code, 1, decided_by=by))
    queries, codes, labels = await rows_of(world, Selection(decided_by=("person",)))
    assert len(queries) == 2 and {row.code for row in codes} == {"a", "b"}
    assert sorted(row.decided_by for row in labels) == ["person", "person", "screener"]


async def test_a_code_has_the_licence_that_any_of_its_rows_knows(world, fakes):
    await world.add(fakes.judged("q1", "a", 1))
    await world.add(fakes.judged("q2", "a", 1, licence="MIT"))
    await world.add(fakes.judged("q1", "b", 1))
    _, codes, labels = await rows_of(world, Selection(licences=("MIT",)))
    assert [(row.code, row.licence) for row in codes] == [("a", "MIT")] and len(labels) == 2


async def test_a_code_of_which_rows_know_different_licences_has_none(world, fakes):
    await world.add(fakes.judged("q1", "a", 1, licence="GPL-3.0-only"))
    await world.add(fakes.judged("q2", "a", 1, licence="MIT"))
    await world.add(fakes.judged("q3", "a", 1))
    await world.add(fakes.judged("q1", "b", 1, licence="MIT"))
    _, codes, _ = await rows_of(world)
    assert {row.code: row.licence for row in codes} == {"a": None, "b": "MIT"}
    for licence in ("MIT", "GPL-3.0-only"):
        _, codes, _ = await rows_of(world, Selection(licences=(licence,)))
        assert "a" not in {row.code for row in codes}


async def test_a_code_has_the_licence_that_a_row_knows_which_somebody_else_decided(world, fakes):
    await world.add(fakes.judged("q1", "a", 1, decided_by="person"))
    await world.add(fakes.judged("q2", "a", 1, licence="MIT"))
    for licences in ((), ("MIT",)):
        _, codes, labels = await rows_of(world, Selection(licences=licences, decided_by=("person",)))
        assert [(row.code, row.licence) for row in codes] == [("a", "MIT")] and len(labels) == 1


async def test_codes_with_one_text_are_told(world, fakes):
    for function_id, code, more in [
        ("f1", "def f():\n    return 1", {}),
        ("f2", "    def f():\n        return 1\n", {}),
        ("f3", "def f():\nreturn 1", {}),
        ("f4", "def f():\n    return 1", {"language": "php"}),
    ]:
        await world.add(fakes.judged("q", code, 1, function_id=function_id, **more))
    async with world.pool.freeze(ALL) as frozen:
        found = await frozen.same_text()
    assert found.keys() == {"f1", "f2"} and len(set(found.values())) == 1


async def test_a_name_is_given_once_and_releases_have_an_order(world):
    rows = [ReleaseRow(name, name * 64, "d" * 64, 1, 2, 3) for name in "cab"]
    for row in rows:
        saved, new = await world.releases.save(row)
        assert new and replace(saved, created_at="") == row and saved.created_at
    stands, new = await world.releases.save(replace(rows[0], digest="f" * 64))
    assert not new and stands.digest == rows[0].digest
    assert [row.name for row in await world.releases.all()] == ["c", "a", "b"]
    assert await world.releases.find("x") is None


async def test_what_is_labelled_meanwhile_belongs_to_the_next_release(database, fakes):
    world = Sql(database)
    await world.add(fakes.judged("q", "code 1", 1))
    async with world.pool.freeze(Selection()) as frozen:
        assert len([row async for row in frozen.queries()]) == 1
        await world.add(fakes.judged("r", "code 2", 0))
        await world.add(fakes.judged("q", "code 1", 0, method="full-2"))
        assert [row.code async for row in frozen.codes()] == ["code 1"]
        assert [row.label async for row in frozen.labels()] == [1]
    assert len((await rows_of(world))[2]) == 2


async def test_a_release_of_stored_labels_is_whole(database, fakes, tmp_path):
    blobs, world = BlobStore(f"file://{tmp_path}/blobs"), Sql(database)
    for number in range(25):
        label = fakes.judged(f"query {number % 5}", f"code {number % 9}", (0, 1, None)[number % 3], licence="MIT")
        said = {"pair": asdict(label.pair)}
        said |= {name: getattr(label, name) for name in ("label", "decided_by", "method_id", "reason")}
        await world.add(replace(label, record_digest=await blobs.put(canonical(said))))
    portions = BlobParts(blobs)
    desk = ReleaseDesk(world.pool, world.releases, blobs, portions, EXPORTERS)
    row, _ = await desk.create("a", Selection())
    assert (row.queries, row.codes, row.pairs) == (5, 9, 25)
    manifest = (await desk.show("a")).manifest
    assert [each async for each in Verifier(portions, records=True).verify(manifest) if each.problems] == []
    [portion] = manifest["parts"]["labels"]
    path = tmp_path / "blobs" / portion["digest"][:2] / portion["digest"]
    await asyncio.to_thread(path.write_bytes, b"")
    found = [each async for each in Verifier(portions, records=True).verify(manifest) if each.problems]
    assert found and "has the digest" in found[0].problems[0]
    with pytest.raises(Exception, match="damaged"):
        await portion_of(portions, portion["digest"])
