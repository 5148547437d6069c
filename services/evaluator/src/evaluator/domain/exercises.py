"""Exercises: a task put as another question, and how an answer to it becomes a program that a suite can judge."""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from evaluator.domain.tasks import Task
from touchstone_runtime.extraction import Found, bindings, extract, fenced, parse, readings, with_prelude
from touchstone_runtime.thoughts import has_mark, spoken, thought_apart, unmarked

# Writing the function from its description, as every task can be asked for; runs name no track for it.
WRITE = ""
# Nobody is asked for a longer value.
_MOST_VALUE = 4000
# JSON writes a character with at most so many.
_MOST_ESCAPED = 12 * _MOST_VALUE
_MARGIN = re.compile(r"[ \t]*")
# The line in which a program names its value, read in one go however long an answer is that looks like one.
_MADE = re.compile(
    r"""    return (?:_answered\(\*)?_answered_json\.loads\((?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\){1,2}"""
)
_LABEL = re.compile(r"^(?:the )?(?:final )?(?:answer|output|result|input|arguments)(?: is)?\s*[:=]\s*", re.IGNORECASE)
_REST = "..."
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Exercise:
    """One task, put as another question.

    Attributes:
        track: Which question; empty where it is to write the function.
        program: What a solver is shown: a broken program, the beginning of one, the ground truth, or its helpers.
        arguments: The case that is shown, a JSON array; empty where none is.
        expected: What the ground truth returns for it, JSON; empty where it is not shown.
        seen: What the shown program does with the case, in words.
        suite_digest: The suite that judges; empty where it is the task's own.
        reference_cpu_s: CPU-seconds of the ground truth on the task's suite, measured beside the answer.
        entry_point: The function's name in neutral dress; empty where it is the task's own.
        instruction: What a solver is told in neutral dress.
        signatures: The function's head by language in neutral dress.
    """

    track: str = WRITE
    program: str = ""
    arguments: str = ""
    expected: str = ""
    seen: str = ""
    suite_digest: str = ""
    reference_cpu_s: float = 0.0
    entry_point: str = ""
    instruction: str = ""
    signatures: Mapping[str, str] = field(default_factory=dict[str, str])


def worn(task: Task, exercise: Exercise) -> Task:
    """The task as it is asked for: in the exercise's dress where it has one. Its id, imports and suite stay."""
    if not exercise.entry_point:
        return task
    return replace(
        task,
        entry_point=exercise.entry_point,
        instruction=exercise.instruction,
        signatures=dict(exercise.signatures),
    )


def completed(beginning: str, answer: str, entry_point: str) -> str | None:
    """The program that an answer makes of a beginning.

    The answer is the whole function, or the rest alone, at whatever indentation. Either way the program's one function
    of that name has to begin as it was given: what defines it anew, or takes its name back, does not go on.

    Args:
        beginning: Ends with the head of a branch of the function.
        answer: What the model said.
        entry_point: The function's name.

    Returns:
        The program; None where the answer is another function, or nothing to go on with.
    """
    # A mark of thoughts in a text of the program ends none.
    begun = thought_apart(answer)[1]
    if has_mark(begun):
        program = _completed(beginning, begun, entry_point)
        if program and has_mark(program) and parse(unmarked(program)) is not None:
            return program
    return _completed(beginning, spoken(answer), entry_point)


def _completed(beginning: str, answer: str, entry_point: str) -> str | None:
    indent, unit = _next_indent(beginning), _unit(beginning)
    extraction = extract(answer, entry_point)
    if extraction.found is Found.PROGRAM:
        if not _goes_on(beginning, extraction.code, indent, entry_point):
            return None
        return _joined(beginning, extraction.code, indent, entry_point)

    def programs(rest: str) -> list[str]:
        """The rest as it stands, and as what is next would be indented."""
        rest = rest.replace("\r\n", "\n").strip("\n")
        if not rest.strip():
            return []
        alike = _indented_alike(rest, unit)
        texts = (rest, _shifted(alike, indent), alike, _shifted(rest, indent))
        return [f"{beginning}{text}\n" for text in texts]

    def whole(rest: str) -> str | None:
        """The first of these that makes sense; what was meant to be the function's end may stand outside of it."""
        trees = ((program, parse(program)) for program in programs(rest))
        return next(
            (
                program
                for program, tree in trees
                if tree is not None and not any(isinstance(node, ast.Return) for node in tree.body)
            ),
            None,
        )

    def rest_in(said: str) -> str:
        # A rest that stands bare may have blocks in its texts.
        blocks = [] if whole(said) else fenced(said, lambda rest: whole(rest) is not None)
        return next((text for text in blocks or [said] if text.strip()), "")

    rests = [rest for rest in map(rest_in, readings(answer)) if rest]
    program = next(filter(None, map(whole, rests)), None)
    if program is not None:
        return program if _goes_on(beginning, program, indent, entry_point) else None
    # The sandbox says what is wrong with it.
    return programs(rests[0])[1] if rests else None


