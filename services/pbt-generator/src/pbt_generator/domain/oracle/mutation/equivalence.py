"""Proofs that a mutant gives the value of the original wherever control comes to its place.

Each rule holds for every input. What the rules cannot show stays alive; what a run shows to differ loses its proof.
"""

from __future__ import annotations

import ast
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Protocol

from pbt_generator.domain.oracle.mutation.surroundings import Surroundings
from pbt_generator.domain.oracle.proofs.flow import Fact, Flow, names_of
from pbt_generator.domain.oracle.syntax import FunctionNode

Number = int | float
Tester = Callable[[Number], bool]
_OPERATORS: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq,
}  # fmt: skip
# Beyond it floats and integers do not compare as easily.
_LARGE = 10**15
_BUILTINS = {"len", "isinf", "isnan", "math", "round", "int", "float", "isinstance"}


# The proof of what control never comes to; a run that comes there takes it back.
NEVER = "control never comes to it"


class Known(Protocol):
    """What the walk over a function knows of its expressions; see `interpretation`."""

    def kind(self, node: ast.expr) -> str:
        """The kind of an expression at its place: "int", "str", "whole", "text", or empty."""
        ...

    def agree(self, plain: ast.expr, changed: ast.expr) -> bool:
        """Whether a comparison and a changed one have the same single truth value."""
        ...

    def never(self, node: ast.expr) -> bool:
        """Whether control never comes to an expression."""
        ...


class Prover:
    """Proves mutants of one function equivalent.

    Args:
        function: The function as it was written, with positions.
        known: What the walk over it found; None without one.
        module: The program around it, as it was written; None where nothing stands around it.
        entry: The function that is called from outside, where it is another one.
    """

    def __init__(
        self,
        function: FunctionNode,
        known: Known | None = None,
        module: ast.Module | None = None,
        entry: FunctionNode | None = None,
    ) -> None:
        self.flow = Flow(function)
        self.helps = entry is not None
        self.known = known
        self.surroundings = Surroundings(module or ast.Module([function], []), self.flow, self.kind, entry or function)
        self.facts: dict[int, list[Fact]] = {}
        # A function that gives a builtin's name another meaning is left alone.
        self.shadowed = bool(_BUILTINS & self.flow.parameters) or any(
            not (isinstance(node, ast.alias) and node.name == name == "math")
            for name in _BUILTINS
            for node in self.flow.writes.get(name, ())
        )

    def reads_parameters(self, node: ast.expr) -> frozenset[str] | None:
        """The inputs that an expression reads as they came in; None when it reads something else too."""
        place = self.flow.find(node)
        if place is None or self.helps:
            return None
        names = names_of(place) - _KNOWN
        if not names <= self.flow.parameters or not self.flow.unchanged(names, None, place):
            return None
        return names

    def reason(self, plain: ast.expr, changed: ast.expr) -> str:
        """Why a changed expression always has the value of the original; empty when nothing shows it."""
        place = self.flow.find(plain)
        if place is None or self.shadowed:
            return ""
        if self.known is not None and self.known.never(place):
            return NEVER
        if self.known is not None and self.known.agree(place, changed):
            return "both have one truth value, and the same"
        match place:
            case ast.Compare():
                rules = (self._number,)
            case ast.Call(func=ast.Name(id="round" | "int" | "str")):
                rules = (self._rounding,)
            case _:
                return ""
        facts = self._facts(place)
        return next((found for rule in rules for found in [rule(place, changed, facts)] if found), "")

    def proof(self, plain: ast.expr, changed: ast.expr) -> tuple[str, bool]:
        """Why a changed expression never makes another result, and whether it may have another value at its place.

        Empty and False when nothing shows it.
        """
        reason = self.reason(plain, changed)
        place = self.flow.find(plain)
        if reason or place is None or self.shadowed:
            return reason, False
        reason = self.surroundings.reason(place, changed, self._facts(place))
        return reason, bool(reason)

    def ends(self, source: ast.expr) -> str:
        """Why a loop may as well leave out an end of what it goes over; empty when nothing shows it."""
        place = self.flow.find(source)
        loop = self.flow.parents.get(id(place)) if place is not None else None
        return self.surroundings.empty_loop(loop) if isinstance(loop, (ast.For, ast.AsyncFor)) else ""

    def kind(self, node: ast.expr) -> str:
        """The kind of an expression at its place; empty when it is not known."""
        return self.known.kind(node) if self.known is not None else ""

    def _facts(self, place: ast.expr) -> list[Fact]:
        if id(place) not in self.facts:
            self.facts[id(place)] = [fact for fact in self.flow.facts(place) if self.flow.holds(fact, place)]
        return self.facts[id(place)]

    def _number(self, plain: ast.expr, changed: ast.expr, facts: Sequence[Fact]) -> str:
        """Two tests of one number that agree on every number which the tests on the way let through."""
        if not isinstance(plain, ast.Compare) or not isinstance(changed, ast.Compare):
            return ""
        subject = _subject(plain)
        if subject is None or subject != _subject(changed):
            return ""
        whole = subject.startswith("len(") or self.kind(_subject_node(plain)) in {"int", "whole"}
        tests = [(tester, fact.truth) for fact in facts for tester in [_tester(fact.test, subject)] if tester]
        if not tests:
            return ""
        first, second = _tester(plain, subject), _tester(changed, subject)
        if first is None or second is None:
            return ""
        limits = {
            number for node in (plain, changed, *(fact.test for fact in facts)) for number in _numbers(node, subject)
        }
        if not all(abs(limit) < _LARGE for limit in limits):
            return ""
        for value in _samples(limits, whole=whole, sized=subject.startswith("len(")):
            if all(tester(value) == truth for tester, truth in tests) and first(value) != second(value):
                return ""
        return f"the tests on the way leave no `{subject}` on which it differs"

    def _rounding(self, plain: ast.expr, changed: ast.expr, _facts: Sequence[Fact]) -> str:
        """`round`, `int` and `str` of what is that already."""
        match plain:
            case ast.Call(func=ast.Name(id="round" | "int" as name), args=[value, *digits], keywords=[]):
                if self.kind(value) != "int" or (name == "int" and digits):
                    return ""
                if not all(_digits(given) for given in digits):
                    return ""
                if ast.dump(changed) == ast.dump(value):
                    return "a whole number is rounded"
                match changed:
                    case ast.Call(func=ast.Name(id="round"), args=[other, *more], keywords=[]) if name == "round":
                        if ast.dump(other) == ast.dump(value) and all(_digits(given) for given in more):
                            return "a whole number is rounded"
                    case _:
                        pass
            case ast.Call(func=ast.Name(id="str"), args=[value], keywords=[]):
                if self.kind(value) == "str" and ast.dump(changed) == ast.dump(value):
                    return "it is a text already"
            case _:
                pass
        return ""


