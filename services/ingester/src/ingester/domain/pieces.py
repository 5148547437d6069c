"""The definitions of one file that can be cut out of it, and what each of them needs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tree_sitter import Node

from ingester.domain.changes import DEFINITIONS, FileChanges
from ingester.domain.decorators import STATELESS, last_name
from ingester.domain.dependencies import Dependencies, Needed, find_dependencies
from ingester.domain.extraction import read_decorators
from ingester.domain.grammar import Field, kind_set
from ingester.domain.libraries import Libraries
from ingester.domain.packages import Defined, Module, Outside, Package, Target, Unbound, View
from ingester.domain.scopes import Definition, ImportedName, Reference, Role, ScopeGraph, Site, Span
from ingester.domain.uses import Uses

PartKind = Literal["function", "class", "constant"]

_EXPRESSION_STATEMENT = kind_set("expression_statement")
_ASSIGNMENT = kind_set("assignment")
_NAMES = kind_set("identifier", "pattern_list", "tuple_pattern")
_KEYWORD_ARGUMENT = kind_set("keyword_argument")
_METACLASSES = frozenset({"ABCMeta", "EnumMeta", "EnumType", "abc.ABCMeta", "enum.EnumMeta", "enum.EnumType"})
_HOOKS = frozenset({"__init_subclass__", "__set_name__", "__class_getitem__"})


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One top-level statement: a site of its own, made up where it is no definition.

    Attributes:
        file: Where it lies.
        site: Its place in the scope graph.
        kind: What it is.
        names: What it binds.
    """

    file: FilePieces
    site: Site
    kind: PartKind
    names: tuple[str, ...]

    @property
    def key(self) -> tuple[str, int]:
        """File and place."""
        return self.file.path, self.site.outer.start_byte

    @property
    def text(self) -> str:
        """The source text."""
        outer = self.site.outer
        return self.file.graph.source[outer.start_byte : outer.end_byte].decode("utf-8", "replace")


class Borrowed(NamedTuple):
    """A reference that leads to a definition of another file; `end` is behind the attributes that lead there."""

    reference: Reference
    end: int
    target: Defined


@dataclass(frozen=True, slots=True)
class Found:
    """What a piece needs: of libraries, of its own module, and of other files."""

    dependencies: Dependencies
    always: frozenset[str]
    annotated: frozenset[str]
    borrowed: tuple[Borrowed, ...]


class FilePieces:
    """The definitions of one file.

    Args:
        graph: The file.
        libraries: The allowed libraries.
        path: Where the file lies in its source.
        package: The other files; none where only the file itself is known.
        module: The file as the package knows it; it is handed to the package where it is left out.
    """

    def __init__(
        self,
        graph: ScopeGraph,
        libraries: Libraries,
        path: str = "",
        package: Package | None = None,
        module: Module | None = None,
    ) -> None:
        self.graph = graph
        self.path = path
        self._libraries = libraries
        self.root = module.root if module is not None else _root(graph)
        self.changes = FileChanges(graph, self.root)
        self._package = package
        self._module = module
        if module is None and package is not None and self.root is not None:
            self._module = package.adopt(path, graph, self.root)
        self._view = View(package, self._module) if package is not None and self._module is not None else None
        self._statements = list(self.root.children) if self.root is not None else []
        self._starts = [node.start_byte for node in self._statements]
        self._uses = Uses(package)
        self._pieces: dict[str, Piece | str] = {}
        self._found: dict[int, Found] = {}

    def entry(self, site: Site) -> Piece:
        """A function of the file as a piece."""
        return Piece(self, site, "function", (site.name,))

    def needs(self, piece: Piece) -> Found:
        """What a piece of this file needs."""
        key = piece.site.outer.start_byte
        if key not in self._found:
            borrowed: list[Borrowed] = []
            needed = Needed()
            if self._module is not None:
                lender = _Lender(self._package, self._module, borrowed)
                needed.borrow = lender.borrow
            dependencies = find_dependencies(self.graph, piece.site, self._libraries, needed, self._view)
            always = frozenset(needed.always) - set(piece.names)
            annotated = frozenset(needed.annotated) - always - set(piece.names)
            self._found[key] = Found(dependencies, always, annotated, tuple(borrowed))
        return self._found[key]

    def piece(self, name: str) -> Piece | str:
        """The definition of a name of the module, or why it cannot be taken along."""
        if name not in self._pieces:
            self._pieces[name] = self._define(name)
        return self._pieces[name]

    def set_by_module(self, name: str) -> bool:
        """Whether anything may set a name by way of the module that the file is."""
        return self._uses.set_in_module(self._as_module(), name)

    def _define(self, name: str) -> Piece | str:
        definitions = self.graph.module.bindings.get(name, [])
        if len(definitions) != 1:
            return f"{name} is bound more than once"
        (definition,) = definitions
        statement = self._statement(definition)
        if statement is None:
            return f"{name} is bound under a condition"
        if name in self.changes.names:
            return f"{name} is changed elsewhere in the module"
        if definition.site >= 0:
            return self._definition(self.graph.sites[definition.site])
        return self._constant(name, statement)

    def _definition(self, site: Site) -> Piece | str:
        if site.is_async:
            return f"{site.name} is a coroutine"
        inner = [each for each in self.graph.sites if each.parent is site] if site.form == "class" else []
        for each in [site, *inner]:
            for text in read_decorators(each, self.graph.source):
                last = last_name(text)
                if last not in STATELESS and last not in ("setter", "deleter"):
                    return f"{site.name} is decorated with {last}, which may keep state"
        if site.form == "class":
            if any(each.name in _HOOKS for each in inner):
                return f"{site.name} acts on the classes that are made from it"
            if made := _metaclass(site):
                return f"{site.name} is made by {made}"
            if changed := self._uses.class_changed(self._as_module(), site):
                return f"{site.name} has {changed} for all its objects, which something may change"
        return Piece(self, site, "class" if site.form == "class" else "function", (site.name,))

    def _statement(self, definition: Definition) -> Node | None:
        """The top-level statement that is a definition, or whose assignment binds a name."""
        place = bisect_right(self._starts, definition.start) - 1
        if place < 0:
            return None
        node = self._statements[place]
        if node.kind_id in DEFINITIONS:
            return node if definition.site >= 0 and self.graph.sites[definition.site].outer == node else None
        return node if node.kind_id in _EXPRESSION_STATEMENT else None

    def _constant(self, name: str, statement: Node) -> Piece | str:
        inner = statement.named_children[0] if statement.named_child_count == 1 else None
        left = inner.child_by_field_id(Field.LEFT) if inner is not None else None
        if inner is None or inner.kind_id not in _ASSIGNMENT or left is None or left.kind_id not in _NAMES:
            return f"{name} is bound by a statement that is no plain assignment"
        if inner.child_by_field_id(Field.RIGHT) is None:
            return f"{name} is declared without a value"
        names = tuple(
            found[0].name
            for found in self.graph.module.bindings.values()
            if statement.start_byte <= found[0].start < statement.end_byte
        )
        for other in names:
            if len(self.graph.module.bindings[other]) != 1 or other in self.changes.names:
                return f"{other} is bound or changed elsewhere in the module"
            if self._uses.name_changed(self._as_module(), other):
                return f"{other} goes to what may change it"
        return Piece(self, self._site_of(statement, name), "constant", names)

    def _as_module(self) -> Module:
        if self.root is None:
            raise ValueError("a file without definitions has no pieces")
        return self._module or Module(self.path, self.graph, self.root)

    def _site_of(self, statement: Node, name: str) -> Site:
        """A made-up site for a statement: the slices of the graph's lists that lie in it."""
        graph = self.graph
        start, end = statement.start_byte, statement.end_byte
        references = [place for place, each in enumerate(graph.references) if start <= each.start < end]
        scopes = [scope.index for scope in graph.scopes[1:] if start <= scope.start < end]
        site = Site(-1, "function", "", name, statement, statement, graph.module, graph.module, statement, None)
        site.references = Span(references[0], references[-1] + 1) if references else Span(0, 0)
        site.scopes = Span(scopes[0], scopes[-1] + 1) if scopes else Span(0, 0)
        return site


