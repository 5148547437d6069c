"""The memory of batches in a service's own PostgreSQL schema."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from touchstone_runtime.llm.batches import Batch, Question
from touchstone_runtime.llm.ledger import LedgerEntry
from touchstone_runtime.llm.messages import ChatRequest, LlmUsage, Message
from touchstone_runtime.llm.sql_ledger import booking
from touchstone_runtime.storable import spelt_out

_TURN = "llm_batches.turn"


def batch_tables(metadata: sa.MetaData) -> tuple[sa.Table, sa.Table]:
    """Declare the tables of batches and of their questions in a service's metadata; its migrations create them."""
    batches = sa.Table(
        "llm_batches",
        metadata,
        sa.Column("batch_id", sa.Text, primary_key=True),
        sa.Column("endpoint", sa.Text, nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("file_id", sa.Text, nullable=False),
        sa.Column("remote_id", sa.Text, nullable=False),
        # JSON, a list of names.
        sa.Column("without", sa.Text, nullable=False),
        sa.Column("total", sa.BigInteger, nullable=False),
        sa.Column("answered", sa.BigInteger, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("cancelled", sa.Boolean, nullable=False),
    )
    questions = sa.Table(
        "llm_batch_questions",
        metadata,
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("endpoint", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("purpose", sa.Text, nullable=False),
        # JSON in ASCII, and no JSONB: a question may hold characters that PostgreSQL has none for.
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("tokens_in", sa.BigInteger, nullable=False),
        sa.Column("tokens_out", sa.BigInteger, nullable=False),
        sa.Column("cost_usd", sa.Float, nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        # Empty while it is in no batch.
        sa.Column("batch_id", sa.Text, nullable=False, index=True),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("said", sa.Text, nullable=False),
        sa.Column("unwanted", sa.Boolean, nullable=False),
    )
    return batches, questions


_BATCHES, _ASKED = batch_tables(sa.MetaData())
_FAILED = sa.select(_BATCHES.c.batch_id).where(_BATCHES.c.state == "failed")
_WAITS = sa.and_(_ASKED.c.status == 0, _ASKED.c.batch_id.not_in(_FAILED))


class SqlBatchStore:
    """Implements `BatchStore`; answered questions are booked in the same schema, as `SqlLedger` does.

    Args:
        session: Opens a session in a transaction, as `Database.session` does.
    """

    def __init__(self, session: Callable[[], AbstractAsyncContextManager[AsyncSession]]) -> None:
        self._session = session

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[bool]:
        """Whether it is the caller's turn; a process that dies gives it back."""
        async with self._session() as session:
            yield bool(await session.scalar(sa.select(sa.func.pg_try_advisory_xact_lock(sa.func.hashtext(_TURN)))))

    async def put(self, question: Question) -> Question:
        """Keep a question."""
        statement = insert(_ASKED).values(_question_row(question))
        statement = statement.on_conflict_do_update(index_elements=["key"], set_={"unwanted": False})
        async with self._session() as session:
            return _question((await session.execute(statement.returning(*_ASKED.c))).mappings().one())

    async def find(self, key: str) -> Question | None:
        """A question that has no answer yet."""
        async with self._session() as session:
            row = (await session.execute(sa.select(_ASKED).where(_ASKED.c.key == key))).mappings().first()
        return None if row is None else _question(row)

    async def drop(self, key: str) -> None:
        """Forget a question."""
        async with self._session() as session:
            await session.execute(sa.delete(_ASKED).where(_ASKED.c.key == key))

    async def waiting(self, keys: Collection[str]) -> set[str]:
        """Questions of which something is still to come."""
        async with self._session() as session:
            return set(await session.scalars(sa.select(_ASKED.c.key).where(_any(keys), _WAITS)))

    async def reserved(self) -> LlmUsage:
        """The most that open questions can take."""
        names = ("tokens_in", "tokens_out", "cost_usd")
        sums = [sa.func.coalesce(sa.func.sum(_ASKED.c[name]), 0).label(name) for name in names]
        async with self._session() as session:
            row = (await session.execute(sa.select(*sums).where(_WAITS))).one()
        return LlmUsage(tokens_in=int(row.tokens_in), tokens_out=int(row.tokens_out), cost_usd=float(row.cost_usd))

    async def endpoints(self) -> list[str]:
        """Names of the models that questions in no batch are for."""
        loose = sa.select(_ASKED.c.endpoint).where(_ASKED.c.batch_id == "", _ASKED.c.status == 0).distinct()
        async with self._session() as session:
            return sorted(await session.scalars(loose))

    async def form(self, batch: Batch, most: int, before: datetime) -> bool:
        """Put questions into a batch."""
        oldest = (_ASKED.c.asked_at, _ASKED.c.key)
        mine = (_ASKED.c.endpoint == batch.endpoint, _ASKED.c.batch_id == "", _ASKED.c.status == 0)
        loose = sa.select(_ASKED.c.key, _ASKED.c.asked_at).where(*mine).order_by(*oldest).limit(most)
        newest = (
            sa.select(_BATCHES.c.without)
            .where(_BATCHES.c.endpoint == batch.endpoint)
            .order_by(_BATCHES.c.opened_at.desc(), _BATCHES.c.batch_id.desc())
            .limit(1)
        )
        async with self._session() as session:
            rows = (await session.execute(loose.with_for_update())).all()
            if not rows or (len(rows) < most and rows[0].asked_at > before):
                return False
            row = _batch_row(replace(batch, total=len(rows)))
            row["without"] = await session.scalar(newest) or row["without"]
            await session.execute(insert(_BATCHES).values(row))
            chosen = _any([each.key for each in rows])
            await session.execute(sa.update(_ASKED).where(chosen).values(batch_id=batch.batch_id))
        return True

    async def batch(self, batch_id: str) -> Batch | None:
        """A batch."""
        async with self._session() as session:
            found = await session.execute(sa.select(_BATCHES).where(_BATCHES.c.batch_id == batch_id))
            row = found.mappings().first()
        return None if row is None else _batch(row)

    async def open(self) -> list[Batch]:
        """Open batches."""
        statement = sa.select(_BATCHES).where(_BATCHES.c.state == "open")
        async with self._session() as session:
            rows = await session.execute(statement.order_by(_BATCHES.c.opened_at, _BATCHES.c.batch_id))
            return [_batch(row) for row in rows.mappings()]

    async def questions(self, batch_id: str) -> list[Question]:
        """Open questions of a batch."""
        mine = (_ASKED.c.batch_id == batch_id, _ASKED.c.status == 0)
        async with self._session() as session:
            rows = await session.execute(sa.select(_ASKED).where(*mine).order_by(_ASKED.c.key))
            return [_question(row) for row in rows.mappings()]

    async def save(self, batch: Batch) -> None:
        """Note how far a batch is."""
        async with self._session() as session:
            await _save(session, batch)

    async def settle(self, entry: LedgerEntry) -> bool:
        """Forget a question and book it, both or neither."""
        gone = sa.delete(_ASKED).where(_ASKED.c.key == entry.key).returning(_ASKED.c.key)
        async with self._session() as session:
            if await session.scalar(gone) is None:
                return False
            await session.execute(booking(entry))
        return True

    async def fail(self, key: str, status: int, said: str, lost: Sequence[LedgerEntry] = ()) -> None:
        """Note a fault."""
        fault = {"status": status, "said": spelt_out(said)}
        async with self._session() as session:
            await session.execute(sa.update(_ASKED).where(_ASKED.c.key == key).values(fault))
            await _book(session, lost)

    async def close(self, batch: Batch, tried: Collection[str], lost: Sequence[LedgerEntry] = ()) -> None:
        """Note that nothing more comes of a batch."""
        left = (_ASKED.c.batch_id == batch.batch_id, _ASKED.c.status == 0)
        async with self._session() as session:
            await _save(session, batch)
            await _book(session, lost)
            await session.execute(sa.delete(_ASKED).where(*left, _ASKED.c.unwanted))
            if batch.state == "ended":
                counted = sa.update(_ASKED).where(*left, _any(tried)).values(tries=_ASKED.c.tries + 1)
                await session.execute(counted)
                await session.execute(sa.update(_ASKED).where(*left).values(batch_id=""))

    async def give_up(self, keys: Collection[str]) -> None:
        """Nobody waits for these."""
        asked = sa.and_(_any(keys), _ASKED.c.batch_id != "", _WAITS)
        async with self._session() as session:
            await session.execute(sa.update(_ASKED).where(asked).values(unwanted=True))
            await session.execute(sa.delete(_ASKED).where(_any(keys), sa.not_(asked)))

    async def begin_anew(self, model: str) -> None:
        """Forget faults."""
        async with self._session() as session:
            await session.execute(sa.delete(_ASKED).where(_ASKED.c.model == model, sa.not_(_WAITS)))


def _any(keys: Collection[str]) -> sa.ColumnElement[bool]:
    # One array, and not thousands of parameters.
    return _ASKED.c.key == sa.any_(sa.cast(sa.literal(list(keys), sa.ARRAY(sa.Text)), sa.ARRAY(sa.Text)))


async def _save(session: AsyncSession, batch: Batch) -> None:
    await session.execute(sa.update(_BATCHES).where(_BATCHES.c.batch_id == batch.batch_id).values(_batch_row(batch)))


async def _book(session: AsyncSession, lost: Sequence[LedgerEntry]) -> None:
    for entry in lost:
        await session.execute(booking(entry))


def _batch_row(batch: Batch) -> dict[str, Any]:
    return {**asdict(batch), "without": json.dumps(batch.without), "reason": spelt_out(batch.reason)}


def _batch(row: Mapping[Any, Any]) -> Batch:
    known: dict[str, Any] = {str(name): value for name, value in row.items()}
    known["without"] = tuple(json.loads(known["without"]))
    return Batch(**known)


def _question_row(question: Question) -> dict[str, Any]:
    row = asdict(question)
    most = row.pop("most")
    row |= {name: most[name] for name in ("tokens_in", "tokens_out", "cost_usd")}
    row["request"] = json.dumps(row["request"])
    return row | {"model": question.request.model, "said": spelt_out(question.said)}


def _question(row: Mapping[Any, Any]) -> Question:
    known = {str(name): value for name, value in row.items()}
    most = LlmUsage(**{name: known.pop(name) for name in ("tokens_in", "tokens_out", "cost_usd")})
    del known["model"]
    request = json.loads(known.pop("request"))
    request["messages"] = tuple(Message(**each) for each in request["messages"])
    request["stop"] = tuple(request["stop"])
    return Question(**known, most=most, request=ChatRequest(**request))
