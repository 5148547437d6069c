"""What goes to a model and what comes back."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]

# For each token of an answer, the likeliest tokens at its place, each with its natural log-probability.
Logprobs = tuple[tuple[tuple[str, float], ...], ...]

# Part of every cache key: raise it when the meaning of a request's fields changes.
_KEY_VERSION = 1


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


def system(content: str) -> Message:
    """A system turn."""
    return Message("system", content)


def user(content: str) -> Message:
    """A user turn."""
    return Message("user", content)


def assistant(content: str) -> Message:
    """A turn of the model itself."""
    return Message("assistant", content)


@dataclass(frozen=True)
class LlmUsage:
    """What asking took when it was really asked; a cached answer keeps the figures of its first time.

    Attributes:
        thought_tokens: Those of `tokens_out` that the model spent on thinking.
        lost_tokens: Those of both that came to no usable answer: as told, or the most that they can have been.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cost_usd: float = 0.0
    calls: int = 0
    thought_tokens: int = 0
    lost_tokens: int = 0

    def __add__(self, other: LlmUsage) -> LlmUsage:
        """Sum of two usages."""
        return LlmUsage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.seconds + other.seconds,
            self.cost_usd + other.cost_usd,
            self.calls + other.calls,
            self.thought_tokens + other.thought_tokens,
            self.lost_tokens + other.lost_tokens,
        )


@dataclass(frozen=True)
class ChatRequest:
    """One question, complete; equal requests have equal answers.

    Attributes:
        model: The model's identity in the catalogue's terms (see `Endpoint.identity`).
        max_tokens: Upper bound of the answer's length, in tokens.
        json_schema: JSON Schema that the answer shall follow; empty for free text.
        top_logprobs: How many of the likeliest tokens to tell at each place of the answer; 0 asks for none.
        anew: A higher number asks again what was answered before, as of an endpoint that was repaired. The model never
            sees it.
        digest: Of the weights that answer, where it was told: others under the same name have other answers.
    """

    model: str
    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = 0.0
    seed: int = 0
    json_schema: dict[str, Any] = field(default_factory=dict[str, Any])
    stop: tuple[str, ...] = ()
    top_logprobs: int = 0
    anew: int = 0
    digest: str = ""

    def key(self) -> str:
        """SHA-256 over the canonical JSON of everything that can change the answer."""
        content: dict[str, Any] = {
            "version": _KEY_VERSION,
            "model": self.model,
            "messages": [[message.role, message.content] for message in self.messages],
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
            "json_schema": self.json_schema,
            "stop": list(self.stop),
        }
        # Only where it says something: answers that were kept before a field existed stay good.
        if self.top_logprobs:
            content["top_logprobs"] = self.top_logprobs
        if self.anew:
            content["anew"] = self.anew
        if self.digest:
            content["digest"] = self.digest
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()


@dataclass(frozen=True)
class Answer:
    """What the model said.

    Attributes:
        text: The answer; empty when the model said nothing.
        finish_reason: "length" where it was cut at its bound; else as the endpoint tells it: "stop", …
        model: The identity of the model that was asked.
        usage: What it took when it was first asked.
        cached: True when nothing was asked this time.
        key: Hash of the request.
        logprobs: For each token of the answer: the likeliest tokens there and their natural log-probabilities. Empty
            where none were asked for, or the endpoint tells none.
        thought_tokens: Those of the answered tokens that the model spent on thinking; they are in the usage.
        lost: What the question took before, when it was sent and came to no usable answer; it is not in the usage.
        answered_by: The model that the endpoint says answered, where that is not the one that was asked.
    """

    text: str
    finish_reason: str
    model: str
    usage: LlmUsage
    cached: bool
    key: str
    logprobs: Logprobs = ()
    thought_tokens: int = 0
    lost: LlmUsage = LlmUsage()
    answered_by: str = ""
