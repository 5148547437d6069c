"""What of a program runs while it loads, before anything of it is called."""

from __future__ import annotations

import ast

_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.GeneratorExp)
_YIELDS = (ast.Yield, ast.YieldFrom)
# What takes all that a generator yields before it gives anything.
_TAKING = {"dict", "list", "tuple", "set", "frozenset", "sorted", "sum"}
# Who reads names from texts may call anything.
_ANY_NAME = {"globals", "locals", "vars", "eval", "exec"}


def with_harness(program: str, entry_point: str, harness: str) -> str:
    """A rewritten program with the harness in front of it: what the program calls while it loads has probes, too.

    Args:
        program: Its text; a docstring and imports from `__future__` stay first.
        entry_point: The function that the harness calls.
        harness: The text of the harness.
    """
    lines = program.splitlines(keepends=True)
    first = 0
    for place, node in enumerate(ast.parse(program).body):
        match node:
            case ast.Expr(value=ast.Constant(value=str())) if place == 0:
                pass
            case ast.ImportFrom(module="__future__"):
                pass
            case _:
                break
        first = node.end_lineno or first
    return f"{''.join(lines[:first])}\n{harness}\n\n{''.join(lines[first:])}\n\n_ts_ENTRY = {entry_point!r}\n"


def load_only(module: ast.Module, entry_point: str) -> frozenset[str]:
    """Names of the functions that nothing calls but statements of the module: what they give is data, as a literal is.

    A function that makes functions, classes or generators is none of them: these may run at any time. A generator is
    one where all that it yields is taken at once: `dict(pairs(…))`.

    Example:
        >>> text = "def table(n):\\n    return [n] * n\\nT = table(3)\\ndef f(x):\\n    return T[x]"
        >>> sorted(load_only(ast.parse(text), "f"))
        ['table']
    """
    nodes = list(ast.walk(module))
    if any(isinstance(node, ast.Name) and node.id in _ANY_NAME for node in nodes):
        return frozenset()
    tops = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    homes = {id(inner): top.name for top in tops.values() for inner in ast.walk(top)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    behind = [node for node in nodes if isinstance(node, _LATER) and id(node) not in homes]
    later = {id(inner) for node in behind for inner in ast.walk(node)}
    found = {
        name
        for name, node in tops.items()
        if name != entry_point
        and not node.decorator_list
        and not any(isinstance(inner, _LATER) for inner in ast.walk(node) if inner is not node)
        and _bindings(nodes, name) == 1
    }
    uses = [(node, node.id) for node in nodes if isinstance(node, ast.Name) and node.id in found]
    read = _read_at_once(nodes)
    lazy = {name for name in found if any(isinstance(inner, _YIELDS) for inner in ast.walk(tops[name]))}
    found -= {name for node, name in uses if name in lazy and id(node) not in read}
    while True:
        # A call from a function that runs later makes one of what it calls.
        kept = found - {
            name
            for node, name in uses
            if id(node) not in called or id(node) in later or homes.get(id(node), name) not in found
        }
        if kept == found:
            used = {name for _, name in uses}
            return frozenset(found & used)
        found = kept


def _read_at_once(nodes: list[ast.AST]) -> set[int]:
    """The names that are called where all that the call yields is taken."""
    bound = {name for name in _TAKING if _bindings(nodes, name)}
    return {
        id(inner.func)
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TAKING - bound
        for inner in node.args[:1]
        if isinstance(inner, ast.Call)
    }


def _bindings(nodes: list[ast.AST], name: str) -> int:
    """How often a program gives a name a meaning."""
    return sum(
        (isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == name)
        or (isinstance(node, ast.arg) and node.arg == name)
        or (isinstance(node, ast.alias) and (node.asname or node.name) == name)
        or (isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
        for node in nodes
    )
