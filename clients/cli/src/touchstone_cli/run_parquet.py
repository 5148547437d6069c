"""A run as a Parquet file: an answer a row with its verdict, typed; what is written is read again as it was."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_SUMMARY = b"touchstone.run"
_FAILURE = pa.struct([("index", pa.int32()), ("outcome", pa.string()), ("detail", pa.string())])
_COUNTS = ("shared", "either", "alike", "compared", "cases")
_NEAR = pa.struct(
    [("line", pa.int32()), ("change", pa.string()), *((name, pa.int32()) for name in _COUNTS), ("how", pa.string())]
)
# The steps of an answer are objects without a common form: JSON texts here.
_STEPS = "steps"
# What nobody may know: the cost where nobody named a price, the time of answers that came with a batch, and what those
# took that somebody else sampled.
_UNKNOWN = frozenset({"cost_usd", "tokens_in", "tokens_out", "seconds"})
SCHEMA = pa.schema(
    [
        pa.field(name, kind, nullable=name in _UNKNOWN)
        for name, kind in (
            ("run_id", pa.string()),
            ("model", pa.string()),
            ("strategy", pa.string()),
            ("language", pa.string()),
            ("task_id", pa.string()),
            ("entry_point", pa.string()),
            ("sample", pa.int32()),
            ("solution", pa.string()),
            ("outcome", pa.string()),
            ("cases", pa.int32()),
            ("passed", pa.int32()),
            ("detail", pa.string()),
            ("failures", pa.list_(_FAILURE)),
            (_STEPS, pa.list_(pa.string())),
            ("tokens_in", pa.int64()),
            ("tokens_out", pa.int64()),
            ("seconds", pa.float64()),
            ("cost_usd", pa.float64()),
            ("calls", pa.int32()),
            ("cpu_s", pa.float64()),
            ("memory_bytes", pa.int64()),
            ("resembles", pa.list_(_NEAR)),
            ("wording", pa.string()),
            ("suite_digest", pa.string()),
        )
    ]
)
# Columns that files of before lack, and what stands for them.
_LATER: dict[str, Any] = {"resembles": [], "wording": "", "suite_digest": ""}
_ROWS = 1024


def write_run(path: Path, summary: Mapping[str, Any], answers: Iterable[Mapping[str, Any]]) -> None:
    """Write a run.

    Args:
        path: The file; what is there is replaced.
        summary: Its specification and counts, kept beside the rows.
        answers: Each with the fields of `SCHEMA`; `steps` as objects.
    """
    about = {_SUMMARY: json.dumps(summary, ensure_ascii=True, sort_keys=True).encode("ascii")}
    with pq.ParquetWriter(path, SCHEMA.with_metadata(about), compression="zstd") as writer:
        rows: list[dict[str, Any]] = []
        for answer in answers:
            rows.append({**answer, _STEPS: [json.dumps(step, ensure_ascii=False) for step in answer[_STEPS]]})
            if len(rows) == _ROWS:
                writer.write_table(pa.Table.from_pylist(rows, schema=writer.schema))
                rows = []
        writer.write_table(pa.Table.from_pylist(rows, schema=writer.schema))


def read_run(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The summary and the answers of a run, as `write_run` took them.

    Raises:
        ValueError: the file is no Parquet, or not of a run.
    """
    try:
        table = pq.read_table(path)
        about = (table.schema.metadata or {}).get(_SUMMARY)
        there = [name for name in SCHEMA.names if name in table.schema.names]
        if about is None or not set(SCHEMA.names) - set(there) <= set(_LATER):
            raise ValueError("it holds no run: its columns are others")
        rows = [_LATER | row for row in table.select(there).to_pylist()]
        return json.loads(about), [{**row, _STEPS: [json.loads(step) for step in row[_STEPS]]} for row in rows]
    except (pa.ArrowException, TypeError) as error:
        raise ValueError(f"it cannot be read as Parquet: {error}") from error
