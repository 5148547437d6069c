"""Labels in PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, fields
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from annotator.adapters.tables import CURRENT, DISPUTED, FACETS, LABELS, OUTCOME, TOTALS, UNANNOUNCED
from annotator.domain.pair import Pair, one_question
from annotator.domain.record import PERSON
from annotator.domain.release import UNDECIDED
from annotator.domain.review import METHOD_ID, of_reviewers
from annotator.domain.statistics import Effort
from annotator.domain.training import TrainingRow
from annotator.domain.withheld import gives_way, unlike_texts
from annotator.ports import EVERY, LabelCounts, Place, StepSummary, StoredLabel, Wanted
from touchstone_contracts.identities import CODE_SPACE, code_id, code_words
from touchstone_runtime.storable import storable, storable_tree

_CHUNK = 500
# What somebody asked for on demand is none of the pools', and nobody learns from it.
_DECIDED = (CURRENT, LABELS.c.on_demand.is_(False), LABELS.c.label.is_not(None))
_HEXADECIMAL = re.compile(r"[0-9a-f]{4,64}")
# Labels of one pair, by as many methods; a prefix of few letters names many pairs.
_MOST_OF_A_PAIR = 100
_OUTCOMES = {"yes": 1, "no": 0, UNDECIDED: -1}


class SqlLabels:
    """Labels in the service's own schema; see the port.

    Args:
        session: Opens a session in a transaction, as `Database.session` does.
    """

    def __init__(self, session: Callable[[], AbstractAsyncContextManager[AsyncSession]]) -> None:
        self._session = session

    async def find(self, pair_id: str, method_id: str) -> StoredLabel | None:
        """The label of a pair under a method."""
        statement = sa.select(LABELS).where(LABELS.c.pair_id == pair_id, LABELS.c.method_id == method_id)
        async with self._session() as session:
            row = (await session.execute(statement)).mappings().one_or_none()
        return from_row(row) if row is not None else None

    async def add(self, label: StoredLabel) -> StoredLabel:
        """Store a label unless the pair has one under this method; the first one wins.

        The newest label of a pair is the current one, except that a person's outranks every other, and that of a review
        everything that was brought.
        """
        pair_id, method = storable(label.pair.pair_id), label.method_id
        mine = sa.select(LABELS).where(LABELS.c.pair_id == pair_id, LABELS.c.method_id == method)
        async with self._session() as session:
            await session.execute(_in_turn(pair_id))
            added = await session.execute(
                insert(LABELS).values(**_to_row(label), current=False).on_conflict_do_nothing().returning(sa.literal(1))
            )
            if added.first() is not None:
                await _let_stand(session, label, {"current": True})
                await _wait_to_be_announced(session, label)
            row = (await session.execute(mine)).mappings().one()
        return from_row(row)

    async def reinstate(self, pair_id: str, method_id: str) -> StoredLabel | None:
        """Let the label that a pair has under a method be its newest one again."""
        pair_id = storable(pair_id)
        mine = sa.select(LABELS).where(LABELS.c.pair_id == pair_id, LABELS.c.method_id == method_id)
        others = sa.select(sa.literal(1)).where(LABELS.c.pair_id == pair_id, CURRENT, LABELS.c.method_id != method_id)
        async with self._session() as session:
            row = (await session.execute(mine)).mappings().one_or_none()
            if row is None or row["current"]:
                return from_row(row) if row is not None else None
            await session.execute(_in_turn(pair_id))
            if (await session.execute(others)).first() is None:
                return from_row((await session.execute(mine)).mappings().one())
            if await _let_stand(session, from_row(row), {"current": True, "labelled_at": sa.func.now()}):
                await _wait_to_be_announced(session, from_row(row))
            return from_row((await session.execute(mine)).mappings().one())

    async def unannounced(self, limit: int) -> list[str]:
        """Ids of pairs with a label that waits to be announced; in their order."""
        named = UNANNOUNCED.c.pair_id
        async with self._session() as session:
            return list((await session.execute(sa.select(named).distinct().order_by(named).limit(limit))).scalars())

    async def unannounced_methods(self, pair_id: str) -> list[str]:
        """The methods whose label of this pair waits to be announced."""
        statement = sa.select(UNANNOUNCED.c.method_id).where(UNANNOUNCED.c.pair_id == storable(pair_id))
        async with self._session() as session:
            return sorted((await session.execute(statement)).scalars())

    async def announced(self, pair_id: str, methods: Sequence[str]) -> None:
        """The labels of a pair by these methods wait no longer."""
        if not methods:
            return
        mine = (UNANNOUNCED.c.pair_id == storable(pair_id), UNANNOUNCED.c.method_id.in_(methods))
        async with self._session() as session:
            await session.execute(sa.delete(UNANNOUNCED).where(*mine))

    async def newest(self, limit: int, wanted: Wanted = EVERY, after: Place | None = None) -> list[StoredLabel]:
        """The current label of each pair, newest first."""
        async with self._session() as session:
            return [from_row(row) for row in (await session.execute(page_of(limit, wanted, after))).mappings()]

    async def of_pair(self, identifier: str) -> list[StoredLabel]:
        """All labels of the pairs whose id is this, or begins so: by pair, the current one first, then the newest."""
        named = LABELS.c.pair_id == storable(identifier)
        if _HEXADECIMAL.fullmatch(identifier):
            # A range that the key's index serves, whatever the database's order of letters: "g" follows "f" in each.
            named = (LABELS.c.pair_id >= identifier) & (LABELS.c.pair_id < f"{identifier}g")
        order = (LABELS.c.pair_id, LABELS.c.current.desc(), LABELS.c.labelled_at.desc(), LABELS.c.method_id)
        async with self._session() as session:
            rows = await session.execute(sa.select(LABELS).where(named).order_by(*order).limit(_MOST_OF_A_PAIR))
            return [from_row(row) for row in rows.mappings()]

    async def code_of(self, function_id: str) -> Pair | None:
        """A pair of the pools that has this code; None where no pool holds it."""
        statement = (
            sa.select(LABELS)
            .where(LABELS.c.function_id == storable(function_id), CURRENT, LABELS.c.on_demand.is_(False))
            .order_by(LABELS.c.file_imports.op("=")(sa.literal_column("'[]'::jsonb")), LABELS.c.pair_id)
            .limit(1)
        )
        async with self._session() as session:
            row = (await session.execute(statement)).mappings().one_or_none()
        return from_row(row).pair if row is not None else None

    async def same_texts(self, pair: Pair) -> list[StoredLabel]:
        """The current labels of all pairs with the texts and the language of a pair, by their ids."""
        words, code = storable(pair.query), storable(pair.code)
        # The rest of the comparison is not the database's: here only what cannot be the same is left there.
        bare = sa.func.translate(LABELS.c.code, CODE_SPACE, "")
        statement = (
            sa.select(LABELS)
            .where(CURRENT, sa.func.md5(LABELS.c.query) == sa.func.md5(words), LABELS.c.query == words)
            .where(LABELS.c.language == storable(pair.language))
            .where(bare == code.translate(dict.fromkeys(map(ord, CODE_SPACE))))
            .order_by(LABELS.c.pair_id)
        )
        async with self._session() as session:
            rows = (await session.execute(statement)).mappings().all()
        return [from_row(row) for row in rows if code_words(row["code"]) == code_words(code)]

    async def retire(self, pair_id: str) -> None:
        """Let a pair have no current label from now on, until it gets one more; its labels stay."""
        now = sa.update(LABELS).where(LABELS.c.pair_id == storable(pair_id), CURRENT).values(current=False)
        async with self._session() as session:
            await session.execute(now)

    async def counts(self) -> LabelCounts:
        """Sums over the current label of each pair."""
        names = [field.name for field in fields(LabelCounts)]
        async with self._session() as session:
            row = (await session.execute(sa.select(*(TOTALS.c[name] for name in names)))).one()
        return LabelCounts(*(int(value) for value in row))

    async def siblings(self, pair: Pair, limit: int) -> list[Pair]:
        """Pairs of the pools of other queries with other codes in the same language, the oldest first."""
        statement = (
            sa.select(LABELS)
            .where(CURRENT, LABELS.c.on_demand.is_(False), LABELS.c.language == pair.language)
            .where(LABELS.c.query_id != pair.query_id, LABELS.c.function_id != pair.function_id)
            .order_by(LABELS.c.labelled_at, LABELS.c.pair_id)
            .limit(limit)
        )
        async with self._session() as session:
            rows = (await session.execute(statement)).mappings().all()
        # Who answers the same question in other signs is right here as well.
        return [from_row(row).pair for row in rows if not one_question(row["query"], pair.query)]

    async def training(self) -> AsyncIterator[TrainingRow]:
        """The current label of each pair of the pools as training data, ordered by pair.

        Undecided ones have none, and neither have those that a release does not tell as they contradict each other.
        """
        wanted = sa.select(LABELS.c.query, LABELS.c.code, LABELS.c.label, LABELS.c.pair_id)
        wanted = wanted.where(*_DECIDED)
        after = ""
        async with self._session() as session:
            # What contradicts is that of the very rows that are told.
            await session.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
            withheld = await _contradicted(session)
            while True:
                page = wanted.where(LABELS.c.pair_id > after).order_by(LABELS.c.pair_id).limit(_CHUNK)
                rows = (await session.execute(page)).all()
                for row in rows:
                    if row.pair_id not in withheld:
                        yield TrainingRow(row.query, row.code, row.label)
                if len(rows) < _CHUNK:
                    return
                after = rows[-1].pair_id


def _in_turn(pair_id: str) -> sa.Select[Any]:
    """The statement by which two labels of one pair take turns; other pairs do not wait."""
    return sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(pair_id, 0)))


async def _let_stand(session: AsyncSession, label: StoredLabel, values: dict[str, Any]) -> bool:
    """Let a stored label be the current one of its pair, unless one that outranks it is; says whether it is now."""
    pair_id = storable(label.pair.pair_id)
    above = [] if label.decided_by == PERSON else [LABELS.c.decided_by != PERSON]
    if not of_reviewers(label.method_id):
        above.append(LABELS.c.method_id.not_like(f"{METHOD_ID}%"))
    others = sa.update(LABELS).where(LABELS.c.pair_id == pair_id, CURRENT, *above)
    await session.execute(others.values(current=False))
    ruled = sa.select(sa.literal(1)).where(LABELS.c.pair_id == pair_id, CURRENT)
    if (await session.execute(ruled)).first() is not None:
        return False
    now = sa.update(LABELS).where(LABELS.c.pair_id == pair_id, LABELS.c.method_id == label.method_id)
    await session.execute(now.values(**values))
    return True


async def _wait_to_be_announced(session: AsyncSession, label: StoredLabel) -> None:
    if not label.pair.on_demand:
        # In the same transaction, so that no process can end between the two.
        waits = insert(UNANNOUNCED).values(pair_id=storable(label.pair.pair_id), method_id=label.method_id)
        await session.execute(waits.on_conflict_do_nothing())


async def _contradicted(session: AsyncSession) -> set[str]:
    """Pairs of one query and one text, under several ids, of which one says yes and another no; but people's word."""
    # What cannot be the same is left to the database, and the comparison is not: as in `releases.same_text`.
    text = (LABELS.c.query_id, LABELS.c.language, sa.func.md5(sa.func.translate(LABELS.c.code, CODE_SPACE, "")))
    unlike = sa.func.min(LABELS.c.label) != sa.func.max(LABELS.c.label)
    texts = sa.select(*text).where(*_DECIDED).group_by(*text).having(unlike)
    names = ("pair_id", "query_id", "language", "code", "label", "decided_by")
    chosen = sa.select(*(LABELS.c[name] for name in names)).where(*_DECIDED, sa.tuple_(*text).in_(texts))
    rows = [((row.query_id, code_id(row.code, row.language)), row) for row in await session.execute(chosen)]
    against = unlike_texts((text, row.label) for text, row in rows)
    return {row.pair_id for text, row in rows if text in against and gives_way(row.label, row.decided_by)}


