"""An answer that came is booked once and kept, whoever stops waiting for it meanwhile."""

import asyncio

import pytest

from touchstone_runtime.llm import Budget, Catalogue, Endpoint, LlmClient, MemoryLedger, MemoryLlmCache
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
