"""Proofs that no input takes a branch."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from functools import lru_cache

from pbt_generator.domain.oracle.proofs.abstract_values import Value
from pbt_generator.domain.oracle.proofs.callers import Helpers
from pbt_generator.domain.oracle.proofs.interpretation import Interpretation
from pbt_generator.domain.oracle.proofs.raising import never_entered
from pbt_generator.domain.oracle.syntax import FunctionNode

_NEVER_RAISES = (ast.Pass, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom)
_TESTS: dict[str, type[ast.stmt] | type[ast.expr] | tuple[type[ast.stmt], ...]] = {
    "if": (ast.If, ast.While), "while": (ast.If, ast.While), "ternary": ast.IfExp, "for": ast.For,
}  # fmt: skip


class Unreachable:
    """Proofs for one function.

    Args:
        source: The program.
        entry_point: The function's name.
        portable: Inputs are what five languages share.
        given: What is known of parameters.
    """

    def __init__(
        self, source: str, entry_point: str, *, portable: bool = False, given: Mapping[str, Value] | None = None
    ) -> None:
        module = ast.parse(source)
        functions = [
            node
            for node in module.body
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == entry_point
        ]
        self.function: FunctionNode | None = functions[-1] if functions else None
        self.found = Interpretation(module, functions[-1], portable=portable, given=given) if functions else None
        self.helpers = Helpers(module, self.function, self.found) if self.function and self.found else None
        self.iterators = _endless_iterators(module)

    def reason(self, line: int, kind: str, outcome: str) -> str:
        """A proof, in words, that no input reaches a branch; empty when there is none.

        Known arguments: an except arm after a body that cannot raise, or after an arm that catches the same; a loop
        over an endless or empty iterable; a test that the kinds, ranges and lengths of what it reads decide (see
        `interpretation`).
        """
        if self.function is None or self.found is None:
            return ""
        function, found = self.function, self.found
        if self.helpers is not None and not function.lineno <= line <= (function.end_lineno or 0):
            walked = self.helpers.walked(line)
            if walked is None or kind == "except":
                return ""
            function, found = walked
            if self.helpers.never_called(function):
                return "control comes to no call of it"
        if kind == "except":
            tries = [node for node in ast.walk(self.function) if isinstance(node, ast.Try)]
            reasons = [_caught_before(node, line) or self._silent(node, line) for node in tries]
            return next((reason for reason in reasons if reason), "")
        if kind not in _TESTS:
            return ""
        nodes = [node for node in ast.walk(function) if isinstance(node, _TESTS[kind]) and node.lineno == line]
        # Several tests may share a line: each of them has to be decided.
        reasons = [self._of(node, outcome, found) for node in nodes]
        return reasons[0] if reasons and all(reasons) else ""

    def _silent(self, node: ast.Try, line: int) -> str:
        assert self.found is not None
        for handler in node.handlers:
            if handler.lineno == line and never_entered(handler, node.body, self.found):
                return "nothing in the try body can raise what this arm catches"
        return ""

    def _of(self, node: ast.expr | ast.stmt, outcome: str, found: Interpretation) -> str:
        if isinstance(node, ast.For):
            if outcome == "exhausted" and _endless(node.iter, self.iterators):
                return "the iterator never ends"
            if outcome == "body" and _empty(node.iter):
                return "the iterable is always empty"
        if found.never(node):
            return "control never comes to it"
        if found.impossible(node, outcome):
            return "the kinds, ranges and lengths of what it reads leave no such value"
        return ""


@lru_cache(maxsize=8)
def _of_program(source: str, entry_point: str, given: tuple[tuple[str, Value], ...], *, portable: bool) -> Unreachable:
    return Unreachable(source, entry_point, portable=portable, given=dict(given))


def unreachable_reason(
    source: str, entry_point: str, line: int, kind: str, outcome: str, *, portable: bool = False,
    given: Mapping[str, Value] | None = None,
) -> str:  # fmt: skip
    """A proof, in words, that no input reaches a branch; empty when there is none."""
    known = tuple((given or {}).items())
    return _of_program(source, entry_point, known, portable=portable).reason(line, kind, outcome)


def _caught_before(node: ast.Try, line: int) -> str:
    seen: set[str] = set()
    for handler in node.handlers:
        names = {ast.unparse(item) for item in _exception_types(handler)}
        if handler.lineno == line:
            if all(_cannot_raise(statement) for statement in node.body):
                return "nothing in the try body can raise"
            if seen & {"BaseException", ""} or (names and all(_covered(name, seen) for name in names)):
                return "an earlier arm catches everything that this one would"
        seen |= names or {""}
    return ""


def _covered(name: str, seen: set[str]) -> bool:
    """Whether arms for these classes leave nothing to one for this class."""
    found: object = getattr(builtins, name, None)
    plain = isinstance(found, type) and issubclass(found, Exception)
    return name in seen or ("Exception" in seen and plain)


def _exception_types(handler: ast.ExceptHandler) -> list[ast.expr]:
    match handler.type:
        case None:
            return []
        case ast.Tuple(elts=items):
            return list(items)
        case single:
            return [single]


def _cannot_raise(statement: ast.stmt) -> bool:
    if isinstance(statement, _NEVER_RAISES):
        return not isinstance(statement, (ast.Import, ast.ImportFrom))
    if isinstance(statement, ast.Assign):
        return all(isinstance(target, ast.Name) for target in statement.targets) and isinstance(
            statement.value, ast.Constant
        )
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _endless_iterators(module: ast.Module) -> frozenset[str]:
    """Texts by which a program names `count` and `repeat` of itertools, where nothing else has these names."""
    found: set[str] = set()
    others: set[str] = set()
    for node in ast.walk(module):
        match node:
            case ast.ImportFrom(module="itertools", names=names):
                found |= {alias.asname or alias.name for alias in names if alias.name in {"count", "repeat"}}
            case ast.Import(names=names):
                found |= {
                    f"{alias.asname or alias.name}.{name}"
                    for alias in names
                    if alias.name == "itertools"
                    for name in ("count", "repeat")
                }
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                others.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                others.add(name)
            case _:
                pass
    return frozenset(name for name in found if name.split(".")[0] not in others)


def _endless(node: ast.expr, iterators: frozenset[str]) -> bool:
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in iterators or node.keywords:
        return False
    return len(node.args) == 1 if ast.unparse(node.func).endswith("repeat") else len(node.args) <= 2


def _empty(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) and not node.elts
