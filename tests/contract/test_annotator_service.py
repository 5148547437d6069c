"""The annotator as a process, killed or stopped in the middle of its work: it ends as an undisturbed run would have."""

import asyncio
import contextlib
import subprocess
import sys
import uuid
from pathlib import Path

import grpc
import httpx
import pytest
import sqlalchemy as sa
from aiokafka import AIOKafkaConsumer

from annotator.adapters.labels import SqlLabels
from annotator.adapters.model import RuntimeModel
from annotator.adapters.sandbox import GrpcSandbox, SandboxLimits
from annotator.adapters.tables import POOL_SPENDING
from annotator.app import MIGRATIONS
from annotator.settings import AnnotatorSettings
from annotator.usecases.judging import Judge
from touchstone.annotator.v1 import annotator_pb2 as pb
from touchstone.annotator.v1 import annotator_pb2_grpc as rpc
from touchstone_contracts.events import Function, PairLabelled, PairProposed, SourceRef
from touchstone_contracts.topics import PAIR_LABELLED, PAIR_PROPOSED
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.bus import Bus
from touchstone_runtime.database import Database
from touchstone_runtime.llm import LlmClient, MemoryLedger, SqlLedger

pytestmark = pytest.mark.real

ROOT = Path(__file__).resolve().parents[2]
PAIRS = 8
# The endpoint of the end-to-end tests, with answers of its own where a test is asked for.
ENDPOINT = """
import asyncio, json, sys
sys.path.insert(0, sys.argv[1])
from fake_llm import FakeLlm

TEST = {
    "interpretation": "turns a text around",
    "cases": [{"args": ["ab"], "expected": "ba"}, {"args": [""], "check": "result == ''"}],
}

def write_test(body):
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    return json.dumps(TEST) if "cases" in schema.get("properties", {}) else None

async def main():
    async with FakeLlm(delay_s=float(sys.argv[2]), rules=[write_test]).serve() as url:
        print(url, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""
# Every verdict of the screener is put to the test, so that each pair goes through the sandbox.
METHOD = {"TOUCHSTONE_ANNOTATOR_TRUSTED": "none", "TOUCHSTONE_ANNOTATOR_MAX_TRIES": "1"}


@contextlib.contextmanager
def process(*command, folder, name, environment=None):
    with (folder / f"{name}.log").open("ab") as log:
        started = subprocess.Popen(
            [sys.executable, *command], cwd=folder, stdout=subprocess.PIPE, stderr=log, env=environment
        )
    try:
        yield started
    finally:
        started.kill()
        started.wait(120)


@pytest.fixture
def delay_s():
    """How long the model takes for an answer."""
    return 0.1


@pytest.fixture
def endpoint(tmp_path, delay_s):
    script = tmp_path / "endpoint.py"
    script.write_text(ENDPOINT)
    with process(script, ROOT / "tests/e2e", str(delay_s), folder=tmp_path, name="llm") as llm:
        yield llm.stdout.readline().decode().strip()


@pytest.fixture
def executor(tmp_path):
    address = f"unix:{tmp_path}/s"
    command = ("-m", "sandbox_executor", "serve", "--listen", address, "--no-broker")
    with process(*command, folder=tmp_path, name="sandbox"):
        with grpc.insecure_channel(address) as channel:
            grpc.channel_ready_future(channel).result(300)
        yield address


@pytest.fixture
def environment(kafka, postgres, endpoint, executor, tmp_path):
    return {
        "PATH": "/usr/bin:/bin",
        "TOUCHSTONE_KAFKA_BOOTSTRAP": kafka,
        "TOUCHSTONE_DATABASE_URL": postgres,
        "TOUCHSTONE_BLOB_URL": f"file://{tmp_path}/blobs",
        "TOUCHSTONE_MODELS_FILE": str(ROOT / "models.toml"),
        "TOUCHSTONE_LLM_BASE_URL": endpoint,
        "TOUCHSTONE_SANDBOX_ADDRESS": executor,
        "TOUCHSTONE_GRPC_LISTEN": f"unix:{tmp_path}/a",
        **METHOD,
    }


@pytest.fixture
async def labels(postgres):
    database = Database(postgres, "annotator", MIGRATIONS)
    await database.migrate()
    yield SqlLabels(database.session)
    async with database.engine.begin() as connection:
        await connection.exec_driver_sql("DROP SCHEMA annotator CASCADE")
    await database.close()


def proposals(mark):
    source = SourceRef(source_id="s", source_version_id="v", kind="package", name="boltons", version="1")
    for number in range(PAIRS):
        function = Function(
            function_id=f"f{number}", source=source, path="a.py", qualname="rev", name="rev", line_start=1, line_end=2,
            code=f"def rev(x):\n    return x[::-1] * {number}",
        )  # fmt: skip
        yield PairProposed(
            pair_id=f"{mark}-{number}", query_id="q", query="reverse", function=function, rank=1, score=0.5
        )


async def labelled(kafka, mark):
    """Every event about our pairs, from the beginning."""
    consumer = AIOKafkaConsumer(PAIR_LABELLED.name, bootstrap_servers=kafka, auto_offset_reset="earliest")
    await consumer.start()
    try:
        found = []
        while batches := await consumer.getmany(timeout_ms=1000):
            found += [PairLabelled.model_validate_json(record.value) for batch in batches.values() for record in batch]
        return [event for event in found if event.pair_id.startswith(mark)]
    finally:
        await consumer.stop()


async def until(labels, mark, count):
    async with asyncio.timeout(600):
        while True:
            mine = [label for label in await labels.newest(1000) if label.pair.pair_id.startswith(mark)]
            if len(mine) >= count:
                return mine
            await asyncio.sleep(0.1)


async def undisturbed(pairs, environment, tmp_path):
    """The digests of the records that come out when nobody dies."""
    named = {name.removeprefix("TOUCHSTONE_").lower(): value for name, value in environment.items()}
    settings = AnnotatorSettings(**{**named, "blob_url": f"file://{tmp_path}/other"})
    client, blobs = LlmClient.from_settings(settings, MemoryLedger()), BlobStore(settings.blob_url)
    async with grpc.aio.insecure_channel(settings.sandbox_address) as channel:
        limits = SandboxLimits(
            settings.annotator_case_timeout_s, settings.annotator_program_timeout_s, settings.annotator_memory_bytes
        )
        judge = Judge(RuntimeModel(client), GrpcSandbox(channel, limits), settings.method())
        records = [await judge.judge(pair) for pair in pairs]
    await client.close()
    return {record.pair.pair_id: await blobs.put(record.to_bytes()) for record in records}


@pytest.mark.timeout(400)
async def test_killed_in_the_middle(kafka, environment, labels, tmp_path):
    mark = uuid.uuid4().hex[:8]
    named = {"kafka_bootstrap": kafka}
    bus = Bus(AnnotatorSettings(**named), f"proposer-{mark}")
    await bus.start()
    annotator = {"folder": tmp_path, "name": "annotator", "environment": environment}
    try:
        with process("-m", "annotator", **annotator):
            await bus.publish_all(PAIR_PROPOSED, list(proposals(mark)))
            before = await until(labels, mark, 2)
        assert len(before) < PAIRS, "the service was killed too late to prove anything"
        with process("-m", "annotator", **annotator) as second:
            stored = await until(labels, mark, PAIRS)
            answer = await on_demand(environment["TOUCHSTONE_GRPC_LISTEN"])
            second.terminate()
            await asyncio.to_thread(second.wait, 40)
            assert second.returncode == 0, "it stops gracefully"
    finally:
        await bus.stop()
    events = await labelled(kafka, mark)
    assert {event.pair_id for event in events} == {f"{mark}-{number}" for number in range(PAIRS)}
    said = {event.model_dump_json(exclude={"trace_id"}) for event in events}
    assert len(said) == PAIRS, "a pair that was announced twice was announced in the same words"
    assert len(stored) == PAIRS
    # The database row keeps no imports; our pairs have none.
    expected = await undisturbed([label.pair for label in stored], environment, tmp_path)
    assert {label.pair.pair_id: label.record_digest for label in stored} == expected
    assert {step.name for label in stored for step in label.steps} >= {
        "test_program",
        "execution",
        "arbiter",
        "checker",
    }
    assert sorted(label.executed for label in stored) == [True] * PAIRS and not any(
        label.self_reported for label in stored
    )
    assert answer.label in (0, 1) and answer.steps


@pytest.mark.timeout(400)
@pytest.mark.parametrize("delay_s", [1.5])
async def test_stopped_while_the_model_answers_it_asks_nothing_twice(kafka, environment, labels, postgres, tmp_path):
    mark, few = uuid.uuid4().hex[:8], 3
    bus = Bus(AnnotatorSettings(kafka_bootstrap=kafka), f"proposer-{mark}")
    await bus.start()
    annotator = {"folder": tmp_path, "name": "annotator", "environment": environment}
    place = environment["TOUCHSTONE_LLM_BASE_URL"].removesuffix("/v1")

    async def stop(service):
        service.terminate()
        await asyncio.to_thread(service.wait, 40)
        assert service.returncode == 0

    async with httpx.AsyncClient(base_url=place, trust_env=False) as client:

        async def asked():
            return (await client.get("/stats")).json()

        try:
            await bus.publish_all(PAIR_PROPOSED, list(proposals(mark))[:few])
            answered = 0
            for _ in range(2):
                with process("-m", "annotator", **annotator) as service:
                    async with asyncio.timeout(300):
                        while (await asked())["questions"] < answered + 2:
                            await asyncio.sleep(0.05)
                    # The next questions are on their way by now.
                    await asyncio.sleep(0.5)
                    await stop(service)
                answered = (await asked())["questions"]
                await asyncio.sleep(2.0)
                assert (await asked())["questions"] == answered, "a model answers, and nobody is there any more"
            assert len([each for each in await labels.newest(9) if each.pair.pair_id.startswith(mark)]) < few
            with process("-m", "annotator", **annotator) as service:
                await until(labels, mark, few)
                await stop(service)
            told = await asked()
        finally:
            await bus.stop()
    assert told["questions"] == told["different"] > answered
    assert len(await labelled(kafka, mark)) == few
    database = Database(postgres, "annotator", MIGRATIONS)
    async with database.session() as session:
        (spending,) = (await session.execute(sa.select(POOL_SPENDING))).all()
    booked = await SqlLedger(database.session).spent()
    await database.close()
    assert booked.calls == told["questions"] and spending.pairs == few
    assert spending.tokens == booked.tokens_in + booked.tokens_out, "all that was set aside came back"


async def on_demand(address):
    """A judgement over gRPC, and the progress that the service tells."""
    async with grpc.aio.insecure_channel(address) as channel:
        stub = rpc.AnnotatorServiceStub(channel)
        code = "def rev(x):\n    return x[::-1]"
        pair = (await stub.Annotate(pb.AnnotateRequest(query="reverse", code=code), timeout=300)).pair
        progress = (await stub.Progress(pb.ProgressRequest(), timeout=120)).progress
        assert {counter.name: counter.value for counter in progress.counters}["pairs_labelled"] >= PAIRS
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.Annotate(pb.AnnotateRequest(query=" ", code=code), timeout=120)
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    return pair