def predicted(answer: str) -> str | None:
    """The value that an answer names, as JSON text; None where it names none that plain JSON has.

    The last fenced block counts, else the last line with words; JSON or a Python literal. Nothing is executed.

    Example:
        >>> predicted("It counts twice.\\n```json\\n[1, 2]\\n```")
        '[1, 2]'
    """
    # A mark of thoughts in the value ends none.
    value = _predicted(thought_apart(answer)[1])
    return value if value and has_mark(value) else _predicted(spoken(answer))


def value_in(program: str, entry_point: str) -> str | None:
    """The value that `constant_program` or `asked_program` was made of, as runs that were exported hold it.

    Only the program to the letter has one: the text is compared, nothing of it runs.

    Args:
        program: The text, with or without the ground truth before it.
        entry_point: What it defines.

    Returns:
        JSON text; None where it is another program.
    """
    text = program.strip()
    found = _MADE.fullmatch(text.rpartition("\n")[2])
    value = _literal(_unquoted(found["text"]), _MOST_ESCAPED) if found else None
    if value is None:
        return None
    made = (constant_program(entry_point, value), asked_program("", entry_point, value))
    return value if any(text.endswith(each.strip()) for each in made) else None


def _predicted(answer: str) -> str | None:
    for said in readings(answer):
        blocks = [block for block in fenced(said) if block.strip()]
        lines = [line for line in said.splitlines() if line.strip()]
        for text in (*blocks[-1:], *lines[-1:]):
            for form in (text.strip(), _LABEL.sub("", text.strip()).strip("`* ")):
                value = _literal(form)
                if value is not None:
                    return value
    return None


def constant_program(entry_point: str, value: str) -> str:
    """A program that gives one value whatever it is asked.

    Args:
        entry_point: What it defines.
        value: JSON text.
    """
    return (
        "import json as _answered_json\n\n\n"
        f"def {entry_point}(*given, **named):\n    return _answered_json.loads({_quoted(value)})\n"
    )


def asked_program(source: str, entry_point: str, arguments: str) -> str:
    """The ground truth, asked for other arguments than its caller gives.

    Args:
        source: The ground truth's program.
        entry_point: Its function.
        arguments: A JSON array.
    """
    return (
        f"{source}\n\n\nimport json as _answered_json\n\n_answered = {entry_point}\n\n\n"
        f"def {entry_point}(*given, **named):\n"
        # What calls itself by its name shall find itself there.
        f"    global {entry_point}\n    {entry_point} = _answered\n"
        f"    return _answered(*_answered_json.loads({_quoted(arguments)}))\n"
    )


def _literal(text: str, most: int = _MOST_VALUE) -> str | None:
    if not text or len(text) > most:
        return None
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return None
    try:
        # A tuple is a list in JSON; a key that is no text would become one.
        return json.dumps(value, allow_nan=False) if _has_text_keys(value) else None
    except (ValueError, TypeError, RecursionError):
        return None


def _quoted(text: str) -> str:
    """A text as a Python literal; escapes keep every character of it ASCII."""
    return ascii(text)


def _unquoted(literal: str) -> str:
    """The text that a Python literal is; empty where it is none."""
    try:
        text: object = ast.literal_eval(literal)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return ""
    return text if isinstance(text, str) else ""


