"""How long work will still take, said only where that rests on something."""

from __future__ import annotations

from collections import deque

# A rate is believed once so much was done of the very work that is waited for ...
_LEAST_DONE = 10
# ... and in each half of the time looked at about as much as in the other: within this factor.
_STEADY = 2.0


class Rest:
    """Estimates the rest of one piece of work from how it went.

    Args:
        window_s: How far back it looks, in seconds; None looks back to the beginning.
    """

    def __init__(self, window_s: float | None = None) -> None:
        self._window_s = window_s
        self._seen: deque[tuple[float, int]] = deque()
        self._left = 0

    def note(self, now: float, done: int, left: int) -> None:
        """Take a new count: how much is done and how much is left, at a time in seconds."""
        self._seen.append((now, done))
        self._left = left
        while self._window_s is not None and len(self._seen) > 2 and now - self._seen[0][0] > self._window_s:
            self._seen.popleft()

    @property
    def rate(self) -> float:
        """How many a second over the time looked at; 0 when nothing is known."""
        if len(self._seen) < 2:
            return 0.0
        (start, first), (end, last) = self._seen[0], self._seen[-1]
        return max(0.0, (last - first) / (end - start)) if end > start else 0.0

    @property
    def seconds(self) -> float:
        """The estimated rest; 0 where nothing was done lately, too little, or now faster and now slower.

        Example:
            >>> rest = Rest()
            >>> for second in range(21):
            ...     rest.note(second, second, 100 - second)
            >>> rest.seconds
            80.0
            >>> rest.note(80, 21, 79)
            >>> rest.seconds
            0.0
        """
        if self._left <= 0 or not self._steady():
            return 0.0
        return self._left / self.rate

    def _steady(self) -> bool:
        (start, first), (end, last) = self._seen[0], self._seen[-1]
        if last - first < _LEAST_DONE or end <= start:
            return False
        middle = (start + end) / 2
        at, done = min(self._seen, key=lambda each: abs(each[0] - middle))
        if not start < at < end:
            return False
        halves = sorted(((done - first) / (at - start), (last - done) / (end - at)))
        return halves[0] > 0 and halves[1] <= _STEADY * halves[0]
