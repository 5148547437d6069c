"""What a service says of itself while it cannot serve, how it ends then, and its background work."""

import asyncio
import contextlib
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from sqlalchemy.exc import OperationalError

from touchstone_runtime.dialling import dial_blocking
from touchstone_runtime.repeating import repeat, until_done

PATIENCE_S = 300
SERVICE = """
from touchstone_runtime.service import run_service
from touchstone_runtime.settings import ServiceSettings

async def wire(runtime):
    pass

run_service("probe", ServiceSettings(), wire)
"""


# Its self-test, or the migration before it, takes longer than probes are patient.
SLOW = """
import asyncio
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from touchstone_runtime.service import run_service
from touchstone_runtime.settings import ServiceSettings

async def own(_request):
    return PlainTextResponse("own")

async def wire(runtime):
    while not await asyncio.to_thread(input):
        pass
    runtime.routes.append(Route("/own", own))

run_service("probe", ServiceSettings(), wire, with_bus=False)
"""


# Checks of its own: some give no answer.
MUTE = """
import asyncio
from touchstone_runtime.service import run_service
from touchstone_runtime.settings import ServiceSettings

async def wire(runtime):
    async def mute():
        await asyncio.Event().wait()

    async def says():
        return "no model is loaded"

    runtime.ready_checks += [mute, says, mute]

run_service("probe", ServiceSettings(), wire, with_bus=False)
"""


# What is in hand when the service is told to stop, one piece of each kind.
IN_HAND = """
import asyncio
from touchstone_runtime.service import run_service
from touchstone_runtime.settings import ServiceSettings

async def wire(runtime):
    async def begun(kind, end):
        print(kind, "begun", flush=True)
        try:
            await end
        except asyncio.CancelledError:
            print(kind, "broken off", flush=True)
            raise
        print(kind, "done", flush=True)

    async def ends():
        await runtime.stopping.wait()
        await asyncio.sleep(0.3)

    runtime.background.append(lambda: begun("sweep", asyncio.Event().wait()))
    runtime.finishing.append(lambda: begun("short", ends()))
    runtime.finishing.append(lambda: begun("long", asyncio.Event().wait()))

run_service("probe", ServiceSettings(stop_timeout_s=2.0), wire, with_bus=False)
"""


# Background work of it fails, with other work in hand.
FAILING = IN_HAND.replace(
    'begun("sweep", asyncio.Event().wait())', 'fails()'
).replace(
    "async def wire(runtime):", """async def fails():
    await asyncio.sleep(0.5)
    raise ValueError("odd")

async def wire(runtime):
    async def close():
        print("closed", flush=True)

    runtime.on_stop.append(close)"""
)  # fmt: skip


# A check of its own fails at first by what it does not know.
CHECKING = """
import asyncio
from pathlib import Path
from touchstone_runtime.service import run_service
from touchstone_runtime.settings import ServiceSettings

async def wire(runtime):
    async def check():
        if not Path("there").exists():
            raise FAULT
        return ""

    runtime.ready_checks.append(check)

run_service("probe", ServiceSettings(), wire, with_bus=False)
"""


# It reads what is sent to it.
READING = """
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from touchstone_runtime.service import run_service
from touchstone_runtime.settings import ServiceSettings

async def own(request):
    print("begun", flush=True)
    return PlainTextResponse(await request.body())

async def wire(runtime):
    runtime.routes.append(Route("/own", own, methods=["POST"]))

run_service("probe", ServiceSettings(stop_timeout_s=0.5), wire, with_bus=False)
"""


# Its broker is away; background work tells when what was to begin beside it has begun.
BEFORE_THE_BROKER = """
import asyncio
from touchstone_runtime.service import run_service
from touchstone_runtime.settings import ServiceSettings

async def wire(runtime):
    async def sweep():
        await asyncio.sleep(0.2)
        print("sweep", flush=True)

    async def work():
        print("work", flush=True)
        await runtime.stopping.wait()

    runtime.background.append(sweep)
    runtime.finishing.append(work)

run_service("probe", ServiceSettings(), wire)
"""


@pytest.fixture
def addresses():
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{each.getsockname()[1]}" for each in (one, other)]


