"""The control-flow graph of a function, its cyclomatic complexity, and which returns can be reached.

A block holds statements that run one after another. A branch inside an expression (a boolean operator, a conditional,
a comprehension's loop or filter) is a diamond of its own: two blocks and three edges more, so that it counts once.
Statements that nothing leads to stay in the graph: complexity is a property of the text. Nested functions and classes
are graphs of their own; a lambda's body counts where it stands.

Where only the number is asked for, `count_complexity` gives it without the graph: on one connected graph with one exit,
E − N + 2 is the number of two-way branches plus one.

Source: Code2Bench, appendix C (complexity = E − N + 2 on one connected graph).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from tree_sitter import Node

from ingester.domain.grammar import Field, kind_set

ENTRY, EXIT = 0, 1

_BLOCK = kind_set("block")
_IF = kind_set("if_statement")
_ELIF = kind_set("elif_clause")
_ELSE = kind_set("else_clause")
_LOOPS = kind_set("for_statement", "while_statement")
_TRY = kind_set("try_statement")
_EXCEPT = kind_set("except_clause")
_FINALLY = kind_set("finally_clause")
_WITH = kind_set("with_statement")
_MATCH = kind_set("match_statement")
_CASE = kind_set("case_clause")
_RETURN = kind_set("return_statement")
_RAISE = kind_set("raise_statement")
_BREAK = kind_set("break_statement")
_CONTINUE = kind_set("continue_statement")
_ASSERT = kind_set("assert_statement")
_NESTED = kind_set("function_definition", "class_definition", "decorated_definition")
_TRUE = kind_set("true")
_COMMENT = kind_set("comment")
_DOTTED_NAME = kind_set("dotted_name")
_COMPOUND = _IF | _LOOPS | _TRY | _WITH | _MATCH


@dataclass(slots=True)
class ControlFlow:
    """The graph: `successors` of every block, entry first and exit second.

    `passes` holds further edges that control may take but that are no decision of the text: out of a `with` whose
    manager swallows the exception, into a `finally`. They count for reachability alone.
    """

    successors: list[list[int]] = field(default_factory=lambda: [[], []])
    passes: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    # Edges that are never taken: out of `while True` by its condition.
    never: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    # Blocks that hold a return statement, with the statement.
    returns: list[tuple[int, Node]] = field(default_factory=list[tuple[int, Node]])
    # The block in which the text ends without a return, or -1.
    falls_off: int = -1

    @property
    def nodes(self) -> int:
        """Number of blocks."""
        return len(self.successors)

    @property
    def edges(self) -> int:
        """Number of edges."""
        return sum(map(len, self.successors))

    @property
    def complexity(self) -> int:
        """Cyclomatic complexity of one connected graph: E − N + 2."""
        return self.edges - self.nodes + 2

    def reachable(self) -> set[int]:
        """The blocks that control can come to from the entry."""
        seen = {ENTRY}
        stack = [ENTRY]
        while stack:
            block = stack.pop()
            for following in (*self.successors[block], *self.passes.get(block, ())):
                if following not in seen and (block, following) not in self.never:
                    seen.add(following)
                    stack.append(following)
        return seen


class _Builder:
    """Writes the graph; `at` is the block that statements go to, or -1 after a jump."""

    def __init__(self, decisions: list[int]) -> None:
        self.graph = ControlFlow()
        self.successors = self.graph.successors
        self.decisions = decisions
        self.at = self._block(ENTRY)
        # (block of `continue`, block of `break`) of the loops around.
        self.loops: list[tuple[int, int]] = []

    def _block(self, *before: int) -> int:
        successors = self.successors
        successors.append([])
        block = len(successors) - 1
        for predecessor in before:
            if predecessor >= 0:
                successors[predecessor].append(block)
        return block

    def _here(self) -> int:
        """The current block; text after a jump starts one that nothing leads to."""
        if self.at < 0:
            self.at = self._block()
        return self.at

    def _diamonds(self, start: int, end: int) -> None:
        """Branches inside an expression: each opens two ways that meet again."""
        first = bisect_left(self.decisions, start)
        for _ in range(bisect_left(self.decisions, end, first) - first):
            fork = self._here()
            way = self._block(fork)
            self.at = self._block(fork, way)

    def block(self, node: Node) -> None:
        """The statements of a block, in order."""
        for child in node.named_children:
            kind = child.kind_id
            if kind in _COMPOUND:
                self._compound(child, kind)
            elif kind in _NESTED or kind in _COMMENT:
                continue
            else:
                self._simple(child, kind)

    def _simple(self, node: Node, kind: int) -> None:
        at = self._here()
        if self.decisions:
            self._diamonds(node.start_byte, node.end_byte)
            at = self.at
        if kind in _RETURN:
            self.graph.returns.append((at, node))
            self.successors[at].append(EXIT)
            self.at = -1
        elif kind in _RAISE:
            self.successors[at].append(EXIT)
            self.at = -1
        elif kind in _ASSERT:
            self.successors[at].append(EXIT)
            self.at = self._block(at)
        elif kind in _BREAK and self.loops:
            self.successors[at].append(self.loops[-1][1])
            self.at = -1
        elif kind in _CONTINUE and self.loops:
            self.successors[at].append(self.loops[-1][0])
            self.at = -1

    def _compound(self, node: Node, kind: int) -> None:
        if kind in _IF:
            self._if(node)
        elif kind in _LOOPS:
            self._loop(node)
        elif kind in _TRY:
            self._try(node)
        elif kind in _WITH:
            self._with(node)
        else:
            self._match(node)

    def _join(self, ends: list[int]) -> None:
        """Go on after branches; nowhere when each of them jumped away."""
        ends = [end for end in ends if end >= 0]
        self.at = self._block(*ends) if ends else -1

    def _expression(self, node: Node | None) -> None:
        if node is not None:
            self._here()
            self._diamonds(node.start_byte, node.end_byte)

    def _if(self, node: Node) -> None:
        ends: list[int] = []
        self._expression(node.child_by_field_id(Field.CONDITION))
        test = self._here()
        closed = False
        for child in node.named_children:
            kind = child.kind_id
            if kind in _BLOCK:
                self.at = self._block(test)
                self.block(child)
                ends.append(self.at)
            elif kind in _ELIF:
                self.at = self._block(test)
                self._expression(child.child_by_field_id(Field.CONDITION))
                test = self._here()
                self.at = self._block(test)
                self._body(child)
                ends.append(self.at)
            elif kind in _ELSE:
                self.at = self._block(test)
                self._body(child)
                ends.append(self.at)
                closed = True
        if not closed:
            ends.append(test)
        self._join(ends)

    def _body(self, clause: Node) -> None:
        for child in clause.named_children:
            if child.kind_id in _BLOCK:
                self.block(child)

    def _loop(self, node: Node) -> None:
        condition = node.child_by_field_id(Field.CONDITION)
        if condition is None:
            self._expression(node.child_by_field_id(Field.RIGHT))
        head = self._block(self._here())
        self.at = head
        self._expression(condition)
        test = self._here()
        after = self._block()
        self.loops.append((head, after))
        body = node.child_by_field_id(Field.BODY)
        self.at = self._block(test)
        if body is not None:
            self.block(body)
        if self.at >= 0:
            self.successors[self.at].append(head)
        self.loops.pop()
        done = test
        alternative = node.child_by_field_id(Field.ALTERNATIVE)
        if alternative is not None:
            self.at = self._block(test)
            self._body(alternative)
            done = self.at
        if done >= 0:
            self.successors[done].append(after)
            if condition is not None and condition.kind_id in _TRUE:
                self.graph.never.add((done, after))
        self.at = after

    def _try(self, node: Node) -> None:
        enter = self._here()
        children = node.named_children
        self.at = self._block(enter)
        ends: list[int] = []
        for child in children:
            kind = child.kind_id
            if kind in _BLOCK:
                self.block(child)
            elif kind in _ELSE:
                self._body(child)
        ends.append(self.at)
        for child in children:
            if child.kind_id in _EXCEPT:
                self.at = self._block(enter)
                for part in child.named_children:
                    if part.kind_id in _BLOCK:
                        self.block(part)
                    else:
                        self._expression(part)
                ends.append(self.at)
        self._join(ends)
        for child in children:
            if child.kind_id in _FINALLY:
                self._finally(child, enter)

    def _finally(self, clause: Node, enter: int) -> None:
        """A `finally` is passed on every way out; where none goes on, what follows is reached by none either."""
        goes_on = self.at >= 0
        block = self._here()
        self.graph.passes.setdefault(enter, []).append(block)
        self._body(clause)
        if not goes_on and self.at >= 0:
            self.successors[self.at].append(EXIT)
            self.at = -1

    def _with(self, node: Node) -> None:
        for child in node.named_children:
            if child.kind_id not in _BLOCK:
                self._expression(child)
        enter = self._here()
        body = node.child_by_field_id(Field.BODY)
        if body is not None:
            self.block(body)
        if self.at < 0:
            self.at = self._block()
            self.graph.passes.setdefault(enter, []).append(self.at)

    def _match(self, node: Node) -> None:
        self._expression(node.child_by_field_id(Field.SUBJECT))
        test = self._here()
        ends: list[int] = []
        closed = False
        body = node.child_by_field_id(Field.BODY)
        for case in body.named_children if body is not None else ():
            if case.kind_id not in _CASE:
                continue
            guard = case.child_by_field_id(Field.GUARD)
            irrefutable = is_irrefutable(case)
            self.at = test
            if guard is not None:
                self._expression(guard)
                test = self._here()
            self.at = self._block(test)
            closed = closed or irrefutable
            if not closed:
                test = self._block(test)
            consequence = case.child_by_field_id(Field.CONSEQUENCE)
            if consequence is not None:
                self.block(consequence)
            ends.append(self.at)
        if not closed:
            ends.append(test)
        self._join(ends)


def is_irrefutable(case: Node) -> bool:
    """True for `case _` and `case name` without a guard: no other case comes after it."""
    if case.child_by_field_id(Field.GUARD) is not None:
        return False
    patterns = [child for child in case.named_children if child.type == "case_pattern"]
    if len(patterns) != 1:
        return False
    parts = patterns[0].named_children
    if not parts:
        return patterns[0].text == b"_"
    inner = parts[0]
    return len(parts) == 1 and inner.kind_id in _DOTTED_NAME and inner.named_child_count == 1


def build_control_flow(body: Node, decisions: list[int]) -> ControlFlow:
    """The graph of a function.

    Args:
        body: the function's block.
        decisions: sorted byte offsets of the branches inside expressions, of the file or a part of it.
    """
    first = bisect_left(decisions, body.start_byte)
    builder = _Builder(decisions[first : bisect_left(decisions, body.end_byte, first)])
    builder.block(body)
    if builder.at >= 0:
        builder.graph.falls_off = builder.at
        builder.successors[builder.at].append(EXIT)
    return builder.graph


def count_complexity(branches: int) -> int:
    """Cyclomatic complexity of a body with so many two-way branches; equals that of its graph."""
    return branches + 1
