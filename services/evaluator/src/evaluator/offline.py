"""Scores of retrievers without a running evaluator: `python -m evaluator retrieval`."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evaluator.domain.clustered import Interval
from evaluator.domain.judged import Judgement, PairAsked
from evaluator.domain.pooling import joined, still_unjudged, unjudged
from evaluator.domain.retrieval import MEASURES, condensed, gain, scores_by_query
from touchstone_runtime.errors import PermanentError, TouchstoneError
from touchstone_runtime.query_sets import QuerySet, languages_of, read_beir, read_run


async def retrieval(options: Namespace) -> int:
    """Score runs against labels; prints one JSON array, one object a run.

    Args:
        options: `beir`, `split`, `run` (several), `baseline` (a run), `identity` (what is shown to the annotator),
            `judge` (so many unjudged pairs among the first ten places are judged anew), `annotator` (address),
            `language` (of codes whose corpus names none).
    """
    try:
        # Whoever ranked was asked no other queries; with a new label one would count against who was not asked it.
        queries = read_beir(options.beir, options.split).answerable()
        rankings = {str(path): read_run(path) for path in options.run or ()}
        if not rankings:
            raise PermanentError("nothing to score", way_out="name a run with --run")
        baseline = read_run(options.baseline) if options.baseline else None
        before = queries_scored(queries, rankings, baseline)
        results = before
        if options.judge:
            judgements = await _judged(queries, [*rankings.values(), *([baseline] if baseline else ())], options)
            queries = with_judgements(queries, judgements)
            after = queries_scored(queries, rankings, baseline)
            results = [resting(now, was, judgements) for now, was in zip(after, before, strict=True)]
    except TouchstoneError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(json.dumps(results) + "\n")
    return 0


def queries_scored(
    queries: QuerySet, rankings: Mapping[str, Mapping[str, Sequence[str]]], baseline: Mapping[str, Sequence[str]] | None
) -> list[dict[str, Any]]:
    """Every run against the labels of a query set, undecided pairs left out of rankings.

    Where a run says what the baseline says, its gain is 0 for certain.
    """
    results: list[dict[str, Any]] = []
    theirs = condensed(baseline, queries.undecided) if baseline is not None else None
    for name, ranking in rankings.items():
        ours = theirs if theirs is not None and ranking == baseline else condensed(ranking, queries.undecided)
        result = scored(name, ours, queries.gains, theirs)
        results.append({**result, "unjudged_at_10": still_unjudged(ranking, queries.judged, queries.undecided)})
    return results


def with_judgements(queries: QuerySet, judgements: Sequence[Judgement]) -> QuerySet:
    """A query set with new labels."""

    def of(*outcomes: str) -> list[tuple[str, str]]:
        return [(each.query_id, each.code_id) for each in judgements if each.outcome in outcomes]

    return replace(
        queries,
        labels=joined(queries.labels, of("yes")),
        judged=joined(queries.judged, of("yes", "no")),
        undecided=joined(queries.undecided, of("undecided")),
    )


def resting(now: dict[str, Any], was: dict[str, Any], judgements: Sequence[Judgement]) -> dict[str, Any]:
    """The result of a run with what of it rests on labels that its query set does not have.

    Adds `before`, the figures without these labels; `rests_on_new_labels`, the figures that they change; and
    `new_labels`, how many there are of which outcome and how many were judged for this evaluation.
    """
    changed = [name for name, value in now.items() if name != "run" and value != was.get(name)]
    counts = Counter(each.outcome for each in judgements)
    new = {outcome: counts[outcome] for outcome in ("yes", "no", "undecided")}
    fresh = sum(each.fresh for each in judgements)
    return {**now, "new_labels": {**new, "judged_now": fresh}, "rests_on_new_labels": changed, "before": was}


async def _judged(
    queries: QuerySet, rankings: Sequence[Mapping[str, Sequence[str]]], options: Namespace
) -> list[Judgement]:
    """New labels of what is measured; where undecided codes make room, of what takes their places as well."""
    found: list[Judgement] = []
    left = options.judge
    while left > 0:
        asked = {(each.query_id, each.code_id) for each in found}
        round_of = await _judgements(with_judgements(queries, found), rankings, asked, left, options)
        found += round_of
        left -= sum(each.fresh for each in round_of)
        if not any(each.outcome == "undecided" for each in round_of):
            break
    return found


async def _judgements(
    queries: QuerySet,
    rankings: Sequence[Mapping[str, Sequence[str]]],
    asked: Collection[tuple[str, str]],
    budget: int,
    options: Namespace,
) -> list[Judgement]:
    # The libraries of calls take seconds to load, and runs alone need none.
    from evaluator.adapters.judging import judge

    languages = languages_of(options.beir)
    pairs = [
        PairAsked(
            query, code, queries.queries[query], queries.codes[code], languages.get(code) or str(options.language)
        )
        for query, code in unjudged(rankings, queries.judged, queries.undecided)
        if query in queries.queries and code in queries.codes and (query, code) not in asked
    ]
    return await judge(options.annotator, options.identity, pairs, budget) if pairs else []


def scored(
    name: str,
    rankings: Mapping[str, Sequence[str]],
    labels: Mapping[str, Collection[str]],
    baseline: Mapping[str, Sequence[str]] | None,
) -> dict[str, Any]:
    """All measures of one run, with its gain over the baseline where there is one; over itself it is 0."""
    result: dict[str, Any] = {"run": name, "queries": sum(bool(codes) for codes in labels.values())}
    for measure in MEASURES:
        ours = list(scores_by_query(measure, rankings, labels).values())
        result[measure] = float(np.mean(ours)) if ours else 0.0
        if baseline is not None and ours:
            theirs = list(scores_by_query(measure, baseline, labels).values())
            over = gain(ours, theirs) if baseline is not rankings else Interval(0.0, 0.0, 0.0)
            result[f"{measure}_gain"] = [over.value, over.low, over.high]
    return result
