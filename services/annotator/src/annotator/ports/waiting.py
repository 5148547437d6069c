"""Pairs that pools propose and nobody has judged yet, and what their judgements may cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from annotator.domain.pair import Pair
from annotator.domain.pool_budget import PoolBudget, Spending


@dataclass(frozen=True, slots=True)
class WaitingPair:
    """A pair that waits.

    Attributes:
        priority: The highest comes first; see `domain.worth`.
        judged: How many pairs of its query are judged, or were begun.
        begun: Whether it was counted against the budget.
        aside: Why it is not judged by itself any more; empty while it waits.
    """

    pair: Pair
    priority: float
    judged: int
    begun: bool
    aside: str = ""


@dataclass(frozen=True, slots=True)
class WaitingState:
    """How many pairs wait, and what the budget has left.

    Attributes:
        waiting: Pairs that wait, those that are being judged included.
        begun: Those of them that were counted against the budget.
        aside: Pairs that are not judged by themselves any more.
        held: Why no further pair is begun now; empty where one may be.
        ends: When the period of the budget ends; None where it has none, or no other one helps.
        stopped: Whether the pairs that were begun stand still as well: tokens or money are spent.
    """

    waiting: int
    begun: int
    aside: int
    budget: PoolBudget
    spent: Spending
    held: str = ""
    ends: datetime | None = None
    stopped: bool = False

    @property
    def standing(self) -> int:
        """Pairs that the budget holds: they are no work that goes on."""
        if not self.held:
            return 0
        return self.waiting if self.stopped else self.waiting - self.begun

    def kinds(self) -> dict[str, int]:
        """How many pairs are in each state; each pair is in one."""
        begun = 0 if self.held and self.stopped else self.begun
        waiting = self.waiting - self.standing - begun
        return {"waiting": waiting, "begun": begun, "held": self.standing, "aside": self.aside}


class Purse(Protocol):
    """Pays for calls of a model."""

    async def reserve(self, tokens: int, cost_usd: float | None) -> str:
        """Set aside what a call takes at most; gives the period that it is booked in.

        Where nobody knows what it costs (None), a cap in money holds it.

        Raises:
            PoolBudgetSpentError: the call could pass the budget; nothing is set aside.
            CallTooLargeError: the call alone could pass it, in any period.
        """
        ...

    async def settle(self, period: str, tokens: int, cost_usd: float) -> None:
        """Give back what a call left of what was set aside for it."""
        ...


class Waiting(Purse, Protocol):
    """Pairs that wait, in the order in which they are judged; several processes share them and their budget."""

    async def enter(self, pair: Pair, worth: float) -> None:
        """Let a pair wait. One that waits already stays as it is, and one that was set aside waits anew."""
        ...

    async def take(self) -> Pair | None:
        """The first pair that nobody judges, now counted against the budget; None where there is none, or it is spent.

        Pairs that were begun come first and are not counted again. Who takes a pair has it until the lease ends that
        `keep` renews; a pair whose judging ended its process three times is set aside.
        """
        ...

    async def keep(self, pair_id: str) -> None:
        """Renew the lease of a pair that was taken."""
        ...

    async def give_back(self, pair_id: str) -> None:
        """Let a pair that was taken wait again."""
        ...

    async def done(self, pair_id: str) -> None:
        """Forget a pair: it is judged."""
        ...

    async def set_aside(self, pair_id: str, why: str) -> None:
        """Judge a pair no more, until it is proposed again."""
        ...

    async def state(self) -> WaitingState:
        """How many wait, and what the budget has left."""
        ...

    async def listed(self, limit: int) -> Sequence[WaitingPair]:
        """The first pairs in their order, those that were set aside last."""
        ...
