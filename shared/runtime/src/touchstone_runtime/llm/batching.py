"""Looking after batches: questions are put together, submitted, looked at, and their answers kept.

One sweep takes every batch one step further; every step is noted before the next begins. A sweep that ends anywhere,
with its process or without, is taken up by the next.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.llm.batch_wire import ENDED, BatchRefusedError, Line, OpenAiBatches, RemoteBatch
from touchstone_runtime.llm.batches import Batch, BatchStore, Question
from touchstone_runtime.llm.booking import count, lost_entry
from touchstone_runtime.llm.bounds import smaller_bound
from touchstone_runtime.llm.catalogue import Endpoint
from touchstone_runtime.llm.client import LlmClient
from touchstone_runtime.llm.ledger import LedgerEntry
from touchstone_runtime.llm.refusals import own_words, refused_parameter
from touchstone_runtime.llm.wire import request_body
from touchstone_runtime.telemetry import get_logger

# Faults at one request by an endpoint that answers others: the next time is like the last.
_MOST_TRIES = 3
# An endpoint may not know at once what was submitted to it, nor tell at once where the answers of a batch are.
_UNKNOWN_FOR = timedelta(minutes=10)
_AGAIN = frozenset({408, 409, 429})
_SCHEMA = ("response_format", "schema", "grammar")
_log = get_logger()


def _now() -> datetime:
    return datetime.now(UTC)


class Batching:
    """Takes batches from the first question to the last answer.

    Args:
        client: Keeps what is answered as it keeps what it asks itself.
        wire: Batches of endpoints.
        store: The memory of batches.
        most: Questions of one batch, at most.
        gather_s: How long a question waits for others, in seconds.
        clock: Tells the time; it decides when things are asked and nothing of what is answered.
    """

    def __init__(
        self,
        client: LlmClient,
        wire: OpenAiBatches,
        store: BatchStore,
        *,
        most: int,
        gather_s: float,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self._client = client
        self._wire = wire
        self._store = store
        self._most = most
        self._gather = timedelta(seconds=gather_s)
        self._clock = clock
        # When batches were first seen to have ended without a word of where all their answers are.
        self._ended_at: dict[str, datetime] = {}

    async def sweep(self) -> int:
        """Take every batch one step further, where nobody else does; gives how many ended."""
        async with self._store.turn() as mine:
            if not mine:
                return 0
            for name in await self._store.endpoints():
                while await self._form(name):
                    pass
            return sum([await self._advance(batch) for batch in await self._store.open()])

    async def activities(self) -> list[str]:
        """What open batches wait for, a line each."""
        return [batch.told(self._clock()) for batch in await self._store.open()]

    async def _form(self, name: str) -> bool:
        now = self._clock()
        return await self._store.form(Batch(uuid.uuid4().hex, name, now), self._most, now - self._gather)

    async def _advance(self, batch: Batch) -> bool:
        try:
            return await self._step(batch)
        except BatchRefusedError as error:
            if batch.remote_id and self._clock() - batch.opened_at < _UNKNOWN_FOR:
                await self._note(batch, str(error))
                return False
            await self._failed(batch, str(error))
            return True
        except TouchstoneError as error:
            # Away, or not accepting us, or nobody knows the model: the others go on, and this one with its endpoint.
            await self._note(batch, str(error))
            return False

    async def _note(self, batch: Batch, reason: str) -> None:
        # What the step noted before it failed stays.
        kept = await self._store.batch(batch.batch_id) or batch
        await self._store.save(replace(kept, reason=reason))

    async def _failed(self, batch: Batch, reason: str) -> None:
        kept = await self._store.batch(batch.batch_id) or batch
        _log.warning("batch_failed", batch_id=batch.batch_id, remote_id=kept.remote_id, reason=reason)
        await self._store.close(replace(kept, state="failed", reason=reason), ())

    async def _step(self, batch: Batch) -> bool:
        endpoint = self._client.endpoint(batch.endpoint)
        questions = await self._store.questions(batch.batch_id)
        left = all(each.unwanted for each in questions)
        if not batch.file_id:
            # Of a question that was answered meanwhile the answer is there for ever.
            questions = [each for each in questions if not await self._answered_meanwhile(each)]
            if left or not questions:
                await self._store.close(replace(batch, state="ended"), ())
                return True
            bodies = {each.key: _body(endpoint, batch, each) for each in questions}
            file_id = await self._wire.upload(endpoint, batch.batch_id, bodies)
            batch = replace(batch, file_id=file_id, total=len(questions))
            await self._store.save(batch)
        remote = await self._known(endpoint, batch)
        if remote is None and left:
            await self._store.close(replace(batch, state="ended"), ())
            return True
        if remote is None:
            remote = await self._wire.submit(endpoint, batch.batch_id, batch.file_id)
            _log.info("batch_submitted", batch_id=batch.batch_id, remote_id=remote.remote_id, questions=batch.total)
        done = remote.answered or batch.answered
        batch = replace(batch, remote_id=remote.remote_id, answered=done, reason="")
        await self._store.save(batch)
        if self._still_comes(batch, remote):
            await self._note(batch, "it has ended, and its endpoint does not tell yet where all its answers are")
            return False
        if remote.status == "failed":
            await self._failed(batch, remote.reason or "the endpoint does not say why")
        elif remote.status in ENDED:
            await self._collect(endpoint, batch, remote, questions)
        elif left and not batch.cancelled:
            await self._cancel(endpoint, batch)
        return remote.status in ENDED

    def _still_comes(self, batch: Batch, remote: RemoteBatch) -> bool:
        """Whether answers are still to be told of: what is put together anew is paid for once more."""
        if remote.status != "completed" or remote.whole:
            return False
        now = self._clock()
        if now - self._ended_at.setdefault(batch.batch_id, now) < _UNKNOWN_FOR:
            return True
        del self._ended_at[batch.batch_id]
        return False

    async def _answered_meanwhile(self, question: Question) -> bool:
        if await self._client.cached(question.key) is None:
            return False
        await self._store.drop(question.key)
        return True

    async def _known(self, endpoint: Endpoint, batch: Batch) -> RemoteBatch | None:
        """The batch at its endpoint, also where whoever submitted it died before noting so."""
        if batch.remote_id:
            return await self._wire.look(endpoint, batch.remote_id)
        return await self._wire.find(endpoint, batch.batch_id)

    async def _cancel(self, endpoint: Endpoint, batch: Batch) -> None:
        try:
            await self._wire.cancel(endpoint, batch.remote_id)
        except BatchRefusedError as error:
            # It ended meanwhile: the next look says how.
            _log.info("batch_not_cancelled", batch_id=batch.batch_id, error=str(error))
        await self._store.save(replace(batch, cancelled=True))

    async def _collect(
        self, endpoint: Endpoint, batch: Batch, remote: RemoteBatch, questions: Sequence[Question]
    ) -> None:
        asked = {each.key: sum(len(message.content) for message in each.request.messages) for each in questions}
        lines = {line.key: line for line in await self._wire.lines(endpoint, remote, asked)}
        # Of more answers than there are lines nobody knows whose they were: all without one may have been paid for.
        untold = remote.answered > len(lines)
        without, tried, lost = set(batch.without), set[str](), list[LedgerEntry]()
        for each in questions:
            line = lines.get(each.key)
            if line is None and remote.status == "completed":
                line = Line(each.key, status=500, said="its batch ended without a word of it", lost=untold)
            if line is None:
                continue
            vain = _in_vain(endpoint.in_batch(), each, line)
            if line.answer is not None:
                await self._client.keep(endpoint.in_batch(), each, line.answer, self._store)
            elif names := _refused(line, _body(endpoint, batch, each)):
                without |= names
            elif (line.status in _AGAIN or line.status >= 500) and each.tries + 1 < _MOST_TRIES:
                tried.add(each.key)
                lost += vain
            else:
                await self._store.fail(each.key, line.status, line.said, vain)
                _counted(vain)
        await self._store.close(replace(batch, state="ended", without=tuple(sorted(without))), tried, lost)
        _counted(lost)
        _log.info("batch_ended", batch_id=batch.batch_id, remote_id=batch.remote_id, status=remote.status)


def _in_vain(endpoint: Endpoint, question: Question, line: Line) -> list[LedgerEntry]:
    """What is to be booked of an answer without use."""
    of = (question.key, question.purpose, question.request.model)
    return [lost_entry(endpoint, of, question.most, line.taken)] if line.lost else []


def _counted(entries: Sequence[LedgerEntry]) -> None:
    for entry in entries:
        count(entry)


def _body(endpoint: Endpoint, batch: Batch, question: Question) -> dict[str, object]:
    request = question.request
    return request_body(endpoint, request, batch.without, constrained=bool(request.json_schema))


def _refused(line: Line, body: dict[str, object]) -> frozenset[str]:
    """What a request is to be asked again without, or with less of; empty where the request itself is at fault.

    A bound that is too large beside this very question is no matter of the next batch: the question is asked alone.
    """
    if line.status not in (400, 422):
        return frozenset()
    words = own_words(line.said)
    if name := refused_parameter(words, line.param, body):
        return frozenset({name})
    smaller = smaller_bound(body, words, line.param)
    if smaller and smaller.lasting:
        return smaller.without
    plain = "response_format" in body and any(word in words.lower() for word in _SCHEMA)
    return frozenset({"response_format"} if plain else ())
