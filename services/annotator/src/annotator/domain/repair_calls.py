"""Statements of a Python test as they are compared: calls of the entry point apart from their arguments."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

from annotator.domain.fault import Fault

_PATH = "a path that was missing"
_MAKER = "maker_of_stand_ins"
STAND_INS = frozenset({"SimpleNamespace", "Mock", "MagicMock", "AsyncMock", "Namespace"})
_RUNNERS = ("asyncio.run", "asyncio.get_event_loop().run_until_complete", "asyncio.new_event_loop().run_until_complete")


@dataclass(frozen=True, slots=True)
class Arguments:
    """What one call is given: each argument as text, and what stands in it, in order."""

    given: tuple[str, ...]
    leaves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """How statements are read before they are compared.

    Attributes:
        entry_point: Arguments of its calls are compared apart.
        awaits: Whether waiting for the entry point makes a difference.
        path: Text that stands for a path that was missing; empty where none is.
        kept: Texts that are no new path; None where `path` alone is looked for.
        lacking: Attributes that a stand-in may be given by keyword.
        makers: Names that make stand-ins: what is given to them counts, and not their name.
    """

    entry_point: str
    awaits: bool = True
    path: str = ""
    kept: frozenset[str] | None = None
    lacking: frozenset[str] = frozenset()
    makers: frozenset[str] = frozenset()


def called(node: ast.expr) -> str:
    """Last name of what is called."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def read(node: ast.stmt, look: Look) -> tuple[str, tuple[Arguments, ...]]:
    """A statement as text without arguments of the entry point's calls, and those.

    Raises:
        RecursionError: it is nested too deeply to be read.
    """
    copy = ast.parse(ast.unparse(node))
    reader = _Reader(look)
    text = ast.unparse(ast.fix_missing_locations(reader.visit(copy)))
    return text, tuple(reader.calls)


def awaits(tree: ast.AST, entry_point: str) -> bool:
    """Whether something waits for a call of the entry point."""
    return any(
        (isinstance(node, ast.Await) and _is_call(node.value, entry_point)) or _runs(node, entry_point)
        for node in ast.walk(tree)
    )


def same_calls(old: tuple[Arguments, ...], new: tuple[Arguments, ...], fault: Fault) -> bool:
    """Whether calls are given what they were given; where one was wrong, in another arrangement."""
    return len(old) == len(new) and all(
        one.given == other.given or (fault.arguments and _rearranged(one, other, fault))
        for one, other in zip(old, new, strict=True)
    )


def _rearranged(one: Arguments, other: Arguments, fault: Fault) -> bool:
    old, new = (Counter(text.partition("=")[2] if _named(text) else text for text in each.given)
                for each in (one, other))  # fmt: skip
    return old == new or one.leaves == other.leaves or (fault.surplus and new <= old)


def _named(text: str) -> bool:
    name, sign, value = text.partition("=")
    return bool(sign) and name.isidentifier() and not value.startswith("=")


def _has_call(node: ast.expr) -> bool:
    return any(isinstance(each, ast.Call) for each in ast.walk(node))


def _is_call(node: ast.AST, entry_point: str) -> bool:
    return isinstance(node, ast.Call) and bool(entry_point) and called(node.func) == entry_point


def _runs(node: ast.AST, entry_point: str) -> bool:
    return (
        isinstance(node, ast.Call)
        and called(node.func) in ("run", "run_until_complete")
        and ast.unparse(node.func) in _RUNNERS
        and len(node.args) == 1
        and not node.keywords
        and (_is_call(node.args[0], entry_point) or _awaited(node.args[0]))
    )


def _awaited(node: ast.AST) -> bool:
    return isinstance(node, ast.Await)


class _Reader(ast.NodeTransformer):
    def __init__(self, look: Look) -> None:
        self._look = look
        self.calls: list[Arguments] = []

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        look = self._look
        if look.path and isinstance(node.value, str):
            changed = node.value == look.path if look.kept is None else node.value not in look.kept
            return ast.Constant(_PATH) if changed or node.value == look.path else node
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        # What is compared is what is expected: there a text is no path, but in arguments it may be.
        sides = [node.left, *node.comparators]
        node.left, *node.comparators = [self.visit(side) if _has_call(side) else side for side in sides]
        return node

    def visit_Await(self, node: ast.Await) -> ast.AST:
        self.generic_visit(node)
        return node.value if not self._look.awaits and _is_call(node.value, self._look.entry_point) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        look = self._look
        runs = _runs(node, look.entry_point)
        if called(node.func) in STAND_INS:
            node.keywords = [each for each in node.keywords if each.arg not in look.lacking]
        if called(node.func) in look.makers:
            node.func = ast.Name(_MAKER)
        self.generic_visit(node)
        if runs:
            inner = node.args[0]
            return inner if isinstance(inner, ast.Await) or not look.awaits else ast.Await(inner)
        if not _is_call(node, look.entry_point):
            return node
        given = [*(ast.unparse(each) for each in node.args), *(_keyword(each) for each in node.keywords)]
        values = [*node.args, *(each.value for each in node.keywords)]
        leaves = [leaf for each in values for leaf in _leaves(each)]
        self.calls.append(Arguments(tuple(given), tuple(leaves)))
        return ast.Call(node.func, [], [])


def _keyword(node: ast.keyword) -> str:
    return f"{node.arg}={ast.unparse(node.value)}" if node.arg else f"**{ast.unparse(node.value)}"


def _leaves(node: ast.expr) -> list[str]:
    if isinstance(node, ast.List | ast.Tuple):
        return [leaf for each in node.elts for leaf in _leaves(each)]
    return _leaves(node.value) if isinstance(node, ast.Starred) else [ast.unparse(node)]
