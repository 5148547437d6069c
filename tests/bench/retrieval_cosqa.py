"""Retrieval quality on CoSQA, as JSON lines on standard output.

Measures the platform's own embedding models, text part and ranking in one process: every retriever that
`touchstone retrieval evaluate` knows, with gains over the first model alone, and what fitting the weights brings to
queries that the fit has not seen: each by weights fitted on the other four fifths, and one half by weights fitted on
the other. Needs a folder with `corpus.jsonl`, `queries_<split>.jsonl` and `qrels_<split>.tsv` (BEIR form); where there
is none it says so and ends.

With `--lacking .1 .5` also what is found while such shares of the codes have the first model's vectors alone.

Run: python tests/bench/retrieval_cosqa.py [--data FOLDER] [--split S] [--models A,B] [--runs FOLDER] [--lacking SHARE]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import threading
import time
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import numpy as np

from embedder.adapters.models import load_model
from embedder.app import model_folders
from embedder.domain.texts import embedding_text, text_digest
from embedder.domain.units import CodeUnit
from embedder.settings import EmbedderSettings
from evaluator.offline import queries_scored
from retriever.offline import fit, rank
from retriever.settings import RetrieverSettings
from touchstone_local.settings import folders
from touchstone_runtime.query_sets import read_beir, read_run

ROOT = Path(__file__).parents[2]


class InProcess:
    """Embeds with models of this process; what was embedded once is kept on disk, since codes take minutes."""

    def __init__(self, names: list[str], cache: Path) -> None:
        here = folders()
        self._settings = EmbedderSettings(models_dir=here.models, converted_models_dir=here.converted_models)
        self._models = {name: load_model(name, model_folders(self._settings)) for name in names}
        self._cache = cache
        self._known: dict[tuple[str, str, str], np.ndarray] = {}
        # A model computes one batch at a time, and searches side by side ask from several threads.
        self._computes = threading.Lock()
        # Models to use, and the share of codes that lack the vectors of all but the first.
        self.used, self.lacking = names, 0.0

    async def embed(self, texts: list[str], role: str) -> list[dict[str, np.ndarray]]:
        """Vectors of each text, of every model."""
        await asyncio.to_thread(self.prepare, texts, role)
        return [
            {name: self._known[name, role, text] for name in (self.used[:1] if self._young(text, role) else self.used)}
            for text in texts
        ]

    def _young(self, text: str, role: str) -> bool:
        return role == "code" and int(text_digest(text)[:8], 16) / 2**32 < self.lacking

    def prepare(self, texts: list[str], role: str) -> None:
        """Embed many texts at once; prints how long what is not on disk took."""
        with self._computes:
            self._prepare(texts, role)

    def _prepare(self, texts: list[str], role: str) -> None:
        for name, model in self._models.items():
            new = [text for text in dict.fromkeys(texts) if (name, role, text) not in self._known]
            if not new:
                continue
            given = [self._given(text, role) for text in new]
            file = (
                self._cache
                / f"{name.replace('/', '_')}-{text_digest(chr(10).join([model.identity, role, *given]))[:24]}.npy"
            )
            if not file.is_file():
                started = time.monotonic()
                rows = []
                for start in range(0, len(given), 64):
                    rows.append(model.encode(given[start : start + 64], role, "bulk"))
                    print(f"\r{name} {role}: {min(start + 64, len(given))}/{len(given)}", end="", file=sys.stderr)
                print(file=sys.stderr)
                self._cache.mkdir(parents=True, exist_ok=True)
                np.save(file, np.concatenate(rows))
                rate = round(len(given) / (time.monotonic() - started), 1)
                print(json.dumps({"bench": "embedding", "model": name, "device": model.device, "texts_per_s": rate}))
            for text, row in zip(new, np.load(file), strict=True):
                self._known[name, role, text] = row

    def _given(self, text: str, role: str) -> str:
        """The text that the platform embeds for it."""
        if role == "query":
            return text
        unit = CodeUnit("", "", "python", "", "", "function", text, "", "", "")
        return embedding_text(unit, [], self._settings.embedding_characters)


async def bench(chosen: argparse.Namespace, runs: Path) -> None:
    names = chosen.models.split(",")
    queries = read_beir(chosen.data, chosen.split)
    embedder = InProcess(names, chosen.cache)
    embedder.prepare(list(queries.codes.values()), "code")
    embedder.prepare([text for query, text in queries.queries.items() if queries.labels.get(query)], "query")
    asked = ["plain", "bm25", *(["ensemble"] if len(names) > 1 else []), *names]
    options = Namespace(beir=chosen.data, split=chosen.split, retriever=asked, out=runs)
    ranked = await rank(options, RetrieverSettings(search_weights_file=chosen.weights), embedder)
    rankings = {one["retriever"]: read_run(Path(one["file"])) for one in ranked}
    for one in queries_scored(queries, rankings, rankings[names[0]]):
        print(json.dumps({"bench": "retrieval_cosqa", "split": chosen.split, **one}), flush=True)
    if chosen.lacking:
        await lacking(chosen, options, embedder, names)
    if not chosen.no_fit:
        fitted = await fit(options, embedder)
        rankings = {name: read_run(Path(file)) for name, file in fitted["runs"].items()}
        rankings["alone"] = read_run(Path(fitted["alone"][names[0]]))
        for baseline in ("alone", "unfitted"):
            [one] = queries_scored(queries, {"fitted, unseen queries": rankings["fitted"]}, rankings[baseline])
            line = {"bench": "retrieval_cosqa_fit", "weights": fitted["weights"], "baseline": baseline, **one}
            print(json.dumps(line), flush=True)
            half = rankings["kept_back"]
            of_half = replace(queries, labels={query: queries.labels[query] for query in half})
            name = "fitted on one half of the queries, the other half"
            [one] = queries_scored(of_half, {name: half}, rankings[baseline])
            print(json.dumps({"bench": "retrieval_cosqa_fit", "baseline": baseline, **one}), flush=True)


async def lacking(chosen: argparse.Namespace, options: Namespace, embedder: InProcess, names: list[str]) -> None:
    """How well is found while a share of the codes lacks the vectors of all models but the first."""
    queries, rankings = read_beir(chosen.data, chosen.split), {}
    settings = RetrieverSettings(search_weights_file=chosen.weights)
    for share in (1.0, *chosen.lacking, 0.0):
        # Where all lack them, the generation of the first model answers, by weights of its own.
        embedder.used, embedder.lacking = (names[:1], 0.0) if share == 1.0 else (names, share)
        [one] = await rank(Namespace(**vars(options) | {"retriever": ["plain"]}), settings, embedder)
        rankings[f"plain, {share:.0%} with the first model alone"] = read_run(Path(one["file"]))
    for one in queries_scored(queries, rankings, next(iter(rankings.values()))):
        print(json.dumps({"bench": "retrieval_cosqa_lacking", "split": chosen.split, **one}), flush=True)
    embedder.used, embedder.lacking = names, 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data/cosqa", help="folder of the data set")
    parser.add_argument("--split", default="dev", help="which queries and labels")
    parser.add_argument("--models", default="all-MiniLM-L6-v2,all-mpnet-base-v2", help="the first is the baseline")
    parser.add_argument("--weights", type=Path, help="a file of weights instead of the shipped one")
    parser.add_argument("--lacking", type=float, nargs="*", default=[], help="shares of codes with one model's vector")
    parser.add_argument("--no-fit", action="store_true", help="measure only")
    parser.add_argument("--runs", type=Path, help="folder for the rankings in TREC form")
    parser.add_argument("--cache", type=Path, default=folders().cache / "bench")
    chosen = parser.parse_args()
    if not (chosen.data / "corpus.jsonl").is_file():
        print(json.dumps({"bench": "retrieval_cosqa", "skipped": f"no data set in {chosen.data}; see --data"}))
        return
    with tempfile.TemporaryDirectory() as made:
        asyncio.run(bench(chosen, chosen.runs or Path(made)))


if __name__ == "__main__":
    main()