def page_of(limit: int, wanted: Wanted, after: Place | None = None) -> sa.Select[Any]:
    """The statement that reads one page of a list; see `newest`.

    Whatever it is narrowed by, no row is read that is not of the list: the pairs of a query stand together, and all
    others are merged from the first ones of each kind that there is and that the conditions admit.
    """
    if wanted.query:
        words = storable(wanted.query)
        of_query = (sa.func.md5(LABELS.c.query) == sa.func.md5(words), LABELS.c.query == words)
        narrowed = _conditions(wanted, LABELS.c.language, LABELS.c.decided_by, OUTCOME, DISPUTED)
        return _in_order(sa.select(LABELS).where(CURRENT, *of_query, *narrowed), LABELS.c, limit, after)
    if wanted == EVERY:
        return _in_order(sa.select(LABELS).where(CURRENT), LABELS.c, limit, after)
    kind = (FACETS.c.language, FACETS.c.decided_by, FACETS.c.outcome, FACETS.c.disputed)
    of_kind = (
        LABELS.c.language == FACETS.c.language,
        LABELS.c.decided_by == FACETS.c.decided_by,
        FACETS.c.outcome == OUTCOME,
        DISPUTED.self_group() == FACETS.c.disputed,
    )
    places = sa.select(LABELS.c.pair_id, LABELS.c.labelled_at).where(CURRENT, *of_kind)
    first = _in_order(places, LABELS.c, limit, after).correlate(FACETS).lateral("first")
    merged = sa.select(first.c.pair_id, first.c.labelled_at).select_from(FACETS.join(first, sa.true()))
    merged = merged.where(FACETS.c.labels > 0, *_conditions(wanted, *kind))
    page = _in_order(merged, first.c, limit, None).subquery("page")
    whole = sa.select(LABELS).join(page, sa.and_(LABELS.c.pair_id == page.c.pair_id, CURRENT))
    return _in_order(whole, page.c, limit, None)


