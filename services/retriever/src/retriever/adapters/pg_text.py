"""BM25 by PostgreSQL's own text search: words as a tsvector, found by its inverted index, scored in one statement."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from asyncpg.exceptions import InterfaceError, PostgresError
from sqlalchemy.dialects.postgresql import TSQUERY

from retriever.adapters.tables import codes
from retriever.domain.scoring import DIGITS
from retriever.domain.text import K1, B, TextStatistics
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.reading import Reader, written

# Another replica may have written meanwhile: its codes are found at once, and weigh in the statistics so much later.
_REMEMBERED_S = 10.0
# From so many codes on, counting takes longer than a search: it is done beside, and what was counted before goes on.
_COUNTED_BESIDE = 10_000
_MOST_WORDS_KNOWN = 2000
_FIRST_SCORED = 1000
# Codes that are scored at most. Where a question's words stand in more, its rarest words alone say which.
_MOST_SCORED = 20_000
# Rounding must not let a code go that would have been the last one shown.
_MARGIN = 10.0 ** (1 - DIGITS)


_WHOLE = written(sa.select(sa.func.count(), sa.func.coalesce(sa.func.avg(codes.c.length), 0.0)).select_from(codes))
_HOLDING = written(
    sa.select(sa.func.count())
    .select_from(codes)
    .where(codes.c.words.op("@@", is_comparison=True)(sa.cast(sa.bindparam("word", None, type_=sa.Text), TSQUERY)))
)


class PgText:
    """The text part of `PgvectorIndex`.

    Args:
        reader: Of the retriever's own schema.
        first_scored: Codes that are scored at first: those with the rarest words, until so many have one.
    """

    def __init__(self, reader: Reader, first_scored: int = _FIRST_SCORED) -> None:
        self._reader = reader
        self._first_scored = first_scored
        self._known: OrderedDict[str, int] = OrderedDict()
        self._codes, self._mean_words = 0, 0.0
        self._until = 0.0
        self._counting: asyncio.Task[None] | None = None

    def forget(self) -> None:
        """The codes changed."""
        self._until = 0.0
        # A word that stood nowhere may stand somewhere now; the others' counts are near enough for the while.
        for word in [word for word, holding in self._known.items() if not holding]:
            del self._known[word]

    async def best(self, asked: Sequence[str], admitted: sa.ColumnElement[bool], depth: int) -> dict[str, float]:
        """BM25 of the best codes by id; codes that share no word with the question are not among them.

        Not every code with a word of the question is scored. What the words that were left out could give a code
        together is bounded; as soon as that is less than what the last of the best has, no other code can be among
        them.

        Source: Turtle and Flood 1995, query evaluation by maximal scores.
        """
        statistics = await self._statistics(asked)
        rare = rarest(asked, statistics, self._first_scored)
        if not rare:
            return {}
        found = await self._scored(asked, rare, statistics, admitted, depth)
        least = min(found.values()) if len(found) == depth else 0.0
        needed = needed_words(asked, statistics, least - _MARGIN)
        if not set(needed) <= set(rare):
            found = await self._scored(asked, needed, statistics, admitted, depth)
        return found

    async def _scored(
        self,
        asked: Sequence[str],
        among: Sequence[str],
        statistics: TextStatistics,
        admitted: sa.ColumnElement[bool],
        depth: int,
    ) -> dict[str, float]:
        """The best of the codes that hold one of some words, scored by all."""
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
        wanted = sa.cast(" | ".join(quoted(term) for term in among), TSQUERY)
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
        return {row[0]: float(row[1]) for row in await self._reader.rows(written(best))}

    async def _statistics(self, asked: Sequence[str]) -> TextStatistics:
        counted = await self._counted(asked)
        if any(holding > counted.codes for holding in counted.holding.values()):
            # No word stands in more codes than there are: another replica took codes in since they were counted.
            await self._count_all()
            counted = await self._counted(asked)
        return counted

    async def _counted(self, asked: Sequence[str]) -> TextStatistics:
        if time.monotonic() > self._until:
            if self._codes < _COUNTED_BESIDE:
                await self._count_all()
            elif self._counting is None or self._counting.done():
                self._until = time.monotonic() + _REMEMBERED_S
                self._counting = asyncio.create_task(self._count_beside())
        # Searches beside this one may begin anew meanwhile: what is counted together stays together.
        known, codes_counted, mean_words = self._known, self._codes, self._mean_words
        for term in asked:
            if term not in known:
                known[term] = await self._holding(term)
            known.move_to_end(term)
        holding = {term: known[term] for term in asked}
        while len(known) > _MOST_WORDS_KNOWN:
            known.popitem(last=False)
        return TextStatistics(codes_counted, mean_words, holding)

    async def _count_all(self, words: Sequence[str] = ()) -> None:
        [(count, mean)] = await self._reader.rows(_WHOLE)
        known = OrderedDict([(word, await self._holding(word)) for word in words])
        self._known, self._codes, self._mean_words = known, int(count), float(mean)
        self._until = time.monotonic() + _REMEMBERED_S

    async def _count_beside(self) -> None:
        with contextlib.suppress(TouchstoneError, PostgresError, InterfaceError, OSError):
            # Whatever keeps the index from answering, the next search meets it.
            await self._count_all(list(self._known))

    async def _holding(self, term: str) -> int:
        [row] = await self._reader.rows(_HOLDING, {"word": quoted(term)})
        return int(row[0])


def quoted(word: str) -> str:
    """A word as tsvector and tsquery take it, whatever it holds."""
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def tsvector(words: Mapping[str, int]) -> str:
    """Words, each at as many places as it counts."""
    return " ".join(
        f"{quoted(word)}:{','.join(map(str, range(1, count + 1)))}" for word, count in sorted(words.items())
    )


def rarest(asked: Sequence[str], statistics: TextStatistics, enough: int) -> list[str]:
    """Words to find codes by, rarest first: until enough codes have one, and as long as few enough do."""
    found: list[str] = []
    scored = 0
    for term in sorted(asked, key=lambda term: (statistics.holding[term], term)):
        holding = statistics.holding[term]
        if holding and (not found or (scored < enough and scored + holding <= _MOST_SCORED)):
            found.append(term)
            scored += holding
    return found


def needed_words(asked: Sequence[str], statistics: TextStatistics, least: float) -> list[str]:
    """Words of which every code with a score of more than `least` has one, rarest first, as `rarest` bounds them."""
    rare = rarest(asked, statistics, _MOST_SCORED)
    # A word gives less than its rarity times K1 + 1, however often it stands.
    left = sum(statistics.rarity(term) * (K1 + 1) for term in asked if statistics.holding[term])
    for place, term in enumerate(rare):
        if left < least:
            return rare[:place]
        left -= statistics.rarity(term) * (K1 + 1)
    return rare
