"""Functions and classes of Java, JavaScript, TypeScript, Go and PHP, for search.

No scopes are resolved here and nothing is classified: tasks are made from Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_php
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

_ENDINGS = {
    ".py": "python",
    ".pyi": "python",
    ".java": "java",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
    ".php": "php",
}
_GRAMMARS: dict[str, Callable[[], object]] = {
    "java": tree_sitter_java.language,
    "javascript": tree_sitter_javascript.language,
    "typescript": tree_sitter_typescript.language_typescript,
    "tsx": tree_sitter_typescript.language_tsx,
    "go": tree_sitter_go.language,
    "php": tree_sitter_php.language_php,
}
_CLASSES = frozenset(
    {
        "class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
        "abstract_class_declaration", "trait_declaration", "class", "annotation_type_declaration",
    }
)  # fmt: skip
_FUNCTIONS = frozenset(
    {
        "function_declaration", "generator_function_declaration", "method_declaration", "method_definition",
        "constructor_declaration", "compact_constructor_declaration", "function_definition",
    }
)  # fmt: skip
# Functions without a name of their own: they go by what they are assigned to.
_ANONYMOUS = frozenset({"arrow_function", "function_expression", "function", "generator_function", "func_literal",
                        "anonymous_function", "anonymous_function_creation_expression"})  # fmt: skip
_NAMED_BY = {
    "variable_declarator": "name",
    "pair": "key",
    "assignment_expression": "left",
    "field_definition": "property",
    "public_field_definition": "name",
    "var_spec": "name",
}
_COMMENTS = frozenset({"comment", "block_comment", "line_comment"})
_WRAPPERS = frozenset({"export_statement", "lexical_declaration", "variable_declaration", "type_declaration",
                       "expression_statement", "variable_declarator"})  # fmt: skip
_PARAMETERS = frozenset(
    {
        "formal_parameter", "spread_parameter", "required_parameter", "optional_parameter", "simple_parameter",
        "variadic_parameter", "property_promotion_parameter", "parameter_declaration", "assignment_pattern",
        "variadic_parameter_declaration", "rest_pattern", "identifier", "object_pattern", "array_pattern",
        "receiver_parameter",
    }
)  # fmt: skip
_NOTHING = frozenset({"void", ": void", "", "never", ": never"})
_COMMENT_MARKS = re.compile(r"^[ \t]*(/\*\*?|\*/|\*|//+|#)[ \t]?|(?<![ \t])[ \t]*\*/[ \t]*$|\*/[ \t]*$", re.MULTILINE)


class OtherDefinition(NamedTuple):
    """A function or class of another language; `parameters` are pairs of name and type as written."""

    form: Literal["function", "method", "nested", "class"]
    name: str
    qualname: str
    line_start: int
    line_end: int
    code: str
    docstring: str
    parameters: tuple[tuple[str, str], ...]
    returns: str
    returns_value: bool
    enclosing_class: str


def language_of(path: str) -> str:
    """The language that a path's ending names; "" for one that is not read."""
    return _ENDINGS.get(PurePosixPath(path).suffix.lower(), "")


@cache
def _parser(language: str) -> Parser:
    return Parser(Language(_GRAMMARS[language]()))


def find_definitions(source: bytes, language: str) -> Iterator[OtherDefinition]:
    """Functions, methods and classes in the order of the text; damaged regions are passed over.

    Args:
        source: UTF-8 text.
        language: a value of `language_of` other than Python.
    """
    if language not in _GRAMMARS:
        return
    root = _parser(language).parse(source).root_node
    # (node, names around it, the class around it, whether a function is around it)
    stack: list[tuple[Node, tuple[str, ...], str, bool]] = [(root, (), "", False)]
    while stack:
        node, names, owner, inside = stack.pop()
        found = None if node.has_error and node.is_error else _definition(node, names, owner, inside)
        if found is not None:
            if not node.has_error:
                yield found
            names = (*names, found.name)
            owner, inside = (found.qualname, False) if found.form == "class" else ("", True)
        stack.extend((child, names, owner, inside) for child in reversed(node.named_children))


