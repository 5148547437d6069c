"""What holds of a run after its changes, in whichever order they are met."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest
from aiokafka.errors import KafkaConnectionError
from hypothesis import given
from hypothesis import strategies as st

from evaluator.domain.lives import MOST_TOUCHED, Change, Life, RunChange, Touched, life_of, numbered
from evaluator.rpc import EvaluatorServicer
from evaluator.usecases.lives import publish_changes
from evaluator.usecases.runs import get_run, pause_run, resume_run, withdraw_run
from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone.evaluator.v1 import evaluator_pb2_grpc as rpc
from touchstone_runtime.dialling import dial
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.faults import DependencyAwayError
from touchstone_runtime.grpc_server import GrpcServer

ANSWERS = st.lists(st.builds(Touched, st.sampled_from("abc"), st.integers(0, 1), st.booleans()), max_size=3)
CHANGES = st.lists(
    st.builds(
        RunChange, st.just("r"), st.integers(1, 6), st.sampled_from([*Change, "of a later version"]),
        st.sampled_from(["", "why", "because"]), ANSWERS.map(tuple),
    ),
    max_size=6,
    unique_by=lambda change: (change.number, change.change),
)  # fmt: skip


@given(CHANGES, st.randoms())
def test_what_holds_does_not_hang_on_the_order_nor_on_how_often_a_change_is_met(changes, random):
    shuffled = [*changes, *changes]
    random.shuffle(shuffled)
    assert life_of(shuffled) == life_of(changes)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_highest_number_holds(order):
    changes = [
        RunChange("r", 1, Change.PAUSED, answers=(Touched("a", 0),)),
        RunChange("r", 2, Change.RESUMED),
        RunChange("r", 3, Change.PAUSED, answers=(Touched("b", 0),)),
    ]
    life = life_of(changes[place] for place in order)
    assert life.paused and life.waiting == {("b", 0): 3}
    assert life.waits(("b", 0), 2) and not life.waits(("b", 0), 3) and not life.waits(("a", 0), 0)


def test_going_on_opens_what_was_ended_and_nothing_comes_back_from_a_deletion():
    ended = RunChange("r", 1, Change.CANCELLED, answers=(Touched("a", 0, answered=True), Touched("b", 1)))
    assert life_of([ended]).ended == {("a", 0): True, ("b", 1): False}
    assert life_of([ended, RunChange("r", 2, Change.RESUMED)]) == Life(changed=2)
    assert life_of([RunChange("r", 1, Change.DELETED), RunChange("r", 2, Change.RESUMED)]).deleted


def test_a_change_of_many_answers_is_told_in_portions_that_hold_together():
    answers = [Touched(f"{number}", 0) for number in range(2 * MOST_TOUCHED + 1)]
    told = numbered("r", 5, Change.PAUSED, answers=answers)
    assert [change.number for change in told] == [5, 6, 7] and {change.change for change in told} == {"paused"}
    assert set(life_of(told).waiting) == {touched[:2] for touched in answers}
    assert numbered("r", 1, Change.RESUMED) == [RunChange("r", 1, "resumed")]


async def test_a_change_that_was_kept_and_not_told_is_told_later_and_once(house, store, announcer):
    made = house()
    await made.tasks(1)
    run = await made.start()

    class Away(type(announcer)):
        async def run_changed(self, change, run):
            raise ConnectionError

    with pytest.raises(ConnectionError):
        await withdraw_run(store, Away(), run.run_id, "asked wrongly")
    # It holds already, and is not lost.
    assert (await get_run(store, run.run_id)).withdrawn == "asked wrongly" and announcer.changes == []
    assert await publish_changes(store, announcer) == 1 and await publish_changes(store, announcer) == 0
    ((told, whose),) = announcer.changes
    assert (told.change, told.number, told.reason) == ("withdrawn", 1, "asked wrongly") and whose.run_id == run.run_id


async def test_what_changes_nothing_is_no_fact(house, store, announcer):
    made = house()
    await made.tasks(1)
    run = await made.start()
    await resume_run(store, announcer, run)
    await made.start()
    await withdraw_run(store, announcer, run.run_id, "", restore=True)
    assert announcer.changes == []
    for _ in range(2):
        await pause_run(store, announcer, await get_run(store, run.run_id))
    assert [change.change for change, _ in announcer.changes] == ["paused"]
    # A request says which changes whoever asked knew.
    assert (await store.find_run(run.run_id)).changed == 1


async def test_an_answer_that_was_being_made_when_its_run_was_paused_is_kept_and_asked_for_by_name(
    house, store, announcer
):
    made = house()
    await made.tasks(1)
    run = await made.start()
    place = run.attempts[0].task.task_id

    class Pauses(type(made.strategies["direct"])):
        async def solve(self, run, task, sample=0):
            await pause_run(store, announcer, await get_run(store, run.run_id))
            return await super().solve(run, task, sample)

    made.strategies["direct"] = Pauses(made.models, made.exercises, max_tokens=64)
    announcer.requests.clear()
    assert (await made.solve(run, place)).solution is not None
    assert announcer.requests == [(run.run_id, place)] and await store.unasked(run.run_id) == set()


async def test_a_change_that_cannot_be_told_keeps_those_of_other_runs_from_nothing(house, store, announcer):
    made = house()
    await made.tasks(1)
    first, second = await made.start(), await made.start(temperature=0.8)
    told, was = [], announcer.run_changed
    await store.set_withdrawn(first.run_id, "asked wrongly")
    await store.set_withdrawn(second.run_id, "asked wrongly")
    broken = min(first.run_id, second.run_id)

    async def run_changed(change, run):
        if change.run_id == broken:
            raise PermanentError("too large", thing=change.run_id)
        told.append(change.run_id)
        await was(change, run)

    announcer.run_changed = run_changed
    with pytest.raises(PermanentError):
        await publish_changes(store, announcer)
    assert told == [max(first.run_id, second.run_id)]
    assert [change.run_id for change in await store.unpublished_changes()] == [broken]


@pytest.mark.parametrize(
    "fault", [DependencyAwayError("is not connected yet", thing="Kafka"), KafkaConnectionError("away")]
)
async def test_a_run_that_is_deleted_while_the_broker_is_away_is_gone_and_told_of_later(house, store, announcer, fault):
    made = house()
    await made.tasks(1)
    run = await made.start()
    given_up = []

    class Away:
        async def run_changed(self, _change, _run):
            raise fault

    class Parking:
        async def give_up(self, run_id):
            given_up.append(run_id)

    parts = SimpleNamespace(store=store, announcer=Away(), boards=None, parking=Parking())
    server = GrpcServer("127.0.0.1:0")
    servicer = EvaluatorServicer(parts, left_out="", report_url="", lag=None, standstill=list)
    server.add(rpc.add_EvaluatorServiceServicer_to_server, servicer, "touchstone.evaluator.v1.EvaluatorService")
    await server.start()
    try:
        # A channel sends again what the service could not do, and the run would be known to nobody then.
        async with dial(server.address) as channel:
            stub = rpc.EvaluatorServiceStub(channel)
            answer = await stub.DeleteRun(pb.DeleteRunRequest(run_id=run.run_id), timeout=120)
    finally:
        await server.stop(0)
    assert answer.run.run_id == run.run_id and given_up == [run.run_id]
    assert await store.is_forgotten(run.run_id)
    assert await publish_changes(store, announcer) == 1
    ((change, _),) = announcer.changes
    assert (change.run_id, change.change) == (run.run_id, Change.DELETED)
