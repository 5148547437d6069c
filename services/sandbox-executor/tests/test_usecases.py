"""Queueing, cancelling, judging: on fakes of the ports."""

import asyncio
import contextlib
import dataclasses
from dataclasses import replace

import pytest

from sandbox_executor.domain.jobs import CasesJob, ProgramJob, ProgramResult, Solution
from sandbox_executor.domain.judging import Verdict
from sandbox_executor.domain.limits import DEFAULT
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.domain.selftest import Attack, run_attacks
from sandbox_executor.errors import BusyError, IsolationMissingError, JobRefusedError, SandboxFaultError
from sandbox_executor.ports import StoredSuite
from sandbox_executor.usecases import Executor, Judging
from touchstone_runtime.errors import NotFoundError

JOB = CasesJob("python", "def f(x): return x", "f", ("[1]", "[2]", "[3]"), DEFAULT)


@pytest.fixture
def executor_of():
    made = []

    def make(backend, workers=2):
        made.append(Executor({"scripted": backend}, workers))
        return made[-1]

    yield make
    for executor in made:
        executor.close()


async def everything(stream):
    return [item async for group in stream for item in group]


async def test_results_come_in_order(executor_of, echoing):
    executor = executor_of(echoing)
    results = await everything(executor.run_cases(JOB))
    assert [(r.index, r.value) for r in results] == [(0, "[1]"), (1, "[2]"), (2, "[3]")]
    await asyncio.sleep(0)
    assert executor.load.done == 1


async def test_programs_give_what_they_print_and_a_result(executor_of, echoing):
    events = await everything(executor_of(echoing).run_program(ProgramJob("python", "", (), b"in", (), DEFAULT)))
    assert events[0].data == b"in"
    assert isinstance(events[-1], ProgramResult)


async def test_no_more_jobs_at_a_time_than_workers(executor_of, scripted):
    def slow(index, text):
        import time

        time.sleep(0.02)
        return CaseResult(index, Outcome.RETURNED, text)

    backend = scripted(slow)
    executor = executor_of(backend, workers=2)
    await asyncio.gather(*(everything(executor.run_cases(JOB)) for _ in range(8)))
    assert backend.most_running == 2
    assert executor.load.queued == 0


async def test_a_caller_that_goes_away_stops_the_job_and_frees_the_place(executor_of, scripted):
    backend = scripted(lambda index, text: CaseResult(index, Outcome.RETURNED, text), hang=True)
    executor = executor_of(backend, workers=1)
    task = asyncio.create_task(everything(executor.run_cases(JOB)))
    while not backend.running:
        await asyncio.sleep(0.005)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert backend.cancelled == 1
    await asyncio.sleep(0)
    assert (executor.load.running, executor.load.queued) == (0, 0)
    backend.hang = False
    assert len(await everything(executor.run_cases(JOB))) == 3


async def test_a_caller_that_goes_away_in_the_queue_takes_no_place(executor_of, scripted):
    backend = scripted(lambda index, text: CaseResult(index, Outcome.RETURNED, text), hang=True)
    executor = executor_of(backend, workers=1)
    running = asyncio.create_task(everything(executor.run_cases(JOB)))
    waiting = asyncio.create_task(everything(executor.run_cases(JOB)))
    while not (backend.running and executor.load.queued):
        await asyncio.sleep(0.005)
    waiting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await waiting
    assert executor.load.queued == 0
    backend.hang = False
    assert len(await running) == 3
    assert len(await everything(executor.run_cases(JOB))) == 3


async def test_faults_of_the_platform_raise(executor_of, scripted):
    def fail(index, text):
        raise SandboxFaultError("no sandbox")

    executor = executor_of(scripted(fail))
    with pytest.raises(SandboxFaultError):
        await everything(executor.run_cases(JOB))
    await asyncio.sleep(0)
    assert executor.load.running == 0


async def test_malformed_jobs_and_unknown_backends_are_refused(executor_of, echoing):
    executor = executor_of(echoing)
    with pytest.raises(JobRefusedError, match="entry point"):
        await everything(executor.run_cases(CasesJob("python", "", "f()", (), DEFAULT)))
    with pytest.raises(JobRefusedError, match="no such backend"):
        await everything(executor.run_cases(JOB, "docker"))
    with pytest.raises(JobRefusedError, match="memory_bytes"):
        executor.limits({"memory_bytes": 2**60})


SUITE = StoredSuite("portable", "f", ("[1]", "[2]", "[3]"), ("[1]", "[2]", "[4]"))


