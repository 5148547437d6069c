"""Writes mutants into the expressions of a program, each behind the question whether it is on."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from pbt_generator.domain.oracle.mutation.equivalence import NEVER, Prover
from pbt_generator.domain.oracle.mutation.exhaustion import differing
from pbt_generator.domain.oracle.mutation.kept import Kept
from pbt_generator.domain.oracle.mutation.markers import chosen, chosen_among, no_arguments
from pbt_generator.domain.oracle.mutation.mutant import KEPT, Mutant
from pbt_generator.domain.oracle.mutation.neighbours import SLIP, may_differ, neighbours
from pbt_generator.domain.oracle.mutation.operators import (
    alternatives,
    is_constant,
    names_read,
    pure,
    shifted,
    short,
)
from pbt_generator.domain.oracle.mutation.rounds import shortened
from pbt_generator.domain.oracle.probes import plain_format
from pbt_generator.domain.oracle.proofs.catching import Catching
from pbt_generator.domain.oracle.proofs.reachability import RaisingWays
from pbt_generator.domain.oracle.syntax import FunctionNode, whole_number

# What the mutant that runs has in place of a literal that the program keeps.
_OWN = ast.Subscript(ast.Name("_ts_K", ast.Load()), ast.Name("_ts_M", ast.Load()), ast.Load())


class ExpressionMutator:
    """Rewrites the expressions of one program.

    Args:
        witness: Note where a mutant would differ, instead of running it.
    """

    def __init__(self, *, witness: bool) -> None:
        self.witness = witness
        self.mutants: list[Mutant] = []
        # Inside an arm that can only raise no returning input ever comes.
        self.doomed = False
        self.ways: RaisingWays | None = None
        # Assignments whose values only errors read, by their identity.
        self.unread: frozenset[int] = frozenset()
        # Statements that raise or do nothing.
        self.checks: frozenset[int] = frozenset()
        # Asserts whose errors are caught.
        self.asserts: frozenset[int] = frozenset()
        # What errors are made with that something reads which catches them.
        self.answers: frozenset[int] = frozenset()
        # Whether something may catch a wrong number of parts in what is rewritten.
        self.caught = False
        # Whether what is rewritten runs when the program is called, and not while it loads.
        self.called = False
        self.catching = Catching(ast.Module([], []))
        self.assigned: set[str] = set()
        self.parameters: frozenset[str] = frozenset()
        self.prover: Prover | None = None
        self.dead_lines: frozenset[int] = frozenset()
        # Parameters whose runs on a few values may prove something, and whether nothing changes their objects.
        self.trackable: dict[str, bool] = {}
        self.given: frozenset[str] = frozenset()
        # What nodes stood in before anything was rewritten, by their ids.
        self.above: dict[int, ast.AST] = {}
        self.started: dict[str, ast.expr] = {}
        self.cut: frozenset[str] = frozenset()  # names of the parts of a text
        self.held: dict[str, str] = {}  # kinds of what names hold
        self.maps: frozenset[str] = frozenset()  # parameters whose members are there once
        # Literals that the program keeps outside of what runs, and the mutants made of each.
        self.kept: Kept | None = None
        self.replaced: dict[str, list[int]] = {}
        self.literals: dict[int, ast.expr] = {}

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
                kept = self.trackable.get(parameter)
                found = None if kept is None else differing(plain, changed, parameter, kept=kept)
                if found is not None:
                    self.mutants[number - 1] = replace(
                        mutant, differs_on=(parameter, found.values), differs_beyond=found.beyond
                    )
            return ast.IfExp(test=chosen(number), body=changed, orelse=original)
        if not mutant.witnessed or not (pure(changed) and pure(plain)):
            self.mutants[number - 1] = replace(mutant, witnessed=False)
            return original
        thunk = ast.Lambda(args=no_arguments(), body=changed)
        watch = ast.Call(
            func=ast.Name("_ts_w", ast.Load()), args=[ast.Constant(number), thunk, copy.deepcopy(plain)], keywords=[]
        )
        return ast.IfExp(test=chosen(number), body=watch, orelse=original)

    def expression(self, node: ast.expr) -> ast.expr:
        """Rewrite an expression with all mutants in it."""
        if self.doomed:
            return node
        plain = copy.deepcopy(node)
        changed = self.inside(node)
        said: set[str] = set()
        changed = self.constant(plain, changed)
        for operator, text, make in alternatives(plain, self.above.get(id(node)), self.held):
            said.add(text)
            number = self.new(operator, plain, f"{short(plain)} → {text}", reads=plain)
            changed = self.choice(number, make(), changed, plain)
        for reading, other in neighbours(plain, self.above.get(id(node)), caught=self.caught):
            text = short(other).replace("_ts_", "")
            if text in said or not may_differ(plain, reading, self.given, self.cut, self.maps):
                continue
            said.add(text)
            number = self.new("neighbour", plain, f"{short(plain)} → {text}", reads=plain, reading=reading)
            changed = self.choice(number, other, changed, plain)
        return changed

    def constant(self, node: ast.expr, changed: ast.expr) -> ast.expr:
        """A literal that the module, a class or a default keeps, for which a mutant has another wherever it counts.

        No place speaks for the others, so nothing that is proved of one of them counts: but where control comes to
        none of them, the literal never matters.
        """
        for place in self.kept.places(node) if self.kept is not None else ():
            if place.key not in self.replaced:
                line = ast.Pass(lineno=place.line)
                numbers = [self.new(KEPT, line, text, witnessed=False) for text, _ in place.changes]
                self.replaced[place.key] = numbers
                self.literals |= zip(numbers, (other for _, other in place.changes), strict=True)
                self.noted(place.key, NEVER, frozenset())
            mutant = self.mutants[self.replaced[place.key][0] - 1]
            self.noted(place.key, mutant.proof if self.dead(node) else "", mutant.places | {node.lineno})
            if not self.witness:
                test = chosen_among(self.replaced[place.key])
                if place.asked is not None:
                    test = ast.BoolOp(ast.And(), [test, place.asked])
                changed = ast.IfExp(test=test, body=place.saying(copy.deepcopy(_OWN)), orelse=changed)
        return changed

    def kept_literals(self) -> list[ast.stmt]:
        """The statement of the module that says what mutants have in place of what the program keeps."""
        if self.witness or not self.literals:
            return []
        values = ast.Dict([ast.Constant(number) for number in self.literals], [*self.literals.values()])
        return [ast.Assign([ast.Name("_ts_K", ast.Store())], values)]

    def noted(self, name: str, proof: str, places: frozenset[int]) -> None:
        """Note with the mutants of a constant where it is read, and the proof that no such place is reached."""
        for number in self.replaced[name]:
            self.mutants[number - 1] = replace(self.mutants[number - 1], proof=proof, places=places)

    def dead(self, node: ast.expr) -> bool:
        """Whether control never comes to an expression, by proof."""
        return node.lineno in self.dead_lines

    def nested(self, node: ast.expr) -> ast.expr:
        """Rewrite a part of an expression; its own literals are changed with the whole."""
        return node if is_constant(node) else self.expression(node)

    def inside(self, node: ast.expr) -> ast.expr:
        """Rewrite the parts of an expression."""
        match node:
            case ast.JoinedStr():
                return self.inside(plain_format(node))
            case ast.Lambda():
                self.defaults(node)
                node.body = self.nested(node.body)
            case ast.Constant() | ast.Name() | ast.Yield(value=None):
                pass
            case (
                ast.Yield(value=ast.expr() as value)
                | ast.YieldFrom(value=value)
                | ast.Await(value=value)
                | ast.NamedExpr(value=value)
                | ast.Starred(value=value)
            ):
                node.value = self.nested(value)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                self.generators(node.generators)
                node.elt = self.nested(node.elt)
            case ast.DictComp():
                self.generators(node.generators)
                node.key, node.value = self.nested(node.key), self.nested(node.value)
            case ast.Call(func=ast.Name(id="getattr"), args=[first, name, default]):
                node.args = [self.nested(first), name, self.nested(default)]
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass" | "getattr" | "hasattr"), args=[first, *_]):
                node.args[0] = self.nested(first)
            case ast.Call():
                if isinstance(node.func, ast.Attribute):
                    node.func.value = self.nested(node.func.value)
                elif not isinstance(node.func, ast.Name):
                    # A function out of a table, or one that was made.
                    node.func = self.nested(node.func)
                node.args = [self.part(argument) for argument in node.args]
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
                        parts = cast("list[ast.AST | None]", value)
                        setattr(node, name, [self.part(item) if isinstance(item, ast.expr) else item for item in parts])
        return node

    def defaults(self, node: FunctionNode | ast.Lambda) -> None:
        """Rewrite the defaults of a function that is made while mutants run, those that a call may leave it to."""
        arguments = node.args
        left = self.kept.left(node, self.above.get(id(node))) if self.kept is not None else frozenset[str]()
        first = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
        placed = [*arguments.posonlyargs, *arguments.args][first:]
        for parameters, defaults in ((placed, arguments.defaults), (arguments.kwonlyargs, arguments.kw_defaults)):
            for place, (parameter, default) in enumerate(zip(parameters, list(defaults), strict=True)):
                if default is not None and parameter.arg in left:
                    defaults[place] = self.expression(default)

    def part(self, item: ast.expr) -> ast.expr:
        """One member of a list of parts; `*a` is none by itself, and what it goes over is."""
        return self.inside(item) if isinstance(item, ast.Starred) else self.nested(item)

    def target(self, node: ast.expr) -> None:
        """Rewrite what is computed to find the place that a statement writes to, or deletes."""
        match node:
            case ast.Subscript():
                node.value = self.nested(node.value)
                node.slice = self.written_at(node.slice)
            case ast.Attribute(value=value):
                node.value = self.nested(value)
            case ast.Starred(value=value):
                self.target(value)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self.target(part)
            case _:
                pass

    def written_at(self, node: ast.expr) -> ast.expr:
        """Rewrite the index of a place that is written to; a whole number is one by itself."""
        if isinstance(node, ast.Slice):
            for name in ("lower", "upper", "step"):
                bound: ast.expr | None = getattr(node, name)
                setattr(node, name, None if bound is None else self.written_at(bound))
            return node
        return self.expression(node) if whole_number(node) is not None else self.slice(node)

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

    def source(self, node: ast.expr) -> ast.expr:
        """What a loop goes over: all of it, all but the first, all but the last."""
        parts = [] if self.doomed else shortened(node)
        plain = copy.deepcopy(node)
        changed = self.expression(node)
        for words, part in parts:
            number = self.new("round", plain, f"{words} of {short(plain)} left out", witnessed=False)
            changed = self.choice(number, part, changed, plain)
        for name, words in (("_ts_distinct", "repeats"), ("_ts_two", "all but two")) if parts else ():
            number = self.new("round", plain, f"{words} of {short(plain)} left out", witnessed=False, reading=SLIP)
            part = ast.Call(ast.Name(name, ast.Load()), [copy.deepcopy(plain)], [])
            changed = self.choice(number, part, changed, plain)
        return changed


def _values(test: ast.expr) -> list[ast.expr]:
    return test.values if isinstance(test, ast.BoolOp) else [test]
