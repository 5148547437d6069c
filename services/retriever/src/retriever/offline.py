"""Rankings of query sets without a running retriever: `python -m retriever rank` and `fit`."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retriever.adapters.agent import agent_of
from retriever.adapters.embedder import GrpcEmbedder, NamedModels
from retriever.adapters.memory_index import MemoryIndex
from retriever.adapters.query_set_codes import code_of_row
from retriever.adapters.weights import load_weights, weights_text
from retriever.domain.code import IndexedCode, IndexEntry
from retriever.domain.ensemble import CROWDING, TEXT, weights_for
from retriever.domain.fitting import Candidates, cross_validated, kept_back
from retriever.errors import BadRequestError
from retriever.ports import QueryEmbedder
from retriever.settings import RetrieverSettings
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.comparing import ANYTHING, BM25, DEPTH, Ranking, Retrievers, TimedEmbedder
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
    asked = _labelled(read_beir(options.beir, options.split))
    timed, index = TimedEmbedder(embedder), MemoryIndex()
    plain = PlainSearch(index, timed, load_weights(settings.search_weights_file))
    codes = _codes(options.beir)
    # Text alone needs no model.
    source = embedder if set(options.retriever) != {BM25} else None
    models = await _models(codes, source)
    agent, close = agent_of(settings, MemoryLedger())
    augmented = AugmentedSearch(index, timed, agent, settings.search_weights)
    retrievers = Retrievers(index, timed, plain, settings.search_weights, augmented)
    found: list[dict[str, Any]] = []
    files = run_files(options.out, list(dict.fromkeys(options.retriever)))
    try:
        # Vectors of a corpus take minutes: whoever asks for what there is not shall not wait for them.
        retrievers.demand(list(files), models)
        await _fill(index, codes, source)
        for name in files:
            before = timed.spared
            run = await retrievers.run(name, asked, models)
            file = write_run(files[name], name, run.rankings)
            seconds = run.seconds + timed.spared - before
            took = {"seconds": seconds, "tokens": run.tokens, "incomplete": dict(run.incomplete)}
            what = {"retriever": name, "models": list(run.models)}
            found.append({**what, "file": str(file), "queries": len(asked), **took})
    finally:
        await close()
    return found


async def fit(options: Namespace, embedder: QueryEmbedder) -> dict[str, Any]:
    """Fit weights on all queries, and write runs that show whether they hold.

    `fitted.run` ranks every query by weights that were fitted on the other folds, `kept_back.run` one half of
    them by weights fitted on the other half, `unfitted.run` by weights that nobody fitted. `alone` has a run of each
    model by itself: which of them is the best, and the bar, who scores them tells.

    Raises:
        TouchstoneError: the query set cannot be read, or the embedder does not answer.
    """
    queries = read_beir(options.beir, options.split)
    asked = _labelled(queries)
    index, codes = MemoryIndex(), _codes(options.beir)
    models = await _models(codes, embedder)
    await _fill(index, codes, embedder)
    plain = PlainSearch(index, embedder, ())
    everything = [*models, TEXT, CROWDING]
    ranked = {query: await plain(text, ANYTHING, parts=everything) for query, text in asked.items()}
    candidates = Candidates(ranked, queries.labels, models)
    unfitted = weights_for(models, ())
    toward = candidates.numbers_of(unfitted)
    runs = {
        "fitted": cross_validated(candidates, unfitted),
        "kept_back": kept_back(candidates, unfitted),
        "unfitted": _by(candidates, toward),
    }
    alone = dict(zip(models, np.eye(len(everything)), strict=False))
    files = run_files(options.out / "alone", models)
    weights = candidates.weights_of(candidates.fitted(np.arange(len(candidates.queries)), toward))
    words = f"Fitted on {len(candidates.queries)} queries of {Path(options.beir).name}, {options.split}."
    return {
        "queries": len(candidates.queries),
        "weights": {"models": dict(weights.models), TEXT: weights.text, CROWDING: weights.crowding},
        "file": weights_text(weights, words),
        "runs": {name: str(write_run(options.out / f"{name}.run", name, of)) for name, of in runs.items()},
        "alone": {name: str(write_run(files[name], name, _by(candidates, only))) for name, only in alone.items()},
    }


def _by(candidates: Candidates, weights: NDArray[np.float64]) -> dict[str, list[tuple[str, float]]]:
    return {query: candidates.ranking(row, weights) for row, query in enumerate(candidates.queries)}


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


def _codes(folder: Path) -> list[IndexedCode]:
    return [code_of_row(function_id, row) for function_id, row in rows_of(folder)]


async def _models(codes: Sequence[IndexedCode], embedder: QueryEmbedder | None) -> list[str]:
    """The names of the models whose vectors codes get, in their order."""
    if embedder is None or not codes:
        return []
    [vectors] = await embedder.embed([codes[0].code], "code")
    return sorted(vectors)


async def _fill(index: MemoryIndex, codes: Sequence[IndexedCode], embedder: QueryEmbedder | None) -> None:
    """Put codes into an index, with their vectors where somebody makes them."""
    entries: list[IndexEntry] = []
    for start in range(0, len(codes), _TEXTS):
        part = codes[start : start + _TEXTS]
        vectors = await embedder.embed([code.code for code in part], "code") if embedder else [{} for _ in part]
        entries += [IndexEntry(code, of_code) for code, of_code in zip(part, vectors, strict=True)]
        if sys.stderr.isatty():
            sys.stderr.write(f"\rcodes: {len(entries)} of {len(codes)}")
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    await index.upsert(entries)
