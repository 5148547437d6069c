"""Searches over many functions through gRPC, embedding left out, against exact search, as JSON lines.

Vectors are drawn: two models of 384 and 768 numbers, in clusters as those of code lie. Codes are functions of Python's
own library and of what is installed beside, numbered. Of each store: milliseconds of one search after the other by one
model, by two (alone, and under a filter that keeps one code in a hundred) and by all parts of the ranking; recall of
the ten best by the models against exact search; searches a second of eight callers; what a search takes, and how long
the event loop stands still, while codes are written beside it, as many at a time as the service takes from a topic.
Each line has the machine's load, and what the same call takes without a search: a round trip through gRPC that finds
nothing, and `SELECT 1` there. With `--held N` once more with up to N MiB of codes and vectors in the retriever's
memory, as `search_memory_mb` has it, and each line has what the bars of the house are in it.

On a machine that does other things too, `--rounds N` asks the searches of each line N times over and tells the round
in which other processes took least of the processors; `others` is the share that they took in it.

Run: python tests/bench/search.py [--codes N] [--stores pgvector weaviate] [--queries N] [--keep FOLDER] [--held MB]
    [--rounds N]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import numpy as np
import psutil

sys.path.insert(0, str(Path(__file__).parent))
from pulse import Pulse
from search_store import BATCH, MODELS, PACKAGES, Drawn, entry, filled, held, number_of, opened

from retriever.adapters import threads
from retriever.adapters.agent import NoAgent
from retriever.rpc import RetrieverServicer
from retriever.settings import RetrieverSettings
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.plain import PlainSearch
from retriever.usecases.search import Search
from touchstone.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from touchstone_runtime.gate import Gate
from touchstone_runtime.grpc_server import GrpcServer, channel

# What questions are made of.
WORDS = (
    "parse", "header", "value", "read", "file", "lines", "convert", "date", "string", "list", "sort", "message",
    "path", "join", "remove", "duplicates", "socket", "timeout", "encode", "bytes", "tree", "walk", "count", "match",
)  # fmt: skip
WARMING = 20
P50_BAR_MS, P99_BAR_MS = 3.0, 10.0
# Of so many questions the answer is compared with that of an exact search, which takes a tenth of a second each.
COMPARED = 100


class DrawnEmbedder:
    """Gives a question's vectors by the number that it ends with, so that no model is measured."""

    def __init__(self, drawn: Drawn, queries: int) -> None:
        self._questions = [drawn.question(number) for number in range(max(queries, WARMING + 1))]

    async def embed(self, texts: Sequence[str], role: str) -> list[dict[str, np.ndarray]]:
        """Vectors of each text."""
        return [self._questions[int(text.rpartition(" ")[2])] for text in texts]


@contextlib.asynccontextmanager
async def served(index: Any, drawn: Drawn, queries: int) -> AsyncIterator[Any]:
    """The retriever's door over an index; gives its stub."""

    class NoLag:
        functions_behind = 0

    async def lag() -> int:
        return 0

    embedder = DrawnEmbedder(drawn, queries)
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


def request(number: int, package: int | None, parts: Sequence[str]) -> Any:
    """One search; its words are those of a question, so that text has something to find."""
    words = " ".join(WORDS[(number * step) % len(WORDS)] for step in (1, 3, 7))
    asked = retriever_pb2.SearchRequest(query=f"{words} {number}", limit=10, parts=parts)
    if package is not None:
        asked.filters.repositories.append(f"package{package}")
    return asked


async def timed(call: Callable[[], Awaitable[object]], times: int = 200) -> float:
    """Milliseconds that a call takes in the middle."""
    took: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        await call()
        took.append(1000 * (time.perf_counter() - began))
    return float(np.median(took))


@contextlib.asynccontextmanager
async def bare(store: str, server: Any) -> AsyncIterator[Callable[[], Awaitable[object]]]:
    """The least that a question to the store takes: `SELECT 1`, or whether Weaviate is alive."""
    if store == "weaviate":
        async with httpx.AsyncClient(base_url=f"http://{server.http}") as client:
            yield lambda: client.get("/v1/.well-known/live")
        return
    connection = await asyncpg.connect(server.dsn)
    try:
        yield lambda: connection.fetchval("SELECT 1")
    finally:
        await connection.close()


