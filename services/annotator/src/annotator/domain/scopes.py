"""What a Python code takes from its module, and the module does not have."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator

# What stands inside of these binds nothing in the module around it.
_INNER = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


def unbound(code: str, tree: ast.Module) -> frozenset[str]:
    """Names that some part of a code looks up in its module, which does not bind them; built-in ones among them.

    What one function calls its own is nobody else's, and a name that only a function binds in the module may be asked
    for before.

    Args:
        code: The code.
        tree: The same, read.

    Example:
        >>> code = "def f(x):\\n    return g(x)\\n\\ndef h(g):\\n    return g"
        >>> sorted(unbound(code, ast.parse(code)))
        ['g']
    """
    bound = _bound_at_top(tree)
    try:
        looked_up = set(_looked_up(symtable.symtable(code, "code", "exec")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Nobody can tell whose name it is, so that it may be the module's.
        looked_up = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
    return frozenset(looked_up - bound)


def bound_by(node: ast.AST) -> set[str]:
    """The names that a node of a tree gives a meaning by itself, without what stands in it."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            return {name}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.alias(name=name, asname=other):
            return {other or name.split(".")[0]}
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return {name}
        case ast.MatchMapping(rest=str(name)):
            return {name}
        case _:
            return set()


def _looked_up(table: symtable.SymbolTable) -> Iterator[str]:
    waiting = [table]
    while waiting:
        each = waiting.pop()
        yield from (symbol.get_name() for symbol in each.get_symbols() if symbol.is_global() and symbol.is_referenced())
        waiting.extend(each.get_children())


def _bound_at_top(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.AnnAssign(value=None):
                # It is told of what kind something is, and not what.
                continue
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                found |= {each.target.id for each in ast.walk(node) if isinstance(each, ast.NamedExpr)}
                continue
            case _:
                found |= bound_by(node)
        if isinstance(node, ast.Module) or not isinstance(node, _INNER):
            waiting.extend(ast.iter_child_nodes(node))
    return found
