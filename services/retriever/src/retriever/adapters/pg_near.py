"""The nearest codes of a question in PostgreSQL: one statement, by graph or by comparing, with the cosines of all."""

from __future__ import annotations

import hashlib
import struct
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from pgvector.sqlalchemy import HALFVEC, Vector

from retriever.adapters.pg_rows import conditions
from retriever.adapters.tables import code_vectors, codes
from retriever.domain.code import SearchFilter, Vectors
from retriever.domain.scoring import DIGITS
from touchstone_runtime.database import Database
from touchstone_runtime.reading import Reader, Statement, written

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
        # Compiling a plan takes longer than running it.
        self.reader = Reader(
            database,
            {
                "jit": "off",
                "hnsw.iterative_scan": "strict_order",
                "hnsw.ef_search": "100",
                "hnsw.max_scan_tuples": "20000",
            },
            ready=_take_vectors,
        )
        self._admitted: OrderedDict[SearchFilter, tuple[float, bool]] = OrderedDict()
        self._written: OrderedDict[tuple[object, ...], Statement] = OrderedDict()

    def statement(self, key: tuple[object, ...], made: Callable[[], sa.ClauseElement]) -> Statement:
        """A statement written out; the same for the same key, which is not asked for anew."""
        known = self._written.get(key)
        if known is None:
            known = self._written[key] = written(made())
            while len(self._written) > _REMEMBERED:
                self._written.popitem(last=False)
        self._written.move_to_end(key)
        return known

    async def few(self, chosen: SearchFilter, among: Collection[str] | None) -> bool:
        """Whether a filter admits so few codes that they are compared one by one.

        Args:
            chosen: The filter.
            among: Ids that its pattern admits, where it has one.
        """
        if among is not None:
            return len(among) <= _MOST_COMPARED
        if chosen == replace(SearchFilter(), forms=chosen.forms, superseded=chosen.superseded):
            return False
        now = time.monotonic()
        until, known = self._admitted.get(chosen, (0.0, False))
        if now > until:
            some = sa.select(sa.literal(1)).select_from(codes).where(*conditions(chosen)).limit(_MOST_COMPARED + 1)
            count = sa.select(sa.func.count()).select_from(some.subquery())
            [row] = await self.reader.rows(self.statement(("few", chosen), lambda: count))
            known = int(row[0]) <= _MOST_COMPARED
            self._admitted[chosen] = (now + _REMEMBERED_S, known)
            while len(self._admitted) > _REMEMBERED:
                self._admitted.popitem(last=False)
        return known

    async def cosines(
        self,
        query: Vectors,
        chosen: SearchFilter,
        among: Collection[str] | None,
        depth: int,
        graphs: Collection[tuple[str, int]],
        more: Collection[str],
    ) -> dict[str, dict[str, float]]:
        """By space the cosines of all candidates: the nearest of each space, and some more codes.

        Args:
            query: Vectors of the question.
            chosen: What may be found.
            among: Ids that its pattern admits, where it has one.
            depth: How many of each space.
            graphs: Spaces that have a graph which may be asked, with their dimensions.
            more: Ids of other candidates.
        """
        spaces = [(key, len(query[key])) for key in sorted(query)]
        walked = [space in graphs for space in spaces]
        statement = self.statement(
            (*spaces, *walked, replace(chosen, pattern=""), among is None, depth),
            lambda: _measured(spaces, walked, _admitted(chosen, among), depth),
        )
        values: dict[str, Any] = {"more": sorted(more), "among": sorted(among or ())}
        for place, (key, _dimensions) in enumerate(spaces):
            values[f"asked_{place}"] = values[f"half_{place}"] = query[key]
        found: dict[str, dict[str, float]] = {key: {} for key in query}
        for row in await self.reader.rows(statement, values):
            for place, (key, _dimensions) in enumerate(spaces):
                if row[place + 1] is not None:
                    found[key][row[0]] = round(float(row[place + 1]), DIGITS)
        return found

    async def close(self) -> None:
        """Let go of connections."""
        await self.reader.close()


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


def _admitted(chosen: SearchFilter, among: Collection[str] | None) -> sa.ColumnElement[bool]:
    if among is None:
        return sa.and_(*conditions(chosen))
    ids = sa.bindparam("among", None, type_=sa.ARRAY(sa.Text))
    return sa.and_(*conditions(chosen), codes.c.function_id == sa.any_(ids))


