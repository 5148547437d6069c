"""The language model's part of an augmented search."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field

from retriever.errors import AgentAwayError, AgentError
from retriever.ports import AgentStep, Meter, SearchAgent
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.llm import (
    Answer,
    BadAnswerError,
    Ledger,
    LlmClient,
    LlmHaltError,
    Message,
    RequestRefusedError,
    ask_json,
    load_prompt,
)
from touchstone_runtime.settings import ServiceSettings

T = TypeVar("T", bound=BaseModel)

_STEP_TOKENS = 260
_CODE_TOKENS = 420
_ORDER_TOKENS = 160
# Of a model that does not tell its context; most have more.
_CONTEXT_TOKENS = 4096
# Instructions, the question in both forms, and the form of the answer.
_OVERHEAD_TOKENS = 900
# Code has more characters a token in every tokenizer met; fewer would risk a refusal.
_CHARACTERS_A_TOKEN = 2.5


class StepAnswer(BaseModel):
    """Look-ups, or the enriched description."""

    # Where the endpoint holds a model to the form, these bounds end the sentences of one that never ends by itself.
    look_ups: list[Annotated[str, Field(max_length=120)]] = Field(default_factory=list[str], max_length=2)
    description: str = Field("", max_length=700)


class OrderAnswer(BaseModel):
    """Snippet numbers, best first."""

    order: list[Annotated[int, Field(ge=1, le=99)]] = Field(max_length=20)


class LlmSearchAgent:
    """Implements `SearchAgent` with the platform's own model.

    Args:
        client: Asks the model.
    """

    def __init__(self, client: LlmClient) -> None:
        self._client = client
        self._enrich = load_prompt("retriever", "enrich_v2")
        self._conclude = load_prompt("retriever", "conclude_v2")
        self._write = load_prompt("retriever", "write_code_v1")
        self._order = load_prompt("retriever", "order_v1")

    @property
    def room(self) -> int:
        """Characters of code that one question to the model may show."""
        tokens = (self._client.endpoint().context or _CONTEXT_TOKENS) - _OVERHEAD_TOKENS - _ORDER_TOKENS
        return max(int(tokens * _CHARACTERS_A_TOKEN), 0)

    async def step(
        self, query: str, repository: str, notes: Sequence[str], meter: Meter, *, may_look_up: bool
    ) -> AgentStep:
        """Decide on look-ups, or write the augmented query from the notes."""
        prompt = self._enrich if may_look_up else self._conclude
        shown = "\n\n".join(f"[{number}] {note}" for number, note in enumerate(notes, start=1)) or "(none)"
        messages = prompt.messages(query=query, repository=repository or "all indexed repositories", notes=shown)
        answer = await self._ask(messages, StepAnswer, "augment", _STEP_TOKENS, meter)
        return AgentStep(tuple(answer.look_ups), answer.description)

    async def write_code(self, augmented: str, language: str, meter: Meter) -> str:
        """Code that would answer the augmented query."""
        try:
            messages = self._write.messages(description=augmented, language=language)
            answer = await self.chat(messages, purpose="write_code", max_tokens=_CODE_TOKENS)
        except TouchstoneError as error:
            raise _agent_error(error) from error
        meter(answer.usage.tokens_in, answer.usage.tokens_out)
        return answer.text

    async def order(self, query: str, augmented: str, snippets: Sequence[str], meter: Meter) -> list[int]:
        """Positions of the snippets, counted from 1, best answer first."""
        shown = "\n\n".join(f"[{number}]\n{snippet}" for number, snippet in enumerate(snippets, start=1))
        messages = self._order.messages(query=query, description=augmented, snippets=shown)
        return (await self._ask(messages, OrderAnswer, "rerank", _ORDER_TOKENS, meter)).order

    async def chat(self, messages: str | Sequence[Message], **options: Any) -> Answer:
        """Ask the model; it is let go of when nobody waits for its answer any more."""
        return await self._client.chat(messages, only_while_awaited=True, **options)

    async def _ask(self, messages: tuple[Message, ...], form: type[T], purpose: str, tokens: int, meter: Meter) -> T:
        try:
            reply = await ask_json(self, messages, form, purpose=purpose, max_tokens=tokens)
        except BadAnswerError as error:
            meter(error.usage.tokens_in, error.usage.tokens_out)
            raise _agent_error(error) from error
        except TouchstoneError as error:
            raise _agent_error(error) from error
        meter(reply.usage.tokens_in, reply.usage.tokens_out)
        return reply.value


class NoAgent:
    """Implements `SearchAgent` where no model is configured: says so each time.

    Args:
        reason: Why there is none, and the way out.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason

    @property
    def room(self) -> int:
        """None."""
        return 0

    async def step(
        self, query: str, repository: str, notes: Sequence[str], meter: Meter, *, may_look_up: bool
    ) -> AgentStep:
        """Refuse."""
        raise AgentAwayError(self.reason)

    async def write_code(self, augmented: str, language: str, meter: Meter) -> str:
        """Refuse."""
        raise AgentAwayError(self.reason)

    async def order(self, query: str, augmented: str, snippets: Sequence[str], meter: Meter) -> list[int]:
        """Refuse."""
        raise AgentAwayError(self.reason)


def agent_of(
    settings: ServiceSettings, ledger: Ledger, stopping: Callable[[], bool] = lambda: False
) -> tuple[SearchAgent, Callable[[], Awaitable[None]]]:
    """The language model's part, or one that says why there is none; and what lets go of it."""

    async def nothing() -> None:
        return

    try:
        client = LlmClient.from_settings(settings, ledger, stopping=stopping)
        endpoint = client.endpoint()
    except TouchstoneError as error:
        return NoAgent(str(error)), nothing
    if not endpoint.base_url:
        reason = "no language model is configured (set TOUCHSTONE_LLM_BASE_URL to an OpenAI-compatible endpoint)"
        return NoAgent(reason), client.close
    return LlmSearchAgent(client), client.close


def _agent_error(error: TouchstoneError) -> AgentError:
    if isinstance(error, LlmHaltError):
        return AgentAwayError(str(error))
    if isinstance(error, BadAnswerError | RequestRefusedError):
        return AgentError(str(error))
    return AgentAwayError(str(error))
