"""An index that was wiped is built again from Kafka and the blob store alone: the same top ten, at both stores."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import time
import uuid
from functools import partial

import numpy as np
import pytest

from retriever.adapters.build_store import SqlBuildStore
from retriever.adapters.generation_store import SqlGenerationStore
from retriever.adapters.pgvector_index import PgvectorIndex
from retriever.adapters.reading_store import SqlReadingStore
from retriever.adapters.weaviate_index import WeaviateIndex
from retriever.app import MIGRATIONS
from retriever.domain.code import SearchFilter
from retriever.domain.generations import Described
from retriever.handlers import on_functions_embedded, on_source_ingested
from retriever.ports import Answered, TextRows
from retriever.usecases.generations import GenerationEmbedder, Generations
from retriever.usecases.index import IndexFunctions, SettleSource
from retriever.usecases.plain import PlainSearch
from retriever.usecases.rebuild import RebuildIndex, Stream
from touchstone_contracts.events import FunctionEmbedded, SourceIngested, Vector
from touchstone_contracts.topics import FUNCTION_EMBEDDED, SOURCE_INGESTED
from touchstone_local import kafka as local_kafka
from touchstone_local import weaviate as local_weaviate
from touchstone_local.settings import folders
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.bus import Bus
from touchstone_runtime.database import Database
from touchstone_runtime.kafka_access import KafkaAccess
from touchstone_runtime.rereading import reread
from touchstone_runtime.settings import ServiceSettings
from touchstone_runtime.topic_backup import restore, write

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]

FUNCTIONS = 60
GONE = {"f03", "f17"}


class Model:
    """One model of eight dimensions that knows questions by their number."""

    async def describe(self):
        return Described((("mini", "mini:1"),), "code-1")

    async def embed(self, texts, models, role):
        rows = np.stack([row_of(int(text.split()[-1])) for text in texts])
        return Answered([TextRows("mini", "mini:1", rows)])


def row_of(number):
    row = np.random.default_rng(number).normal(size=8).astype("<f4")
    return row / np.linalg.norm(row)


@pytest.fixture(scope="module")
def made(load_module):
    return load_module("services/retriever/tests/conftest.py")


@pytest.fixture(scope="module")
def weaviate(tmp_path_factory):
    program = local_weaviate.find(folders().cache)
    assert program is not None, "Weaviate is not there: run `make tools`"
    with local_weaviate.start(tmp_path_factory.mktemp("weaviate"), program) as server:
        yield server.http, server.grpc


class Retriever:
    """The retriever's parts over one store and an own schema; nothing of an earlier one is left in either."""

    def __init__(self, kafka, postgres, blobs, http_grpc=None):
        name = f"retriever_{uuid.uuid4().hex[:8]}"
        self.database = Database(postgres, name, MIGRATIONS, extensions=("vector",))
        self.index = WeaviateIndex(*http_grpc, collection=name.title()) if http_grpc else PgvectorIndex(self.database)
        readings = SqlReadingStore(self.database, blobs)
        self.generations = Generations(SqlGenerationStore(self.database), self.index, Model())
        self.take = on_functions_embedded(IndexFunctions(self.index, readings), self.generations)
        self.settle = on_source_ingested(SettleSource(self.index, readings))
        embedder = GenerationEmbedder(self.generations, Model())
        self.search = PlainSearch(self.index, embedder, (), self.generations.active)
        self._kafka = kafka
        self.pages = 0

    def build(self, killed_after=None):
        """A build; it is killed after so many pages of functions."""

        async def take(events):
            if self.pages == killed_after:
                raise ConnectionError("killed")
            self.pages += 1
            await self.take(events)

        async def settle(events):
            for event in events:
                await self.settle(event)

        streams = [
            Stream(topic.name, topic.partitions, partial(reread, KafkaAccess(self._kafka), topic, most=10), handle)
            for topic, handle in ((SOURCE_INGESTED, settle), (FUNCTION_EMBEDDED, take))
        ]
        return RebuildIndex(SqlBuildStore(self.database), self.index, streams)

    async def start(self):
        await self.database.migrate()
        await self.generations.look()
        return self

    async def found(self, package):
        """The top ten of several questions in a package, with everything about their scores."""
        chosen = SearchFilter(repositories=(package,))
        return [(await self.search(f"does thing {n}", chosen))[:10] for n in range(5)]

    async def end(self):
        await self.index.close()
        await self.database.close()