def _definition(node: Node, names: tuple[str, ...], owner: str, inside: bool) -> OtherDefinition | None:
    kind = node.type
    is_class = kind in _CLASSES or (kind == "type_spec" and _go_type(node))
    if not is_class and kind not in _FUNCTIONS and kind not in _ANONYMOUS:
        return None
    name = _name(node)
    body = node.child_by_field_name("body")
    if not name or (body is None and not is_class):
        return None
    receiver = _receiver(node)
    around = (receiver,) if receiver else names
    if is_class:
        form = "class"
    elif owner or receiver:
        form = "method"
    else:
        form = "nested" if inside else "function"
    outer = _outer(node)
    returns = _text(node.child_by_field_name("return_type") or node.child_by_field_name("result"))
    if kind == "method_declaration" and not returns:
        returns = _text(node.child_by_field_name("type"))
    header = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
    return OtherDefinition(
        form=form,
        name=name,
        qualname=".".join((*around, name)),
        line_start=outer.start_point[0] + 1,
        line_end=outer.end_point[0] + 1,
        code=_dedent(outer),
        docstring=_docstring(outer),
        parameters=() if is_class or header is None else tuple(_parameters(header)),
        returns=returns.removeprefix(":").strip(),
        returns_value=not is_class and _returns_value(node, body, returns),
        enclosing_class=receiver or owner,
    )


def _text(node: Node | None) -> str:
    text = None if node is None else node.text
    return "" if text is None else text.decode("utf-8", "replace")


def _name(node: Node) -> str:
    name = node.child_by_field_name("name")
    if name is None and (node.type in _ANONYMOUS or node.type == "class"):
        parent = node.parent
        if parent is not None and parent.type == "expression_list":
            parent = parent.parent
        name = None if parent is None else parent.child_by_field_name(_NAMED_BY.get(parent.type, "name"))
        if parent is None or parent.type not in _NAMED_BY:
            return ""
    return _text(name).rpartition(".")[2].strip("'\"$#")


def _go_type(node: Node) -> bool:
    shape = node.child_by_field_name("type")
    return shape is not None and shape.type in ("struct_type", "interface_type")


def _receiver(node: Node) -> str:
    """The type that a method of Go belongs to."""
    receiver = node.child_by_field_name("receiver")
    match = re.search(r"([^\W\d]\w*)\s*(\[.*\])?\s*\)$", _text(receiver))
    return match.group(1) if match else ""


def _outer(node: Node) -> Node:
    """The statement that a definition stands in, when it is nothing but that."""
    outer = node
    parent = node.parent
    while (
        parent is not None
        and parent.type in _WRAPPERS
        and sum(c.type not in _COMMENTS for c in parent.named_children) <= 2
    ):
        outer = parent
        parent = parent.parent
    return outer


def _dedent(node: Node) -> str:
    column = node.start_point[1]
    first, *rest = _text(node).split("\n")
    return "\n".join([first, *(line[column:] if not line[:column].strip() else line.lstrip() for line in rest)])


def _docstring(node: Node) -> str:
    """The comment that ends right above a definition, marks removed."""
    lines: list[str] = []
    below = node
    above = node.prev_named_sibling
    while above is not None and above.type in _COMMENTS and above.end_point[0] >= below.start_point[0] - 1:
        lines.insert(0, _text(above))
        below, above = above, above.prev_named_sibling
    text = _COMMENT_MARKS.sub("", "\n".join(lines))
    return "\n".join(line.strip() for line in text.strip().splitlines())


def _parameters(header: Node) -> Iterator[tuple[str, str]]:
    children = header.named_children if header.type.endswith(("parameters", "parameter_list")) else [header]
    for child in children:
        if child.type not in _PARAMETERS or child.type == "receiver_parameter":
            continue
        kind = _text(child.child_by_field_name("type")).removeprefix(":").strip()
        named = child.children_by_field_name("name")
        if named:
            for each in named:
                yield _text(each).lstrip("$"), kind
            continue
        shown = child.child_by_field_name("pattern") or child.child_by_field_name("left")
        if shown is None and child.type == "spread_parameter":
            shown = child.named_children[-1]
            kind = _text(child.named_children[-2]) if child.named_child_count > 1 else ""
        yield _text(shown or child).lstrip(".$&"), kind


def _returns_value(node: Node, body: Node | None, returns: str) -> bool:
    if returns.strip() in _NOTHING and returns:
        return False
    if body is None:
        return False
    if node.type == "arrow_function" and body.type != "statement_block":
        return True
    stack = list(body.named_children)
    while stack:
        child = stack.pop()
        if child.type == "return_statement" and child.named_child_count:
            return True
        if child.type not in _FUNCTIONS and child.type not in _ANONYMOUS:
            stack.extend(child.named_children)
    return False
