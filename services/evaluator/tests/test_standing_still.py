"""A run stands still only while something is asked for it: who was cancelled, paused or judged meanwhile does not."""

from __future__ import annotations

import pytest

from evaluator.domain.outcomes import Outcome
from evaluator.domain.tasks import Solution, Verdict
from evaluator.usecases.ending import cancel_run
from evaluator.usecases.runs import pause_run, resume_run, solve_task
from evaluator.usecases.tasks import retract_task
from touchstone_runtime.errors import SuspendedError


class Away:
    """An endpoint that cannot be reached; at the second try something happens while it waits for its time-out."""

    prompts, parts, bounds = (), (), {}

    def __init__(self, meanwhile):
        self.tries, self.meanwhile = 0, meanwhile

    def variant(self, text):
        return text

    async def solve(self, run, task, sample=0):
        self.tries += 1
        if self.tries == 2:
            await self.meanwhile()
        raise SuspendedError("the endpoint cannot be reached")


@pytest.mark.parametrize("what", ["cancelled", "paused", "retracted", "judged", "deleted", "nothing"])
async def test_what_ends_while_its_endpoint_is_tried_stands_still_no_more(store, lists, announcer, task, run, what):
    await store.save_task(task())
    one, place = run(), (task().task_id, 0)
    await store.save_run(one, [place[0]])
    await resume_run(store, announcer, one)

    async def meanwhile():
        known = await store.load_run(one.run_id)
        match what:
            case "cancelled":
                await cancel_run(store, announcer, known)
            case "paused":
                await pause_run(store, announcer, known)
            case "retracted":
                await retract_task(store, place[0], "a wrong case")
            case "judged":
                # Another process was faster.
                solved = await store.save_solution(one.run_id, place[0], Solution("s", "code", None))
                verdict = Verdict(Outcome.PASSED, 1, 1)
                await store.save_verdict(one.run_id, place[0], solved.solution_id, verdict)
            case "deleted":
                await store.forget_run(one.run_id)
            case _:
                pass

    away = Away(meanwhile)
    for _ in range(2):
        with pytest.raises(SuspendedError):
            await solve_task(store, announcer, {"direct": away}, lists, one, place[0])
    for _ in range(2 * (what != "nothing")):
        await solve_task(store, announcer, {"direct": away}, lists, one, place[0])
    assert away.tries == 2
    halted = [each.halted for each in await store.halted_runs()]
    assert halted == (["the endpoint cannot be reached"] if what == "nothing" else [])


async def test_what_is_noted_of_an_answer_that_waits_for_nothing_is_not_noted(store, announcer, task, run):
    for number in (1, 2):
        await store.save_task(task(number))
    one, places = run(), [(task(number).task_id, 0) for number in (1, 2)]
    await store.save_run(one, [place[0] for place in places])
    await store.set_halted(one.run_id, "away", places[0])
    assert [each.halted for each in await store.halted_runs()] == ["away"], "asked for, be it not confirmed yet"
    await store.set_paused(one.run_id, paused=True)
    await store.set_halted(one.run_id, "")
    await store.mark_requested(one.run_id, places[1:], by_name=True)
    await store.set_halted(one.run_id, "away", places[0])
    assert await store.halted_runs() == []
    await store.set_halted(one.run_id, "away", places[1])
    assert [each.halted for each in await store.halted_runs()] == ["away"], "a pause does not hold what is named"
