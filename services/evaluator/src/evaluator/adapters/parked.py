"""Answers that wait for a batch, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncSession

from evaluator.adapters.tables import PARKED
from evaluator.ports import Place


class SqlParked:
    """Implements `usecases.parking.Parked`.

    Args:
        session: Opens a session in a transaction, as `Database.session` does.
    """

    def __init__(self, session: Callable[[], AbstractAsyncContextManager[AsyncSession]]) -> None:
        self._session = session

    async def park(self, run_id: str, place: Place, key: str) -> None:
        """Note that an answer waits."""
        row = insert(PARKED).values(run_id=run_id, task_id=place[0], sample=place[1], key=key)
        row = row.on_conflict_do_update(index_elements=["run_id", "task_id", "sample"], set_={"key": key})
        async with self._session() as session:
            await session.execute(row)

    async def parked(self) -> list[tuple[str, Place, str]]:
        """Every answer that waits."""
        statement = sa.select(PARKED).order_by(PARKED.c.run_id, PARKED.c.task_id, PARKED.c.sample)
        async with self._session() as session:
            rows = await session.execute(statement)
            return [(row.run_id, (row.task_id, row.sample), row.key) for row in rows]

    async def unpark(self, run_id: str, waited: Sequence[tuple[Place, str]]) -> None:
        """These answers wait no more for these keys."""
        # Three values, however many answers: a list of values is nested as deep as it is long.
        columns = (
            sa.cast([task_id for (task_id, _), _ in waited], ARRAY(sa.Text)),
            sa.cast([sample for (_, sample), _ in waited], ARRAY(sa.Integer)),
            sa.cast([key for _, key in waited], ARRAY(sa.Text)),
        )
        gone = sa.func.unnest(*columns).table_valued("task_id", "sample", "key", name="gone").render_derived()
        mine = sa.and_(*(PARKED.c[name] == gone.c[name] for name in ("task_id", "sample", "key")))
        async with self._session() as session:
            await session.execute(sa.delete(PARKED).where(PARKED.c.run_id == run_id, mine))
