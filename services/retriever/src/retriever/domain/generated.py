"""Code that a model wrote: found in its answer, and cut into its component functions."""

from __future__ import annotations

import ast
import re
import textwrap

_FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)", re.DOTALL)
# One that opens nothing, as an answer that broke off behind it has.
_BARE_FENCE = re.compile(r"^[ \t]*```[^\n]*$", re.MULTILINE)
_HEAD = re.compile(
    r"^[ \t]*(?:(?:export|public|private|protected|static|async|final)\s+)*"
    r"(?:def|func|function|fn)\b[^\n]*",
    re.MULTILINE,
)


def code_in(answer: str) -> str:
    """The code in a model's answer: its fenced blocks, or all of it where nothing is fenced; none in empty fences."""
    blocks = [block.strip("\n") for block in _FENCE.findall(answer)] or [_BARE_FENCE.sub("", answer)]
    return textwrap.dedent("\n\n".join(block for block in blocks if block.strip())).strip()


def components_of(code: str) -> list[str]:
    """The functions and methods that a piece of code is made of, in order, without doubles.

    Python is parsed; what does not parse, or is no Python, is cut at the heads of functions. Code without
    any function is its own only component; no code has none.

    Example:
        >>> components_of("def a():\\n    return 1\\n\\nclass B:\\n    def c(self):\\n        return 2")
        ['def a():\\n    return 1', 'def c(self):\\n    return 2']
    """
    if not code.strip():
        return []
    try:
        found = _parsed(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        found = _cut(code)
    return list(dict.fromkeys(found)) or [code.strip()]


def _parsed(code: str) -> list[str]:
    found: list[str] = []
    pending: list[ast.stmt] = list(ast.parse(code).body)
    # The parser's lines: `splitlines` would also cut at form feeds and other marks.
    all_lines = code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    while pending:
        statement = pending.pop(0)
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = all_lines[statement.lineno - 1 : statement.end_lineno]
            found.append(textwrap.dedent("\n".join(lines)).strip())
        elif isinstance(statement, ast.ClassDef):
            pending = [*statement.body, *pending]
    return found


def _cut(code: str) -> list[str]:
    starts = [head.start() for head in _HEAD.finditer(code)]
    ends = [*starts[1:], len(code)][: len(starts)]
    return [textwrap.dedent(code[start:end]).strip() for start, end in zip(starts, ends, strict=True)]
