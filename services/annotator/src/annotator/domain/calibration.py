"""From signals to a probability that a code answers a query, and from that to yes, no or undecided.

The signals are the model's own probability of its label, the cosine of the embeddings and what tests showed. A
logistic regression weighs them; it is fitted on pairs that people labelled, and always judged on queries that it was
not fitted on.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats  # pyright: ignore[reportMissingTypeStubs]

Floats = NDArray[np.float64]

# The library brings no types.
_minimize = cast("Callable[..., Any]", optimize.minimize)  # pyright: ignore[reportUnknownMemberType]
_expit = cast("Callable[[Floats], Floats]", special.expit)  # pyright: ignore[reportUnknownMemberType]
_ranks = cast("Callable[[Sequence[float]], Floats]", stats.rankdata)  # pyright: ignore[reportUnknownMemberType]

FORMAT = "touchstone.calibration.v1"
SIGNALS = ("answers", "grade", "cosine", "evidence")

# Why a calibration may decide nothing.
DEAF = "tests have no weight in it, since they showed the same of all pairs that it was fitted on"

_RIDGE = 1.0
_EDGE = 1e-4
_EVIDENCE = {"passed": 1.0, "failed": -1.0}


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of a pair, before anything weighs it.

    Attributes:
        answers: The model's probability that the code does what the query asks; None where it was not told.
        grade: The model's mean grade, as a share of the best one.
        cosine: Mean cosine similarity of query and code over the embedding models.
        evidence: "passed" or "failed" by tests that can fail; anything else tells nothing.
    """

    answers: float | None = None
    grade: float | None = None
    cosine: float | None = None
    evidence: str = "none"

    def row(self) -> tuple[float | None, ...]:
        """As numbers for the regression, in the order of `SIGNALS`; probabilities as log-odds."""
        return (_log_odds(self.answers), _log_odds(self.grade), self.cosine, _EVIDENCE.get(self.evidence, 0.0))


