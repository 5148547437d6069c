"""What two copies of a function have in common, whatever their names, comments and layout.

The normalised tree leaves out comments, docstring, annotations, decorators and parentheses; names that the function
binds are numbered in the order in which they appear. What it takes from outside (built-ins, attributes, keyword
arguments, library names) keeps its name. A shingle numbers names by itself: a parameter or a statement more changes
those around it alone.

Punctuation says nothing where the kind of the node says it already. It is kept where it alone tells two programs
apart: the colons of a slice, the comma that makes one element a tuple, what a place in an f-string shows and how.

Copies that are looked for in other versions (`Fingerprint`) may have been through a formatter since: there, texts and
numbers are told by their value, a tuple is one without brackets too, `else: if` is `elif`, and statements that do
nothing are left out. What tells duplicates apart (`normalised_tokens`) keeps all that.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator

from tree_sitter import Node

from ingester.domain import spelling
from ingester.domain.dating import Fingerprint
from ingester.domain.extraction import docstring_node
from ingester.domain.grammar import Field, kind_set, text_of
from ingester.domain.scopes import ScopeGraph, Site

_IDENTIFIER = kind_set("identifier")
_ATTRIBUTE = kind_set("attribute")
_KEYWORD = kind_set("keyword_argument", "keyword_pattern")
_COMMENT = kind_set("comment", "line_continuation")
_SUBSCRIPT = kind_set("subscript")
_FUNCTION = kind_set("function_definition")
_PARENTHESES = kind_set("parenthesized_expression")
_TYPE = kind_set("type")
_TYPED = kind_set("typed_parameter")
_STRING = kind_set("string")
_NUMBER = kind_set("integer", "float")
_STRINGS = kind_set("string", "concatenated_string")
_CONTENT = kind_set("string_content")
_ELLIPSIS = kind_set("ellipsis")
_PASS = kind_set("pass_statement")
_ASSIGNMENT = kind_set("assignment")
_CLASS = kind_set("class_definition")
_TUPLE = kind_set("tuple", "tuple_pattern", "expression_list", "pattern_list")
_TUPLE_PATTERN = kind_set("tuple_pattern")
_GENERATOR = kind_set("generator_expression")
_CALL = kind_set("call")
_IF = kind_set("if_statement")
_ELSE = kind_set("else_clause")
_OTHERWISE = kind_set("elif_clause", "else_clause")
# What is told by its text as it stands.
_VERBATIM = kind_set("string_content", "import_prefix")
_SLICE = kind_set("slice")
_FORMAT = kind_set("format_specifier")
_INTERPOLATION = kind_set("interpolation")
_DOTTED = kind_set("dotted_name")
# One element of these, with a comma behind it, is another thing than without.
_ONE_OR_MANY = kind_set("subscript", "case_clause", "tuple_pattern")
_NO_ELEMENTS = kind_set("comment", "line_continuation", "if_clause", "block")
_EXPRESSION_STATEMENT = kind_set("expression_statement")
_PUNCTUATION = frozenset({"(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "=", "->", "def", "return", "\n"})
# What numbers of names and brackets of the shape are spelt like.
_MADE_UP = re.compile(r"v\d+$|<[a-z]")
# A node and whether its names may be the function's own, or a token.
_Part = tuple[Node, bool] | str
_SHINGLE = 5


class _OwnName(str):
    """The number of a name that the function binds; no name from outside is one, however it is spelt."""

    __slots__ = ()


class _Shape(str):
    """A bracket that marks the shape of the tree; no operator and no text is one."""

    __slots__ = ()


_END = _Shape(">")


class _Normaliser:
    """Numbers names and flattens a subtree."""

    def __init__(self, bound: Collection[str], bodies: Iterable[Node]) -> None:
        self.numbers: dict[str, str] = {}
        self.bound = bound
        self.docstrings = {found.start_byte for body in bodies if (found := docstring_node(body)) is not None}

    def tokens(self, top: Node) -> list[str]:
        """Pre-order text of a subtree, brackets marking its shape."""
        found: list[str] = []
        # What is still to be written: a node and whether its names may be the function's own, or plain text.
        stack: list[_Part] = [(top, True)]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                found.append(item)
            else:
                stack.extend(reversed(self._parts(*item, found)))
        return found

    def _parts(self, node: Node, own: bool, found: list[str]) -> list[_Part]:
        """Write a leaf, or give what a node consists of."""
        kind = node.kind_id
        if kind in _COMMENT or kind in _TYPE:
            return []
        if kind in _IDENTIFIER:
            name = text_of(node)
            found.append(self._number(name) if own and name in self.bound else _plain(name))
            return []
        if kind in _EXPRESSION_STATEMENT and node.start_byte in self.docstrings:
            return []
        if kind in _PARENTHESES or kind in _TYPED:
            return [(child, True) for child in node.named_children]
        if kind in _FORMAT:
            return [_Shape("<format_specifier"), *_with_text_between(node), _END]
        children = node.children
        if kind in _STRING:
            # Quote characters do not matter, a prefix does.
            found.append("string" + text_of(children[0]).rstrip("\"'").lower())
            return [(child, True) for child in children[1:-1]]
        if kind in _VERBATIM or not children:
            text = text_of(node)
            if text not in _PUNCTUATION or kind in _VERBATIM:
                found.append(_plain(text))
            return []
        found.append(_Shape(f"<{node.type.removeprefix('typed_')}"))
        if told := _told_by_punctuation(node):
            found.append(told)
        # The name of an attribute or of a keyword argument is never the function's own.
        foreign = range(1, len(children)) if kind in _ATTRIBUTE or kind in _DOTTED else range(int(kind in _KEYWORD))
        return [*((child, position not in foreign) for position, child in enumerate(children)), _END]

    def _number(self, name: str) -> str:
        return self.numbers.setdefault(name, _OwnName(f"v{len(self.numbers)}"))


class _Formatted(_Normaliser):
    """Flattens what a formatter may have written otherwise to one and the same."""

    def _parts(self, node: Node, own: bool, found: list[str]) -> list[_Part]:
        kind = node.kind_id
        if _is_idle(node):
            return []
        if kind in _STRINGS:
            return _string(node)
        if kind in _NUMBER:
            return [spelling.number(text_of(node))]
        if kind in _IF:
            return [_Shape("<if_statement"), *_branches(node.children), _END]
        if kind in _TUPLE:
            elements: list[_Part] = [(child, True) for child in node.named_children]
            return elements if kind in _TUPLE_PATTERN and not _is_tuple(node) else [_Shape("<tuple"), *elements, _END]
        given = node.child_by_field_id(Field.ARGUMENTS) if kind in _CALL else None
        if given is not None and given.kind_id in _GENERATOR:
            # Parentheses that are a call's and a generator's in one.
            called = (child for child in node.named_children if child != given)
            arguments = _Shape("<argument_list"), (given, True), _END
            return [_Shape("<call"), *((child, True) for child in called), *arguments, _END]
        return super()._parts(node, own, found)


class _Around(_Normaliser):
    """Flattens what stands beside a function: names of a module and of a class are what others know them by."""

    def __init__(self, graph: ScopeGraph) -> None:
        super().__init__((), (site.body for site in graph.sites if site.form == "class"))
        self._graph = graph
        self._functions = {site.node.start_byte: site for site in graph.sites if site.form != "class"}

    def _parts(self, node: Node, own: bool, found: list[str]) -> list[_Part]:
        if node.kind_id not in _FUNCTION:
            return super()._parts(node, own, found)
        site = self._functions[node.start_byte]
        form = _Shape("<async" if site.is_async else "<def")
        return [form, _plain(site.name), *normalised_tokens(self._graph, site), _END]


def _plain(text: str) -> str:
    """A token that is none of a name's numbers, nor a bracket of the shape, however it is spelt."""
    return f"\x01{text}" if _MADE_UP.match(text) else text


