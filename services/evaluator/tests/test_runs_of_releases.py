"""A run of a release is one run, whatever is taken back of the release meanwhile."""

from __future__ import annotations

import pytest

from evaluator.domain.exercises import Exercise
from evaluator.errors import NoTasksError
from evaluator.ports import Release
from evaluator.usecases.deciding import compared
from evaluator.usecases.runs import publish_unrequested


@pytest.fixture
async def made(house, task):
    """A house that knows a release of three tasks, one of them for Python alone."""
    known = house(known=(Release("three", "d" * 64, tuple(task(number).task_id for number in (1, 2, 3))),))
    await known.tasks(1, 2)
    await known.tasks(3, kind="WSC")
    return known


@pytest.mark.parametrize("options", [{}, {"language": "go"}, {"track": "repair"}, {"samples": 2, "temperature": 0.8}])
async def test_the_same_call_is_the_same_run_after_a_task_was_taken_back(made, store, announcer, task, options):
    for number in (1, 2, 3):
        made.exercises.given["repair", task(number).task_id] = Exercise("repair")
    first = await made.start(release="three", **options)
    await store.retract_task(task(2).task_id, "wrong")
    announcer.requests.clear()
    again = await made.start(release="three", **options)
    assert again.run_id == first.run_id and again.left_out == (("was taken back", 1),)
    asked = {task_id[:4] for _, task_id in announcer.requests}
    assert asked == ({"0001"} if "language" in options else {"0001", "0003"})


async def test_one_begun_afterwards_is_compared_with_one_begun_before(made, store, announcer, task):
    first = await made.start(release="three")
    await store.retract_task(task(2).task_id, "wrong")
    announcer.requests.clear()
    other = await made.start(release="three", model="other@http://127.0.0.1:9/v1")
    assert {task_id[:4] for _, task_id in announcer.requests} == {"0001", "0003"}
    assert (await compared(store, first.run_id, other.run_id)).tasks == 2
    # Of what was taken back no request was lost, either.
    announcer.requests.clear()
    assert await publish_unrequested(store, announcer) == 0 == len(announcer.requests)


async def test_a_sample_is_of_what_stands_and_of_nothing_there_is_no_run(made, store, task):
    await store.retract_task(task(2).task_id, "wrong")
    sample = await made.start(release="three", limit=1)
    assert not any(attempt.retracted for attempt in sample.attempts) and not sample.left_out
    whole = await made.start(release="three", limit=2)
    assert (whole.spec.tasks.kind, whole.spec.tasks.count) == ("release", 3)
    for number in (1, 3):
        await store.retract_task(task(number).task_id, "wrong")
    with pytest.raises(NoTasksError):
        await made.start(release="three")
