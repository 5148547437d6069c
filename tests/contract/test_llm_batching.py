"""Batches from the first question to the last answer, at a real server; whoever looks after them dies at every step."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from touchstone_runtime.llm import (
    AnswerPendingError,
    BatchFailedError,
    Batching,
    Budget,
    BudgetSpentError,
    Catalogue,
    Endpoint,
    EndpointFailedError,
    EndpointUnavailableError,
    LlmClient,
    LlmUsage,
    MemoryBatchStore,
    MemoryLedger,
    MemoryLlmCache,
    OpenAiBatches,
    OpenAiTransport,
    RequestRefusedError,
)

QUESTIONS = ("one", "two", "three")


class KilledError(BaseException):
    """The process ends here."""


class Mortal:
    """What passes every awaited call on, and ends the process before or after the n-th."""

    def __init__(self, inner: Any, life: Life) -> None:
        self._inner, self._life = inner, life

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not asyncio.iscoroutinefunction(found):
            return found

        async def call(*args: Any, **kwargs: Any) -> Any:
            self._life.step(f"before {name}")
            result = await found(*args, **kwargs)
            self._life.step(f"after {name}")
            return result

        return call


@dataclass
class Life:
    """So many steps are left; without end by default."""

    left: float = float("inf")
    steps: list[str] = field(default_factory=list)

    def step(self, name: str) -> None:
        self.steps.append(name)
        self.left -= 1
        if self.left < 0:
            raise KilledError(name)


class World:
    """What stays when a process ends: the server, the memory, the cache, the books. The clock is the test's."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.ledger = MemoryLedger()
        self.store = MemoryBatchStore(self.ledger)
        self.cache = MemoryLlmCache()
        self.now = datetime.now(UTC)
        self.transport = OpenAiTransport(timeout_s=5.0, attempts=1)
        self.endpoint = Endpoint("m", "m", server.url, usd_per_mtoken_out=2.0, batch=True, usd_per_mtoken_out_batch=1.0)

    def process(self, life: Life | None = None, *, most: int = 100, **more: Any) -> tuple[LlmClient, Batching]:
        """A client and who looks after its batches, without anything that they learnt before."""
        life = life or Life()
        store, cache, wire = (
            Mortal(each, life) for each in (self.store, self.cache, OpenAiBatches(self.transport.connection))
        )
        catalogue = Catalogue({"m": self.endpoint}, "m")
        client = LlmClient(catalogue, self.transport, cache, Mortal(self.ledger, life), batches=store, **more)
        batching = Batching(client, wire, store, most=most, gather_s=10.0, clock=lambda: self.now)
        return client, batching

    async def swept(self, batching: Batching, times: int = 4) -> None:
        for _ in range(times):
            self.now += timedelta(minutes=1)
            await batching.sweep()


async def ask(client: LlmClient, text: str, **more: Any) -> str:
    return (await client.chat(text, purpose="solve_v1", max_tokens=8, **more)).text


async def pending(client: LlmClient, *texts: str, **more: Any) -> None:
    for text in texts:
        with pytest.raises(AnswerPendingError):
            await ask(client, text, **more)


async def live(world: World, client: LlmClient, batching: Batching) -> None:
    await pending(client, *QUESTIONS)
    await world.swept(batching)


@pytest.fixture(scope="module")
def parts(load_module):
    return load_module("tests/contract/batch_endpoint.py")


@pytest.fixture
async def world(parts):
    async with parts.BatchEndpoint().serving() as server:
        world = World(server)
        yield world
        await world.transport.close()


async def test_questions_gather_are_asked_together_and_booked_at_the_prices_of_a_batch(world):
    client, batching = world.process()
    await pending(client, *QUESTIONS, "one")
    assert await batching.sweep() == 0 and world.server.asked == []
    await world.swept(batching)
    assert [await ask(client, text) for text in QUESTIONS] == ["ONE", "TWO", "THREE"]
    spent = await world.ledger.spent()
    assert (spent.tokens_in, spent.tokens_out, spent.calls) == (15, 21, 3)
    assert spent.cost_usd == pytest.approx(21e-6)
    assert len(world.server.batches) == 1 and not world.server.direct and not world.store.asked
    assert world.server.told[0]["messages"] and await batching.activities() == []


