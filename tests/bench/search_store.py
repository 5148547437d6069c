"""What `search.py` searches: drawn vectors, functions of Python code, and both stores filled with them in bulk."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import hashlib
import itertools
import struct
import sys
import sysconfig
import tempfile
import textwrap
import time
import warnings
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import asyncpg
import numpy as np
from weaviate import use_async_with_custom as connect
from weaviate.classes.data import DataObject

from retriever.adapters.change_log import SqlChangeLog
from retriever.adapters.held_index import HeldIndex
from retriever.adapters.pg_rows import columns_of
from retriever.adapters.pgvector_index import PgvectorIndex
from retriever.adapters.records import code_of
from retriever.adapters.weaviate_index import WeaviateIndex
from retriever.adapters.weaviate_objects import object_id, properties_of, vector_name
from retriever.app import MIGRATIONS
from retriever.domain.code import IndexedCode, IndexEntry, repository_key
from touchstone_contracts.events import Function, SourceRef
from touchstone_local import postgres, weaviate
from touchstone_local.settings import folders
from touchstone_runtime.database import Database
from touchstone_runtime.repeating import repeat

MODELS = {"small": 384, "large": 768}
KEYS = {name: f"{name}:1@drawn" for name in MODELS}
# Codes around one centre; what a function's look-alikes are in a large corpus.
OF_CLUSTER = 50
PACKAGES = 100
OF_FILE = 50
BATCH = 1000
_DIFFERENT = 20_000


@cache
def texts() -> list[tuple[str, str]]:
    """Name and code of some thousand functions: of Python's own library and of what is installed beside."""
    found: list[tuple[str, str]] = []
    folders_of_code = [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))]
    for path in itertools.chain.from_iterable(sorted(folder.rglob("*.py")) for folder in folders_of_code):
        text = path.read_text("utf-8", "replace")
        with contextlib.suppress(SyntaxError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lines = text.splitlines()
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef) and node.end_lineno:
                    code = textwrap.dedent("\n".join(lines[node.lineno - 1 : node.end_lineno]))[:2000]
                    found.append((node.name, code.replace("\x00", "")))
        if len(found) >= _DIFFERENT:
            break
    return found[:_DIFFERENT]


