"""Queries and proposals in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from retriever.adapters.tables import proposals, queries
from retriever.ports import ImportedQuery, Proposal, ProposalCounts
from touchstone_runtime.database import Database


class SqlProposalStore:
    """Implements `ProposalStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, imported: Sequence[ImportedQuery]) -> None:
        """Keep queries; one that is known stays as it is."""
        rows = [_row(query) for query in sorted(imported, key=lambda query: query.query_id)]
        async with self._database.session() as session:
            for row in rows:
                await session.execute(insert(queries).values(row).on_conflict_do_nothing())

    async def proposals(self, query_id: str) -> list[Proposal]:
        """What was proposed for a query, by rank; empty when nothing was yet."""
        query = sa.select(proposals).where(proposals.c.query_id == query_id).order_by(proposals.c.rank)
        async with self._database.session() as session:
            return [
                Proposal(row.pair_id, row.function_id, row.rank, row.score, row.record)
                for row in await session.execute(query)
            ]

    async def save(self, query: ImportedQuery, fresh: Sequence[Proposal]) -> list[Proposal]:
        """Keep the proposals of a query, unless it has some; returns what counts."""
        async with self._database.session() as session:
            await session.execute(insert(queries).values(_row(query)).on_conflict_do_nothing())
            # Whoever holds the query's row is the only one who writes its proposals.
            await session.execute(
                sa.select(queries.c.query_id).where(queries.c.query_id == query.query_id).with_for_update()
            )
            has_some = sa.select(sa.exists().where(proposals.c.query_id == query.query_id))
            if fresh and not (await session.execute(has_some)).scalar_one():
                await session.execute(
                    insert(proposals).values(
                        [
                            {
                                "query_id": query.query_id,
                                "rank": one.rank,
                                "pair_id": one.pair_id,
                                "function_id": one.function_id,
                                "score": one.score,
                                "record": one.record,
                            }
                            for one in fresh
                        ]
                    )
                )
        return await self.proposals(query.query_id)

    async def unanswered(self) -> list[ImportedQuery]:
        """Queries without proposals, by id."""
        answered = sa.exists().where(proposals.c.query_id == queries.c.query_id)
        async with self._database.session() as session:
            rows = await session.execute(sa.select(queries).where(~answered).order_by(queries.c.query_id))
            return [ImportedQuery(row.query_id, row.text, row.origin, row.candidates) for row in rows]

    async def listed(self, limit: int, after: str = "") -> list[tuple[ImportedQuery, int]]:
        """Queries with the number of their proposals, by id; only those whose id comes after the given one."""
        of_query = sa.select(sa.func.count()).where(proposals.c.query_id == queries.c.query_id).scalar_subquery()
        statement = sa.select(queries, of_query.label("proposed")).where(queries.c.query_id > after)
        async with self._database.session() as session:
            rows = await session.execute(statement.order_by(queries.c.query_id).limit(limit))
            return [
                (ImportedQuery(row.query_id, row.text, row.origin, row.candidates), int(row.proposed)) for row in rows
            ]

    async def counts(self) -> ProposalCounts:
        """How much the store holds."""
        async with self._database.session() as session:
            known = (await session.execute(sa.select(sa.func.count()).select_from(queries))).scalar_one()
            answered, all_of_them = (
                await session.execute(
                    sa.select(sa.func.count(sa.distinct(proposals.c.query_id)), sa.func.count()).select_from(proposals)
                )
            ).one()
        return ProposalCounts(int(known), int(answered), int(all_of_them))


def _row(query: ImportedQuery) -> dict[str, object]:
    return {
        "query_id": query.query_id,
        "text": query.text,
        "origin": query.origin,
        "candidates": query.candidates,
    }
