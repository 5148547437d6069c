"""The process of a runner pod as a node starts it: what it loads, and how it ends."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from sandbox_executor.adapters.pods import wire
from sandbox_executor.adapters.pods.channel import Channel
from sandbox_executor.domain.jobs import CasesJob
from sandbox_executor.domain.limits import resolve
from touchstone_local.settings import folders

ADDRESS = ("127.0.0.83", 7200)
JOB = CasesJob("python", "def f(x): return x", "f", ("[1]",), resolve({}))


def test_a_runner_loads_nothing_of_brokers_databases_and_calls():
    """Each job waits for a pod's start; these were half of what its process took."""
    heavy = {"grpc", "aiokafka", "sqlalchemy", "asyncpg", "kubernetes", "fsspec", "obstore", "prometheus_client"}
    code = (
        f"import sys, sandbox_executor.__main__, sandbox_executor.runner_app; print(sorted({heavy} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.fixture
def runner(tmp_path):
    """A runner that listens."""
    variables = {
        "PATH": os.defpath, "TOUCHSTONE_STATE_DIR": str(tmp_path), "TOUCHSTONE_TOOLCHAINS_DIR": str(folders().cache),
        "TOUCHSTONE_SANDBOX_POD_UID": "uid-7",
    }  # fmt: skip
    listen = ":".join(map(str, ADDRESS))
    with subprocess.Popen(
        [sys.executable, "-m", "sandbox_executor", "runner", "--listen", listen], env=variables, stderr=subprocess.PIPE
    ) as process:
        try:
            assert b"runner_ready" in process.stderr.readline()
            yield process
        finally:
            process.kill()


def test_a_runner_whose_job_is_done_serves_nobody_and_waits_until_its_pod_is_removed(runner):
    """A container that ends before its pod is removed is started again by the node, for nothing: one in five was."""
    channel = Channel(socket.create_connection(ADDRESS), 1 << 24)
    wire.expect(channel.receive(), "hello", protocol=wire.whole, pod=wire.text)
    wire.send_cases(channel, JOB)
    assert wire.read_result(channel.receive(), 0).value == "1"
    wire.expect(channel.receive(), "done")
    channel.close()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            socket.create_connection(ADDRESS, 1).close()
        except ConnectionRefusedError:
            break
        time.sleep(0.05)
    time.sleep(1.5)
    assert runner.poll() is None
    runner.send_signal(signal.SIGTERM)
    assert runner.wait(60) == 0
