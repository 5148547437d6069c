"""The index in PostgreSQL with pgvector."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.dialects.postgresql import TSVECTOR, insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from retriever.adapters.pg_few import FewCodes
from retriever.adapters.pg_near import GRAPH_FROM, MOST_GRAPH_DIMENSIONS, PgNear, graph_name, graph_statement, received
from retriever.adapters.pg_rows import columns_of, conditions
from retriever.adapters.pg_text import PgText, tsvector
from retriever.adapters.records import code_of_record
from retriever.adapters.tables import code_vectors, codes, index_writes
from retriever.domain.code import Hit, IndexCounts, IndexEntry, Listed, SearchFilter, Vectors, content_digest
from retriever.domain.ensemble import Near
from retriever.domain.exact import TWINS, needed_literal
from retriever.domain.scoring import DIGITS, weight_of
from retriever.domain.text import WORDS_FORM, words_of
from retriever.domain.versions import Placed, Reading, superseded_ids
from retriever.ports import NO_READINGS
from touchstone_runtime.database import Database
from touchstone_runtime.reading import written

_ROWS = 500
_LEAST_GRAPH_CANDIDATES = 100
# Any number that no other lock uses: writers take turns, so that each sees all versions of a lineage.
_WRITERS_LOCK = 61_042_117
# Of several replicas one makes graphs.
_GRAPHS_LOCK = 61_042_120
# While a graph is made, by the server.
_MOST_GRAPH_MEGABYTES = 2048
_IDS = sa.any_(sa.bindparam("ids", None, type_=sa.ARRAY(sa.Text)))
_CODES = written(sa.select(codes.c.function_id, codes.c.record, codes.c.superseded).where(codes.c.function_id == _IDS))
_ALL_VECTORS = sa.select(
    code_vectors.c.function_id,
    code_vectors.c.model,
    sa.func.vector_send(code_vectors.c.embedding, type_=sa.LargeBinary),
).where(code_vectors.c.function_id == _IDS)
_OF_SPACES = code_vectors.c.model == sa.any_(sa.bindparam("keys", None, type_=sa.ARRAY(sa.Text)))
_EVERY_VECTOR, _VECTORS = written(_ALL_VECTORS), written(_ALL_VECTORS.where(_OF_SPACES))
_PLACE = (codes.c.repository_key, codes.c.path, codes.c.qualname, codes.c.function_id)


class PgvectorIndex:
    """Implements `CodeIndex`.

    Args:
        database: The retriever's own schema.
        search: "exact" compares with everything that the filter admits. "hnsw" takes the nearest of each space from a
            graph and measures their union exactly. "auto" does so for spaces that are large, once `tend` has made
            their graphs; few codes that a filter leaves are compared one by one.
        graph_from: Vectors from which a space counts as large.
    """

    def __init__(
        self, database: Database, *, search: Literal["auto", "exact", "hnsw"] = "auto", graph_from: int = GRAPH_FROM
    ) -> None:
        self._database = database
        self._graphs = search == "hnsw"
        self._grows = search == "auto"
        self._graph_from = graph_from
        self._with_graph: set[tuple[str, int]] = set()
        self._near_codes = PgNear(database)
        self._few = FewCodes(self._near_codes.reader)
        self._text = PgText(self._near_codes.reader)

    async def upsert(self, entries: Sequence[IndexEntry], readings: Mapping[str, Reading] = NO_READINGS) -> None:
        """Take in or replace codes by id, and note which codes are superseded now."""
        async with self._database.session() as session:
            await _take_turn(session)
            for start in range(0, len(entries), _ROWS):
                chunk = sorted(entries[start : start + _ROWS], key=lambda entry: entry.code.function_id)
                await self._write(session, chunk)
                of_lineages = sa.tuple_(codes.c.source_id, codes.c.path, codes.c.qualname).in_(
                    sorted({entry.code.lineage for entry in chunk})
                )
                await _mark_superseded(session, of_lineages, readings)
        self._text.forget()
        if self._graphs:
            await self._build_graphs({(model, len(row)) for entry in entries for model, row in entry.vectors.items()})

    async def settle(self, source_id: str, reading: Reading) -> int:
        """A source was read: note which of its codes are superseded now; gives how many changed."""
        async with self._database.session() as session:
            await _take_turn(session)
            return await _mark_superseded(session, codes.c.source_id == source_id, {source_id: reading})

    async def search(self, query: Vectors, weights: Mapping[str, float], chosen: SearchFilter, limit: int) -> list[Hit]:
        """The nearest codes by weighted mean cosine, best first, equal scores by id."""
        used = {model: vector for model, vector in query.items() if weight_of(model, weights) > 0}
        if not used or limit < 1 or not chosen.forms:
            return []
        among = await self._holding(chosen)
        admitted = _admitted(chosen, among)
        graphs = self._graphs_of(used)
        # Where a filter leaves few codes, a graph would be walked to its end.
        if graphs and not await self._near_codes.few(chosen, among):
            # The nearest of every space are candidates; only the mean of several says which are best.
            depth = max(2 * limit, _LEAST_GRAPH_CANDIDATES)
            near = await self._near_codes.cosines(used, chosen, among, depth, graphs, ())
            admitted = sa.and_(admitted, _among(frozenset().union(*near.values())))
        async with self._database.session() as session:
            # Compiling a plan takes longer than running it.
            await session.execute(sa.text("SET LOCAL jit = off"))
            rows = await session.execute(_scored(used, weights, admitted, limit))
            return [Hit(code_of_record(row.record), float(row.score), row.superseded) for row in rows]

    async def near(self, query: Vectors, asked: Sequence[str], chosen: SearchFilter, depth: int) -> Near:
        """The candidates of a question."""
        if not chosen.forms or depth < 1:
            return Near(frozenset(), {})
        among = await self._holding(chosen)
        text = await self._text.best(asked, _admitted(chosen, among), depth) if asked else {}
        if not query:
            return Near(frozenset(text), text)
        graphs = self._graphs_of(query)
        few = bool(graphs) and await self._near_codes.few(chosen, among)
        cosines = await self._few.cosines(query, chosen, depth, text) if few and among is None else None
        if cosines is None:
            graphs = set() if few else graphs
            cosines = await self._near_codes.cosines(query, chosen, among, depth, graphs, text)
        return Near(frozenset(text).union(*cosines.values()), text, cosines)

    def _graphs_of(self, query: Vectors) -> set[tuple[str, int]]:
        return self._with_graph & {(key, len(row)) for key, row in query.items()}

    async def _holding(self, chosen: SearchFilter) -> list[str] | None:
        """Ids of what a pattern admits, matched here, so that it means the same at every store; None without one."""
        if not chosen.pattern:
            return None
        wanted = conditions(chosen)
        if literal := needed_literal(chosen.pattern):
            # Such a run stands in the record as it stands in the code.
            wanted.append(codes.c.record.contains(literal, autoescape=True))
        query = sa.select(codes.c.function_id, codes.c.record).where(*wanted)
        found: list[str] = []
        async with self._database.session() as session:
            rows = await session.stream(query.execution_options(yield_per=_ROWS))
            async for part in rows.partitions():
                found += await asyncio.to_thread(_holding, [tuple(row) for row in part], chosen)
        return found

    async def select(self, chosen: SearchFilter, most: int) -> list[Listed]:
        """What a filter admits, by place."""
        query = sa.select(*_PLACE, codes.c.twin).where(_admitted(chosen, await self._holding(chosen)))
        async with self._database.session() as session:
            rows = await session.execute(query.order_by(*(sa.collate(column, "C") for column in _PLACE)).limit(most))
            return [_listed(row) for row in rows]

    async def listed(self, function_ids: Collection[str]) -> dict[str, Listed]:
        """Place and twin of codes by id."""
        async with self._database.session() as session:
            rows = await session.execute(sa.select(*_PLACE, codes.c.twin).where(_among(function_ids)))
            return {row[3]: _listed(row) for row in rows}

    async def codes(self, function_ids: Collection[str]) -> dict[str, Hit]:
        """Codes by id."""
        if not function_ids:
            return {}
        rows = await self._near_codes.reader.rows(_CODES, {"ids": sorted(function_ids)})
        return {row[0]: Hit(code_of_record(row[1]), 0.0, row[2]) for row in rows}

    async def ids(self, after: str, most: int) -> list[str]:
        """Ids of codes, in the database's order."""
        query = sa.select(codes.c.function_id).where(codes.c.function_id > after).order_by(codes.c.function_id)
        async with self._database.session() as session:
            return list((await session.execute(query.limit(most))).scalars())

    async def vectors(self, function_ids: Collection[str], keys: Collection[str] | None) -> dict[str, Vectors]:
        """Vectors of codes by id, of these spaces or of all."""
        # Decoded beside the event loop, which hundreds of vectors would hold up.
        which, named = (_EVERY_VECTOR, {}) if keys is None else (_VECTORS, {"keys": sorted(keys)})
        rows = await self._near_codes.reader.rows(which, {"ids": sorted(function_ids), **named})
        return await asyncio.to_thread(_by_code, rows)

    async def fill_in(self) -> int:
        """Make anew what codes of an earlier release lack, words and digests, once along the ids.

        Returns:
            How many.
        """
        done, after = 0, ""
        while True:
            query = sa.select(codes.c.function_id, codes.c.record, codes.c.words_form)
            query = (
                query.where(codes.c.function_id > after)
                .where(sa.or_(codes.c.words_form != WORDS_FORM, codes.c.digest == 0, ~codes.c.twin.startswith(TWINS)))
                .order_by(codes.c.function_id)
                .limit(_ROWS)
            )
            async with self._database.session() as session:
                rows = [tuple(row) for row in await session.execute(query)]
                lacked = await asyncio.to_thread(_lacked_by, rows)
                for (function_id, record, _form), made in zip(rows, lacked, strict=True):
                    # What somebody wrote meanwhile lacks nothing.
                    same = sa.and_(codes.c.function_id == function_id, codes.c.record == record)
                    await session.execute(sa.update(codes).where(same).values(made))
            if not rows:
                self._text.forget()
                return done
            done, after = done + len(rows), rows[-1][0]

    async def counts(self) -> IndexCounts:
        """How much the index holds."""
        query = sa.select(sa.func.count(), sa.func.count().filter(codes.c.superseded)).select_from(codes)
        async with self._database.session() as session:
            indexed, superseded = (await session.execute(query)).one()
        return IndexCounts(int(indexed), int(superseded))

    async def digest(self, keys: Collection[str]) -> str:
        """Names the codes that it holds, and which of them lack a vector of these spaces."""
        of_all = sa.select(sa.func.coalesce(sa.func.sum(codes.c.digest), 0))
        # In one statement, which sees one state of the index.
        sums = [of_all, *(of_all.where(_lacks([key])) for key in sorted(keys))]
        async with self._database.session() as session:
            row = (await session.execute(sa.select(*(one.scalar_subquery() for one in sums)))).one()
        return content_digest(int(row[0]), {key: int(of) for key, of in zip(sorted(keys), row[1:], strict=True)})

    async def spaces(self) -> set[str]:
        """Keys of the spaces that the index has vectors of."""
        # One step along the index for each key, instead of a walk over all vectors.
        first = sa.select(sa.func.min(code_vectors.c.model).label("model")).cte("held", recursive=True)
        following = sa.select(sa.func.min(code_vectors.c.model)).where(code_vectors.c.model > first.c.model)
        held = first.union_all(sa.select(following.scalar_subquery()).where(first.c.model.is_not(None)))
        async with self._database.session() as session:
            rows = await session.execute(sa.select(held.c.model).where(held.c.model.is_not(None)))
            return set(rows.scalars())

    async def lacking(self, keys: Collection[str]) -> int:
        """How many codes lack a vector of at least one of these spaces."""
        query = sa.select(sa.func.count()).select_from(codes).where(_lacks(keys))
        async with self._database.session() as session:
            return int((await session.execute(query)).scalar_one())

    async def ids_lacking(self, keys: Collection[str], after: str, most: int) -> list[str]:
        """Ids of these codes, in the database's order."""
        query = sa.select(codes.c.function_id).where(codes.c.function_id > after, _lacks(keys))
        async with self._database.session() as session:
            return list((await session.execute(query.order_by(codes.c.function_id).limit(most))).scalars())

    async def forget(self, keys: Collection[str]) -> int:
        """Let go of all vectors of these spaces; gives how many codes had any."""
        among = code_vectors.c.model.in_(sorted(keys))
        query = sa.select(sa.func.count(sa.distinct(code_vectors.c.function_id)))
        async with self._database.session() as session:
            await _take_turn(session)
            count = (await session.execute(query.where(among))).scalar_one()
            of_graphs = sa.select(code_vectors.c.model, code_vectors.c.dimensions).distinct().where(among)
            connection = await session.connection()
            for row in (await session.execute(of_graphs)).all():
                await connection.exec_driver_sql(f'DROP INDEX IF EXISTS "{graph_name(row.model, row.dimensions)}"')
                self._with_graph = self._with_graph - {(row.model, row.dimensions)}
            await session.execute(sa.delete(code_vectors).where(among))
        return int(count)

    async def ready(self) -> str:
        """The service asks its database by itself."""
        return ""

    async def close(self) -> None:
        """Let go of the connections for reading; the database is closed by who opened it."""
        await self._near_codes.close()

    async def _write(self, session: AsyncSession, entries: Sequence[IndexEntry]) -> None:
        new = insert(codes).values(
            [
                {
                    name: sa.cast(value, TSVECTOR) if name == "words" else value
                    for name, value in columns_of(entry.code).items()
                }
                for entry in entries
            ]
        )
        kept = [column.name for column in codes.c if column.name not in ("function_id", "superseded")]
        await session.execute(
            new.on_conflict_do_update(index_elements=["function_id"], set_={name: new.excluded[name] for name in kept})
        )
        if not any(entry.vectors for entry in entries):
            return
        fresh = insert(code_vectors).values(
            [
                {"function_id": entry.code.function_id, "model": model, "dimensions": len(row), "embedding": row}
                for entry in entries
                for model, row in sorted(entry.vectors.items())
            ]
        )
        await session.execute(
            fresh.on_conflict_do_update(
                index_elements=["function_id", "model"],
                set_={"dimensions": fresh.excluded.dimensions, "embedding": fresh.excluded.embedding},
                # A replay changes nothing, and so leaves no dead rows in the graph.
                where=code_vectors.c.embedding.is_distinct_from(fresh.excluded.embedding),
            )
        )

    async def tend(self) -> None:
        """Make the graphs of spaces that have grown large, beside whoever writes."""
        if not self._grows:
            return
        of_spaces = sa.select(code_vectors.c.model, code_vectors.c.dimensions, sa.func.count()).group_by(
            code_vectors.c.model, code_vectors.c.dimensions
        )
        async with self._database.session() as session:
            large = {
                (row[0], row[1])
                for row in await session.execute(of_spaces)
                if row[2] >= self._graph_from and row[1] <= MOST_GRAPH_DIMENSIONS
            }
        if not large - self._with_graph:
            return
        # Beside whoever writes an index is made outside of transactions.
        async with self._database.engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            for key, dimensions in sorted(large - self._with_graph):
                turn = sa.select(sa.func.pg_try_advisory_lock(_GRAPHS_LOCK))
                if not (await connection.execute(turn)).scalar_one():
                    return
                try:
                    # What was begun and broken off stays as an invalid one.
                    if await _is_invalid(connection, graph_name(key, dimensions)):
                        await connection.exec_driver_sql(f'DROP INDEX "{graph_name(key, dimensions)}"')
                    await _make_graph(connection, key, dimensions)
                finally:
                    await connection.execute(sa.select(sa.func.pg_advisory_unlock(_GRAPHS_LOCK)))
                self._with_graph = self._with_graph | {(key, dimensions)}

    async def _build_graphs(self, of_spaces: set[tuple[str, int]]) -> None:
        for key, dimensions in sorted(of_spaces - self._with_graph):
            if dimensions <= MOST_GRAPH_DIMENSIONS:
                async with self._database.session() as session:
                    await session.execute(sa.select(sa.func.pg_advisory_xact_lock(_WRITERS_LOCK)))
                    connection = await session.connection()
                    await connection.exec_driver_sql(graph_statement(key, dimensions, beside=False))
                self._with_graph = self._with_graph | {(key, dimensions)}


