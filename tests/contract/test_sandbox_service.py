"""The sandbox-executor as a process of its own, with a real broker and a real database; it is killed on the way."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import grpc
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from sandbox_executor.adapters.hosting.users import FIRST_USER, USERS_PER_EXECUTOR
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone.sandbox.v1 import sandbox_pb2_grpc as rpc
from touchstone_contracts.events import ModelSpec, SolutionGenerated
from touchstone_contracts.suite import Case, Suite
from touchstone_contracts.topics import SOLUTION_GENERATED, VERDICT_REACHED
from touchstone_local.settings import folders
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.grpc_server import channel

pytestmark = pytest.mark.real
_WITHIN_S = 120
SUITE = Suite(
    comparison="portable",
    entry_point="f",
    seed=1,
    cases=tuple(Case(arguments=f"[{x}]", expected=str(x * 2)) for x in range(20)),
)
CODES = {
    "passed": "def f(x): return x * 2",
    "wrong_output": "def f(x): return x",
    "raised": "def f(x): raise ValueError(x)",
    "exited": "import sys\ndef f(x): sys.exit(0)",
    "compile_error": "def f(x: return",
}


class Service:
    """The service's process; can be killed and started again."""

    def __init__(self, folder, kafka="", postgres=""):
        self.socket = f"unix:{folder}/s.sock"
        self.log = Path(folder) / "log"
        self.environment = dict(os.environ) | {
            "TOUCHSTONE_KAFKA_BOOTSTRAP": kafka,
            "TOUCHSTONE_DATABASE_URL": postgres,
            "TOUCHSTONE_BLOB_URL": f"file://{folder}/blobs",
            "TOUCHSTONE_STATE_DIR": str(folder),
            "TOUCHSTONE_GRPC_LISTEN": self.socket,
            "TOUCHSTONE_SANDBOX_WORKERS": "2",
            # What the languages need is built once for all tests.
            "TOUCHSTONE_TOOLCHAINS_DIR": str(folders().cache),
        }
        self.process = None

    def start(self, *arguments):
        with self.log.open("ab") as log:
            command = [sys.executable, "-m", "sandbox_executor", *arguments]
            self.process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(60)


@pytest.fixture
def service_in(tmp_path):
    made = []

    def make(**servers):
        made.append(Service(tmp_path, **servers))
        return made[-1]

    yield make
    for service in made:
        service.stop()


def processes_of(pid):
    """Every process whose user belongs to the sandboxes of the executor with this process id."""
    first = FIRST_USER + (pid % 10_000) * USERS_PER_EXECUTOR
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if first <= os.stat(f"/proc/{entry}").st_uid < first + USERS_PER_EXECUTOR:
                    found.append(int(entry))
            except OSError:
                continue
    return found


def cgroups_of(pid):
    return list(Path("/sys/fs/cgroup").glob(f"**/touchstone-{pid}-*"))


async def ready(service):
    dialled = channel(service.socket)
    deadline = time.monotonic() + _WITHIN_S
    while True:
        try:
            await rpc.SandboxServiceStub(dialled).Progress(pb.ProgressRequest(), timeout=20)
        except grpc.aio.AioRpcError:
            assert time.monotonic() < deadline, service.log.read_text()[-3000:]
            await asyncio.sleep(0.1)
        else:
            return dialled


def solution(number, outcome, digest):
    return SolutionGenerated(
        solution_id=f"s{number}",
        run_id="r1",
        task_id="t1",
        model=ModelSpec(name="m"),
        strategy="direct",
        language="python",
        entry_point="f",
        code=f"# {number}\n{CODES[outcome]}",
        suite_digest=digest,
    )


