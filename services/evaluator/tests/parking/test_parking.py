"""Answers whose questions are in a batch: put away, asked for again when it is back, given up with their run."""

from __future__ import annotations

import pytest

from evaluator.usecases.ending import cancel_run
from evaluator.usecases.parking import MOST_WOKEN, Parking
from evaluator.usecases.runs import delete_run, get_run, solve_task
from touchstone_runtime.errors import PendingError, RetryableError

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


async def test_the_next_question_of_an_answer_is_not_forgotten_that_is_asked_while_others_are_woken(
    store, run, task, parked, batches
):
    await store.save_task(task())
    await store.save_run(run(), [task().task_id])
    run_id = run().run_id

    class AtOnce:
        """Whoever answers is quick: it puts an answer away with its next question before the last of them is asked."""

        def __init__(self):
            self.asked = []

        async def request_solutions(self, run, places):
            self.asked.extend(places)
            for task_id, sample in places[:3]:
                await parked.park(run.run_id, (task_id, sample), f"next of {task_id}")

    for number in range(MOST_WOKEN + 5):
        await parked.park(run_id, (f"t{number:05}", 0), "first")
    announcer = AtOnce()
    parking = Parking(store, announcer, parked, batches)
    assert await parking.wake() == MOST_WOKEN + 5 == len(announcer.asked)
    waiting = await parked.parked()
    # Of each portion: what is published is noted before more is.
    assert len(waiting) == 6 and {key for _, _, key in waiting} == {f"next of {place[0]}" for _, place, _ in waiting}
    announcer.asked.clear()
    batches.open = {key for _, _, key in waiting[1:]}
    assert await parking.wake() == 1 and announcer.asked == [waiting[0][1]]


async def test_what_a_broker_did_not_take_is_asked_again_and_nothing_else(store, run, task, parked, batches):
    await store.save_task(task())
    await store.save_run(run(), [task().task_id])

    class Away:
        asked = 0

        async def request_solutions(self, run, places):
            if self.asked:
                raise RetryableError("the broker is away")
            self.asked += len(places)

    for number in range(2 * MOST_WOKEN):
        await parked.park(run().run_id, (f"t{number:05}", 0), "first")
    with pytest.raises(RetryableError):
        await Parking(store, Away(), parked, batches).wake()
    assert len(await parked.parked()) == MOST_WOKEN


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
