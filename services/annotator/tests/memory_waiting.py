"""Waiting pairs in memory: the fake of `annotator.ports.waiting.Waiting`."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from annotator.domain.pool_budget import NO_CAPS, Spending, Till
from annotator.domain.worth import priority
from annotator.errors import CallTooLargeError, PoolBudgetSpentError
from annotator.ports.waiting import WaitingPair, WaitingState

NOON = datetime(2026, 11, 25, 12, tzinfo=UTC)


class MemoryWaiting:
    """Waiting pairs and their budget in memory, with the port's rules.

    Args:
        budget: What judging may take.
        labels: The pairs that are judged, as `MemoryLabels`; None for none.
        clock: Gives the moment, for periods and leases.
    """

    def __init__(self, budget=NO_CAPS, labels=None, clock=lambda: NOON):
        self.budget = budget
        self.labels = labels
        self.clock = clock
        self.rows = {}
        self.periods = {}
        self.till = Till()

    async def enter(self, pair, worth):
        row = self.rows.get(pair.pair_id)
        if row is None:
            self.rows[pair.pair_id] = {
                "pair": pair, "worth": worth, "judged": 0, "begun": False, "tries": 0, "until": None, "aside": "",
            }  # fmt: skip
        elif row["aside"]:
            row |= {"aside": "", "tries": 0}

    def priority(self, row):
        return priority(row["worth"], row["judged"])

    def in_order(self):
        return sorted(self.rows.items(), key=lambda item: (not item[1]["begun"], -self.priority(item[1]), item[0]))

    def spent(self):
        return self.periods.setdefault(self.budget.key(self.clock()), Spending())

    def recounted(self, pair):
        labelled = {name for (name, _), row in self.labels.rows.items() if row.pair.query_id == pair.query_id}
        begun = {name for name, row in self.rows.items() if row["begun"] and row["pair"].query_id == pair.query_id}
        return len(labelled | begun)

    async def take(self):
        if self.budget.calls_spent(self.spent()):
            return None
        while True:
            free = [row for _, row in self.in_order() if not row["aside"] and (row["until"] or NOON) <= self.clock()]
            if not free:
                return None
            row = free[0]
            if row["tries"] >= 3:
                row["aside"] = "judging it ended its process 3 times"
                continue
            if not row["begun"]:
                if self.budget.pairs_spent(self.spent()):
                    return None
                judged = self.recounted(row["pair"])
                if judged != row["judged"]:
                    for other in self.rows.values():
                        if other["pair"].query_id == row["pair"].query_id and not other["begun"]:
                            other["judged"] = judged
                    continue
                self.periods[self.budget.key(self.clock())] = replace(self.spent(), pairs=self.spent().pairs + 1)
            row |= {"begun": True, "tries": row["tries"] + 1, "until": self.clock() + timedelta(seconds=90)}
            return row["pair"]

    async def keep(self, pair_id):
        self.rows[pair_id]["until"] = self.clock() + timedelta(seconds=90)

    async def give_back(self, pair_id):
        self.rows[pair_id] |= {"until": None, "tries": max(self.rows[pair_id]["tries"] - 1, 0)}

    async def done(self, pair_id):
        self.rows.pop(pair_id, None)

    async def set_aside(self, pair_id, why):
        self.rows[pair_id] |= {"aside": why, "until": None}

    async def reserve(self, tokens, cost_usd):
        period = self.budget.key(self.clock())
        if why := self.budget.unpriced(cost_usd):
            self.till.refuses(period, tokens, cost_usd)
            raise PoolBudgetSpentError(why, way_out="TOUCHSTONE_ANNOTATOR_BUDGET_TOKENS")
        if why := self.budget.call_refused(Spending(), tokens, cost_usd):
            raise CallTooLargeError(why)
        if why := self.budget.call_refused(self.spent(), tokens, cost_usd):
            self.till.refuses(period, tokens, cost_usd)
            raise PoolBudgetSpentError(why)
        self.book(period, tokens, cost_usd or 0.0)
        self.till.pays()
        return period

    async def settle(self, period, tokens, cost_usd):
        self.book(period, -tokens, -cost_usd)
        self.till.settles()

    def book(self, period, tokens, cost_usd):
        spent = self.periods.setdefault(period, Spending())
        self.periods[period] = replace(spent, tokens=spent.tokens + tokens, cost_usd=spent.cost_usd + cost_usd)

    async def state(self):
        waits = [row for row in self.rows.values() if not row["aside"]]
        begun, spent, period = sum(row["begun"] for row in waits), self.spent(), self.budget.key(self.clock())
        held, stopped = self.till.held(self.budget, period, spent)
        aside, ends = len(self.rows) - len(waits), self.budget.ends(self.clock())
        ends = None if self.till.lacks_price(self.budget) else ends
        return WaitingState(len(waits), begun, aside, self.budget, spent, held, ends, stopped)

    async def listed(self, limit):
        rows = sorted((row for _, row in self.in_order()), key=lambda row: row["aside"] != "")
        return [
            WaitingPair(row["pair"], self.priority(row), row["judged"], row["begun"], row["aside"]) for row in rows
        ][:limit]
