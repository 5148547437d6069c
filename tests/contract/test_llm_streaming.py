"""Answers that come piece by piece, from a real server that also comes late, breaks off and never ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from touchstone_runtime.llm import (
    Catalogue,
    Endpoint,
    EndpointFailedError,
    EndpointNonsenseError,
    EndpointRefusedError,
    EndpointUnavailableError,
    LlmClient,
    MemoryLedger,
    MemoryLlmCache,
    OpenAiTransport,
    QuestionRefusedError,
    RequestRefusedError,
)

EVENTS = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n"
Script = Callable[[int, dict[str, Any], asyncio.StreamWriter], Awaitable[None]]


def _event(data: object) -> bytes:
    return f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


def _piece(content: str | None = None, *, end: str | None = None, **more: Any) -> bytes:
    return _event({"choices": [{"index": 0, "delta": {"content": content, **more}, "finish_reason": end}]})


def _plain(status: int, body: object) -> bytes:
    data = json.dumps(body).encode()
    head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n"
    return f"{head}connection: close\r\n\r\n".encode() + data


USAGE = {"prompt_tokens": 7, "completion_tokens": 50, "completion_tokens_details": {"reasoning_tokens": 40}}
WHOLE = _piece("hel") + _piece("lo") + _piece(end="stop") + _event({"choices": [], "usage": USAGE}) + _event("[DONE]")


@contextlib.asynccontextmanager
async def _served(script: Script, **of_transport: Any) -> AsyncIterator[tuple[LlmClient, list[dict[str, Any]]]]:
    """A client of a model that is streamed, and what its server was asked."""
    bodies: list[dict[str, Any]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            head = await reader.readuntil(b"\r\n\r\n")
            (length,) = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if b"content-length" in line]
            bodies.append(json.loads(await reader.readexactly(int(length))))
            await script(len(bodies), bodies[-1], writer)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    settings = {"attempts": 3, "timeout_s": 5.0, "wait_initial_s": 0.001, "wait_max_s": 0.002} | of_transport
    endpoint = Endpoint("m", "m", url, usd_per_mtoken_out=1.0, stream=True)
    client = LlmClient(
        Catalogue({"m": endpoint}, "m"), OpenAiTransport(**settings), MemoryLlmCache(), MemoryLedger(), concurrency=2
    )
    try:
        yield client, bodies
    finally:
        await client.close()
        server.close()


def _says(*parts: bytes) -> Script:
    async def script(_number: int, _body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        writer.write(b"".join(parts))

    return script


async def test_a_streamed_answer_is_whole_and_its_tokens_are_booked():
    async with _served(_says(EVENTS, WHOLE)) as (client, bodies):
        answer = await client.chat("one", purpose="p", max_tokens=8)
        spent = await client.ledger.spent()
    assert (answer.text, answer.finish_reason, answer.thought_tokens) == ("hello", "stop", 40)
    assert (spent.tokens_in, spent.tokens_out, spent.calls) == (7, 50, 1)
    assert spent.cost_usd == pytest.approx(50e-6)
    assert bodies[0]["stream"] is True and bodies[0]["stream_options"] == {"include_usage": True}


async def test_an_answer_that_comes_late_is_waited_for_while_anything_comes():
    async def script(_number: int, _body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        writer.write(EVENTS)
        # Thirty times as long as the client would wait for a silent server, with thoughts and signs of life between.
        for number in range(60):
            writer.write(_piece(reasoning_content="hm ") if number % 2 else b": still here\n\n")
            await writer.drain()
            await asyncio.sleep(0.25)
        writer.write(WHOLE)

    async with _served(script, attempts=1, timeout_s=4.0) as (client, _):
        answer = await client.chat("one", purpose="p", max_tokens=8)
    assert answer.text == "hello" and answer.usage.seconds > 14


async def test_a_silent_stream_is_given_up_and_is_no_answer():
    async def script(_number: int, _body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        writer.write(EVENTS + _piece("hel"))
        await writer.drain()
        await asyncio.sleep(30)

    async with _served(script, attempts=1, timeout_s=0.3) as (client, _):
        with pytest.raises(EndpointUnavailableError, match="broke off"):
            await client.chat("one", purpose="p", max_tokens=8)
        assert (await client.ledger.spent()).calls == 0


BROKEN = {
    "closed": _piece("def f(): ret"),
    "an error within": _piece("def f(): ret") + _event({"error": {"message": "worker died"}}),
    "no json": _piece("def f(): ret") + _event('{"choices": [{"del'),
    "another form": _piece("def f(): ret") + _event({"choices": 5}) + WHOLE,
    "nothing": b"",
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
async def test_a_stream_that_breaks_off_is_asked_again_and_nothing_of_it_is_kept(broken):
    async def script(number: int, _body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        writer.write(EVENTS + (broken if number < 3 else WHOLE))

    async with _served(script) as (client, bodies):
        answer = await client.chat("one", purpose="p", max_tokens=8)
        assert (answer.text, len(bodies), (await client.ledger.spent()).calls) == ("hello", 3, 1)
    async with _served(_says(EVENTS, broken)) as (client, bodies):
        with pytest.raises(EndpointUnavailableError, match="broke off"):
            await client.chat("one", purpose="p", max_tokens=8)
        assert len(bodies) == 3 and (await client.ledger.spent()).calls == 0


@pytest.mark.parametrize(("begun", "lost"), [(b"", False), (_piece("def f(): ret"), True)])
@pytest.mark.parametrize(
    ("fault", "error", "asked"),
    [
        ({"message": "worker died", "code": 500}, EndpointFailedError, 3),
        ({"message": "the provider is away", "code": "502"}, EndpointUnavailableError, 3),
        ({"message": "the maximum context length is 4096 tokens", "code": 400}, QuestionRefusedError, 2),
        ({"message": "no credit left", "code": 402}, EndpointRefusedError, 1),
    ],
)
async def test_a_fault_in_a_stream_is_read_as_the_status_that_it_names(begun, lost, fault, error, asked):
    beside = {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]}
    stream = begun + _event({"error": fault} | beside) + _event("[DONE]")
    async with _served(_says(EVENTS, stream)) as (client, bodies):
        with pytest.raises(error, match=fault["message"]):
            await client.chat("one", purpose="p", max_tokens=8)
        assert len(bodies) == asked and bool((await client.ledger.spent()).lost_tokens) == lost


async def test_a_stream_that_tells_all_of_itself_but_its_end_is_no_answer_and_is_not_asked_again_at_once():
    async with _served(_says(EVENTS, _piece("def f(): ret") + _event("[DONE]"))) as (client, bodies):
        with pytest.raises(EndpointFailedError, match="whether its answer ended"):
            await client.chat("one", purpose="p", max_tokens=8)
        spent = await client.ledger.spent()
    assert len(bodies) == 1 and (spent.calls, spent.lost_tokens) == (0, spent.tokens_in + spent.tokens_out) and spent


async def test_a_connection_reset_in_the_middle_is_asked_again():
    async def script(number: int, _body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        writer.write(EVENTS + (_piece("hel") if number == 1 else WHOLE))
        await writer.drain()
        if number == 1:
            writer.transport.abort()

    async with _served(script) as (client, bodies):
        assert (await client.chat("one", purpose="p", max_tokens=8)).text == "hello"
    assert len(bodies) == 2


async def test_an_answer_that_ended_before_its_stream_broke_is_an_answer_of_unknown_tokens():
    async with _served(_says(EVENTS, _piece("four chars each"), _piece(end="length"), _event("{"))) as (client, bodies):
        answer = await client.chat("12345678", purpose="p", max_tokens=8)
    assert (answer.text, answer.finish_reason, answer.usage.tokens_in, answer.usage.tokens_out, len(bodies)) == (
        *("four chars each", "length", 3, 3, 1),
    )


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("refused", [("stream_options",), ("stream_options", "stream"), ("stream", "stream_options")])
async def test_an_endpoint_that_refuses_a_stream_is_asked_without_from_then_on(refused, named):
    async def script(_number: int, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        name = next((name for name in refused if name in body), "")
        told = {"message": f"{name} is not supported by this model", **({"param": name} if named else {})}
        completion = {"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}]}
        if name:
            writer.write(_plain(400, {"error": told}))
        else:
            writer.write(EVENTS + WHOLE if "stream" in body else _plain(200, completion))

    async with _served(script) as (client, bodies):
        for question in ("one", "two"):
            assert (await client.chat(question, purpose="p", max_tokens=8)).text == "hello"
    assert not any(name in bodies[-1] for name in refused)
    assert len(bodies) <= 2 + len(refused)


async def test_an_endpoint_that_passes_over_the_wish_is_understood():
    completion = {"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}], "usage": USAGE}
    async with _served(_says(_plain(200, completion))) as (client, _):
        answer = await client.chat("one", purpose="p", max_tokens=8)
    assert (answer.text, answer.usage.tokens_out) == ("hello", 50)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_faults_before_a_stream_begins_pass(status):
    async def script(number: int, _body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        writer.write(_plain(status, {"error": {"message": "busy"}}) if number < 3 else EVENTS + WHOLE)

    async with _served(script) as (client, bodies):
        assert (await client.chat("one", purpose="p", max_tokens=8)).text == "hello"
    assert len(bodies) == 3


async def test_a_refused_request_is_refused():
    async with _served(_says(_plain(400, {"error": {"message": "exceeds context"}}))) as (client, bodies):
        with pytest.raises(RequestRefusedError, match="exceeds context"):
            await client.chat("one", purpose="p", max_tokens=8)
    # Whether it is the question or the bound of its answer, only asking without a bound tells.
    assert ["max_tokens" in body for body in bodies] == [True, False]


async def test_a_stream_that_never_ends_is_left():
    async def script(_number: int, _body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        writer.write(EVENTS)
        while not writer.is_closing():
            writer.write(b": still here\n\n")
            await writer.drain()
            await asyncio.sleep(0.02)

    async with _served(script, stream_s=0.5) as (client, _):
        with pytest.raises(EndpointFailedError, match="did not end in"):
            await client.chat("one", purpose="p", max_tokens=8)


async def test_a_stream_of_more_than_an_answer_can_have_is_nonsense():
    async def script(_number: int, _body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        writer.write(EVENTS)
        while not writer.is_closing():
            writer.write(_piece("x" * 10_000))
            await writer.drain()

    async with _served(script) as (client, _):
        with pytest.raises(EndpointNonsenseError, match="goes on after"):
            await client.chat("one", purpose="p", max_tokens=8)


async def test_other_choices_unknown_fields_and_empty_pieces_change_nothing():
    stream = (
        _event({"choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": "stop"}]})
        + _event({"choices": [], "note": {"deep": [1]}})
        + _event({"choices": [{"index": 0, "delta": None}]})
        + _event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": "<think>a</thi"}}]})
        + _piece("nk>b")
        + _piece(end="stop", tool_calls=None)
    )
    async with _served(_says(EVENTS, stream)) as (client, _):
        answer = await client.chat("one", purpose="p", max_tokens=8)
    assert answer.text == "b"


async def test_log_probabilities_of_a_stream_are_gathered():
    def told(token: str) -> dict[str, Any]:
        return {"content": [{"token": token, "top_logprobs": [{"token": token, "logprob": -0.5}]}]}

    stream = b"".join(
        _event({"choices": [{"index": 0, "delta": {"content": token}, "logprobs": told(token)}]}) for token in "ab"
    )
    async with _served(_says(EVENTS, stream + _piece(end="stop"))) as (client, _):
        answer = await client.chat("one", purpose="p", max_tokens=8, top_logprobs=1)
    assert answer.logprobs == ((("a", -0.5),), (("b", -0.5),))


async def test_thoughts_that_are_counted_beside_the_answer_are_paid_for():
    usage = {"prompt_tokens": 7, "completion_tokens": 10, "total_tokens": 57}
    usage |= {"completion_tokens_details": {"reasoning_tokens": 40}}
    stream = _piece("hello", end="stop") + _event({"choices": [], "usage": usage})
    async with _served(_says(EVENTS, stream)) as (client, _):
        answer = await client.chat("one", purpose="p", max_tokens=8)
    assert (answer.usage.tokens_out, answer.thought_tokens) == (50, 40)