def _measured(
    spaces: Sequence[tuple[str, int]], walked: Sequence[bool], admitted: sa.ColumnElement[bool], depth: int
) -> sa.Select[*tuple[Any, ...]]:
    """One row for each candidate, with its cosine in each space."""
    nearest = [
        _nearest(place, key, dimensions, admitted, depth, graph=graph).cte(f"near_{place}")
        for place, ((key, dimensions), graph) in enumerate(zip(spaces, walked, strict=True))
    ]
    more = sa.func.unnest(sa.bindparam("more", None, type_=sa.ARRAY(sa.Text)))
    candidates = sa.union(*(sa.select(one.c.function_id) for one in nearest), sa.select(more)).subquery("candidates")
    candidate: Any = next(iter(candidates.c))
    joined: sa.FromClause = candidates
    for one in nearest:
        joined = joined.outerjoin(one, one.c.function_id == candidate)
    # What was found by a space was measured there; the others' vectors are looked up.
    cosines = [
        sa.func.coalesce(one.c.cosine, _cosine_of(candidate, place, *spaces[place])).label(f"cosine_{place}")
        for place, one in enumerate(nearest)
    ]
    return sa.select(candidate, *cosines).select_from(joined)


def _of_space(key: str, dimensions: int) -> sa.ColumnElement[bool]:
    # As they stand in a graph's own condition, so that it is seen to hold them.
    return sa.and_(
        code_vectors.c.model == sa.literal(key, sa.Text, literal_execute=True),
        code_vectors.c.dimensions == sa.literal(dimensions, sa.Integer, literal_execute=True),
    )


def _cosine_of(candidate: Any, place: int, key: str, dimensions: int) -> sa.ScalarSelect[Any]:
    asked = sa.bindparam(f"asked_{place}", None, type_=Vector(dimensions))
    # The product of vectors of length one is their cosine; the operator gives its negative.
    product = -code_vectors.c.embedding.max_inner_product(asked)
    return (
        sa.select(product).where(code_vectors.c.function_id == candidate, _of_space(key, dimensions)).scalar_subquery()
    )


def _nearest(
    place: int, key: str, dimensions: int, admitted: sa.ColumnElement[bool], depth: int, *, graph: bool
) -> sa.Select[Any, Any]:
    product = code_vectors.c.embedding.max_inner_product(
        sa.bindparam(f"asked_{place}", None, type_=Vector(dimensions))
    ).label("product")
    # A graph is asked by the very expression that it was made of; its order stands alone, as a second key would sort
    # everything. Half precision finds, the cosines are measured in full.
    order: tuple[Any, ...] = (product, sa.collate(code_vectors.c.function_id, "C"))
    if graph:
        halved: Any = sa.cast(code_vectors.c.embedding, HALFVEC(dimensions))
        order = (halved.max_inner_product(sa.bindparam(f"half_{place}", None, type_=HALFVEC(dimensions))),)
    nearest = (
        sa.select(code_vectors.c.function_id, product)
        .join(codes, codes.c.function_id == code_vectors.c.function_id)
        .where(_of_space(key, dimensions), admitted)
        .order_by(*order)
        .limit(sa.literal(depth, sa.Integer, literal_execute=True))
        .subquery()
    )
    return sa.select(nearest.c.function_id, (-nearest.c.product).label("cosine"))


async def _take_vectors(connection: Any) -> None:
    """Let a connection take and give vectors as they lie in memory; as text each takes a millisecond on both sides."""
    for name, kind in (("vector", ">f4"), ("halfvec", ">f2")):
        await connection.set_type_codec(
            name,
            schema="public",
            format="binary",
            encoder=lambda row, kind=kind: struct.pack(">HH", len(row), 0) + row.astype(kind).tobytes(),
            decoder=lambda sent, kind=kind: received(sent, kind),
        )


def received(sent: bytes, kind: str = ">f4") -> NDArray[np.float32]:
    """A vector as pgvector sends it: two 16-bit numbers (length, unused), then big-endian numbers."""
    return np.frombuffer(sent, dtype=kind, offset=4).astype(np.float32)
