"""What operators are told of jobs: how they ended, how long they waited, how many are there."""

import asyncio

from prometheus_client import REGISTRY

from sandbox_executor import metrics
from sandbox_executor.adapters.counting import CountedBackend
from sandbox_executor.domain.jobs import CasesJob, ProgramJob
from sandbox_executor.domain.limits import DEFAULT
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.usecases import Executor

JOB = CasesJob("python", "def f(x): return x", "f", ("[1]", "[2]", "[3]"), DEFAULT)


async def everything(stream):
    return [item async for group in stream for item in group]


async def test_every_case_and_every_program_is_counted_by_how_it_ended(scripted, echoing):
    ended = []
    slow = scripted(lambda index, text: CaseResult(index, Outcome.TIMED_OUT if index == 1 else Outcome.RETURNED, text))
    for backend, work in (
        (slow, lambda executor: executor.run_cases(JOB)),
        (echoing, lambda executor: executor.run_program(ProgramJob("python", "", (), b"in", (), DEFAULT))),
    ):
        executor = Executor({"x": CountedBackend(backend, lambda name, outcome: ended.append(outcome))}, 1)
        try:
            assert await everything(work(executor))
        finally:
            executor.close()
    assert ended == ["returned", "timed_out", "returned", "returned"]


async def test_waiting_is_told_apart_from_running(scripted):
    told, release = [], asyncio.Event()
    loop = asyncio.get_running_loop()

    def held(index, text):
        asyncio.run_coroutine_threadsafe(release.wait(), loop).result(300)
        return CaseResult(index, Outcome.RETURNED, text)

    executor = Executor({"x": scripted(held)}, 1, observe=lambda *figures: told.append(figures))
    metrics.watch(lambda: executor.load, ["x"])

    def shown(name):
        return REGISTRY.get_sample_value(f"touchstone_sandbox_executor_{name}")

    try:
        jobs = [asyncio.create_task(everything(executor.run_cases(JOB))) for _ in range(2)]
        while (shown("jobs_running"), shown("jobs_waiting")) != (1, 1):
            await asyncio.sleep(0.01)
        assert shown("workers") == 1
        release.set()
        await asyncio.gather(*jobs)
        await asyncio.sleep(0)
    finally:
        executor.close()
        metrics.watch(lambda: executor.load, [])
    (_, _, first_waited), (kind, _, second_waited) = told
    assert kind == "cases"
    assert second_waited > first_waited >= 0
    zero = {"backend": "x", "outcome": "killed"}
    assert REGISTRY.get_sample_value("touchstone_sandbox_executor_endings_total", zero) == 0
