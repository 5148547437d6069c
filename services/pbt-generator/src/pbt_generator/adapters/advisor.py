"""A language model as adviser: judges functions, words tasks, writes them back, proposes inputs, makes up mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, Field

from pbt_generator.adapters.solver import SolutionForm, program_in
from pbt_generator.domain.advice import (
    MAX_FURTHER,
    MAX_MISTAKES,
    MAX_SHOWING,
    Description,
    MadeUp,
    Mistake,
    Opinion,
    Wording,
)
from pbt_generator.domain.inputs.proposals import Proposal
from touchstone_runtime.llm import (
    BadAnswerError,
    JsonReply,
    LlmClient,
    Message,
    RequestRefusedError,
    ask_json,
    load_prompt,
)

T = TypeVar("T", bound=BaseModel)

_JUDGE_TOKENS = 400
_WORD_TOKENS = 900
_INPUT_TOKENS = 1500
_PROGRAM_TOKENS = 2500
_MISTAKE_TOKENS = 6000
_INPUTS = 16


class SuitabilityForm(BaseModel):
    """The answer about a function."""

    reason: str = Field(max_length=600)
    suitable: bool
    difficulty: Literal["Easy", "Medium", "Hard"]


class WordingForm(BaseModel):
    """The answer with an instruction."""

    instruction: str = Field(min_length=40, max_length=6000)


class MeaningForm(BaseModel):
    """What a parameter means."""

    name: str = Field(max_length=80)
    words: str = Field(max_length=500)


class DescriptionForm(BaseModel):
    """The answer with what a function does."""

    text: str = Field(min_length=20, max_length=4000)
    parameters: list[MeaningForm] = Field(default_factory=list[MeaningForm], max_length=20)
    result: str = Field(default="", max_length=800)


class PatternForm(BaseModel):
    """What the texts of one parameter look like."""

    parameter: str = Field(max_length=80)
    pattern: str = Field(max_length=300)


class InputsForm(BaseModel):
    """The answer with inputs."""

    inputs: list[Annotated[str, Field(max_length=1500)]] = Field(max_length=_INPUTS)
    patterns: list[PatternForm] = Field(default_factory=list[PatternForm], max_length=6)


class MistakeForm(BaseModel):
    """One wrong program."""

    words: str = Field(max_length=600)
    code: str = Field(min_length=1, max_length=12_000)
    inputs: list[Annotated[str, Field(max_length=1500)]] = Field(default_factory=list[str], max_length=4 * MAX_SHOWING)


class MistakesForm(BaseModel):
    """The answer with wrong programs."""

    mistakes: list[MistakeForm] = Field(max_length=4 * MAX_MISTAKES)
    inputs: list[Annotated[str, Field(max_length=1500)]] = Field(default_factory=list[str], max_length=4 * MAX_FURTHER)


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
        self._inputs = load_prompt("pbt_generator", "inputs_v1")
        self._describe = load_prompt("pbt_generator", "description_v2")
        self._write = load_prompt("pbt_generator", "solution_v1")
        self._mistakes = load_prompt("pbt_generator", "mistakes_v1")

    async def judge(self, code: str, kind: str) -> Opinion | None:
        """Say whether a function makes a good task and how hard it is; None when no answer fits the form."""
        messages = self._judge.messages(code=code, kind=_KINDS[kind])
        reply = await self._ask(messages, SuitabilityForm, "suitability", _JUDGE_TOKENS)
        if reply is None:
            return None
        return Opinion(reply.value.suitable, reply.value.reason, reply.value.difficulty, reply.model)

    async def word(self, brief: str, kind: str) -> Wording | None:
        """Reword an instruction; None when no answer fits the form."""
        messages = self._word.messages(brief=brief, kind=_KINDS[kind])
        reply = await self._ask(messages, WordingForm, "wording", _WORD_TOKENS)
        return Wording(reply.value.instruction, reply.model) if reply is not None else None

    async def describe(
        self, code: str, kind: str, parameters: Sequence[str], lacking: Sequence[str] = ()
    ) -> Description | None:
        """Say what a function does; None when no answer fits the form."""
        listed = "\n".join(f"- {words}" for words in lacking)
        messages = self._describe.messages(
            lacking=f"An earlier description was not enough, since\n{listed}\nMend that.\n" if lacking else "",
            code=code, kind=_KINDS[kind], parameters=", ".join(parameters),
        )  # fmt: skip
        reply = await self._ask(messages, DescriptionForm, "description", _WORD_TOKENS)
        if reply is None:
            return None
        known = {each.name: each.words for each in reply.value.parameters if each.name in parameters}
        return Description(reply.value.text, known, reply.value.result, reply.model)

    async def write(self, words: str, entry_point: str, head: str) -> str:
        """A program from words alone; empty when no answer fits the form."""
        messages = self._write.messages(entry_point=entry_point, instruction=words, signature=head)
        reply = await self._ask(messages, SolutionForm, "writing_back", _PROGRAM_TOKENS)
        return program_in(reply.value.code, entry_point) if reply is not None else ""

    async def propose(self, code: str, kind: str, parameters: Sequence[str], missing: Sequence[str]) -> Proposal | None:
        """Propose inputs for what none has reached; None when no answer fits the form."""
        messages = self._inputs.messages(
            code=code, kind=_KINDS[kind], parameters=", ".join(parameters), missing="; ".join(missing), count=_INPUTS
        )
        reply = await self._ask(messages, InputsForm, "inputs", _INPUT_TOKENS)
        if reply is None:
            return None
        patterns = tuple((each.parameter, each.pattern) for each in reply.value.patterns)
        return Proposal(tuple(reply.value.inputs), patterns, reply.model)

    async def mistakes(
        self,
        code: str,
        kind: str,
        entry_point: str,
        parameters: Sequence[str],
        examples: Sequence[str],
        known: Sequence[str] = (),
    ) -> MadeUp | None:
        """Make up wrong programs and inputs that show them; None when no answer fits the form."""
        listed = "\n".join(f"- {words}" for words in known)
        messages = self._mistakes.messages(
            known=f"These are known already; find others, also less likely ones:\n{listed}" if known else "",
            code=code, kind=_KINDS[kind], entry_point=entry_point, parameters=", ".join(parameters),
            mistakes=MAX_MISTAKES, count=MAX_FURTHER, examples="\n".join(examples),
        )  # fmt: skip
        reply = await self._ask(messages, MistakesForm, "mistakes", _MISTAKE_TOKENS)
        if reply is None:
            return None
        made = (
            Mistake(each.words, program_in(each.code, entry_point), tuple(each.inputs[:MAX_SHOWING]))
            for each in reply.value.mistakes[:MAX_MISTAKES]
        )
        return MadeUp(tuple(made), tuple(reply.value.inputs[:MAX_FURTHER]), reply.model)

    async def _ask(self, messages: Sequence[Message], form: type[T], purpose: str, tokens: int) -> JsonReply[T] | None:
        try:
            return await ask_json(
                self._client, messages, form,
                purpose=f"pbt_generator.{purpose}", max_tokens=tokens, model=self._model,
            )  # fmt: skip
        except (BadAnswerError, RequestRefusedError):
            return None


_KINDS = {
    "SC": "It will be set in five languages, so nothing in it may depend on one language.",
    "WSC": "It will be set in Python, and the libraries that it imports may be used.",
}
