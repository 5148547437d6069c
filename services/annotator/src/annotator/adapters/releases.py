"""Releases in PostgreSQL, and the labels as they are at one moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncSession

from annotator.adapters.tables import CURRENT, LABELS, RELEASES
from annotator.domain.release import PooledCode, PooledLabel, PooledQuery, Selection
from annotator.ports.releases import ReleaseRow
from touchstone_contracts.identities import CODE_SPACE, code_id

_Sessions = Callable[[], AbstractAsyncContextManager[AsyncSession]]
# Rows that the database hands over at once.
_CHUNK = 500
_ENDS = (LABELS.c.query_id, LABELS.c.function_id)


class SqlReleases:
    """Releases in the service's own schema; see the port."""

    def __init__(self, session: _Sessions) -> None:
        self._session = session

    async def save(self, row: ReleaseRow) -> tuple[ReleaseRow, bool]:
        """Keep a release, and say whether it is new; when there is one of this name, that one stands and is given."""
        names = ("name", "digest", "manifest_digest", "queries", "codes", "pairs")
        values = {name: getattr(row, name) for name in names}
        statement = insert(RELEASES).values(values).on_conflict_do_nothing().returning(RELEASES.c.name)
        async with self._session() as session:
            new = (await session.execute(statement)).first() is not None
        return await self.find(row.name) or row, new

    async def find(self, name: str) -> ReleaseRow | None:
        """One release."""
        found = await self._rows(RELEASES.c.name == name)
        return found[0] if found else None

    async def all(self) -> Sequence[ReleaseRow]:
        """Every release, oldest first."""
        return await self._rows(sa.true())

    async def _rows(self, which: sa.ColumnElement[bool]) -> list[ReleaseRow]:
        async with self._session() as session:
            rows = await session.execute(sa.select(RELEASES).where(which).order_by(RELEASES.c.number))
            return [
                ReleaseRow(
                    row.name,
                    row.digest,
                    row.manifest_digest,
                    row.queries,
                    row.codes,
                    row.pairs,
                    row.created_at.isoformat(),
                )
                for row in rows
            ]


class SqlPool:
    """The current labels; see `Pool`."""

    def __init__(self, session: _Sessions) -> None:
        self._session = session

    @asynccontextmanager
    async def freeze(self, selection: Selection) -> AsyncGenerator[SqlFrozenPool]:
        """A view of what a selection takes, in one transaction."""
        async with self._session() as session:
            await session.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
            yield SqlFrozenPool(session, *_taken(selection))


class SqlFrozenPool:
    """Rows of one transaction; see `FrozenPool`."""

    def __init__(
        self,
        session: AsyncSession,
        taken: sa.ColumnElement[bool],
        told: sa.ColumnElement[bool],
        offered: sa.ColumnElement[bool],
    ) -> None:
        self._session = session
        self._taken = taken
        self._told = told
        self._offered = offered

    async def queries(self) -> AsyncIterator[PooledQuery]:
        """The queries of the labels."""
        identifier = _by_code_point(LABELS.c.query_id)
        chosen = sa.select(LABELS.c.query_id, LABELS.c.query).ext(distinct_on(identifier))
        chosen = chosen.where(self._taken)
        async for row in self._stream(chosen, identifier, _by_code_point(LABELS.c.pair_id)):
            yield PooledQuery(row["query_id"], row["query"])

    async def codes(self) -> AsyncIterator[PooledCode]:
        """The codes of the labels."""
        identifier = _by_code_point(LABELS.c.function_id)
        names = [name for name in PooledCode.__dataclass_fields__ if name != "licence"]
        # Of what was stored before licences were, a row of another query, or by somebody else, may know it.
        known = (
            sa.select(LABELS.c.function_id, _known_licence().label("licence"))
            .where(self._offered)
            .group_by(LABELS.c.function_id)
            .subquery()
        )
        order = (identifier, LABELS.c.licence.desc(), _by_code_point(LABELS.c.pair_id))
        columns = [*(LABELS.c[name] for name in names), known.c.licence]
        chosen = sa.select(*columns).join_from(LABELS, known, known.c.function_id == LABELS.c.function_id)
        chosen = chosen.ext(distinct_on(identifier)).where(self._taken)
        async for row in self._stream(chosen, *order):
            yield PooledCode(*(row[name] for name in names), licence=row["licence"] or None)

    async def labels(self) -> AsyncIterator[PooledLabel]:
        """The label of each pair of these queries and codes, undecided ones and those by others among them."""
        names = list(PooledLabel.__dataclass_fields__)
        chosen = sa.select(*(LABELS.c[name] for name in names)).where(self._told)
        async for row in self._stream(chosen, _by_code_point(LABELS.c.query_id), _by_code_point(LABELS.c.pair_id)):
            yield PooledLabel(**row)

    async def same_text(self) -> Mapping[str, str]:
        """For each code whose text and language another one has too, what `identities.code_id` makes of them."""
        # As in `same_texts`: what cannot be the same is left to the database, and the comparison is not.
        bare = sa.func.md5(sa.func.translate(LABELS.c.code, CODE_SPACE, ""))
        several = sa.func.count(LABELS.c.function_id.distinct()) > 1
        texts = sa.select(LABELS.c.language, bare).where(self._taken).group_by(LABELS.c.language, bare).having(several)
        alike = sa.tuple_(LABELS.c.language, bare).in_(texts.correlate(None))
        identifier = _by_code_point(LABELS.c.function_id)
        chosen = sa.select(LABELS.c.function_id, LABELS.c.code, LABELS.c.language).ext(distinct_on(identifier))
        found: dict[str, str] = {}
        async for row in self._stream(chosen.where(self._taken, alike), identifier):
            found[row["function_id"]] = code_id(row["code"], row["language"])
        ids = Counter(found.values())
        return {function_id: text for function_id, text in found.items() if ids[text] > 1}

    async def _stream(self, chosen: Any, *order: Any) -> AsyncIterator[dict[str, Any]]:
        statement = chosen.order_by(*order)
        found = await self._session.stream(statement.execution_options(yield_per=_CHUNK))
        async for row in found.mappings():
            yield dict(row)


def _taken(selection: Selection) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    """Which labels a selection takes, which ones there are of their queries and codes, and of which it chooses."""
    offered = [CURRENT, LABELS.c.on_demand.is_(False)]
    if selection.languages:
        offered.append(LABELS.c.language.in_(selection.languages))
    if selection.licences:
        # A code's licence is the one that any of its rows knows, see `codes`.
        codes = sa.select(LABELS.c.function_id).where(*offered).group_by(LABELS.c.function_id)
        under = codes.having(_known_licence().in_(selection.licences))
        offered.append(LABELS.c.function_id.in_(under.correlate(None)))
    every = sa.and_(*offered)
    if not selection.decided_by:
        return every, every, every
    taken = sa.and_(every, LABELS.c.decided_by.in_(selection.decided_by))
    both = [column.in_(sa.select(column).where(taken).correlate(None)) for column in _ENDS]
    return taken, sa.and_(every, *both), every


def _known_licence() -> sa.ColumnElement[Any]:
    """The licence that any of a code's rows knows; empty where two know another one: whose word holds, nobody knows."""
    known = sa.func.nullif(LABELS.c.licence, "")
    return sa.case((sa.func.count(known.distinct()) > 1, ""), else_=sa.func.max(_by_code_point(LABELS.c.licence)))


def _by_code_point(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    """Databases differ in how they sort texts; releases must not."""
    return column.collate("C")