async def test_batches_are_of_a_bounded_size(world):
    client, batching = world.process(most=2)
    await pending(client, *QUESTIONS)
    await world.swept(batching)
    assert sorted(batch["request_counts"]["total"] for batch in world.server.batches.values()) == [1, 2]


async def test_killed_at_every_step_there_is_one_submission_and_every_answer(parts, world):
    # How many steps there are, by one life without an end.
    life = Life()
    client, batching = world.process(life)
    await pending(client, *QUESTIONS)
    await world.swept(batching)
    steps = len(life.steps)
    assert steps > 40
    for left in range(steps):
        async with parts.BatchEndpoint().serving() as server:
            again = World(server)
            client, batching = again.process(Life(left))
            with pytest.raises(KilledError):
                await live(again, client, batching)
            client, batching = again.process()
            for text in QUESTIONS:
                try:
                    await ask(client, text)
                except AnswerPendingError:
                    continue
            await again.swept(batching, 6)
            assert [await ask(client, text) for text in QUESTIONS] == ["ONE", "TWO", "THREE"], left
            assert sorted(server.paid) == sorted(QUESTIONS), left
            assert len(server.batches) == 1 and not again.store.asked, left
            spent = await again.ledger.spent()
            assert (spent.calls, spent.tokens_out) == (3, 21), left
            await again.transport.close()
    await client.close()


async def test_a_submission_whose_answer_is_lost_is_not_submitted_again(world):
    client, batching = world.process()
    await pending(client, *QUESTIONS)
    world.server.loses.add("/batches")
    await world.swept(batching, 1)
    assert "cannot be reached" in (await batching.activities())[0]
    world.server.loses.clear()
    await world.swept(world.process()[1], 3)
    assert len(world.server.batches) == 1 and await ask(client, "two") == "TWO"


async def test_a_fault_is_that_of_its_own_request_and_is_not_asked_again(parts, world):
    fault = parts.refusal("exceeds context")
    world.server.answer = lambda body: fault if body["messages"][0]["content"] == "two" else parts.echo(body)
    client, batching = world.process()
    await pending(client, *QUESTIONS)
    await world.swept(batching)
    assert [await ask(client, text) for text in ("one", "three")] == ["ONE", "THREE"]
    for _ in range(2):
        with pytest.raises(RequestRefusedError, match="exceeds context"):
            await ask(client, "two")
    await world.swept(batching)
    assert len(world.server.batches) == 1 and await world.store.reserved() == LlmUsage()
    world.server.answer = parts.echo
    await world.store.begin_anew(world.endpoint.identity)
    await pending(client, "two")
    await world.swept(batching)
    assert await ask(client, "two") == "TWO"


@pytest.mark.parametrize(("status", "batches"), [(500, 3), (429, 3)])
async def test_passing_faults_are_asked_again_in_later_batches_and_not_for_ever(parts, world, status, batches):
    world.server.answer = lambda _body: parts.refusal("worker died", status)
    client, batching = world.process()
    await pending(client, "one")
    await world.swept(batching, 20)
    with pytest.raises(EndpointFailedError if status == 500 else EndpointUnavailableError, match="worker died"):
        await ask(client, "one")
    assert len(world.server.batches) == batches and not world.server.paid


@pytest.mark.parametrize("told", [True, False])
async def test_an_answer_of_a_batch_without_use_is_paid_each_time_that_it_came(world, told):
    usage = {"usage": {"prompt_tokens": 7, "completion_tokens": 50}} if told else {}
    world.server.answer = lambda _body: (200, {"choices": [{"finish_reason": "stop"}]} | usage)
    client, batching = world.process()
    await pending(client, "one")
    await world.swept(batching, 20)
    with pytest.raises(EndpointFailedError):
        await ask(client, "one")
    spent, most = await world.ledger.spent(), client.at_most("one", 8)
    each = 57 if told else most.tokens_in + most.tokens_out
    assert spent.tokens_in + spent.tokens_out == spent.lost_tokens == len(world.server.batches) * each
    assert spent.cost_usd == pytest.approx(3 * (50e-6 if told else 8e-6)), "at the prices of a batch"


