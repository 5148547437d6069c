"""What two copies of a function have in common, whatever their names, comments and layout.

The normalised tree leaves out comments, docstring, annotations, decorators and parentheses; names that the function
binds are numbered in the order in which they appear. What it takes from outside (built-ins, attributes, keyword
arguments, library names) keeps its name. A shingle numbers names by itself: a parameter or a statement more changes
those around it alone.
"""

from __future__ import annotations

import hashlib

from tree_sitter import Node

from ingester.domain.dating import Fingerprint
from ingester.domain.extraction import docstring_node
from ingester.domain.grammar import Field, kind_set, text_of
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


class _OwnName(str):
    """The number of a name that the function binds; no name from outside is one, however it is spelt."""

    __slots__ = ()


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

    def tokens(self, top: Node) -> list[str]:
        """Pre-order text of a subtree, brackets marking its shape."""
        found: list[str] = []
        # What is still to be written: a node and whether its names may be the function's own, or plain text.
        stack: list[tuple[Node, bool] | str] = [(top, True)]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                found.append(item)
            else:
                stack.extend(reversed(self._parts(*item, found)))
        return found

    def _parts(self, node: Node, own: bool, found: list[str]) -> list[tuple[Node, bool] | str]:
        """Write a leaf, or give what a node consists of."""
        kind = node.kind_id
        if kind in _COMMENT or kind in _TYPE:
            return []
        if kind in _IDENTIFIER:
            name = text_of(node)
            found.append(self._number(name) if own and name in self.bound else name)
            return []
        if kind in _EXPRESSION_STATEMENT and node.start_byte == self.docstring:
            return []
        if kind in _PARENTHESES or kind in _TYPED:
            return [(child, True) for child in node.named_children]
        children = node.children
        if kind in _STRING:
            # Quote characters do not matter, a prefix does.
            found.append("string" + text_of(children[0]).rstrip("\"'").lower())
            return [(child, True) for child in children[1:-1]]
        if kind in _STRING_CONTENT or not children:
            text = text_of(node)
            if text not in _PUNCTUATION or kind in _STRING_CONTENT:
                found.append(text)
            return []
        found.append(f"<{node.type.removeprefix('typed_')}")
        # The name of an attribute or of a keyword argument is never the function's own.
        foreign = len(children) - 1 if kind in _ATTRIBUTE else 0 if kind in _KEYWORD else -1
        return [*((child, position != foreign) for position, child in enumerate(children)), ">"]

    def _number(self, name: str) -> str:
        return self.numbers.setdefault(name, _OwnName(f"v{len(self.numbers)}"))


def normalised_tokens(graph: ScopeGraph, site: Site) -> list[str]:
    """The normalised tree of a function as a list of tokens: parameters, then body."""
    normaliser = _Normaliser(graph, site)
    parameters = site.node.child_by_field_id(Field.PARAMETERS)
    header = normaliser.tokens(parameters) if parameters is not None else []
    return header + normaliser.tokens(site.body)


def tree_hash(tokens: list[str]) -> str:
    """32 hexadecimal characters; equal for two functions that differ in names of their own and layout alone."""
    return hashlib.sha256("\x00".join(tokens).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def fingerprint(tokens: list[str]) -> Fingerprint:
    """What a function's code is recognised by in other versions of its source."""
    hashed = (hashlib.blake2b(run, digest_size=8).digest() for run in shingles(tokens))
    return Fingerprint(tree_hash(tokens), frozenset(int.from_bytes(each, "little") for each in hashed))


def shingles(tokens: list[str]) -> frozenset[bytes]:
    """Runs of five tokens, the shape's brackets left out: what near-duplicates share most of."""
    words = [token for token in tokens if token != ">" and not token.startswith("<")]
    runs = (words[start : start + _SHINGLE] for start in range(max(1, len(words) - _SHINGLE + 1)))
    return frozenset(" ".join(_renumbered(run)).encode("utf-8", "surrogatepass") for run in runs)


def _renumbered(run: list[str]) -> list[str]:
    """Names of the function's own by their order in the run: what stands before it changes no number of it."""
    numbers: dict[str, str] = {}
    return [numbers.setdefault(word, f"v{len(numbers)}") if isinstance(word, _OwnName) else word for word in run]
