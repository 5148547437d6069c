"""What models took while an answer was made: it is known also where the making broke off."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from evaluator.domain.tasks import Effort


class Tally:
    """What was spent so far."""

    def __init__(self) -> None:
        self.effort = Effort()


# A strategy may be anybody's: what it spent is known here though it never gets to say so.
_tally: ContextVar[Tally | None] = ContextVar("tally", default=None)


@contextmanager
def tallied() -> Generator[Tally]:
    """Count what models take within, whoever asks them."""
    tally = Tally()
    token = _tally.set(tally)
    try:
        yield tally
    finally:
        _tally.reset(token)


def spent(effort: Effort) -> None:
    """Count what a model's answer took, where somebody counts."""
    if (tally := _tally.get()) is not None:
        tally.effort += effort
