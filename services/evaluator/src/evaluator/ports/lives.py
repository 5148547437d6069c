"""What becomes of runs beside their answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from evaluator.domain.lives import RunChange


class Lives(Protocol):
    """Changes of runs: each is kept with what it does, in one transaction, and told later.

    What changes nothing is no change.
    """

    async def set_withdrawn(self, run_id: str, reason: str) -> None:
        """Take a run off the board; with an empty reason put it back."""
        ...

    async def set_paused(self, run_id: str, *, paused: bool) -> None:
        """Pause a run, so that none of its answers without a solution counts as asked for, or let it go on.

        Going on, what a cancellation ended is open again.
        """
        ...

    async def end_answers(self, run_id: str) -> int:
        """End every answer of a run that has no verdict and whose task stands, outside its scores; gives how many.

        Neither a pause nor a halt holds any more. A verdict that comes later changes nothing.
        """
        ...

    async def forget_run(self, run_id: str) -> None:
        """Remove a run with its attempts for good."""
        ...

    async def is_forgotten(self, run_id: str) -> bool:
        """Whether a run was removed."""
        ...

    async def learn_change(self, change: RunChange) -> None:
        """Keep a change that somebody told of, whether its run is known yet or not, and let hold what holds now."""
        ...

    async def note_asked(self, run_id: str, place: tuple[str, int], after_change: int) -> None:
        """Note that an answer is asked for by somebody who knew the run's changes up to this number.

        It counts as asked for, unless a pause holds it that came later.
        """
        ...

    async def unpublished_changes(self, run_id: str = "") -> list[RunChange]:
        """Changes, of one run or of all, that were not confirmed to be told, in the order of their numbers."""
        ...

    async def mark_published(self, changes: Sequence[RunChange]) -> None:
        """Note that these changes are told."""
        ...
