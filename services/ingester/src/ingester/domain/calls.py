"""What a source's own tests call, with literal arguments: what callers really send. Read, never run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from ingester.domain.places import is_test

MOST_CHARACTERS = 400
# Of one test function with parameters, and of one file.
_MOST_ROWS = 60
_MOST_CALLS = 4000
_NOT_OWN = "."


class LiteralCall(NamedTuple):
    """A call of a function: its name, and the call as source text whose arguments are literals."""

    name: str
    text: str


def literal_calls(content: bytes, path: str = "", own: Collection[str] | None = None) -> tuple[LiteralCall, ...]:
    """Calls in a test file whose arguments are literals, or parameters of the test that have literal values.

    A function counts where the file imports it, or the module that it is an attribute of, from the source itself, and
    not from its tests or a library; it is called what the source calls it. A method of an object does not count.

    Args:
        content: The file.
        path: Where it lies.
        own: What the source is imported as; everything counts as its own where it is left out.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(content)
        imported = _imported(tree, path, own)
        found: dict[LiteralCall, None] = {}
        for each in _calls(tree, {}, imported):
            found[each] = None
            if len(found) >= _MOST_CALLS:
                break
        return tuple(found)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _imported(tree: ast.AST, path: str, own: Collection[str] | None) -> dict[str, str]:
    """What a file imports of the source, by the name that it has for it; "*" where one import brings all names."""
    found: dict[str, str] = {}
    others: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    name = alias.asname or alias.name.partition(".")[0]
                    if _is_own(alias.name.split("."), own):
                        found.setdefault(name, "")
                    else:
                        others.add(name)
            case ast.ImportFrom(names=names):
                folder = path.split("/")[: -node.level] if node.level else []
                module = [*folder, *(node.module or "").split(".")]
                mine = _is_own(module, None if node.level else own)
                for alias in names:
                    name = alias.asname or alias.name
                    if not mine or found.get(name, alias.name) != alias.name:
                        others.add(name)
                    else:
                        found[name] = alias.name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                others.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                others.add(name)
            case _:
                pass
    defined = others - {"*"}
    kept = {name: origin for name, origin in found.items() if name not in defined}
    return kept if "*" not in kept else {**dict.fromkeys(defined, _NOT_OWN), **kept}


def _is_own(module: list[str], own: Collection[str] | None) -> bool:
    return (own is None or module[0] in own) and not is_test("/".join([*module, "any.py"]))


def _calls(node: ast.AST, known: Mapping[str, ast.expr], imported: Mapping[str, str]) -> Iterator[LiteralCall]:
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


def _called(function: ast.expr, imported: Mapping[str, str]) -> str:
    """What a call's function is called in the source; empty where it is not of the source."""
    match function:
        case ast.Name(id=name):
            found = imported.get(name, name if "*" in imported else "")
            return "" if found == _NOT_OWN else found
        case ast.Attribute(value=inner, attr=name):
            while isinstance(inner, ast.Attribute):
                inner = inner.value
            root = inner.id if isinstance(inner, ast.Name) else ""
            return name if imported.get(root, _NOT_OWN) != _NOT_OWN else ""
        case _:
            return ""


def _literal(node: ast.Call, known: Mapping[str, ast.expr], imported: Mapping[str, str]) -> LiteralCall | None:
    name = _called(node.func, imported)
    if not name:
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
