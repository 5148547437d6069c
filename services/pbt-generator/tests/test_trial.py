"""Tasks solved blind: solutions that agree with each other and not with the truth point at an input."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from typing import Any, ClassVar

import pytest

from pbt_generator import metrics
from pbt_generator.adapters.publisher import BusAnnouncer
from pbt_generator.adapters.solver import LlmSolver
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.domain.task.record import BuiltTask, Subject
from pbt_generator.domain.trial import Attempt, judge
from pbt_generator.errors import SandboxRefusedError, UnknownTaskError
from pbt_generator.usecases.serve import TaskDesk
from pbt_generator.usecases.trial import TrialDesk, Tried
from touchstone_runtime.llm import (
    Answer,
    Catalogue,
    LlmClient,
    LlmUsage,
    MemoryLedger,
    MemoryLlmCache,
    UnknownModelError,
)
from touchstone_runtime.llm.transport import OpenAiTransport

CASES = [("[1]", "1"), ("[2]", "2.0000000001"), ("[3]", "[1,2]"), ("[4]", '"a"')]
TRUTH = ("1", "2.0", "[1,2]", '"a"')
CERTIFICATE = b'{"builder":"pbt-26","holds":true}'


def attempts(*returned: tuple[str | None, ...]) -> list[Attempt]:
    return [Attempt(f"program {number}", given) for number, given in enumerate(returned)]


def test_two_that_agree_against_the_truth_point_at_an_input() -> None:
    wrong = ("1", "2.0", "[2,1]", '"b"')
    trial = judge("t", "m", attempts(TRUTH, wrong, ("1", "2.0", "[2, 1]", '"c"')), CASES, "portable")
    assert (trial.standing, trial.words, trial.answered, trial.pointed) == ("open", "1/3", 3, 1)
    (point,) = trial.points
    assert (point.case, point.arguments, point.expected, point.solutions) == (2, "[3]", "[1,2]", 2)


@pytest.mark.parametrize(
    ("given", "standing", "solved"),
    [
        ([TRUTH, TRUTH], "solved", 2),
        ([TRUTH, ("9", "9", "9", "9")], "solved", 1),
        ([("8", *TRUTH[1:]), ("9", *TRUTH[1:])], "hard", 0),
        # That both fail says nothing of an input; nor does what is no value at all.
        ([(None, *TRUTH[1:]), (None, *TRUTH[1:])], "hard", 0),
        ([("{", *TRUTH[1:]), ("{", *TRUTH[1:])], "hard", 0),
    ],
)
def test_what_solutions_say(given: list[tuple[str | None, ...]], standing: str, solved: int) -> None:
    trial = judge("t", "m", attempts(*given), CASES, "portable")
    assert (trial.standing, trial.solved, trial.pointed) == (standing, solved, 0)


@pytest.mark.parametrize("letters", [100_000, 140_000, 400_000])
def test_results_as_long_as_the_ground_truth_s_are_read(letters: int) -> None:
    expected = '["' + "a" * letters + '",1]'
    # What is the same in another notation, what is something else, and what is longer than any such result.
    same, other, longer = expected.replace(",1]", ", 1.0]"), expected.replace("1]", "2]"), f"[{expected * 3}]"
    trial = judge("t", "m", attempts((expected,), (same,)), [("[1]", expected)], "portable")
    assert (trial.words, trial.standing) == ("2/2", "solved")
    assert judge("t", "m", attempts((other,), (other,)), [("[1]", expected)], "portable").standing == "open"
    assert judge("t", "m", attempts((longer,), (longer,)), [("[1]", expected)], "portable").standing == "hard"


def test_without_an_answer_nothing_is_claimed() -> None:
    trial = judge("t", "m", [Attempt("", ()), Attempt("", ())], CASES, "exact")
    assert (trial.standing, trial.words, trial.answered) == ("unanswered", "0/0", 0)


def test_points_are_counted_and_the_first_are_listed() -> None:
    cases = [(f"[{number}]", "0") for number in range(50)]
    trial = judge("t", "m", attempts(("1",) * 50, ("1",) * 50), cases, "portable")
    assert trial.pointed == 50 and len(trial.points) == 20
    assert json.loads(json.dumps(trial.to_dict()))["standing"] == "open"


class Scripted:
    """Solves by what is written for each number."""

    def __init__(self, *programs: str) -> None:
        self.programs = programs
        self.told: list[tuple[str, ...]] = []

    def check(self, model: str) -> None:
        if model != "m":
            raise UnknownModelError("nobody knows it", thing=model)

    async def solve(self, model: str, entry_point: str, instruction: str, signature: str, number: int) -> str:
        self.told.append((entry_point, instruction, signature))
        return self.programs[number]


@pytest.fixture
async def tried(decisions, announcer, blobs, sandbox, trials):
    suite = ContractFreezer().freeze("portable", "twice", 1, [(f"[{n}]", str(2 * n)) for n in range(5)])
    task = BuiltTask(
        "task1", "f", "SC", "Easy", "heuristic", "twice", "Twice it.", {"python": "def twice(x: int) -> int"},
        "import math\n", await blobs.put(suite.data), "c", "g", 5, 1.0, 1.0, ("python",), track="described",
    )  # fmt: skip
    await decisions.save("f", "b", "SC", task, {}, 0.0)

    async def run(solver: Scripted, model: str = "m", *task_ids: str):
        desk = TaskDesk(None, "b", decisions, announcer, blobs)
        desk = TrialDesk(desk, solver, sandbox, ContractFreezer(), blobs, trials)
        return [each.trial async for each in desk.run(model, len(solver.programs), task_ids)]

    return run


async def test_a_task_is_tried_and_the_record_is_kept(tried, trials, blobs) -> None:
    solver = Scripted("def twice(x): return math.floor(x * 2)", "def twice(x): return x * x", "", "def f(")
    (trial,) = await tried(solver)
    assert (trial.asked, trial.answered, trial.solved, trial.standing) == (4, 3, 1, "solved")
    assert solver.told[0] == ("twice", "Twice it.", "def twice(x: int) -> int")
    kept, digest = trials.kept["task1", "m"]
    assert kept == trial and json.loads(await blobs.get(digest))["standing"] == "solved"
    assert await trials.solved_by() == {"task1": {"m": "1/3"}}


async def test_a_trial_without_an_answer_takes_no_other_s_place(tried, trials) -> None:
    """An outage of the model made nothing of what was solved."""
    right = "def twice(x): return 2 * x"
    await tried(Scripted(right, right, right))
    (trial,) = await tried(Scripted("", "", ""))
    assert trial.standing == "unanswered" and await trials.solved_by() == {"task1": {"m": "3/3"}}
    await tried(Scripted(right, "", ""))
    assert await trials.solved_by() == {"task1": {"m": "1/1"}}


async def test_a_program_that_the_sandbox_refuses_is_an_answer_that_fails(tried, sandbox, monkeypatch) -> None:
    async def refused(*_: Any, **__: Any) -> Any:
        raise SandboxRefusedError("too long")

    monkeypatch.setattr(sandbox, "run_cases", refused)
    (trial,) = await tried(Scripted("def twice(x): return 2 * x", ""))
    assert (trial.words, trial.standing) == ("0/1", "hard")


async def test_a_solution_may_begin_with_imports_from_the_future(tried) -> None:
    code = "from __future__ import annotations\ndef twice(x: Later): return math.floor(x * 2)"
    (trial,) = await tried(Scripted(code, code))
    assert (trial.answered, trial.solved) == (2, 2)


async def test_a_reading_that_two_share_is_told_with_its_input(tried) -> None:
    (trial,) = await tried(Scripted("def twice(x): return x * x", "def twice(x): return x ** 2"), "m", "task")
    assert trial.standing == "open" and trial.pointed == 3
    first = trial.points[0]
    assert (first.arguments, first.expected, first.given) == ("[1]", "2", "1")


async def test_what_is_unknown_is_said_before_anybody_is_asked(tried, trials) -> None:
    solver = Scripted("", "")
    with pytest.raises(UnknownModelError):
        await tried(solver, "other")
    with pytest.raises(UnknownTaskError):
        await tried(solver, "m", "nosuch")
    assert solver.told == [] and trials.kept == {}


class Client:
    def __init__(self, text: str) -> None:
        self.text, self.asked = text, []

    def endpoint(self, model: str) -> None:
        raise UnknownModelError("nobody knows it", thing=model)

    async def chat(self, messages, **options):
        self.asked.append(("\n".join(message.content for message in messages), options))
        return Answer(self.text, "stop", "m", LlmUsage(), False, "")


async def test_a_model_is_told_the_instruction_and_asked_anew_for_each_solution() -> None:
    client = Client(json.dumps({"code": "def f(x): return x"}))
    solver = LlmSolver(lambda: client)
    for number in range(2):
        assert await solver.solve("m", "f", "Give it back.", "def f(x)", number) == "def f(x): return x"
    (question, first), (_, second) = client.asked
    assert "Give it back." in question and "def f(x)" in question
    assert (first["seed"], second["seed"], first["purpose"]) == (0, 1, "pbt_generator.trial") and first["temperature"]
    with pytest.raises(UnknownModelError):
        solver.check("x")
    around = Client(json.dumps({"code": "Here:\n```python\ndef f(x): return x\n```\n"}))
    assert (await LlmSolver(lambda: around).solve("m", "f", "Do.", "def f(x)", 0)).strip() == "def f(x): return x"
    assert await LlmSolver(lambda: Client("no program")).solve("m", "f", "Do.", "def f(x)", 0) == ""


def test_results_that_are_longer_than_any_suites_are_not_compared() -> None:
    long = "[" + ",".join(["[]"] * 50_000) + "]"
    trial = judge("t", "m", [Attempt("x", (long,)), Attempt("y", (long,))], [("[1]", "1")], "portable")
    assert (trial.solved, trial.pointed, trial.standing) == (0, 0, "hard")


@pytest.fixture
async def endpoint():
    """A model behind an endpoint that squares until an example says that 3 becomes 6."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.splitlines() if line.lower().startswith(b"content-len"))
        asked = json.loads(await reader.readexactly(length))
        question = asked["messages"][-1]["content"]
        code = "def twice(x): return x + x" if "`[3]` gives `6`" in question else "def twice(x): return x ** 2"
        told = {"role": "assistant", "content": json.dumps({"code": code})}
        body = json.dumps(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": asked["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": told}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }
        ).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n")
        writer.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"blind@http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


