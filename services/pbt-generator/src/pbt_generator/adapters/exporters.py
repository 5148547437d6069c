"""The formats of an export: folders as in Code2Bench, lines as in EvalPlus and LiveCodeBench; Parquet is elsewhere."""

from __future__ import annotations

import ast
import json
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pbt_generator.adapters.export import CODEC, codec_files, function_of, task_files
from pbt_generator.adapters.lm_eval import FOLDER, LmEvalExporter
from pbt_generator.domain.inputs.portable import is_plain
from pbt_generator.domain.release import Json, ReleasedTask, appeared
from pbt_generator.ports import ExportedFile, Exporter

# So many of the first cases, which tell most, are EvalPlus's base; the rest is its plus.
BASE_CASES = 25
# So many are LiveCodeBench's public ones.
SHOWN_CASES = 3
# Both comparisons of ours allow this on floats.
_TOLERANCE = 1e-6


class Code2BenchExporter:
    """One folder a task, as `touchstone try --out` writes it; the codec lies beside them once."""

    def start(self, manifest: Mapping[str, Any]) -> Iterable[ExportedFile]:
        """The codec that every runner shares."""
        yield from (ExportedFile(name, data) for name, data in codec_files().items())

    def task(self, task: ReleasedTask) -> Iterable[ExportedFile]:
        """The files of one task."""
        folder = task.entry["task_id"]
        yield from (ExportedFile(f"{folder}/{name}", data) for name, data in task_files(task).items())

    def finish(self) -> Iterable[ExportedFile]:
        """Nothing holds all tasks."""
        return ()


class EvalPlusExporter:
    """One JSON object a line, with the fields of EvalPlus and one of ours, `touchstone`.

    `evalplus.jsonl` holds every task. Inputs that plain JSON cannot hold stay in the portable form, and the task is
    marked by `touchstone.input_form`. `evalplus-plain.jsonl` holds the tasks that need no such form: what reads
    EvalPlus's own data can read it as it is.
    """

    def __init__(self) -> None:
        self._all: list[bytes] = []
        self._plain: list[bytes] = []

    def start(self, manifest: Mapping[str, Any]) -> Iterable[ExportedFile]:
        """Nothing comes first."""
        return ()

    def task(self, task: ReleasedTask) -> Iterable[ExportedFile]:
        """Nothing is one task's own."""
        row = evalplus_row(task)
        line = json.dumps(row, ensure_ascii=True, sort_keys=True).encode("ascii") + b"\n"
        self._all.append(line)
        if row["touchstone"]["input_form"] == "plain":
            self._plain.append(line)
        return ()

    def finish(self) -> Iterable[ExportedFile]:
        """Both files."""
        yield ExportedFile("evalplus.jsonl", b"".join(self._all))
        yield ExportedFile("evalplus-plain.jsonl", b"".join(self._plain))


def evalplus_row(task: ReleasedTask) -> Json:
    """A task as a line of EvalPlus."""
    record = task.record["task"]
    inputs = [json.loads(arguments) for arguments, _ in task.cases]
    expected = [json.loads(result) for _, result in task.cases]
    named = any(isinstance(given, dict) for given in inputs)
    prompt, solution = prompt_and_solution(task.source, record["entry_point"], record["instruction"])
    return {
        "task_id": f"Touchstone/{record['task_id']}",
        "entry_point": record["entry_point"],
        "prompt": prompt,
        "canonical_solution": solution,
        # Every input of a suite is one that the ground truth accepts, so nothing needs to be asserted of it.
        "contract": "",
        "base_input": inputs[:BASE_CASES],
        "plus_input": inputs[BASE_CASES:],
        "atol": _TOLERANCE if any(map(_has_float, expected)) else 0,
        "touchstone": {
            "input_form": "plain" if not named and all(map(is_plain, inputs)) else "portable",
            "call": "named" if named else "positional",
            "expected_form": "plain" if all(map(is_plain, expected)) else "portable",
            "base_expected": expected[:BASE_CASES],
            "plus_expected": expected[BASE_CASES:],
            "comparison": task.comparison,
            "kind": record["kind"],
            "difficulty": record["difficulty"],
            "languages": task.entry["languages"],
            "signatures": record["signatures"],
            "licence": task.entry["licence"],
            "source": task.entry["source"],
            "mutation_score": record["mutation_score"],
            "branch_coverage": record["branch_coverage"],
            "digests": task.entry["digests"],
            "retracted": task.retracted or None,
        },
    }


