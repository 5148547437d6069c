"""Sequential comparison of two models: it may be looked at after every repository, and stops when it is decided."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

# Bets between nothing and nearly all: a mixture needs no guess of how far apart the models are.
_STAKES = tuple(sign * stake for stake in (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9) for sign in (1.0, -1.0))
# Chance of deciding between equal models.
ALPHA = 0.05


class Decision(StrEnum):
    """How a comparison stands."""

    OPEN = "open"
    FIRST = "first"
    SECOND = "second"


class Look(NamedTuple):
    """What is seen of one repository; a task's difference is first minus second, between −1 and 1.

    Attributes:
        difference: Sum over its tasks that lack no answer.
        tasks: How many tasks it has, those included that lack one.
        lost: How many lack an answer that was lost to a fault that is not the model's.
        below: Sum over these, were what the first lost wrong and what the second lost right.
        above: The same the other way round.
    """

    difference: float
    tasks: int
    lost: int = 0
    below: float = 0.0
    above: float = 0.0


@dataclass(frozen=True)
class Comparison:
    """How far a sequential comparison is.

    Attributes:
        looks: Repositories seen.
        evidence: Wealth of the bet against equal models; at 1/alpha the comparison is decided.
        difference: Mean of first minus second over the tasks seen that lack no answer; the bets are on repositories,
            each counting once.
        tasks: How many were seen.
        lost: How many of them lack an answer that was lost.
        least: Mean over all tasks seen, were everything lost against the first; most: were it for the first.
    """

    decision: Decision
    looks: int
    evidence: float
    difference: float
    tasks: int = 0
    lost: int = 0
    least: float = 0.0
    most: float = 0.0


def order_of_looks(seed: str, repositories: Iterable[str]) -> list[str]:
    """The order in which repositories are looked at: a hash of the seed and the name, which no result has a part in.

    Example:
        >>> order_of_looks("set", ["a", "b"]) == order_of_looks("set", ["b", "a"])
        True
    """

    def draw(name: str) -> tuple[str, str]:
        return hashlib.sha256(f"{seed}\x00{name}".encode("utf-8", "surrogatepass")).hexdigest(), name

    return sorted(set(repositories), key=draw)


def compare_until_decided(clusters: Iterable[Look], alpha: float = ALPHA) -> Comparison:
    """Look at two models repository by repository until one is decided to be better.

    A gambler bets on each repository's difference before it is seen. Where the models are equal, in the sense that a
    repository's difference is as likely to fall to one as to the other, no way of betting is expected to win, so a
    wealth of 1/alpha comes with probability alpha at most, however often one looks and whenever one stops, and
    however much alike the tasks of one repository are.

    An endpoint loses what is hard for it, so that an answer that was lost cannot be left out. Each bet is paid by the
    difference that it would win least by, whatever the lost answers would have been: its wealth is then never more
    than with every answer, and the bound holds.

    Args:
        clusters: The repositories, in an order that has nothing to do with the results.
        alpha: Chance of deciding between equal models.

    Source: Ville 1939; Waudby-Smith and Ramdas 2024, Estimating means of bounded random variables by betting, with a
    mixture over fixed stakes.
    """
    logs = [0.0] * len(_STAKES)
    total, below, above, tasks, lost, looks, evidence = 0.0, 0.0, 0.0, 0, 0, 0, 1.0
    decision = Decision.OPEN
    for look in clusters:
        if look.tasks <= 0:
            continue
        looks, tasks, lost = looks + 1, tasks + look.tasks, lost + look.lost
        total, below, above = total + look.difference, below + look.below, above + look.above
        least, most = ((look.difference + end) / look.tasks for end in (look.below, look.above))
        logs = [
            log + math.log1p(stake * (least if stake > 0 else most)) for log, stake in zip(logs, _STAKES, strict=True)
        ]
        highest = max(logs)
        evidence = math.exp(highest) * math.fsum(math.exp(log - highest) for log in logs) / len(logs)
        if evidence >= 1.0 / alpha:
            # By whose bets won: of tasks, where one repository has many, the other may have more.
            decision = Decision.FIRST if max(zip(logs, _STAKES, strict=True))[1] > 0 else Decision.SECOND
            break
    whole, every = max(1, tasks - lost), max(1, tasks)
    ends = (total + below) / every, (total + above) / every
    return Comparison(decision, looks, evidence, total / whole, tasks, lost, *ends)
