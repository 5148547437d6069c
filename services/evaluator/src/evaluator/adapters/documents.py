"""An index of the documentation of the packages that the sandbox has."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

from evaluator.adapters.harness_texts import harness_text
from evaluator.domain.found import Document
from evaluator.errors import SandboxFailedError
from evaluator.ports import CallRun, Sandbox
from touchstone_contracts.envelope import content_id
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.telemetry import get_logger
from touchstone_values import decode

_FOLDER = "cocost-documents"
_PROGRAM = "documents"
_WORD = re.compile(r"\w+")
_MOST_WORDS = 40
# A hit in the name says more than one in the words.
_RANKED = (
    "SELECT package, version, name, text, bm25(documents, 0, 0, 5.0, 1.0) AS rank FROM documents "
    "WHERE documents MATCH ? ORDER BY rank, name LIMIT ?"
)

# How a call ends for which a busy machine had no time.
_BUSY = ("timed_out", "killed")

_log = get_logger()

# Package, version, name and text of a document.
_Row = tuple[str, str, str, str]


class PackageDocuments:
    """Implements `ports.DocumentSearch`.

    The packages are those of the sandbox when a process searches first: docstrings and heads of what is public, and
    what a package says of itself. They are collected in the sandbox, where its packages can be imported, once for each
    set of packages, and ranked by BM25 in SQLite.

    Args:
        sandbox: Has the packages; its calls may take a minute.
        blobs: Keeps what was collected, and each answer by its occasion: packages change, a replay asks the same.
    """

    def __init__(self, sandbox: Sandbox, blobs: BlobStore) -> None:
        self._sandbox = sandbox
        self._blobs = blobs
        self._making = asyncio.Lock()
        self._index: sqlite3.Connection | None = None

    async def search(self, query: str, *, limit: int, occasion: str) -> list[Document]:
        """Find documentation."""
        key = f"{_FOLDER}/answers/{content_id(occasion, query, limit)}.json"
        known = await self._blobs.get_at(key)
        if known is None:
            async with self._making:
                if self._index is None:
                    self._index = await asyncio.to_thread(_indexed, await self._collected())
                # One connection, one question at a time.
                found = await asyncio.to_thread(_ranked, self._index, query, limit)
            text = json.dumps([asdict(document) for document in found], sort_keys=True).encode()
            await self._blobs.put_at(key, text, keep=True)
            known = await self._blobs.get_at(key) or b"[]"
        stored: list[dict[str, Any]] = json.loads(known)
        return [Document(**fields) for fields in stored]

    async def _collected(self) -> list[_Row]:
        """Every document of every package."""
        program = harness_text(_PROGRAM)
        (listed,) = await self._sandbox.run_calls(program, "packages", ["[]"])
        packages = _returned(listed, "the list of packages")
        key = f"{_FOLDER}/{content_id(program, json.dumps(packages))}.json.z"
        data = await self._blobs.get_at(key)
        if data is None:
            parts = [await self._of(program, str(name), str(version), modules) for name, version, modules in packages]
            rows = [row for part in parts if part is not None for row in part]
            if any(part is None for part in parts):
                # A machine that was too busy for one package may have time for it in the next process.
                return rows
            data = await asyncio.to_thread(_packed, rows)
            await self._blobs.put_at(key, data, keep=True)
        return await asyncio.to_thread(_unpacked, data)

    async def _of(self, program: str, name: str, version: str, modules: Sequence[str]) -> list[_Row] | None:
        """Of one package; None where there was no time for it."""
        (run,) = await self._sandbox.run_calls(program, "documents", [json.dumps([name, list(modules)])])
        if run.outcome != "returned":
            # One that cannot be imported there helps no program either.
            _log.warning("documents_left_out", package=name, problem=run.error_message or run.outcome)
            return None if run.outcome in _BUSY else []
        packed = _returned(run, name)
        found = cast("dict[str, tuple[str, str]]", await asyncio.to_thread(_unpacked, packed))
        rows = ((each, f"{each}{head}\n{text}".strip()) for each, (head, text) in sorted(found.items()))
        return [(name, version, each, text) for each, text in rows]


def _packed(rows: Sequence[_Row]) -> bytes:
    return zlib.compress(json.dumps(rows).encode())


def _unpacked(data: bytes) -> Any:
    return json.loads(zlib.decompress(data))


def _returned(run: CallRun, what: str) -> Any:
    if run.outcome != "returned":
        raise SandboxFailedError(
            f"the sandbox did not give {what}: {run.error_message or run.outcome}",
            thing="documents of packages",
            way_out="`touchstone sandbox selftest` says what is wrong; strategy cocost:no-documents goes without them",
        )
    return decode(run.value)


def _indexed(rows: Sequence[_Row]) -> sqlite3.Connection:
    index = sqlite3.connect(":memory:", check_same_thread=False)
    index.execute(
        "CREATE VIRTUAL TABLE documents USING fts5(package UNINDEXED, version UNINDEXED, name, text, "
        "tokenize = 'porter unicode61')"
    )
    index.executemany("INSERT INTO documents VALUES (?, ?, ?, ?)", rows)
    return index


def _ranked(index: sqlite3.Connection, query: str, limit: int) -> list[Document]:
    words = list(dict.fromkeys(_WORD.findall(query.lower())))[:_MOST_WORDS]
    if not words:
        return []
    asked = " OR ".join(f'"{word}"' for word in words)
    return [Document(*row[:4], score=-row[4]) for row in index.execute(_RANKED, (asked, limit))]
