"""What statements carry on: what a loop takes into the next round, what a map keeps, what an assignment takes apart."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence

Loop = ast.For | ast.AsyncFor | ast.While
_EMPTY = {"list", "dict", "set", "Counter", "OrderedDict", "deque"}
_MAPS = {"dict", "OrderedDict"}
# Methods that put something in, each time anew.
_ADDING = {"append", "extend", "insert", "appendleft", "extendleft", "pop", "popleft", "write"}
_CHANGING = _ADDING | {"add", "update", "remove", "discard", "clear", "setdefault", "reverse", "sort"}
# Calls that give something finite to go over.
_FINITE = {
    "enumerate", "zip", "reversed", "sorted", "list", "tuple", "set", "map", "filter", "dict", "items", "keys",
    "values", "split", "rsplit", "splitlines", "findall", "finditer", "most_common",
}  # fmt: skip


def first_values(statement: ast.stmt) -> dict[str, ast.expr]:
    """Names that a statement gives a plain value: a literal, or something empty."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            pass
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            pass
        case _:
            return {}
    return {name: copy.deepcopy(value)} if isinstance(value, ast.Constant) or _empty(value) else {}


def _empty(value: ast.expr) -> bool:
    match value:
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
            return name in _EMPTY
        case _:
            return False


def carried(loop: Loop, started: Mapping[str, ast.expr]) -> list[tuple[str, ast.expr]]:
    """Names with a plain value before a loop that one round changes and a later one may read, with that value.

    A `while` that asks for the name itself is left alone: it would never end.

    Example:
        >>> loop = ast.parse("for x in xs:\\n    n += x").body[0]
        >>> [name for name, _ in carried(loop, {"n": ast.Constant(0), "m": ast.Constant(0)})]
        ['n']
    """
    asked = _read(loop.test) if isinstance(loop, ast.While) else set[str]()
    found: list[tuple[str, ast.expr]] = []
    for name, value in started.items():
        if name not in asked and _changes(loop.body, name) and not _set_first(loop.body, name):
            found.append((name, value))
    return found


def _read(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)}


def _changes(body: Sequence[ast.stmt], name: str) -> bool:
    for node in (inner for statement in body for inner in ast.walk(statement)):
        match node:
            case ast.Name(id=found, ctx=ast.Store()) if found == name:
                return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id=found), attr=attr)) if found == name:
                if attr in _CHANGING:
                    return True
            case ast.Subscript(value=ast.Name(id=found), ctx=ast.Store()) if found == name:
                return True
            case _:
                pass
    return False


def _set_first(body: Sequence[ast.stmt], name: str) -> bool:
    """Whether every round writes a name before it reads it."""
    for statement in body:
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name for target in statement.targets
        ):
            return name not in _read(statement.value)
        if any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement)):
            return False
    return False


def shortened(source: ast.expr) -> list[tuple[str, ast.expr]]:
    """What a loop goes over without its first or its last, each with words for it; nothing where it may be endless."""
    match source:
        case ast.Name() | ast.Attribute() | ast.Subscript():
            pass
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _FINITE:
            pass
        case _:
            return []
    whole = ast.Call(func=ast.Name("list", ast.Load()), args=[copy.deepcopy(source)], keywords=[])
    one, minus = ast.Constant(1), ast.UnaryOp(ast.USub(), ast.Constant(1))
    ends = (("the first", ast.Slice(lower=one)), ("the last", ast.Slice(upper=minus)))
    return [(words, ast.Subscript(copy.deepcopy(whole), part, ast.Load())) for words, part in ends]


def adds(value: ast.expr) -> bool:
    """Whether a statement of this call does more when it is run twice."""
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _ADDING


def first_kept(node: ast.Assign, started: Mapping[str, ast.expr]) -> ast.stmt | None:
    """`d[key] = value` that leaves a key alone which is there already; None for what is no entry of a map."""
    match node.targets:
        case [ast.Subscript(value=ast.Name(id=name), slice=key)] if not isinstance(key, ast.Slice):
            value = started.get(name)
        case _:
            return None
    match value:
        case ast.Dict():
            pass
        case ast.Call(func=ast.Name(id=kind)) if kind in _MAPS:
            pass
        case _:
            return None
    method = ast.Attribute(ast.Name(name, ast.Load()), "setdefault", ast.Load())
    return ast.Expr(ast.Call(func=method, args=[copy.deepcopy(key), copy.deepcopy(node.value)], keywords=[]))


def takes_more(node: ast.Assign) -> ast.stmt | None:
    """`a, b = c` that takes more parts than names, too; None for what takes them already, or never has more parts.

    Where something catches the error of a wrong number, that number is a rule of the function.

    Example:
        >>> [takes_more(ast.parse(each).body[0]) for each in ("a, b = c.split(':', 1)", "a, *b = c")]
        [None, None]
    """
    match node.targets:
        case [ast.Tuple(elts=names)] if not any(isinstance(name, ast.Starred) for name in names):
            most = _most_parts(node.value)
            if most is not None and most <= len(names):
                return None
            rest = ast.Starred(ast.Name("_ts_rest", ast.Store()), ast.Store())
            target = ast.Tuple([*copy.deepcopy(names), rest], ast.Store())
            return ast.Assign(targets=[target], value=copy.deepcopy(node.value))
        case _:
            return None


def _most_parts(value: ast.expr) -> int | None:
    """The most parts that a value has by its form; None where its form does not tell."""
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return None if any(isinstance(part, ast.Starred) for part in parts) else len(parts)
        case ast.Call(func=ast.Attribute(attr="partition" | "rpartition"), args=[_]):
            return 3
        case ast.Call(func=ast.Attribute(attr="split" | "rsplit"), args=[_, ast.Constant(value=int() as cuts)]):
            return cuts + 1 if cuts >= 0 else None
        case _:
            return None
