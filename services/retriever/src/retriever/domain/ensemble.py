"""The ensemble: models and text as weighted z-scores over a pool of candidates."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from retriever.domain.candidates import Column, OrderedIds
from retriever.domain.code import Vectors
from retriever.domain.scoring import DIGITS, crowding_of, model_of

TEXT, CROWDING = "text", "crowding"
# Candidates that each part brings in.
DEPTH = 100


@dataclass(frozen=True)
class Weights:
    """What each part counts.

    Args:
        models: By name of the model; 1 where it is not named.
        text: Of BM25.
        crowding: Of how near look-alikes are; below 0, since code that is like much else is near to every question.
    """

    models: Mapping[str, float] = field(default_factory=dict[str, float])
    text: float = 0.1
    crowding: float = -0.1

    def of(self, part: str) -> float:
        """A part's weight."""
        return {TEXT: self.text, CROWDING: self.crowding}.get(part, self.models.get(part, 1.0))


def weights_for(models: Collection[str], known: Collection[Weights]) -> Weights:
    """The weights that were fitted for this set of models; where there are none, those of the largest part of it.

    Models without a fitted weight count 1; a hashed bag of words beside a model of meaning a twentieth.
    """
    fitting = [one for one in known if one.models and set(one.models) <= set(models)]
    best = max(fitting, key=lambda one: (len(one.models), sorted(one.models)), default=Weights())
    bags = {model for model in models if model.startswith("bow-hash-")}
    usual = {model: 0.05 if model in bags and bags < set(models) else 1.0 for model in models}
    return replace(best, models=usual | dict(best.models))


@dataclass(frozen=True)
class Near:
    """What the parts brought in.

    Args:
        ids: All candidates; sooner ranked where they come in order, as `OrderedIds` with a `Column` for each space.
        text: BM25 of the best by text; others count as 0.
        cosines: By space the cosines of the candidates that have a vector there, where the index has measured them.
    """

    ids: Set[str]
    text: Mapping[str, float]
    cosines: Mapping[str, Mapping[str, float]] | None = None


class ScorePart(NamedTuple):
    """What one part of the ranking gave a code.

    Args:
        part: A model's name, `TEXT` or `CROWDING`.
        value: As measured: a cosine, BM25, or how near look-alikes are.
        z: Standard deviations above the mean of the candidates.
        weight: As fitted; larger for a code that other models lack, whose weights it has beside its own.
        contribution: What it adds to the score: weight times z.
    """

    part: str
    value: float
    z: float
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Measured:
    """One part of the ranking over all candidates that it knows.

    Args:
        part: A model's name, `TEXT` or `CROWDING`.
        values: As measured, by candidate.
        mean: Of the values.
        deviation: Of the values; 0 where they differ by rounding alone.
        weight: As fitted.
    """

    part: str
    values: Mapping[str, float]
    mean: float
    deviation: float
    weight: float

    def of(self, function_id: str, scale: float = 1.0) -> ScorePart:
        """What it gave a candidate that it knows.

        Args:
            function_id: The candidate.
            scale: What its weight is multiplied by, where it speaks for models that lack the candidate.
        """
        value, weight = self.values[function_id], scale * self.weight
        z = (value - self.mean) / self.deviation if self.deviation else 0.0
        return ScorePart(self.part, value, z, weight, weight * z)


class Ranked(NamedTuple):
    """A candidate with its score, the sum of the contributions of its parts."""

    function_id: str
    score: float
    measured: Sequence[Measured] = ()

    @property
    def parts(self) -> tuple[ScorePart, ...]:
        """What each part that knows it gave it; made when asked, since hundreds are ranked where ten are shown."""
        of_models = [one for one in self.measured if one.part not in (TEXT, CROWDING)]
        [scale] = _scales(of_models, [self.function_id])
        return tuple(
            one.of(self.function_id, 1.0 if one.part in (TEXT, CROWDING) else scale)
            for one in self.measured
            if self.function_id in one.values
        )


class Ranking(Sequence[Ranked]):
    """Candidates, best first, each made when it is asked for.

    Args:
        ids: The candidates.
        order: Their places there, best first.
        scores: In the order of `order`.
        measured: What each part measured.
    """

    def __init__(
        self, ids: OrderedIds, order: NDArray[np.intp], scores: NDArray[np.float64], measured: Sequence[Measured]
    ) -> None:
        self._ids = ids
        self._order = order
        self._scores = scores
        self._measured = measured

    def __len__(self) -> int:
        return len(self._order)

    @property
    def parts(self) -> tuple[str, ...]:
        """What ranked, also where there was nothing to rank."""
        return tuple(one.part for one in self._measured)

    def without(self, function_id: str) -> Ranking:
        """The ranking with one candidate less."""
        left = np.array([self._ids[int(place)] != function_id for place in self._order], dtype=np.bool_)
        return Ranking(self._ids, self._order[left], self._scores[left], self._measured)

    @overload
    def __getitem__(self, at: int) -> Ranked: ...
    @overload
    def __getitem__(self, at: slice) -> list[Ranked]: ...
    def __getitem__(self, at: int | slice) -> Ranked | list[Ranked]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        return Ranked(self._ids[int(self._order[at])], float(self._scores[at]), self._measured)


