"""What the formats of exports share: rows as lines, and lines as files in pieces."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from annotator.ports.releases import ExportedPiece

Rows = Callable[[str], AsyncIterator[dict[str, Any]]]
SPLIT = "test"
QRELS_HEAD = "query-id\tcorpus-id\tscore\n"
# Pairs about which nobody could tell: who scores takes them out of rankings.
UNDECIDED_FILE, UNDECIDED_HEAD = "undecided.tsv", "query-id\tcorpus-id\n"
# So many bytes are handed on at once.
_PIECE_BYTES = 256 * 1024


def corpus_line(row: dict[str, Any]) -> str:
    """A code as BEIR's corpus and CoIR have it."""
    metadata = {name: row[name] for name in ("name", "repository", "version", "path", "qualname", "licence")}
    return _coir(row["function_id"], row["code"], row["language"], metadata)


def query_line(row: dict[str, Any]) -> str:
    """A query as BEIR and CoIR have it."""
    return _coir(row["query_id"], row["text"], "", {})


def undecided_line(row: dict[str, Any]) -> str:
    """A pair of `undecided.tsv`; empty where a pair has a label."""
    return f"{row['query_id']}\t{row['function_id']}\n" if row["label"] is None else ""


def _coir(identifier: str, text: str, language: str, metadata: dict[str, Any]) -> str:
    return json_line(
        {
            "_id": identifier,
            "partition": SPLIT,
            "title": "",
            "text": text,
            "language": language,
            "meta_information": metadata,
        }
    )


def json_line(content: dict[str, Any]) -> str:
    """A line of JSON."""
    return json.dumps(content, ensure_ascii=True) + "\n"


async def lines_of(rows: AsyncIterator[dict[str, Any]], line: Callable[[dict[str, Any]], str]) -> AsyncIterator[str]:
    """What a format makes of rows; an empty text leaves a row out."""
    async for row in rows:
        if text := line(row):
            yield text


async def written(path: str, lines: AsyncIterator[str], head: str = "") -> AsyncIterator[ExportedPiece]:
    """A file of lines; it is there even where it has none."""
    waiting, size, begun = [head], len(head), False
    async for line in lines:
        waiting.append(line)
        size += len(line)
        if size >= _PIECE_BYTES:
            yield ExportedPiece(path, _bytes(waiting))
            waiting, size, begun = [], 0, True
    if waiting and (size or not begun):
        yield ExportedPiece(path, _bytes(waiting))


def _bytes(texts: list[str]) -> bytes:
    # What verifies a folder lays out whatever the folder holds.
    return "".join(texts).encode("utf-8", "surrogatepass")
