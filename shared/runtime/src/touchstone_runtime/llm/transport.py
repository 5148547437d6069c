"""One question over the wire, by the `openai` SDK; every failure gets its name here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Protocol

import httpx2
import openai
import stamina
from pydantic import ValidationError

from touchstone_runtime.llm.bounds import BOUNDS, smaller_bound
from touchstone_runtime.llm.catalogue import Endpoint
from touchstone_runtime.llm.errors import (
    EndpointFailedError,
    EndpointNonsenseError,
    EndpointRefusedError,
    EndpointUnavailableError,
    LlmHaltError,
    QuestionRefusedError,
)
from touchstone_runtime.llm.lost import Attempt
from touchstone_runtime.llm.messages import ChatRequest
from touchstone_runtime.llm.refusals import (
    FaultWithinError,
    fault_within,
    may_count,
    named,
    nonsense,
    passing,
    refused_parameter,
    start_of,
    words_of,
)
from touchstone_runtime.llm.wire import Collected, RawAnswer, read_completion, read_models, request_body

# A stream that brings more characters than so many a token of its bound is no answer.
_MOST_CHARACTERS_PER_TOKEN = 64
# A character of an answer is so many bytes at most, as JSON has it and with what stands beside it.
_BYTES_PER_CHARACTER = 8
# Bytes of a list of models.
_MOST_LISTED = 2**22
# Bytes of what is said of a fault; what they say beyond that is for nobody.
_MOST_SAID = 2**16
# So many smaller bounds of an answer are tried before a question is asked without one.
_MOST_LIMITS = 2
# The try whose question is being sent.
_UNDER_WAY: ContextVar[Attempt | None] = ContextVar("under_way", default=None)
# Entered for each try: so many go at a time, and one that waits to be tried again holds up nobody. What it gives is
# told how the try goes: one that was sent and not answered is counted.
Turn = Callable[[], AbstractAsyncContextManager[Attempt]]


class ChatTransport(Protocol):
    """Asks an endpoint once (retries of passing faults included)."""

    async def complete(self, endpoint: Endpoint, request: ChatRequest, turn: Turn) -> RawAnswer:
        """Ask.

        Args:
            endpoint: Whom.
            request: What.
            turn: Held while the endpoint is asked, and not between two tries.

        Raises:
            EndpointUnavailableError: It cannot be reached or keeps failing.
            EndpointRefusedError: It does not accept us.
            EndpointNonsenseError: Its answer is no chat completion.
            RequestRefusedError: It refuses this request; a `QuestionRefusedError` where it is the question.
            EndpointFailedError: It fails at this request.
        """
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class OpenAiTransport:
    """Any OpenAI-compatible endpoint.

    Args:
        api_keys: Keys by the `host:port` that each belongs to; no other endpoint ever sees it.
        timeout_s: Longest wait for one answer, in seconds; of a stream, for its next piece.
        stream_s: Longest that an answer may take to come in once it began, in seconds.
        attempts: Tries of one question before the endpoint counts as unavailable.
        wait_initial_s: First wait between tries; doubles up to `wait_max_s`.
        wait_max_s: Longest wait between tries.
    """

    def __init__(
        self,
        *,
        api_keys: dict[str, str] | None = None,
        timeout_s: float = 300.0,
        stream_s: float = 3600.0,
        attempts: int = 4,
        wait_initial_s: float = 0.5,
        wait_max_s: float = 10.0,
    ) -> None:
        self._api_keys = api_keys or {}
        self._timeout_s = timeout_s
        self._stream_s = stream_s
        self._attempts = attempts
        self._wait_initial_s = wait_initial_s
        self._wait_max_s = wait_max_s
        self._clients: dict[tuple[str, str], openai.AsyncOpenAI] = {}
        # Models that the platform's own server was found to hold, as long as its connections last.
        self._held: set[tuple[str, str]] = set()
        # Endpoints that were found not to know `response_format`: the schema then stands in the prompt only.
        self._without_schema: set[str] = set()
        # Parameters that a model at an address was found to refuse: it is asked without them from then on.
        self._without_parameters: dict[tuple[str, str], set[str]] = {}

    async def complete(self, endpoint: Endpoint, request: ChatRequest, turn: Turn) -> RawAnswer:
        """Ask, again while the fault may pass."""
        if not endpoint.base_url:
            raise EndpointUnavailableError(
                "the model has no address",
                thing=endpoint.name,
                way_out="set TOUCHSTONE_LLM_BASE_URL, or write name@http://host:port/v1",
            )
        try:
            async for attempt in stamina.retry_context(
                on=passing,
                attempts=self._attempts,
                timeout=None,
                wait_initial=self._wait_initial_s,
                wait_max=self._wait_max_s,
                wait_jitter=self._wait_initial_s,
            ):
                with attempt:
                    async with turn() as sent:
                        return await self._ask(endpoint, request, sent)
        except openai.APIError as error:
            fault = named(error, endpoint)
            if isinstance(fault, LlmHaltError):
                fault.own = endpoint.own
            raise fault from error
        raise AssertionError("a retry context either returns or raises")

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.close()
        self._clients.clear()

    async def _ask(self, endpoint: Endpoint, request: ChatRequest, sent: Attempt) -> RawAnswer:
        await self._check_held(endpoint)
        constrained = bool(request.json_schema) and endpoint.base_url not in self._without_schema
        known = self._without_parameters.setdefault((endpoint.base_url, endpoint.model_id), set())
        once, lasting, left_out, unschooled = set[str](), set[str](), set[str](), False
        while True:
            body = self._body(endpoint, request, known | once | left_out, constrained=constrained)
            try:
                answer = await self._send(endpoint, request, body, sent)
            except openai.APIStatusError as error:
                if error.status_code not in {400, 422}:
                    raise
                said, named_one = words_of(error), str(error.param or "")
                # Each round leaves out one more, or lowers the bound, so this ends.
                if name := refused_parameter(said, named_one, body):
                    left_out.add(name)
                elif smaller := smaller_bound(body, said, named_one):
                    once |= smaller.without if len(once) < _MOST_LIMITS else set(BOUNDS)
                    lasting |= smaller.without if smaller.lasting else set()
                elif constrained:
                    # Either the endpoint cannot constrain answers, or the request is impossible anyway: ask plainly.
                    constrained = False
                    unschooled = any(word in said.lower() for word in ("response_format", "schema", "grammar"))
                else:
                    raise
                continue
            # It was right to leave them out: what is refused without them as well may have been about something else.
            known |= lasting | left_out
            if unschooled:
                self._without_schema.add(endpoint.base_url)
            if endpoint.own and sent.connected:
                # Who answers on a new connection may be another than the one that was asked what it holds.
                self._held.discard((endpoint.base_url, endpoint.model_id))
                sent.open, sent.told = True, (answer.tokens_in, answer.tokens_out)
                await self._check_held(endpoint)
                sent.open = False
            return answer

    def _body(
        self, endpoint: Endpoint, request: ChatRequest, without: set[str], *, constrained: bool
    ) -> dict[str, Any]:
        body = request_body(endpoint, request, without, constrained=constrained)
        if endpoint.stream and "stream" not in without:
            body["stream"] = True
            if "stream_options" not in without:
                # Without it nobody tells the tokens of a stream.
                body["stream_options"] = {"include_usage": True}
        return body

    async def _check_held(self, endpoint: Endpoint) -> None:
        """Ask the platform's own server what it holds: it answers for any name, and scores would be another's."""
        place = (endpoint.base_url, endpoint.model_id)
        if not endpoint.own or place in self._held:
            return
        listing: Callable[[], AbstractAsyncContextManager[Any]]
        listing = self.connection(endpoint).models.with_streaming_response.list
        try:
            async with listing() as response:
                held = read_models(await self._whole(endpoint, response, _MOST_LISTED))
        except (openai.NotFoundError, openai.BadRequestError, openai.PermissionDeniedError):
            held = []
        if held and endpoint.model_id not in held:
            raise EndpointRefusedError(
                f"the platform's own model server holds {', '.join(held)}, not {endpoint.model_id}",
                thing=endpoint.address,
                way_out="name a model that it holds, start it with this one, or write name@http://host:port/v1",
            )
        self._held.add(place)

    async def _send(self, endpoint: Endpoint, request: ChatRequest, body: dict[str, Any], sent: Attempt) -> RawAnswer:
        started = time.monotonic()
        # Not read before its length is known, and typed by hand: the SDK's models accept anything.
        completions = self.connection(endpoint).chat.completions.with_streaming_response
        create: Callable[..., Any] = completions.create
        opened: AbstractAsyncContextManager[Any] = create(**body)
        under_way = _UNDER_WAY.set(sent)
        try:
            async with opened as response:
                answer = await self._answer(endpoint, request, response, streams="stream" in body)
        except openai.APIError as error:
            sent.open = may_count(error)
            sent.told = error.taken if isinstance(error, FaultWithinError) else None
            raise
        except (EndpointNonsenseError, EndpointFailedError, QuestionRefusedError) as error:
            sent.told = error.taken
            raise
        finally:
            _UNDER_WAY.reset(under_way)
        sent.open = False
        # None at all is of what came with a batch.
        return replace(answer, seconds=max(round(time.monotonic() - started, 3), 0.001))

    async def _answer(self, endpoint: Endpoint, request: ChatRequest, response: Any, *, streams: bool) -> RawAnswer:
        asked = sum(len(message.content) for message in request.messages)
        most = _MOST_CHARACTERS_PER_TOKEN * (request.max_tokens + 1024)
        if streams and response.headers.get("content-type", "").startswith("text/event-stream"):
            return await self._collect(endpoint, most, response, asked)
        # Where a stream was wished for it passed over the wish, and answered at once.
        candidates = 1 + request.top_logprobs
        return read_completion(
            await self._whole(endpoint, response, most * _BYTES_PER_CHARACTER * candidates), endpoint, asked
        )

    @asynccontextmanager
    async def _in_time(self, endpoint: Endpoint) -> AsyncGenerator[None]:
        """Silence ends by the client's timeout, and what never stops by this one."""
        try:
            async with asyncio.timeout(self._stream_s):
                yield
        except TimeoutError as error:
            raise EndpointFailedError(
                f"the answer of {endpoint.model_id} at {endpoint.address} did not end in {self._stream_s:.0f} s",
                thing=endpoint.address,
                way_out="look at its log",
            ) from error

    async def _whole(self, endpoint: Endpoint, response: Any, most: int) -> str:
        """Read a body to its end, of which nobody knows beforehand how far that is.

        Raises:
            EndpointNonsenseError: It has more bytes than that.
            EndpointFailedError: It does not end in time.
        """
        read, request = bytearray(), response.http_response.request
        try:
            async with self._in_time(endpoint):
                async for part in response.iter_bytes():
                    read += part
                    if len(read) > most:
                        raise _endless(endpoint, f"its answer goes on after {most} bytes")
        except httpx2.TimeoutException as error:
            raise openai.APITimeoutError(request=request) from error
        except httpx2.HTTPError as error:
            raise openai.APIConnectionError(request=request) from error
        return read.decode("utf-8", "replace")

    async def _collect(self, endpoint: Endpoint, most: int, response: Any, asked: int) -> RawAnswer:
        """Read a stream to its end; one that breaks off before its answer ended is as if nothing had come."""
        stream: _Pieces = await response.parse(to=_Pieces)
        collected = Collected()
        try:
            async with self._in_time(endpoint), stream:
                async for piece in stream:
                    collected.add(piece)
                    if collected.characters > most:
                        raise _endless(endpoint, f"its stream goes on after {most} characters")
        except (openai.APIError, ValidationError, ValueError) as error:
            # Its answer may have ended before; only what it took is then unknown.
            if not collected.finished:
                if type(error) is openai.APIError and (fault := fault_within(endpoint, {"error": error.body})):
                    fault.taken = None if collected.characters else (0, 0)
                    raise fault from error
                raise _broken_off(response, str(error)) from error
        # Who says that all is told, and no end of it, says so the next time as well.
        if not collected.finished and not stream.done:
            raise _broken_off(response, "it ended without an end of its answer")
        return collected.answer(endpoint, asked)

    def connection(self, endpoint: Endpoint) -> openai.AsyncOpenAI:
        """The SDK's client of an endpoint, with the key that belongs to it and no retries of its own."""
        # Local servers take any key, and the SDK insists on one.
        key = self._api_keys.get(endpoint.place) or "none"
        place = (endpoint.base_url, key)
        if place not in self._clients:
            self._clients[place] = openai.AsyncOpenAI(
                base_url=endpoint.base_url,
                api_key=key,
                max_retries=0,
                timeout=self._timeout_s,
                # A proxy from the environment never stands between this machine and itself.
                http_client=openai.DefaultAsyncHttpx2Client(
                    timeout=self._timeout_s,
                    trust_env=not endpoint.on_loopback,
                    event_hooks={"request": [_tell_when_sent], "response": [_bound_faults]},
                ),
            )
        return self._clients[place]


