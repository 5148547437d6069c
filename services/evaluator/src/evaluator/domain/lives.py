"""What becomes of a run beside its answers: it is withdrawn, paused, cancelled, deleted, or the contrary.

Changes are numbered, and what holds is read from their numbers alone: the order in which they are met, among themselves
and beside verdicts, makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

# Answers that one change names at most: it becomes one message.
MOST_TOUCHED = 2000


class Change(StrEnum):
    """What somebody can do to a run."""

    WITHDRAWN = "withdrawn"
    RESTORED = "restored"
    PAUSED = "paused"
    RESUMED = "resumed"
    CANCELLED = "cancelled"
    DELETED = "deleted"


class Touched(NamedTuple):
    """An answer that a change touches; `answered`: its model had answered, and a verdict was to come."""

    task_id: str
    sample: int
    answered: bool = False


@dataclass(frozen=True)
class RunChange:
    """One change of a run.

    Attributes:
        number: Counted for each run, from 1; the highest holds.
        change: A `Change`, or the name of one that a later version added.
        reason: Of a withdrawal, for everybody to read.
        answers: Of a pause those that wait now, of a cancellation those that were ended.
    """

    run_id: str
    number: int
    change: str
    reason: str = ""
    answers: tuple[Touched, ...] = ()


@dataclass(frozen=True)
class Life:
    """What holds of a run after its changes.

    Attributes:
        changed: Number of the last change.
        withdrawn: Why it is off the board; empty while it is on it.
        waiting: Answers that a pause holds, with the pause's number: what was asked for later does not wait.
        ended: Answers that a cancellation ended, and whether their models had answered.
    """

    changed: int = 0
    deleted: bool = False
    withdrawn: str = ""
    paused: bool = False
    waiting: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    ended: dict[tuple[str, int], bool] = field(default_factory=dict[tuple[str, int], bool])

    def waits(self, place: tuple[str, int], after_change: int) -> bool:
        """Whether an answer waits that was asked for by somebody who knew the changes up to this number."""
        return place in self.waiting and self.waiting[place] > after_change


def life_of(changes: Iterable[RunChange]) -> Life:
    """What holds after some changes of one run, in whichever order they are given.

    Example:
        >>> back = RunChange("r", 2, Change.RESTORED)
        >>> life_of([back, RunChange("r", 1, Change.WITHDRAWN, "asked wrongly")]).withdrawn
        ''
    """
    changed, deleted, withdrawn, paused = 0, False, "", False
    waiting: dict[tuple[str, int], int] = {}
    ended: dict[tuple[str, int], bool] = {}
    # Two of one number are of two databases, one of which was lost; which of them holds must not depend on the order.
    for each in sorted(changes, key=lambda one: (one.number, one.change, one.reason)):
        changed = max(changed, each.number)
        if each.change == Change.DELETED:
            deleted = True
        elif each.change in (Change.WITHDRAWN, Change.RESTORED):
            withdrawn = each.reason if each.change == Change.WITHDRAWN else ""
        elif each.change == Change.PAUSED:
            paused = True
            waiting |= {(task_id, sample): each.number for task_id, sample, _ in each.answers}
        elif each.change == Change.CANCELLED:
            paused, waiting = False, {}
            ended |= {(task_id, sample): answered for task_id, sample, answered in each.answers}
        elif each.change == Change.RESUMED:
            paused, waiting, ended = False, {}, {}
    return Life(changed, deleted, withdrawn, paused, waiting, ended)


def numbered(
    run_id: str, first: int, change: Change, reason: str = "", answers: Sequence[Touched] = ()
) -> list[RunChange]:
    """A change as it is kept and told: where it touches more answers than one message takes, under several numbers."""
    portions = [tuple(answers[at : at + MOST_TOUCHED]) for at in range(0, len(answers), MOST_TOUCHED)] or [()]
    return [RunChange(run_id, first + at, change.value, reason, portion) for at, portion in enumerate(portions)]
