"""Kinds that a function's body itself asks for with `isinstance`, not to raise: its author knows of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    BoolShape,
    BytesShape,
    FloatShape,
    IntShape,
    ListShape,
    MapShape,
    NoneShape,
    SetShape,
    Shape,
    TextShape,
    VariadicTupleShape,
    options_of,
)
from pbt_generator.domain.oracle.syntax import FunctionNode, last_name

_KINDS: dict[str, Shape] = {
    "str": TextShape(), "int": IntShape(), "float": FloatShape(), "bool": BoolShape(), "bytes": BytesShape(),
    "list": ListShape(AnyShape()), "tuple": VariadicTupleShape(AnyShape()), "set": SetShape(AnyShape()),
    "dict": MapShape(AnyShape(), AnyShape()), "Mapping": MapShape(AnyShape(), AnyShape()),
    "Sequence": ListShape(AnyShape()), "Number": IntShape(), "Integral": IntShape(), "Real": FloatShape(),
}  # fmt: skip
# What else callers send where "something else" is asked for: nothing, and a number.
_ELSE: tuple[Shape, ...] = (NoneShape(), IntShape())


def asked_kinds(tree: FunctionNode, name: str, declared: Shape) -> tuple[Shape, ...]:
    """Kinds beside the declared ones that the body tests a parameter for, outside of guards that raise.

    Where a test names every declared kind, its other outcome is for something else: nothing, or a number.

    Example:
        >>> tree = ast.parse("def f(x: str):\\n    return x if isinstance(x, (str, int)) else ''").body[0]
        >>> [type(kind).__name__ for kind in asked_kinds(tree, "x", TextShape())]
        ['IntShape', 'NoneShape']
    """
    guards = {
        id(node)
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and isinstance(test.body[0], ast.Raise)
        for node in ast.walk(test.test)
    }
    guards |= {id(node) for test in ast.walk(tree) if isinstance(test, ast.Assert) for node in ast.walk(test.test)}
    found: dict[Shape, None] = {}
    for classes in _tests(tree, name, guards):
        kinds = [_KINDS[each] for each in classes if each in _KINDS]
        found.update(dict.fromkeys(kinds))
        known = {type(kind) for kind in kinds}
        if kinds and len(kinds) == len(classes) and all(type(option) in known for option in options_of(declared)):
            found.update(dict.fromkeys(each for each in _ELSE if type(each) not in known))
    own = {type(option) for option in options_of(declared)}
    return tuple(kind for kind in found if type(kind) not in own)


def _tests(tree: FunctionNode, name: str, guards: set[int]) -> Iterator[list[str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=tested), classes]) if (
                tested == name and id(node) not in guards
            ):
                listed = classes.elts if isinstance(classes, ast.Tuple) else _joined(classes)
                yield [last_name(each) or "" for each in listed]
            case _:
                pass


def _joined(node: ast.expr) -> list[ast.expr]:
    """The classes of `A | B`, or the one."""
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*_joined(left), *_joined(right)]
        case _:
            return [node]


__all__ = ["asked_kinds"]
