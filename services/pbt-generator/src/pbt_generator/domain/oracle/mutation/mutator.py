"""Writes mutants into the statements of a program, each behind the question whether it is on."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

from pbt_generator.domain.oracle.mutation.expressions import ExpressionMutator
from pbt_generator.domain.oracle.mutation.joining import held_kinds, kind_of
from pbt_generator.domain.oracle.mutation.markers import chosen, chosen_none, no_arguments, statement_call, tick
from pbt_generator.domain.oracle.mutation.matching import (
    fewer_classes,
    instead,
    numbered,
    only_compares,
    or_none,
    other_patterns,
    without,
)
from pbt_generator.domain.oracle.mutation.neighbours import SLIP
from pbt_generator.domain.oracle.mutation.operators import (
    pure,
    short,
    symbol,
    texty,
)
from pbt_generator.domain.oracle.mutation.rounds import adds, carried, first_kept, first_values, takes_more
from pbt_generator.domain.oracle.mutation.tables import ARITHMETIC
from pbt_generator.domain.oracle.proofs.reachability import (
    constant_truth,
    goes_on,
    leaves,
    live_statements,
    reached,
)
from pbt_generator.domain.oracle.syntax import bound_names, class_nodes, docstring_first, takes_all

# Operators of numbers that sets have, too.
_OF_SETS = {("set", ast.BitOr), ("set", ast.BitAnd), ("set", ast.BitXor)}


class Mutator(ExpressionMutator):
    """Rewrites one program."""

    def statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrite the statements of a block, as far as control comes."""
        result: list[ast.stmt] = []
        count = reached(body)
        outer = self.doomed
        before = self.in_other_orders(body[:count])
        for place, statement in enumerate(body[:count]):
            result.extend(before.get(place, ()))
            self.doomed = self.ways is not None and self.ways.statement(statement)
            if id(statement) in self.unread:
                # Nothing that returns reads it; the value before it is as good.
                self.assigned |= {inner.id for inner in ast.walk(statement) if isinstance(inner, ast.Name)}
                result.append(statement)
                continue
            values = first_values(statement)
            result.extend(self.statement(statement))
            self.started |= values
        self.doomed = outer
        return [*result, *body[count:]]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """Rewrite a statement, with the mutants in it and of it."""
        match node:
            case ast.Raise():
                return [self.raised(node)]
            case ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal() | ast.Pass():
                return [node]
            case ast.ClassDef():
                return self.class_statement(node)
            case ast.Assert() if id(node) in self.asserts:
                # What catches its error makes it a test like any other.
                text = short(node)
                node.test = self.test(node.test, node)
                node.msg = None if node.msg is None else self.read(node.msg)
                return self.left_out(node, text)
            case ast.Assert():
                if not self.doomed and constant_truth(node.test) is None:
                    node.test = self.bent(node.test, wider=False)
                return [node]
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                if self.called:
                    self.defaults(node)
                # Who encloses a function need not be who calls it.
                outer = self.caught, self.called, self.held
                self.caught, self.called = self.catching.around(node), True
                bound = bound_names(ast.Module([node], []))
                self.held = {name: kind for name, kind in self.held.items() if name not in bound} | held_kinds(node)
                words, body = docstring_first(node.body)
                node.body = [*words, tick(), *self.statements(body)]
                self.caught, self.called, self.held = outer
                return [node]
            case ast.If():
                return self.if_statement(node)
            case ast.While():
                if constant_truth(node.test) is None:
                    node.test = self.test(node.test, node)
                node.body = [tick("_ts_s"), *self.rounds(node)]
                node.orelse = self.statements(node.orelse)
                return [node]
            case ast.For() | ast.AsyncFor():
                around = any(isinstance(inner, ast.While) for inner in ast.walk(node))
                node.iter = self.source(node.iter)
                node.body = [tick("_ts_f" if around else "_ts_t"), *self.rounds(node)]
                node.orelse = self.statements(node.orelse)
                return [node]
            case ast.Try() | ast.TryStar():
                node.body = self.within(node.body, caught=self.catching.catches(node))
                last = goes_on(node.finalbody)
                before: list[ast.expr] = []
                for handler in node.handlers:
                    before += self.arm_of(handler, before)
                    handler.body = self.within(handler.body, caught=last)
                node.orelse = self.within(node.orelse, caught=last)
                node.finalbody = self.statements(node.finalbody)
                return [node]
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    # Which manager it is, and in which order it is told what it swallows, is no mistake of a program.
                    item.context_expr = self.inside(item.context_expr)
                node.body = self.within(node.body, caught=self.catching.catches(node))
                return [node]
            case ast.Match():
                return self.match_statement(node)
            case ast.Return():
                return [self.returned(node)]
            case ast.Assign(targets=targets):
                return self.assignment(node, targets)
            case ast.AnnAssign(value=value):
                if value is not None:
                    node.value = self.expression(value)
                    self.target(node.target)
                return [node]
            case ast.AugAssign():
                return self.augmented(node)
            case ast.Expr(value=ast.Constant()):
                return [node]
            case ast.Expr():
                text, again = short(node), adds(node.value)
                node.value = self.expression(node.value)
                if id(node) in self.checks:
                    return [node]
                once = self.left_out(node, text)
                return self.twice(node, text, once) if again else once
            case ast.Break() | ast.Continue():
                return self.jump(node)
            case ast.Delete():
                text = short(node)
                for target in node.targets:
                    self.target(target)
                return self.left_out(node, text)
            case _:
                return [node]

    def class_statement(self, node: ast.ClassDef) -> list[ast.stmt]:
        """Rewrite the methods of a class, and what stands beside them where it runs when the program is called."""
        if self.called:
            outer = self.started, self.assigned
            self.started, self.assigned = {}, set()
            words, body = docstring_first(node.body)
            node.body = [*words, *self.statements(body)]
            self.started, self.assigned = outer
            return [node]
        for each in list(live_statements(node.body)):
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.statement(each)
        return [node]

    def kept_lambda(self, node: ast.Lambda) -> None:
        """Rewrite what a lambda gives that a module or a class keeps: making it is done before any mutant runs."""
        outer, self.caught = self.caught, self.catching.around(node)
        node.body = self.expression(node.body)
        self.caught = outer

    def match_statement(self, node: ast.Match) -> list[ast.stmt]:
        """Rewrite a `match`: each case with other patterns, and passed over.

        A pattern that binds names, or asks an object, does so before anything can ask whether its mutant is on: such a
        mutant has a statement of its own. That only says which arm is entered: what the arms do stands behind, once.
        """
        node.subject = self.expression(node.subject)
        rewritten = [self.case(case) for case in node.cases]
        pairs = list(zip(node.cases, rewritten, strict=True))
        if self.witness or all(not skipped or only_compares(case.pattern) for case, (skipped, _) in pairs):
            node.cases = [each for case, mutants in pairs for each in self.beside(case, *mutants)]
            return [node]
        arms = [ast.match_case(numbered(place), None, case.body) for place, case in enumerate(node.cases)]
        for place, case in enumerate(node.cases):
            case.body = [statement_call("_ts_arm", place)]
        written: list[list[ast.match_case]] = []
        apart: list[tuple[int, int, list[ast.match_case]]] = []
        for place, (case, (skipped, others)) in enumerate(pairs):
            if not skipped or only_compares(case.pattern):
                written.append(self.beside(case, skipped, others))
            else:
                written.append([case])
                apart.append((place, skipped, []))
                apart += [(place, number, [ast.match_case(other, case.guard, case.body)]) for number, other in others]
        choosing: list[ast.stmt] = []
        for place, number, changed in apart:
            cases = [case for index, own in enumerate(written) for case in (changed if index == place else own)]
            choosing.append(ast.If(test=chosen(number), body=[ast.Match(node.subject, or_none(cases))], orelse=[]))
        own = ast.Match(node.subject, or_none([case for cases in written for case in cases]))
        choosing.append(ast.If(test=chosen_none([number for _, number, _ in apart]), body=[own], orelse=[]))
        return [*choosing, ast.Match(ast.Name("_ts_A", ast.Load()), arms)]

    def beside(
        self, case: ast.match_case, skipped: int, others: Sequence[tuple[int, ast.pattern]]
    ) -> list[ast.match_case]:
        """A case that its mutants stand before, each of which asks whether it is on; only itself where it has none."""
        if self.witness or not skipped:
            return [case]
        numbers = [skipped, *(number for number, _ in others)]
        return [*(instead(case, number, other) for number, other in others), without(case, numbers)]

    def case(self, case: ast.match_case) -> tuple[int, list[tuple[int, ast.pattern]]]:
        """Rewrite a case; gives the mutant that passes it over, 0 for none, and those that have other patterns."""
        plain = copy.deepcopy(case)
        if case.guard is not None:
            case.guard = self.expression(case.guard)
        case.body = self.statements(case.body)
        # What only raises where it is entered is refused less without it, which no case could show.
        refusing = self.ways is not None and self.ways.arm(case, "entered")
        if self.doomed or refusing or takes_all(plain):
            return 0, []
        text = short(plain.pattern)
        skipped = self.new("never", plain.pattern, f"case {text} left out", witnessed=False)
        return skipped, [
            (self.new("case", plain.pattern, f"case {text} → case {short(other)}", witnessed=False), other)
            for other in other_patterns(plain.pattern)
        ]

    def arm_of(self, handler: ast.ExceptHandler, before: Sequence[ast.expr]) -> list[ast.expr]:
        """Rewrite what an arm of a `try` catches, each of several classes forgotten; gives its classes.

        Args:
            handler: The arm.
            before: The classes that arms before it catch.
        """
        kind = handler.type
        kinds = class_nodes(kind) if kind is not None else []
        refusing = self.ways is not None and self.ways.arm(handler, "entered")
        if kind is None or self.doomed or refusing:
            return kinds
        text = short(kind)
        for other in fewer_classes(kinds, before):
            number = self.new("class", kind, f"except {text} → except {short(other)}", witnessed=False)
            if not self.witness:
                handler.type = ast.IfExp(test=chosen(number), body=other, orelse=handler.type or kind)
        return kinds

    def within(self, body: Sequence[ast.stmt], *, caught: bool) -> list[ast.stmt]:
        """Rewrite a block; `caught` where the statement that it belongs to may catch a wrong number of parts."""
        outer, self.caught = self.caught, self.caught or caught
        written = self.statements(body)
        self.caught = outer
        return written

    def rounds(self, node: ast.For | ast.AsyncFor | ast.While) -> list[ast.stmt]:
        """The body of a loop, with what is carried from one round to the next forgotten, and with one round alone."""
        resets = [] if self.doomed else carried(node, self.started)
        once = not self.doomed and reached(node.body) == len(node.body) and not leaves(node.body[-1])
        front: list[ast.stmt] = []
        for name, value in resets:
            number = self.new("carried", node, f"{name} = {short(value)} in every round", witnessed=False)
            again = ast.Assign(targets=[ast.Name(name, ast.Store())], value=copy.deepcopy(value))
            front.append(ast.If(test=chosen(number), body=[again], orelse=[]))
        body = self.statements(node.body)
        if once:
            number = self.new("round", node, "one round alone", witnessed=False)
            body.append(ast.If(test=chosen(number), body=[ast.Break()], orelse=[]))
        return body if self.witness else [*front, *body]

    def in_other_orders(self, body: Sequence[ast.stmt]) -> dict[int, list[ast.stmt]]:
        """Of tests that stand one behind the other, each of which leaves: a later one first, by its place."""
        found: dict[int, list[ast.stmt]] = {}
        for place, first in enumerate(body):
            for second in body[place + 1 : place + 3]:
                if not (_asks_and_leaves(first) and _asks_and_leaves(second)):
                    break
                if (number := self.turned(first, second)) and not self.witness:
                    earlier = ast.If(test=chosen(number), body=[copy.deepcopy(second)], orelse=[])
                    found.setdefault(place, []).append(earlier)
        return found

    def turned(self, first: ast.If, second: ast.If) -> int:
        """The number of the mutant that asks a later question first; 0 where it makes no difference by its form."""
        alike = ast.dump(ast.Module(first.body, [])) == ast.dump(ast.Module(second.body, []))
        if self.doomed or alike or _exclude_each_other(first.test, second.test):
            return 0
        words = f"if {short(second.test)} before if {short(first.test)}"
        return self.new("order", first, words, witnessed=False, reading=SLIP)

    def if_statement(self, node: ast.If) -> list[ast.stmt]:
        """Rewrite an if: its test and both arms."""
        match node.orelse:
            case [ast.If() as other] if (number := self.turned(node, other)) and not self.witness:
                test = ast.BoolOp(ast.And(), [chosen(number), copy.deepcopy(other.test)])
                body = copy.deepcopy(other.body)
                return [ast.If(test=test, body=body, orelse=self.both_arms(node))]
            case _:
                return self.both_arms(node)

    def both_arms(self, node: ast.If) -> list[ast.stmt]:
        """Rewrite the test of an if and what it decides."""
        truth = constant_truth(node.test)
        if truth is None:
            node.test = self.test(node.test, node, guard=self.ways is not None and self.ways.arm(node, "true"))
        node.body = self.statements(node.body) if truth is not False else node.body
        node.orelse = self.statements(node.orelse) if truth is not True else node.orelse
        return [node]

    def test(self, test: ast.expr, node: ast.AST, *, guard: bool = False) -> ast.expr:
        """The condition of an if or while: negated, and taken for false."""
        if self.doomed:
            return test
        text = short(test)
        original = copy.deepcopy(test)
        if guard:
            # Where the arm can only raise, a change that makes the test true less often lets inputs through that are
            # no cases anyway: only changes that make it true more often can matter.
            return self.bent(test, wider=True)
        changed = self.expression(test)
        if not isinstance(original, ast.Compare) or len(original.ops) > 1:
            number = self.new("negate", node, f"not ({text})", reads=original)
            changed = self.choice(number, ast.UnaryOp(ast.Not(), copy.deepcopy(original)), changed, original)
        if isinstance(node, ast.If):
            number = self.new("never", node, f"if {text} → if False", reads=original)
            changed = self.choice(number, ast.Constant(False), changed, original)
        return changed

    def raised(self, node: ast.Raise) -> ast.stmt:
        """Rewrite what an error is made with, as far as it is read where the error is caught."""
        if isinstance(node.exc, ast.Call):
            node.exc.args = [self.read(each) for each in node.exc.args]
            for keyword in node.exc.keywords:
                keyword.value = self.read(keyword.value)
        return node

    def read(self, node: ast.expr) -> ast.expr:
        """Rewrite a part of what an error is made with where something reads it."""
        return self.expression(node) if id(node) in self.answers else node

    def returned(self, node: ast.Return) -> ast.stmt:
        """Rewrite what is returned; nothing is returned instead."""
        value = node.value
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            return node
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            node.value = self.expression(value)
            return node
        plain = copy.deepcopy(value)
        changed = self.expression(value)
        number = self.new("return", node, f"return {short(plain)} → return None", witnessed=False)
        node.value = self.choice(number, ast.Constant(None), changed, plain)
        return node

    def assignment(self, node: ast.Assign, targets: Sequence[ast.expr]) -> list[ast.stmt]:
        """Rewrite an assignment; one that writes over a value may be left out, or keep the first."""
        names = {inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)}
        again = bool(names & self.assigned) and all(isinstance(target, ast.Name) for target in targets)
        stored = any(isinstance(target, ast.Subscript) for target in targets)
        text, original = short(node), copy.deepcopy(node)
        node.value = self.expression(node.value)
        for target in targets:
            self.target(target)
        self.assigned |= names
        kept = None if self.doomed else first_kept(node, self.started)
        written: list[ast.stmt] = self.left_out(node, text, original.value) if again or stored else [node]
        more = takes_more(original) if self.caught and not self.doomed else None
        if more is not None:
            number = self.new("unpack", node, f"{text}: what comes behind is passed over", witnessed=False)
            return written if self.witness else [ast.If(test=chosen(number), body=[more], orelse=written)]
        if kept is None:
            return written
        number = self.new("carried", node, f"{text}: the first one stays", witnessed=False)
        return written if self.witness else [ast.If(test=chosen(number), body=[kept], orelse=written)]

    def augmented(self, node: ast.AugAssign) -> list[ast.stmt]:
        """Rewrite `x += y`: left out, twice, with another operator."""
        text = short(node)
        swapped = ARITHMETIC.get(type(node.op))
        original = copy.deepcopy(node)
        node.value = self.expression(node.value)
        self.target(node.target)
        statements = self.twice(node, text, self.left_out(node, text))
        joins = kind_of(original.target, self.held) or kind_of(original.value, self.held)
        if swapped is None or self.doomed or texty(node.value) or (joins and (joins, type(node.op)) not in _OF_SETS):
            return statements
        number = self.new("arithmetic", original, f"{text} → {symbol(swapped())}")
        if self.witness:
            return [*self.watched_augmented(number, original, swapped), *statements]
        other = ast.AugAssign(target=original.target, op=swapped(), value=original.value)
        return [ast.If(test=chosen(number), body=[other], orelse=statements)]

    def watched_augmented(self, number: int, node: ast.AugAssign, swapped: type[ast.operator]) -> list[ast.stmt]:
        """In witness mode: both results of an augmented assignment, side by side."""
        target = copy.deepcopy(node.target)
        if not isinstance(target, ast.Name) or not pure(node.value):
            self.mutants[number - 1] = replace(self.mutants[number - 1], witnessed=False)
            return []
        now = ast.Name(target.id, ast.Load())
        changed = ast.Lambda(args=no_arguments(), body=ast.BinOp(now, swapped(), copy.deepcopy(node.value)))
        plain = ast.BinOp(now, node.op, copy.deepcopy(node.value))
        watch = ast.Call(func=ast.Name("_ts_w", ast.Load()), args=[ast.Constant(number), changed, plain], keywords=[])
        return [ast.If(test=chosen(number), body=[ast.Expr(watch)], orelse=[])]

    def left_out(self, node: ast.stmt, text: str, value: ast.expr | None = None) -> list[ast.stmt]:
        """A statement that a mutant leaves out.

        Args:
            node: The statement, rewritten.
            text: It, for people.
            value: What it writes, without mutants; None for a statement that is no plain assignment.
        """
        if self.doomed:
            return [node]
        number = self.new("leave out", node, f"{text} left out")
        if self.witness:
            return [ast.If(test=chosen(number), body=[self.watched_write(number, node, value)], orelse=[]), node]
        return [ast.If(test=ast.UnaryOp(ast.Not(), chosen(number)), body=[node], orelse=[])]

    def twice(self, node: ast.stmt, text: str, written: list[ast.stmt]) -> list[ast.stmt]:
        """A statement that a mutant runs once more."""
        if self.doomed:
            return written
        number = self.new("twice", node, f"{text} twice", witnessed=False)
        again = ast.If(test=chosen(number), body=[copy.deepcopy(node)], orelse=[])
        return written if self.witness else [*written, again]

    def watched_write(self, number: int, node: ast.stmt, value: ast.expr | None) -> ast.stmt:
        """In witness mode: whether what a statement writes differs from what is there."""
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if value is None or not isinstance(target, (ast.Name, ast.Subscript)) or not (pure(value) and pure(target)):
            return statement_call("_ts_x", number)
        now = copy.deepcopy(target)
        now.ctx = ast.Load()
        arguments: list[ast.expr] = [
            ast.Constant(number),
            ast.Lambda(args=no_arguments(), body=now),
            copy.deepcopy(value),
        ]
        return ast.Expr(ast.Call(func=ast.Name("_ts_w", ast.Load()), args=arguments, keywords=[]))

    def jump(self, node: ast.Break | ast.Continue) -> list[ast.stmt]:
        """Rewrite `break` and `continue`: each may be the other."""
        if self.doomed:
            return [node]
        other: ast.stmt = ast.Continue() if isinstance(node, ast.Break) else ast.Break()
        number = self.new("jump", node, f"{short(node)} → {short(other)}")
        if self.witness:
            return [ast.If(test=chosen(number), body=[statement_call("_ts_x", number)], orelse=[]), node]
        return [ast.If(test=chosen(number), body=[other], orelse=[node])]


def _asks_and_leaves(node: ast.stmt) -> TypeGuard[ast.If]:
    return isinstance(node, ast.If) and not node.orelse and leaves(node.body[-1])


def _exclude_each_other(one: ast.expr, other: ast.expr) -> bool:
    """Whether both compare the same with a value, and with another one each."""
    match one, other:
        case (
            ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[ast.Constant(value=here)]),
            ast.Compare(left=right, ops=[ast.Eq() | ast.Is()], comparators=[ast.Constant(value=there)]),
        ):
            return here != there and ast.dump(left) == ast.dump(right)
        case _:
            return False
