"""Weights of the ranking, fitted on labelled queries; and rankings of queries that a fit has not seen."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from retriever.domain.ensemble import CROWDING, TEXT, Ranked, Weights
from retriever.domain.scoring import DIGITS

FOLDS = 5
# How strongly weights are held to those that are not fitted: as strongly as so many queries of one sort.
PULL = 10.0
_STEPS = 50


class Candidates:
    """The z-scores of every candidate of every query, and which of them are right.

    Args:
        ranked: The candidates of each query with all their parts.
        relevant: The right codes of each query; queries without one are left out.
        models: The first is the one that weighs 1.
    """

    def __init__(
        self, ranked: Mapping[str, Sequence[Ranked]], relevant: Mapping[str, Collection[str]], models: Sequence[str]
    ) -> None:
        self.parts = [*models, TEXT, CROWDING]
        self.queries = sorted(query for query in ranked if relevant.get(query))
        most = max((len(ranked[query]) for query in self.queries), default=0)
        shape = (len(self.queries), most)
        self._z = np.zeros((*shape, len(self.parts)))
        self._right = np.zeros(shape, dtype=bool)
        self._there = np.zeros(shape, dtype=bool)
        self._ids: list[list[str]] = []
        for row, query in enumerate(self.queries):
            # By id, so that equal scores stand in the order in which a search shows them.
            of_query = sorted(ranked[query], key=lambda one: one.function_id)
            self._ids.append([one.function_id for one in of_query])
            for place, one in enumerate(of_query):
                self._there[row, place] = True
                self._right[row, place] = one.function_id in relevant[query]
                of_part = {part.part: part.z for part in one.parts}
                self._z[row, place] = [of_part.get(part, 0.0) for part in self.parts]

    def ranking(self, row: int, weights: NDArray[np.float64]) -> list[tuple[str, float]]:
        """The candidates of one query with their scores under some weights, best first.

        Args:
            row: Place of the query in `queries`.
            weights: One for each of `parts`.
        """
        ids = self._ids[row]
        scores = np.round(self._z[row, : len(ids)] @ weights, DIGITS)
        return [(ids[place], float(scores[place])) for place in np.argsort(-scores, kind="stable")]

    def fitted(self, rows: NDArray[np.intp], toward: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights under which right codes are likely on some queries; the first part's is 1.

        The likelihood of a query is a softmax over its candidates. It is smooth where NDCG has steps, so a few
        hundred queries fit it without following each of them; a pull toward given weights holds back the rest.

        Args:
            rows: Places of the queries in `queries`.
            toward: Weights that nobody fitted.

        Source: Cao et al. 2007, ListNet with one right code at a time; maximum by Newton's method.
        """
        known = rows[self._right[rows].any(axis=1)]
        z, there, right = self._z[known], self._there[known], self._right[known]
        # The length of weights is the softmax's temperature and means nothing to an order.
        centre = toward * self._temperature(z, there, right, toward)
        weights: NDArray[np.float64] = centre.copy()
        shares = right / right.sum(axis=1, keepdims=True) if len(known) else np.zeros_like(there, dtype=float)
        for _ in range(_STEPS):
            chances = _softmax(z @ weights, there)
            mean = np.einsum("qc,qcp->qp", chances, z)
            slope: NDArray[np.float64] = (np.einsum("qc,qcp->qp", shares, z) - mean).sum(axis=0) - PULL * (
                weights - centre
            )
            spread = np.einsum("qc,qcp,qcr->pr", chances, z, z) - mean.T @ mean + PULL * np.eye(len(weights))
            step: NDArray[np.float64] = np.asarray(np.linalg.solve(spread, slope), dtype=np.float64)
            weights = weights + step
            if float(np.abs(step).max()) < 1e-9:
                break
        if weights[0] <= 0:
            return toward
        fitted: NDArray[np.float64] = np.asarray(np.round(weights / float(weights[0]), 2), dtype=np.float64)
        return fitted

    def _temperature(
        self, z: NDArray[np.float64], there: NDArray[np.bool_], right: NDArray[np.bool_], toward: NDArray[np.float64]
    ) -> float:
        """The factor from 1 to 11 under which given weights make right codes likeliest."""
        tried = 2.0 ** np.arange(0, 4, 0.5)
        likely = [
            float(np.log((_softmax(z @ (toward * factor), there) * right).sum(axis=1) + 1e-300).sum())
            for factor in tried
        ]
        return float(tried[int(np.argmax(likely))])

    def weights_of(self, numbers: NDArray[np.float64]) -> Weights:
        """Numbers in the order of `parts` as weights."""
        of = dict(zip(self.parts, (float(one) for one in numbers), strict=True))
        models = {part: of[part] for part in self.parts if part not in (TEXT, CROWDING)}
        return Weights(models, text=of[TEXT], crowding=of[CROWDING])

    def numbers_of(self, weights: Weights) -> NDArray[np.float64]:
        """Weights as numbers in the order of `parts`."""
        return np.array([weights.of(part) for part in self.parts])


def fold_of(query: str, folds: int = FOLDS) -> int:
    """Which fold a query belongs to: the same on every machine, whatever other queries there are."""
    return int.from_bytes(hashlib.sha256(query.encode()).digest()[:8], "big") % folds


def cross_validated(
    candidates: Candidates, unfitted: Weights, folds: int = FOLDS
) -> dict[str, list[tuple[str, float]]]:
    """Every query ranked by weights that were fitted on the other folds.

    Args:
        candidates: Of all queries.
        unfitted: Weights that nobody fitted.
        folds: How many parts the queries are cut into.
    """
    fold: NDArray[np.intp] = np.array([fold_of(query, folds) for query in candidates.queries], dtype=np.intp)
    toward = candidates.numbers_of(unfitted)
    weights = [candidates.fitted(np.flatnonzero(fold != one), toward) for one in range(folds)]
    return {query: candidates.ranking(row, weights[int(fold[row])]) for row, query in enumerate(candidates.queries)}


def kept_back(candidates: Candidates, unfitted: Weights) -> dict[str, list[tuple[str, float]]]:
    """The half of the queries that their hashes keep back, ranked by weights that were fitted on the other half.

    Args:
        candidates: Of all queries.
        unfitted: Weights that nobody fitted.
    """
    ranked = cross_validated(candidates, unfitted, folds=2)
    return {query: ranking for query, ranking in ranked.items() if fold_of(query, 2)}


def _softmax(scores: NDArray[np.float64], there: NDArray[np.bool_]) -> NDArray[np.float64]:
    masked = np.where(there, scores, -np.inf)
    raised = np.exp(masked - masked.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)
