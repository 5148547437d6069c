"""What a library may ask of an object that a program hands to it, though the program says no such name.

A library that is handed a text asks it for `replace` or `split`, and whatever takes a text's place is asked so too.
"""

from __future__ import annotations

import ast
import datetime
import decimal
import fractions
import io
import pathlib
import sys
from collections import deque

# Modules that ask of what they are handed nothing but what the language itself asks: their names between underscores,
# or that it is of one kind.
_SILENT = {
    "__future__", "abc", "bisect", "cmath", "collections", "contextlib", "dataclasses", "datetime", "decimal", "enum",
    "functools", "heapq", "itertools", "math", "numbers", "operator", "re", "types", "typing", "typing_extensions",
    "unicodedata",
}  # fmt: skip
# All of this module but these are texts.
_STRING, _ASKING_OF_STRING = "string", {"capwords", "Formatter", "Template"}
# What libraries know and take other objects for.
_KINDS = (
    str, bytes, bytearray, memoryview, int, float, complex, list, tuple, range, dict, set, frozenset, deque,
    fractions.Fraction, decimal.Decimal, datetime.datetime, datetime.timedelta, datetime.tzinfo, pathlib.Path,
    io.TextIOWrapper, io.BytesIO, io.StringIO,
)  # fmt: skip
_NAMES = frozenset(name for kind in _KINDS for name in dir(kind) if not name.startswith("_"))
_FORMATTING = {"format", "format_map", "vformat"}


def asked_by_libraries(module: ast.Module) -> frozenset[str] | None:
    """Names that a library may ask an object of the program for; None where that may be any.

    The language's own library asks for what its own kinds have. What others ask for is not known.
    """
    asked = frozenset[str]()
    for library, name in _used(module):
        root = library.split(".")[0]
        if root not in sys.stdlib_module_names:
            return None
        if root not in _SILENT and (root != _STRING or not name or name in _ASKING_OF_STRING):
            asked = _NAMES
    return asked


def formats_unseen(module: ast.Module) -> bool:
    """Whether a program fills in a text that it puts together: its fields may say any attribute of an object."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in _FORMATTING and not isinstance(node.value, ast.Constant)
        for node in ast.walk(module)
    )


def _used(module: ast.Module) -> list[tuple[str, str]]:
    """What a program uses of libraries outside of declarations: the library, and the name where one is said."""
    bound: dict[str, tuple[str, str]] = {}
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                bound |= {each.asname or each.name.split(".")[0]: (each.name, "") for each in names}
            case ast.ImportFrom(module=library, names=names):
                bound |= {each.asname or each.name: (library or "", each.name) for each in names}
            case _:
                pass
    declared = {id(inner) for node in ast.walk(module) for part in _declaring(node) for inner in ast.walk(part)}
    used: list[tuple[str, str]] = []
    said: set[int] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and id(node) not in declared:
            library, name = bound.get(node.value.id, ("", ""))
            if library:
                said.add(id(node.value))
                used.append((library, name or node.attr))
    used += [
        bound[node.id]
        for node in ast.walk(module)
        if isinstance(node, ast.Name) and node.id in bound and id(node) not in declared | said
    ]
    return used


def _declaring(node: ast.AST) -> list[ast.AST]:
    """The parts of a node that say what something is, and hand nothing to anybody."""
    match node:
        case ast.ClassDef():
            return [*node.decorator_list, *node.bases, *node.keywords]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*node.decorator_list, *([node.returns] if node.returns is not None else [])]
        case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
            return [annotation]
        case ast.ExceptHandler(type=ast.expr() as kind):
            return [kind]
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
            return [kinds]
        case ast.Raise(exc=ast.expr() as error):
            return [error] if isinstance(error, ast.Name | ast.Attribute) else []
        case _:
            return []