@pytest.fixture
async def acted(decisions, announcer, blobs, sandbox, trials):
    """A desk with one task, whose ground truth doubles."""
    freezer = ContractFreezer()
    suite = freezer.freeze("portable", "twice", 1, [(f"[{n}]", str(2 * n)) for n in (0, 2, 3, 11)])

    async def desk(solver, truth: str = "def twice(x):\n    return 2 * x\n", function=None):
        task = BuiltTask(
            "task1", "f", "SC", "Easy", "heuristic", "twice",
            "Work it out.\n\nExamples, as JSON (arguments in order, then the result):\n- `[2]` gives `4`\n\nThe end.",
            {"python": "def twice(x: int) -> int"}, "", await blobs.put(suite.data), await blobs.put(CERTIFICATE),
            await blobs.put(truth.encode()), 4, 1.0, 1.0, ("python",), track="described",
        )  # fmt: skip
        await decisions.save("f", "b", "SC", task, function or {}, 0.0)
        tasks = TaskDesk(None, "b", decisions, announcer, blobs)
        return TrialDesk(tasks, solver, sandbox, freezer, blobs, trials)

    return desk


def asking() -> LlmSolver:
    client = LlmClient(Catalogue({}, ""), OpenAiTransport(), MemoryLlmCache(), MemoryLedger())
    return LlmSolver(lambda: client)


