"""Find the program in a model's answer."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from functools import partial
from typing import NamedTuple

# Nothing longer is looked at: the parser's memory grows with the text, and no honest answer is that long.
_MAX_CHARACTERS = 100_000
# Bounds of the search for a program in running text.
_MAX_SEARCHED = 20_000
_MAX_TRIES = 200
# Which reading of answers this is: raised when another program is found in the same answer.
READING = 2

# How models mark what they think aloud before they answer.
_OPENING, _CLOSING = "<think>", "</think>"
FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)$", re.MULTILINE)
_START = re.compile(r"^(?:import |from |def |async def |class |@|[A-Za-z_]\w*\s*(?::[^\n]*)?=)")

_TAGS = {
    "python": {"python", "py", "python3", ""},
    "javascript": {"javascript", "js", "node", "mjs", ""},
    "typescript": {"typescript", "ts", ""},
    "java": {"java", ""},
    "go": {"go", "golang", ""},
    "php": {"php", ""},
}


class Found(StrEnum):
    """How far an answer holds a program."""

    # A program with the asked function.
    PROGRAM = "program"
    # Text that means to be the program and does not parse; the sandbox says what is wrong.
    UNPARSABLE = "unparsable"
    # A program without the asked function.
    OTHER = "other"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Extraction:
    """What was found; `code` is empty unless it is worth running."""

    found: Found
    code: str = ""

    @property
    def runnable(self) -> bool:
        """Whether there is something to run."""
        return self.found in (Found.PROGRAM, Found.UNPARSABLE)


class Sight(IntEnum):
    """How much a text is of the asked program; of two the smaller one is worth more."""

    PROGRAM = 0
    # It defines what was asked for, and does nothing but fail.
    PLACEHOLDER = 1
    # It means to define it, and makes no sense to its end.
    BROKEN = 2
    # The function's head without a body.
    HEAD = 3
    # It names it, and may define it in a way that is not known here.
    MENTION = 4
    # Some other code.
    OTHER = 5
    NOTHING = 6


_FOUND = {
    Sight.PROGRAM: Found.PROGRAM,
    Sight.PLACEHOLDER: Found.PROGRAM,
    Sight.BROKEN: Found.UNPARSABLE,
    Sight.HEAD: Found.UNPARSABLE,
    # The sandbox knows every way.
    Sight.MENTION: Found.PROGRAM,
    Sight.OTHER: Found.OTHER,
    Sight.NOTHING: Found.NOTHING,
}


@dataclass(frozen=True)
class _Block:
    tag: str
    text: str
    closed: bool = True


class _Reader(NamedTuple):
    """How texts of one language are looked at.

    Attributes:
        sight: How much a text is of the asked program.
        start: What a line begins with that may be a program's first.
        is_prose: Whether a line is a sentence; never where `sight` tells sentences from code.
    """

    sight: Callable[[str], Sight]
    start: re.Pattern[str]
    is_prose: Callable[[str], bool]


def extract(answer: str, entry_point: str, language: str = "python") -> Extraction:
    """Pick the program out of an answer.

    Fenced blocks are looked at first, in their order, then the whole answer; those tagged as another language come
    last. The first that makes sense to its end and defines the entry point is taken; one whose body is a mere
    placeholder only when there is no other, and a head without a body, or a call, is no definition. A block that the
    answer's end cut off, and a raw answer, are tried without their last lines too. Nothing is executed.

    Args:
        answer: The model's text.
        entry_point: Name of the asked function.
        language: Target language of the task, lower case.
    """
    text = answer.replace("\r\n", "\n")[:_MAX_CHARACTERS]
    blocks, tags = _blocks(text), _TAGS[language]
    reader = _reader(entry_point, language)
    fitting = [block for block in blocks if block.tag in tags] or blocks
    best, code = Sight.NOTHING, ""
    for body in _bodies(fitting or [_Block("", text, closed=False)], reader):
        sight = reader.sight(body)
        if sight is Sight.PROGRAM:
            return _extraction(sight, body)
        if sight < best:
            best, code = sight, body
    for body in _bodies([block for block in blocks if block not in fitting], reader):
        if reader.sight(body) is Sight.PROGRAM:
            return _extraction(Sight.PROGRAM, body)
    if not blocks and best >= Sight.MENTION:
        # Sentences may name the function, and single words may parse: only lines of code count.
        code = _longest_run(text, reader, Sight.MENTION) or _longest_run(text, reader, Sight.OTHER)
        best = reader.sight(code)
    return _extraction(best, code)


def _extraction(sight: Sight, code: str) -> Extraction:
    found = Extraction(_FOUND[sight])
    return replace(found, code=code.strip("\n") + "\n") if found.runnable else found


def thought_apart(text: str) -> tuple[str, str]:
    """What a model thought aloud before it answered, and the answer, which comes late or not at all.

    Some endpoints leave the opening mark to the prompt, so that an answer begins within the thought.

    Example:
        >>> thought_apart("<think>a draft</think> the answer")
        ('<think>a draft', 'the answer')
    """
    opened = text.lstrip().startswith(_OPENING)
    before, mark, after = text.partition(_CLOSING)
    if mark and (opened or _OPENING not in before):
        return before, after.lstrip()
    return (text, "") if opened else ("", text)


def fenced(answer: str) -> list[str]:
    """The texts of an answer's fenced blocks, in order; the last may lack its end."""
    return [block.text for block in _blocks(answer.replace("\r\n", "\n")[:_MAX_CHARACTERS])]


