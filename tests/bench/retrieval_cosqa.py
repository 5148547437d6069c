"""Retrieval quality on CoSQA, as JSON lines on standard output.

Measures the platform's own embedding models, index and scores in one process. Needs a folder with
`corpus.jsonl`, `queries_dev.jsonl` and `qrels_dev.tsv` (BEIR form); where there is none it says so and ends.

Run: python tests/bench/retrieval_cosqa.py [--data FOLDER] [--models A,B] [--queries N]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
import time
from pathlib import Path

import numpy as np

from embedder.adapters.models import load_model
from embedder.app import model_folders
from embedder.domain.texts import embedding_text, text_digest
from embedder.domain.units import CodeUnit
from embedder.settings import EmbedderSettings
from retriever.adapters.memory_index import MemoryIndex
from retriever.domain.code import IndexedCode, IndexEntry, SearchFilter
from retriever.settings import RetrieverSettings
from retriever.usecases.plain import PlainSearch

ROOT = Path(__file__).parents[2]
DEPTH = 10


def read_lines(path: Path) -> list[dict]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def texts_of(corpus: list[dict], limit: int) -> list[str]:
    units = [CodeUnit(one["id"], "", "python", "", "", "function", one["code"], "", "", "") for one in corpus]
    return [embedding_text(unit, [], limit) for unit in units]


def vectors_of(model, texts: list[str], role: str, cache: Path) -> tuple[np.ndarray, float]:
    """Vectors and the seconds they took; kept on disk, since the corpus takes minutes on a CPU."""
    name = text_digest("\n".join([model.identity, role, *texts]))[:24]
    file = cache / f"{model.name.replace('/', '_')}-{name}.npy"
    if file.is_file():
        return np.load(file), 0.0
    started = time.monotonic()
    rows = []
    for start in range(0, len(texts), 64):
        rows.append(model.encode(texts[start : start + 64], role, "bulk"))
        print(f"\r{model.name} {role}: {min(start + 64, len(texts))}/{len(texts)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    vectors = np.concatenate(rows)
    seconds = time.monotonic() - started
    cache.mkdir(parents=True, exist_ok=True)
    np.save(file, vectors)
    return vectors, seconds


def scores_of(ranked: list[str], relevant: set[str]) -> tuple[float, float, float]:
    """NDCG, MRR and recall at ten of one query, labels being yes or no."""
    gains = [1.0 / math.log2(rank + 1) for rank, found in enumerate(ranked[:DEPTH], 1) if found in relevant]
    ideal = sum(1.0 / math.log2(rank + 1) for rank in range(1, min(len(relevant), DEPTH) + 1))
    first = next((1.0 / rank for rank, found in enumerate(ranked[:DEPTH], 1) if found in relevant), 0.0)
    return sum(gains) / ideal, first, len(set(ranked[:DEPTH]) & relevant) / len(relevant)


async def measure(index, queries, relevant, vectors, weights, crowding) -> dict:
    search = PlainSearch(index, None, weights, crowding=crowding)
    started = time.monotonic()
    scores = []
    for query, of_query in zip(queries, vectors, strict=True):
        hits = await search.by_vectors(of_query, SearchFilter(), DEPTH)
        scores.append(scores_of([one.hit.code.function_id for one in hits], relevant[query["id"]]))
    ndcg, mrr, recall = np.mean(scores, axis=0)
    return {
        "ndcg_at_10": round(float(ndcg), 4),
        "mrr_at_10": round(float(mrr), 4),
        "recall_at_10": round(float(recall), 4),
        "queries": len(queries),
        "ms_per_query": round(1000 * (time.monotonic() - started) / len(queries), 2),
    }


async def bench(data: Path, names: list[str], most_queries: int, cache: Path) -> None:
    settings, retriever = EmbedderSettings(), RetrieverSettings()
    corpus, queries = read_lines(data / "corpus.jsonl"), read_lines(data / "queries_dev.jsonl")[:most_queries]
    relevant: dict[str, set[str]] = {}
    for line in (data / "qrels_dev.tsv").read_text().splitlines()[1:]:
        query, code, score = line.split("\t")
        if int(score) > 0:
            relevant.setdefault(query, set()).add(code)
    texts = texts_of(corpus, settings.embedding_characters)
    of_codes, of_queries = {}, {}
    for name in names:
        model = load_model(name, model_folders(settings))
        of_codes[name], seconds = vectors_of(model, texts, "code", cache)
        of_queries[name], _ = vectors_of(model, [query["text"] for query in queries], "query", cache)
        if seconds:
            speed = {"bench": "embedding", "model": name, "device": model.device}
            print(json.dumps({**speed, "functions_per_s": round(len(texts) / seconds, 1)}))
    index = MemoryIndex()
    blank = IndexedCode("", "", "", "cosqa", "", "", "python", "", "", "function", "", "", True, "")
    await index.upsert(
        [
            IndexEntry(
                IndexedCode(**{**blank.__dict__, "function_id": one["id"], "qualname": one["id"]}),
                {name: of_codes[name][number] for name in names},
            )
            for number, one in enumerate(corpus)
        ]
    )
    by_query = [{name: of_queries[name][number] for name in names} for number in range(len(queries))]
    runs = [(name, {other: 0.0 for other in names if other != name}, 0.0) for name in names]
    runs += [
        ("mean of all, equal weights", {}, 0.0),
        ("mean of all, shipped weights", retriever.search_weights, 0.0),
        ("shipped search", retriever.search_weights, retriever.search_crowding),
    ]
    for label, weights, crowding in runs:
        result = await measure(index, queries, relevant, by_query, weights, crowding)
        print(json.dumps({"bench": "retrieval_cosqa_dev", "search": label, **result}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data/cosqa", help="folder of the data set")
    parser.add_argument("--models", default=",".join(EmbedderSettings().embedding_models))
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--cache", type=Path, default=ROOT / ".state/bench")
    chosen = parser.parse_args()
    if not (chosen.data / "corpus.jsonl").is_file():
        print(json.dumps({"bench": "retrieval_cosqa_dev", "skipped": f"no data set in {chosen.data}; see --data"}))
        return
    asyncio.run(bench(chosen.data, chosen.models.split(","), chosen.queries, chosen.cache))


if __name__ == "__main__":
    main()
