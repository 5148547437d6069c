"""What stays the same between the entry of a function and a place in it.

Everything is decided on the syntax tree and on the safe side: a change that may lie between two places counts as one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pbt_generator.domain.oracle.syntax import FunctionNode, named_parameters

Position = tuple[int, int]

_LATER = (ast.GeneratorExp, ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
PURE_FUNCTIONS = {
    "len", "isinstance", "issubclass", "str", "int", "float", "bool", "list", "tuple", "dict", "set", "frozenset",
    "sorted", "min", "max", "sum", "abs", "round", "range", "enumerate", "ord", "chr", "repr", "divmod", "hash", "any",
    "all", "bytes", "hex", "bin", "oct", "format", "callable", "type", "print", "ValueError", "TypeError", "KeyError",
}  # fmt: skip


class Flow:
    """One function's tree, with its parents and its writes.

    Args:
        function: The function as it was written, with positions.
    """

    def __init__(self, function: FunctionNode) -> None:
        self.function = function
        self.parents: dict[int, ast.AST] = {}
        self.nodes: list[ast.AST] = list(ast.walk(function))
        for node in self.nodes:
            for child in ast.iter_child_nodes(node):
                self.parents[id(child)] = node
        self.shared = {
            name for node in self.nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names
        }
        arguments = function.args
        every = named_parameters(arguments)
        every += [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
        self.parameters = frozenset(argument.arg for argument in every)
        self.writes: dict[str, list[ast.AST]] = {}
        for node in self.nodes:
            for name in _written(node, function):
                self.writes.setdefault(name, []).append(node)
        self.by_place: dict[tuple[object, ...], ast.expr | None] = {}
        for node in self.nodes:
            if isinstance(node, ast.expr):
                # Positions inside formatted texts are not always right: two nodes in one place are none.
                self.by_place[_key(node)] = None if _key(node) in self.by_place else node

    def find(self, node: ast.expr) -> ast.expr | None:
        """The function's own node that stands where a copied one stood."""
        found = self.by_place.get(_key(node))
        return found if found is not None and ast.dump(found) == ast.dump(node) else None

    def ancestors(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Pairs of a node and its parent, from here up to the function."""
        while node is not self.function:
            parent = self.parents.get(id(node))
            if parent is None:
                return
            yield node, parent
            node = parent

    def unchanged(self, names: frozenset[str], place: ast.expr) -> bool:
        """Whether no write to these names may run before a place."""
        if names & self.shared:
            return False
        again = self._again(place)
        if again is None:
            return not any(self.writes.get(name) for name in names)
        finish = self._start(place)
        writes = [node for name in names for node in self.writes.get(name, ()) if node is not place]
        return not any(self._effect(node) <= finish or id(node) in again for node in writes)

    def _again(self, place: ast.expr) -> set[int] | None:
        """What may have run before a place though it stands behind it: the rest of its loops; None: anything may."""
        around: set[int] = set()
        for node, parent in self.ancestors(place):
            if parent is self.function:
                break
            if isinstance(parent, _LATER):
                # What runs later may see every write, wherever it stands.
                return None
            if _repeated(node, parent):
                around |= {id(inner) for inner in ast.walk(parent)}
        return around

    def _start(self, node: ast.AST) -> Position:
        text = self._formatted(node)
        return _start(node if text is None else text)

    def _formatted(self, node: ast.AST) -> ast.AST | None:
        """The formatted text around a node: positions inside it are not to be trusted."""
        outer = [parent for _, parent in self.ancestors(node) if isinstance(parent, ast.JoinedStr)]
        return outer[-1] if outer else None

    def _effect(self, node: ast.AST) -> Position:
        """Where a write takes effect: the value of an assignment is computed before its target changes."""
        if isinstance(node, ast.AugAssign):
            return _end(node)
        walrus = False
        for inner, parent in self.ancestors(node):
            walrus = walrus or (isinstance(parent, ast.NamedExpr) and inner is parent.target)
            if walrus and isinstance(parent, ast.stmt):
                # What stands before it may be computed after it: the outcomes of a condition, a target's index.
                return self._start(parent)
            if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                return _end(parent) if inner is not parent.value and _one_target(parent) else self._start(node)
            if isinstance(parent, ast.stmt):
                break
        return self._start(node)


def names_of(node: ast.AST) -> frozenset[str]:
    """All names that an expression reads."""
    return frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def _written(node: ast.AST, function: FunctionNode) -> list[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if node is not function:
            return [node.name]
        case ast.alias():
            return [node.asname or node.name.split(".")[0]]
        case ast.arg() if node in ast.walk(function.args):
            return []
        case ast.arg(arg=name):
            return [name]
        case _:
            return []


def _one_target(statement: ast.Assign | ast.AnnAssign | ast.AugAssign) -> bool:
    """Whether an assignment writes one place, or plain names: nothing of its target is read after a write."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if len(targets) != 1:
        return False
    target = targets[0]
    return not isinstance(target, (ast.Tuple, ast.List)) or all(isinstance(part, ast.Name) for part in target.elts)


def _repeated(node: ast.AST, parent: ast.AST) -> bool:
    """Whether a part of a loop runs again in each of its rounds."""
    match parent:
        case ast.For(body=body) | ast.AsyncFor(body=body):
            return node in body
        case ast.While(orelse=orelse):
            return node not in orelse
        case _:
            return isinstance(parent, _COMPREHENSIONS)


def _key(node: ast.expr) -> tuple[str, int, int, int | None, int | None]:
    return type(node).__name__, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _start(node: ast.AST) -> Position:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end(node: ast.AST) -> Position:
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0


__all__ = ["PURE_FUNCTIONS", "Flow", "names_of"]
