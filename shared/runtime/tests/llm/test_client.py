from __future__ import annotations

import asyncio
from dataclasses import replace

import grpc
import pytest
from prometheus_client import REGISTRY

from touchstone_runtime.errors import RetryableError, StoppingError, SuspendedError
from touchstone_runtime.faults import DependencyAwayError
from touchstone_runtime.grpc_server import status_of
from touchstone_runtime.llm import (
    Budget,
    BudgetSpentError,
    EndpointUnavailableError,
    LlmHaltError,
    LlmUsage,
    MemoryLedger,
    MemoryLlmCache,
    UnknownModelError,
    system,
    user,
)
from touchstone_runtime.llm.catalogue import Catalogue, Endpoint
from touchstone_runtime.llm.wire import request_body

LOCAL = Endpoint("small", "small", "http://127.0.0.1:8080/v1")


async def test_a_second_equal_question_comes_from_the_cache_with_the_first_ones_usage(bench):
    made = bench(lambda request: f"echo {request.messages[-1].content}")
    first = await made.client.chat("hi", purpose="greet", max_tokens=8)
    again = await made.client.chat([user("hi")], purpose="greet", max_tokens=8)
    assert (first.text, first.cached, again.text, again.cached) == ("echo hi", False, "echo hi", True)
    assert first.usage == again.usage == LlmUsage(100, 10, 0.5, 0.00012, 1)
    assert len(made.transport.requests) == 1
    (total,) = await made.ledger.by_day()
    assert (total.purpose, total.model, total.usage.calls, total.cached_hits) == ("greet", "small", 1, 1)
    assert (await made.ledger.spent()).tokens_in == 100


async def test_whatever_can_change_an_answer_changes_the_question(bench):
    made = bench(lambda _: "x")
    base = {"purpose": "p", "max_tokens": 8}
    await made.client.chat("a", **base)
    for change in (
        {"temperature": 0.5},
        {"seed": 1},
        {"max_tokens": 9},
        {"json_schema": {"type": "object"}},
        {"stop": ("\n",)},
        {"top_logprobs": 5},
        {"model": "small2@http://127.0.0.1:1/v1"},
    ):
        assert not (await made.client.chat("a", **{**base, **change})).cached
    assert not (await made.client.chat([system("a")], **base)).cached
    assert (await made.client.chat("a", **{**base, "purpose": "another"})).cached


async def test_other_weights_under_the_same_name_are_asked_anew(bench):
    made = bench(lambda _: "x")
    for digest in ("", "sha256:a", "sha256:b"):
        made.client.catalogue = Catalogue({"small": replace(LOCAL, digest=digest)}, "small")
        answers = [await made.client.chat("a", purpose="p", max_tokens=8) for _ in range(2)]
        assert [each.cached for each in answers] == [False, True]


async def test_servers_on_two_ports_are_two_and_this_machine_has_one_name(bench):
    made = bench(lambda _: "x")
    await made.client.chat("a", purpose="p", max_tokens=8, model="tiny@http://127.0.0.1:1111/v1")
    assert (await made.client.chat("a", purpose="p", max_tokens=8, model="tiny@http://localhost:1111/v1")).cached
    assert not (await made.client.chat("a", purpose="p", max_tokens=8, model="tiny@http://127.0.0.1:2222/v1")).cached
    assert not (await made.client.chat("a", purpose="p", max_tokens=8, model="tiny@https://models.example/v1")).cached


async def test_equal_questions_in_flight_share_one_call(bench):
    made = bench(lambda _: "x")
    made.transport.gate = asyncio.Event()
    askers = [asyncio.create_task(made.client.chat("a", purpose="p", max_tokens=8)) for _ in range(5)]
    await asyncio.sleep(0.01)
    askers[0].cancel()
    made.transport.gate.set()
    answers = await asyncio.gather(*askers[1:])
    assert len(made.transport.requests) == 1
    assert {answer.text for answer in answers} == {"x"}
    assert (await made.ledger.spent()).calls == 1


@pytest.mark.parametrize(("wanted", "answered"), [(False, False), (True, True)])
async def test_a_question_that_nobody_waits_for_goes_on_only_where_one_asker_wanted_it(bench, wanted, answered):
    made = bench(lambda _: "x")
    made.transport.gate = asyncio.Event()
    asked = {"purpose": "p", "max_tokens": 8}
    askers = [
        asyncio.create_task(made.client.chat("a", **asked, only_while_awaited=not (wanted and number == 0)))
        for number in range(3)
    ]
    await asyncio.sleep(0.01)
    for asker in askers[:2]:
        asker.cancel()
    await asyncio.sleep(0.01)
    assert made.transport.in_flight == 1
    askers[2].cancel()
    # Who asks just then gets an answer, of this question or of the next.
    late = asyncio.create_task(made.client.chat("a", **asked, only_while_awaited=True))
    await asyncio.sleep(0.01)
    assert len(made.transport.requests) == (1 if answered else 2)
    late.cancel()
    await asyncio.sleep(0.01)
    assert made.transport.in_flight == (1 if answered else 0)
    made.transport.gate.set()
    assert (await made.client.chat("a", **asked)).text == "x"
    assert (await made.ledger.spent()).calls == 1


