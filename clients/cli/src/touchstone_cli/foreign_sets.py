"""Other people's sets of tasks, as their own files have them: each format is an entry of one registry."""

from __future__ import annotations

import ast
import gzip
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from touchstone_cli.errors import CliError
from touchstone_runtime.wordings import WORDINGS
from touchstone_values import MalformedValueError, UnportableError, encode, parse

# Both comparisons of ours allow this on floats.
_TOLERANCE = 1e-6
# With this import nobody evaluates what is written of kinds.
_LATER = "annotations"
# Tasks whose answers EvalPlus judges by a rule of its own, in code and not in the file.
_OWN_ORACLES = {"HumanEval/32": "any zero of the polynomial is right there, and not the one of the ground truth only"}


@dataclass(frozen=True)
class Foreign:
    """A task of somebody else's set; the fields are those of `ImportTaskRequest`.

    Licence and wording are empty where its set states none for the task itself, as only exports of ours do.
    """

    foreign_id: str
    entry_point: str
    source: str
    instruction: str
    signature: str
    inputs: tuple[str, ...]
    asserting: str = ""
    prelude: str = ""
    expected: tuple[str, ...] = ()
    licence: str = ""
    wording: str = ""


@dataclass(frozen=True)
class LeftOut:
    """A task that cannot be judged here, and why; `retracted`: its makers took it back for that reason."""

    foreign_id: str
    reason: str
    retracted: bool = False


Found = Iterator[Foreign | LeftOut]


def read_set(path: Path, set_format: str) -> list[Foreign | LeftOut]:
    """Every task of a set, in the order of its files.

    Args:
        path: A file or folder, as the format has it.
        set_format: One of `SET_FORMATS`.

    Raises:
        CliError: there is no task, two have one id, or a file is not of the format; it is named.
    """
    try:
        found = list(SET_FORMATS[set_format](path))
    except OSError as error:
        raise CliError(f"{path}: {error.strerror or error}", exit_code=2) from error
    except (UnicodeDecodeError, EOFError, zlib.error) as error:
        raise CliError(f"{path}: not read as {set_format}: {error}", exit_code=2) from error
    if not found:
        raise CliError(f"{path}: holds no task in the form of {set_format}", exit_code=2)
    if doubled := [name for name, times in Counter(each.foreign_id for each in found).items() if times > 1]:
        # Of two with one id and one ground truth only the first would be kept, and both would be told.
        raise CliError(f"{path}: {doubled[0]} is there twice; give each task an id of its own", exit_code=2)
    return found


