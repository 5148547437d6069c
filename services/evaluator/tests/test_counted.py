"""What operators are shown of runs is what happened, however often its message comes and looks again."""

from __future__ import annotations

import pytest
from prometheus_client import REGISTRY

from evaluator.handlers import on_solution_requested
from evaluator.usecases.direct import Direct
from touchstone_contracts.events import ModelSpec, SolutionRequested
from touchstone_runtime.errors import SuspendedError

GOOD = "```python\ndef f(x):\n    return x\n```"


class Waits:
    """A strategy whose endpoint comes and goes."""

    def __init__(self, own):
        self.own, self.away = own, False
        self.prompts, self.parts, self.bounds, self.variant = own.prompts, own.parts, own.bounds, own.variant

    async def solve(self, run, task, sample=0):
        if self.away:
            raise SuspendedError("the money budget is spent")
        return await self.own.solve(run, task, sample)


def counted():
    made = [{"strategy": "direct", "runnable": runnable} for runnable in ("true", "false")]
    name = "touchstone_evaluator_solutions_generated_total"
    solutions = sum(REGISTRY.get_sample_value(name, labels) or 0 for labels in made)
    halts = REGISTRY.get_sample_value("touchstone_evaluator_halts_total", {"fault": "SuspendedError"})
    return solutions, halts or 0


@pytest.fixture
def request_of(store, announcer, models, exercises, lists, task):
    """Hands on the request for one answer of one run; `.strategy.away` makes it wait."""
    answering = models(solve_v1=GOOD)
    strategy = Waits(Direct(answering, exercises, max_tokens=64))
    handle = on_solution_requested(store, announcer, answering, {"direct": strategy}, lists)

    async def hand_on(number=1):
        await store.save_task(task(number))
        event = SolutionRequested(
            run_id="r" * 64, task_id=task(number).task_id, model=ModelSpec(name="small"), strategy="direct"
        )
        await handle(event)

    hand_on.strategy = strategy
    return hand_on


async def test_a_solution_counts_once_however_often_it_is_asked_for(request_of):
    before = counted()
    for _ in range(3):
        await request_of()
    assert counted() == (before[0] + 1, before[1])


async def test_a_run_that_stands_still_counts_once_each_time_and_not_with_each_look(request_of):
    before = counted()
    for times in (1, 2):
        request_of.strategy.away = True
        for number in (1, 2, 1, 2, 1):
            with pytest.raises(SuspendedError):
                await request_of(10 * times + number)
        assert counted()[1] == before[1] + times
        request_of.strategy.away = False
        await request_of(10 * times + 1)
    assert counted() == (before[0] + 2, before[1] + 2)
