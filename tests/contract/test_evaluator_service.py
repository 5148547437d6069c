"""The evaluator as a process, on a real broker and a real database: killed, cut off from its model, resumed."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import hashlib
import importlib.util
import json
import os
import signal
import socket
import sys
import uuid
from pathlib import Path

import grpc
import pytest

from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone.evaluator.v1 import evaluator_pb2_grpc as rpc
from touchstone_cli.evaluate import GOES_ON
from touchstone_contracts.events import (
    CaseFailure,
    Function,
    RunChanged,
    SourceRef,
    TaskBuilt,
    TaskRetracted,
    VerdictReached,
)
from touchstone_contracts.topics import RUN_CHANGED, SOLUTION_GENERATED, TASK_BUILT, TASK_RETRACTED, VERDICT_REACHED
from touchstone_runtime.bus import Bus
from touchstone_runtime.settings import ServiceSettings

pytestmark = pytest.mark.real
REPO = Path(__file__).parents[2]
TASKS = 12


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture(scope="module")
def fake_llm():
    spec = importlib.util.spec_from_file_location("fake_llm_of_service", REPO / "tests" / "e2e" / "fake_llm.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["fake_llm_of_service"] = module
    spec.loader.exec_module(module)
    return module


class Service:
    """One evaluator process after another, all with the same addresses."""

    def __init__(self, kafka: str, postgres: str, folder: Path, llm_port: int) -> None:
        self.grpc, self.http = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
        self.log = folder / "evaluator.log"
        self.environment = {
            **os.environ,
            "TOUCHSTONE_KAFKA_BOOTSTRAP": kafka,
            "TOUCHSTONE_DATABASE_URL": postgres,
            "TOUCHSTONE_BLOB_URL": f"file://{folder}/blobs",
            "TOUCHSTONE_MODELS_FILE": str(REPO / "models.toml"),
            "TOUCHSTONE_LLM_BASE_URL": f"http://127.0.0.1:{llm_port}/v1",
            "TOUCHSTONE_GRPC_LISTEN": self.grpc,
            "TOUCHSTONE_HTTP_LISTEN": self.http,
            "TOUCHSTONE_EVALUATOR_WORKERS": "2",
        }
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "evaluator", env=self.environment, stdout=log, stderr=log
            )

    async def end(self, number: signal.Signals) -> int:
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        return await self.process.wait()

    async def call(self, method: str, request: object):
        async with grpc.aio.insecure_channel(self.grpc) as channel:
            stub = rpc.EvaluatorServiceStub(channel)
            return await getattr(stub, method)(request, timeout=300, wait_for_ready=True)

    async def until(self, run_id: str, condition, timeout_s: float = 600) -> pb.GetRunResponse:
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    run = await self.call("GetRun", pb.GetRunRequest(run_id=run_id))
                    if condition(run):
                        return run
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise AssertionError(self.log.read_text()[-4000:]) from None


class Judge:
    """Stands in for the sandbox: decides by the hash of the code, and counts what it is asked."""

    def __init__(self, bus: Bus, mine: set[str]) -> None:
        self.bus = bus
        self.mine = mine
        self.solutions: dict[str, set[str]] = collections.defaultdict(set)
        bus.consume(SOLUTION_GENERATED, self.judge)

    async def judge(self, event) -> None:
        if event.task_id not in self.mine:
            return
        self.solutions[event.task_id].add(event.solution_id)
        # Judged again, everything passes.
        good = bool(event.judging) or hashlib.sha256(event.entry_point.encode()).digest()[0] % 2 == 0
        failures = () if good else (CaseFailure(index=0, outcome="wrong_output", detail="expected 1"),)
        verdict = VerdictReached(
            verdict_id=f"v-{event.solution_id}-{event.judging}",
            solution_id=event.solution_id,
            run_id=event.run_id,
            task_id=event.task_id,
            outcome="passed" if good else "wrong_output",
            cases=10,
            passed=10 if good else 9,
            failures=failures,
            cpu_s=0.5,
            judging=event.judging,
            judging_note=event.judging_note,
        )
        await self.bus.publish(VERDICT_REACHED, verdict)


def built(mark: str, number: int) -> TaskBuilt:
    name = f"f{number}_{mark}"
    source = SourceRef(source_id="s", source_version_id="v", kind="package", name="pack", version="1.0")
    function = Function(
        function_id=f"function-{name}",
        source=source,
        path="pack/code.py",
        qualname=name,
        name=name,
        line_start=1,
        line_end=2,
        code=f"def {name}(x): ...",
    )
    return TaskBuilt(
        task_id=hashlib.sha256(name.encode()).hexdigest()[:32],
        function=function,
        kind="SC",
        difficulty="Easy",
        entry_point=name,
        instruction="Return something.",
        signatures={"python": f"def {name}(x: int) -> int:"},
        suite_digest="0" * 64,
        certificate_digest="0" * 64,
        cases=10,
        branch_coverage=1.0,
    )


async def test_killed_in_the_middle_and_cut_off_from_its_model_it_ends_as_if_nothing_had_been(
    kafka, postgres, tmp_path, fake_llm
):
    mark = uuid.uuid4().hex[:8]
    events = [built(mark, number) for number in range(TASKS)]
    ids = [event.task_id for event in events]
    port = free_port()
    service = Service(kafka, postgres, tmp_path, port)
    bus = Bus(ServiceSettings(kafka_bootstrap=kafka), f"judge-{mark}")
    judge = Judge(bus, set(ids))
    await bus.start()
    try:
        await service.start()
        await bus.publish_all(TASK_BUILT, events)
        started = await _start_when_known(service, ids)
        assert started.tasks == TASKS

        # No model yet: the run stands still and says so; nothing goes to the dead letters.
        halted = await service.until(started.run_id, lambda run: run.halted)
        assert "cannot be reached" in halted.halted
        progress = (await service.call("Progress", pb.ProgressRequest())).progress
        assert any("halted" in activity for activity in progress.activities)

        fake = fake_llm.FakeLlm(delay_s=0.1)
        async with fake.serve(port):
            await service.until(started.run_id, lambda run: run.finished >= 3)
            assert await service.end(signal.SIGKILL) == -signal.SIGKILL
            await service.start()
            run = await service.until(started.run_id, lambda run: run.finished == TASKS)
            assert run.halted == ""
            assert all(len(judge.solutions[task_id]) == 1 for task_id in ids)
            # What was asked before the kill came from the cache; only what was in flight was asked twice.
            assert len(fake.asked) == TASKS
            assert fake.asked.total() <= TASKS + 2

            again = await service.call("StartRun", pb.StartRunRequest(task_ids=ids))
            assert again.run_id == started.run_id
            asked = fake.asked.total()
            other = await service.call(
                "StartRun", pb.StartRunRequest(task_ids=ids, model=f"another@http://127.0.0.1:{port}/v1")
            )
            await service.until(other.run_id, lambda run: run.finished == TASKS)
            assert fake.asked.total() == asked + TASKS

        board = await service.call("Leaderboard", pb.LeaderboardRequest())
        rows = {row.model: row for row in board.rows if row.run_id in (started.run_id, other.run_id)}
        assert set(rows) == {"qwen2.5-coder-0.5b", f"another@localhost:{port}"}
        expected = sum(hashlib.sha256(event.entry_point.encode()).digest()[0] % 2 == 0 for event in events)
        assert {row.pass_at_1.passed for row in rows.values()} == {expected}
        assert board.report_url == "http://127.0.0.1:8108"
        scored = await service.call("GetBoard", pb.GetBoardRequest(scope=started.task_set))
        assert {row.run.spec.model for row in scored.rows} == {"qwen2.5-coder-0.5b", f"another@localhost:{port}"}
        assert all((row.rank_low, row.rank_high) == (1, 2) for row in scored.rows)

        await bus.publish(TASK_RETRACTED, TaskRetracted(task_id=ids[0], reason="its oracle was wrong"))
        final = await service.until(started.run_id, lambda run: run.tasks == TASKS - 1)
        assert final.finished == TASKS - 1

        assert await service.end(signal.SIGTERM) == 0
    finally:
        await bus.stop()
        if service.process and service.process.returncode is None:
            await service.end(signal.SIGKILL)


async def test_held_runs_are_compared_go_on_and_are_judged_again(kafka, postgres, tmp_path, fake_llm):
    mark = uuid.uuid4().hex[:8]
    events = [built(mark, number) for number in range(6)]
    ids = [event.task_id for event in events]
    expected = sum(hashlib.sha256(event.entry_point.encode()).digest()[0] % 2 == 0 for event in events)
    port = free_port()
    service = Service(kafka, postgres, tmp_path, port)
    bus = Bus(ServiceSettings(kafka_bootstrap=kafka), f"judge-{mark}")
    Judge(bus, set(ids))
    told: dict[str, list[RunChanged]] = collections.defaultdict(list)

    async def note(event: RunChanged) -> None:
        told[event.run_id].append(event)

    bus.consume(RUN_CHANGED, note)
    await bus.start()
    try:
        await service.start()
        await bus.publish_all(TASK_BUILT, events)
        fake = fake_llm.FakeLlm(delay_s=0.01)
        async with fake.serve(port):
            first = await _start_when_known(service, ids, held=True)
            request = pb.StartRunRequest(task_ids=ids, model=f"another@http://127.0.0.1:{port}/v1", held=True)
            second = await service.call("StartRun", request)
            pair = {"run_a": first.run_id, "run_b": second.run_id}
            assert (await service.call("GetRun", pb.GetRunRequest(run_id=first.run_id))).summary.paused
            assert fake.asked.total() == 0
            # One repository: all of it is asked for at once, and then everything is seen.
            step = await service.call("AdvanceComparison", pb.AdvanceComparisonRequest(**pair))
            assert (step.state, step.asked) == ("asking", 2 * len(ids))
            for run in (first, second):
                await service.until(run.run_id, lambda run: run.finished == len(ids))
            step = await service.call("AdvanceComparison", pb.AdvanceComparisonRequest(**pair))
            assert (step.state, step.comparison.tasks, step.comparison.difference) == ("all_seen", len(ids), 0.0)
            gone_on = await service.call("PauseRun", pb.PauseRunRequest(run_id=first.run_id, resume=True))
            assert (gone_on.run.paused, gone_on.answers) == (False, 0)

        again = await service.call("JudgeAgain", pb.JudgeAgainRequest(run_id=first.run_id, note="the judge was mended"))
        assert again.answers == len(ids)
        await service.until(first.run_id, lambda run: run.summary.passed == len(ids))
        changes = (await service.call("ListVerdictChanges", pb.ListVerdictChangesRequest())).changes
        mine = [change for change in changes if change.run_id == first.run_id]
        assert len(mine) == len(ids) and {change.after.note for change in mine} == {"the judge was mended"}
        assert sum(change.before.outcome == "passed" for change in mine) == expected
        attempt = pb.GetAttemptRequest(run_id=first.run_id, task_id=ids[0])
        found = await service.call("GetAttempt", attempt)
        assert [version.judging for version in found.verdicts] == [0, 1] and found.answer.outcome == "passed"
        assert (await service.call("GetRun", pb.GetRunRequest(run_id=second.run_id))).summary.passed == expected
        # What was done to them is told, with what an empty database needs.
        withdrawn = pb.WithdrawRunRequest(run_id=second.run_id, reason="asked wrongly")
        await service.call("WithdrawRun", withdrawn)
        await service.call("DeleteRun", pb.DeleteRunRequest(run_id=first.run_id))
        async with asyncio.timeout(300):
            while "deleted" not in {event.change for event in told[first.run_id]} or len(told[second.run_id]) < 2:
                await asyncio.sleep(0.1)
        by_number = {event.number: event.change for event in told[first.run_id]}
        assert by_number == {1: "paused", 2: "resumed", 3: "deleted"}
        held, off = sorted(told[second.run_id], key=lambda event: event.number)
        assert (held.change, off.change, off.reason) == ("paused", "withdrawn", "asked wrongly")
        assert off.spec is not None and off.spec.tasks.count == len(ids)
        assert await service.end(signal.SIGTERM) == 0
    finally:
        await bus.stop()
        if service.process and service.process.returncode is None:
            await service.end(signal.SIGKILL)


async def test_stopped_while_its_model_answers_it_asks_nothing_twice(kafka, postgres, tmp_path, fake_llm):
    mark = uuid.uuid4().hex[:8]
    events = [built(mark, number) for number in range(4)]
    ids = [event.task_id for event in events]
    port = free_port()
    service = Service(kafka, postgres, tmp_path, port)
    bus = Bus(ServiceSettings(kafka_bootstrap=kafka), f"judge-{mark}")
    Judge(bus, set(ids))
    await bus.start()
    try:
        await service.start()
        await bus.publish_all(TASK_BUILT, events)
        fake = fake_llm.FakeLlm(delay_s=1.5)
        async with fake.serve(port):
            started = await _start_when_known(service, ids)
            await service.until(started.run_id, lambda run: run.finished >= 1)
            assert await service.end(signal.SIGTERM) == 0
            answered = fake.asked.total()
            assert answered < len(ids), "it was stopped too late to prove anything"
            await service.start()
            run = await service.call("GetRun", pb.GetRunRequest(run_id=started.run_id))
            assert run.halted == "", "a stop is no reason for a run to stand still"
            await service.until(started.run_id, lambda run: run.finished == len(ids))
            assert fake.asked.total() == len(fake.asked) == len(ids)
            assert await service.end(signal.SIGTERM) == 0
    finally:
        await bus.stop()
        if service.process and service.process.returncode is None:
            await service.end(signal.SIGKILL)


async def test_an_unknown_model_is_refused_with_the_known_names(kafka, postgres, tmp_path):
    service = Service(kafka, postgres, tmp_path, free_port())
    await service.start()
    try:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await service.call("StartRun", pb.StartRunRequest(model="huge"))
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "qwen2.5-coder-0.5b" in caught.value.details()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await service.call("GetRun", pb.GetRunRequest(run_id="nobody"))
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    finally:
        await service.end(signal.SIGTERM)


async def _start_when_known(service: Service, ids: list[str], *, held: bool = False) -> pb.StartRunResponse:
    async with asyncio.timeout(300):
        while True:
            try:
                return await service.call("StartRun", pb.StartRunRequest(task_ids=ids, held=held))
            except grpc.aio.AioRpcError as error:
                # The tasks are on their way.
                if error.code() not in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNAVAILABLE):
                    raise
                await asyncio.sleep(0.2)


async def _who_does_not_wait_is_told(service: Service, ids: list[str]) -> None:
    """`touchstone evaluate --no-wait` on a dead endpoint says so before it ends, once, with what becomes of the run."""
    place = f"http://127.0.0.1:{free_port()}/v1"
    command = ["evaluate", "--model", f"other@{place}", "--tasks", ",".join(ids), "--no-wait", "--json"]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "from touchstone_cli.main import main; main()", *command),
        env={**service.environment, "TOUCHSTONE_EVALUATOR_ADDRESS": service.grpc},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = (text.decode() for text in await process.communicate())
    run = json.loads(out)
    assert process.returncode == 0 and run["finished"] == 0, err
    (told,) = [line for line in err.splitlines() if line.startswith("the run waits: ")]
    assert place in told and "cannot be reached" in told and "start it or correct its address" in told
    assert told.count("goes on by itself") == 1 and told.endswith(GOES_ON)


async def test_a_run_with_a_dead_endpoint_delays_no_other_and_ends_outside_the_scores(
    kafka, postgres, tmp_path, fake_llm
):
    mark = uuid.uuid4().hex[:8]
    events = [built(mark, number) for number in range(6)]
    ids = [event.task_id for event in events]
    port = free_port()
    service = Service(kafka, postgres, tmp_path, port)
    service.environment["TOUCHSTONE_EVALUATOR_ENDPOINT_PATIENCE_S"] = "30"
    bus = Bus(ServiceSettings(kafka_bootstrap=kafka), f"judge-{mark}")
    Judge(bus, set(ids))
    await bus.start()
    try:
        await service.start()
        await bus.publish_all(TASK_BUILT, events)
        async with asyncio.timeout(300):
            while True:
                with contextlib.suppress(grpc.aio.AioRpcError):
                    dead_request = pb.StartRunRequest(task_ids=ids, model=f"dead@http://127.0.0.1:{free_port()}/v1")
                    dead = await service.call("StartRun", dead_request)
                    break
                await asyncio.sleep(0.2)
        await service.until(dead.run_id, lambda run: run.halted)
        await _who_does_not_wait_is_told(service, ids[:2])
        async with fake_llm.FakeLlm(delay_s=0.05).serve(port):
            good = await service.call("StartRun", pb.StartRunRequest(task_ids=ids))
            done = await service.until(good.run_id, lambda run: run.summary.judged == len(ids))
            assert done.summary.infrastructure == 0
            # It waited behind nothing: the dead run still waits for its endpoint.
            waiting = await service.call("GetRun", pb.GetRunRequest(run_id=dead.run_id))
            assert waiting.halted and waiting.summary.infrastructure == 0
        ended = await service.until(dead.run_id, lambda run: run.summary.infrastructure == len(ids), timeout_s=600)
        assert ended.summary.judged == 0 or ended.summary.passed == 0
        assert {result.outcome for result in ended.results} == {"infrastructure"}
        assert await service.end(signal.SIGTERM) == 0
    finally:
        await bus.stop()
        if service.process and service.process.returncode is None:
            await service.end(signal.SIGKILL)
