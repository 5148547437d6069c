"""One question over the wire, by the `openai` SDK; every failure gets its name here."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Protocol

import httpx2
import openai
import stamina
from pydantic import BaseModel, ConfigDict, ValidationError

from touchstone_runtime.llm.catalogue import Endpoint
from touchstone_runtime.llm.errors import (
    EndpointFailedError,
    EndpointNonsenseError,
    EndpointRefusedError,
    EndpointUnavailableError,
    LlmHaltError,
    RequestRefusedError,
)
from touchstone_runtime.llm.messages import ChatRequest, Logprobs

_CHARACTERS_PER_TOKEN = 4
_OPENING, _CLOSING = "<think>", "</think>"
# Answers of a server, or of what stands before it, that says nothing of the request in hand.
_AWAY = frozenset({502, 503, 504, 529})
# Entered for each try: so many go at a time, and one that waits to be tried again holds up nobody.
Turn = Callable[[], AbstractAsyncContextManager[None]]


@dataclass(frozen=True)
class RawAnswer:
    """What an endpoint said; `seconds` is the time of the attempt that succeeded.

    An endpoint that does not tell its tokens is booked at a quarter of the characters. What a model thinks before it
    answers is no part of the text; its tokens are, of those answered.
    """

    text: str
    finish_reason: str
    tokens_in: int
    tokens_out: int
    seconds: float = 0.0
    logprobs: Logprobs = ()
    thought_tokens: int = 0


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
            RequestRefusedError: It refuses this request.
        """
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _WireMessage(_Loose):
    content: str | None = None
    # What a model thought, where the endpoint tells it apart; two names are in use.
    reasoning_content: str | None = None
    reasoning: str | None = None


class _WireCandidate(_Loose):
    token: str
    logprob: float


class _WireToken(_Loose):
    top_logprobs: list[_WireCandidate] = []


class _WireLogprobs(_Loose):
    content: list[_WireToken] | None = None


class _WireChoice(_Loose):
    message: _WireMessage
    finish_reason: str | None = None
    logprobs: _WireLogprobs | None = None


class _WireDetails(_Loose):
    reasoning_tokens: int | None = None


class _WireUsage(_Loose):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    completion_tokens_details: _WireDetails | None = None


class _WireCompletion(_Loose):
    choices: list[_WireChoice]
    usage: _WireUsage | None = None


class _WireModel(_Loose):
    id: str


class _WireModels(_Loose):
    data: list[_WireModel]


