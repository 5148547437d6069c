"""Which mutants wrong answers resemble: one suite for the fake of the unit tests and for the real tables."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlalchemy as sa

from evaluator.adapters.resemblances import SqlResemblances
from evaluator.adapters.store import SqlStore
from evaluator.app import MIGRATIONS
from evaluator.domain.outcomes import Outcome
from evaluator.domain.resemblance import Resemblance, WrongAnswer
from evaluator.domain.tasks import Effort, Solution, Verdict
from touchstone_runtime.database import Database

NEAR = (Resemblance(3, "a < b → 'ü\ud800'", 1, 1, 1, 50, 50),)
STORED = (replace(NEAR[0], change="a < b → 'ü�'"),)
WRONG = Verdict(Outcome.WRONG_OUTPUT, 50, 49, "expected 1", ((3, "wrong_output", "expected 1"),))


@pytest.fixture(scope="module")
def fakes(load_module):
    return load_module("services/evaluator/tests/conftest.py")


@pytest.fixture(scope="module")
def resembling(load_module):
    return load_module("services/evaluator/tests/resembling/conftest.py")


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def stores(request, fakes, resembling):
    """The evaluator's memory, and what is compared from it."""
    if request.param == "memory":
        store = fakes.MemoryStore()
        yield store, resembling.MemoryResemblances(store)
        return
    database = Database(request.getfixturevalue("postgres"), "evaluator", MIGRATIONS)
    try:
        await database.migrate()
        async with database.session() as session:
            await session.execute(
                sa.text(
                    "TRUNCATE attempts, verdicts, resemblances, runs, run_changes, forgotten_runs, tasks, retractions"
                )
            )
        yield SqlStore(database.session), SqlResemblances(database.session)
    finally:
        await database.close()


async def answered(store, fakes, number, verdict=WRONG, **changes):
    """An answer in a run of its own; gives where it stands."""
    task, run = fakes.make_task(number), fakes.make_run(run_id=f"{number}" * 32)
    await store.save_task(task)
    await store.save_run(run, [task.task_id])
    await store.save_solution(run.run_id, task.task_id, replace(Solution("s", "code", Effort()), **changes))
    if verdict is not None:
        await store.save_verdict(run.run_id, task.task_id, "s", verdict)
    return run.run_id, task.task_id, 0


async def test_only_answers_that_fail_cases_of_their_own_suite_wait(stores, fakes):
    store, resemblances = stores
    first, second = await answered(store, fakes, 1), await answered(store, fakes, 2)
    await answered(store, fakes, 3, Verdict(Outcome.PASSED, 50, 50))
    await answered(store, fakes, 4, suite_digest="d" * 64)
    await answered(store, fakes, 5, Verdict(Outcome.NO_CODE, 50, 0))
    await answered(store, fakes, 6, replace(WRONG, outcome=Outcome.INFRASTRUCTURE))
    await answered(store, fakes, 7, None)
    retracted = await answered(store, fakes, 8)
    await store.retract_task(retracted[1], "wrong")
    assert await resemblances.waiting(9) == [first[1], second[1]]
    assert await resemblances.waiting(1) == [first[1]]
    assert await resemblances.uncompared(first[1]) == [WrongAnswer(first, "s", WRONG)]
    assert await resemblances.uncompared(retracted[1]) == []


async def test_what_is_found_is_kept_for_the_judging_that_it_was_found_for(stores, fakes):
    store, resemblances = stores
    place, other = await answered(store, fakes, 1), await answered(store, fakes, 2)
    compared = [(WrongAnswer(place, "s", WRONG), STORED), (WrongAnswer(other, "s", WRONG), ())]
    for found in (compared, [(compared[0][0], ())]):
        await resemblances.save(found)
    await resemblances.save([])
    assert await resemblances.waiting(9) == []
    assert await resemblances.found(place[0]) == await resemblances.found(task_id=place[1]) == {place: STORED}
    assert await resemblances.found(other[0]) == {} and await resemblances.found() == {place: STORED}
    again = replace(WRONG, judging=1, note="mended")
    await store.save_verdict(place[0], place[1], "s", again)
    assert await resemblances.found() == {} and await resemblances.waiting(9) == [place[1]]
    await resemblances.save([(WrongAnswer(place, "s", again), STORED)])
    assert await resemblances.found() == {place: STORED}
    await store.forget_run(place[0])
    assert await resemblances.found() == {}


async def test_whatever_stands_in_a_program_can_be_stored(stores, fakes):
    store, resemblances = stores
    place = await answered(store, fakes, 1)
    await resemblances.save([(WrongAnswer(place, "s", WRONG), NEAR)])
    ((found,),) = (await resemblances.found(place[0])).values()
    assert found.change.startswith("a < b → 'ü") and found.shared == 1
