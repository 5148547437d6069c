"""Literals and names in syntax trees, as the usage reader needs them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pbt_generator.domain.matching import looks_like_pattern
from pbt_generator.domain.shapes import Scalar

# What stands for a part of a pattern that only running knows.
_HOLE = "[a-z]{1,4}"
_FLAGS = {"IGNORECASE": "i", "I": "i", "DOTALL": "s", "S": "s", "MULTILINE": "m", "M": "m", "VERBOSE": "x", "X": "x"}


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


def pattern_of(node: ast.expr) -> str:
    """The regular expression that an expression writes down, with holes where it is put together; else empty."""
    parts = _pattern_parts(node)
    return "".join(_HOLE if part is None else part for part in parts) if any(parts) else ""


def _pattern_parts(node: ast.expr) -> list[str | None]:
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=values):
            return [part for value in values for part in _pattern_parts(value)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [*_pattern_parts(left), *_pattern_parts(right)]
        case _:
            return [None]


def flags_of(nodes: Iterable[ast.expr]) -> str:
    """The flags among the arguments of a function of `re`, as a pattern has them at its start."""
    names = [
        last_name(part) for node in nodes for part in ast.walk(node) if isinstance(part, (ast.Attribute, ast.Name))
    ]
    letters = "".join(dict.fromkeys(_FLAGS[name] for name in names if name in _FLAGS))
    return f"(?{letters})" if letters else ""


def regexes_of(tree: ast.AST) -> tuple[str, ...]:
    """The texts of a program that read like regular expressions, in order."""
    found = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return tuple(text for text in dict.fromkeys(found) if looks_like_pattern(text))[:24]


def scalar(value: object) -> Scalar:
    """A literal's value; what is no plain scalar becomes its text."""
    return value if value is None or isinstance(value, (str, int, float, bool, bytes)) else str(value)


def kind_of(value: object) -> str:
    """The kind of a literal's value."""
    if value is None:
        return "none"
    kinds: dict[type, str] = {str: "text", bool: "bool", int: "int", float: "float", bytes: "bytes", complex: "complex"}
    return kinds.get(type(value), "")
