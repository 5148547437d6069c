"""A runner that was taken over: it lies, floods, breaks frames off, says nothing. All of it stays its job's doing."""

import contextlib
import json
import socket
import threading
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from sandbox_executor.adapters.pods import wire
from sandbox_executor.adapters.pods.backend import PodsBackend, PodsOptions
from sandbox_executor.adapters.pods.channel import Channel, GoneError, MalformedFrameError
from sandbox_executor.adapters.pods.cluster import api_of
from sandbox_executor.adapters.pods.pool import PodPool, PoolOptions
from sandbox_executor.domain.jobs import CasesJob, File, Printed, ProgramJob, ProgramResult
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import resolve
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.domain.sessions import SessionJob, Step
from sandbox_executor.errors import IsolationMissingError, JobRefusedError, SandboxFaultError
from sandbox_executor.ports import LanguageStatus, Layer
from sandbox_executor.usecases import Executor
from sandbox_executor.usecases.stopping import Stop

spec = spec_from_file_location("fake_cluster", Path(__file__).with_name("fake_cluster.py"))
fake = module_from_spec(spec)
spec.loader.exec_module(fake)

JOB = CasesJob("python", "def f(x): return x", "f", ("[1]", "[2]"), resolve({}))
PROGRAM = ProgramJob("python", "print(1)", (), b"", (), resolve({"output_bytes": 2000}), artefacts=("a", "b"))
CASE = {
    "outcome": "returned", "error_type": "", "error_message": "", "wall_s": 0.1, "cpu_s": 0.1, "memory_bytes": 1,
    "output": "", "job_cpu_s": 0.1,
}  # fmt: skip
ENDED = {"outcome": "returned", "exit_code": 0, "wall_s": 0.1, "cpu_s": 0.1, "memory_bytes": 1, "detail": ""}


def case(channel, index, value=b"7", **fields):
    channel.send("case", value, **{**CASE, "index": index, **fields})


class Scripted:
    """Runners that follow a script, each at the address of its pod."""

    def __init__(self, scripts):
        self.scripts = list(scripts)
        self.served = []

    def start(self, name, uid, address):
        listener = socket.create_server((address, 7200))
        script = self.scripts.pop(0) if self.scripts else None

        def serve():
            with contextlib.suppress(OSError, GoneError, MalformedFrameError):
                connection, _ = listener.accept()
                channel = Channel(connection, 1 << 28)
                with contextlib.closing(channel):
                    self.served.append(name)
                    if script is None:
                        return
                    if getattr(script, "greets", True):
                        channel.send("hello", protocol=1, pod=uid)
                        while channel.receive().kind not in ("cases", "program", "session", "describe"):
                            pass
                    script(channel, connection)

        def close():
            # Wakes who waits in it, else that one would answer the first caller of the next socket of this number.
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()

        threading.Thread(target=serve, daemon=True).start()
        return close


@pytest.fixture
def backend_of(tmp_path):
    with contextlib.ExitStack() as stack:

        def make(*scripts, wait_s=20.0):
            runners = Scripted(scripts)
            cluster = fake.FakeCluster(runners.start, len(scripts))
            stack.callback(cluster.close)
            pool = PodPool(api_of(cluster.configuration()), PoolOptions(fake.NAMESPACE, fake.SELECTOR, window_s=1.0))
            backend = PodsBackend(LANGUAGES, pool, PodsOptions(tmp_path, wait_s, look_s=wait_s))
            stack.callback(backend.close)
            backend.runners, backend.cluster = runners, cluster
            # One at a time, in the order of the scripts.
            cluster.replicas = 0
            return backend

        yield make


def cases(backend, job=JOB, stop=None):
    results = []
    with contextlib.closing(Stop()) as never:
        backend.run_cases(job, results.append, stop or never)
    return results


def program(backend, job=PROGRAM):
    events = []
    with contextlib.closing(Stop()) as never:
        backend.run_program(job, events.append, never)
    return events