@pytest.mark.parametrize("minutes", [3, 30])
async def test_answers_whose_file_is_not_told_yet_are_waited_for_and_not_asked_for_anew(world, minutes):
    world.server.beside = {"output_file_id": None}
    client, batching = world.process()
    await pending(client, "one")
    await world.swept(batching, minutes)
    if minutes == 3:
        assert "does not tell yet" in (await batching.activities())[0]
        world.server.beside = {}
        await world.swept(batching)
        assert await ask(client, "one") == "ONE"
        assert len(world.server.batches) == 1 and (await world.ledger.spent()).lost_tokens == 0
    else:
        # Given up, it may have been paid for, and is booked so.
        spent, most = await world.ledger.spent(), client.at_most("one", 8)
        assert len(world.server.batches) > 1
        assert spent.lost_tokens == (len(world.server.batches) - 1) * (most.tokens_in + most.tokens_out)


async def test_killed_at_any_step_an_answer_without_use_is_booked_once_each_time_that_it_came(parts, world):
    def useless(_body: dict[str, Any]) -> Any:
        return 200, {"choices": [{"finish_reason": "stop"}], "usage": {"prompt_tokens": 7, "completion_tokens": 50}}

    async def tried_in_vain(world: World, client: LlmClient, batching: Batching) -> None:
        with pytest.raises((AnswerPendingError, EndpointFailedError)):
            await ask(client, "one")
        await world.swept(batching, 9)

    world.server.answer, life = useless, Life()
    await tried_in_vain(world, *world.process(life))
    assert len(world.server.batches) == 3
    told = [number for number, step in enumerate(life.steps) if step.split()[1] in ("lines", "fail", "record", "close")]
    for left in told:
        async with parts.BatchEndpoint().serving() as server:
            server.answer = useless
            again = World(server)
            with pytest.raises(KilledError):
                await tried_in_vain(again, *again.process(Life(left)))
            await tried_in_vain(again, *again.process())
            spent = await again.ledger.spent()
            assert spent.lost_tokens == len(server.batches) * 57 == 3 * 57, left
            await again.transport.close()


async def test_a_parameter_that_is_refused_is_left_out_from_then_on_whoever_asks(parts, world):
    def answer(body: dict[str, Any]) -> Any:
        told = {"message": "max_tokens is not supported by this model", "param": "max_tokens"}
        return (400, {"error": told}) if "max_tokens" in body else parts.echo(body)

    world.server.answer = answer
    client, batching = world.process()
    await pending(client, *QUESTIONS)
    await world.swept(batching, 8)
    assert [await ask(client, text) for text in QUESTIONS] == ["ONE", "TWO", "THREE"]
    # Another process has learnt nothing; the memory has.
    client, batching = world.process()
    await pending(client, "four")
    await world.swept(batching)
    assert await ask(client, "four") == "FOUR" and len(world.server.batches) == 3
    assert "max_tokens" not in world.server.told[-1] and world.server.told[-1]["max_completion_tokens"] == 8


async def test_an_endpoint_without_schemas_is_asked_plainly(parts, world):
    fault = parts.refusal("response_format of this type is unavailable")
    world.server.answer = lambda body: fault if "response_format" in body else parts.echo(body)
    client, batching = world.process()
    await pending(client, "one", json_schema={"type": "object"})
    await world.swept(batching, 8)
    assert await ask(client, "one", json_schema={"type": "object"}) == "ONE"


