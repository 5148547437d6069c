from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from evaluator.adapters.announcer import generated_of, request_of
from evaluator.adapters.answer_sets import BlobAnswerSets
from evaluator.adapters.models import RuntimeModels
from evaluator.domain.cocost import Bounds
from evaluator.domain.copies import is_copy
from evaluator.domain.outcomes import Outcome, is_scored
from evaluator.domain.patience import Patience
from evaluator.domain.tasks import Attempt, Effort, Solution
from evaluator.handlers import (
    on_solution_requested,
    on_task_built,
    on_task_retracted,
    on_verdict_reached,
    run_of,
    task_of,
)
from evaluator.rpc import EvaluatorServicer, Parts
from evaluator.settings import EvaluatorSettings
from evaluator.usecases.boards import Boards
from evaluator.usecases.cocost import Cocost, Plan
from evaluator.usecases.direct import Direct
from evaluator.usecases.ending import Patient
from evaluator.usecases.parking import Parking
from evaluator.usecases.strategies import described
from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone_contracts.events import (
    CaseFailure,
    Dating,
    Function,
    ModelSpec,
    Part,
    SolutionRequested,
    SourceRef,
    TaskBuilt,
    TaskRetracted,
    VerdictReached,
)
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.errors import PreconditionError
from touchstone_runtime.llm import (
    Catalogue,
    Endpoint,
    LlmClient,
    MemoryLedger,
    MemoryLlmCache,
    QuestionRefusedError,
    RawAnswer,
    RequestRefusedError,
)
from touchstone_runtime.storable import storable_tree

BUILT = TaskBuilt(
    task_id="0001" * 8,
    function=Function(
        function_id="function1",
        source=SourceRef(
            source_id="s", source_version_id="v", kind="package", name="pack", version="1.0", licence="MIT"
        ),
        path="pack/code.py",
        qualname="f1",
        name="f1",
        line_start=1,
        line_end=3,
        code="def f1(x): ...",
    ),
    kind="SC",
    difficulty="Easy",
    entry_point="f1",
    instruction="Return <b>x</b> plus 1.",
    signatures={"python": "def f1(x: int) -> int:"},
    suite_digest="d" * 64,
    certificate_digest="c" * 64,
    cases=50,
    branch_coverage=1.0,
)
GOOD = "```python\ndef f1(x):\n    return x + 1\n```"


class NothingWaits:
    """Answers that wait for a batch, and batches, have tests of their own."""

    async def parked(self):
        return []

    async def give_up(self, keys):
        pass

    async def begin_anew(self, model):
        pass


class NothingNear:
    """What wrong answers resemble has tests of its own."""

    async def found(self, run_id="", task_id=""):
        return {}


@pytest.fixture
def service(store, announcer, models, lists, releases, exercises, tmp_path):
    """Handlers and RPCs on one set of fakes."""
    sets = BlobAnswerSets(BlobStore(f"file://{tmp_path}"))

    class Service:
        def __init__(self, answer: object = GOOD) -> None:
            self.models = models(solve_v1=answer)
            strategies = {"direct": Direct(self.models, exercises, max_tokens=64)}
            self.built, self.retracted = on_task_built(store), on_task_retracted(store)
            self.requested = on_solution_requested(store, announcer, self.models, strategies, lists)
            self.verdict = on_verdict_reached(store)

            async def lag() -> int:
                return 3

            self.rpc = EvaluatorServicer(
                Parts(
                    store,
                    announcer,
                    self.models,
                    strategies,
                    releases(),
                    lists,
                    sets,
                    exercises,
                    Boards(store, lists),
                    # Scores of retrievers have tests of their own.
                    None,
                    NothingNear(),
                    Parking(store, announcer, NothingWaits(), NothingWaits()),
                ),
                left_out="",
                report_url="http://127.0.0.1:1/report",
                lag=lag,
                standstill=lambda: ["waiting for Kafka"],
            )

        async def judge(self, verdict: VerdictReached) -> None:
            await self.verdict(verdict)

    return Service


def verdict_on(solution, run_id, outcome="wrong_output", **changes):
    fields = {
        "verdict_id": "v1",
        "solution_id": solution.solution_id,
        "run_id": run_id,
        "task_id": BUILT.task_id,
        "outcome": outcome,
        "cases": 50,
        "passed": 49,
        "failures": (CaseFailure(index=3, outcome="wrong_output", detail="expected 4, got <i>3</i>\x00"),),
        "cpu_s": 1.5,
    }
    return VerdictReached(**{**fields, **changes})