def test_an_honest_runner_is_believed(backend_of):
    def honest(channel, _):
        case(channel, 0)
        case(channel, 1, b"", outcome="raised", error_type="ValueError", error_message="no")
        channel.send("done")

    backend = backend_of(honest)
    first, second = cases(backend)
    assert (first.outcome, first.value, first.job_cpu_s) == (Outcome.RETURNED, "7", 0.1)
    assert (second.outcome, second.error_type) == (Outcome.RAISED, "ValueError")
    backend.cluster.until(lambda: not backend.cluster.pods)


def raw(data):
    def script(channel, connection):
        connection.sendall(data)
        time.sleep(5)

    return script


def head(text, size=None):
    data = text.encode()
    return (len(data) + 4 if size is None else size).to_bytes(4, "big") + len(data).to_bytes(4, "big") + data


LIES = {
    "a_frame_too_large": raw(b"\xff\xff\xff\xff" + b"x" * 100),
    "an_empty_frame": raw(b"\0\0\0\0"),
    "a_head_longer_than_its_frame": raw((8).to_bytes(4, "big") + (900).to_bytes(4, "big") + b"{}{}"),
    "a_head_that_is_not_json": raw(head("nonsense")),
    "a_head_that_nests_deeply": raw(head("[" * 100_000)),
    "a_head_that_is_a_list": raw(head("[]")),
    "a_head_without_a_kind": raw(head('{"a":1}')),
    "a_kind_that_is_none": raw(head('{"kind":"surprise"}')),
    "another_case": lambda channel, _: case(channel, 1),
    "a_negative_case": lambda channel, _: case(channel, -1),
    "no_portable_value": lambda channel, _: case(channel, 0, b"[1,"),
    "two_values": lambda channel, _: case(channel, 0, b"1,2"),
    "not_utf8": lambda channel, _: case(channel, 0, b'"\xff"'),
    "a_value_of_a_failed_case": lambda channel, _: case(channel, 0, outcome="raised"),
    "no_value_of_a_good_case": lambda channel, _: case(channel, 0, b""),
    "an_outcome_that_there_is_not": lambda channel, _: case(channel, 0, outcome="perfect"),
    "time_that_runs_backwards": lambda channel, _: case(channel, 0, wall_s=-1.0),
    "time_without_end": raw(head(json.dumps({"kind": "case", **CASE, "index": 0, "cpu_s": float("inf")}))),
    "a_number_as_text": lambda channel, _: case(channel, 0, memory_bytes="1"),
    "a_field_too_many": lambda channel, _: case(channel, 0, passed=True),
    "endless_words": lambda channel, _: case(channel, 0, output="x" * 500_000),
    "done_before_the_results": lambda channel, _: channel.send("done"),
    "an_unknown_fault": lambda channel, _: channel.send("fault", fault="yours", words="", thing="", way_out=""),
}


@pytest.mark.parametrize("name", LIES)
def test_whatever_a_runner_never_says_is_forbidden_and_nothing_else(backend_of, name):
    results = cases(backend_of(LIES[name]))
    assert [result.index for result in results] == [0, 1]
    assert {(result.outcome, result.value, result.error_type) for result in results} == {
        (Outcome.FORBIDDEN, "", "ForeignMessage")
    }


def test_what_follows_the_last_result_spoils_it_and_no_other(backend_of):
    def chatty(channel, _):
        case(channel, 0)
        case(channel, 1)
        case(channel, 2)

    assert [result.outcome for result in cases(backend_of(chatty))] == [Outcome.RETURNED, Outcome.FORBIDDEN]


def test_a_flood_of_answers_is_stopped_at_the_bound_of_a_job(backend_of):
    value = b'"' + b"x" * (16 << 20) + b'"'

    def flood(channel, _):
        for index in range(10):
            case(channel, index, value)

    job = CasesJob("python", "", "f", ("[]",) * 10, resolve({}))
    results = cases(backend_of(flood), job)
    told = [result for result in results if result.outcome is Outcome.RETURNED]
    assert len(results) == 10
    assert 1 <= len(told) <= 5


