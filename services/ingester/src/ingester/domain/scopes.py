"""The scope graph: scopes, definitions, references, and the rules that bind one to another.

Nodes are `Scope`, `Definition` and `Reference`. Edges are a scope's parent, a definition's scope (the key under which
the scope keeps it), a reference's scope, and the binding that `Scope.lookup` finds by Python's lexical rules.

Source: Code2Bench, appendix B (scope graph model and resolution); the rules are the language's own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal, NamedTuple

from tree_sitter import Node

ScopeKind = Literal["module", "class", "function", "lambda", "comprehension", "type_parameters"]

DefinitionKind = Literal[
    "assignment",
    "augmented",
    "annotation",
    "parameter",
    "function",
    "class",
    "import",
    "for",
    "as",
    "walrus",
    "capture",
    "delete",
    "type_parameter",
    "type_alias",
]

KINDS_IN_WORDS: dict[DefinitionKind, str] = {
    "assignment": "a variable",
    "augmented": "a variable",
    "annotation": "a declared variable",
    "parameter": "a parameter",
    "function": "a function",
    "class": "a class",
    "import": "an import",
    "for": "a loop variable",
    "as": "a variable",
    "walrus": "a variable",
    "capture": "a captured variable",
    "delete": "a deleted name",
    "type_parameter": "a type parameter",
    "type_alias": "a type alias",
}


class Role:
    """When the name of a reference is looked up.

    A reference that is never evaluated needs no definition: annotations of local variables, bounds of type
    parameters, values of type aliases. `LAZY_ANNOTATION` is not evaluated only because the file says
    `from __future__ import annotations`.
    """

    BODY = 0
    DECORATOR = 1
    DEFAULT = 2
    ANNOTATION = 3
    BASE = 4
    LAZY_ANNOTATION = 5
    NEVER = 6


class ImportedName(NamedTuple):
    """One name that one import statement binds.

    `module` is empty for `from . import x`; `name` is empty for `import module`; `level` counts leading dots.
    """

    module: str
    name: str
    alias: str
    level: int

    @property
    def origin(self) -> str:
        """Dotted path of what was imported, dots of a relative import included."""
        path = f"{self.module}.{self.name}" if self.module and self.name else self.module or self.name
        return "." * self.level + path

    @property
    def statement(self) -> str:
        """The import statement that binds just this name."""
        renamed = f" as {self.alias}" if self.alias else ""
        if self.name:
            return f"from {'.' * self.level}{self.module} import {self.name}{renamed}"
        return f"import {self.module}{renamed}"


class Definition(NamedTuple):
    """A point where a name is bound.

    `start` is its byte offset, `order` the number of references read before it takes effect, `site` the index of the
    function or class that it defines, or -1.
    """

    name: str
    kind: DefinitionKind
    start: int
    order: int
    imported: ImportedName | None = None
    site: int = -1


class Reference(NamedTuple):
    """A point where a name is looked up; `start` is its byte offset."""

    name: str
    start: int
    scope: Scope
    role: int


class StarImport(NamedTuple):
    """`from module import *` and the scope that it fills with names nobody can read off the file."""

    module: str
    level: int
    start: int
    scope: Scope


class Declaration(NamedTuple):
    """A name in a `global` or `nonlocal` statement."""

    kind: Literal["global", "nonlocal"]
    name: str
    start: int
    scope: Scope


class Scope:
    """A region in which names are bound."""

    __slots__ = (
        "_found", "bindings", "end", "global_names", "index", "kind", "name", "nonlocal_names", "parent", "remote",
        "start",
    )  # fmt: skip

    def __init__(self, index: int, kind: ScopeKind, name: str, parent: Scope | None, start: int, end: int) -> None:
        self.index = index
        self.kind: ScopeKind = kind
        self.name = name
        self.parent = parent
        self.start = start
        self.end = end
        self.bindings: dict[str, list[Definition]] = {}
        self.global_names: set[str] = set()
        self.nonlocal_names: set[str] = set()
        # How many definitions of a name came from other scopes, by a `global` statement there.
        self.remote: dict[str, int] = {}
        self._found: dict[str, Scope | None] = {}

    def bind(self, definition: Definition) -> None:
        """Add a definition; `global` and `nonlocal` send it elsewhere."""
        name = definition.name
        bindings = self.bindings
        if self.nonlocal_names and name in self.nonlocal_names:
            return
        if self.global_names and name in self.global_names and self.parent is not None:
            module = self.module
            module.remote[name] = module.remote.get(name, 0) + 1
            bindings = module.bindings
        found = bindings.get(name)
        if found is None:
            bindings[name] = [definition]
        else:
            found.append(definition)

    @property
    def module(self) -> Scope:
        """The file's own scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def lookup(self, name: str) -> Scope | None:
        """The scope whose binding a reference from here reaches; none when only built-ins are left.

        Ask only when the whole file has been read: answers are kept.
        """
        try:
            return self._found[name]
        except KeyError:
            found = self._found[name] = self._search(name)
            return found

    def _search(self, name: str) -> Scope | None:
        if name in self.global_names:
            module = self.module
            return module if name in module.bindings else None
        if name not in self.nonlocal_names and name in self.bindings:
            return self
        # Only an annotation scope directly in a class sees the names of that class.
        sees_class = self.kind == "type_parameters"
        scope = self.parent
        while scope is not None:
            if scope.kind == "class":
                if sees_class and name in scope.bindings:
                    return scope
            elif name in scope.global_names:
                module = scope.module
                return module if name in module.bindings else None
            elif name in scope.bindings:
                return scope
            sees_class = scope.kind == "type_parameters"
            scope = scope.parent
        return None

    def enclosing_class(self) -> Scope | None:
        """The class whose `__class__` cell a function here would close over."""
        scope: Scope | None = self
        while scope is not None:
            if scope.kind == "class":
                return scope
            scope = scope.parent
        return None


