"""Scores over an ensemble of models, and their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from retriever.domain.code import Hit, Vectors

# Past this many digits equal codes can seem different: vectors are float32, and each index sums in its own order.
DIGITS = 6

# Tuned on the 500 development queries of CoSQA, where strengths of 0.1 to 0.3 and 5 to 50 neighbours all gain.
CROWDING_WEIGHT = 0.2
CROWDING_NEIGHBOURS = 10
CROWDING_POOL = 100


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


def discount_crowding(
    hits: Sequence[Hit],
    vectors: Mapping[str, Vectors],
    weights: Mapping[str, float],
    *,
    strength: float = CROWDING_WEIGHT,
    neighbours: int = CROWDING_NEIGHBOURS,
) -> list[Hit]:
    """Take off a little where a code has many look-alikes among the hits, and order anew.

    In a space of many dimensions some points are near to everything. What a code's closest neighbours
    have in common with it says nothing about the query; its mean similarity to them, against the mean of
    all hits, is taken off in part.

    Args:
        hits: A pool, several times larger than what will be shown.
        vectors: Vectors of the hits by id; hits without are left as they are.
        weights: As for `mean_cosine`.
        strength: Share of the crowding that is taken off.
        neighbours: How many closest neighbours count.

    Source: the correction of cross-domain local scaling (Lample et al. 2018), taken over the pool.
    """
    known = [hit for hit in hits if hit.code.function_id in vectors]
    models = _shared_models([vectors[hit.code.function_id] for hit in known])
    if len(known) < 3 or not models or strength == 0:
        return ordered(hits)
    similarity = _similarities([vectors[hit.code.function_id] for hit in known], models, weights)
    np.fill_diagonal(similarity, -np.inf)
    nearest = np.sort(similarity, axis=1)[:, -min(neighbours, len(known) - 1) :]
    crowding = nearest.mean(axis=1)
    excess = crowding - crowding.mean()
    lowered = {
        hit.code.function_id: round(hit.score - strength * float(over), DIGITS)
        for hit, over in zip(known, excess, strict=True)
    }
    return ordered(replace(hit, score=lowered.get(hit.code.function_id, hit.score)) for hit in hits)


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
