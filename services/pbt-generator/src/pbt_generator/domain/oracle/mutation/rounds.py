"""What statements carry on: what a loop takes into the next round, what a map keeps, what an assignment takes apart."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence

from pbt_generator.domain.oracle.mutation.operators import pure
from pbt_generator.domain.oracle.proofs.flow import PURE_FUNCTIONS

Loop = ast.For | ast.AsyncFor | ast.While
_EMPTY = {"list", "dict", "set", "Counter", "OrderedDict", "deque"}
_MAPS = {"dict", "OrderedDict"}
# Methods that put something in, each time anew.
_ADDING = {"append", "extend", "insert", "appendleft", "extendleft", "pop", "popleft", "write"}
# Those of them after which the same is in it, wherever it was put.
_PUTTING = _ADDING - {"pop", "popleft", "write"}
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


def only_asked(tree: ast.AST) -> frozenset[str]:
    """Names that a program puts something into and of which it asks nothing but what is in them.

    In which order it stands there, and how often, makes no difference.

    Example:
        >>> sorted(only_asked(ast.parse("if x in seen: n(kept)\\nseen.append(x)\\nkept.append(x)")))
        ['seen']
    """
    receivers: set[str] = set()
    harmless: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as held, attr=attr)) if attr in _PUTTING:
                receivers.add(name)
                harmless.add(id(held))
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name() as held]):
                harmless.add(id(held))
            case _:
                pass
    read = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in harmless
    }
    return frozenset(receivers - read)


def filled_once(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """Names of lists that begin empty and are given one member at most, outside of loops: its end is its beginning.

    Example:
        >>> sorted(filled_once(ast.parse("def f(x):\\n a = []\\n if x: a.append(x)\\n return a").body[0]))
        ['a']
    """
    empty: dict[str, int] = {}
    added: dict[str, int] = {}
    around = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
    inside = {
        id(inner)
        for node in ast.walk(function)
        if isinstance(node, (*around, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node is not function
        for inner in ast.walk(node)
    }
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])) if id(node) not in inside:
                # The name itself is met as well: one write is the empty list.
                empty[name] = empty.get(name, 0) - 1
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                empty[name] = empty.get(name, 0) + 2
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append")) if id(node) not in inside:
                added[name] = added.get(name, 0) + 1
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in _CHANGING and attr != "append":
                added[name] = added.get(name, 0) + 2
            case _:
                pass
    # Another name for the list, or a function that is given it, may put something in.
    shared = {
        held.id
        for node in ast.walk(function)
        for held in _handed_on(node)
        if isinstance(held, ast.Name) and isinstance(held.ctx, ast.Load)
    }
    in_loops = {
        node.value.id
        for node in ast.walk(function)
        if id(node) in inside and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    return frozenset(name for name, count in empty.items() if count == 1 and added.get(name) == 1) - in_loops - shared


def _handed_on(node: ast.AST) -> list[ast.expr]:
    """What gets another name, becomes a part of something, or is given to a function that is not known to only read."""
    match node:
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value) | ast.NamedExpr(value=value):
            return [value]
        case ast.Call(func=ast.Name(id=name)) if name in PURE_FUNCTIONS:
            return []
        case ast.Call(func=ast.Attribute(attr="join")):
            return []
        case ast.Call():
            return [*node.args, *(keyword.value for keyword in node.keywords)]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return parts
        case ast.Dict(values=parts):
            return parts
        case _:
            return []


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


def takes_more(node: ast.Assign, most: int | None) -> ast.stmt | None:
    """`a, b = c` that takes more parts than names, too; None for what takes them already, or never has more parts.

    Where something catches the error of a wrong number, that number is a rule of the function.

    Args:
        node: The assignment.
        most: How many parts there can be; None where that is not known.
    """
    match node.targets:
        case [ast.Tuple(elts=names)] if not any(isinstance(name, ast.Starred) for name in names):
            if most is not None and most <= len(names):
                return None
            rest = ast.Starred(ast.Name("_ts_rest", ast.Store()), ast.Store())
            target = ast.Tuple([*copy.deepcopy(names), rest], ast.Store())
            return ast.Assign(targets=[target], value=copy.deepcopy(node.value))
        case _:
            return None


def settles(node: ast.AugAssign) -> bool:
    """Whether a statement does nothing more when it is run again: `a |= b`, `a &= b`."""
    names = {inner.id for inner in ast.walk(node.value) if isinstance(inner, ast.Name)}
    return (
        isinstance(node.op, ast.BitOr | ast.BitAnd)
        and isinstance(node.target, ast.Name)
        and node.target.id not in names
        and pure(node.value)
    )