async def test_judging_compares_outside(executor_of, echoing):
    verdict = await executor_of(echoing).judge(JOB, SUITE)
    assert (verdict.outcome, verdict.passed, verdict.cases, verdict.cpu_s) == ("wrong_output", 2, 3, 0.25)
    assert echoing.jobs[0].inputs == SUITE.arguments
    assert "[4]" not in str(echoing.jobs[0])


async def test_what_is_no_portable_value_is_the_callers_fault_and_never_the_candidates(executor_of, echoing):
    executor = executor_of(echoing)
    for text in ("[1", "1", "[NaN]", '[1],"i":7'):
        with pytest.raises(JobRefusedError, match="case 1: its arguments are no portable ones"):
            await everything(executor.run_cases(replace(JOB, inputs=("[]", text))))
        with pytest.raises(JobRefusedError, match="case 1: its arguments are no portable ones"):
            await executor.judge(JOB, StoredSuite("portable", "f", ("[1]", text), ("[1]", "1")))
    assert echoing.jobs == []
    with pytest.raises(JobRefusedError, match="case 1: what is expected is no portable value"):
        await executor.judge(JOB, StoredSuite("portable", "f", ("[1]", "[2]"), ("[1]", "[2")))
    with pytest.raises(JobRefusedError, match="no cases"):
        await executor.judge(JOB, StoredSuite("portable", "f", (), ()))


async def test_judging_stops_when_enough_failed(executor_of, scripted):
    seen = []

    def wrong(index, text):
        seen.append(index)
        return CaseResult(index, Outcome.RETURNED, "0")

    suite = StoredSuite("portable", "f", ("[1]",) * 50, ("1",) * 50)
    verdict = await executor_of(scripted(wrong)).judge(JOB, suite, stop_after_failures=2)
    assert verdict.outcome == "wrong_output"
    assert len(verdict.failures) == 2
    assert len(seen) == 2


async def test_describe_prepare_and_self_test(executor_of, scripted):
    executor = executor_of(scripted(lambda index, text: CaseResult(index, Outcome.RETURNED, "[]")))
    (described,) = await executor.describe()
    assert described.available
    assert [layer.name for layer in described.layers] == ["walls", "moat"]
    assert (await executor.prepare("python", ("attrs",))).ready
    with pytest.raises(JobRefusedError):
        await executor.prepare("python", ("-r x",))
    # A refusal says which package, by which rule, and what to do.
    with pytest.raises(JobRefusedError, match=r"^denied by the rule 'evil' \(.*PACKAGES_DENIED\)"):
        await executor.prepare("python", ("evil",))
    checks = await executor.self_test()
    # A backend where every attack just returns has no limits: the self-test must say so.
    assert {check.name for check in checks if not check.passed} >= {"memory", "time", "tracing", "forged answers"}
    # What isolates jobs is said as well, the kernel among it.
    told = {check.name: (check.passed, check.detail) for check in checks}
    assert (told["layer walls"], told["layer moat"]) == ((True, "thick"), (True, "not in force: dry"))


async def test_a_backend_that_fails_its_self_test_gets_no_jobs(executor_of, echoing, scripted):
    executor = executor_of(echoing)
    assert await executor.unfit() == ""
    checks = await executor.prove()
    assert not all(check.passed for check in checks)
    assert "tracing" in await executor.unfit()
    with pytest.raises(IsolationMissingError, match="self-test"):
        await everything(executor.run_cases(JOB))
    with pytest.raises(IsolationMissingError):
        await executor.judge(JOB, SUITE)


def test_an_attack_that_only_ran_out_of_time_is_made_again_and_no_other():
    attack = Attack("memory", "", frozenset({Outcome.MEMORY}))
    loop = Attack("time", "", frozenset({Outcome.TIMED_OUT}))

    def checks(*outcomes, of=attack):
        results = [CaseResult(0, outcome, "[]") for outcome in outcomes]
        (check,) = run_attacks(lambda _: results.pop(0), (of,))
        return check.passed, len(results)

    late = Outcome.TIMED_OUT
    assert checks(late, late, Outcome.MEMORY) == (True, 0)
    assert checks(late, late, late, Outcome.MEMORY) == (False, 1)
    assert checks(Outcome.RETURNED, Outcome.MEMORY) == (False, 1)
    assert checks(late, late, of=loop) == (True, 1)


class Store:
    def __init__(self):
        self.verdicts = {}
        self.suites = {"digest": StoredSuite("portable", "f", ("[1]",), ("[1]",))}
        self.announced = []

    async def load(self, digest):
        if digest not in self.suites:
            raise NotFoundError("no such blob", thing=digest)
        return self.suites[digest]

    async def find(self, solution_id, suite_digest, judging=0):
        return self.verdicts.get((solution_id, suite_digest, judging))

    async def keep(self, solution_id, suite_digest, verdict, judging=0):
        return self.verdicts.setdefault((solution_id, suite_digest, judging), verdict)

    async def verdict_reached(self, solution, verdict):
        # Stored first, announced second.
        assert (solution.solution_id, solution.suite_digest, solution.judging) in self.verdicts
        self.announced.append((solution, verdict))


