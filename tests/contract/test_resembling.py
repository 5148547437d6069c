"""Wrong answers beside mutants in a real sandbox: one that is a mutant, one that is near one, one that is like none."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest

from evaluator.adapters.kill_patterns import GeneratorKillPatterns
from evaluator.domain.outcomes import outcome_named
from evaluator.domain.resemblance import NEAR, nearest
from evaluator.domain.tasks import Verdict
from evaluator.errors import ExercisesAwayError
from pbt_generator.adapters.sandbox_grpc import GrpcSandbox
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.errors import UnknownTaskError
from pbt_generator.ports import ForeignProgram, RunLimits
from pbt_generator.rpc import PbtGeneratorServicer
from pbt_generator.usecases.kill_patterns import PatternDesk
from touchstone.pbt_generator.v1 import pbt_generator_pb2_grpc as rpc
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.grpc_server import GrpcServer, channel

pytestmark = pytest.mark.real

START_S = 60.0
TRUTH = """\
def charge(weight: int, limit: int) -> int:
    if weight <= limit:
        return weight
    total = limit
    for step in range(weight - limit):
        total += 2 + step % 3
    return total
"""
CASES = [[weight, limit] for weight in range(10) for limit in (0, 2, 5, 8)]


@pytest.fixture(scope="module")
def executor():
    """A sandbox-executor of our own; gives its address."""
    with tempfile.TemporaryDirectory(prefix="like-") as folder:
        address = f"unix:{folder}/s"
        command = [sys.executable, "-m", "sandbox_executor", "serve", "--listen", address, "--no-broker"]
        with Path(folder, "log").open("wb") as log:
            process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        try:
            with grpc.insecure_channel(address) as dialled:
                grpc.channel_ready_future(dialled).result(START_S)
            yield address
        finally:
            process.terminate()
            process.wait(60)


class OneTask:
    """The only task that there is."""

    def __init__(self, task):
        self.task = task

    async def find(self, task_id):
        if task_id != self.task.task_id:
            raise UnknownTaskError("no task has this id", thing=task_id)
        return SimpleNamespace(task=self.task)


class Counted:
    """A sandbox that says how often it judged."""

    def __init__(self, sandbox):
        self.sandbox, self.judged = sandbox, 0

    async def judge(self, *arguments, **named):
        self.judged += 1
        return await self.sandbox.judge(*arguments, **named)


@pytest.fixture
async def platform(executor, tmp_path, load_module):
    """The generator's door with one task, the evaluator's side of it, and a judge of answers."""
    blobs, freezer = BlobStore(f"file://{tmp_path}/blobs"), ContractFreezer()
    space: dict[str, object] = {}
    exec(TRUTH, space)
    pairs = [(json.dumps(given), json.dumps(space["charge"](*given))) for given in CASES]  # type: ignore[operator]
    suite = freezer.freeze("portable", "charge", 1, pairs)
    task = SimpleNamespace(
        task_id="task-charge", entry_point="charge", suite_digest=await blobs.put(suite.data),
        ground_truth_digest=await blobs.put(TRUTH.encode()),
    )  # fmt: skip
    kept = load_module("services/pbt-generator/tests/conftest.py").MemoryKillPatterns()
    async with grpc.aio.insecure_channel(executor) as dialled:
        sandbox = Counted(GrpcSandbox(dialled, executor))
        desk = PatternDesk(OneTask(task), blobs, kept, sandbox)
        server = GrpcServer(f"unix:{tmp_path}/g")
        servicer = PbtGeneratorServicer(None, None, None, None, None, None, desk)
        name = "touchstone.pbt_generator.v1.PbtGeneratorService"
        server.add(rpc.add_PbtGeneratorServiceServicer_to_server, servicer, name)
        await server.start()
        generator = channel(f"unix:{tmp_path}/g")

        async def judged(source):
            limits = RunLimits(case_timeout_s=5.0, total_timeout_s=60.0)
            found = await sandbox.judge(ForeignProgram(source, "charge"), suite.data, limits=limits)
            failures = tuple((each.index, each.outcome, each.detail) for each in found.failures)
            return Verdict(outcome_named(found.verdict), found.cases, found.passed, failures=failures)

        yield SimpleNamespace(
            patterns=GeneratorKillPatterns(generator),
            judged=judged,
            sandbox=sandbox,
            server=server,
            generator=generator,
        )
        await generator.close()
        await server.stop(0)


async def test_mutants_fail_as_the_suite_says_and_are_judged_once(platform):
    known = await platform.patterns.of("task-charge")
    assert len(known) > 5 and {each.cases for each in known} == {len(CASES)}
    for each in known:
        assert each.change and 2 <= each.line <= 7
        assert each.cases - each.passed == len(each.failures) or len(each.failures) == 50
    judged = platform.sandbox.judged
    assert await platform.patterns.of("task-charge") == known and platform.sandbox.judged == judged


async def test_a_wrong_program_that_is_a_mutant_is_named_as_it(platform):
    # Written in another way than the mutant, and wrong in the same.
    verdict = await platform.judged(
        "def charge(w, m):\n    over = max(0, w - m)\n    return min(w, m) + sum(2 - i % 3 for i in range(over))\n"
    )
    found = nearest(verdict, await platform.patterns.of("task-charge"))
    assert [(each.line, each.change) for each in found] == [(6, "2 + step % 3 → 2 - step % 3")]
    assert found[0].alike == found[0].shared == found[0].either == verdict.cases - verdict.passed


async def test_a_program_that_fails_nearly_where_a_mutant_fails_is_near_it(platform):
    # As the mutant, but for one weight that it gets right by heart.
    verdict = await platform.judged(
        "def charge(w, m):\n    if (w, m) == (9, 8):\n        return 10\n    over = max(0, w - m)\n"
        "    return min(w, m) + sum(3 + i % 3 for i in range(over))\n"
    )
    found = nearest(verdict, await platform.patterns.of("task-charge"))
    assert found and all(NEAR <= each.shared / each.either < 1 for each in found)
    assert found[0].line == 6


async def test_a_program_that_is_wrong_in_its_own_way_is_named_as_nothing(platform):
    known = await platform.patterns.of("task-charge")
    for source in (
        "def charge(w, m):\n    return None\n",
        "def charge(w, m):\n    raise ValueError('no')\n",
        TRUTH.replace("    if weight", "    if weight % 4 == 1:\n        return -1\n    if weight"),
    ):
        verdict = await platform.judged(source)
        assert verdict.failures and nearest(verdict, known) == ()


async def test_nobody_has_the_mutants_of_a_task_that_is_not_there_and_a_generator_that_is_away_is_asked_again(platform):
    assert await platform.patterns.of("another") == ()
    await platform.server.stop(0)
    with pytest.raises(ExercisesAwayError):
        await platform.patterns.of("task-charge")