async def test_every_solution_gets_one_verdict_though_the_service_is_killed(kafka, postgres, service_in, tmp_path):
    service = service_in(kafka=kafka, postgres=postgres)
    digest = await BlobStore(f"file://{tmp_path}/blobs").put(SUITE.to_bytes())
    wanted = {f"s{number}": outcome for number, outcome in enumerate(list(CODES) * 8)}
    service.start()
    dialled = await ready(service)
    producer = AIOKafkaProducer(bootstrap_servers=kafka)
    await producer.start()
    for number, outcome in enumerate(wanted.values()):
        event = solution(number, outcome, digest)
        await producer.send_and_wait(SOLUTION_GENERATED.name, event.model_dump_json().encode(), b"s%d" % number)
    # A suite that does not exist fails for good: it must not hold up the others.
    poison = solution(999, "passed", "0" * 64)
    await producer.send_and_wait(SOLUTION_GENERATED.name, poison.model_dump_json().encode(), b"s999")
    await producer.stop()
    consumer = AIOKafkaConsumer(VERDICT_REACHED.name, bootstrap_servers=kafka, auto_offset_reset="earliest")
    await consumer.start()
    seen = {}
    kills = 0
    deadline = time.monotonic() + _WITHIN_S
    try:
        while set(seen) != set(wanted):
            assert time.monotonic() < deadline, (sorted(set(wanted) - set(seen)), service.log.read_text()[-3000:])
            batches = await consumer.getmany(timeout_ms=200)
            for records in batches.values():
                for record in records:
                    verdict = json.loads(record.value)
                    if verdict["run_id"] == "r1":
                        seen.setdefault(verdict["solution_id"], []).append(verdict)
            if kills < 2 and len(seen) >= 5 * (kills + 1):
                service.kill()
                kills += 1
                service.start()
        await asyncio.sleep(1)
    finally:
        await consumer.stop()
        await dialled.close()
    assert kills == 2
    for solution_id, outcome in wanted.items():
        assert {v["outcome"] for v in seen[solution_id]} == {outcome}
        # An event may come twice, but then it is the same event.
        assert len({(v["verdict_id"], v["event_id"], v["wall_s"]) for v in seen[solution_id]}) == 1
    assert "s999" not in seen


async def test_nothing_is_left_when_the_executor_is_killed(service_in):
    service = service_in()
    service.start("serve", "--no-broker")
    dialled = await ready(service)
    stub = rpc.SandboxServiceStub(dialled)
    hang = """
import os, signal, time
def f(x):
    for number in range(1, 32):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    os.fork(); os.setsid() if os.fork() == 0 else None
    while True: time.sleep(1)
"""
    request = pb.RunCasesRequest(source=hang, entry_point="f", inputs=["[1]"])
    calls = [stub.RunCases(request) for _ in range(2)]
    tasks = [asyncio.create_task(call.read()) for call in calls]
    pid = service.process.pid
    deadline = time.monotonic() + 300
    while len(processes_of(pid)) < 6:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
    mounts = Path("/proc/self/mounts").read_text()
    service.kill()
    await asyncio.gather(*tasks, return_exceptions=True)
    deadline = time.monotonic() + 120
    while processes_of(pid):
        assert time.monotonic() < deadline, processes_of(pid)
        await asyncio.sleep(0.05)
    assert Path("/proc/self/mounts").read_text() == mounts
    assert cgroups_of(pid)
    service.start("serve", "--no-broker")
    again = await ready(service)
    answer = [
        item
        async for item in rpc.SandboxServiceStub(again).RunCases(
            pb.RunCasesRequest(source="def f(x): return x", entry_point="f", inputs=["[1]"])
        )
    ]
    assert answer[0].value == "1"
    # The next executor sweeps what the killed one could not.
    assert not cgroups_of(pid)
    service.stop()
    assert not cgroups_of(service.process.pid)
    await again.close()
    await dialled.close()


async def test_a_stop_signal_ends_everything(service_in):
    service = service_in()
    service.start("serve", "--no-broker")
    dialled = await ready(service)
    pid = service.process.pid
    call = rpc.SandboxServiceStub(dialled).RunCases(
        pb.RunCasesRequest(source="def f(x):\n    while True: pass", entry_point="f", inputs=["[1]"])
    )
    task = asyncio.create_task(call.read())
    while not processes_of(pid):
        await asyncio.sleep(0.05)
    service.process.send_signal(signal.SIGTERM)
    service.process.wait(120)
    await asyncio.gather(task, return_exceptions=True)
    await dialled.close()
    assert not processes_of(pid)
    assert not cgroups_of(pid)


async def printed(call):
    """What a step printed, and its outcome."""
    said, result = b"", None
    async for event in call:
        said += event.stdout
        if event.WhichOneof("event") == "result":
            result = event.result
    return said, pb.Outcome.Name(result.outcome)