_KNOWN = {
    "len", "isinstance", "str", "int", "float", "bool", "list", "dict", "tuple", "set", "abs", "min", "max", "bytes",
    "sorted", "sum", "any", "all", "round",
}  # fmt: skip


def _digits(node: ast.expr) -> bool:
    """Whether a second argument of `round` is a number of digits that leaves a whole number as it is."""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value >= 0


def _value(node: ast.expr) -> Number | None:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return None if isinstance(value, bool) else -value
        case _:
            return None


def _subject_node(test: ast.Compare) -> ast.expr:
    return next((side for side in (test.left, *test.comparators) if _value(side) is None), test.left)


def _subject(test: ast.expr) -> str | None:
    """The one name or length that a comparison holds against numbers, as text."""
    if not isinstance(test, ast.Compare):
        return None
    sides = [side for side in (test.left, *test.comparators) if _value(side) is None]
    if len(sides) != 1 or not all(type(op) in _OPERATORS for op in test.ops):
        return None
    match sides[0]:
        case ast.Name():
            return ast.unparse(sides[0])
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name()], keywords=[]):
            return ast.unparse(sides[0])
        case _:
            return None


def _numbers(test: ast.expr, subject: str) -> list[Number]:
    if _subject(test) != subject or not isinstance(test, ast.Compare):
        return []
    return [number for side in (test.left, *test.comparators) for number in [_value(side)] if number is not None]


def _tester(test: ast.expr, subject: str) -> Tester | None:
    """A test of one number as a function of it; None for a test of something else."""
    match test:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="math"), attr="isinf" | "isnan" as name), args=[ast.Name(id=given)]
        ) if given == subject:
            return math.isinf if name == "isinf" else math.isnan
        case ast.Name(id=given) if given == subject:
            return bool
        case ast.Compare() if _subject(test) == subject:
            sides = [_value(side) for side in (test.left, *test.comparators)]
            checks = [_OPERATORS[type(op)] for op in test.ops]

            def run(number: Number) -> bool:
                filled = [number if side is None else side for side in sides]
                return all(
                    check(left, right) for check, (left, right) in zip(checks, itertools.pairwise(filled), strict=True)
                )

            return run
        case _:
            return None


def _samples(limits: set[Number], *, whole: bool, sized: bool) -> list[Number]:
    """Numbers that stand for all: the limits, what lies between and beyond them, and what is no number."""
    ordered = sorted({*limits, 0})
    if whole:
        near = {math.floor(limit) + step for limit in ordered for step in (-1, 0, 1)}
        return sorted(number for number in near if not sized or number >= 0)
    between = [(first + second) / 2 for first, second in itertools.pairwise(ordered)]
    return [*ordered, *between, ordered[0] - 1, ordered[-1] + 1, math.inf, -math.inf, math.nan]


__all__ = ["NEVER", "Known", "Prover"]
