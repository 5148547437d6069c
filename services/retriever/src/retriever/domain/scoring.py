"""Scores over an ensemble of models, and their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from retriever.domain.code import Hit, Vectors

# Past this many digits equal codes can seem different: vectors are float32, and each index sums in its own order.
DIGITS = 6

# Tuned on the 500 development queries of CoSQA, where strengths of 0.1 to 0.3 and 5 to 50 neighbours all gain.
CROWDING_WEIGHT = 0.2
CROWDING_NEIGHBOURS = 10
CROWDING_POOL = 100


CROWDING = "crowding"


@dataclass(frozen=True)
class ScorePart:
    """What one part of the ranking gave a code.

    Args:
        part: A model's name, or `CROWDING`.
        value: As measured: a cosine, or how near look-alikes are.
        z: Standard deviations above the mean of the candidates; 0 where the value counts as it is.
        weight: Its share.
        contribution: What it adds to the score.
    """

    part: str
    value: float
    z: float
    weight: float
    contribution: float


@dataclass(frozen=True)
class Ranked:
    """A hit with the parts that its score is the sum of."""

    hit: Hit
    parts: tuple[ScorePart, ...] = ()


def weight_of(model: str, weights: Mapping[str, float]) -> float:
    """A model's weight; 1 unless named."""
    return weights.get(model, 1.0)


def mean_cosine(query: Vectors, code: Vectors, weights: Mapping[str, float]) -> float | None:
    """Weighted mean of the cosines over the models that both have; None when they share none.

    Args:
        query: (d,) float32 for each model, L2-normalised, so that a product is a cosine.
        code: The same for the code.
        weights: A model's weight, 1 where it is not named.

    Source: CoSQA+, candidates by the mean similarity of an ensemble.
    """
    total = weight = 0.0
    for model in sorted(query):
        if model in code and query[model].shape == code[model].shape and weight_of(model, weights) > 0:
            cosine = float(query[model].astype(np.float64) @ code[model].astype(np.float64))
            total += weight_of(model, weights) * cosine
            weight += weight_of(model, weights)
    return round(total / weight, DIGITS) if weight else None


def ordered(hits: Iterable[Hit]) -> list[Hit]:
    """Best first; equal scores by id, so that the order never depends on chance."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.code.function_id))


def crowding_of(
    vectors: Mapping[str, Vectors], weights: Mapping[str, float], *, neighbours: int = CROWDING_NEIGHBOURS
) -> dict[str, float]:
    """How near each code is to its look-alikes among a pool: the mean cosine to its closest neighbours there.

    In a space of many dimensions some points are near to everything. What a code's closest neighbours have in common
    with it says nothing about a query.

    Args:
        vectors: Vectors of a pool by id, several times larger than what will be shown.
        weights: As for `mean_cosine`.
        neighbours: How many closest neighbours count.

    Source: the correction of cross-domain local scaling (Lample et al. 2018), taken over the pool.
    """
    ids = sorted(vectors)
    models = _shared_models([vectors[function_id] for function_id in ids])
    if len(ids) < 3 or not models:
        return {}
    similarity = _similarities([vectors[function_id] for function_id in ids], models, weights)
    np.fill_diagonal(similarity, -np.inf)
    nearest = np.sort(similarity, axis=1)[:, -min(neighbours, len(ids) - 1) :]
    return dict(zip(ids, nearest.mean(axis=1).tolist(), strict=True))


def explained(
    query: Vectors,
    hits: Sequence[Hit],
    vectors: Mapping[str, Vectors],
    weights: Mapping[str, float],
    *,
    strength: float = CROWDING_WEIGHT,
) -> list[Ranked]:
    """Hits with the parts of their scores, best first.

    The weighted mean of the cosines; of it a little is taken off where a code has many look-alikes among the hits:
    its mean similarity to them, against the mean of all hits, in part.

    Args:
        query: Vectors of the question.
        hits: A pool, several times larger than what will be shown.
        vectors: Vectors of the hits by id; hits without are left as they are.
        weights: As for `mean_cosine`.
        strength: Share of the crowding that is taken off.
    """
    crowding = crowding_of({hit.code.function_id: vectors[hit.code.function_id] for hit in hits
                            if hit.code.function_id in vectors}, weights) if strength else {}  # fmt: skip
    usual = float(np.mean(list(crowding.values()))) if crowding else 0.0
    found: list[Ranked] = []
    for hit in hits:
        function_id = hit.code.function_id
        parts = _cosines(query, vectors.get(function_id, {}), weights)
        score = hit.score
        if function_id in crowding:
            over = crowding[function_id] - usual
            parts.append(ScorePart(CROWDING, crowding[function_id], 0.0, strength, -strength * over))
            score = round(score - strength * over, DIGITS)
        found.append(Ranked(replace(hit, score=score), tuple(parts)))
    return sorted(found, key=lambda one: (-one.hit.score, one.hit.code.function_id))


def _cosines(query: Vectors, code: Vectors, weights: Mapping[str, float]) -> list[ScorePart]:
    shared = [
        model
        for model in sorted(query)
        if model in code and query[model].shape == code[model].shape and weight_of(model, weights) > 0
    ]
    whole = sum(weight_of(model, weights) for model in shared)
    cosines = {model: float(query[model].astype(np.float64) @ code[model].astype(np.float64)) for model in shared}
    return [
        ScorePart(model, cosine, 0.0, weight_of(model, weights), weight_of(model, weights) * cosine / whole)
        for model, cosine in cosines.items()
    ]


def _shared_models(of_codes: Sequence[Vectors]) -> list[str]:
    if not of_codes:
        return []
    shared = set(of_codes[0])
    for vectors in of_codes[1:]:
        shared &= set(vectors)
    return sorted(shared)


def _similarities(
    of_codes: Sequence[Vectors], models: Sequence[str], weights: Mapping[str, float]
) -> NDArray[np.float64]:
    total = np.zeros((len(of_codes), len(of_codes)), dtype=np.float64)
    weight = 0.0
    for model in models:
        matrix = np.stack([vectors[model] for vectors in of_codes]).astype(np.float64)
        total += weight_of(model, weights) * (matrix @ matrix.T)
        weight += weight_of(model, weights)
    return total / weight if weight else total
