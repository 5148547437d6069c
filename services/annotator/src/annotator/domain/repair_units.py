"""The statements of a part of a Python test."""

from __future__ import annotations

import ast
from dataclasses import dataclass

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Unit:
    """One statement.

    Attributes:
        node: The statement.
        text: It as Python writes it.
        names: What it binds, where binding is all that it does.
        declares: Whether it is an import, a function or a class.
    """

    node: ast.stmt
    text: str
    names: frozenset[str]
    declares: bool


def parsed(text: str) -> ast.Module | None:
    """A text as a tree; None where it is no Python, or nested too deeply to be read."""
    try:
        tree = ast.parse(text)
        ast.unparse(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree


def last_name(node: ast.expr) -> str:
    """The name of a name or of an attribute, whatever it is one of; empty for anything else."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def units(text: str) -> list[Unit] | None:
    """The statements of a text; None where it is no Python, or nested too deeply to be read.

    Imports of several names are several statements, and a function of no parameters that is called once, last, is
    what stands in it.
    """
    tree = parsed(text)
    return None if tree is None else [_unit(each) for node in _unwrapped(tree.body) for each in _split(node)]


def bindings(node: ast.AST) -> tuple[set[str], set[str]]:
    """What a statement binds where it stands, and which names it uses, wherever in it."""
    bound: set[str] = set()
    used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    waiting: list[ast.AST] = [node]
    while waiting:
        each = waiting.pop()
        match each:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
                continue
            case ast.Lambda():
                continue
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                bound.add(name)
            case ast.alias(name=name, asname=other):
                bound.add(other or name.split(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                bound.add(name)
            case _:
                pass
        waiting.extend(ast.iter_child_nodes(each))
    return bound, used


def _unit(node: ast.stmt) -> Unit:
    declares = isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef | _Function)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    binds = declares or (bool(targets) and all(_is_name(target) for target in targets))
    names = frozenset(bindings(node)[0]) if binds else frozenset[str]()
    return Unit(node, ast.unparse(node), names, declares)


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Tuple) and all(_is_name(each) for each in node.elts))


def _split(node: ast.stmt) -> list[ast.stmt]:
    match node:
        case ast.Import(names=names):
            return [ast.Import([alias]) for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            return [ast.ImportFrom(module, [alias], level) for alias in names]
        case _:
            return [node]


def _unwrapped(body: list[ast.stmt]) -> list[ast.stmt]:
    name, kind = _ran(body[-1]) if body else ("", ast.FunctionDef)
    wrapped = [each for each in body if isinstance(each, kind) and each.name == name]
    uses = sum(isinstance(node, ast.Name) and node.id == name for each in body for node in ast.walk(each))
    if not name or len(wrapped) != 1 or uses != 1:
        return body
    main = wrapped[0]
    leaves = any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom | ast.Global) for node in ast.walk(main))
    if main.decorator_list or leaves or ast.unparse(main.args):
        return body
    return [each for node in body[:-1] for each in (main.body if node is main else [node])]


def _ran(node: ast.stmt) -> tuple[str, type[ast.FunctionDef] | type[ast.AsyncFunctionDef]]:
    """The function that a last statement calls with nothing, by itself or in an event loop."""
    match node:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("asyncio"), "run"), [ast.Call(ast.Name(name), [], [])], [])):
            return name, ast.AsyncFunctionDef
        case ast.Expr(ast.Call(ast.Name(name), [], [])):
            return name, ast.FunctionDef
        case _:
            return "", ast.FunctionDef
