"""The formats of an export: folders as in Code2Bench, lines as in LiveCodeBench; larger ones stand elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pbt_generator.adapters.evalplus import EvalPlusExporter
from pbt_generator.adapters.export import CODEC, codec_files, task_files
from pbt_generator.adapters.lm_eval import FOLDER, LmEvalExporter
from pbt_generator.domain.inputs.portable import is_plain
from pbt_generator.domain.release import Json, ReleasedTask, appeared
from pbt_generator.ports import ExportedFile, Exporter

# So many are LiveCodeBench's public ones.
SHOWN_CASES = 3


class Code2BenchExporter:
    """One folder a task, as `touchstone try --out` writes it; the codec lies beside them once."""

    def start(self, manifest: Mapping[str, Any], retractions: str) -> Iterable[ExportedFile]:
        """The codec that every runner shares."""
        yield from (ExportedFile(name, data) for name, data in codec_files().items())

    def task(self, task: ReleasedTask) -> Iterable[ExportedFile]:
        """The files of one task."""
        folder = task.entry["task_id"]
        yield from (ExportedFile(f"{folder}/{name}", data) for name, data in task_files(task).items())

    def finish(self) -> Iterable[ExportedFile]:
        """Nothing holds all tasks."""
        return ()


class LiveCodeBenchExporter:
    """One JSON object a line, with the fields of LiveCodeBench's functional problems.

    Only tasks that stand, whose cases are plain JSON and whose arguments travel by position: the format knows no
    others, and its tools would score one that was taken back like any other.
    """

    def __init__(self) -> None:
        self._lines: list[bytes] = []

    def start(self, manifest: Mapping[str, Any], retractions: str) -> Iterable[ExportedFile]:
        """Nothing comes first."""
        return ()

    def task(self, task: ReleasedTask) -> Iterable[ExportedFile]:
        """Nothing is one task's own."""
        if not task.retracted and (row := livecodebench_row(task)):
            self._lines.append(json.dumps(row, ensure_ascii=True, sort_keys=True).encode("ascii") + b"\n")
        return ()

    def finish(self) -> Iterable[ExportedFile]:
        """The one file."""
        yield ExportedFile("livecodebench.jsonl", b"".join(self._lines))


def livecodebench_row(task: ReleasedTask) -> Json | None:
    """A task as a problem of LiveCodeBench; None where the format cannot hold its cases."""
    record, source = task.record["task"], task.entry["source"]
    head = record["signatures"]["python"].rstrip(":")
    pairs = [(json.loads(arguments), json.loads(result)) for arguments, result in task.cases]
    if not all(isinstance(given, list) and is_plain(given) and is_plain(result) for given, result in pairs):
        return None
    tests = [
        {"input": "\n".join(map(json.dumps, given)), "output": json.dumps(result), "testtype": "functional"}
        for given, result in pairs
    ]
    return {
        "question_id": record["task_id"],
        "question_title": record["entry_point"],
        "question_content": record["instruction"],
        "platform": "touchstone",
        "contest_id": f"{source['name']} {source['version']}",
        # What LiveCodeBench's tools hold against a model's cutoff.
        "contest_date": appeared(task.record["function"]),
        # With the imports that the platform gives too.
        "starter_code": f"{record['prelude']}\n\n{head}:\n".lstrip("\n"),
        "difficulty": record["difficulty"].lower(),
        "public_test_cases": json.dumps(tests[:SHOWN_CASES]),
        "private_test_cases": json.dumps(tests[SHOWN_CASES:]),
        "metadata": json.dumps({"func_name": record["entry_point"]}),
    }


def _parquet() -> Exporter:
    # Loading the library takes long, and no other format needs it.
    from pbt_generator.adapters.parquet import ParquetExporter

    return ParquetExporter()


def same_content(path: str, first: bytes, second: bytes) -> bool:
    """Whether two versions of an exported file say the same."""
    if first == second or not path.endswith(".parquet"):
        return first == second
    from pbt_generator.adapters.parquet import same_tables

    return same_tables(first, second)


def judges(path: str) -> bool:
    """Whether an exported file decides verdicts: it comes with the platform's version, not with the release."""
    return path.startswith(f"{CODEC}/") or (path.startswith(f"{FOLDER}/") and path.endswith(".py"))


EXPORTERS: dict[str, Callable[[], Exporter]] = {
    "code2bench": Code2BenchExporter,
    "evalplus": EvalPlusExporter,
    "livecodebench": LiveCodeBenchExporter,
    "lm-eval": LmEvalExporter,
    "parquet": _parquet,
}
