"""Statements that only read, straight to PostgreSQL's driver: a search is made of some, and each layer takes time."""

# asyncpg ships no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import asyncpg
import sqlalchemy as sa
from asyncpg.exceptions import (
    AdminShutdownError,
    ConnectionDoesNotExistError,
    InterfaceError,
    InternalClientError,
    PostgresError,
)
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg

from touchstone_runtime.database import Database
from touchstone_runtime.faults import database_fault

_MOST_CONNECTIONS = 15
_CONNECT_TIMEOUT_S = 30.0
_TRIES = 3
_UNREACHED = (OSError, TimeoutError, PostgresError, InterfaceError)
# The driver calls it a mistake of its own where a server's last words came while nothing was asked.
_LOST = (AdminShutdownError, ConnectionDoesNotExistError, InterfaceError, InternalClientError, OSError)


@dataclass(frozen=True)
class Statement:
    """A statement in PostgreSQL's words.

    Args:
        text: With `$1`, `$2` and so on for its arguments.
        names: Of the arguments in turn.
        fixed: Those that are the same each time.
    """

    text: str
    names: tuple[str, ...]
    fixed: Mapping[str, Any]


def written(statement: sa.ClauseElement) -> Statement:
    """Write a statement out, which takes longer than most take to run; keep it where it is asked again."""
    made: Any = statement.compile(dialect=PGDialect_asyncpg(), compile_kwargs={"render_postcompile": True})
    return Statement(str(made), tuple(made.positiontup or ()), dict(made.params))


class Reader:
    """Connections for statements that only read and stand alone: no transaction is made around them.

    Args:
        database: Whose schema is read.
        settings: Of PostgreSQL, for these connections.
        ready: Done once to each connection.
    """

    def __init__(
        self, database: Database, settings: Mapping[str, str], ready: Callable[[Any], Awaitable[None]] | None = None
    ) -> None:
        self._database = database
        self._settings = settings
        self._ready = ready
        self._pool: Any = None
        self._opening = asyncio.Lock()

    async def rows(self, statement: Statement, values: Mapping[str, Any] | None = None) -> Sequence[Any]:
        """What a statement gives.

        Args:
            statement: What to read.
            values: Arguments by name that are not the statement's fixed ones.

        Raises:
            DependencyAwayError: the database cannot be reached.
            ValueError: a value is none that the database can hold.
        """
        known = {**statement.fixed, **(values or {})}
        arguments = [known[name] for name in statement.names]
        for left in reversed(range(_TRIES)):
            pool = await self._opened()
            connection = None
            try:
                connection = await pool.acquire(timeout=_CONNECT_TIMEOUT_S)
                return await connection.fetch(statement.text, *arguments)
            except ValueError:
                # A value that cannot be written is an `InterfaceError` to the driver, though no connection is to blame.
                raise
            except _LOST as error:
                # A server that was started anew has ended connections that looked well; what only reads may be asked
                # again.
                if connection is not None:
                    # What the driver saw end before it was asked is no longer lent, and says so.
                    with suppress(InterfaceError):
                        connection.terminate()
                if not left or (connection is None and isinstance(error, TimeoutError)):
                    raise database_fault(error) from error
                await pool.expire_connections()
            except PostgresError as error:
                if connection is not None:
                    raise
                raise database_fault(error) from error
            finally:
                if connection is not None:
                    await pool.release(connection)
        raise AssertionError("either a try answers, or the last one raises")

    async def _opened(self) -> Any:
        async with self._opening:
            if self._pool is None:
                engine, schema = self._database.engine, self._database.schema
                _, options = engine.dialect.create_connect_args(engine.url)
                self._pool = asyncpg.create_pool(
                    **options,
                    min_size=0,
                    max_size=_MOST_CONNECTIONS,
                    init=self._ready,
                    # Nothing of one statement stays for the next: there is nothing to take back.
                    reset=_keep,
                    server_settings={
                        "search_path": f"{schema},public",
                        "application_name": f"{schema} reads",
                        **self._settings,
                    },
                )
                try:
                    await self._pool
                except _UNREACHED as error:
                    self._pool = None
                    raise database_fault(error) from error
        return self._pool

    async def close(self) -> None:
        """Let go of the connections."""
        if self._pool is not None:
            await self._pool.close()
            self._pool = None


async def _keep(_connection: Any) -> None:
    """Leave a connection as it is."""
