"""Mutants that differ from the ground truth on a handful of values only, so that all of them can be tried.

Where a place reads one parameter, and of that only whether it is None, whether it is true, and how long it is, all
values fall into a few classes. The classes of what is false hold one value each: nothing, zero, the empty text, list
and map. When the place gives another value for these alone, running ground truth and mutant on them decides for every
input of these kinds whether the mutant is another program; see `_ts_exhaust` in the harness for other parameters.
"""

from __future__ import annotations

import ast

from pbt_generator.domain.oracle.syntax import ORDERS, FunctionNode

# All values of their kinds that are false.
_FALSE: tuple[object, ...] = (
    None, False, 0, 0.0, -0.0, "", b"", list[object](), (), dict[object, object](), set[object](), frozenset[object](),
)  # fmt: skip
# Some of the others: they stand for what is true, by length where it has one.
_TRUE: tuple[object, ...] = (True, 1, -1, 2.5)


class _UnknownError(Exception):
    """The expression looks at more of its parameter than the classes tell."""


def differing(plain: ast.expr, changed: ast.expr, parameter: str) -> tuple[object, ...] | None:
    """All values of a parameter for which two expressions differ; None where these are not a few known ones.

    Example:
        >>> differing(ast.parse("len(x) > 0", mode="eval").body, ast.parse("len(x) >= 0", mode="eval").body, "x")
        ('', b'', [], (), {}, set(), frozenset())
    """
    longest = 2 + max((abs(number) for node in (plain, changed) for number in _lengths(node)), default=0)
    if longest > 50:
        return None
    sized = [kind for size in range(1, longest + 1) for kind in ("x" * size, [0] * size, dict.fromkeys(range(size), 0))]
    try:
        if any(_tells(plain, changed, parameter, value) for value in (*_TRUE, *sized)):
            return None
        return tuple(value for value in _FALSE if _tells(plain, changed, parameter, value))
    except _UnknownError:
        return None


def _tells(plain: ast.expr, changed: ast.expr, parameter: str, value: object) -> bool:
    """Whether a value tells two expressions apart: what makes the original raise, which nothing catches, is no case."""
    first = _outcome(plain, parameter, value)
    return first[0] is not TypeError and first != _outcome(changed, parameter, value)


def trackable(module: ast.Module, function: FunctionNode, parameter: str) -> bool:
    """Whether a run on values that cannot be looked at shows that a program does not look at them.

    Such a value notices every operation but three: being compared by identity, being asked for its type, and an error
    over it that is caught.
    """
    nodes = list(ast.walk(module))
    if sum(isinstance(node, ast.arg) and node.arg == parameter for node in nodes) > 1:
        return False
    own = {id(node) for node in ast.walk(function)}
    for node in nodes:
        match node:
            case ast.Try() | ast.TryStar() | ast.With() | ast.AsyncWith() | ast.Match():
                return False
            case ast.Name(id="type" | "id" | "callable" | "vars" | "locals" | "globals" | "eval" | "exec"):
                return False
            case ast.Compare(left=left, ops=ops, comparators=rest):
                sides = [left, *rest]
                if any(isinstance(op, (ast.Is, ast.IsNot)) for op in ops) and not all(
                    isinstance(side, ast.Constant)
                    or (isinstance(side, ast.Name) and side.id == parameter and id(side) in own)
                    for side in sides
                ):
                    return False
            case _:
                pass
    return True


def _lengths(node: ast.expr) -> list[int]:
    return [
        inner.value
        for inner in ast.walk(node)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, int) and not isinstance(inner.value, bool)
    ]


def _outcome(node: ast.expr, parameter: str, value: object) -> tuple[type, object]:
    """What an expression gives for a value, with its type; the type of the error where it raises."""
    try:
        result = _value(node, parameter, value)
    except TypeError:
        return TypeError, None
    return type(result), result


def _value(node: ast.expr, parameter: str, value: object) -> object:
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str() as held):
            return held
        case ast.Name(id=name) if name == parameter:
            return value
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, parameter, value)
        case ast.BoolOp(op=op, values=parts):
            result: object = None
            for part in parts:
                result = _value(part, parameter, value)
                if bool(result) is isinstance(op, ast.Or):
                    break
            return result
        case ast.Call(func=ast.Name(id="bool"), args=[inner], keywords=[]):
            return bool(_value(inner, parameter, value))
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]) if name == parameter:
            return len(value)  # pyright: ignore[reportArgumentType]
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            return (_value(left, parameter, value) is None) is isinstance(op, ast.Is)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in ORDERS:
            sides = [_measured(side, parameter, value) for side in (left, right)]
            return ORDERS[type(op)](sides[0], sides[1])
        case _:
            raise _UnknownError


def _measured(node: ast.expr, parameter: str, value: object) -> object:
    """A side of a comparison: a length or a number. What compares the value itself asks for more than its class."""
    if isinstance(node, ast.Call):
        return _value(node, parameter, value)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    raise _UnknownError
