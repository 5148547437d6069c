"""How good the calibrated score is, on pairs that people labelled, cross-fitted by query; one JSON object.

    python tests/bench/annotation_score.py --embedding FOLDER

The model is the one that the settings name (TOUCHSTONE_LLM_BASE_URL, TOUCHSTONE_LLM_MODEL): two one-word questions a
pair, first the grade of all pairs, then the answer, so that a run that was broken off has one signal whole before the
other begins. Then each pair is judged as the service would judge it, by the settings' method with its tests run in the
sandbox at --sandbox, or in one that is started for the run: what they showed is the evidence that a label rests on, and
a signal like the others. Pairs that tests decide, or of which no score may decide, have no score in the service, and
are left out and counted, and what tests bar a score from deciding is undecided. What asking again takes away in the
service is not asked here, and counts as decided. --without-tests leaves the judging out, and all pairs in; what is
fitted so is no calibration.

Answers are kept in the blob store's cache, and the next run goes on where the last one was. With --cached nothing is
asked, and a pair of which nothing was told is left out and counted; --seconds asks for so long only (each question, and
the judging), and without --embedding nothing is computed, so that a busy machine can ask in slices. --only names the
one question that is a signal. --write keeps a calibration that was fitted on all pairs that a score would decide, for
TOUCHSTONE_ANNOTATOR_CALIBRATION; where tests never showed anything there is none to keep. Each bar is printed with its
interval, and is held by the bound that counts against us, over all pairs.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from annotation_accuracy import sandbox_at

from annotator.adapters.model import RuntimeModel
from annotator.adapters.sandbox import SandboxLimits
from annotator.domain.calibration import DEAF, Calibration, Signals, auc, bootstrap, calibration_error, cross_fit, fit
from annotator.domain.pair import Pair
from annotator.domain.record import heard
from annotator.domain.statistics import clopper_pearson
from annotator.settings import AnnotatorSettings
from annotator.usecases.judging import Judge, barred_by
from annotator.usecases.scoring import Scorer
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.llm import (
    BlobLlmCache,
    Catalogue,
    ChatRequest,
    Endpoint,
    LlmClient,
    LlmHaltError,
    MemoryLedger,
    RawAnswer,
    Turn,
)

ROOT = Path(__file__).resolve().parents[2]
# Bars: accuracy, and expected calibration error.
LEAST, MOST = 0.7, 0.08
PAIRS = ROOT.parent / "shared" / "data" / "cosqa" / "labelled_pairs_dev.jsonl"


QUESTIONS = ("grade", "answers")
Told = dict[str, list[float | None]]
# By it a record has whatever a score would be made of, and no score decides anything.
UNDECIDED = Calibration((0.0,) * 4, (1.0,) * 4, (0.0,) * 4, 0.0, low=-1.0, high=2.0)


@dataclass(frozen=True)
class Tested:
    """What tests that can fail showed of a pair.

    Attributes:
        evidence: As a score hears of it.
        barred: What a score may not decide.
        scored: Whether the label of the pair would be a score's.
    """

    evidence: str = "none"
    barred: frozenset[int] = frozenset()
    scored: bool = True


async def evidence_by(rows: list[dict[str, Any]], judge: Judge, seconds: float, workers: int) -> list[Tested | None]:
    """What tests that can fail showed of each pair; None where it could not be judged."""
    slots = asyncio.Semaphore(workers)
    halted: dict[str, None] = {}
    ends = time.monotonic() + seconds if seconds else float("inf")
    done = 0

    async def one(row: dict[str, Any]) -> Tested | None:
        nonlocal done
        async with slots:
            if time.monotonic() > ends:
                return None
            try:
                record = await judge.judge(pair_of(row))
            except LlmHaltError as error:
                halted[str(error)] = None
                return None
        done += 1
        sys.stderr.write(f"\rjudged: {done} of {len(rows)} pairs")
        barred = frozenset(outcome for outcome in (0, 1) if barred_by(record.steps, outcome))
        return Tested(heard(record.steps), barred, record.decided_by == "score")

    found = list(await asyncio.gather(*map(one, rows)))
    sys.stderr.writelines(f"\nnot judged: {why}" for why in halted)
    return found


def pair_of(row: dict[str, Any]) -> Pair:
    """A row of the data as a pair."""
    return Pair(str(row["id"]), "", row["query"], "", row["code"], row.get("language", "python"))


async def signals_of(
    rows: list[dict[str, Any]], scorer: Scorer, questions: Sequence[str], seconds: float, workers: int
) -> Told:
    """What the model tells of each pair, by question; None where it could not be asked, or not within so many seconds.

    One question is asked of all pairs before the next one begins.
    """
    slots = asyncio.Semaphore(workers)
    done = 0
    halted: dict[str, None] = {}
    ends = time.monotonic() + seconds if seconds else float("inf")

    async def one(question: str, row: dict[str, Any]) -> float | None:
        nonlocal done
        pair = pair_of(row)
        value = None
        async with slots:
            if time.monotonic() > ends:
                return None
            try:
                value = (await (scorer.grade if question == "grade" else scorer.answers)(pair))[0]
            except LlmHaltError as error:
                halted[str(error)] = None
        done += 1
        if sys.stderr.isatty() or done % 10 == 0:
            sys.stderr.write(f"\r{question}: {done} of {len(rows)} pairs")
        return value

    told: Told = {}
    for question in questions:
        done = 0
        told[question] = list(await asyncio.gather(*(one(question, row) for row in rows)))
    sys.stderr.writelines(f"\nnot asked: {why}" for why in halted)
    return told


class Nobody:
    """Asks no endpoint; see `ChatTransport`."""

    async def complete(self, endpoint: Endpoint, request: ChatRequest, turn: Turn) -> RawAnswer:
        """Refuse."""
        raise LlmHaltError("is not in the cache, and nothing is asked", thing=endpoint.identity)

    async def close(self) -> None:
        """There is nothing to close."""


def cached_only(settings: AnnotatorSettings) -> LlmClient:
    """A client that knows the answers of before and asks nobody; it needs no model server."""
    catalogue = Catalogue.load(settings.models_file, settings.llm_base_url or "http://127.0.0.1:1/v1")
    cache = BlobLlmCache(BlobStore(settings.blob_url))
    return LlmClient(catalogue, Nobody(), cache, MemoryLedger(), model=settings.llm_model)


def cosines(rows: list[dict[str, Any]], folder: Path) -> list[float]:
    """Similarity of query and code under one embedding model."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    queries = model.encode([row["query"] for row in rows], batch_size=16, normalize_embeddings=True)
    codes = model.encode([row["code"] for row in rows], batch_size=16, normalize_embeddings=True)
    return [float(value) for value in np.sum(queries * codes, axis=1)]


