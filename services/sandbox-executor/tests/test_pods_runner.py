"""The process in a runner pod, spoken to as an executor does; the backend behind it is scripted."""

import contextlib
import socket
import threading
import time

import pytest

from sandbox_executor.adapters.datasets import views_in
from sandbox_executor.adapters.pods import wire
from sandbox_executor.adapters.pods.channel import Channel, GoneError
from sandbox_executor.adapters.pods.runner import Runner, warm
from sandbox_executor.domain.jobs import CasesJob, File, ProgramJob
from sandbox_executor.domain.limits import resolve
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.errors import IsolationMissingError, JobRefusedError
from sandbox_executor.ports import Layer

GIB = 1 << 30
JOB = CasesJob("python", "def f(x): return x", "f", ("[1]", "[2]"), resolve({}))


@pytest.fixture
def runner_of(tmp_path):
    """A runner that serves a backend: a way to connect to it, and its thread."""
    with contextlib.ExitStack() as stack:

        def make(backend, most_memory_bytes=GIB):
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            runner = Runner(backend, tmp_path, "uid-7", most_memory_bytes)
            thread = threading.Thread(target=runner.serve, args=(listener,), daemon=True)
            thread.start()

            def connect():
                channel = Channel(socket.create_connection(listener.getsockname()), 1 << 24)
                stack.callback(channel.close)
                assert wire.expect(channel.receive(), "hello", protocol=wire.whole, pod=wire.text)["pod"] == "uid-7"
                return channel

            return connect, thread

        yield make


def test_one_job_is_served_and_then_no_other(runner_of, echoing):
    connect, thread = runner_of(echoing)
    channel = connect()
    wire.send_cases(channel, JOB)
    assert [wire.read_result(channel.receive(), index).value for index in (0, 1)] == ["[1]", "[2]"]
    wire.expect(channel.receive(), "done")
    thread.join(60)
    assert not thread.is_alive()
    assert echoing.jobs == [JOB]
    with pytest.raises(GoneError):
        channel.receive(time.monotonic() + 60)


def test_whoever_connects_and_says_nothing_is_no_executor(runner_of, echoing):
    connect, thread = runner_of(echoing)
    for _ in range(3):
        connect().shut()
    channel = connect()
    wire.send_cases(channel, JOB)
    assert wire.read_result(channel.receive(), 0).value == "[1]"
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.parametrize("how", ["stop", "gone"])
def test_a_job_ends_when_its_executor_stops_it_or_is_gone(runner_of, scripted, how):
    backend = scripted(lambda index, text: CaseResult(index, Outcome.RETURNED, text), hang=True)
    connect, thread = runner_of(backend)
    channel = connect()
    wire.send_cases(channel, JOB)
    deadline = time.monotonic() + 60
    while not backend.running and time.monotonic() < deadline:
        time.sleep(0.01)
    if how == "stop":
        channel.send("stop")
    else:
        channel.shut()
    thread.join(60)
    assert not thread.is_alive() and backend.cancelled == 1


def test_a_job_that_does_not_fit_the_pod_is_refused_and_never_begun(runner_of, echoing):
    connect, _ = runner_of(echoing, most_memory_bytes=100 << 20)
    channel = connect()
    wire.send_cases(channel, JOB)
    refused = wire.read_fault(channel.receive())
    assert isinstance(refused, JobRefusedError) and "runner.resources" in refused.way_out
    assert echoing.jobs == []


def test_a_fault_of_the_backend_is_told_as_what_it_is(runner_of, echoing, monkeypatch):
    def fail(*_):
        raise IsolationMissingError("is not there", thing="seccomp", way_out="another kernel")

    monkeypatch.setattr(echoing, "run_cases", fail)
    connect, _ = runner_of(echoing)
    channel = connect()
    wire.send_cases(channel, JOB)
    told = wire.read_fault(channel.receive())
    assert isinstance(told, IsolationMissingError)
    assert (told.message, told.thing, told.way_out) == ("is not there", "seccomp", "another kernel")


def test_files_input_and_datasets_of_a_program_arrive_as_they_are(runner_of, echoing, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(echoing, "run_program", lambda job, *_: seen.append(job))
    connect, thread = runner_of(echoing)
    channel = connect()
    files = (File("a/b", bytes(range(256))), File("c", b""))
    job = ProgramJob(
        "python", "x = '\udc80'", files, b"\0in", ("--x",), resolve({}), artefacts=("out",), data_view="v1"
    )
    for piece in (b"one", b"two"):
        channel.send("data", piece, view="v1", path="deep/table")
    wire.send_program(channel, job)
    wire.expect(channel.receive(), "done")
    thread.join(60)
    assert seen == [job]
    assert (views_in(tmp_path) / "v1" / "deep" / "table").read_bytes() == b"onetwo"


def test_it_describes_itself_before_a_job(runner_of, echoing):
    connect, _ = runner_of(echoing)
    channel = connect()
    channel.send("describe")
    layers, languages = wire.read_description(channel.receive())
    assert (layers, languages) == (echoing.layers(), echoing.languages())


def test_a_runner_without_a_layer_that_must_hold_never_listens(echoing, monkeypatch):
    warm(echoing)
    monkeypatch.setattr(echoing, "layers", lambda: [Layer("seccomp", False, "needs another kernel")])
    with pytest.raises(IsolationMissingError, match="seccomp: needs another kernel"):
        warm(echoing, within_s=0.0)
