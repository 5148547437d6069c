"""How right the annotator is, on pairs that people labelled; one JSON object a line.

    python tests/bench/annotation_accuracy.py --pairs 30 --method single --method full
    python tests/bench/annotation_accuracy.py --pairs 299 --ablations

With --ablations all six methods of the paper are measured, and each of the others against the whole one: the difference
of their accuracies on the same pairs, with its interval by queries drawn again.

The model is the one that the settings name (TOUCHSTONE_LLM_BASE_URL, TOUCHSTONE_LLM_MODEL). The sandbox is the one at
--sandbox, or one that is started for the run. Answers are kept in the cache folder: a second run asks nothing again.
Pairs are JSON lines of id, query, code and label.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import grpc
import numpy as np

from annotator.adapters.model import RuntimeModel
from annotator.adapters.sandbox import GrpcSandbox, SandboxLimits
from annotator.domain.calibration import bootstrap
from annotator.domain.method import ABLATIONS, Method
from annotator.domain.pair import Pair
from annotator.domain.record import Record
from annotator.domain.statistics import Effort, accuracy, execution_rate, krippendorff_alpha, mean_effort
from annotator.ports import Preparation
from annotator.settings import AnnotatorSettings
from annotator.usecases.judging import Judge
from annotator.usecases.labelling import summary
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.llm import LlmClient, MemoryLedger

ROOT = Path(__file__).resolve().parents[2]
PAIRS = ROOT.parent / "shared" / "data" / "cosqa" / "labelled_pairs_dev.jsonl"
START_S = 60.0
WHOLE = "full"


@dataclass(frozen=True)
class Labelled:
    """A pair with the label that people gave."""

    pair: Pair
    label: int


class NoSandbox:
    """Runs nothing, and says so: for methods without execution."""

    async def speaks(self, language: str) -> bool:
        """No language can be run."""
        return False

    async def call(self, *_: Any) -> tuple[()]:
        """Never reached."""
        raise NotImplementedError

    async def run(self, *_: Any) -> Any:
        """Never reached."""
        raise NotImplementedError

    async def prepare(self, *_: Any) -> Preparation:
        """Never reached."""
        raise NotImplementedError


def read(path: Path, count: int) -> list[Labelled]:
    """Pick pairs by the hash of their id: the same ones each time, from all over the file."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    rows.sort(key=lambda row: hashlib.sha256(str(row["id"]).encode()).hexdigest())
    return [
        Labelled(
            Pair(str(row["id"]), "", row["query"], "", row["code"], row.get("language", "python")), int(row["label"])
        )
        for row in rows[:count]
    ]


