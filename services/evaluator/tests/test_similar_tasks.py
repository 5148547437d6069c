"""A run of all tasks asks one question once."""

from __future__ import annotations

from evaluator.ports import Release


def numbers(run):
    return {attempt.task.task_id[:4] for attempt in run.attempts}


async def test_of_tasks_that_are_nearly_the_same_one_is_asked_but_where_they_are_named(house, task):
    release = Release("all three", "d" * 64, tuple(task(number).task_id for number in (1, 2, 3)))
    made = house(known=(release,))
    for number, qualname in ((1, "lt"), (2, "ge"), (3, "other")):
        likeness = "x" if number < 3 else "y"
        await made.tasks(number, qualname=qualname, path="a.py", likeness=likeness)
    await made.tasks(4, qualname="gt", path="b.py", likeness="x")
    assert numbers(await made.start()) == {"0002", "0003", "0004"}
    assert numbers(await made.start(task_ids=("0001", "0002"))) == {"0001", "0002"}
    assert numbers(await made.start(release="all three")) == {"0001", "0002", "0003"}


async def test_a_function_of_which_two_versions_of_the_builder_made_tasks_is_asked_once(house):
    made = house()
    await made.tasks(1, 2, function_id="one", qualname="lt", path="a.py", likeness="x")
    await made.tasks(3, qualname="lt", path="a.py", likeness="x")
    assert numbers(await made.start()) == {"0001", "0003"}
    assert numbers(await made.start(task_ids=("0001", "0002"))) == {"0001", "0002"}
