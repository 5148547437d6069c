"""What every store of waiting pairs does, in memory and in a real PostgreSQL: one budget holds for all who pay."""

import asyncio
import random
import uuid
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from annotator.adapters.labels import SqlLabels
from annotator.adapters.tables import WAITING
from annotator.adapters.waiting import SqlWaiting
from annotator.app import MIGRATIONS
from annotator.domain.pair import Pair
from annotator.domain.pool_budget import PoolBudget, Till
from annotator.errors import CallTooLargeError, PoolBudgetSpentError
from touchstone_runtime.database import Database

NOON = datetime(2026, 11, 25, 12, tzinfo=UTC)


def pair_of(name, query="q"):
    code = f"def f(x):\n    return x + {name!r}"
    return Pair(f"p-{name}", query, "wörds \0", f"f-{name}", code, imports=("import re",), similarity=0.5)


class World:
    """A store for a budget over what was stored before, labels beside it, and the end of all leases."""

    def __init__(self, fakes, memory, database):
        self.now = NOON
        self.database = database
        self.judged = fakes.judged
        self.labels = SqlLabels(database.session) if database else fakes.MemoryLabels()
        self.memory = None if database else memory.MemoryWaiting(labels=self.labels, clock=lambda: self.now)

    def store(self, budget=PoolBudget()):  # noqa: B008  it is frozen
        if self.memory is None:
            return SqlWaiting(self.database.session, budget, lambda: self.now)
        # A store that is opened anew is a process's own.
        self.memory.budget, self.memory.till = budget, Till()
        return self.memory

    async def leases_end(self):
        if self.memory is not None:
            for row in self.memory.rows.values():
                row["until"] = None
            return
        async with self.database.session() as session:
            await session.execute(sa.update(WAITING).values(taken_until=sa.func.now() - timedelta(seconds=1)))


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def world(request, load_module):
    fakes = load_module("services/annotator/tests/conftest.py")
    memory = load_module("services/annotator/tests/memory_waiting.py")
    if request.param == "memory":
        yield World(fakes, memory, None)
        return
    database = Database(request.getfixturevalue("postgres"), f"annotator_{uuid.uuid4().hex[:8]}", MIGRATIONS)
    await database.migrate()
    yield World(fakes, memory, database)
    await database.close()


async def test_pairs_come_back_as_they_went_in_their_order_and_once(world):
    store = world.store()
    for name, worth in (("b", 1.0), ("a", 1.0), ("c", 2.0)):
        await store.enter(pair_of(name, f"q-{name}"), worth)
        await store.enter(pair_of(name, f"q-{name}"), 9.0)
    listed = await store.listed(2)
    assert [(each.pair.pair_id, each.priority, each.begun) for each in listed] == [
        ("p-c", 2.0, False), ("p-a", 1.0, False),
    ]  # fmt: skip
    taken = [await store.take() for _ in range(4)]
    assert [pair and pair.pair_id for pair in taken] == ["p-c", "p-a", "p-b", None]
    assert (taken[0].imports, taken[0].similarity, taken[0].code) == (("import re",), 0.5, pair_of("c").code)
    await store.done("p-c")
    await store.give_back("p-a")
    again = await store.take()
    assert again.pair_id == "p-a" and await store.take() is None
    state = await store.state()
    assert (state.waiting, state.begun, state.aside, state.spent.pairs) == (2, 2, 0, 3)


async def test_each_label_of_a_query_puts_its_others_back(world):
    store = world.store()
    label = await world.labels.add(world.judged("q", "def g(x): return x", 1))
    for name, worth in (("a", 1.6), ("b", 1.5)):
        await store.enter(pair_of(name, label.pair.query_id), worth)
    await store.enter(pair_of("new", "another"), 1.0)
    order = [(await store.take()).pair_id for _ in range(3)]
    assert order == ["p-new", "p-a", "p-b"]
    assert {each.pair.pair_id: each.judged for each in await store.listed(9)}["p-b"] == 2


async def test_no_more_pairs_than_the_budget_has_whoever_asks_and_those_begun_go_on(world):
    budget = PoolBudget(pairs=4, period="day")
    stores = [world.store(budget), world.store(budget)]
    for number in range(10):
        await stores[0].enter(pair_of(number, f"q{number}"), 1.0)
    taken = await asyncio.gather(*(stores[number % 2].take() for number in range(10)))
    assert len([pair for pair in taken if pair is not None]) == len({pair.pair_id for pair in taken if pair}) == 4
    state = await stores[0].state()
    assert "4 of 4 pairs a day" in state.held and state.ends == datetime(2026, 11, 26, tzinfo=UTC)
    assert (state.waiting, state.begun) == (10, 4)
    # All processes end without a word; the next ones go on with the four that were begun.
    await world.leases_end()
    again = [await world.store(budget).take() for _ in range(5)]
    assert {pair.pair_id for pair in again if pair} == {pair.pair_id for pair in taken if pair} and again[4] is None
    for pair in again[:4]:
        await stores[0].done(pair.pair_id)
    world.now += timedelta(days=1)
    assert (await world.store(budget).state()).held == ""
    assert [bool(await world.store(budget).take()) for _ in range(5)] == [True] * 4 + [False]


