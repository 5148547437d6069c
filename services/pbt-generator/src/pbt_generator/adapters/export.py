"""A task as files, in the folder layout of Code2Bench with frozen cases beside it."""

from __future__ import annotations

import json
from pathlib import Path

from pbt_generator.domain.task import BuiltTask
from pbt_generator.usecases.build import BuiltSuite
from touchstone_contracts.events import Function


def write_task(folder: Path, task: BuiltTask, function: Function, built: BuiltSuite) -> None:
    """Write ground truth, instruction, signatures, cases, certificate and metadata; files there are replaced.

    Args:
        folder: Made when missing.
        task: The task.
        function: Where it comes from.
        built: Its suite.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "groundtruth.py", built.program.source)
    _write(folder / "instruction.txt", task.instruction + "\n")
    lines = [
        json.dumps({"arguments": json.loads(case.arguments), "expected": json.loads(case.expected)}, ensure_ascii=False)
        for case in built.cases
    ]
    _write(folder / "cases.jsonl", "\n".join(lines) + "\n")
    _write(folder / "inputs.jsonl", "\n".join(case.arguments for case in built.cases) + "\n")
    _write(folder / "expected.jsonl", "\n".join(case.expected for case in built.cases) + "\n")
    _write(folder / "certificate.json", _json(built.certificate.to_dict()))
    metadata = {
        "task_id": task.task_id,
        "entry_point": task.entry_point,
        "kind": task.kind,
        "difficulty": task.difficulty,
        "judged_by": task.judged_by,
        "comparison": "portable" if task.kind == "SC" else "exact",
        "languages": list(task.languages),
        "signatures": task.signatures,
        "imports": list(function.imports),
        "libraries": list(function.libraries),
        "suite_digest": task.suite_digest,
        "source": function.source.model_dump(mode="json"),
        "path": function.path,
        "qualname": function.qualname,
        "line_start": function.line_start,
        "line_end": function.line_end,
    }
    _write(folder / "metadata.json", _json(metadata))


def _json(content: object) -> str:
    return json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
