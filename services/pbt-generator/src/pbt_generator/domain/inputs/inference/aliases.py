"""What names in annotations stand for, where the program itself says so: aliases, new types, type variables."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping

from pbt_generator.domain.oracle.syntax import FunctionNode, last_name

# Aliases of aliases; one that names itself ends there.
_DEPTH = 6
_TYPES = (
    ast.Name, ast.Attribute, ast.Subscript, ast.BinOp, ast.BitOr, ast.Tuple, ast.List, ast.Constant, ast.expr_context,
)  # fmt: skip


def own_meanings(module: ast.Module) -> dict[str, ast.expr]:
    """Names that a module gives one meaning at its top level, which is a type, with what they mean.

    Example:
        >>> found = own_meanings(ast.parse("Path = Union[str, Part]\\nPart = NewType('Part', int)\\nx = f()"))
        >>> {name: ast.unparse(node) for name, node in found.items()}
        {'Path': 'Union[str, Part]', 'Part': 'int'}
    """
    found: dict[str, ast.expr] = {}
    written = Counter(
        node.id for node in ast.walk(module) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    )
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if written[name] == 1:
                meaning = _meaning(value)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=ast.expr() as value) if (
                written[name] == 1 and last_name(kind) == "TypeAlias"
            ):
                meaning = value
            case _:
                continue
        if meaning is not None:
            found[name] = meaning
    return found


def spell_out(function: FunctionNode, meanings: Mapping[str, ast.expr]) -> None:
    """Put into the annotations of a function's parameters what the program's own names stand for."""
    for argument in ast.walk(function.args):
        if isinstance(argument, ast.arg) and argument.annotation is not None:
            argument.annotation = spelt(argument.annotation, meanings)


def spelt(node: ast.expr, meanings: Mapping[str, ast.expr], depth: int = _DEPTH) -> ast.expr:
    """An annotation with what its names stand for; what names itself may be anything."""
    match node:
        case ast.Name(id=name) if name in meanings:
            return spelt(meanings[name], meanings, depth - 1) if depth else ast.Name("Any", ast.Load())
        case ast.Constant(value=str() as text):
            try:
                return spelt(ast.parse(text.strip(), mode="eval").body, meanings, depth - 1) if depth else node
            except (SyntaxError, ValueError):
                return node
        case ast.Subscript(value=value, slice=index) if last_name(value) != "Literal":
            return ast.Subscript(spelt(value, meanings, depth), spelt(index, meanings, depth), node.ctx)
        case ast.BinOp(left=left, op=op, right=right):
            return ast.BinOp(spelt(left, meanings, depth), op, spelt(right, meanings, depth))
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return type(node)([spelt(item, meanings, depth) for item in items], node.ctx)
        case _:
            return node


def _meaning(value: ast.expr) -> ast.expr | None:
    """The type that the right side of an assignment is; None for what is none."""
    match value:
        case ast.Call(func=func, args=[ast.Constant(value=str()), kind]) if last_name(func) == "NewType":
            return kind
        case ast.Call(func=func, args=[ast.Constant(value=str()), *among], keywords=named) if (
            last_name(func) == "TypeVar"
        ):
            bounds = [keyword.value for keyword in named if keyword.arg == "bound"]
            kinds = bounds or among
            if not kinds:
                return ast.Name("Any", ast.Load())
            joined = ast.Tuple(kinds, ast.Load())
            return kinds[0] if len(kinds) == 1 else ast.Subscript(ast.Name("Union", ast.Load()), joined, ast.Load())
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.BinOp() if all(
            isinstance(part, _TYPES) for part in ast.walk(value)
        ):
            return value
        case _:
            return None
