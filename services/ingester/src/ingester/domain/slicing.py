"""A function with what it needs of its own package, cut out as one module that stands alone.

The scope graph says which names are evaluated, when the definition runs or when it is called; their definitions are
taken along, and what these need in turn, from its own file and, through imports, from others of the package. What
cannot be cut out exactly is no slice: names bound twice or under a condition, tables that something fills or changes,
definitions with decorators that keep state, files that change more than their own names when they are imported.

A slice is SC or WSC by the same rules as a function; its complexity is that of all functions in it, as of one program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ingester.domain.annotations import read_in
from ingester.domain.changes import FileChanges, changed_elsewhere, library_set, named_libraries
from ingester.domain.dependencies import FUTURE_ANNOTATIONS, DependencyClass, LibraryUse, in_import_order
from ingester.domain.effects import find_effects
from ingester.domain.extraction import read_parameters
from ingester.domain.joining import Joined, NotCutError, join
from ingester.domain.libraries import Libraries
from ingester.domain.licences import named_in
from ingester.domain.packages import Module, Package
from ingester.domain.pieces import FilePieces, PartKind, Piece
from ingester.domain.places import is_test, vendored
from ingester.domain.scopes import Role, ScopeGraph, Site

MOST_PARTS = 24
MOST_FILES = 6
MOST_BYTES = 16_000


class Part(NamedTuple):
    """A definition that a slice takes along: what it is, its names, where it stands, and the licence its file names."""

    kind: PartKind
    name: str
    line_start: int
    line_end: int
    path: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True)
class Slice:
    """A function and what it needs, as one module.

    Attributes:
        code: The definitions, imports left out: files in the order of their imports, each in its own order.
        kind: SC or WSC.
        parts: What was taken along, the function itself left out.
        imports: Exactly the import statements that must precede the code.
        libraries: What they belong to.
        annotation_only: Whether the imports serve annotations alone.
        uses: Where libraries are used.
        branches: Two-way branches of all functions in it.
        effect: The first thing that a part does besides computing, as filter and words; empty when there is none.
        texts: The text of each part as its file has it.
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
    texts: tuple[str, ...] = ()


