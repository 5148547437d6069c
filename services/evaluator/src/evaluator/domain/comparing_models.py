"""Pairs of models on the same tasks: McNemar, Holm, and which ranks the data allow."""

# scipy ships no types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

Counts = NDArray[np.int64]
Name = TypeVar("Name", bound=Hashable)


def mcnemar(only_a: int, only_b: int) -> float:
    """Exact two-sided p-value that two models solve tasks equally often.

    Args:
        only_a: Tasks that only the first solved.
        only_b: Tasks that only the second solved.

    Source: McNemar 1947 in its exact form: among the tasks that tell the two apart each is as likely to win.

    Example:
        >>> round(mcnemar(1, 9), 6)
        0.021484
    """
    return float(mcnemar_of_all(np.array([only_a]), np.array([only_b]))[0])


def mcnemar_of_all(only_a: Counts, only_b: Counts) -> NDArray[np.float64]:
    """As `mcnemar`, for many pairs at once.

    Args:
        only_a: (pairs,) tasks that only the first of each pair solved.
        only_b: (pairs,) tasks that only the second solved.
    """
    few, total = np.minimum(only_a, only_b), only_a + only_b
    # Of no tasks that tell two apart, bdtr gives 1 as well.
    return np.minimum(1.0, 2.0 * special.bdtr(few.astype(float), total, 0.5))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values held against all of their family: the chance of one false claim among all stays below each.

    Source: Holm 1979: from the smallest up, each times how many are left, never falling.

    Example:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def rank_sets(names: Collection[Name], decided: Iterable[tuple[Name, Name]]) -> dict[Name, tuple[int, int]]:
    """Best and worst rank of each model that the decided pairs allow; what is not decided is a tie.

    Args:
        names: The models.
        decided: Pairs (better, worse) that the data decide.

    Source: Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks: with all pairs tested together, the best
    rank is one more than the number of models decidedly better, the worst leaves below only those decidedly worse.

    Example:
        >>> rank_sets(["a", "b", "c"], [("a", "c")])
        {'a': (1, 2), 'b': (1, 3), 'c': (2, 3)}
    """
    better, worse = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for winner, loser in decided:
        better[loser] += 1
        worse[winner] += 1
    return {name: (1 + better[name], len(names) - worse[name]) for name in names}
