"""A call that was sent and not answered is paid for pools, and stands in the cost of its pair."""

import asyncio

import pytest

from annotator.adapters.model import RuntimeModel
from annotator.domain.pool_budget import PoolBudget
from annotator.errors import PoolBudgetSpentError
from touchstone_runtime.llm import Catalogue, LlmClient, MemoryLedger, MemoryLlmCache, RawAnswer

VALUES = {"language": "python", "code": "x", "query": "q"}


class Losing:
    """Leaves so many questions unanswered that were sent, and asks again; then it answers."""

    def __init__(self, lost, tries=9, told=None, waits=False):
        self.lost, self.tries, self.told, self.waits = lost, tries, told, waits
        self.sent = 0

    async def complete(self, endpoint, request, turn):
        for number in range(self.tries):
            try:
                async with turn() as attempt:
                    self.sent += 1
                    attempt.open, attempt.told = True, self.told
                    if self.waits:
                        await asyncio.Event().wait()
                    if self.sent <= self.lost:
                        raise TimeoutError("no answer in time")
                    return RawAnswer("yes", "stop", 10, 7)
            except TimeoutError:
                if number + 1 == self.tries:
                    raise
        raise AssertionError("it ends in one way or the other")

    async def close(self):
        """Nothing is open."""


@pytest.fixture
def client_of(tmp_path):
    (tmp_path / "models.toml").write_text('default = "m"\n[models.m]\nbase_url = "http://127.0.0.1:1/v1"\n')

    def made(transport):
        catalogue = Catalogue.load(tmp_path / "models.toml", "")
        return LlmClient(catalogue, transport, MemoryLlmCache(), MemoryLedger())

    return made


async def weighed(client, waiting):
    return await RuntimeModel(client, purse=waiting).weigh("answers_v2", ("yes", "no"), **VALUES)


async def reserved_for_one(client_of, memory_waiting):
    """What such a call takes at most."""
    waiting, client = memory_waiting(PoolBudget(tokens=100_000)), client_of(Losing(1, tries=1))
    with pytest.raises(TimeoutError):
        await weighed(client, waiting)
    return waiting.spent().tokens


@pytest.mark.parametrize(("lost", "tries"), [(1, 1), (3, 3), (2, 9)])
async def test_each_time_that_a_call_was_sent_is_paid(client_of, memory_waiting, lost, tries):
    most = await reserved_for_one(client_of, memory_waiting)
    waiting, client = memory_waiting(PoolBudget(tokens=100_000)), client_of(Losing(lost, tries))
    assert most > 17
    if lost == tries:
        with pytest.raises(TimeoutError):
            await weighed(client, waiting)
    else:
        await weighed(client, waiting)
    assert waiting.spent().tokens == lost * most + (17 if lost < tries else 0)
    spent = await client.ledger.spent()
    assert (spent.tokens_in + spent.tokens_out, spent.lost_tokens) == (waiting.spent().tokens, lost * most)


async def test_the_cap_holds_what_is_sent_again_and_again(client_of, memory_waiting):
    most = await reserved_for_one(client_of, memory_waiting)
    transport, waiting = Losing(99), memory_waiting(PoolBudget(tokens=3 * most + 1))
    with pytest.raises(PoolBudgetSpentError):
        await weighed(client_of(transport), waiting)
    assert transport.sent == 3 and waiting.spent().tokens == 3 * most


async def test_what_was_told_of_an_answer_without_use_is_paid_and_no_more(client_of, memory_waiting):
    waiting = memory_waiting(PoolBudget(tokens=100_000))
    await weighed(client_of(Losing(2, told=(3, 4))), waiting)
    assert waiting.spent().tokens == 2 * 7 + 17


async def test_a_pair_costs_what_its_answers_came_after(client_of, memory_waiting):
    transport = Losing(2, tries=1)
    client = client_of(transport)
    for _ in range(2):
        with pytest.raises(TimeoutError):
            await weighed(client, None)
    lost = (await client.ledger.spent()).lost_tokens
    for _ in range(2):
        # The second time from the cache.
        (exchange,) = (await weighed(client, None)).exchanges
        assert exchange.tokens_in + exchange.tokens_out == lost + 17
    assert transport.sent == 3


async def test_a_call_that_is_broken_off_while_it_is_sent_again_stays_spent(client_of, memory_waiting):
    most = await reserved_for_one(client_of, memory_waiting)
    transport, waiting = Losing(0, waits=True), memory_waiting(PoolBudget(tokens=100_000))
    client = client_of(transport)
    asking = asyncio.create_task(weighed(client, waiting))
    while not transport.sent:
        await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait({asking})
    await client.close()
    assert waiting.spent().tokens == most == (await client.ledger.spent()).lost_tokens
