"""One question over the wire, by the `openai` SDK; every failure gets its name here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, Protocol

import openai
import stamina
from pydantic import ValidationError

from touchstone_runtime.llm.bounds import BOUNDS, smaller_bound
from touchstone_runtime.llm.catalogue import Endpoint
from touchstone_runtime.llm.errors import (
    EndpointFailedError,
    EndpointRefusedError,
    EndpointUnavailableError,
    LlmHaltError,
)
from touchstone_runtime.llm.messages import ChatRequest
from touchstone_runtime.llm.refusals import named, nonsense, passing, refused_parameter, start_of, words_of
from touchstone_runtime.llm.wire import Collected, RawAnswer, read_completion, read_models, request_body

# A stream that brings more characters than so many a token of its bound is no answer.
_MOST_CHARACTERS_PER_TOKEN = 64
# So many smaller bounds of an answer are tried before a question is asked without one.
_MOST_LIMITS = 2
# Entered for each try: so many go at a time, and one that waits to be tried again holds up nobody.
Turn = Callable[[], AbstractAsyncContextManager[None]]


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
        stream_s: Longest that a stream may last, in seconds.
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
        # Models that the platform's own server was found to hold.
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
                    async with turn():
                        return await self._ask(endpoint, request)
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

    async def _ask(self, endpoint: Endpoint, request: ChatRequest) -> RawAnswer:
        await self._check_held(endpoint)
        constrained = bool(request.json_schema) and endpoint.base_url not in self._without_schema
        known = self._without_parameters.setdefault((endpoint.base_url, endpoint.model_id), set())
        once, lasting, left_out, unschooled = set[str](), set[str](), set[str](), False
        while True:
            body = self._body(endpoint, request, known | once | left_out, constrained=constrained)
            try:
                answer = await self._send(endpoint, request, body)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
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
        listing: Callable[[], Awaitable[Any]] = self.connection(endpoint).models.with_raw_response.list
        try:
            held = read_models(str((await listing()).text))
        except (openai.NotFoundError, openai.BadRequestError, openai.PermissionDeniedError):
            held = []
        if held and endpoint.model_id not in held:
            raise EndpointRefusedError(
                f"the platform's own model server holds {', '.join(held)}, not {endpoint.model_id}",
                thing=endpoint.address,
                way_out="name a model that it holds, start it with this one, or write name@http://host:port/v1",
            )
        self._held.add(place)

    async def _send(self, endpoint: Endpoint, request: ChatRequest, body: dict[str, Any]) -> RawAnswer:
        started = time.monotonic()
        # Raw, and typed by hand: the SDK's overloads want `stream`, and its models accept anything.
        create: Callable[..., Awaitable[Any]] = self.connection(endpoint).chat.completions.with_raw_response.create
        response = await create(**body)
        asked = sum(len(message.content) for message in request.messages)
        if "stream" not in body:
            answer = read_completion(str(response.text), endpoint, asked)
        elif response.headers.get("content-type", "").startswith("text/event-stream"):
            answer = await self._collect(endpoint, request, response, asked)
        else:
            # It passed over the wish, and answered at once.
            answer = read_completion((await response.http_response.aread()).decode("utf-8", "replace"), endpoint, asked)
        return replace(answer, seconds=round(time.monotonic() - started, 3))

    async def _collect(self, endpoint: Endpoint, request: ChatRequest, response: Any, asked: int) -> RawAnswer:
        """Read a stream to its end; one that breaks off before its answer ended is as if nothing had come."""
        stream: openai.AsyncStream[object] = response.parse(to=openai.AsyncStream[object])
        collected, most = Collected(), _MOST_CHARACTERS_PER_TOKEN * (request.max_tokens + 1024)
        try:
            # Silence ends by the client's timeout, and what never stops by this one.
            async with asyncio.timeout(self._stream_s), stream:
                async for piece in stream:
                    collected.add(piece)
                    if collected.characters > most:
                        raise nonsense(endpoint, f"its stream goes on after {most} characters")
        except TimeoutError as error:
            raise EndpointFailedError(
                f"the stream of {endpoint.model_id} at {endpoint.address} did not end in {self._stream_s:.0f} s",
                thing=endpoint.address,
                way_out="look at its log",
            ) from error
        except (openai.APIError, ValidationError, ValueError) as error:
            # Its answer may have ended before; only what it took is then unknown.
            if not collected.finished:
                raise _broken_off(response, str(error)) from error
        if not collected.finished:
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
                    timeout=self._timeout_s, trust_env=not endpoint.on_loopback
                ),
            )
        return self._clients[place]


def _broken_off(response: Any, why: str) -> openai.APIConnectionError:
    """A stream that came to no end: asked again as what does not connect is."""
    return openai.APIConnectionError(
        message=f"its stream broke off: {start_of(why)}", request=response.http_response.request
    )