class OpenAiTransport:
    """Any OpenAI-compatible endpoint.

    Args:
        api_keys: Keys by the `host:port` that each belongs to; no other endpoint ever sees it.
        timeout_s: Longest wait for one answer, in seconds.
        attempts: Tries of one question before the endpoint counts as unavailable.
        wait_initial_s: First wait between tries; doubles up to `wait_max_s`.
        wait_max_s: Longest wait between tries.
    """

    def __init__(
        self,
        *,
        api_keys: dict[str, str] | None = None,
        timeout_s: float = 300.0,
        attempts: int = 4,
        wait_initial_s: float = 0.5,
        wait_max_s: float = 10.0,
    ) -> None:
        self._api_keys = api_keys or {}
        self._timeout_s = timeout_s
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
                on=_passing,
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
            named = _named(error, endpoint)
            if isinstance(named, LlmHaltError):
                named.own = endpoint.own
            raise named from error
        raise AssertionError("a retry context either returns or raises")

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.close()
        self._clients.clear()

    async def _ask(self, endpoint: Endpoint, request: ChatRequest) -> RawAnswer:
        await self._check_held(endpoint)
        constrained = bool(request.json_schema) and endpoint.base_url not in self._without_schema
        place = (endpoint.base_url, endpoint.model_id)
        while True:
            try:
                return await self._send(endpoint, request, constrained=constrained)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                known = self._without_parameters.setdefault(place, set())
                if name := _refused_parameter(error, known):
                    # Each round leaves out one more, so this ends.
                    known.add(name)
                    continue
                # Either the endpoint cannot constrain answers, or the request is impossible anyway: ask plainly once.
                if not constrained:
                    raise
                answer = await self._send(endpoint, request, constrained=False)
                if any(word in str(error).lower() for word in ("response_format", "schema", "grammar")):
                    self._without_schema.add(endpoint.base_url)
                return answer

    async def _check_held(self, endpoint: Endpoint) -> None:
        """Ask the platform's own server what it holds: it answers for any name, and scores would be another's."""
        place = (endpoint.base_url, endpoint.model_id)
        if not endpoint.own or place in self._held:
            return
        listing: Callable[[], Awaitable[Any]] = self._client(endpoint).models.with_raw_response.list
        try:
            held = _models(str((await listing()).text))
        except (openai.NotFoundError, openai.BadRequestError, openai.PermissionDeniedError):
            held = []
        if held and endpoint.model_id not in held:
            raise EndpointRefusedError(
                f"the platform's own model server holds {', '.join(held)}, not {endpoint.model_id}",
                thing=endpoint.base_url,
                way_out="name a model that it holds, start it with this one, or write name@http://host:port/v1",
            )
        self._held.add(place)

    async def _send(self, endpoint: Endpoint, request: ChatRequest, *, constrained: bool) -> RawAnswer:
        extra: dict[str, Any] = {}
        if constrained:
            extra["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": request.json_schema, "strict": True},
            }
        if request.stop:
            extra["stop"] = list(request.stop)
        if request.top_logprobs:
            extra |= {"logprobs": True, "top_logprobs": request.top_logprobs}
        started = time.monotonic()
        turns = [{"role": message.role, "content": message.content} for message in request.messages]
        # Raw, and typed by hand: the SDK's overloads want `stream`, and its models accept anything.
        create: Callable[..., Awaitable[Any]] = self._client(endpoint).chat.completions.with_raw_response.create
        extra |= {"max_tokens": request.max_tokens, "temperature": request.temperature, "seed": request.seed}
        without = self._without_parameters.get((endpoint.base_url, endpoint.model_id), set[str]())
        if "max_tokens" in without and "max_completion_tokens" not in without:
            # The newer name of the same bound.
            extra["max_completion_tokens"] = request.max_tokens
        told = {name: value for name, value in extra.items() if name not in without}
        response = await create(model=endpoint.model_id, messages=turns, **told)
        asked = sum(len(message.content) for message in request.messages)
        return replace(_read(str(response.text), endpoint, asked), seconds=round(time.monotonic() - started, 3))

    def _client(self, endpoint: Endpoint) -> openai.AsyncOpenAI:
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


# Parameters that an answer can be asked for without, and words by which endpoints refuse them.
_OPTIONAL = ("max_completion_tokens", "max_tokens", "temperature", "seed", "stop", "top_logprobs", "logprobs")
_UNKNOWN = ("unsupported", "not support", "unrecognized", "unknown", "not permitted", "not allowed", "deprecated")


def _refused_parameter(error: openai.APIStatusError, known: set[str]) -> str:
    """The parameter that an endpoint does not take, whatever its value; empty where the request itself is at fault."""
    said = str(error).lower()
    named = str(error.param or "")
    if not any(word in said for word in _UNKNOWN):
        return ""
    candidates = (name for name in _OPTIONAL if name not in known)
    return next((name for name in candidates if name == named or (not named and name in said)), "")


def _read(text: str, endpoint: Endpoint, asked: int) -> RawAnswer:
    try:
        completion = _WireCompletion.model_validate_json(text)
    except ValidationError as error:
        raise _nonsense(endpoint, f"its answer is no chat completion: {_start(text)!r}") from error
    if not completion.choices:
        raise _nonsense(endpoint, "its answer holds no choice")
    choice = completion.choices[0]
    thought, said = _thought(choice.message.content or "")
    thought = choice.message.reasoning_content or choice.message.reasoning or thought
    guessed = len(thought) // _CHARACTERS_PER_TOKEN
    used = completion.usage or _WireUsage(
        prompt_tokens=asked // _CHARACTERS_PER_TOKEN + 1,
        completion_tokens=len(said) // _CHARACTERS_PER_TOKEN + guessed,
    )
    told = used.completion_tokens_details and used.completion_tokens_details.reasoning_tokens
    return RawAnswer(
        text=said,
        finish_reason=choice.finish_reason or "",
        tokens_in=used.prompt_tokens,
        tokens_out=used.completion_tokens,
        logprobs=_logprobs(choice),
        thought_tokens=min(guessed if told is None else told, used.completion_tokens),
    )


