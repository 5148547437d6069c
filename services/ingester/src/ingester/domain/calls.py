"""What a source's own tests call, with literal arguments: what callers really send. Read, never run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from typing import NamedTuple

MOST_CHARACTERS = 400
# Of one test function with parameters, and of one file.
_MOST_ROWS = 60
_MOST_CALLS = 4000


class LiteralCall(NamedTuple):
    """A call of a function: its name, and the call as source text whose arguments are literals."""

    name: str
    text: str


def literal_calls(content: bytes) -> tuple[LiteralCall, ...]:
    """Calls in a test file whose arguments are literals, or parameters of the test that have literal values.

    A call through an attribute counts where the attribute is one of an imported module: `module.function(1)`, and not a
    method of an object.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(content)
        imported = {
            (alias.asname or alias.name).partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        found: dict[LiteralCall, None] = {}
        for each in _calls(tree, {}, imported):
            found[each] = None
            if len(found) >= _MOST_CALLS:
                break
        return tuple(found)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _calls(node: ast.AST, known: Mapping[str, ast.expr], imported: set[str]) -> Iterator[LiteralCall]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        rows = list(_rows(node))[:_MOST_ROWS] or [{}]
        for row in rows:
            inside = {**known, **row}
            for statement in node.body:
                yield from _calls(statement, inside, imported)
        return
    if isinstance(node, ast.Call):
        call = _literal(node, known, imported)
        if call is not None:
            yield call
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, known, imported)


def _literal(node: ast.Call, known: Mapping[str, ast.expr], imported: set[str]) -> LiteralCall | None:
    match node.func:
        case ast.Name(id=name):
            pass
        case ast.Attribute(value=ast.Name(id=root), attr=name) if root in imported:
            pass
        case _:
            return None
    arguments = [_value(each, known) for each in node.args]
    named = [(each.arg, _value(each.value, known)) for each in node.keywords]
    if not (arguments or named) or None in arguments or any(key is None or value is None for key, value in named):
        return None
    parts = [*(text for text in arguments if text), *(f"{key}={value}" for key, value in named)]
    text = f"{name}({', '.join(parts)})"
    return LiteralCall(name, text) if len(text) <= MOST_CHARACTERS else None


def _value(node: ast.expr, known: Mapping[str, ast.expr]) -> str | None:
    """The source text of a literal, or of the literal that a name stands for; none for anything else."""
    chosen = known.get(node.id) if isinstance(node, ast.Name) else node
    if chosen is None:
        return None
    try:
        ast.literal_eval(chosen)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return ast.unparse(chosen)


def _rows(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[dict[str, ast.expr]]:
    """The values that `parametrize` gives a test's parameters, one map a row."""
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(
                func=ast.Attribute(attr="parametrize"),
                args=[names, ast.List(elts=rows) | ast.Tuple(elts=rows), *_],
            ):
                wanted = _names(names)
            case _:
                continue
        for row in rows:
            values = (
                row.args
                if isinstance(row, ast.Call) and _is_param(row)
                else [row]
                if len(wanted) == 1
                else getattr(row, "elts", [])
            )
            if wanted and len(values) == len(wanted):
                yield dict(zip(wanted, values, strict=True))


def _is_param(row: ast.Call) -> bool:
    return isinstance(row.func, ast.Attribute) and row.func.attr == "param"


def _names(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str(text)):
            return [name.strip() for name in text.split(",")]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        case _:
            return []