class Span(NamedTuple):
    """A half-open range of positions in one of the graph's lists."""

    first: int
    last: int


_EMPTY = Span(0, 0)


@dataclass(slots=True)
class Site:
    """A function or class as the walk met it, with the slices of the graph's lists that belong to it.

    A depth-first walk reads a definition in one go, decorators and defaults included: what belongs to it is a slice.
    """

    index: int
    form: Literal["function", "method", "nested", "class"]
    name: str
    qualname: str
    node: Node
    outer: Node
    scope: Scope
    body_scope: Scope
    body: Node
    parent: Site | None
    is_async: bool = False
    has_yield: bool = False
    # Places in the body where control can go two ways.
    branches: int = 0
    decorators: tuple[Node, ...] = ()
    returns: list[Node] = field(default_factory=list[Node])
    references: Span = _EMPTY
    scopes: Span = _EMPTY
    imports: Span = _EMPTY
    declarations: Span = _EMPTY
    stars: Span = _EMPTY

    def owns(self, scope: Scope) -> bool:
        """True for the scopes inside this definition."""
        return self.scopes.first <= scope.index < self.scopes.last


@dataclass(slots=True)
class ScopeGraph:
    """All nodes of one file; every list is in the order of the walk."""

    source: bytes
    scopes: list[Scope]
    references: list[Reference]
    sites: list[Site]
    imports: list[tuple[Definition, Scope]]
    declarations: list[Declaration]
    stars: list[StarImport]
    # Byte offsets of the branches inside expressions, sorted: boolean operators, conditionals, comprehension clauses.
    decisions: list[int]
    # Byte offsets of constructs that only Python 2 has.
    python2: list[int]
    lazy_annotations: bool
    _lines: list[int] = field(default_factory=list[int])
    _named: dict[str, list[Reference]] = field(default_factory=dict[str, list[Reference]])
    # Where the bodies of classes read names that they bind later.
    _early: frozenset[int] | None = None

    @property
    def module(self) -> Scope:
        """The file's own scope."""
        return self.scopes[0]

    def line(self, start: int) -> int:
        """Line number of a byte offset, from 1."""
        lines = self._lines
        if not lines:
            lines.extend(accumulate(map((1).__add__, map(len, self.source.split(b"\n"))), initial=0))
        return bisect_right(lines, start)

    def named(self, name: str) -> list[Reference]:
        """The references of a name, in whatever scope."""
        if not self._named:
            for reference in self.references:
                self._named.setdefault(reference.name, []).append(reference)
        return self._named.get(name, [])

    def found(self, reference: Reference) -> Scope | None:
        """The scope whose name a reference reads, or none when nothing in the file binds it.

        A class body reads its own name only once it is bound: before that the name is the module's.
        """
        if self._early is None:
            self._early = frozenset(
                each.start
                for position, each in enumerate(self.references)
                if each.scope.kind == "class"
                and (own := each.scope.bindings.get(each.name))
                and own[0].order > position
            )
        scope = reference.scope.lookup(reference.name)
        if scope is reference.scope and reference.start in self._early:
            return self.module if reference.name in self.module.bindings else None
        return scope

    def edges(self) -> Iterator[tuple[Reference, Definition]]:
        """Every binding edge of the file."""
        for reference in self.references:
            scope = self.found(reference)
            for definition in scope.bindings[reference.name] if scope is not None else ():
                yield reference, definition
