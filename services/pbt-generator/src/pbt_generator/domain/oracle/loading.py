"""What of a program runs while it loads, before anything of it is called, and what may be called afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pbt_generator.domain.oracle.proofs.reachability import live_statements
from pbt_generator.domain.oracle.syntax import FunctionNode, last_name

_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.GeneratorExp)
_YIELDS = (ast.Yield, ast.YieldFrom)
# What takes all that a generator yields before it gives anything.
_TAKING = {"dict", "list", "tuple", "set", "frozenset", "sorted", "sum"}
# Calls that are done with a function when they are done, and those that are where something takes all that they give.
_DONE_WITH = {"sorted", "min", "max", "sort", "reduce", "sub", "subn", "nlargest", "nsmallest"}
_LAZY = {"map", "filter", "takewhile", "dropwhile", "filterfalse", "starmap", "accumulate", "groupby"}
_TAKING_ALL = _TAKING | _DONE_WITH | {"any", "all", "join", "Counter", "OrderedDict", "deque", "len", "next"}
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
    one where all that it yields is taken at once: `dict(pairs(…))`. A lambda with a name is a function.

    Example:
        >>> text = "def table(n):\\n    return [n] * n\\nT = table(3)\\ndef f(x):\\n    return T[x]"
        >>> sorted(load_only(ast.parse(text), "f"))
        ['table']
    """
    nodes = list(ast.walk(module))
    if any(isinstance(node, ast.Name) and node.id in _ANY_NAME for node in nodes):
        return frozenset()
    tops: dict[str, ast.FunctionDef | ast.Lambda] = {}
    for node in module.body:
        match node:
            case ast.FunctionDef(name=name):
                tops[name] = node
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value):
                tops[name] = value
            case _:
                pass
    homes = {id(inner): name for name, top in tops.items() for inner in ast.walk(top)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    behind = [node for node in nodes if isinstance(node, _LATER) and id(node) not in homes]
    later = {id(inner) for node in behind for inner in ast.walk(node)}
    found = {
        name
        for name, node in tops.items()
        if name != entry_point
        and not (isinstance(node, ast.FunctionDef) and node.decorator_list)
        and not any(isinstance(inner, _LATER) for inner in ast.walk(node) if inner is not node)
        and _bindings(nodes, name) == 1
    }
    read_names = (node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    uses = [(node, node.id) for node in read_names if node.id in found]
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


def beside(module: ast.Module, entry_point: str) -> list[FunctionNode | ast.ClassDef | ast.Lambda]:
    """What may be called of a program beside its entry, in the order of the text: functions, classes, lambdas.

    What stands inside a function is its own, and what only runs while the program loads is none of these. Lambdas may
    be kept by any statement of the module or a class, and as defaults.

    Example:
        >>> text = "T = {'a': lambda x: x}\\nif T:\\n def g(x, key=lambda y: y): pass\\nclass K: pass\\ndef f(x): pass"
        >>> [type(node).__name__ for node in beside(ast.parse(text), "f")]
        ['Lambda', 'Lambda', 'FunctionDef', 'ClassDef']
    """
    left = {entry_point} | load_only(module, entry_point)
    return list(_beside(module.body, left))


def _beside(body: Sequence[ast.stmt], left: set[str]) -> Iterator[FunctionNode | ast.ClassDef | ast.Lambda]:
    for node in live_statements(body):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                for part in (*node.decorator_list, node.args):
                    yield from _kept_lambdas(part)
                if node.name not in left:
                    yield node
            case ast.ClassDef() if node.name not in left:
                yield node
                # Its methods are its own, and what else it keeps is none of them.
                inner = (each for each in _beside(node.body, left) if isinstance(each, ast.Lambda))
                yield from inner
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()) if name in left:
                pass
            case ast.Assign() | ast.AnnAssign() | ast.Expr() | ast.AugAssign():
                yield from _kept_lambdas(node)
            case _:
                pass


def _kept_lambdas(node: ast.AST, *, taken: bool = False) -> Iterator[ast.Lambda]:
    """The lambdas of a statement that may be called when it is done.

    Args:
        node: The statement, or a part of it.
        taken: Whether all that the part gives is taken at once.
    """
    match node:
        case ast.Lambda():
            yield node
        case ast.Call(func=func):
            name = last_name(func)
            spent = name in _DONE_WITH or (taken and name in _LAZY) or isinstance(func, ast.Lambda)
            for child in ast.iter_child_nodes(node):
                held = child.value if isinstance(child, ast.keyword) else child
                if not (spent and isinstance(held, ast.Lambda)):
                    yield from _kept_lambdas(held, taken=name in _TAKING_ALL)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _kept_lambdas(child)


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
