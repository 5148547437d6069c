"""Writes mutants into the statements and expressions of a program, each behind the question whether it is on."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import replace

from pbt_generator.domain.oracle.mutation.equivalence import NEVER, Prover
from pbt_generator.domain.oracle.mutation.exhaustion import differing
from pbt_generator.domain.oracle.mutation.markers import chosen, no_arguments, statement_call, tick
from pbt_generator.domain.oracle.mutation.mutant import Mutant
from pbt_generator.domain.oracle.mutation.neighbours import may_differ, neighbours
from pbt_generator.domain.oracle.mutation.operators import (
    alternatives,
    is_constant,
    names_read,
    pure,
    shifted,
    short,
    symbol,
    texty,
    updates,
)
from pbt_generator.domain.oracle.mutation.rounds import adds, carried, first_kept, first_values, settles, shortened
from pbt_generator.domain.oracle.mutation.tables import ARITHMETIC
from pbt_generator.domain.oracle.probes import plain_format
from pbt_generator.domain.oracle.proofs.reachability import RaisingWays, constant_truth, leaves, reached
from pbt_generator.domain.oracle.proofs.weak_orders import compares, literals


class Mutator:
    """Rewrites one program.

    Args:
        witness: Note where a mutant would differ, instead of running it.
    """

    def __init__(self, *, witness: bool) -> None:
        self.witness = witness
        self.mutants: list[Mutant] = []
        # Inside an arm that can only raise no returning input ever comes.
        self.doomed = False
        self.ways: RaisingWays | None = None
        # Whether something may catch the errors of what is rewritten.
        self.caught = False
        self.assigned: set[str] = set()
        self.parameters: frozenset[str] = frozenset()
        self.prover: Prover | None = None
        self.dead_lines: frozenset[int] = frozenset()
        self.trackable: frozenset[str] = frozenset()
        self.given: frozenset[str] = frozenset()
        self.single: frozenset[str] = frozenset()
        self.asked: frozenset[str] = frozenset()
        self.single_fills: tuple[str, ...] = ()  # `a.insert(0, ` for lists of one member at most
        # What nodes stood in before anything was rewritten, by their ids.
        self.above: dict[int, ast.AST] = {}
        self.started: dict[str, ast.expr] = {}
        self.maps: dict[str, ast.expr] = {}
        self.rebound: frozenset[str] = frozenset()  # names that are given more than one value
        # Names and numbers of a function that only compares; see `weak_orders`.
        self.compared: frozenset[str] = frozenset()
        self.orders: frozenset[float] | None = None

    def new(
        self, operator: str, node: ast.AST, change: str, *, witnessed: bool = True, reads: ast.expr | None = None,
        reading: str = "",
    ) -> int:  # fmt: skip
        """Note a mutant; gives its number."""
        number = len(self.mutants) + 1
        names = names_read(reads) if reads is not None else None
        own = names if names is not None and names <= self.parameters else None
        if own is None and reads is not None and self.prover is not None:
            own = self.prover.reads_parameters(reads)
        proof = NEVER if getattr(node, "lineno", 0) in self.dead_lines else ""
        line = getattr(node, "lineno", 0)
        self.mutants.append(Mutant(number, operator, line, change, witnessed, own, proof, reading=reading))
        return number

    # Statements

    def statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrite the statements of a block, as far as control comes."""
        result: list[ast.stmt] = []
        count = reached(body)
        outer = self.doomed
        for statement in body[:count]:
            self.doomed = self.ways is not None and self.ways.statement(statement)
            values = first_values(statement)
            result.extend(self.statement(statement))
            self.started |= values
        self.doomed = outer
        return [*result, *body[count:]]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """Rewrite a statement, with the mutants in it and of it."""
        match node:
            case ast.Raise() | ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal() | ast.Pass():
                return [node]
            case ast.ClassDef():
                for each in node.body:
                    if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                        self.statement(each)
                return [node]
            case ast.Assert():
                if not self.doomed and constant_truth(node.test) is None:
                    # An error that something catches is a result: then every change may matter.
                    node.test = self.expression(node.test) if self.caught else self.bent(node.test, wider=False)
                return [node]
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                node.body = [tick(), *self.statements(node.body)]
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
                node.body = self.within(node.body)
                for handler in node.handlers:
                    handler.body = self.statements(handler.body)
                node.orelse = self.statements(node.orelse)
                node.finalbody = self.statements(node.finalbody)
                return [node]
            case ast.With() | ast.AsyncWith():
                node.body = self.within(node.body)
                return [node]
            case ast.Match():
                for case in node.cases:
                    if case.guard is not None:
                        case.guard = self.expression(case.guard)
                    case.body = self.statements(case.body)
                return [node]
            case ast.Return():
                return [self.returned(node)]
            case ast.Assign(targets=targets):
                return self.assignment(node, targets)
            case ast.AnnAssign(value=value):
                if value is not None:
                    node.value = self.expression(value)
                return [node]
            case ast.AugAssign():
                return self.augmented(node)
            case ast.Expr(value=ast.Constant()):
                return [node]
            case ast.Expr():
                text, again = short(node), adds(node.value) and not self.idle(node.value)
                node.value = self.expression(node.value)
                once = self.left_out(node, text)
                return self.twice(node, text, once) if again else once
            case ast.Break() | ast.Continue():
                return self.jump(node)
            case ast.Delete():
                return self.left_out(node, short(node))
            case _:
                return [node]

    def within(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrite a block whose errors something may catch."""
        outer, self.caught = self.caught, True
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

    def source(self, node: ast.expr) -> ast.expr:
        """What a loop goes over: all of it, all but the first, all but the last."""
        parts = [] if self.doomed else shortened(node)
        plain = copy.deepcopy(node)
        changed = self.expression(node)
        for words, part in parts:
            number = self.new("round", plain, f"{words} of {short(plain)} left out", witnessed=False)
            changed = self.choice(number, part, changed, plain)
        return changed

    def if_statement(self, node: ast.If) -> list[ast.stmt]:
        """Rewrite an if: its test and both arms."""
        truth = constant_truth(node.test)
        if truth is None:
            node.test = self.test(
                node.test, node, guard=self.ways is not None and self.ways.arm(node, "true"), update=updates(node)
            )
        node.body = self.statements(node.body) if truth is not False else node.body
        node.orelse = self.statements(node.orelse) if truth is not True else node.orelse
        return [node]

    def test(self, test: ast.expr, node: ast.AST, *, guard: bool = False, update: bool = False) -> ast.expr:
        """The condition of an if or while: negated, and taken for false."""
        if self.doomed:
            return test
        text = short(test)
        original = copy.deepcopy(test)
        if guard:
            # Where the arm can only raise, a change that makes the test true less often lets inputs through that are
            # no cases anyway: only changes that make it true more often can matter.
            return self.bent(test, wider=True)
        changed = self.expression(test, boundary=not update)
        if not isinstance(original, ast.Compare) or len(original.ops) > 1:
            number = self.new("negate", node, f"not ({text})", reads=original)
            changed = self.choice(number, ast.UnaryOp(ast.Not(), copy.deepcopy(original)), changed, original)
        if isinstance(node, ast.If):
            number = self.new("never", node, f"if {text} → if False", reads=original)
            changed = self.choice(number, ast.Constant(False), changed, original)
        return changed

    def bent(self, test: ast.expr, *, wider: bool) -> ast.expr:
        """A test with the mutants that make it true more often, or less often, and no others."""
        plain = copy.deepcopy(test)
        match test:
            case ast.UnaryOp(op=ast.Not()):
                test.operand = self.bent(test.operand, wider=not wider)
                return test
            case ast.BoolOp(op=op, values=values):
                changed: ast.expr = ast.BoolOp(op, [self.bent(value, wider=wider) for value in values])
                # Without one of its operands an `and` is true more often, an `or` less often.
                for place in range(len(values) if isinstance(op, ast.And) == wider else 0):
                    rest = [copy.deepcopy(value) for index, value in enumerate(_values(plain)) if index != place]
                    other = rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
                    number = self.new("operand", plain, f"{short(plain)} → {short(other)}", reads=plain)
                    changed = self.choice(number, other, changed, plain)
                return changed
            case ast.Compare():
                changed = test
                for other in shifted(test, wider=wider):
                    number = self.new("boundary", plain, f"{short(plain)} → {short(other)}", reads=plain)
                    changed = self.choice(number, other, changed, plain)
                return changed
            case _:
                return test

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
        text, plain = short(node), copy.deepcopy(node.value)
        node.value = self.expression(node.value)
        self.assigned |= names
        kept = None if self.doomed else first_kept(node, self.started)
        written: list[ast.stmt] = self.left_out(node, text, plain) if again or stored else [node]
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
        statements = self.left_out(node, text)
        if not settles(original):
            statements = self.twice(node, text, statements)
        if swapped is None or self.doomed or texty(node.value):
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

    # Expressions

    def choice(self, number: int, changed: ast.expr, original: ast.expr, plain: ast.expr) -> ast.expr:
        """The place of a mutant: its expression when it is on, else what stood there.

        Args:
            number: The mutant.
            changed: What it has in this place.
            original: What stands there otherwise, other mutants inside it included.
            plain: The same without any mutant.
        """
        mutant = self.mutants[number - 1]
        if not self.witness:
            reason, about_result = self.prover.proof(plain, changed) if self.prover is not None else ("", False)
            if reason:
                self.mutants[number - 1] = replace(mutant, proof=reason, of_result=about_result)
            elif mutant.reads is not None and len(mutant.reads) == 1:
                (parameter,) = mutant.reads
                values = differing(plain, changed, parameter) if parameter in self.trackable else None
                if values is not None:
                    self.mutants[number - 1] = replace(mutant, differs_on=(parameter, values))
            if self.orders is not None and compares(changed, self.compared):
                orders = self.orders | literals([changed])
                self.mutants[number - 1] = replace(self.mutants[number - 1], orders=orders)
            return ast.IfExp(test=chosen(number), body=changed, orelse=original)
        if not mutant.witnessed or not (pure(changed) and pure(plain)):
            self.mutants[number - 1] = replace(mutant, witnessed=False)
            return original
        thunk = ast.Lambda(args=no_arguments(), body=changed)
        watch = ast.Call(
            func=ast.Name("_ts_w", ast.Load()), args=[ast.Constant(number), thunk, copy.deepcopy(plain)], keywords=[]
        )
        return ast.IfExp(test=chosen(number), body=watch, orelse=original)

    def expression(self, node: ast.expr, *, boundary: bool = True) -> ast.expr:
        """Rewrite an expression with all mutants in it."""
        if self.doomed:
            return node
        plain = copy.deepcopy(node)
        changed = self.inside(node)
        said: set[str] = set()
        for operator, text, make in alternatives(plain, self.above.get(id(node)), boundary=boundary):
            said.add(text)
            number = self.new(operator, plain, f"{short(plain)} → {text}", reads=plain)
            changed = self.choice(number, make(), changed, plain)
        for reading, other in neighbours(plain, self.above.get(id(node)), caught=self.caught):
            text = short(other)
            if (
                text in said
                or (not reading and (self.idle(plain) or text.startswith(self.single_fills)))
                or not may_differ(plain, reading, self.given - self.single, self.held())
            ):
                continue
            said.add(text)
            number = self.new("neighbour", plain, f"{short(plain)} → {text}", reads=plain, reading=reading)
            changed = self.choice(number, other, changed, plain)
        return changed

    def held(self) -> dict[str, ast.expr]:
        """Names that are given one plain value and no other, and parameters that are maps, with these values."""
        return {name: value for name, value in (self.started | self.maps).items() if name not in self.rebound}

    def idle(self, node: ast.expr) -> bool:
        """Whether an expression puts something in where only what is there is asked for."""
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
                return name in self.asked
            case _:
                return False

    def nested(self, node: ast.expr) -> ast.expr:
        """Rewrite a part of an expression; its own literals are changed with the whole."""
        return node if is_constant(node) else self.expression(node)

    def inside(self, node: ast.expr) -> ast.expr:
        """Rewrite the parts of an expression."""
        match node:
            case ast.JoinedStr():
                return self.inside(plain_format(node))
            case ast.Lambda():
                node.body = self.nested(node.body)
            case ast.Constant() | ast.Name() | ast.NamedExpr() | ast.Await() | ast.Yield() | ast.YieldFrom():
                pass
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                self.generators(node.generators)
                node.elt = self.nested(node.elt)
            case ast.DictComp():
                self.generators(node.generators)
                node.key, node.value = self.nested(node.key), self.nested(node.value)
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass" | "getattr" | "hasattr"), args=[first, *_]):
                node.args[0] = self.nested(first)
            case ast.Call():
                if isinstance(node.func, ast.Attribute):
                    node.func.value = self.nested(node.func.value)
                node.args = [
                    argument if isinstance(argument, ast.Starred) else self.nested(argument) for argument in node.args
                ]
                for keyword in node.keywords:
                    keyword.value = self.nested(keyword.value)
            case ast.Subscript():
                node.value = self.nested(node.value)
                node.slice = self.slice(node.slice)
            case ast.Attribute():
                node.value = self.nested(node.value)
            case ast.IfExp():
                node.test, node.body, node.orelse = (
                    self.nested(node.test),
                    self.nested(node.body),
                    self.nested(node.orelse),
                )
            case _:
                for name, value in ast.iter_fields(node):
                    if isinstance(value, ast.expr):
                        setattr(node, name, self.nested(value))
                    elif isinstance(value, list):
                        setattr(node, name, [self.part(item) for item in value])  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return node

    def part(self, item: object) -> object:
        """One member of a list of parts."""
        return self.nested(item) if isinstance(item, ast.expr) and not isinstance(item, ast.Starred) else item

    def generators(self, generators: Sequence[ast.comprehension]) -> None:
        """Rewrite sources and filters of a comprehension; a filter may also be dropped."""
        for generator in generators:
            generator.iter = self.source(generator.iter)
            filters: list[ast.expr] = [ast.Call(func=ast.Name("_ts_k", ast.Load()), args=[], keywords=[])]
            for condition in generator.ifs:
                text, plain = short(condition), copy.deepcopy(condition)
                changed = self.expression(condition)
                if not self.doomed:
                    number = self.new("filter", condition, f"if {text} dropped")
                    changed = self.choice(number, ast.Constant(True), changed, plain)
                filters.append(changed)
            generator.ifs = filters

    def slice(self, node: ast.expr) -> ast.expr:
        """Rewrite an index."""
        if isinstance(node, ast.Tuple):
            node.elts = [self.slice(item) for item in node.elts]
            return node
        if not isinstance(node, ast.Slice):
            return self.nested(node)
        for name in ("lower", "upper", "step"):
            bound: ast.expr | None = getattr(node, name)
            if bound is not None:
                setattr(node, name, self.nested(bound))
        return node


def _values(test: ast.expr) -> list[ast.expr]:
    return test.values if isinstance(test, ast.BoolOp) else [test]
