"""What a model solves of code from before and after its training: a sign of memory.

Source: Code2Bench, Section 3: tasks are dated so that a model cannot have seen them. The gap alone proves nothing:
newer code may be harder. It is shown with its interval and with how many tasks it rests on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.domain.clustered import Interval, Values, share_interval


@dataclass(frozen=True)
class Around:
    """One run around its model's cutoff.

    Attributes:
        cutoff: Month of the newest text that the model was trained on, YYYY-MM.
        before: Share of tasks solved whose code appeared in that month or earlier.
        after: Share of those that appeared later.
        tasks_before: How many tasks `before` rests on; `tasks_after` likewise.
        undated: Judged tasks that nobody can date; they count on neither side.
        gap: `after` minus `before`: below zero where old code is solved more often.
    """

    cutoff: str
    before: Interval
    after: Interval
    tasks_before: int
    tasks_after: int
    undated: int
    gap: Interval

    @property
    def decided(self) -> bool:
        """Whether the gap's interval leaves out zero."""
        return self.gap.low > 0.0 or self.gap.high < 0.0


def around_cutoff(cutoff: str, months: Sequence[str], values: Values, sources: Sequence[str]) -> Around | None:
    """Divide the judged tasks of a run at its model's cutoff.

    The month of the cutoff counts as before: what is called new must be new for certain.

    Args:
        cutoff: YYYY-MM; empty when nobody told.
        months: (n,) month in which each task's code appeared, YYYY-MM; empty when unknown.
        values: (n,) share of each task's answers that passed, NaN where one is missing.
        sources: (n,) repository of each task.

    Returns:
        None without a cutoff, and where no task lies on one of the sides.
    """
    judged = ~np.isnan(values)
    dated = judged & np.array([bool(month) for month in months], dtype=bool)
    old = dated & np.array([month <= cutoff for month in months], dtype=bool)
    new = dated & ~old
    if not cutoff or not old.any() or not new.any():
        return None
    clusters = np.unique(np.array(sources), return_inverse=True)[1]
    before, after = share_interval(values[old], clusters[old]), share_interval(values[new], clusters[new])
    return Around(
        cutoff,
        before,
        after,
        int(old.sum()),
        int(new.sum()),
        int((judged & ~dated).sum()),
        difference_of_shares(after, before),
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
