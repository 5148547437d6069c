"""Find the program in a model's answer."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from dataclasses import dataclass
from enum import StrEnum

# Nothing longer is looked at: the parser's memory grows with the text, and no honest answer is that long.
_MAX_CHARACTERS = 100_000
# Bounds of the search for a program in running text.
_MAX_SEARCHED = 20_000
_MAX_TRIES = 200

# How models mark what they think aloud before they answer.
_OPENING, _CLOSING = "<think>", "</think>"
_FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)$", re.MULTILINE)
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


@dataclass(frozen=True)
class _Block:
    tag: str
    text: str
    closed: bool = True


def extract(answer: str, entry_point: str, language: str = "python") -> Extraction:
    """Pick the program out of an answer.

    Fenced blocks are looked at first, in their order, then the whole answer. In Python the first that
    parses and defines the entry point is taken; one whose body is a mere placeholder only when there is no
    other. A block that the answer's end cut off, and a raw answer, are tried without their last lines too.
    Nothing is executed.

    Args:
        answer: The model's text.
        entry_point: Name of the asked function.
        language: Target language of the task, lower case.
    """
    text = answer.replace("\r\n", "\n")[:_MAX_CHARACTERS]
    blocks = _blocks(text)
    if language != "python":
        return _by_words(text, blocks, entry_point, _TAGS.get(language, {language, ""}))
    return _by_syntax(text, [block for block in blocks if block.tag in _TAGS["python"]] or blocks, entry_point)


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


def _by_syntax(text: str, blocks: list[_Block], entry_point: str) -> Extraction:
    raw = _Block("", text, closed=False)
    placeholder: Extraction | None = None
    for block in [*blocks, *([] if blocks else [raw])]:
        code = block.text if block.closed else _longest_program(block.text, entry_point) or block.text
        tree = parse(code)
        node = _definition(tree, entry_point) if tree else None
        if node is None:
            continue
        result = Extraction(Found.PROGRAM, code.strip("\n") + "\n")
        if not _is_placeholder(node):
            return result
        placeholder = placeholder or result
    if placeholder:
        return placeholder
    mention = re.compile(rf"^[ \t]*(?:async )?(?:def|class)[ \t]+{re.escape(entry_point)}\b", re.MULTILINE)
    for block in blocks or [raw]:
        if mention.search(block.text) and parse(block.text) is None:
            return Extraction(Found.UNPARSABLE, block.text.strip("\n") + "\n")
    if any(parse(block.text) is not None and block.text.strip() for block in blocks):
        return Extraction(Found.OTHER)
    return Extraction(Found.OTHER if _longest_program(text, "") and _looks_like_code(text) else Found.NOTHING)


def _by_words(text: str, blocks: list[_Block], entry_point: str, tags: set[str]) -> Extraction:
    word = re.compile(rf"(?<![\w$]){re.escape(entry_point)}(?![\w$])")
    fitting = [block for block in blocks if block.tag in tags] or blocks
    for block in fitting:
        if word.search(block.text):
            return Extraction(Found.PROGRAM, block.text.strip("\n") + "\n")
    if fitting:
        return Extraction(Found.OTHER)
    if word.search(text) and re.search(r"[;{}]", text):
        return Extraction(Found.PROGRAM, text.strip("\n") + "\n")
    return Extraction(Found.NOTHING)


def _blocks(text: str) -> list[_Block]:
    """Fenced blocks in order; the last may lack its end."""
    blocks: list[_Block] = []
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
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


def _longest_program(text: str, entry_point: str) -> str:
    """The longest run of whole lines that parses, and defines the entry point when one is named."""
    lines = text[:_MAX_SEARCHED].split("\n")
    tries = 0
    for start, line in enumerate(lines):
        if not _START.match(line):
            continue
        for end in range(len(lines), start, -1):
            # A program ends before a line that stands at the margin; other ends would cut a statement in two.
            if end < len(lines) and not _at_margin(lines[end]):
                continue
            if (tries := tries + 1) > _MAX_TRIES:
                return ""
            code = "\n".join(lines[start:end])
            tree = parse(code)
            if tree and tree.body and (not entry_point or _definition(tree, entry_point) is not None):
                return code
    return ""


def _at_margin(line: str) -> bool:
    return bool(line) and not line[0].isspace()


def _looks_like_code(text: str) -> bool:
    return re.search(r"^(?:def|class|import|from|async def) ?\w", text, re.MULTILINE) is not None


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
