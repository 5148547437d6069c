"""What pools may spend on judgements, in whole or in each day, week or month."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

Period = Literal["whole", "month", "week", "day"]


@dataclass(frozen=True, slots=True)
class Spending:
    """What was spent in one period, with what calls in flight can take at most."""

    pairs: int = 0
    tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class PoolBudget:
    """Caps for one period; 0 is no cap.

    Attributes:
        pairs: Pairs that may be begun.
        tokens: Tokens of questions and answers.
        cost_usd: At the catalogue's prices.
        period: Calendar periods in UTC; a week begins on Monday.
    """

    pairs: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    period: Period = "whole"

    def key(self, now: datetime) -> str:
        """Names the period that a moment is in."""
        return _name(self.period, now.astimezone(UTC))

    def ends(self, now: datetime) -> datetime | None:
        """When the next period begins; None where there is none."""
        if self.period == "whole":
            return None
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        while _name(self.period, day) == self.key(now):
            day += timedelta(days=1)
        return day

    def pairs_spent(self, spent: Spending) -> str:
        """Why no further pair may be begun; empty where one may."""
        if self.pairs and spent.pairs >= self.pairs:
            return f"{spent.pairs:,} of {self.pairs:,} pairs{self._each} are begun"
        if self.tokens and spent.tokens >= self.tokens:
            return f"{spent.tokens:,} of {self.tokens:,} tokens{self._each} are spent"
        if self.cost_usd and spent.cost_usd >= self.cost_usd:
            return f"{spent.cost_usd:.4f} of {self.cost_usd:.4f} USD{self._each} are spent"
        return ""

    def unpriced(self, cost_usd: float | None) -> str:
        """Why no call may be made of which nobody knows what it costs; empty where it is known, or no cap is in USD."""
        if not self.cost_usd or cost_usd is not None:
            return ""
        return (
            f"the cap is {self.cost_usd:.4f} USD{self._each}, and nobody told a price of the model: "
            "name it in models.toml, or cap tokens instead"
        )

    def call_refused(self, spent: Spending, tokens: int, cost_usd: float | None) -> str:
        """Why a call that takes so much at most may not be made; empty where it may."""
        if why := self.unpriced(cost_usd):
            return why
        if self.tokens and spent.tokens + tokens > self.tokens:
            return (
                f"{spent.tokens:,} of {self.tokens:,} tokens{self._each} are spent, the next call may take {tokens:,}"
            )
        if self.cost_usd and cost_usd is not None and spent.cost_usd + cost_usd > self.cost_usd:
            return (
                f"{spent.cost_usd:.4f} of {self.cost_usd:.4f} USD{self._each} are spent, "
                f"the next call may take {cost_usd:.4f}"
            )
        return ""

    def calls_spent(self, spent: Spending) -> str:
        """Why no call may be made whatever it takes, also for a pair that was begun; empty where one may."""
        return replace(self, pairs=0).pairs_spent(spent)

    @property
    def _each(self) -> str:
        return "" if self.period == "whole" else f" a {self.period}"


NO_CAPS = PoolBudget()


@dataclass(slots=True)
class Till:
    """What one process knows of its calls: those in flight, and the last one that the budget refused.

    A budget that refuses every call that could pass it is never spent to the last token: what it refuses tells that
    it is spent. While a call is in flight, what it leaves is still to come back.
    """

    in_flight: int = 0
    refused: tuple[str, int, float | None] | None = None

    def pays(self) -> None:
        """A call was taken."""
        self.in_flight += 1
        self.refused = None

    def refuses(self, period: str, tokens: int, cost_usd: float | None) -> None:
        """A call was not."""
        self.refused = period, tokens, cost_usd

    def settles(self) -> None:
        """A call that was taken came to its end."""
        self.in_flight = max(0, self.in_flight - 1)

    def lacks_price(self, budget: PoolBudget) -> bool:
        """Whether calls are refused since nobody told what they cost, which no further period changes."""
        return self.refused is not None and bool(budget.unpriced(self.refused[2]))

    def held(self, budget: PoolBudget, period: str, spent: Spending) -> tuple[str, bool]:
        """Why no further pair is begun, empty where one may be; and whether those that were begun stand as well."""
        why = ""
        if not self.in_flight:
            why = budget.calls_spent(spent)
            if not why and self.refused is not None and (self.refused[0] == period or self.lacks_price(budget)):
                why = budget.call_refused(spent, *self.refused[1:])
        return why or replace(budget, tokens=0, cost_usd=0.0).pairs_spent(spent), bool(why)


def _name(period: Period, day: datetime) -> str:
    if period == "week":
        year, week, _ = day.isocalendar()
        return f"{year}-W{week:02}"
    return {"whole": "whole", "month": f"{day:%Y-%m}", "day": f"{day:%Y-%m-%d}"}[period]
