"""The ledger in a service's own PostgreSQL schema."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.ext.asyncio import AsyncSession

from touchstone_runtime.faults import DependencyAwayError
from touchstone_runtime.llm.ledger import DayTotal, LedgerEntry
from touchstone_runtime.llm.messages import LlmUsage

TABLE_NAME = "llm_ledger"


def ledger_table(metadata: sa.MetaData) -> sa.Table:
    """Declare the ledger's table in a service's metadata.

    A service's first migration creates it with `ledger_table(metadata).create(op.get_bind())`, or by hand.
    One row holds what one question took for one purpose, so that a question asked again adds to its row.
    """
    return sa.Table(
        TABLE_NAME,
        metadata,
        sa.Column("request_key", sa.String(64), primary_key=True),
        sa.Column("purpose", sa.String(64), primary_key=True),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("calls", sa.BigInteger, nullable=False),
        sa.Column("cached_hits", sa.BigInteger, nullable=False),
        sa.Column("tokens_in", sa.BigInteger, nullable=False),
        sa.Column("tokens_out", sa.BigInteger, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("cost_usd", sa.Float, nullable=False),
        # When it was first booked, UTC; NULL in rows of earlier releases.
        sa.Column("day", sa.Date, nullable=True),
        # Those of the answered tokens that a model thought.
        sa.Column("thought_tokens", sa.BigInteger, nullable=False, server_default="0"),
        # Those of both that came to no usable answer.
        sa.Column("lost_tokens", sa.BigInteger, nullable=False, server_default="0"),
    )


def add_day(op: Any) -> None:
    """Give the ledger of an earlier release its column of days; a migration's step."""
    # A schema that was made by this release has it already.
    op.execute(f"ALTER TABLE {TABLE_NAME} ADD COLUMN IF NOT EXISTS day date")


def add_thoughts(op: Any) -> None:
    """Give the ledger of an earlier release its column of thoughts; a migration's step."""
    op.execute(f"ALTER TABLE {TABLE_NAME} ADD COLUMN IF NOT EXISTS thought_tokens bigint NOT NULL DEFAULT 0")


def drop_thoughts(op: Any) -> None:
    """Take it away again."""
    op.execute(f"ALTER TABLE {TABLE_NAME} DROP COLUMN IF EXISTS thought_tokens")


def add_lost(op: Any) -> None:
    """Give the ledger of an earlier release its column of what was lost; a migration's step."""
    op.execute(f"ALTER TABLE {TABLE_NAME} ADD COLUMN IF NOT EXISTS lost_tokens bigint NOT NULL DEFAULT 0")


def drop_lost(op: Any) -> None:
    """Take it away again."""
    op.execute(f"ALTER TABLE {TABLE_NAME} DROP COLUMN IF EXISTS lost_tokens")


_LEDGER = ledger_table(sa.MetaData())

_STATUS = sa.text("SELECT pg_xact_status(CAST(CAST(:transaction AS text) AS xid8))")


class SqlLedger:
    """Accounts in PostgreSQL; replicas of a service share them, and the budget but for what each has in flight.

    Args:
        session: Opens a session in a transaction, as `Database.session` does.
        unpriced: Whether nobody named the price of a model, by its identity.
    """

    def __init__(
        self,
        session: Callable[[], AbstractAsyncContextManager[AsyncSession]],
        unpriced: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._session = session
        self._unpriced = unpriced
        self._table = _LEDGER
        # The transactions of bookings of which nobody knows yet whether they were committed.
        self._unsure: dict[str, str] = {}

    async def record(self, entry: LedgerEntry) -> None:
        """Book one question; tried again after a fault, one booking counts once."""
        statement = booking(entry).returning(sa.cast(sa.func.pg_current_xact_id(), sa.Text))
        async with self._session() as session:
            if (before := self._unsure.get(entry.booking)) is not None and await _stands(session, before):
                del self._unsure[entry.booking]
                return
            transaction = await session.scalar(statement)
            if entry.booking:
                self._unsure[entry.booking] = str(transaction)
        self._unsure.pop(entry.booking, None)

    async def by_day(self) -> list[DayTotal]:
        """Totals by day, purpose and model, sorted; what has no day comes first."""
        table = self._table
        places = (table.c.day, table.c.purpose, table.c.model)
        free = sa.func.coalesce(sa.func.sum(table.c.tokens_in + table.c.tokens_out).filter(table.c.cost_usd == 0), 0)
        statement = (
            sa.select(*places, *_sums(table), free.label("unpriced_tokens"))
            .group_by(*places)
            .order_by(table.c.day.nulls_first(), table.c.purpose, table.c.model)
        )
        async with self._session() as session:
            rows = (await session.execute(statement)).all()
        return [
            DayTotal(row.day, row.purpose, row.model, _usage(row), int(row.cached_hits), int(row.unpriced_tokens))
            for row in rows
        ]

    def unpriced(self, model: str) -> bool:
        """Whether nobody named the price of a model, by its identity."""
        return self._unpriced(model)

    async def spent(self) -> LlmUsage:
        """Everything that was really asked."""
        async with self._session() as session:
            row = (await session.execute(sa.select(*_sums(self._table)))).one()
        return _usage(row)


async def _stands(session: AsyncSession, transaction: str) -> bool:
    """Whether a transaction was committed whose end the database did not tell us.

    Raises:
        DependencyAwayError: it has not ended yet.
    """
    status = await session.scalar(_STATUS, {"transaction": transaction})
    if status == "in progress":
        raise DependencyAwayError("has not ended a transaction that we lost", thing="the database")
    return status == "committed"


def booking(entry: LedgerEntry) -> Insert:
    """The statement that books one question."""
    added = {
        "calls": entry.usage.calls,
        "cached_hits": int(entry.cached),
        "tokens_in": entry.usage.tokens_in,
        "tokens_out": entry.usage.tokens_out,
        "seconds": entry.usage.seconds,
        "cost_usd": entry.usage.cost_usd,
        "thought_tokens": entry.usage.thought_tokens,
        "lost_tokens": entry.usage.lost_tokens,
    }
    statement = insert(_LEDGER).values(
        request_key=entry.key, purpose=entry.purpose, model=entry.model, day=entry.day, **added
    )
    statement = statement.on_conflict_do_update(
        index_elements=["request_key", "purpose"],
        set_={name: _LEDGER.c[name] + statement.excluded[name] for name in added},
    )
    return statement


def _sums(table: sa.Table) -> list[sa.Label[Any]]:
    figures = ("tokens_in", "tokens_out", "seconds", "cost_usd", "calls", "cached_hits")
    names = (*figures, "thought_tokens", "lost_tokens")
    return [sa.func.coalesce(sa.func.sum(table.c[name]), 0).label(name) for name in names]


def _usage(sums: sa.Row[Any]) -> LlmUsage:
    return LlmUsage(
        tokens_in=int(sums.tokens_in),
        tokens_out=int(sums.tokens_out),
        seconds=float(sums.seconds),
        cost_usd=float(sums.cost_usd),
        calls=int(sums.calls),
        thought_tokens=int(sums.thought_tokens),
        lost_tokens=int(sums.lost_tokens),
    )
