"""Batches over the wire of an OpenAI-compatible endpoint: a file of requests goes, a file of answers comes.

Nothing here tries again: whoever looks after batches looks again later, and finds what was begun.
Source: the OpenAI API reference, "Files" and "Batches"; a line is one request or one answer, known by its `custom_id`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import httpx2
import openai
from pydantic import BaseModel, ConfigDict, ValidationError, WrapValidator

from touchstone_runtime.errors import PermanentError
from touchstone_runtime.llm.catalogue import Endpoint
from touchstone_runtime.llm.errors import (
    EndpointFailedError,
    EndpointNonsenseError,
    LlmHaltError,
    QuestionRefusedError,
    RequestRefusedError,
)
from touchstone_runtime.llm.refusals import FaultWithinError, named, nonsense, start_of
from touchstone_runtime.llm.wire import RawAnswer, or_none, read_completion

T = TypeVar("T", bound=BaseModel)

# The metadata by which a batch is found again that was submitted and not noted.
MARK = "touchstone_batch"
# Nothing more becomes of a batch in one of these states.
ENDED = frozenset({"completed", "expired", "cancelled", "failed"})
# What an endpoint says of lines that it never came to: they were not asked, and cost nothing.
_NOT_ASKED = frozenset({"batch_expired", "batch_cancelled"})
_GONE = frozenset({404, 405, 410, 501})
_CUSTOM_ID = re.compile(r'"custom_id"\s*:\s*"([^"\\]+)"')
_MOST_SAID = 2000
_PAGES = 20
_PAGE = 100


class BatchRefusedError(PermanentError):
    """The endpoint does not take this batch, has no batches, or does not know this one (any more)."""


@dataclass(frozen=True)
class RemoteBatch:
    """A batch as its endpoint tells it.

    Attributes:
        remote_id: What the endpoint calls it.
        status: "validating", "in_progress", …; those of `ENDED` are the last.
        total: Requests in it, as far as the endpoint has counted.
        answered: Those of them that have an answer or a fault.
        files: Files of answers and of faults; empty until there are any.
        reason: Why it failed; empty where it did not.
        whole: Whether every file is told that its counts speak of.
    """

    remote_id: str
    status: str
    total: int = 0
    answered: int = 0
    files: tuple[str, ...] = ()
    reason: str = ""
    whole: bool = True


@dataclass(frozen=True)
class Line:
    """What became of one request: an answer, or the status, the words and the parameter of its fault.

    Attributes:
        lost: Whether it was answered by what is of no use.
        taken: Tokens in and out of such an answer, where they were told.
    """

    key: str
    answer: RawAnswer | None = None
    status: int = 0
    said: str = ""
    param: str = ""
    lost: bool = False
    taken: tuple[int, int] | None = None


class OpenAiBatches:
    """The batches of any OpenAI-compatible endpoint.

    Every method raises BatchRefusedError where the endpoint will not have it, and the errors of `OpenAiTransport` where
    it is away or does not accept us.

    Args:
        connection: The SDK's client of an endpoint, as `OpenAiTransport.connection` gives it.
    """

    def __init__(self, connection: Callable[[Endpoint], openai.AsyncOpenAI]) -> None:
        self._connection = connection

    async def upload(self, endpoint: Endpoint, batch_id: str, bodies: Mapping[str, dict[str, Any]]) -> str:
        """Bring the file of requests, by their keys; gives its id. A file alone asks nothing and costs nothing."""
        lines = (
            {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body}
            for key, body in bodies.items()
        )
        data = "".join(json.dumps(line) + "\n" for line in lines).encode()
        create: Callable[..., Awaitable[Any]] = self._connection(endpoint).files.with_raw_response.create
        file = (f"touchstone-{batch_id}.jsonl", data, "application/jsonl")
        return (await _told(endpoint, create(file=file, purpose="batch"), _WireFile)).id

    async def find(self, endpoint: Endpoint, batch_id: str) -> RemoteBatch | None:
        """The batch that was submitted under our own id, among the newest that the endpoint lists."""
        listing: Callable[..., Awaitable[Any]] = self._connection(endpoint).batches.with_raw_response.list
        after: dict[str, str] = {}
        for _ in range(_PAGES):
            page = await _told(endpoint, listing(limit=_PAGE, **after), _WirePage)
            for batch in page.data:
                if (batch.metadata or {}).get(MARK) == batch_id:
                    return _remote(batch)
            if not page.has_more or not page.data:
                return None
            after = {"after": page.data[-1].id}
        return None

    async def submit(self, endpoint: Endpoint, batch_id: str, file_id: str) -> RemoteBatch:
        """Ask for a batch. Whoever is not sure that it was never asked for uses `find` first."""
        create: Callable[..., Awaitable[Any]] = self._connection(endpoint).batches.with_raw_response.create
        asked = create(
            input_file_id=file_id,
            endpoint="/v1/chat/completions",
            completion_window="24h",
            metadata={MARK: batch_id},
            # For endpoints that know it: the same submission twice is one.
            extra_headers={"Idempotency-Key": batch_id},
        )
        return _remote(await _told(endpoint, asked, _WireBatch))

    async def look(self, endpoint: Endpoint, remote_id: str) -> RemoteBatch:
        """How far a batch is."""
        retrieve: Callable[..., Awaitable[Any]] = self._connection(endpoint).batches.with_raw_response.retrieve
        return _remote(await _told(endpoint, retrieve(remote_id), _WireBatch))

    async def cancel(self, endpoint: Endpoint, remote_id: str) -> None:
        """Ask for no more of it; what is answered by then comes, and is paid for."""
        cancel: Callable[..., Awaitable[Any]] = self._connection(endpoint).batches.with_raw_response.cancel
        await _told(endpoint, cancel(remote_id), _WireBatch)

    async def lines(self, endpoint: Endpoint, batch: RemoteBatch, asked: Mapping[str, int]) -> list[Line]:
        """What became of the requests of a batch that ended, in whatever order it comes.

        A request without a line, or that the endpoint never came to, is not among them. One whose line cannot be read
        may have been answered: it is lost.

        Args:
            endpoint: Whose.
            batch: As it ended.
            asked: Characters of each question, by key; lines of others are passed over.
        """
        content: Callable[..., Awaitable[Any]] = self._connection(endpoint).files.with_raw_response.content
        found: dict[str, Line] = {}
        for file in batch.files:
            response = await _said(endpoint, content(file))
            for line in _read(str(response.text).split("\n"), endpoint, asked):
                # A request that is told twice has the answer that came first; an answer comes before a fault.
                if (kept := found.get(line.key)) is None or (kept.answer is None and line.answer is not None):
                    found[line.key] = line
        return list(found.values())


def fault_of(endpoint: Endpoint, status: int, said: str) -> Exception:
    """The error that the fault of a line would have been, had it been asked alone."""
    request = httpx2.Request("POST", f"{endpoint.base_url}/chat/completions")
    error = openai.APIStatusError(said, response=httpx2.Response(status, request=request), body=None)
    fault = named(error, endpoint)
    if isinstance(fault, LlmHaltError):
        fault.own = endpoint.own
    return fault


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _WireParam(_Loose):
    param: str | None = None


class _WireFault(_Loose):
    error: _WireParam


# What is beside an answer makes no nonsense of it, whatever form it has.
_BESIDE = WrapValidator(or_none)
_Text = Annotated[str | None, _BESIDE]
_Count = Annotated[int | None, _BESIDE]


class _WireFile(_Loose):
    id: str


class _WireError(_Loose):
    code: _Text = None
    message: _Text = None
    line: _Count = None


class _WireErrors(_Loose):
    data: list[_WireError] | None = None


class _WireCounts(_Loose):
    total: _Count = None
    completed: _Count = None
    failed: _Count = None


class _WireBatch(_Loose):
    id: str
    status: str
    output_file_id: _Text = None
    error_file_id: _Text = None
    request_counts: Annotated[_WireCounts | None, _BESIDE] = None
    errors: Annotated[_WireErrors | None, _BESIDE] = None
    metadata: Annotated[dict[str, Any] | None, _BESIDE] = None


class _WirePage(_Loose):
    data: list[_WireBatch]
    has_more: Annotated[bool | None, _BESIDE] = None


class _WireResponse(_Loose):
    status_code: int
    body: Any = None


class _WireLine(_Loose):
    custom_id: str
    response: _WireResponse | None = None
    error: Annotated[_WireError | None, _BESIDE] = None


async def _said(endpoint: Endpoint, asked: Awaitable[Any]) -> Any:
    try:
        return await asked
    except openai.APIError as error:
        fault = named(error, endpoint)
        refused = isinstance(fault, RequestRefusedError)
        if refused or (isinstance(error, openai.APIStatusError) and error.status_code in _GONE):
            raise BatchRefusedError(
                str(fault), thing=endpoint.name, way_out="without `batch = true` in models.toml it is asked directly"
            ) from error
        if isinstance(fault, LlmHaltError):
            fault.own = endpoint.own
        raise fault from error


async def _told(endpoint: Endpoint, asked: Awaitable[Any], form: type[T]) -> T:
    text = str((await _said(endpoint, asked)).text)
    try:
        return form.model_validate_json(text)
    except ValidationError as error:
        raise nonsense(endpoint, f"what it tells of batches is not of their form: {start_of(text)!r}") from error


def _remote(batch: _WireBatch) -> RemoteBatch:
    counts = batch.request_counts or _WireCounts()
    completed, failed = counts.completed or 0, counts.failed or 0
    faults = (batch.errors and batch.errors.data) or []
    words = [f"{each.message or each.code}" + (f" (line {each.line})" if each.line else "") for each in faults[:3]]
    files = tuple(file for file in (batch.output_file_id, batch.error_file_id) if file)
    return RemoteBatch(
        batch.id,
        batch.status.lower(),
        counts.total or 0,
        completed + failed,
        files,
        "; ".join(words),
        whole=bool(files) and (not completed or bool(batch.output_file_id)),
    )


def _read(texts: Iterable[str], endpoint: Endpoint, asked: Mapping[str, int]) -> Iterable[Line]:
    for text in texts:
        try:
            # By Python, which takes half of a pair of surrogates as an answer that comes alone does.
            line = _WireLine.model_validate(json.loads(text))
        except (ValueError, RecursionError):
            if (key := _CUSTOM_ID.search(text)) and key[1] in asked:
                yield Line(key[1], status=500, said=f"its line cannot be read: {start_of(text)}", lost=True)
            continue
        response, fault = line.response, line.error
        if line.custom_id not in asked or (response is None and fault and fault.code in _NOT_ASKED):
            continue
        if response is None:
            yield Line(
                line.custom_id, status=500, said=start_of((fault and (fault.message or fault.code)) or "no answer")
            )
        elif response.status_code == 200:
            try:
                answer = read_completion(json.dumps(response.body), endpoint, asked[line.custom_id])
                yield Line(line.custom_id, answer)
            except FaultWithinError as error:
                said = json.dumps(response.body)[:_MOST_SAID]
                lost = error.taken != (0, 0)
                yield Line(line.custom_id, status=error.status_code, said=said, lost=lost, taken=error.taken)
            except QuestionRefusedError as error:
                yield Line(line.custom_id, status=400, said=error.message, lost=True, taken=error.taken)
            except (EndpointNonsenseError, EndpointFailedError) as error:
                yield Line(line.custom_id, status=500, said=str(error), lost=True, taken=error.taken)
        else:
            body = json.dumps(response.body)
            yield Line(line.custom_id, status=response.status_code, said=body[:_MOST_SAID], param=_param(response.body))


def _param(body: Any) -> str:
    """The parameter that a fault names, where it names one."""
    try:
        return _WireFault.model_validate(body).error.param or ""
    except ValidationError:
        return ""
