"""The EvalPlus format of an export: what a line shows is what the platform shows, and what it holds can be run."""

from __future__ import annotations

import ast
import builtins
import json
import textwrap
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pbt_generator.adapters.export import function_of
from pbt_generator.domain.foreign import measured
from pbt_generator.domain.inputs.portable import is_plain
from pbt_generator.domain.release import Json, ReleasedTask
from pbt_generator.ports import ExportedFile
from touchstone_contracts.licences import licence_of, part_licences
from touchstone_runtime.extraction import with_prelude

# So many of the first cases, which tell most, are EvalPlus's base; the rest is its plus.
BASE_CASES = 25
# Both comparisons of ours allow this on floats.
_TOLERANCE = 1e-6
_FUTURE = "__future__"
# What EvalPlus judges by `==` and hands from process to process with pickle. Arrays and frames have no truth as a
# whole, the class of a record lies in the program, and NaN is not equal to itself.
_JUDGED = frozenset({
    "int", "float", "str", "tuple", "set", "frozenset", "bytes", "bytearray", "map", "ordered_map", "counter",
    "default_map", "deque", "complex", "decimal", "fraction", "date", "datetime", "time", "timedelta", "path", "range",
    "scalar",
})  # fmt: skip
_NOT_ITSELF = frozenset({"float", "decimal"})


class EvalPlusExporter:
    """One JSON object a line, with the fields of EvalPlus and one of ours, `touchstone`.

    `evalplus.jsonl` holds every task. Inputs that plain JSON cannot hold stay in the portable form, and the task is
    marked by `touchstone.input_form`. `evalplus-plain.jsonl` holds the tasks that need no such form, that stand, whose
    prompt and solution are a program, and whose results EvalPlus can judge: what reads EvalPlus's own data can read
    and run it as it is.
    """

    def __init__(self) -> None:
        self._all: list[bytes] = []
        self._plain: list[bytes] = []

    def start(self, manifest: Mapping[str, Any], retractions: str) -> Iterable[ExportedFile]:
        """Nothing comes first."""
        return ()

    def task(self, task: ReleasedTask) -> Iterable[ExportedFile]:
        """Nothing is one task's own."""
        row = evalplus_row(task)
        line = json.dumps(row, ensure_ascii=True, sort_keys=True).encode("ascii") + b"\n"
        self._all.append(line)
        results = [json.loads(result) for _, result in task.cases]
        can = row["touchstone"]["input_form"] == "plain" and all(map(_judged, results))
        if can and not task.retracted and runs(row):
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
    asked = Asked(
        record["entry_point"], record["instruction"], record["prelude"], record["signatures"]["python"].rstrip(":")
    )
    prompt, solution = prompt_and_solution(task.source, asked)
    return {
        "task_id": f"Touchstone/{record['task_id']}",
        "entry_point": record["entry_point"],
        "prompt": prompt,
        "canonical_solution": solution,
        # Every input of a suite is one that the ground truth accepts, so nothing needs to be asserted of it.
        "contract": "",
        "base_input": inputs[:BASE_CASES],
        "plus_input": inputs[BASE_CASES:],
        "atol": _TOLERANCE if any(map(has_float, expected)) else 0,
        "touchstone": {
            "input_form": "plain" if not named and all(map(is_plain, inputs)) else "portable",
            "call": "named" if named else "positional",
            "expected_form": "plain" if all(map(is_plain, expected)) else "portable",
            "base_expected": expected[:BASE_CASES],
            "plus_expected": expected[BASE_CASES:],
            "comparison": task.comparison,
            "kind": record["kind"],
            "difficulty": record["difficulty"],
            # Two boards, two scores, here as elsewhere.
            "wording": task.wording,
            "gaps": record.get("gaps", []),
            "languages": task.entry["languages"],
            "signatures": record["signatures"],
            "licence": licence_of(task.record["function"]),
            "part_licences": part_licences(task.record["function"]),
            "source": task.entry["source"],
            "mutation_score": measured(record["mutation_score"]),
            "branch_coverage": measured(record["branch_coverage"]),
            "digests": task.entry["digests"],
            "retracted": task.retracted or None,
        },
    }


@dataclass(frozen=True)
class Asked:
    """What the platform gives whoever solves a task in Python.

    Attributes:
        entry_point: The function.
        instruction: What it must do.
        prelude: Imports that are in place.
        head: The function's head, without the colon.
    """

    entry_point: str
    instruction: str
    prelude: str
    head: str