class Slicer:
    """Cuts functions out of one file.

    Args:
        graph: The file.
        libraries: The allowed libraries.
        path: Where it lies in its source.
        package: The other files of the source; what they define is no part of a slice where they are left out.
    """

    def __init__(self, graph: ScopeGraph, libraries: Libraries, path: str = "", package: Package | None = None) -> None:
        self._libraries = libraries
        self._package = package
        self._own = FilePieces(graph, libraries, path, package)
        self._files = {path: self._own}

    def cut(self, site: Site) -> Slice | str:
        """The slice of a function of the module's own scope, or why there is none; empty where it needs nothing."""
        if site.form != "function" or site.outer.parent is None or site.outer.parent.type != "module":
            return "is no function of the module"
        try:
            return self._cut(site) or ""
        except NotCutError as error:
            return str(error)

    def _cut(self, site: Site) -> Slice | None:
        if len(self._own.graph.module.bindings.get(site.name, ())) != 1:
            raise NotCutError(f"{site.name} is bound more than once")
        entry = self._own.entry(site)
        taken: dict[tuple[str, int], Piece] = {}
        lazy = self._take(entry, taken)
        pieces = list(taken.values())
        borrows = any(statement not in _statements(self._own.graph) for statement in self._imports(pieces))
        if len(taken) == 1 and not lazy and not borrows:
            return None
        self._settled(pieces)
        graphs = {piece.file.path: piece.file.graph for piece in pieces}
        if len(graphs) > MOST_FILES:
            raise NotCutError(f"it needs more than {MOST_FILES} files")
        # Where one of the files does not evaluate annotations, the whole must not.
        lazy |= len(graphs) > 1 and any(graph.lazy_annotations for graph in graphs.values())
        evaluated = any(not piece.file.graph.lazy_annotations for piece in pieces)
        if lazy and evaluated and any(read_in(piece.site.outer) for piece in pieces):
            raise NotCutError("it reads annotations, which would no longer be evaluated")
        return self._joined(entry, join(entry, pieces), lazy=lazy)

    def _imports(self, pieces: list[Piece]) -> set[str]:
        return {statement for piece in pieces for statement in piece.file.needs(piece).dependencies.imports}

    def _settled(self, pieces: list[Piece]) -> None:
        """What was taken is the same whenever it is read."""
        paths = sorted({piece.file.path for piece in pieces})
        for path in paths:
            if acts := self._file_changes(path, modules=len(paths) > 1):
                raise NotCutError(f"{path}: {acts}" if path else acts)
        for piece in pieces:
            named = named_libraries(piece.file.graph, piece.site)
            top, why = library_set(self._package, piece.file.path, piece.file.changes, named)
            if top:
                raise NotCutError(f"{top} {why}")
        for piece in pieces:
            if hidden := piece.file.changes.hidden(piece.site):
                raise NotCutError(f"{hidden} is no built-in in its file, which sets it as a name of its module")
            for name in piece.names:
                if piece.file.set_by_module(name):
                    raise NotCutError(f"{name} may be set by what its module is handed to")
        if self._package is None:
            return
        for piece in pieces:
            for name in piece.names:
                if where := changed_elsewhere(self._package, piece.file.path, name):
                    raise NotCutError(f"{name} is changed in {where}")

    def _file_changes(self, path: str, *, modules: bool) -> str:
        """What a file, or an `__init__` that is run before it, does to more than its own names."""
        acts = self._files[path].changes.at_import(modules=modules)
        around = self._package.around(path)[1:] if self._package is not None and not acts else []
        for other in around:
            module = self._package.module(other) if self._package is not None else None
            if module is None:
                return f"{other} cannot be read"
            if acts := FileChanges(module.graph, module.root).at_import(own_calls=False, modules=modules):
                return f"{other}: {acts}"
        return acts

    def _take(self, piece: Piece, taken: dict[tuple[str, int], Piece]) -> bool:
        """Take a definition along with all that it needs; says whether annotations must not be evaluated."""
        taken[piece.key] = piece
        if len(taken) > MOST_PARTS + 1:
            raise NotCutError(f"it needs more than {MOST_PARTS} definitions")
        found = piece.file.needs(piece)
        if found.dependencies.kind == "DISCARDED":
            reason = found.dependencies.reasons[0]
            raise NotCutError(f"{reason.reference} {reason.why}")
        needed = [piece.file.piece(name) for name in sorted(found.always)]
        noted = [piece.file.piece(name) for name in sorted(found.annotated)]
        for each in found.borrowed:
            lent = self._lent(each.target.module, each.target.name)
            (noted if each.reference.role == Role.ANNOTATION else needed).append(lent)
        lazy = False
        for other in needed:
            if isinstance(other, str):
                raise NotCutError(other)
            if other.key not in taken:
                lazy |= self._take(other, taken)
        for other in noted:
            # What only annotations name need not be there when they are not evaluated; the name of a type is worth it.
            if not isinstance(other, str) and other.key in taken:
                continue
            tried = dict(taken)
            try:
                if isinstance(other, str) or other.kind == "class":
                    raise NotCutError("a type that only annotations name")
                lazy |= self._take(other, tried)
            except NotCutError:
                lazy = True
            else:
                taken.update(tried)
        return lazy

    def _lent(self, module: Module, name: str) -> Piece | str:
        path = module.path
        if is_test(path):
            return f"{name} is defined among tests or documents, {path}"
        if copied := vendored(path):
            return f"{name} lies under {copied}/, copied from elsewhere"
        if path not in self._files:
            self._files[path] = FilePieces(module.graph, self._libraries, path, self._package, module)
        return self._files[path].piece(name)

    def _joined(self, entry: Piece, joined: Joined, *, lazy: bool) -> Slice:
        pieces, code = joined
        if len(code.encode()) > MOST_BYTES:
            raise NotCutError(f"it is longer than {MOST_BYTES} bytes")
        found = [piece.file.needs(piece).dependencies for piece in pieces]
        imports = {statement for each in found for statement in each.imports}
        libraries = {library for each in found for library in each.libraries}
        if lazy:
            imports.add(FUTURE_ANNOTATIONS)
            libraries.add("__future__")
        sites = [inner for piece in pieces for inner in _sites_of(piece)]
        return Slice(
            code=code,
            kind="WSC" if libraries else "SC",
            parts=tuple(_part(piece) for piece in pieces if piece is not entry),
            imports=in_import_order(imports),
            libraries=tuple(sorted(libraries)),
            annotation_only=bool(libraries) and all(each.annotation_only or not each.libraries for each in found),
            uses=tuple(use for each in found for use in each.uses),
            branches=sum(site.branches for site in sites),
            effect=self._effect(pieces),
            texts=tuple(piece.text for piece in pieces if piece is not entry),
        )

    def _effect(self, pieces: tuple[Piece, ...]) -> tuple[str, str]:
        for piece in pieces:
            graph = piece.file.graph
            uses = piece.file.needs(piece).dependencies.uses
            parameters = read_parameters(piece.site, graph.source) if piece.kind == "function" else ()
            path = piece.file.path
            for effect in find_effects(graph, piece.site, uses, parameters, self._libraries, self._package, path):
                where = f"{piece.file.path}, " if piece.file is not self._own else ""
                return effect.kind, f"{where}line {effect.line}: {effect.what}"
        return "", ""


def _part(piece: Piece) -> Part:
    graph, outer = piece.file.graph, piece.site.outer
    return Part(
        piece.kind,
        ", ".join(piece.names),
        graph.line(outer.start_byte),
        graph.line(outer.end_byte - 1),
        piece.file.path,
        named_in(graph.source),
    )


def _sites_of(piece: Piece) -> Iterator[Site]:
    """The functions of a piece whose branches count: those at its own level, not the ones inside them."""
    if piece.kind == "function":
        yield piece.site
    elif piece.kind == "class":
        yield from (site for site in piece.file.graph.sites if site.parent is piece.site and site.form != "class")


def _statements(graph: ScopeGraph) -> set[str]:
    """The import statements of a file, a name each, as the file has them."""
    return {definition.imported.statement for definition, _ in graph.imports if definition.imported is not None}