def _next_indent(beginning: str) -> str:
    """The indentation of what follows the head that a beginning ends with."""
    lines = beginning.rstrip("\n").split("\n")
    steps = tuple(dict.fromkeys((_unit(beginning), "    ", "\t", "  ")))
    for line in reversed(lines):
        # A head may stand on several lines: the first from below that makes sense of the whole is its own.
        margin = _MARGIN.match(line)
        for step in steps:
            indent = (margin.group() if margin else "") + step
            if line.strip() and parse(f"{beginning}{indent}{_REST}\n") is not None:
                return indent
    return "    "


def _unit(beginning: str) -> str:
    """What one level of a beginning's blocks is indented by."""
    margins = [margin.group() for line in beginning.split("\n") if line.strip() and (margin := _MARGIN.match(line))]
    return min(filter(None, margins), key=len, default="    ")


def _indented_alike(text: str, unit: str) -> str:
    """A text indented by the same unit as another one, level by level."""
    lines = text.split("\n")
    margins = [margin.group() if line.strip() and (margin := _MARGIN.match(line)) else "" for line in lines]
    widths = [len(margin.replace("\t", "    ")) for margin in margins]
    # What a line that ends in a colon opens tells best: other differences may be of lines that go on.
    opened = [later - width for line, width, later in zip(lines, widths, widths[1:], strict=False) if line[-1:] == ":"]
    any_step = [later - width for width, later in itertools.pairwise(sorted({0, *widths}))]
    step = min((each for each in opened if each > 0), default=min(any_step, default=len(unit)))
    return "\n".join(unit * (width // step) + line.lstrip(" \t") for width, line in zip(widths, lines, strict=True))


def _shifted(text: str, indent: str) -> str:
    """A text with its first line at an indentation, and the others as they stand to it."""
    lines = text.split("\n")
    first = next(line for line in lines if line.strip())
    have = len(first) - len(first.lstrip())
    move = len(indent) - have
    if move >= 0:
        return "\n".join(indent[:1] * move + line if line.strip() else line for line in lines)
    return "\n".join(line[min(-move, len(line) - len(line.lstrip())) :] for line in lines)


def _goes_on(beginning: str, code: str, indent: str, entry_point: str) -> bool:
    """Whether a program's function begins as it was given; docstrings and the form of the text do not count."""
    shown = f"{beginning}{indent}{_REST}\n"
    given = _normal(shown, entry_point)[:-1]
    if not given or _normal(code, entry_point)[: len(given)] != given:
        return False
    return _binds_once(code, entry_point) or not _binds_once(shown, entry_point)


def _joined(beginning: str, code: str, indent: str, entry_point: str) -> str:
    """A whole function behind what stood before its beginning."""
    tree = ast.parse(f"{beginning}{indent}{_REST}\n")
    before = [node for node in tree.body if not (isinstance(node, _FUNCTIONS) and node.name == entry_point)]
    return with_prelude("\n".join(map(ast.unparse, before)), code)


def _normal(code: str, entry_point: str) -> list[str]:
    """The lines of a function in one form, without its docstring."""
    tree = parse(code)
    found = [node for node in (tree.body if tree else ()) if isinstance(node, _FUNCTIONS) and node.name == entry_point]
    if not found:
        return []
    function = found[-1]
    for node in ast.walk(function):
        if isinstance(node, ast.If) and node.orelse and isinstance(node.orelse[0], ast.If):
            # `else: if` and `elif` are one tree as long as nothing follows, and two texts.
            node.orelse.insert(0, ast.Pass())
    if ast.get_docstring(function, clean=False) is not None and len(function.body) > 1:
        function.body = function.body[1:]
    return ast.unparse(function).split("\n")


def _binds_once(code: str, name: str) -> bool:
    """Whether a program's text binds a name of its module once, wherever it does it and whenever that runs."""
    tree = parse(code)
    return tree is not None and len(bindings(tree, name)) == 1


def _has_text_keys(value: object) -> bool:
    if isinstance(value, dict):
        entries = cast("dict[object, object]", value).items()
        return all(isinstance(key, str) and _has_text_keys(item) for key, item in entries)
    return all(map(_has_text_keys, cast("list[object]", value))) if isinstance(value, (list, tuple)) else True
