"""Scores over an ensemble of models, and their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from retriever.domain.code import Hit, Vectors

# Past this many digits equal codes can seem different: vectors are float32, and each index sums in its own order.
DIGITS = 6

CROWDING_NEIGHBOURS = 10


def model_of(key: str) -> str:
    """The name of the model whose vectors lie under a key; see `generations.space_key`.

    Example:
        >>> model_of("mini:12ab@code-1"), model_of("mini")
        ('mini', 'mini')
    """
    return key.partition("@")[0].partition(":")[0]


def weight_of(key: str, weights: Mapping[str, float]) -> float:
    """The weight of the model whose vectors lie under a key; 1 unless named."""
    return weights.get(key, weights.get(model_of(key), 1.0))


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
    models = sorted({model for rows in vectors.values() for model in rows})
    if len(ids) < 3 or not models:
        return {}
    similarity = _similarities([vectors[function_id] for function_id in ids], models, weights)
    np.fill_diagonal(similarity, -np.inf)
    most = min(neighbours, len(ids) - 1)
    nearest = np.sort(np.partition(similarity, len(ids) - most, axis=1)[:, -most:], axis=1)
    return dict(zip(ids, nearest.mean(axis=1).tolist(), strict=True))


def _similarities(
    of_codes: Sequence[Vectors], models: Sequence[str], weights: Mapping[str, float]
) -> NDArray[np.float64]:
    """Weighted mean cosine of each two codes over the models that both have; 0 where they share none."""
    total = np.zeros((len(of_codes), len(of_codes)), dtype=np.float64)
    weight = np.zeros_like(total)
    for model in models:
        having = [number for number, rows in enumerate(of_codes) if model in rows]
        matrix = np.stack([of_codes[number][model] for number in having]).astype(np.float64)
        products = weight_of(model, weights) * (matrix @ matrix.T)
        if len(having) == len(of_codes):
            total += products
            weight += weight_of(model, weights)
        else:
            block = np.ix_(having, having)
            total[block] += products
            weight[block] += weight_of(model, weights)
    return np.divide(total, weight, out=np.zeros_like(total), where=weight != 0)
