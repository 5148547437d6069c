"""Constants of a module that a function reads: limits and tables decide as much there as written in place."""

from __future__ import annotations

import ast
import copy
from collections import Counter

from pbt_generator.domain.oracle.mutation.operators import near_literals
from pbt_generator.domain.oracle.syntax import NO_LITERAL

# Tables with more entries lose none: no search meets the first and the last of so many.
_MOST = 40
_COLLECTIONS = {"tuple", "list", "set", "frozenset", "dict"}
# Methods that change what they are called on.
_CHANGING = {
    "append", "extend", "insert", "add", "update", "remove", "discard", "pop", "popitem", "clear", "setdefault", "sort",
    "reverse",
}  # fmt: skip


def constants_of(module: ast.Module) -> dict[str, tuple[int, list[ast.expr]]]:
    """Names that a module gives a literal once and for all: the line, and what a mutant has in place of it.

    Example:
        >>> _, others = constants_of(ast.parse("UNITS = ('B', 'KB')"))["UNITS"]
        >>> [ast.unparse(other) for other in others]
        ["('KB',)", "('B',)"]
    """
    given: dict[str, ast.stmt] = {}
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                given[name] = statement
            case _:
                pass
    bound = Counter[str]()
    for node in ast.walk(module):
        bound.update(_bound(node))
    found: dict[str, tuple[int, list[ast.expr]]] = {}
    for name, statement in given.items():
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        others = near_constants(value) if value is not None and bound[name] == 1 else []
        if others:
            found[name] = statement.lineno, others
    return found


def _bound(node: ast.AST) -> list[str]:
    """Names that a node gives a value, or of which it changes the value that they have."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            return [name]
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in _CHANGING:
            return [name]
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return [*names, *names]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.alias(name=name, asname=asname):
            return [asname or name]
        case _:
            return []


def near_constants(value: ast.expr) -> list[ast.expr]:
    """Literals in place of one: near it, or without its first or last entry."""
    match value:
        case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return near_literals(value)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) if 1 < len(parts) <= _MOST:
            return [_with(value, elts=part) for part in (parts[1:], parts[:-1])] if _literal(value) else []
        case ast.Dict(keys=keys, values=values) if 1 < len(keys) <= _MOST and _literal(value):
            return [_with(value, keys=keys[part], values=values[part]) for part in (slice(1, None), slice(-1))]
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _COLLECTIONS:
            others = [] if isinstance(inner, ast.Constant) else near_constants(inner)
            return [_with(value, args=[other]) for other in others]
        case _:
            return []


def _with(node: ast.expr, **fields: object) -> ast.expr:
    changed = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(changed, name, copy.deepcopy(value))
    return changed


def _literal(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except NO_LITERAL:
        return False
    return True


def changed_within(module: ast.Module) -> frozenset[str]:
    """Attributes of which a program changes the value that they have."""
    found: set[str] = set()
    for node in ast.walk(module):
        match node:
            case ast.Attribute(value=ast.Attribute(attr=name), attr=attr) if attr in _CHANGING:
                found.add(name)
            case ast.Subscript(value=ast.Attribute(attr=name), ctx=ast.Store() | ast.Del()):
                found.add(name)
            case _:
                pass
    return frozenset(found)


__all__ = ["changed_within", "constants_of", "near_constants"]
