"""The formats of an export: folders as in Code2Bench, lines as in LiveCodeBench; larger ones stand elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC
from typing import Any

from pbt_generator.adapters.evalplus import EvalPlusExporter, has_float
from pbt_generator.adapters.export import CODEC, codec_files, task_files
from pbt_generator.adapters.lm_eval import FOLDER, LmEvalExporter
from pbt_generator.domain.inputs.portable import is_plain
from pbt_generator.domain.release import Json, ReleasedTask, appeared, moment_of
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

    Only tasks that stand and whose code has a date, whose cases are plain JSON, whose arguments travel by position and
    whose results hold no float: the format knows no others, its tools would score one that was taken back like any
    other, and take no float for another that rounds otherwise.
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
    """A task as a problem of LiveCodeBench; None where the format cannot hold it, or its tools judge it otherwise."""
    record, source = task.record["task"], task.entry["source"]
    seen = moment_of(appeared(task.record["function"]))
    head = record["signatures"]["python"].rstrip(":")
    pairs = [(json.loads(arguments), json.loads(result)) for arguments, result in task.cases]
    held = all(isinstance(given, list) and given and is_plain(given) and is_plain(result) for given, result in pairs)
    if not held or seen is None or any(has_float(result) for _, result in pairs):
        return None
    tests = [
        {"input": "\n".join(map(json.dumps, given)), "output": json.dumps(result), "testtype": "functional"}
        for given, result in pairs
    ]
    return {
        "question_id": record["task_id"],
        "question_title": record["entry_point"],
        "question_content": record["instruction"],
        # Its loader knows three, and problems with a head are this one's.
        "platform": "leetcode",
        "contest_id": f"{source['name']} {source['version']}",
        # What LiveCodeBench's tools hold against a model's cutoff: a day, which they want without a zone.
        "contest_date": f"{seen.astimezone(UTC):%Y-%m-%d}T00:00:00",
        # With the imports that the platform gives too.
        "starter_code": f"{record['prelude']}\n\n{head}:\n".lstrip("\n"),
        "difficulty": record["difficulty"].lower(),
        "public_test_cases": json.dumps(tests[:SHOWN_CASES]),
        "private_test_cases": json.dumps(tests[SHOWN_CASES:]),
        "metadata": json.dumps(
            {"func_name": record["entry_point"], "touchstone": {"wording": task.wording}}, sort_keys=True
        ),
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
