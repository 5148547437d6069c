"""Answers that must have a form: asked as JSON, checked against a model, and asked again with the error."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from touchstone_runtime.llm.errors import BadAnswerError
from touchstone_runtime.llm.messages import Answer, LlmUsage, Message, assistant, user
from touchstone_runtime.thoughts import has_mark, spoken

T = TypeVar("T", bound=BaseModel)

_FORM = """

Answer with one JSON object and nothing else. It must follow this JSON Schema:
```json
{schema}
```"""

_REPAIR = """This answer cannot be used: {error}
Give the corrected JSON object, complete and alone."""

# Longer answers are cut in the repair round: a model that rambled shall not fill its own context with it.
_SHOWN = 2000


class Asker(Protocol):
    """The part of `LlmClient` that is needed here."""

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
        ...


@dataclass(frozen=True)
class JsonReply(Generic[T]):
    """A checked answer.

    Attributes:
        value: The answer in its form.
        usage: What all rounds together took.
        rounds: 1 when the first answer was good.
        text: The answer as it came.
        model: The identity of the model that was asked.
        cached: True when every round came from the cache.
    """

    value: T
    usage: LlmUsage
    rounds: int
    text: str
    model: str
    cached: bool


async def ask_json(
    client: Asker,
    prompt: str | Sequence[Message],
    schema: type[T],
    *,
    purpose: str,
    max_tokens: int,
    model: str = "",
    temperature: float = 0.0,
    seed: int = 0,
    anew: int = 0,
    repair_rounds: int = 1,
) -> JsonReply[T]:
    """Ask for an answer in the form of a Pydantic model.

    Args:
        client: Asks.
        prompt: The question; the form is described to the model by this function.
        schema: The form.
        purpose: What the answer is for; accounts are kept by it.
        max_tokens: Upper bound of each answer's length.
        model: A catalogue name or `name@base_url`; empty is the client's own model.
        temperature: 0 asks for the likeliest answer.
        seed: For endpoints that sample.
        anew: A higher number asks again what was answered before.
        repair_rounds: How often a bad answer is shown its error and asked again.

    Raises:
        BadAnswerError: No round gave a fitting answer; carries the last text and the usage.
        LlmHaltError: Standing still is right.
    """
    form: dict[str, object] = schema.model_json_schema()
    # It says to readers of the code what the form is; a small model copies it into its answer.
    form.pop("description", None)
    turns = [user(prompt)] if isinstance(prompt, str) else list(prompt)
    described = _FORM.format(schema=json.dumps(form, separators=(",", ":")))
    turns[-1] = Message(turns[-1].role, turns[-1].content + described)
    usage, cached, error = LlmUsage(), True, ""
    answer: Answer | None = None
    for round_number in range(1, repair_rounds + 2):
        conversation = turns
        if answer is not None:
            conversation = [*turns, assistant(answer.text[:_SHOWN]), user(_REPAIR.format(error=error))]
        answer = await client.chat(
            conversation,
            purpose=purpose,
            max_tokens=max_tokens,
            model=model,
            temperature=temperature,
            seed=seed,
            anew=anew,
            json_schema=form,
        )
        usage += answer.usage
        cached = cached and answer.cached
        try:
            value = parse_json(answer.text, schema)
        except ValueError as problem:
            error = str(problem)
            continue
        return JsonReply(value, usage, round_number, answer.text, answer.model, cached)
    assert answer is not None
    raise BadAnswerError(
        f"the model's answer does not fit after {repair_rounds + 1} rounds: {error}",
        thing=answer.model,
        way_out="name a stronger model",
        text=answer.text,
        usage=usage,
    )


def parse_json(text: str, schema: type[T]) -> T:
    """Find the JSON object in an answer and check it.

    The whole text, each fenced block, and each object that starts anywhere in the text are tried in this
    order; the first that fits is taken. What a model thought before it answers is none of it, but where a mark of
    thoughts stands in the object.

    Raises:
        ValueError: None fits; the message says why, for the model to read.
    """
    problem = "it holds no JSON object"
    marked = filter(_is_marked, _objects(text)) if has_mark(text) else ()
    for candidate in (*marked, *_objects(spoken(text))):
        try:
            # As a text, so that what no text can hold is no answer: a lone surrogate can be neither sent nor stored.
            return schema.model_validate_json(json.dumps(candidate))
        except RecursionError:
            problem = "its JSON is nested too deeply"
        except ValidationError as error:
            problem = _explain(error)
    raise ValueError(problem)


def _objects(text: str) -> list[object]:
    decoder = json.JSONDecoder()
    found: list[object] = []
    position = text.find("{")
    while position != -1:
        try:
            value, end = decoder.raw_decode(text, position)
        except (json.JSONDecodeError, RecursionError):
            end = position + 1
        else:
            found.append(value)
        position = text.find("{", end)
    return found


def _is_marked(found: object) -> bool:
    try:
        return has_mark(json.dumps(found, ensure_ascii=False))
    except RecursionError:
        return False


def _explain(error: ValidationError) -> str:
    lines = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'the object'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)[:5]
    ]
    return "; ".join(lines)
