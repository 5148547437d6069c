"""A Python file from bytes to a syntax tree."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from tree_sitter import Node, Parser, Tree

_TYPE_PARAMETERS = re.compile(rb"^[ \t]*(?:async[ \t]+)?(?:def|class|type)[ \t]+[^\W\d]\w*[ \t]*\[", re.MULTILINE)


class UnparsableError(Exception):
    """A file that is no Python; the message says where."""


def decode(data: bytes) -> bytes:
    """The text of a file as UTF-8 with plain newlines, whatever its coding cookie says.

    Raises:
        UnparsableError: the bytes are not text in the coding that the file declares.
    """
    if b"\0" in data:
        raise UnparsableError("holds null bytes")
    if data.startswith(b"\xef\xbb\xbf") or (b"coding" in data[:400] and b"#" in data[:400]) or not data.isascii():
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            data = data.decode(encoding).encode()
        except (SyntaxError, UnicodeError, LookupError) as error:
            raise UnparsableError(f"is not text in its own coding: {error}") from error
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def parse(parser: Parser, source: bytes) -> Tree:
    """Parse a file.

    Raises:
        UnparsableError: the text is no Python.
    """
    tree = parser.parse(source)
    if tree.root_node.has_error and _TYPE_PARAMETERS.search(source):
        # The grammar lacks defaults of type parameters; they are never evaluated by what matters here.
        tree = parser.parse(_without_type_defaults(source))
    if tree.root_node.has_error:
        raise UnparsableError(f"does not parse: {_fault(source, tree)}")
    return tree


def _fault(source: bytes, tree: Tree) -> str:
    """Where a text is no Python, and why: in Python's own words, as the grammar often blames all that was begun."""
    try:
        ast.parse(source)
    except SyntaxError as error:
        if error.lineno:
            return f"line {error.lineno}, column {error.offset or 1}: {error.msg}"
    except (ValueError, MemoryError, RecursionError):
        pass
    where = _first_error(tree.root_node)
    return f"line {where.start_point[0] + 1}, column {where.start_point[1] + 1}"


def _first_error(node: Node) -> Node:
    for child in node.children:
        if child.is_error or child.is_missing:
            return child
        if child.has_error:
            return _first_error(child)
    return node


def _without_type_defaults(source: bytes) -> bytes:
    """Blank out the defaults of type parameters, every other byte in its place."""
    text = list(source)
    for match in _TYPE_PARAMETERS.finditer(source):
        depth, position, blank = 1, match.end(), False
        while position < len(text) and depth:
            byte = text[position]
            if byte in b"[({":
                depth += 1
            elif byte in b"])}":
                depth -= 1
            if depth == 0 or (depth == 1 and byte == ord(",")):
                blank = False
            elif depth == 1 and byte == ord("="):
                blank = True
            if blank and byte != ord("\n"):
                text[position] = ord(" ")
            position += 1
    return bytes(text)
