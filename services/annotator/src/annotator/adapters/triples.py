"""The format of an export that search models are fine-tuned on, with what is kept back in BEIR's form."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from annotator.adapters.exporting import (
    QRELS_HEAD,
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
from annotator.domain.copies import by_query, copies_of, with_copies
from annotator.domain.triples import KEPT_ONE_OF, NEGATIVES, Places, Side, side_of_query, triples_of
from annotator.ports.releases import ExportedPiece


class TriplesExporter:
    """`train.jsonl`, `kept.jsonl` (anchor, positive, negative), BEIR's split `kept` of what is kept back, `split.json`.

    The corpus holds the codes of the kept side alone: `touchstone retrieval evaluate --beir FOLDER --split kept`. Those
    that nobody could tell of are in it, and `undecided.tsv` takes them out of rankings.
    """

    async def files(self, rows: Rows) -> AsyncIterator[ExportedPiece]:
        """The files."""
        # What verifies a folder lays out whatever it holds, labels of unknown codes too.
        texts = {row["query_id"]: row["text"] async for row in rows("queries")}
        codes: dict[str, str] = {}
        places = Places()
        async for row in rows("codes"):
            codes[row["function_id"]] = row["code"]
            places.add(row)
        sides = places.sides()
        copies = await copies_of(rows("codes"))
        counts: Counter[str] = Counter(copied_codes=places.copies, codes_on_both_sides=len(codes) - len(sides))

        def side_by(query_id: str) -> Side:
            return side_of_query(texts.get(query_id, query_id))

        async def triples(side: Side) -> AsyncIterator[str]:
            async for query_id, labels in by_query(rows("labels")):
                if side_by(query_id) != side:
                    continue
                for one in triples_of(query_id, labels, sides, side, codes):
                    counts[f"{side}_triples"] += 1
                    content = {
                        "anchor": texts.get(query_id, ""),
                        "positive": codes.get(one.positive, ""),
                        "negative": codes.get(one.negative, ""),
                        "query_id": query_id,
                        "positive_id": one.positive,
                        "negative_id": one.negative,
                    }
                    yield json_line(content)

        def kept_label(row: dict[str, Any]) -> str:
            here = side_by(row["query_id"])
            used = row["label"] is not None and sides.get(row["function_id"]) == here
            counts["undecided_labels" if row["label"] is None else f"{here}_labels" if used else "left_out_labels"] += 1
            return f"{row['query_id']}\t{row['function_id']}\t{row['label']}\n" if used and here == "kept" else ""

        def kept_undecided(row: dict[str, Any]) -> str:
            both = side_by(row["query_id"]) == "kept" == sides.get(row["function_id"])
            return undecided_line(row) if both else ""

        def kept_code(row: dict[str, Any]) -> str:
            return corpus_line(row) if sides.get(row["function_id"]) == "kept" else ""

        def kept_query(row: dict[str, Any]) -> str:
            return query_line(row) if side_by(row["query_id"]) == "kept" else ""

        for path, lines, head in (
            ("train.jsonl", triples("train"), ""),
            ("kept.jsonl", triples("kept"), ""),
            ("corpus.jsonl", lines_of(rows("codes"), kept_code), ""),
            ("queries_kept.jsonl", lines_of(rows("queries"), kept_query), ""),
            ("qrels/kept.tsv", lines_of(with_copies(rows("labels"), copies), kept_label), QRELS_HEAD),
            (UNDECIDED_FILE, lines_of(with_copies(rows("labels"), copies), kept_undecided), UNDECIDED_HEAD),
        ):
            async for piece in written(path, lines, head):
                yield piece
        by = ["words of the query", "repository", "text of the code"]
        about = {"kept_one_of": KEPT_ONE_OF, "negatives": NEGATIVES, "split_by": by, **counts}
        yield ExportedPiece("split.json", (json.dumps(about, sort_keys=True) + "\n").encode())
