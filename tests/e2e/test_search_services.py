"""Embedder and retriever as real processes on real Kafka and PostgreSQL: searched, proposed, killed, the same."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request

import grpc
import pytest
from aiokafka import AIOKafkaConsumer
from mcp import Client, StdioServerParameters
from sqlalchemy import make_url

from touchstone.embedder.v1 import embedder_pb2, embedder_pb2_grpc
from touchstone.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from touchstone_contracts.events import Function, FunctionEmbedded, FunctionExtracted, PairProposed, SourceRef
from touchstone_contracts.topics import FUNCTION_EMBEDDED, FUNCTION_EXTRACTED, PAIR_PROPOSED
from touchstone_runtime.bus import Bus
from touchstone_runtime.grpc_server import channel
from touchstone_runtime.settings import ServiceSettings

pytestmark = [pytest.mark.real, pytest.mark.timeout(1200)]

WAIT_S = 300
CODES = {
    "flatten": 'def flatten(nested):\n    """Flatten one level of nesting."""\n'
    "    return [x for row in nested for x in row]",
    "chunked": 'def chunked(items, size):\n    """Split a list into pieces of a fixed size."""\n'
    "    return [items[i:i + size] for i in range(0, len(items), size)]",
    "human_size": 'def human_size(count):\n    """Turn a number of bytes into text like 3.5 MB."""\n'
    "    for unit in 'B', 'kB', 'MB':\n        if count < 1000:\n            return f'{count} {unit}'\n"
    "        count /= 1000",
    "report": "def report(rows):\n    return render_table(rows)",
    "render_table": 'def render_table(rows):\n    """Draw a table with borders."""\n'
    "    return '\\n'.join('|'.join(row) for row in rows)",
}


def function(name: str, version: str, month: int) -> Function:
    source = SourceRef(
        source_id="toolbox",
        source_version_id=f"toolbox-{version}",
        kind="package",
        name="toolbox",
        version=version,
        licence="MIT",
        released_at=f"2026-{month:02}-01T00:00:00Z",
    )
    return Function(
        function_id=f"{name}-{version}",
        source=source,
        path="toolbox/core.py",
        qualname=name,
        name=name,
        line_start=10,
        line_end=12,
        code=CODES[name],
        docstring=CODES[name].split('"""')[1] if '"""' in CODES[name] else "",
        searchable_pair=True,
    )


class Service:
    """One service as a process, which can be killed and started again."""

    def __init__(self, name: str, environment: dict[str, str]):
        with socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", 0))
            other.bind(("127.0.0.1", 0))
            self.grpc = f"127.0.0.1:{one.getsockname()[1]}"
            self.http = f"127.0.0.1:{other.getsockname()[1]}"
        self.name = name
        self._environment = {
            **os.environ,
            **environment,
            "TOUCHSTONE_GRPC_LISTEN": self.grpc,
            "TOUCHSTONE_HTTP_LISTEN": self.http,
        }
        self._process: asyncio.subprocess.Process | None = None

    async def start(self):
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", self.name, env=self._environment, stderr=asyncio.subprocess.DEVNULL
        )
        await until(self._ready)

    async def _ready(self):
        assert self._process is not None and self._process.returncode is None, f"{self.name} ended"
        with contextlib.suppress(urllib.error.URLError, OSError):
            answer = await asyncio.to_thread(urllib.request.urlopen, f"http://{self.http}/ready", timeout=2)
            return answer.status == 200
        return False

    async def end(self, number=signal.SIGTERM):
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)
            await asyncio.wait_for(self._process.wait(), WAIT_S)
        return self._process.returncode if self._process else None


async def until(condition):
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if (value := await condition()) is not False:
            return value
        await asyncio.sleep(0.2)
    raise AssertionError(f"waited {WAIT_S} s in vain")


@pytest.fixture
async def services(request, kafka, postgres, tmp_path):
    environment = {
        "TOUCHSTONE_KAFKA_BOOTSTRAP": kafka,
        "TOUCHSTONE_DATABASE_URL": make_url(postgres).render_as_string(hide_password=False),
        "TOUCHSTONE_BLOB_URL": f"file://{tmp_path}/blobs",
        "TOUCHSTONE_MODELS_DIR": str(tmp_path / "models"),
        "TOUCHSTONE_EMBEDDING_MODELS": '["bow-hash-512", "absent-model"]',
        "TOUCHSTONE_MODELS_FILE": str(tmp_path / "none.toml"),
        **getattr(request, "param", {}),
    }
    embedder = Service("embedder", environment)
    retriever = Service("retriever", {**environment, "TOUCHSTONE_EMBEDDER_ADDRESS": embedder.grpc})
    await asyncio.gather(embedder.start(), retriever.start())
    yield embedder, retriever
    await asyncio.gather(embedder.end(signal.SIGKILL), retriever.end(signal.SIGKILL))


async def proposed(kafka, count):
    """The pairs on the topic, as soon as there are so many messages."""
    consumer = AIOKafkaConsumer(
        PAIR_PROPOSED.name, bootstrap_servers=kafka, auto_offset_reset="earliest", enable_auto_commit=False
    )
    await consumer.start()
    found = []
    try:
        async with asyncio.timeout(WAIT_S):
            while len(found) < count:
                for records in (await consumer.getmany(timeout_ms=300)).values():
                    found += [PairProposed.model_validate_json(record.value) for record in records]
    finally:
        await consumer.stop()
    return found


async def a_model_finds_the_same(address, best):
    """What a model's program gets through `touchstone mcp` is what the service says."""
    environment = {**os.environ, "TOUCHSTONE_RETRIEVER_ADDRESS": address}
    command = StdioServerParameters(command=sys.executable, args=["-m", "touchstone_cli.main", "mcp"], env=environment)
    async with Client(command) as model:

        async def told(tool, **arguments):
            result = await model.call_tool(tool, arguments)
            assert not result.is_error, result.content
            return result.structured_content

        answer = await told("search", query="split a list into pieces of a fixed size", limit=3)
        first = answer["results"][0]
        assert (first["function_id"], first["place"]) == (best.function_id, "toolbox/core.py:10")
        assert answer["indexed"] == len(CODES)
        assert (await told("search", symbol="human_size"))["results"][0]["name"] == "human_size"
        whole = await told("read_function", function_id=best.function_id)
        assert (whole["code"], whole["more_lines"]) == (CODES["chunked"], 0)
        near = await told("find_like_this", function_id=best.function_id)
        assert near["results"] and best.function_id not in {each["function_id"] for each in near["results"]}
        same = await told("find_like_this", code=CODES["chunked"], limit=1)
        assert same["results"][0]["function_id"] == best.function_id
        missing = await model.call_tool("read_function", {"function_id": "nobody"})
        assert missing.is_error and "nobody" in missing.content[0].text


