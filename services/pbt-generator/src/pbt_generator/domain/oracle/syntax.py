"""Names in syntax trees, as all who read programs need them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

# What each comparison of two values decides.
ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip


def entry_function(source: str, entry_point: str) -> FunctionNode:
    """The function of a program that is called; of several of its name the last one."""
    return next(
        node for node in reversed(ast.parse(source).body) if isinstance(node, FunctionNode) and node.name == entry_point
    )


def named_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """The parameters of a function in order, without those that take all further arguments."""
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def parameter_names(function: FunctionNode) -> list[str]:
    """The names of these parameters."""
    return [parameter.arg for parameter in named_parameters(function.args)]


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
    return [name for name in map(last_name, class_nodes(node)) if name]


def class_nodes(node: ast.expr) -> list[ast.expr]:
    """The classes in the second argument of isinstance, each by itself."""
    match node:
        case ast.Tuple(elts=items):
            return [inner for item in items for inner in class_nodes(item)]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*class_nodes(left), *class_nodes(right)]
        case _:
            return [node]


def whole_number(node: ast.expr) -> int | None:
    """The number that a literal, with or without a sign, stands for."""
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)) if not isinstance(value, bool):
            return -value
        case _:
            return None


def pure_read(node: ast.expr) -> bool:
    """Whether an expression only reads: names, and what stands in them."""
    return all(
        isinstance(inner, (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context))
        for inner in ast.walk(node)
    )


def asks_equality(test: ast.Compare) -> bool:
    """Whether a comparison only asks whether names and literals are one or equal: of data that never raises."""
    parts = [test.left, *test.comparators]
    return all(isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)) for op in test.ops) and all(
        isinstance(part, (ast.Name, ast.Constant)) for part in parts
    )
