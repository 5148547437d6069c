"""Bounds of an answer's length that an endpoint calls too large, at a real server: nothing is scored for them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from touchstone_runtime.llm import (
    AnswerPendingError,
    Batching,
    Catalogue,
    Endpoint,
    EndpointUnavailableError,
    LlmClient,
    MemoryBatchStore,
    MemoryLedger,
    MemoryLlmCache,
    OpenAiBatches,
    OpenAiTransport,
    QuestionRefusedError,
    RequestRefusedError,
)


def told(body: dict[str, Any]) -> int | None:
    """The bound that a request names, by either name."""
    return body.get("max_tokens", body.get("max_completion_tokens"))


@pytest.fixture(scope="module")
def parts(load_module):
    return load_module("tests/contract/batch_endpoint.py")


@pytest.fixture
async def server(parts):
    async with parts.BatchEndpoint().serving() as server:
        yield server


@pytest.fixture
async def client(server):
    endpoint = Endpoint("m", "m", server.url)
    client = LlmClient(Catalogue({"m": endpoint}, "m"), OpenAiTransport(attempts=1), MemoryLlmCache(), MemoryLedger())
    yield client
    await client.close()


def limited(parts: Any, words: str, limit: int) -> Any:
    """An endpoint that takes bounds up to a limit and says so in these words."""

    def answer(body: dict[str, Any]) -> Any:
        bound = told(body)
        if bound is None or bound <= limit:
            return parts.completion("hello")
        return parts.refusal(words.format(told=bound, total=bound + 1000))

    return answer


OF_THE_MODEL = [
    "max_tokens is too large: {told}. This model supports at most 4096 completion tokens, whereas you provided {told}.",
    "`max_tokens` must be less than or equal to `4096`, the maximum value for `max_tokens` of this model",
    "Invalid max_tokens value, the valid range of max_tokens is [1, 4096]",
    "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 4,096]",
    "max_tokens: {told} > 4096, which is the maximum allowed number of output tokens for claude-3-opus-20240229",
    "too many tokens: max tokens must be less than or equal to 4096, received {told}",
    "The maximum tokens you requested exceeds the model limit of 4096. Try again with a lower value.",
]
OF_THE_CONTEXT = [
    "This model's maximum context length is 5096 tokens. However, you requested {total} tokens (1000 in the messages, "
    "{told} in the completion). Please reduce the length of the messages or completion.",
    "'max_tokens' or 'max_completion_tokens' is too large: {told}. This model's maximum context length is 5096 tokens "
    "and your request has 1000 input tokens ({told} > 5096 - 1000).",
    "Requested token count exceeds the model's maximum context length of 5096 tokens. You requested a total of {total} "
    "tokens: 1000 tokens from the input messages and {told} tokens for the completion.",
    "input length and `max_tokens` exceed context limit: 1000 + {told} > 5096, decrease input length or `max_tokens`",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 5096. Given: 1000 `inputs` tokens and "
    "{told} `max_new_tokens`",
]


@pytest.mark.parametrize("words", OF_THE_MODEL)
async def test_a_bound_above_the_models_own_is_lowered_to_it_and_from_then_on(parts, server, client, words):
    server.answer = limited(parts, words, 4096)
    for question in ("one", "two"):
        assert (await client.chat(question, purpose="p", max_tokens=9000)).text == "hello"
    # A smaller bound stays what it is.
    await client.chat("three", purpose="p", max_tokens=200)
    assert [told(body) for body in server.direct] == [9000, 4096, 4096, 200]


@pytest.mark.parametrize("words", OF_THE_CONTEXT)
async def test_a_bound_that_does_not_fit_beside_its_question_is_lowered_for_it_alone(parts, server, client, words):
    server.answer = limited(parts, words, 4096)
    assert (await client.chat("one", purpose="p", max_tokens=9000)).text == "hello"
    server.answer = parts.echo
    assert (await client.chat("two", purpose="p", max_tokens=9000)).text == "TWO"
    assert [told(body) for body in server.direct] == [9000, 4096, 9000]


@pytest.mark.parametrize(
    "words",
    [
        "max_tokens is too large",
        "max_tokens: the supported range is from 1 (inclusive) to 9000 (exclusive)",
        "max_completion_tokens is above the limit of this model",
        "the request exceeds the available context size, try increasing it",
        # Nobody can tell which of the two is the question.
        "input tokens and max_tokens exceed the context: 32768, 28000",
    ],
)
async def test_where_no_limit_is_named_the_question_is_asked_without_a_bound(parts, server, client, words):
    server.answer = limited(parts, words, 0)
    assert (await client.chat("one", purpose="p", max_tokens=9000)).text == "hello"
    assert [told(body) for body in server.direct] == [9000, None]


async def test_an_endpoint_that_names_ever_smaller_limits_is_not_followed_for_long(parts, server, client):
    def answer(body: dict[str, Any]) -> Any:
        bound = told(body)
        return parts.completion("hello") if bound is None else parts.refusal(f"max_tokens is at most {bound - 1}")

    server.answer = answer
    assert (await client.chat("one", purpose="p", max_tokens=9000)).text == "hello"
    assert [told(body) for body in server.direct] == [9000, 8999, 8998, None]


async def test_the_newer_name_of_the_bound_is_lowered_as_well(parts, server, client):
    def answer(body: dict[str, Any]) -> Any:
        if "max_tokens" in body:
            return parts.refusal("Unsupported parameter: 'max_tokens'", param="max_tokens")
        if body["max_completion_tokens"] > 64:
            return parts.refusal("too large: at most 64", param="max_completion_tokens")
        return parts.completion("hello")

    server.answer = answer
    assert (await client.chat("one", purpose="p", max_tokens=100)).text == "hello"
    assert server.direct[-1]["max_completion_tokens"] == 64 and len(server.direct) == 3


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 5096 tokens. However, your messages resulted in 9000 tokens.",
        "This model's maximum context length is 5096 tokens. However, you requested 18000 tokens (9000 in the "
        "messages, 9000 in the completion).",
        "the request exceeds the available context size",
    ],
)
async def test_a_question_that_is_too_long_by_itself_is_refused_with_any_bound(parts, server, client, words):
    server.answer = lambda _body: parts.refusal(words)
    with pytest.raises(QuestionRefusedError):
        await client.chat("one", purpose="p", max_tokens=9000)
    assert told(server.direct[-1]) is None and len(server.direct) <= 4


async def test_a_bound_that_is_too_small_is_kept(parts, server, client):
    server.answer = lambda _body: parts.refusal("max_tokens must be at least 16", param="max_tokens")
    with pytest.raises(RequestRefusedError) as raised:
        await client.chat("one", purpose="p", max_tokens=8)
    assert not isinstance(raised.value, QuestionRefusedError) and len(server.direct) == 1


@pytest.mark.parametrize("status", [400, 413, 429])
async def test_too_much_in_a_minute_is_no_question_that_is_too_long(parts, server, client, status):
    words = (
        "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your "
        "message size: the context is too long"
    )
    server.answer = lambda _body: parts.refusal(words, status)
    with pytest.raises((RequestRefusedError, EndpointUnavailableError)) as raised:
        await client.chat("one", purpose="p", max_tokens=8)
    assert not isinstance(raised.value, QuestionRefusedError)


@pytest.mark.parametrize(("words", "alone"), [(OF_THE_MODEL[0], 0), (OF_THE_CONTEXT[0], 3)])
async def test_a_batch_lowers_the_bound_and_what_does_not_fit_is_asked_alone(parts, server, words, alone):
    server.answer = limited(parts, words, 4096)
    ledger, now = MemoryLedger(), datetime.now(UTC)
    store, transport = MemoryBatchStore(ledger), OpenAiTransport(attempts=1)
    endpoint = Endpoint("m", "m", server.url, batch=True)
    client = LlmClient(Catalogue({"m": endpoint}, "m"), transport, MemoryLlmCache(), ledger, batches=store)
    batching = Batching(client, OpenAiBatches(transport.connection), store, most=9, gather_s=1.0, clock=lambda: now)
    for question in ("one", "two", "three"):
        with pytest.raises(AnswerPendingError):
            await client.chat(question, purpose="p", max_tokens=9000)
    for _ in range(8):
        now += timedelta(minutes=1)
        await batching.sweep()
    for question in ("one", "two", "three"):
        assert (await client.chat(question, purpose="p", max_tokens=9000)).text == "hello"
    assert len(server.batches) == (1 if alone else 2) and len(server.direct) == alone * 2
    # Nothing waits any more, and each answer was booked once.
    assert not store.asked and (await ledger.spent()).calls == 3
    await client.close()
