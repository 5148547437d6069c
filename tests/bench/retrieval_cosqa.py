"""Retrieval quality on CoSQA, as JSON lines on standard output.

Measures the platform's own embedding models, text part, ranking and measures in one process, and fits the weights of
the ranking. Needs a folder with `corpus.jsonl`, `queries_<split>.jsonl` and `qrels_<split>.tsv` (BEIR form); where
there is none it says so and ends.

Run: python tests/bench/retrieval_cosqa.py [--data FOLDER] [--split S] [--models A,B] [--fit] [--write-runs FOLDER]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from embedder.adapters.models import load_model
from embedder.app import model_folders
from embedder.domain.texts import embedding_text, text_digest
from embedder.domain.units import CodeUnit
from embedder.settings import EmbedderSettings
from evaluator.adapters.retrieval_files import run_lines
from evaluator.domain.retrieval import MEASURES, paired_bootstrap, scores_by_query
from retriever.adapters.memory_index import MemoryIndex
from retriever.adapters.weights import load_weights, weights_text
from retriever.domain.code import IndexedCode, IndexEntry, SearchFilter
from retriever.domain.ensemble import CROWDING, TEXT, Weights
from retriever.usecases.plain import PlainSearch
from touchstone_local.settings import folders

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


def code_of(one: dict) -> IndexedCode:
    """A function of the corpus as the index holds it; each at a place of its own."""
    name = re.search(r"def\s+(\w+)", one["code"])
    docstring = re.search(r'("""|\'\'\')(.*?)\1', one["code"], re.DOTALL)
    blank = IndexedCode("", "", "", "cosqa", "", "", "python", "", "", "function", "", "", True, "")
    return replace(
        blank,
        function_id=one["id"],
        path=one["id"],
        qualname=name.group(1) if name else one["id"],
        code=one["code"],
        docstring=docstring.group(2) if docstring else "",
    )


async def rankings(search: PlainSearch, queries: list[dict], vectors: list[dict], parts: list[str]) -> dict:
    """Ranked candidates of each query by its id."""
    return {
        query["id"]: await search.ranked(of_query, query["text"], SearchFilter(), parts)
        for query, of_query in zip(queries, vectors, strict=True)
    }


def ids_of(ranked: dict) -> dict[str, list[str]]:
    return {query: [one.function_id for one in of_query] for query, of_query in ranked.items()}


class Table:
    """The z-scores of every candidate of every query, for fitting: (queries, candidates, parts), and who is right."""

    def __init__(self, ranked: dict, relevant: dict[str, set[str]], parts: list[str]) -> None:
        most = max(len(of_query) for of_query in ranked.values())
        self.z = np.zeros((len(ranked), most, len(parts)))
        self.right = np.zeros((len(ranked), most), dtype=bool)
        self.there = np.zeros((len(ranked), most), dtype=bool)
        for row, (query, of_query) in enumerate(ranked.items()):
            for place, one in enumerate(sorted(of_query, key=lambda one: one.function_id)):
                self.there[row, place] = True
                self.right[row, place] = one.function_id in relevant[query]
                of_part = {part.part: part.z for part in one.parts}
                self.z[row, place] = [of_part.get(part, 0.0) for part in parts]

    def ndcg(self, weights: np.ndarray, rows: np.ndarray) -> float:
        """NDCG@10 over some queries with one right code each."""
        scores = np.where(self.there[rows], np.round(self.z[rows] @ weights, 6), -np.inf)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :DEPTH]
        found = np.take_along_axis(self.right[rows], order, axis=1)
        return float((found / np.log2(np.arange(2, DEPTH + 2))).sum(axis=1).mean())


def fitted(table: Table, parts: list[str], rows: np.ndarray) -> np.ndarray:
    """Weights by search along one part at a time, on a grid; the first part's is 1. Smaller ones win ties."""
    weights = np.array([1.0] + [0.0] * (len(parts) - 1))
    for _round in range(4):
        before = weights.copy()
        for position in range(1, len(parts)):
            grid = np.arange(-1.0, 0.01, 0.05) if parts[position] == CROWDING else np.arange(0.0, 2.51, 0.05)
            tried = [(table.ndcg(_with(weights, position, one), rows), -abs(one), one) for one in grid]
            weights[position] = round(max(tried)[2], 2)
        if (weights == before).all():
            break
    return weights


def _with(weights: np.ndarray, position: int, value: float) -> np.ndarray:
    changed = weights.copy()
    changed[position] = value
    return changed


def line(label: str, ranked: dict[str, list[str]], relevant: dict, baseline: dict[str, list[str]]) -> dict:
    """All measures of one ranking, and its gain in NDCG@10 over the baseline."""
    scores = {name: scores_by_query(name, ranked, relevant) for name in MEASURES}
    base = scores_by_query("ndcg_at_10", baseline, relevant)
    gain = paired_bootstrap(list(scores["ndcg_at_10"].values()), list(base.values()))
    return {
        "bench": "retrieval_cosqa",
        "search": label,
        "queries": len(base),
        **{name: round(float(np.mean(list(values.values()))), 4) for name, values in scores.items()},
        "ndcg_gain": [round(one, 4) for one in (gain.mean, gain.low, gain.high)],
    }


