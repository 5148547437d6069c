"""A language model as adviser: judges whether a function makes a task, and words instructions."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from pbt_generator.ports import Opinion, Wording
from touchstone_runtime.llm import BadAnswerError, LlmClient, RequestRefusedError, ask_json, load_prompt

_JUDGE_TOKENS = 400
_WORD_TOKENS = 900


class SuitabilityForm(BaseModel):
    """The answer about a function."""

    reason: str = Field(max_length=600)
    suitable: bool
    difficulty: Literal["Easy", "Medium", "Hard"]


class WordingForm(BaseModel):
    """The answer with an instruction."""

    instruction: str = Field(min_length=40, max_length=6000)


class LlmAdvisor:
    """Implements the `Advisor` port.

    Args:
        client: Asks the model; its cache makes a replay free and the same.
        model: A catalogue name or `name@base_url`.
    """

    def __init__(self, client: LlmClient, model: str) -> None:
        self._client = client
        self._model = model
        self._judge = load_prompt("pbt_generator", "suitability_v1")
        self._word = load_prompt("pbt_generator", "wording_v1")

    async def judge(self, code: str, kind: str) -> Opinion | None:
        """Say whether a function makes a good task and how hard it is; None when no answer fits the form."""
        try:
            reply = await ask_json(
                self._client, self._judge.messages(code=code, kind=_KINDS[kind]), SuitabilityForm,
                purpose="pbt_generator.suitability", max_tokens=_JUDGE_TOKENS, model=self._model,
            )  # fmt: skip
        except (BadAnswerError, RequestRefusedError):
            return None
        return Opinion(reply.value.suitable, reply.value.reason, reply.value.difficulty, reply.model)

    async def word(self, brief: str, kind: str) -> Wording | None:
        """Reword an instruction; None when no answer fits the form."""
        try:
            reply = await ask_json(
                self._client, self._word.messages(brief=brief, kind=_KINDS[kind]), WordingForm,
                purpose="pbt_generator.wording", max_tokens=_WORD_TOKENS, model=self._model,
            )  # fmt: skip
        except (BadAnswerError, RequestRefusedError):
            return None
        return Wording(reply.value.instruction, reply.model)


_KINDS = {
    "SC": "It will be set in five languages, so nothing in it may depend on one language.",
    "WSC": "It will be set in Python, and the libraries that it imports may be used.",
}
