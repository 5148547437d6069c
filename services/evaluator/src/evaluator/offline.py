"""Scores of retrievers without a running evaluator: `python -m evaluator retrieval`."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.adapters.retrieval_files import QuerySet, ranked, read_beir, read_run, run_lines
from evaluator.domain.retrieval import MEASURES, condensed, paired_bootstrap, scores_by_query
from touchstone_runtime.errors import PermanentError, TouchstoneError

_DEPTH = 100


async def retrieval(options: Namespace) -> int:
    """Score runs against labels; prints one JSON array, one object a run.

    Args:
        options: `beir`, `split`, `run` (several), `model` (several, through the embedder), `baseline` (a run),
            `embedder` (address), `identity` (what is shown to it), `write_run` (folder).
    """
    try:
        queries = read_beir(options.beir, options.split)
        rankings = {str(path): read_run(path) for path in options.run or ()}
        if options.model:
            rankings |= await _by_models(queries, options)
        if not rankings:
            raise PermanentError("nothing to score", way_out="name a run with --run, or a model with --model")
        baseline = read_run(options.baseline) if options.baseline else None
        known = {name: condensed(ranking, queries.undecided) for name, ranking in rankings.items()}
        baseline = condensed(baseline, queries.undecided) if baseline is not None else None
        results = [scored(name, ranking, queries.labels, baseline) for name, ranking in known.items()]
    except TouchstoneError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(json.dumps(results) + "\n")
    return 0


def scored(
    name: str,
    rankings: Mapping[str, Sequence[str]],
    labels: Mapping[str, frozenset[str]],
    baseline: Mapping[str, Sequence[str]] | None,
) -> dict[str, Any]:
    """All measures of one run, with its gain over the baseline where there is one."""
    result: dict[str, Any] = {"run": name, "queries": sum(bool(codes) for codes in labels.values())}
    for measure in MEASURES:
        ours = list(scores_by_query(measure, rankings, labels).values())
        result[measure] = float(np.mean(ours)) if ours else 0.0
        if baseline is not None and ours:
            theirs = list(scores_by_query(measure, baseline, labels).values())
            gain = paired_bootstrap(ours, theirs)
            result[f"{measure}_gain"] = [gain.mean, gain.low, gain.high]
    return result


async def _by_models(queries: QuerySet, options: Namespace) -> dict[str, dict[str, list[str]]]:
    """Rankings of each model alone, and of the mean of all where there are several."""
    # The libraries of calls take seconds to load, and runs alone need none.
    from evaluator.adapters.embedding import embedding

    models, folder = options.model, options.write_run
    ids, asked = list(queries.codes), [query for query in queries.queries if query in queries.labels]
    total = np.zeros((len(asked), len(ids)))
    found: dict[str, dict[str, list[str]]] = {}
    async with embedding(options.embedder, options.identity) as embed:
        for model in models:
            codes = await embed(model, list(queries.codes.values()), "code")
            cosines = await embed(model, [queries.queries[query] for query in asked], "query") @ codes.T
            total += cosines
            found[model] = _best(model, asked, ids, cosines, folder)
    if len(models) > 1:
        found["mean"] = _best("mean", asked, ids, total / len(models), folder)
    return found


def _best(
    name: str, queries: Sequence[str], ids: Sequence[str], scores: NDArray[Any], folder: Path | None
) -> dict[str, list[str]]:
    kept: dict[str, dict[str, float]] = {}
    for query, row in zip(queries, scores, strict=True):
        kept[query] = {ids[int(place)]: float(row[int(place)]) for place in np.argsort(-row, kind="stable")[:_DEPTH]}
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.run").write_text("".join(f"{line}\n" for line in run_lines(kept, name)))
    return {query: ranked(of_codes) for query, of_codes in kept.items()}
