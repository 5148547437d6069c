"""The second stage of repairs: commands at a terminal, bounded, recorded, and within what a repair may do."""

import json
from dataclasses import replace

import grpc
import pytest

from annotator.adapters.terminal import GrpcTerminal
from annotator.domain.execution import CaseRun, ProgramRun
from annotator.domain.method import ABLATIONS
from annotator.usecases.judging import Judge
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone_runtime.errors import RetryableError

METHOD = replace(ABLATIONS["full"], checker=False, max_tries=0, max_commands=3)

UNCLEAR = '{"reason": "must be run", "verdict": "unclear"}'
NO = '{"reason": "the cases fail", "label": 0}'
TESTS = "assert size(Box(layers=[1, 2])) == 2\nassert size(Box(layers=[])) == 0"
PROGRAM = json.dumps({"interpretation": "counts the layers", "setup": "", "tests": TESTS})
BROKEN = ProgramRun("exited", 1, stderr="NameError: name 'Box' is not defined")
SETUP = "from types import SimpleNamespace as Box"
QUIET = ProgramRun("returned")


def command(line):
    return json.dumps({"reason": "", "command": line})


@pytest.fixture
def repaired(method_pair, scripted, fake_sandbox):
    """Judges with these commands; gives the record, the model and the sandbox."""

    async def run(commands, does, programs, preparations=(), method=METHOD):
        model = scripted(
            screener=[UNCLEAR], program=[PROGRAM], terminal=[command(line) for line in commands], arbiter=[NO]
        )
        sandbox = fake_sandbox(programs=programs, preparations=preparations)
        sandbox.commands = does
        return await Judge(model, sandbox, method).judge(method_pair), model, sandbox

    return run


def repairs(record):
    return [(step.outcome, step.detail) for step in record.steps if step.name == "repair"]


async def test_a_command_that_edits_the_setup_is_a_repair(repaired):
    does = {
        "ls": (ProgramRun("returned", stdout="code.py setup.py tests.py\n"), {}),
        "fix": (QUIET, {"setup.py": SETUP}),
    }
    record, model, sandbox = await repaired(["ls", "fix"], does, [BROKEN, QUIET])
    assert repairs(record) == [("command", "$ ls\ncode.py setup.py tests.py"), ("edited", "$ fix\n")]
    assert [step.outcome for step in record.steps if step.name == "execution"] == ["error", "passed"]
    assert SETUP in sandbox.ran[1][0] and record.executed is True
    assert "NameError" in model.shown("terminal") and "$ ls" in model.shown("terminal")
    assert all(step.exchanges for step in record.steps if step.name == "repair"), "each try is in the record"
    assert b"$ fix" in record.to_bytes()


async def test_commands_are_bounded(repaired):
    lines = [f"true {number}" for number in range(9)]
    record, model, sandbox = await repaired(lines, {line: (QUIET, {}) for line in lines}, [BROKEN])
    assert sandbox.lines == lines[:3] and model.order.count("terminal") == 3
    assert record.executed is False and len(sandbox.ran) == 1, "what changes nothing is not run again"


@pytest.mark.parametrize("lines", [[""], ["ls", "ls"]])
async def test_who_has_nothing_left_to_try_is_not_asked_again(repaired, lines):
    record, model, _ = await repaired(lines, {"ls": (QUIET, {})}, [BROKEN])
    assert repairs(record)[-1][0] == "given up" and model.order.count("terminal") == len(lines)


async def test_without_the_fixer_there_is_no_terminal(repaired):
    record, _, sandbox = await repaired([], {}, [BROKEN], method=replace(METHOD, fixer=False))
    assert not sandbox.terminals and not repairs(record)


@pytest.mark.parametrize(
    "tests", [TESTS.replace("== 2", "== 3"), "pass", f"{TESTS}\nassert True", TESTS.splitlines()[0], "x" * 30_000]
)
async def test_expectations_are_put_back(repaired, tests):
    record, _, sandbox = await repaired(["cheat", "fix"], {
        "cheat": (QUIET, {"tests.py": tests}), "fix": (QUIET, {"setup.py": SETUP}),
    }, [BROKEN, QUIET])  # fmt: skip
    assert [outcome for outcome, _ in repairs(record)] == ["command", "edited"]
    assert sandbox.terminals[0][0].files["tests.py"] == TESTS
    assert TESTS in sandbox.ran[1][0]


@pytest.mark.parametrize(
    "setup", ["def len(layers):\n    return 2", "from helpers import *", "new = globals().update(size=max)"]
)
async def test_what_expectations_reach_is_put_back(repaired, setup):
    edits = {"cheat": (QUIET, {"setup.py": f"{SETUP}\n{setup}"}), "more": (QUIET, {"setup.py": f"{SETUP}\nof = 1"})}
    record, _, sandbox = await repaired(["cheat", "more"], edits, [BROKEN, BROKEN, QUIET])
    assert [outcome for outcome, _ in repairs(record)] == ["edited", "edited"]
    assert setup not in sandbox.ran[1][0] and SETUP in sandbox.ran[1][0], "only the import was taken"
    assert f"{SETUP}\nof = 1" in sandbox.ran[2][0]


