"""Proofs that a mutant gives the result of the original.

Each rule holds for every input. What the rules cannot show stays alive; what a run shows to differ loses its proof.
"""

from __future__ import annotations

import ast

from pbt_generator.domain.oracle.mutation.operators import pure
from pbt_generator.domain.oracle.proofs.declared import Declared, is_decided, is_foreign, simplified
from pbt_generator.domain.oracle.proofs.flow import Flow, names_of
from pbt_generator.domain.oracle.proofs.patterns import Patterns, tied_to_beginning
from pbt_generator.domain.oracle.syntax import CATCHING, FunctionNode, bound_names, may_be_methods

# Whether a method strips the beginning, and the end.
_STRIPPED = {"strip": (True, True), "lstrip": (True, False), "rstrip": (False, True)}
_BUILTINS = {"len", "isinf", "isnan", "math", "round", "int", "float", "isinstance"}
_MADE = {"list", "sorted", "str"}


# The proof of what control never comes to; a run that comes there takes it back.
NEVER = "control never comes to it"


class Prover:
    """Proves mutants of one function equivalent.

    Args:
        function: The function as it was written, with positions.
        known: The kinds of its parameters; None where nothing is known.
        module: The program around it, as it was written; None where nothing stands around it.
        entry: The function that is called from outside, where it is another one.
    """

    def __init__(
        self,
        function: FunctionNode,
        known: Declared | None = None,
        module: ast.Module | None = None,
        entry: FunctionNode | None = None,
    ) -> None:
        self.flow = Flow(function)
        self.helps = entry is not None
        self.known = known
        whole = module or ast.Module([function], [])
        self.patterns = Patterns(whole)
        self.catches = any(isinstance(node, CATCHING) for node in ast.walk(whole))
        self.bound = bound_names(whole).keys()
        self.plain = not is_foreign(whole)
        # Whatever is asked by these names may be an object of the program, and no text or map.
        self.own = may_be_methods(whole)
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
        if not names <= self.flow.parameters or not self.flow.unchanged(names, place):
            return None
        return names

    def reason(self, plain: ast.expr, changed: ast.expr) -> str:
        """Why a changed expression always has the value of the original; empty when nothing shows it."""
        place = self.flow.find(plain)
        if place is None or self.shadowed:
            return ""
        return self._rounding(place, changed) or self._copied(place, changed) or self._none_by_itself(place, changed)

    def proof(self, plain: ast.expr, changed: ast.expr) -> tuple[str, bool]:
        """Why a changed expression never makes another result, and whether it may have another value at its place.

        Empty and False when nothing shows it.
        """
        reason = self.reason(plain, changed)
        place = self.flow.find(plain)
        if reason or place is None or self.shadowed:
            return reason, False
        if self.known is not None and self.known.never(place):
            return NEVER, False
        reason = self._tied(place, changed) or self._stripped(place, changed) or self._decided(place, changed)
        return reason, bool(reason)

    def kind(self, node: ast.expr) -> str:
        """The kind of an expression at its place; empty when it is not known."""
        return self.known.kind(node) if self.known is not None else ""

    def _decided(self, place: ast.expr, changed: ast.expr) -> str:
        """A test that differs in a part only which the kinds of what it reads decide."""
        if self.known is None or not self._asked_whether_true(place):
            return ""
        outcomes = self.known.outcomes(place)
        before, after = (simplified(each, outcomes) for each in (place, changed))
        alike = bool(outcomes) and ast.dump(before) == ast.dump(after)
        if isinstance(before, ast.BoolOp) and is_decided(last := before.values[-1]) and is_decided(after):
            # What stands before the decided part may fail, and nothing else comes of it.
            alike = alike or (last.value is after.value and not self._may_be_caught(place) and pure(before))
        return "the kinds of what it reads leave one outcome" if alike else ""

    def _may_be_caught(self, place: ast.expr) -> bool:
        """Whether an error of an expression may end in another way than by leaving the function."""
        inner = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        # Who asks an inner function may take its error for an answer.
        around = (parent for _, parent in self.flow.ancestors(place) if parent is not self.flow.function)
        return self.catches or any(isinstance(parent, inner) for parent in around)

    def _asked_whether_true(self, place: ast.expr) -> bool:
        """Whether nothing of an expression is used but its truth."""
        for below, parent in self.flow.ancestors(place):
            match parent:
                case ast.UnaryOp(op=ast.Not()):
                    return True
                case ast.BoolOp():
                    pass
                case ast.If() | ast.While() | ast.IfExp() | ast.Assert():
                    return parent.test is below
                case ast.comprehension():
                    return below in parent.ifs
                case _:
                    return False
        return False

    def _rounding(self, plain: ast.expr, changed: ast.expr) -> str:
        """`round` and `int` of what is whole already."""
        match plain:
            case ast.Call(func=ast.Name(id="round" | "int"), args=[value], keywords=[]):
                alike = self.kind(value) == "int" and ast.dump(changed) == ast.dump(value)
                return "a whole number is rounded" if alike else ""
            case _:
                return ""

    def _copied(self, plain: ast.expr, changed: ast.expr) -> str:
        """A list or text that was made for nobody else, made once more."""
        match plain:
            case ast.Call(func=ast.Name(id="list"), args=[made], keywords=[]):
                fresh = isinstance(made, (ast.List, ast.ListComp)) or _calls(made, "sorted", "list")
            case ast.Call(func=ast.Name(id="str"), args=[made], keywords=[]):
                fresh = isinstance(made, ast.JoinedStr)
            case _:
                return ""
        fresh = fresh and not self.bound & _MADE
        return "it is made anew already" if fresh and ast.dump(changed) == ast.dump(made) else ""

    def _none_by_itself(self, plain: ast.expr, changed: ast.expr) -> str:
        """An entry that is None where it is not there, asked for without saying so."""
        match plain, changed:
            case (
                ast.Call(func=ast.Attribute(attr="get") as asked, args=[key, ast.Constant(value=None)], keywords=[]),
                ast.Call(func=ast.Attribute(attr="get") as same, args=[other], keywords=[]),
            ):
                alike = ast.dump(asked) == ast.dump(same) and ast.dump(key) == ast.dump(other)
            case _:
                return ""
        # A class of the program's own may have another default, and what is imported, too.
        return "what is not there is None by itself" if alike and self.of_builtins("get") else ""

    def of_builtins(self, *names: str) -> bool:
        """Whether methods of these names are those of the language's own kinds, whatever they are asked of."""
        return self.plain and not self.own & {*names, *_ANY_NAME}

    def _tied(self, place: ast.expr, changed: ast.expr) -> str:
        """An expression tied to the beginning of a text finds nothing elsewhere, and nothing more than once."""
        match place, changed:
            case (
                ast.Call(func=ast.Attribute(value=owner, attr=first), args=args),
                ast.Call(func=ast.Attribute(value=owner2, attr=second), args=args2),
            ) if ast.dump(owner) == ast.dump(owner2):
                sides = [[ast.dump(part) for part in (*call.args, *call.keywords)] for call in (place, changed)]
            case _:
                return ""
        elsewhere = sides[0] == sides[1] and {first, second} == {"match", "search"}
        # An empty beginning is found once, too: behind it there is none.
        once = first == second == "sub" and len(args2) == len(args) + 1 and sides[1][:-1] == sides[0]
        once = once and isinstance(last := args2[-1], ast.Constant) and last.value == 1
        parsed = self.patterns.asked(place) if elsewhere or once else None
        tied = parsed is not None and tied_to_beginning(parsed)
        return "the expression is tied to the beginning" if tied else ""

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
        if not same or not self.of_builtins(*_STRIPPED):
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
            ) if func is attribute and sought and self.of_builtins(asked):
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


# A class that has these answers to any name.
_ANY_NAME = {"__getattr__", "__getattribute__"}
_KNOWN = {
    "len", "isinstance", "str", "int", "float", "bool", "list", "dict", "tuple", "set", "abs", "min", "max", "bytes",
    "sorted", "sum", "any", "all", "round",
}  # fmt: skip


def _calls(node: ast.expr, *names: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


__all__ = ["NEVER", "Prover"]
