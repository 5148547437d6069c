"""Whether it matters that a file's annotations are not evaluated."""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Iterator

from tree_sitter import Node

from ingester.domain.grammar import Field, kind_set, text_of

# What `dataclass` looks for in the texts of annotations, by the names that the module has for it.
MARKS = frozenset({"ClassVar", "InitVar", "KW_ONLY"})
# By these a program reads annotations: functions that are called, and attributes.
_READERS = frozenset({
    "fields", "signature", "getfullargspec", "get_type_hints", "get_annotations", "make_dataclass",
})  # fmt: skip
_READ = frozenset({"__annotations__", "__dataclass_fields__", "_field_types"})
_WITH_PARAMETERS = frozenset({"dict", "frozenset", "list", "set", "tuple", "type"})

_IDENTIFIER = kind_set("identifier")
_CALL = kind_set("call")
_TYPE = kind_set("type")
_CLASS = kind_set("class_definition")
_DECORATED = kind_set("decorated_definition")
_EXPRESSION_STATEMENT = kind_set("expression_statement")
_ASSIGNMENT = kind_set("assignment")
_BLOCK = kind_set("block")


def read_in(piece: Node) -> bool:
    """Whether a definition reads annotations when it is run, whosever they are."""
    return any(map(_reads, _nodes(piece)))


def must_stay_texts(piece: Node) -> bool:
    """Whether a definition whose annotations are not evaluated is another one where they are.

    They may be read, by what it does or by what makes its classes, or mean nothing when they are evaluated.
    """
    for node in _nodes(piece):
        kind = node.kind_id
        if _reads(node) or (kind in _CLASS and _is_made_of_annotations(node)):
            return True
        if kind in _TYPE and not _in_a_body(node) and not _can_be_evaluated(text_of(node)):
            return True
    return False


def _nodes(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(each.named_children)


def _reads(node: Node) -> bool:
    if node.kind_id in _CALL:
        return text_of(node.child_by_field_id(Field.FUNCTION)).rpartition(".")[2] in _READERS
    return node.kind_id in _IDENTIFIER and text_of(node) in _READ


def _is_made_of_annotations(node: Node) -> bool:
    """Whether decorators or bases of a class may read the annotations in its body."""
    body = node.child_by_field_id(Field.BODY)
    decorated = node.parent is not None and node.parent.kind_id in _DECORATED
    if body is None or not (decorated or node.child_by_field_id(Field.SUPERCLASSES) is not None):
        return False
    inner = (each.named_children[0] for each in body.named_children if each.kind_id in _EXPRESSION_STATEMENT)
    return any(each.kind_id in _ASSIGNMENT and each.child_by_field_id(Field.TYPE) is not None for each in inner)


def _in_a_body(node: Node) -> bool:
    """Whether an annotation is a part of another one, or that of a function's variable, which is never evaluated."""
    above = node.parent
    if above is None or above.kind_id not in _ASSIGNMENT:
        while above is not None and above.kind_id not in _BLOCK:
            if above.kind_id in _TYPE:
                return True
            above = above.parent
        return False
    block = above.parent.parent if above.parent is not None else None
    owner = block.parent if block is not None else None
    return owner is not None and owner.kind_id not in _CLASS


def _can_be_evaluated(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _evaluates(ast.parse(f"({text})", mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _evaluates(node: ast.expr) -> bool:
    """Whether an annotation of built-in types has a value. Names of others are asked about elsewhere."""
    match node:
        case ast.Constant() | ast.Name() | ast.Attribute():
            return True
        case ast.Subscript(value=ast.Name(id=name), slice=inside):
            return (name in _WITH_PARAMETERS or not hasattr(builtins, name)) and _evaluates(inside)
        case ast.Subscript(value=ast.Attribute(), slice=inside):
            return _evaluates(inside)
        case ast.List(elts=several) | ast.Tuple(elts=several):
            return all(map(_evaluates, several))
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is_type(left) and _is_type(right) and not (_is_none(left) and _is_none(right))
        case _:
            return False


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_type(node: ast.expr) -> bool:
    """Whether something can stand beside `|`."""
    if isinstance(node, ast.Name):
        return isinstance(getattr(builtins, node.id, int), type)
    return _is_none(node) or (not isinstance(node, ast.Constant) and _evaluates(node))