def defines(code: str, name: str) -> bool:
    """Whether a Python program binds a name at its top level; False when it does not parse."""
    tree = parse(code)
    return tree is not None and _definition(tree, name) is not None


def parse(code: str) -> ast.Module | None:
    """Parse Python, or None; never raises and never executes, whatever the text."""
    if len(code) > _MAX_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings():
            # The text's own warnings (an odd escape) are no news of ours.
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def with_prelude(prelude: str, code: str) -> str:
    """Put a task's imports before a solution, and the solution's `__future__` imports before both."""
    if not prelude.strip():
        return code
    futures: list[str] = []
    rest = code
    tree = parse(code)
    if tree is not None:
        lines = code.split("\n")
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                futures.extend(f"from __future__ import {alias.name}" for alias in node.names)
                lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
        rest = "\n".join(lines) if futures else code
    return "\n".join([*dict.fromkeys(futures), prelude.strip("\n"), "", rest.lstrip("\n")])


def _reader(entry_point: str, language: str) -> _Reader:
    if language == "python":
        return _Reader(partial(_python_sight, name=entry_point), _START, _never)
    # An export takes this file alone, and has answers in Python only.
    from touchstone_runtime import outline

    return _Reader(partial(outline.sight, name=entry_point, language=language), outline.START, outline.is_prose)


def _never(line: str) -> bool:
    return not line


def _python_sight(text: str, name: str) -> Sight:
    tree = parse(text)
    if tree is not None:
        node = _definition(tree, name)
        if node is None:
            return Sight.OTHER if text.strip() else Sight.NOTHING
        return Sight.PLACEHOLDER if _is_placeholder(node) else Sight.PROGRAM
    if not re.search(rf"^[ \t]*(?:async )?(?:def|class)[ \t]+{re.escape(name)}\b", text, re.MULTILINE):
        return Sight.NOTHING
    return Sight.HEAD if defines(f"{text.strip().removesuffix(':')}: ...", name) else Sight.BROKEN


def _bodies(blocks: Iterable[_Block], reader: _Reader) -> Iterator[str]:
    for block in blocks:
        yield block.text if block.closed else _longest_run(block.text, reader, Sight.PLACEHOLDER) or block.text


def _blocks(text: str) -> list[_Block]:
    """Fenced blocks in order; the last may lack its end."""
    blocks: list[_Block] = []
    opening: re.Match[str] | None = None
    for fence in FENCE.finditer(text):
        if opening is None:
            opening = fence
            continue
        mark = opening["mark"]
        if fence["mark"][0] == mark[0] and len(fence["mark"]) >= len(mark) and not fence["info"].strip():
            blocks.append(_block(opening, text[opening.end() + 1 : fence.start()], closed=True))
            opening = None
    if opening is not None:
        blocks.append(_block(opening, text[opening.end() + 1 :], closed=False))
    return blocks


def _block(opening: re.Match[str], body: str, *, closed: bool) -> _Block:
    words = opening["info"].split()
    return _Block(words[0].lower().strip("{}.") if words else "", textwrap.dedent(body), closed)


def _longest_run(text: str, reader: _Reader, worst: Sight) -> str:
    """The longest run of whole lines that is worth as much as `worst`; empty where there is none."""
    lines = text[:_MAX_SEARCHED].split("\n")
    prose = [place for place, line in enumerate(lines) if _at_margin(line) and reader.is_prose(line)]
    tries = 0
    for start, line in enumerate(lines):
        if not reader.start.match(line):
            continue
        for end in range(next((place for place in prose if place >= start), len(lines)), start, -1):
            # A program ends before a line that stands at the margin; other ends would cut a statement in two.
            if end < len(lines) and not _at_margin(lines[end]):
                continue
            if (tries := tries + 1) > _MAX_TRIES:
                return ""
            code = "\n".join(lines[start:end])
            if reader.sight(code) <= worst:
                return code
    return ""


def _at_margin(line: str) -> bool:
    return bool(line) and not line[0].isspace()


def _definition(tree: ast.Module, name: str) -> ast.stmt | None:
    """The last top-level statement that binds a name."""
    found: ast.stmt | None = None
    for node in tree.body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if node.name == name:
                found = node
            case ast.Assign() if any(isinstance(target, ast.Name) and target.id == name for target in node.targets):
                found = node
            case ast.AnnAssign(target=ast.Name(id=bound), value=value) if bound == name and value is not None:
                found = node
            case _:
                pass
    return found


def _is_placeholder(node: ast.stmt) -> bool:
    """Whether a function's body is nothing but `pass`, `...`, a docstring, or NotImplementedError."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    for statement in node.body:
        match statement:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                continue
            case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
                continue
            case _:
                return False
    return True
