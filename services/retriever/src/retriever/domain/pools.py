"""Pools: the candidates of a query, version by version.

A pool only grows. What stood among the nearest once stays, labelled or not; what comes to stand there enters with the
next version, and only what enters is judged.

Source: CoSQA+, section on candidates; pooling as in TREC, where runs join a pool one after the other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Protocol, TypeVar

# What the mean over all models is called beside their names.
MEAN = "mean"


class Candidate(Protocol):
    """A code that may enter."""

    @property
    def function_id(self) -> str:
        """The code."""
        ...

    @property
    def twin(self) -> str:
        """The same for codes that differ in white space at most; empty when unknown."""
        ...


C = TypeVar("C", bound=Candidate)


def entering(kept: Collection[C], fresh: Sequence[C], most: int) -> list[C]:
    """Which of some candidates enter a pool: neither they nor a duplicate of them stands there.

    Args:
        kept: What stands in the pool.
        fresh: The nearest of now, best first.
        most: How much a pool may hold.
    """
    ids, twins = {one.function_id for one in kept}, {one.twin for one in kept} - {""}
    found: list[C] = []
    for one in fresh:
        if len(kept) + len(found) >= most:
            break
        if one.function_id not in ids and one.twin not in twins:
            found.append(one)
            ids.add(one.function_id)
            twins |= {one.twin} - {""}
    return found


def overlap(nearest: Mapping[str, Collection[str]]) -> dict[str, int]:
    """How many codes each two of some lists share, by their names joined with a bar.

    Args:
        nearest: The nearest codes by name of the model, and by `MEAN` those of all together.

    Source: CoSQA+, the table of what its embedding models have in common.

    Example:
        >>> overlap({"b": ["x", "y"], "a": ["y", "z"]})
        {'a|b': 1}
    """
    return {
        f"{one}|{other}": len(set(nearest[one]) & set(nearest[other]))
        for one, other in combinations(sorted(nearest), 2)
    }


def shared_by_models(looks: Sequence[tuple[str, int, Mapping[str, int]]]) -> dict[tuple[str, str], tuple[float, int]]:
    """The mean share that each two models have in common, and over how many pools.

    Args:
        looks: For each version of each pool, older ones first: its query, how many candidates there were, and
            `overlap`. Of each pool the newest counts.
    """
    newest = {query: (asked, shared) for query, asked, shared in looks}
    found: dict[tuple[str, str], list[float]] = {}
    for asked, shared in newest.values():
        for names, count in shared.items():
            first, _, second = names.partition("|")
            found.setdefault((first, second), []).append(count / asked)
    return {names: (sum(shares) / len(shares), len(shares)) for names, shares in sorted(found.items())}