@dataclass(frozen=True, slots=True)
class Calibration:
    """A fitted regression with its two thresholds.

    Attributes:
        means: Of each signal where it was fitted; a signal that is not known counts as its mean.
        scales: Standard deviations.
        weights: Of the standardised signals.
        low: At most so probable is "no".
        high: At least so probable is "yes"; what lies between is undecided.
    """

    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    low: float = 0.5
    high: float = 0.5

    def score(self, signals: Signals) -> float:
        """Probability that the code answers the query."""
        return float(_scores(self, _matrix([signals]))[0])

    def outcome(self, score: float) -> int | None:
        """1, 0, or None where the score is between the thresholds."""
        if score >= self.high:
            return 1
        return 0 if score <= self.low else None

    @property
    def hears_tests(self) -> bool:
        """Whether what tests showed has a weight: it has none where they showed the same of every pair of the fit."""
        return self.weights[SIGNALS.index("evidence")] != 0

    @property
    def name(self) -> str:
        """Names its numbers."""
        return f"logistic-{hashlib.sha256(self.to_json().encode()).hexdigest()[:12]}"

    def to_json(self) -> str:
        """As a file."""
        return json.dumps({"format": FORMAT, "signals": SIGNALS, **asdict(self)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Calibration:
        """Read a file.

        Raises:
            ValueError: it is no calibration of ours, or one by which nothing could be decided.
            KeyError, TypeError: a part is missing, or no number.
        """
        found = json.loads(text)
        if not isinstance(found, dict):
            raise ValueError("it is no JSON object")
        content = cast("dict[str, Any]", found)
        if content.get("format") != FORMAT or tuple(content.get("signals", ())) != SIGNALS:
            raise ValueError(f"it is not of the format {FORMAT} with the signals {', '.join(SIGNALS)}")
        means, scales, weights = (
            tuple(float(value) for value in content[name]) for name in ("means", "scales", "weights")
        )
        if any(len(values) != len(SIGNALS) for values in (means, scales, weights)):
            raise ValueError(f"it must have {len(SIGNALS)} means, scales and weights")
        made = cls(means, scales, weights, *(float(content[name]) for name in ("bias", "low", "high")))
        if not all(map(math.isfinite, (*means, *scales, *weights, made.bias))) or min(scales) <= 0:
            raise ValueError("its numbers must be finite, and its scales above 0")
        if not 0 <= made.low <= made.high <= 1:
            raise ValueError(f"its thresholds must be in order and from 0 to 1: low is {made.low}, high {made.high}")
        if weights[SIGNALS.index("evidence")] < 0:
            raise ValueError("tests that passed speak against a code in it")
        return made


def fit(signals: Sequence[Signals], labels: Sequence[int], *, target: float = 0.8) -> Calibration:
    """Fit a regression to people's labels.

    Args:
        signals: One for each pair.
        labels: 0 or 1 for each pair; both must occur.
        target: Share of right answers that what is decided shall reach, on both sides.

    Raises:
        ValueError: nothing can be learnt from these labels.
    """
    y = np.asarray(labels, dtype=np.float64)
    if len(signals) != len(y) or len(set(labels)) < 2:
        raise ValueError("both labels must occur, and one for each pair")
    x = _matrix(signals)
    columns: list[Floats] = [x[:, place] for place in range(x.shape[1])]
    means = np.array([float(np.nanmean(column)) if not np.isnan(column).all() else 0.0 for column in columns])
    filled = np.where(np.isnan(x), means, x)
    scales = filled.std(axis=0)
    scales[scales < 1e-9] = 1.0
    z = (filled - means) / scales

    def loss(weights: Floats) -> tuple[float, Floats]:
        margin = z @ weights[:-1] + weights[-1]
        value = float(np.sum(np.logaddexp(0.0, margin) - y * margin) + _RIDGE / 2 * np.sum(weights[:-1] ** 2))
        error = _expit(margin) - y
        return value, np.append(z.T @ error + _RIDGE * weights[:-1], error.sum())

    found = _minimize(loss, np.zeros(z.shape[1] + 1), jac=True, method="L-BFGS-B")
    best: Floats = np.asarray(found.x, dtype=np.float64)
    plain = Calibration(
        tuple(map(float, means)), tuple(map(float, scales)), tuple(map(float, best[:-1])), float(best[-1])
    )
    low, high = thresholds(_scores(plain, x), y, target)
    return Calibration(plain.means, plain.scales, plain.weights, plain.bias, low, high)


def thresholds(scores: Floats, labels: Floats, target: float) -> tuple[float, float]:
    """The two scores between which nothing is decided.

    Above the higher one at least `target` of the labels are 1, below the lower one at least `target` are 0; where a
    side cannot reach it, that side decides nothing.
    """
    high, low = 1.0, 0.0
    for score in sorted({float(value) for value in scores if value >= 0.5}):
        if labels[scores >= score].mean() >= target:
            high = score
            break
    for score in sorted({float(value) for value in scores if value < 0.5}, reverse=True):
        if 1 - labels[scores <= score].mean() >= target:
            low = score
            break
    return low, high


def cross_fit(
    signals: Sequence[Signals], labels: Sequence[int], groups: Sequence[Hashable], folds: int = 10
) -> tuple[list[float], list[int | None]]:
    """Score every pair by a regression that saw nothing of its group.

    Args:
        signals: One for each pair.
        labels: People's.
        groups: Pairs of one group (of one query) are in one fold.
        folds: How many.

    Returns:
        For each pair its score, and its outcome by the thresholds of the same regression.
    """
    fold = [int(hashlib.sha256(repr(group).encode()).hexdigest(), 16) % folds for group in groups]
    scores, outcomes = [0.5] * len(labels), cast("list[int | None]", [None] * len(labels))
    for number in range(folds):
        rest = [index for index, own in enumerate(fold) if own != number]
        if len(rest) == len(fold):
            continue
        fitted = fit([signals[index] for index in rest], [labels[index] for index in rest])
        for index, own in enumerate(fold):
            if own == number:
                scores[index] = fitted.score(signals[index])
                outcomes[index] = fitted.outcome(scores[index])
    return scores, outcomes


def auc(scores: Sequence[float], labels: Sequence[int]) -> float:
    """Probability that a pair labelled 1 has a higher score than one labelled 0; ties count half.

    Source: Mann-Whitney's U over the product of the sizes.

    Example:
        >>> auc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
        0.75
    """
    ranks = _ranks(scores)
    y = np.asarray(labels)
    ones = int(y.sum())
    if not 0 < ones < len(y):
        raise ValueError("both labels must occur")
    return float((ranks[y == 1].sum() - ones * (ones + 1) / 2) / (ones * (len(y) - ones)))


def calibration_error(scores: Sequence[float], labels: Sequence[int], bins: int = 10) -> float:
    """Expected calibration error: mean distance of score and share of ones, over bins of equal width.

    Source: Naeini, Cooper and Hauskrecht (2015), with the probability of 1 as the score.
    """
    p, y = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    place = np.minimum((p * bins).astype(int), bins - 1)
    return float(sum(abs(p[place == b].sum() - y[place == b].sum()) for b in range(bins)) / len(p))


def bootstrap(
    statistic: Callable[[NDArray[np.int64]], float], groups: Sequence[Hashable], rounds: int = 2000, seed: int = 1
) -> tuple[float, float]:
    """95 % percentile interval of a statistic, with whole groups drawn again.

    Args:
        statistic: Of the pairs with these indices.
        groups: Group of each pair.
        rounds: How often.
        seed: Of the draws.
    """
    members: dict[Hashable, list[int]] = {}
    for index, group in enumerate(groups):
        members.setdefault(group, []).append(index)
    blocks = list(members.values())
    random = np.random.default_rng(seed)
    found: list[float] = []
    for _ in range(rounds):
        chosen = [int(number) for number in random.integers(0, len(blocks), len(blocks))]
        drawn = np.asarray([index for number in chosen for index in blocks[number]], dtype=np.int64)
        try:
            found.append(statistic(drawn))
        except ValueError:
            # A draw with one label only says nothing.
            continue
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


def _matrix(signals: Sequence[Signals]) -> Floats:
    return np.array(
        [[np.nan if value is None else value for value in each.row()] for each in signals], dtype=np.float64
    )


def _scores(calibration: Calibration, x: Floats) -> Floats:
    means = np.asarray(calibration.means)
    z = (np.where(np.isnan(x), means, x) - means) / np.asarray(calibration.scales)
    return _expit(z @ np.asarray(calibration.weights) + calibration.bias)


def _log_odds(share: float | None) -> float | None:
    if share is None:
        return None
    share = min(max(share, _EDGE), 1 - _EDGE)
    return float(np.log(share / (1 - share)))
