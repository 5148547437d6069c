"""A task as files, in the folder layout of Code2Bench, with frozen cases beside it.

`python runner.py` in the folder runs `tested.py` on the cases, with nothing installed: codec and comparator lie there,
or in the folder above where many tasks share them.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

import touchstone_values
from pbt_generator.domain.oracle.syntax import named_parameters
from pbt_generator.domain.release import ReleasedTask, entry_of, record_of
from pbt_generator.domain.task.record import BuiltTask
from pbt_generator.usecases.build import BuiltSuite
from pbt_generator.usecases.certify import SEEDS
from touchstone_contracts.events import Function
from touchstone_contracts.licences import licence_of, part_licences

CODEC = "touchstone_values"
# The variables of the sandbox's processes that a result may hang on.
_PLACE = {"TZ": "UTC", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": str(SEEDS[0])}
_RUNNER = '''"""Runs the function of `tested.py` on the frozen cases and prints a summary as JSON.

The program runs in a process of its own, in a folder with its inputs and the codec alone, and its results are compared
in this one: where it ends early, with whatever code, each case without a result is a failure. What it prints goes to
standard error. That keeps mistakes apart and nobody out: judge a program that you do not trust in a sandbox.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
sys.path.append(str(FOLDER.parent))

import touchstone_values as values

ENTRY = {entry!r}
COMPARISON = {comparison!r}
CASES = {cases!r}
LIBRARIES = {libraries!r}
# As where the results were made: what a program gives may hang on the zone, the language or the seed of hashes.
PLACE = {place!r}
# Of Python's own variables these say where it finds modules; the others change what a program does.
FINDING = {{"PYTHONHOME", "PYTHONPATH"}}


def lines(path):
    # What stands behind the last end of a line is none that is whole.
    return path.read_text("utf-8", "surrogatepass").split("\\n")[:-1]


def end(code):
    # Nothing that the program left behind holds this up, and what it printed is there.
    try:
        sys.stdout.flush()
    finally:
        os._exit(code)


def run(results):
    """In the process of the program: a line for each case, as soon as it is known."""
    with open(results, "w", encoding="utf-8") as stream:

        def tell(**said):
            stream.write(json.dumps(said) + "\\n")
            stream.flush()

        try:
            function = getattr(__import__("tested"), ENTRY)
        except BaseException as error:
            tell(lacking=f"tested.py: {{type(error).__name__}}: {{error}}")
            end(1)
        for line in lines(FOLDER / "inputs.jsonl"):
            try:
                given = values.decode(line)
                result = values.encode(function(**given) if isinstance(given, dict) else function(*given))
            except BaseException as error:
                tell(error=f"{{type(error).__name__}}: {{error}}")
            else:
                tell(result=result)
    end(0)