async def test_the_code_is_put_back(repaired, method_pair):
    edited = {"fake": (QUIET, {"code.py": "def size(self):\n    return 2", "setup.py": SETUP})}
    record, _, sandbox = await repaired(["fake"], edited, [BROKEN, QUIET])
    assert method_pair.code in sandbox.ran[1][0] and "return 2" not in sandbox.ran[1][0]
    assert sandbox.terminals[0][0].files["code.py"] == method_pair.code
    assert "code.py is as it was" in repairs(record)[0][1]


async def test_packages_come_from_the_index_and_the_work_goes_on_beside_them(repaired, preparation):
    lines = ["pip install attrs && python tests.py", "fix"]
    record, _, sandbox = await repaired(
        lines, {"fix": (QUIET, {"setup.py": SETUP})}, [BROKEN, BROKEN, QUIET], [preparation("env-1", ("attrs==1 ab",))]
    )
    assert sandbox.prepared == [("attrs",)] and sandbox.lines == ["fix"]
    assert [environment for _, environment in sandbox.terminals] == ["", "env-1"]
    assert [environment for _, environment in sandbox.ran] == ["", "env-1", "env-1"]
    installs = [step for step in record.steps if step.name == "repair" and step.outcome == "install"]
    assert installs[0].installed == ("attrs==1 ab",) and record.executed is True


async def test_a_package_that_cannot_be_had_is_told(repaired, preparation):
    record, model, _ = await repaired(["pip install nosuch", ""], {}, [BROKEN], [preparation("", problem="not there")])
    assert repairs(record)[0] == ("install", "$ pip install nosuch\ncould not install nosuch: not there")
    assert "not there" in model.shown("terminal")


CASES = json.dumps({"interpretation": "i", "cases": [{"args": ["ab", 1], "expected": "ba"}]})
MISCALLED = CaseRun(
    "raised", error_type="TypeError", message="backwards() takes 1 positional argument but 2 were given"
)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('{"args": ["ab"], "expected": "ba"}', '["ab"]'),
        ('{"args": ["ab"], "expected": "ab"}', None),
        ('{"args": ["other"], "expected": "ba"}', None),
        ("[", None),
        ("", None),
    ],
)
async def test_cases_are_edited_within_the_same_bounds(pair, scripted, fake_sandbox, returned, text, arguments):
    model = scripted(screener=[UNCLEAR], cases=[CASES], terminal=[command("edit"), command("")], arbiter=[NO])
    sandbox = fake_sandbox(calls=[[MISCALLED], returned('"ba"')])
    sandbox.commands = {"edit": (QUIET, {"cases.json": text})}
    record = await Judge(model, sandbox, METHOD).judge(pair)
    if arguments:
        assert sandbox.called[1][2] == (arguments,) and record.executed is True
    else:
        assert len(sandbox.called) == 1 and '"ab", 1' in sandbox.terminals[0][0].files["cases.json"]


async def test_the_checker_keeps_what_was_scored(pair, scripted, fake_sandbox):
    """A record with a second agent has every step of one without, the score's among them."""
    from annotator.domain.calibration import Calibration
    from annotator.ports import Weighed

    class Weighing(scripted):
        async def weigh(self, prompt, choices, **values):
            return Weighed(tuple(1 / len(choices) for _ in choices), 1.0, prompt, ())

    calibration = Calibration((0.0,) * 4, (1.0,) * 4, (1.0,) * 4, 0.0)
    match = '{"reason": "it slices backwards", "verdict": "match"}'
    model = Weighing(screener=[match], checker=[NO])
    record = await Judge(model, fake_sandbox(), ABLATIONS["full"], calibration=calibration).judge(pair)
    assert [step.name for step in record.steps] == [
        "screener", "again", "control", "signal", "signal", "score", "checker",
    ]  # fmt: skip


class Replicas:
    """Replicas behind one address that take turns; the last one holds the session."""

    def __init__(self, elsewhere):
        self.elsewhere = elsewhere
        self.asked = 0

    async def ReadFile(self, request, timeout):
        self.asked += 1
        if self.asked <= self.elsewhere:
            code = grpc.StatusCode.FAILED_PRECONDITION
            words = "session: this session lives in another replica, at 10.0.0.2:7105"
            raise grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), words)
        return pb.ReadFileResponse(file=pb.File(path=request.path, content=b"def f(): pass"))


async def test_the_replica_that_holds_the_session_is_found():
    replicas = Replicas(2)
    assert await GrpcTerminal(replicas, "session", 1.0).read("code.py") == "def f(): pass"
    assert replicas.asked == 3
    with pytest.raises(RetryableError, match="lives in another replica"):
        await GrpcTerminal(Replicas(40), "session", 1.0).read("code.py")


async def test_a_command_may_hold_what_no_shell_takes():
    seen = []

    class Stub:
        async def ExecuteInSession(self, request, timeout):
            seen.append(request.command.argv[-1])
            yield pb.ExecuteInSessionResponse(result=pb.ExecuteResult(outcome=pb.OUTCOME_RETURNED))

    run = await GrpcTerminal(Stub(), "s", 1.0).command("echo \ud800\0x ü")
    assert (run.outcome, seen) == ("returned", ["echo ? x ü"])