def silent(channel, _):
    with contextlib.suppress(GoneError):
        channel.receive(time.monotonic() + 60)


def half(channel, connection):
    connection.sendall((1000).to_bytes(4, "big") + (100).to_bytes(4, "big") + b"x" * 10)


def test_half_a_frame_and_then_nothing_is_the_platforms_fault(backend_of):
    with pytest.raises(SandboxFaultError, match="the connection ended"):
        cases(backend_of(half))


def test_a_runner_that_ends_is_the_platforms_fault_with_what_the_cluster_says_of_it(backend_of):
    backend = backend_of(lambda channel, _: dying(channel))

    def dying(channel):
        case(channel, 0)
        (name,) = backend.cluster.pods
        backend.cluster.kill(name, "OOMKilled")
        channel.shut()

    with pytest.raises(SandboxFaultError, match="OOMKilled"):
        cases(backend)


def test_a_cancelled_job_returns_at_once_and_its_pod_is_removed(backend_of):
    backend = backend_of(silent)
    with contextlib.closing(Stop()) as stop:
        threading.Timer(0.2, stop.request).start()
        assert cases(backend, stop=stop) == []
    backend.cluster.until(lambda: not backend.cluster.pods)


def test_a_result_is_told_at_once_so_that_who_takes_it_may_want_no_more(backend_of):
    def one_of_two(channel, _):
        case(channel, 0)
        silent(channel, _)

    results = []
    backend = backend_of(one_of_two)
    with contextlib.closing(Stop()) as stop:
        backend.run_cases(JOB, lambda result: (results.append(result), stop.request()), stop)
    assert [result.value for result in results] == ["7"]


@pytest.mark.parametrize(
    ("fault", "kind"), [("refused", JobRefusedError), ("missing", IsolationMissingError), ("fault", SandboxFaultError)]
)
def test_a_fault_that_a_runner_tells_of_is_no_result(backend_of, fault, kind):
    def failing(channel, _):
        channel.send("fault", fault=fault, words="it broke", thing="that", way_out="mend it")

    with pytest.raises(kind, match="it broke"):
        cases(backend_of(failing))


def mute(channel, connection):
    connection.close()


def foreign(channel, _):
    channel.send("hello", protocol=1, pod="uid-of-another")


def newer(channel, _):
    channel.send("hello", protocol=2, pod="uid-1")


def test_a_pod_that_does_not_answer_as_itself_is_passed_over(backend_of):
    for script in (mute, foreign, newer):
        script.greets = False

    def honest(channel, _):
        case(channel, 0)
        case(channel, 1)
        channel.send("done")

    backend = backend_of(mute, foreign, newer, honest)
    assert [result.value for result in cases(backend)] == ["7", "7"]
    backend.cluster.until(lambda: len(backend.cluster.pods) < 4)


def test_no_code_is_given_to_a_pod_that_holds_a_token(backend_of, monkeypatch):
    monkeypatch.setattr(fake, "SPEC", fake.SPEC | {"automountServiceAccountToken": True})
    backend = backend_of(silent)
    with pytest.raises(IsolationMissingError, match="a service account's token"):
        cases(backend)
    assert backend.runners.served == []


def test_no_pod_is_the_platforms_fault(backend_of):
    with pytest.raises(SandboxFaultError, match="no runner pod is free"):
        cases(backend_of(wait_s=0.2))


def test_a_program_prints_and_leaves_what_it_may(backend_of):
    def honest(channel, _):
        channel.send("printed", b"hello", stream="stdout")
        channel.send("file", b"content", path="a")
        channel.send("result", **ENDED)
        channel.send("done")

    printed, file, result = program(backend_of(honest))
    assert (printed, file) == (Printed("stdout", b"hello"), File("a", b"content"))
    assert (result.outcome, result.exit_code) == (Outcome.RETURNED, 0)


