"""Each track in a real sandbox: ground truths score 100 %, programs and values that are known to be wrong 0 %."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest

from evaluator.adapters.answer_sets import BlobAnswerSets
from evaluator.adapters.exercises import GeneratorExercises
from evaluator.domain.outcomes import Outcome, cpu_ratio
from evaluator.domain.submitted import SubmittedAnswer
from evaluator.errors import NoExerciseError, UnknownTrackError
from evaluator.ports import Posable
from evaluator.usecases.submitted import Submitted, submit_answers
from evaluator.usecases.tracks import TRACKS
from pbt_generator.adapters.sandbox_grpc import GrpcSandbox
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.domain.exercises.dress import spelled
from pbt_generator.domain.exercises.exercise import VERSION
from pbt_generator.domain.oracle.certificate import wrong_programs
from pbt_generator.domain.task.tables import TABLES, table_program
from pbt_generator.domain.task.wording.heads import signatures
from pbt_generator.domain.task.wording.instruction import compose
from pbt_generator.domain.task.wording.observed import observe
from pbt_generator.domain.task.wording.prose import Prose
from pbt_generator.domain.task.wording.told import Told
from pbt_generator.ports import ForeignProgram, RunLimits
from pbt_generator.rpc import PbtGeneratorServicer
from pbt_generator.usecases.exercises import ExerciseDesk, posers
from touchstone.pbt_generator.v1 import pbt_generator_pb2_grpc as rpc
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.grpc_server import GrpcServer, channel

pytestmark = pytest.mark.real

START_S = 60.0
LIMITS = RunLimits(case_timeout_s=5.0, total_timeout_s=60.0)
TRUTHS = {
    "outside": (
        "def _between(low, high):\n    return high - low\n\n\ndef outside(value: int, low: int, high: int) -> int:\n"
        "    if value < low:\n        return _between(value, low)\n    if value > high:\n        return value - high\n"
        "    return -1\n",
        [[value, low, low + 7] for value in range(-9, 22, 3) for low in (-4, 0, 3)],
    ),
    "factorial": (
        "def _times(left, right):\n    return left * right\n\n\ndef factorial(n: int) -> int:\n"
        "    if n < 2:\n        return 1\n    return _times(n, factorial(n - 1))\n",
        [[n] for n in range(12)],
    ),
    "counted": (
        "from collections import Counter\n\n\ndef _small(word):\n    return word.lower()\n\n\n"
        "def counted(words: list, least: int = 1) -> dict:\n"
        "    found = {}\n    for word, number in Counter(words).items():\n"
        "        if number >= least:\n            found[_small(word)] = number\n    return found\n",
        [[["A", "b", "A"], 1], [["A", "b", "A"], 2], [["c"], 2], [[], 1], [["x", "y", "x", "y", "z"], 2], [["q"], 1]],
    ),
}  # fmt: skip


def cases_of(name):
    source, given = TRUTHS[name]
    space = {}
    exec(source, space)
    return [(json.dumps(arguments), json.dumps(space[name](*arguments))) for arguments in given]


# What no caller should send, and the ground truths answer all the same.
OUTSIDE = {
    "outside": [[1.5, 0, 1], [True, 2, 5], [-2.25, -1, 4]],
    "factorial": [[-3], [2.5], [True]],
    "counted": [[{"A": 3}, 2], [{"B": 0, "b": 7}, 1.5], [[], None]],
}


def outside_of(name):
    space = {}
    exec(TRUTHS[name][0], space)
    return [(json.dumps(given), json.dumps(space[name](*given))) for given in OUTSIDE[name]]


def told(name):
    """Instruction and heads as the builder writes them, from the cases."""
    function = ast.parse(TRUTHS[name][0]).body[-1]
    names, cases = [each.arg for each in function.args.args], cases_of(name)
    columns = [observe([json.loads(given)[place] for given, _ in cases]) for place in range(len(names))]
    result = observe([json.loads(expected) for _, expected in cases])
    prose, parameters = (
        Prose("Does what the cases show.", {}, ""),
        [Told(*each) for each in zip(names, columns, strict=True)],
    )
    written = compose(name, "SC", prose, parameters, result, cases[:3])
    return {"instruction": written, "signatures": signatures(name, parameters, result)}


class Tasks:
    """The tasks of the test, as the desk of the generator knows them."""

    def __init__(self):
        self.stored = {}
        self.decisions = self

    async def tasks(self):
        return list(self.stored.values())

    async def find(self, task_id):
        return self.stored[task_id]


@pytest.fixture(scope="module")
def executor():
    """A sandbox-executor of our own; gives its address."""
    with tempfile.TemporaryDirectory(prefix="tracks-") as folder:
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


class Platform:
    """Generator's desk behind its real servicer, evaluator's submitted answers before it, and the judge."""

    def __init__(self, sandbox, exercises, blobs, sets, load):
        self.sandbox, self.exercises, self.blobs = sandbox, exercises, blobs
        self.sets, self.strategy = sets, Submitted(sets, exercises)
        self.fakes = load("services/evaluator/tests/conftest.py")

    def task(self, name):
        return self.fakes.make_task(
            1, task_id=f"task-{name}", entry_point=name, suite_digest=self.suites[name], **told(name)
        )

    async def judged(self, track, name, answer):
        """How an answer ends: by itself, or on the suite that the track has."""
        digest, *_ = await submit_answers(self.sets, [SubmittedAnswer(f"task-{name}", 0, answer)])
        run = self.fakes.make_run(track=track, strategy="submitted", answers=digest)
        solution = await self.strategy.solve(run, self.task(name))
        if solution.outcome is not None:
            return solution.outcome, solution, None
        suite = await self.blobs.get(solution.suite_digest or self.suites[name])
        judged = await self.sandbox.judge(
            ForeignProgram(solution.code, solution.entry_point or name), suite, limits=LIMITS
        )
        return judged.verdict, solution, judged


@pytest.fixture
async def platform(executor, tmp_path, load_module):
    blobs, freezer, tasks = BlobStore(f"file://{tmp_path}/blobs"), ContractFreezer(), Tasks()
    async with grpc.aio.insecure_channel(executor) as dialled:
        sandbox = GrpcSandbox(dialled, executor)
        suites = {}
        for name, (source, _) in TRUTHS.items():
            suite = freezer.freeze("portable", name, 1, cases_of(name))
            suites[name] = await blobs.put(suite.data)
            outside = freezer.freeze("portable", name, 1, outside_of(name))
            track = {"suite_digest": await blobs.put(outside.data), "cases": 2}
            certificate = {"mutation": {"killed": 3}, "inputs": {"robustness": track}}
            task = SimpleNamespace(
                task_id=f"task-{name}", entry_point=name, suite_digest=suites[name],
                ground_truth_digest=await blobs.put(source.encode()),
                certificate_digest=await blobs.put(json.dumps(certificate).encode()),
                **told(name),
            )  # fmt: skip
            place = {"source": {"name": "pack"}, "path": "pack/code.py", "qualname": name}
            tasks.stored[task.task_id] = SimpleNamespace(task=task, function=place)
        desk = ExerciseDesk(tasks, blobs, freezer, posers(sandbox, freezer, blobs))
        server = GrpcServer(f"unix:{tmp_path}/g")
        servicer = PbtGeneratorServicer(None, None, desk, None, None, None, None)
        name = "touchstone.pbt_generator.v1.PbtGeneratorService"
        server.add(rpc.add_PbtGeneratorServiceServicer_to_server, servicer, name)
        await server.start()
        dialled_generator = channel(f"unix:{tmp_path}/g")
        exercises = GeneratorExercises(dialled_generator)
        made = Platform(sandbox, exercises, blobs, BlobAnswerSets(blobs), load_module)
        made.suites = suites
        yield made
        await dialled_generator.close()
        await server.stop(0)


class Renamed(ast.NodeTransformer):
    """Names of functions, parameters and variables of a program, changed."""

    def __init__(self, names):
        self.names = names

    def visit(self, node):
        for field in ("id", "arg", "name"):
            if isinstance(getattr(node, field, None), str):
                setattr(node, field, self.names.get(getattr(node, field), getattr(node, field)))
        return self.generic_visit(node)


def renamed(source, names):
    return ast.unparse(Renamed(names).visit(ast.parse(source))) + "\n"


def arguments_of(name, exercise):
    own, new = (ast.parse(f"{head}: ...").body[0].args.args
                for head in (told(name)["signatures"]["python"], exercise.signatures["python"]))  # fmt: skip
    return {old.arg: changed.arg for old, changed in zip(own, new, strict=True)}


async def right_answer(platform, track, name):
    exercise = await platform.exercises.find(f"task-{name}", track)
    pairs = cases_of(name)
    if track == "predict-output":
        return next(result for arguments, result in pairs if arguments == exercise.arguments)
    if track == "predict-input":
        return next(arguments for arguments, result in pairs if result == exercise.expected)
    if track == "neutral":
        return renamed(TRUTHS[name][0], {name: exercise.entry_point} | arguments_of(name, exercise))
    return TRUTHS[name][0]


async def wrong_answers(platform, track, name):
    pairs = cases_of(name)
    exercise = await platform.exercises.find(f"task-{name}", track)
    if track == "predict-output":
        own = next(result for arguments, result in pairs if arguments == exercise.arguments)
        return ["", "null", "0", exercise.arguments, *{result for _, result in pairs if result != own}]
    if track == "predict-input":
        return ["", "null", "[]", "[null]", *{given for given, result in pairs if result != exercise.expected}]
    constant = pairs[0][1]
    asked = exercise.entry_point or name
    # A program under the task's own name is not what is asked for in neutral dress.
    own = [TRUTHS[name][0]] if track == "neutral" else []
    wrong = own + list(wrong_programs(asked, repr(json.loads(constant)), constant).values())
    # The rest of a beginning, and a program that nobody mended.
    return wrong + {"completion": ["```\npass\n```"], "repair": [exercise.program]}.get(track, [])


@pytest.mark.parametrize("track", [track for track in TRACKS if track])
async def test_ground_truths_score_all_and_wrong_answers_nothing(platform, track):
    ids = [f"task-{name}" for name in TRUTHS]
    assert await platform.exercises.posable(track, ids) == Posable(tuple(ids), VERSION)
    right, wrong = [], []
    for name in TRUTHS:
        verdict, solution, judged = await platform.judged(track, name, await right_answer(platform, track, name))
        right.append(verdict)
        if track == "speed":
            # The same program twice: whatever the machine does, a ratio far from one would be a mistake of ours.
            assert 0.2 < cpu_ratio(verdict, judged.cpu_s, solution.reference_cpu_s) < 5
        for answer in await wrong_answers(platform, track, name):
            wrong.append((name, answer, (await platform.judged(track, name, answer))[0]))
    assert right == ["passed"] * len(TRUTHS)
    assert len(wrong) >= 12
    assert [each for each in wrong if each[2] == Outcome.PASSED] == []


@pytest.mark.parametrize("language", TABLES)
async def test_programs_in_neutral_dress_pass_the_same_cases_in_every_language(platform, language):
    for name in TRUTHS:
        exercise = await platform.exercises.find(f"task-{name}", "neutral")
        assert not spelled(name).search(exercise.instruction) and not exercise.suite_digest
        suite = await platform.blobs.get(platform.suites[name])
        for broken, ended in ((False, "passed"), (True, "wrong_output")):
            # It knows the answers and no name but the neutral one.
            text = table_program(language, exercise.entry_point, cases_of(name), broken=broken)
            judged = await platform.sandbox.judge(
                ForeignProgram(text, exercise.entry_point, language), suite, limits=LIMITS
            )
            assert judged.verdict == ended and name not in text


async def test_what_a_prediction_runs_holds_no_code_of_the_answer(platform):
    for answer in ("__import__('os').getpid()", "```\nfactorial(5)\n```", "1; import os"):
        for track in ("predict-output", "predict-input"):
            verdict, solution, _ = await platform.judged(track, "factorial", answer)
            assert verdict is Outcome.NO_CODE and solution.code == ""


async def test_a_slower_answer_has_a_larger_ratio(platform):
    slow = TRUTHS["factorial"][0].replace("    if n < 2:", "    sum(range(400_000))\n    if n < 2:")
    verdict, solution, judged = await platform.judged("speed", "factorial", slow)
    assert cpu_ratio(verdict, judged.cpu_s, solution.reference_cpu_s) > 2
    wrong, solution, judged = await platform.judged("speed", "factorial", "def factorial(n):\n    return 1\n")
    assert wrong == "wrong_output" and cpu_ratio(wrong, judged.cpu_s, solution.reference_cpu_s) == 0.0


async def test_what_the_generator_refuses_is_said_in_its_words(platform):
    with pytest.raises(UnknownTrackError, match="repair"):
        await platform.exercises.posable("poetry", [])
    with pytest.raises(NoExerciseError):
        await platform.exercises.find("task-outside", "poetry")
    assert (await platform.exercises.find("task-outside", "completion", VERSION)).track == "completion"
    with pytest.raises(NoExerciseError, match=f"version {VERSION} here"):
        await platform.exercises.find("task-outside", "completion", VERSION - 1)
