"""Waiting pairs and their budget in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from annotator.adapters.tables import ASIDE, CURRENT, IN_ORDER, LABELS, POOL_SPENDING, WAITING, WAITING_TOTALS, WAITS
from annotator.domain.pair import Pair
from annotator.domain.pool_budget import NO_CAPS, PoolBudget, Spending, Till
from annotator.domain.worth import priority
from annotator.errors import CallTooLargeError, PoolBudgetSpentError
from annotator.ports.waiting import WaitingPair, WaitingState
from touchstone_runtime.storable import storable, storable_tree

LEASE = timedelta(seconds=90)
MOST_TRIES = 3
_CRASHED = f"judging it ended its process {MOST_TRIES} times"
_KNOWN = frozenset(field.name for field in fields(Pair))


class SqlWaiting:
    """Pairs in the service's own schema; see the port.

    Args:
        session: Opens a session in a transaction, as `Database.session` does.
        budget: What judging may take; replicas must be told the same.
        now: Tells the period of the budget.
    """

    def __init__(
        self,
        session: Callable[[], AbstractAsyncContextManager[AsyncSession]],
        budget: PoolBudget = NO_CAPS,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._session = session
        self._budget = budget
        self._now = now
        self._till = Till()

    async def enter(self, pair: Pair, worth: float) -> None:
        """Let a pair wait; see the port."""
        row = {
            "pair_id": storable(pair.pair_id),
            "query_id": storable(pair.query_id),
            "pair": storable_tree(_as_json(pair)),
            "worth": worth,
        }
        fresh = {"judged": 0, "priority": priority(worth, 0), "begun": False, "tries": 0, "aside": ""}
        statement = insert(WAITING).values(row | fresh)
        anew = statement.on_conflict_do_update(
            index_elements=["pair_id"], set_={"aside": "", "tries": 0}, where=WAITING.c.aside != ""
        )
        async with self._session() as session:
            await session.execute(anew)

    async def take(self) -> Pair | None:
        """The first pair that nobody judges; see the port."""
        while True:
            async with self._session() as session:
                row = await self._taken(session)
                if row is None or row.tries < MOST_TRIES:
                    return _pair_of(row) if row is not None else None
                # The last thing here: totals are changed now, and who holds them must wait for no other pair.
                await _change(session, row.pair_id, aside=_CRASHED, taken_until=None)

    async def _taken(self, session: AsyncSession) -> sa.Row[Any] | None:
        """The first pair, which is taken unless it was tried too often."""
        period = self._budget.key(self._now())
        # Whoever holds the period's row is the only one who takes or pays.
        spent = await _spending(session, period, lock=True)
        if self._budget.calls_spent(spent):
            return None
        while (row := await _first(session)) is not None and row.tries < MOST_TRIES:
            if not row.begun:
                if self._budget.pairs_spent(spent):
                    return None
                if await _recount(session, row):
                    continue
                paid = sa.update(POOL_SPENDING).where(POOL_SPENDING.c.period == period)
                await session.execute(paid.values(pairs=POOL_SPENDING.c.pairs + 1))
            await _change(session, row.pair_id, begun=True, tries=row.tries + 1, taken_until=sa.func.now() + LEASE)
            break
        return row

    async def keep(self, pair_id: str) -> None:
        """Renew the lease of a pair that was taken."""
        async with self._session() as session:
            await _change(session, pair_id, taken_until=sa.func.now() + LEASE)

    async def give_back(self, pair_id: str) -> None:
        """Let a pair that was taken wait again."""
        async with self._session() as session:
            await _change(session, pair_id, taken_until=None, tries=sa.func.greatest(WAITING.c.tries - 1, 0))

    async def done(self, pair_id: str) -> None:
        """Forget a pair: it is judged."""
        async with self._session() as session:
            await session.execute(sa.delete(WAITING).where(WAITING.c.pair_id == storable(pair_id)))

    async def set_aside(self, pair_id: str, why: str) -> None:
        """Judge a pair no more, until it is proposed again."""
        async with self._session() as session:
            await _change(session, pair_id, aside=storable(why) or "?", taken_until=None)

    async def reserve(self, tokens: int, cost_usd: float | None) -> str:
        """Set aside what a call takes at most; see the port."""
        if why := self._budget.unpriced(cost_usd):
            self._till.refuses(self._budget.key(self._now()), tokens, cost_usd)
            raise PoolBudgetSpentError(
                why,
                thing="budget for pools",
                way_out="set a price there, or TOUCHSTONE_ANNOTATOR_BUDGET_TOKENS instead of _USD, and restart",
            )
        if why := self._budget.call_refused(Spending(), tokens, cost_usd):
            raise CallTooLargeError(
                f"one call alone could pass what a whole period has: {why}",
                thing="budget for pools",
                way_out="raise TOUCHSTONE_ANNOTATOR_BUDGET_TOKENS or _USD, restart, and propose the pair again",
            )
        period = self._budget.key(self._now())
        async with self._session() as session:
            spent = await _spending(session, period, lock=True)
            if why := self._budget.call_refused(spent, tokens, cost_usd):
                self._till.refuses(period, tokens, cost_usd)
                raise PoolBudgetSpentError(
                    why,
                    thing="budget for pools",
                    way_out="wait for the next period, or raise TOUCHSTONE_ANNOTATOR_BUDGET_TOKENS or _USD and restart",
                )
            await _book(session, period, tokens, cost_usd or 0.0)
        self._till.pays()
        return period

    async def settle(self, period: str, tokens: int, cost_usd: float) -> None:
        """Give back what a call left of what was set aside for it."""
        try:
            async with self._session() as session:
                await _book(session, period, -tokens, -cost_usd)
        finally:
            self._till.settles()

    async def state(self) -> WaitingState:
        """How many wait, and what the budget has left."""
        now = self._now()
        period = self._budget.key(now)
        async with self._session() as session:
            waiting, begun, aside = (await session.execute(sa.select(WAITING_TOTALS))).one()
            spent = await _spending(session, period)
        held, stopped = self._till.held(self._budget, period, spent)
        ends = None if self._till.lacks_price(self._budget) else self._budget.ends(now)
        return WaitingState(waiting, begun, aside, self._budget, spent, held, ends, stopped)

    async def listed(self, limit: int) -> list[WaitingPair]:
        """The first pairs in their order, those that were set aside last."""
        found: list[WaitingPair] = []
        async with self._session() as session:
            for which in (WAITS, ASIDE):
                first = sa.select(WAITING).where(which).order_by(*IN_ORDER).limit(limit - len(found))
                found += [
                    WaitingPair(_pair_of(row), row.priority, row.judged, row.begun, row.aside)
                    for row in await session.execute(first)
                ]
        return found


async def _first(session: AsyncSession) -> sa.Row[Any] | None:
    free = WAITING.c.taken_until.is_(None) | (WAITING.c.taken_until < sa.func.now())
    first = sa.select(WAITING).where(WAITS, free).order_by(*IN_ORDER).limit(1)
    return (await session.execute(first.with_for_update(skip_locked=True))).first()


async def _recount(session: AsyncSession, row: sa.Row[Any]) -> bool:
    """Count anew what is judged of a pair's query; True where that changed its place.

    Labels come by many ways, so that they are counted where it matters. Priorities only fall: the first pair whose
    count is right is the first of all.
    """
    of_query = WAITING.c.query_id == row.query_id
    labelled = sa.select(sa.func.count()).where(LABELS.c.query_id == row.query_id, CURRENT).scalar_subquery()
    under_way = (
        sa.select(sa.func.count())
        .where(of_query, WAITING.c.begun)
        .where(~sa.exists().where(LABELS.c.pair_id == WAITING.c.pair_id))
        .scalar_subquery()
    )
    judged = int((await session.execute(sa.select(labelled + under_way))).scalar_one())
    if judged == row.judged:
        return False
    now = sa.update(WAITING).where(of_query, ~WAITING.c.begun)
    await session.execute(now.values(judged=judged, priority=WAITING.c.worth / (1 + judged)))
    return True


async def _change(session: AsyncSession, pair_id: str, **values: Any) -> None:
    await session.execute(sa.update(WAITING).where(WAITING.c.pair_id == storable(pair_id)).values(**values))


async def _spending(session: AsyncSession, period: str, *, lock: bool = False) -> Spending:
    chosen = sa.select(POOL_SPENDING).where(POOL_SPENDING.c.period == period)
    if lock:
        nothing = insert(POOL_SPENDING).values(period=period, pairs=0, tokens=0, cost_usd=0.0)
        await session.execute(nothing.on_conflict_do_nothing())
        chosen = chosen.with_for_update()
    row = (await session.execute(chosen)).first()
    return Spending(row.pairs, row.tokens, row.cost_usd) if row is not None else Spending()


async def _book(session: AsyncSession, period: str, tokens: int, cost_usd: float) -> None:
    table = POOL_SPENDING.c
    changed = sa.update(POOL_SPENDING).where(table.period == period)
    await session.execute(changed.values(tokens=table.tokens + tokens, cost_usd=table.cost_usd + cost_usd))


def _as_json(pair: Pair) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(pair).items()}


def _pair_of(row: sa.Row[Any]) -> Pair:
    # A later version, which was put back since, may have kept more of a pair than this one knows.
    kept: dict[str, Any] = {
        name: tuple(cast("list[str]", value)) if isinstance(value, list) else value
        for name, value in row.pair.items()
        if name in _KNOWN
    }
    return Pair(**kept)