def _thought(text: str) -> tuple[str, str]:
    """What a model thought aloud before it answered, and the answer, which comes late or not at all.

    Some endpoints leave the opening mark to the prompt, so that an answer begins within the thought.
    """
    opened = text.lstrip().startswith(_OPENING)
    before, mark, after = text.partition(_CLOSING)
    if mark and (opened or _OPENING not in before):
        return before, after.lstrip()
    return (text, "") if opened else ("", text)


def _logprobs(choice: _WireChoice) -> Logprobs:
    places = (choice.logprobs and choice.logprobs.content) or []
    return tuple(tuple((each.token, each.logprob) for each in place.top_logprobs) for place in places)


def _models(text: str) -> list[str]:
    try:
        return [model.id for model in _WireModels.model_validate_json(text).data]
    except ValidationError:
        return []


def _passing(error: Exception) -> bool | timedelta:
    """Whether asking again may help, and after what wait when the endpoint says so itself."""
    if isinstance(error, openai.APIConnectionError):
        return True
    if not isinstance(error, openai.APIStatusError):
        return False
    if error.status_code in {408, 409, 429} or error.status_code >= 500:
        asked = error.response.headers.get("retry-after", "")
        return timedelta(seconds=min(float(asked), 60.0)) if asked.isdecimal() else True
    return False


def _named(error: openai.APIError, endpoint: Endpoint) -> Exception:
    place = f"{endpoint.model_id} at {endpoint.base_url}"
    said = _said(error)
    if isinstance(error, openai.APIConnectionError):
        return EndpointUnavailableError(
            f"the model endpoint {place} cannot be reached: {said}",
            thing=endpoint.base_url,
            way_out="start it or correct its address; the work then goes on by itself",
        )
    if not isinstance(error, openai.APIStatusError):
        return _nonsense(endpoint, said)
    if error.status_code in {401, 403}:
        return EndpointRefusedError(
            f"the model endpoint {place} does not accept the key ({error.status_code}): {said}",
            thing=endpoint.base_url,
            way_out="set TOUCHSTONE_LLM_API_KEY for the platform's own endpoint, TOUCHSTONE_LLM_API_KEYS for others",
        )
    if error.status_code == 404:
        return EndpointRefusedError(
            f"the model endpoint {place} knows no such model or path: {said}",
            thing=endpoint.base_url,
            way_out="correct the model's id or its address (it usually ends in /v1)",
        )
    if error.status_code >= 500 and error.status_code not in _AWAY:
        return EndpointFailedError(
            f"the model endpoint {place} fails at this request ({error.status_code}): {said}",
            thing=endpoint.base_url,
            way_out="look at its log",
        )
    if error.status_code in {408, 409, 429} or error.status_code >= 500:
        return EndpointUnavailableError(
            f"the model endpoint {place} keeps failing ({error.status_code}): {said}",
            thing=endpoint.base_url,
            way_out="look at its log; the work goes on by itself once it answers",
        )
    return RequestRefusedError(
        f"the model endpoint {place} refuses the request ({error.status_code}): {said}",
        thing=endpoint.name,
        way_out="is the request longer than the model's context?",
    )


def _nonsense(endpoint: Endpoint, detail: str) -> EndpointNonsenseError:
    return EndpointNonsenseError(
        f"the model endpoint {endpoint.base_url} answers nonsense: {detail}",
        thing=endpoint.base_url,
        way_out="is this an OpenAI-compatible address, ending in /v1?",
    )


def _said(error: openai.APIError) -> str:
    cause = error.__cause__
    if isinstance(error, openai.APITimeoutError):
        return "no answer in time"
    if isinstance(cause, httpx2.HTTPError) and str(cause):
        return _start(str(cause))
    return _start(error.message if isinstance(error.body, str | None) else json.dumps(error.body))


def _start(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"
