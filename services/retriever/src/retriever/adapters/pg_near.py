"""The nearest codes of a question in PostgreSQL: one statement, by graph or by comparing, with the cosines of all."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from asyncpg.exceptions import PostgresError
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from retriever.adapters.tables import code_vectors, codes
from retriever.domain.code import SearchFilter, Vectors
from retriever.domain.scoring import DIGITS
from touchstone_runtime.database import Database
from touchstone_runtime.faults import database_fault

# pgvector builds graphs of half precision for at most so many dimensions.
MOST_GRAPH_DIMENSIONS = 4000
# From so many vectors of a space on, comparing with all of them takes longer than a graph does.
GRAPH_FROM = 20_000
# So few codes are compared with, whatever graph there is: walking a graph past what a filter refuses takes longer.
_MOST_COMPARED = 5000
_REMEMBERED = 500
_REMEMBERED_S = 10.0


class PgNear:
    """The vector part of `PgvectorIndex.near`.

    Args:
        database: The retriever's own schema.
    """

    def __init__(self, database: Database) -> None:
        # Compiling a plan takes longer than running it, and so do the steps of a transaction around one statement.
        self._reader = database.reader(
            {
                "jit": "off",
                "hnsw.iterative_scan": "strict_order",
                "hnsw.ef_search": "100",
                "hnsw.max_scan_tuples": "20000",
            }
        )
        self._admitted: OrderedDict[SearchFilter, tuple[float, bool]] = OrderedDict()

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[AsyncConnection]:
        """A connection for statements that only read, each by itself."""
        try:
            connection = await self._reader.connect()
        except (OSError, TimeoutError, PostgresError, SQLAlchemyError) as error:
            raise database_fault(error) from error
        try:
            yield connection
        finally:
            await connection.close()

    async def few(self, connection: AsyncConnection, chosen: SearchFilter, admitted: sa.ColumnElement[bool]) -> bool:
        """Whether a filter admits so few codes that they are compared one by one."""
        if chosen == replace(SearchFilter(), forms=chosen.forms, superseded=chosen.superseded):
            return False
        now = time.monotonic()
        until, known = self._admitted.get(chosen, (0.0, False))
        if now > until:
            some = sa.select(sa.literal(1)).select_from(codes).where(admitted).limit(_MOST_COMPARED + 1).subquery()
            count = (await connection.execute(sa.select(sa.func.count()).select_from(some))).scalar_one()
            known = int(count) <= _MOST_COMPARED
            self._admitted[chosen] = (now + _REMEMBERED_S, known)
            while len(self._admitted) > _REMEMBERED:
                self._admitted.popitem(last=False)
        return known

    async def cosines(
        self,
        connection: AsyncConnection,
        query: Vectors,
        admitted: sa.ColumnElement[bool],
        depth: int,
        graphs: Collection[tuple[str, int]],
        more: Collection[str],
    ) -> dict[str, dict[str, float]]:
        """By space the cosines of all candidates: the nearest of each space, and some more codes.

        Args:
            connection: See `reading`.
            query: Vectors of the question.
            admitted: What may be found.
            depth: How many of each space.
            graphs: Spaces that have a graph which may be asked, with their dimensions.
            more: Ids of other candidates.
        """
        nearest = sa.union(
            *(_nearest(key, row, admitted, depth, graph=(key, len(row)) in graphs) for key, row in query.items()),
            sa.select(sa.func.unnest(sa.literal(sorted(more), sa.ARRAY(sa.Text)))),
        ).cte("nearest")
        candidate: Any = next(iter(nearest.c))
        measured = sa.union_all(
            *(
                sa.select(
                    code_vectors.c.function_id,
                    sa.literal(key, sa.Text).label("space"),
                    # The product of vectors of length one is their cosine; the operator gives its negative.
                    (-code_vectors.c.embedding.max_inner_product(row)).label("cosine"),
                )
                .join(nearest, candidate == code_vectors.c.function_id)
                .where(code_vectors.c.model == key, code_vectors.c.dimensions == len(row))
                for key, row in query.items()
            )
        )
        found: dict[str, dict[str, float]] = {key: {} for key in query}
        for function_id, space, cosine in await connection.execute(measured):
            found[space][function_id] = round(float(cosine), DIGITS)
        return found

    async def close(self) -> None:
        """Let go of connections."""
        await self._reader.dispose()


def graph_name(key: str, dimensions: int) -> str:
    """Name of a space's graph; those of before half precision have another."""
    return f"halfgraph_{hashlib.sha256(f'{key} {dimensions}'.encode()).hexdigest()[:16]}"


def graph_statement(key: str, dimensions: int, *, beside: bool) -> str:
    """What makes a space's graph; `beside` lets others write meanwhile."""
    quoted = key.replace("'", "''")
    return (
        f'CREATE INDEX {"CONCURRENTLY " if beside else ""}IF NOT EXISTS "{graph_name(key, dimensions)}" '
        "ON code_vectors "
        f"USING hnsw ((embedding::halfvec({dimensions})) halfvec_ip_ops) "
        f"WHERE model = '{quoted}' AND dimensions = {dimensions}"
    )


def _nearest(key: str, row: Any, admitted: sa.ColumnElement[bool], depth: int, *, graph: bool) -> sa.Select[tuple[str]]:
    embedding: Any = code_vectors.c.embedding
    # A graph is asked by the very expression that it was made of; its order stands alone, as a second key would sort
    # everything. Half precision finds, the cosines are measured in full.
    ties: tuple[sa.ColumnElement[Any], ...] = (sa.collate(code_vectors.c.function_id, "C"),)
    if graph:
        embedding, ties = sa.cast(embedding, HALFVEC(len(row))), ()
    nearest = (
        sa.select(code_vectors.c.function_id)
        .join(codes, codes.c.function_id == code_vectors.c.function_id)
        .where(
            code_vectors.c.model == sa.literal(key, literal_execute=True),
            code_vectors.c.dimensions == sa.literal(len(row), literal_execute=True),
            admitted,
        )
        .order_by(embedding.max_inner_product(row), *ties)
        .limit(depth)
    )
    return sa.select(nearest.subquery().c.function_id)
