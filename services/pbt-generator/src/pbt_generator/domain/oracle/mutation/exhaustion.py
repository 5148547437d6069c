"""Mutants that differ from the ground truth on a handful of values only, so that all of them can be tried.

Where a place reads one parameter, and of that only whether it is None, whether it is true, how long it is, of which
builtin class, and how it compares with constant numbers, all values fall into a few classes. Some of these hold one
value each: nothing, each truth value, the numbers that are compared with, the empty text, list and map. When the place
gives another value for these alone, running ground truth and mutant on them decides for every input of these kinds
whether the mutant is another program; see `_ts_exhaust` in the harness for other parameters.
"""

from __future__ import annotations

import ast
import itertools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pbt_generator.domain.oracle.syntax import FunctionNode, bound_names, class_nodes

_KINDS: dict[str, type] = {
    "str": str, "bytes": bytes, "bool": bool, "int": int, "float": float, "list": list, "tuple": tuple, "dict": dict,
    "set": set, "frozenset": frozenset,
}  # fmt: skip
# What is read as a builtin here.
_READ = {"len", "bool", "isinstance", *_KINDS}
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.In: lambda value, held: value in held, ast.NotIn: lambda value, held: value not in held,
}  # fmt: skip
_MUTABLE = (list, dict, set)
# A number beyond is not told from its neighbours by a float.
_MOST = 2**53
# What does not change the object that it is asked of, whatever the object is.
_LOOKS = {
    "capitalize", "casefold", "copy", "count", "decode", "difference", "encode", "endswith", "find", "get", "index",
    "intersection", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isdisjoint", "isidentifier", "islower",
    "isnumeric", "isspace", "issubset", "issuperset", "istitle", "isupper", "items", "join", "keys", "ljust", "lower",
    "lstrip", "partition", "replace", "rfind", "rindex", "rjust", "rpartition", "rsplit", "rstrip", "split",
    "splitlines", "startswith", "strip", "swapcase", "symmetric_difference", "title", "translate", "union", "upper",
    "values", "zfill",
}  # fmt: skip
_ASKING = {
    "abs", "all", "any", "bool", "dict", "enumerate", "float", "frozenset", "int", "isinstance", "len", "list", "max",
    "min", "range", "repr", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip",
}  # fmt: skip


class _UnknownError(Exception):
    """The expression looks at more of its parameter than the classes tell."""


@dataclass(frozen=True)
class Differing:
    """For which values of its parameter a place differs.

    Attributes:
        values: All of them that are in classes of one value each.
        beyond: One of each class of many values for which it differs: where the parameter may hold such a one, the
            values are not all.
    """

    values: tuple[object, ...]
    beyond: tuple[object, ...] = ()


def differing(plain: ast.expr, changed: ast.expr, parameter: str, *, kept: bool = True) -> Differing | None:
    """The values of a parameter for which two expressions differ; None where these are not known.

    Args:
        plain: What stands at the place.
        changed: What the mutant has there.
        parameter: The one name that both read.
        kept: Whether nothing changes the parameter's object before the place; else one may be empty there that was not.

    Example:
        >>> differing(ast.parse("len(x) > 0", mode="eval").body, ast.parse("len(x) >= 0", mode="eval").body, "x")
        Differing(values=('', b'', [], (), {}, set(), frozenset()), beyond=())
        >>> differing(ast.parse("x < 1", mode="eval").body, ast.parse("x < 0", mode="eval").body, "x")
        Differing(values=(False, 0, 0.0, -0.0), beyond=(0.5,))
    """
    numbers = [number for node in (plain, changed) for number in _numbers(node)]
    longest = 2 + int(max(map(abs, numbers), default=0))
    asked = any(isinstance(node, ast.Call) for each in (plain, changed) for node in ast.walk(each))
    if any(abs(number) > _MOST for number in numbers) or (asked and longest > 50):
        return None
    one, many = _classes(numbers)
    sizes = range(1, (longest if asked else 1) + 1)
    sized = [kind for size in sizes for kind in _of_size(size)]
    try:
        if any(_tells(plain, changed, parameter, value) for value in sized):
            return None
        values = [value for value in one if _tells(plain, changed, parameter, value)]
        beyond = [value for value in many if _tells(plain, changed, parameter, value)]
    except _UnknownError:
        return None
    if not kept:
        beyond += [value for value in values if isinstance(value, _MUTABLE)]
    return Differing(tuple(values), tuple(beyond))


