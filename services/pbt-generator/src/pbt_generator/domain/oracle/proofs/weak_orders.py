"""Functions that only compare what they are given: all weak orders of their parameters and constants decide them.

A function made of comparisons, of `min` and `max`, and of returns of its parameters and constants does the same on any
two inputs that are ordered alike. There are few such orders (13 of three values, ties among them), so trying one input
of each is trying all.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable

from pbt_generator.domain.oracle.syntax import FunctionNode, named_parameters, whole_number

_MOST = 3000
# Numbers that are tried lie so far from one another, as a share of their size.
_APART = 1e-3
_COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def only_compares(function: FunctionNode) -> bool:
    """Whether a function does nothing but compare and return what it is given, and its literals.

    Example:
        >>> only_compares(ast.parse("def f(x, low):\\n    return low if x < low else x").body[0])
        True
        >>> only_compares(ast.parse("def f(x, low):\\n    return x + low").body[0])
        False
    """
    arguments = function.args
    every = named_parameters(arguments)
    defaults = [*arguments.defaults, *(default for default in arguments.kw_defaults if default is not None)]
    names = {argument.arg for argument in every} | {
        node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    if arguments.vararg or arguments.kwarg or function.decorator_list or isinstance(function, ast.AsyncFunctionDef):
        return False
    if names & {"min", "max"} or not all(map(_literal, defaults)):
        return False
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    return all(_statement(statement, names) for statement in body)


def compares(node: ast.expr, names: frozenset[str]) -> bool:
    """Whether an expression does nothing but compare values of these names and literals, and choose among them."""
    return _value(node, set(names)) or _test(node, set(names))


def literals(nodes: Iterable[ast.AST]) -> frozenset[float]:
    """The numbers that stand in some trees, with their signs."""
    found: set[float] = set()
    for node in (inner for each in nodes for inner in ast.walk(each)):
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                found.add(-value)
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                found.add(value)
            case _:
                pass
    return frozenset(found)


def weak_orders(count: int, constants: Iterable[float]) -> list[tuple[float, ...]] | None:
    """One tuple of numbers for every weak order of so many values and some constants; None where there are too many.

    Example:
        >>> len(weak_orders(2, [])), len(weak_orders(3, [])), len(weak_orders(1, [0]))
        (3, 13, 3)
    """
    fixed = sorted(set(constants))
    # As many values as there are parameters, below, between and above the constants.
    spots: list[float] = list(fixed)
    for low, high in itertools.pairwise([None, *fixed, None]):
        if low is not None and high is not None:
            step = (high - low) / (count + 1)
            if step < _APART * max(1, abs(low), abs(high)):
                # The comparator would take them for one another.
                return None
        else:
            step = max(1.0, abs(low or high or 0))
        start = low if low is not None else (high or 0) - step * (count + 1)
        spots += [start + step * (place + 1) for place in range(count)]
    if len(spots) ** count > _MOST * 100:
        return None
    found: dict[tuple[int, ...], tuple[float, ...]] = {}
    for values in itertools.product(sorted(spots), repeat=count):
        ranked = sorted({*values, *fixed})
        found.setdefault(tuple(ranked.index(value) for value in (*values, *fixed)), values)
        if len(found) > _MOST:
            return None
    return list(found.values())


def _statement(node: ast.stmt, names: set[str]) -> bool:
    match node:
        case ast.Raise() | ast.Pass():
            return True
        case ast.Return(value=value):
            return value is None or _value(value, names) or _test(value, names)
        case (
            ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(target=ast.Name(), value=ast.expr() as value)
        ):
            # A truth value that is kept may be compared with a number later.
            return _side(value, names)
        case ast.If(test=test, body=body, orelse=orelse):
            return _test(test, names) and all(_statement(inner, names) for inner in (*body, *orelse))
        case _:
            return False


def _literal(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) | ast.Constant(value=value):
            return value is None or type(value) in (int, float, bool) or isinstance(value, str)
        case _:
            return False


def _value(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression gives one of the values as it is, or several side by side."""
    match node:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _test(test, names) and _value(body, names) and _value(orelse, names)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(_value(part, names) for part in parts)
        case _:
            return _literal(node) or _side(node, names)


def _test(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression is a truth value that hangs on the order of values alone."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=rest):
            return all(isinstance(op, _COMPARED) for op in ops) and all(_side(side, names) for side in (left, *rest))
        case ast.BoolOp(values=parts):
            return all(_test(part, names) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _test(operand, names)
        case ast.Constant(value=bool()):
            return True
        case _:
            return False


def _side(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression gives a number that came in, or a literal one."""
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.Call(func=ast.Name(id="min" | "max"), args=[_, _, *_] as parts, keywords=[]):
            return all(_side(part, names) for part in parts)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _test(test, names) and _side(body, names) and _side(orelse, names)
        case _:
            return whole_number(node) is not None or (isinstance(node, ast.Constant) and type(node.value) is float)