async def test_code_is_found_proposed_and_survives_kills(kafka, services):
    embedder, retriever = services
    bus = Bus(ServiceSettings(kafka_bootstrap=kafka), "search-test")
    await bus.start()
    embedding = channel(embedder.grpc)
    searching = channel(retriever.grpc)
    embed = embedder_pb2_grpc.EmbedderServiceStub(embedding)
    search = retriever_pb2_grpc.RetrieverServiceStub(searching)

    async def find(query, **more):
        request = retriever_pb2.SearchRequest(query=query, **more)
        return await search.Search(request, wait_for_ready=True, timeout=30)

    async def indexed(count):
        async def enough():
            try:
                answer = await find("anything")
            except grpc.aio.AioRpcError:
                return False
            return answer if answer.indexed >= count and answer.index_lag == 0 else False

        return await until(enough)

    try:
        described = await embed.Describe(embedder_pb2.DescribeRequest())
        assert [model.name for model in described.models] == ["bow-hash-512"]
        assert "TOUCHSTONE_EMBEDDING_MODELS" in described.unavailable[0].reason

        first = [FunctionExtracted(function=function(name, "1.0", 1)) for name in CODES]
        await bus.publish_all(FUNCTION_EXTRACTED, first[:2])
        await indexed(1)
        # The rest meets an embedder that is killed in the middle, and takes it in after its restart.
        await bus.publish_all(FUNCTION_EXTRACTED, first[2:])
        await embedder.end(signal.SIGKILL)
        await embedder.start()
        await indexed(len(CODES))

        answer = await find("split a list into pieces of a fixed size", limit=3)
        best = answer.results[0]
        assert (best.location.repository, best.location.version, best.location.qualname) == (
            "toolbox",
            "1.0",
            "chunked",
        )
        assert (best.location.path, best.location.line_start, best.location.line_end) == ("toolbox/core.py", 10, 12)
        assert best.summary == "Split a list into pieces of a fixed size."
        of_part = {part.part: part.value for part in best.explanation}
        assert of_part["bow-hash-512"] > 0.4 and of_part["text"] > 0
        assert answer.indexed == len(CODES) and answer.mode == "plain" and len(answer.results) == 3

        # `report` says nothing about borders itself: the body of its callee was embedded with it.
        names = [result.location.qualname for result in (await find("draw a table with borders", limit=2)).results]
        assert set(names) == {"render_table", "report"}

        await a_model_finds_the_same(retriever.grpc, best)

        augmented = await find("bytes as text", mode="augmented")
        assert augmented.mode == "plain"
        assert augmented.note.startswith("augmented search is not available")

        await bus.publish(FUNCTION_EXTRACTED, FunctionExtracted(function=function("chunked", "2.0", 6)))
        await indexed(len(CODES) + 1)

        async def versions():
            found = [(hit.location.qualname, hit.location.version) for hit in (await find("pieces of a list")).results]
            return found if ("chunked", "2.0") in found else False

        # The store counts it a moment before the memory that searches has taken it in.
        assert ("chunked", "1.0") not in await until(versions)

        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await find("")
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT

        query = retriever_pb2.Query(text="turn a number of bytes into readable text", origin="test")
        asked = retriever_pb2.ImportQueriesRequest(queries=[query], candidates=3)
        query_ids = (await search.ImportQueries(asked)).query_ids
        pairs = await proposed(kafka, 3)
        assert [pair.rank for pair in sorted(pairs, key=lambda pair: pair.rank)] == [1, 2, 3]
        assert {pair.query_id for pair in pairs} == set(query_ids)
        assert min(pairs, key=lambda pair: pair.rank).function.qualname == "human_size"

        await retriever.end(signal.SIGKILL)
        await retriever.start()
        # The index changed since: a query that is known is not proposed for again, and its pool stays.
        await bus.publish(FUNCTION_EXTRACTED, FunctionExtracted(function=function("human_size", "2.0", 6)))
        await indexed(len(CODES) + 2)
        assert (await search.ImportQueries(asked, wait_for_ready=True)).met_before == 1
        assert {pair.event_id for pair in await proposed(kafka, 3)} == {pair.event_id for pair in pairs}

        progress = (await search.Progress(retriever_pb2.ProgressRequest())).progress
        counters = {counter.name: (counter.value, counter.total) for counter in progress.counters}
        assert counters["functions_indexed"] == (len(CODES) + 2, 0)
        assert counters["functions_superseded"] == (2, 0)
        assert counters["queries_answered"] == (1, 1) and counters["pairs_proposed"] == (3, 0)

        assert await embedder.end() == 0
        assert await retriever.end() == 0
    finally:
        await embedding.close()
        await searching.close()
        await bus.stop()


