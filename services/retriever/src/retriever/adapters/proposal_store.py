"""Queries and proposals in PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from retriever.adapters.records import code_of_record
from retriever.adapters.tables import pool_versions, proposals, queries
from retriever.domain.exact import TWINS
from retriever.domain.pools import entering
from retriever.ports import ImportedQuery, Look, PoolVersion, Proposal, ProposalCounts
from touchstone_runtime.database import Database
from touchstone_runtime.storable import storable


class SqlProposalStore:
    """Implements `ProposalStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, imported: Sequence[ImportedQuery]) -> set[str]:
        """Keep queries, one that is known stays as it is; gives the ids of those that are new."""
        new: set[str] = set()
        rows = [_row(query) for query in sorted(imported, key=lambda query: query.query_id)]
        async with self._database.session() as session:
            for row in rows:
                added = insert(queries).values(row).on_conflict_do_nothing().returning(queries.c.query_id)
                new.update(await session.scalars(added))
        return new

    async def meant(self, beginning: str) -> list[str]:
        """Ids of queries that begin so, a whole one alone; two at most, in their order."""
        chosen = sa.select(queries.c.query_id).where(queries.c.query_id.startswith(beginning, autoescape=True))
        ordered = chosen.order_by(queries.c.query_id != beginning, queries.c.query_id).limit(2)
        async with self._database.session() as session:
            found = list(await session.scalars(ordered))
        return found[:1] if found[:1] == [beginning] else found

    async def proposals(self, query_id: str) -> list[Proposal]:
        """A query's pool by version and rank; empty when nothing was proposed yet."""
        async with self._database.session() as session:
            return await _pool(session, proposals.c.query_id == query_id)

    async def extend(self, query: ImportedQuery, fresh: Sequence[Proposal], look: Look, most: int) -> list[Proposal]:
        """Let into a query's pool what does not stand there, as its next version."""
        of_query = queries.c.query_id == query.query_id
        async with self._database.session() as session:
            await session.execute(insert(queries).values(_row(query)).on_conflict_do_nothing())
            # Whoever holds the query's row is the only one who writes its pool.
            await session.execute(sa.select(queries.c.query_id).where(of_query).with_for_update())
            await _renew_twins(session, query.query_id)
            kept = await _pool(session, proposals.c.query_id == query.query_id)
            version = max((one.version for one in kept), default=0) + 1
            new = [replace(one, version=version) for one in entering(kept, fresh, most)]
            if new:
                rows = [{"query_id": query.query_id, "published": False, **asdict(one)} for one in new]
                await session.execute(insert(proposals).values(rows))
                await session.execute(insert(pool_versions).values(_version_row(query.query_id, version, new, look)))
            await session.execute(sa.update(queries).where(of_query).values(looked_at=look.at, looked_index=look.index))
        return new

    async def unpublished(self, query_id: str) -> list[Proposal]:
        """What stands in a pool and was not said to be published, by version and rank."""
        async with self._database.session() as session:
            return await _pool(session, (proposals.c.query_id == query_id) & ~proposals.c.published)

    async def mark_published(self, query_id: str, pair_ids: Collection[str]) -> None:
        """Keep that pairs were published."""
        named = (proposals.c.query_id == query_id) & proposals.c.pair_id.in_(list(pair_ids))
        async with self._database.session() as session:
            await session.execute(sa.update(proposals).where(named).values(published=True))

    async def due(self, index: str, rested: datetime, stale: datetime, limit: int) -> list[ImportedQuery]:
        """Queries whose pool should be looked at again, those first whose last look is longest ago."""
        of_query = sa.exists().where(proposals.c.query_id == queries.c.query_id)
        waiting = of_query.where(~proposals.c.published)
        looked = sa.func.coalesce(queries.c.looked_at, datetime.min.replace(tzinfo=UTC))
        again = ((queries.c.looked_index != index) & (looked <= rested)) | (looked < stale)
        statement = sa.select(queries).where(of_query & (again | waiting)).order_by(looked, queries.c.query_id)
        async with self._database.session() as session:
            return [_query_of(row) for row in await session.execute(statement.limit(limit))]

    async def versions(self, query_id: str = "") -> list[PoolVersion]:
        """Versions of one pool, or of all, by query and version."""
        statement = sa.select(pool_versions).order_by(pool_versions.c.query_id, pool_versions.c.version)
        if query_id:
            statement = statement.where(pool_versions.c.query_id == query_id)
        async with self._database.session() as session:
            return [
                PoolVersion(
                    row.query_id, row.version, row.entered, Look(row.made_at, row.index_state, row.asked, row.shared)
                )
                for row in await session.execute(statement)
            ]

    async def unanswered(self) -> list[ImportedQuery]:
        """Queries without proposals, by id."""
        answered = sa.exists().where(proposals.c.query_id == queries.c.query_id)
        async with self._database.session() as session:
            rows = await session.execute(sa.select(queries).where(~answered).order_by(queries.c.query_id))
            return [_query_of(row) for row in rows]

    async def listed(self, limit: int, after: str = "") -> list[tuple[ImportedQuery, int]]:
        """Queries with the number of their proposals, by id; only those whose id comes after the given one."""
        of_query = sa.select(sa.func.count()).where(proposals.c.query_id == queries.c.query_id).scalar_subquery()
        statement = sa.select(queries, of_query.label("proposed")).where(queries.c.query_id > storable(after))
        async with self._database.session() as session:
            rows = await session.execute(statement.order_by(queries.c.query_id).limit(limit))
            return [(_query_of(row), int(row.proposed)) for row in rows]

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


async def _renew_twins(session: AsyncSession, query_id: str) -> None:
    """Make digests of copies anew that an earlier release made in another way: they meet none of now."""
    of_before = (proposals.c.query_id == query_id) & ~proposals.c.twin.startswith(TWINS)
    for row in (await session.execute(sa.select(proposals.c.pair_id, proposals.c.record).where(of_before))).all():
        of_pair = (proposals.c.query_id == query_id) & (proposals.c.pair_id == row.pair_id)
        await session.execute(sa.update(proposals).where(of_pair).values(twin=code_of_record(row.record).twin))


async def _pool(session: AsyncSession, chosen: sa.ColumnElement[bool]) -> list[Proposal]:
    statement = sa.select(proposals).where(chosen).order_by(proposals.c.version, proposals.c.rank, proposals.c.pair_id)
    return [
        Proposal(
            row.pair_id,
            row.function_id,
            row.rank,
            row.score,
            row.record,
            row.version,
            row.twin,
            row.places,
        )
        for row in await session.execute(statement)
    ]


def _query_of(row: sa.Row[Any]) -> ImportedQuery:
    return ImportedQuery(row.query_id, row.text, row.origin, row.candidates)


def _version_row(query_id: str, version: int, entered: Sequence[Proposal], look: Look) -> dict[str, object]:
    return {
        "query_id": query_id,
        "version": version,
        "entered": len(entered),
        "made_at": look.at,
        "index_state": look.index,
        "asked": look.asked,
        "shared": dict(look.shared),
    }


def _row(query: ImportedQuery) -> dict[str, object]:
    return {
        "query_id": query.query_id,
        "text": query.text,
        "origin": query.origin,
        "candidates": query.candidates,
    }
