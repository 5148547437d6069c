"""`touchstone sandbox run`, `cases` and `session exec`: exit codes and words of ends that are not whole."""

import contextlib
import json
from types import SimpleNamespace

import pytest

from touchstone.sandbox.v1 import sandbox_pb2 as pb


@pytest.fixture
def sandbox(monkeypatch, tmp_path):
    """A sandbox that answers with `events`; a program, and the way to run it."""
    state = SimpleNamespace(events=[], program=tmp_path / "job.py", cases=tmp_path / "cases.jsonl")
    state.program.write_text("print(1)")

    class Made:
        messages = pb

        def stream(self, method, request, *, timeout_s):
            yield from state.events

    @contextlib.contextmanager
    def opened(*_):
        yield Made()

    monkeypatch.setattr("touchstone_cli.sandbox.sandbox", opened)
    monkeypatch.setattr("touchstone_cli.sandbox_session._running", opened)
    return state


def end(outcome, code, detail=""):
    return pb.ExecuteResult(outcome=pb.Outcome.Value(f"OUTCOME_{outcome}"), exit_code=code, detail=detail)


COMMANDS = [("run", "--language", "python"), ("session", "exec", "S", "--source")]


@pytest.mark.parametrize("command", COMMANDS, ids=["run", "session exec"])
@pytest.mark.parametrize("quiet", [[], ["--quiet"]], ids=["loud", "quiet"])
@pytest.mark.parametrize(
    ("outcome", "code", "ends"),
    [
        *(("RETURNED", 0, 0), ("EXITED", 3, 3), ("EXITED", 300, 1)),
        *(("OUTPUT_LIMIT", 0, 1), ("OUTPUT_LIMIT", -1, 1), ("TIMED_OUT", 137, 137), ("COMPILE_ERROR", 0, 1)),
        ("AN_OUTCOME_OF_LATER", 0, 1),
    ],
)
def test_only_an_end_of_its_own_is_0(touchstone, sandbox, command, quiet, outcome, code, ends):
    known = outcome in pb.Outcome.keys() or f"OUTCOME_{outcome}" in pb.Outcome.keys()  # noqa: SIM118
    result = end(outcome, code, "why") if known else pb.ExecuteResult(outcome=99, exit_code=code, detail="why")
    kind = pb.ExecuteResponse if command[0] == "run" else pb.ExecuteInSessionResponse
    sandbox.events = [kind(stdout=b"all there is\n"), kind(result=result)]
    done = touchstone(*quiet, "sandbox", *command, sandbox.program)
    assert (done.code, done.out) == (ends, "all there is\n")
    assert ("why" in done.err) == (outcome not in ("RETURNED", "EXITED")), done.err


@pytest.mark.parametrize("command", COMMANDS, ids=["run", "session exec"])
def test_an_answer_without_an_end_is_no_success(touchstone, sandbox, command):
    kind = pb.ExecuteResponse if command[0] == "run" else pb.ExecuteInSessionResponse
    sandbox.events = [kind(stdout=b"half")]
    done = touchstone("sandbox", *command, sandbox.program)
    assert done.code == 1 and "without a result" in done.err


def cases(touchstone, sandbox, inputs, expected=None, results=0):
    sandbox.cases.write_text(inputs)
    sandbox.events = [
        pb.RunCasesResponse(index=n, outcome=pb.Outcome.Value("OUTCOME_RETURNED"), value="1") for n in range(results)
    ]
    more = []
    if expected is not None:
        path = sandbox.cases.with_name("expected.jsonl")
        path.write_text(expected)
        more = ["--expected", path]
    given = ("--entry", "f", sandbox.program, "--inputs", sandbox.cases, *more)
    return touchstone("sandbox", "cases", "-l", "python", *given, "--json")


def test_no_case_is_no_pass(touchstone, sandbox):
    for inputs in ("", "\n \n"):
        for expected in (None, ""):
            done = cases(touchstone, sandbox, inputs, expected)
            assert (done.code, done.out) == (2, "") and "holds no case" in done.err
    done = cases(touchstone, sandbox, "[1]\n[2]\n", "1\n1\n", results=2)
    assert done.code == 0 and json.loads(done.out)["verdict"] == "passed"


def test_cases_without_an_answer_are_no_pass(touchstone, sandbox):
    done = cases(touchstone, sandbox, "[1]\n[2]\n", "1\n1\n", results=1)
    assert (done.code, done.out) == (1, "") and "answered 1 of 2 cases" in done.err