class Searchers:
    """Asks fifty times a second, whatever the answers take, with at most so many in flight; keeps every fault."""

    EVERY_S = 0.02
    MOST = 64

    def __init__(self, stub):
        self.answered, self.faults = 0, []
        self._stub, self._ended = stub, asyncio.Event()
        self._task = asyncio.create_task(self._run())

    async def end(self):
        self._ended.set()
        await self._task

    async def _run(self):
        flying = set()
        while not self._ended.is_set():
            if len(flying) < self.MOST:
                task = asyncio.create_task(self._ask())
                flying.add(task)
                task.add_done_callback(flying.discard)
            await asyncio.sleep(self.EVERY_S)
        await asyncio.gather(*flying)

    async def _ask(self):
        try:
            await self._stub.Search(retriever_pb2.SearchRequest(query="pieces of a list", limit=1), timeout=WAIT_S)
            self.answered += 1
        except grpc.aio.AioRpcError as error:
            self.faults.append(f"{error.code().name}: {error.details()}")


def answered_by(service):
    """How many searches a process has answered."""
    with urllib.request.urlopen(f"http://{service.http}/metrics", timeout=WAIT_S) as answer:
        lines = answer.read().decode().splitlines()
    name = 'touchstone_runtime_rpcs_handled_total{code="OK",method="/touchstone.retriever.v1.RetrieverService/Search"}'
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


async def test_a_rolling_restart_under_searches_loses_none(kafka, services, record_property):
    _, first = services
    second = Service("retriever", first._environment)
    await second.start()
    bus = Bus(ServiceSettings(kafka_bootstrap=kafka), "rolling-test")
    await bus.start()
    searching = channel(f"ipv4:{first.grpc},{second.grpc}")
    stub = retriever_pb2_grpc.RetrieverServiceStub(searching)
    searchers = None

    async def takes_part(service):
        return await asyncio.to_thread(answered_by, service) > 5

    try:
        await bus.publish_all(FUNCTION_EXTRACTED, [FunctionExtracted(function=function("chunked", "3.0", 7))])

        async def found():
            with contextlib.suppress(grpc.aio.AioRpcError):
                request = retriever_pb2.SearchRequest(query="pieces of a list")
                answer = await stub.Search(request, wait_for_ready=True, timeout=WAIT_S)
                return answer.indexed > 0
            return False

        await until(found)
        searchers, began = Searchers(stub), time.monotonic()
        for service in (first, second):
            await until(lambda service=service: takes_part(service))
        for service in (first, second):
            assert await service.end() == 0
            await service.start()
            # The next one goes only when callers have found this one again.
            await until(lambda service=service: takes_part(service))
        await searchers.end()
        # What `make chaos` tells.
        record_property("searches_answered", searchers.answered)
        record_property("searches_failed", len(searchers.faults))
        record_property("seconds", round(time.monotonic() - began, 1))
        assert searchers.faults == []
        assert searchers.answered > 20
    finally:
        if searchers:
            await searchers.end()
        await second.end(signal.SIGKILL)
        await searching.close()
        await bus.stop()