class _Lender:
    """Says what references of one piece mean in other files, and notes those that lead there."""

    def __init__(self, package: Package | None, module: Module, borrowed: list[Borrowed]) -> None:
        self._package = package
        self._module = module
        self._borrowed = borrowed

    def borrow(
        self, reference: Reference, definitions: Sequence[Definition], chain: tuple[str, ...]
    ) -> str | list[Definition] | None:
        """See `dependencies.Borrow`."""
        package, module = self._package, self._module
        if package is None:
            return None
        own = [each for each in definitions if each.imported is not None and package.is_own(module.path, each.imported)]
        if definitions and not own:
            return None
        target = package.attribute(module, reference.name, inside=True)
        if isinstance(target, Unbound):
            # Nothing in the package has the name: a built-in, or what a library's star import brings.
            return None
        if isinstance(target, Outside):
            return self._library(reference, target.imported)
        return self._reach(package, reference, target, chain)

    def _reach(self, package: Package, reference: Reference, target: Target, chain: tuple[str, ...]) -> str:
        used = 0
        while isinstance(target, Module) and used < len(chain):
            target = package.attribute(target, chain[used])
            used += 1
        if isinstance(target, Defined):
            if reference.role == Role.DECORATOR:
                return "is a decorator of the same package, which may keep state"
            end = _behind(self._module.graph.source, reference, chain[:used])
            self._borrowed.append(Borrowed(reference, end, target))
            return ""
        if isinstance(target, Module):
            return f"is a module of the same package ({target.path}) that is used as a value"
        if isinstance(target, Outside):
            return f"is reached through a module of the same package ({target.imported.origin})"
        return f"is of the same package: {target}"

    def _library(self, reference: Reference, imported: ImportedName) -> str | list[Definition]:
        """What another file imports from a library, imported from there."""
        name = reference.name
        if not imported.name and not imported.alias and "." in imported.module:
            return f"is imported as a part of {imported.module} by another file"
        found = imported.name or imported.module
        renamed = imported._replace(alias="" if found == name else name)
        return [Definition(name, "import", reference.start, 0, renamed)]


def _behind(source: bytes, reference: Reference, chain: tuple[str, ...]) -> int:
    """The place behind a reference and the attributes that are read of it; -1 where the text spells them otherwise."""
    end = reference.start + len(reference.name.encode())
    for name in chain:
        at = source.find(name.encode(), end)
        if at < 0:
            # Names are compared in a normal form that the text need not have.
            return -1
        end = at + len(name.encode())
    return end


def _metaclass(site: Site) -> str:
    """The metaclass that a class names, where it is not one that keeps nothing."""
    bases = site.node.child_by_field_id(Field.SUPERCLASSES)
    for child in bases.named_children if bases is not None else []:
        if child.kind_id in _KEYWORD_ARGUMENT:
            text = (child.text or b"").decode("utf-8", "replace")
            key, _, value = (part.strip() for part in text.partition("="))
            if key == "metaclass" and value not in _METACLASSES:
                return value
    return ""


def _root(graph: ScopeGraph) -> Node | None:
    node = graph.sites[0].outer if graph.sites else None
    while node is not None and node.parent is not None:
        node = node.parent
    return node