async def test_a_session_over_the_wire_is_its_callers_alone_and_ends_with_the_service(service_in):
    service = service_in()
    service.start("serve", "--no-broker")
    dialled = await ready(service)
    stub = rpc.SandboxServiceStub(dialled)
    me, you = ((("authorization", f"Bearer {who}"),) for who in ("me", "you"))
    opened = await stub.OpenSession(pb.OpenSessionRequest(files=[pb.File(path="a", content=b"1")]), metadata=me)
    name = opened.session_id
    assert (opened.idle_timeout_s, opened.lifetime_s) == (600, 3600)
    await stub.WriteFile(pb.WriteFileRequest(session_id=name, file=pb.File(path="d/b", content=b"2")), metadata=me)
    source = "print(open('a').read() + open('d/b').read())\nopen('c', 'w').write('3')"
    step = pb.ExecuteInSessionRequest(session_id=name, source=source)
    assert await printed(stub.ExecuteInSession(step, metadata=me)) == (b"12\n", "OUTCOME_RETURNED")
    command = pb.ExecuteInSessionRequest(session_id=name, command=pb.Command(argv=["cat", "c"]))
    assert await printed(stub.ExecuteInSession(command, metadata=me)) == (b"3", "OUTCOME_RETURNED")
    read = await stub.ReadFile(pb.ReadFileRequest(session_id=name, path="c"), metadata=me)
    assert read.file.content == b"3"
    described = await stub.Describe(pb.DescribeRequest())
    assert (described.sessions, described.maximum_sessions) == (1, 8)
    for call in (
        lambda who: stub.ExecuteInSession(command, metadata=who).read(),
        lambda who: stub.ReadFile(pb.ReadFileRequest(session_id=name, path="c"), metadata=who),
        lambda who: stub.WriteFile(pb.WriteFileRequest(session_id=name, file=pb.File(path="c")), metadata=who),
        lambda who: stub.CloseSession(pb.CloseSessionRequest(session_id=name), metadata=who),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(you)
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND
        assert "no such session" in caught.value.details()
    for path in ("../a", "/etc/passwd"):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.ReadFile(pb.ReadFileRequest(session_id=name, path=path), metadata=me)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    second = await stub.OpenSession(pb.OpenSessionRequest(), metadata=me)
    await stub.CloseSession(pb.CloseSessionRequest(session_id=second.session_id), metadata=me)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.CloseSession(pb.CloseSessionRequest(session_id=second.session_id), metadata=me)
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    assert "closed by its caller" in caught.value.details()
    # A step is running and a session stands open when the service is told to stop.
    forever = pb.ExecuteInSessionRequest(session_id=name, source="import time\nprint(1, flush=True)\ntime.sleep(999)")
    call = stub.ExecuteInSession(forever, metadata=me)
    assert (await call.read()).stdout == b"1\n"
    pid = service.process.pid
    assert processes_of(pid)
    service.process.send_signal(signal.SIGTERM)
    service.process.wait(120)
    await dialled.close()
    assert not processes_of(pid)
    assert not cgroups_of(pid)


async def test_datasets_are_named_by_digest_and_a_missing_one_is_told(service_in, tmp_path):
    service = service_in()
    (tmp_path / "table.csv").write_bytes(b"a,b\n1,2\n")
    added = subprocess.run(
        [sys.executable, "-m", "sandbox_executor", "add-dataset", str(tmp_path / "table.csv")],
        env=service.environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    digest = added.stdout.strip()
    # A blob of the platform that is no dataset: a suite, with its expected values.
    suite = await BlobStore(f"file://{tmp_path}/blobs").put(SUITE.to_bytes())
    service.start("serve", "--no-broker")
    dialled = await ready(service)
    stub = rpc.SandboxServiceStub(dialled)
    data = [pb.Dataset(digest=digest, path="in/table.csv")]
    source = "print(open('/data/in/table.csv').read())"
    call = stub.Execute(pb.ExecuteRequest(source=source, datasets=data))
    assert await printed(call) == (b"a,b\n1,2\n\n", "OUTCOME_RETURNED")
    for other in (suite, "0" * 64):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Execute(pb.ExecuteRequest(datasets=[pb.Dataset(digest=other, path="x")])).read()
        assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        assert other in caught.value.details()
    opened = await stub.OpenSession(pb.OpenSessionRequest(datasets=data))
    step = pb.ExecuteInSessionRequest(session_id=opened.session_id, source=source)
    assert await printed(stub.ExecuteInSession(step)) == (b"a,b\n1,2\n\n", "OUTCOME_RETURNED")
    await dialled.close()