def among_told(values: list[float | None], rows: list[dict[str, Any]]) -> float | None:
    """How well one signal alone puts pairs in order, where it was told; None where that cannot be said."""
    known = [(value, int(row["label"])) for value, row in zip(values, rows, strict=True) if value is not None]
    labels = [label for _, label in known]
    return auc([value for value, _ in known], labels) if len(set(labels)) == 2 else None


async def main() -> int:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=PAIRS, help="JSON lines of id, query, code, label")
    parser.add_argument("--embedding", type=Path, help="folder of a sentence-transformers model; without it: ask only")
    parser.add_argument("--seconds", type=float, default=0.0, help="ask for so long at most; 0: until all are asked")
    parser.add_argument("--cached", action="store_true", help="ask nothing; leave out what was never asked")
    parser.add_argument("--workers", type=int, default=2, help="pairs side by side")
    parser.add_argument("--only", choices=QUESTIONS, help="one question's signal instead of two")
    parser.add_argument("--without-tests", action="store_true", help="judge nothing: the signals of the model alone")
    parser.add_argument("--sandbox", default="", help="address of a sandbox-executor; one is started when left out")
    parser.add_argument("--write", type=Path, default=None, help="file for a calibration fitted on all pairs")
    arguments = parser.parse_args()
    if arguments.write and arguments.without_tests:
        parser.error("--write needs what tests show: a calibration that never heard of them would overrule them all")
    if not arguments.data.is_file():
        sys.stderr.write(f"{arguments.data}: no labelled pairs there; name a file with --data\n")
        return 0
    started = time.monotonic()
    settings = AnnotatorSettings()  # pyright: ignore[reportCallIssue]  every field has a default
    rows = [json.loads(line) for line in arguments.data.read_text("utf-8").splitlines() if line.strip()]
    rows.sort(key=lambda row: hashlib.sha256(str(row["id"]).encode()).hexdigest())
    client = cached_only(settings) if arguments.cached else LlmClient.from_settings(settings, MemoryLedger())
    model = RuntimeModel(client)
    questions = (arguments.only,) if arguments.only else QUESTIONS
    told = await signals_of(rows, Scorer(model, None), questions, arguments.seconds, arguments.workers)
    evidence: list[Tested | None] = [Tested()] * len(rows)
    if not arguments.without_tests:
        async with sandbox_at(arguments.sandbox, SandboxLimits()) as sandbox:
            judge = Judge(model, sandbox, replace(settings.method(), checker=False), calibration=UNDECIDED)
            evidence = await evidence_by(rows, judge, arguments.seconds, arguments.workers)
    identity = model.signature().split("|")[0]
    await client.close()
    kept = [
        index
        for index, tested in enumerate(evidence)
        if tested and tested.scored and any(values[index] is not None for values in told.values())
    ]
    counts = {name: sum(value is not None for value in values) for name, values in told.items()}
    if not arguments.without_tests:
        counts["evidence"] = sum(each is not None for each in evidence)
    if arguments.embedding is None:
        line = {"bench": "annotation_score", "model": identity, "pairs": len(rows), "scored": len(kept)}
        print(json.dumps(line | {"told": counts}))
        return 0
    similar = cosines(rows, arguments.embedding)
    signals = [
        Signals(
            **{name: values[index] for name, values in told.items()},
            cosine=similar[index],
            evidence=(evidence[index] or Tested()).evidence,
        )
        for index in kept
    ]
    truth = [int(rows[index]["label"]) for index in kept]
    groups = [rows[index]["query"].strip().lower() for index in kept]
    scores, fitted_outcomes = cross_fit(signals, truth, groups)
    # As in the service, which decides nothing where tests say otherwise.
    outcomes = [
        None if outcome in (evidence[index] or Tested()).barred else outcome
        for index, outcome in zip(kept, fitted_outcomes, strict=True)
    ]
    # Cosine by the same road, so that both are out of fold.
    alone, _ = cross_fit([Signals(cosine=each.cosine) for each in signals], truth, groups)
    untested, _ = cross_fit([replace(each, evidence="none") for each in signals], truth, groups)
    raw = [each.cosine or 0.0 for each in signals]
    y = np.asarray(truth)

    def gain(drawn: Any, other: Any = raw) -> float:
        labels = list(y[drawn])
        return auc([scores[index] for index in drawn], labels) - auc([other[index] for index in drawn], labels)

    right = sum((score >= 0.5) == bool(label) for score, label in zip(scores, truth, strict=True))
    decided = [(outcome, label) for outcome, label in zip(outcomes, truth, strict=True) if outcome is not None]
    held = clopper_pearson(right, len(truth))
    everyone = np.arange(len(truth))
    error_interval = bootstrap(
        lambda drawn: calibration_error([scores[index] for index in drawn], list(y[drawn])), groups
    )
    gained = bootstrap(gain, groups)
    # A bar is held by the bound of its interval that counts against us, and by all pairs: a part of them shows nothing.
    every = all(count == len(rows) for count in counts.values())
    bars = {
        "gain_over_cosine": {"bar": "above 0", "low": gained[0], "high": gained[1], "held": every and gained[0] > 0},
        "accuracy": {
            "bar": f"at least {LEAST}",
            "low": held.low,
            "high": held.high,
            "held": every and held.low >= LEAST,
        },
        "calibration_error": {
            "bar": f"at most {MOST}",
            "low": error_interval[0],
            "high": error_interval[1],
            "held": every and error_interval[1] <= MOST,
        },
    }
    line = {
        "bench": "annotation_score",
        "model": identity,
        "embedding": arguments.embedding.name,
        "pairs": len(rows),
        "scored": len(kept),
        "told": counts,
        "evidence": Counter(each.evidence if each.scored else "not scored" for each in evidence if each)
        if not arguments.without_tests
        else None,
        "positive": int(y.sum()),
        "auc": auc(scores, truth),
        "auc_cosine": auc(raw, truth),
        **{f"auc_{name}": among_told(values, rows) for name, values in told.items()},
        "gain_over_cosine": gain(everyone),
        "gain_interval": gained,
        "gain_over_cross_fitted_cosine": gain(everyone, alone),
        "gain_of_tests": None if arguments.without_tests else gain(everyone, untested),
        "accuracy": held.estimate,
        "accuracy_interval": [held.low, held.high],
        "calibration_error": calibration_error(scores, truth),
        "calibration_error_interval": error_interval,
        "bars": bars,
        "undecided": len(truth) - len(decided),
        "accuracy_of_decided": sum(a == b for a, b in decided) / len(decided) if decided else None,
        "wall_s": round(time.monotonic() - started, 1),
    }
    sys.stderr.write("\n")
    print(json.dumps(line))
    if arguments.write:
        fitted = fit(signals, truth)
        if not fitted.hears_tests:
            sys.stderr.write(f"{arguments.write} is not written: {DEAF}\n")
            return 1
        try:
            # What few tests say by chance, no service takes.
            Calibration.from_json(fitted.to_json())
        except ValueError as error:
            sys.stderr.write(f"{arguments.write} is not written: {error}\n")
            return 1
        arguments.write.write_text(fitted.to_json() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
