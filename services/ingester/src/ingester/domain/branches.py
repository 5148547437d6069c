"""Branches of one statement: which of them runs on the Python that tasks run on, and what each says of the other."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tree_sitter import Node

from ingester.domain.builtin_names import PYTHON_VERSION
from ingester.domain.grammar import Field, kind_set, text_of
from ingester.domain.scopes import Definition, ScopeGraph

_TRY = kind_set("try_statement")
_BRANCHING = kind_set("if_statement") | _TRY
_BLOCK = kind_set("block")
_ELIF = kind_set("elif_clause")
_ELSE = kind_set("else_clause")
_EXCEPT = kind_set("except_clause")
_CASE = kind_set("case_clause")
_ASSIGNMENT = kind_set("assignment")
_CLAUSES = _BLOCK | _ELIF | _ELSE | _EXCEPT | _CASE
# What a handler must name to be the one for a library that is not there; one that names nothing takes everything.
_NOT_THERE = re.compile(r"except\s*:|except\b[^:]*\b(ImportError|ModuleNotFoundError|Exception|BaseException)\b")
# What conditions that are understood come to.
Fact = int | tuple[int, ...]
_FACTS: dict[str, Fact] = {
    "sys.version_info": PYTHON_VERSION,
    "sys.version_info.major": PYTHON_VERSION[0],
    "sys.version_info.minor": PYTHON_VERSION[1],
    "typing.TYPE_CHECKING": False,
    "six.PY2": False,
    "six.PY3": True,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip


class Branch(NamedTuple):
    """A branching statement (of `match` the body), and the branch of it in which something stands."""

    statement: Node
    branch: Node


def branches(root: Node, start: int) -> list[Branch]:
    """The branches around a byte, the innermost first.

    Args:
        root: The tree of the file, or any node of it.
        start: Place of the byte.
    """
    found: list[Branch] = []
    node: Node | None = root_of(root).named_descendant_for_byte_range(start, start)
    while node is not None:
        parent = node.parent
        if parent is not None and (parent.kind_id in _BRANCHING or node.kind_id in _CASE):
            found.append(Branch(parent, node))
        node = parent
    return found


def root_of(node: Node) -> Node:
    """The root of the tree that a node is in."""
    while node.parent is not None:
        node = node.parent
    return node


def parted(root: Node, left: int, right: int) -> tuple[Node, Node, Node] | None:
    """The statement that has two places in branches of which one alone runs, and these branches; none for others.

    What stands behind `else` or `finally` of a `try` runs after its body, not in its place.
    """
    mine = {each.statement.id: each.branch for each in branches(root, left)}
    for statement, other in branches(root, right):
        own = mine.get(statement.id)
        if own is None or own == other or own.kind_id not in _CLAUSES or other.kind_id not in _CLAUSES:
            continue
        if statement.kind_id not in _TRY or own.kind_id in _EXCEPT or other.kind_id in _EXCEPT:
            return statement, own, other
    return None


def stands(graph: ScopeGraph, root: Node, chosen: int, other: int, *, absent: bool, foreign: bool) -> bool | None:
    """Whether the import at one place is what binds a name, rather than what stands at another.

    Args:
        graph: The file.
        root: Any node of its tree.
        chosen: Place of an import of an allowed library that has the name.
        other: Place of another definition.
        absent: Whether that one binds the name to nothing, or to what this Python does not have.
        foreign: Whether it is an import from another library that is not allowed.

    Returns:
        None where they do not stand in branches of which one alone runs.
    """
    found = parted(root, chosen, other)
    if found is None:
        return None
    statement, mine, others = found
    if statement.kind_id in _TRY:
        handler = others if others.kind_id in _EXCEPT else mine
        if not _NOT_THERE.match(text_of(handler)):
            return False
        # The body's import is there; a handler's counts where the body's is not.
        return mine.kind_id not in _EXCEPT or (others.kind_id in _BLOCK and (absent or foreign))
    running = _running(graph, root, statement) if mine.kind_id not in _CASE else None
    return absent if running is None else running == mine.id


def _running(graph: ScopeGraph, root: Node, statement: Node) -> int | None:
    """The id of the branch of an `if` that this Python runs, 0 where it runs none; none where that is not certain."""
    asked: list[tuple[Node | None, Node | None]] = [
        (statement.child_by_field_id(Field.CONDITION), statement.child_by_field_id(Field.CONSEQUENCE))
    ]
    for clause in statement.children_by_field_name("alternative"):
        asked.append((clause.child_by_field_id(Field.CONDITION) if clause.kind_id in _ELIF else None, clause))
    for condition, branch in asked:
        answer = True if condition is None else holds(graph, root, text_of(condition))
        if answer is None or branch is None:
            return None
        if answer:
            return branch.id
    return 0


def holds(graph: ScopeGraph, root: Node, condition: str) -> bool | None:
    """Whether a condition holds that asks for the version of Python or for a type checker; none for any other.

    Args:
        graph: The file that it stands in.
        root: Any node of its tree.
        condition: Its text.
    """
    answer = _Conditions(graph, root).read(condition)
    return None if answer is None else bool(answer)


class _Conditions:
    """What conditions of a file come to."""

    def __init__(self, graph: ScopeGraph, root: Node) -> None:
        self._graph = graph
        self._root = root
        self._seen: set[str] = set()

    def read(self, text: str) -> Fact | None:
        try:
            return self._value(ast.parse(f"({text})", mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def _value(self, node: ast.expr) -> Fact | None:
        match node:
            case ast.Constant(value=int() as value):
                return value
            case ast.Tuple(elts=elements):
                places = [each.value for each in elements if isinstance(each, ast.Constant)]
                whole = tuple(each for each in places if isinstance(each, int))
                return whole if len(whole) == len(elements) else None
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                value = self._value(operand)
                return None if value is None else not value
            case ast.BoolOp(op=joined, values=values):
                return self._joined([self._value(each) for each in values], every=isinstance(joined, ast.And))
            case ast.Compare(left=left, ops=[comparison], comparators=[right]):
                return self._compared(self._value(left), comparison, self._value(right))
            case ast.Subscript(value=inner, slice=place):
                return self._item(self._value(inner), place)
            case ast.Name() | ast.Attribute():
                return self._fact(ast.unparse(node))
            case _:
                return None

    @staticmethod
    def _joined(values: Sequence[Fact | None], *, every: bool) -> bool | None:
        """`and` or `or` of values of which some are not known."""
        if any(value is not None and bool(value) is not every for value in values):
            return not every
        return None if None in values else every

    @staticmethod
    def _compared(left: Fact | None, comparison: ast.cmpop, right: Fact | None) -> bool | None:
        if isinstance(left, int) and isinstance(right, int):
            left, right = (left,), (right,)
        compare = _COMPARISONS.get(type(comparison))
        if not isinstance(left, tuple) or not isinstance(right, tuple) or compare is None:
            return None
        # What is behind the second place of the version is not known.
        known = len(PYTHON_VERSION)
        if left[:known] == right[:known] and max(len(left), len(right)) > known:
            return None
        return compare(left, right)

    @staticmethod
    def _item(value: Fact | None, place: ast.expr) -> Fact | None:
        if not isinstance(value, tuple):
            return None
        match place:
            case ast.Constant(value=int() as index) if 0 <= index < len(value):
                return value[index]
            case ast.Slice(lower=None, upper=ast.Constant(value=int() as end), step=None) if 0 < end <= len(value):
                return value[:end]
            case _:
                return None

    def _fact(self, path: str) -> Fact | None:
        """What a name or an attribute is, as far as its file tells."""
        name, _, rest = path.partition(".")
        definitions = self._graph.module.bindings.get(name, [])
        if len(definitions) != 1 or name in self._seen:
            return None
        (definition,) = definitions
        if definition.imported is not None:
            return _FACTS.get(".".join(part for part in (definition.imported.origin, rest) if part))
        value = None if rest else value_of(self._root, definition)
        self._seen.add(name)
        return self.read(text_of(value)) if value is not None else None


def value_of(root: Node, definition: Definition) -> Node | None:
    """What an assignment to a name alone gives it; none for other definitions.

    Args:
        root: Any node of the file's tree.
        definition: A definition of the file.
    """
    node = root_of(root).named_descendant_for_byte_range(definition.start, definition.start)
    above = node.parent if node is not None else None
    if node is None or above is None or above.kind_id not in _ASSIGNMENT:
        return None
    return above.child_by_field_id(Field.RIGHT) if above.child_by_field_id(Field.LEFT) == node else None
