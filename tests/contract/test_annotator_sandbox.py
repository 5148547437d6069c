"""The annotator's tests in a real sandbox; the model's answers are given, everything else is real."""

import asyncio
import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from annotator.adapters.sandbox import GrpcSandbox, SandboxLimits
from annotator.domain.method import ABLATIONS
from annotator.domain.pair import Pair
from annotator.ports import Asked
from annotator.usecases.judging import Judge

pytestmark = pytest.mark.real

START_S = 60.0
METHOD = replace(ABLATIONS["full"], checker=False)


class Answers:
    """Gives one answer for each prompt."""

    def __init__(self, **answers):
        self.answers = {
            "screener": {"reason": "", "verdict": "unclear"},
            "arbiter": {"reason": "", "label": 1},
            **answers,
        }

    def signature(self):
        return "given"

    async def ask(self, prompt, form, *, max_tokens, **values):
        return Asked(form.model_validate(self.answers[prompt.removesuffix("_v1")]), "", prompt, ())


@pytest.fixture(scope="module")
def executor():
    """A sandbox-executor of our own; gives its address."""
    with tempfile.TemporaryDirectory(prefix="annotator-") as folder:
        address = f"unix:{folder}/s"
        command = [sys.executable, "-m", "sandbox_executor", "serve", "--listen", address, "--no-broker"]
        with Path(folder, "log").open("wb") as log:
            process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        try:
            with grpc.insecure_channel(address) as channel:
                grpc.channel_ready_future(channel).result(START_S)
            yield address
        finally:
            process.terminate()
            process.wait(60)


@pytest.fixture
async def sandbox(executor):
    async with grpc.aio.insecure_channel(executor) as channel:
        yield GrpcSandbox(channel, SandboxLimits(case_timeout_s=5.0, program_timeout_s=20.0))


async def judged(sandbox, code, **answers):
    pair = Pair("p", "q", "query", "f", code)
    return await asyncio.wait_for(Judge(Answers(**answers), sandbox, METHOD).judge(pair), 120)


def results(record):
    return [case.result for case in record.reports[-1].cases]


async def test_cases_are_compared_outside(sandbox):
    cases = [
        {"args": [["b", "a"]], "expected": ["a", "b"]},
        {"args": [["b", "a"]], "check": "result == sorted(args[0]) and len(result) == 2"},
        {"args": [["a"]], "expected": ["b"]},
        {"args": [[{"$": "tuple", "v": [2]}, 1]], "raises": "TypeError"},
        {"args": [[]], "check": "result[0] == 1"},
    ]
    record = await judged(
        sandbox,
        "def order(xs: List[str]):\n    return tuple(sorted(xs))",
        cases={"interpretation": "i", "cases": cases},
    )
    assert results(record) == ["passed", "failed", "failed", "passed", "error"], record.reports
    assert record.executed is True and not record.self_reported


async def test_a_result_cannot_pretend_to_be_equal(sandbox):
    code = (
        "class Same(str):\n    def __eq__(self, other):\n        return True\n    __hash__ = str.__hash__\n\n"
        "def order(xs):\n    return Same('x')"
    )
    record = await judged(sandbox, code, cases={"interpretation": "i", "cases": [{"args": [[]], "expected": "y"}]})
    assert results(record) != ["passed"] and not record.self_reported


async def test_scaffolding_is_found_without_a_model(sandbox):
    code = "def total(xs):\n    return np.sum(xs) + len(re.findall('a', 'aa')) + sum(xrange(1))"
    record = await judged(
        sandbox, code, cases={"interpretation": "i", "cases": [{"args": [[1, 2]], "check": "int(result) == 5"}]}
    )
    assert results(record) == ["passed"], record.reports


async def test_programs(sandbox):
    code = "def size(self):\n    return len(self.layers)"
    program = {
        "interpretation": "i",
        "setup": "from types import SimpleNamespace",
        "tests": "assert size(SimpleNamespace(layers=[1])) == 1\nprint('all done')",
    }
    record = await judged(sandbox, code, program=program)
    assert record.reports[-1].result == "passed" and record.self_reported
    assert "all done" in record.reports[-1].output
    program["tests"] = "assert size(SimpleNamespace(layers=[1])) == 2"
    assert (await judged(sandbox, code, program=program)).reports[-1].result == "failed"


async def test_an_error_is_repaired(sandbox):
    code = "def size(self):\n    return len(self.layers)"
    program = {"interpretation": "i", "setup": "", "tests": "assert size(SimpleNamespace(layers=[1])) == 1"}
    fixed = {"setup": "from types import SimpleNamespace"}
    record = await judged(sandbox, code, program=program, fix_program=fixed)
    assert [step.outcome for step in record.steps if step.name == "execution"] == ["error", "passed"]
    assert json.loads(record.to_bytes())["steps"][2]["report"]["detail"].startswith("exited: NameError")


async def test_two_runs_give_the_same_record(sandbox):
    code = "def size(self):\n    return self.layers"
    program = {"interpretation": "i", "setup": "", "tests": "print(object())\nassert size(object())"}
    fixed = {"setup": "import time\ntime.sleep(0.05)", "tests": "print(object(), time.sleep)\nraise KeyError(object())"}
    first = await judged(sandbox, code, program=program, fix_program=fixed)
    second = await judged(sandbox, code, program=program, fix_program=fixed)
    assert first.to_bytes() == second.to_bytes()


async def test_endless_code_is_a_result(sandbox):
    code = "def spin(x):\n    while True:\n        pass"
    record = await judged(sandbox, code, cases={"interpretation": "i", "cases": [{"args": [1], "expected": 1}]})
    assert record.reports[-1].cases[0].outcome == "timed_out" and record.reports[-1].result == "failed"