@pytest.mark.parametrize(
    ("by", "month"), [("release", "2026-10"), ("history", "2026-10"), ("file_time", ""), ("nothing", "")]
)
def test_a_task_has_the_date_that_releases_or_a_history_show_and_no_other(by, month):
    day = datetime(2026, 10, 1, tzinfo=UTC)
    source = BUILT.function.source.model_copy(update={"released_at": day})
    dated = {"first_seen": day, "changed_at": day, "source": source, "dating": Dating(by=by)}
    built = BUILT.model_copy(update={"function": BUILT.function.model_copy(update=dated)})
    assert task_of(built).released_at[:7] == month
    undated = dated | {"first_seen": None}
    assert not task_of(BUILT.model_copy(update={"function": BUILT.function.model_copy(update=undated)})).released_at


def test_a_slice_has_the_licences_of_all_files_that_it_holds_parts_of():
    parts = (Part(kind="function", name="g", path="a.py", licence="Apache-2.0"), Part(kind="constant", name="C"))
    built = BUILT.model_copy(update={"function": BUILT.function.model_copy(update={"parts": parts})})
    assert (task_of(built).licence, task_of(BUILT).licence) == ("MIT AND Apache-2.0", "MIT")


@pytest.mark.parametrize("kind", ["package", "benchmark"])
def test_a_task_tells_what_copies_of_all_its_code_look_like(kind):
    code = "_LEAST = 1\n\n\ndef f1(x):\n    if x < _LEAST:\n        return x\n    return x + 1\n"
    source = BUILT.function.source.model_copy(update={"kind": kind})
    function = BUILT.function.model_copy(update={"code": code, "source": source})
    task = task_of(BUILT.model_copy(update={"function": function}))
    copied = "def upwards(n):\n    if n < FLOOR:\n        return n\n    return n + 1\n"
    assert is_copy(copied, task.shapes) and not is_copy(copied.replace("+", "-"), task.shapes)


async def test_a_task_of_somebody_elses_set_is_known_as_such(service, store):
    made = service()
    source = BUILT.function.source.model_copy(update={"kind": "benchmark"})
    function = BUILT.function.model_copy(update={"source": source})
    await made.built(BUILT.model_copy(update={"task_id": "0002" * 8, "function": function}))
    await made.built(BUILT)
    assert [(await store.find_task(number * 8)).imported for number in ("0001", "0002")] == ["", "pack 1.0"]


async def test_a_task_from_its_event_to_the_leaderboard(service, store, announcer):
    made = service()
    await made.built(BUILT)
    started = await made.rpc.StartRun(pb.StartRunRequest(), None)
    assert started.tasks == 1
    (run_id, task_id) = announcer.requests[0]
    assert started.run_id == run_id
    run = await store.find_run(run_id)
    await made.requested(request_of(run, task_id))
    await made.verdict(verdict_on(announcer.solutions[0], run_id))

    board = await made.rpc.Leaderboard(pb.LeaderboardRequest(), None)
    (row,) = board.rows
    assert (row.model, row.pass_at_1.passed, row.pass_at_1.total, row.near_misses) == ("small", 0, 1, 1)
    assert [(failure.outcome, failure.count) for failure in row.failures] == [("wrong_output", 1)]
    assert (row.tokens_in, row.sandbox_cpu_s) == (100, 1.5)
    # One repository says nothing of others.
    assert (row.pass_at_1.low, row.pass_at_1.high) == (0.0, 1.0)
    assert (row.rank_low, row.rank_high) == (1, 1)
    # Other tasks that stand at another time are another set: nobody shall take them for one.
    assert row.task_set == f"every task that stood (set {run.spec.tasks.digest[:6]})"
    assert (await made.rpc.GetBoard(pb.GetBoardRequest(scope=row.task_set), None)).scope.name == row.task_set
    assert board.report_url.endswith("/report")

    found = await made.rpc.GetRun(pb.GetRunRequest(run_id=run_id), None)
    assert (found.tasks, found.finished, found.results[0].outcome) == (1, 1, "wrong_output")
    assert found.results[0].detail.startswith("expected 4")
    part = await made.rpc.GetRun(pb.GetRunRequest(run_id=run_id, most=5, outcome="near_miss"), None)
    assert (part.results, part.summary, part.total, part.near_misses) == (found.results, found.summary, 1, 1)
    assert (part.tasks, part.finished, part.outcomes[0].outcome) == (1, 1, "wrong_output")

    await made.retracted(TaskRetracted(task_id=BUILT.task_id, reason="its oracle was wrong"))
    board = await made.rpc.Leaderboard(pb.LeaderboardRequest(), None)
    assert not board.rows
    (note,) = board.retractions
    assert (note.task_id, note.entry_point, note.source) == (BUILT.task_id, "f1", "pack 1.0")
    assert note.note == "its oracle was wrong"
    after = await made.rpc.GetRun(pb.GetRunRequest(run_id=run_id), None)
    assert (after.tasks, after.results[0].outcome, after.results[0].detail) == (0, "retracted", "its oracle was wrong")