@pytest.mark.parametrize(
    "services",
    [{"TOUCHSTONE_EMBEDDING_MODELS": '["bow-hash-512", "bow-hash-64"]', "TOUCHSTONE_EMBEDDING_REST_S": "8"}],
    indirect=True,
)
async def test_a_second_model_takes_over_with_the_first_when_nothing_new_comes(kafka, services):
    _, retriever = services
    bus = Bus(ServiceSettings(kafka_bootstrap=kafka), "later-test")
    await bus.start()
    searching = channel(retriever.grpc)
    search = retriever_pb2_grpc.RetrieverServiceStub(searching)

    def ours(name, version, month, code):
        made = function(name, version, month)
        source = made.source.model_copy(
            update={"source_id": "bench", "source_version_id": f"bench-{version}", "name": "bench"}
        )
        made = made.model_copy(update={"function_id": f"bench-{name}-{version}", "source": source, "code": code})
        return FunctionExtracted(function=made)

    async def models(count, version):
        """The parts of an answer that so many models gave, as soon as the version is found by them."""

        async def by_so_many():
            asked = retriever_pb2.SearchRequest(
                query="split a list into pieces of a fixed size", limit=1, repository="bench"
            )
            try:
                answer = await search.Search(asked, wait_for_ready=True, timeout=30)
            except grpc.aio.AioRpcError:
                return False
            of_models = {part.part for result in answer.results for part in result.explanation} - {"text", "crowding"}
            found = [(hit.location.qualname, hit.location.version) for hit in answer.results]
            return of_models if len(of_models) == count and found == [("chunked", version)] else False

        return await until(by_so_many)

    async def described():
        return (await search.DescribeIndex(retriever_pb2.DescribeIndexRequest())).index

    try:
        first = [ours(name, "1.0", 1, f"# of the bench\n{code}") for name, code in CODES.items()]
        await bus.publish_all(FUNCTION_EXTRACTED, first)
        assert await models(1, "1.0") == {"bow-hash-512"}
        assert [len(one.models) for one in (await described()).generations if one.active] == [1]
        assert await models(2, "1.0") == {"bow-hash-512", "bow-hash-64"}
        index = await described()
        # Functions of other tests are among them.
        assert index.later.done == index.later.total >= len(first) and list(index.later.models) == ["bow-hash-64"]
        assert {len(one.models): (one.active, one.lacking) for one in index.generations} == {
            1: (False, 0),
            2: (True, 0),
        }
        # What is read again keeps both; what is new is found by one of them, and by both after a while.
        await bus.publish_all(FUNCTION_EXTRACTED, first)
        await bus.publish(FUNCTION_EXTRACTED, ours("chunked", "2.0", 6, f"# again\n{CODES['chunked']}"))
        assert await models(1, "2.0") == {"bow-hash-512"}
        assert [len(one.models) for one in (await described()).generations if one.active] == [2]
        assert await models(2, "2.0") == {"bow-hash-512", "bow-hash-64"}
        said = await last_words(kafka)
        assert {said[f"bench-{name}"] for name in (*(f"{name}-1.0" for name in CODES), "chunked-2.0")} == {2}
    finally:
        await searching.close()
        await bus.stop()


async def last_words(kafka):
    """How many vectors the broker's last word on each function has: what an index would be built from again."""
    consumer = AIOKafkaConsumer(
        FUNCTION_EMBEDDED.name, bootstrap_servers=kafka, auto_offset_reset="earliest", enable_auto_commit=False
    )
    await consumer.start()
    found = {}
    try:
        ends = await consumer.end_offsets(consumer.assignment())
        for place in consumer.assignment():
            await consumer.seek_to_beginning(place)
        async with asyncio.timeout(WAIT_S):
            while any([await consumer.position(place) < end for place, end in ends.items()]):
                for records in (await consumer.getmany(timeout_ms=300)).values():
                    for record in records:
                        event = FunctionEmbedded.model_validate_json(record.value)
                        found[event.function.function_id] = len(event.vectors)
    finally:
        await consumer.stop()
    return found
