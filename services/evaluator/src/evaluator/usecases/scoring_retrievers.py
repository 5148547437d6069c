"""Every retriever of the platform on every set of labels: again whenever labels or the index have changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from evaluator.domain.labelled import CURRENT, DEPTH, IndexState, Labelled, RetrievalScore, due, measured
from evaluator.errors import UnknownLabelsError
from evaluator.ports import LabelSets, RetrievalScores, Retrievers
from touchstone_runtime.errors import PermanentError


def _now() -> datetime:
    return datetime.now(UTC)


class ScoreRetrievers:
    """Keeps the scores up to date.

    Args:
        sets: The labels.
        retrievers: What is scored.
        scores: Where scores are kept.
        every: Least time between two scores of one retriever on one set.
        most_queries: Queries that are asked of a set, at most; the same ones each time.
        clock: Gives the time.
    """

    def __init__(
        self,
        sets: LabelSets,
        retrievers: Retrievers,
        scores: RetrievalScores,
        *,
        every: timedelta,
        most_queries: int,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self._sets = sets
        self._retrievers = retrievers
        self._scores = scores
        self._every = every
        self._most_queries = most_queries
        self._clock = clock

    async def sweep(self) -> int:
        """Score what has no score as it stands now; gives how many scores were added.

        Raises:
            TouchstoneError: annotator, retriever or store do not answer; what was scored is kept. A retriever that
                refuses a query of a set is told after all others were asked.
        """
        newest = {(score.labels, score.retriever): score for score in await self._scores.newest()}
        seen = await self._scores.seen()
        releases = await self._sets.releases()
        if not releases and not seen:
            return 0
        names, index = await self._retrievers.available()
        added, refused = 0, None
        for name, digest in [*releases, (CURRENT, "")]:
            if name == CURRENT and not self._current_is_due(newest, names, index, seen):
                continue
            wanted = [
                each for each in names if due(newest.get((name, each)), digest, index, self._clock(), self._every)
            ]
            if not wanted:
                continue
            labelled = await self._sets.labelled(name, digest)
            for retriever in wanted:
                try:
                    scored = await self._scored(labelled, retriever, index, seen)
                except PermanentError as error:
                    refused = refused or error
                    continue
                if scored.queries or (name, retriever) in newest:
                    # Where no correct code is left, the score that stood before has lapsed.
                    await self._scores.add(scored)
                    added += bool(scored.queries)
        if refused:
            raise refused
        return added

    def _current_is_due(
        self, newest: dict[tuple[str, str], RetrievalScore], names: Sequence[str], index: IndexState, seen: int
    ) -> bool:
        """Whether the labels of now are worth reading: whoever announced none since has changed none."""
        lasts = [newest.get((CURRENT, name)) for name in names]
        changed = any(last is None or last.seen != seen or not last.of(index) for last in lasts)
        times = [last.scored_at for last in lasts if last is not None]
        return changed and (not times or self._clock() - max(times) >= self._every)

    async def _scored(self, labelled: Labelled, retriever: str, index: IndexState, seen: int) -> RetrievalScore:
        answerable = labelled.answerable()
        asked = answerable[: self._most_queries]
        rankings = {query: await self._retrievers.ranking(retriever, labelled.queries[query], DEPTH) for query in asked}
        found = measured(labelled, rankings)
        return RetrievalScore(
            labelled.name,
            labelled.digest,
            retriever,
            len(asked),
            len(answerable),
            found.least,
            found.unjudged_at_10,
            index.codes,
            seen,
            self._clock(),
            index.generation,
            found.condensed,
        )


async def list_scores(scores: RetrievalScores, labels: str, *, history: bool) -> list[RetrievalScore]:
    """The scores on one set of labels, or on all, by set and then best first; with history every one ever taken.

    Best is whose NDCG@10 is the highest with codes without a label counted as wrong.

    Of a set that has no correct code any more no score is the newest.

    Raises:
        UnknownLabelsError: no retriever was scored on labels of this name.
    """
    found = [score for score in await (scores.every() if history else scores.newest()) if score.queries]
    if labels:
        found = [score for score in found if score.labels == labels]
        if not found:
            raise UnknownLabelsError(
                "no retriever was scored on it",
                thing=labels,
                way_out="see `touchstone labels release list`; the current labels are called (current)",
            )
    return sorted(
        found,
        key=lambda score: (
            score.labels,
            -score.least("ndcg_at_10"),
            -score.condensed["ndcg_at_10"].value,
            score.retriever,
        ),
    )
