"""Encoding of functions against sentence-transformers as it comes, and questions through gRPC, as JSON lines.

Texts are functions of Python's own standard library. Both sides get the same texts in the same process, one after
the other; only their ratio means anything. Questions nobody asked before go through the embedder's door one after the
other: alone, and while functions are embedded as they are when they come from the topic, with PostgreSQL behind and
their events written out. Each line has the machine's load.

Run: python tests/bench/embedding.py [--model NAME] [--texts N] [--questions N] [--models-dir FOLDER] [--no-ratio]
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import contextlib
import json
import os
import random
import sys
import sysconfig
import tempfile
import textwrap
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from embedder.adapters.models import ModelFolders, load_model
from embedder.adapters.priority import stand_back
from embedder.adapters.publisher import event_of
from embedder.adapters.records import unit_of
from embedder.adapters.sql_store import SqlFunctionStore
from embedder.app import MIGRATIONS
from embedder.domain.texts import text_digest
from embedder.domain.units import CodeUnit, EmbeddedUnit
from embedder.ports import EmbeddingModel, FunctionStore
from embedder.rpc import EmbedderServicer
from embedder.settings import EmbedderSettings
from embedder.usecases.ensemble import EmbedTexts, Ensemble
from embedder.usecases.functions import EmbedFunctions
from touchstone.embedder.v1 import embedder_pb2, embedder_pb2_grpc
from touchstone_contracts.events import Function, SourceRef
from touchstone_local import postgres
from touchstone_local.settings import folders
from touchstone_runtime.database import Database
from touchstone_runtime.gate import Gate
from touchstone_runtime.grpc_server import GrpcServer, channel


def functions(count: int) -> list[str]:
    """Functions of the standard library, drawn with a fixed seed."""
    found: list[str] = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        lines = (text := path.read_text("utf-8", "replace")).splitlines()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                found.append(textwrap.dedent("\n".join(lines[node.lineno - 1 : node.end_lineno])))
    random.Random(7).shuffle(found)
    return [one[:6000] for one in found if one][:count]


class Written:
    """Writes events out as the bus does, and sends them nowhere."""

    async def publish(self, embedded: Sequence[EmbeddedUnit]) -> None:
        """Write out."""
        for one in embedded:
            event_of(one).model_dump_json().encode()


def units(texts: Sequence[str], times: int) -> Iterator[list[CodeUnit]]:
    """Functions with these texts, so many times each with another first line, as many at a time as from the topic."""
    source = SourceRef(source_id="s", source_version_id="s-1", kind="package", name="p", version="1")
    at_once = EmbedderSettings.model_fields["embedding_records"].default
    numbered = [(number, text) for number in range(times) for text in texts]
    for start in range(0, len(numbered), at_once):
        yield [
            unit_of(
                Function(
                    function_id=text_digest(f"{number} {text}"), source=source, path="p.py", qualname=f"f{place}",
                    name=f"f{place}", line_start=1, line_end=2, code=f"# {number}\n{text}", searchable_pair=True,
                )
            )
            for place, (number, text) in enumerate(numbered[start : start + at_once], start)
        ]  # fmt: skip


@contextlib.asynccontextmanager
async def served(ensemble: Ensemble, store: FunctionStore) -> AsyncIterator[Any]:
    """The embedder's door; gives its stub."""

    async def lag() -> int:
        return 0

    server = GrpcServer("127.0.0.1:0", gate=Gate(None))
    take = EmbedFunctions(ensemble, store, Written())
    servicer = EmbedderServicer(ensemble, EmbedTexts(ensemble), take, store, lag)
    server.add(
        embedder_pb2_grpc.add_EmbedderServiceServicer_to_server, servicer, "touchstone.embedder.v1.EmbedderService"
    )
    await server.start()
    try:
        async with channel(server.address) as connection:
            yield embedder_pb2_grpc.EmbedderServiceStub(connection)
    finally:
        await server.stop(0)


