"""Literals and names in syntax trees, as the usage reader needs them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pbt_generator.domain.inputs.drawing.matching import HOLE, looks_like_pattern
from pbt_generator.domain.inputs.shapes import Scalar
from pbt_generator.domain.oracle.syntax import last_name

_FLAGS = {"IGNORECASE": "i", "I": "i", "DOTALL": "s", "S": "s", "MULTILINE": "m", "M": "m", "VERBOSE": "x", "X": "x"}


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


def pattern_of(node: ast.expr, *, literal: bool = False) -> str:
    """The regular expression that an expression writes down; empty where it writes nothing of it.

    What is put in between is a group of its own, and the same group wherever the same is put in again.

    Args:
        node: A text, or texts and other values put together.
        literal: The text is searched for as it stands.
    """
    parts = _pattern_parts(node)
    if not any(isinstance(part, str) and part for part in parts):
        return ""
    holes: dict[str, str] = {}
    pattern = ""
    for part in parts:
        if isinstance(part, str):
            pattern += re.escape(part) if literal else part
            continue
        key = ast.unparse(part)
        pattern += f"(?P={holes[key]})" if key in holes else f"(?P<{HOLE}{len(holes)}>\\w+)"
        holes.setdefault(key, f"{HOLE}{len(holes)}")
    return pattern


def _pattern_parts(node: ast.expr) -> list[str | ast.expr]:
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=values):
            return [part for value in values for part in _pattern_parts(value)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [*_pattern_parts(left), *_pattern_parts(right)]
        case ast.FormattedValue(value=value):
            return _pattern_parts(value)
        case ast.Call(func=ast.Attribute(attr="escape"), args=[inner]):
            return [inner]
        case _:
            return [node]


def flags_of(nodes: Iterable[ast.expr]) -> str:
    """The flags among the arguments of a function of `re`, as a pattern has them at its start."""
    names = [
        last_name(part) for node in nodes for part in ast.walk(node) if isinstance(part, (ast.Attribute, ast.Name))
    ]
    letters = "".join(dict.fromkeys(_FLAGS[name] for name in names if name in _FLAGS))
    return f"(?{letters})" if letters else ""


def imported(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """Names that an import binds, to the dotted name of what they stand for."""
    if isinstance(node, ast.ImportFrom):
        return {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names if node.module}
    # `import a.b` binds a; `import a.b as c` binds c to a.b.
    return {
        alias.asname or alias.name.split(".")[0]: alias.name if alias.asname else alias.name.split(".")[0]
        for alias in node.names
    }


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
