from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import settings

from touchstone_runtime.llm import (
    Budget,
    Catalogue,
    ChatRequest,
    Endpoint,
    LlmClient,
    MemoryLedger,
    MemoryLlmCache,
    RawAnswer,
    Turn,
)

# A busy machine is no failure.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

LOCAL = Endpoint("small", "small", "http://127.0.0.1:8080/v1", usd_per_mtoken_in=1.0, usd_per_mtoken_out=2.0, own=True)


class ScriptedTransport:
    """Answers with what `reply` makes of the request; an exception is raised."""

    def __init__(self, reply: Callable[[ChatRequest], str | Exception]) -> None:
        self.reply = reply
        self.requests: list[ChatRequest] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.gate: asyncio.Event | None = None

    async def complete(self, endpoint: Endpoint, request: ChatRequest, turn: Turn) -> RawAnswer:
        async with turn():
            return await self._answer(request)

    async def _answer(self, request: ChatRequest) -> RawAnswer:
        self.requests.append(request)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.gate is not None:
                await self.gate.wait()
            await asyncio.sleep(0)
            said = self.reply(request)
        finally:
            self.in_flight -= 1
        if isinstance(said, Exception):
            raise said
        return RawAnswer(said, "stop", tokens_in=100, tokens_out=10, seconds=0.5)

    async def close(self) -> None:
        return


class Bench:
    """A client on fakes, with every part in reach."""

    def __init__(
        self,
        reply: Callable[[ChatRequest], str | Exception],
        *,
        budget: Budget | None = None,
        concurrency: int = 2,
        cache: MemoryLlmCache | None = None,
        ledger: MemoryLedger | None = None,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self.transport = ScriptedTransport(reply)
        self.cache = cache or MemoryLlmCache()
        self.ledger = ledger or MemoryLedger()
        self.client = LlmClient(
            Catalogue({"small": LOCAL}, "small"),
            self.transport,
            self.cache,
            self.ledger,
            budget=budget,
            concurrency=concurrency,
            stopping=stopping,
        )


@pytest.fixture
def bench() -> type[Bench]:
    return Bench