class Drawn:
    """Vectors of codes and of questions, the same for the same number."""

    def __init__(self, codes: int, models: Sequence[str] = tuple(MODELS)) -> None:
        draw = np.random.default_rng(1)
        self.codes = codes
        self.rows: dict[str, np.ndarray] = {}
        self._centres: dict[str, np.ndarray] = {}
        belongs = draw.integers(0, max(codes // OF_CLUSTER, 1), codes)
        for name in models:
            dimensions = MODELS[name]
            centres = draw.normal(size=(max(codes // OF_CLUSTER, 1), dimensions)).astype(np.float32)
            rows = centres[belongs] + draw.standard_normal(size=(codes, dimensions), dtype=np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            self.rows[name] = rows
            self._centres[name] = centres

    def question(self, number: int, models: Sequence[str] = tuple(MODELS)) -> dict[str, np.ndarray]:
        """A question lies in one cluster of every model."""
        draw = np.random.default_rng(10_000 + number)
        cluster = number * 7919 % len(next(iter(self._centres.values())))
        found: dict[str, np.ndarray] = {}
        for name in models:
            row = self._centres[name][cluster] + draw.normal(size=MODELS[name]).astype(np.float32)
            found[KEYS[name]] = (row / np.linalg.norm(row)).astype(np.float32)
        return found

    def best(self, number: int, package: int | None, models: Sequence[str], most: int = 10) -> set[int]:
        """The best codes by the sum of the models' z-scores over their hundred nearest: the ranking, done exactly."""
        asked = self.question(number)
        among = np.arange(self.codes)
        if package is not None:
            among = among[among // OF_FILE % PACKAGES == package]
            cosines = {name: self.rows[name][among] @ asked[KEYS[name]] for name in models}
        else:
            cosines = {name: self.rows[name] @ asked[KEYS[name]] for name in models}
        near = sorted({int(one) for each in cosines.values() for one in np.argpartition(-each, 99)[:100]})
        total = np.zeros(len(near))
        for each in cosines.values():
            values = each[near].astype(np.float64)
            total += (values - values.mean()) / values.std()
        return {int(among[near[place]]) for place in np.argsort(-total)[:most]}


def function_id(number: int) -> str:
    """As long as a real one, and in no order; its number stands at the end."""
    return hashlib.sha256(str(number).encode()).hexdigest()[:52] + f"{number:012}"


def number_of(name: str) -> int:
    """The number of a function by its id."""
    return int(name[52:])


def code(number: int, folder: str = "src") -> IndexedCode:
    """One code; they come file by file, as from a source, and one in a hundred is of the same package."""
    name, text = texts()[number % len(texts())]
    package = f"package{number // OF_FILE % PACKAGES}"
    source = SourceRef(
        source_id=package, source_version_id=f"{package}-1", kind="package", name=package, version="1",
        released_at="2026-01-01T00:00:00Z",
    )  # fmt: skip
    function = Function(
        function_id=function_id(number), source=source, path=f"{folder}/m{number // OF_FILE // PACKAGES}.py",
        qualname=name, name=name, line_start=1, line_end=1 + text.count("\n"),
        code=text, searchable_pair=True,
    )  # fmt: skip
    return code_of(function)


def entry(number: int, drawn: Drawn, folder: str = "src") -> IndexEntry:
    """A code with its vectors."""
    return IndexEntry(code(number, folder), {KEYS[model]: rows[number] for model, rows in drawn.rows.items()})


@cache
def _columns_of_text(place: int) -> dict[str, Any]:
    return columns_of(code(place))


def _columns(number: int) -> dict[str, Any]:
    """A code's row; the words of a text are counted once."""
    one = code(number)
    own = {
        "function_id": one.function_id, "source_id": one.source_id, "source_version_id": one.source_version_id,
        "repository_key": repository_key(one.repository), "path": one.path, "record": one.record,
    }  # fmt: skip
    return _columns_of_text(number % len(texts())) | own


@cache
def _properties_of_text(place: int) -> dict[str, Any]:
    return properties_of(IndexEntry(code(place), {}), superseded=False)


def _object(number: int, drawn: Drawn) -> DataObject[Any, Any]:
    """The same for Weaviate."""
    one, keys = entry(number, drawn), sorted(KEYS[model] for model in drawn.rows)
    own = {
        "function_id": one.code.function_id, "source_id": one.code.source_id, "path": one.code.path,
        "repository_key": repository_key(one.code.repository), "models": keys, "spaces": keys,
        "folders": ["src", one.code.path], "record": one.code.record,
    }  # fmt: skip
    return DataObject(
        uuid=object_id(one.code.function_id),
        properties=_properties_of_text(number % len(texts())) | own,
        vector={vector_name(key): row.tolist() for key, row in one.vectors.items()},
    )


@contextlib.asynccontextmanager
async def opened(store: str, kept: Path | None) -> AsyncIterator[tuple[Any, Any]]:
    """An index on a server of its own, and the server; in a folder that was kept its codes are there already."""
    with contextlib.ExitStack() as stack:
        folder = (
            kept / store if kept else Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-search-")))
        )
        if store == "weaviate":
            program = weaviate.find(folders().cache)
            if program is None:
                raise SystemExit("Weaviate is not there: run `make tools`")
            with weaviate.start(folder, program) as server:
                index = WeaviateIndex(server.http, server.grpc)
                yield index, server
                await index.close()
            return
        with postgres.start(folder) as server:
            database = Database(server.url, "retriever", MIGRATIONS, extensions=("vector",))
            await database.migrate()
            index = PgvectorIndex(database, search="auto")
            yield index, server
            await index.close()
            await database.close()


@contextlib.asynccontextmanager
async def held(store: str, index: Any, server: Any, megabytes: int) -> AsyncIterator[tuple[Any, float]]:
    """The same index with its codes in memory, once it is whole; and how long that took in seconds."""
    with contextlib.ExitStack() as stack:
        if store == "weaviate":
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-log-")))
            server = stack.enter_context(postgres.start(folder))
        database = Database(server.url, "retriever", MIGRATIONS, extensions=("vector",))
        await database.migrate()
        over, began = HeldIndex(index, SqlChangeLog(database), megabytes * 2**20), time.monotonic()
        await over.follow()
        seconds = time.monotonic() - began
        following = asyncio.create_task(repeat(over.follow, 1.0))
        try:
            yield over, seconds
        finally:
            following.cancel()
            await database.close()


async def filled(store: str, index: Any, server: Any, drawn: Drawn) -> float:
    """Take codes in; seconds. Into PostgreSQL by COPY, as a backup is restored; into Weaviate in its own batches."""
    began = time.monotonic()
    if store == "weaviate":
        await index.upsert([entry(number, drawn) for number in range(BATCH)])
        await _fill_weaviate(server, drawn)
        return time.monotonic() - began
    connection = await asyncpg.connect(server.dsn)
    try:
        columns = list(_columns(0))
        await connection.copy_to_table(
            "codes", schema_name="retriever", columns=columns, source=_in_turn(_code_rows(drawn.codes))
        )
        await connection.copy_to_table(
            "code_vectors",
            schema_name="retriever",
            columns=["function_id", "model", "dimensions", "embedding"],
            source=_in_turn(_vector_rows(drawn)),
            format="binary",
        )
        await connection.execute("ANALYZE retriever.codes; ANALYZE retriever.code_vectors")
    finally:
        await connection.close()
    return time.monotonic() - began


async def _in_turn(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part
        await asyncio.sleep(0)


def _code_rows(codes: int) -> Iterator[bytes]:
    escapes = str.maketrans({"\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
    for start in range(0, codes, BATCH):
        lines = (
            "\t".join(str(value).translate(escapes) for value in _columns(number).values()) + "\n"
            for number in range(start, min(start + BATCH, codes))
        )
        yield "".join(lines).encode()


def _vector_rows(drawn: Drawn) -> Iterator[bytes]:
    """PostgreSQL's binary form of COPY: each field by its length; a vector as its length, two bytes, its numbers."""
    yield b"PGCOPY\n\xff\r\n\x00" + struct.pack(">ii", 0, 0)
    for start in range(0, drawn.codes, BATCH):
        parts: list[bytes] = []
        for number in range(start, min(start + BATCH, drawn.codes)):
            name = function_id(number).encode()
            for model, rows in drawn.rows.items():
                key = KEYS[model].encode()
                numbers = rows[number].astype(">f4").tobytes()
                parts += [
                    struct.pack(">hi", 4, len(name)), name, struct.pack(">i", len(key)), key,
                    struct.pack(">iii", 4, len(rows[number]), len(numbers) + 4),
                    struct.pack(">hh", len(rows[number]), 0), numbers,
                ]  # fmt: skip
        yield b"".join(parts)
    yield struct.pack(">h", -1)


async def _fill_weaviate(server: Any, drawn: Drawn) -> None:
    (http_host, _, http_port), (grpc_host, _, grpc_port) = server.http.partition(":"), server.grpc.partition(":")
    client = connect(
        http_host=http_host, http_port=int(http_port), http_secure=False,
        grpc_host=grpc_host, grpc_port=int(grpc_port), grpc_secure=False,
        skip_init_checks=True,
    )  # fmt: skip
    began = told = time.monotonic()
    async with client:
        collection = client.collections.use("TouchstoneCode_2")
        for start in range(BATCH, drawn.codes, BATCH):
            rows = [_object(number, drawn) for number in range(start, min(start + BATCH, drawn.codes))]
            if (answer := await collection.data.insert_many(rows)).has_errors:
                raise SystemExit(str(next(iter(answer.errors.values())).message))
            if time.monotonic() - told > 20:
                told = time.monotonic()
                print(f"{start + BATCH} of {drawn.codes}, {told - began:.0f} s", file=sys.stderr, flush=True)
