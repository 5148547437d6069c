"""What the declared kinds of parameters decide: tests of them that have one outcome, and what stands behind these.

Only names that nothing has given another value yet are read, and an input of another kind is never a case.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping, Sequence

from pbt_generator.domain.oracle.proofs.flow import Flow
from pbt_generator.domain.oracle.proofs.reachability import constant_truth, leaves
from pbt_generator.domain.oracle.syntax import FunctionNode, bound_names, called_as, class_nodes

# Kinds of values per parameter.
Kinds = Mapping[str, frozenset[str]]
_CLASSES: dict[str, frozenset[str]] = {
    "str": frozenset({"str"}), "bytes": frozenset({"bytes"}), "bool": frozenset({"bool"}),
    "int": frozenset({"int", "bool"}), "float": frozenset({"float"}), "list": frozenset({"list"}),
    "tuple": frozenset({"tuple"}), "dict": frozenset({"dict"}),
}  # fmt: skip
_SHOWN = {"str", "repr"}
_TABLES = {"numpy", "pandas", "scipy", "np", "pd"}
# By these a class of the program's own says what it is rounded to.
_ROUNDED = {"__round__", "__floor__", "__ceil__", "__trunc__"}
# Whoever has these reaches every name.
_ALL_NAMES = {"globals", "eval", "exec"}


class Declared:
    """The declared kinds of one function's parameters, where they still are what came in.

    Args:
        module: The program.
        function: The function, with positions.
        given: The kinds of each parameter that has declared ones.
    """

    def __init__(self, module: ast.Module, function: FunctionNode, given: Kinds) -> None:
        self.function = function
        self.flow = Flow(function)
        self.bound = bound_names(module).keys()
        self.rounders = called_as(module, "math", ("floor", "ceil", "trunc"))
        # What the program itself gives its function, by a call or a decorator, is of any kind.
        called = function.decorator_list or any(
            isinstance(node, ast.Name) and node.id in {function.name, *_ALL_NAMES} for node in ast.walk(module)
        )
        known: Kinds = {} if called else given
        self.kinds = {name: kinds for name, kinds in known.items() if name in self.flow.parameters}
        # Arrays and tables come to no program without their libraries; all other data has a text.
        self.texts = not self.bound & _TABLES and not _foreign(module)
        self.whole = self.texts and not self.bound & _ROUNDED

    def kind(self, node: ast.expr) -> str:
        """The one kind that an expression has; empty where it has others, or is not known."""
        match node:
            case ast.Name(id=name) if len(self.kinds.get(name, ())) == 1 and self._came_in(node):
                return next(iter(self.kinds[name]))
            case ast.Call(func=func, args=[_], keywords=[]) if ast.unparse(func) in self.rounders:
                return "int" if self.whole else ""
            case ast.Call(func=ast.Name(id="round" | "len" as name), args=[_], keywords=[]):
                return "int" if self.whole and name not in self.bound else ""
            case _:
                return ""

    def truth(self, node: ast.expr) -> bool | None:
        """The truth of a test that has one outcome; None where it has both, or that is not known."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.truth(operand)
                return None if inner is None else not inner
            case ast.BoolOp(op=op, values=values):
                truths = [self.truth(value) for value in values]
                ending = isinstance(op, ast.Or)
                return ending if ending in truths else None if None in truths else not ending
            case ast.Compare(left=ast.Name() as name, ops=[ast.Is() | ast.IsNot() as op], comparators=[other]):
                if not (isinstance(other, ast.Constant) and other.value is None):
                    return None
                return self._one_of(name, frozenset({"none"}), wanted=isinstance(op, ast.Is))
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name() as name, classes], keywords=[]):
                nodes = class_nodes(classes)
                names = [each.id for each in nodes if isinstance(each, ast.Name)]
                if len(names) < len(nodes) or not set(names) <= set(_CLASSES) or self.bound & {"isinstance", *names}:
                    return None
                return self._one_of(name, frozenset[str]().union(*(_CLASSES[each] for each in names)), wanted=True)
            case _:
                return constant_truth(node)

    def shows(self, node: ast.expr | None) -> bool:
        """Whether an expression only makes a text of a parameter, which of data never fails."""
        match node:
            case ast.Call(func=ast.Name(id=called), args=[ast.Name(id=name) as given], keywords=[]):
                known = self.flow.parameters if self.texts else self.kinds
                return called in _SHOWN - self.bound and name in known and self._came_in(given)
            case _:
                return False

    def impossible(self, node: ast.expr | ast.stmt, outcome: str) -> bool:
        """Whether a test never has an outcome, `true` or `false`."""
        if not isinstance(node, (ast.If, ast.While, ast.IfExp)) or outcome not in {"true", "false"}:
            return False
        truth = self.truth(node.test)
        return truth is not None and truth is (outcome == "false")

    def dead_lines(self) -> frozenset[int]:
        """Lines that belong to statements only which control never comes to."""
        dead = {inner for statement in self._dead(self.function.body) for inner in ast.walk(statement)}
        gone: set[int] = set()
        live: set[int] = set()
        for node in ast.walk(self.function):
            if isinstance(node, ast.stmt) and node is not self.function:
                (gone if node in dead else live).update(_own_lines(node))
        return frozenset(gone - live)

    def _came_in(self, name: ast.Name) -> bool:
        """Whether a parameter still is what came in where its name stands."""
        return id(name) in self.flow.parents and self.flow.unchanged(frozenset({name.id}), name)

    def _one_of(self, name: ast.Name, sought: frozenset[str], *, wanted: bool) -> bool | None:
        kinds = self.kinds.get(name.id)
        if not kinds or not self._came_in(name):
            return None
        return wanted if kinds <= sought else None if kinds & sought else not wanted

    def _dead(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements of a block, at any depth, that no input comes to."""
        found: list[ast.stmt] = []
        for place, statement in enumerate(body):
            match statement:
                case ast.If(test=test, body=first, orelse=second):
                    truth = self.truth(test)
                    taken = [first, second] if truth is None else [first] if truth else [second]
                    found += [] if truth is None else second if truth else first
                    found += [inner for block in taken for inner in self._dead(block)]
                    ended = truth is not None and any(map(leaves, taken[0]))
                case ast.For(body=first) | ast.While(body=first) | ast.With(body=first) | ast.Try(body=first):
                    found += self._dead(first)
                    ended = False
                case _:
                    ended = False
            if ended:
                return [*found, *body[place + 1 :]]
        return found


def _foreign(module: ast.Module) -> bool:
    """Whether a program takes in what is not of the standard library, or names that it does not name."""
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                imported = [each.name for each in names]
            case ast.ImportFrom(module=source, level=level, names=names):
                imported = ["" if level or any(each.name == "*" for each in names) else source or ""]
            case _:
                continue
        if not {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names:
            return True
    return False


def _own_lines(statement: ast.stmt) -> range:
    """The lines of a statement, those of its blocks left out."""
    end = statement.end_lineno or statement.lineno
    inner = [node.lineno for node in ast.iter_child_nodes(statement) if isinstance(node, ast.stmt)]
    return range(statement.lineno, max(statement.lineno, min(inner) - 1 if inner else end) + 1)
