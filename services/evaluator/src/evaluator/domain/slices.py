"""Shares of the answers to some of a run's tasks: those of a kind, a month, a repository."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.domain.clustered import Interval, Values, held_by, share_interval
from evaluator.domain.outcomes import Outcome, is_scored, outcome_named
from evaluator.domain.passing import share_ends
from evaluator.domain.results import Cell, TaskFacts
from evaluator.domain.statistics import share

Answers = Sequence[tuple[TaskFacts, tuple[Cell, ...]]]


@dataclass(frozen=True)
class Slice:
    """Answers that passed, of those judged, and what of that is known of all that are asked for.

    Attributes:
        hits: Answers that passed.
        total: Answers with a verdict.
        asked: Answers that a run without gaps has.
        value: `hits / total`.
        low: Lower end of an interval that holds whatever the missing answers would have been; `high` likewise.
        least: The share of all, were every missing answer wrong; `most`: were it right.
    """

    hits: int
    total: int
    asked: int
    value: float
    low: float
    high: float
    least: float
    most: float


def slices(
    answers: Answers, samples: int, group: Callable[[TaskFacts], str], order: Sequence[str] = ()
) -> tuple[tuple[str, Slice], ...]:
    """Answers that passed, of those judged, by a property of their tasks."""
    parts: dict[str, list[tuple[Cell, ...]]] = defaultdict(list)
    for fact, cells in answers:
        parts[group(fact)].append(cells)
    names = [name for name in order if name in parts] + sorted(set(parts) - set(order), key=_number_first)
    return tuple((name, _slice(parts[name], samples)) for name in names)


def _slice(tasks: Sequence[tuple[Cell, ...]], samples: int) -> Slice:
    judged = [
        cell for cells in tasks for cell in cells[:samples] if cell.outcome and is_scored(outcome_named(cell.outcome))
    ]
    hits, total, asked = sum(cell.outcome == Outcome.PASSED for cell in judged), len(judged), samples * len(tasks)
    least, most = np.array([share_ends(cells, samples) for cells in tasks], dtype=float).T
    whole = least == most
    seen, worst, best = (_interval(values, samples) for values in (least[whole], least, most))
    held = held_by(seen, worst, best)
    value = hits / total if total else 0.0
    return Slice(hits, total, asked, value, held.low, held.high, hits / asked, (hits + asked - total) / asked)


def _interval(values: Values, samples: int) -> Interval:
    """Of one answer a task the exact interval; of several that of the mean, since answers to one task are alike."""
    if samples > 1:
        return share_interval(values, np.arange(len(values)))
    found = share(int(values.sum()), len(values))
    return Interval(found.value, found.low, found.high)


def _number_first(name: str) -> tuple[bool, int, str]:
    return (False, int(name), "") if name.isdecimal() else (True, 0, name)
