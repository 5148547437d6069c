"""People's opinions in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from annotator.adapters.labels import from_row
from annotator.adapters.tables import (
    ADJUDICATIONS,
    BEGUN,
    DISPUTES,
    LABELS,
    OF_REVIEW,
    OPINION_PAIRS,
    QUEUE,
    REVIEW_OUTCOMES,
    REVIEWS,
    waiting,
)
from annotator.domain.record import Label
from annotator.domain.review import REVIEWERS, Review
from annotator.ports import StoredLabel
from touchstone_runtime.storable import storable


class SqlReviews:
    """Opinions in the service's own schema; see `Reviews`.

    Args:
        session: Opens a session in a transaction, as `Database.session` does.
    """

    def __init__(self, session: Callable[[], AbstractAsyncContextManager[AsyncSession]]) -> None:
        self._session = session

    async def next_pair(self, reviewer: str) -> StoredLabel | None:
        """The first pair of the queue that waits for this reviewer."""
        me = storable(reviewer)
        # What others have begun stands by their names, before mine and after it; where nothing of it is left, a pair
        # that waits for me has no opinion at all. So each question is answered by the first row of an index.
        questions = [
            *((waiting(1) & begun, BEGUN) for begun in (LABELS.c.first_reviewer < me, LABELS.c.first_reviewer > me)),
            *((waiting(0) & which, order) for which, order in QUEUE.values()),
        ]
        async with self._session() as session:
            for which, order in questions:
                statement = sa.select(LABELS).where(which).order_by(*order).limit(1)
                row = (await session.execute(statement)).mappings().one_or_none()
                if row is not None:
                    return from_row(row)
        return None

    async def next_dispute(self, reviewer: str) -> str:
        """Id of a pair on which two others differ and nobody has decided; empty where there is none."""
        me = storable(reviewer)
        others = (DISPUTES.c.first != me, DISPUTES.c.second != me)
        statement = sa.select(DISPUTES.c.pair_id).where(*others).order_by(DISPUTES.c.pair_id).limit(1)
        async with self._session() as session:
            return (await session.execute(statement)).scalar_one_or_none() or ""

    async def of_pair(self, pair_id: str) -> list[Review]:
        """The opinions on a pair, by reviewer."""
        async with self._session() as session:
            return await _opinions(session, pair_id)

    async def add(self, review: Review) -> list[Review]:
        """Keep an opinion unless its reviewer has given one or two others have; gives all that are kept."""
        async with self._session() as session:
            # Two reviewers of one pair take turns; other pairs do not wait.
            await session.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(review.pair_id, 1))))
            if len(await _opinions(session, review.pair_id)) < REVIEWERS:
                await session.execute(insert(REVIEWS).values(_to_row(review)).on_conflict_do_nothing())
            return await _opinions(session, review.pair_id)

    async def adjudicate(self, review: Review) -> Review:
        """Keep a decision between two opinions; the first one stands and is given."""
        kept = sa.select(ADJUDICATIONS).where(ADJUDICATIONS.c.pair_id == review.pair_id)
        async with self._session() as session:
            await session.execute(insert(ADJUDICATIONS).values(_to_row(review)).on_conflict_do_nothing())
            return _from_row((await session.execute(kept)).mappings().one())

    async def unsettled(self) -> list[str]:
        """Ids of pairs that two equal opinions or a decision settled, and that have no label of a review."""
        labelled = sa.exists().where(LABELS.c.pair_id == REVIEWS.c.pair_id, OF_REVIEW)
        decided = sa.select(ADJUDICATIONS.c.pair_id).where(ADJUDICATIONS.c.pair_id == REVIEWS.c.pair_id).exists()
        statement = (
            sa.select(REVIEWS.c.pair_id)
            .where(~labelled)
            .group_by(REVIEWS.c.pair_id)
            .having(sa.func.count() == REVIEWERS)
            .having((sa.func.count(sa.distinct(REVIEWS.c.opinion)) == 1) | decided)
            .order_by(REVIEWS.c.pair_id)
        )
        async with self._session() as session:
            return list((await session.execute(statement)).scalars())

    async def decision(self, pair_id: str) -> Review | None:
        """The decision between two opinions on a pair; None where nobody has decided."""
        statement = sa.select(ADJUDICATIONS).where(ADJUDICATIONS.c.pair_id == storable(pair_id))
        async with self._session() as session:
            row = (await session.execute(statement)).mappings().one_or_none()
        return _from_row(row) if row is not None else None

    async def figures(self) -> tuple[dict[tuple[str, str], int], dict[tuple[Label, Label], int], int]:
        """How many pairs have which two opinions; people's label with the newest method's; how many reviews decided."""
        async with self._session() as session:
            opinions = (await session.execute(sa.select(OPINION_PAIRS).where(OPINION_PAIRS.c.pairs > 0))).all()
            decided = (await session.execute(sa.select(REVIEW_OUTCOMES).where(REVIEW_OUTCOMES.c.pairs > 0))).all()
        both = {(first, second): pairs for first, second, pairs in opinions}
        compared = {(label, before): pairs for label, before, pairs in decided if -1 not in (label, before)}
        return both, cast("dict[tuple[Label, Label], int]", compared), sum(pairs for *_, pairs in decided)


async def _opinions(session: AsyncSession, pair_id: str) -> list[Review]:
    statement = sa.select(REVIEWS).where(REVIEWS.c.pair_id == storable(pair_id)).order_by(REVIEWS.c.reviewer)
    return [_from_row(row) for row in (await session.execute(statement)).mappings()]


def _to_row(review: Review) -> dict[str, str]:
    names = ("pair_id", "reviewer", "opinion", "note")
    return {name: storable(getattr(review, name)) for name in names}


def _from_row(row: Any) -> Review:
    return Review(row["pair_id"], row["reviewer"], row["opinion"], row["note"])