SOLUTION = Solution("s1", "r1", "t1", "python", "f", "def f(x): return x", "digest")


async def test_a_solution_is_judged_once_and_announced_each_time(executor_of, echoing):
    store = Store()
    judging = Judging(executor_of(echoing), store, store, store)
    await judging.judge(SOLUTION)
    await judging.judge(SOLUTION)
    assert len(echoing.jobs) == 1
    assert store.announced[0] == store.announced[1]
    assert store.announced[0][1].outcome == "passed"


async def test_a_solution_is_judged_once_for_each_number(executor_of, echoing):
    store = Store()
    judging = Judging(executor_of(echoing), store, store, store)
    again = dataclasses.replace(SOLUTION, judging=1, judging_note="the comparator was mended")
    for solution in (SOLUTION, again, again, SOLUTION):
        await judging.judge(solution)
    assert len(echoing.jobs) == 2
    assert [each for each, _ in store.announced] == [SOLUTION, again, again, SOLUTION]


async def test_the_verdict_that_was_stored_first_is_announced(executor_of, echoing):
    store = Store()
    first = Verdict("timed_out", 1, 0, ())
    store.find = lambda *_: asyncio.sleep(0, None)
    store.verdicts["s1", "digest", 0] = first
    await Judging(executor_of(echoing), store, store, store).judge(SOLUTION)
    assert store.announced == [(SOLUTION, first)]


async def test_a_missing_suite_fails_for_good_and_announces_nothing(executor_of, echoing):
    store = Store()
    store.suites.clear()
    with pytest.raises(NotFoundError):
        await Judging(executor_of(echoing), store, store, store).judge(SOLUTION)
    assert not store.announced


async def test_a_backend_takes_no_job_before_it_passed_the_self_test(scripted):
    backend = scripted(lambda index, text: CaseResult(index, Outcome.RETURNED, text))
    executor = Executor({"scripted": backend}, 1, proven_only=True)
    try:
        # It answers the attacks as if they were honest, which no sandbox that holds does.
        for use in (
            lambda: everything(executor.run_cases(JOB)),
            lambda: everything(executor.run_program(ProgramJob("python", "", (), b"", (), DEFAULT))),
            lambda: executor.judge(JOB, SUITE),
            lambda: executor.prepare("python", ("numpy",)),
        ):
            with pytest.raises(IsolationMissingError, match="self-test was not held"):
                await use()
        assert all(job.entry_point == "attack" for job in backend.jobs)
        tested = len(backend.jobs)
        with pytest.raises(IsolationMissingError):
            await everything(executor.run_cases(JOB))
        assert len(backend.jobs) == tested
    finally:
        executor.close()


async def test_callers_take_turns_and_one_that_asks_too_much_is_told(scripted):
    backend = scripted(lambda index, text: CaseResult(index, Outcome.RETURNED, text), hang=True)
    executor = Executor({"scripted": backend}, 1, most_waiting=2)
    order = []

    async def ask(caller):
        await everything(executor.run_cases(JOB, caller=caller))
        order.append(caller)

    try:
        tasks = [asyncio.create_task(ask(caller)) for caller in ("a", "a", "a", "b")]
        while executor.load.queued < 3:
            await asyncio.sleep(0.005)
        with pytest.raises(BusyError, match="at most 2"):
            await everything(executor.run_cases(JOB, caller="a"))
        # Who fetches packages waits for no job.
        assert (await asyncio.wait_for(executor.prepare("python", ("numpy",)), 120)).ready
        backend.hang = False
        await asyncio.gather(*tasks)
        assert order.index("b") < 3
    finally:
        executor.close()


@pytest.mark.parametrize("broken", ["told", "silent"])
async def test_a_fault_of_the_platform_is_no_verdict_and_is_not_kept(executor_of, scripted, broken):
    class Silent(scripted):
        def run_cases(self, job, sink, cancelled):
            """Ends without an answer."""

    fault = CaseResult(0, Outcome.PLATFORM_FAULT, error_message="it vanished")
    backend = scripted(lambda *_: fault) if broken == "told" else Silent(None)
    store = Store()
    with pytest.raises(SandboxFaultError, match="no verdict"):
        await Judging(executor_of(backend), store, store, store).judge(SOLUTION)
    assert not store.verdicts and not store.announced
