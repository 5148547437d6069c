"""Proofs that need more than a place: what is done with its value, where its names come from, which way only raises.

As in `equivalence`, each rule holds for every input of the task. An input on which the ground truth raises is no case:
where a mutant differs on such inputs alone, nothing that a caller is judged on tells it from the ground truth.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence

from pbt_generator.domain.oracle.mutation.operators import pure
from pbt_generator.domain.oracle.proofs.flow import Fact, Flow
from pbt_generator.domain.oracle.proofs.module_facts import ModuleFacts, tied_to_beginning, tied_to_end
from pbt_generator.domain.oracle.proofs.reachability import RaisingWays
from pbt_generator.domain.oracle.syntax import FunctionNode, whole_number

_WIDER: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.Gt: ast.GtE}
# Whether a method strips the beginning, and the end.
_STRIPPED = {"strip": (True, True), "lstrip": (True, False), "rstrip": (False, True)}
# Who goes over what it is given, to the end or not, and catches nothing.
_CONSUMERS = {"sum", "list", "tuple", "dict", "set", "any", "all", "min", "max", "sorted"}


class Surroundings:
    """Rules about places of one function.

    Args:
        module: The program, as it was written.
        flow: The function in it.
        kind: Tells the kind of an expression at its place; empty when it is not known.
        entry: The function that is called from outside: what raises elsewhere may be caught there.
    """

    def __init__(self, module: ast.Module, flow: Flow, kind: Callable[[ast.expr], str], entry: FunctionNode) -> None:
        self.flow = flow
        self.kind = kind
        self.names = ModuleFacts(module)
        self.ways = RaisingWays(module, entry)
        self.catches = any(
            isinstance(node, (ast.Try, ast.TryStar, ast.With, ast.AsyncWith)) for node in ast.walk(module)
        )

    def reason(self, place: ast.expr, changed: ast.expr, facts: Sequence[Fact]) -> str:
        """Why an expression of the function and a changed one make no difference; empty when nothing shows it."""
        found = (
            self._annotation(place, changed)
            or self._one_part(place, changed)
            or self._true_entries(place, changed)
            or self._lengths(place, changed)
            or self._none(place, changed, facts)
            or self._tied(place, changed)
            or self._collapsing(place, changed)
            or self._stripped(place, changed)
        )
        return found or self._accepting(place, changed)

    def empty_loop(self, node: ast.For | ast.AsyncFor) -> str:
        """Why the ends of what a loop goes over make no difference: its first round raises."""
        only_raises = self.ways.arm(node, "body")
        return "where the loop goes round at all, the ground truth raises" if only_raises else ""

    # What is done with the value

    def _one_part(self, place: ast.expr, changed: ast.expr) -> str:
        """The first or the last part of a text, cut once or as often as it goes."""
        parent = self.flow.parents.get(id(place))
        if not (isinstance(parent, ast.Subscript) and parent.value is place and isinstance(parent.ctx, ast.Load)):
            return ""
        number = whole_number(parent.slice)
        first, second = _end(place, number), _end(changed, number)
        return "the part that is taken is the same" if first is not None and first == second else ""

    def _stripped(self, place: ast.expr, changed: ast.expr) -> str:
        """A text that is stripped at another end, where only what is left at one end, or whether any is, is asked."""
        match place, changed:
            case (
                ast.Call(func=ast.Attribute(value=owner, attr=first), args=args),
                ast.Call(func=ast.Attribute(value=owner2, attr=second), args=args2),
            ) if {first, second} <= _STRIPPED.keys() and ast.dump(owner) == ast.dump(owner2):
                same = [ast.dump(part) for part in args] == [ast.dump(part) for part in args2]
            case _:
                return ""
        if not same:
            return ""
        if self._asked_whether_empty(place):
            return "stripped at one end or at both, a text is empty alike"
        attribute = self.flow.parents.get(id(place))
        call = self.flow.parents.get(id(attribute))
        match attribute, call, args:
            case (
                ast.Attribute(attr="startswith" | "endswith" as asked),
                ast.Call(func=func, args=[ast.Constant(value=str() as sought)]),
                [] | [ast.Constant(value=str())],
            ) if func is attribute and sought:
                end, outer = (0, sought[-1]) if asked == "startswith" else (1, sought[0])
            case _:
                return ""
        taken = args[0].value if args and isinstance(args[0], ast.Constant) else None
        kept = outer not in taken if isinstance(taken, str) else not outer.isspace()
        alike = _STRIPPED[first][end] and _STRIPPED[second][end]
        return "the end that is asked for is stripped alike" if kept and alike else ""

    def _asked_whether_empty(self, place: ast.expr) -> bool:
        """Whether nothing is done with a text but to ask whether it is empty."""
        for below, parent in self.flow.ancestors(place):
            match parent:
                case ast.UnaryOp(op=ast.Not()) | ast.Call(func=ast.Name(id="bool"), args=[_], keywords=[]):
                    return True
                case ast.Compare(ops=[ast.Eq() | ast.NotEq()]) if below is place:
                    sides = (parent.left, parent.comparators[0])
                    return any(isinstance(side, ast.Constant) and side.value == "" for side in sides)
                case ast.BoolOp():
                    pass
                case ast.If() | ast.While() | ast.IfExp():
                    return parent.test is below
                case ast.comprehension():
                    return below in parent.ifs
                case _:
                    return False
        return False

    def _lengths(self, place: ast.expr, changed: ast.expr) -> str:
        """`zip` that does not ask for equal lengths: who asks for them raises, and nothing catches that."""
        match place, changed:
            case (
                ast.Call(func=ast.Name(id="zip"), keywords=[ast.keyword(arg="strict", value=ast.Constant(value=True))]),
                ast.Call(func=ast.Name(id="zip"), keywords=[ast.keyword(arg="strict", value=ast.Constant(value=False))])
                | ast.Call(func=ast.Name(id="zip"), keywords=[]),
            ):
                pass
            case _:
                return ""
        if [ast.dump(part) for part in place.args] != [ast.dump(part) for part in changed.args] or self.catches:
            return ""
        for below, parent in self.flow.ancestors(place):
            match parent:
                case ast.comprehension(iter=source) | ast.For(iter=source) if source is below:
                    if isinstance(parent, ast.For):
                        return "it differs only where the ground truth raises"
                case ast.ListComp() | ast.SetComp() | ast.DictComp():
                    return "it differs only where the ground truth raises"
                case ast.GeneratorExp():
                    pass
                case ast.Call(func=ast.Name(id=name)) if name in _CONSUMERS and name not in self.flow.renamed:
                    return "it differs only where the ground truth raises"
                case _:
                    return ""
        return ""

    # Where names come from

    def _annotation(self, place: ast.expr, changed: ast.expr) -> str:
        """The type that `cast` is told is for readers."""
        match place, changed:
            case (ast.Call(func=first, args=[said, value], keywords=[]), ast.Call(func=second, args=[other, same])):
                if self.names.origin(first) not in {"typing.cast", "typing_extensions.cast"}:
                    return ""
                plain = all(isinstance(node, ast.Constant) for node in (said, other))
                alike = ast.dump(first) == ast.dump(second) and ast.dump(value) == ast.dump(same)
                return "a type that is told changes nothing" if plain and alike else ""
            case _:
                return ""

    def _true_entries(self, place: ast.expr, changed: ast.expr) -> str:
        """`TABLE.get(key, other)` and `TABLE.get(key) or other`, where every value of the table is true."""
        match place, changed:
            case (
                ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="get"),
                    args=[key, ast.Name() | ast.Constant() as default],
                    keywords=[],
                ),
                ast.BoolOp(
                    op=ast.Or(),
                    values=[ast.Call(func=ast.Attribute(value=ast.Name(id=same), attr="get"), args=[key2]), default2],
                ),
            ) if name == same and ast.dump(key) == ast.dump(key2) and ast.dump(default) == ast.dump(default2):
                table = self.names.tables.get(name)
                return "every value of the table is true" if table is not None and all(table.values()) else ""
            case _:
                return ""

    def _tied(self, place: ast.expr, changed: ast.expr) -> str:
        """An expression tied to one end of a text finds nothing elsewhere."""
        match place, changed:
            case (
                ast.Call(func=ast.Attribute(value=owner, attr=first)),
                ast.Call(func=ast.Attribute(value=owner2, attr=second)),
            ) if ast.dump(owner) == ast.dump(owner2):
                sides = [[ast.dump(part) for part in (*call.args, *call.keywords)] for call in (place, changed)]
            case _:
                return ""
        pair = {first, second}
        if sides[0] != sides[1] or pair not in ({"match", "search"}, {"match", "fullmatch"}):
            return ""
        parsed = self.names.pattern(place)
        if parsed is None:
            return ""
        if "search" in pair:
            return "the expression is tied to the beginning" if tied_to_beginning(parsed) else ""
        return "the expression is tied to the end" if tied_to_end(parsed) else ""

    # What tests say

    def _none(self, place: ast.expr, changed: ast.expr, facts: Sequence[Fact]) -> str:
        """A name that is None, and None."""
        match place, changed:
            case ast.Name(id=name), ast.Constant(value=None):
                pass
            case _:
                return ""
        for fact in facts:
            match fact.test:
                case ast.Compare(
                    left=ast.Name(id=asked), ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]
                ) if asked == name and fact.truth == isinstance(op, ast.Is):
                    return "an earlier test shows that it is None"
                case _:
                    pass
        return ""

    def _accepting(self, place: ast.expr, changed: ast.expr) -> str:
        """A test that lets more through than the ground truth does, which raises for all the rest."""
        test = place
        for below, parent in self.flow.ancestors(place):
            match parent:
                case ast.BoolOp(op=ast.And()):
                    test = parent
                case ast.If() if parent.test is below and self.ways.arm(parent, "false"):
                    break
                case _:
                    return ""
        else:
            return ""
        if not pure(test):
            return ""
        other = _replaced(test, place, changed)
        known = _conjuncts(test)
        return "it differs only where the ground truth raises" if _follows(other, known) else ""

    # Loops

    def _collapsing(self, place: ast.expr, changed: ast.expr) -> str:
        """`while "--" in s: s = s.replace("--", "-")`: once a round or all at once, it ends with the same text."""
        match place, changed:
            case (
                ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="replace"),
                    args=[ast.Constant(value=str() as old), ast.Constant(value=str() as new)],
                    keywords=[],
                ),
                ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name2), attr="replace"),
                    args=[ast.Constant(value=old2), ast.Constant(value=new2), ast.Constant(value=1)],
                    keywords=[],
                ),
            ) if (name, old, new) == (name2, old2, new2):
                pass
            case _:
                return ""
        if len(set(old)) != 1 or not set(new) <= set(old) or len(new) >= len(old):
            return ""
        statement = self.flow.parents.get(id(place))
        loop = self.flow.parents.get(id(statement))
        match statement, loop:
            case (
                ast.Assign(targets=[ast.Name(id=written)]),
                ast.While(
                    test=ast.Compare(left=ast.Constant(value=sought), ops=[ast.In()], comparators=[ast.Name(id=asked)]),
                    body=[only],
                ),
            ) if written == asked == name and sought == old and only is statement:
                return "repeated until nothing is left, it ends with the same text"
            case _:
                return ""


def popped(node: ast.expr) -> str:
    """Why a call that is run twice does no more than once; empty when nothing shows it.

    Example:
        >>> [bool(popped(ast.parse(text, mode="eval").body)) for text in ("d.pop('k', None)", "d.pop(0)")]
        [True, False]
    """
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(), attr="pop"),
            args=[ast.Name() | ast.Constant(), ast.Constant()],
            keywords=[],
        ):
            return "what is taken out by its key is gone"
        case _:
            return ""


def _end(node: ast.expr, number: int | None) -> tuple[object, ...] | None:
    """Which end of a text `text.split(…)[number]` takes; None for another part, or another call."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="split" | "rsplit" as attr), args=args, keywords=[]):
            pass
        case _:
            return None
    separator: object = None
    if args:
        match args[0]:
            case ast.Constant(value=None):
                pass
            case ast.Constant(value=str() as separator) if separator:
                pass
            case _:
                return None
    limit = whole_number(args[1]) if len(args) == 2 else None
    if len(args) > 2 or (len(args) == 2 and (limit is None or limit < 1)):
        return None
    end = {0: "first", -1: "last"}.get(number) if number is not None else None
    if end is None:
        return None
    # Cut from the other side, an end is the same only where all is cut, and no separator overlaps another.
    overlaps = isinstance(separator, str) and any(separator[:n] == separator[-n:] for n in range(1, len(separator)))
    if (attr == "split") != (end == "first") and (limit is not None or overlaps):
        return None
    return end, ast.dump(owner), separator