async def test_what_an_expired_batch_did_not_come_to_is_asked_again_and_nothing_else(world):
    world.server.ends, world.server.answered_of = "expired", 1
    client, batching = world.process()
    await pending(client, *QUESTIONS)
    await world.swept(batching, 3)
    world.server.ends, world.server.answered_of = "completed", None
    await world.swept(batching, 6)
    assert [await ask(client, text) for text in QUESTIONS] == ["ONE", "TWO", "THREE"]
    assert sorted(world.server.paid) == sorted(QUESTIONS) and len(world.server.batches) == 2


async def test_a_batch_that_failed_tells_why_and_is_not_submitted_again_by_itself(world):
    world.server.ends = "failed"
    client, batching = world.process()
    await pending(client, *QUESTIONS)
    await world.swept(batching, 6)
    with pytest.raises(BatchFailedError, match=r"takes no batches.*batch = true") as failed:
        await ask(client, "one")
    assert not failed.value.own and len(world.server.batches) == 1
    world.server.ends = "completed"
    await world.store.begin_anew(world.endpoint.identity)
    await pending(client, "one")
    await world.swept(batching)
    assert await ask(client, "one") == "ONE"


async def test_an_endpoint_without_batches_says_so(world):
    world.server.broken = {"/files": 404}
    client, batching = world.process()
    await pending(client, "one")
    await world.swept(batching)
    with pytest.raises(BatchFailedError, match="no such model or path"):
        await ask(client, "one")


async def test_an_endpoint_that_is_away_is_waited_for(world):
    client, batching = world.process()
    await pending(client, "one")
    world.server.broken = {"/files": 503}
    await world.swept(batching, 3)
    assert "keeps failing" in (await batching.activities())[0]
    await pending(client, "one")
    world.server.broken = {}
    await world.swept(batching)
    assert await ask(client, "one") == "ONE"


async def test_progress_names_the_batch_how_far_it_is_and_since_when(world):
    world.server.looks = 100
    client, batching = world.process()
    await pending(client, *QUESTIONS)
    await world.swept(batching, 4)
    world.server.batches["batch_0"]["request_counts"]["completed"] = 2
    await world.swept(batching, 1)
    assert await batching.activities() == ["m: waiting for batch batch_0, 2 of 3 answered, for 4 min"]


async def test_the_budget_keeps_what_open_batches_may_take(world):
    # Each question may take 8 tokens of answer and 2 or 3 of its own.
    client, batching = world.process(budget=Budget(tokens=30))
    await pending(client, "one", "two")
    with pytest.raises(BudgetSpentError):
        await ask(client, "three")
    # The next process knows as much.
    client, batching = world.process(budget=Budget(tokens=30))
    await pending(client, "one", "two")
    with pytest.raises(BudgetSpentError):
        await ask(client, "three")
    await world.swept(batching)
    assert await ask(client, "one") == "ONE" and len(world.server.told) == 2


async def test_what_nobody_waits_for_is_cancelled_and_what_was_answered_is_kept(world):
    world.server.looks, world.server.answered_of = 100, 1
    client, batching = world.process()
    await pending(client, *QUESTIONS)
    await world.swept(batching, 2)
    keys = list(world.store.asked)
    await world.store.give_up(keys[:2])
    await world.swept(batching, 1)
    assert not any("cancel" in each for each in world.server.asked)
    await world.store.give_up(keys)
    await world.swept(batching, 3)
    assert sum("cancel" in each for each in world.server.asked) == 1
    assert not world.store.asked and len(world.server.paid) == 1
    assert (await world.ledger.spent()).calls == 1


async def test_what_nobody_waits_for_is_not_submitted(world):
    client, batching = world.process()
    await pending(client, *QUESTIONS)
    await world.store.give_up(list(world.store.asked))
    await world.swept(batching)
    assert world.server.asked == [] and not world.store.asked


async def test_a_model_without_batches_is_asked_directly(world):
    world.endpoint = Endpoint("m", "m", world.server.url)
    client, batching = world.process()
    assert await ask(client, "one") == "ONE"
    await world.swept(batching)
    assert len(world.server.direct) == 1 and not world.server.batches
