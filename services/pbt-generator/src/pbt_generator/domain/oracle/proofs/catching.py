"""Who catches an error: that of a wrong number of parts, as `a, b = text.split(',')` raises it, or that of an assert.

Where it is caught, what raises it is a rule of the function. What is not known to let an error through may catch it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from pbt_generator.domain.oracle.proofs.reachability import always_raises, goes_on
from pbt_generator.domain.oracle.proofs.swallowing import Swallowing, builtin_error
from pbt_generator.domain.oracle.syntax import FunctionNode, class_nodes, last_name, spelled, statements_of

_Attempt = ast.Try | ast.TryStar
_Managed = ast.With | ast.AsyncWith
# Managers that catch nothing.
_OPEN = {"open", "closing", "nullcontext", "localcontext"}
_LATER = (ast.Lambda, ast.GeneratorExp)


@dataclass(frozen=True)
class _Use:
    """A place where a function is named: in which one, inside what catches, and whether it may run elsewhere."""

    name: str
    home: str
    guarded: bool
    later: bool


class Catching:
    """Which blocks and which functions of a program stand inside something that catches a class of errors.

    A function stands where it is called. One that is handed on, decorated, a generator, or a class's may run anywhere.

    Args:
        tree: The program, or one function of it.
        error: The class; that of a wrong number of parts where it is left out, any where it is None.

    Example:
        >>> tree = ast.parse("def f(x):\\n try: return g(x)\\n except ValueError: return 0\\ndef g(x): a, b = x")
        >>> [Catching(tree).around(each) for each in tree.body]
        [False, True]
    """

    def __init__(self, tree: ast.AST, error: type[Exception] | None = ValueError) -> None:
        # Kept, so that no other node gets the identity of one of these.
        self._nodes = list(ast.walk(tree))
        again = any(map(_goes_on, self._nodes))
        self._catching = {id(node) for node in self._nodes if _catches(node, error, again=again)}
        self._anywhere: set[int] = set()
        self._uses: list[_Use] = []
        # Each assert with the function that it stands in, and whether something around it there catches the error.
        self._asserts: list[tuple[ast.Assert, ast.AST | None, bool]] = []
        self._function: ast.AST | None = None
        self._visit([tree], home="", guarded=False, later=False)
        self._called = self._spread()

    def catches(self, node: ast.AST) -> bool:
        """Whether a `try` or a `with` may catch the error in its body."""
        return id(node) in self._catching

    def around(self, function: ast.AST) -> bool:
        """Whether who calls a function may catch the error in it; a lambda may be called anywhere."""
        if not self._catching or not isinstance(function, FunctionNode):
            return bool(self._catching) and isinstance(function, ast.Lambda)
        return id(function) in self._anywhere or bool(spelled(function.name) & self._called)

    def asserts(self, swallowing: Swallowing) -> frozenset[int]:
        """The asserts whose error may be caught, or be taken for an answer, by their identity."""
        return frozenset(
            id(node)
            for node, function, guarded in self._asserts
            if guarded
            or (function is not None and (self.around(function) or swallowing.takes(function, AssertionError)))
        )

    def _spread(self) -> set[str]:
        called: set[str] = set()
        while True:
            run = (use for use in self._uses if use.guarded or use.later or spelled(use.home) & called)
            more = {name for use in run for name in spelled(use.name)}
            if more <= called:
                return called
            called |= more

    def _visit(self, nodes: Iterable[ast.AST | None], *, home: str, guarded: bool, later: bool) -> None:
        for node in nodes:
            if node is not None:
                self._node(node, home, guarded=guarded, later=later)

    def _node(self, node: ast.AST, home: str, *, guarded: bool, later: bool) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._visit([*node.decorator_list, node.args], home=home, guarded=guarded, later=later)
                if node.decorator_list or isinstance(node, ast.AsyncFunctionDef) or _yields(node):
                    self._anywhere.add(id(node))
                    later_inside = True
                else:
                    later_inside = False
                outer, self._function = self._function, node
                self._visit(node.body, home=node.name, guarded=False, later=later_inside)
                self._function = outer
            case ast.ClassDef(body=body):
                self._anywhere.update(id(each) for each in statements_of(body))
                self._visit(ast.iter_child_nodes(node), home=home, guarded=guarded, later=True)
            case ast.Try() | ast.TryStar():
                last = guarded or goes_on(node.finalbody)
                self._visit(node.body, home=home, guarded=guarded or self.catches(node), later=later)
                self._visit([*node.handlers, *node.orelse], home=home, guarded=last, later=later)
                self._visit(node.finalbody, home=home, guarded=guarded, later=later)
            case ast.With() | ast.AsyncWith():
                self._visit(node.items, home=home, guarded=guarded, later=later)
                self._visit(node.body, home=home, guarded=guarded or self.catches(node), later=later)
            case ast.Assert():
                self._asserts.append((node, self._function, guarded))
                self._visit(ast.iter_child_nodes(node), home=home, guarded=guarded, later=later)
            case ast.Call(func=ast.Name(id=name)):
                self._uses.append(_Use(name, home, guarded, later))
                self._visit([*node.args, *node.keywords], home=home, guarded=guarded, later=later)
            case ast.Name(id=name) | ast.Attribute(attr=name):
                self._uses.append(_Use(name, home, guarded, later=True))
                self._visit(ast.iter_child_nodes(node), home=home, guarded=guarded, later=later)
            case _:
                later = later or isinstance(node, _LATER)
                self._visit(ast.iter_child_nodes(node), home=home, guarded=guarded, later=later)


def _yields(function: FunctionNode) -> bool:
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function))


def _goes_on(node: ast.AST) -> bool:
    """Whether a `try` or a `with` may go on after an error of whatever class."""
    match node:
        case ast.Try() | ast.TryStar():
            return goes_on(node.finalbody) or not all(always_raises(handler.body) for handler in node.handlers)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return not all(_manager(item.context_expr) in _OPEN for item in items)
        case _:
            return False


def _catches(node: ast.AST, error: type[Exception] | None, *, again: bool) -> bool:
    """Whether a `try` or a `with` may catch an error.

    Args:
        node: Any node.
        error: Its class; None for any.
        again: An error that is raised in place of it may be caught somewhere.
    """
    match node:
        case ast.Try() | ast.TryStar():
            return goes_on(node.finalbody) or _handled(node.handlers, error, again=again)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return any(_swallows(item.context_expr, error) for item in items)
        case _:
            return False


def _handled(handlers: Iterable[ast.ExceptHandler], error: type[Exception] | None, *, again: bool) -> bool:
    for handler in handlers:
        classes = class_nodes(handler.type) if handler.type is not None else None
        if classes is not None and not any(_above(each, error) for each in classes):
            continue
        # An arm that raises the same again catches nothing, and of another error no case is left if it gets out.
        same = isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None
        if not always_raises(handler.body) or (again and not same):
            return True
        if error is not None and (
            classes is None or any(builtin_error(last_name(each)) for each in classes if _above(each, error))
        ):
            return False
    return False


def _above(node: ast.expr, error: type[Exception] | None) -> bool:
    """Whether what stands behind `except` may catch an error: its class, one above it, or a name for some classes.

    A class of a library is never above it. Any class is above some error.
    """
    if error is None:
        return True
    name = last_name(node)
    known = builtin_error(name)
    if known is not None:
        return issubclass(error, known)
    return not (isinstance(node, ast.Attribute) and (name == "error" or (name[:1].isupper() and not name.isupper())))


def _manager(node: ast.expr) -> str:
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def _swallows(manager: ast.expr, error: type[Exception] | None) -> bool:
    if isinstance(manager, ast.Call) and _manager(manager) == "suppress":
        return any(_above(each, error) for argument in manager.args for each in class_nodes(argument))
    return _manager(manager) not in _OPEN


__all__ = ["Catching"]