async def test_calls_side_by_side_never_pass_the_budget(world):
    budget = PoolBudget(tokens=100, cost_usd=1.0)
    stores = [world.store(budget), world.store(budget)]

    async def call(number):
        try:
            period = await stores[number % 2].reserve(30, 0.1)
        except PoolBudgetSpentError as error:
            return str(error)
        await stores[number % 2].settle(period, 20, 0.05)
        return ""

    told = [await call(number) for number in range(20)]
    assert told.count("") == 8 and "80 of 100 tokens are spent, the next call may take 30" in told[-1]
    spent = (await stores[0].state()).spent
    assert (spent.tokens, round(spent.cost_usd, 6)) == (80, 0.4)
    # What was reserved by a process that ended is spent: nobody knows what the endpoint has answered.
    assert await stores[1].reserve(20, 0.1) == "whole"
    assert await asyncio.gather(*(call(number) for number in range(4))) != [""] * 4
    assert "100 of 100 tokens" in (await world.store(budget).state()).held
    await stores[0].enter(pair_of(1), 1.0)
    assert await world.store(budget).take() is None
    assert await world.store(PoolBudget(tokens=200)).take() is not None, "a higher cap lets it go on"


async def test_many_who_reserve_at_once_leave_no_gap(world):
    budget = PoolBudget(tokens=100)

    async def call():
        try:
            return await world.store(budget).reserve(30, 0.0)
        except PoolBudgetSpentError:
            return ""

    assert (await asyncio.gather(*(call() for _ in range(12)))).count("whole") == 3
    assert (await world.store(budget).state()).spent.tokens == 90


async def test_a_refused_call_holds_what_waits_until_one_is_paid_or_the_period_ends(world):
    budget = PoolBudget(tokens=100, cost_usd=1.0, period="day")
    store = world.store(budget)
    await store.enter(pair_of(1, "q1"), 1.0)
    await store.enter(pair_of(2, "q2"), 1.0)
    await store.take()
    period = await store.reserve(100, 0.1)
    with pytest.raises(PoolBudgetSpentError):
        await store.reserve(30, 0.1)
    state = await store.state()
    assert (state.held, state.standing) == ("", 0), "the call in flight may leave enough"
    await store.settle(period, 20, 0.05)
    state = await store.state()
    assert state.held == "80 of 100 tokens a day are spent, the next call may take 30"
    assert (state.stopped, state.standing, state.begun) == (True, 2, 1)
    await store.settle(await store.reserve(20, 0.1), 15, 0.05)
    assert (await store.state()).standing == 0, "a smaller one goes on"
    with pytest.raises(PoolBudgetSpentError):
        await store.reserve(30, 0.1)
    assert (await store.state()).standing == 2
    world.now += timedelta(days=1)
    assert (await store.state()).standing == 0
    await store.settle(await store.reserve(1, 0.95), 0, 0.0)
    with pytest.raises(PoolBudgetSpentError):
        await store.reserve(1, 0.1)
    state = await store.state()
    assert "USD" in state.held and state.standing == 2


async def test_pairs_of_a_spent_budget_leave_those_going_that_were_begun(world):
    store = world.store(PoolBudget(pairs=1, tokens=100))
    await store.enter(pair_of(1, "q1"), 1.0)
    await store.enter(pair_of(2, "q2"), 1.0)
    await store.take()
    state = await store.state()
    assert (state.stopped, state.standing) == (False, 1)
    await store.settle(await store.reserve(100, 0.0), 0, 0.0)
    state = await store.state()
    assert (state.stopped, state.standing) == (True, 2)


@pytest.mark.parametrize(("tokens", "cost_usd"), [(101, 0.0), (1, 1.1)])
async def test_a_call_that_no_period_can_pay_is_refused_for_good(world, tokens, cost_usd):
    store = world.store(PoolBudget(tokens=100, cost_usd=1.0, period="day"))
    await store.enter(pair_of(1), 1.0)
    with pytest.raises(CallTooLargeError):
        await store.reserve(tokens, cost_usd)
    state = await store.state()
    assert (state.spent.tokens, state.standing) == (0, 0)
    assert await store.reserve(100, 1.0)


async def test_a_call_of_unknown_cost_is_held_by_a_cap_in_dollars_in_every_period(world):
    store = world.store(PoolBudget(tokens=100, cost_usd=1.0, period="day"))
    await store.enter(pair_of(1), 1.0)
    for _ in range(2):
        with pytest.raises(PoolBudgetSpentError):
            await store.reserve(10, None)
        state = await store.state()
        assert "models.toml" in state.held and (state.spent.tokens, state.standing, state.ends) == (0, 1, None)
        world.now += timedelta(days=1)
    assert (await store.state()).standing == 1
    assert await store.reserve(10, 0.1) and (await store.state()).ends is not None
    capped = world.store(PoolBudget(tokens=100, period="day"))
    await capped.settle(await capped.reserve(10, None), 0, 0.0)


