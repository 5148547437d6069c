"""One schema in PostgreSQL for each service, and its migrations."""

# asyncpg ships no types; only its classes of faults are named here.
# pyright: reportMissingTypeStubs=false

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command, context
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from asyncpg.exceptions import PostgresError
from sqlalchemy.engine import Connection
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine

from touchstone_runtime.faults import database_fault
from touchstone_runtime.retry import RetryPolicy, attempt, told
from touchstone_runtime.telemetry import get_logger

_log = get_logger()
_HAS_EXTENSION = sa.text("SELECT count(*) FROM pg_extension WHERE extname = :name")
_HAS_SCHEMA = sa.text("SELECT count(*) FROM pg_namespace WHERE nspname = :name")


class Database:
    """A service's own schema.

    Args:
        url: SQLAlchemy URL with the asyncpg driver.
        schema: The service's schema; made when missing. Unqualified table names resolve to it.
        migrations: Folder of the service's Alembic scripts; its `env.py` calls `run_migrations`.
        extensions: PostgreSQL extensions that the tables need, for example "vector".
    """

    def __init__(self, url: str, schema: str, migrations: Path, *, extensions: tuple[str, ...] = ()) -> None:
        self.schema = schema
        self._migrations = migrations
        self._extensions = extensions
        self.engine: AsyncEngine = create_async_engine(
            url,
            pool_size=5,
            max_overflow=10,
            pool_pre_ping=True,
            connect_args={"server_settings": {"search_path": f"{schema},public"}},
        )
        self._sessions = async_sessionmaker(self.engine, expire_on_commit=False)

    @asynccontextmanager
    async def turn(self, lock: int) -> AsyncGenerator[bool]:
        """Held by one process at a time; gives whether it is this one. A process that ends gives it back.

        Args:
            lock: Which turn: a number that no other lock of the database uses.
        """
        async with self.engine.connect() as connection:
            mine = bool(await connection.scalar(sa.select(sa.func.pg_try_advisory_lock(lock))))
            # A transaction left open for an hour would keep the database from tidying up.
            await connection.commit()
            try:
                yield mine
            finally:
                if mine:
                    await connection.scalar(sa.select(sa.func.pg_advisory_unlock(lock)))
                    await connection.commit()

    async def migrate(self, revision: str = "head") -> None:
        """Bring the schema to a revision, the newest by default; replicas that start together take turns.

        A schema that a newer release has changed is left as it is: releases only add to it, so that the one before
        goes on beside it, and can be gone back to.
        """

        def upgrade(connection: Connection) -> None:
            # A role that sees this schema only may make neither extensions nor schemas; an administrator has.
            for extension in self._extensions:
                if not connection.scalar(_HAS_EXTENSION, {"name": extension}):
                    connection.execute(sa.text(f'CREATE EXTENSION "{extension}" SCHEMA public'))
            if not connection.scalar(_HAS_SCHEMA, {"name": self.schema}):
                connection.execute(sa.text(f'CREATE SCHEMA "{self.schema}"'))
            config = Config()
            config.set_main_option("script_location", str(self._migrations).replace("%", "%%"))
            config.attributes["connection"] = connection
            config.attributes["schema"] = self.schema
            known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
            held = MigrationContext.configure(
                connection, opts={"version_table_schema": self.schema}
            ).get_current_heads()
            if newer := sorted(set(held) - known):
                _log.warning("schema_is_newer", schema=self.schema, revisions=newer)
                return
            command.upgrade(config, revision)

        async with self.engine.begin() as connection:
            # One lock for all services: CREATE EXTENSION and CREATE SCHEMA race across schemas too.
            await connection.execute(sa.text("SELECT pg_advisory_xact_lock(847362519)"))
            await connection.run_sync(upgrade)

    async def migrate_once_there(self) -> None:
        """Bring the schema up to date; waits for a database that is away, and says what it waits for.

        Raises:
            GivenUpError: a step cannot be done.
        """
        await attempt(self.migrate, RetryPolicy(60, 0.5, 5.0), on_fault=told("database_awaited"))

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[AsyncSession]:
        """A session in a transaction: committed at the end, rolled back on any exception.

        Raises:
            DependencyAwayError: the database cannot be reached.
        """
        async with self._sessions() as session:
            try:
                # A driver's faults of connecting have no class in common; here it is known what they are about.
                await session.connection()
            except (OSError, TimeoutError, PostgresError, SQLAlchemyError) as error:
                raise database_fault(error) from error
            yield session
            await session.commit()

    async def ping(self) -> bool:
        """Whether the database answers."""
        async with self.engine.connect() as connection:
            await connection.execute(sa.text("SELECT 1"))
        return True

    async def close(self) -> None:
        """Close the connections."""
        await self.engine.dispose()


def run_migrations(metadata: sa.MetaData | None = None) -> None:
    """What a service's `env.py` calls: run the revisions on the connection that `Database.migrate` passes in."""
    config: Any = context.config
    context.configure(
        connection=config.attributes["connection"],
        target_metadata=metadata,
        version_table_schema=config.attributes["schema"],
    )
    with context.begin_transaction():
        context.run_migrations()
