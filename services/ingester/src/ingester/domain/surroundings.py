"""What is known of the files around the one that is read, and what its star imports bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ingester.domain.libraries import Libraries
from ingester.domain.scopes import ImportedName, Reference, Scope, ScopeGraph, StarImport


class Surroundings(Protocol):
    """What is known of the files around the one that is read."""

    def is_own(self, imported: ImportedName) -> bool:
        """Whether an import of the file names a part of its own package."""
        ...

    def star_names(self, star: StarImport) -> frozenset[str] | None:
        """The names that a star import of the file brings; none when that is not known."""
        ...


@dataclass(frozen=True)
class Alone:
    """A file of whose package nothing is known."""

    libraries: Libraries

    def is_own(self, imported: ImportedName) -> bool:
        """Relative imports alone."""
        return bool(imported.level)

    def star_names(self, star: StarImport) -> frozenset[str] | None:
        """Those of allowed libraries."""
        return None if star.level else self.libraries.star_names(star.module)


def star_behind(graph: ScopeGraph, around: Surroundings, reference: Reference) -> StarImport | None:
    """The star import that may bring another thing under a name, between where a module binds and where it reads it.

    Args:
        graph: The file.
        around: The other files.
        reference: Where a name of the module is read.
    """
    bound = graph.module.bindings[reference.name]
    same = {(each.imported.module, each.imported.level) for each in bound if each.imported and not each.imported.alias}
    scope: Scope | None = reference.scope
    while scope is not None and scope.kind == "class":
        scope = scope.parent
    # What is evaluated while the file is imported reads what stands above it alone.
    read = reference.start if scope is graph.module else len(graph.source)
    for star in graph.stars:
        if bound[0].start < star.start < read and same != {(star.module, star.level)}:
            names = around.star_names(star)
            if names is None or reference.name in names:
                return star
    return None


def origin(star: StarImport) -> str:
    """What a star import names, dots of a relative one included."""
    return "." * star.level + star.module
