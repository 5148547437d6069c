"""The platform's own server answers for any name: what it says after it was started with another model is not taken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from touchstone_runtime.llm import (
    Catalogue,
    Endpoint,
    EndpointRefusedError,
    LlmClient,
    MemoryLedger,
    MemoryLlmCache,
    OpenAiTransport,
)


class Server:
    """A model server that can be started anew at its address."""

    def __init__(self) -> None:
        self.holds = "small"
        self.port = 0
        self.asked: list[str] = []
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        assert self._server
        self._server.close()
        for writer in self._open:
            writer.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if b"content-length" in line]
                await reader.readexactly(int(lengths[0]) if lengths else 0)
                self.asked.append(head.decode().split(" ")[0])
                told = {"choices": [{"message": {"content": f"by {self.holds}"}, "finish_reason": "stop"}]}
                data = json.dumps(told if lengths else {"data": [{"id": self.holds}]}).encode()
                writer.write(f"HTTP/1.1 200 X\r\ncontent-length: {len(data)}\r\n".encode())
                writer.write(b"content-type: application/json\r\n\r\n" + data)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            self._open.discard(writer)
            writer.close()


@pytest.fixture
async def served() -> AsyncIterator[tuple[Server, LlmClient]]:
    server = Server()
    await server.start()
    endpoint = Endpoint("small", "small", f"http://127.0.0.1:{server.port}/v1", usd_per_mtoken_out=1.0, own=True)
    transport = OpenAiTransport(attempts=2, wait_initial_s=0.001, wait_max_s=0.002, timeout_s=60.0)
    client = LlmClient(Catalogue({"small": endpoint}, "small"), transport, MemoryLlmCache(), MemoryLedger())
    yield server, client
    await client.close()
    await server.stop()


async def ask(client: LlmClient, question: str) -> str:
    return (await client.chat(question, purpose="p", max_tokens=8)).text


async def test_another_model_behind_the_same_address_answers_for_nobody(served):
    server, client = served
    assert await ask(client, "one") == "by small"
    await server.stop()
    server.holds = "other"
    await server.start()
    for question in ("two", "three"):
        with pytest.raises(EndpointRefusedError, match="holds other, not small"):
            await ask(client, question)
    spent = await client.ledger.spent()
    assert spent.calls == 1 and spent.lost_tokens > 0, "what it answered all the same is booked"
    await server.stop()
    server.holds = "small"
    await server.start()
    assert await ask(client, "two") == "by small"


async def test_a_server_is_asked_what_it_holds_no_more_than_its_connections_are_new(served):
    server, client = served
    for question in ("one", "two", "three"):
        await ask(client, question)
    assert server.asked == ["GET", "POST", "POST", "POST"]
