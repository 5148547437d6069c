"""A task as files, in the folder layout of Code2Bench, with frozen cases beside it.

`python runner.py` in the folder runs `tested.py` on the cases, with nothing installed: codec and comparator lie there.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import touchstone_values
from pbt_generator.domain.task import BuiltTask
from pbt_generator.usecases.build import BuiltSuite
from touchstone_contracts.events import Function

_RUNNER = '''"""Runs the function of `tested.py` on the frozen cases and prints a summary as JSON."""

import json
import sys

import touchstone_values as values
from tested import {entry} as function

COMPARISON = {comparison!r}


def main() -> int:
    failures = []
    with open("cases.jsonl", encoding="utf-8") as stream:
        cases = [json.loads(line) for line in stream]
    for number, case in enumerate(cases, 1):
        arguments, expected = json.dumps(case["arguments"]), json.dumps(case["expected"])
        given = values.decode(arguments)
        try:
            result = values.encode(function(**given) if isinstance(given, dict) else function(*given))
        except Exception as error:
            words = f"{{type(error).__name__}}: {{error}}"
            failures.append({{"case_id": number, "type": "ExecutionError", "error": words}})
            continue
        difference = values.compare(expected, result, COMPARISON)
        if difference is not None:
            failures.append({{"case_id": number, "type": "TestFailure", "difference": str(difference)}})
    passed = len(cases) - len(failures)
    summary = {{"passed": passed, "failed": len(failures), "total": len(cases), "failures": failures[:50]}}
    print(json.dumps(summary))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
'''


def write_task(folder: Path, task: BuiltTask, function: Function, built: BuiltSuite) -> None:
    """Write ground truth, instruction, signatures, cases, runner, certificate and metadata; files there are replaced.

    Args:
        folder: Made when missing.
        task: The task.
        function: Where it comes from.
        built: Its suite.
    """
    comparison = "portable" if task.kind == "SC" else "exact"
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "groundtruth.py", built.program.source)
    _write(folder / "instruction.txt", task.instruction + "\n")
    stub = f"{task.prelude}\n\n{task.signatures['python']}:\n    raise NotImplementedError\n"
    _write(folder / "tested.py", stub.lstrip("\n"))
    _write(folder / "runner.py", _RUNNER.format(entry=task.entry_point, comparison=comparison))
    codec = Path(touchstone_values.__file__).parent
    shutil.copytree(
        codec, folder / "touchstone_values", dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    lines = [
        json.dumps({"arguments": json.loads(case.arguments), "expected": json.loads(case.expected)}, ensure_ascii=False)
        for case in built.cases
    ]
    _write(folder / "cases.jsonl", "\n".join(lines) + "\n")
    _write(folder / "inputs.jsonl", "\n".join(case.arguments for case in built.cases) + "\n")
    _write(folder / "expected.jsonl", "\n".join(case.expected for case in built.cases) + "\n")
    raising = built.certificate.raising_inputs
    # Branches that can only raise are reached by these inputs; they are no cases, since no result is expected of them.
    _write(folder / "raising_inputs.jsonl", "".join(f"{text}\n" for text in raising))
    _write(folder / "certificate.json", _json(built.certificate.to_dict()))
    names = [parameter.name for parameter in built.shape.parameters if not parameter.variadic]
    _write(folder / "test_cases" / "test_cases.json", _json([_named(case, names) for case in lines]))
    metadata = {
        "task_id": task.task_id,
        "entry_point": task.entry_point,
        "kind": task.kind,
        "difficulty": task.difficulty,
        "judged_by": task.judged_by,
        "comparison": comparison,
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


def _named(case: str, names: list[str]) -> dict[str, object]:
    """A case as Code2Bench writes it; values keep their portable form."""
    content = json.loads(case)
    arguments = content["arguments"]
    if isinstance(arguments, list):
        arguments = dict(zip(names, arguments, strict=False)) | (
            {"*": arguments[len(names) :]} if len(arguments) > len(names) else {}
        )
    return {"Inputs": arguments, "Expected": content["expected"]}


def _json(content: object) -> str:
    return json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
