"""Verdicts in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from sandbox_executor.adapters.tables import VERDICTS
from sandbox_executor.domain.judging import Failure, Verdict


class SqlVerdicts:
    """Verdicts in the service's own schema; see the port.

    Args:
        session: Opens a session in a transaction, as `Database.session` does.
    """

    def __init__(self, session: Callable[[], AbstractAsyncContextManager[AsyncSession]]) -> None:
        self._session = session

    async def find(self, solution_id: str, suite_digest: str, judging: int = 0) -> Verdict | None:
        """The verdict of a solution on a suite, if there is one."""
        statement = sa.select(VERDICTS).where(
            VERDICTS.c.solution_id == solution_id,
            VERDICTS.c.suite_digest == suite_digest,
            VERDICTS.c.judging == judging,
        )
        async with self._session() as session:
            row = (await session.execute(statement)).mappings().one_or_none()
        if row is None:
            return None
        values = {name: row[name] for name in ("outcome", "cases", "passed", "wall_s", "cpu_s", "memory_bytes")}
        return Verdict(**values, failures=tuple(Failure(**failure) for failure in row["failures"]))

    async def keep(self, solution_id: str, suite_digest: str, verdict: Verdict, judging: int = 0) -> Verdict:
        """Store a verdict; gives back the one that was stored first."""
        row = {**asdict(verdict), "failures": [asdict(failure) for failure in verdict.failures]}
        statement = insert(VERDICTS).values(solution_id=solution_id, suite_digest=suite_digest, judging=judging, **row)
        async with self._session() as session:
            await session.execute(statement.on_conflict_do_nothing())
        return await self.find(solution_id, suite_digest, judging) or verdict