def _in_order(statement: Any, columns: Any, limit: int, after: Place | None) -> sa.Select[Any]:
    """The newest first, from a place on."""
    if after is not None:
        at, pair_id = after
        older = columns.labelled_at < at
        statement = statement.where(older | ((columns.labelled_at == at) & (columns.pair_id > pair_id)))
        # Said once more so that the index is entered at the right place.
        statement = statement.where(columns.labelled_at <= at)
    return statement.order_by(columns.labelled_at.desc(), columns.pair_id).limit(limit)


def _conditions(wanted: Wanted, language: Any, decided_by: Any, outcome: Any, disputed: Any) -> list[Any]:
    """What a list is narrowed by, over the columns of labels or of their kinds."""
    found: list[Any] = []
    if wanted.outcome:
        found.append(outcome == _OUTCOMES[wanted.outcome])
    if wanted.decided_by:
        found.append(decided_by == storable(wanted.decided_by))
    if wanted.language:
        found.append(language == storable(wanted.language))
    if wanted.disputed:
        found.append(disputed)
    return found


def _to_row(label: StoredLabel) -> dict[str, Any]:
    pair, effort = asdict(label.pair), label.effort
    del pair["similarity"], pair["joined"]
    row = {
        **pair,
        **{name: list(pair[name]) for name in ("imports", "file_imports")},
        "method_id": label.method_id,
        "label": label.label,
        "reason": label.reason,
        "decided_by": label.decided_by,
        "unclear": label.unclear,
        "self_reported": label.self_reported,
        "executed": label.executed,
        "assertions": label.assertions,
        "audit": label.audit,
        "record_digest": label.record_digest,
        "steps": [{name: value for name, value in asdict(step).items() if name != "content"} for step in label.steps],
        "tokens_in": effort.tokens_in,
        "tokens_out": effort.tokens_out,
        "seconds": effort.seconds,
        "cost_usd": effort.cost_usd,
        "calls": label.calls,
        "reading": label.reading,
        "score": label.score,
        "calibration": label.calibration,
    }
    # The record in the blob store has the texts as they were said.
    return storable_tree(row)


def from_row(row: Any) -> StoredLabel:
    """The label of a row of `LABELS`."""
    return StoredLabel(
        pair=Pair(
            pair_id=row["pair_id"],
            query_id=row["query_id"],
            query=row["query"],
            function_id=row["function_id"],
            code=row["code"],
            language=row["language"],
            name=row["name"],
            repository=row["repository"],
            version=row["version"],
            path=row["path"],
            qualname=row["qualname"],
            on_demand=row["on_demand"],
            licence=row["licence"],
            imports=tuple(row["imports"]),
            file_imports=tuple(row["file_imports"]),
        ),
        method_id=row["method_id"],
        label=row["label"],
        reason=row["reason"],
        decided_by=row["decided_by"],
        unclear=row["unclear"],
        self_reported=row["self_reported"],
        executed=row["executed"],
        assertions=row["assertions"],
        audit=row["audit"],
        record_digest=row["record_digest"],
        steps=tuple(StepSummary(**step) for step in row["steps"]),
        effort=Effort(row["tokens_in"], row["tokens_out"], row["cost_usd"], row["seconds"]),
        calls=row["calls"],
        labelled_at=row["labelled_at"],
        reading=row["reading"],
        score=row["score"],
        calibration=row["calibration"],
    )
