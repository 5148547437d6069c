"""Sequential comparison of two models: it may be looked at after every repository, and stops when it is decided."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

# Bets between nothing and nearly all: a mixture needs no guess of how far apart the models are.
_STAKES = tuple(sign * stake for stake in (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9) for sign in (1.0, -1.0))
# Chance of deciding between equal models.
ALPHA = 0.05


class Decision(StrEnum):
    """How a comparison stands."""

    OPEN = "open"
    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True)
class Comparison:
    """How far a sequential comparison is.

    Attributes:
        looks: Repositories seen.
        evidence: Wealth of the bet against equal models; at 1/alpha the comparison is decided.
        difference: Mean of first minus second over the tasks seen; the bets are on repositories, each counting once.
        tasks: How many those are.
    """

    decision: Decision
    looks: int
    evidence: float
    difference: float
    tasks: int = 0


def order_of_looks(seed: str, repositories: Iterable[str]) -> list[str]:
    """The order in which repositories are looked at: a hash of the seed and the name, which no result has a part in.

    Example:
        >>> order_of_looks("set", ["a", "b"]) == order_of_looks("set", ["b", "a"])
        True
    """

    def draw(name: str) -> tuple[str, str]:
        return hashlib.sha256(f"{seed}\x00{name}".encode("utf-8", "surrogatepass")).hexdigest(), name

    return sorted(set(repositories), key=draw)


def compare_until_decided(clusters: Iterable[tuple[float, int]], alpha: float = ALPHA) -> Comparison:
    """Look at two models repository by repository until one is decided to be better.

    A gambler bets on each repository's difference before it is seen. Where the models are equal, in the sense that a
    repository's difference is as likely to fall to one as to the other, no way of betting is expected to win, so a
    wealth of 1/alpha comes with probability alpha at most, however often one looks and whenever one stops, and
    however much alike the tasks of one repository are.

    Args:
        clusters: For each repository, in an order that has nothing to do with the results, the sum of differences
            (first minus second, between −1 and 1 a task) and the number of its tasks.
        alpha: Chance of deciding between equal models.

    Source: Ville 1939; Waudby-Smith and Ramdas 2024, Estimating means of bounded random variables by betting, with a
    mixture over fixed stakes.
    """
    logs = [0.0] * len(_STAKES)
    total, tasks, looks, evidence = 0.0, 0, 0, 1.0
    for difference, size in clusters:
        if size <= 0:
            continue
        looks += 1
        total, tasks = total + difference, tasks + size
        share = difference / size
        logs = [log + math.log1p(stake * share) for log, stake in zip(logs, _STAKES, strict=True)]
        highest = max(logs)
        evidence = math.exp(highest) * math.fsum(math.exp(log - highest) for log in logs) / len(logs)
        if evidence >= 1.0 / alpha:
            # By whose bets won: of tasks, where one repository has many, the other may have more.
            ahead = Decision.FIRST if max(zip(logs, _STAKES, strict=True))[1] > 0 else Decision.SECOND
            return Comparison(ahead, looks, evidence, total / tasks, tasks)
    return Comparison(Decision.OPEN, looks, evidence, total / tasks if tasks else 0.0, tasks)