async def measured(
    stub: Any, server: Any, drawn: Drawn, queries: int, *, packages: int, models: Sequence[str], parts: Sequence[str],
    rounds: int,
) -> dict[str, float]:  # fmt: skip
    """Milliseconds of searches one after the other, and the recall of their ten best.

    Args:
        stub: The retriever's door.
        server: The store.
        drawn: Vectors, for exact search.
        queries: How many are measured.
        packages: How many filters are asked with in turn, each of which keeps one code in a hundred; 0: none.
        models: What is ranked by.
        parts: The same as a search takes it; none for what a search does by itself.
        rounds: How often all of it is asked; told is the round in which others did least.
    """
    asked = [
        request(abs(number), abs(number) % packages if packages else None, parts) for number in range(-WARMING, queries)
    ]
    # Connections, plans, pages of the index.
    for one in asked[:WARMING]:
        await stub.Search(one, timeout=60)
    of_rounds: list[dict[str, float]] = []
    answers: list[Any] = []
    for _ in range(rounds):
        took: list[float] = []
        began_cpu, began_all, began_at = cpu_ms(server), all_cpu_ms(), time.perf_counter()
        answers.clear()
        for one in asked[WARMING:]:
            began = time.perf_counter()
            answers.append(await stub.Search(one, timeout=60))
            took.append(1000 * (time.perf_counter() - began))
        used = [after - before for before, after in zip(began_cpu, cpu_ms(server), strict=True)]
        there = 1000 * (time.perf_counter() - began_at) * (os.cpu_count() or 1)
        of_rounds.append(
            {
                "p50_ms": float(np.percentile(took, 50)),
                "p99_ms": float(np.percentile(took, 99)),
                "cpu_ms_store": used[0] / queries,
                "cpu_ms_retriever_and_client": used[1] / queries,
                "others": max(all_cpu_ms() - began_all - sum(used), 0.0) / there,
            }
        )
    figures = min(of_rounds, key=lambda one: one["others"])
    if parts:
        hit = 0
        for number, answer in enumerate(answers[:COMPARED]):
            found = {number_of(result.function_id) for result in answer.results}
            hit += len(found & drawn.best(number, number % packages if packages else None, models))
        figures["recall_at_10"] = hit / (10 * min(queries, COMPARED))
    return figures


def cpu_ms(server: Any) -> tuple[float, float]:
    """Milliseconds of processors that the store, and this process, have taken: what others do moves them little."""

    def of(process: psutil.Process) -> float:
        with contextlib.suppress(psutil.NoSuchProcess):
            return 1000 * sum(process.cpu_times()[:2])
        return 0.0

    first = psutil.Process(server.process.pid)
    return of(first) + sum(map(of, first.children(recursive=True))), of(psutil.Process())


def all_cpu_ms() -> float:
    """Milliseconds of processors that all processes have taken."""
    times = psutil.cpu_times()
    return 1000 * (times.user + times.nice + times.system + getattr(times, "steal", 0.0))


async def throughput(stub: Any, queries: int, callers: int = 8) -> float:
    """Searches a second of several callers side by side."""
    left = iter(range(queries))

    async def call() -> None:
        for number in left:
            await stub.Search(request(number, None, list(MODELS)), timeout=60)

    began = time.monotonic()
    await asyncio.gather(*(call() for _ in range(callers)))
    return queries / (time.monotonic() - began)


async def beside_bulk(index: Any, stub: Any, drawn: Drawn, queries: int) -> dict[str, float]:
    """Searches one after the other while codes are written in bulk, and how the loop that both share fared.

    Each code is written with another path, so that store and memory have work, and once more as it was.
    """
    pulse, written, done = Pulse(), 0, asyncio.Event()
    at_once = RetrieverSettings.model_fields["index_records"].default
    batches = [
        [entry(number, drawn, folder) for number in range(start, min(start + at_once, BATCH))]
        for start in range(0, BATCH, at_once)
        for folder in ("moved", "src")
    ]

    async def write() -> None:
        nonlocal written
        for batch in batches:
            await index.upsert(batch)
            written += len(batch)
        done.set()

    took: list[float] = []
    working = [asyncio.create_task(pulse.beat()), asyncio.create_task(write())]
    began, number = time.perf_counter(), 0
    while not done.is_set():
        asked_at = time.perf_counter()
        await stub.Search(request(number % queries, None, list(MODELS)), timeout=60)
        took.append(1000 * (time.perf_counter() - asked_at))
        number += 1
        if working[1].done():
            working[1].result()
    seconds = time.perf_counter() - began
    working[0].cancel()
    return {
        "p50_ms": float(np.percentile(took, 50)),
        "p99_ms": float(np.percentile(took, 99)),
        "codes_written_per_s": written / seconds,
        "loop_stalled_ms": 1000 * pulse.longest,
        "loop_busy_ms": 1000 * pulse.busiest,
    }


