"""What each request of a run carries is bounded where a run is begun, and where a request is read."""

from dataclasses import replace

import pytest

from evaluator.adapters.announcer import changed_of, request_of
from evaluator.domain.lives import Change, RunChange
from evaluator.domain.specification import MOST_SPECIFIED
from evaluator.errors import BadSpecificationError
from evaluator.handlers import run_of, spec_of
from evaluator.usecases.runs import MOST_REASON, withdraw_run

LONG = "a" * MOST_SPECIFIED


async def test_no_run_begins_whose_requests_would_each_be_huge(house, store, announcer):
    made = house()
    await made.tasks(1, 2)
    with pytest.raises(BadSpecificationError, match="go with each question") as refused:
        await made.start(model=f"m@http://localhost:1/{LONG}")
    assert len(str(refused.value)) < 1_000
    assert not announcer.requests
    assert (await made.start(model="m@http://localhost:1/v1")).attempts


@pytest.mark.parametrize("where", ["model", "endpoint", "prompts", "variant", "answers", "bounds", "tasks"])
def test_a_huge_request_is_refused_whatever_is_long_in_it(run, models, where):
    made = run()
    value = {
        "bounds": tuple((f"b{number}", number) for number in range(MOST_SPECIFIED)),
        "tasks": replace(made.spec.tasks, name=LONG),
    }.get(where, LONG)
    huge = replace(made, spec=replace(made.spec, **{where: value}))
    with pytest.raises(BadSpecificationError):
        run_of(request_of(huge, "t1"), models())
    with pytest.raises(BadSpecificationError):
        spec_of(changed_of(RunChange("r", 1, Change.PAUSED), huge).spec)


def test_a_huge_request_without_a_specification_is_refused(run, models):
    event = request_of(run(), "t1").model_copy(update={"spec": None, "strategy": LONG})
    with pytest.raises(BadSpecificationError):
        run_of(event, models())


async def test_a_reason_for_a_withdrawal_is_bounded(house, store, announcer):
    made = house()
    await made.tasks(1)
    run = await made.start()
    with pytest.raises(BadSpecificationError, match="at most"):
        await withdraw_run(store, announcer, run.run_id, "b" * (MOST_REASON + 1))
    assert not (await store.load_run(run.run_id)).withdrawn
    assert (await withdraw_run(store, announcer, run.run_id, "b" * MOST_REASON)).withdrawn
