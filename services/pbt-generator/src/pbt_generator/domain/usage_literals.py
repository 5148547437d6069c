"""Literals and names in syntax trees, as the usage reader needs them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pbt_generator.domain.shapes import Scalar


def last_name(node: ast.expr) -> str:
    """The last part of a dotted name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case _:
            return ""


def class_names(node: ast.expr) -> list[str]:
    """The class names in the second argument of isinstance."""
    match node:
        case ast.Tuple(elts=items):
            return [name for item in items for name in class_names(item)]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*class_names(left), *class_names(right)]
        case _:
            name = last_name(node)
            return [name] if name else []


def constant_of(node: ast.expr) -> tuple[Scalar] | None:
    """The value of a literal, sign included, wrapped; None for anything else."""
    match node:
        case ast.Constant(value=value) if value is not ...:
            return (scalar(value),)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return (-value,)
        case _:
            return None


def members_of(node: ast.expr) -> list[Scalar]:
    """The literals of a list, tuple, set or dict display."""
    items: Iterable[ast.expr | None] = ()
    match node:
        case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
            items = elts
        case ast.Dict(keys=keys):
            items = keys
        case ast.Call(func=ast.Name(id="frozenset" | "set" | "tuple"), args=[inner]):
            return members_of(inner)
        case _:
            pass
    found = [constant_of(item) for item in items if item is not None]
    return [value[0] for value in found if value is not None]


def scalar(value: object) -> Scalar:
    """A literal's value; what is no plain scalar becomes its text."""
    return value if value is None or isinstance(value, (str, int, float, bool, bytes)) else str(value)


def kind_of(value: object) -> str:
    """The kind of a literal's value."""
    if value is None:
        return "none"
    kinds: dict[type, str] = {str: "text", bool: "bool", int: "int", float: "float", bytes: "bytes", complex: "complex"}
    return kinds.get(type(value), "")
