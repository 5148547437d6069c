"""Intervals for shares."""

# scipy ships no types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scipy import special


@dataclass(frozen=True)
class Share:
    """So many of so many, with the interval that holds the true share.

    Attributes:
        value: `hits / total`; 0 when nothing was tried.
        low: Lower end of the interval.
        high: Upper end of the interval.
    """

    hits: int
    total: int
    value: float
    low: float
    high: float


def share(hits: int, total: int, confidence: float = 0.95) -> Share:
    """A share with its exact interval.

    Example:
        >>> result = share(8, 10)
        >>> round(result.low, 4), result.value, round(result.high, 4)
        (0.4439, 0.8, 0.9748)
    """
    low, high = clopper_pearson(hits, total, confidence)
    return Share(hits, total, hits / total if total else 0.0, low, high)


def clopper_pearson(hits: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact binomial interval of a share.

    Args:
        hits: Successes.
        total: Trials; with none the interval is everything.
        confidence: Probability that the interval holds the true share, at least.

    Source: Clopper and Pearson 1934; the ends are the shares at which a result at least, or at most, as
    high has the probability `(1 - confidence) / 2`.
    """
    if not 0 <= hits <= total:
        raise ValueError(f"{hits} hits of {total} is no share")
    tail = (1.0 - confidence) / 2.0
    low = 0.0 if hits == 0 else float(special.betaincinv(hits, total - hits + 1, tail))
    high = 1.0 if hits == total else float(special.betaincinv(hits + 1, total - hits, 1.0 - tail))
    return low, high


def geometric_mean(ratios: Iterable[float]) -> float:
    """Geometric mean of positive numbers; 0.0 of none.

    Example:
        >>> geometric_mean([0.5, 2.0])
        1.0
    """
    logs = [math.log(ratio) for ratio in ratios if ratio > 0]
    return math.exp(math.fsum(logs) / len(logs)) if logs else 0.0