def _is_idle(node: Node) -> bool:
    """Whether a statement does nothing: `pass`, a text, the annotation of a name; of a class it makes a field."""
    if node.kind_id not in _EXPRESSION_STATEMENT or node.named_child_count != 1:
        return node.kind_id in _PASS
    inner = node.named_children[0]
    if inner.kind_id in _ASSIGNMENT:
        around = node.parent.parent if node.parent is not None else None
        in_class = around is not None and around.kind_id in _CLASS
        return inner.child_by_field_id(Field.RIGHT) is None and not in_class
    if inner.kind_id in _STRINGS:
        return all(isinstance(part, str) for part in _string(inner))
    return inner.kind_id in _ELLIPSIS


def _is_tuple(pattern: Node) -> bool:
    """Whether a pattern in parentheses is one of several values; otherwise they only hold it together."""
    elements = [child for child in pattern.named_children if child.kind_id not in _COMMENT]
    return len(elements) != 1 or any(child.type == "," for child in pattern.children)


def _branches(children: Iterable[Node]) -> Iterator[_Part]:
    """The parts of an `if`; one that is all of an `else` is an `elif`."""
    for child in children:
        inner = _only_if(child) if child.kind_id in _ELSE else None
        if inner is None:
            yield child, True
            continue
        first = [each for each in inner.children if each.kind_id not in _OTHERWISE][1:]
        yield from (_Shape("<elif_clause"), "elif", *((each, True) for each in first), _END)
        yield from _branches(each for each in inner.children if each.kind_id in _OTHERWISE)


def _only_if(clause: Node) -> Node | None:
    body = clause.child_by_field_id(Field.BODY)
    statements = [each for each in body.named_children if each.kind_id not in _COMMENT] if body is not None else []
    return statements[0] if len(statements) == 1 and statements[0].kind_id in _IF else None


