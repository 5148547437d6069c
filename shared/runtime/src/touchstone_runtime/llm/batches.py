"""Questions that are asked in batches, and where they are kept until they are answered.

A question is kept before anything is asked, and a batch before it is submitted. Whoever is killed at any step finds
both again: nothing is asked twice and no answer is lost. What is answered leaves this memory for the cache and the
ledger.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, Protocol

from touchstone_runtime.llm.ledger import Ledger, LedgerEntry
from touchstone_runtime.llm.messages import ChatRequest, LlmUsage


@dataclass(frozen=True)
class Question:
    """A question that waits for its batch, or for somebody who reads why it has no answer.

    Attributes:
        key: Hash of the request.
        endpoint: Name of the model in the catalogue.
        purpose: What the answer is for.
        request: The question.
        most: The most that it can take; the budget keeps so much for it.
        asked_at: When it was first asked.
        batch_id: Its batch; empty while it is in none.
        tries: How often an endpoint failed at it.
        status: HTTP status of the fault that it ended with; 0 where it did not.
        said: The endpoint's words for that.
        unwanted: Nobody waits for it any more.
    """

    key: str
    endpoint: str
    purpose: str
    request: ChatRequest
    most: LlmUsage
    asked_at: datetime
    batch_id: str = ""
    tries: int = 0
    status: int = 0
    said: str = ""
    unwanted: bool = False


@dataclass(frozen=True)
class Batch:
    """Questions that are asked together.

    Attributes:
        batch_id: Our own id, by which the endpoint finds it again.
        endpoint: Name of the model in the catalogue.
        opened_at: When its questions were put together.
        state: "open" until nothing more comes of it; "failed" where the endpoint did not take it.
        file_id: The endpoint's id of the file of requests; empty until it is there. Without it nothing was submitted.
        remote_id: The endpoint's id of the batch; empty until it is known.
        without: Parameters that the model was found to refuse; the next batch goes without them as well.
        total: Questions in it.
        answered: Those of them that the endpoint is done with.
        reason: Why it failed, or what it waits for.
        cancelled: The endpoint was told to leave it.
    """

    batch_id: str
    endpoint: str
    opened_at: datetime
    state: Literal["open", "failed", "ended"] = "open"
    file_id: str = ""
    remote_id: str = ""
    without: tuple[str, ...] = ()
    total: int = 0
    answered: int = 0
    reason: str = ""
    cancelled: bool = False

    def told(self, now: datetime) -> str:
        """What a person reads of an open batch."""
        minutes = max(int((now - self.opened_at).total_seconds()) // 60, 0)
        name = f"batch {self.remote_id}" if self.remote_id else "a batch to be taken"
        fault = f"; {self.reason}" if self.reason else ""
        return (
            f"{self.endpoint}: waiting for {name}, {self.answered} of {self.total} answered, for {minutes} min{fault}"
        )


class BatchStore(Protocol):
    """The memory of batches; every method is one transaction."""

    def turn(self) -> AbstractAsyncContextManager[bool]:
        """Whether it is this process's turn to look after the batches; nobody else's until the end of the block."""
        ...

    async def put(self, question: Question) -> Question:
        """Keep a question, unless it is kept already; it is wanted then. Gives what is kept."""
        ...

    async def find(self, key: str) -> Question | None:
        """A question that has no answer yet."""
        ...

    async def drop(self, key: str) -> None:
        """Forget a question."""
        ...

    async def waiting(self, keys: Collection[str]) -> set[str]:
        """Those of these questions of which an answer or a fault is still to come."""
        ...

    async def reserved(self) -> LlmUsage:
        """The most that all questions can take of which an answer is still to come."""
        ...

    async def endpoints(self) -> list[str]:
        """Names of the models that questions in no batch are for, sorted."""
        ...

    async def form(self, batch: Batch, most: int, before: datetime) -> bool:
        """Put questions that are in no batch into this one, and keep it; False where it is too early.

        Args:
            batch: New; it takes over what the newest batch of its endpoint goes without.
            most: So many questions at most, the oldest first.
            before: It is too early where there are fewer, and all were asked after this.
        """
        ...

    async def batch(self, batch_id: str) -> Batch | None:
        """A batch, whatever became of it."""
        ...

    async def open(self) -> list[Batch]:
        """Open batches, oldest first."""
        ...

    async def questions(self, batch_id: str) -> list[Question]:
        """Questions of a batch that have neither answer nor fault, by key."""
        ...

    async def save(self, batch: Batch) -> None:
        """Note how far a batch is."""
        ...

    async def settle(self, entry: LedgerEntry) -> bool:
        """Forget a question, which is answered, and book it; False where it was booked before."""
        ...

    async def fail(self, key: str, status: int, said: str, lost: Sequence[LedgerEntry] = ()) -> None:
        """Note that a question ended with a fault, and book what it lost, both or neither."""
        ...

    async def close(self, batch: Batch, tried: Collection[str], lost: Sequence[LedgerEntry] = ()) -> None:
        """Note that nothing more comes of a batch. Its open questions wait for another one, where it did not fail.

        Those that nobody wants any more are forgotten, whatever became of their batch.

        Args:
            batch: With its last state.
            tried: Keys of questions that the endpoint failed at; one more try of each is counted.
            lost: What was answered without use, of those that had no fault noted; booked with the batch, or not at all.
        """
        ...

    async def give_up(self, keys: Collection[str]) -> None:
        """Nobody waits for these questions any more; those in no open batch are forgotten."""
        ...

    async def begin_anew(self, model: str) -> None:
        """Forget the questions to a model that ended with a fault, or whose batch failed: they may be asked again.

        Args:
            model: Its identity.
        """
        ...


class MemoryBatchStore:
    """A memory that lives as long as the process.

    Args:
        ledger: Where answered questions are booked.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.asked: dict[str, Question] = {}
        self.batches: dict[str, Batch] = {}
        self._ledger = ledger
        self._taken = False

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[bool]:
        """Whether it is the caller's turn."""
        if self._taken:
            yield False
            return
        self._taken = True
        try:
            yield True
        finally:
            self._taken = False

    async def put(self, question: Question) -> Question:
        """Keep a question."""
        kept = replace(self.asked.get(question.key, question), unwanted=False)
        self.asked[question.key] = kept
        return kept

    async def find(self, key: str) -> Question | None:
        """A question that has no answer yet."""
        return self.asked.get(key)

    async def drop(self, key: str) -> None:
        """Forget a question."""
        self.asked.pop(key, None)

    async def waiting(self, keys: Collection[str]) -> set[str]:
        """Questions of which something is still to come."""
        return {key for key in keys if key in self.asked and self._waits(self.asked[key])}

    async def reserved(self) -> LlmUsage:
        """The most that open questions can take."""
        return sum((each.most for each in self.asked.values() if self._waits(each)), LlmUsage())

    async def endpoints(self) -> list[str]:
        """Names of the models that questions in no batch are for."""
        return sorted({each.endpoint for each in self._loose()})

    async def form(self, batch: Batch, most: int, before: datetime) -> bool:
        """Put questions into a batch."""
        loose = [each for each in self._loose() if each.endpoint == batch.endpoint][:most]
        if not loose or (len(loose) < most and loose[0].asked_at > before):
            return False
        earlier = [each for each in self.batches.values() if each.endpoint == batch.endpoint]
        newest = max(earlier, key=lambda each: (each.opened_at, each.batch_id), default=batch)
        self.batches[batch.batch_id] = replace(batch, without=newest.without, total=len(loose))
        for each in loose:
            self.asked[each.key] = replace(each, batch_id=batch.batch_id)
        return True

    async def batch(self, batch_id: str) -> Batch | None:
        """A batch."""
        return self.batches.get(batch_id)

    async def open(self) -> list[Batch]:
        """Open batches."""
        found = [each for each in self.batches.values() if each.state == "open"]
        return sorted(found, key=lambda each: (each.opened_at, each.batch_id))

    async def questions(self, batch_id: str) -> list[Question]:
        """Open questions of a batch."""
        found = [each for each in self.asked.values() if each.batch_id == batch_id and not each.status]
        return sorted(found, key=lambda each: each.key)

    async def save(self, batch: Batch) -> None:
        """Note how far a batch is."""
        self.batches[batch.batch_id] = batch

    async def settle(self, entry: LedgerEntry) -> bool:
        """Forget a question and book it."""
        if self.asked.pop(entry.key, None) is None:
            return False
        await self._ledger.record(entry)
        return True

    async def fail(self, key: str, status: int, said: str, lost: Sequence[LedgerEntry] = ()) -> None:
        """Note a fault."""
        self.asked[key] = replace(self.asked[key], status=status, said=said)
        await self._book(lost)

    async def close(self, batch: Batch, tried: Collection[str], lost: Sequence[LedgerEntry] = ()) -> None:
        """Note that nothing more comes of a batch."""
        await self._book(lost)
        self.batches[batch.batch_id] = batch
        for each in await self.questions(batch.batch_id):
            if each.unwanted:
                del self.asked[each.key]
            elif batch.state == "ended":
                self.asked[each.key] = replace(each, batch_id="", tries=each.tries + (each.key in tried))

    async def give_up(self, keys: Collection[str]) -> None:
        """Nobody waits for these."""
        for key in keys:
            if (each := self.asked.get(key)) is not None:
                if each.batch_id and self._waits(each):
                    self.asked[key] = replace(each, unwanted=True)
                else:
                    del self.asked[key]

    async def begin_anew(self, model: str) -> None:
        """Forget faults."""
        gone = [each.key for each in self.asked.values() if each.request.model == model and not self._waits(each)]
        for key in gone:
            del self.asked[key]

    async def _book(self, lost: Sequence[LedgerEntry]) -> None:
        for entry in lost:
            await self._ledger.record(entry)

    def _loose(self) -> list[Question]:
        loose = [each for each in self.asked.values() if not each.batch_id and not each.status]
        return sorted(loose, key=lambda each: (each.asked_at, each.key))

    def _waits(self, question: Question) -> bool:
        batch = self.batches.get(question.batch_id)
        return not question.status and (batch is None or batch.state != "failed")
