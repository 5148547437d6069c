"""The text of a function and what its header says."""

from __future__ import annotations

import ast
import inspect
import io
import tokenize
from typing import Literal, NamedTuple

from tree_sitter import Node, Query, QueryCursor

from ingester.domain.grammar import PYTHON, Field, kind_set
from ingester.domain.scopes import ScopeGraph, Site

ParameterKind = Literal["positional_only", "positional", "var_positional", "keyword_only", "var_keyword"]

_IDENTIFIER = kind_set("identifier")
_DEFAULTED = kind_set("default_parameter", "typed_default_parameter")
_TYPED = kind_set("typed_parameter")
_LIST_SPLAT = kind_set("list_splat_pattern")
_DICT_SPLAT = kind_set("dictionary_splat_pattern")
_SLASH = kind_set("positional_separator")
_STAR = kind_set("keyword_separator")
_EXPRESSION_STATEMENT = kind_set("expression_statement")
_STRINGS = kind_set("string", "concatenated_string")
_COMMENT = kind_set("comment")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip
_LONG_STRINGS = Query(PYTHON, "(string) @string")


class ParameterText(NamedTuple):
    """One parameter as written; `default` is none where there is none."""

    name: str
    kind: ParameterKind
    annotation: str
    default: str | None


def _text(node: Node | None, source: bytes) -> str:
    return "" if node is None else source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def read_parameters(site: Site, source: bytes) -> tuple[ParameterText, ...]:
    """The parameters of a function, in order, with their kinds."""
    header = site.node.child_by_field_id(Field.PARAMETERS)
    if header is None:
        return ()
    found: list[ParameterText] = []
    kind: ParameterKind = "positional"
    for child in header.named_children:
        kind_id = child.kind_id
        if kind_id in _SLASH:
            found = [parameter._replace(kind="positional_only") for parameter in found]
        elif kind_id in _STAR:
            kind = "keyword_only"
        elif kind_id in _IDENTIFIER:
            found.append(ParameterText(_text(child, source), kind, "", None))
        elif kind_id in _DEFAULTED:
            name = _text(child.child_by_field_id(Field.NAME), source)
            annotation = _text(child.child_by_field_id(Field.TYPE), source)
            found.append(ParameterText(name, kind, annotation, _text(child.child_by_field_id(Field.VALUE), source)))
        else:
            annotation = ""
            if kind_id in _TYPED:
                annotation = _text(child.child_by_field_id(Field.TYPE), source)
                child = child.named_children[0]
            if child.kind_id in _LIST_SPLAT:
                found.append(ParameterText(_text(child, source).lstrip("* "), "var_positional", annotation, None))
                kind = "keyword_only"
            elif child.kind_id in _DICT_SPLAT:
                found.append(ParameterText(_text(child, source).lstrip("* "), "var_keyword", annotation, None))
            elif child.kind_id in _IDENTIFIER:
                found.append(ParameterText(_text(child, source), kind, annotation, None))
    return tuple(found)


def docstring_node(body: Node) -> Node | None:
    """The string that opens a body, if one does."""
    for child in body.named_children:
        if child.kind_id in _COMMENT:
            continue
        if child.kind_id in _EXPRESSION_STATEMENT:
            inner = child.named_children
            if len(inner) == 1 and inner[0].kind_id in _STRINGS:
                return inner[0]
        return None
    return None


def read_docstring(body: Node, source: bytes) -> str:
    """The docstring, its indentation removed; empty when there is none (bytes and formatted strings are none)."""
    node = docstring_node(body)
    if node is None:
        return ""
    text = _text(node, source)
    if "\\" in text or text[0] not in "\"'" or text[-1] != text[0] or text[:3] not in ('"""', "'''"):
        try:
            value = ast.literal_eval(text)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return ""
        if not isinstance(value, str):
            return ""
        text = value
    else:
        text = text[3:-3]
    return inspect.cleandoc(text) if "\n" in text else text.strip()


def read_returns(site: Site, source: bytes) -> str:
    """The return annotation as written."""
    return _text(site.node.child_by_field_id(Field.RETURN_TYPE), source)


def read_code(site: Site, source: bytes) -> str:
    """The definition with its decorators, moved to the left margin.

    Lines inside a string that spans lines keep their text, the docstring's excepted: it means the same indented or not.
    """
    outer = site.outer
    text = source[outer.start_byte : outer.end_byte].decode("utf-8", "replace")
    margin_start = source.rfind(b"\n", 0, outer.start_byte) + 1
    margin = source[margin_start : outer.start_byte].decode("utf-8", "replace")
    if not margin or "\n" not in text:
        return text
    if margin.strip():
        margin = " " * len(margin)
    kept = string_lines(site, source)
    if not kept:
        # A line indented less than the definition can only continue a bracket or hold a comment: it may stay.
        return text.replace("\n" + margin, "\n")
    lines = text.split("\n")
    first = outer.start_point[0]
    for position in range(1, len(lines)):
        if first + position not in kept:
            lines[position] = lines[position].removeprefix(margin)
    return "\n".join(lines)


def code_rows(code: str) -> list[int]:
    """Rows of a function's text that hold code, from 0: no docstring, comment or empty line.

    Example:
        >>> code_rows("def f(x):\n    # why\n\n    return x\n")
        [0, 3]
    """
    left_out: range = range(0)
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
        nothing: list[ast.stmt] = []
        body = next((node.body for node in ast.parse(code).body if isinstance(node, _FUNCTIONS)), nothing)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return list(range(code.count("\n") + 1))
    match body:
        case [ast.Expr(value=ast.Constant(value=str())) as first, _, *_] if first.end_lineno is not None:
            left_out = range(first.lineno, first.end_lineno + 1)
        case _:
            pass
    rows = {row for each in tokens if each.type not in _NO_CODE for row in range(each.start[0], each.end[0] + 1)}
    return sorted(row - 1 for row in rows - set(left_out))


def string_lines(site: Site, source: bytes) -> set[int]:
    """Rows that begin inside a string other than the docstring."""
    docstring = docstring_node(site.body)
    text = source[site.body.start_byte if docstring is None else docstring.end_byte : site.body.end_byte]
    if b'"""' not in text and b"'''" not in text and b"\\\n" not in text:
        return set()
    rows: set[int] = set()
    for node in QueryCursor(_LONG_STRINGS).captures(site.outer).get("string", ()):
        first, last = node.start_point[0], node.end_point[0]
        if last > first and (docstring is None or node.start_byte != docstring.start_byte):
            rows.update(range(first + 1, last + 1))
    return rows


def read_decorators(site: Site, source: bytes) -> tuple[str, ...]:
    """The decorators as written, without the at sign."""
    return tuple(_text(node, source).lstrip("@").strip() for node in site.decorators)


def file_imports(graph: ScopeGraph) -> tuple[str, ...]:
    """Every import of the file's own scope, one statement a name."""
    module = graph.module
    found = [d.imported.statement for d, scope in graph.imports if scope is module and d.imported is not None]
    found.extend(f"from {'.' * star.level}{star.module} import *" for star in graph.stars if star.scope is module)
    return tuple(dict.fromkeys(found))
