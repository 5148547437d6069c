"""What was sent to an endpoint and came to no usable answer: it may have been counted there, and is counted here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from touchstone_runtime.llm.ledger import LedgerEntry
from touchstone_runtime.llm.messages import LlmUsage
from touchstone_runtime.telemetry import get_logger

_log = get_logger()


@dataclass
class Attempt:
    """One try of a question, as its transport tells of it.

    Attributes:
        open: Whether the endpoint may have counted it: it was sent, and neither refused nor answered.
        told: Tokens in and out that an answer without use took, as far as the endpoint told; None where it did not.
        connected: Whether a new connection was made for it.
    """

    open: bool = False
    told: tuple[int, int] | None = None
    connected: bool = False


class LostAnswers:
    """Keeps what was lost until the books have it: the ledger may be away, and the budget counts it all the same.

    Args:
        book: Books a question.
    """

    def __init__(self, book: Callable[[LedgerEntry], Awaitable[None]]) -> None:
        self._book = book
        self._unbooked: list[LedgerEntry] = []
        self._by_key: dict[str, LlmUsage] = {}
        self._turn = asyncio.Lock()
        self._beside: set[asyncio.Task[None]] = set()

    @property
    def unbooked(self) -> LlmUsage:
        """What the ledger does not know of yet."""
        return sum((entry.usage for entry in self._unbooked), LlmUsage())

    def of(self, key: str) -> LlmUsage:
        """What a question that has no answer yet was sent in vain for."""
        return self._by_key.get(key, LlmUsage())

    def add(self, entry: LedgerEntry) -> None:
        """Count a question that was sent in vain; `book` books it."""
        self._unbooked.append(entry)
        self._by_key[entry.key] = self.of(entry.key) + entry.usage
        _log.warning("model_answer_lost", model=entry.model, purpose=entry.purpose, tokens=entry.usage.lost_tokens)

    def answered(self, key: str) -> None:
        """Forget a question: its answer says what was lost before it."""
        self._by_key.pop(key, None)

    async def book(self) -> None:
        """Book all that is not booked yet; what the ledger does not take stays."""
        async with self._turn:
            while self._unbooked:
                await self._book(self._unbooked[0])
                self._unbooked.pop(0)

    def book_beside(self) -> None:
        """The same for who is told to end and waits for nothing more."""
        task = asyncio.create_task(self.book())
        self._beside.add(task)
        task.add_done_callback(self._booked)

    def _booked(self, task: asyncio.Task[None]) -> None:
        self._beside.discard(task)
        if not task.cancelled() and (error := task.exception()):
            # It stays unbooked, and the next question tries again.
            _log.warning("model_answer_not_booked", error=str(error))