async def _take_turn(session: AsyncSession) -> None:
    """Wait for the writers before, and count this one: what replicas keep in memory is old once it has committed."""
    await session.execute(sa.select(sa.func.pg_advisory_xact_lock(_WRITERS_LOCK)))
    await session.execute(sa.update(index_writes).values(writes=index_writes.c.writes + 1))


async def _make_graph(connection: AsyncConnection, key: str, dimensions: int) -> None:
    """Make a graph; in memory and by several workers where the server has the room, which is many times faster."""
    held = sa.select(sa.func.count()).where(code_vectors.c.model == key, code_vectors.c.dimensions == dimensions)
    count = int((await connection.execute(held)).scalar_one())
    # Half precision, and about 16 neighbours of each on 1.1 layers.
    wanted = min(max(count * (2 * dimensions + 500) // 2**20 + 64, 64), _MOST_GRAPH_MEGABYTES)
    await connection.exec_driver_sql(f"SET maintenance_work_mem = '{wanted}MB'")
    try:
        await connection.exec_driver_sql(graph_statement(key, dimensions, beside=True))
    except DBAPIError as error:
        # Workers share their memory through /dev/shm, which a container may have little of.
        if "shared memory" not in str(error):
            raise
        await connection.exec_driver_sql(f'DROP INDEX IF EXISTS "{graph_name(key, dimensions)}"')
        await connection.exec_driver_sql("SET max_parallel_maintenance_workers = 0")
        await connection.exec_driver_sql(graph_statement(key, dimensions, beside=True))
        await connection.exec_driver_sql("RESET max_parallel_maintenance_workers")
    await connection.exec_driver_sql("RESET maintenance_work_mem")


async def _is_invalid(connection: AsyncConnection, name: str) -> bool:
    query = sa.text("SELECT NOT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)")
    return bool((await connection.execute(query, {"name": f'"{name}"'})).scalar())


def _scored(
    query: Vectors, weights: Mapping[str, float], admitted: sa.ColumnElement[bool], limit: int
) -> sa.Select[Any, Any, Any]:
    parts = [
        sa.select(
            code_vectors.c.function_id,
            # The product of vectors of length one is their cosine; the operator gives its negative.
            (
                code_vectors.c.embedding.max_inner_product(vector) * sa.literal(-weight_of(model, weights), sa.Double)
            ).label("part"),
            sa.literal(weight_of(model, weights), sa.Double).label("weight"),
        )
        .join(codes, codes.c.function_id == code_vectors.c.function_id)
        .where(code_vectors.c.model == model, code_vectors.c.dimensions == len(vector), admitted)
        for model, vector in sorted(query.items())
    ]
    all_parts = sa.union_all(*parts).subquery()
    mean = sa.cast(sa.func.sum(all_parts.c.part) / sa.func.sum(all_parts.c.weight), sa.Numeric)
    best = (
        sa.select(all_parts.c.function_id, sa.func.round(mean, DIGITS).label("score"))
        .group_by(all_parts.c.function_id)
        .order_by(sa.desc("score"), sa.collate(all_parts.c.function_id, "C"))
        .limit(limit)
        .subquery()
    )
    return (
        sa.select(codes.c.record, codes.c.superseded, best.c.score)
        .join(best, best.c.function_id == codes.c.function_id)
        .order_by(best.c.score.desc(), sa.collate(codes.c.function_id, "C"))
    )


def _lacks(keys: Collection[str]) -> sa.ColumnElement[bool]:
    """Whether a code lacks a vector of at least one of these spaces."""
    there = [
        sa.exists().where(code_vectors.c.function_id == codes.c.function_id, code_vectors.c.model == key)
        for key in sorted(keys)
    ]
    return sa.not_(sa.and_(sa.true(), *there))


def _listed(row: Any) -> Listed:
    return Listed(row[3], (row[0], row[1], row[2], row[3]), row[4])


def _among(function_ids: Collection[str]) -> sa.ColumnElement[bool]:
    # One parameter: a statement takes 32,767 of them.
    return codes.c.function_id == sa.any_(sa.literal(sorted(function_ids), sa.ARRAY(sa.Text)))


def _admitted(chosen: SearchFilter, among: Collection[str] | None) -> sa.ColumnElement[bool]:
    """What the filter admits; of ids that its pattern does, where it has one."""
    return sa.and_(*conditions(chosen), *([] if among is None else [_among(among)]))


def _holding(rows: Sequence[tuple[str, str]], chosen: SearchFilter) -> list[str]:
    return [function_id for function_id, record in rows if chosen.admits_text(code_of_record(record))]


async def _mark_superseded(
    session: AsyncSession, among: sa.ColumnElement[bool], readings: Mapping[str, Reading]
) -> int:
    """Mark the codes among these, whole lineages all of them, that stand no more; gives how many changed."""
    columns = [
        getattr(codes.c, name)
        for name in ("function_id", "source_id", "path", "qualname", "source_version_id", "version_key", "superseded")
    ]
    rows = (await session.execute(sa.select(*columns).where(among))).all()
    gone = superseded_ids(
        (
            Placed(row.function_id, (row.source_id, row.path, row.qualname), row.source_version_id, row.version_key)
            for row in rows
        ),
        readings,
    )
    changed = sorted(row.function_id for row in rows if row.superseded != (row.function_id in gone))
    for start in range(0, len(changed), _ROWS):
        await session.execute(
            sa.update(codes)
            .where(codes.c.function_id.in_(changed[start : start + _ROWS]))
            .values(superseded=sa.not_(codes.c.superseded))
            .execution_options(synchronize_session=False)
        )
    return len(changed)


def _lacked_by(rows: Sequence[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """What each code of an earlier release lacks; words of this form stay, as indexing them again takes long."""
    found: list[dict[str, Any]] = []
    for _function_id, record, words_form in rows:
        code = code_of_record(record)
        lacked: dict[str, Any] = {"twin": code.twin, "digest": code.digest}
        if words_form != WORDS_FORM:
            words = words_of(code)
            made = {"words": sa.cast(tsvector(words), TSVECTOR), "length": words.total()}
            lacked |= made | {"words_form": WORDS_FORM}
        found.append(lacked)
    return found


def _by_code(rows: Sequence[Any]) -> dict[str, Vectors]:
    found: dict[str, dict[str, NDArray[np.float32]]] = {}
    for function_id, model, sent in rows:
        found.setdefault(function_id, {})[model] = received(sent)
    return dict(found)