def _classes(numbers: list[int | float]) -> tuple[list[object], list[object]]:
    """All values that are alone in their class, and one of each class of many numbers."""
    limits = sorted({0, *numbers})
    one: list[object] = [None, False, True]
    for limit in limits:
        one += [int(limit), float(limit)] if limit == int(limit) else [limit]
        one += [-0.0] if limit == 0 else []
    one += [math.nan, "", b"", list[object](), (), dict[object, object](), set[object](), frozenset[object]()]
    many: list[object] = []
    for low, high in itertools.pairwise([limits[0] - 2, *limits, limits[-1] + 2]):
        if math.floor(low) + 1 < high:
            many.append(math.floor(low) + 1)
        if low < (between := low + (high - low) / 2) < high:
            many.append(float(between))
    return one, many


def _of_size(size: int) -> list[object]:
    members = list(range(size))
    return ["x" * size, b"x" * size, members, tuple(members), dict.fromkeys(members, 0), set(members),
            frozenset(members)]  # fmt: skip


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
    if (
        bound_names(module).keys() & _READ
        or sum(isinstance(node, ast.arg) and node.arg == parameter for node in nodes) > 1
    ):
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


def kept_as_given(module: ast.Module, function: FunctionNode, parameter: str) -> bool:
    """Whether a function only looks at the object of a parameter, and gives it to nobody that might change it."""
    if bound_names(module).keys() & _ASKING:
        return False
    parents = {id(child): node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}
    return all(
        _looks(node, parents)
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == parameter and isinstance(node.ctx, ast.Load)
    )


def _looks(node: ast.expr, parents: dict[int, ast.AST]) -> bool:
    match parents.get(id(node)):
        case ast.UnaryOp() | ast.Compare() | ast.FormattedValue():
            return True
        case ast.Return() as given:
            # What an inner function gives goes to who calls it there.
            around: ast.AST = given
            while not isinstance(around, FunctionNode):
                around = parents[id(around)]
            return id(around) not in parents
        case ast.If(test=test) | ast.While(test=test) if test is node:
            return True
        case ast.IfExp(test=test) as choice:
            return test is node or _looks(choice, parents)
        case ast.BoolOp() as choice:
            return _looks(choice, parents)
        case ast.For(iter=source) | ast.comprehension(iter=source):
            return source is node
        case ast.Subscript(value=value, ctx=ast.Load()):
            return value is node
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            return name in _ASKING
        case ast.Attribute(attr=name, ctx=ast.Load()) as attribute:
            call = parents.get(id(attribute))
            return name in _LOOKS and isinstance(call, ast.Call) and call.func is attribute
        case _:
            return False


def _numbers(node: ast.expr) -> list[int | float]:
    """The constant numbers of an expression, those with a sign before them too."""
    found: list[int | float] = []
    for inner in ast.walk(node):
        number = _number(inner)
        if number is not None:
            found += [number, -number] if isinstance(inner, ast.Constant) else [number]
    return found


def _number(node: ast.AST) -> int | float | None:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool) and math.isfinite(number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as operand):
            number = _number(operand)
            return None if number is None else -number
        case _:
            return None


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
        case ast.UnaryOp(op=ast.USub()) if _number(node) is not None:
            return _number(node)
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
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), classes], keywords=[]) if (
            name == parameter
        ):
            return isinstance(value, tuple(_kind(each) for each in class_nodes(classes)))
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            return (_value(left, parameter, value) is None) is isinstance(op, ast.Is)
        case ast.Compare(left=left, ops=ops, comparators=rest):
            return _compared(left, ops, rest, parameter, value)
        case _:
            raise _UnknownError


def _kind(node: ast.expr) -> type:
    if isinstance(node, ast.Name) and node.id in _KINDS:
        return _KINDS[node.id]
    raise _UnknownError


def _compared(left: ast.expr, ops: list[ast.cmpop], rest: list[ast.expr], parameter: str, value: object) -> object:
    """A comparison, or a chain of them, as Python computes it."""
    before, result = _side(left, parameter, value), True
    for op, side in zip(ops, rest, strict=True):
        if type(op) not in _COMPARED:
            raise _UnknownError
        after = _members(side) if isinstance(op, (ast.In, ast.NotIn)) else _side(side, parameter, value)
        if not (result := bool(_COMPARED[type(op)](before, after))):
            break
        before = after
    return result


def _side(node: ast.expr, parameter: str, value: object) -> object:
    """A side of a comparison: the parameter, its length or a number; another constant asks for more than the class."""
    if isinstance(node, ast.Name) and node.id == parameter:
        return value
    if isinstance(node, ast.Call):
        return _value(node, parameter, value)
    number = _number(node)
    if number is None:
        raise _UnknownError
    return number


def _members(node: ast.expr) -> object:
    """Numbers among which one is sought, in their container: what has no hash is in no set."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            numbers = [_number(part) for part in parts]
        case _:
            raise _UnknownError
    if None in numbers:
        raise _UnknownError
    return set(numbers) if isinstance(node, ast.Set) else numbers
