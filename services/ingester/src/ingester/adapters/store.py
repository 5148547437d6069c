"""Sources, functions and duplicate keys in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncSession

from ingester.domain.analysis import FoundFunction
from ingester.domain.near_duplicates import THRESHOLD, bands, similarity
from ingester.ports import Extracted, FunnelReason, Source, SourceState
from touchstone_runtime.database import Database
from touchstone_runtime.forms import MADE_FORMS
from touchstone_runtime.source_kinds import Followed

_ROWS = 1000
_TURN = sa.text("SELECT pg_advisory_xact_lock(hashtext('ingester.claim'))")
_META = sa.MetaData()
SOURCES = sa.Table(
    "sources",
    _META,
    sa.Column("source_id", sa.Text, primary_key=True),
    *(
        sa.Column(name, sa.Text)
        for name in ("kind", "name", "revision", "latest_version", "state", "detail", "licence", "rules")
    ),
    *(sa.Column(name, sa.Integer) for name in ("window_days", "functions", "failures", "candidates")),
    sa.Column("released_at", sa.DateTime(timezone=True)),
    sa.Column("next_attempt_at", sa.DateTime(timezone=True)),
    sa.Column("looked_at", sa.DateTime(timezone=True)),
    sa.Column("followed", sa.Boolean),
)
FUNCTIONS = sa.Table(
    "functions",
    _META,
    sa.Column("function_id", sa.Text, primary_key=True),
    *(
        sa.Column(name, sa.Text)
        for name in (
            "source_id",
            "version_id",
            "path",
            "qualname",
            "form",
            "classification",
            "rejected_by",
            "rejection",
        )
    ),
    sa.Column("told", sa.Boolean),
)
KEYS = sa.Table(
    "duplicate_keys",
    _META,
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("function_id", sa.Text),
)
# Newer code of a function goes by the name that an earlier version of it holds.
SUCCESSORS = sa.Table(
    "successors",
    _META,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("function_id", sa.Text, primary_key=True),
)
SKETCHES = sa.Table(
    "sketches", _META, sa.Column("function_id", sa.Text, primary_key=True), sa.Column("signature", ARRAY(sa.BigInteger))
)
BANDS = sa.Table(
    "bands",
    _META,
    sa.Column("band", sa.Text, primary_key=True),
    sa.Column("function_id", sa.Text, primary_key=True),
)


@dataclass(frozen=True)
class _Claimant:
    """A function that claims its name and its tree."""

    function_id: str
    source_id: str
    version_id: str
    found: FoundFunction
    # Of two definitions at one place the first one is the newer code of what stood there.
    again: bool

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        return ("name", self.found.name_key), ("tree", self.found.tree_key)

    def of_other_version(self) -> sa.ColumnElement[bool]:
        """Whether a row of `FUNCTIONS` is the same function in another version of its source."""
        return sa.and_(
            FUNCTIONS.c.source_id == self.source_id,
            FUNCTIONS.c.path == self.found.path,
            FUNCTIONS.c.qualname == self.found.qualname,
            FUNCTIONS.c.version_id != self.version_id,
        )


class SqlStore:
    """The ingester's own tables; see `Store`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, source: Source) -> Source:
        """Add a source, or follow one again that was removed."""
        row = {
            "source_id": source.source_id,
            "kind": source.kind,
            "name": source.name,
            "revision": source.revision,
            "window_days": source.window_days,
            "latest_version": "",
            "state": "waiting",
            "detail": "",
            "licence": "",
            "functions": 0,
            "failures": 0,
            "followed": True,
            "rules": "",
        }
        again = {"followed": True, **({"window_days": source.window_days} if source.window_days else {})}
        async with self._database.session() as session:
            await session.execute(
                insert(SOURCES).values(row).on_conflict_do_update(index_elements=["source_id"], set_=again)
            )
        found = await self.get(source.source_id)
        return found or source

    async def remove(self, source_id: str) -> bool:
        """Stop following."""
        async with self._database.session() as session:
            changed = await session.execute(
                sa.update(SOURCES)
                .where(SOURCES.c.source_id == source_id, SOURCES.c.followed)
                .values(followed=False)
                .returning(SOURCES.c.source_id)
            )
            return changed.first() is not None

    async def get(self, source_id: str) -> Source | None:
        """One followed source."""
        found = await self._select(SOURCES.c.source_id == source_id)
        return found[0] if found else None

    async def sources(self) -> list[Source]:
        """All followed sources."""
        return await self._select(sa.true())

    async def due(self, now: datetime) -> list[Source]:
        """Followed sources whose time has come."""
        return await self._select(SOURCES.c.next_attempt_at <= now)

    async def _select(self, condition: sa.ColumnElement[bool]) -> list[Source]:
        query = sa.select(SOURCES).where(SOURCES.c.followed, condition).order_by(SOURCES.c.kind, SOURCES.c.name)
        async with self._database.session() as session:
            return [_source(row) for row in (await session.execute(query)).mappings()]

    async def postpone(self, source_id: str, next_attempt_at: datetime) -> None:
        """Say when a source is due again."""
        async with self._database.session() as session:
            await session.execute(
                sa.update(SOURCES).where(SOURCES.c.source_id == source_id).values(next_attempt_at=next_attempt_at)
            )

    async def record(self, source: Source, next_attempt_at: datetime) -> None:
        """Write a source's state."""
        async with self._database.session() as session:
            await session.execute(
                sa.update(SOURCES)
                .where(SOURCES.c.source_id == source.source_id)
                .values(
                    latest_version=source.latest_version,
                    state=source.state,
                    detail=source.detail,
                    released_at=source.released_at,
                    licence=source.licence,
                    functions=source.functions,
                    candidates=source.candidates,
                    failures=source.failures,
                    next_attempt_at=next_attempt_at,
                    looked_at=source.looked_at,
                    rules=source.rules,
                )
            )

    async def free_untold(self, source_id: str, version_id: str) -> dict[str, str]:
        """Free the names of functions of other versions that nobody was told of; gives their ids by their trees."""
        async with self._database.session() as session:
            await session.execute(_TURN)
            ids = await self._untold(session, source_id, version_id)
            found: dict[str, str] = {}
            for start in range(0, len(ids), _ROWS):
                some = ids[start : start + _ROWS]
                await self._free(session, some)
                query = sa.select(KEYS.c.key, KEYS.c.function_id)
                rows = await session.execute(query.where(KEYS.c.kind == "tree", KEYS.c.function_id.in_(some)))
                found.update(tuple(row) for row in rows)
            return found

    async def _untold(self, session: AsyncSession, source_id: str, version_id: str) -> list[str]:
        untold = sa.select(FUNCTIONS.c.function_id).where(
            FUNCTIONS.c.source_id == source_id, FUNCTIONS.c.version_id != version_id, sa.not_(FUNCTIONS.c.told)
        )
        return list(await session.scalars(untold))

    async def forget_untold(self, source_id: str, version_id: str) -> None:
        """Forget functions of other versions that nobody was told of, with what they claimed."""
        async with self._database.session() as session:
            await session.execute(_TURN)
            ids = await self._untold(session, source_id, version_id)
            for start in range(0, len(ids), _ROWS):
                some = ids[start : start + _ROWS]
                await session.execute(sa.delete(KEYS).where(KEYS.c.kind == "tree", KEYS.c.function_id.in_(some)))
                await self._free(session, some)
                await session.execute(sa.delete(FUNCTIONS).where(FUNCTIONS.c.function_id.in_(some)))

    async def take(self, source_id: str, version_id: str, functions: Sequence[Extracted]) -> list[Extracted]:
        """Claim names, trees and sketches, one function after the other, and write all; in one transaction."""
        async with self._database.session() as session:
            # Two passes that claim at once would deadlock on each other's keys.
            await session.execute(_TURN)
            taken: list[Extracted] = []
            places: set[tuple[str, str]] = set()
            for item in functions:
                if item.task_candidate:
                    place = (item.found.path, item.found.qualname)
                    one = _Claimant(item.function_id, source_id, version_id, item.found, again=place in places)
                    places.add(place)
                    rejected, words = await self._claim_one(session, one)
                    item = replace(item, rejected_by=rejected, rejection=words)
                taken.append(item)
            await self._save(session, source_id, version_id, taken)
            return taken

    async def told(self, function_ids: Sequence[str]) -> None:
        """Note that others were told."""
        async with self._database.session() as session:
            for start in range(0, len(function_ids), _ROWS):
                some = FUNCTIONS.c.function_id.in_(function_ids[start : start + _ROWS])
                await session.execute(sa.update(FUNCTIONS).where(some).values(told=True))

    async def _claim_one(self, session: AsyncSession, one: _Claimant) -> tuple[str, str]:
        identifier, found = one.function_id, one.found
        holders = {kind: await self._holder(session, kind, key) for kind, key in one.keys}
        earlier = await self._earlier(session, one, [*filter(None, holders.values())])
        tree = holders["tree"]
        if tree in earlier and tree != identifier:
            return "unchanged", await self._name_of(session, tree)
        for kind, owner in holders.items():
            if owner is not None and owner != identifier and owner not in earlier:
                return f"duplicate_{kind}", await self._name_of(session, owner)
        alike = await self._most_alike(session, one)
        if alike:
            return "near_duplicate", await self._name_of(session, alike)
        for kind, key in one.keys:
            row = {"kind": kind, "key": key, "function_id": identifier}
            await session.execute(insert(KEYS).values(row).on_conflict_do_nothing())
        if holders["name"] not in (None, identifier):
            row = {"name": found.name_key, "function_id": identifier}
            await session.execute(insert(SUCCESSORS).values(row).on_conflict_do_nothing())
        if found.signature:
            # Made anew on a replay: what shingles are may have changed since.
            for table in (BANDS, SKETCHES):
                await session.execute(sa.delete(table).where(table.c.function_id == identifier))
            sketch = {"function_id": identifier, "signature": list(found.signature)}
            await session.execute(insert(SKETCHES).values(sketch))
            rows = [{"band": band, "function_id": identifier} for band in bands(found.signature)]
            await session.execute(insert(BANDS).values(rows))
        return "", ""

    async def _holder(self, session: AsyncSession, kind: str, key: str) -> str | None:
        query = sa.select(KEYS.c.function_id).where(KEYS.c.kind == kind, KEYS.c.key == key)
        return cast("str | None", await session.scalar(query))

    async def _earlier(self, session: AsyncSession, one: _Claimant, others: Sequence[str]) -> set[str]:
        """Of some functions those that are a claimant's own code in another version of its source."""
        query = sa.select(FUNCTIONS.c.function_id).where(FUNCTIONS.c.function_id.in_(others), one.of_other_version())
        return set(await session.scalars(query)) if others and not one.again else set()

    async def give_back(self, function_id: str) -> bool:
        """Free a refused function's name and sketch."""
        async with self._database.session() as session:
            await session.execute(_TURN)
            return await self._free(session, [function_id])

    async def _free(self, session: AsyncSession, function_ids: Sequence[str]) -> bool:
        """Free names and sketches; whether there was any name."""
        freed = await session.execute(
            sa.delete(KEYS).where(KEYS.c.kind == "name", KEYS.c.function_id.in_(function_ids)).returning(KEYS.c.key)
        )
        names = list(freed.scalars())
        shared = await session.execute(
            sa.delete(SUCCESSORS).where(SUCCESSORS.c.function_id.in_(function_ids)).returning(SUCCESSORS.c.name)
        )
        held = bool(names) or shared.first() is not None
        for name in names:
            await self._hand_on(session, name)
        for table in (BANDS, SKETCHES):
            await session.execute(sa.delete(table).where(table.c.function_id.in_(function_ids)))
        return held

    async def _hand_on(self, session: AsyncSession, name: str) -> None:
        """A name that its holder gave up goes to newer code that goes by it, if there is any."""
        query = sa.select(sa.func.min(SUCCESSORS.c.function_id)).where(SUCCESSORS.c.name == name)
        heir = await session.scalar(query)
        if heir is None:
            return
        await session.execute(sa.delete(SUCCESSORS).where(SUCCESSORS.c.name == name, SUCCESSORS.c.function_id == heir))
        await session.execute(insert(KEYS).values({"kind": "name", "key": name, "function_id": heir}))

    async def _most_alike(self, session: AsyncSession, one: _Claimant) -> str:
        identifier, signature = one.function_id, one.found.signature
        if not signature:
            return ""
        own = sa.select(FUNCTIONS.c.function_id).where(one.of_other_version())
        near = (
            sa.select(SKETCHES.c.function_id, SKETCHES.c.signature)
            .join(BANDS, BANDS.c.function_id == SKETCHES.c.function_id)
            .where(
                BANDS.c.band.in_(bands(signature)),
                SKETCHES.c.function_id != identifier,
                SKETCHES.c.function_id.not_in(own),
            )
            .distinct()
            .order_by(SKETCHES.c.function_id)
        )
        # A function that was accepted before stays accepted on a replay, whatever came after it.
        if await session.scalar(sa.select(SKETCHES.c.function_id).where(SKETCHES.c.function_id == identifier)):
            return ""
        for other, sketch in await session.execute(near):
            if similarity(signature, sketch) >= THRESHOLD:
                return cast(str, other)
        return ""

    async def _name_of(self, session: AsyncSession, function_id: str) -> str:
        row = (
            await session.execute(
                sa.select(SOURCES.c.name, FUNCTIONS.c.path, FUNCTIONS.c.qualname)
                .join(SOURCES, SOURCES.c.source_id == FUNCTIONS.c.source_id)
                .where(FUNCTIONS.c.function_id == function_id)
            )
        ).first()
        return f"of {row[0]} {row[1]}::{row[2]}" if row else f"of function {function_id}"

    async def _save(
        self, session: AsyncSession, source_id: str, version_id: str, functions: Sequence[Extracted]
    ) -> None:
        rows = {
            item.function_id: {
                "function_id": item.function_id,
                "source_id": source_id,
                "version_id": version_id,
                "path": item.path,
                "qualname": item.found.qualname,
                "form": item.found.form,
                "classification": item.found.classification,
                "rejected_by": item.rejected_by,
                "rejection": item.rejection,
                "told": False,
            }
            for item in functions
        }
        written = list(rows.values())
        # A statement takes 32,767 parameters; one file can hold thousands of functions.
        for start in range(0, len(written), _ROWS):
            writing = insert(FUNCTIONS).values(written[start : start + _ROWS])
            # What a newer version holds of a pass that was cut short may have moved.
            names = ("path", "qualname", "classification", "rejected_by", "rejection")
            judged = {name: writing.excluded[name] for name in names}
            await session.execute(writing.on_conflict_do_update(index_elements=["function_id"], set_=judged))

    async def funnel(self) -> tuple[dict[str, int], list[FunnelReason]]:
        """Counts by stage, and the rejections by filter with the most frequent first.

        Each function counts once: where a slice or a record was made of it, by what became of that. Sequences, which
        are made of classes, come on top.
        """
        real = FUNCTIONS.c.form.not_in(["class", *sorted(MADE_FORMS)])
        candidate = FUNCTIONS.c.rejected_by == ""
        classified = FUNCTIONS.c.classification.in_(["SC", "WSC"])
        query = sa.select(
            sa.func.count().filter(real),
            sa.func.count().filter(real, FUNCTIONS.c.classification != "NOT_CLASSIFIED"),
            sa.func.count().filter(real, classified),
            sa.func.count().filter(real, FUNCTIONS.c.classification == "SC"),
            sa.func.count().filter(real, FUNCTIONS.c.classification == "WSC"),
            sa.func.count().filter(candidate),
            *(sa.func.count().filter(FUNCTIONS.c.form == form, candidate) for form in ("slice", "record", "sequence")),
        )
        made = FUNCTIONS.c.form.in_(["slice", "record"])
        replaced = _replaced(real, made)
        judged = sa.or_(sa.and_(real, replaced.c.function_id.is_(None)), made)
        reasons = (
            sa.select(
                FUNCTIONS.c.rejected_by,
                sa.func.count(),
                sa.func.min(FUNCTIONS.c.path + "::" + FUNCTIONS.c.qualname + ": " + FUNCTIONS.c.rejection),
            )
            .select_from(FUNCTIONS.outerjoin(replaced, replaced.c.function_id == FUNCTIONS.c.function_id))
            .where(judged, FUNCTIONS.c.rejected_by != "")
            .group_by(FUNCTIONS.c.rejected_by)
            .order_by(sa.func.count().desc(), FUNCTIONS.c.rejected_by)
        )
        names = (
            "functions", "python_functions", "self_contained_or_weakly", "SC", "WSC", "task_candidates", "slices",
            "records", "sequences",
        )  # fmt: skip
        async with self._database.session() as session:
            counted = (await session.execute(query)).one()
            rejected = await session.execute(reasons)
            return dict(zip(names, counted, strict=True)), [
                FunnelReason("filters", reason, count, example) for reason, count, example in rejected
            ]

    async def counts(self) -> dict[str, int]:
        """Counts for progress displays; `codes` are those that can be searched: of what is made of them nobody asks."""
        stages, _ = await self.funnel()
        codes = sa.select(sa.func.count()).select_from(FUNCTIONS).where(FUNCTIONS.c.form.not_in(sorted(MADE_FORMS)))
        async with self._database.session() as session:
            searchable = int((await session.execute(codes)).scalar_one())
        states: dict[str, int] = {}
        for source in await self.sources():
            states[source.state] = states.get(source.state, 0) + 1
        total = sum(states.values())
        return {
            "sources": total,
            "sources_done": total - states.get("waiting", 0),
            "sources_failed": states.get("failed", 0),
            "functions": stages["functions"],
            "codes": searchable,
            "task_candidates": stages["task_candidates"],
        }


