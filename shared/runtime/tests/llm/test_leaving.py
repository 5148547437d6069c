"""An answer that came is booked once and kept, whoever stops waiting for it meanwhile."""

import asyncio

import pytest

from touchstone_runtime.llm import (
    Budget,
    BudgetSpentError,
    Catalogue,
    Endpoint,
    EndpointUnavailableError,
    LlmClient,
    MemoryLedger,
    MemoryLlmCache,
)
from touchstone_runtime.llm.wire import RawAnswer


class Transport:
    asked = 0

    async def complete(self, endpoint, request, turn):
        async with turn():
            self.asked += 1
        return RawAnswer("hello", "stop", 100, 50)

    async def close(self):
        pass


class SlowLedger(MemoryLedger):
    def __init__(self):
        super().__init__()
        self.reached, self.go = asyncio.Event(), asyncio.Event()

    async def record(self, entry):
        self.reached.set()
        await self.go.wait()
        await super().record(entry)


@pytest.mark.parametrize("closes", [False, True])
async def test_what_came_is_booked_once_and_kept(closes):
    transport, ledger, cache = Transport(), SlowLedger(), MemoryLlmCache()
    endpoint = Endpoint("m", "m", "http://localhost:1/v1")
    client = LlmClient(Catalogue({"m": endpoint}, "m"), transport, cache, ledger, budget=Budget(tokens=1500))
    asked = {"purpose": "p", "max_tokens": 1000, "only_while_awaited": True}
    asking = asyncio.create_task(client.chat("a", **asked))
    async with asyncio.timeout(60):
        await ledger.reached.wait()
        leaving = asyncio.create_task(client.close()) if closes else asking
        if not closes:
            asking.cancel()
        await asyncio.sleep(0.05)
        ledger.go.set()
        await asyncio.gather(leaving, asking, return_exceptions=True)
        await asyncio.sleep(0.05)
        assert (await ledger.spent()).calls == 1
        # Nothing stays reserved, and nobody is asked again.
        await client.chat("b", **asked)
        assert (await client.chat("a", **asked)).text == "hello"
    assert transport.asked == 2


class Hanging(Transport):
    """Answers the first question; hangs up slowly at whoever leaves the second, and gives the others up when told."""

    def __init__(self):
        self.sent, self.hangs_up, self.gives_up = asyncio.Semaphore(0), asyncio.Event(), asyncio.Event()

    async def complete(self, endpoint, request, turn):
        async with turn() as attempt:
            self.asked += 1
            if (number := self.asked) == 1:
                return RawAnswer("hello", "stop", 1, 1)
            attempt.open = True
            self.sent.release()
            try:
                await self.gives_up.wait()
            finally:
                if number == 2:
                    await self.hangs_up.wait()
            raise EndpointUnavailableError("away", thing="m")


async def test_who_asks_what_another_one_is_still_leaving_has_a_reservation_of_his_own():
    transport, ledger = Hanging(), MemoryLedger()
    endpoint = Endpoint("m", "m", "http://localhost:1/v1")
    models, budget = Catalogue({"m": endpoint}, "m"), Budget(tokens=3000)
    client = LlmClient(models, transport, MemoryLlmCache(), ledger, budget=budget, concurrency=3)
    asked = {"purpose": "p", "max_tokens": 1000, "only_while_awaited": True}
    async with asyncio.timeout(60):
        await client.chat("first", **asked)
        leaving = asyncio.create_task(client.chat("a", **asked))
        await transport.sent.acquire()
        leaving.cancel()
        await asyncio.wait({leaving})
        anew = asyncio.create_task(client.chat("a", **asked))
        await transport.sent.acquire()
        for _ in range(2):
            # Both may be answered: a third would be more than the budget has, before and after the first is gone.
            with pytest.raises(BudgetSpentError):
                await client.chat("b", **asked)
            transport.hangs_up.set()
            await asyncio.sleep(0.05)
        transport.gives_up.set()
        with pytest.raises(EndpointUnavailableError):
            await anew
    assert (await ledger.spent()).lost_tokens == 2 * 1001