async def test_each_pair_is_in_one_state(world):
    store = world.store(PoolBudget(pairs=2, tokens=100))
    for number in range(5):
        await store.enter(pair_of(number, f"q{number}"), 1.0)
    assert (await store.state()).kinds() == {"waiting": 5, "begun": 0, "held": 0, "aside": 0}
    first, second = await store.take(), await store.take()
    assert (await store.state()).kinds() == {"waiting": 0, "begun": 2, "held": 3, "aside": 0}
    await store.give_back(first.pair_id)
    await store.set_aside(second.pair_id, "broke")
    assert (await store.state()).kinds() == {"waiting": 0, "begun": 1, "held": 3, "aside": 1}
    await store.settle(await store.reserve(100, 0.0), 0, 0.0)
    assert (await store.state()).kinds() == {"waiting": 0, "begun": 0, "held": 4, "aside": 1}
    await store.done(first.pair_id)
    await store.enter(second, 1.0)
    kinds = (await world.store(PoolBudget(pairs=9)).state()).kinds()
    assert kinds == {"waiting": 3, "begun": 1, "held": 0, "aside": 0}


@pytest.mark.real
async def test_many_who_change_what_waits_at_once_lose_none_of_it(postgres):
    """Totals are one row: who waits for it must hold nothing that others wait for meanwhile."""
    database = Database(postgres, f"annotator_{uuid.uuid4().hex[:8]}", MIGRATIONS)
    await database.migrate()
    try:
        stores = [SqlWaiting(database.session) for _ in range(6)]
        chance = random.Random(1)

        async def change(store):
            for _ in range(25):
                number = chance.randrange(12)
                await store.enter(pair_of(number, f"q{number % 2}"), chance.random())
                if (pair := await store.take()) is None:
                    continue
                end = chance.choice((store.done, store.give_back, lambda pair_id: store.set_aside(pair_id, "broke")))
                async with database.session() as session:
                    # Sometimes as if it had ended its process before.
                    tries = (
                        sa.update(WAITING).where(WAITING.c.pair_id == pair.pair_id).values(tries=chance.choice((1, 3)))
                    )
                    await session.execute(tries)
                await end(pair.pair_id)

        await asyncio.gather(*(change(store) for store in stores))
        async with database.session() as session:
            rows = (await session.execute(sa.select(WAITING))).all()
        state = await stores[0].state()
        assert state.aside == sum(bool(row.aside) for row in rows)
        assert state.waiting == len(rows) - state.aside
        assert state.begun == sum(row.begun for row in rows if not row.aside)
        listed = await stores[0].listed(100)
        assert len(listed) == len(rows) and [bool(each.aside) for each in listed] == sorted(
            bool(row.aside) for row in rows
        )
    finally:
        await database.close()


@pytest.mark.real
async def test_a_pair_that_a_later_version_kept_more_of_is_judged_as_any_other(postgres):
    database = Database(postgres, f"annotator_{uuid.uuid4().hex[:8]}", MIGRATIONS)
    await database.migrate()
    try:
        store = SqlWaiting(database.session)
        await store.enter(pair_of(1), 1.0)
        async with database.session() as session:
            more = WAITING.c.pair.op("||")(sa.cast({"mood": ["good"]}, WAITING.c.pair.type))
            await session.execute(sa.update(WAITING).values(pair=more))
        assert [each.pair.pair_id for each in await store.listed(9)] == ["p-1"]
        assert (await store.take()).imports == ("import re",)
    finally:
        await database.close()


async def test_what_was_set_aside_waits_anew_when_it_is_proposed_again(world):
    store = world.store()
    await store.enter(pair_of("a"), 1.0)
    await store.enter(pair_of("b"), 0.5)
    await store.take()
    await store.set_aside("p-a", "it \0 broke")
    listed = await store.listed(9)
    assert [each.pair.pair_id for each in listed] == ["p-b", "p-a"] and listed[1].aside.startswith("it ")
    assert (await store.state()).aside == 1
    await store.enter(pair_of("a"), 1.0)
    assert (await store.take()).pair_id == "p-a", "it was begun, and is not counted again"
    assert (await store.state()).spent.pairs == 1


async def test_a_pair_that_ends_its_process_three_times_is_set_aside(world):
    store = world.store()
    await store.enter(pair_of("a"), 1.0)
    for _ in range(3):
        assert (await store.take()).pair_id == "p-a"
        await world.leases_end()
    assert await store.take() is None
    assert "3 times" in (await store.listed(1))[0].aside
