"""Which functions of the same file a function calls, and whether it does little else.

A function that mostly calls others says little in its own words; RepoRift leaves its retrieval open.
The bodies of its callees are then embedded with it.

Source: RepoRift, section 5.1.
"""

from __future__ import annotations

import ast
import builtins
import re
import textwrap

from embedder.domain.units import CodeUnit

_BUILTINS = frozenset(dir(builtins))
_CALL = re.compile(r"(?:\b(self|cls|this|static)\s*(?:\.|->|::)\s*|(?<![\w.>:$]))([A-Za-z_]\w*)\s*\(")
_KEYWORDS = "if for while switch catch return function func def fn new match elif else do try with and or not in"
_NOT_CALLS = frozenset(_KEYWORDS.split())
_OWN = frozenset({"self", "cls", "this", "static"})

# At least half of the statements must call something of the file, and long functions have enough words of their own.
_CALLING_SHARE = 0.5
_MOST_STATEMENTS = 12


def wanted_callees(unit: CodeUnit) -> tuple[str, ...]:
    """Qualified names, in the unit's own file, of what it calls; empty unless calling is most of what it does.

    Args:
        unit: A function, method or nested function; classes want nothing.

    Returns:
        Names in order of first call, without doubles; whether they exist is for the caller to find out.
    """
    if unit.form == "class":
        return ()
    names, statements, calling = _python_calls(unit.code) if unit.language == "python" else _other_calls(unit.code)
    if not names or statements > _MOST_STATEMENTS or calling < _CALLING_SHARE * statements:
        return ()
    own = normal_qualname(unit.qualname)
    places = [place for owner, name in names for place in _places(unit, own, owner, name)]
    return tuple(dict.fromkeys(place for place in places if place != own))


def normal_qualname(qualname: str) -> str:
    """A qualified name without the marks of nesting, so that both usual spellings meet.

    Example:
        >>> normal_qualname("outer.<locals>.inner")
        'outer.inner'
    """
    return qualname.replace(".<locals>", "")


def _places(unit: CodeUnit, own: str, owner: str, name: str) -> list[str]:
    parent = own.rpartition(".")[0]
    if owner:
        return [f"{scope}.{name}" for scope in (parent, unit.enclosing_class) if scope]
    # A plain name is looked up from the inside out: nested in the caller, beside it in a function, in the module.
    beside = [f"{parent}.{name}"] if unit.form == "nested" else []
    return [f"{own}.{name}", *beside, name]


def _python_calls(code: str) -> tuple[list[tuple[str, str]], int, int]:
    try:
        tree = ast.parse(textwrap.dedent(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _other_calls(code)
    if not tree.body or not isinstance(tree.body[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return [], 0, 0
    body = tree.body[0].body
    if ast.get_docstring(tree.body[0]) is not None:
        body = body[1:]
    names: list[tuple[str, str]] = []
    statements = calling = 0
    for statement in (found for top in body for found in ast.walk(top) if isinstance(found, ast.stmt)):
        statements += 1
        own_calls = _calls_of(statement)
        names.extend(own_calls)
        calling += bool(own_calls)
    return names, statements, calling


def _calls_of(statement: ast.stmt) -> list[tuple[str, str]]:
    """Calls in a statement's own expressions, not in the statements nested in it."""
    found: list[tuple[str, str]] = []
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id not in _BUILTINS:
                found.append(("", node.func.id))
            elif (
                isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id in _OWN
            ):
                found.append((node.func.value.id, node.func.attr))
        pending.extend(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))
    return found


def _other_calls(code: str) -> tuple[list[tuple[str, str]], int, int]:
    lines = [line for line in code.split("\n")[1:] if re.search(r"\w", line)]
    names: list[tuple[str, str]] = []
    calling = 0
    for line in lines:
        calls = [
            (owner if owner in _OWN else "", name) for owner, name in _CALL.findall(line) if name not in _NOT_CALLS
        ]
        names.extend(calls)
        calling += bool(calls)
    return names, len(lines), calling
