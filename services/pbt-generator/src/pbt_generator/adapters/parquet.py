"""Export as Parquet: `tasks.parquet` with one row a task, `cases.parquet` with one row a case."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pbt_generator.domain.foreign import measured
from pbt_generator.domain.inputs.portable import is_plain
from pbt_generator.domain.release import ReleasedTask, moment_of
from pbt_generator.ports import ExportedFile
from touchstone_contracts.licences import licence_of, part_licences
from touchstone_contracts.manifests import canonical

TARGETS = ("python", "javascript", "typescript", "java", "go")
_MOMENT = pa.timestamp("us", tz="UTC")
_PART = pa.struct([pa.field("path", pa.string()), pa.field("licence", pa.string())])
TASKS = pa.schema(
    [
        pa.field("task_id", pa.string(), nullable=False),
        pa.field("function_id", pa.string(), nullable=False),
        pa.field("entry_point", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("difficulty", pa.string(), nullable=False),
        pa.field("judged_by", pa.string(), nullable=False),
        # Two scores: whether the words suffice, and what they lack.
        pa.field("wording", pa.string(), nullable=False),
        pa.field("gaps", pa.list_(pa.string()), nullable=False),
        pa.field("instruction", pa.string(), nullable=False),
        pa.field("prelude", pa.string(), nullable=False),
        pa.field("signatures", pa.struct([pa.field(name, pa.string()) for name in TARGETS]), nullable=False),
        pa.field("ground_truth", pa.string(), nullable=False),
        pa.field("languages", pa.list_(pa.string()), nullable=False),
        pa.field("libraries", pa.list_(pa.string()), nullable=False),
        pa.field("comparison", pa.string(), nullable=False),
        pa.field("cases", pa.int32(), nullable=False),
        # Of other people's tasks nobody measured these.
        pa.field("branch_coverage", pa.float64()),
        pa.field("mutation_score", pa.float64()),
        pa.field("complexity", pa.int32()),
        pa.field("licence", pa.string()),
        # Of a slice, the files that name one of their own.
        pa.field("part_licences", pa.list_(_PART), nullable=False),
        pa.field("source_kind", pa.string(), nullable=False),
        pa.field("source_name", pa.string(), nullable=False),
        pa.field("source_version", pa.string(), nullable=False),
        pa.field("released_at", _MOMENT),
        pa.field("changed_at", _MOMENT),
        pa.field("first_seen", _MOMENT),
        pa.field("path", pa.string(), nullable=False),
        pa.field("qualname", pa.string(), nullable=False),
        pa.field("line_start", pa.int32(), nullable=False),
        pa.field("line_end", pa.int32(), nullable=False),
        pa.field("builder", pa.string(), nullable=False),
        pa.field("record_digest", pa.string(), nullable=False),
        pa.field("suite_digest", pa.string(), nullable=False),
        pa.field("certificate_digest", pa.string(), nullable=False),
        pa.field("ground_truth_digest", pa.string(), nullable=False),
        pa.field("certificate", pa.string(), nullable=False),
        pa.field("retracted", pa.string()),
    ]
)
CASES = pa.schema(
    [
        pa.field("task_id", pa.string(), nullable=False),
        # Place in the suite, which begins with the cases that tell most.
        pa.field("index", pa.int32(), nullable=False),
        # JSON texts in the portable form: an array of arguments, or an object of named ones; and the result.
        pa.field("arguments", pa.string(), nullable=False),
        pa.field("expected", pa.string(), nullable=False),
        # Whether both texts mean in plain JSON what they mean here.
        pa.field("plain_json", pa.bool_(), nullable=False),
    ]
)
# Fixed: the same tasks shall give the same bytes.
_OPTIONS: dict[str, Any] = {"compression": "zstd", "compression_level": 9, "version": "2.6", "data_page_version": "1.0"}


class ParquetExporter:
    """Typed columns, for `datasets`, data frames and databases."""

    def __init__(self) -> None:
        self._tasks: list[dict[str, Any]] = []
        self._out = io.BytesIO()
        self._cases: pq.ParquetWriter | None = None
        self._about: dict[str, str] = {}

    def start(self, manifest: Mapping[str, Any], retractions: str) -> Iterable[ExportedFile]:
        """Nothing comes first; the release is named in the files' own metadata."""
        self._about = {
            "touchstone.release": manifest["name"],
            "touchstone.digest": manifest["digest"],
            "touchstone.retractions": retractions,
        }
        self._cases = pq.ParquetWriter(self._out, CASES.with_metadata(self._about), **_OPTIONS)
        return ()

    def task(self, task: ReleasedTask) -> Iterable[ExportedFile]:
        """Takes a task's rows; each task's cases are a row group."""
        self._tasks.append(task_row(task))
        rows = [
            {
                "task_id": task.entry["task_id"],
                "index": index,
                "arguments": arguments,
                "expected": expected,
                "plain_json": is_plain(json.loads(arguments)) and is_plain(json.loads(expected)),
            }
            for index, (arguments, expected) in enumerate(task.cases)
        ]
        assert self._cases is not None, "start comes first"
        self._cases.write_table(pa.Table.from_pylist(rows, schema=CASES))
        return ()

    def finish(self) -> Iterable[ExportedFile]:
        """Both files."""
        assert self._cases is not None, "start comes first"
        self._cases.close()
        out = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(self._tasks, schema=TASKS.with_metadata(self._about)), out, **_OPTIONS)
        yield ExportedFile("tasks.parquet", out.getvalue())
        yield ExportedFile("cases.parquet", self._out.getvalue())


def task_row(task: ReleasedTask) -> dict[str, Any]:
    """A task as a row."""
    record, function, entry = task.record["task"], task.record["function"], task.entry
    source = entry["source"]
    same = ("task_id", "function_id", "entry_point", "kind", "difficulty", "judged_by", "cases", "languages", "builder")
    return {
        **{name: entry[name] for name in same},
        **{name: measured(entry[name]) for name in ("branch_coverage", "mutation_score")},
        **{name: source[name] for name in ("path", "qualname", "line_start", "line_end")},
        **{f"source_{name}": source[name] for name in ("kind", "name", "version")},
        **{f"{part}_digest": digest for part, digest in entry["digests"].items()},
        "released_at": moment_of(source["released_at"]),
        "changed_at": moment_of(source["changed_at"]),
        "first_seen": moment_of(function.get("first_seen")),
        "licence": licence_of(function),
        "part_licences": part_licences(function),
        "wording": task.wording,
        "gaps": list(record.get("gaps", [])),
        "instruction": record["instruction"],
        "prelude": record["prelude"],
        "signatures": {name: record["signatures"].get(name) for name in TARGETS},
        "ground_truth": task.source,
        "libraries": function["libraries"],
        "complexity": function["complexity"] or None,
        "comparison": task.comparison,
        "certificate": canonical(task.certificate).decode("ascii"),
        "retracted": task.retracted or None,
    }


def same_tables(first: bytes, second: bytes) -> bool:
    """Whether two Parquet files hold the same rows and say the same of the whole.

    Writers of other versions lay them out in other bytes.
    """
    try:
        one, other = (pq.read_table(io.BytesIO(data)) for data in (first, second))
        return one.equals(other) and one.schema.metadata == other.schema.metadata
    except (pa.ArrowInvalid, OSError):
        return False
