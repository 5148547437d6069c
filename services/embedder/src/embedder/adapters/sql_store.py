"""Functions and vectors in PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from embedder.adapters.records import unit_of
from embedder.adapters.tables import functions, vectors, wanted
from embedder.domain.calls import normal_qualname
from embedder.domain.units import CodeUnit, Place
from touchstone_contracts.events import Function
from touchstone_runtime.database import Database

T = TypeVar("T")

# PostgreSQL takes 32,767 parameters a statement; rows here have at most six.
_ROWS = 2000
# Any number that no other lock uses: of several replicas one gives functions the vectors that come later.
_LATER_LOCK = 61_042_122


class SqlFunctionStore:
    """Implements `FunctionStore`.

    Rows are written in the order of their keys: two replicas that write the same rows then never deadlock.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, units: Mapping[CodeUnit, tuple[str, ...]]) -> None:
        """Keep units with the qualified names that they want inlined; committed when this returns."""
        rows = [
            {
                "function_id": unit.function_id,
                "source_version_id": unit.source_version_id,
                "path": unit.path,
                "qualname": normal_qualname(unit.qualname),
                "record": unit.record,
            }
            for unit in sorted(units, key=lambda unit: unit.function_id)
        ]
        wants = sorted(
            (
                {
                    "function_id": unit.function_id,
                    "source_version_id": unit.source_version_id,
                    "path": unit.path,
                    "qualname": qualname,
                }
                for unit, qualnames in units.items()
                for qualname in qualnames
            ),
            key=lambda row: (row["function_id"], row["qualname"]),
        )
        async with self._database.session() as session:
            for chunk in _chunks(rows):
                new = insert(functions).values(chunk)
                await session.execute(
                    new.on_conflict_do_update(
                        index_elements=["function_id"],
                        set_={name: new.excluded[name] for name in ("source_version_id", "path", "qualname", "record")},
                    )
                )
            for chunk in _chunks(wants):
                await session.execute(insert(wanted).values(chunk).on_conflict_do_nothing())

    async def callers_of(self, units: Collection[CodeUnit]) -> list[CodeUnit]:
        """Units that want one of these inlined, the given ones left out, by id."""
        places = [(unit.source_version_id, unit.path, normal_qualname(unit.qualname)) for unit in units]
        given = {unit.function_id for unit in units}
        found: dict[str, CodeUnit] = {}
        async with self._database.session() as session:
            for chunk in _chunks(places):
                matching = sa.select(wanted.c.function_id).where(
                    sa.tuple_(wanted.c.source_version_id, wanted.c.path, wanted.c.qualname).in_(chunk)
                )
                query = sa.select(functions.c.function_id, functions.c.record).where(
                    functions.c.function_id.in_(matching)
                )
                for function_id, record in await session.execute(query):
                    if function_id not in given:
                        found[function_id] = _unit(record)
        return [found[function_id] for function_id in sorted(found)]

    async def code_at(self, places: Collection[Place]) -> dict[Place, str]:
        """Code of the units that stand at these places; of several at one place the first by line."""
        found: dict[Place, tuple[int, str, str]] = {}
        async with self._database.session() as session:
            for chunk in _chunks(sorted((place.source_version_id, place.path, place.qualname) for place in places)):
                query = sa.select(functions).where(
                    sa.tuple_(functions.c.source_version_id, functions.c.path, functions.c.qualname).in_(chunk)
                )
                for row in await session.execute(query):
                    place = Place(row.source_version_id, row.path, row.qualname)
                    function = Function.model_validate_json(row.record)
                    candidate = (function.line_start, function.function_id, function.code)
                    found[place] = min(found.get(place, candidate), candidate)
        return {place: code for place, (_line, _id, code) in found.items()}

    async def embedded_with(self, function_ids: Collection[str]) -> dict[str, str]:
        """The state under which each was last marked embedded; those never embedded are missing."""
        states: dict[str, str] = {}
        async with self._database.session() as session:
            for chunk in _chunks(sorted(function_ids)):
                query = sa.select(functions.c.function_id, functions.c.state).where(
                    functions.c.function_id.in_(chunk), functions.c.state != ""
                )
                states.update((row.function_id, row.state) for row in await session.execute(query))
        return states

    async def mark_embedded(self, states: Mapping[str, str]) -> None:
        """Note the state under which units were embedded."""
        async with self._database.session() as session:
            for chunk in _chunks(sorted(states.items())):
                given = sa.values(sa.column("function_id", sa.Text), sa.column("state", sa.Text), name="given").data(
                    chunk
                )
                await session.execute(
                    sa.update(functions)
                    .where(functions.c.function_id == given.c.function_id)
                    .values(state=given.c.state)
                    .execution_options(synchronize_session=False)
                )

    async def not_embedded_by(self, keys: Collection[str], after: str, limit: int) -> list[CodeUnit]:
        """Units embedded once, whose last state begins with none of these keys, by id, behind the id `after`."""
        query = (
            sa.select(functions.c.record)
            .where(functions.c.function_id > after, functions.c.state != "", *(sa.not_(_under(key)) for key in keys))
            .order_by(functions.c.function_id)
            .limit(limit)
        )
        async with self._database.session() as session:
            return [_unit(record) for (record,) in await session.execute(query)]

    async def embedded_by(self, key: str) -> tuple[int, int]:
        """How many units were last embedded under this key, and how many under any."""
        query = sa.select(sa.func.count().filter(_under(key)), sa.func.count()).where(functions.c.state != "")
        async with self._database.session() as session:
            done, embedded = (await session.execute(query)).one()
        return int(done), int(embedded)

    def turn(self) -> AbstractAsyncContextManager[bool]:
        """Held by one process at a time; gives whether it is this one. A process that ends gives it back."""
        return self._database.turn(_LATER_LOCK)

    async def vectors(self, identity: str, digests: Collection[str]) -> dict[str, bytes]:
        """Vectors that a model computed earlier, by digest of the text."""
        kept: dict[str, bytes] = {}
        async with self._database.session() as session:
            for chunk in _chunks(sorted(digests)):
                query = sa.select(vectors.c.digest, vectors.c.data).where(
                    vectors.c.identity == identity, vectors.c.digest.in_(chunk)
                )
                kept.update((row.digest, row.data) for row in await session.execute(query))
        return kept

    async def identities(self, model: str) -> list[str]:
        """Identities of the models of this name that computed vectors once, in order."""
        # One step along the key for each, instead of a walk over all vectors.
        of_name = vectors.c.identity.startswith(f"{model}:", autoescape=True)
        first = sa.select(sa.func.min(vectors.c.identity).label("identity")).where(of_name)
        held = first.cte("held", recursive=True)
        following = sa.select(sa.func.min(vectors.c.identity)).where(of_name, vectors.c.identity > held.c.identity)
        held = held.union_all(sa.select(following.scalar_subquery()).where(held.c.identity.is_not(None)))
        async with self._database.session() as session:
            rows = await session.execute(sa.select(held.c.identity).where(held.c.identity.is_not(None)))
            return sorted(rows.scalars())

    async def save_vectors(self, identity: str, fresh: Mapping[str, bytes]) -> dict[str, bytes]:
        """Keep vectors; where one was kept before, the older one is what counts and is returned."""
        rows = [{"identity": identity, "digest": digest, "data": data} for digest, data in sorted(fresh.items())]
        async with self._database.session() as session:
            for chunk in _chunks(rows):
                await session.execute(insert(vectors).values(chunk).on_conflict_do_nothing())
        return await self.vectors(identity, list(fresh))

    async def counts(self) -> tuple[int, int]:
        """How many units were seen, and how many were embedded."""
        query = sa.select(sa.func.count(), sa.func.count().filter(functions.c.state != ""))
        async with self._database.session() as session:
            seen, embedded = (await session.execute(query.select_from(functions))).one()
        return int(seen), int(embedded)


def _under(key: str) -> sa.ColumnElement[bool]:
    return functions.c.state.startswith(f"{key}:", autoescape=True)


def _unit(record: str) -> CodeUnit:
    return unit_of(Function.model_validate_json(record))


def _chunks(rows: Sequence[T]) -> Iterator[list[T]]:
    for start in range(0, len(rows), _ROWS):
        yield list(rows[start : start + _ROWS])
