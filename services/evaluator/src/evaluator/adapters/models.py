"""The models under test, through the platform's model client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from evaluator.domain.specification import Sampling
from evaluator.domain.tasks import Effort, time_of
from evaluator.ports import GREEDY, Filled, Said
from evaluator.usecases.spending import spent
from touchstone_runtime.llm import (
    Answer,
    AskedInVainError,
    BadAnswerError,
    EndpointNonsenseError,
    EndpointRefusedError,
    EndpointUnavailableError,
    LlmClient,
    LlmUsage,
    Message,
    Prompt,
    QuestionRefusedError,
    ask_json,
    load_prompt,
)
from touchstone_runtime.storable import storable

T = TypeVar("T", bound=BaseModel)
_NOTHING = LlmUsage()
# Characters of a model's name, as an endpoint tells it.
_MOST_NAME = 200


class _Counting:
    """A client that says what a question took, to whoever counts, before anything can become of its answer.

    What it was sent for in vain before is part of that, and all of it where no answer comes.

    Args:
        client: Asks.
    """

    def __init__(self, client: LlmClient) -> None:
        self._client = client
        self.effort = Effort()

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
        json_schema: dict[str, object] | None = None,
    ) -> Answer:
        """Ask a question."""
        try:
            answer = await self._client.chat(
                messages,
                purpose=purpose,
                max_tokens=max_tokens,
                model=model,
                temperature=temperature,
                seed=seed,
                anew=anew,
                json_schema=json_schema,
            )
        except AskedInVainError as error:
            self._count(effort_of(_NOTHING, error.lost))
            if isinstance(error, EndpointUnavailableError | EndpointRefusedError | EndpointNonsenseError):
                # What cannot be read tells as little of whose it is as what does not come: by that a run waits or ends.
                error.own = self._client.catalogue.resolve(model).own
            raise
        self._count(effort_of(answer.usage, answer.lost))
        return answer

    def _count(self, effort: Effort) -> None:
        self.effort += effort
        spent(effort)


class RuntimeModels:
    """Implements `ports.LanguageModels`; prompts are this package's files."""

    def __init__(self, client: LlmClient) -> None:
        self._client = client
        self._prompts: dict[str, Prompt] = {}

    def identity(self, endpoint: str) -> str:
        """Name of a model for runs and leaderboards."""
        return self._client.catalogue.resolve(endpoint).identity

    def name(self, endpoint: str) -> str:
        """The name that an empty one stands for, or the name itself."""
        return self._client.catalogue.resolve(endpoint).name

    def cutoff(self, model: str, endpoint: str = "") -> str:
        """Month of the newest text that a model was trained on; empty when nobody told."""
        return self._client.catalogue.cutoff(model, endpoint)

    def digest(self, endpoint: str) -> str:
        """Digest of a model's weights; empty when nobody told."""
        return self._client.catalogue.resolve(endpoint).digest

    def thinking_tokens(self, endpoint: str) -> int:
        """What a model may spend on thinking, on top of the bound of its answer."""
        return self._client.catalogue.resolve(endpoint).thinking_tokens

    def prompt_versions(self, prompts: Sequence[str]) -> str:
        """Versions of prompt files."""
        return " ".join(self._prompt(name).version for name in prompts)

    async def ask(
        self, endpoint: str, prompt: str, *, max_tokens: int, sampling: Sampling = GREEDY, **values: str
    ) -> Said:
        """Ask for words."""
        messages = self._prompt(prompt).messages(**values)
        counting = _Counting(self._client)
        try:
            answer = await counting.chat(
                messages,
                purpose=prompt,
                max_tokens=max_tokens,
                model=endpoint,
                temperature=sampling.temperature,
                seed=sampling.seed,
                anew=sampling.anew,
            )
        except QuestionRefusedError as error:
            return Said("", counting.effort, refused=storable(str(error)))
        truncated = answer.finish_reason == "length"
        answered_by = storable(answer.answered_by)[:_MOST_NAME]
        return Said(storable(answer.text), counting.effort, "", truncated, answer.thought_tokens, answered_by)

    async def fill(
        self,
        endpoint: str,
        prompt: str,
        form: type[T],
        *,
        max_tokens: int,
        sampling: Sampling = GREEDY,
        **values: str,
    ) -> Filled[T]:
        """Ask for a form."""
        messages = self._prompt(prompt).messages(**values)
        counting = _Counting(self._client)
        try:
            reply = await ask_json(
                counting,
                messages,
                form,
                purpose=prompt,
                max_tokens=max_tokens,
                model=endpoint,
                temperature=sampling.temperature,
                seed=sampling.seed,
                anew=sampling.anew,
            )
        except (QuestionRefusedError, BadAnswerError) as error:
            # A round that asks to mend the first may be too long; the first is paid for.
            return Filled(None, counting.effort, storable(str(error)))
        return Filled(reply.value, counting.effort)

    def _prompt(self, name: str) -> Prompt:
        if name not in self._prompts:
            self._prompts[name] = load_prompt("evaluator", name)
        return self._prompts[name]


def effort_of(usage: LlmUsage, lost: LlmUsage = _NOTHING) -> Effort:
    """What questions took, as answers of runs are told with it.

    Args:
        usage: Those that were answered.
        lost: What they were sent for in vain.
    """
    return _effort(usage) + _effort(lost)


def _effort(usage: LlmUsage) -> Effort:
    seconds = time_of(usage.seconds, usage.tokens_in + usage.tokens_out)
    return Effort(usage.tokens_in, usage.tokens_out, seconds, usage.cost_usd, usage.calls)