class _Pieces(openai.AsyncStream[object]):
    """A stream that knows whether its end was told."""

    done = False

    async def _iter_events(self) -> AsyncIterator[Any]:
        async for event in super()._iter_events():
            self.done = self.done or event.data.startswith("[DONE]")
            yield event


async def _tell_when_sent(request: httpx2.Request) -> None:
    """Of whoever leaves while it still connects nothing was sent; from the first byte on it may be counted."""
    if (sent := _UNDER_WAY.get()) is None:
        return

    async def trace(event: str, _info: object) -> None:
        sent.open = sent.open or event.endswith("send_request_headers.started")
        sent.connected = sent.connected or event.endswith("connect_tcp.started")

    request.extensions["trace"] = trace


class _Beginning(httpx2.AsyncByteStream):
    """The beginning of a body; the rest is not read."""

    def __init__(self, whole: httpx2.AsyncByteStream, most: int) -> None:
        self._whole = whole
        self._most = most

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        left = self._most
        async for part in self._whole:
            yield part[:left]
            left -= len(part)
            if left <= 0:
                return

    async def aclose(self) -> None:
        await self._whole.aclose()


async def _bound_faults(response: httpx2.Response) -> None:
    """The SDK reads what a server says of a fault to its end, wherever that is."""
    if not response.is_success and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Beginning(response.stream, _MOST_SAID)


def _endless(endpoint: Endpoint, said: str) -> EndpointNonsenseError:
    fault = nonsense(endpoint, said)
    fault.of_a_model = True
    return fault


def _broken_off(response: Any, why: str) -> openai.APIConnectionError:
    """A stream that came to no end: asked again as what does not connect is."""
    return openai.APIConnectionError(
        message=f"its stream broke off: {start_of(why)}", request=response.http_response.request
    )
