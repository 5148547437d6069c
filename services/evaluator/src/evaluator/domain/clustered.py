"""Means over tasks whose repositories make them alike, with intervals that know it.

Tasks of one repository stand or fall together, so what counts is how repositories differ, not how many tasks there
are. The usual remedies say too much where repositories are few or of unlike sizes, as here: in simulation
(`tests/bench/board_statistics.py`) the percentile bootstrap over repositories covers 80 to 92 % with 6 to 12 of them.

Used is Student's t: the variance between repositories by residuals divided by leverage (CR2), set right for what it
misses where tasks are alike and sizes unlike, and degrees of freedom by what is known of that variance: those at which
Student's t has the same end as the true ratio of a normal mean to such a variance, under tasks as alike as these seem
to be, or fewer where a few repositories make most of the variance. For shares this is on the scale of log odds.

Source: Bell and McCaffrey 2002, Bias reduction in standard errors for linear regression with multi-stage samples (CR2);
Imbens and Kolesár 2016, Robust standard errors in small samples (freedom under estimated likeness); Pan and Wall 2002
(freedom by the spread of the variance's own terms). In place of Satterthwaite's freedom, which is too small where one
repository outweighs the others, the ratio's own distribution by Craig's integral (1991).
"""

# scipy ships no types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Values = NDArray[np.float64]
Clusters = NDArray[np.int64]

# Intraclass correlations at which a set of repositories is looked at; what lies between is interpolated.
_ALIKE = np.array([0.0, 0.01, 0.03, 0.06, 0.1, 0.2, 0.4, 0.7, 1.0])
# Angles of Craig's integral; its integrand is smooth and periodic, so that the midpoint rule needs few.
_SINES = np.sin((np.arange(16) + 0.5) / 16 * np.pi / 2) ** 2
# More repositories of one size than these are looked at without a search.
_MANY = 1_000
# Repositories can be alike by luck: an error is at least this part of what tasks make, each on its own.
_LEAST = 0.5


@dataclass(frozen=True)
class Interval:
    """A mean with the ends of its 95 % interval; with nothing to count, 0 and everything possible."""

    value: float
    low: float
    high: float


def held_by(seen: Interval, least: Interval, most: Interval) -> Interval:
    """The figure of what is seen, with ends that hold whatever what is missing would have been.

    Args:
        seen: Of what lacks nothing.
        least: Of everything, were what is missing so that the figure is smallest.
        most: The same, were it largest.
    """
    return Interval(seen.value, min(seen.low, least.low, most.low), max(seen.high, least.high, most.high))


@dataclass(frozen=True)
class _Errors:
    """Of each row: its mean, the two standard errors that hold it, with their degrees of freedom.

    `alone` is the error of tasks each on its own; where it is 0 all values of the row are equal.
    """

    means: Values
    clustered: Values
    freedom: Values
    alone: Values
    tasks: int

    def width(self, tail: float) -> Values:
        """Half of the interval that leaves out `tail` on either side."""
        least = -_number(special.stdtrit(self.tasks - 1.0, tail))
        ends: Values = -special.stdtrit(self.freedom, tail)
        return np.maximum(ends * self.clustered, _LEAST * least * self.alone)

    def p_values(self) -> Values:
        """Of the hypothesis that a mean is zero, two-sided."""
        pairs = ((self.clustered, self.freedom), (_LEAST * self.alone, self.tasks - 1.0))
        # A mean beside no spread at all is infinitely far from zero; the other spread then decides.
        far = [(np.abs(self.means) / np.where(error == 0.0, 1e-300, error), freedom) for error, freedom in pairs]
        found: Values = np.max([2.0 * special.stdtr(freedom, -ratio) for ratio, freedom in far], axis=0)
        return found


