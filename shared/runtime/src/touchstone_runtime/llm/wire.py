"""What goes over the wire of an OpenAI-compatible endpoint, and what it means."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Annotated, Any, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from touchstone_runtime.llm.bounds import lowered
from touchstone_runtime.llm.catalogue import Endpoint
from touchstone_runtime.llm.ends import End, end_of
from touchstone_runtime.llm.errors import EndpointFailedError, QuestionRefusedError
from touchstone_runtime.llm.messages import ChatRequest, Logprobs
from touchstone_runtime.llm.refusals import FaultWithinError, fault_within, nonsense, start_of
from touchstone_runtime.thoughts import thought_apart

_CHARACTERS_PER_TOKEN = 4
# More tokens than any endpoint takes or gives at once: who tells of more, or of less than none, does not count.
_MOST_TOKENS = 10_000_000


@dataclass(frozen=True)
class RawAnswer:
    """What an endpoint said; `seconds` is the time of the attempt that succeeded.

    An endpoint that does not tell its tokens, or tells what cannot be, is booked at a quarter of the characters. What a
    model thinks before it answers is no part of the text where it is marked from its beginning; where only its end is
    marked, `thoughts.spoken` tells it apart. Its tokens are of those answered.
    """

    text: str
    finish_reason: str
    tokens_in: int
    tokens_out: int
    seconds: float = 0.0
    logprobs: Logprobs = ()
    thought_tokens: int = 0
    # Which model the endpoint names as the one that answered.
    answered_by: str = ""


def or_none(value: object, read: ValidatorFunctionWrapHandler) -> object:
    """For a wrapping validator: what a field takes, and None in place of what it does not."""
    try:
        return read(value)
    except ValidationError:
        return None


def _words(value: object) -> object:
    """A text, or the texts among its parts, as some endpoints tell them."""
    if isinstance(value, list):
        parts = cast("list[object]", value)
        texts = (cast("dict[str, object]", part).get("text") for part in parts if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return value


# What is beside the answer makes no nonsense of it, whatever form it has.
_BESIDE = WrapValidator(or_none)
_Count = Annotated[int | None, _BESIDE]
_Beside = Annotated[str | None, _BESIDE]


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _WireMessage(_Loose):
    content: Annotated[str | None, BeforeValidator(_words)] = None
    # What a model says in place of an answer, where the endpoint tells that apart.
    refusal: _Beside = None
    # What a model thought, where the endpoint tells it apart; two names are in use.
    reasoning_content: _Beside = None
    reasoning: _Beside = None

    @property
    def said(self) -> str:
        """Its text."""
        return self.content or self.refusal or ""

    @property
    def thought(self) -> str:
        """What stands apart from it."""
        return self.reasoning_content or self.reasoning or ""


class _WireCandidate(_Loose):
    token: str
    logprob: float


class _WireToken(_Loose):
    top_logprobs: list[_WireCandidate] | None = None


class _WireLogprobs(_Loose):
    content: list[_WireToken] | None = None


class _WireChoice(_Loose):
    message: _WireMessage | None = None
    finish_reason: str | None = None
    logprobs: Annotated[_WireLogprobs | None, _BESIDE] = None


class _WireDetails(_Loose):
    reasoning_tokens: _Count = None


class _WireUsage(_Loose):
    prompt_tokens: _Count = None
    completion_tokens: _Count = None
    total_tokens: _Count = None
    completion_tokens_details: Annotated[_WireDetails | None, _BESIDE] = None


class _WireCompletion(_Loose):
    choices: list[_WireChoice]
    model: _Beside = None
    usage: Annotated[_WireUsage | None, _BESIDE] = None


class _WirePiece(_Loose):
    index: int | None = None
    delta: _WireMessage | None = None
    # Where an endpoint passes over the wish for pieces, and tells the whole in one, or once more at the end.
    message: _WireMessage | None = None
    finish_reason: str | None = None
    logprobs: Annotated[_WireLogprobs | None, _BESIDE] = None


class _WireChunk(_Loose):
    choices: list[_WirePiece] | None = None
    model: _Beside = None
    usage: Annotated[_WireUsage | None, _BESIDE] = None


_Usage = TypeAdapter[_WireUsage | None](Annotated[_WireUsage | None, _BESIDE])


class _WireModel(_Loose):
    id: str


class _WireModels(_Loose):
    data: list[_WireModel]


def request_body(
    endpoint: Endpoint, request: ChatRequest, without: Collection[str], *, constrained: bool
) -> dict[str, Any]:
    """A request as the endpoint takes it.

    Args:
        endpoint: Whom.
        request: What.
        without: Parameters that the endpoint was found to refuse, and limits of its bound.
        constrained: Ask it to hold the answer to the request's schema.
    """
    extra: dict[str, Any] = {}
    if constrained:
        extra["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": request.json_schema, "strict": True},
        }
    if request.stop:
        extra["stop"] = list(request.stop)
    if request.top_logprobs:
        extra |= {"logprobs": True, "top_logprobs": request.top_logprobs}
    bound = lowered(request.max_tokens, without)
    extra |= {"max_tokens": bound, "temperature": request.temperature, "seed": request.seed}
    if "max_tokens" in without and "max_completion_tokens" not in without:
        # The newer name of the same bound.
        extra["max_completion_tokens"] = bound
    turns = [{"role": message.role, "content": message.content} for message in request.messages]
    told = {name: value for name, value in extra.items() if name not in without}
    return {"model": endpoint.model_id, "messages": turns, **told}


def read_completion(text: str, endpoint: Endpoint, asked: int) -> RawAnswer:
    """A completion as it came.

    Args:
        text: The JSON text.
        endpoint: Whose.
        asked: Characters of the question, by which an endpoint that tells no tokens is booked.

    Raises:
        EndpointNonsenseError: It is no completion.
        EndpointFailedError: It says of itself that it failed, or not that it ended: what it holds is no answer.
        QuestionRefusedError: The endpoint's rules ended it.
        FaultWithinError: It tells a fault and its status in place of an answer.
    """
    data: object = None
    try:
        # By Python, which takes half of a pair of surrogates as streams do.
        data = json.loads(text)
        completion = _WireCompletion.model_validate(data)
    except (ValueError, RecursionError) as error:
        if (within := _fault_within(endpoint, text, data)) is not None:
            raise within from error
        fault = nonsense(endpoint, f"its answer is no chat completion: {start_of(text)!r}")
        fault.taken = _taken(text, data)
        fault.of_a_model = isinstance(data, dict) and "choices" in data
        raise fault from error
    choice = completion.choices[0] if completion.choices else _WireChoice()
    # Without a message its end may say all that there is to say.
    if choice.message is None and end_of(choice.finish_reason) in {End.WHOLE, End.UNTOLD}:
        if (within := _fault_within(endpoint, text, data)) is not None:
            raise within
        fault = nonsense(endpoint, "its answer holds no choice")
        fault.taken, fault.of_a_model = _taken(text, data), True
        raise fault
    return replace(_answer(choice, completion.usage, asked, endpoint), answered_by=completion.model or "")


def _fault_within(endpoint: Endpoint, text: str, data: object) -> FaultWithinError | None:
    fault = fault_within(endpoint, data)
    if fault is not None:
        fault.taken = _taken(text, data)
    return fault


def _taken(text: str, data: object) -> tuple[int, int] | None:
    """Tokens in and out of what is no completion: what it tells, else nothing where it is none that was cut off."""
    if not isinstance(data, dict):
        return None if data is None and text.lstrip().startswith("{") else (0, 0)
    told = cast("dict[str, object]", data)
    used = _Usage.validate_python(told.get("usage")) or _WireUsage()
    if used.prompt_tokens is None and used.completion_tokens is None:
        return None if told.get("choices") else (0, 0)
    return _counted(used.prompt_tokens, 0), _counted(used.completion_tokens, 0)


class Collected:
    """A completion that comes in pieces: text, thoughts, tokens, and what it took.

    Attributes:
        finished: Whether an end was told: what breaks off before it is no answer.
        characters: How much came so far.
    """

    def __init__(self) -> None:
        self.finished = False
        self.characters = 0
        self._reason = self._model = ""
        self._said: list[str] = []
        self._thought: list[str] = []
        self._places: list[_WireToken] = []
        self._usage: _WireUsage | None = None

    def add(self, data: object) -> None:
        """Take one piece.

        Raises:
            ValidationError: It is none.
        """
        chunk = _WireChunk.model_validate(data)
        self._usage = chunk.usage or self._usage
        self._model = chunk.model or self._model
        # Other choices than the first were not asked for.
        for piece in (each for each in chunk.choices or () if not each.index):
            part, is_message = piece.delta or piece.message or _WireMessage(), piece.delta is None
            for kept, told in ((self._said, part.said), (self._thought, part.thought)):
                if is_message and told and told.startswith(so_far := "".join(kept)):
                    # The whole once more: what came of it before is in it.
                    kept.clear()
                    self.characters -= len(so_far)
                kept.append(told)
                self.characters += len(told)
            self._places += (piece.logprobs and piece.logprobs.content) or []
            if piece.finish_reason:
                self.finished, self._reason = True, piece.finish_reason

    def answer(self, endpoint: Endpoint, asked: int) -> RawAnswer:
        """All of it as one answer; parameters and errors as of `read_completion`."""
        message = _WireMessage(content="".join(self._said), reasoning="".join(self._thought) or None)
        logprobs = _WireLogprobs(content=self._places) if self._places else None
        choice = _WireChoice(message=message, finish_reason=self._reason, logprobs=logprobs)
        return replace(_answer(choice, self._usage, asked, endpoint), answered_by=self._model)


def _answer(choice: _WireChoice, usage: _WireUsage | None, asked: int, endpoint: Endpoint) -> RawAnswer:
    message, used = choice.message or _WireMessage(), usage or _WireUsage()
    content, apart = message.said, message.thought
    guessed = len(apart or thought_apart(content, doubtful=True)[0]) // _CHARACTERS_PER_TOKEN
    taken = _counted(used.prompt_tokens, asked // _CHARACTERS_PER_TOKEN + 1)
    characters = len(content) + len(apart)
    answered = _counted(used.completion_tokens, max(characters // _CHARACTERS_PER_TOKEN, min(characters, 1)))
    details = used.completion_tokens_details
    told = None if details is None else details.reasoning_tokens
    if told is not None and told < 0:
        told = None
    # Some endpoints count thoughts beside the answer, in the total alone, and charge for both.
    beside = _counted(used.total_tokens, 0) - taken - answered
    if beside > 0 and used.prompt_tokens is not None and used.completion_tokens is not None:
        answered, guessed = answered + beside, max(guessed, beside)
    end = end_of(choice.finish_reason)
    nothing = not content and not apart and used.completion_tokens == 0 and not answered
    if end is End.FILTERED or end is End.FAILED or end is End.UNTOLD or nothing:
        fault = _no_answer(endpoint, end, choice.finish_reason or "")
        fault.taken = taken, answered
        raise fault
    return RawAnswer(
        # Whether another mark ends a thought is told by who knows what was asked for.
        text=thought_apart(content)[1],
        finish_reason="length" if end is End.CUT else choice.finish_reason or "",
        tokens_in=taken,
        tokens_out=answered,
        logprobs=_logprobs(choice),
        thought_tokens=min(guessed if told is None else told, answered),
    )


def _no_answer(endpoint: Endpoint, end: End, word: str) -> EndpointFailedError | QuestionRefusedError:
    """What an answer is that is none, though it came."""
    place = f"{endpoint.model_id} at {endpoint.address}"
    if end is End.FILTERED:
        return QuestionRefusedError(
            f"the content filter of {place} ended the answer: {word}",
            thing=endpoint.name,
            way_out="look at what its endpoint forbids",
        )
    if end is End.FAILED:
        said = f"{place} broke its answer off: {word}"
    elif end is End.UNTOLD:
        said = f"{place} does not tell whether its answer ended (finish_reason), so that it may be half of one"
    else:
        said = f"{place} answered nothing, in no tokens"
    return EndpointFailedError(said, thing=endpoint.address, way_out="look at its log")


def _counted(told: int | None, guessed: int) -> int:
    """As many as were told; what cannot be, as none at all where there is something, counts as untold."""
    return told if told is not None and bool(guessed) <= told <= _MOST_TOKENS else guessed


def _logprobs(choice: _WireChoice) -> Logprobs:
    places = (choice.logprobs and choice.logprobs.content) or []
    return tuple(tuple((each.token, each.logprob) for each in place.top_logprobs or ()) for place in places)


def read_models(text: str) -> list[str]:
    """The models that an endpoint holds; none where its list is no list."""
    try:
        return [model.id for model in _WireModels.model_validate_json(text).data]
    except ValidationError:
        return []