async def test_progress_counts_and_says_what_stands_still(service, store):
    made = service()
    await made.built(BUILT)
    started = await made.rpc.StartRun(pb.StartRunRequest(), None)
    await store.set_halted(started.run_id, "no money")
    progress = (await made.rpc.Progress(pb.ProgressRequest(), None)).progress
    counters = {counter.name: (counter.value, counter.total) for counter in progress.counters}
    assert counters["tasks_known"] == (1, 0)
    assert counters["verdicts_reached"] == (0, 1)
    assert progress.lag == 3
    assert list(progress.activities) == ["small direct: halted: no money", "waiting for Kafka"]


async def test_an_outcome_of_a_later_version_is_kept_by_its_name_and_scored_by_nobody(service, store, announcer):
    made = service()
    await made.built(BUILT)
    started = await made.rpc.StartRun(pb.StartRunRequest(), None)
    await made.requested(request_of(await store.find_run(started.run_id), BUILT.task_id))
    failure = CaseFailure(index=3, outcome="disk_limit", detail="wrote 9 GB")
    solution = announcer.solutions[0]
    await made.verdict(
        verdict_on(solution, started.run_id, "disk_limit", passed=3, failures=(failure,), mood="of a later version")
    )
    run = await made.rpc.GetRun(pb.GetRunRequest(run_id=started.run_id), None)
    (result,) = run.results
    assert (result.outcome, result.detail, result.passed) == ("disk_limit", "wrote 9 GB", 3)
    summary = run.summary
    assert (run.finished, summary.judged, summary.passed, summary.infrastructure) == (1, 0, 0, 1)
    (row,) = (await made.rpc.Leaderboard(pb.LeaderboardRequest(), None)).rows
    assert (row.pass_at_1.total, row.pass_at_1.passed) == (0, 0)
    assert (row.least, row.most) == (0.0, 1.0)
    assert [(each.outcome, each.count) for each in row.failures] == [("disk_limit", 1)]
    assert [each.infrastructure for each in (await made.rpc.ListRuns(pb.ListRunsRequest(), None)).runs] == [1]


def test_a_specification_of_a_later_version_makes_a_run(run, models):
    event = request_of(run(), "t1", 0)
    assert event.spec.model_extra == event.spec.tasks.model_extra == {}
    content = json.loads(event.model_dump_json())
    content["spec"]["mood"] = content["spec"]["tasks"]["mood"] = "of a later version"
    again = run_of(SolutionRequested.model_validate(content), models())
    assert again == run_of(event, models())


def test_events_carry_what_the_sandbox_needs(run, task):
    solution = Solution("s1", "code", Effort(1, 2, 3.0, 4.0, 5))
    one = run(endpoint="m@http://h:1/v1", strategy="cocost", variant="no-search")
    event = generated_of(one, task(1), solution)
    assert (event.model, event.strategy) == (ModelSpec(name="m", base_url="http://h:1/v1"), "cocost:no-search")
    assert (event.entry_point, event.suite_digest, event.usage.calls) == ("f1", "s" * 64, 5)
    again = generated_of(one, task(1), solution)
    assert again.event_id == event.event_id


@pytest.mark.parametrize(
    ("endpoint", "name", "address"),
    [
        ("claude@cloud", "claude@cloud", ""),
        ("claude@20250514@https://user@h/v1", "claude@20250514", "https://user@h/v1"),
        ("", "", ""),
    ],
)
def test_events_name_a_model_whole_where_its_name_has_an_at_sign(run, endpoint, name, address):
    assert request_of(run(endpoint=endpoint), "t1").model == ModelSpec(name=name, base_url=address)


def test_a_request_says_which_run_it_belongs_to(models):
    event = SolutionRequested(run_id="r", task_id="t", model=ModelSpec(name="m", base_url="http://127.0.0.1:1/v1"))
    run = run_of(event, models())
    assert (run.run_id, run.spec.model, run.spec.endpoint) == ("r", "m@localhost:1", "m@http://127.0.0.1:1/v1")


