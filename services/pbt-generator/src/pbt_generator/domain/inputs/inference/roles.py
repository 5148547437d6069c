"""What a body does with a parameter that no other use tells: it calls it, counts by it, or compares it.

Read from the syntax tree, for parameters that nobody declares. A count is brought together with a length or a place:
callers send whole numbers. What is called takes no data. What is compared is no flag, whatever its name: flags are
tested.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbt_generator.domain.oracle.syntax import FunctionNode, named_parameters

_MEASURES = {"len", "range"}
_PLACES = {"index", "rindex", "find", "rfind", "count", "bit_length"}
_KEEP_WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow)
# From these a sum follows its parts: what is whole of it is whole of them.
_LINEAR = (ast.Add, ast.Sub, ast.Mult)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_EQUALS = (ast.Eq, ast.NotEq)
# Whoever rounds a number, or makes one whole, is given others.
_ROUNDING = {"round", "float", "int", "floor", "ceil", "trunc", "isclose", "isfinite", "isnan", "is_integer", "Decimal"}
_ASKING = {"isinstance", "callable", "issubclass", "hasattr"}
# So many names deep is looked what a sum is made of.
_DEEPEST = 5
_SORTING = {"sorted", "min", "max", "sort", "groupby", "nlargest", "nsmallest", "merge", "bisect", "insort"}
# Functions that call what stands at this place among their arguments.
_CALLING = {"map": 0, "filter": 0, "filterfalse": 0, "takewhile": 0, "dropwhile": 0, "reduce": 0, "starmap": 0}


@dataclass(frozen=True)
class Roles:
    """Names of parameters by what the body does with them.

    Attributes:
        called: It calls them, or hands them on to be called.
        counts: It brings them together with lengths or places, or seeks them among whole numbers, and never brings
            them together with fractions.
        compared: It compares them, or members of theirs, with something else than truth values.
        ordered: Groups that it compares by their order.
        written: It puts them into texts, or adds them to some.
    """

    called: frozenset[str] = frozenset()
    counts: frozenset[str] = frozenset()
    compared: frozenset[str] = frozenset()
    ordered: tuple[frozenset[str], ...] = ()
    written: frozenset[str] = frozenset()


def roles_of(tree: FunctionNode) -> Roles:
    """What a body does with its parameters.

    Example:
        >>> code = "def f(xs, n, key, skip): return [key(x) for x in xs if x != skip][: n - len(xs)]"
        >>> found = roles_of(ast.parse(code).body[0])
        >>> sorted(found.called), sorted(found.counts), sorted(found.compared)
        (['key'], ['n'], ['skip'])
    """
    reader = _Reader({argument.arg for argument in named_parameters(tree.args)})
    reader.settle(tree)
    return reader.read(tree)


class _Reader:
    """Reads a body whose names may hold whole numbers, lengths, and sums of parameters."""

    def __init__(self, parameters: set[str]) -> None:
        self.parameters = parameters
        # What each name may be given, in no order; None stands for a value of which nothing is known.
        self.given: dict[str, list[ast.expr | None]] = {}
        self.places: set[str] = set()
        self.whole: set[str] = set()
        self.measured: set[str] = set()

    def settle(self, tree: FunctionNode) -> None:
        """Find out which names hold whole numbers, and which of these are lengths or places."""
        for node in ast.walk(tree):
            for target, value in _bindings(node):
                self._bind(target, value)
        self.whole = {name for name in self.given if name not in self.parameters} | self.places
        while doubtful := {name for name in self.whole if not all(map(self.is_whole, self.given.get(name, [])))}:
            self.whole -= doubtful
        self.measured = set(self.places)
        while more := {
            name
            for name in self.whole - self.measured
            if any(value is not None and self.is_measured(value) for value in self.given.get(name, []))
        }:
            self.measured |= more

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        match target, value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for one, other in zip(targets, values, strict=True):
                    self._bind(one, other)
            case ast.Tuple(elts=[ast.Name(id=place), *rest]), ast.Call(func=ast.Name(id="enumerate")):
                self.places.add(place)
                for other in rest:
                    self._bind(other, None)
            case ast.Name(id=name), ast.Call(func=ast.Name(id="range")):
                self.places.add(name)
            case ast.Tuple(elts=targets) | ast.List(elts=targets), _:
                for one in targets:
                    self._bind(one, None)
            case ast.Name(id=name), _:
                self.given.setdefault(name, []).append(value)
            case _:
                pass

    def is_whole(self, node: ast.expr | None) -> bool:
        """Whether an expression is a whole number if the parameters in it are."""
        match node:
            case ast.Constant(value=value):
                return type(value) is int
            case ast.Name(id=name):
                return name in self.whole or name in self.parameters
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _KEEP_WHOLE):
                return self.is_whole(left) and self.is_whole(right)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.is_whole(operand)
            case ast.IfExp(body=body, orelse=orelse):
                return self.is_whole(body) and self.is_whole(orelse)
            case ast.Call(func=ast.Name(id="min" | "max"), args=[_, _, *_] as args):
                return all(map(self.is_whole, args))
            case ast.Call():
                return _measures(node)
            case _:
                return False

    def is_measured(self, node: ast.expr) -> bool:
        """Whether a length or a place is in the sum that an expression is."""
        match node:
            case ast.Name(id=name):
                return name in self.measured
            case ast.BinOp(left=left, right=right):
                return self.is_measured(left) or self.is_measured(right)
            case ast.UnaryOp(operand=operand):
                return self.is_measured(operand)
            case ast.IfExp(body=body, orelse=orelse):
                return self.is_measured(body) or self.is_measured(orelse)
            case ast.Call(func=ast.Name(id="min" | "max"), args=[_, _, *_] as args):
                return any(map(self.is_measured, args))
            case ast.Call():
                return _measures(node)
            case _:
                return False

    def counts(self, node: ast.expr, counted: set[str]) -> bool:
        """Whether an expression is a length or a place; a multiple of a parameter is one if that is a count."""
        return self.is_whole(node) and self.is_measured(node) and self.factors(node) <= counted

    def factors(self, node: ast.expr, within: bool = False, depth: int = 0) -> frozenset[str]:
        """The parameters by which an expression, or something that it is made of, is multiplied."""
        match node:
            case ast.Name(id=name) if name in self.parameters:
                return frozenset({name}) if within else frozenset()
            case ast.Name(id=name) if depth < _DEEPEST:
                values = [value for value in self.given.get(name, []) if value is not None]
                return frozenset[str]().union(*(self.factors(value, within, depth + 1) for value in values))
            case ast.BinOp(left=left, op=op, right=right):
                inside = within or isinstance(op, (ast.Mult, ast.Pow))
                return self.factors(left, inside, depth) | self.factors(right, inside, depth)
            case ast.UnaryOp(operand=operand):
                return self.factors(operand, within, depth)
            case ast.Call(func=ast.Name(id="min" | "max"), args=args):
                return frozenset[str]().union(*(self.factors(each, within, depth) for each in args))
            case _:
                return frozenset()

    def parts(self, node: ast.expr, depth: int = 0) -> frozenset[str]:
        """The parameters of which an expression is a sum or product."""
        match node:
            case ast.Name(id=name) if name in self.parameters:
                return frozenset({name})
            case ast.Name(id=name) if depth < _DEEPEST:
                values = [value for value in self.given.get(name, []) if value is not None]
                return frozenset[str]().union(*(self.parts(value, depth + 1) for value in values))
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _LINEAR):
                return self.parts(left, depth) | self.parts(right, depth)
            case ast.UnaryOp(operand=operand):
                return self.parts(operand, depth)
            case _:
                return frozenset()

    def read(self, tree: FunctionNode) -> Roles:
        """What the body does with each parameter."""
        inner = {
            argument.arg
            for node in ast.walk(tree)
            if node is not tree and isinstance(node, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef))
            for argument in ast.walk(node.args)
            if isinstance(argument, ast.arg)
        }
        nodes = list(ast.walk(tree))
        no_number = frozenset[str]().union(*map(self._no_number, nodes))
        # What becomes something else than a whole number was none to begin with.
        no_number |= {name for name in self.parameters if not all(map(self.is_whole, self.given.get(name, [])))}
        compared: set[str] = set()
        ordered: list[frozenset[str]] = []
        for node in nodes:
            if isinstance(node, ast.Compare):
                names = [each.id for each in (node.left, *node.comparators) if isinstance(each, ast.Name)]
                own = frozenset(names) & self.parameters
                if not any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops) and not _flags(node):
                    compared |= own
                if len(own) > 1 and all(isinstance(op, _ORDERS) for op in node.ops):
                    ordered.append(own)
        known = self.parameters - inner
        return Roles(
            frozenset(_called(tree) & known),
            frozenset((self._counted(nodes) - no_number) & known),
            frozenset(compared & known),
            tuple(group for group in ordered if group <= known),
            frozenset[str]().union(*map(_written, nodes)) & known,
        )

    def _counted(self, nodes: Sequence[ast.AST]) -> set[str]:
        """Parameters that are brought together with lengths or places, or that are codes among whole numbers."""
        pairs = [pair for node in nodes for one, other in _pairs(node) for pair in ((one, other), (other, one))]
        counted = set[str]().union(*map(self._codes, nodes))
        while True:
            more = [self.parts(mine) for mine, its in pairs if self.counts(its, counted)]
            found = counted.union(*more)
            if found == counted:
                return found
            counted = found

    def _codes(self, node: ast.AST) -> frozenset[str]:
        """Parameters that are sought among whole numbers: nobody asks whether a fraction is exactly one of them."""
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
                return frozenset[str]().union(
                    *(self.parts(one) for one, other in ((left, right), (right, left)) if _code(other))
                )
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
                held = right.elts if isinstance(right, ast.Tuple | ast.List | ast.Set) else []
                return self.parts(left) if len(held) > 1 and all(map(_whole_constant, held)) else frozenset()
            case _:
                return frozenset()

    def _no_number(self, node: ast.AST) -> frozenset[str]:
        """Parameters that are rounded, divided or brought together with a fraction here, or that hold things."""
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if name in _ROUNDING:
                return frozenset[str]().union(*map(self.parts, args))
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
                return frozenset({name})
            case ast.Attribute(value=ast.Name(id=name)) | ast.Subscript(value=ast.Name(id=name)):
                return frozenset({name})
            case ast.For(iter=ast.Name(id=name)) | ast.comprehension(iter=ast.Name(id=name)):
                return frozenset({name})
            case ast.BinOp(left=left, op=ast.Div()):
                return self.parts(left)
            case ast.BinOp(left=left, right=right) if _fraction(left) or _fraction(right):
                return self.parts(left) | self.parts(right)
            case ast.Compare(left=left, comparators=others) if any(map(_fraction, (left, *others))):
                return frozenset[str]().union(*map(self.parts, (left, *others)))
            case _:
                return frozenset()


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """Targets of a node with what they are given."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            yield target, value
        case ast.AugAssign(target=target, op=op, value=value):
            yield target, ast.BinOp(target, op, value)
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            yield target, value if isinstance(value, ast.Call) else None
        case ast.comprehension(target=target, iter=value):
            yield target, value if isinstance(value, ast.Call) else None
        case ast.withitem(optional_vars=ast.expr() as target):
            yield target, None
        case _:
            return


