"""Means over tasks whose repositories make them alike, with intervals that know it.

Tasks of one repository stand or fall together, so what counts is how repositories differ, not how many tasks there
are. The usual remedies say too much where repositories are few or of unlike sizes, as here: in simulation
(`tests/bench/board_statistics.py`) the percentile bootstrap over repositories covers 80 to 92 % with 6 to 12 of
them. Used is what holds there: the variance between repositories with each residual divided by
its leverage, Student's t with as many degrees of freedom as repositories of equal weight would have, on the scale of
log odds for shares.

Source: Bell and McCaffrey 2002, Bias reduction in standard errors for linear regression with multi-stage samples;
Carter, Schnepel and Steigerwald 2017 for the effective number of clusters.
"""

# scipy ships no types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Values = NDArray[np.float64]
Clusters = NDArray[np.int64]


@dataclass(frozen=True)
class Interval:
    """A mean with the ends of its 95 % interval; with nothing to count, 0 and everything possible."""

    value: float
    low: float
    high: float


def share_interval(values: Values, clusters: Clusters, confidence: float = 0.95) -> Interval:
    """The mean of shares between 0 and 1, clustered.

    Args:
        values: (n,) one a task.
        clusters: (n,) number of its repository.
        confidence: Probability that the interval holds the true mean.
    """
    if not len(values):
        return Interval(0.0, 0.0, 1.0)
    tail, count = (1.0 - confidence) / 2.0, len(values)
    sums, sizes = np.bincount(clusters, weights=values), np.bincount(clusters).astype(float)
    sums, sizes = sums[sizes > 0], sizes[sizes > 0]
    weights = sizes / count
    effective = 1.0 / _number((weights**2).sum())
    # A mean of equal values is exact; sums of floats may miss it by a bit.
    mean = _number(values[0]) if _number(np.ptp(values)) == 0.0 else _number(sums.sum()) / count
    if effective < 2.0 - 1e-9:
        # One repository, or one beside crumbs, says nothing of others.
        return Interval(mean, 0.0, 1.0)
    if mean in (0.0, 1.0):
        room = 1.0 - tail ** (1.0 / effective)
        return Interval(mean, 0.0 if mean == 0.0 else 1.0 - room, room if mean == 0.0 else 1.0)
    between = _number(((sums - mean * sizes) ** 2 / np.maximum(1.0 - weights, 1e-9)).sum()) / count**2
    # Never narrower than were every task a repository of its own: only luck makes repositories more alike than that.
    # That spread is known from all tasks, so it has their degrees of freedom.
    alone = _number(((values - mean) ** 2).sum()) / count**2
    centre = math.log(mean / (1.0 - mean))
    clustered = _quantile(max(1.0, effective - 1.0), tail) * math.sqrt(between)
    width = max(clustered, _quantile(count - 1.0, tail) * math.sqrt(alone)) / (mean * (1.0 - mean))
    return Interval(mean, _logistic(centre - width), _logistic(centre + width))


def difference_intervals(
    table: Values, clusters: Clusters, confidence: float = 0.95
) -> tuple[list[Interval], list[float]]:
    """Paired differences of all pairs of rows, clustered, and for each the p-value that its mean is zero.

    Args:
        table: (rows, n) one row a model, one column a task, between 0 and 1.
        clusters: (n,) number of each task's repository.
        confidence: Probability that an interval holds the true mean.

    Returns:
        For the pairs (0, 1), (0, 2) … (1, 2) … the first row minus the second.
    """
    first, second = np.triu_indices(len(table), 1)
    tasks = table.shape[1]
    if not tasks:
        return [Interval(0.0, -1.0, 1.0)] * len(first), [1.0] * len(first)
    # Without products of matrices: a library that computes them on every processor costs ten times as much where others
    # are at work, and rounds as it happens to share the work out. The same verdicts have to give the same bytes.
    order = np.argsort(clusters, kind="stable")
    sizes = np.bincount(clusters)
    starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])[:-1]])
    sizes = sizes[sizes > 0].astype(float)
    sums = np.add.reduceat(table[:, order], starts, axis=1)
    weights = sizes / tasks
    effective = 1.0 / _number((weights**2).sum())
    gaps = sums[first] - sums[second]
    means = gaps.sum(axis=1) / tasks
    residuals = gaps - means[:, None] * sizes
    between = (residuals**2 / np.maximum(1.0 - weights, 1e-9)).sum(axis=1) / tasks**2
    # All pairs of one row at a time: a table of every pair and task would be hundreds of megabytes.
    squares = np.concatenate([((table[row] - table[row + 1 :]) ** 2).sum(axis=1) for row in range(len(table))])
    alone = np.maximum(squares - tasks * means**2, 0.0) / tasks**2
    if effective < 2.0 - 1e-9:
        return [Interval(_number(mean), -1.0, 1.0) for mean in means], [1.0] * len(means)
    # As for shares: the wider of what repositories and what tasks alone say, each with its degrees of freedom.
    spreads = ((between, max(1.0, effective - 1.0)), (alone, tasks - 1.0))
    return _ends(means, spreads, effective, (1.0 - confidence) / 2.0)


def _ends(
    means: Values, spreads: Sequence[tuple[Values, float]], effective: float, tail: float
) -> tuple[list[Interval], list[float]]:
    # What is left of equal differences after rounding is no spread.
    errors = [(np.sqrt(np.where(spread < 1e-15, 0.0, spread)), freedom) for spread, freedom in spreads]
    exact = np.all([error == 0.0 for error, _ in errors], axis=0)
    room = 1.0 - tail ** (1.0 / effective)
    widths: list[Values] = [_quantile(freedom, tail) * error for error, freedom in errors]
    width = np.where(exact, room, np.maximum(*widths))
    # A mean beside no spread at all is infinitely far from zero; the other spread then decides.
    far = [(np.abs(means) / np.where(error == 0.0, 1e-300, error), freedom) for error, freedom in errors]
    p_values = np.max([2.0 * special.stdtr(freedom, -ratio) for ratio, freedom in far], axis=0)
    p_values = np.where(exact, np.where(np.abs(means) < 1e-12, 1.0, 2.0 * 0.5**effective), p_values)
    low, high = np.maximum(-1.0, means - width), np.minimum(1.0, means + width)
    intervals = [Interval(*ends) for ends in zip(means.tolist(), low.tolist(), high.tolist(), strict=True)]
    return intervals, np.minimum(1.0, p_values).tolist()


def _quantile(freedom: float, tail: float) -> float:
    return -_number(special.stdtrit(freedom, tail))


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-odds)) if odds > -700.0 else 0.0


def _number(value: Any) -> float:
    return float(value)
