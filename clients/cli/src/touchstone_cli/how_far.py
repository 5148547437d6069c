"""How far something long is: counts now and then, and the time that the rest takes where that can be told."""

from __future__ import annotations

import time
from collections.abc import Callable

from touchstone_cli.estimating import Rest
from touchstone_cli.output import duration, say_progress

_EVERY_S = 3.0


class HowFar:
    """Says on standard error how far something is.

    Args:
        what: Of what, for example "lines read".
        total: How much there is; 0 where nobody knows.
        clock: Seconds that only grow.
    """

    def __init__(self, what: str, total: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._total = total
        self._clock = clock
        self._rest = Rest()
        self._told = clock()
        self._rest.note(self._told, 0, total)

    def at(self, done: int, total: int = 0) -> None:
        """So much is done; said where the last time was some seconds ago and something is left."""
        now, self._total = self._clock(), total or self._total
        self._rest.note(now, done, max(0, self._total - done))
        if now - self._told < _EVERY_S or done == self._total:
            return
        self._told = now
        of = f" of {self._total:,}" if self._total else ""
        left = f", about {duration(self._rest.seconds)} left" if self._rest.seconds else ""
        say_progress(f"{done:,}{of} {self._what}{left}", redrawn=True)