def share_interval(values: Values, clusters: Clusters, confidence: float = 0.95) -> Interval:
    """The mean of shares between 0 and 1, clustered.

    Args:
        values: (n,) one a task.
        clusters: (n,) number of its repository.
        confidence: Probability that the interval holds the true mean.
    """
    if not len(values):
        return Interval(0.0, 0.0, 1.0)
    tail = (1.0 - confidence) / 2.0
    sizes: Values = np.bincount(clusters).astype(float)
    sums: Values = np.bincount(clusters, weights=values).astype(float)[sizes > 0]
    sizes = sizes[sizes > 0]
    effective = _effective(sizes)
    least, most = _number(values.min()), _number(values.max())
    # No mean is beyond its values; sums of floats may miss it by a bit.
    mean = min(max(_number(sums.sum()) / len(values), least), most)
    if effective < 2.0 - 1e-9:
        # One repository, or one beside crumbs, says nothing of others.
        return Interval(mean, 0.0, 1.0)
    # So large a part may lie beyond all that was met, as far as 0 or 1. Beyond values of 0 and of 1 nothing lies.
    room = 1.0 - tail ** (1.0 / effective)
    low, high = mean - room * least, mean + room * (1.0 - most)
    if least == most or not 0.0 < mean < 1.0:
        return Interval(mean, low, high)
    errors = _errors(sums[None, :], np.array([(values**2).sum()]), sizes, tail)
    centre, width = math.log(mean / (1.0 - mean)), _number(errors.width(tail)[0]) / (mean * (1.0 - mean))
    return Interval(mean, min(low, _logistic(centre - width)), max(high, _logistic(centre + width)))


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
    if not table.shape[1]:
        return [Interval(0.0, -1.0, 1.0)] * len(first), [1.0] * len(first)
    # Without products of matrices: a library that computes them on every processor costs ten times as much where others
    # are at work, and rounds as it happens to share the work out. The same verdicts have to give the same bytes.
    order = np.argsort(clusters, kind="stable")
    sizes = np.bincount(clusters)
    starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])[:-1]])
    sizes = sizes[sizes > 0].astype(float)
    sums = np.add.reduceat(table[:, order], starts, axis=1)
    # All pairs of one row at a time: a table of every pair and task would be hundreds of megabytes.
    squares = np.concatenate([((table[row] - table[row + 1 :]) ** 2).sum(axis=1) for row in range(len(table))])
    tail, effective, gaps = (1.0 - confidence) / 2.0, _effective(sizes), sums[first] - sums[second]
    if effective < 2.0 - 1e-9:
        means = (gaps.sum(axis=1) / table.shape[1]).tolist()
        return [Interval(mean, -1.0, 1.0) for mean in means], [1.0] * len(first)
    errors = _errors(gaps, squares, sizes, tail)
    # Differences that are all equal have no spread; then repositories count as so many signs.
    exact = errors.alone == 0.0
    width = np.where(exact, 1.0 - tail ** (1.0 / effective), errors.width(tail))
    signs = np.where(np.abs(errors.means) < 1e-12, 1.0, 2.0 * 0.5**effective)
    p_values = np.minimum(1.0, np.where(exact, signs, errors.p_values()))
    low, high = np.maximum(-1.0, errors.means - width), np.minimum(1.0, errors.means + width)
    intervals = [Interval(*ends) for ends in zip(errors.means.tolist(), low.tolist(), high.tolist(), strict=True)]
    return intervals, p_values.tolist()


def _errors(sums: Values, squares: Values, sizes: Values, tail: float) -> _Errors:
    """What rows of sums (rows, repositories) and of sums of squares (rows,) say of their means."""
    tasks, number = _number(sizes.sum()), len(sizes)
    means = sums.sum(axis=1) / tasks
    weights = sizes / tasks
    terms = (sums - means[:, None] * sizes) ** 2 / np.maximum(1.0 - weights, 1e-9) / tasks**2
    between = terms.sum(axis=1)
    alone = np.maximum(squares - tasks * means**2, 0.0)
    alike = _intraclass(sums, alone, sizes)
    kept, freedom = _reference(sizes.tobytes(), tail)
    # Terms of equal size are known as well as so many squares are; few large ones make a variance that is hardly known.
    spread = (terms**2).sum(axis=1) - between**2 / number
    own = np.maximum(1.0, 2.0 * between**2 / np.maximum(spread, 1e-9 * between**2 + 1e-300))
    variances = (between / np.interp(alike, _ALIKE, kept), alone / tasks**2)
    # What is left of equal values after rounding is no spread.
    clustered, single = (np.sqrt(np.where(each < 1e-15, 0.0, each)) for each in variances)
    return _Errors(means, clustered, np.minimum(np.interp(alike, _ALIKE, freedom), own), single, int(tasks))


