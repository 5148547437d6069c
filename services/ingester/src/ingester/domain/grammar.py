"""The Python grammar as small integers.

A tree-sitter node gives its kind as text or as a number; the number is what a fast walk can index a table with.
"""

from __future__ import annotations

import tree_sitter_python
from tree_sitter import Language, Node, Parser

PYTHON = Language(tree_sitter_python.language())
KIND_COUNT = PYTHON.node_kind_count


def kind_ids(name: str) -> tuple[int, ...]:
    """Every id under which the grammar knows a named kind (aliases have several)."""
    return tuple(
        kind
        for kind in range(KIND_COUNT)
        if PYTHON.node_kind_is_named(kind)
        and PYTHON.node_kind_is_visible(kind)
        and PYTHON.node_kind_for_id(kind) == name
    )


def kind_set(*names: str) -> frozenset[int]:
    """The ids of several kinds.

    Raises:
        KeyError: the grammar has no such kind, so that a new grammar is noticed at start.
    """
    found: set[int] = set()
    for name in names:
        ids = kind_ids(name)
        if not ids:
            raise KeyError(f"the Python grammar has no node kind {name!r}")
        found.update(ids)
    return frozenset(found)


def field(name: str) -> int:
    """The id of a field name.

    Raises:
        KeyError: the grammar has no such field.
    """
    found = PYTHON.field_id_for_name(name)
    if found is None:
        raise KeyError(f"the Python grammar has no field {name!r}")
    return found


class Field:
    """Field ids that the walks use."""

    ALIAS = field("alias")
    ALTERNATIVE = field("alternative")
    ARGUMENTS = field("arguments")
    ATTRIBUTE = field("attribute")
    BODY = field("body")
    CONDITION = field("condition")
    CONSEQUENCE = field("consequence")
    DEFINITION = field("definition")
    FUNCTION = field("function")
    GUARD = field("guard")
    LEFT = field("left")
    NAME = field("name")
    OBJECT = field("object")
    PARAMETERS = field("parameters")
    RETURN_TYPE = field("return_type")
    RIGHT = field("right")
    SUBJECT = field("subject")
    SUPERCLASSES = field("superclasses")
    TYPE = field("type")
    TYPE_PARAMETERS = field("type_parameters")
    VALUE = field("value")


def python_parser() -> Parser:
    """A parser of its own; parsers are cheap and not shared between threads."""
    return Parser(PYTHON)


_INTERPOLATION = kind_set("interpolation")
_PATTERN = kind_set("case_pattern")
_CASE = kind_set("case_clause")


def is_shown(node: Node) -> bool:
    """Whether what stands here is more than its value: `f"{name=}"`, or a pattern that would become a new name."""
    above: Node | None = node
    while above is not None and above.kind_id not in _CASE:
        if above.kind_id in _PATTERN:
            return True
        if above.kind_id in _INTERPOLATION and any(child.type == "=" for child in above.children):
            return True
        above = above.parent
    return False


def text_of(node: Node | None) -> str:
    """The text of a node; empty where there is none."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")
