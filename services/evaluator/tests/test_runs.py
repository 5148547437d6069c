from __future__ import annotations

import pytest

from evaluator.domain.outcomes import Outcome
from evaluator.domain.tasks import State, Verdict
from evaluator.errors import (
    NoTasksError,
    TaskNotYetKnownError,
    UnknownRunError,
    UnknownStrategyError,
    UnknownTaskError,
)
from evaluator.usecases.runs import (
    get_leaderboard,
    get_run,
    publish_unrequested,
    record_verdict,
    solve_task,
    start_run,
)
from evaluator.usecases.strategies import Direct
from evaluator.usecases.tasks import learn_task, retract_task
from touchstone_runtime.llm import EndpointUnavailableError, UnknownModelError

GOOD = "```python\ndef f1(x: int) -> int:\n    return x + 1\n```"


@pytest.fixture
def house(store, announcer, models, task):
    """The evaluator on fakes, with three tasks."""

    class House:
        def __init__(self, answer: object = GOOD) -> None:
            self.store, self.announcer = store, announcer
            self.models = models(solve_v1=answer)
            self.strategies = {
                "direct": Direct(self.models, max_tokens=64),
                "cocost": Direct(self.models, max_tokens=9),
            }

        async def tasks(self, *numbers: int, **changes: object) -> None:
            for number in numbers:
                await learn_task(store, task(number, **changes))

        async def start(self, **options):
            return await start_run(store, announcer, self.models, self.strategies, **options)

        async def solve(self, run, task_id):
            return await solve_task(store, announcer, self.strategies, run, task_id)

    return House


async def test_a_run_asks_for_every_task_once(house, announcer, store):
    made = house()
    await made.tasks(1, 2, 3)
    run, count = await made.start()
    assert count == 3
    assert [task_id[:4] for _, task_id in announcer.requests] == ["0001", "0002", "0003"]
    assert await store.unrequested() == []
    assert (run.model, run.endpoint, run.strategy, run.language) == ("small", "small", "direct", "python")


async def test_starting_again_resumes_the_same_run_with_what_is_unfinished(house, announcer, store):
    made = house()
    await made.tasks(1, 2)
    run, _ = await made.start()
    attempt = await made.solve(run, run.attempts[0].task.task_id)
    await record_verdict(store, run.run_id, attempt.task.task_id, attempt.solution.solution_id, Verdict(Outcome.PASSED))
    await made.tasks(3)
    announcer.requests.clear()
    again, count = await made.start()
    assert again.run_id == run.run_id
    assert count == 3
    assert [task_id[:4] for _, task_id in announcer.requests] == ["0002", "0003"]


async def test_what_differs_is_another_run(house):
    made = house()
    await made.tasks(1)
    ids = [
        (await made.start(**options))[0].run_id
        for options in (
            {},
            {"strategy": "cocost"},
            {"strategy": "cocost:no-search"},
            {"strategy": "cocost", "left_out": "no-search"},
            {"language": "go"},
            {"model": "small@http://127.0.0.1:9/v1"},
            {"model": "other@http://127.0.0.1:9/v1"},
        )
    ]
    # The same parts left out, by name or by setting, and the same model at another local port, are the same run.
    assert ids[2] == ids[3]
    assert ids[0] == ids[5]
    assert len(set(ids)) == 5


async def test_tasks_are_chosen_by_beginnings_of_ids_and_limited_oldest_first(house, announcer):
    made = house()
    await made.tasks(1, 2, 3)
    _, count = await made.start(task_ids=["0003", "0001"])
    assert count == 2
    announcer.requests.clear()
    _, count = await made.start(model="m@http://127.0.0.1:1/v1", limit=2)
    assert [task_id[:4] for _, task_id in announcer.requests] == ["0001", "0002"]


async def test_a_limit_counts_the_tasks_that_the_run_has_already(house, announcer):
    made = house()
    await made.tasks(2, 3)
    await made.start(limit=2)
    announcer.requests.clear()
    # An older task arrives: asking again with the same limit asks for nothing new.
    await made.tasks(1)
    saved, count = await made.start(limit=2)
    assert count == 2
    assert {attempt.task.task_id[:4] for attempt in saved.attempts} == {"0002", "0003"}
    saved, _ = await made.start(limit=3)
    assert {attempt.task.task_id[:4] for attempt in saved.attempts} == {"0001", "0002", "0003"}


async def test_other_languages_take_self_contained_tasks_only(house):
    made = house()
    await made.tasks(1)
    await made.tasks(2, kind="WSC")
    await made.tasks(3, signatures={"python": "def f3(x):"})
    assert (await made.start(language="go"))[1] == 1
    assert (await made.start())[1] == 3


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"model": "huge"}, UnknownModelError, "known are: small"),
        ({"strategy": "magic"}, UnknownStrategyError, "known are: cocost, direct"),
        ({"strategy": "direct:no-search"}, UnknownStrategyError, "known are"),
        ({"strategy": "cocost:no-luck"}, UnknownStrategyError, "no-search"),
        ({"language": "cobol"}, UnknownStrategyError, "cobol"),
        ({"task_ids": ["ffff"]}, UnknownTaskError, "touchstone tasks list"),
        ({"task_ids": [""]}, UnknownTaskError, "no standing task"),
        ({"task_ids": ["000"]}, UnknownTaskError, "2 tasks have ids"),
    ],
)
async def test_a_wrong_request_is_refused_with_the_way_out(house, options, error, words):
    made = house()
    await made.tasks(1, 2)
    with pytest.raises(error, match=words):
        await made.start(**options)


