"""Who runs next: callers take turns, jobs of one caller run in order, and what runs fits the machine's memory."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field


class QueueFullError(Exception):
    """A caller has as many jobs waiting as it may."""


@dataclass(eq=False)
class Ticket:
    """One job's place in the queue.

    Attributes:
        caller: Whose job it is; empty for the platform's own.
        memory_bytes: What the job may use.
        admit: Called once it may run.
        works: Whether it keeps a worker busy; a session that is open only holds memory.
    """

    caller: str
    memory_bytes: int
    admit: Callable[[], None]
    works: bool = True
    running: bool = field(default=False, init=False)


class FairQueue:
    """Holds jobs back until a worker is free and their memory fits. Not safe for threads.

    Nobody is passed over because its job is large: the next one waits until there is room, and the others behind it.
    A job that is larger than all memory, or than what open sessions leave of it, runs alone beside them.

    Args:
        workers: Jobs at a time.
        memory_bytes: Memory of all running jobs together.
        most_waiting: Jobs of one caller that may wait.
    """

    def __init__(self, workers: int, memory_bytes: float = float("inf"), most_waiting: int = 10_000) -> None:
        self._workers = workers
        self._memory_bytes = memory_bytes
        self._most_waiting = most_waiting
        self._waiting: OrderedDict[str, deque[Ticket]] = OrderedDict()
        self._running: set[Ticket] = set()

    @property
    def waiting(self) -> int:
        """Jobs that wait."""
        return sum(map(len, self._waiting.values()))

    @property
    def running(self) -> int:
        """Jobs that run."""
        return sum(ticket.works for ticket in self._running)

    def add(self, ticket: Ticket) -> None:
        """Take a job in; it may be admitted at once.

        Raises:
            QueueFullError: the caller has too many waiting.
        """
        mine = self._waiting.get(ticket.caller)
        if mine is not None and len(mine) >= self._most_waiting:
            raise QueueFullError(f"{len(mine)} jobs of this caller are waiting; at most {self._most_waiting} may")
        self._waiting.setdefault(ticket.caller, deque()).append(ticket)
        self._admit()

    def leave(self, ticket: Ticket) -> None:
        """A job has ended, or does not wait any more; harmless when it is gone already."""
        self._running.discard(ticket)
        mine = self._waiting.get(ticket.caller)
        if mine is not None and ticket in mine:
            mine.remove(ticket)
            if not mine:
                del self._waiting[ticket.caller]
        self._admit()

    def _admit(self) -> None:
        while self._waiting:
            caller, mine = next(iter(self._waiting.items()))
            if mine[0].works and self.running >= self._workers:
                return
            used = sum(ticket.memory_bytes for ticket in self._running)
            # What holds memory without working may stay for hours: nobody waits for its end.
            ending = any(ticket.works and ticket.memory_bytes for ticket in self._running)
            if ending and used + mine[0].memory_bytes > self._memory_bytes:
                return
            ticket = mine.popleft()
            # The caller's next job comes after one of everybody else's.
            del self._waiting[caller]
            if mine:
                self._waiting[caller] = mine
            ticket.running = True
            self._running.add(ticket)
            ticket.admit()
