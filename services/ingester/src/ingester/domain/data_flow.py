"""Whether what a function returns depends on what it is given.

A name is derived when a parameter's value can reach it: through an assignment, through a call that may change an
argument in place, or through the branch that decides whether an assignment happens. The analysis ignores the order of
statements, so it errs on the side of "derived".

Source: Code2Bench, appendix C.1.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from ingester.domain.control_flow import ControlFlow
from ingester.domain.grammar import Field, kind_set
from ingester.domain.scopes import ScopeGraph, Site

_IDENTIFIER = kind_set("identifier")
_ASSIGNMENTS = kind_set("assignment", "augmented_assignment", "named_expression")
_FOR = kind_set("for_statement", "for_in_clause")
_AS = kind_set("as_pattern")
_CALL = kind_set("call")
_ATTRIBUTE = kind_set("attribute")
_SUBSCRIPT = kind_set("subscript")
_CONDITIONS = kind_set("if_statement", "elif_clause", "while_statement", "conditional_expression", "if_clause")
_TRY = kind_set("try_statement")
_MATCH = kind_set("match_statement", "with_statement")
_NESTED = kind_set("function_definition", "class_definition")
_LAMBDAS = kind_set("lambda", "generator_expression")
_JUMPS = kind_set("break_statement", "continue_statement", "return_statement", "raise_statement")
_NONE = kind_set("none")
_PARENTHESES = kind_set("parenthesized_expression")
_ITERATORS = frozenset({b"map", b"filter", b"zip", b"iter", b"reversed", b"enumerate"})


class ReturnVerdict(NamedTuple):
    """What the returns of a function amount to; `line` is where the first one stands."""

    returns_value: bool
    derived: bool
    returns_code: bool
    line: int


@dataclass(slots=True)
class _Flow:
    """Values of `sources` may reach `targets`."""

    targets: set[str]
    sources: set[str]


@dataclass(slots=True)
class _Reader:
    graph: ScopeGraph
    names: list[tuple[int, str]]
    flows: list[_Flow] = field(default_factory=list[_Flow])
    conditions: list[set[str]] = field(default_factory=list[set[str]])

    def inside(self, node: Node | None) -> set[str]:
        """Names that the text of a node reads."""
        if node is None:
            return set()
        first = bisect_left(self.names, (node.start_byte, ""))
        last = bisect_left(self.names, (node.end_byte, ""), first)
        return {name for _, name in self.names[first:last]}

    def bound(self, node: Node | None) -> set[str]:
        """Names that a target binds, and the roots of what it changes in place."""
        if node is None:
            return set()
        kind = node.kind_id
        if kind in _IDENTIFIER:
            text = node.text
            return {text.decode()} if text else set()
        if kind in _ATTRIBUTE or kind in _SUBSCRIPT:
            return self.bound(node.named_children[0])
        return {name for child in node.named_children for name in self.bound(child)}

    def read(self, body: Node) -> None:
        """Collect the flows of a function's body."""
        # With each node go the names that decide whether it runs.
        stack: list[tuple[Node, frozenset[str]]] = [(body, frozenset())]
        while stack:
            node, context = stack.pop()
            context = self._flow(node, context)
            stack.extend((child, context) for child in node.named_children)

    def _flow(self, node: Node, context: frozenset[str]) -> frozenset[str]:
        """Note what one node does; gives the context of what is inside it."""
        kind = node.kind_id
        if kind in _ASSIGNMENTS:
            target = node.child_by_field_id(Field.LEFT) or node.child_by_field_id(Field.NAME)
            value = node.child_by_field_id(Field.RIGHT) or node.child_by_field_id(Field.VALUE)
            # Indices of the target decide as well: `table[key] = 1`.
            self.flows.append(_Flow(self.bound(target), self.inside(value) | self.inside(target) | context))
        elif kind in _FOR:
            source = self.inside(node.child_by_field_id(Field.RIGHT))
            self.conditions.append(source)
            context = context | source
            self.flows.append(_Flow(self.bound(node.child_by_field_id(Field.LEFT)), set(context)))
            return context | self._jump_conditions(node)
        elif kind in _AS:
            children = node.named_children
            self.flows.append(_Flow(self.bound(children[-1]), self.inside(children[0]) | context))
        elif kind in _CALL:
            self._call(node, context)
        elif kind in _CONDITIONS:
            deciding = self.inside(node.child_by_field_id(Field.CONDITION) or node)
            self.conditions.append(deciding)
            return context | deciding | self._jump_conditions(node)
        elif kind in _TRY or kind in _MATCH:
            deciding = self.inside(node)
            self.conditions.append(deciding)
            return context | deciding
        elif kind in _NESTED:
            name = node.child_by_field_id(Field.NAME)
            self.flows.append(_Flow(self.bound(name), self.inside(node) | context))
        return context

    def _call(self, node: Node, context: frozenset[str]) -> None:
        """A call may change its receiver and its arguments in place."""
        function = node.child_by_field_id(Field.FUNCTION)
        arguments = node.child_by_field_id(Field.ARGUMENTS)
        given = self.inside(arguments)
        if function is not None and function.kind_id in _ATTRIBUTE:
            receiver = self.bound(function)
            self.flows.append(_Flow(receiver | given, given | receiver | context))
        elif given:
            self.flows.append(_Flow(given, given | self.inside(function) | context))

    def _jump_conditions(self, node: Node) -> set[str]:
        """Names that decide whether a loop goes on, when it holds jumps."""
        found: set[str] = set()
        jumps = False
        stack = list(node.named_children)
        while stack:
            child = stack.pop()
            if child.kind_id in _JUMPS:
                jumps = True
            elif child.kind_id in _CONDITIONS:
                found |= self.inside(child.child_by_field_id(Field.CONDITION))
            stack.extend(child.named_children)
        return found if jumps else set()

    def derived(self, names: set[str]) -> set[str]:
        """Everything that the given names can reach."""
        reached = set(names)
        growing = True
        while growing:
            growing = False
            for flow in self.flows:
                if not flow.targets <= reached and flow.sources & reached:
                    reached |= flow.targets
                    growing = True
        return reached