def _replaced(real: sa.ColumnElement[bool], made: sa.ColumnElement[bool]) -> sa.Subquery:
    """The refused functions of which something else was made, as many of a place as were made there.

    A name may be defined several times, a property with its setter for one; which of them it was is not kept.
    """
    place = (FUNCTIONS.c.version_id, FUNCTIONS.c.path, FUNCTIONS.c.qualname)
    places = sa.select(*place, sa.func.count().label("made")).where(made).group_by(*place).subquery()
    same = sa.and_(*(places.c[column.name] == column for column in place))
    number = sa.func.row_number().over(partition_by=place, order_by=FUNCTIONS.c.function_id)
    refused = (
        sa.select(FUNCTIONS.c.function_id, number.label("number"), places.c.made)
        .select_from(FUNCTIONS.join(places, same))
        .where(real, FUNCTIONS.c.rejected_by != "")
        .subquery()
    )
    return sa.select(refused.c.function_id).where(refused.c.number <= refused.c.made).subquery()


def _source(row: Any) -> Source:
    return Source(
        source_id=row["source_id"],
        kind=cast(Followed, row["kind"]),
        name=row["name"],
        revision=row["revision"],
        window_days=row["window_days"],
        latest_version=row["latest_version"],
        state=cast(SourceState, row["state"]),
        detail=row["detail"],
        released_at=row["released_at"],
        licence=row["licence"],
        functions=row["functions"],
        failures=row["failures"],
        candidates=row["candidates"],
        looked_at=row["looked_at"],
        rules=row["rules"],
    )
