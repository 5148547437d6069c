"""Answers whose questions are in a batch: put away, asked for again when it is back, given up with their run."""

from __future__ import annotations

from evaluator.usecases.ending import cancel_run
from evaluator.usecases.runs import delete_run, get_run, solve_task
from touchstone_runtime.errors import PendingError

GOOD = "```python\ndef f1(x: int) -> int:\n    return x + 1\n```"


def waits(key):
    return PendingError("batch b waits", key=key)


async def begun(house, parked, announcer, *keys):
    """A run of which an answer waits for each key; its requests so far are forgotten."""
    made = house()
    await made.tasks(*range(1, len(keys) + 1))
    run = await made.start()
    for attempt, key in zip(run.attempts, keys, strict=True):
        made.models.answers["solve_v1"] = waits(key)
        found = await answered(made, parked, run, attempt.task.task_id)
        assert found.solution is None
    announcer.requests.clear()
    return made, run


async def answered(made, parked, run, task_id):
    strategies, lists = made.strategies, None
    return await solve_task(made.store, made.announcer, strategies, lists, run, task_id, parked=parked)


async def test_an_answer_whose_question_waits_is_put_away_and_holds_up_nothing(
    house, parked, parking, announcer, batches
):
    _, run = await begun(house, parked, announcer, "k1", "k2")
    assert sorted(key for _, _, key in await parked.parked()) == ["k1", "k2"]
    halted = (await get_run(parking.store, run.run_id)).halted
    assert not halted and announcer.solutions == []
    batches.open = {"k1", "k2"}
    assert await parking.wake() == 0 and announcer.requests == []


async def test_what_is_back_is_asked_for_again_and_finds_its_answer(house, parked, parking, announcer, batches):
    made, run = await begun(house, parked, announcer, "k1", "k2")
    first, second = (attempt.task.task_id for attempt in run.attempts)
    batches.open = {"k2"}
    assert await parking.wake() == 1
    assert announcer.requests == [(run.run_id, first)]
    assert [(place[0], key) for _, place, key in await parked.parked()] == [(second, "k2")]
    made.models.answers["solve_v1"] = GOOD
    assert (await answered(made, parked, run, first)).solution is not None
    assert await parking.wake() == 0


async def test_an_answer_may_wait_again_with_its_next_question(house, parked, parking, announcer, batches):
    made, run = await begun(house, parked, announcer, "k1")
    assert await parking.wake() == 1
    made.models.answers["solve_v1"] = waits("k9")
    await answered(made, parked, run, run.attempts[0].task.task_id)
    assert [key for _, _, key in await parked.parked()] == ["k9"]


async def test_a_cancelled_run_gives_up_what_no_other_waits_for(house, parked, parking, announcer, batches):
    _, run = await begun(house, parked, announcer, "k1", "k2")
    await parked.park("another", ("t", 0), "k2")
    await cancel_run(parking.store, announcer, await get_run(parking.store, run.run_id))
    await parking.give_up(run.run_id)
    assert batches.given_up == {"k1"}


async def test_a_deleted_run_asks_for_nothing(house, parked, parking, announcer, batches):
    _, run = await begun(house, parked, announcer, "k1")
    await delete_run(parking.store, announcer, run.run_id)
    await parking.wake()
    assert announcer.requests == [] and await parked.parked() == []
