"""Figures about labels: how right they are, how far judges agree, how often tests ran, what it took."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import krippendorff
import numpy as np
from scipy.special import betaincinv  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]


@dataclass(frozen=True, slots=True)
class Interval:
    """A share with its confidence interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Effort:
    """What one pair took."""

    tokens_in: int
    tokens_out: int
    cost_usd: float
    seconds: float


@dataclass(frozen=True, slots=True)
class MeanEffort:
    """What a pair took on average."""

    pairs: int
    tokens_in: float
    tokens_out: float
    cost_usd: float
    seconds: float


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """Exact binomial interval of a share.

    Source: CoSQA+, evaluation of annotators: accuracies with 95 % Clopper-Pearson intervals.

    Args:
        successes: How many of the trials succeeded.
        trials: At least 1.
        confidence: Between 0 and 1.

    Raises:
        ValueError: the counts make no share.

    Example:
        >>> interval = clopper_pearson(0, 10)
        >>> interval.low, round(interval.high, 4)
        (0.0, 0.3085)
    """
    if not 0 <= successes <= trials or trials == 0 or not 0 < confidence < 1:
        raise ValueError(f"no share: {successes} of {trials} at confidence {confidence}")
    tail = (1 - confidence) / 2
    # Quantiles of the beta distribution.
    low = 0.0 if successes == 0 else float(betaincinv(successes, trials - successes + 1, tail))
    high = 1.0 if successes == trials else float(betaincinv(successes + 1, trials - successes, 1 - tail))
    return Interval(successes / trials, low, high)


def accuracy(labels: Sequence[int], truth: Sequence[int], confidence: float = 0.95) -> Interval:
    """Share of labels that are right, with its exact interval.

    Raises:
        ValueError: the two are not of the same length, or empty.
    """
    if len(labels) != len(truth):
        raise ValueError(f"{len(labels)} labels cannot be compared with {len(truth)} truths")
    return clopper_pearson(sum(a == b for a, b in zip(labels, truth, strict=True)), len(truth), confidence)


def krippendorff_alpha(raters: Sequence[Sequence[int | None]], times: Sequence[int] | None = None) -> float | None:
    """Agreement of raters beyond chance, on nominal labels.

    Args:
        raters: One sequence for each rater, over the same units; None where a rater gave no label.
        times: How often each unit stands for itself; once each where not given.

    Returns:
        1 for full agreement, 0 for that of chance; None where it is undefined: fewer than two labels that
        can be paired, or only one value among them.
    """
    if len({len(rater) for rater in raters}) > 1:
        raise ValueError("every rater must cover the same units")
    paired = [
        [label for label in unit if label is not None]
        for unit in zip(*raters, strict=True)
        if sum(label is not None for label in unit) > 1
    ]
    if len({label for unit in paired for label in unit}) < 2:
        return None
    data = np.array([[math.nan if label is None else label for label in rater] for rater in raters], dtype=np.float64)
    if times is not None:
        data = np.repeat(data, times, axis=1)
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement="nominal"))


def execution_rate(executed: Iterable[bool | None]) -> Interval | None:
    """Share of tests that ended as an execution, among the pairs that had one; None where none had.

    Source: CoSQA+, table of statistics: 83.67 % of test programs execute.
    """
    tested = [value for value in executed if value is not None]
    return clopper_pearson(sum(tested), len(tested)) if tested else None


def mean_effort(efforts: Sequence[Effort]) -> MeanEffort:
    """What a pair took on average; zeros where there is none."""
    count = len(efforts)
    share = 1 / count if count else 0.0
    return MeanEffort(
        count,
        sum(effort.tokens_in for effort in efforts) * share,
        sum(effort.tokens_out for effort in efforts) * share,
        math.fsum(effort.cost_usd for effort in efforts) * share,
        math.fsum(effort.seconds for effort in efforts) * share,
    )
