"""Every retriever of the platform on every set of labels: again whenever labels or the index have changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from evaluator.domain.labelled import (
    CURRENT,
    DEPTH,
    IndexState,
    Labelled,
    RetrievalScore,
    in_time,
    measured,
    standing,
    taken_last,
    to_score,
)
from evaluator.errors import UnknownLabelsError
from evaluator.ports import LabelSets, RetrievalScores, Retrievers
from touchstone_runtime.errors import PermanentError, TouchstoneError


def _now() -> datetime:
    return datetime.now(UTC)


class _Swept(NamedTuple):
    """What a look at one set came to: scores added, why others were not, and whether the index is as it was."""

    added: int = 0
    faults: Sequence[TouchstoneError] = ()
    same_index: bool = True


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
        # By set and retriever, what a refusal was about and when: at each look again it would cost the same again.
        self._refused: dict[tuple[str, str], tuple[str, IndexState, datetime]] = {}
        # By set, when it was scored here last, by the clock as it is.
        self._scored_at: dict[str, datetime] = {}

    async def sweep(self) -> int:
        """Score what has no score as it stands now; gives how many scores were added.

        Raises:
            TouchstoneError: annotator, retriever or store do not answer, or a retriever refuses a query, which it is
                asked again after `every`. It is told after all other sets and retrievers had their turn, and what was
                scored is kept.
        """
        newest: dict[str, list[RetrievalScore]] = {}
        for score in await self._scores.newest():
            newest.setdefault(score.labels, []).append(score)
        seen = await self._scores.seen()
        releases = await self._sets.releases()
        if not releases and not seen:
            return 0
        names, index = await self._retrievers.available()
        added, faults = 0, list[TouchstoneError]()
        for name, digest in [*releases, (CURRENT, "")]:
            swept = await self._sweep_set(name, digest, newest.get(name, []), names, index, seen)
            added += swept.added
            faults += swept.faults
            if not swept.same_index:
                break
        if faults:
            raise faults[0]
        return added

    async def _sweep_set(
        self,
        name: str,
        digest: str,
        scores: Sequence[RetrievalScore],
        names: Sequence[str],
        index: IndexState,
        seen: int,
    ) -> _Swept:
        """Score what has no score on one set; a set that cannot be read, and a retriever that fails, stop no other."""
        if name == CURRENT and not self._current_is_due(scores, names, index, seen):
            return _Swept()
        try:
            # Of the labels of now only the rows tell what they are.
            labelled = await self._sets.labelled(name, digest) if name == CURRENT else None
            now = labelled.digest if labelled else digest
            announced = name == CURRENT and _announced(scores, seen)
            able = [each for each in names if not self._refused_lately(name, each, now, index)]
            wanted = self._wanted(able, scores, now, index, announced=announced)
            if not wanted:
                return _Swept()
            labelled = labelled or await self._sets.labelled(name, digest)
        except TouchstoneError as error:
            return _Swept(faults=[error])
        rankings, failed = await self._asked(labelled, wanted)
        if len(wanted) < len(able) and (await self._retrievers.available())[1] != index:
            # Who joins others had another index than they: all are scored together at a later look.
            return _Swept(faults=list(failed.values()), same_index=False)
        added, last = 0, taken_last(scores)
        at = clock = self._clock()
        if last and last.scored_at > clock:
            # The clock was ahead then: what is scored now is what is shown all the same.
            at = last.scored_at + timedelta(microseconds=1)
        for retriever in wanted:
            if retriever in failed:
                continue
            scored = self._scored(labelled, retriever, rankings[retriever], index, seen, at)
            if scored.queries or scores:
                # Where no correct code is left, what was scored before has lapsed.
                await self._scores.add(scored)
                self._scored_at[name] = clock
                added += bool(scored.queries)
        for retriever, error in failed.items():
            if isinstance(error, PermanentError):
                self._refused[name, retriever] = (now, index, self._clock())
        return _Swept(added, list(failed.values()))

    def _refused_lately(self, name: str, retriever: str, digest: str, index: IndexState) -> bool:
        """Whether a retriever refused a query of the very same labels and index, less than `every` ago."""
        before = self._refused.get((name, retriever))
        return before is not None and before[:2] == (digest, index) and self._clock() - before[2] < self._every

    def _current_is_due(
        self, scores: Sequence[RetrievalScore], names: Sequence[str], index: IndexState, seen: int
    ) -> bool:
        """Whether the labels of now are worth reading: whoever announced none since has changed none."""
        last = taken_last(scores)
        if last is None:
            return True
        announced = _announced(scores, seen)
        lacking = self._wanted(names, scores, last.digest, index, announced=announced)
        return bool(lacking) and self._is_due(last)

    def _is_due(self, last: RetrievalScore) -> bool:
        """Whether a set whose last score this is was scored long enough ago.

        A score from ahead of now is of a clock that was wrong: it tells nothing of when that was, and of what this
        process did itself it knows better.
        """
        told = (last.scored_at, self._scored_at.get(last.labels))
        now = self._clock()
        return all(now - at >= self._every for at in told if at is not None and at <= now)

    def _wanted(
        self,
        names: Sequence[str],
        scores: Sequence[RetrievalScore],
        digest: str,
        index: IndexState,
        *,
        announced: bool,
    ) -> list[str]:
        last = taken_last(scores)
        due = last is None or self._is_due(last)
        return to_score(names, scores, digest, index, self._most_queries, due=due, announced=announced)

    async def _asked(
        self, labelled: Labelled, retrievers: Sequence[str]
    ) -> tuple[dict[str, dict[str, list[str]]], dict[str, TouchstoneError]]:
        """Rankings by retriever and query, and why a retriever has none.

        Code may be indexed meanwhile, and whoever searches less of it finds what is right sooner. So each query is put
        to all before the next one, and another retriever is the first at each.
        """
        rankings: dict[str, dict[str, list[str]]] = {name: {} for name in retrievers}
        failed: dict[str, TouchstoneError] = {}
        for number, query in enumerate(labelled.answerable()[: self._most_queries]):
            first = number % len(retrievers)
            for name in [*retrievers[first:], *retrievers[:first]]:
                if name in failed:
                    continue
                try:
                    rankings[name][query] = await self._retrievers.ranking(name, labelled.queries[query], DEPTH)
                except TouchstoneError as error:
                    failed[name] = error
        return rankings, failed

    def _scored(
        self,
        labelled: Labelled,
        retriever: str,
        rankings: Mapping[str, Sequence[str]],
        index: IndexState,
        seen: int,
        at: datetime,
    ) -> RetrievalScore:
        found = measured(labelled, rankings)
        return RetrievalScore(
            labelled.name,
            labelled.digest,
            retriever,
            len(rankings),
            len(labelled.answerable()),
            found.least,
            found.unjudged_at_10,
            index.codes,
            seen,
            at,
            index.generation,
            found.condensed,
            index_digest=index.digest,
        )


def _announced(scores: Sequence[RetrievalScore], seen: int) -> bool:
    """Whether labels were announced since the last of these scores was taken."""
    last = taken_last(scores)
    return last is not None and last.seen != seen


async def list_scores(scores: RetrievalScores, labels: str, *, history: bool) -> list[RetrievalScore]:
    """The scores on one set of labels, or on all; with history every one ever taken.

    They come by set, then by what they rest on, the newest first, then best first: whose NDCG@10 is the highest with
    codes without a label counted as wrong. Without history those of a set rest on the same labels and index, and of a
    set that has no correct code any more there is none.

    Raises:
        UnknownLabelsError: no retriever was scored on labels of this name.
    """
    found = await scores.every() if history else standing(await scores.newest())
    found = [score for score in found if score.queries and labels in ("", score.labels)]
    if labels and not found:
        raise UnknownLabelsError(
            "no retriever was scored on it",
            thing=labels,
            way_out="see `touchstone labels release list`; the current labels are called (current)",
        )
    newest = {(score.labels, score.basis): score.scored_at.timestamp() for score in in_time(found)}
    return sorted(
        found,
        key=lambda score: (
            score.labels,
            -newest[score.labels, score.basis],
            score.basis,
            -score.least("ndcg_at_10"),
            -score.condensed["ndcg_at_10"].value,
            score.retriever,
        ),
    )