class LiveCodeBenchExporter:
    """One JSON object a line, with the fields of LiveCodeBench's functional problems.

    Only tasks whose cases are plain JSON and whose arguments travel by position: the format knows no others.
    """

    def __init__(self) -> None:
        self._lines: list[bytes] = []

    def start(self, manifest: Mapping[str, Any]) -> Iterable[ExportedFile]:
        """Nothing comes first."""
        return ()

    def task(self, task: ReleasedTask) -> Iterable[ExportedFile]:
        """Nothing is one task's own."""
        if row := livecodebench_row(task):
            self._lines.append(json.dumps(row, ensure_ascii=True, sort_keys=True).encode("ascii") + b"\n")
        return ()

    def finish(self) -> Iterable[ExportedFile]:
        """The one file."""
        yield ExportedFile("livecodebench.jsonl", b"".join(self._lines))


def livecodebench_row(task: ReleasedTask) -> Json | None:
    """A task as a problem of LiveCodeBench; None where the format cannot hold its cases."""
    record, source = task.record["task"], task.entry["source"]
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
        "starter_code": f"{record['signatures']['python'].rstrip(':')}:\n",
        "difficulty": record["difficulty"].lower(),
        "public_test_cases": json.dumps(tests[:SHOWN_CASES]),
        "private_test_cases": json.dumps(tests[SHOWN_CASES:]),
        "metadata": json.dumps({"func_name": record["entry_point"], "retracted": task.retracted or None}),
    }


def prompt_and_solution(source: str, entry_point: str, instruction: str) -> tuple[str, str]:
    """A ground truth in two parts that follow each other: its head with the instruction, and its body.

    Returns:
        prompt: Imports, head, and the instruction as docstring.
        solution: The body as its author wrote it, without his docstring. Where that does not give the same function,
            the whole ground truth, which then takes the prompt's place.
    """
    module, function = function_of(source, entry_point)
    before = "".join(f"{ast.unparse(node)}\n" for node in module.body if node is not function)
    documented = ast.get_docstring(function) is not None and len(function.body) > 1
    after = (function.body[0].end_lineno or 0) if documented else 0
    indent, text = _body(source, function.body[1:] if documented else function.body, after)
    function.body = [ast.Pass()]
    head = ast.unparse(function).rsplit("\n", 1)[0]
    words = instruction.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').strip()
    docstring = textwrap.indent(f'"""{words}\n"""', indent, lambda line: bool(line.strip()))
    prompt = f"{before}\n\n{head}\n{docstring}\n".lstrip("\n")
    if _same(prompt + text, source, entry_point):
        return prompt, text
    return prompt, f"{indent}raise NotImplementedError\n\n\n{source}"


def _body(source: str, body: list[ast.stmt], after: int) -> tuple[str, str]:
    """Indentation and text of a function's statements.

    Args:
        source: The whole program.
        body: The statements.
        after: Line of the docstring's end: comments between it and the first statement belong to the text.
    """
    first = body[0]
    # A nested function or class begins with its decorators.
    start = min([first.lineno, *(node.lineno for node in getattr(first, "decorator_list", []))])
    lines = source.split("\n")
    before = lines[start - 1][: len(lines[start - 1]) - len(lines[start - 1].lstrip())]
    if len(before) == first.col_offset and before:
        return before, "\n".join(lines[(after or start - 1) : body[-1].end_lineno]) + "\n"
    return "    ", textwrap.indent("\n".join(map(ast.unparse, body)), "    ") + "\n"


def _same(text: str, source: str, entry_point: str) -> bool:
    """Whether two programs define the same function, docstrings left out."""

    def shape(program: str) -> str:
        module, function = function_of(program, entry_point)
        if ast.get_docstring(function) is not None and len(function.body) > 1:
            function.body = function.body[1:]
        return ast.dump(module)

    try:
        return shape(text) == shape(source)
    except (SyntaxError, ValueError, IndexError):
        return False


def _has_float(tree: object) -> bool:
    if isinstance(tree, dict):
        if tree.get("$") in ("float", "complex", "ndarray", "series", "frame"):
            return True
        return any(map(_has_float, tree.values()))
    return any(map(_has_float, tree)) if isinstance(tree, list) else isinstance(tree, float)


def _parquet() -> Exporter:
    # Loading the library takes long, and no other format needs it.
    from pbt_generator.adapters.parquet import ParquetExporter

    return ParquetExporter()


def same_content(path: str, first: bytes, second: bytes) -> bool:
    """Whether two versions of an exported file say the same."""
    if first == second:
        return True
    if path.endswith(".parquet"):
        from pbt_generator.adapters.parquet import same_tables

        return same_tables(first, second)
    # The codec, and what judges in lm-eval, come with the platform's version, not with the release.
    return path.startswith(f"{CODEC}/") or (path.startswith(f"{FOLDER}/") and path.endswith(".py"))


EXPORTERS: dict[str, Callable[[], Exporter]] = {
    "code2bench": Code2BenchExporter,
    "evalplus": EvalPlusExporter,
    "livecodebench": LiveCodeBenchExporter,
    "lm-eval": LmEvalExporter,
    "parquet": _parquet,
}
