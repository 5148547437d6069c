"""Proofs that no input takes a branch."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import cast

from pbt_generator.domain.oracle.probes import MADE, Goal
from pbt_generator.domain.oracle.proofs.declared import Declared, Kinds
from pbt_generator.domain.oracle.proofs.unused import NOTHING_CALLS_IT, ONLY_ERRORS, refuted, unused
from pbt_generator.domain.oracle.syntax import FunctionNode, called_as, parsed

_FAILING = "no value of the declared kinds has what it is asked for"
_TESTS: dict[str, type[ast.stmt] | type[ast.expr] | tuple[type[ast.stmt], ...]] = {
    "if": (ast.If, ast.While), "while": (ast.If, ast.While), "ternary": ast.IfExp, "for": ast.For,
    "assert": ast.Assert,
}  # fmt: skip


class Unreachable:
    """Proofs for one function.

    Args:
        source: The program.
        entry_point: The function's name.
        given: The kinds of parameters that have declared ones.
    """

    def __init__(self, source: str, entry_point: str, given: Kinds | None = None) -> None:
        self.module = parsed(source)
        functions = [node for node in self.module.body if isinstance(node, FunctionNode) and node.name == entry_point]
        self.function: FunctionNode | None = functions[-1] if functions else None
        self.found = Declared(self.module, functions[-1], given or {}) if functions else None
        self.dead_lines = self.found.dead_lines() if self.found is not None else frozenset[int]()
        self.unused = unused(self.module, entry_point)
        self.iterators = called_as(self.module, "itertools", {"count", "repeat"})

    def reason(self, line: int, kind: str, outcome: str) -> str:
        """A proof, in words, that no input reaches a branch; empty when there is none.

        Known arguments: an except arm after a body that cannot raise, or after an arm that catches the same; a loop
        over an endless or empty iterable; a test that the declared kinds of parameters decide, and work that no value
        of these kinds lets end (see `declared`); a function beside the entry that nothing calls, or that only errors
        run (see `unused`).
        """
        if self.function is None or self.found is None:
            return ""
        if kind == "function":
            heads = [node for node in ast.walk(self.module) if isinstance(node, FunctionNode) and node.lineno == line]
            reasons = [self.unused.reasons.get(id(node), "") for node in heads]
            return reasons[0] if reasons and all(reasons) else ""
        if line in self.unused.lines:
            return self.unused.lines[line]
        own = self.function.lineno <= line <= (self.function.end_lineno or 0)
        if own and line in self.dead_lines:
            return "control never comes to it"
        if kind == "except":
            tries = [node for node in ast.walk(self.function) if isinstance(node, ast.Try)]
            return next((reason for reason in (_caught_before(node, line, self.found) for node in tries) if reason), "")
        if kind == "try":
            return _FAILING if own and _always_fails(self.function, line, outcome, self.found) else ""
        if kind not in _TESTS:
            return ""
        nodes = [node for node in ast.walk(self.module) if isinstance(node, _TESTS[kind]) and node.lineno == line]
        # Several tests may share a line: each of them has to be decided.
        reasons = [self._of(node, outcome, own=own) for node in nodes]
        return reasons[0] if reasons and all(reasons) else ""

    def _of(self, node: ast.expr | ast.stmt, outcome: str, *, own: bool) -> str:
        if isinstance(node, ast.For):
            if outcome == "exhausted" and _endless(node.iter, self.iterators):
                return "the iterator never ends"
            if outcome == "body" and _empty(node.iter):
                return "the iterable is always empty"
        if not own or self.found is None:
            return ""
        test, _, made = outcome.partition(" ")
        if self.found.impossible(node, test):
            return "the declared kinds of what it reads leave no such value"
        if (
            made == MADE
            and isinstance(node, ast.IfExp)
            and self.found.fails(node.body if test == "true" else node.orelse)
        ):
            return _FAILING
        return ""


@lru_cache(maxsize=8)
def _of_program(source: str, entry_point: str, given: tuple[tuple[str, frozenset[str]], ...]) -> Unreachable:
    return Unreachable(source, entry_point, dict(given))


def unreachable_reason(
    source: str, entry_point: str, line: int, kind: str, outcome: str, given: Kinds | None = None
) -> str:
    """A proof, in words, that no input reaches a branch; empty when there is none."""
    return _of_program(source, entry_point, tuple((given or {}).items())).reason(line, kind, outcome)


def unused_and_ran(source: str, entry_point: str, goals: Iterable[Goal]) -> frozenset[int]:
    """Lines of functions to which no case comes by a proof, though runs reached these goals of theirs."""
    reached = list(goals)
    entered = {goal.line for goal in reached if goal.kind == "function"}
    ran = {goal.line for goal in reached if goal.kind != "function"}
    return frozenset(refuted(parsed(source), entry_point, entered, ran))


def is_of_unused(reason: str) -> bool:
    """Whether a proof is about a function as a whole, so that one run into it refutes all of the proof."""
    return reason in (NOTHING_CALLS_IT, ONLY_ERRORS)


def _always_fails(function: FunctionNode, line: int, outcome: str, found: Declared) -> bool:
    """Whether the work of each block that ends in a line, or before an `else` in it, has a part that only fails."""
    before = [
        node.body
        for node in ast.walk(function)
        if isinstance(node, ast.Try) and outcome == "entered" and node.orelse and node.orelse[0].lineno == line
    ]
    ending = [
        block[: place + 1]
        for block in _blocks(function)
        for place, statement in enumerate(block)
        if outcome == "completed" and statement.lineno == line
    ]
    return bool(before or ending) and all(any(map(found.fails, block)) for block in [*before, *ending])


def _blocks(function: FunctionNode) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(function):
        for _, part in ast.iter_fields(node):
            if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
                yield cast("list[ast.stmt]", part)


def _caught_before(node: ast.Try, line: int, found: Declared) -> str:
    seen: set[str] = set()
    for handler in node.handlers:
        names = {ast.unparse(item) for item in _exception_types(handler)}
        if handler.lineno == line:
            if all(_cannot_raise(statement, found) for statement in node.body):
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


def _cannot_raise(statement: ast.stmt, found: Declared) -> bool:
    match statement:
        case ast.Pass() | ast.Global() | ast.Nonlocal():
            return True
        case ast.Return(value=value):
            return value is None or found.shows(value)
        case ast.Assign(targets=targets, value=value) if all(isinstance(target, ast.Name) for target in targets):
            return isinstance(value, ast.Constant) or found.shows(value)
        case ast.Expr(value=value):
            return isinstance(value, ast.Constant)
        case _:
            return False


def _endless(node: ast.expr, iterators: frozenset[str]) -> bool:
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in iterators or node.keywords:
        return False
    return len(node.args) == 1 if ast.unparse(node.func).endswith("repeat") else len(node.args) <= 2


def _empty(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) and not node.elts