async def test_an_open_task_becomes_a_version_that_shows_what_was_read_otherwise(
    acted, endpoint, decisions, announcer, trials, blobs
) -> None:
    desk = await acted(asking())
    first, second = [each async for each in desk.run(endpoint, 2, [], act=True)]
    assert (first.trial.standing, first.trial.pointed, second.trial.standing) == ("open", 2, "solved")
    made = second.stored.task
    assert first.replaced_by == made.task_id != "task1" and second.replaced_by == ""
    shown = made.instruction.split("\n\n")[1].splitlines()[1:]
    assert shown == ["- `[2]` gives `4`", "- `[3]` gives `6`", "- `[11]` gives `22`"]
    assert made.instruction.endswith("The end.") and made.suite_digest == first.stored.task.suite_digest
    record = json.loads(await blobs.get(made.certificate_digest))
    (blind,) = record["blind"]
    assert record["holds"] and (blind["task_id"], blind["solved"], blind["asked"]) == ("task1", 0, 2)
    assert [point["arguments"] for point in blind["told"]] == ["[3]", "[11]"]
    assert [each.task.task_id for each in await decisions.tasks()] == [made.task_id]
    ((old, note),) = await decisions.retracted()
    assert old == "task1" and made.task_id in note and "`[3]`" in note
    assert await trials.solved_by() == {"task1": {first.trial.model: "0/2"}, made.task_id: {first.trial.model: "2/2"}}


async def test_a_task_stays_where_examples_cannot_help(acted, blobs, decisions) -> None:
    stubborn = Scripted("def twice(x): return x ** 2", "def twice(x): return x * x")
    desk = await acted(stubborn)
    tried = [each async for each in desk.run("m", 2, [], act=True)]
    assert [bool(each.replaced_by) for each in tried] == [True, False]
    assert tried[-1].kept_as.startswith("its instruction shows these inputs")
    assert len(await decisions.tasks()) == 1


async def test_nothing_is_released_on_a_ground_truth_that_left_its_suite(acted, decisions) -> None:
    desk = await acted(Scripted("def twice(x): return x ** 2", "def twice(x): return x * x"), "def twice(x): return 7")
    (only,) = [each async for each in desk.run("m", 2, [], act=True)]
    assert "does not give" in only.kept_as and not only.replaced_by
    assert [each.task.task_id for each in await decisions.tasks()] == ["task1"] and not await decisions.retracted()