def _pairs(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Expressions of which one tells what the other is: compared, or one taken from the other."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            sides = [left, *comparators]
            for place, op in enumerate(ops):
                if isinstance(op, (*_ORDERS, *_EQUALS)):
                    yield sides[place], sides[place + 1]
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            yield left, right
        case ast.AugAssign(target=ast.Name() as target, op=ast.Sub(), value=value):
            yield target, value
        case ast.Call(func=ast.Name(id="min" | "max"), args=[first, *others]):
            yield from ((first, other) for other in others)
        case _:
            return


def _written(node: ast.AST) -> frozenset[str]:
    """Names that a node puts into a text in a form that says nothing of a number."""
    match node:
        case ast.FormattedValue(value=ast.Name(id=name), format_spec=None):
            return frozenset({name})
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod(), right=value):
            held = value.elts if isinstance(value, ast.Tuple) else [value]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            texts = [each for each in (left, right) if isinstance(each, ast.JoinedStr | ast.Constant)]
            told = any(isinstance(each, ast.JoinedStr) or isinstance(each.value, str) for each in texts)
            held = [left, right] if told else []
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format"), args=args, keywords=keywords):
            held = [*args, *(each.value for each in keywords)]
        case _:
            return frozenset()
    return frozenset(each.id for each in held if isinstance(each, ast.Name))


