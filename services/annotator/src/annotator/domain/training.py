"""Labels as data for fine-tuning a search model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """One labelled pair, as a search model learns from it."""

    query: str
    code: str
    label: int


async def training_lines(rows: AsyncIterator[TrainingRow]) -> AsyncIterator[str]:
    """One JSON object a line; a pair that was labelled twice with the same words appears once."""
    seen: set[bytes] = set()
    async for row in rows:
        if line := new_line(row, seen):
            yield line


async def in_batches(lines: AsyncIterator[T], most: int = 500) -> AsyncIterator[list[T]]:
    """What comes, in lists of at most so many."""
    waiting: list[T] = []
    async for line in lines:
        waiting.append(line)
        if len(waiting) == most:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def new_line(row: TrainingRow, seen: set[bytes]) -> str:
    """The row as JSON; empty where it was seen before.

    Args:
        row: The row.
        seen: Hashes of the rows so far, to which this one's is added: 16 bytes a row, whatever its length.
    """
    line = json.dumps({"query": row.query, "code": row.code, "label": row.label}, ensure_ascii=False)
    key = hashlib.blake2b(line.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    if key in seen:
        return ""
    seen.add(key)
    return line
