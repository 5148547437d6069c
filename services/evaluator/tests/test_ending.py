"""A run whose endpoint stays away ends outside the scores; what the platform lacks is waited for."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.domain.cocost import Bounds
from evaluator.domain.outcomes import CANCELLED, Outcome
from evaluator.domain.patience import MOST_FAULTS, Patience
from evaluator.domain.tasks import Effort, Solution, Verdict
from evaluator.usecases.cocost import Cocost
from evaluator.usecases.ending import Patient, cancel_run
from evaluator.usecases.runs import publish_unrequested, resume_run, solve_task
from touchstone_runtime.errors import PermanentError, RetryableError, SuspendedError

EFFORT = Effort(100, 10, 0.5, 0.001, 1)


class Scripted:
    """A strategy that does what it is told."""

    prompts = ("direct_v1",)

    def __init__(self):
        self.bounds = {}
        self.fault = None
        self.asked = 0

    def variant(self, text):
        return text

    async def solve(self, run, task, sample=0):
        self.asked += 1
        if self.fault:
            raise self.fault
        return Solution("s", "code", None)


def away(*, own):
    error = SuspendedError("the endpoint cannot be reached")
    error.own = own
    return error


@pytest.fixture
def patient():
    now = [0.0]
    inner = Scripted()
    return inner, Patient(inner, Patience(60), lambda: now[0]), now


async def test_a_runs_own_endpoint_is_waited_for_and_then_the_answer_ends_outside_the_scores(patient, run, task):
    inner, strategy, now = patient
    inner.fault = away(own=False)
    for now[0] in (0.0, 30.0, 59.0):
        with pytest.raises(SuspendedError):
            await strategy.solve(run(), task())
    now[0] = 61.0
    ended = await strategy.solve(run(), task())
    assert ended.outcome is Outcome.INFRASTRUCTURE and "cannot be reached" in ended.detail
    # One more is asked, which may be answered; the others of the run end without, and when somebody asks anew they are
    # waited for again.
    asked = inner.asked
    for number in (2, 3, 4):
        others = await strategy.solve(run(), task(number))
        assert others.outcome is Outcome.INFRASTRUCTURE and others.detail == ended.detail
    assert inner.asked == asked + 1
    with pytest.raises(SuspendedError):
        await strategy.solve(run(askings=1), task(3))


async def test_one_question_that_an_endpoint_blocks_does_not_end_the_others_of_its_run(patient, run, task):
    inner, strategy, now = patient
    for number, blocked in ((1, True), (2, False), (3, True), (4, False)):
        inner.fault = away(own=False) if blocked else None
        ended = None
        while ended is None:
            try:
                ended = await strategy.solve(run(), task(number))
            except SuspendedError:
                now[0] += 20
        assert ended.outcome is (Outcome.INFRASTRUCTURE if blocked else None)


async def test_whoever_asks_for_a_run_again_asks_every_replica(patient, run, task):
    inner, one, now = patient
    replicas = one, Patient(inner, Patience(60), lambda: now[0])
    inner.fault = away(own=False)
    for number in (1, 2):
        for strategy in replicas:
            with pytest.raises(SuspendedError):
                await strategy.solve(run(), task(number))
    now[0] = 61.0
    for number in (1, 2, 3):
        for strategy in replicas:
            assert (await strategy.solve(run(), task(number))).outcome is Outcome.INFRASTRUCTURE
    # Its endpoint has its time again, at every answer that waited before.
    now[0] = 3600.0
    for strategy in replicas:
        for number in (1, 2, 3):
            with pytest.raises(SuspendedError):
                await strategy.solve(run(askings=1), task(number))
    inner.fault = None
    for strategy in replicas:
        # A request of before that was under way says nothing of what is known since.
        for askings in (1, 0, 1):
            assert (await strategy.solve(run(askings=askings), task(4))).outcome is None


async def test_what_is_handled_while_a_run_is_asked_for_again_is_asked(house, store, announcer, lists, task):
    made, now = house(away(own=False)), [0.0]
    await made.tasks(1, 2, 3)
    replicas = [{"direct": Patient(made.strategies["direct"], Patience(60), lambda: now[0])} for _ in range(2)]
    run = await made.start()
    for strategies in replicas:
        for number in (1, 2):
            with pytest.raises(SuspendedError):
                await solve_task(store, announcer, strategies, lists, run, task(number).task_id)
    now[0] = 61.0
    for number, strategies in enumerate(replicas, 1):
        await solve_task(store, announcer, strategies, lists, run, task(number).task_id)
        assert strategies["direct"].patience.over(run.run_id)
    made.models.answers["solve_v1"] = lambda said: f"```python\ndef {said['entry_point']}(x):\n    return x\n```"

    class AtOnce:
        async def request_solutions(self, run, places):
            for number, (task_id, sample) in enumerate(places):
                await solve_task(store, announcer, replicas[number % 2], lists, run, task_id, sample)

    await resume_run(store, AtOnce(), run)
    solutions = [attempt.solution for attempt in (await store.load_run(run.run_id)).attempts]
    assert [solution.outcome for solution in solutions] == [None, None, None]


async def test_one_answer_that_never_comes_ends_alone(patient, run, task):
    inner, strategy, now = patient
    for now[0] in range(0, 200, 20):
        inner.fault = away(own=False)
        if now[0] <= 40:
            with pytest.raises(SuspendedError):
                await strategy.solve(run(), task())
        elif now[0] == 60:
            assert (await strategy.solve(run(), task())).outcome is Outcome.INFRASTRUCTURE
        inner.fault = None
        assert (await strategy.solve(run(), task(2))).outcome is None


async def test_what_the_platform_lacks_is_waited_for_without_end(patient, run, task):
    inner, strategy, now = patient
    inner.fault = away(own=True)
    for now[0] in range(0, 100_000, 1000):
        with pytest.raises(SuspendedError):
            await strategy.solve(run(), task())


async def test_a_request_at_which_an_endpoint_always_fails_ends_alone(patient, run, task):
    inner, strategy, _ = patient
    inner.fault = RetryableError("fails at this request (500)")
    for _ in range(MOST_FAULTS - 1):
        with pytest.raises(RetryableError):
            await strategy.solve(run(), task())
    assert (await strategy.solve(run(), task())).outcome is Outcome.INFRASTRUCTURE
    inner.fault = None
    assert (await strategy.solve(run(), task(2))).outcome is None


async def test_an_error_of_a_strategys_own_ends_its_answer_after_as_many_tries(patient, run, task):
    inner, strategy, _ = patient
    inner.fault = KeyError("choices")
    for _ in range(MOST_FAULTS - 1):
        with pytest.raises(RetryableError, match="the strategy failed: KeyError: 'choices'"):
            await strategy.solve(run(), task())
    ended = await strategy.solve(run(), task())
    assert ended.outcome is Outcome.INFRASTRUCTURE and "KeyError" in ended.detail
    # What would be buried at once ends at once, and what is away is waited for and told.
    inner.fault = UnicodeDecodeError("utf-8", b"x", 0, 1, "no text")
    assert (await strategy.solve(run(), task(2))).outcome is Outcome.INFRASTRUCTURE
    inner.fault = ConnectionRefusedError("nobody listens")
    with pytest.raises(SuspendedError, match="nobody listens"):
        await strategy.solve(run(), task(3))


async def test_a_run_whose_strategy_is_gone_ends_and_can_be_asked_for_again(house, store, announcer, lists, task):
    made = house("```python\ndef f1(x):\n    return x\n```")
    await made.tasks(1)
    run = await made.start()
    ended = await solve_task(store, announcer, {}, lists, run, task(1).task_id)
    assert ended.verdict.outcome is Outcome.INFRASTRUCTURE and "not installed any more" in ended.verdict.detail
    await resume_run(store, announcer, run)
    assert (await solve_task(store, announcer, made.strategies, lists, run, task(1).task_id)).solution.outcome is None


async def test_a_model_that_nobody_knows_any_more_ends_its_answers(patient, run, task):
    inner, strategy, _ = patient
    inner.fault = PermanentError("no model is called so")
    assert (await strategy.solve(run(), task())).outcome is Outcome.INFRASTRUCTURE


async def test_what_was_paid_before_an_answer_broke_off_stays_with_it(models, run, task):
    now = [0.0]
    made = models(
        cocost_plan_v1={"steps": [{"step": "do", "search_query": ""}]},
        cocost_draft_v1=lambda told: f"```python\ndef {told['entry_point']}(x):\n    return x\n```",
        cocost_inputs_v1=PermanentError("nobody knows the model any more"),
    )
    cocost = Cocost(made, None, None, None, Bounds(1, 3, 2), max_tokens=9, showing="")
    strategy = Patient(cocost, Patience(60), lambda: now[0])
    one = run(strategy="cocost", variant="no-search")
    # A plan and a draft were answered.
    for number in (1, 2):
        ended = await strategy.solve(one, task(number))
        assert ended.outcome is Outcome.INFRASTRUCTURE and ended.effort == EFFORT + EFFORT
    # What is tried again is counted once: its answers are known.
    made.answers["cocost_inputs_v1"] = RetryableError("fails at this request (500)")
    for _ in range(MOST_FAULTS - 1):
        with pytest.raises(RetryableError):
            await strategy.solve(one, task(3))
    assert (await strategy.solve(one, task(3))).effort == EFFORT + EFFORT
    # Others end with their run without being asked once more, and were paid for as well.
    made.answers["cocost_inputs_v1"] = away(own=False)
    for number in (4, 5):
        with pytest.raises(SuspendedError):
            await strategy.solve(one, task(number))
    now[0] = 61.0
    assert (await strategy.solve(one, task(4))).effort == EFFORT + EFFORT
    asked = len(made.asked)
    efforts = [(await strategy.solve(one, task(number))).effort for number in (5, 6)]
    assert efforts == [EFFORT + EFFORT, Effort()] and len(made.asked) == asked
    one = run(strategy="cocost", variant="no-search", askings=1)
    # What is answered in the end has its own figures.
    made.answers["cocost_inputs_v1"] = RetryableError("fails at this request (500)")
    with pytest.raises(RetryableError):
        await strategy.solve(one, task(7))
    made.answers["cocost_draft_v1"] = "no code"
    assert (await strategy.solve(one, task(7))).outcome is Outcome.NO_CODE
    assert strategy.broken == {}


@given(st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 50)), max_size=40))
def test_one_answer_among_others_that_never_comes_is_not_kept_alive_by_them(steps):
    patience, now = Patience(60), 0.0
    first = silent = None
    for name, seconds in steps:
        now += seconds
        if name == "a":
            patience.answered(("run", "a", 0))
            silent = None
            continue
        first, silent = now if first is None else first, now if silent is None else silent
        over = patience.away(("run", "b", 0), now)
        assert over is (now - min(first, silent) >= 60)
        first = None if over else first


async def test_lost_answers_whose_new_asking_broke_off_are_asked_for_by_the_sweep(store, run, task, announcer):
    await store.save_task(task())
    await store.save_run(run(), [task().task_id])
    run_id = run().run_id
    await resume_run(store, announcer, run())
    await store.save_solution(run_id, task().task_id, Solution("s1", "", None, outcome=Outcome.INFRASTRUCTURE))
    await store.save_verdict(run_id, task().task_id, "s1", Verdict(Outcome.INFRASTRUCTURE))
    assert await publish_unrequested(store, announcer) == 0

    class Stops:
        """The process ends while it asks, or the caller's time is up."""

        async def request_solutions(self, run, places):
            raise asyncio.CancelledError

        def __getattr__(self, name):
            return getattr(announcer, name)

    with pytest.raises(asyncio.CancelledError):
        await resume_run(store, Stops(), run())
    announcer.requests.clear()
    assert await publish_unrequested(store, announcer) == 1
    assert announcer.requests == [(run_id, task().task_id)]


async def test_a_cancelled_run_is_done_outside_the_scores_and_can_be_asked_for_again(store, run, task, announcer):
    tasks = [task(number) for number in (1, 2, 3)]
    for each in tasks:
        await store.save_task(each)
    await store.save_run(run(), [each.task_id for each in tasks])
    run_id = run().run_id
    kept = await store.save_solution(run_id, tasks[0].task_id, Solution("s1", "code", None))
    await store.save_verdict(run_id, tasks[0].task_id, kept.solution_id, Verdict(Outcome.PASSED))
    assert await cancel_run(store, announcer, await store.load_run(run_id)) == 2
    verdicts = [attempt.verdict for attempt in (await store.load_run(run_id)).attempts]
    assert sorted(verdict.outcome for verdict in verdicts) == ["infrastructure", "infrastructure", "passed"]
    assert {verdict.detail for verdict in verdicts} == {"", CANCELLED}
    await store.reopen(run_id)
    again = [attempt.verdict for attempt in (await store.load_run(run_id)).attempts]
    assert [verdict.outcome for verdict in again if verdict] == [Outcome.PASSED]