async def test_without_tasks_there_is_no_run(house):
    with pytest.raises(NoTasksError, match="touchstone run"):
        await house().start()


async def test_a_solution_is_stored_then_announced(house, announcer, store):
    made = house()
    await made.tasks(1, prelude="import math")
    run, _ = await made.start()
    (task_id,) = [attempt.task.task_id for attempt in run.attempts]
    attempt = await made.solve(run, task_id)
    assert attempt.state is State.GENERATED
    assert attempt.solution.code.startswith("import math\n")
    assert announcer.solutions == [attempt.solution]
    assert (await store.find_attempt(run.run_id, task_id)).solution == attempt.solution


async def test_a_replay_asks_nobody_and_announces_the_same(house, announcer):
    made = house()
    await made.tasks(1)
    run, _ = await made.start()
    first = await made.solve(run, run.attempts[0].task.task_id)
    again = await made.solve(run, run.attempts[0].task.task_id)
    assert again.solution == first.solution
    assert len(made.models.asked) == 1
    assert announcer.solutions == [first.solution, first.solution]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("I cannot.", Outcome.NO_CODE),
        ("```python\ndef g():\n    return 1\n```", Outcome.NO_ENTRY_POINT),
    ],
)
async def test_an_answer_without_the_program_is_judged_without_a_sandbox(house, announcer, store, answer, outcome):
    made = house(answer)
    await made.tasks(1)
    run, _ = await made.start()
    attempt = await made.solve(run, run.attempts[0].task.task_id)
    assert attempt.verdict.outcome is outcome
    assert announcer.solutions == []
    (row,) = await get_leaderboard(store)
    assert (row.failures, row.pending) == (((outcome, 1),), 0)


async def test_a_halted_run_says_why_and_goes_on(house, store):
    down = EndpointUnavailableError("the endpoint is down", way_out="start it")
    made = house([down, GOOD])
    await made.tasks(1)
    run, _ = await made.start()
    with pytest.raises(EndpointUnavailableError):
        await made.solve(run, run.attempts[0].task.task_id)
    assert "the endpoint is down (start it)" in (await get_run(store, run.run_id)).halted
    await made.solve(run, run.attempts[0].task.task_id)
    assert (await get_run(store, run.run_id)).halted == ""


async def test_a_request_for_an_unknown_task_is_tried_again(house, run):
    with pytest.raises(TaskNotYetKnownError):
        await house().solve(run(), "nobody")


async def test_a_request_of_another_producer_makes_its_run(house, run, store):
    made = house()
    await made.tasks(1)
    attempt = await made.solve(run(), "0001" * 8)
    assert attempt.solution is not None
    assert (await get_run(store, run().run_id)).attempts[0].solution == attempt.solution


async def test_a_retracted_task_is_neither_asked_nor_solved_nor_counted(house, announcer, store):
    made = house()
    await made.tasks(1, 2)
    run, _ = await made.start()
    first, second = (attempt.task.task_id for attempt in run.attempts)
    await retract_task(store, first, "its oracle was wrong")
    attempt = await made.solve(run, first)
    assert (attempt.solution, attempt.retracted) == (None, "its oracle was wrong")
    announcer.requests.clear()
    _, count = await made.start()
    assert (count, announcer.requests) == (1, [(run.run_id, second)])
    (row,) = await get_leaderboard(store)
    assert (row.pending, row.retracted) == (1, 1)


async def test_a_retraction_may_overtake_its_task(house, store):
    made = house()
    await retract_task(store, "0001" * 8, "")
    await made.tasks(1)
    with pytest.raises(NoTasksError):
        await made.start()


async def test_the_first_verdict_stays_and_strangers_are_ignored(house, store):
    made = house()
    await made.tasks(1)
    run, _ = await made.start()
    attempt = await made.solve(run, run.attempts[0].task.task_id)
    place = (run.run_id, attempt.task.task_id)
    assert not await record_verdict(store, *place, "stranger", Verdict(Outcome.PASSED))
    assert await record_verdict(store, *place, attempt.solution.solution_id, Verdict(Outcome.WRONG_OUTPUT, 50, 3))
    assert await record_verdict(store, *place, attempt.solution.solution_id, Verdict(Outcome.PASSED, 50, 50))
    assert (await store.find_attempt(*place)).verdict.outcome is Outcome.WRONG_OUTPUT


async def test_requests_that_a_crash_left_unpublished_are_published(house, announcer, store):
    made = house()
    await made.tasks(1, 2)
    await made.start()
    announcer.requests.clear()
    store.requested.clear()
    assert await publish_unrequested(store, announcer) == 2
    assert len(announcer.requests) == 2
    assert await publish_unrequested(store, announcer) == 0


async def test_runs_are_found_by_the_beginning_of_their_id(house, store):
    made = house()
    await made.tasks(1)
    run, _ = await made.start()
    assert (await get_run(store, run.run_id[:6])).run_id == run.run_id
    for wrong in ("", "zzz"):
        with pytest.raises(UnknownRunError):
            await get_run(store, wrong)