def _whole_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _code(node: ast.expr) -> bool:
    """Whether a constant is a whole number that is no end of a range: none and one are asked of fractions, too."""
    return isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) > 1


def _fraction(node: ast.expr) -> bool:
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(number, ast.Constant) and type(number.value) is float


def _measures(node: ast.Call) -> bool:
    match node.func:
        case ast.Name(id=name):
            return name in _MEASURES
        case ast.Attribute(attr=name):
            return name in _PLACES
        case _:
            return False


def _flags(node: ast.Compare) -> bool:
    """Whether a comparison asks for a truth value."""
    return any(isinstance(each, ast.Constant) and type(each.value) is bool for each in (node.left, *node.comparators))


def _called(tree: FunctionNode) -> set[str]:
    """Names that are called, or handed on to be called, and never asked what they are."""
    found: set[str] = set()
    asked: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=test), args=[ast.Name(id=name), *_]) if test in _ASKING:
                asked.add(name)
            case ast.Call(func=func, args=args, keywords=keywords):
                last = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
                if isinstance(func, ast.Name):
                    found.add(func.id)
                place = _CALLING.get(last, -1)
                if 0 <= place < len(args):
                    found |= _names(args[place])
                if last in _SORTING:
                    found |= {name for each in keywords if each.arg == "key" for name in _names(each.value)}
            case ast.Compare(left=ast.Name(id=name), comparators=[ast.Constant(value=value)]) if value is not None:
                asked.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if not isinstance(value, (ast.BoolOp, ast.IfExp)):
                # It is looked up by what was given.
                asked |= {name} & {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
            case _:
                pass
    return found - asked


def _names(node: ast.expr) -> set[str]:
    return {node.id} if isinstance(node, ast.Name) else set()


__all__ = ["Roles", "roles_of"]
