"""Proposed pairs wait, are judged in the order of what they tell, and the budget holds whatever happens meanwhile."""

import asyncio
import contextlib
import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from annotator.adapters.model import RuntimeModel
from annotator.domain.method import ABLATIONS
from annotator.domain.pair import Pair
from annotator.domain.pool_budget import PoolBudget, Spending
from annotator.domain.worth import priority, worth
from annotator.errors import BadPairError, CallTooLargeError, PoolBudgetSpentError, SandboxFaultError
from annotator.usecases.judging import Judge
from annotator.usecases.labelling import Labelling
from annotator.usecases.waiting import PoolWork, held_line
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.llm import Catalogue, LlmCacheError, LlmClient, MemoryLedger, MemoryLlmCache
from touchstone_runtime.llm.wire import RawAnswer
from touchstone_runtime.retry import RetryPolicy

NOON = datetime(2026, 11, 25, 12, tzinfo=UTC)
MATCH = '{"reason": "it slices backwards", "verdict": "match"}'
YES = '{"reason": "sound", "label": 1}'
NO_MATCH = MATCH.replace('"match"', '"no_match"')
NO = YES.replace("1", "0")


def pair_of(name, query="q"):
    return Pair(f"p-{name}", query, f"words of {query}", f"f-{name}", f"def f(x):\n    return x + {name!r}")


class Clock:
    def __init__(self):
        self.now = NOON

    def __call__(self):
        return self.now


class Killed(BaseException):
    """The process is gone: nothing is said to anybody."""


class Judged:
    """Stands for `Labelling`: judges by some calls, each of which is paid for and really takes something."""

    def __init__(self, waiting, calls, most, random, done):
        self.waiting, self.calls, self.most, self.random, self.done = waiting, calls, most, random, done
        self.taken = []
        self.dead = False
        self.order = []
        self.activities = []

    async def known(self, pair):
        return pair.pair_id in self.done

    async def label(self, pair):
        self.order.append(pair.pair_id)
        for _ in range(self.calls):
            period = await self.waiting.reserve(self.most, 0.0)
            await asyncio.sleep(0)
            self.alive()
            took = self.random.randint(0, self.most)
            # The endpoint has answered: whatever becomes of us, this was spent.
            self.taken.append(took)
            await asyncio.sleep(0)
            self.alive()
            await self.waiting.settle(period, self.most - took, 0.0)
        self.done.add(pair.pair_id)

    def alive(self):
        if self.dead:
            raise Killed


