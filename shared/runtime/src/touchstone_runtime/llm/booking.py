"""What a question takes, as budgets reserve it and books have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

from touchstone_runtime import metrics
from touchstone_runtime.llm.catalogue import Endpoint
from touchstone_runtime.llm.ledger import LedgerEntry
from touchstone_runtime.llm.messages import Answer, ChatRequest, LlmUsage, Message
from touchstone_runtime.llm.wire import RawAnswer

# Fewer bytes of UTF-8 a token than any text of ours has, so that a reservation is never too small: a character of
# English is a quarter of a token, one of Chinese often more than a whole.
_BYTES_PER_TOKEN = 2


def most_of(endpoint: Endpoint, messages: Sequence[Message], max_tokens: int) -> LlmUsage:
    """The most that a question can take."""
    tokens_in = sum(len(message.content.encode("utf-8", "replace")) for message in messages) // _BYTES_PER_TOKEN + 1
    return used(endpoint, tokens_in, max_tokens)


def used(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> LlmUsage:
    """So many tokens at the endpoint's prices."""
    return LlmUsage(tokens_in, tokens_out, cost_usd=endpoint.cost_usd(tokens_in, tokens_out))


def answer_of(endpoint: Endpoint, request: ChatRequest, key: str, raw: RawAnswer) -> Answer:
    """What an endpoint said, with what it took."""
    usage = replace(
        used(endpoint, raw.tokens_in, raw.tokens_out), seconds=raw.seconds, calls=1, thought_tokens=raw.thought_tokens
    )
    return Answer(
        raw.text,
        raw.finish_reason,
        request.model,
        usage,
        cached=False,
        key=key,
        logprobs=raw.logprobs,
        thought_tokens=raw.thought_tokens,
        answered_by=raw.answered_by if raw.answered_by != endpoint.model_id else "",
    )


def entry_of(fresh: Answer, purpose: str) -> LedgerEntry:
    """How a fresh answer is booked."""
    return LedgerEntry(fresh.key, purpose, fresh.model, fresh.usage, cached=False, day=today())


def lost_entry(
    endpoint: Endpoint,
    of: tuple[str, str, str],
    most: LlmUsage,
    taken: tuple[int, int] | None,
    seconds: float = 0.0,
) -> LedgerEntry:
    """How a question is booked that was sent and came to no usable answer.

    Args:
        endpoint: Whose, at its prices.
        of: Key, purpose and model of the question.
        most: All that was reserved, which counts where nothing else is known.
        taken: Tokens in and out, where the endpoint told them.
        seconds: How long it was waited for.
    """
    usage = most if taken is None else used(endpoint, *taken)
    usage = replace(usage, lost_tokens=usage.tokens_in + usage.tokens_out, seconds=seconds)
    return LedgerEntry(*of, usage, cached=False, day=today())


def count(entry: LedgerEntry) -> None:
    """Count what was booked, for those who watch."""
    if entry.cached or entry.usage.calls:
        metrics.LLM_CALLS.labels(entry.model, entry.purpose, str(entry.cached).lower()).inc()
    metrics.LLM_TOKENS.labels(entry.model, entry.purpose, "in").inc(entry.usage.tokens_in)
    metrics.LLM_TOKENS.labels(entry.model, entry.purpose, "out").inc(entry.usage.tokens_out)
    metrics.LLM_COST.labels(entry.model, entry.purpose).inc(entry.usage.cost_usd)
    # What came with a batch took nobody knows how long, and what was lost is no answer.
    if not entry.cached and entry.usage.calls and entry.usage.seconds:
        metrics.LLM_SECONDS.labels(entry.model).observe(entry.usage.seconds)


def today() -> date:
    """The day, in UTC."""
    return datetime.now(UTC).date()