@pytest.fixture
def awaiting(addresses, monkeypatch):
    """A service whose broker is away."""
    monkeypatch.setenv("TOUCHSTONE_KAFKA_BOOTSTRAP", "127.0.0.1:1")
    monkeypatch.setenv("TOUCHSTONE_GRPC_LISTEN", addresses[0])
    monkeypatch.setenv("TOUCHSTONE_HTTP_LISTEN", addresses[1])
    process = subprocess.Popen([sys.executable, "-c", SERVICE])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_service_that_waits_for_its_broker_says_so_everywhere_and_ends_when_told(awaiting, addresses):
    with dial_blocking(addresses[0]) as channel:
        asked = health_pb2_grpc.HealthStub(channel)
        answer = asked.Check(health_pb2.HealthCheckRequest(), wait_for_ready=True, timeout=PATIENCE_S)
    assert answer.status == health_pb2.HealthCheckResponse.NOT_SERVING
    with httpx.Client(base_url=f"http://{addresses[1]}", trust_env=False, timeout=PATIENCE_S) as client:
        assert client.get("/live").status_code == 200
        ready = client.get("/ready")
        while not all(
            f'disk_free_ratio{{folder="{name}"}}' in client.get("/metrics").text for name in ("state", "blobs")
        ):
            time.sleep(0.05)
    assert ready.status_code == 503 and "kafka" in ready.json()["reasons"][0]
    awaiting.send_signal(signal.SIGTERM)
    assert awaiting.wait(PATIENCE_S) == 0


def test_a_service_that_is_long_in_starting_lives_and_is_not_ready(addresses, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_GRPC_LISTEN", addresses[0])
    monkeypatch.setenv("TOUCHSTONE_HTTP_LISTEN", addresses[1])
    process = subprocess.Popen([sys.executable, "-c", SLOW], stdin=subprocess.PIPE, text=True)
    with httpx.Client(base_url=f"http://{addresses[1]}", trust_env=False, timeout=PATIENCE_S) as client:
        try:
            deadline = time.monotonic() + PATIENCE_S
            while True:
                with contextlib.suppress(httpx.ConnectError):
                    assert client.get("/live").status_code == 200
                    break
                assert time.monotonic() < deadline
                time.sleep(0.1)
            assert client.get("/ready").json() == {"ready": False, "reasons": ["it starts"], "waiting": []}
            assert client.get("/own").status_code == 404
            process.stdin.write("go on\n")
            process.stdin.flush()
            while client.get("/ready").status_code != 200:
                assert time.monotonic() < deadline
                time.sleep(0.1)
            assert client.get("/own").text == "own"
        finally:
            process.kill()
            process.wait()


def test_a_check_that_gives_no_answer_holds_up_neither_probes_nor_the_word_of_others(addresses, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_GRPC_LISTEN", addresses[0])
    monkeypatch.setenv("TOUCHSTONE_HTTP_LISTEN", addresses[1])
    process = subprocess.Popen([sys.executable, "-c", MUTE])
    mute = "a check of its own: does not answer"
    try:
        with httpx.Client(base_url=f"http://{addresses[1]}", trust_env=False, timeout=PATIENCE_S) as client:
            deadline, told = time.monotonic() + PATIENCE_S, []
            while told != [mute, "no model is loaded", mute]:
                assert time.monotonic() < deadline, told
                with contextlib.suppress(httpx.ConnectError):
                    told = client.get("/ready").json()["reasons"]
    finally:
        process.kill()
        process.wait()


# Who waits with what is in hand gives it back when a stop is told, and ends as if he were cancelled.
@pytest.mark.parametrize(
    ("short", "end"), [("await asyncio.sleep(0.3)", "done"), ("raise asyncio.CancelledError", "broken off")]
)
def test_a_stop_lets_finishing_work_end_and_breaks_off_what_takes_too_long(short, end):
    program = IN_HAND.replace("await asyncio.sleep(0.3)", short)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        told = [process.stdout.readline() for _ in range(3)]
        assert sorted(told) == ["long begun\n", "short begun\n", "sweep begun\n"]
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=PATIENCE_S)
        assert said.splitlines() == [f"short {end}", "long broken off", "sweep broken off"]
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait()


# A client that breaks its own tasks off ends whoever asked it as if he were cancelled.
@pytest.mark.parametrize("fault", ['ValueError("odd")', "asyncio.CancelledError"])
def test_background_work_that_fails_lets_what_is_in_hand_end(fault):
    program = FAILING.replace('ValueError("odd")', fault)
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, timeout=PATIENCE_S)
    assert sorted(done.stdout.splitlines()[:2]) == ["long begun", "short begun"]
    assert done.stdout.splitlines()[2:] == ["short done", "long broken off", "closed"]
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("fault", "name"), [("OSError(2, 'no')", "FileNotFoundError"), ("asyncio.CancelledError", "CancelledError")]
)
def test_a_check_that_fails_once_is_told_and_made_again(addresses, tmp_path, monkeypatch, fault, name):
    monkeypatch.setenv("TOUCHSTONE_GRPC_LISTEN", addresses[0])
    monkeypatch.setenv("TOUCHSTONE_HTTP_LISTEN", addresses[1])
    process = subprocess.Popen([sys.executable, "-c", CHECKING.replace("FAULT", fault)], cwd=tmp_path)
    deadline = time.monotonic() + PATIENCE_S
    try:
        with dial_blocking(addresses[0]) as channel:
            asked = health_pb2_grpc.HealthStub(channel)

            def serves():
                answer = asked.Check(health_pb2.HealthCheckRequest(), wait_for_ready=True, timeout=PATIENCE_S)
                return answer.status == health_pb2.HealthCheckResponse.SERVING

            assert not serves()
            ready = httpx.get(f"http://{addresses[1]}/ready", trust_env=False, timeout=PATIENCE_S)
            assert ready.status_code == 503
            assert ready.json()["reasons"][0].startswith(f"a check of its own: {name}: ")
            time.sleep(3)
            (tmp_path / "there").touch()
            while not serves():
                assert time.monotonic() < deadline
                time.sleep(0.1)
    finally:
        process.kill()
        process.wait()