async def test_no_more_calls_at_a_time_than_allowed(bench):
    made = bench(lambda _: "x", concurrency=3)
    await asyncio.gather(*(made.client.chat(str(n), purpose="p", max_tokens=8) for n in range(20)))
    assert made.transport.most_in_flight == 3


async def test_an_endpoint_gets_one_question_until_it_has_answered(bench):
    made = bench(lambda _: "x", concurrency=3)
    made.transport.gate = asyncio.Event()
    asked = [asyncio.create_task(made.client.chat(str(n), purpose="p", max_tokens=8)) for n in range(6)]
    await asyncio.sleep(0.01)
    assert made.transport.in_flight == 1
    made.transport.gate.set()
    await asyncio.gather(*asked)
    assert made.transport.most_in_flight == 3


async def test_what_is_asked_anew_is_no_answer_of_before_and_is_kept_in_turn(bench):
    said = iter(["broken", "repaired"])
    made = bench(lambda _: next(said))
    answers = [await made.client.chat("a", purpose="p", max_tokens=8, anew=anew) for anew in (0, 0, 1, 1)]
    assert [answer.text for answer in answers] == ["broken", "broken", "repaired", "repaired"]
    assert [answer.cached for answer in answers] == [False, True, False, True]
    # The endpoint is asked the very same: the number is no part of what it is sent.
    sent = [request_body(LOCAL, request, (), constrained=False) for request in made.transport.requests]
    assert len(sent) == 2 and sent[0] == sent[1]


async def test_a_failed_call_is_not_cached_and_books_nothing(bench):
    answers = iter([EndpointUnavailableError("down"), "up"])
    made = bench(lambda _: next(answers))
    with pytest.raises(EndpointUnavailableError):
        await made.client.chat("a", purpose="p", max_tokens=8)
    assert (await made.ledger.spent()) == LlmUsage()
    assert (await made.client.chat("a", purpose="p", max_tokens=8)).text == "up"


async def test_a_spent_token_budget_halts_and_a_raised_one_resumes(bench):
    def refusals():
        return REGISTRY.get_sample_value("touchstone_runtime_llm_budget_refusals_total")

    made = bench(lambda _: "x", budget=Budget(tokens=200))
    before = refusals()
    await made.client.chat("a", purpose="p", max_tokens=50)
    assert refusals() == before
    with pytest.raises(BudgetSpentError, match=r"110 of 200 used.*TOUCHSTONE_LLM_BUDGET_TOKENS"):
        await made.client.chat("b", purpose="p", max_tokens=100)
    assert refusals() == before + 1
    # What is in the cache costs nothing and is still given.
    assert (await made.client.chat("a", purpose="p", max_tokens=50)).cached
    richer = bench(lambda _: "x", budget=Budget(tokens=400), cache=made.cache, ledger=made.ledger)
    assert (await richer.client.chat("b", purpose="p", max_tokens=100)).text == "x"


async def test_the_money_budget_counts_what_is_in_flight(bench):
    made = bench(lambda _: "x", budget=Budget(usd=0.00045), concurrency=8)
    outcomes = await asyncio.gather(
        *(made.client.chat(str(n), purpose="p", max_tokens=100) for n in range(8)), return_exceptions=True
    )
    refused = [outcome for outcome in outcomes if isinstance(outcome, BudgetSpentError)]
    assert 0 < len(refused) < 8
    assert (await made.ledger.spent()).cost_usd <= 0.00045


async def test_a_money_budget_lets_nobody_ask_what_has_no_price(bench):
    """Nothing is known of what it costs, which is not nothing; what is in the cache is given all the same."""
    nameless = "other@http://127.0.0.1:9/v1"
    free = bench(lambda _: "x", budget=Budget(tokens=9_000))
    await free.client.chat("a", purpose="p", max_tokens=8, model=nameless)
    made = bench(lambda _: "x", budget=Budget(usd=1.0), cache=free.cache)
    with pytest.raises(BudgetSpentError, match=r"other@http.*no price.*models\.toml.*TOUCHSTONE_LLM_BUDGET_TOKENS"):
        await made.client.chat("b", purpose="p", max_tokens=8, model=nameless)
    assert not made.transport.requests
    assert (await made.client.chat("a", purpose="p", max_tokens=8, model=nameless)).cached
    assert (await made.client.chat("b", purpose="p", max_tokens=8)).text == "x", "others go on"