@asynccontextmanager
async def sandbox_at(address: str, limits: SandboxLimits) -> AsyncIterator[GrpcSandbox]:
    """The sandbox at an address, or one of our own on a socket file."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        process = None
        where = address or f"unix:{folder}/sandbox"
        if not address:
            command = [sys.executable, "-m", "sandbox_executor", "serve", "--listen", where, "--no-broker"]
            process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        try:
            async with grpc.aio.insecure_channel(where) as channel:
                await asyncio.wait_for(channel.channel_ready(), START_S)
                yield GrpcSandbox(channel, limits)
        finally:
            if process is not None:
                process.terminate()
                process.wait(30)


async def measure(judge: Judge, pairs: Sequence[Labelled], workers: int) -> list[Record]:
    """Judge all pairs, some side by side."""
    slots = asyncio.Semaphore(workers)
    done = 0

    async def one(labelled: Labelled) -> Record:
        nonlocal done
        async with slots:
            record = await judge.judge(labelled.pair)
        done += 1
        sys.stderr.write(f"\r{done} of {len(pairs)} pairs")
        return record

    return list(await asyncio.gather(*(one(labelled) for labelled in pairs)))


def figures(
    method: Method, model: str, pairs: Sequence[Labelled], records: Sequence[Record], wall_s: float
) -> dict[str, Any]:
    """One line of the bench."""
    truth = [labelled.label for labelled in pairs]
    labels = [record.label for record in records]
    labels_kept = [summary(record, "") for record in records]
    mean = mean_effort([kept.effort for kept in labels_kept] or [Effort(0, 0, 0.0, 0.0)])
    rate = execution_rate(record.executed for record in records)
    tested = [record.assertions for record in records if record.assertions]
    audits = [record.audit for record in records]
    exchanges = [exchange for record in records for step in record.steps for exchange in step.exchanges]
    nonsense = sum("nonsense" in (step.outcome, step.detail[:8]) for record in records for step in record.steps)
    return {
        "bench": "annotation_accuracy",
        "method": method.name,
        "trusted": method.trusted,
        "model": model,
        "pairs": len(pairs),
        "positive": sum(truth),
        "labelled_positive": sum(label == 1 for label in labels),
        "undecided": sum(label is None for label in labels),
        "accuracy": asdict(accuracy(labels, truth)),
        "alpha_labels_and_people": krippendorff_alpha([labels, truth]),
        "alpha_checker_and_people": krippendorff_alpha([audits, truth]),
        "unclear_share": sum(record.unclear for record in records) / len(records),
        "decided_by": dict(Counter(record.decided_by for record in records)),
        "execution_rate": asdict(rate) if rate else None,
        "tested_pairs": sum(record.executed is not None for record in records),
        "assertions_per_test": sum(tested) / len(tested) if tested else None,
        "self_reported_share": sum(record.self_reported for record in records) / len(records),
        "nonsense_steps": nonsense,
        "answers": len(exchanges),
        "tokens_in_per_pair": mean.tokens_in,
        "tokens_out_per_pair": mean.tokens_out,
        "cost_usd_per_pair": mean.cost_usd,
        "model_s_per_pair": mean.seconds,
        "wall_s": wall_s,
    }


def against_whole(pairs: Sequence[Labelled], found: dict[str, Sequence[Record]]) -> list[dict[str, Any]]:
    """What each method has or lacks of the accuracy of the whole one; undecided pairs are not right."""
    queries = [labelled.pair.query.strip().lower() for labelled in pairs]
    right = {
        name: np.array([record.label == labelled.label for record, labelled in zip(records, pairs, strict=True)], float)
        for name, records in found.items()
    }
    lines: list[dict[str, Any]] = []
    for name in (name for name in right if name != WHOLE):
        difference = right[name] - right[WHOLE]

        def mean(drawn: Any, difference: Any = difference) -> float:
            return float(difference[drawn].mean())

        told = {"difference": float(difference.mean()), "interval": bootstrap(mean, queries), "pairs": len(pairs)}
        lines.append({"bench": "annotation_ablation", "method": name, "against": WHOLE, **told})
    return lines


async def main() -> int:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=PAIRS, help="JSON lines of id, query, code, label")
    parser.add_argument("--pairs", type=int, default=30, help="how many")
    parser.add_argument("--method", action="append", choices=sorted(ABLATIONS), help="again for several; default: full")
    parser.add_argument("--ablations", action="store_true", help="all six methods, each against the whole one")
    parser.add_argument("--model", default="", help="name in models.toml, or name@http://host:port/v1")
    parser.add_argument("--sandbox", default="", help="address of a sandbox-executor; one is started when left out")
    parser.add_argument("--workers", type=int, default=2, help="pairs side by side")
    parser.add_argument("--interpretations", type=int, default=1)
    parser.add_argument("--trusted", default="all", choices=("all", "non_matches", "none"), help="final verdicts")
    parser.add_argument("--no-checker", action="store_true", help="leave the audit out")
    parser.add_argument("--records", type=Path, default=None, help="folder to write the whole records to")
    arguments = parser.parse_args()
    if not arguments.data.is_file():
        sys.stderr.write(f"{arguments.data}: no labelled pairs there; name a file with --data\n")
        return 0
    settings = AnnotatorSettings()  # pyright: ignore[reportCallIssue]
    pairs = read(arguments.data, arguments.pairs)
    client = LlmClient.from_settings(settings, MemoryLedger())
    model = RuntimeModel(client, arguments.model)
    try:
        found: dict[str, Sequence[Record]] = {}
        for name in [*ABLATIONS] if arguments.ablations else arguments.method or [WHOLE]:
            method = replace(
                ABLATIONS[name],
                checker=not arguments.no_checker,
                interpretations=arguments.interpretations,
                trusted=arguments.trusted,
            )
            started = time.monotonic()
            if method.executor == "sandbox":
                async with sandbox_at(arguments.sandbox, SandboxLimits()) as sandbox:
                    records = await measure(Judge(model, sandbox, method), pairs, arguments.workers)
            else:
                records = await measure(Judge(model, NoSandbox(), method), pairs, arguments.workers)
            line = figures(method, model.signature().split("|")[0], pairs, records, time.monotonic() - started)
            found[name] = records
            sys.stderr.write("\n")
            print(json.dumps(line), flush=True)
            if arguments.records:
                arguments.records.mkdir(parents=True, exist_ok=True)
                for record in records:
                    (arguments.records / f"{method.name}-{record.pair.pair_id}.json").write_bytes(record.to_bytes())
        for line in against_whole(pairs, found) if arguments.ablations else ():
            print(json.dumps(line), flush=True)
    except (TouchstoneError, grpc.aio.AioRpcError, TimeoutError) as error:
        sys.stderr.write(f"\n{type(error).__name__}: {error}\n")
        return 1
    finally:
        await client.close()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
