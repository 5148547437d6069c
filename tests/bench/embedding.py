"""Encoding of functions against sentence-transformers as it comes, and questions beside it, as JSON lines.

Texts are functions of Python's own standard library. Both sides get the same texts in the same process, one after
the other; only their ratio means anything.

Run: python tests/bench/embedding.py [--model NAME] [--texts N] [--models-dir FOLDER]
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import json
import random
import sys
import sysconfig
import time
from pathlib import Path

import numpy as np

from embedder.adapters.models import ModelFolders, load_model
from embedder.settings import EmbedderSettings
from embedder.usecases import Ensemble
from touchstone_local.settings import folders


def functions(count: int) -> list[str]:
    """Functions of the standard library, drawn with a fixed seed."""
    found: list[str] = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        text = path.read_text("utf-8", "replace")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                found.append(ast.get_source_segment(text, node) or "")
    random.Random(7).shuffle(found)
    return [one[:6000] for one in found if one][:count]


def percentile(seconds: list[float], share: float) -> float:
    return round(1000 * sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))], 1)


async def questions(ensemble: Ensemble, count: int, bulk: list[str]) -> dict[str, float]:
    """Milliseconds of fresh questions, alone and beside bulk work."""
    [model] = ensemble.models
    figures: dict[str, float] = {}
    for label in ("idle", "beside_bulk"):
        work = asyncio.create_task(ensemble.encode(model, bulk, "code", "bulk")) if label == "beside_bulk" else None
        await asyncio.sleep(0.2)
        took: list[float] = []
        for number in range(count):
            started = time.monotonic()
            await ensemble.encode(model, [f"how to {label} sort {number} lists by length"], "query", "waiting")
            took.append(time.monotonic() - started)
            await asyncio.sleep(0.005)
        if work is not None:
            figures["bulk_went_on"] = float(not work.done())
            await work
        figures[f"{label}_p50_ms"], figures[f"{label}_p99_ms"] = percentile(took, 0.5), percentile(took, 0.99)
    return figures


def main() -> None:
    settings = EmbedderSettings()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--models-dir", type=Path, default=folders().models)
    chosen = parser.parse_args()
    if not (chosen.models_dir / chosen.model / "config.json").is_file():
        sys.exit(f"no {chosen.model} in {chosen.models_dir}; `make tools` brings it")
    from sentence_transformers import SentenceTransformer

    texts = functions(chosen.texts)
    places = ModelFolders(chosen.models_dir, folders().converted_models, "cpu", threads=settings.embedding_threads)
    started = time.monotonic()
    ours = load_model(chosen.model, places)
    load_s = time.monotonic() - started
    theirs = SentenceTransformer(str(chosen.models_dir / chosen.model), device="cpu", local_files_only=True)
    seconds = {"ours": 0.0, "theirs": 0.0}
    vectors: dict[str, list[np.ndarray]] = {"ours": [], "theirs": []}
    # In turns, so that a busy machine slows both down alike.
    for start in range(0, len(texts), 100):
        part = texts[start : start + 100]
        started = time.monotonic()
        vectors["theirs"].append(theirs.encode(part, show_progress_bar=False))
        seconds["theirs"] += time.monotonic() - started
        started = time.monotonic()
        vectors["ours"].append(ours.encode(part, "code", "bulk"))
        seconds["ours"] += time.monotonic() - started
    expected = np.concatenate(vectors["theirs"])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    cosines = np.sum(np.concatenate(vectors["ours"]) * expected, axis=1)
    result = {
        "bench": "embedding",
        "model": chosen.model,
        "runs_on": type(ours).__name__,
        "texts": len(texts),
        "load_s": round(load_s, 1),
        "texts_per_s": round(len(texts) / seconds["ours"], 1),
        "sentence_transformers_per_s": round(len(texts) / seconds["theirs"], 1),
        "ratio": round(seconds["theirs"] / seconds["ours"], 2),
        "least_cosine": round(float(cosines.min()), 6),
    }
    print(json.dumps(result), flush=True)

    async def ask() -> dict[str, float]:
        ensemble = Ensemble({chosen.model: lambda: ours})
        await ensemble.load()
        figures = await questions(ensemble, 200, texts * 3)
        ensemble.close()
        return figures

    print(json.dumps({"bench": "embedding_of_questions", "model": chosen.model, **asyncio.run(ask())}))


if __name__ == "__main__":
    main()
