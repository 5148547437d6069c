"""How many answers a run may have: each is asked for and paid for, and a run is read whole."""

from __future__ import annotations

import pytest

from evaluator.domain.specification import MOST_ANSWERS
from evaluator.domain.submitted import MAX_SAMPLES
from evaluator.errors import BadSpecificationError


@pytest.mark.parametrize("samples", [MAX_SAMPLES + 1, 20_000, 2**31 - 1])
async def test_more_answers_to_a_task_than_anybody_submits_are_asked_for_by_nobody(house, store, announcer, samples):
    made = house()
    await made.tasks(1)
    with pytest.raises(BadSpecificationError, match="1,000 answers at most") as refused:
        await made.start(samples=samples, temperature=0.8)
    assert "fewer samples" in refused.value.way_out
    assert (await store.overview()).runs == [] and announcer.requests == []


async def test_a_run_has_so_many_answers_at_most(house, store, announcer):
    made = house()
    tasks = MOST_ANSWERS // MAX_SAMPLES + 1
    await made.tasks(*range(1, tasks + 1))
    with pytest.raises(BadSpecificationError, match=f"{tasks:,} tasks with 1,000 answers each") as refused:
        await made.start(samples=MAX_SAMPLES, temperature=0.8)
    assert "--limit" in refused.value.way_out
    assert (await store.overview()).runs == [] and announcer.requests == []
    run = await made.start(samples=MAX_SAMPLES, temperature=0.8, limit=2)
    assert len(run.attempts) == 2 * MAX_SAMPLES