@given(
    seed=st.integers(0, 2**32), workers=st.integers(1, 5), pairs=st.integers(1, 12), kills=st.integers(0, 3),
    pairs_cap=st.integers(0, 10), tokens_cap=st.one_of(st.just(0), st.integers(1, 400)),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_a_budget_is_never_passed_with_several_workers_and_after_restarts(
    memory_waiting, memory_labels, seed, workers, pairs, kills, pairs_cap, tokens_cap
):
    chance, clock, done = random.Random(seed), Clock(), set()
    waiting = memory_waiting(PoolBudget(pairs_cap, tokens_cap), memory_labels(), clock)
    most, spent, begun = 30, 0, set()

    async def lives(kill):
        nonlocal spent
        judging = Judged(waiting, 3, most, chance, done)

        async def sleep(_seconds):
            # The budget for calls is spent: the worker waits here until the process ends.
            await asyncio.Event().wait()

        work = PoolWork(judging, waiting, RetryPolicy(1), sleep)

        async def steps():
            while await work.step():
                pass

        running = [asyncio.create_task(steps()) for _ in range(workers)]
        for _ in range(chance.randint(0, 40) if kill else 400):
            await asyncio.sleep(0)
        judging.dead = True
        if kill:
            # Nobody gives anything back, and no lease is renewed.
            waiting.give_back = lambda pair_id: asyncio.sleep(0)
        for task in running:
            task.cancel()
        with contextlib.suppress(BaseException):
            await asyncio.gather(*running, return_exceptions=True)
        waiting.__dict__.pop("give_back", None)
        spent += sum(judging.taken)
        begun.update(judging.order)

    async def world():
        for number in range(pairs):
            await waiting.enter(pair_of(number, f"q{number % 3}"), worth(number + 1, {}))
        for kill in [True] * kills + [False]:
            await lives(kill)
            assert not tokens_cap or spent <= tokens_cap
            assert not pairs_cap or len(begun) <= pairs_cap
            clock.now += timedelta(seconds=100)

    asyncio.run(world())
    # Killed three times over one pair, it is set aside; without kills and caps all is judged.
    if not kills and not tokens_cap:
        assert len(done) == min(pairs, pairs_cap or pairs)


def test_worth_is_depth_and_disagreement():
    assert worth(1, {"a": 1, "b": 1}) > worth(5, {"a": 5, "b": 5})
    assert worth(5, {"a": 1, "b": 0}) > worth(5, {"a": 5, "b": 5}), "retrievers disagree on it"
    assert worth(3, {}) == worth(3, {"only": 3}), "an event of before, or one retriever: depth alone"
    assert priority(worth(20, {}), 0) > priority(worth(1, {}), 5), "a new query goes before the top of an old one"


async def test_new_queries_first_then_depth_and_disagreement(memory_waiting, labels, judged):
    waiting = memory_waiting(labels=labels)
    old = await labels.add(judged("q0", "def g(x): return x", 1))
    asked = [
        ("old-top", old.pair.query_id, worth(1, {"a": 1, "b": 1})),
        ("new-deep", "q1", worth(9, {"a": 9, "b": 9})),
        ("new-top", "q1", worth(1, {"a": 1, "b": 1})),
        ("split", "q2", worth(2, {"a": 1, "b": 0})),
    ]
    for name, query, value in asked:
        await waiting.enter(pair_of(name, query), value)
    work = PoolWork(Judged(waiting, 0, 0, random.Random(1), set()), waiting, RetryPolicy(1))
    order = []
    while (taken := await waiting.take()) is not None:
        order.append(taken.pair_id)
    assert order == ["p-split", "p-new-top", "p-old-top", "p-new-deep"]
    assert {each.pair.pair_id for each in await work.listed(9)} == set(order)


async def test_what_is_held_is_told_and_goes_on_with_the_next_period(memory_waiting, labels):
    clock = Clock()
    waiting = memory_waiting(PoolBudget(pairs=2, period="day"), labels, clock)
    judging = Judged(waiting, 1, 5, random.Random(1), set())
    work = PoolWork(judging, waiting, RetryPolicy(1))
    for number in range(3):
        await work.enter(pair_of(number), 1.0)
    assert held_line(await work.state()) == ""
    assert [await work.step() for _ in range(3)] == [True, True, False]
    line = held_line(await work.state())
    assert line.startswith("1 proposed pairs are held: 2 of 2 pairs a day are begun (goes on 2026-11-26 00:00 UTC")
    clock.now += timedelta(days=1)
    assert held_line(await work.state()) == "" and await work.step()
    assert len(judging.order) == 3


async def test_tokens_that_are_too_few_for_the_next_call_hold_all_pairs_until_the_next_period(memory_waiting, labels):
    clock, naps = Clock(), []
    waiting = memory_waiting(PoolBudget(tokens=100, period="day"), labels, clock)

    class Fixed(Judged):
        async def label(self, pair):
            for _ in range(2):
                period = await waiting.reserve(40, 0.0)
                assert (await work.state()).standing == 0, "a call is in flight"
                await waiting.settle(period, 10, 0.0)
            self.order.append(pair.pair_id)

    async def sleep(seconds):
        naps.append(seconds)
        state = await work.state()
        assert (state.waiting, state.begun, state.standing) == (2, 1, 2), "the pair that was begun stands as well"
        told = held_line(state)
        assert told.startswith("2 proposed pairs are held: 90 of 100 tokens a day are spent, the next call may take 40")
        clock.now += timedelta(days=1)
        assert (await work.state()).standing == 0

    judging = Fixed(waiting, 0, 0, None, set())
    work = PoolWork(judging, waiting, RetryPolicy(1), sleep)
    for number in range(3):
        await work.enter(pair_of(number, f"q{number}"), 1.0)
    assert [await work.step() for _ in range(2)] == [True, True]
    assert len(judging.order) == 2 and len(naps) == 1
    assert held_line(await work.state()) == "", "what was refused once is paid by now"


async def test_a_call_that_no_period_can_pay_sets_its_pair_aside_and_stops_no_other(memory_waiting, labels):
    class Sized(Judged):
        async def label(self, pair):
            await waiting.settle(await waiting.reserve(200 if pair.pair_id == "p-1" else 20, 0.0), 0, 0.0)
            self.order.append(pair.pair_id)

    async def sleep(_seconds):
        raise AssertionError("nothing here is worth a wait")

    waiting = memory_waiting(PoolBudget(tokens=100, period="day"), labels)
    work = PoolWork(judging := Sized(waiting, 0, 0, None, set()), waiting, RetryPolicy(3), sleep)
    await work.enter(pair_of(1), 2.0)
    await work.enter(pair_of(2), 1.0)
    assert [await work.step() for _ in range(3)] == [True, True, False]
    assert judging.order == ["p-2"] and waiting.rows["p-1"]["aside"].startswith("CallTooLargeError: ")
    assert issubclass(CallTooLargeError, PermanentError)


@pytest.mark.parametrize(
    ("period", "key", "ends"),
    [
        ("whole", "whole", None), ("day", "2026-11-25", "2026-11-26"), ("week", "2026-W48", "2026-11-30"),
        ("month", "2026-11", "2026-12-01"),
    ],
)  # fmt: skip
def test_periods(period, key, ends):
    budget = PoolBudget(1, period=period)
    assert budget.key(NOON) == key
    assert budget.ends(NOON) == (datetime.fromisoformat(f"{ends}T00:00+00:00") if ends else None)


def test_each_cap_holds_by_itself():
    assert PoolBudget().pairs_spent(Spending(9, 9, 9.0)) == ""
    assert "pairs" in PoolBudget(pairs=9).pairs_spent(Spending(9))
    assert "tokens" in PoolBudget(tokens=9).pairs_spent(Spending(tokens=9))
    assert "USD" in PoolBudget(cost_usd=1.0).pairs_spent(Spending(cost_usd=1.0))
    assert "may take 2" in PoolBudget(tokens=9).call_refused(Spending(tokens=8), 2, 0.0)
    assert "USD" in PoolBudget(cost_usd=1.0).call_refused(Spending(cost_usd=0.9), 0, 0.2)
    assert PoolBudget(tokens=10, cost_usd=2.0).call_refused(Spending(tokens=8), 2, 0.2) == ""


async def test_nothing_judges_what_has_its_label_or_peoples(memory_waiting, scripted, fake_sandbox, labels, records,
                                                            announcer, judged):  # fmt: skip
    model = scripted(screener=[MATCH], checker=[YES])
    labelling = Labelling(Judge(model, fake_sandbox(), ABLATIONS["full"]), labels, records, announcer)
    waiting = memory_waiting(labels=labels)
    work = PoolWork(labelling, waiting, RetryPolicy(1))
    of_people = await labels.add(judged("q", "def g(x): return x", 1, decided_by="person"))
    await work.enter(of_people.pair, 1.0)
    assert not waiting.rows and not announcer.announced
    await work.enter(pair_of(1), 1.0)
    await labels.add(judged("other", "def h(x): return x", 1))
    assert await work.step() and not waiting.rows and len(announcer.announced) == 1
    await work.enter(pair_of(1), 1.0)
    assert not waiting.rows and len(announcer.announced) == 2, "it is announced again, and asks nobody"
    assert model.order == ["screener", "checker"]
    with pytest.raises(BadPairError):
        await work.enter(Pair("p", "q", " ", "f", "x"), 1.0)


async def test_what_fails_for_good_is_set_aside_with_its_reason_until_it_is_proposed_again(memory_waiting, labels):
    class Failing(Judged):
        async def label(self, pair):
            self.order.append(pair.pair_id)
            raise PermanentError("no such thing") if pair.pair_id == "p-1" else SandboxFaultError("broken")

    waiting, naps = memory_waiting(labels=labels), []

    async def sleep(seconds):
        naps.append(seconds)

    judging = Failing(waiting, 0, 0, None, set())
    work = PoolWork(judging, waiting, RetryPolicy(3), sleep)
    await work.enter(pair_of(1), 2.0)
    await work.enter(pair_of(2), 1.0)
    assert [await work.step() for _ in range(3)] == [True, True, False]
    assert judging.order == ["p-1", "p-2", "p-2", "p-2"] and len(naps) == 2
    told = {each.pair.pair_id: each.aside for each in await work.listed(9)}
    assert told == {"p-1": "PermanentError: no such thing", "p-2": "SandboxFaultError: broken"}
    assert (await work.state()).aside == 2
    await work.enter(pair_of(1), 2.0)
    assert await work.step() and judging.order[-1] == "p-1"


async def test_a_pair_that_ends_its_process_three_times_is_set_aside(memory_waiting, labels):
    clock = Clock()
    waiting = memory_waiting(labels=labels, clock=clock)
    await waiting.enter(pair_of(1), 1.0)
    for _ in range(3):
        assert await waiting.take() is not None and await waiting.take() is None
        clock.now += timedelta(seconds=91)
    assert await waiting.take() is None
    assert "3 times" in (await waiting.listed(1))[0].aside


class Endpoint:
    """Answers each question by so many tokens, and counts them."""

    def __init__(self, tokens):
        self.tokens, self.asked = tokens, 0

    async def complete(self, endpoint, request, turn):
        async with turn():
            self.asked += 1
            return RawAnswer(YES, "stop", 10, self.tokens, 0.0)

    async def close(self):
        """Nothing is open."""


async def test_each_call_of_the_model_is_paid_and_the_next_one_refused(memory_waiting, tmp_path):
    (tmp_path / "models.toml").write_text('default = "m"\n[models.m]\nbase_url = "http://127.0.0.1:1/v1"\n')
    endpoint = Endpoint(7)
    client = LlmClient(Catalogue.load(tmp_path / "models.toml", ""), endpoint, MemoryLlmCache(), MemoryLedger())
    waiting = memory_waiting(PoolBudget(tokens=900))
    model = RuntimeModel(client, purse=waiting)
    asked, refused = 0, None
    values = {"language": "python", "code": "x", "query": "q"}
    while refused is None:
        try:
            await model.weigh("answers_v2", ("yes", "no"), **values | {"query": f"q {asked}"})
        except PoolBudgetSpentError as error:
            refused = error
        else:
            asked += 1
            assert waiting.spent().tokens == 17 * asked, "what was set aside beyond that is given back"
    assert 1 < asked == endpoint.asked and waiting.spent().tokens <= 900
    before = waiting.spent()
    waiting.budget = PoolBudget(tokens=10_000)
    await model.weigh("answers_v2", ("yes", "no"), **values | {"query": "q 0"})
    assert endpoint.asked == asked and waiting.spent() == before, "an answer of the cache costs nothing"


async def judged_until(stop, memory_waiting, labels, records, announcer, fake_sandbox, tmp_path, said):
    """A process that is told to stop while its first question is in flight; gives what it left."""
    (tmp_path / "models.toml").write_text('default = "m"\n[models.m]\nbase_url = "http://127.0.0.1:1/v1"\n')
    stopping, asked, gate = asyncio.Event(), asyncio.Event(), asyncio.Event()

    class Slow(Endpoint):
        async def complete(self, endpoint, request, turn):
            async with turn():
                asked.set()
                await gate.wait()
                self.asked += 1
                return RawAnswer(next(said), "stop", 10, 7, 0.0)

    endpoint = Slow(7)
    cache, ledger = MemoryLlmCache(), MemoryLedger()

    def client(stopping):
        catalogue = Catalogue.load(tmp_path / "models.toml", "")
        return LlmClient(catalogue, endpoint, cache, ledger, stopping=stopping.is_set)

    def work_of(stopping):
        judge = Judge(RuntimeModel(client(stopping), purse=waiting), fake_sandbox(), ABLATIONS["screener_arbiter"])
        labelling = Labelling(judge, labels, records, announcer)
        return PoolWork(labelling, waiting, RetryPolicy(1), stopping=stopping)

    waiting = memory_waiting(PoolBudget(tokens=100_000), labels)
    first = work_of(stopping)
    for number in range(2):
        await first.enter(pair_of(number, f"q{number}"), 1.0)
    working = asyncio.create_task(first.work())
    await asyncio.wait_for(asked.wait(), 60)
    await stop(stopping, working, gate)
    await asyncio.wait({working}, timeout=60)
    assert working.done()
    return waiting, endpoint, work_of


async def test_a_stop_lets_the_question_in_hand_end_and_the_next_process_goes_on_from_its_answer(
    memory_waiting, labels, records, announcer, fake_sandbox, tmp_path
):
    async def stop(stopping, _working, gate):
        stopping.set()
        await asyncio.sleep(0)
        gate.set()

    said = iter(['{"reason": "?", "verdict": "unclear"}', YES, NO, YES, MATCH, NO_MATCH, YES])
    waiting, endpoint, work_of = await judged_until(
        stop, memory_waiting, labels, records, announcer, fake_sandbox, tmp_path, said
    )
    assert endpoint.asked == 1, "the arbiter was not asked any more"
    assert waiting.spent() == Spending(1, 17, 0.0), "what the second question was reserved came back"
    assert [row["tries"] for row in waiting.rows.values()] == [0, 0] and not labels.rows
    work = work_of(asyncio.Event())
    while await work.step():
        pass
    assert not waiting.rows and len(labels.rows) == 2 == len(announcer.announced)
    assert endpoint.asked == 7 and waiting.spent() == Spending(2, 7 * 17, 0.0), "nothing was asked twice"


async def test_a_pair_that_needs_no_further_question_is_judged_during_a_stop(
    memory_waiting, labels, records, announcer, fake_sandbox, tmp_path
):
    async def stop(stopping, _working, gate):
        gate.set()
        while not (said.left or labels.rows):
            await asyncio.sleep(0)
        stopping.set()

    class Said:
        """Says when its last answer was taken."""

        def __init__(self, *answers):
            self.answers, self.left = iter(answers), False

        def __next__(self):
            answer = next(self.answers)
            self.left = answer == YES
            return answer

    said = Said(MATCH, NO_MATCH, YES)
    waiting, endpoint, _ = await judged_until(
        stop, memory_waiting, labels, records, announcer, fake_sandbox, tmp_path, said
    )
    assert endpoint.asked == 3 and len(labels.rows) == 1 == len(announcer.announced)
    assert [row["begun"] for row in waiting.rows.values()] == [False], "the other one was not begun"


async def test_a_question_that_outlives_the_grace_period_stays_spent_unless_it_was_answered(memory_waiting, tmp_path):
    (tmp_path / "models.toml").write_text('default = "m"\n[models.m]\nbase_url = "http://127.0.0.1:1/v1"\n')

    class Slow(MemoryLlmCache):
        async def put(self, key, record):
            await asyncio.Event().wait()

    class Silent(Endpoint):
        async def complete(self, endpoint, request, turn):
            async with turn():
                await asyncio.Event().wait()

    values = {"language": "python", "code": "x", "query": "q"}
    for endpoint, cache, spends in ((Silent(7), MemoryLlmCache(), None), (Endpoint(7), Slow(), 17)):
        client = LlmClient(Catalogue.load(tmp_path / "models.toml", ""), endpoint, cache, MemoryLedger())
        waiting = memory_waiting(PoolBudget(tokens=3000))
        model = RuntimeModel(client, purse=waiting)
        asking = asyncio.create_task(model.weigh("answers_v2", ("yes", "no"), **values))
        for _ in range(50):
            await asyncio.sleep(0)
        reserved = waiting.spent().tokens
        asking.cancel()
        await asyncio.wait({asking})
        assert asking.cancelled() and waiting.spent().tokens == (spends or reserved) and reserved > 17
        await client.close()


class Verdict(BaseModel):
    label: int


class Full(MemoryLlmCache):
    """A cache without room."""

    async def put(self, key, record):
        raise LlmCacheError("no room")


class Away(MemoryLedger):
    """Books that cannot be written."""

    async def record(self, entry):
        raise ConnectionRefusedError("no books")


@pytest.mark.parametrize(("cache", "ledger"), [(Full(), MemoryLedger()), (MemoryLlmCache(), Away())])
@pytest.mark.parametrize("ask", ["weigh", "ask"])
async def test_what_an_endpoint_took_is_paid_whatever_fails_after_it(memory_waiting, tmp_path, cache, ledger, ask):
    (tmp_path / "models.toml").write_text('default = "m"\n[models.m]\nbase_url = "http://127.0.0.1:1/v1"\n')
    endpoint = Endpoint(7)
    client = LlmClient(Catalogue.load(tmp_path / "models.toml", ""), endpoint, cache, ledger)
    waiting = memory_waiting(PoolBudget(tokens=3000))
    model = RuntimeModel(client, purse=waiting)
    for turn in range(400):
        # Each question is tried twice: what was paid is not asked again while it cannot be kept.
        values = {"language": "python", "code": "x", "query": f"q{turn // 2}"}
        try:
            if ask == "weigh":
                await model.weigh("answers_v2", ("yes", "no"), **values)
            else:
                await model.ask("screener_v1", Verdict, max_tokens=50, **values)
        except PoolBudgetSpentError:
            break
        except (LlmCacheError, ConnectionRefusedError):
            assert waiting.spent().tokens == 17 * endpoint.asked
            assert endpoint.asked == turn // 2 + 1
    else:
        raise AssertionError("the budget was passed")
    assert endpoint.asked and waiting.spent().tokens == 17 * endpoint.asked <= 3000