def _evalplus(path: Path) -> Found:
    """EvalPlus: an object a line; ours too, which say where values are in the portable form."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            place = f"{path}, line {number}"
            row = _object(line, place)
            with _told(place, "EvalPlus"):
                task = _evalplus_task(row)
            yield task


@contextmanager
def _told(place: str, whose: str) -> Iterator[None]:
    """A fault of a task's form as a line that names the place.

    Raises:
        CliError: a field is missing, or of another kind.
    """
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        words = f"{place}: not a task of {whose}: {type(error).__name__}: {error}"
        raise CliError(words, exit_code=2) from error


def _evalplus_task(row: Mapping[str, Any]) -> Foreign | LeftOut:
    name, entry = str(row["task_id"]), str(row["entry_point"])
    prompt, solution, contract = (_text(row, field) for field in ("prompt", "canonical_solution", "contract"))
    source = prompt + solution
    values: list[Any] = [*row["base_input"], *row["plus_input"]]
    tolerance = float(row.get("atol") or 0)
    ours = row.get("touchstone") or {}
    if taken_back := _taken_back(name, ours):
        return taken_back
    if name in _OWN_ORACLES:
        return LeftOut(name, _OWN_ORACLES[name])
    if name.startswith("Mbpp/"):
        return LeftOut(name, "EvalPlus changes the inputs of MBPP after reading them, by a table in its own code")
    if tolerance > _TOLERANCE:
        return LeftOut(name, f"it allows an error of {tolerance:g}, our comparator {_TOLERANCE:g}")
    if ours.get("comparison") == "exact":
        return LeftOut(name, "it wants exact kinds, and imported tasks are compared by content")
    try:
        inputs = tuple(_texts(values, portable=ours.get("input_form") == "portable"))
        given = [*ours.get("base_expected", ()), *ours.get("plus_expected", ())]
        expected = tuple(_texts(given, portable=ours.get("expected_form") == "portable"))
    except (UnportableError, MalformedValueError) as error:
        return LeftOut(name, f"a value of it has no portable form: {error}")
    asserting = prompt + contract + solution if contract.strip() else ""
    # Our own rows of before showed the ground truth's helpers too; ours were never shown to who answered here.
    asked = _Asked(prompt, imports_alone=bool(ours))
    return _task(name, entry, source, inputs, expected, ours, asserting=asserting, asked=asked)


def _taken_back(name: str, about: Mapping[str, Any]) -> LeftOut | None:
    """A task that an export of ours says was taken back; None where it stands."""
    note = about.get("retracted")
    return LeftOut(name, str(note), retracted=True) if note else None


def _text(row: Mapping[str, Any], field: str) -> str:
    """A field of a row; a contract may be missing.

    Raises:
        KeyError: it is missing.
        TypeError: it is no text.
    """
    found = row.get(field) or "" if field == "contract" else row[field]
    if not isinstance(found, str):
        raise TypeError(f"{field} is no text")
    return found


def _code2bench(path: Path) -> Found:
    """Code2Bench: a folder a task, with `groundtruth.py` and frozen cases; ours too."""
    for folder in sorted(each.parent for each in path.rglob("groundtruth.py")):
        name = str(folder.relative_to(path))
        source = (folder / "groundtruth.py").read_text("utf-8")
        words = folder / "instruction.txt"
        instruction = words.read_text("utf-8").strip() if words.is_file() else ""
        lines, cases = folder / "cases.jsonl", folder / "test_cases" / "test_cases.json"
        metadata = folder / "metadata.json"
        about = _object(metadata.read_text("utf-8"), str(metadata)) if metadata.is_file() else {}
        # The function that is asked for: the one that the metadata name, else the last of the ground truth.
        entry = str(about.get("entry_point") or "") if about else _last_function(source)
        if taken_back := _taken_back(name, about):
            yield taken_back
        elif not entry:
            yield LeftOut(name, "its ground truth cannot be read or defines no function")
        elif about.get("kind") == "WSC":
            yield LeftOut(name, "it wants exact kinds, and imported tasks are compared by content")
        elif lines.is_file():
            yield _ours(name, entry, source, lines, about, instruction)
        elif cases.is_file():
            yield _frozen(name, entry, source, cases, about, instruction)
        else:
            yield LeftOut(name, "it has no frozen cases: run its testcase_generator.py first")


def _ours(
    name: str, entry: str, source: str, lines: Path, about: Mapping[str, Any], instruction: str
) -> Foreign | LeftOut:
    """A task with cases in the portable form, one a line."""
    given: list[Any] = []
    wanted: list[Any] = []
    for number, line in enumerate(lines.read_text("utf-8").split("\n"), 1):
        if line.strip():
            row = _object(line, f"{lines}, line {number}")
            with _told(f"{lines}, line {number}", "Code2Bench"):
                given.append(row["arguments"])
                wanted.append(row["expected"])
    try:
        inputs, expected = tuple(_texts(given, portable=True)), tuple(_texts(wanted, portable=True))
    except MalformedValueError as error:
        return LeftOut(name, f"a value of it has no portable form: {error}")
    return _task(name, entry, source, inputs, expected, about, instruction=instruction)


def _frozen(
    name: str, entry: str, source: str, cases: Path, about: Mapping[str, Any], instruction: str
) -> Foreign | LeftOut:
    try:
        rows = json.loads(cases.read_text("utf-8"))
        given = [row["Inputs"] for row in rows]
        inputs = tuple(_texts(given, portable=False))
        expected = tuple(_texts([row["Expected"] for row in rows], portable=False))
    except (UnportableError, ValueError, KeyError, TypeError, RecursionError) as error:
        return LeftOut(name, f"its cases cannot be read: {type(error).__name__}: {error}")
    return _task(name, entry, source, inputs, expected, about, instruction=instruction)


def _last_function(source: str) -> str:
    try:
        functions = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return functions[-1] if functions else ""


@dataclass(frozen=True)
class _Asked:
    """What a set shows whoever answers.

    Attributes:
        text: Ends in the function that is asked for, with its words and perhaps without a body.
        imports_alone: What stands before it is the ground truth's, and only its imports are shown, and what the head
            names.
    """

    text: str
    imports_alone: bool


def _task(
    name: str, entry: str, source: str, inputs: tuple[str, ...], expected: tuple[str, ...], about: Mapping[str, Any], *,
    asserting: str = "", instruction: str = "", asked: _Asked | None = None,
) -> Foreign | LeftOut:  # fmt: skip
    """A task with its head, its words, and what is shown before the function.

    Where the set states no question of its own they are the ground truth's, and of what stands before the function
    there the imports alone, and what the head names: its other helpers are a part of the answer.
    """
    try:
        if _last(source, entry) is None:
            return LeftOut(name, f"its ground truth defines no function {entry}")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return LeftOut(name, f"its ground truth cannot be read: {error}")
    shown, function = _shown(source, entry, asked or _Asked(source, imports_alone=True))
    prelude = "\n\n".join(map(ast.unparse, shown))
    words = (instruction or ast.get_docstring(function) or "").strip()
    gives = f" -> {ast.unparse(function.returns)}" if function.returns is not None else ""
    head = f"def {entry}({ast.unparse(function.args)}){gives}"
    licence, wording = str(about.get("licence") or ""), about.get("wording")
    wording = wording if wording in WORDINGS else ""
    shown_before = f"{prelude}\n" if prelude else ""
    return Foreign(name, entry, source, words, head, inputs, asserting, shown_before, expected, licence, wording)


def _shown(source: str, entry: str, asked: _Asked) -> tuple[list[ast.stmt], ast.FunctionDef]:
    """What is shown before the function, and the function as it is asked for."""
    # A question may end with the head.
    for text in (asked.text, f"{asked.text}    pass\n"):
        try:
            found = _last(text, entry)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if found is not None:
            tree, function = found
            before = [node for node in tree.body if node.lineno < function.lineno]
            return _needed(before, function) if asked.imports_alone else before, function
    found = _last(source, entry)
    assert found is not None, "it was read before"
    tree, function = found
    return _needed([node for node in tree.body if node.lineno < function.lineno], function), function


def _needed(before: list[ast.stmt], function: ast.FunctionDef) -> list[ast.stmt]:
    """Of what stands before a function the imports, and what its head cannot be read without, in order."""
    given = function.args
    reading: list[ast.AST] = [*given.defaults, *(each for each in given.kw_defaults if each is not None)]
    if not any(isinstance(node, ast.ImportFrom) and _LATER in {each.name for each in node.names} for node in before):
        several = [each for each in (given.vararg, given.kwarg) if each is not None]
        named = [*given.posonlyargs, *given.args, *given.kwonlyargs, *several]
        reading += [each for each in (*(arg.annotation for arg in named), function.returns) if each is not None]
    kept = {place for place, node in enumerate(before) if _imports(node)}
    while True:
        names = {each.id for node in reading for each in ast.walk(node) if isinstance(each, ast.Name)}
        bound = {name for place in kept for name in _bound(before[place])}
        more = [place for place, node in enumerate(before) if place not in kept and _bound(node) & (names - bound)]
        if not more:
            return [before[place] for place in sorted(kept)]
        kept.update(more)
        reading += [before[place] for place in more]


def _bound(node: ast.stmt) -> set[str]:
    """The names that a statement of a module binds, as far as its text tells."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    found: set[str] = set()
    for each in ast.walk(node):
        match each:
            case ast.alias():
                found.add((each.asname or each.name).partition(".")[0])
            case ast.Name(ctx=ast.Store()):
                found.add(each.id)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.add(each.name)
            case _:
                pass
    return found


def _imports(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _last(text: str, entry: str) -> tuple[ast.Module, ast.FunctionDef] | None:
    """A program, and its last function of a name.

    Raises:
        SyntaxError: it is none; so are the errors of other kinds that reading gives.
    """
    tree = ast.parse(text)
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry]
    return (tree, found[-1]) if found else None


def _texts(values: list[Any], *, portable: bool) -> Iterator[str]:
    """Values as portable texts.

    Raises:
        UnportableError: one has no such form.
        MalformedValueError: one is said to be in it and is not.
    """
    for value in values:
        if not portable:
            yield encode(value)
            continue
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        parse(text)
        yield text


def _object(text: str, place: str) -> dict[str, Any]:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CliError(f"{place}: not JSON: {error}", exit_code=2) from error
    if not isinstance(found, dict):
        raise CliError(f"{place}: not an object", exit_code=2)
    return cast("dict[str, Any]", found)


SET_FORMATS: dict[str, Callable[[Path], Found]] = {"evalplus": _evalplus, "code2bench": _code2bench}
