"""A way out of the sandbox: none, or to the names that a job was given and nothing else."""

import contextlib
import dataclasses
import socket
import threading

import pytest

from sandbox_executor.domain.egress import Destination
from sandbox_executor.domain.jobs import CasesJob, Printed, ProgramJob
from sandbox_executor.domain.limits import resolve
from sandbox_executor.domain.outcomes import Outcome
from sandbox_executor.domain.sessions import SessionJob, Step
from sandbox_executor.usecases import Stop


@pytest.fixture(scope="module")
def echo():
    """A service of the host that answers each line with the same in capitals; gives its port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer(connection):
        # A job that is over, or a relay that closes, may reset it at any word.
        with contextlib.suppress(ConnectionError), connection, connection.makefile("rwb") as stream:
            for line in stream:
                stream.write(line.upper())
                stream.flush()

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1]
    # Whoever waits in it is woken first: the number of a closed socket is the next one's, whose first caller would be
    # answered here.
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def there(port, private=True):
    return Destination("localhost", port, private)


# Asks the proxy of its variables to be connected, says a word there and tells what came back.
ASK = """
import os, socket, urllib.parse
def ask(target, word=b"hello\\n"):
    proxy = urllib.parse.urlsplit(os.environ.get("HTTPS_PROXY") or "http://127.0.0.1:3128")
    with socket.create_connection((proxy.hostname, proxy.port), 20) as way:
        way.sendall(f"CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n".encode())
        stream = way.makefile("rb")
        status = stream.readline().decode().split()[1]
        while stream.readline().strip():
            pass
        if status == "200":
            way.sendall(word)
            return stream.readline().decode()
        return status
"""


def run(bench, source, egress, language="python"):
    job = ProgramJob(language, source, (), b"", (), resolve({"total_timeout_s": 60.0}), egress=egress)
    events = []
    with contextlib.closing(Stop()) as stop:
        bench.backend.run_program(job, events.append, stop)
    printed = b"".join(e.data for e in events if isinstance(e, Printed)).decode()
    return events[-1], printed.splitlines()


def test_jobs_have_no_way_out_by_default(bench, echo):
    result, said = run(bench, ASK + f"print(sorted(os.environ))\nask('localhost:{echo}')", ())
    assert result.outcome is Outcome.EXITED
    assert "PROXY" not in said[0].upper()
    assert result.refused == ()


def test_a_job_reaches_the_names_that_it_was_given(bench, echo):
    result, said = run(bench, ASK + f"print(ask('localhost:{echo}'), ask('LocalHost:{echo}'))", (there(echo),))
    assert (result.outcome, said[0]) == (Outcome.RETURNED, "HELLO"), (result, said)
    assert result.refused == ()


def test_what_is_refused_is_told_with_the_result(bench, echo):
    source = ASK + f"print(ask('localhost:{echo + 1}'), ask('elsewhere.example:443'), ask('localhost:{echo}'))"
    result, said = run(bench, source, (there(echo),))
    assert said == ["403 403 HELLO", ""], (result, said)
    assert [x.target for x in result.refused] == [f"localhost:{echo + 1}", "elsewhere.example:443"]
    assert all("not among the names" in x.reason for x in result.refused)


def test_cases_tell_what_each_was_refused(bench, echo):
    job = CasesJob(
        "python", ASK + "def f(target): return ask(target)", "f",
        tuple(f'["{target}"]' for target in (f"localhost:{echo}", "127.0.0.1:1", f"localhost:{echo}")), resolve({}),
        egress=(there(echo),),
    )  # fmt: skip
    results = []
    with contextlib.closing(Stop()) as stop:
        bench.backend.run_cases(job, results.append, stop)
    assert [x.value for x in results] == ['"HELLO\\n"', '"403"', '"HELLO\\n"'], results
    # Answers that come together share what was refused meanwhile: it is told once, and never later than its case.
    assert [[y.target for y in x.refused] for x in results] in ([[], ["127.0.0.1:1"], []], [["127.0.0.1:1"], [], []])


def test_a_job_carries_no_more_when_its_program_is_started_anew(bench, echo, monkeypatch):
    monkeypatch.setattr(bench.backend, "_options", dataclasses.replace(bench.backend._options, egress_bytes=100_000))
    source = (
        ASK
        + f"""
def f(ends):
    if ends: os._exit(1)
    try:
        return len(ask("localhost:{echo}", b"x" * 20_000 + b"\\n"))
    except OSError:
        return 0
"""
    )
    inputs = ("[false]", "[true]", "[false]", "[true]", "[false]")
    job = CasesJob("python", source, "f", inputs, resolve({}), egress=(there(echo),))
    results = []
    with contextlib.closing(Stop()) as stop:
        bench.backend.run_cases(job, results.append, stop)
    assert [x.value for x in results[:4]] == ["20001", "", "20001", ""], results
    assert int(results[4].value) < 20_001
    assert [x.reason for x in results[4].refused] == ["more than 100000 bytes"]


def test_other_languages_find_the_proxy(bench, echo):
    source = f"""
        const {{ hostname, port }} = new URL(process.env.https_proxy);
        const way = require('node:net').connect(port, hostname, () => way.write('CONNECT localhost:{echo} HTTP/1.1\\r\\n\\r\\n'));
        let all = '';
        way.on('data', (data) => {{
          const before = all; all += data;
          if (!before && all.includes('\\r\\n\\r\\n')) way.write('word\\n');
          if (all.endsWith('WORD\\n')) {{ console.log('heard'); way.destroy(); }}
        }});"""  # noqa: E501
    result, said = run(bench, source, (there(echo),), "javascript")
    assert said == ["heard"], (result, said)


def test_steps_of_a_session_have_it(bench, echo):
    room = bench.backend.open_session(SessionJob("python", resolve({}), egress=(there(echo),)))
    stop, events = Stop(), []
    try:
        for target, wanted in ((f"localhost:{echo}", "HELLO\n\n"), ("localhost:1", "403\n")):
            events.clear()
            room.run(Step(60, 4096, ASK + f"print(ask('{target}'))"), events.append, stop)
            assert events[0].data.decode() == wanted, events
        assert [x.target for x in events[-1].refused] == ["localhost:1"]
    finally:
        room.close()
        stop.close()


def test_nothing_is_left_of_a_way_out(bench, echo, leftovers):
    run(bench, ASK + f"ask('localhost:{echo}')", (there(echo),))
    before = leftovers()
    for _ in range(3):
        run(bench, ASK + f"ask('localhost:{echo}')", (there(echo),))
    assert leftovers() == before
