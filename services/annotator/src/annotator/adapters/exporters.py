"""The formats of an export: BEIR's folder, whose rows have CoIR's columns too, the files of CoSQA+, and triples.

Undecided pairs stand in no file of labels as anything: they are listed apart, so that who scores can leave them out.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from annotator.adapters.exporting import (
    QRELS_HEAD,
    SPLIT,
    UNDECIDED_FILE,
    UNDECIDED_HEAD,
    Rows,
    corpus_line,
    json_line,
    lines_of,
    query_line,
    undecided_line,
    written,
)
from annotator.adapters.triples import TriplesExporter
from annotator.domain.copies import copies_of, with_copies
from annotator.domain.release import UNDECIDED, grade_of
from annotator.ports.releases import ExportedPiece, Exporter


class BeirExporter:
    """`corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv` (0 and 1), `qrels/graded.tsv` (0 to 2), `undecided.tsv`.

    The same columns as CoIR: `_id`, `partition`, `text`, `title`, `language`, `meta_information`.
    """

    async def files(self, rows: Rows) -> AsyncIterator[ExportedPiece]:
        """The files."""
        copies = await copies_of(rows("codes"))
        async for piece in written("corpus.jsonl", lines_of(rows("codes"), corpus_line)):
            yield piece
        async for piece in written("queries.jsonl", lines_of(rows("queries"), query_line)):
            yield piece
        async for piece in written(
            f"qrels/{SPLIT}.tsv", lines_of(with_copies(rows("labels"), copies), _binary), QRELS_HEAD
        ):
            yield piece
        async for piece in written(
            "qrels/graded.tsv", lines_of(with_copies(rows("labels"), copies), _graded), QRELS_HEAD
        ):
            yield piece
        async for piece in written(
            UNDECIDED_FILE, lines_of(with_copies(rows("labels"), copies), undecided_line), UNDECIDED_HEAD
        ):
            yield piece


class CosqaExporter:
    """The files of CoSQA+: `query.json`, `codebase.json`, `query_code_pairs.json`, and those of them that are a yes.

    Every row has the six fields that the authors' own scripts read; where one has no meaning it is empty. Undecided
    pairs are in a file of their own.
    """

    async def files(self, rows: Rows) -> AsyncIterator[ExportedPiece]:
        """The files."""
        texts = {row["query_id"]: row["text"] async for row in rows("queries")}
        codes = {row["function_id"]: row["code"] async for row in rows("codes")}
        copies = await copies_of(rows("codes"))

        def pair(row: dict[str, Any]) -> str:
            return _six(row["pair_id"], row["query_id"], row["function_id"], texts, codes, row["label"])

        def told(row: dict[str, Any]) -> str:
            return "" if row["label"] is None else pair(row)

        def matching(row: dict[str, Any]) -> str:
            return pair(row) if row["label"] == 1 else ""

        def undecided(row: dict[str, Any]) -> str:
            return pair(row) if row["label"] is None else ""

        async for piece in _array("query.json", lines_of(rows("queries"), lambda row: _of_query(row, texts))):
            yield piece
        async for piece in _array("codebase.json", lines_of(rows("codes"), lambda row: _of_code(row, codes))):
            yield piece
        for path, made in (
            ("query_code_pairs.json", told),
            ("query_code_pairs_for_search.json", matching),
            (f"{UNDECIDED}.json", undecided),
        ):
            async for piece in _array(path, lines_of(with_copies(rows("labels"), copies), made)):
                yield piece


EXPORTERS: dict[str, Exporter] = {"beir": BeirExporter(), "cosqa": CosqaExporter(), "triples": TriplesExporter()}


def _binary(row: dict[str, Any]) -> str:
    return "" if row["label"] is None else f"{row['query_id']}\t{row['function_id']}\t{row['label']}\n"


def _graded(row: dict[str, Any]) -> str:
    grade = grade_of(row)
    return "" if grade is None else f"{row['query_id']}\t{row['function_id']}\t{grade}\n"


def _of_query(row: dict[str, Any], texts: dict[str, str]) -> str:
    return _six("", row["query_id"], "", texts, {}, None)


def _of_code(row: dict[str, Any], codes: dict[str, str]) -> str:
    return _six("", "", row["function_id"], {}, codes, None)


def _six(pair: str, query: str, code: str, texts: dict[str, str], codes: dict[str, str], label: int | None) -> str:
    return json_line(
        {
            "pair-idx": pair,
            "query-idx": query,
            "code-idx": code,
            "query": texts.get(query, ""),
            "code": codes.get(code, ""),
            "label": label,
        }
    )


async def _array(path: str, lines: AsyncIterator[str]) -> AsyncIterator[ExportedPiece]:
    """A file that is one JSON array, one element a line."""

    async def elements() -> AsyncIterator[str]:
        first = True
        async for line in lines:
            yield line.rstrip("\n") if first else f",\n{line.rstrip()}"
            first = False
        yield "\n]\n"

    async for piece in written(path, elements(), "[\n"):
        yield piece
