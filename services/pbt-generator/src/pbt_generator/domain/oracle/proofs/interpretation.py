"""Runs one function over descriptions of values: which way its tests can turn, and what its variables hold where.

A walk over the syntax tree with a state per place: kinds, ranges of whole numbers, lengths. Loops run until nothing
changes any more; a loop over a literal table is run row by row. What is not understood may be anything.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pbt_generator.domain.oracle.proofs import abstract_expressions as expressions
from pbt_generator.domain.oracle.proofs.abstract_values import (
    ANY,
    DATA_KINDS,
    Value,
    joined,
    of_kind,
)
from pbt_generator.domain.oracle.proofs.assumptions import assume
from pbt_generator.domain.oracle.proofs.dead_code import dead_statements, lines_of
from pbt_generator.domain.oracle.proofs.evaluation import BUILTINS, Evaluation, State, rounders_of
from pbt_generator.domain.oracle.proofs.flow import PURE_FUNCTIONS
from pbt_generator.domain.oracle.proofs.sharing import fragile_names
from pbt_generator.domain.oracle.proofs.states import after_round, merged
from pbt_generator.domain.oracle.syntax import ORDERS, FunctionNode, asks_equality, last_name, pure_read, whole_number

_ROUNDS = 12
_ROWS = 24
_STEPS = 6000
# Limits that lie so near each other are compared number by number.
_NEAR = 64
_ELSEWHERE = (
    ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp,
)  # fmt: skip
_KIND_TESTS = {"isinstance", "type", "hasattr", "getattr", "isnan", "issubclass"}
_TABLE_LIBRARIES = {"pandas", "numpy", "polars", "scipy", "xarray", "dask"}


@dataclass
class _Loop:
    broken: list[State] = field(default_factory=list[State])
    again: list[State] = field(default_factory=list[State])


class Interpretation(Evaluation):
    """What the walk over a function found.

    Args:
        module: The program.
        function: The function in it.
        portable: Inputs are what five languages share: no values of libraries.
        given: What is known of parameters, where something is: what the task's inputs are.
        whole: That is all that they may be, their defaults among it.
    """

    def __init__(
        self,
        module: ast.Module,
        function: FunctionNode,
        *,
        portable: bool = False,
        given: Mapping[str, Value] | None = None,
        whole: bool = False,
    ) -> None:
        super().__init__()
        # Who calls itself gives itself what no caller sends.
        again = any(isinstance(node, ast.Name) and node.id == function.name for node in ast.walk(module))
        self.given: Mapping[str, Value] = {} if given is None or (again and not whole) else given
        self.function = function
        self.steps = 0
        self.states: dict[int, State] = {}
        self.loops: list[_Loop] = []
        self.sinks: list[list[State]] = []
        imported = {
            alias.name.split(".")[0]
            for node in ast.walk(module)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in (node.names if isinstance(node, ast.Import) else [ast.alias(node.module or "")])
        }
        self.tables = bool(imported & _TABLE_LIBRARIES)
        # Expressions that run where they stand, with their statement: not in inner functions and comprehensions.
        self.homes: dict[int, ast.stmt] = {}
        for statement in function.body:
            self.settle(statement, statement)
        nodes = list(ast.walk(function))
        # A function that stops in between, or whose inner functions write its variables, is not understood.
        self.understood = not any(isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)) for node in nodes)
        self.untracked = {n for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for n in node.names}
        self.untracked |= {node.target.id for node in nodes if isinstance(node, ast.NamedExpr)}
        self.untracked |= {
            inner.id
            for node in nodes
            if isinstance(node, (ast.Try, ast.TryStar))
            for statement in node.finalbody
            for inner in ast.walk(statement)
            if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load)
        }
        self.fragile = fragile_names(function)
        defined = {n.name for n in ast.walk(module) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        written = {n.id for n in ast.walk(module) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        parameters = {node.arg for node in nodes if isinstance(node, ast.arg)}
        names = {
            (alias.asname or alias.name)
            for node in ast.walk(module)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        self.shadowed = (defined | written | parameters | names) & (BUILTINS | PURE_FUNCTIONS)
        self.starred = any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in ast.walk(module))
        # Who calls another `sorted` than the builtin one may change what it is given.
        self.understood = self.understood and not self.starred and not self.called(self.shadowed)
        self.rounders = rounders_of(module)
        self.run(portable=portable, whole=whole)
        # Statements that the walk never came to; what it does not walk over is not among them.
        self.dead = dead_statements(function.body, self.states) if self.understood else set[int]()
        self.parents = {id(child): node for node in nodes for child in ast.iter_child_nodes(node)}

    def dead_lines(self) -> frozenset[int]:
        """Lines that belong only to statements that control never comes to."""
        return lines_of(self.function, self.dead)

    def whole_parameters(self, *, inside: bool = False) -> set[str]:
        """Parameters declared as integers whose kind the function does not look at: they have no broken values.

        The declaration decides among numbers only. Where the function asks for other kinds itself, it means them.

        Args:
            inside: Those declared as lists of integers instead.
        """
        arguments = self.function.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        declared = {
            argument.arg
            for argument in every
            if argument.annotation is not None
            and ast.unparse(argument.annotation) in (("list[int]", "List[int]") if inside else ("int",))
        }
        asked = {
            inner.id
            for node in ast.walk(self.function)
            if isinstance(node, ast.Call) and last_name(node.func) in _KIND_TESTS
            for part in node.args
            for inner in ast.walk(part)
            if isinstance(inner, ast.Name)
        }
        return declared - asked if not {"int", "list"} & self.shadowed else set()

    def agree(self, plain: ast.expr, changed: ast.expr) -> bool:
        """Whether a comparison has one truth value at its place, and what it is changed to has the same."""
        statement = self.homes.get(id(plain))
        state = self.states.get(id(statement)) if statement is not None else None
        if not self.understood or state is None or not isinstance(plain, ast.Compare):
            return False
        match changed:
            case ast.Compare():
                pass
            case ast.Constant(value=bool()) | ast.UnaryOp(op=ast.Not(), operand=ast.Name()) if asks_equality(plain):
                pass
            case _:
                return False
        here = dict(state)
        if isinstance(changed, ast.Compare) and self.same_numbers(plain, changed, here):
            return True
        kinds = [self.value(node, here).kinds for node in (plain, changed)]
        if any(kind != frozenset({"bool"}) for kind in kinds):
            return False
        first, second = (
            [truth for truth in (True, False) if assume(self, here, node, truth=truth) is not None]
            for node in (plain, changed)
        )
        return len(first) == 1 and first == second

    def same_numbers(self, plain: ast.Compare, changed: ast.Compare, state: State) -> bool:
        """Whether two tests of one whole number against constants agree on all numbers that it may be."""
        if len(plain.ops) != 1 or len(changed.ops) != 1 or ast.dump(plain.left) != ast.dump(changed.left):
            return False
        limits = [whole_number(node.comparators[0]) for node in (plain, changed)]
        held = self.value(plain.left, state)
        operators = [ORDERS.get(type(node.ops[0])) for node in (plain, changed)]
        if None in limits or None in operators or not held.only(frozenset({"int"})) or not pure_read(plain.left):
            return False
        first, second = (number for number in limits if number is not None)
        if abs(first - second) > _NEAR:
            return False
        # Beyond the limits nothing changes any more, up or down.
        near = range(min(first, second) - 1, max(first, second) + 2)
        return all(
            operators[0](number, first) == operators[1](number, second)  # pyright: ignore[reportOptionalCall]
            for number in near
            if number in (near[0], near[-1]) or held.low <= number <= held.high
        )

    def never(self, node: ast.expr | ast.stmt) -> bool:
        """Whether control never comes to a part: its statement is dead, or it stands in a dead arm."""
        if not self.understood:
            return False
        if isinstance(node, ast.stmt):
            return id(node) in self.dead
        below: ast.AST = node
        parent = self.parents.get(id(node))
        while parent is not None and not isinstance(parent, ast.stmt):
            if isinstance(parent, ast.IfExp) and below is not parent.test:
                outcome = "true" if below is parent.body else "false"
                if id(parent) in self.homes and self.impossible(parent, outcome):
                    return True
            below, parent = parent, self.parents.get(id(parent))
        return parent is not None and id(parent) in self.dead

    def settle(self, node: ast.AST, home: ast.stmt) -> None:
        """Note to which statement the expressions of a part belong."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _ELSEWHERE):
                continue
            if isinstance(child, ast.stmt):
                self.settle(child, child)
            else:
                if isinstance(child, ast.expr):
                    self.homes[id(child)] = home
                self.settle(child, home)

    def called(self, names: set[str]) -> bool:
        """Whether the function calls one of these names."""
        calls = [node.func for node in ast.walk(self.function) if isinstance(node, ast.Call)]
        return any(isinstance(function, ast.Name) and function.id in names for function in calls)

    def impossible(self, node: ast.AST, outcome: str) -> bool:
        """Whether a test that was walked over never turned this way."""
        turned = any(place == id(node) for place, _ in self.outcomes)
        return self.understood and turned and (id(node), outcome) not in self.outcomes

    def kind(self, node: ast.expr) -> str:
        """The kind of an expression at its place, as `equivalence` asks for it; empty when it is not known.

        "whole" stands for integers and truth values, "text" for texts and bytes.
        """
        statement = self.homes.get(id(node))
        state = self.states.get(id(statement)) if statement is not None else None
        if not self.understood or state is None:
            return ""
        kinds = self.value(node, dict(state)).kinds
        if len(kinds) == 1:
            return next(iter(kinds))
        if kinds == frozenset({"str", "bytes"}):
            return "text"
        return "whole" if kinds == frozenset({"int", "bool"}) else ""

    # The walk

    def run(self, *, portable: bool, whole: bool) -> None:
        """Walk over the function from its entry."""
        if not self.understood:
            return
        kinds = DATA_KINDS - {"other"} if portable else DATA_KINDS
        arguments = self.function.args
        state: State = {}
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        defaults = [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
        # A default may be anything, and its parameter then is no data.
        named = {
            argument.arg for argument in every[len(arguments.posonlyargs + arguments.args) - len(arguments.defaults) :]
        }
        for argument in every:
            value = Value(kinds, data=True)
            integral = Value(kinds - {"float", "other"}, data=True)
            if argument.arg in self.given:
                value = self.given[argument.arg]
            elif argument.arg in self.whole_parameters():
                value = integral
            elif argument.arg in self.whole_parameters(inside=True):
                # A list, or something else altogether, whose parts are whole as far as they are numbers.
                value = replace(value, element=integral)
            if argument.arg in named and defaults and not whole:
                value = joined(value, *(self.value(default, {}) for default in defaults))
            self.put(state, argument.arg, value)
        self.block(self.function.body, state)

    def block(self, body: Sequence[ast.stmt], state: State | None) -> State | None:
        """Run statements; None when control does not come to their end."""
        for statement in body:
            self.steps += 1
            if self.steps > _STEPS:
                self.understood = False
            if state is None or not self.understood:
                return None
            self.note(state)
            known = self.states.get(id(statement))
            self.states[id(statement)] = state if known is None else merged(known, state)
            state = self.statement(statement, dict(state))
            if state is not None:
                self.note(state)
        return state

    def note(self, state: State) -> None:
        """An exception may leave a try body with this state."""
        for sink in self.sinks:
            sink.append(state)

    def statement(self, node: ast.stmt, state: State) -> State | None:
        """Run one statement."""
        match node:
            case ast.Assign(targets=targets, value=value):
                result = self.value(value, state)
                for target in targets:
                    self.bind(state, target, result)
                return state
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.bind(state, target, self.value(value, state))
                return state
            case ast.AugAssign(target=target, op=op, value=value):
                given = self.value(value, state)
                if isinstance(target, ast.Name):
                    held = state.get(target.id, ANY)
                    result = expressions.binary(held, op, given)
                    if held.only(frozenset({"list"})) and isinstance(op, ast.Add):
                        result = of_kind("list", least=held.least)
                    self.put(state, target.id, result)
                return state
            case ast.Return(value=value):
                if value is not None:
                    self.value(value, state)
                return None
            case ast.Raise():
                return None
            case ast.If():
                return self.branch(node, state)
            case ast.While():
                return self.while_loop(node, state)
            case ast.For():
                return self.for_loop(node, state)
            case ast.Try():
                return self.attempt(node, state)
            case ast.With(items=items, body=body):
                for item in items:
                    self.value(item.context_expr, state)
                    if item.optional_vars is not None:
                        self.bind(state, item.optional_vars, ANY)
                self.sinks.append([state])
                result = self.block(body, state)
                raised = self.sinks.pop()
                # What a context manager swallows goes on behind it.
                return merged(*raised, *([result] if result is not None else []))
            case ast.Assert(test=test):
                self.value(test, state)
                return assume(self, state, test, truth=True)
            case ast.Expr(value=value):
                self.value(value, state)
                return state
            case ast.Break() | ast.Continue():
                if self.loops:
                    (self.loops[-1].broken if isinstance(node, ast.Break) else self.loops[-1].again).append(state)
                return None
            case ast.Pass() | ast.Global() | ast.Nonlocal():
                return state
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.put(state, node.name, ANY)
                return state
            case _:
                return self.opaque(node, state)

    def opaque(self, node: ast.stmt, state: State) -> State | None:
        """A statement of another kind: whatever it writes may be anything, and nothing in it is taken for dead."""
        if any(isinstance(inner, (ast.Break, ast.Continue)) for inner in ast.walk(node)):
            self.understood = False
        for inner in ast.walk(node):
            name = getattr(inner, "id", None) if isinstance(inner, ast.Name) else getattr(inner, "name", None)
            if isinstance(name, str) and not (isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)):
                self.put(state, inner.asname or name.split(".")[0] if isinstance(inner, ast.alias) else name, ANY)
            if isinstance(inner, ast.MatchMapping) and inner.rest:
                self.put(state, inner.rest, ANY)
            if isinstance(inner, ast.IfExp):
                self.outcomes |= {(id(inner), "true"), (id(inner), "false")}
        return state

    def branch(self, node: ast.If, state: State) -> State | None:
        """An if: each arm with what the test says of it."""
        self.value(node.test, state)
        then = assume(self, state, node.test, truth=True)
        other = assume(self, state, node.test, truth=False)
        if then is not None:
            self.outcomes.add((id(node), "true"))
        if other is not None:
            self.outcomes.add((id(node), "false"))
        ends = [self.block(node.body, then), self.block(node.orelse, other)]
        left = [end for end in ends if end is not None]
        return merged(*left) if left else None

    def while_loop(self, node: ast.While, state: State) -> State | None:
        """A while: rounds until the state at its head stays the same."""
        head = state
        loop = _Loop()
        for turn in range(_ROUNDS):
            loop = _Loop()
            self.loops.append(loop)
            self.states[id(node)] = merged(self.states[id(node)], head)
            self.value(node.test, head)
            inside = assume(self, head, node.test, truth=True)
            if inside is not None:
                self.outcomes.add((id(node), "true"))
            end = self.block(node.body, inside)
            self.loops.pop()
            grown = after_round(head, [*loop.again, *([end] if end is not None else [])], turn)
            if grown == head:
                break
            head = grown
        else:
            self.understood = False
        after = assume(self, head, node.test, truth=False)
        if after is not None:
            self.outcomes.add((id(node), "false"))
        left = [end for end in (self.block(node.orelse, after), *loop.broken) if end is not None]
        return merged(*left) if left else None

    def for_loop(self, node: ast.For, state: State) -> State | None:
        """A for: row by row over a literal table, else until nothing changes."""
        given = self.value(node.iter, state)
        if given.items is not None and given.only(frozenset({"list", "tuple"})) and len(given.items) <= _ROWS:
            return self.rows(node, state, given.items)
        part = given.part()
        head, ends = state, list[State]()
        loop = _Loop()
        for turn in range(_ROUNDS):
            loop = _Loop()
            self.loops.append(loop)
            inside = dict(head)
            self.bind(inside, node.target, part)
            self.outcomes.add((id(node), "body"))
            end = self.block(node.body, inside)
            self.loops.pop()
            ends = [*loop.again, *([end] if end is not None else [])]
            grown = after_round(head, ends, turn)
            if grown == head:
                break
            head = grown
        else:
            self.understood = False
        # Where there is a first part, the loop ends behind a round, not before the first.
        iterator = frozenset({"object"}) if given.element is not None else frozenset[str]()
        surely = given.least >= 1 and given.only(DATA_KINDS | iterator)
        exhausted = merged(*ends) if surely and ends else None if surely else merged(head, *ends)
        return self.leave(node, exhausted, loop.broken)

    def rows(self, node: ast.For, state: State, items: Sequence[Value]) -> State | None:
        """A loop over known rows, one after the other."""
        loop = _Loop()
        here: State | None = state
        for item in items:
            if here is None:
                break
            loop.again = []
            self.loops.append(loop)
            inside = dict(here)
            self.bind(inside, node.target, item)
            self.outcomes.add((id(node), "body"))
            end = self.block(node.body, inside)
            self.loops.pop()
            left = [*loop.again, *([end] if end is not None else [])]
            here = merged(*left) if left else None
        return self.leave(node, here, loop.broken)

    def leave(self, node: ast.For, exhausted: State | None, broken: Sequence[State]) -> State | None:
        """What stands behind a for loop."""
        if exhausted is not None:
            self.outcomes.add((id(node), "exhausted"))
        left = [end for end in (self.block(node.orelse, exhausted), *broken) if end is not None]
        return merged(*left) if left else None

    def attempt(self, node: ast.Try, state: State) -> State | None:
        """A try: its arms begin with whatever its body had at any place."""
        outer = [state]
        self.sinks.append(outer)
        self.sinks.append([state])
        end = self.block(node.body, state)
        raised = self.sinks.pop()
        end = self.block(node.orelse, end)
        left = [end] if end is not None else []
        for handler in node.handlers:
            inside = merged(*raised)
            if handler.name is not None:
                self.put(inside, handler.name, ANY)
            if handler.type is not None:
                self.value(handler.type, inside)
            last = self.block(handler.body, inside)
            left += [last] if last is not None else []
        everywhere = self.sinks.pop()
        if node.finalbody:
            # It runs on every way out; what it writes is not tracked.
            final = self.block(node.finalbody, merged(*everywhere, *left))
            if final is None:
                return None
        return merged(*left) if left else None