@pytest.fixture
async def written(kafka, made, tmp_path):
    """What a platform published: a package of two versions, the second of which lost two functions."""
    blobs = BlobStore(f"file://{tmp_path}/blobs")
    bus = Bus(ServiceSettings(kafka_bootstrap=kafka, blob_url=f"file://{tmp_path}/blobs"), "rebuild-test")
    await bus.start()
    name = f"pkg{uuid.uuid4().hex[:6]}"
    first, second = (
        made.make_source(name, version, f"2026-0{month}-01T00:00:00Z") for version, month in (("1.0", 1), ("2.0", 2))
    )

    def embedded(number, source):
        function = made.make_function(f"f{number:02}", source=source, docstring=f"Does thing {number}.")
        data = base64.b64encode(row_of(number).tobytes()).decode()
        vector = Vector(model="mini", identity="mini:1", dimensions=8, data=data)
        return FunctionEmbedded(function=function, vectors=(vector,), text_form="code-1")

    async def ingested(source, names, at):
        standing = await blobs.put(json.dumps([["pkg/core.py", each] for each in sorted(names)]).encode())
        return SourceIngested(source=source, state="ingested", standing_digest=standing, occurred_at=at)

    every = [f"f{number:02}" for number in range(FUNCTIONS)]
    await bus.publish_all(FUNCTION_EMBEDDED, [embedded(number, first) for number in range(FUNCTIONS)])
    await bus.publish(SOURCE_INGESTED, await ingested(first, every, "2026-03-01T00:00:00Z"))
    removal = await ingested(second, set(every) - GONE, "2026-03-02T00:00:00Z")
    yield bus, blobs, removal
    await bus.stop()


@pytest.fixture
async def retrievers(kafka, postgres, weaviate, written):
    """Makes a retriever over either store, with nothing but Kafka and the blobs; all are closed at the end."""
    _bus, blobs, _removal = written
    made = []

    async def make(store):
        made.append(await Retriever(kafka, postgres, blobs, weaviate if store == "weaviate" else None).start())
        return made[-1]

    yield make
    for one in made:
        await one.end()


async def living(kafka, retriever):
    """The retriever takes everything in as it comes."""
    consumer = Bus(ServiceSettings(kafka_bootstrap=kafka), f"retriever-{uuid.uuid4().hex[:6]}")
    consumer.consume_batch(FUNCTION_EMBEDDED, retriever.take, max_records=16)
    consumer.consume(SOURCE_INGESTED, retriever.settle)
    await consumer.start()
    return consumer


async def test_a_wiped_index_comes_back_with_the_same_top_ten(kafka, written, retrievers):
    bus, _blobs, removal = written
    lived = {store: await retrievers(store) for store in ("pgvector", "weaviate")}
    consumers = [await living(kafka, retriever) for retriever in lived.values()]
    async with asyncio.timeout(200):
        for retriever in lived.values():
            while (await retriever.index.counts()).indexed < FUNCTIONS:
                await asyncio.sleep(0.1)
        told = time.monotonic()
        await bus.publish(SOURCE_INGESTED, removal)
        for retriever in lived.values():
            while (await retriever.index.counts()).superseded < len(GONE):
                await asyncio.sleep(0.05)
    assert time.monotonic() - told < 10
    await asyncio.gather(*(consumer.stop() for consumer in consumers))
    for store, retriever in lived.items():
        before = await retriever.found(removal.source.name)
        assert all(len(found) == 10 for found in before)
        assert not GONE & {one.function_id.rpartition(":")[2] for found in before for one in found}
        # It is killed in the middle and goes on.
        fresh = await retrievers(store)
        with pytest.raises(ConnectionError):
            await fresh.build(killed_after=3).go_on()
        reached = await fresh.build().report()
        assert reached is not None and 0 < reached.taken < FUNCTIONS + 2
        again = fresh.build()
        # There are codes by now, so nothing begins by itself: it goes on.
        await again.go_on()
        assert await again.report() is None
        # Pages of ten from four partitions, each message once.
        assert fresh.pages <= FUNCTIONS // 10 + 2 * FUNCTION_EMBEDDED.partitions
        assert await fresh.index.counts() == await retriever.index.counts()
        assert await fresh.found(removal.source.name) == before


async def test_an_index_is_built_from_the_topics_of_a_platform_that_was_restored(
    kafka, postgres, weaviate, written, tmp_path
):
    bus, blobs, removal = written
    await bus.publish(SOURCE_INGESTED, removal)
    archive = io.BytesIO()
    await write(ServiceSettings(kafka_bootstrap=kafka), archive)
    archive.seek(0)
    indexes = []
    with local_kafka.start(tmp_path / "fresh") as server:
        await restore(ServiceSettings(kafka_bootstrap=server.bootstrap), archive)
        for bootstrap in (kafka, server.bootstrap):
            built = await Retriever(bootstrap, postgres, blobs, weaviate).start()
            await built.build().go_on()
            counts = await built.index.counts()
            indexes.append((counts.indexed, counts.superseded, await built.found(removal.source.name)))
            await built.end()
    assert indexes[0] == indexes[1]
    indexed, superseded, found = indexes[1]
    assert indexed >= FUNCTIONS - len(GONE) and superseded >= len(GONE) and all(len(one) == 10 for one in found)