def main():
    # Before the program runs: what is on the disk afterwards may be its own.
    cases = [json.loads(line) for line in lines(FOLDER / "cases.jsonl")]
    if len(cases) != CASES:
        sys.exit(f"cases.jsonl holds {{len(cases)}} cases, the task has {{CASES}}")
    lacking = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if lacking:
        sys.exit(f"nothing was judged: this Python lacks {{', '.join(lacking)}}, which the task is about")
    # Isolated but for the seed, which `-I` would leave out.
    found_by = set() if sys.flags.isolated else FINDING
    kept = {{name: text for name, text in os.environ.items() if not name.startswith("PYTHON") or name in found_by}}
    command = [sys.executable, *(["-s", "-P"] if sys.flags.isolated else [])]
    with tempfile.TemporaryDirectory() as place:
        results, inside = Path(place) / "results.jsonl", Path(place) / "task"
        codec = Path(values.__file__).parent
        shutil.copytree(codec, inside / codec.name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("runner.py", "tested.py"):
            if (FOLDER / name).is_file():
                shutil.copyfile(FOLDER / name, inside / name)
        given = "".join(json.dumps(case["arguments"]) + "\\n" for case in cases)
        (inside / "inputs.jsonl").write_text(given, "utf-8")
        command += [str(inside / "runner.py"), str(results)]
        # It is asked with arguments alone: what stands on standard input is none of its.
        started = subprocess.run(command, cwd=inside, env=kept | PLACE, stdin=subprocess.DEVNULL, stdout=2, check=False)
        told = [json.loads(line) for line in lines(results)] if results.exists() else []
    ended = {{"error": f"the program ended with code {{started.returncode}} before that"}}
    if told and "lacking" in told[0]:
        told, ended = [], {{"error": told[0]["lacking"]}}
    failures = []
    for number, case in enumerate(cases, 1):
        said = told[number - 1] if number <= len(told) else ended
        if "result" not in said:
            failures.append({{"case_id": number, "type": "ExecutionError", "error": said["error"]}})
            continue
        difference = values.compare(json.dumps(case["expected"]), said["result"], COMPARISON)
        if difference is not None:
            failures.append({{"case_id": number, "type": "TestFailure", "difference": str(difference)}})
    passed = len(cases) - len(failures)
    summary = {{"passed": passed, "failed": len(failures), "total": len(cases), "failures": failures[:50]}}
    print(json.dumps(summary))
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(sys.argv[1])
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
    record = record_of(task, function.model_dump(mode="json"))
    certificate = built.certificate.to_dict()
    cases = tuple((case.arguments, case.expected) for case in built.cases)
    comparison = "portable" if task.kind == "SC" else "exact"
    entry = entry_of(record, certificate)
    released = ReleasedTask(entry, record, certificate, built.program.source, comparison, cases, built.suite.data)
    for name, data in (task_files(released) | codec_files()).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def codec_files() -> dict[str, bytes]:
    """The codec and comparator that a runner needs, by path."""
    package = Path(touchstone_values.__file__).parent
    return {f"{CODEC}/{path.name}": path.read_bytes() for path in sorted(package.glob("*.py"))}


def task_files(released: ReleasedTask) -> dict[str, bytes]:
    """The files of one task, by path: the same task gives the same bytes."""
    task, function = released.record["task"], released.record["function"]
    entry = task["entry_point"]
    stub = f"{task['prelude']}\n\n{task['signatures']['python']}:\n    raise NotImplementedError\n"
    lines = [f'{{"arguments": {arguments}, "expected": {expected}}}' for arguments, expected in released.cases]
    names = parameter_names(released.source, entry)
    metadata = {
        "task_id": task["task_id"],
        "entry_point": entry,
        "kind": task["kind"],
        "difficulty": task["difficulty"],
        "judged_by": task["judged_by"],
        "form": function.get("form", "function"),
        "track": task.get("track", ""),
        "wording": released.wording,
        "gaps": task.get("gaps", []),
        "domain": task.get("domain", {}),
        "real_cases": task.get("real_cases", 0),
        "first_seen": function.get("first_seen"),
        "comparison": released.comparison,
        "languages": task["languages"],
        "signatures": task["signatures"],
        "imports": function["imports"],
        "libraries": function["libraries"],
        "suite_digest": task["suite_digest"],
        "source": function["source"],
        "licence": licence_of(function),
        "part_licences": part_licences(function),
        "path": function["path"],
        "qualname": function["qualname"],
        "line_start": function["line_start"],
        "line_end": function["line_end"],
        "retracted": released.retracted or None,
    }
    files = {
        "groundtruth.py": released.source,
        "instruction.txt": task["instruction"] + "\n",
        "tested.py": stub.lstrip("\n"),
        "runner.py": _RUNNER.format(
            entry=entry,
            comparison=released.comparison,
            cases=len(released.cases),
            place=_PLACE,
            libraries=sorted(function["libraries"]),
        ),
        "cases.jsonl": _lines(lines),
        "inputs.jsonl": _lines([arguments for arguments, _ in released.cases]),
        "expected.jsonl": _lines([expected for _, expected in released.cases]),
        # Branches that can only raise are reached by these; they are no cases, since no result is expected of them.
        "raising_inputs.jsonl": _lines(released.certificate["raising_inputs"]),
        "certificate.json": _json(released.certificate),
        "test_cases/test_cases.json": _json(
            [_named(arguments, expected, names) for arguments, expected in released.cases]
        ),
        "metadata.json": _json(metadata),
    }
    return {name: text.encode("utf-8", "surrogatepass") for name, text in files.items()}


def function_of(source: str, entry_point: str) -> tuple[ast.Module, ast.FunctionDef]:
    """The syntax tree of a ground truth, and the function in it."""
    module = ast.parse(source)
    found = [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == entry_point]
    return module, found[-1]


def parameter_names(source: str, entry_point: str) -> list[str]:
    """Names of the parameters that take one argument each, in order."""
    arguments = function_of(source, entry_point)[1].args
    return [each.arg for each in named_parameters(arguments)]


def _named(arguments: str, expected: str, names: list[str]) -> dict[str, object]:
    """A case as Code2Bench writes it; values keep their portable form."""
    given = json.loads(arguments)
    if isinstance(given, list):
        given = dict(zip(names, given, strict=False)) | ({"*": given[len(names) :]} if len(given) > len(names) else {})
    return {"Inputs": given, "Expected": json.loads(expected)}


def _lines(texts: list[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def _json(content: object) -> str:
    return json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