def test_a_reservation_covers_scripts_whose_characters_are_tokens(bench):
    client = bench(lambda _: "x").client
    assert client.at_most("请给出一个函数" * 100, 10).tokens_in >= 700
    assert client.at_most("word " * 100, 10).tokens_in <= 260


class Failing:
    """Something that cannot be written for so many times."""

    def __init__(self, times):
        self.times = times

    def __call__(self):
        if self.times:
            self.times -= 1
            raise DependencyAwayError("is full", thing="the disk")


class FailingCache(MemoryLlmCache):
    def __init__(self, failing):
        super().__init__()
        self.failing = failing

    async def put(self, key, record):
        self.failing()
        return await super().put(key, record)


class FailingLedger(MemoryLedger):
    def __init__(self, failing):
        super().__init__()
        self.failing = failing

    async def record(self, entry):
        self.failing()
        await super().record(entry)


async def test_whatever_the_ledger_was_told_of_an_answer_it_is_told_again_as_the_same_booking(bench):
    told = []

    class Forgetful(MemoryLedger):
        async def record(self, entry):
            told.append(entry)
            if len(told) < 3:
                raise DependencyAwayError("the answer to the commit was lost", thing="the database")
            await super().record(entry)

    made = bench(lambda _: "x", ledger=Forgetful())
    for purpose in ("p", "another"):
        with pytest.raises(DependencyAwayError):
            await made.client.chat("a", purpose=purpose, max_tokens=50)
    await made.client.chat("a", purpose="p", max_tokens=50)
    await made.client.chat("b", purpose="p", max_tokens=50)
    assert told[0] == told[1] == told[2] and told[0].purpose == "p"
    assert told[0].booking and told[3].booking not in ("", told[0].booking)


@pytest.mark.parametrize("part", ["cache", "ledger"])
async def test_what_was_paid_is_not_asked_again_while_it_cannot_be_kept(bench, part):
    broken = {"cache": FailingCache, "ledger": FailingLedger}[part](Failing(3))
    made = bench(lambda _: "x", budget=Budget(tokens=300), **{part: broken})
    for _ in range(3):
        with pytest.raises(DependencyAwayError):
            await made.client.chat("a", purpose="p", max_tokens=50)
    # What the ledger could not be told is spent all the same.
    with pytest.raises(BudgetSpentError):
        await made.client.chat("b" * 200, purpose="p", max_tokens=200)
    assert (await made.client.chat("a", purpose="p", max_tokens=50)).text == "x"
    assert len(made.transport.requests) == 1
    assert (await made.ledger.spent()).calls == 1
    assert (await made.client.chat("a", purpose="p", max_tokens=50)).cached


async def test_a_halt_is_never_a_reason_for_the_dead_letters(bench):
    assert issubclass(LlmHaltError, SuspendedError)
    assert issubclass(BudgetSpentError, LlmHaltError)
    assert issubclass(LlmHaltError, RetryableError)


async def test_an_unknown_model_names_the_known_ones(bench):
    made = bench(lambda _: "x")
    with pytest.raises(UnknownModelError, match="known are: small"):
        await made.client.chat("a", purpose="p", max_tokens=8, model="huge")


async def test_a_client_that_stops_answers_what_was_asked_and_asks_nothing_more(bench):
    stopping = asyncio.Event()
    made = bench(lambda _: "x", stopping=stopping.is_set)
    await made.client.chat("known", purpose="p", max_tokens=8)
    made.transport.gate = asyncio.Event()
    in_flight = [asyncio.create_task(made.client.chat(f"{n}", purpose="p", max_tokens=8)) for n in range(3)]
    await asyncio.sleep(0.01)
    stopping.set()
    made.transport.gate.set()
    *answered, refused = await asyncio.gather(*in_flight, return_exceptions=True)
    assert [answer.text for answer in answered] == ["x", "x"], "two have a slot, and their answers are paid for"
    assert isinstance(refused, StoppingError)
    with pytest.raises(StoppingError):
        await made.client.chat("new", purpose="p", max_tokens=8)
    assert (await made.client.chat("known", purpose="p", max_tokens=8)).cached
    assert len(made.transport.requests) == 3 == (await made.ledger.spent()).calls
    assert status_of(refused)[0] is grpc.StatusCode.UNAVAILABLE


async def test_closing_ends_what_is_in_flight(bench):
    made = bench(lambda _: "x")
    made.transport.gate = asyncio.Event()
    asker = asyncio.create_task(made.client.chat("a", purpose="p", max_tokens=8))
    await asyncio.sleep(0.01)
    await made.client.close()
    with pytest.raises(asyncio.CancelledError):
        await asker
