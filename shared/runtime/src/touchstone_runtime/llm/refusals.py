"""What an endpoint's refusals and faults mean: ask again, ask otherwise, or which error they are."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import cast

import httpx2
import openai

from touchstone_runtime.llm.catalogue import Endpoint
from touchstone_runtime.llm.errors import (
    EndpointFailedError,
    EndpointNonsenseError,
    EndpointRefusedError,
    EndpointUnavailableError,
    QuestionRefusedError,
    RequestRefusedError,
)

# Answers of a server, or of what stands before it, that says nothing of the request in hand; those from 520 on are what
# Cloudflare says of a server that it does not reach.
_AWAY = frozenset({502, 503, 504, *range(520, 528), 529, 530})
# Answers of what stands before a server that passed the question on, and waited in vain.
_PASSED_ON = frozenset({504, 524})
# Faults before a question was sent whole.
_NOT_SENT = (
    *(httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError, httpx2.UnsupportedProtocol),
    *(httpx2.WriteError, httpx2.WriteTimeout, httpx2.LocalProtocolError),
)
# Answers that may speak of the request in hand; what else a server refuses, it refuses us.
_OF_THE_REQUEST = frozenset({400, 413, 422})
_FORBIDDEN = 403
_TOO_LARGE = 413
# Whatever an endpoint wishes for, it is asked again after so many seconds.
_LONGEST_WAIT_S = 60.0
# Words by which endpoints say that it is the question: too long, or against their rules. Whatever else they say (no
# credit left, a key or a place that is not served, a value out of range) says nothing of the question.
_OF_THE_QUESTION = re.compile(
    r"context[ _-]?(length|window|size|limit)"
    r"|(exceed|fit|beyond|large|long|big|max)[^.]{0,40}\bcontext\b(?! deadline| cancel)"
    r"|too (long|many tokens)|(input|prompt|maximum) (length|tokens)|\d tokens\b.*\bprompt|prompt\b.*\d tokens\b"
    r"|content (policy|management|filter|exists risk)|content_(policy|filter)|usage policy"
    r"|violat\w*[^.]{0,60}\b(usage|use|content|community|our) (polic|guideline|rule)"
    r"|(inappropriate|sensitive|harmful) content|data_?inspection|(been|was|were|is|are) flagged|flagged (as|by|for)\b"
    r"|moderation[ _](policy|filter|system|block|flag)|(block|fail|refus|reject)\w*[^.]{0,40}\bmoderation\b"
    r"|safety (system|filter|setting|polic|guideline|reason|check)|(block|refus|reject|violat)\w*[^.]{0,60}\bsafety\b",
    re.IGNORECASE | re.DOTALL,
)
# What of a refusal gives the request back: a task's own words say nothing of it.
_GIVEN_BACK = frozenset({"input", "ctx", "body", "request", "messages", "prompt", "loc", "received", "flagged_input"})
# Words by which they say that it is us, whatever else they say: what we may ask in a minute, or what we paid for.
# Or what is thought of our account.
_OF_US = re.compile(
    r"\bper (second|minute|hour|day)\b|rate.?limit|\bquota\b|\bcredits?\b|\bbilling\b"
    r"|\b(account|organi[sz]ation|project|workspace|api[ _-]?key)\b[^.]{0,40}"
    r"\b(flag|suspend|disabl|bann|block|deactivat|restrict|terminat)\w*",
    re.IGNORECASE,
)
# Parameters that an answer can be asked for without, and words by which endpoints refuse them.
_OPTIONAL = (
    *("stream_options", "stream"),
    *("max_completion_tokens", "max_tokens", "temperature", "seed", "stop", "top_logprobs", "logprobs"),
)
_UNKNOWN = ("unsupported", "not support", "unrecognized", "unknown", "not permitted", "not allowed", "deprecated")


def refused_parameter(said: str, named: str, told: Collection[str]) -> str:
    """The parameter that an endpoint does not take, whatever its value; empty where the request itself is at fault.

    Args:
        said: The endpoint's words.
        named: The parameter that it names; empty where it names none.
        told: The parameters that it was told.
    """
    said = said.lower()
    if not any(word in said for word in _UNKNOWN):
        return ""
    candidates = (name for name in _OPTIONAL if name in told)
    return next((name for name in candidates if name == named or (not named and _names(said, name))), "")


def _names(said: str, parameter: str) -> bool:
    """Whether words name a parameter: a longer word, or the name of a model, does not."""
    return re.search(rf"(?<![\w-]){parameter}(?![\w-])", said) is not None


def own_words(said: object) -> str:
    """What a refusal says of itself, without the request where it gives that back.

    Args:
        said: The body, as JSON or as its text.

    Example:
        >>> own_words('{"detail": [{"msg": "Field required", "input": {"messages": ["in context"]}}]}')
        'Field required'
    """
    if isinstance(said, str):
        try:
            read: object = json.loads(said)
        except (ValueError, RecursionError):
            return said
        return own_words(cast("object", read)) if isinstance(read, dict | list) else said
    if isinstance(said, dict):
        entries = cast("dict[object, object]", said).items()
        # A status written as a text is none of its words.
        told = (own_words(value) for name, value in entries if name not in _GIVEN_BACK)
        return " ".join(word for word in told if word and not word.isdecimal())
    if isinstance(said, list):
        return " ".join(filter(None, map(own_words, cast("list[object]", said))))
    return ""


def words_of(error: openai.APIError) -> str:
    """The endpoint's own words in a failure of the SDK."""
    return own_words(error.body or error.message)


class FaultWithinError(openai.APIStatusError):
    """A fault that is told under a status of success, read as the status that it names.

    `taken` is what it took in tokens in and out; None where nobody can tell.
    """

    taken: tuple[int, int] | None = None