def _intraclass(sums: Values, total: Values, sizes: Values) -> Values:
    """How alike tasks of a repository are, 0 to 1, by the analysis of variance; `total` is the sum of squares."""
    tasks, number = _number(sizes.sum()), len(sizes)
    between = np.maximum((sums**2 / sizes).sum(axis=1) - sums.sum(axis=1) ** 2 / tasks, 0.0)
    within = np.maximum(total - between, 0.0) / max(tasks - number, 1.0)
    usual = (tasks - _number((sizes**2).sum()) / tasks) / max(number - 1.0, 1.0)
    above = np.maximum(between / max(number - 1.0, 1.0) - within, 0.0) / max(usual, 1e-9)
    return above / np.maximum(above + within, 1e-300)


@lru_cache(maxsize=256)
def _reference(sizes_bytes: bytes, tail: float) -> tuple[Values, Values]:
    """For each of `_ALIKE`: the part of the variance that residuals keep, and the degrees of freedom.

    With x = t² / sin² of an angle, E exp(−x Q / 2) of a quadratic form Q of normal residuals is det(I + x M)^(−1/2),
    and its mean over angles is the chance that a normal mean is more than t of its errors away. M is diagonal but for
    two vectors (what the mean takes of each residual), so that its determinant is one of two rows.
    """
    sizes: Values = np.frombuffer(sizes_bytes)
    if len(sizes) > _MANY and _number(np.ptp(sizes)) == 0.0:
        # Of one size the ratio is Student's t itself; of many the search for it would take long.
        return np.ones(len(_ALIKE)), np.full(len(_ALIKE), len(sizes) - 1.0)
    weights = sizes / sizes.sum()
    lever = 1.0 / np.maximum(1.0 - weights, 1e-9)
    own = sizes * (1.0 + (sizes - 1.0) * _ALIKE[:, None])
    whole = own.sum(axis=1, keepdims=True)
    held = (lever * (own - 2.0 * weights * own + weights**2 * whole)).sum(axis=1, keepdims=True)
    own, total = (own / held)[:, None, :], whole / held

    def outside(ends: Values) -> Values:
        x = ends[:, None] ** 2 / _SINES
        shrunk = 1.0 + x[:, :, None] * lever * own
        p, q, r = ((lever * each / shrunk).sum(axis=2) for each in (weights**2, weights * own, own**2))
        rest = (1.0 + x * (total * p - q)) * (1.0 - x * q) + x**2 * p * (total * q - r)
        logs = np.log(shrunk).sum(axis=2) + np.log(np.maximum(rest, 1e-300))
        return np.exp(-0.5 * logs).mean(axis=1)

    # Nobody knows more than as many repositories of one size; one part in a thousand of it is nothing.
    low, high = (np.full(len(_ALIKE), math.log(end)) for end in (0.5, max(1.0, len(sizes) - 1.0)))
    for _ in range(14):
        middle = (low + high) / 2.0
        few = outside(-special.stdtrit(np.exp(middle), tail)) > 2.0 * tail
        low, high = np.where(few, low, middle), np.where(few, middle, high)
    return np.minimum((held / whole)[:, 0], 1.0), np.exp(low)


def _effective(sizes: Values) -> float:
    """How many repositories of equal size would weigh as much; Carter, Schnepel and Steigerwald 2017."""
    return 1.0 / _number(((sizes / sizes.sum()) ** 2).sum())


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-odds)) if odds > -700.0 else 0.0


def _number(value: Any) -> float:
    return float(value)
