"""What was sent and came to no usable answer may have been counted by its endpoint: it is counted here, and told."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from touchstone_runtime.llm import (
    Budget,
    BudgetSpentError,
    Catalogue,
    Endpoint,
    EndpointFailedError,
    EndpointNonsenseError,
    EndpointUnavailableError,
    LlmClient,
    LlmUsage,
    MemoryLedger,
    MemoryLlmCache,
    OpenAiTransport,
    RequestRefusedError,
    spending,
)

Script = Callable[[int, asyncio.StreamWriter], Awaitable[None]]
USAGE = {"prompt_tokens": 7, "completion_tokens": 50}
GOOD = {"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}], "usage": USAGE}
EVENTS = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


def _reply(status: int, body: object, *, more: int = 0) -> bytes:
    """An answer; one with `more` says that so many bytes follow, and does not bring them."""
    data = (body if isinstance(body, str) else json.dumps(body)).encode()
    head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(data) + more}\r\n"
    return f"{head}connection: close\r\n\r\n".encode() + data


def _piece(content: str, **more: Any) -> bytes:
    return f"data: {json.dumps({'choices': [{'delta': {'content': content}}], **more})}\n\n".encode()


@contextlib.asynccontextmanager
async def _served(
    script: Script, *, budget: Budget | None = None, ledger: MemoryLedger | None = None, stream: bool = False, **of: Any
) -> AsyncIterator[tuple[LlmClient, list[bytes]]]:
    """A client of a server that does as the script says, and the questions that it was sent."""
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            head = await reader.readuntil(b"\r\n\r\n")
            (length,) = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if b"content-length" in line]
            asked.append(await reader.readexactly(int(length)))
            await script(len(asked), writer)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    endpoint = Endpoint("m", "m", url, usd_per_mtoken_in=1.0, usd_per_mtoken_out=1.0, stream=stream)
    settings = {"attempts": 3, "timeout_s": 0.3, "wait_initial_s": 0.001, "wait_max_s": 0.002} | of
    client = LlmClient(
        Catalogue({"m": endpoint}, "m"), OpenAiTransport(**settings), MemoryLlmCache(), ledger or MemoryLedger(),
        budget=budget,
    )  # fmt: skip
    try:
        yield client, asked
    finally:
        await client.close()
        server.close()


def _says(*replies: bytes) -> Script:
    """Each reply in its turn, the last one again and again; an empty one is silence."""

    async def script(number: int, writer: asyncio.StreamWriter) -> None:
        reply = replies[min(number, len(replies)) - 1]
        writer.write(reply)
        if not reply:
            await asyncio.sleep(30)

    return script


def _tokens(usage: LlmUsage) -> int:
    return usage.tokens_in + usage.tokens_out


async def test_what_is_not_answered_in_time_counts_each_time_that_it_was_sent():
    async with _served(_says(b"")) as (client, asked):
        most = client.at_most("a question", 8)
        with pytest.raises(EndpointUnavailableError, match="no answer in time"):
            await client.chat("a question", purpose="p", max_tokens=8)
        spent = await client.ledger.spent()
        assert len(asked) == 3 and _tokens(spent) == 3 * _tokens(most) == spent.lost_tokens
        assert spent.calls == 0 and spent.cost_usd == pytest.approx(3 * most.cost_usd)
        (told,) = await spending(client.ledger, True)
        assert (told.lost_tokens, told.calls, told.purpose) == (spent.lost_tokens, 0, "p")


async def test_the_budget_holds_what_was_sent_again_and_again():
    taken: list[LlmUsage] = []
    async with _served(_says(b""), budget=Budget(tokens=40), attempts=9) as (client, asked):
        with pytest.raises(BudgetSpentError, match=r"tokens of it at most by questions without a usable answer"):
            await client.chat("a question", purpose="p", max_tokens=8, on_taken=taken.append)
        spent = await client.ledger.spent()
        assert 1 < len(asked) < 9 and 0 < _tokens(spent) <= 40
        assert sum(taken, LlmUsage()) == spent, "whoever pays is told the same"


async def test_an_answer_that_came_at_last_says_what_was_lost_before_it_also_from_the_cache():
    async with _served(_says(b"", _reply(200, GOOD))) as (client, _):
        answers = [await client.chat("a question", purpose="p", max_tokens=8) for _ in range(2)]
        spent, most = await client.ledger.spent(), client.at_most("a question", 8)
    assert [answer.cached for answer in answers] == [False, True]
    for answer in answers:
        assert (answer.usage.tokens_in, answer.usage.tokens_out, answer.usage.lost_tokens) == (7, 50, 0)
        assert _tokens(answer.lost) == _tokens(most) == answer.lost.lost_tokens
    assert (_tokens(spent), spent.lost_tokens, spent.calls) == (57 + _tokens(most), _tokens(most), 1)


CUT = '{"choices": [{"message": {"content": "def f'
FAILED = {"choices": [{"message": {}, "finish_reason": "error"}], "usage": USAGE}
WITHOUT_USE = {
    "cut off": (_reply(200, CUT), None),
    "cut off on the wire": (_reply(200, CUT, more=1000), None),
    "a choice of another form": (_reply(200, {"choices": [5]}), None),
    "no choice": (_reply(200, {"choices": [], "usage": USAGE}), 57),
    "another form that tells its tokens": (_reply(200, {"choices": 5, "usage": USAGE}), 57),
    "it says that it failed": (_reply(200, FAILED), 57),
    "waited for in vain by a gateway": (_reply(504, {}), None),
}  # fmt: skip
NOTHING_TAKEN = {
    "a page": _reply(200, "<html>hello</html>"),
    "an error under a status of success": _reply(200, {"error": {"message": "no"}}),
    "refused": _reply(400, {"error": {"message": "no"}}),
    "too many questions": _reply(429, {}),
    "a fault": _reply(500, {"error": {"message": "no"}}),
}
FAULTS = (EndpointNonsenseError, EndpointFailedError, EndpointUnavailableError, RequestRefusedError)


@pytest.mark.parametrize(("reply", "told"), WITHOUT_USE.values(), ids=WITHOUT_USE.keys())
async def test_an_answer_without_use_stands_in_the_ledger(reply, told):
    async with _served(_says(reply), attempts=1) as (client, _):
        with pytest.raises(FAULTS):
            await client.chat("a question", purpose="p", max_tokens=8)
        spent, most = await client.ledger.spent(), client.at_most("a question", 8)
    assert _tokens(spent) == spent.lost_tokens == (told or _tokens(most))


@pytest.mark.parametrize("reply", NOTHING_TAKEN.values(), ids=NOTHING_TAKEN.keys())
async def test_what_no_model_answered_costs_nothing(reply):
    async with _served(_says(reply), attempts=1) as (client, _):
        with pytest.raises(FAULTS):
            await client.chat("a question", purpose="p", max_tokens=8)
        assert await client.ledger.spent() == LlmUsage()


async def test_what_was_never_sent_costs_nothing():
    endpoint = Endpoint("m", "m", "http://127.0.0.1:1/v1", usd_per_mtoken_out=1.0)
    transport = OpenAiTransport(attempts=2, wait_initial_s=0.001, wait_max_s=0.002)
    client = LlmClient(Catalogue({"m": endpoint}, "m"), transport, MemoryLlmCache(), MemoryLedger())
    with pytest.raises(EndpointUnavailableError):
        await client.chat("a question", purpose="p", max_tokens=8)
    assert await client.ledger.spent() == LlmUsage()
    await client.close()


@pytest.mark.parametrize("told", [{}, {"usage": USAGE}], ids=["nothing told", "tokens told"])
async def test_a_stream_that_broke_off_counts_at_what_it_can_have_taken(told):
    async with _served(_says(EVENTS + _piece("def f", **told)), stream=True, attempts=2) as (client, asked):
        with pytest.raises(EndpointUnavailableError, match="broke off"):
            await client.chat("a question", purpose="p", max_tokens=8)
        spent, most = await client.ledger.spent(), client.at_most("a question", 8)
    assert len(asked) == 2 and _tokens(spent) == spent.lost_tokens == 2 * _tokens(most)


async def test_a_question_that_its_asker_leaves_while_it_is_answered_counts():
    async with _served(_says(b""), timeout_s=30.0) as (client, asked):
        asking = asyncio.create_task(client.chat("a question", purpose="p", max_tokens=8, only_while_awaited=True))
        while not asked:
            await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.wait({asking})
        await client.close()
        assert (await client.ledger.spent()).lost_tokens == _tokens(client.at_most("a question", 8))


async def test_a_question_that_its_asker_leaves_before_it_is_sent_costs_nothing():
    reached, left = asyncio.Event(), asyncio.Event()

    async def mute(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # It takes the connection, and says nothing of who it is.
        reached.set()
        await left.wait()
        writer.close()

    async with await asyncio.start_server(mute, "127.0.0.1", 0) as server, asyncio.timeout(60):
        endpoint = Endpoint("m", "m", f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        transport = OpenAiTransport(timeout_s=30.0, attempts=1)
        client = LlmClient(Catalogue({"m": endpoint}, "m"), transport, MemoryLlmCache(), MemoryLedger())
        asking = asyncio.create_task(client.chat("a question", purpose="p", max_tokens=8, only_while_awaited=True))
        await reached.wait()
        asking.cancel()
        await asyncio.wait({asking})
        left.set()
        await client.close()
        assert await client.ledger.spent() == LlmUsage()


async def test_what_the_ledger_did_not_take_counts_until_it_does():
    class Away(MemoryLedger):
        gone = True

        async def record(self, entry: Any) -> None:
            if self.gone:
                raise ConnectionRefusedError("no books")
            await super().record(entry)

    ledger = Away()
    async with _served(_says(b""), ledger=ledger, budget=Budget(tokens=30), attempts=1) as (client, asked):
        for question in ("one question", "two question"):
            with pytest.raises(ConnectionRefusedError):
                await client.chat(question, purpose="p", max_tokens=8)
        assert len(asked) == 1, "nothing is asked beside what nobody could book"
        ledger.gone = False
        with pytest.raises(EndpointUnavailableError):
            await client.chat("two question", purpose="p", max_tokens=8)
        with pytest.raises(BudgetSpentError):
            await client.chat("two question", purpose="p", max_tokens=8)
        assert len(asked) == 2 and _tokens(await ledger.spent()) <= 30


ENDLESS = b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"


@pytest.mark.parametrize("status", [200, 400, 503])
async def test_a_body_without_an_end_is_left(status):
    sent = 0

    async def script(_number: int, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(ENDLESS % status + b'{"choices": [{"message": {"content": "')
        while not writer.is_closing():
            writer.write(b"x" * 65_536)
            sent += 65_536
            await writer.drain()

    async with _served(script, attempts=1, timeout_s=5.0) as (client, _):
        with pytest.raises(FAULTS, match="goes on after" if status == 200 else str(status)):
            await asyncio.wait_for(client.chat("a question", purpose="p", max_tokens=8), 60)
        lost = (await client.ledger.spent()).lost_tokens
    assert sent < 32 * 2**20 and lost == (_tokens(client.at_most("a question", 8)) if status == 200 else 0)


async def test_a_body_that_comes_drop_by_drop_is_left():
    async def script(_number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(ENDLESS % 200)
        while not writer.is_closing():
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    async with _served(script, attempts=1, timeout_s=5.0, stream_s=0.5) as (client, _):
        with pytest.raises(EndpointFailedError, match=r"did not end in"):
            await client.chat("a question", purpose="p", max_tokens=8)
