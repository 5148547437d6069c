"""Runs that wait, and comparisons that ask for no more than it takes."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from evaluator.domain.exercises import Exercise
from evaluator.domain.outcomes import Outcome
from evaluator.domain.stopping import Decision, order_of_looks
from evaluator.domain.tasks import Verdict
from evaluator.errors import BadSpecificationError, TaskNotYetKnownError
from evaluator.usecases.deciding import Step, advance, compared
from evaluator.usecases.runs import get_run, pause_run, publish_unrequested, record_verdict, resume_run, solve_task
from evaluator.usecases.tasks import retract_task

SOURCES = 12


@pytest.fixture
async def two(house, store):
    """Two held runs over two tasks of each of twelve repositories; `judge` gives what was asked for a verdict."""
    made = house(answer=lambda values: f"```python\ndef {values['entry_point']}(x):\n    return x\n```")
    for number in range(SOURCES):
        await made.tasks(2 * number + 1, 2 * number + 2, source=f"pack{number}")

    runs = [await made.start(held=True), await made.start(strategy="cocost", held=True)]

    class Two:
        house = made
        first, second = runs

        async def judge(self, *better) -> list[tuple[str, str]]:
            """Answer and judge what was asked for; only the runs in `better` pass. Gives run and source of each."""
            asked, made.announcer.requests[:] = list(made.announcer.requests), []
            for run_id, task_id in asked:
                attempt = await made.solve(await store.find_run(run_id), task_id)
                outcome = Outcome.PASSED if run_id in better else Outcome.WRONG_OUTPUT
                await record_verdict(store, run_id, task_id, attempt.solution.solution_id, Verdict(outcome, 5, 5))
            return [(run_id, (await store.find_task(task_id)).source) for run_id, task_id in asked]

        async def advance(self, **options):
            return await advance(store, made.announcer, self.first.run_id, self.second.run_id, **options)

    return Two()


async def test_a_held_run_asks_for_nothing_and_the_same_run_goes_on_when_it_is_started(house, announcer, store):
    made = house()
    await made.tasks(1, 2)
    run = await made.start(held=True)
    assert run.paused and len(run.attempts) == 2 and announcer.requests == []
    # Nor does what looks after a crash.
    assert await publish_unrequested(store, announcer) == 0
    assert (await made.start(held=True)).paused
    after = await made.start()
    assert after.run_id == run.run_id and not after.paused and len(announcer.requests) == 2
    assert not (await made.start(held=True)).paused


async def test_a_paused_run_passes_over_what_was_asked_for_and_asks_again_when_it_goes_on(house, announcer, store):
    made = house()
    await made.tasks(1, 2, 3)
    run = await made.start()
    first, second, third = [task_id for _, task_id in announcer.requests]
    await made.solve(run, first)
    assert await pause_run(store, announcer, await get_run(store, run.run_id)) == 2
    assert len(made.models.asked) == 1
    assert (await made.solve(run, second)).solution is None and len(made.models.asked) == 1
    # What was answered before is judged all the same.
    assert len(announcer.solutions) == 1
    assert (await made.solve(run, first)).solution is not None and len(announcer.solutions) == 2
    announcer.requests.clear()
    assert await resume_run(store, announcer, run) == 3
    assert {task_id for _, task_id in announcer.requests} == {first, second, third}
    assert (await made.solve(run, second)).solution is not None
    assert not (await get_run(store, run.run_id)).paused


async def test_an_endpoint_has_its_time_again_at_whatever_a_comparison_asks_for(two, store):
    before = [(await store.find_run(run.run_id)).askings for run in (two.first, two.second)]
    await two.advance()
    after = [(await store.find_run(run.run_id)).askings for run in (two.first, two.second)]
    assert all(now > then for now, then in zip(after, before, strict=True))


async def test_a_pause_holds_that_comes_while_requests_are_published(house, announcer, store):
    made = house()
    await made.tasks(1, 2)
    run = await made.start(held=True)

    class Slow(type(announcer)):
        async def request_solutions(self, run, places):
            await super().request_solutions(run, places)
            await pause_run(store, announcer, await get_run(store, run.run_id))

    for publishing in (resume_run(store, Slow(), run), publish_unrequested(store, Slow())):
        await store.set_paused(run.run_id, paused=False)
        assert await publishing == 2
        assert (await get_run(store, run.run_id)).paused
        assert len(await store.unasked(run.run_id)) == 2
        assert (await made.solve(run, run.attempts[0].task.task_id)).solution is None
    assert await resume_run(store, announcer, run) == 2 and not await store.unasked(run.run_id)


async def test_a_replay_asks_for_no_more_than_was_asked_for(house, announcer, store, lists):
    made = house()
    await made.tasks(1, 2)
    run = await made.start(held=True)
    (first, second) = sorted(attempt.task.task_id for attempt in run.attempts)
    # An empty database meets one request.
    empty = type(store)()
    for task_id in (first, second):
        await empty.save_task(await store.find_task(task_id))
    await solve_task(empty, announcer, made.strategies, lists, run, first)
    assert await publish_unrequested(empty, announcer) == 0


async def test_a_comparison_ends_when_it_is_decided(two, store):
    order = order_of_looks(two.first.spec.tasks.digest, [f"pack{number}" for number in range(SOURCES)])
    met = []
    for _ in range(SOURCES + 1):
        seen, step, asked = await two.advance()
        if step is not Step.ASKING:
            break
        assert asked == 4
        # Nothing more while verdicts are missing.
        assert (await two.advance())[1:] == (Step.ASKING, 0)
        judged = await two.judge(two.first.run_id)
        assert {source for _, source in judged} == {order[len(met)]} and len({run for run, _ in judged}) == 2
        met.append(order[len(met)])
    assert step is Step.DECIDED and seen.comparison.decision is Decision.FIRST
    assert seen.comparison.looks == len(met) < SOURCES and seen.comparison.difference == 1.0
    # The rest was never asked for, and nothing asks for it now.
    assert len(two.house.models.asked) == 4 * len(met)
    assert await publish_unrequested(store, two.house.announcer) == 0
    back = await compared(store, two.second.run_id, two.first.run_id)
    assert back.comparison.decision is Decision.SECOND and back.comparison.difference == -1.0


async def test_a_comparison_says_what_its_runs_stand_still_for(two, store):
    assert (await two.advance())[0].halted == ""
    await store.set_halted(two.second.run_id, "the money budget is spent")
    assert (await two.advance())[0].halted == "the money budget is spent"


async def test_a_comparison_ends_when_the_money_is_spent(two):
    # Each answer costs a thousandth: two repositories of four answers are paid for, and the rest begins a third.
    for _ in range(3):
        assert (await two.advance(budget_usd=0.0085))[1] is Step.ASKING
        # What was begun is judged to its end, however little is left.
        assert (await two.advance(budget_usd=0.0001))[1] is Step.ASKING
        await two.judge()
    seen, step, asked = await two.advance(budget_usd=0.0085)
    assert (step, asked) == (Step.MONEY_SPENT, 0) and seen.cost_usd == pytest.approx(0.012)
    assert seen.comparison.decision is Decision.OPEN and seen.comparison.looks == 3
    assert (await two.advance(budget_usd=0.02))[1] is Step.ASKING


@pytest.mark.parametrize("budget", [-5.0, -1e-9, math.nan, math.inf])
async def test_a_budget_that_is_no_amount_asks_for_nothing(two, budget):
    with pytest.raises(BadSpecificationError, match="bounds nothing"):
        await two.advance(budget_usd=budget)
    assert two.house.announcer.requests == []


async def test_equal_runs_see_every_repository(two):
    for _ in range(SOURCES):
        assert (await two.advance())[1] is Step.ASKING
        await two.judge(two.first.run_id, two.second.run_id)
    seen, step, _ = await two.advance()
    assert step is Step.ALL_SEEN and seen.comparison.decision is Decision.OPEN
    assert (seen.comparison.looks, seen.comparison.tasks, seen.comparison.difference) == (SOURCES, 2 * SOURCES, 0.0)


async def test_what_was_noted_and_never_asked_for_is_asked_for_again(two):
    await two.advance()
    two.house.announcer.requests.clear()
    assert (await two.advance())[2] == 0
    assert (await two.advance(again=True))[2] == 4 and len(two.house.announcer.requests) == 4


async def test_retracted_tasks_count_for_neither_and_answers_lost_to_faults_against_whoever_would_gain(two, store):
    await two.advance()
    requests = list(two.house.announcer.requests)
    await two.judge(two.first.run_id)
    lost, gone = sorted({task_id for _, task_id in requests})
    await retract_task(store, gone, "wrong")
    place = (two.first.run_id, lost, 0)
    store.attempts[place] = replace(store.attempts[place], verdict=Verdict(Outcome.INFRASTRUCTURE))
    seen = await compared(store, two.first.run_id, two.second.run_id)
    found = seen.comparison
    assert (found.looks, found.tasks, found.lost, found.difference) == (1, 1, 1, 0.0) and seen.following
    # The second failed the task.
    assert (found.least, found.most) == (0.0, 1.0)


async def test_a_run_that_loses_what_it_would_fail_is_not_called_better(two, store):
    while (await two.advance())[1] is Step.ASKING:
        await two.judge(two.second.run_id)
        # Of one task of each repository the first run gives nothing; it fails, or passes, as the second does.
        for place, attempt in store.attempts.items():
            if attempt.verdict and place[0] == two.first.run_id:
                hard = int(attempt.task.entry_point[1:]) % 2
                outcome = Outcome.INFRASTRUCTURE if hard else Outcome.PASSED
                store.attempts[place] = replace(attempt, verdict=Verdict(outcome))
            elif attempt.verdict:
                hard = int(attempt.task.entry_point[1:]) % 2
                store.attempts[place] = replace(attempt, verdict=Verdict((Outcome.WRONG_OUTPUT, Outcome.PASSED)[hard]))
    for sides, turned in (((two.first, two.second), 1), ((two.second, two.first), -1)):
        seen = await compared(store, *(run.run_id for run in sides))
        found = seen.comparison
        assert (found.decision, found.looks, found.lost) == (Decision.OPEN, SOURCES, SOURCES)
        assert (found.difference, sorted((turned * found.least, turned * found.most))) == (turned, [0.0, 0.5])


async def test_of_several_answers_to_a_task_those_that_were_lost_are_open(two, store):
    made = two.house
    runs = [await made.start(samples=4, temperature=t, held=True) for t in (0.5, 0.6)]
    outcomes = [[Outcome.PASSED, Outcome.INFRASTRUCTURE, Outcome.WRONG_OUTPUT, Outcome.PASSED], [Outcome.PASSED] * 4]
    for run, given in zip(runs, outcomes, strict=True):
        for place, attempt in store.attempts.items():
            if place[0] == run.run_id:
                store.attempts[place] = replace(attempt, verdict=Verdict(given[attempt.sample]))
    found = (await compared(store, *(run.run_id for run in runs))).comparison
    assert (found.tasks, found.lost) == (found.looks * 2, found.tasks)
    assert (found.least, found.most) == (-0.5, -0.25)


async def test_nothing_is_looked_at_before_every_task_of_the_set_has_come(two, store):
    while (await two.advance())[1] is Step.ASKING:
        await two.judge(two.first.run_id)
    ids = sorted({attempt.task.task_id for attempt in two.second.attempts})
    whole = await compared(store, two.first.run_id, two.second.run_id)
    assert whole.comparison.decision is Decision.FIRST and whole.absent == 0
    # One request of one run was not met yet; then the whole task was not, and no list of the set.
    lost = store.attempts.pop((two.second.run_id, ids[0], 0))
    for _ in range(2):
        seen = await compared(store, two.first.run_id, two.second.run_id)
        assert (seen.absent, seen.comparison.looks, seen.comparison.decision) == (1, 0, Decision.OPEN)
        with pytest.raises(TaskNotYetKnownError, match="1 tasks of the runs have not come"):
            await two.advance()
        store.attempts.pop((two.first.run_id, ids[0], 0), None)
        store.sets.clear()
    store.sets[two.first.spec.tasks.digest] = ids
    # One that was taken back before it came counts for neither.
    await retract_task(store, ids[0], "wrong")
    seen = await compared(store, two.first.run_id, two.second.run_id)
    assert seen.absent == 0 and seen.comparison.looks > 0 and lost.task.task_id == ids[0]


async def test_only_two_runs_of_one_kind_are_compared(two, store):
    sampled = await two.house.start(samples=2, temperature=0.5, held=True)
    other = await two.house.start(limit=3, held=True)
    go = await two.house.start(language="go", held=True)
    # Every task can be asked in this track, so that the set is the very same.
    for attempt in two.first.attempts:
        two.house.exercises.given["repair", attempt.task.task_id] = Exercise("repair", "def f(x):\n    return 1\n")
    repair = await two.house.start(track="repair", held=True)
    assert repair.spec.tasks == two.first.spec.tasks
    first = two.first.run_id
    for second, words in (
        (first, "itself"),
        (sampled.run_id, "sampled"),
        (other.run_id, "sets"),
        (go.run_id, "lang"),
        (repair.run_id, "tracks"),
    ):
        with pytest.raises(BadSpecificationError, match=words):
            await compared(store, first, second)
    await two.house.start(strategy="cocost")
    two.house.announcer.requests.clear()
    with pytest.raises(BadSpecificationError, match="asks for all its tasks by itself"):
        await two.advance(again=True)
    assert two.house.announcer.requests == []