def say(**figures: object) -> None:
    """One line, with the load of the machine."""
    plain = {key: round(value, 3) if isinstance(value, float) else value for key, value in figures.items()}
    print(json.dumps({"bench": "search", **plain, "load": round(os.getloadavg()[0], 1)}), flush=True)


async def run(store: str, queries: int, drawn: Drawn, kept: Path | None, megabytes: int, rounds: int) -> None:
    """All figures of one store."""
    codes = drawn.codes
    async with opened(store, kept) as (index, server), bare(store, server) as least:
        if not (await index.counts()).indexed:
            seconds = await filled(store, index, server, drawn)
            say(store=store, codes=codes, what="taken in", seconds=seconds, codes_per_s=codes / seconds)
        if not megabytes:
            began = time.monotonic()
            await index.tend()
            say(store=store, codes=codes, what="graphs made", seconds=time.monotonic() - began)
            await asked(store, index, server, least, drawn, queries, held_mb=0, rounds=rounds)
            return
        async with held(store, index, server, megabytes) as (over, seconds):
            say(store=store, codes=codes, what="held in memory", seconds=seconds, state=over.state)
            await asked(store, over, server, least, drawn, queries, held_mb=megabytes, rounds=rounds)


async def asked(
    store: str, index: Any, server: Any, least: Callable[[], Awaitable[object]], drawn: Drawn, queries: int, *,
    held_mb: int, rounds: int,
) -> None:  # fmt: skip
    """What is asked of an index that is there."""
    of = {"store": store, "codes": drawn.codes, "held_mb": held_mb}
    async with served(index, drawn, 3 * queries) as stub:
        # Nothing is found by a symbol that is not there: a search of no work but the way.
        nothing = retriever_pb2.SearchRequest(query="0", mode="plain", parts=["text"])
        for what, packages, models, parts in (
            ("one model", 0, ["small"], ["small"]),
            ("two models", 0, list(MODELS), list(MODELS)),
            ("two models, filter of 1 %, five filters in turn", 5, list(MODELS), list(MODELS)),
            ("two models, filter of 1 %, a hundred filters in turn", PACKAGES, list(MODELS), list(MODELS)),
            ("all parts", 0, list(MODELS), []),
        ):
            store_ms, way_ms = await timed(least), await timed(lambda: stub.Search(nothing, timeout=60))
            figures = await measured(
                stub, server, drawn, queries, packages=packages, models=models, parts=parts, rounds=rounds
            )
            ratios = {
                "bare_store_ms": store_ms,
                "bare_search_ms": way_ms,
                "p50_ratio": figures["p50_ms"] / way_ms,
                "p50_of_bar": figures["p50_ms"] / P50_BAR_MS,
                "p99_of_bar": figures["p99_ms"] / P99_BAR_MS,
            }
            say(**of, what=what, **figures, **ratios)
        say(**of, what="eight callers", queries_per_s=await throughput(stub, 3 * queries))
        say(**of, what="two models beside bulk work", **await beside_bulk(index, stub, drawn, queries))


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--codes", type=int, default=200_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--stores", nargs="+", choices=["pgvector", "weaviate"], default=["pgvector", "weaviate"])
    parser.add_argument("--held", type=int, default=0, help="MiB in which the retriever holds codes and vectors")
    parser.add_argument(
        "--rounds", type=int, default=1, help="of each line; the one that others disturbed least is told"
    )
    parser.add_argument("--keep", type=Path, help="a folder for the stores; what it holds already is searched as it is")
    chosen = parser.parse_args()
    if chosen.codes < 200 * PACKAGES:
        parser.error(f"--codes: {200 * PACKAGES} at least, so that one in a hundred are enough to rank")
    threads.one_for_each_product()
    drawn = Drawn(chosen.codes)
    for store in chosen.stores:
        asyncio.run(run(store, chosen.queries, drawn, chosen.keep, chosen.held, chosen.rounds))


if __name__ == "__main__":
    main()
