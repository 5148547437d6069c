"""Scores of a search engine against labels, several correct codes per query allowed; NDCG alone looks at grades."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from evaluator.domain.clustered import Interval, difference_intervals, share_interval

# Queries drawn at a time while resampling.
_DRAWN = 2_000_000


@dataclass(frozen=True)
class RetrievalScores:
    """Means over the queries that have a correct code; each between 0 and 1."""

    queries: int
    ndcg_at_10: float
    mrr: float
    map_at_10: float
    recall_at_10: float


def ndcg_at(k: int, ranking: Sequence[str], correct: Collection[str]) -> float:
    """Discounted cumulative gain of the first `k` places over the best that any ranking could have.

    A correct code gains its grade where grades are given (a mapping), else 1.

    Source: Järvelin and Kekäläinen 2002, discount `log2(place + 1)`; gains are grades as in trec_eval.
    """
    grades = _graded(correct)
    gains = (grades[code] / math.log2(place + 1) for place, code in _places(ranking, k) if code in grades)
    highest = sorted(grades.values(), reverse=True)[:k]
    best = math.fsum(grade / math.log2(place + 1) for place, grade in enumerate(highest, start=1))
    return math.fsum(gains) / best if best else 0.0


def reciprocal_rank(ranking: Sequence[str], correct: Collection[str]) -> float:
    """One divided by the place of the first correct code; 0 when none is there."""
    return next((1.0 / place for place, code in _places(ranking, len(ranking)) if code in correct), 0.0)


def average_precision_at(k: int, ranking: Sequence[str], correct: Collection[str], *, of_all: bool = False) -> float:
    """Mean of the precisions at the places of correct codes among the first `k`.

    The divisor is what could be found there, `min(k, number of correct codes)`, so that a perfect
    ranking scores 1 whatever the number; with `of_all` it is the number of correct codes, as the CoSQA+ paper
    and trec_eval have it.
    """
    if not correct:
        return 0.0
    found = 0
    precisions: list[float] = []
    for place, code in _places(ranking, k):
        if code in correct:
            found += 1
            precisions.append(found / place)
    return math.fsum(precisions) / (len(correct) if of_all else min(k, len(correct)))


def recall_at(k: int, ranking: Sequence[str], correct: Collection[str]) -> float:
    """Share of the correct codes that stand among the first `k`."""
    if not correct:
        return 0.0
    return sum(code in correct for _, code in _places(ranking, k)) / len(correct)


def retrieval_scores(rankings: Mapping[str, Sequence[str]], labels: Mapping[str, Collection[str]]) -> RetrievalScores:
    """Score a search engine.

    Args:
        rankings: For each query the codes it was answered with, best first; each code once.
        labels: For each query its correct codes. Queries without any are left out: nobody could answer
            them. A query that has no ranking counts as answered with nothing.
    """
    judged = {query: frozenset(codes) for query, codes in sorted(labels.items()) if codes}
    pairs = [(rankings.get(query, ()), correct) for query, correct in judged.items()]

    def mean(scores: list[float]) -> float:
        return math.fsum(scores) / len(scores) if scores else 0.0

    return RetrievalScores(
        queries=len(pairs),
        ndcg_at_10=mean([ndcg_at(10, ranking, correct) for ranking, correct in pairs]),
        mrr=mean([reciprocal_rank(ranking, correct) for ranking, correct in pairs]),
        map_at_10=mean([average_precision_at(10, ranking, correct) for ranking, correct in pairs]),
        recall_at_10=mean([recall_at(10, ranking, correct) for ranking, correct in pairs]),
    )


def success_at(k: int, ranking: Sequence[str], correct: Collection[str]) -> float:
    """1 where a correct code stands among the first `k`, else 0."""
    return float(any(code in correct for _, code in _places(ranking, k)))


MEASURES: dict[str, Callable[[Sequence[str], Collection[str]], float]] = {
    "ndcg_at_10": partial(ndcg_at, 10),
    "mrr": reciprocal_rank,
    "recall_at_10": partial(recall_at, 10),
    "map_at_10_of_all": partial(average_precision_at, 10, of_all=True),
    "map_at_10_of_reachable": partial(average_precision_at, 10),
    "success_at_1": partial(success_at, 1),
    "success_at_10": partial(success_at, 10),
}


def scores_by_query(
    measure: str, rankings: Mapping[str, Sequence[str]], labels: Mapping[str, Collection[str]]
) -> dict[str, float]:
    """One measure of `MEASURES` for each query that has a correct code; no ranking counts as nothing found.

    Args:
        measure: Its name.
        rankings: For each query the codes it was answered with, best first.
        labels: For each query its correct codes, with their grades where it has a mapping of them.
    """
    return {
        query: MEASURES[measure](rankings.get(query, ()), _graded(codes))
        for query, codes in sorted(labels.items())
        if codes
    }


def condensed(
    rankings: Mapping[str, Sequence[str]], undecided: Mapping[str, Collection[str]]
) -> dict[str, Sequence[str]]:
    """Rankings without the codes about which nobody could tell: what is undecided counts neither as right nor as wrong.

    Source: Sakai 2007, condensed lists.

    Example:
        >>> condensed({"q": ["a", "b", "c"]}, {"q": {"b"}})
        {'q': ['a', 'c']}
    """
    return {
        query: [code for code in ranking if code not in undecided.get(query, ())] for query, ranking in rankings.items()
    }


def mean_of(scores: Sequence[float]) -> Interval:
    """The mean of the scores of queries, with the interval that holds the mean of all such queries in 95 %.

    Args:
        scores: One a query, between 0 and 1; of none, and of one, everything is possible.

    Source: Student's t on the log odds, and the exact room where all scores are equal, as for shares of tasks.
    """
    return share_interval(np.asarray(scores, dtype=np.float64), np.arange(len(scores)))


def gain(ours: Sequence[float], baseline: Sequence[float], *, resamples: int = 10_000) -> Interval:
    """How much better one engine is than another in the mean, with the interval that holds the true gain in 95 %.

    Args:
        ours: Scores by query, between 0 and 1.
        baseline: Scores of the same queries in the same order.
        resamples: Samples of the queries, drawn with replacement from a fixed seed.

    Raises:
        ValueError: the two are not of one length, or empty.

    Source: the wider of two: the paired bootstrap in its percentile form (Sakai 2006), and Student's t on the
        differences by query, as the first covers half of what it says with two queries and nothing with one.
    """
    if not ours or len(ours) != len(baseline):
        raise ValueError(f"{len(ours)} and {len(baseline)} queries are none to compare")
    [found], _ = difference_intervals(np.array([ours, baseline], dtype=np.float64), np.arange(len(ours)))
    differences = np.asarray(ours, dtype=np.float64) - np.asarray(baseline, dtype=np.float64)
    random, size = np.random.default_rng(20_261_101), len(differences)
    means: list[float] = []
    while len(means) < resamples:
        # How often each query is drawn, in as many resamples at a time as memory bears.
        rows = min(resamples - len(means), max(1, _DRAWN // size))
        means += (random.multinomial(size, np.full(size, 1.0 / size), rows) @ differences / size).tolist()
    low, high = np.quantile(means, (0.025, 0.975))
    return Interval(found.value, min(found.low, float(low)), max(found.high, float(high)))


def _graded(correct: Collection[str]) -> Mapping[str, float]:
    return cast("Mapping[str, float]", correct) if isinstance(correct, Mapping) else dict.fromkeys(correct, 1)


def _places(ranking: Sequence[str], k: int) -> list[tuple[int, str]]:
    """Places from 1 with their codes; a code that comes again gets no second place's credit."""
    return list(enumerate(dict.fromkeys(ranking), start=1))[:k]