def ranked(
    query: Vectors, near: Near, vectors: Mapping[str, Vectors], weights: Weights, parts: Collection[str]
) -> Ranking:
    """Candidates by the weighted sum of their z-scores, best first, equal scores by id.

    Each part is brought to mean 0 and deviation 1 over the candidates that it knows, so that cosines of different
    models and BM25 can be added. A candidate that lacks a vector of some models stands where the others put it: their
    weights are scaled to the sum of all models' weights. What no model knows stands at their mean.

    Args:
        query: Vectors of the question, by the keys of their spaces.
        near: The candidates.
        vectors: Their vectors by id; for crowding, and where their cosines are not measured yet.
        weights: What each part counts.
        parts: The parts to use; models by name.

    Source: z-score fusion, Fox and Shaw's combination with the normalisation of Montague and Aslam 2001.
    """
    ids = near.ids if isinstance(near.ids, OrderedIds) else _in_order(near.ids)
    used = {key: model_of(key) for key in sorted(query) if model_of(key) in parts}
    models = set(used.values())
    values: dict[str, Mapping[str, float]] = {
        model: _measured(key, near, ids) or _cosines(key, query, vectors, ids) for key, model in used.items()
    }
    if TEXT in parts:
        values[TEXT] = {function_id: near.text.get(function_id, 0.0) for function_id in ids}
    if CROWDING in parts:
        # Of the question's own spaces: a code may have vectors of others beside.
        own = {one: {key: row for key, row in vectors.get(one, {}).items() if key in used} for one in ids}
        known = {one: rows for one, rows in own.items() if rows}
        values[CROWDING] = crowding_of(known, {key: weights.of(used[key]) for key in used}) if used else {}
    scores, of_models, parts_measured = np.zeros(len(ids)), np.zeros(len(ids)), list[Measured]()
    for part, measured in values.items():
        whole = len(measured) == len(ids)
        # Whatever is measured stands in the order of the ids.
        numbers = (
            measured.numbers
            if isinstance(measured, Column)
            else np.fromiter(measured.values(), np.float64, len(measured))
        )
        # As numpy's own mean and deviation, whose ways around take longer than the sums do.
        mean = float(np.add.reduce(numbers) / len(numbers)) if len(numbers) else 0.0
        off = numbers - mean
        deviation = math.sqrt(float(np.add.reduce(off * off)) / len(numbers)) if len(numbers) else 0.0
        # Below the last digits that count, differences are rounding alone.
        apart = deviation > 10.0**-DIGITS
        weight = weights.of(part)
        added = weight * (off / deviation if apart else np.zeros(len(numbers)))
        summed = of_models if part in models else scores
        if whole:
            summed += added
        else:
            there = dict(zip(measured, added.tolist(), strict=True))
            summed += [there.get(one, 0.0) for one in ids]
        parts_measured.append(Measured(part, measured, mean, deviation if apart else 0.0, weight))
    if any(len(values[model]) < len(ids) for model in models):
        of_models *= _scales([one for one in parts_measured if one.part in models], ids)
    scores += of_models
    scores = np.round(scores, DIGITS)
    # Equal scores keep the order of their ids.
    order = np.argsort(-scores, kind="stable")
    return Ranking(ids, order, scores[order], parts_measured)


def used_parts(pool: Sequence[Ranked]) -> tuple[str, ...]:
    """The parts that told something of one candidate at least, in the order of the ranking."""
    return tuple(one.part for one in pool[0].measured if one.values) if pool else ()


def _in_order(ids: Iterable[str]) -> OrderedIds:
    ordered = sorted(ids)
    return OrderedIds(ordered.__getitem__, len(ordered))


def _scales(of_models: Sequence[Measured], ids: Iterable[str]) -> list[float]:
    """What the weights of the models that know a candidate are multiplied by, to stand for those that lack it."""
    total = sum(one.weight for one in of_models)
    known = [sum(one.weight for one in of_models if function_id in one.values) for function_id in ids]
    return [total / weight if weight > 0 and total > 0 else 1.0 for weight in known]


def _measured(key: str, near: Near, ids: OrderedIds) -> Mapping[str, float]:
    known = (near.cosines or {}).get(key, {})
    if isinstance(known, Column) and known.ids is ids:
        return known
    return {function_id: known[function_id] for function_id in ids if function_id in known}


def _cosines(model: str, query: Vectors, vectors: Mapping[str, Vectors], ids: OrderedIds) -> dict[str, float]:
    asked = query[model].astype(np.float64)
    having = [one for one in ids if model in vectors.get(one, {}) and vectors[one][model].shape == asked.shape]
    if not having:
        return {}
    cosines = np.stack([vectors[function_id][model] for function_id in having]).astype(np.float64) @ asked
    return {function_id: round(float(cosine), DIGITS) for function_id, cosine in zip(having, cosines, strict=True)}