async def test_two_trials_at_once_make_one_version_of_a_task(acted, decisions, announcer) -> None:
    one = await acted(Scripted("def twice(x): return x ** 2", "def twice(x): return x * x"))
    other = await acted(Scripted("def twice(x): return x + 5", "def twice(x): return 5 + x"))

    async def first_of(desk: TrialDesk) -> Tried:
        async with aclosing(desk.run("m", 2, ["task1"], act=True)) as tried:
            return await anext(tried)

    tried = await asyncio.gather(first_of(one), first_of(other))
    (made,) = await decisions.tasks()
    replaced = [each for each in tried if each.replaced_by]
    assert [each.replaced_by for each in replaced] == [made.task.task_id]
    (kept,) = [each for each in tried if not each.replaced_by]
    assert kept.kept_as.startswith("it was taken back") and made.task.task_id in kept.kept_as
    assert [each[0] for each in announcer.said] == ["built", "retracted"]


async def test_a_retracted_task_is_not_brought_back(acted, decisions, announcer) -> None:
    desk = await acted(Scripted("def twice(x): return x ** 2", "def twice(x): return x * x"))
    await decisions.retract("task1", "the ground truth is wrong")
    (only,) = [each async for each in desk.run("m", 2, ["task1"], act=True)]
    assert "taken back: the ground truth is wrong" in only.kept_as and not only.replaced_by
    assert not await decisions.tasks() and announcer.said == []


@pytest.mark.parametrize("deaf", ["built", "retracted"])
async def test_a_broker_that_is_away_leaves_no_two_versions(acted, decisions, announcer, monkeypatch, deaf) -> None:
    desk = await acted(Scripted("def twice(x): return x ** 2", "def twice(x): return x * x"))

    async def away(*_: object) -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr(announcer, deaf, away)
    with pytest.raises(ConnectionError):
        [each async for each in desk.run("m", 2, ["task1"], act=True)]
    (made,) = await decisions.tasks()
    ((old, note),) = await decisions.retracted()
    assert old == "task1" and made.task.task_id in note
    monkeypatch.undo()
    (again,) = [each async for each in desk.run("m", 2, ["task1"], act=True)]
    assert made.task.task_id in again.kept_as and list(await decisions.tasks()) == [made]


async def test_the_sweep_tells_of_the_version_that_stands(acted, decisions, announcer, blobs) -> None:
    """Whoever begins anew hears a replay of functions, which brings the first version, and then what became of it."""
    desk = await acted(Scripted("def twice(x): return x ** 2", "def twice(x): return x * x"))
    [each async for each in desk.run("m", 2, ["task1"], act=True)]
    (made,) = await decisions.tasks()
    tasks = TaskDesk(None, "b", decisions, announcer, blobs)
    announcer.said.clear()
    await tasks.decide(Subject("f", "twice", "twice", "SC", "def twice(x): return 2 * x"), {})
    await tasks.tell_again()
    ((_, note),) = await decisions.retracted()
    assert announcer.said == [("built", "task1"), ("retracted", "task1", note), ("again", made.task.task_id)]
    await tasks.retract(made.task.task_id, "wrong too")
    announcer.said.clear()
    await tasks.tell_again()
    assert {each[:2] for each in announcer.said} == {("retracted", "task1"), ("retracted", made.task.task_id)}


async def test_what_is_told_again_counts_once(acted) -> None:
    class Heard:
        said: ClassVar[list[tuple[str, str]]] = []

        async def publish(self, topic: Any, event: Any) -> None:
            self.said.append((topic.name, event.task_id))

    source = {"source_id": "s", "source_version_id": "v", "kind": "package", "name": "n", "version": "1"}
    record = {"function_id": "f", "source": source, "path": "a.py", "qualname": "twice", "name": "twice"}
    record |= {"line_start": 1, "line_end": 2, "code": "def twice(x): return 2 * x"}
    announcer = BusAnnouncer(Heard())
    (stored,) = [each.stored async for each in (await acted(Scripted("", ""))).run("m", 2, [])]

    def counted() -> list[float]:
        samples = (each for metric in (metrics.DECISIONS, metrics.BUILD_CPU_SECONDS) for each in metric.collect())
        return [sample.value for each in samples for sample in each.samples if "created" not in sample.name]

    await announcer.built(stored.task, record)
    before = counted()
    await announcer.built(stored.task, record, again=True)
    assert counted() == before and len(Heard.said) == 2 and len(set(Heard.said)) == 1


async def test_without_being_asked_nothing_is_changed(acted, decisions) -> None:
    desk = await acted(Scripted("def twice(x): return x ** 2", "def twice(x): return x * x"))
    (only,) = [each async for each in desk.run("m", 2, [])]
    assert only.trial.standing == "open" and not only.replaced_by and not await decisions.retracted()
