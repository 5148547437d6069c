"""When a case began, and whether its answer came in time: told by when bytes were written, not by when we looked."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from itertools import accumulate


class Arrival(Enum):
    """Whether answers came in time."""

    IN_TIME = auto()
    LATE = auto()
    UNCLEAR = auto()


class Schedule:
    """One process's cases on the clock; all times are monotonic seconds.

    A case begins when the answer before it was written, but not before its whole request was handed over: neither is
    moved by an executor that was kept from looking. Position 0 is the loading of the candidate.

    Args:
        sizes: Bytes of each request, in order.
        started: When the process was started.
        loading_s: Seconds for loading.
        case_s: Seconds for a case.
    """

    def __init__(self, sizes: Sequence[int], started: float, loading_s: float, case_s: float) -> None:
        self._ends = [*accumulate(sizes)]
        self._handed: list[tuple[int, float]] = [(0, started)]
        self._answered = started
        self._position = 0
        self._loading_s = loading_s
        self._case_s = case_s

    def hand_over(self, size: int, at: float) -> None:
        """So many more bytes of requests were handed over."""
        self._handed.append((self._handed[-1][0] + size, at))

    def answer(self, count: int, at: float) -> None:
        """So many answers came; the last one was written then."""
        self._position += count
        self._answered = at
        while len(self._handed) > 1 and self._handed[1][0] < self._end:
            del self._handed[0]

    def excuse(self, seconds: float) -> None:
        """The case at hand waited so long for us."""
        self._answered = self.begun + seconds
        self._handed = [(total, at + seconds) for total, at in self._handed]

    @property
    def begun(self) -> float:
        """When the case at hand began; one whose request is on its way, when the last part of it was handed over."""
        return max(self._answered, self._known)

    @property
    def foreseen(self) -> float:
        """Until when an answer took no longer than a case may, from when the program knew its question."""
        return self._known + self._case_s

    @property
    def _known(self) -> float:
        return next((at for total, at in self._handed if total >= self._end), self._handed[-1][1])

    @property
    def limit(self) -> float:
        """When its time is up."""
        return self.begun + (self._case_s if self._position else self._loading_s)

    @property
    def _end(self) -> int:
        return self._ends[min(self._position, len(self._ends) - 1)]


def judge_arrival(written: float | None, limit: float, pieces: int) -> Arrival:
    """Whether answers that came together came in time.

    Args:
        written: When the last byte of them was written; None where the kernel does not tell.
        limit: When the time of the first one was up.
        pieces: How many there are, one that is not whole among them.

    Returns:
        Unclear where several came and only the last is known to be too late for the first one's time: each of them
        may have been in time, so they are asked for again, one at a time.
    """
    if written is None or written <= limit:
        return Arrival.IN_TIME
    return Arrival.LATE if pieces == 1 else Arrival.UNCLEAR