def prompt_and_solution(source: str, asked: Asked) -> tuple[str, str]:
    """A ground truth in two parts that follow each other: what is asked, and what its author wrote.

    Returns:
        prompt: What the platform gives: imports, head, and the instruction as docstring. Helpers, constants and classes
            of the ground truth are no part of it, as they are none of the platform's question.
        solution: The body as its author wrote it, without his docstring, and all else of the ground truth behind it.
            Where that is not the same function, the whole ground truth, which then takes the prompt's place.
    """
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    module, function = function_of(text, asked.entry_point)
    futures = [node for node in module.body if isinstance(node, ast.ImportFrom) and node.module == _FUTURE]
    documented = ast.get_docstring(function) is not None and len(function.body) > 1
    indent, body = _body(text, function, documented=documented)
    prompt = _prompt(asked, [alias.name for node in futures for alias in node.names], indent)
    given = {ast.dump(node) for node in _statements(asked.prelude) if isinstance(node, ast.Import | ast.ImportFrom)}
    there = [node for node in module.body if ast.dump(node) in given]
    about = module.body[:1] if ast.get_docstring(module) is not None else []
    rest = _without(text, [*about, *futures, *there, function]).strip("\n")
    solution = f"{body}\n\n{rest}\n" if rest else body
    if not _same_head(asked, function, module) or not _same_body(
        prompt + solution, function, asked, documented=documented
    ):
        whole = _without(text, futures).strip("\n")
        return prompt, f"{indent}raise NotImplementedError\n\n\n{whole}\n"
    return prompt, solution


def runs(row: Json) -> bool:
    """Whether a line's prompt and solution are a program whose function can be defined."""
    text = row["prompt"] + row["canonical_solution"]
    try:
        with warnings.catch_warnings():
            # What an author's code makes Python warn of is nothing that who exports can mend.
            warnings.simplefilter("ignore")
            compile(text, row["task_id"], "exec")
        function = next(
            node
            for node in ast.parse(row["prompt"]).body
            if isinstance(node, ast.FunctionDef) and node.name == row["entry_point"]
        )
    except (SyntaxError, ValueError, RecursionError, MemoryError, StopIteration):
        return False
    defaults = [*function.args.defaults, *(each for each in function.args.kw_defaults if each is not None)]
    return not _unknown(defaults, row["prompt"])


def _judged(tree: object) -> bool:
    """Whether a result in the portable form is one that EvalPlus takes for itself, made once more."""
    if isinstance(tree, list):
        return all(map(_judged, cast("list[object]", tree)))
    if not isinstance(tree, dict):
        return True
    fields = cast("Json", tree)
    kind, value = fields.get("$"), fields.get("v")
    if kind is not None and kind not in _JUDGED:
        return False
    if (kind in _NOT_ITSELF and "nan" in str(value).lower()) or (kind == "default_map" and not fields["factory"]):
        return False
    return all(map(_judged, fields.values()))


def _prompt(asked: Asked, futures: Collection[str], indent: str) -> str:
    words = asked.instruction.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').strip()
    docstring = textwrap.indent(f'"""{words}\n"""', indent, lambda line: bool(line.strip()))
    head = f"{asked.head}:\n{docstring}\n"
    needed = list(futures)
    # A head may name a type that no import brings, such as one of the ground truth's own: nobody needs it as a value.
    annotations = [node for node in ast.walk(ast.Module(_statements(head), [])) if isinstance(node, ast.arg)]
    types = [each.annotation for each in annotations if each.annotation is not None]
    types += [node.returns for node in _statements(head) if isinstance(node, ast.FunctionDef) and node.returns]
    if _unknown(types, asked.prelude) and "annotations" not in needed:
        needed.append("annotations")
    lines = "".join(f"from {_FUTURE} import {name}\n" for name in dict.fromkeys(needed))
    return with_prelude(asked.prelude, f"{lines}\n\n{head}" if lines else f"\n\n{head}").lstrip("\n")


