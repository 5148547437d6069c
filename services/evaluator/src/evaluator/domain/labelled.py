"""Labels that retrievers are scored on, and the scores."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from evaluator.domain.clustered import Interval
from evaluator.domain.pooling import places_measured
from evaluator.domain.retrieval import MEASURES, condensed, mean_of, scores_by_query

# The labels of now, as a set beside the releases; no release can have this name's first letter.
CURRENT = "(current)"
# So many places of a ranking are asked for.
DEPTH = 100
# How scores are made; goes up when the same rankings give other figures. The first one had condensed rankings alone,
# and intervals by the percentile bootstrap; the second counted places without a label before undecided codes left the
# ranking, and scored augmented searches whose model had left out steps.
METHOD = 3


@dataclass(frozen=True)
class Labelled:
    """A set of labels.

    Attributes:
        name: A release's name, or `CURRENT`.
        digest: Names its content.
        queries: Words by id.
        correct: For each query the codes that answer it.
        judged: For each query the codes that have a label, whatever it says.
        undecided: For each query the codes about which nobody could tell.
    """

    name: str
    digest: str
    queries: Mapping[str, str]
    correct: Mapping[str, frozenset[str]]
    judged: Mapping[str, frozenset[str]]
    undecided: Mapping[str, frozenset[str]]

    def answerable(self) -> list[str]:
        """Ids of the queries that have a correct code, the same ones first each time, from all over the set."""
        ids = [query for query in self.queries if self.correct.get(query)]
        return sorted(ids, key=lambda query: hashlib.sha256(query.encode()).digest())


class LabelledRows:
    """Collects a set of labels row by row."""

    def __init__(self) -> None:
        self._queries: dict[str, str] = {}
        self._labels: dict[str, dict[str, set[str]]] = {"yes": {}, "no": {}, "undecided": {}}
        self._digest = hashlib.sha256()

    def query(self, query_id: str, text: str) -> None:
        """Take a query."""
        self._queries[query_id] = text

    def label(self, query_id: str, function_id: str, outcome: str) -> None:
        """Take a label; an outcome of a later version tells nothing, and counts as undecided."""
        known = outcome if outcome in self._labels else "undecided"
        self._labels[known].setdefault(query_id, set()).add(function_id)
        self._digest.update(f"{query_id}\t{function_id}\t{outcome}\n".encode())

    def finish(self, name: str, digest: str = "") -> Labelled:
        """The set; without a digest of its own it is named by its rows, which come in one order."""
        correct, wrong = self._labels["yes"], self._labels["no"]
        judged = {query: frozenset(correct.get(query, set()) | wrong.get(query, set())) for query in {*correct, *wrong}}
        undecided = {query: frozenset(codes) for query, codes in self._labels["undecided"].items()}
        yes = {query: frozenset(codes) for query, codes in correct.items()}
        return Labelled(name, digest or self._digest.hexdigest(), self._queries, yes, judged, undecided)


@dataclass(frozen=True)
class IndexState:
    """What retrievers have.

    Attributes:
        codes: How many.
        generation: The generation of the index that answers; empty where there is none.
        digest: Names the codes and which of them lack vectors of that generation: as many others are another index.
    """

    codes: int
    generation: str
    digest: str


@dataclass(frozen=True)
class RetrievalScore:
    """How well one retriever found what a set of labels calls correct.

    Attributes:
        labels: Name of the set.
        digest: Of its content.
        retriever: Name of the retriever.
        queries: How many were asked; 0 where the set has no correct code any more, and what was scored before lapses.
        answerable: How many have a correct code.
        measures: By the names of `MEASURES`, codes without a label counted as wrong; empty where the method was the
            first, which did not measure so.
        unjudged_at_10: Places among the first ten of the least, over all queries, that have no label.
        indexed: How many codes the retriever had.
        seen: Labels that had been announced when it was scored.
        scored_at: When.
        generation: The index generation that answered, named by the digest of models, text form and weights; empty
            where there was none, or nobody noted it.
        condensed: The same measures, codes without a label taken out of the rankings.
        method: The `METHOD` that it was scored by.
        index_digest: See `IndexState.digest`; empty where nobody noted it.
    """

    labels: str
    digest: str
    retriever: str
    queries: int
    answerable: int
    measures: Mapping[str, Interval]
    unjudged_at_10: int
    indexed: int
    seen: int
    scored_at: datetime
    generation: str = ""
    condensed: Mapping[str, Interval] = field(default_factory=dict[str, Interval])
    method: int = METHOD
    index_digest: str = ""

    def of(self, index: IndexState) -> bool:
        """Whether the retriever had this index, and was scored as one is scored now."""
        rests_on = (IndexState(self.indexed, self.generation, self.index_digest), self.method)
        return rests_on == (index, METHOD)

    @property
    def basis(self) -> tuple[str, int, str, str, int, int]:
        """What it rests on: scores that share it can be compared."""
        return (self.digest, self.indexed, self.generation, self.index_digest, self.method, self.queries)

    def least(self, measure: str) -> float:
        """A measure with codes without a label counted as wrong; below every other where nobody measured it."""
        return self.measures[measure].value if measure in self.measures else -1.0


class Measured(NamedTuple):
    """Means over queries.

    Attributes:
        least: Codes without a label keep their places and count as wrong, as in the evaluation of any run.
        condensed: They leave the rankings before these are scored. No lower, and the higher the less of what a
            retriever finds was ever labelled; codes that are right and have no label may put the truth below both.
        unjudged_at_10: Places among the first ten, over all queries, that have no label.
    """

    least: dict[str, Interval]
    condensed: dict[str, Interval]
    unjudged_at_10: int


def measured(labelled: Labelled, rankings: Mapping[str, Sequence[str]]) -> Measured:
    """Score rankings of an index that holds more than what is labelled.

    Undecided codes leave all rankings: they were looked at, and nobody could tell.

    Args:
        labelled: The labels.
        rankings: For each query that was asked, the codes that were found, best first.

    Source: Sakai 2007, condensed lists.
    """
    correct = {query: labelled.correct[query] for query in rankings}
    unjudged: dict[str, Collection[str]] = {
        query: frozenset(ranking) - labelled.judged.get(query, frozenset()) for query, ranking in rankings.items()
    }
    without = sum(
        code not in labelled.judged.get(query, frozenset())
        for query, ranking in rankings.items()
        for code in places_measured(ranking, labelled.undecided.get(query, frozenset()))
    )

    def means(held: Mapping[str, Sequence[str]]) -> dict[str, Interval]:
        return {measure: mean_of(list(scores_by_query(measure, held, correct).values())) for measure in MEASURES}

    return Measured(means(condensed(rankings, labelled.undecided)), means(condensed(rankings, unjudged)), without)


def in_time(scores: Iterable[RetrievalScore]) -> list[RetrievalScore]:
    """Scores in the order in which they were taken."""
    return sorted(scores, key=lambda score: score.scored_at)


def taken_last(scores: Iterable[RetrievalScore]) -> RetrievalScore | None:
    """The score that was taken last, if there is any."""
    return max(scores, key=lambda score: score.scored_at, default=None)


def standing(scores: Iterable[RetrievalScore]) -> list[RetrievalScore]:
    """Of the newest score of each retriever on each set those that rest on what the newest of their set rests on.

    Other labels, or another index, are another question: a retriever that was not asked it has no place among those
    that were. So one that is gone leaves when the others are scored again, and all do where no correct code is left.
    """
    found = in_time(scores)
    newest = {score.labels: score.basis for score in found}
    return [score for score in found if score.basis == newest[score.labels]]


def to_score(
    names: Sequence[str],
    scores: Collection[RetrievalScore],
    digest: str,
    index: IndexState,
    most_queries: int,
    *,
    due: bool,
    announced: bool = False,
) -> list[str]:
    """The retrievers that are to be scored on a set of labels.

    Args:
        names: Those that there are.
        scores: The newest score of each retriever on the set of this name.
        digest: Of the set's content now.
        index: What the retrievers have now.
        most_queries: How many are asked of a set at most.
        due: Whether it is long enough since the set was scored.
        announced: Whether labels were announced since it was scored.

    Returns:
        All of them together, when labels, the index or the number of queries have changed; else those that were not
        scored with the others.
    """
    last = taken_last(scores)
    if last is None:
        return list(names)
    asked_alike = last.queries == min(last.answerable, most_queries)
    if not announced and last.digest == digest and last.of(index) and asked_alike:
        there = {score.retriever for score in scores if score.basis == last.basis}
        return [name for name in names if name not in there]
    return list(names) if due else []
