"""Kafka and gRPC edges: decode, one use case, encode."""

import dataclasses

import pytest

from sandbox_executor.adapters.announcer import verdict_event
from sandbox_executor.adapters.suites import read_suite
from sandbox_executor.domain.jobs import Solution
from sandbox_executor.domain.judging import Failure, Verdict
from sandbox_executor.domain.outcomes import Outcome
from sandbox_executor.errors import JobRefusedError
from sandbox_executor.handlers import judge_generated
from sandbox_executor.rpc import OUTCOMES, SandboxServicer
from sandbox_executor.usecases import Executor, Sessions
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone_contracts.events import ModelSpec, SolutionGenerated
from touchstone_contracts.suite import Case, Suite

SUITE = Suite(
    comparison="portable",
    entry_point="f",
    seed=1,
    cases=(Case(arguments="[1]", expected="[1]"), Case(arguments="[2]", expected="[3]")),
)


@pytest.fixture
def servicer(echoing):
    executor = Executor({"scripted": echoing}, 1)

    async def load(digest):
        return read_suite(SUITE.to_bytes())

    async def lag():
        return 4

    yield SandboxServicer(executor, Sessions(executor), load, read_suite, lag, lambda: ["waiting"])
    executor.close()


async def test_run_cases(servicer, echoing):
    request = pb.RunCasesRequest(
        language=pb.LANGUAGE_PYTHON,
        source="def f(x): return x",
        entry_point="f",
        inputs=["[1]", '{"x":2}'],
        limits=pb.Limits(case_timeout_s=1.5),
        hash_seed=3,
    )
    answers = [answer async for answer in servicer.RunCases(request, None)]
    assert [(a.index, a.outcome, a.value) for a in answers] == [
        (0, pb.OUTCOME_RETURNED, "[1]"),
        (1, pb.OUTCOME_RETURNED, '{"x":2}'),
    ]
    (job,) = echoing.jobs
    assert (job.limits.case_timeout_s, job.hash_seed, job.language) == (1.5, 3, "python")


async def test_execute(servicer):
    request = pb.ExecuteRequest(language=pb.LANGUAGE_GO, source="package main", stdin=b"x")
    events = [event async for event in servicer.Execute(request, None)]
    assert [event.WhichOneof("event") for event in events] == ["stdout", "result"]


async def test_judge_by_digest_and_by_content(servicer):
    for suite in ({"suite_digest": "d"}, {"suite_json": SUITE.to_bytes()}):
        answer = await servicer.Judge(pb.JudgeRequest(source="def f(x): return x", **suite), None)
        assert (answer.verdict, answer.cases, answer.passed) == ("wrong_output", 2, 1)
        assert answer.failures[0].index == 1


async def test_describe_and_progress(servicer):
    described = await servicer.Describe(pb.DescribeRequest(), None)
    assert {(x.language, x.available) for x in described.languages} == {
        (pb.LANGUAGE_PYTHON, True),
        (pb.LANGUAGE_PHP, False),
    }
    assert described.backends[0].layers[0].in_force
    assert described.workers == 1
    assert described.maximum_limits.memory_bytes >= described.default_limits.memory_bytes > 0
    progress = (await servicer.Progress(pb.ProgressRequest(), None)).progress
    assert (progress.lag, list(progress.activities)) == (4, ["waiting"])


def test_every_outcome_has_its_number():
    assert len(set(OUTCOMES.values())) == len(Outcome) == len(pb.Outcome.keys()) - 1


def test_what_is_no_suite_is_refused():
    for data in (b"", b"{}", b"\x1f\x8bnonsense", b'{"cases":[{}]}'):
        with pytest.raises(JobRefusedError):
            read_suite(data)


SOLUTION = Solution("s1", "r1", "t1", "python", "f", "code", "digest")
VERDICT = Verdict("wrong_output", 2, 1, (Failure(1, "wrong_output", "words"),), 1.0, 2.0, 3)


def test_a_verdict_id_does_not_depend_on_what_a_clock_measured():
    event = verdict_event(SOLUTION, VERDICT)
    slower = verdict_event(SOLUTION, dataclasses.replace(VERDICT, wall_s=9.0, cpu_s=9.0, memory_bytes=9))
    assert (event.verdict_id, event.event_id) == (slower.verdict_id, slower.event_id)
    other = verdict_event(SOLUTION, dataclasses.replace(VERDICT, passed=0))
    assert other.verdict_id != event.verdict_id
    assert verdict_event(dataclasses.replace(SOLUTION, solution_id="s2"), VERDICT).verdict_id != event.verdict_id


async def test_a_generated_solution_is_judged():
    judged = []

    class Recorder:
        async def judge(self, solution):
            judged.append(solution)

    await judge_generated(Recorder())(
        SolutionGenerated(
            solution_id="s1",
            run_id="r1",
            task_id="t1",
            model=ModelSpec(name="m"),
            strategy="direct",
            language="python",
            entry_point="f",
            code="code",
            suite_digest="digest",
            judging=2,
            judging_note="mended",
        )
    )
    assert judged == [dataclasses.replace(SOLUTION, judging=2, judging_note="mended")]
    # The first verdict keeps the id that it had before there were versions.
    events = [verdict_event(dataclasses.replace(SOLUTION, judging=number), VERDICT) for number in (0, 1, 2)]
    assert [event.judging for event in events] == [0, 1, 2] and len({event.verdict_id for event in events}) == 3
    assert verdict_event(judged[0], VERDICT).judging_note == "mended"