def _statements(text: str) -> list[ast.stmt]:
    """The statements of a text; none of one that is no Python."""
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _unknown(nodes: Iterable[ast.AST], text: str) -> set[str]:
    """Names that some expressions read, and that neither Python nor a text binds."""
    read = {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)}
    bound = set(dir(builtins))
    for node in _statements(text):
        match node:
            case ast.Import() | ast.ImportFrom():
                bound |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            case ast.FunctionDef() | ast.ClassDef():
                bound.add(node.name)
            case _:
                bound |= {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return read - bound


def _body(text: str, function: ast.FunctionDef, *, documented: bool) -> tuple[str, str]:
    """Indentation and text of a function's statements, without its docstring, as they stand in the program."""
    lines = text.split("\n")
    body = function.body[1:] if documented else function.body
    first, last, block = body[0], body[-1], function.body[0]
    # A nested function or class begins with its decorators.
    start = min([first.lineno, *(node.lineno for node in getattr(first, "decorator_list", []))])
    before = _cut(lines, block.lineno, 0, block.lineno, block.col_offset)
    indent = before if before and not before.strip() else "    "
    if _cut(lines, start, 0, start, first.col_offset).strip():
        # Behind the head's colon, or behind the docstring.
        return indent, f"{indent}{_cut(lines, start, first.col_offset, _end(last), last.end_col_offset or 0)}\n"
    # Comments between the docstring and the first statement belong to the text.
    after = _end(function.body[0]) if documented else start - 1
    return indent, "\n".join(lines[after : _end(last)]) + "\n"


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _cut(lines: list[str], start: int, column: int, end: int, end_column: int) -> str:
    """Text from one place of a program to another; the syntax tree counts lines from 1, and columns in bytes."""
    part = [line.encode("utf-8", "surrogatepass") for line in lines[start - 1 : end]]
    part[-1] = part[-1][:end_column]
    part[0] = part[0][column:]
    return b"\n".join(part).decode("utf-8", "surrogatepass")


def _without(text: str, nodes: Collection[ast.stmt]) -> str:
    """A program without some of its statements."""
    lines: list[str | None] = list(text.split("\n"))
    module = ast.parse(text).body
    gone = {(node.lineno, node.col_offset) for node in nodes}
    kept = {
        number
        for node in module
        if (node.lineno, node.col_offset) not in gone
        for number in range(node.lineno, _end(node) + 1)
    }
    for node in nodes:
        decorators = [each.lineno for each in getattr(node, "decorator_list", [])]
        where = range(min([node.lineno, *decorators]), _end(node) + 1)
        if not kept & set(where):
            lines[where.start - 1 : where.stop - 1] = [None] * len(where)
        elif len(where) == 1:
            # It shares its line with another statement.
            line = (lines[node.lineno - 1] or "").encode("utf-8", "surrogatepass")
            width = (node.end_col_offset or 0) - node.col_offset
            filled = line[: node.col_offset] + b"0".ljust(width) + line[node.end_col_offset :]
            lines[node.lineno - 1] = filled.decode("utf-8", "surrogatepass")
    return "\n".join(line for line in lines if line is not None)


def _same_head(asked: Asked, function: ast.FunctionDef, module: ast.Module) -> bool:
    """Whether the head that is given takes arguments as the ground truth does, and nothing is put around or over it."""
    shown = next((node for node in _statements(f"{asked.head}:\n    pass") if isinstance(node, ast.FunctionDef)), None)
    if shown is None or function.decorator_list or _parameters(shown) != _parameters(function):
        return False
    others = [node for node in module.body if node is not function]
    return not any(_binds(node, asked.entry_point) for other in others for node in ast.walk(other))


def _binds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(ctx=ast.Store() | ast.Del()):
            return node.id == name
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.name == name
        case ast.alias():
            return (node.asname or node.name) == name
        case _:
            return False


def _parameters(function: ast.FunctionDef) -> str:
    """Names, places and defaults of parameters; one that is given by its place alone may be given by its name too."""
    given = function.args
    bare = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(each.arg) for each in (*given.posonlyargs, *given.args)],
        vararg=ast.arg(given.vararg.arg) if given.vararg else None,
        kwonlyargs=[ast.arg(each.arg) for each in given.kwonlyargs],
        kw_defaults=given.kw_defaults,
        kwarg=ast.arg(given.kwarg.arg) if given.kwarg else None,
        defaults=given.defaults,
    )
    return ast.dump(bare)


def _same_body(text: str, function: ast.FunctionDef, asked: Asked, *, documented: bool) -> bool:
    """Whether a program's function does what the ground truth's does, docstrings left out."""
    try:
        made = function_of(text, asked.entry_point)[1].body[1:]
    except (SyntaxError, ValueError, IndexError):
        return False
    wanted = function.body[1:] if documented else function.body
    return list(map(ast.dump, made)) == list(map(ast.dump, wanted))


def has_float(tree: object) -> bool:
    """Whether a value in the portable form is a float, or holds some."""
    if isinstance(tree, dict):
        if tree.get("$") in ("float", "complex", "ndarray", "series", "frame"):
            return True
        return any(map(has_float, tree.values()))
    return any(map(has_float, tree)) if isinstance(tree, list) else isinstance(tree, float)
