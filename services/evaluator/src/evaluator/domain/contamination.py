"""What a model solves of code from before and after its training: a sign of memory.

Source: Code2Bench, Section 3: tasks are dated so that a model cannot have seen them. The gap alone proves nothing:
newer code may be harder. It is shown with its interval and with how many tasks it rests on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.domain.clustered import Interval, Values, held_by, share_interval


@dataclass(frozen=True)
class Around:
    """One run around its model's cutoff.

    What lacks an answer is no random part: an endpoint loses what is hard. So each interval reaches as far as it would
    whatever the missing answers were, while its value is over the judged tasks.

    Attributes:
        cutoff: Month of the newest text that the model was trained on, YYYY-MM.
        before: Share of tasks solved whose code appeared in that month or earlier.
        after: Share of those that appeared later.
        tasks_before: How many judged tasks `before` rests on; `tasks_after` likewise.
        undated: Judged tasks that nobody can date; they count on neither side.
        gap: `after` minus `before`: below zero where old code is solved more often.
        missing_before: How many tasks of that side lack an answer; `missing_after` likewise.
    """

    cutoff: str
    before: Interval
    after: Interval
    tasks_before: int
    tasks_after: int
    undated: int
    gap: Interval
    missing_before: int = 0
    missing_after: int = 0

    @property
    def decided(self) -> bool:
        """Whether the gap's interval leaves out zero."""
        return self.gap.low > 0.0 or self.gap.high < 0.0


@dataclass(frozen=True)
class _Side:
    """The tasks of one side: those judged, and all of them were every missing answer wrong, and were it right."""

    seen: Interval
    least: Interval
    most: Interval

    @property
    def held(self) -> Interval:
        return held_by(self.seen, self.least, self.most)


def around_cutoff(
    cutoff: str, months: Sequence[str], least: Values, most: Values, sources: Sequence[str]
) -> Around | None:
    """Divide the tasks of a run at its model's cutoff.

    The month of the cutoff counts as before: what is called new must be new for certain.

    Args:
        cutoff: YYYY-MM; empty when nobody told.
        months: (n,) month in which each task's code appeared, YYYY-MM; empty when unknown.
        least: (n,) share of each task's answers that passed, were every missing one wrong.
        most: (n,) the same, were it right; equal where none is missing.
        sources: (n,) repository of each task.

    Returns:
        None without a cutoff, and where no judged task lies on one of the sides.
    """
    judged = least == most
    dated = np.array([bool(month) for month in months], dtype=bool)
    old = dated & np.array([month <= cutoff for month in months], dtype=bool)
    new = dated & ~old
    if not cutoff or not (judged & old).any() or not (judged & new).any():
        return None
    clusters = np.unique(np.array(sources), return_inverse=True)[1]
    before, after = (
        _Side(*(share_interval(values[part], clusters[part]) for values, part in parts))
        for parts in (((least, side & judged), (least, side), (most, side)) for side in (old, new))
    )
    gap = held_by(
        difference_of_shares(after.seen, before.seen),
        difference_of_shares(after.least, before.most),
        difference_of_shares(after.most, before.least),
    )
    return Around(
        cutoff,
        before.held,
        after.held,
        int((judged & old).sum()),
        int((judged & new).sum()),
        int((judged & ~dated).sum()),
        gap,
        int((old & ~judged).sum()),
        int((new & ~judged).sum()),
    )


def difference_of_shares(first: Interval, second: Interval) -> Interval:
    """The first share minus the second, from the interval of each.

    Takes the shares as independent; repositories on both sides make it too wide rather than too narrow.
    Source: Newcombe 1998, method 10; Zou and Donner 2008 for intervals of any kind.
    """
    value = first.value - second.value
    down = math.hypot(first.value - first.low, second.high - second.value)
    up = math.hypot(first.high - first.value, second.value - second.low)
    return Interval(value, max(-1.0, value - down), min(1.0, value + up))
