"""Whether fine-tuning raises retrieval on queries that were kept back: MRR and MAP before and after; one JSON object.

    python tests/bench/annotation_training.py --model FOLDER [--train 150] [--kept 100] [--corpus 800] [--epochs 1]
    python tests/bench/annotation_training.py --model FOLDER --release FOLDER

Source: CoSQA+, research question 1. With --release it takes an export of labels as triples: its train.jsonl, and what
it keeps back. Without, it takes pairs of query and correct code in BEIR form; the wrong codes are then mined, from
places 5 to 30 of the untrained model, and are wrong by assumption: nobody judged them. No query and no code is on both
sides. The training goes through `python -m embedder finetune`, as for everybody.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.domain.retrieval import gain, scores_by_query
from touchstone_runtime.query_sets import QuerySet, read_beir

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "cosqa"
MEASURES = {"mrr": "mrr", "map_at_10": "map_at_10_of_all", "ndcg_at_10": "ndcg_at_10"}
FIRST, LAST = 4, 30


@dataclass(frozen=True)
class Sides:
    """What is learnt from, and what is measured on."""

    triples: list[dict[str, str]]
    kept: QuerySet


class Encoder:
    """One model; texts to unit vectors."""

    def __init__(self, folder: Path, longest: int) -> None:
        from sentence_transformers import SentenceTransformer

        self._model: Any = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        self._model.max_seq_length = longest

    def __call__(self, texts: Sequence[str]) -> Any:
        return self._model.encode(list(texts), batch_size=32, normalize_embeddings=True, show_progress_bar=False)


def by_hash(names: Sequence[str]) -> list[str]:
    """The same order each time, from all over."""
    return sorted(names, key=lambda name: hashlib.sha256(name.encode()).hexdigest())


def drawn(queries: QuerySet, encode: Encoder, options: argparse.Namespace) -> Sides:
    """Sides of a set of pairs, with mined negatives."""
    names = by_hash([query for query in queries.queries if queries.labels.get(query)])
    train, kept = names[: options.train], names[options.train : options.train + options.kept]
    of_train = {code for query in train for code in queries.labels[query]}
    of_kept = {code for query in kept for code in queries.labels[query]}
    kept = [query for query in kept if not queries.labels[query] & of_train]
    others = [code for code in by_hash(list(queries.codes)) if code not in of_train | of_kept]
    half = max(options.corpus // 2, 1)
    # What is mined from is not what is searched in.
    pool, corpus = sorted(of_train) + others[:half], sorted(of_kept - of_train) + others[half : options.corpus]
    near = encode([queries.queries[query] for query in train]) @ encode([queries.codes[code] for code in pool]).T
    triples: list[dict[str, str]] = []
    for query, row in zip(train, near, strict=True):
        found = [pool[int(place)] for place in np.argsort(-row)]
        wrong = [code for code in found[FIRST:LAST] if code not in queries.labels[query]][: options.negatives]
        for right in sorted(queries.labels[query]):
            triples += [
                {"anchor": queries.queries[query], "positive": queries.codes[right], "negative": queries.codes[other]}
                for other in wrong
            ]
    labels = {query: queries.labels[query] for query in kept}
    texts = {query: queries.queries[query] for query in kept}
    return Sides(triples, QuerySet({code: queries.codes[code] for code in corpus}, texts, labels))


def released(folder: Path) -> Sides:
    """Sides of a release's export as triples."""
    lines = (folder / "train.jsonl").read_text("utf-8").splitlines()
    return Sides([json.loads(line) for line in lines], read_beir(folder, "kept"))


def rankings(encode: Encoder, kept: QuerySet) -> dict[str, list[str]]:
    """The codes of the kept side by similarity, for each query with a correct one."""
    ids, names = list(kept.codes), [query for query in kept.queries if kept.labels.get(query)]
    cosines = encode([kept.queries[query] for query in names]) @ encode([kept.codes[code] for code in ids]).T
    return {query: [ids[int(place)] for place in np.argsort(-row)] for query, row in zip(names, cosines, strict=True)}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", type=Path, required=True, help="folder of a sentence-transformers model")
    parser.add_argument("--data", type=Path, default=DATA, help="folder in BEIR form, with the split dev")
    parser.add_argument("--release", type=Path, help="an export of labels as triples, in place of --data")
    parser.add_argument("--train", type=int, default=150, help="queries to learn from")
    parser.add_argument("--kept", type=int, default=100, help="queries to measure on")
    parser.add_argument("--corpus", type=int, default=800, help="codes beside the correct ones, half on each side")
    parser.add_argument("--negatives", type=int, default=2, help="mined for each query")
    parser.add_argument("--epochs", type=float, default=1.0)
    parser.add_argument("--longest", type=int, default=128, help="tokens of a text that are seen")
    options = parser.parse_args()
    if options.release is None and not options.data.is_dir():
        sys.stderr.write(f"{options.data}: no data there; name a folder with --data or --release\n")
        return
    started = time.monotonic()
    before = Encoder(options.model, options.longest)
    sides = released(options.release) if options.release else drawn(read_beir(options.data, "dev"), before, options)
    was = rankings(before, sides.kept)
    with tempfile.TemporaryDirectory() as scratch:
        triples, out = Path(scratch) / "train.jsonl", Path(scratch) / "tuned"
        triples.write_text("".join(json.dumps(row) + "\n" for row in sides.triples), "utf-8")
        command = [sys.executable, "-m", "embedder", "finetune", "--triples", str(triples), "--out", str(out)]
        command += ["--model", str(options.model.resolve()), "--epochs", str(options.epochs), "--device", "cpu"]
        subprocess.run([*command, "--longest", str(options.longest)], check=True, stdout=subprocess.DEVNULL)
        now = rankings(Encoder(out, options.longest), sides.kept)
    line: dict[str, Any] = {
        "bench": "annotation_training",
        "model": options.model.name,
        "triples": len(sides.triples),
        "mined": options.release is None,
        "epochs": options.epochs,
        "kept_queries": len(was),
        "corpus": len(sides.kept.codes),
    }
    for name, measure in MEASURES.items():
        ours, theirs = (list(scores_by_query(measure, each, sides.kept.labels).values()) for each in (now, was))
        over = gain(ours, theirs)
        line[name] = {"before": float(np.mean(theirs)), "after": float(np.mean(ours))}
        line[name] |= {"gain": over.value, "interval": [over.low, over.high]}
    print(json.dumps(line | {"wall_s": round(time.monotonic() - started, 1)}))


if __name__ == "__main__":
    main()