def _string(node: Node) -> list[_Part]:
    """A text by its value, of however many literals; quotes do not matter, nor a prefix that says nothing."""
    literals = [each for each in (node, *node.named_children) if each.kind_id in _STRING]
    parts: list[_Part] = []
    text, letters = "", set[str]()
    for literal in literals:
        prefix = text_of(literal.children[0]).rstrip("\"'").lower()
        letters |= set(prefix) & set("bt")
        for child in literal.children[1:-1]:
            if child.kind_id in _CONTENT:
                text += spelling.characters(text_of(child), prefix)
                continue
            parts += [*_content(text), (child, True)]
            text = ""
            letters.add("f")
    parts += _content(text)
    form = "string" + "".join(sorted(letters))
    return [form, *parts, _END] if "f" in letters else [form, *(parts or [_Shape("<nothing")])]


def _content(text: str) -> list[str]:
    """The token of a text; none can be taken for several."""
    if not text:
        return []
    return [f"\x01{text!r}" if text == ">" or "\0" in text or "\x01" in text else _plain(text)]


def _told_by_punctuation(node: Node) -> str:
    """What two nodes of one kind differ by in their punctuation alone."""
    kind = node.kind_id
    if kind in _SLICE:
        return "".join(":" if child.type == ":" else "_" for child in node.children if child.kind_id not in _COMMENT)
    if kind in _INTERPOLATION:
        # `{x = }` shows its own text, names and blanks included.
        shown = next((child for child in node.children if child.type == "="), None)
        text = (node.text or b"")[: shown.end_byte - node.start_byte] if shown is not None else b""
        return text.decode("utf-8", "replace")
    if kind in _ONE_OR_MANY:
        elements = [child for child in node.named_children if child.kind_id not in _NO_ELEMENTS]
        commas = sum(child.type == "," for child in node.children)
        return "," if commas == len(elements) - (kind in _SUBSCRIPT) == 1 else ""
    return ""


def _with_text_between(node: Node) -> list[_Part]:
    """The parts of a node that has text between them which is no node of its own."""
    source, start = node.text or b"", node.start_byte
    parts: list[_Part] = []
    at = start
    for child in node.named_children:
        parts += [source[at - start : child.start_byte - start].decode("utf-8", "replace"), (child, True)]
        at = child.end_byte
    return [*parts, source[at - start :].decode("utf-8", "replace")]


def normalised_tokens(graph: ScopeGraph, site: Site) -> list[str]:
    """The normalised tree of a function as a list of tokens: parameters, then body."""
    return _tokens(graph, site, _Normaliser)


def _tokens(graph: ScopeGraph, site: Site, form: type[_Normaliser]) -> list[str]:
    bound = {site.name}
    for scope in graph.scopes[site.scopes.first : site.scopes.last]:
        if scope.kind != "class":
            bound.update(name for name, found in scope.bindings.items() if found[0].imported is None)
    normaliser = form(bound, [site.body])
    parameters = site.node.child_by_field_id(Field.PARAMETERS)
    header = normaliser.tokens(parameters) if parameters is not None else []
    return header + normaliser.tokens(site.body)


def program_tokens(graph: ScopeGraph, site: Site) -> list[str]:
    """The normalised tree of a function with what stands beside it in its module, in whatever order that stands."""
    statements = [node for node in _module(site).named_children if node != site.outer]
    around = sorted(_Around(graph).tokens(node) for node in statements)
    return [*normalised_tokens(graph, site), *(token for each in around for token in each)]


def _module(site: Site) -> Node:
    node = site.outer
    while node.parent is not None:
        node = node.parent
    return node


def tree_hash(tokens: list[str]) -> str:
    """32 hexadecimal characters; equal for two functions that differ in names of their own and layout alone."""
    return hashlib.sha256("\x00".join(tokens).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def fingerprint(graph: ScopeGraph, site: Site) -> Fingerprint:
    """What a function's code is recognised by in other versions of its source."""
    tokens = _tokens(graph, site, _Formatted)
    hashed = (hashlib.blake2b(run, digest_size=8).digest() for run in shingles(tokens))
    return Fingerprint(tree_hash(tokens), frozenset(int.from_bytes(each, "little") for each in hashed))


def shingles(tokens: list[str]) -> frozenset[bytes]:
    """Runs of five tokens, the shape's brackets left out: what near-duplicates share most of."""
    words = [token for token in tokens if not isinstance(token, _Shape)]
    runs = (words[start : start + _SHINGLE] for start in range(max(1, len(words) - _SHINGLE + 1)))
    return frozenset(" ".join(_renumbered(run)).encode("utf-8", "surrogatepass") for run in runs)


def _renumbered(run: list[str]) -> list[str]:
    """Names of the function's own by their order in the run: what stands before it changes no number of it."""
    numbers: dict[str, str] = {}
    return [numbers.setdefault(word, f"v{len(numbers)}") if isinstance(word, _OwnName) else word for word in run]
