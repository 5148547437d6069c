"""What two copies of a function have in common, whatever their names, comments and layout.

The normalised tree leaves out comments, docstring, annotations, decorators and parentheses; names that the function
binds are numbered in the order in which they appear. What it takes from outside (built-ins, attributes, keyword
arguments, library names) keeps its name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from tree_sitter import Node

from ingester.domain.extraction import docstring_node
from ingester.domain.grammar import Field, kind_set
from ingester.domain.scopes import ScopeGraph, Site

_IDENTIFIER = kind_set("identifier")
_ATTRIBUTE = kind_set("attribute")
_KEYWORD = kind_set("keyword_argument")
_COMMENT = kind_set("comment", "line_continuation")
_PARENTHESES = kind_set("parenthesized_expression")
_TYPE = kind_set("type")
_TYPED = kind_set("typed_parameter")
_STRING = kind_set("string")
_STRING_CONTENT = kind_set("string_content")
_EXPRESSION_STATEMENT = kind_set("expression_statement")
_PUNCTUATION = frozenset({"(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "=", "->", "def", "return", "\n"})
_SHINGLE = 5


class _Normaliser:
    """Numbers names and flattens a subtree."""

    def __init__(self, graph: ScopeGraph, site: Site) -> None:
        self.numbers: dict[str, str] = {}
        self.bound = {site.name}
        for scope in graph.scopes[site.scopes.first : site.scopes.last]:
            if scope.kind != "class":
                self.bound.update(name for name, found in scope.bindings.items() if found[0].imported is None)
        docstring = docstring_node(site.body)
        self.docstring = -1 if docstring is None else docstring.start_byte

    def tokens(self, node: Node, *, is_name: bool = True) -> Iterator[str]:
        """Pre-order text of a subtree, brackets marking its shape."""
        kind = node.kind_id
        if kind in _COMMENT or kind in _TYPE:
            return
        if kind in _IDENTIFIER:
            name = _text(node)
            yield self._number(name) if is_name and name in self.bound else name
            return
        if kind in _EXPRESSION_STATEMENT and node.start_byte == self.docstring:
            return
        if kind in _PARENTHESES or kind in _TYPED:
            for child in node.named_children:
                yield from self.tokens(child)
            return
        if kind in _STRING_CONTENT:
            yield _text(node)
            return
        if kind in _STRING:
            # Quote characters do not matter, a prefix does.
            yield "string" + _text(node.children[0]).rstrip("\"'").lower()
            for child in node.children[1:-1]:
                yield from self.tokens(child)
            return
        children = node.children
        if not children:
            text = _text(node)
            if text not in _PUNCTUATION:
                yield text
            return
        yield f"<{node.type.removeprefix('typed_')}"
        for position, child in enumerate(children):
            named = not (kind in _ATTRIBUTE and position > 0) and not (kind in _KEYWORD and position == 0)
            yield from self.tokens(child, is_name=named)
        yield ">"

    def _number(self, name: str) -> str:
        return self.numbers.setdefault(name, f"v{len(self.numbers)}")


def _text(node: Node) -> str:
    text = node.text
    return "" if text is None else text.decode("utf-8", "replace")


def normalised_tokens(graph: ScopeGraph, site: Site) -> list[str]:
    """The normalised tree of a function as a list of tokens: parameters, then body."""
    normaliser = _Normaliser(graph, site)
    parameters = site.node.child_by_field_id(Field.PARAMETERS)
    tokens = list(normaliser.tokens(parameters)) if parameters is not None else []
    tokens.extend(normaliser.tokens(site.body))
    return tokens


def tree_hash(tokens: list[str]) -> str:
    """32 hexadecimal characters; equal for two functions that differ in names of their own and layout alone."""
    return hashlib.sha256("\x00".join(tokens).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def shingles(tokens: list[str]) -> frozenset[bytes]:
    """Runs of five tokens, the shape's brackets left out: what near-duplicates share most of."""
    words = [token for token in tokens if token != ">" and not token.startswith("<")]
    if len(words) <= _SHINGLE:
        return frozenset({" ".join(words).encode("utf-8", "surrogatepass")})
    return frozenset(
        " ".join(words[start : start + _SHINGLE]).encode("utf-8", "surrogatepass")
        for start in range(len(words) - _SHINGLE + 1)
    )