class OneAnswer:
    """A transport that says one thing and remembers what it was asked."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.prompts: list[str] = []

    async def complete(self, endpoint, request, turn):
        self.prompts.append("\n".join(message.content for message in request.messages))
        async with turn():
            return RawAnswer(self.text, "length", 10, 5)

    async def close(self):
        return


@pytest.fixture
def real_models():
    """The adapter with the shipped prompts, on a scripted transport."""

    def make(text: str):
        transport = OneAnswer(text)
        catalogue = Catalogue({"small": Endpoint("small", "small", "http://127.0.0.1:1/v1", own=True)}, "small")
        return RuntimeModels(LlmClient(catalogue, transport, MemoryLlmCache(), MemoryLedger())), transport

    return make


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (QuestionRefusedError("longer than its context (400)"), Outcome.REFUSED),
        (RequestRefusedError("refuses the request (400): your credit balance is too low"), Outcome.INFRASTRUCTURE),
    ],
)
@pytest.mark.parametrize("way", ["direct", "cocost"])
async def test_only_a_refusal_of_the_question_is_a_wrong_answer(real_models, run, task, fault, outcome, way):
    models, transport = real_models("")

    async def refuse(endpoint, request, turn):
        raise fault

    transport.complete = refuse
    unused: Any = None
    bounds = Bounds(searches=0, inputs=1, rounds=1)
    ways = {
        "direct": Direct(models, unused, max_tokens=9),
        "cocost": Cocost(models, unused, unused, unused, bounds, max_tokens=9, showing=""),
    }
    ended = await Patient(ways[way], Patience(60), lambda: 0.0).solve(run(endpoint="small", strategy=way), task(1))
    assert ended.outcome is outcome and "(400)" in ended.detail
    # What is missing is in no share; a refused question is a task that was not solved.
    assert is_scored(ended.outcome) is (outcome is Outcome.REFUSED)


async def test_a_round_that_is_too_long_to_be_asked_does_not_lose_what_the_first_took(real_models, run, task):
    models, transport = real_models("no JSON at all")
    answer = transport.complete

    async def refuse_the_second(endpoint, request, turn):
        if len(request.messages) > 2:
            raise fault
        return await answer(endpoint, request, turn)

    transport.complete = refuse_the_second
    fault: Exception = QuestionRefusedError("longer than its context (400)")
    filled = await models.fill("small", "cocost_plan_v1", Plan, max_tokens=9, **described(task(1), "python"))
    assert filled.value is None and "(400)" in filled.problem and filled.effort.calls == 1
    # Nor where the endpoint fails at it for good.
    fault = RequestRefusedError("refuses the request (400)")
    unused: Any = None
    cocost = Cocost(models, unused, unused, unused, Bounds(searches=0, inputs=1, rounds=1), max_tokens=9, showing="")
    ended = await Patient(cocost, Patience(60), lambda: 0.0).solve(run(endpoint="small", strategy="cocost"), task(2))
    assert ended.outcome is Outcome.INFRASTRUCTURE and (ended.effort.calls, ended.effort.tokens_in) == (1, 10)


async def test_the_shipped_prompts_say_what_is_asked_and_never_more(real_models, task):
    models, transport = real_models("hm \x00\ud800")
    one = task(1, prelude="import numpy as np", instruction="Cost: $5 & ${more}")
    said = await models.ask("small", "solve_v1", max_tokens=9, **described(one, "python"))
    assert (said.text, said.truncated, said.effort.tokens_in) == ("hm ��", True, 10)
    (prompt,) = transport.prompts
    for words in ("def f1(x: int) -> int:", "Cost: $5 & ${more}", "import numpy as np", "Python"):
        assert words in prompt


async def test_every_prompt_of_a_strategy_is_shipped_and_versioned(real_models):
    models, _ = real_models("")
    for strategy in (Direct, Cocost):
        versions = models.prompt_versions(strategy.prompts).split()
        assert [version.partition(":")[0] for version in versions] == list(strategy.prompts)


async def test_a_form_that_no_answer_fits_is_a_value(real_models, task):
    from evaluator.usecases.cocost import Plan

    models, transport = real_models("not JSON")
    filled = await models.fill("small", "cocost_plan_v1", Plan, max_tokens=9, **described(task(1), "python"))
    assert filled.value is None
    assert "no JSON object" in filled.problem
    assert filled.effort.calls == 2
    assert len(transport.prompts) == 2


def test_settings_refuse_unknown_parts():
    with pytest.raises(PreconditionError, match="no-serialise"):
        EvaluatorSettings(evaluator_cocost_left_out="no-luck")
    settings = EvaluatorSettings(evaluator_cocost_left_out="no-search, no-inputs")
    assert settings.evaluator_cocost_left_out == "no-inputs,no-search"


def test_what_cannot_be_stored_is_replaced():
    tree = storable_tree({"a\x00": ["\ud800", ("x", 1, None)]})
    assert json.dumps(tree)
    assert tree == {"a�": ["�", ["x", 1, None]]}


def test_a_fake_attempt_is_what_it_says(task):
    assert Attempt(task(1)).state.value == "pending"
