"""BM25 by PostgreSQL's own text search: words as a tsvector, found by its inverted index, scored in one statement."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.ext.asyncio import AsyncConnection

from retriever.adapters.tables import codes
from retriever.domain.scoring import DIGITS
from retriever.domain.text import K1, B, TextStatistics

# Another replica may have written meanwhile: its codes are found at once, and weigh in the statistics so much later.
_REMEMBERED_S = 10.0
# Codes that are scored. Where a question's words stand in more, its rarest words alone say which.
_MOST_SCORED = 20_000


class PgText:
    """The text part of `PgvectorIndex`."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._codes, self._mean_words = 0, 0.0
        self._until = 0.0

    def forget(self) -> None:
        """The codes changed."""
        self._until = 0.0

    async def best(
        self, session: AsyncConnection, asked: Sequence[str], admitted: sa.ColumnElement[bool], depth: int
    ) -> dict[str, float]:
        """BM25 of the best codes by id; codes that share no word with the question are not among them."""
        statistics = await self._statistics(session, asked)
        rare = _rarest(asked, statistics)
        if not rare:
            return {}
        words = (
            sa.func.unnest(
                sa.literal(list(asked), sa.ARRAY(sa.Text)),
                sa.literal([statistics.rarity(term) for term in asked], sa.ARRAY(sa.Double)),
            )
            .table_valued(sa.column("term", sa.Text), sa.column("rarity", sa.Double))
            .render_derived("asked")
        )
        stands: Any = (
            sa.func.unnest(codes.c.words)
            .table_valued(
                sa.column("lexeme", sa.Text),
                sa.column("positions", sa.ARRAY(sa.SmallInteger)),
                sa.column("weights", sa.ARRAY(sa.Text)),
            )
            .render_derived("stands")
            .lateral()
        )
        times = sa.cast(sa.func.cardinality(stands.c.positions), sa.Double)
        damped = K1 * (1 - B + B * sa.cast(codes.c.length, sa.Double) / (statistics.mean_words or 1.0))
        score = sa.func.round(
            sa.cast(sa.func.sum(words.c.rarity * times * (K1 + 1) / (times + damped)), sa.Numeric), DIGITS
        ).label("score")
        wanted = sa.cast(" | ".join(quoted(term) for term in rare), TSQUERY)
        best = (
            sa.select(codes.c.function_id, score)
            .select_from(codes)
            .join(stands, sa.true())
            .join(words, words.c.term == stands.c.lexeme)
            .where(codes.c.words.op("@@", is_comparison=True)(wanted), admitted)
            .group_by(codes.c.function_id)
            .order_by(sa.desc("score"), sa.collate(codes.c.function_id, "C"))
            .limit(depth)
        )
        return {row.function_id: float(row.score) for row in await session.execute(best)}

    async def _statistics(self, session: AsyncConnection, asked: Sequence[str]) -> TextStatistics:
        counted = await self._counted(session, asked)
        if any(holding > counted.codes for holding in counted.holding.values()):
            # No word stands in more codes than there are: another replica took codes in since they were counted.
            self.forget()
            counted = await self._counted(session, asked)
        return counted

    async def _counted(self, session: AsyncConnection, asked: Sequence[str]) -> TextStatistics:
        if time.monotonic() > self._until:
            whole = sa.select(sa.func.count(), sa.func.coalesce(sa.func.avg(codes.c.length), 0.0)).select_from(codes)
            count, mean = (await session.execute(whole)).one()
            self._known, self._codes, self._mean_words = {}, int(count), float(mean)
            self._until = time.monotonic() + _REMEMBERED_S
        # Searches beside this one may begin anew meanwhile: what is counted together stays together.
        known, codes_counted, mean_words = self._known, self._codes, self._mean_words
        for term in asked:
            if term not in known:
                matching = codes.c.words.op("@@", is_comparison=True)(sa.cast(quoted(term), TSQUERY))
                counted = await session.execute(sa.select(sa.func.count()).select_from(codes).where(matching))
                known[term] = int(counted.scalar_one())
        return TextStatistics(codes_counted, mean_words, {term: known[term] for term in asked})


def quoted(word: str) -> str:
    """A word as tsvector and tsquery take it, whatever it holds."""
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def tsvector(words: Mapping[str, int]) -> str:
    """Words, each at as many places as it counts."""
    return " ".join(
        f"{quoted(word)}:{','.join(map(str, range(1, count + 1)))}" for word, count in sorted(words.items())
    )


def _rarest(asked: Sequence[str], statistics: TextStatistics) -> list[str]:
    """Words to find codes by, rarest first, as long as they stand in few enough; the rarest one always."""
    found: list[str] = []
    scored = 0
    for term in sorted(asked, key=lambda term: (statistics.holding[term], term)):
        scored += statistics.holding[term]
        if not statistics.holding[term] or (found and scored > _MOST_SCORED):
            continue
        found.append(term)
    return found
