"""What was asked for which purpose, what it took, and how much may still be spent."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from touchstone_runtime.llm.errors import BudgetSpentError
from touchstone_runtime.llm.messages import LlmUsage


@dataclass(frozen=True)
class LedgerEntry:
    """One question: `usage` is what it took now, nothing when it came from the cache; `day` is when, in UTC.

    `booking` tells one booking from all others, where it may have to be tried again; empty where it is not.
    """

    key: str
    purpose: str
    model: str
    usage: LlmUsage
    cached: bool
    day: date | None = None
    booking: str = ""


@dataclass(frozen=True)
class DayTotal:
    """Everything that one purpose asked of one model on one day; a question asked again counts on its first day.

    `day` is None for what was booked before days were. `unpriced_tokens` are those of questions that cost nothing as
    booked: their model is free, or nobody had named its price yet.
    """

    day: date | None
    purpose: str
    model: str
    usage: LlmUsage
    cached_hits: int
    unpriced_tokens: int = 0


class Ledger(Protocol):
    """Keeps the accounts of one service."""

    async def record(self, entry: LedgerEntry) -> None:
        """Book one question; tried again after a fault, one booking counts once."""
        ...

    async def by_day(self) -> list[DayTotal]:
        """Totals by day, purpose and model, sorted; what has no day comes first."""
        ...

    async def spent(self) -> LlmUsage:
        """Everything that was really asked."""
        ...

    def unpriced(self, model: str) -> bool:
        """Whether nobody named the price of a model, by its identity."""
        ...


class MemoryLedger:
    """Accounts that live as long as the process."""

    def __init__(self) -> None:
        self.entries: list[LedgerEntry] = []

    async def record(self, entry: LedgerEntry) -> None:
        """Book one question."""
        self.entries.append(entry)

    async def by_day(self) -> list[DayTotal]:
        """Totals by day, purpose and model, sorted."""
        first: dict[tuple[str, str], date | None] = {}
        usage: dict[tuple[date | None, str, str], LlmUsage] = defaultdict(LlmUsage)
        hits: dict[tuple[date | None, str, str], int] = defaultdict(int)
        free: dict[tuple[date | None, str, str], int] = defaultdict(int)
        for entry in self.entries:
            place = (first.setdefault((entry.key, entry.purpose), entry.day), entry.purpose, entry.model)
            usage[place] += entry.usage
            hits[place] += entry.cached
            free[place] += 0 if entry.usage.cost_usd else entry.usage.tokens_in + entry.usage.tokens_out
        ordered = sorted(usage, key=lambda place: (place[0] or date.min, *place[1:]))
        return [DayTotal(*place, usage[place], hits[place], free[place]) for place in ordered]

    def unpriced(self, model: str) -> bool:
        """Whether nobody named the price of a model: not known here."""
        return False

    async def spent(self) -> LlmUsage:
        """Everything that was really asked."""
        return sum((entry.usage for entry in self.entries), LlmUsage())


@dataclass(frozen=True)
class Budget:
    """Caps on what one service may spend in all; 0 means no cap."""

    usd: float = 0.0
    tokens: int = 0

    def check(self, spent: LlmUsage, reserved: LlmUsage, unpriced: str = "") -> None:
        """Refuse when the next call could pass a cap.

        Args:
            spent: What the ledger says.
            reserved: The most that calls in flight and the next call can take.
            unpriced: The next call's model where nobody told its price: what it costs is then unknown, and not nothing.

        Raises:
            BudgetSpentError: It could; the message says which cap and how much is left.
        """
        if self.usd and unpriced:
            raise BudgetSpentError(
                f"{unpriced} has no price, so that a budget of {self.usd:.4f} USD cannot hold it",
                thing="llm budget",
                way_out="name one in models.toml, or set TOUCHSTONE_LLM_BUDGET_TOKENS instead of _USD, and restart the "
                "service; the work then goes on",
            )
        tokens = spent.tokens_in + spent.tokens_out
        most = reserved.tokens_in + reserved.tokens_out
        if self.tokens and tokens + most > self.tokens:
            raise BudgetSpentError(
                f"the token budget is spent: {tokens} of {self.tokens} used{_in_vain(spent)}, "
                f"the next answer may take {most}",
                thing="llm budget",
                way_out="raise TOUCHSTONE_LLM_BUDGET_TOKENS and restart the service; the work then goes on",
            )
        if self.usd and spent.cost_usd + reserved.cost_usd > self.usd:
            raise BudgetSpentError(
                f"the money budget is spent: {spent.cost_usd:.4f} of {self.usd:.4f} USD used{_in_vain(spent)}, "
                f"the next answer may take {reserved.cost_usd:.4f}",
                thing="llm budget",
                way_out="raise TOUCHSTONE_LLM_BUDGET_USD and restart the service; the work then goes on",
            )


def _in_vain(spent: LlmUsage) -> str:
    """What of it nobody has an answer for, in words."""
    return (
        f" ({spent.lost_tokens} tokens of it at most by questions without a usable answer)" if spent.lost_tokens else ""
    )
