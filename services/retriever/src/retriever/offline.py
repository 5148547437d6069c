"""Rankings of query sets without a running retriever: `python -m retriever rank` and `fit`."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from retriever.adapters.agent import agent_of
from retriever.adapters.embedder import GrpcEmbedder, NamedModels
from retriever.adapters.memory_index import MemoryIndex
from retriever.adapters.query_set_codes import code_of_row
from retriever.adapters.weights import load_weights, weights_text
from retriever.domain.code import IndexEntry
from retriever.domain.ensemble import CROWDING, TEXT, weights_for
from retriever.domain.fitting import Candidates, cross_validated, kept_back
from retriever.errors import BadRequestError
from retriever.ports import QueryEmbedder
from retriever.settings import RetrieverSettings
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.comparing import ANYTHING, BM25, DEPTH, Ranking, Retrievers
from retriever.usecases.plain import PlainSearch
from touchstone_runtime.dialling import dial
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.llm import MemoryLedger
from touchstone_runtime.query_sets import QuerySet, read_beir, rows_of, run_files, run_lines

_TEXTS = 64


async def command(options: Namespace, settings: RetrieverSettings) -> int:
    """Run `rank` or `fit`; prints one JSON value, and an error in one line.

    Args:
        options: `command`, `beir`, `split`, `out` (folder), and of `rank` `retriever` (several).
        settings: Where the embedder is, and the weights.
    """
    address = settings.embedder_address
    found: Any
    try:
        async with dial(address, settings.identity()) as channel:
            embedder = NamedModels(GrpcEmbedder(channel, address), settings.search_models)
            if options.command == "rank":
                found = await rank(options, settings, embedder)
            else:
                found = await fit(options, embedder)
    except (TouchstoneError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


async def rank(options: Namespace, settings: RetrieverSettings, embedder: QueryEmbedder) -> list[dict[str, Any]]:
    """Write the run of each retriever; gives name, models, file and seconds of each, and the queries it did in part.

    Raises:
        TouchstoneError: the query set cannot be read, the embedder does not answer, or there is no such retriever.
    """
    queries = read_beir(options.beir, options.split)
    asked = _labelled(queries)
    # Text alone needs no model.
    index, models = await _indexed(options.beir, embedder if set(options.retriever) != {BM25} else None)
    plain = PlainSearch(index, embedder, load_weights(settings.search_weights_file))
    agent, close = agent_of(settings, MemoryLedger())
    augmented = AugmentedSearch(index, embedder, agent, settings.search_weights)
    retrievers = Retrievers(index, embedder, plain, settings.search_weights, augmented)
    found: list[dict[str, Any]] = []
    files = run_files(options.out, list(dict.fromkeys(options.retriever)))
    try:
        for name in files:
            run = await retrievers.run(name, asked, models)
            file = write_run(files[name], name, run.rankings)
            took = {"seconds": run.seconds, "tokens": run.tokens, "incomplete": dict(run.incomplete)}
            what = {"retriever": name, "models": list(run.models)}
            found.append({**what, "file": str(file), "queries": len(asked), **took})
    finally:
        await close()
    return found


async def fit(options: Namespace, embedder: QueryEmbedder) -> dict[str, Any]:
    """Fit weights on all queries, and write runs that show whether they hold.

    `fitted.run` ranks every query by weights that were fitted on the other folds, `kept_back.run` one half of
    them by weights fitted on the other half, `unfitted.run` by weights that nobody fitted, `alone.run` by the first
    model.

    Raises:
        TouchstoneError: the query set cannot be read, or the embedder does not answer.
    """
    queries = read_beir(options.beir, options.split)
    asked = _labelled(queries)
    index, models = await _indexed(options.beir, embedder)
    plain = PlainSearch(index, embedder, ())
    everything = [*models, TEXT, CROWDING]
    ranked = {query: await plain(text, ANYTHING, parts=everything) for query, text in asked.items()}
    candidates = Candidates(ranked, queries.labels, models)
    unfitted = weights_for(models, ())
    toward = candidates.numbers_of(unfitted)
    runs = {
        "fitted": cross_validated(candidates, unfitted),
        "kept_back": kept_back(candidates, unfitted),
        "unfitted": {query: candidates.ranking(row, toward) for row, query in enumerate(candidates.queries)},
        "alone": {
            query: candidates.ranking(row, np.eye(len(everything))[0]) for row, query in enumerate(candidates.queries)
        },
    }
    weights = candidates.weights_of(candidates.fitted(np.arange(len(candidates.queries)), toward))
    words = f"Fitted on {len(candidates.queries)} queries of {Path(options.beir).name}, {options.split}."
    return {
        "queries": len(candidates.queries),
        "weights": {"models": dict(weights.models), TEXT: weights.text, CROWDING: weights.crowding},
        "file": weights_text(weights, words),
        "runs": {name: str(write_run(options.out / f"{name}.run", name, of)) for name, of in runs.items()},
    }


def write_run(file: Path, name: str, rankings: Mapping[str, Ranking]) -> Path:
    """Write a run in TREC form; gives the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    cut = {query: ranking[:DEPTH] for query, ranking in rankings.items()}
    file.write_text("".join(f"{line}\n" for line in run_lines(cut, name)), "utf-8")
    return file


def _labelled(queries: QuerySet) -> dict[str, str]:
    """The words of the queries that have a correct code.

    Raises:
        BadRequestError: one has no words: it would be scored as if nothing had been found.
        PermanentError: there is none.
    """
    labelled = queries.answerable().labels
    if unasked := sorted(labelled.keys() - queries.queries.keys()):
        raise BadRequestError(
            f"{len(unasked)} of {len(labelled)} queries with a correct code have no words",
            thing=unasked[0][:80],
            way_out="add them to the queries, or take them out of the qrels",
        )
    return {query: text for query, text in queries.queries.items() if query in labelled}


async def _indexed(folder: Path, embedder: QueryEmbedder | None) -> tuple[MemoryIndex, Sequence[str]]:
    """An index of a corpus, with the names of the models whose vectors it has, by name."""
    codes = [code_of_row(function_id, row) for function_id, row in rows_of(folder)]
    entries: list[IndexEntry] = []
    for start in range(0, len(codes), _TEXTS):
        part = codes[start : start + _TEXTS]
        vectors = await embedder.embed([code.code for code in part], "code") if embedder else [{} for _ in part]
        entries += [IndexEntry(code, of_code) for code, of_code in zip(part, vectors, strict=True)]
        if sys.stderr.isatty():
            sys.stderr.write(f"\rcodes: {len(entries)} of {len(codes)}")
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    index = MemoryIndex()
    await index.upsert(entries)
    return index, sorted(entries[0].vectors) if entries else []