def write_run(folder: Path, name: str, ranked: dict) -> None:
    """A run in TREC form, for `touchstone retrieval evaluate --run`."""
    folder.mkdir(parents=True, exist_ok=True)
    scores = {query: {one.function_id: one.score for one in of_query} for query, of_query in ranked.items()}
    (folder / f"{name}.run").write_text("".join(f"{one}\n" for one in run_lines(scores, name)))


async def bench(chosen: argparse.Namespace) -> None:
    settings = EmbedderSettings()
    data, names = chosen.data, chosen.models.split(",")
    corpus, queries = read_lines(data / "corpus.jsonl"), read_lines(data / f"queries_{chosen.split}.jsonl")
    relevant: dict[str, set[str]] = {}
    for qrel in (data / f"qrels_{chosen.split}.tsv").read_text().splitlines()[1:]:
        query, code, score = qrel.split("\t")
        if int(score) > 0:
            relevant.setdefault(query, set()).add(code)
    queries = [query for query in queries if query["id"] in relevant][: chosen.queries]
    relevant = {query["id"]: relevant[query["id"]] for query in queries}
    texts = texts_of(corpus, settings.embedding_characters)
    of_codes, of_queries = {}, {}
    for name in names:
        model = load_model(name, model_folders(settings))
        of_codes[name], seconds = vectors_of(model, texts, "code", chosen.cache)
        of_queries[name], _ = vectors_of(model, [query["text"] for query in queries], "query", chosen.cache)
        if seconds:
            speed = {"bench": "embedding", "model": name, "device": model.device}
            print(json.dumps({**speed, "functions_per_s": round(len(texts) / seconds, 1)}))
    index = MemoryIndex()
    entries = [
        IndexEntry(code_of(one), {name: of_codes[name][number] for name in names}) for number, one in enumerate(corpus)
    ]
    await index.upsert(entries)
    by_query = [{name: of_queries[name][number] for name in names} for number in range(len(queries))]
    search = PlainSearch(index, None, load_weights(chosen.weights))
    everything = [*names, TEXT, CROWDING]
    whole = await rankings(search, queries, by_query, everything)
    if chosen.fit:
        fit(whole, relevant, names)
        return
    of_search = {f"{name} alone": await rankings(search, queries, by_query, [name]) for name in names}
    of_search["text alone"] = await rankings(search, queries, by_query, [TEXT])
    for part in everything if len(names) > 1 else (TEXT, CROWDING):
        rest = [one for one in everything if one != part]
        of_search[f"ensemble without {part}"] = await rankings(search, queries, by_query, rest)
    of_search["ensemble"] = whole
    baseline = ids_of(of_search[f"{names[0]} alone"])
    for label, ranked in of_search.items():
        print(json.dumps(line(label, ids_of(ranked), relevant, baseline)), flush=True)
        if chosen.write_runs:
            write_run(chosen.write_runs, label.replace(" ", "-"), ranked)


def fit(whole: dict, relevant: dict, names: list[str]) -> None:
    """Print weights, with what they score on queries that they were not fitted on."""
    parts = [*names, TEXT, CROWDING]
    table = Table(whole, relevant, parts)
    everyone = np.arange(len(whole))
    halves = [np.array([row for row in everyone if row % 2 == side]) for side in (0, 1)]
    held_out = np.mean([table.ndcg(fitted(table, parts, halves[1 - side]), halves[side]) for side in (0, 1)])
    weights = fitted(table, parts, everyone)
    alone = table.ndcg(np.array([1.0] + [0.0] * (len(parts) - 1)), everyone)
    print(
        json.dumps(
            {
                "bench": "retrieval_cosqa_fit",
                "weights": dict(zip(parts, weights.tolist(), strict=True)),
                f"{names[0]}_ndcg_at_10": round(alone, 4),
                "fitted_ndcg_at_10": round(table.ndcg(weights, everyone), 4),
                "on_the_other_half_ndcg_at_10": round(float(held_out), 4),
            }
        )
    )
    of = dict(zip(parts, weights.tolist(), strict=True))
    chosen = Weights({name: of[name] for name in names}, text=of[TEXT], crowding=of[CROWDING])
    print(weights_text(chosen, f"Fitted on {len(whole)} development queries of CoSQA."), file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data/cosqa", help="folder of the data set")
    parser.add_argument("--split", default="dev", help="which queries and labels")
    parser.add_argument("--models", default="all-MiniLM-L6-v2,all-mpnet-base-v2", help="the first is the baseline")
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--weights", type=Path, help="a file of weights instead of the shipped one")
    parser.add_argument("--fit", action="store_true", help="fit the weights on these queries and print them")
    parser.add_argument("--write-runs", type=Path, help="folder for the rankings in TREC form")
    parser.add_argument("--cache", type=Path, default=folders().cache / "bench")
    chosen = parser.parse_args()
    if not (chosen.data / "corpus.jsonl").is_file():
        print(json.dumps({"bench": "retrieval_cosqa_dev", "skipped": f"no data set in {chosen.data}; see --data"}))
        return
    asyncio.run(bench(chosen))


if __name__ == "__main__":
    main()
