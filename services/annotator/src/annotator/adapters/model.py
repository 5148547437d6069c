"""The platform's model client as the agents' `LanguageModel`."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from pydantic import BaseModel

from annotator.domain.record import Exchange
from annotator.errors import NoModelError
from annotator.ports import Asked, Weighed
from annotator.ports.waiting import Purse
from touchstone_runtime.llm import (
    Answer,
    BadAnswerError,
    LlmClient,
    LlmUsage,
    Logprobs,
    Message,
    Prompt,
    RequestRefusedError,
    UnknownModelError,
    ask_json,
    load_prompt,
)

T = TypeVar("T", bound=BaseModel)

PROMPTS = (
    "single_v1",
    "screener_v1",
    "interpretations_v1",
    "cases_v1",
    "program_v1",
    "fix_cases_v1",
    "fix_program_v1",
    "terminal_v1",
    "simulate_v1",
    "arbiter_v1",
    "checker_v1",
    "answers_v2",
    "grade_v2",
)

# Endpoints tell at most twenty; the asked words are among the first few where the model keeps to the form.
_TOP = 20


class RuntimeModel:
    """Asks one model, and keeps every word.

    Args:
        client: The platform's client.
        model: Name in the catalogue, or `name@base_url`; empty is the client's own.
        prompts: By name.
        purse: Pays for each call; without it nothing but the client's own budget holds.
    """

    def __init__(
        self,
        client: LlmClient,
        model: str = "",
        prompts: dict[str, Prompt] | None = None,
        purse: Purse | None = None,
    ) -> None:
        self._client = client
        self._model = model
        self._purse = purse
        self._prompts = prompts or {name: load_prompt("annotator", name) for name in PROMPTS}

    def signature(self) -> str:
        """The model's identity and the prompts' versions.

        Raises:
            NoModelError: no model is configured.
        """
        try:
            identity = self._client.endpoint(self._model).identity
        except UnknownModelError as error:
            raise NoModelError(
                error.message,
                thing=error.thing,
                way_out="set TOUCHSTONE_LLM_MODEL to a name in models.toml, or to name@http://host:port/v1",
            ) from error
        return "|".join([identity, *(self._prompts[name].version for name in sorted(self._prompts))])

    async def ask(self, prompt: str, form: type[T], *, max_tokens: int, **values: str) -> Asked[T]:
        """Ask for an answer in a form, with one round of repair; see the port."""
        self.signature()
        template = self._prompts[prompt]
        recorder = _Recorder(self._client, self._purse)
        value: T | None = None
        problem = ""
        try:
            reply = await ask_json(
                recorder,
                template.messages(**values),
                form,
                purpose=f"annotator.{prompt}",
                max_tokens=max_tokens,
                model=self._model,
            )
            value = reply.value
        except BadAnswerError as error:
            problem = error.message
        except RequestRefusedError as error:
            # Longer than the model's context, for example: asking again gives the same.
            problem = f"the endpoint refused the request: {error.message}"
        return Asked(value, problem, template.version, tuple(recorder.exchanges))

    async def weigh(self, prompt: str, choices: Sequence[str], **values: str) -> Weighed:
        """Ask for one word and read how likely each choice was; see the port."""
        self.signature()
        template = self._prompts[prompt]
        recorder = _Recorder(self._client, self._purse)
        shares, mass = None, 0.0
        try:
            answer = await recorder.chat(
                template.messages(**values),
                purpose=f"annotator.{prompt}",
                max_tokens=1,
                model=self._model,
                top_logprobs=_TOP,
            )
            shares, mass = shares_of(answer.logprobs, choices)
        except RequestRefusedError:
            # Longer than the model's context, for example: nothing is known then.
            pass
        return Weighed(shares, mass, template.version, tuple(recorder.exchanges))


def shares_of(logprobs: Logprobs, choices: Sequence[str]) -> tuple[tuple[float, ...] | None, float]:
    """Read from the first place of an answer how likely each choice was.

    One word is many tokens: "Yes", " yes" and "YES" are one answer, so that their probabilities add up.

    Returns:
        The choices' shares of what they have together, and what they have together.

    Example:
        >>> told = ("Yes", math.log(0.6)), (" no", math.log(0.2)), ("It", math.log(0.2))
        >>> shares, mass = shares_of((told,), ("yes", "no"))
        >>> [round(share, 2) for share in shares], round(mass, 2)
        ([0.75, 0.25], 0.8)
    """
    wanted = [choice.strip().lower() for choice in choices]
    sums = [0.0] * len(wanted)
    for token, value in logprobs[0] if logprobs else ():
        word = token.strip().lower()
        if word in wanted and not math.isnan(value):
            sums[wanted.index(word)] += math.exp(min(value, 0.0))
    mass = sum(sums)
    return (tuple(value / mass for value in sums) if mass > 0 else None), mass


class _Recorder:
    """Passes questions on and writes down what was said."""

    def __init__(self, client: LlmClient, purse: Purse | None) -> None:
        self._client = client
        self._purse = purse
        self.exchanges: list[Exchange] = []

    async def chat(
        self,
        messages: str | Sequence[Message],
        *,
        purpose: str,
        max_tokens: int,
        model: str = "",
        temperature: float = 0.0,
        seed: int = 0,
        anew: int = 0,
        json_schema: dict[str, Any] | None = None,
        top_logprobs: int = 0,
    ) -> Answer:
        """Ask a question."""
        async with self._paid(messages, max_tokens, model) as payment:
            answer = await self._client.chat(
                messages,
                purpose=purpose,
                max_tokens=max_tokens,
                model=model,
                temperature=temperature,
                seed=seed,
                anew=anew,
                json_schema=json_schema,
                top_logprobs=top_logprobs,
                on_taken=payment.taken.append,
                on_again=payment.again,
            )
        turns = [("user", messages)] if isinstance(messages, str) else [(turn.role, turn.content) for turn in messages]
        self.exchanges.append(
            Exchange(
                messages=tuple((str(role), content) for role, content in turns),
                answer=answer.text,
                model=answer.model,
                finish_reason=answer.finish_reason,
                tokens_in=answer.usage.tokens_in + answer.lost.tokens_in,
                tokens_out=answer.usage.tokens_out + answer.lost.tokens_out,
                cost_usd=answer.usage.cost_usd + answer.lost.cost_usd,
                seconds=answer.usage.seconds,
            )
        )
        return answer

    @asynccontextmanager
    async def _paid(self, messages: str | Sequence[Message], max_tokens: int, model: str) -> AsyncGenerator[_Payment]:
        """Pay for what was taken, also where the call fails after that; nothing else is known to be taken.

        Where the process ends or the call is broken off before its endpoint answered, what was set aside stays spent:
        the endpoint may answer all the same. What it left unanswered by itself is told as taken.
        """
        # At no price the sum is nothing, which is not what the call costs.
        priced = self._purse is None or self._client.endpoint(model).priced
        payment = _Payment(self._purse, self._client.at_most(messages, max_tokens, model), priced=priced)
        await payment.begin()
        try:
            yield payment
        except asyncio.CancelledError:
            if payment.taken:
                await asyncio.shield(payment.settle())
            raise
        except Exception:
            await payment.settle()
            raise
        await payment.settle()


class _Payment:
    """What is set aside for a question, once for each time that it is sent.

    Args:
        purse: Pays; without it nothing is set aside.
        most: What it takes at most each time.
        priced: Whether anybody knows what it costs.
    """

    def __init__(self, purse: Purse | None, most: LlmUsage, *, priced: bool) -> None:
        self.taken: list[LlmUsage] = []
        self._purse = purse
        self._most = most
        self._cost = most.cost_usd if priced else None
        self._period: str | None = None

    async def begin(self) -> None:
        """Set aside what it takes at most."""
        if self._purse is not None:
            self._period = await self._purse.reserve(self._most.tokens_in + self._most.tokens_out, self._cost)

    async def again(self) -> None:
        """It was sent in vain and is sent once more: that is paid, and as much set aside again."""
        await self.settle()
        await self.begin()

    async def settle(self) -> None:
        """Pay for what was taken, and give back what is left, where that was not done yet."""
        period, self._period = self._period, None
        spent = sum(self.taken, LlmUsage())
        self.taken.clear()
        if self._purse is not None and period is not None:
            tokens = self._most.tokens_in + self._most.tokens_out - spent.tokens_in - spent.tokens_out
            await self._purse.settle(period, tokens, self._most.cost_usd - spent.cost_usd)
