"""Searches over many functions through gRPC, embedding left out, against exact search, as JSON lines.

Vectors are drawn: two models of 384 and 768 numbers, in clusters as those of code lie. Codes are functions of Python's
own standard library, numbered. Of each store: milliseconds of one search after the other by two models (alone, and
under a filter that keeps one code in a hundred) and by all parts of the ranking; recall of the ten best by the models
against exact search; searches a second of eight callers; codes taken in a second. Each line bears the machine's load.

Run: python tests/bench/search.py [--codes N] [--stores pgvector weaviate] [--queries N]
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import contextlib
import json
import os
import sys
import sysconfig
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from retriever.adapters.agent import NoAgent
from retriever.adapters.pgvector_index import PgvectorIndex
from retriever.adapters.records import code_of
from retriever.adapters.weaviate_index import WeaviateIndex
from retriever.app import MIGRATIONS
from retriever.domain.code import IndexEntry
from retriever.rpc import RetrieverServicer
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.plain import PlainSearch
from retriever.usecases.search import Search
from touchstone.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from touchstone_contracts.events import Function, SourceRef
from touchstone_local import postgres, weaviate
from touchstone_local.settings import folders
from touchstone_runtime.database import Database
from touchstone_runtime.gate import Gate
from touchstone_runtime.grpc_server import GrpcServer, channel

MODELS = {"small": 384, "large": 768}
KEYS = {name: f"{name}:1@drawn" for name in MODELS}
# Codes around one centre; what a function's look-alikes are in a large corpus.
OF_CLUSTER = 50
PACKAGES = 100
OF_FILE = 50
BATCH = 500


def sources() -> list[tuple[str, str]]:
    """Name and code of the functions of the standard library."""
    found: list[tuple[str, str]] = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        text = path.read_text("utf-8", "replace")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                found.append((node.name, (ast.get_source_segment(text, node) or "")[:2000]))
    return found


class Drawn:
    """Vectors of codes and of questions, the same for the same number."""

    def __init__(self, codes: int) -> None:
        draw = np.random.default_rng(1)
        self.rows: dict[str, np.ndarray] = {}
        self._centres: dict[str, np.ndarray] = {}
        belongs = draw.integers(0, max(codes // OF_CLUSTER, 1), codes)
        for name, dimensions in MODELS.items():
            centres = draw.normal(size=(max(codes // OF_CLUSTER, 1), dimensions)).astype(np.float32)
            rows = centres[belongs] + draw.normal(size=(codes, dimensions)).astype(np.float32)
            self.rows[name] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
            self._centres[name] = centres

    def question(self, number: int) -> dict[str, np.ndarray]:
        """A question lies in one cluster of both models."""
        draw = np.random.default_rng(10_000 + number)
        cluster = number * 7919 % len(self._centres["small"])
        found: dict[str, np.ndarray] = {}
        for name, dimensions in MODELS.items():
            row = self._centres[name][cluster] + draw.normal(size=dimensions).astype(np.float32)
            found[KEYS[name]] = row / np.linalg.norm(row)
        return found

    def best(self, number: int, package: int | None, most: int = 10) -> set[int]:
        """The best codes by the sum of both models' z-scores over their hundred nearest: the ranking, done exactly."""
        asked = self.question(number)
        among = np.arange(len(self.rows["small"]))
        if package is not None:
            among = among[among // OF_FILE % PACKAGES == package]
        cosines = {name: self.rows[name][among] @ asked[KEYS[name]] for name in MODELS}
        near = sorted({int(one) for each in cosines.values() for one in np.argpartition(-each, 99)[:100]})
        total = np.zeros(len(near))
        for each in cosines.values():
            values = each[near].astype(np.float64)
            total += (values - values.mean()) / values.std()
        return {int(among[near[place]]) for place in np.argsort(-total)[:most]}


class DrawnEmbedder:
    """Gives a question's vectors by the number that it ends with, so that no model is measured."""

    def __init__(self, drawn: Drawn) -> None:
        self._drawn = drawn

    async def embed(self, texts: Sequence[str], role: str) -> list[dict[str, np.ndarray]]:
        """Vectors of each text."""
        return [self._drawn.question(int(text.rpartition(" ")[2])) for text in texts]


def entry(number: int, texts: list[tuple[str, str]], drawn: Drawn) -> IndexEntry:
    """One code; they come file by file, as from a source, and one in a hundred is of the same package."""
    name, code = texts[number % len(texts)]
    package = f"package{number // OF_FILE % PACKAGES}"
    source = SourceRef(
        source_id=package, source_version_id=f"{package}-1", kind="package", name=package, version="1",
        released_at="2026-01-01T00:00:00Z",
    )  # fmt: skip
    path = f"src/m{number // OF_FILE // PACKAGES}.py"
    function = Function(
        function_id=f"{number:012}", source=source, path=path, qualname=name, name=name,
        line_start=1, line_end=1 + code.count("\n"), code=code, searchable_pair=True,
    )  # fmt: skip
    return IndexEntry(code_of(function), {KEYS[model]: drawn.rows[model][number] for model in MODELS})


@contextlib.asynccontextmanager
async def opened(store: str) -> AsyncIterator[Any]:
    """An empty index on a server of its own."""
    with tempfile.TemporaryDirectory(prefix="bench-search-") as folder:
        if store == "weaviate":
            program = weaviate.find(folders().cache)
            if program is None:
                raise SystemExit("Weaviate is not there: run `make tools`")
            with weaviate.start(Path(folder), program) as server:
                index = WeaviateIndex(server.http, server.grpc)
                yield index
                await index.close()
            return
        with postgres.start(Path(folder)) as server:
            database = Database(server.url, "retriever", MIGRATIONS, extensions=("vector",))
            await database.migrate()
            index = PgvectorIndex(database, search="auto")
            yield index
            await index.close()
            await database.close()


@contextlib.asynccontextmanager
async def served(index: Any, drawn: Drawn) -> AsyncIterator[Any]:
    """The retriever's door over an index; gives its stub."""

    class NoLag:
        functions_behind = 0

    async def lag() -> int:
        return 0

    embedder = DrawnEmbedder(drawn)
    augmented = AugmentedSearch(index, embedder, NoAgent("not measured"), {})
    search = Search(index, PlainSearch(index, embedder), augmented, NoLag())
    nothing: Any = None
    servicer = RetrieverServicer(search, nothing, index, nothing, lag, list, nothing, nothing)
    server = GrpcServer("127.0.0.1:0", gate=Gate(None))
    name = "touchstone.retriever.v1.RetrieverService"
    server.add(retriever_pb2_grpc.add_RetrieverServiceServicer_to_server, servicer, name)
    await server.start()
    try:
        async with channel(server.address) as connection:
            yield retriever_pb2_grpc.RetrieverServiceStub(connection)
    finally:
        await server.stop(0)


async def filled(index: Any, codes: int, drawn: Drawn) -> float:
    """Take codes in; seconds."""
    texts, began, told = sources(), time.monotonic(), time.monotonic()
    for start in range(0, codes, BATCH):
        await index.upsert([entry(number, texts, drawn) for number in range(start, min(start + BATCH, codes))])
        if time.monotonic() - told > 20:
            told = time.monotonic()
            print(f"{start + BATCH} of {codes} codes, {told - began:.0f} s", file=sys.stderr, flush=True)
    return time.monotonic() - began


def request(number: int, package: int | None, parts: Sequence[str]) -> Any:
    """One search; its words are a function's name, so that text has something to find."""
    asked = retriever_pb2.SearchRequest(query=f"parse header value {number}", limit=10, parts=parts)
    if package is not None:
        asked.filters.repositories.append(f"package{package}")
    return asked


async def measured(stub: Any, drawn: Drawn, queries: int, *, narrow: bool, parts: Sequence[str]) -> dict[str, float]:
    """Milliseconds of searches one after the other, and the recall of their ten best."""
    took: list[float] = []
    hit = 0
    for number in range(-20, queries):
        package = number % PACKAGES if narrow else None
        asked = request(abs(number), package, parts)
        began = time.perf_counter()
        answer = await stub.Search(asked, timeout=60)
        seconds = time.perf_counter() - began
        if number < 0:
            # Warming up: connections, plans, pages of the index.
            continue
        took.append(1000 * seconds)
        if parts:
            found = {int(result.function_id) for result in answer.results}
            hit += len(found & drawn.best(number, package))
    figures = {"p50_ms": float(np.percentile(took, 50)), "p99_ms": float(np.percentile(took, 99))}
    if parts:
        figures["recall_at_10"] = hit / (10 * queries)
    return figures


async def throughput(stub: Any, queries: int, callers: int = 8) -> float:
    """Searches a second of several callers side by side."""
    left = iter(range(queries))

    async def call() -> None:
        for number in left:
            await stub.Search(request(number, None, list(MODELS)), timeout=60)

    began = time.monotonic()
    await asyncio.gather(*(call() for _ in range(callers)))
    return queries / (time.monotonic() - began)


def say(**figures: object) -> None:
    """One line, with the load of the machine."""
    plain = {key: round(value, 3) if isinstance(value, float) else value for key, value in figures.items()}
    print(json.dumps({"bench": "search", **plain, "load": round(os.getloadavg()[0], 1)}), flush=True)


async def run(store: str, codes: int, queries: int, drawn: Drawn) -> None:
    """All figures of one store."""
    async with opened(store) as index:
        seconds = await filled(index, codes, drawn)
        say(store=store, codes=codes, what="taken in", seconds=seconds, codes_per_s=codes / seconds)
        began = time.monotonic()
        await index.tend()
        say(store=store, codes=codes, what="graphs made", seconds=time.monotonic() - began)
        async with served(index, drawn) as stub:
            for what, narrow, parts in (
                ("two models", False, list(MODELS)),
                ("two models, filter of 1 %", True, list(MODELS)),
                ("all parts", False, []),
            ):
                figures = await measured(stub, drawn, queries, narrow=narrow, parts=parts)
                say(store=store, codes=codes, what=what, **figures)
            say(store=store, codes=codes, what="eight callers", queries_per_s=await throughput(stub, 3 * queries))


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--codes", type=int, default=200_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--stores", nargs="+", choices=["pgvector", "weaviate"], default=["pgvector", "weaviate"])
    chosen = parser.parse_args()
    if chosen.codes < 200 * PACKAGES:
        parser.error(f"--codes: {200 * PACKAGES} at least, so that one in a hundred are enough to rank")
    drawn = Drawn(chosen.codes)
    for store in chosen.stores:
        asyncio.run(run(store, chosen.codes, chosen.queries, drawn))


if __name__ == "__main__":
    main()