def _conjuncts(test: ast.expr) -> list[ast.expr]:
    """What holds where a test is true, every part of it evaluated."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in _conjuncts(value)]
    return [test]


def _follows(test: ast.expr, known: Sequence[ast.expr]) -> bool:
    """Whether a test is true, and does not raise, where all that is known holds."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_follows(value, known) for value in values)
        case ast.BoolOp(op=ast.Or(), values=values):
            return _follows(values[0], known)
        case ast.Constant(value=True):
            return True
        case _:
            return any(_wider(part, test) for part in known)


def _wider(known: ast.expr, test: ast.expr) -> bool:
    """Whether a test holds where a known one does."""
    if ast.dump(known) == ast.dump(test):
        return True
    match known, test:
        case (
            ast.Compare(left=left, ops=[op], comparators=[right]),
            ast.Compare(left=left2, ops=[op2], comparators=[right2]),
        ):
            same = ast.dump(left) == ast.dump(left2) and ast.dump(right) == ast.dump(right2)
            return same and type(op2) is _WIDER.get(type(op))
        case _:
            return False


def _replaced(test: ast.expr, place: ast.expr, changed: ast.expr) -> ast.expr:
    """A copy of a test with another expression in one place."""
    if test is place:
        return changed
    return copy.deepcopy(test, {id(place): changed})


__all__ = ["Surroundings", "popped"]