PROGRAM_LIES = {
    "more_output_than_allowed": [("printed", b"x" * 3000, {"stream": "stdout"})],
    "another_stream": [("printed", b"x", {"stream": "log"})],
    "a_file_that_nobody_asked_for": [("file", b"x", {"path": "../c"})],
    "a_file_twice": [("file", b"x", {"path": "a"}), ("file", b"y", {"path": "a"})],
    "a_path_that_is_none": [("file", b"x", {"path": 7})],
    "a_file_too_large": [("file", b"x" * (33 << 20), {"path": "a"})],
    "no_result": [("done", b"", {})],
    "two_results": [("result", b"", ENDED), ("result", b"", ENDED)],
    "an_exit_code_of_no_kernel": [("result", b"", ENDED | {"exit_code": 7000})],
    "a_result_with_bytes": [("result", b"x", ENDED)],
}


@pytest.mark.parametrize("name", PROGRAM_LIES)
def test_a_program_whose_runner_lies_is_forbidden(backend_of, name):
    def lie(channel, _):
        for kind, body, fields in PROGRAM_LIES[name]:
            channel.send(kind, body, **fields)
        silent(channel, _)

    result = program(backend_of(lie))[-1]
    assert isinstance(result, ProgramResult)
    assert (result.outcome, result.exit_code) == (Outcome.FORBIDDEN, -1)


def test_a_session_whose_runner_lies_is_lost(backend_of):
    def lie(channel, _):
        channel.send("opened")
        channel.receive()
        channel.send("content", b"x", found="perhaps")

    session = backend_of(lie).open_session(SessionJob("python", resolve({})))
    with contextlib.closing(session):
        with pytest.raises(SandboxFaultError, match="never says"):
            session.read("a")
        assert not session.alive
        with contextlib.closing(Stop()) as never, pytest.raises(SandboxFaultError):
            session.run(Step(1.0, 100, "pass"), [].append, never)


def test_what_holds_a_job_is_told_by_a_fresh_runner(backend_of):
    def honest(channel, _):
        wire.send_description(channel, [Layer("walls", True, "thick")], [LanguageStatus("python", True, "3.11")])
        silent(channel, _)

    backend = backend_of(honest)
    assert [(layer.name, layer.in_force) for layer in backend.layers()] == [("runner pods", True), ("walls", True)]
    assert backend.languages() == [LanguageStatus("python", True, "3.11")]


async def test_a_pool_that_is_filled_later_is_no_broken_backend(backend_of):
    backend = backend_of(wait_s=0.2)
    executor = Executor({"pods": backend}, 2, proven_only=True)
    with pytest.raises(SandboxFaultError, match="no runner pod is free"):
        await executor.prove()
    (described,) = await executor.describe()
    assert not described.available and "no runner pod is free" in described.detail
    assert not executor._broken and not executor._proven
    assert {status.available for status in backend.languages()} == {False}


def test_results_survive_the_way_as_they_are():
    ours, theirs = socket.create_server(("127.0.0.1", 0)), None
    with ours, socket.create_connection(ours.getsockname()) as there:
        theirs, _ = ours.accept()
        one, other = Channel(there, 1 << 20), Channel(theirs, 1 << 20)
        result = CaseResult(0, Outcome.RETURNED, '"\u00e9\u2028"', "", "", 0.1, 0.2, 3, "said", 0.4)
        wire.send_result(one, result)
        assert wire.read_result(other.receive(), 0) == result
        job = CasesJob("python", "x = '\udc80'", "f", ('["\u00e9"]', "[1]"), resolve({}), stop_after_failures=2)
        wire.send_cases(one, job)
        inputs = [other.receive().body for _ in job.inputs]
        assert wire.cases_job(other.receive(), inputs) == job
        other.close()