def fault_within(endpoint: Endpoint, told: object) -> FaultWithinError | None:
    """The fault that an answer tells in place of a completion; None where it tells none, or no status of it.

    Args:
        endpoint: Whose.
        told: The answer, as JSON.
    """
    whole = cast("dict[str, object]", told) if isinstance(told, dict) else {}
    error = whole.get("error")
    if not isinstance(error, str | dict) or not error:
        return None
    within = cast("dict[str, object]", error) if isinstance(error, dict) else {}
    for status in (within.get("code"), within.get("status"), whole.get("code"), whole.get("status")):
        if isinstance(status, int | str) and re.fullmatch("[45][0-9][0-9]", str(status)):
            response = httpx2.Response(int(status), request=httpx2.Request("POST", endpoint.base_url))
            return FaultWithinError(json.dumps(error), response=response, body=cast("object", error))
    return None


def passing(error: Exception) -> bool | timedelta:
    """Whether asking again may help, and after what wait when the endpoint says so itself."""
    if isinstance(error, openai.APIConnectionError):
        return True
    if not isinstance(error, openai.APIStatusError):
        return False
    if error.status_code in {408, 409, 429} or error.status_code >= 500:
        asked = _wait_asked_for(error.response.headers)
        return True if asked is None else timedelta(seconds=min(max(asked, 0.0), _LONGEST_WAIT_S))
    return False


def _wait_asked_for(headers: httpx2.Headers) -> float | None:
    """Seconds after which an endpoint wants to be asked again; None where it does not say."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        told = headers.get(name, "")
        try:
            seconds = float(told) / unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return seconds
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        # By the clock that named the moment, where it is told.
        now = parsedate_to_datetime(headers["date"]) if "date" in headers else datetime.now(UTC)
        return (until - now).total_seconds()
    except (ValueError, TypeError):
        return None


def may_count(error: openai.APIError) -> bool:
    """Whether an endpoint may count a question that ended so: it was sent whole, and nobody refused it."""
    if isinstance(error, FaultWithinError):
        return error.taken != (0, 0)
    if isinstance(error, openai.APIStatusError):
        return error.status_code in _PASSED_ON
    return not isinstance(error.__cause__, _NOT_SENT)


def named(error: openai.APIError, endpoint: Endpoint) -> Exception:
    """What a failure of the SDK is to a service."""
    place = f"{endpoint.model_id} at {endpoint.address}"
    said = _said(error)
    if isinstance(error, openai.APIConnectionError):
        return EndpointUnavailableError(
            f"the model endpoint {place} cannot be reached: {said}",
            thing=endpoint.address,
            way_out="start it or correct its address",
        )
    if not isinstance(error, openai.APIStatusError):
        return nonsense(endpoint, said)
    # The whole of what it says: the beginning alone may be its name for any fault.
    whole = words_of(error)
    if error.status_code in {401, 403} and not (error.status_code == _FORBIDDEN and _is_of_the_question(whole)):
        return EndpointRefusedError(
            f"the model endpoint {place} does not accept the key ({error.status_code}): {said}",
            thing=endpoint.address,
            way_out="set TOUCHSTONE_LLM_API_KEY for the platform's own endpoint, TOUCHSTONE_LLM_API_KEYS for others",
        )
    if error.status_code == 404:
        return EndpointRefusedError(
            f"the model endpoint {place} knows no such model or path: {said}",
            thing=endpoint.address,
            way_out="correct the model's id or its address (it usually ends in /v1)",
        )
    if error.status_code >= 500 and error.status_code not in _AWAY:
        return EndpointFailedError(
            f"the model endpoint {place} fails at this request ({error.status_code}): {said}",
            thing=endpoint.address,
            way_out="look at its log",
        )
    if error.status_code in {408, 409, 429} or error.status_code >= 500:
        return EndpointUnavailableError(
            f"the model endpoint {place} keeps failing ({error.status_code}): {said}",
            thing=endpoint.address,
            way_out="look at its log",
        )
    refused = f"the model endpoint {place} refuses the request ({error.status_code}): {said}"
    if error.status_code not in _OF_THE_REQUEST | {_FORBIDDEN}:
        return EndpointRefusedError(refused, thing=endpoint.address, way_out="look at what it says, and at its log")
    if _is_of_the_question(whole) or (error.status_code == _TOO_LARGE and not _OF_US.search(whole)):
        return QuestionRefusedError(
            refused, thing=endpoint.name, way_out="is it longer than the model's context, or against its rules?"
        )
    return RequestRefusedError(refused, thing=endpoint.name, way_out="mend what it names; nothing was answered")


def _is_of_the_question(said: str) -> bool:
    # A page is of what stands before the endpoint.
    is_page = said.lstrip().startswith("<")
    return not is_page and bool(_OF_THE_QUESTION.search(said)) and not _OF_US.search(said)


def nonsense(endpoint: Endpoint, detail: str) -> EndpointNonsenseError:
    """An answer that means nothing."""
    return EndpointNonsenseError(
        f"the model endpoint {endpoint.address} answers nonsense: {detail}",
        thing=endpoint.address,
        way_out="is this an OpenAI-compatible address, ending in /v1?",
    )


def _said(error: openai.APIError) -> str:
    cause = error.__cause__
    if isinstance(error, openai.APITimeoutError):
        return "no answer in time"
    if isinstance(cause, httpx2.HTTPError) and str(cause):
        return start_of(str(cause))
    told = error.body or error.message
    return start_of(told if isinstance(told, str) else json.dumps(told))


def start_of(text: str) -> str:
    """As much of a text as a message of an error takes."""
    return text if len(text) <= 200 else f"{text[:200]}…"
