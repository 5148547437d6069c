"""A function with what it needs of its own module, cut out as one module that stands alone.

The scope graph says which names of the module are evaluated, when the definition runs or when it is called; their
definitions are taken along, and what these need in turn, in the order of the file. Nothing is rewritten. What cannot be
cut out exactly is no slice: names bound twice or under a condition, tables that the module fills elsewhere, definitions
with decorators that keep state.

A slice is SC or WSC by the same rules as a function; its complexity is that of all functions in it, as of one program.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tree_sitter import Node

from ingester.domain.dependencies import (
    FUTURE_ANNOTATIONS,
    Dependencies,
    DependencyClass,
    LibraryUse,
    Needed,
    find_dependencies,
    in_import_order,
)
from ingester.domain.effects import MUTATORS, find_effects
from ingester.domain.extraction import read_decorators, read_parameters
from ingester.domain.grammar import Field, kind_set
from ingester.domain.libraries import Libraries
from ingester.domain.scopes import Definition, Role, ScopeGraph, Site, Span

MOST_PARTS = 24
MOST_BYTES = 16_000
PartKind = Literal["function", "class", "constant"]

_EXPRESSION_STATEMENT = kind_set("expression_statement")
_ASSIGNMENT = kind_set("assignment")
_TARGETS = kind_set("identifier", "pattern_list", "tuple_pattern")
_ATTRIBUTE = kind_set("attribute")
_SUBSCRIPT = kind_set("subscript")
_CALL = kind_set("call")
_DELETE = kind_set("delete_statement")
_DEFINITIONS = kind_set("function_definition", "class_definition", "decorated_definition")
_WRITES = kind_set("assignment", "augmented_assignment")
# Decorators that keep nothing between calls, by their last name.
_STATELESS = frozenset(
    {"dataclass", "staticmethod", "classmethod", "property", "wraps", "unique", "total_ordering", "overload", "final"}
)


class Part(NamedTuple):
    """A definition that a slice takes along: what it is, its names, and where it stands."""

    kind: PartKind
    name: str
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class Slice:
    """A function and what it needs, as one module.

    Attributes:
        code: The definitions in the order of the file, imports left out.
        kind: SC or WSC.
        parts: What was taken along, the function itself left out.
        imports: Exactly the import statements that must precede the code.
        libraries: What they belong to.
        annotation_only: Whether the imports serve annotations alone.
        uses: Where libraries are used.
        branches: Two-way branches of all functions in it.
        effect: The first thing that a part does besides computing, as filter and words; empty when there is none.
    """

    code: str
    kind: DependencyClass
    parts: tuple[Part, ...]
    imports: tuple[str, ...]
    libraries: tuple[str, ...]
    annotation_only: bool
    uses: tuple[LibraryUse, ...]
    branches: int
    effect: tuple[str, str] = ("", "")


class _NotCut(Exception):
    """The function cannot be cut out; the message says why."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """One top-level statement: a site of its own, made up where it is no definition."""

    site: Site
    kind: PartKind
    names: tuple[str, ...]


class Slicer:
    """Cuts functions out of one file.

    Args:
        graph: The file.
        libraries: The allowed libraries.
    """

    def __init__(self, graph: ScopeGraph, libraries: Libraries) -> None:
        self._graph = graph
        self._libraries = libraries
        root = self._root()
        self._statements = list(root.children) if root is not None else []
        self._starts = [node.start_byte for node in self._statements]
        self._pieces: dict[str, _Piece | str] = {}
        self._found: dict[int, tuple[Dependencies, frozenset[str], frozenset[str]]] = {}
        self._changed: frozenset[str] | None = None

    def _root(self) -> Node | None:
        node = self._graph.sites[0].outer if self._graph.sites else None
        while node is not None and node.parent is not None:
            node = node.parent
        return node

    def cut(self, site: Site) -> Slice | None:
        """The slice of a function of the module's own scope; none where it cannot be cut out, or needs nothing."""
        if site.form != "function" or site.outer.parent is None or site.outer.parent.type != "module":
            return None
        try:
            return self._cut(site)
        except _NotCut:
            return None

    def _cut(self, site: Site) -> Slice | None:
        if len(self._graph.module.bindings.get(site.name, ())) != 1:
            raise _NotCut(f"{site.name} is bound more than once")
        entry = _Piece(site, "function", (site.name,))
        taken: dict[int, _Piece] = {}
        lazy = self._take(entry, taken)
        if len(taken) == 1 and not lazy:
            return None
        return self._joined(entry, [taken[start] for start in sorted(taken)], lazy=lazy)

    def _take(self, piece: _Piece, taken: dict[int, _Piece]) -> bool:
        """Take a definition along with all that it needs; says whether annotations must not be evaluated."""
        taken[piece.site.outer.start_byte] = piece
        if len(taken) > MOST_PARTS + 1:
            raise _NotCut(f"it needs more than {MOST_PARTS} definitions")
        dependencies, needed, annotated = self._dependencies(piece)
        if dependencies.kind == "DISCARDED":
            raise _NotCut(dependencies.reasons[0].why)
        lazy = False
        for name in sorted(needed):
            other = self._piece(name)
            if isinstance(other, str):
                raise _NotCut(other)
            if other.site.outer.start_byte not in taken:
                lazy |= self._take(other, taken)
        for name in sorted(annotated):
            # What only annotations name need not be there when they are not evaluated; the name of a type is worth it.
            other = self._piece(name)
            tried = dict(taken)
            try:
                if isinstance(other, str) or other.kind == "class":
                    raise _NotCut(name)
                if other.site.outer.start_byte not in taken:
                    lazy |= self._take(other, tried)
            except _NotCut:
                lazy = True
            else:
                taken.update(tried)
        return lazy

    def _joined(self, entry: _Piece, pieces: list[_Piece], *, lazy: bool) -> Slice:
        graph = self._graph
        code = "\n\n\n".join(_text(piece.site.outer, graph.source) for piece in pieces)
        if len(code) > MOST_BYTES:
            raise _NotCut(f"it is longer than {MOST_BYTES} bytes")
        found = [self._dependencies(piece)[0] for piece in pieces]
        imports = {statement for each in found for statement in each.imports}
        libraries = {library for each in found for library in each.libraries}
        if lazy:
            imports.add(FUTURE_ANNOTATIONS)
            libraries.add("__future__")
        uses = tuple(use for each in found for use in each.uses)
        parts = tuple(
            Part(piece.kind, ", ".join(piece.names), graph.line(piece.site.outer.start_byte),
                 graph.line(piece.site.outer.end_byte - 1))
            for piece in pieces
            if piece is not entry
        )  # fmt: skip
        sites = [inner for piece in pieces for inner in self._sites_of(piece)]
        return Slice(
            code=code,
            kind="WSC" if libraries else "SC",
            parts=parts,
            imports=in_import_order(imports),
            libraries=tuple(sorted(libraries)),
            annotation_only=bool(libraries) and all(each.annotation_only or not each.libraries for each in found),
            uses=uses,
            branches=sum(site.branches for site in sites),
            effect=self._effect(pieces),
        )

    def _sites_of(self, piece: _Piece) -> Iterator[Site]:
        """The functions of a piece whose branches count: those at its own level, not the ones inside them."""
        if piece.kind == "function":
            yield piece.site
        elif piece.kind == "class":
            yield from (site for site in self._graph.sites if site.parent is piece.site and site.form != "class")

    def _effect(self, pieces: list[_Piece]) -> tuple[str, str]:
        for piece in pieces:
            uses = self._dependencies(piece)[0].uses
            parameters = read_parameters(piece.site, self._graph.source) if piece.kind == "function" else ()
            for effect in find_effects(self._graph, piece.site, uses, parameters, self._libraries):
                return effect.kind, f"line {effect.line}: {effect.what}"
        return "", ""

    def _dependencies(self, piece: _Piece) -> tuple[Dependencies, frozenset[str], frozenset[str]]:
        """What a piece needs of libraries, and the names of the module that it needs: always, and for annotations."""
        key = piece.site.outer.start_byte
        if key not in self._found:
            needed = Needed()
            dependencies = find_dependencies(self._graph, piece.site, self._libraries, needed)
            always = frozenset(needed.always) - set(piece.names)
            self._found[key] = dependencies, always, frozenset(needed.annotated) - always - set(piece.names)
        return self._found[key]

    # Definitions of the module.

    def _piece(self, name: str) -> _Piece | str:
        """The definition of a name of the module, or why it cannot be taken along."""
        if name not in self._pieces:
            self._pieces[name] = self._define(name)
        return self._pieces[name]

    def _define(self, name: str) -> _Piece | str:
        definitions = self._graph.module.bindings.get(name, [])
        if len(definitions) != 1:
            return f"{name} is bound more than once"
        (definition,) = definitions
        statement = self._statement(definition)
        if statement is None:
            return f"{name} is bound under a condition"
        if name in self._changes():
            return f"{name} is changed elsewhere in the module"
        if definition.site >= 0:
            return self._definition(self._graph.sites[definition.site])
        return self._constant(name, statement)

    def _definition(self, site: Site) -> _Piece | str:
        if site.is_async:
            return f"{site.name} is a coroutine"
        decorated = [*read_decorators(site, self._graph.source)]
        if site.form == "class":
            inner = [each for each in self._graph.sites if each.parent is site]
            decorated += [text for each in inner for text in read_decorators(each, self._graph.source)]
        for text in decorated:
            last = text.partition("(")[0].rpartition(".")[2].strip()
            if last not in _STATELESS and last not in ("setter", "deleter"):
                return f"{site.name} is decorated with {last}, which may keep state"
        return _Piece(site, "class" if site.form == "class" else "function", (site.name,))

    def _statement(self, definition: Definition) -> Node | None:
        """The top-level statement that is a definition, or whose assignment binds a name."""
        place = bisect_right(self._starts, definition.start) - 1
        if place < 0:
            return None
        node = self._statements[place]
        if node.kind_id in _DEFINITIONS:
            return node if definition.site >= 0 and self._graph.sites[definition.site].outer == node else None
        return node if node.kind_id in _EXPRESSION_STATEMENT else None

    def _constant(self, name: str, statement: Node) -> _Piece | str:
        inner = statement.named_children[0] if statement.named_child_count == 1 else None
        left = inner.child_by_field_id(Field.LEFT) if inner is not None else None
        if inner is None or inner.kind_id not in _ASSIGNMENT or left is None or left.kind_id not in _TARGETS:
            return f"{name} is bound by a statement that is no plain assignment"
        if inner.child_by_field_id(Field.RIGHT) is None:
            return f"{name} is declared without a value"
        names = tuple(
            found[0].name
            for found in self._graph.module.bindings.values()
            if statement.start_byte <= found[0].start < statement.end_byte
        )
        for other in names:
            if len(self._graph.module.bindings[other]) != 1 or other in self._changes():
                return f"{other} is bound or changed elsewhere in the module"
        return _Piece(self._site_of(statement, name), "constant", names)

    def _site_of(self, statement: Node, name: str) -> Site:
        """A made-up site for a statement: the slices of the graph's lists that lie in it."""
        graph = self._graph
        start, end = statement.start_byte, statement.end_byte
        references = [place for place, each in enumerate(graph.references) if start <= each.start < end]
        scopes = [scope.index for scope in graph.scopes[1:] if start <= scope.start < end]
        site = Site(-1, "function", "", name, statement, statement, graph.module, graph.module, statement, None)
        site.references = Span(references[0], references[-1] + 1) if references else Span(0, 0)
        site.scopes = Span(scopes[0], scopes[-1] + 1) if scopes else Span(0, 0)
        return site

    def _changes(self) -> frozenset[str]:
        """Names of the module whose values something in the file changes in place, or fills at import."""
        if self._changed is None:
            self._changed = frozenset(self._find_changes())
        return self._changed

    def _find_changes(self) -> Iterator[str]:
        graph = self._graph
        yield from (declared.name for declared in graph.declarations if declared.kind == "global")
        names = {name for name, found in graph.module.bindings.items() if found[0].imported is None}
        root = self._root()
        for reference in graph.references:
            if reference.name not in names or root is None:
                continue
            if reference.scope.lookup(reference.name) is not graph.module:
                continue
            if reference.role == Role.BODY and (self._filled(reference.start) or _written(root, reference.start)):
                yield reference.name

    def _filled(self, start: int) -> bool:
        """Whether a place lies in a top-level statement that is neither a definition nor a plain assignment."""
        place = bisect_left(self._starts, start + 1) - 1
        if place < 0:
            return False
        node = self._statements[place]
        if node.kind_id in _DEFINITIONS:
            return False
        inner = node.named_children[0] if node.named_child_count == 1 else None
        return node.kind_id not in _EXPRESSION_STATEMENT or inner is None or inner.kind_id not in _ASSIGNMENT


def _text(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _written(root: Node, start: int) -> bool:
    """Whether the name at a place is the root of something that is assigned to, deleted, or changed by a method."""
    node = root.named_descendant_for_byte_range(start, start)
    reached = False
    while node is not None and node.parent is not None:
        parent = node.parent
        kind = parent.kind_id
        if kind in _ATTRIBUTE and parent.named_children[0] == node:
            attribute = parent.child_by_field_id(Field.ATTRIBUTE)
            call = parent.parent
            if call is not None and call.kind_id in _CALL and call.child_by_field_id(Field.FUNCTION) == parent:
                return attribute is not None and (attribute.text or b"").decode("utf-8", "replace") in MUTATORS
            reached = True
        elif kind in _SUBSCRIPT and parent.named_children[0] == node:
            reached = True
        elif kind in _WRITES:
            return reached and parent.child_by_field_id(Field.LEFT) == node
        elif kind in _DELETE:
            return reached
        else:
            return False
        node = parent
    return False