def judge_returns(graph: ScopeGraph, site: Site, flow: ControlFlow, parameters: set[str]) -> ReturnVerdict:
    """Judge the reachable returns of a function.

    Args:
        graph: the file.
        site: the function.
        flow: its control-flow graph.
        parameters: names of its parameters.
    """
    reachable = flow.reachable()
    returned: list[Node | None] = []
    line = 0
    for block, statement in flow.returns:
        if block not in reachable:
            continue
        value = next(iter(statement.named_children), None)
        while value is not None and value.kind_id in _PARENTHESES and value.named_child_count == 1:
            value = value.named_children[0]
        value = None if value is None or value.kind_id in _NONE else value
        line = line or graph.line(statement.start_byte)
        returned.append(value)
    values = [value for value in returned if value is not None]
    if not values:
        return ReturnVerdict(False, False, False, line)
    references = graph.references[site.references.first : site.references.last]
    reader = _Reader(graph, sorted((reference.start, reference.name) for reference in references))
    code = _returns_code(site, values)
    if any(reader.inside(value) & parameters for value in values):
        return ReturnVerdict(True, True, code, line)
    reader.read(site.body)
    derived = reader.derived(parameters)
    if any(reader.inside(value) & derived for value in values):
        return ReturnVerdict(True, True, code, line)
    texts = {value.text for value in values}
    falls_off = flow.falls_off in reachable or len(values) < len(returned)
    chosen = len(texts) + falls_off > 1 and any(names & derived for names in reader.conditions)
    return ReturnVerdict(True, chosen, code, line)


def _returns_code(site: Site, values: list[Node]) -> bool:
    """True when some return hands out a function, a class, a generator or another iterator."""
    nested = {
        definition.name
        for found in site.body_scope.bindings.values()
        for definition in found
        if definition.kind in ("function", "class")
    }
    for value in values:
        if value.kind_id in _LAMBDAS:
            return True
        function = value.child_by_field_id(Field.FUNCTION) if value.kind_id in _CALL else None
        if function is not None and function.text in _ITERATORS:
            return True
        text = value.text
        if value.kind_id in _IDENTIFIER and text is not None and text.decode() in nested:
            return True
    return False
