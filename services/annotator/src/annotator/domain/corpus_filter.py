"""The corpus filter: a code that answers a query takes something and gives something back."""

from __future__ import annotations

import ast
import re

from annotator.domain.declarations import blanked
from annotator.domain.pair import Pair
from annotator.domain.subject import examine

# An arrow without braces gives back what stands behind it.
_RETURNED = re.compile(r"\breturn\b\s*[^\s;}]|=>\s*[^\s{]")
_TAKES_NOTHING = "no function in it takes an argument"
_GIVES_NOTHING = "no function in it returns a value"


def unfit(pair: Pair) -> str:
    """Why the code of a pair is no code that a query could be answered with; empty where it is.

    Source: CoSQA+, corpus filter: functions with at least one input parameter and a returned value.

    Example:
        >>> unfit(Pair("p", "q", "sum", "f", "def f(): return 1"))
        'no function in it takes an argument'
    """
    if pair.language == "python":
        return _unfit_python(pair.code)
    subject = examine(pair)
    if not subject.entry_point:
        return subject.obstacle
    if not subject.parameters:
        return _TAKES_NOTHING
    text = blanked(subject.code, pair.language)
    return "" if _RETURNED.search(text) else _GIVES_NOTHING


def _unfit_python(code: str) -> str:
    subject = examine(Pair("", "", "", "", code))
    try:
        tree = ast.parse(subject.code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return subject.obstacle
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    taking = [function for function in functions if _takes_something(function.args)]
    if not taking:
        return _TAKES_NOTHING
    return "" if any(map(_gives_something, taking)) else _GIVES_NOTHING


def _takes_something(arguments: ast.arguments) -> bool:
    named = [*arguments.posonlyargs, *arguments.args]
    if named and named[0].arg in ("self", "cls"):
        named = named[1:]
    return bool(named or arguments.kwonlyargs or arguments.vararg or arguments.kwarg)


def _gives_something(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function))