async def questions(loader: Callable[[], EmbeddingModel], count: int, texts: Sequence[str], nice: int) -> None:
    """Milliseconds of fresh questions, alone and beside bulk work."""
    ensemble = Ensemble({"measured": loader}, begin_bulk=lambda: stand_back(nice))
    await ensemble.load()
    with tempfile.TemporaryDirectory(prefix="bench-embedding-") as folder, postgres.start(Path(folder)) as server:
        database = Database(server.url, "embedder", MIGRATIONS)
        await database.migrate()
        store = SqlFunctionStore(database)
        embed, done = EmbedFunctions(ensemble, store, Written()), 0

        async def bulk() -> None:
            nonlocal done
            for some in units(texts, 1000):
                await embed(some)
                done += len(some)

        async with served(ensemble, store) as stub:
            for what in ("questions, idle", "questions beside bulk work"):
                began, work = time.monotonic(), asyncio.create_task(bulk()) if "beside" in what else None
                if work is not None:
                    await asyncio.sleep(2.0)
                took: list[float] = []
                for number in range(-10, count):
                    asked = embedder_pb2.EmbedRequest(texts=[f"{what}: how to sort {number} lists by length"])
                    started = time.perf_counter()
                    await stub.Embed(asked, timeout=60)
                    took.append(1000 * (time.perf_counter() - started))
                    await asyncio.sleep(0.01)
                figures = {f"p{share}_ms": round(float(np.percentile(took[10:], share)), 1) for share in (50, 99)}
                if work is not None:
                    figures["embedded_per_s"] = round(done / (time.monotonic() - began), 1)
                    if work.done():
                        work.result()
                    work.cancel()
                say(what=what, questions=count, **figures)
        await database.close()
    ensemble.close()


def say(**figures: object) -> None:
    """One line, with the load of the machine."""
    print(json.dumps({"bench": "embedding", **figures, "load": round(os.getloadavg()[0], 1)}), flush=True)


def main() -> None:
    settings = EmbedderSettings()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--no-ratio", action="store_true", help="measure questions alone")
    parser.add_argument("--models-dir", type=Path, default=folders().models)
    chosen = parser.parse_args()
    if not (chosen.models_dir / chosen.model / "config.json").is_file():
        sys.exit(f"no {chosen.model} in {chosen.models_dir}; `make tools` brings it")
    places = ModelFolders(
        chosen.models_dir, folders().converted_models, "cpu",
        threads=settings.embedding_threads, bulk_nice=settings.embedding_bulk_nice,
    )  # fmt: skip
    started = time.monotonic()
    ours = load_model(chosen.model, places)
    load_s, texts = round(time.monotonic() - started, 1), functions(chosen.texts)
    say(what="model loaded", model=chosen.model, runs_on=type(ours).__name__, seconds=load_s)
    if not chosen.no_ratio:
        compare(ours, chosen.models_dir / chosen.model, texts)
    asyncio.run(questions(lambda: ours, chosen.questions, texts, settings.embedding_bulk_nice))


def compare(ours: EmbeddingModel, folder: Path, texts: Sequence[str]) -> None:
    """Both sides in turns, so that a busy machine slows both down alike."""
    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    seconds, used = {"ours": 0.0, "theirs": 0.0}, {"ours": 0.0, "theirs": 0.0}
    vectors: dict[str, list[np.ndarray]] = {"ours": [], "theirs": []}
    sides = {
        "theirs": lambda part: theirs.encode(part, show_progress_bar=False),
        "ours": lambda part: ours.encode(part, "code", "bulk"),
    }
    for start in range(0, len(texts), 100):
        for side, encode in sides.items():
            started, cpu = time.monotonic(), time.process_time()
            vectors[side].append(encode(texts[start : start + 100]))
            seconds[side] += time.monotonic() - started
            used[side] += time.process_time() - cpu
    expected = np.concatenate(vectors["theirs"])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    cosines = np.sum(np.concatenate(vectors["ours"]) * expected, axis=1)
    say(
        what="bulk encoding",
        texts=len(texts),
        texts_per_s=round(len(texts) / seconds["ours"], 1),
        sentence_transformers_per_s=round(len(texts) / seconds["theirs"], 1),
        ratio=round(seconds["theirs"] / seconds["ours"], 2),
        ratio_of_processor_time=round(used["theirs"] / used["ours"], 2),
        least_cosine=round(float(cosines.min()), 6),
    )


if __name__ == "__main__":
    main()