def test_a_request_that_came_in_half_keeps_no_service_from_its_end(addresses, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_HTTP_LISTEN", addresses[1])
    process = subprocess.Popen([sys.executable, "-c", READING], stdout=subprocess.PIPE, text=True)
    host, _, port = addresses[1].rpartition(":")
    try:
        with httpx.Client(base_url=f"http://{addresses[1]}", trust_env=False, timeout=PATIENCE_S) as client:
            deadline, answer = time.monotonic() + PATIENCE_S, None
            while answer is None or answer.status_code != 200:
                assert time.monotonic() < deadline
                with contextlib.suppress(httpx.ConnectError):
                    answer = client.get("/ready")
        with socket.create_connection((host, int(port))) as half:
            half.sendall(b"POST /own HTTP/1.1\r\nHost: own\r\nContent-Length: 50\r\n\r\nhalf")
            assert process.stdout.readline() == "begun\n"
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()


def test_what_is_to_finish_does_not_begin_before_the_broker_is_there(monkeypatch):
    """Until then a stop ends the service at once: what had begun would be broken off."""
    monkeypatch.setenv("TOUCHSTONE_KAFKA_BOOTSTRAP", "127.0.0.1:1")
    process = subprocess.Popen([sys.executable, "-c", BEFORE_THE_BROKER], stdout=subprocess.PIPE, text=True)
    try:
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=PATIENCE_S)
        assert (first, rest, process.returncode) == ("sweep\n", "", 0)
    finally:
        process.kill()
        process.wait()


async def test_background_work_that_fails_is_done_again_and_ends_nothing():
    done = asyncio.Event()
    faults = [OperationalError("select", {}, ConnectionError("gone")), ValueError("odd")]

    async def work():
        if faults:
            raise faults.pop()
        done.set()

    repeating = asyncio.create_task(repeat(work, 0.0))
    await asyncio.wait_for(done.wait(), PATIENCE_S)
    assert not repeating.done()
    repeating.cancel()


async def test_background_work_that_is_done_once_is_done_again_until_it_goes_well():
    faults = [OperationalError("select", {}, ConnectionError("gone")), ValueError("odd"), asyncio.CancelledError()]
    done = []

    async def work():
        if faults:
            raise faults.pop()
        done.append(1)

    async with asyncio.timeout(PATIENCE_S):
        await until_done(work, 0.0)
    assert done == [1]
