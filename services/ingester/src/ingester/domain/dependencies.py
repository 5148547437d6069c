"""What a function needs from outside itself, and the class that follows: SC, WSC or discarded.

A function is judged as if its text stood alone in an empty module. Every reference that is evaluated, when the
definition runs or when the function is called, must then find a definition: inside the function, among the
language's built-ins, or (WSC) in an allowed library that the file imports.

Source: Code2Bench, appendix B.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ingester.domain.annotations import MARKS, must_stay_texts
from ingester.domain.branches import branches, parted, root_of, stands, value_of
from ingester.domain.builtin_names import BUILTIN_NAMES, MODULE_NAMES
from ingester.domain.decorators import keeping
from ingester.domain.libraries import Libraries
from ingester.domain.scopes import (
    KINDS_IN_WORDS,
    Definition,
    ImportedName,
    Reference,
    Role,
    Scope,
    ScopeGraph,
    Site,
)
from ingester.domain.surroundings import Alone, Surroundings, origin, star_behind

DependencyClass = Literal["SC", "WSC", "DISCARDED"]

_CHAIN = re.compile(rb"(?:\s*\.\s*[^\W\d]\w*)+")
_CALL_WITHOUT_ARGUMENTS = re.compile(rb"\s*\(\s*\)")
FUTURE_ANNOTATIONS = "from __future__ import annotations"
_CLASS_NAMES = frozenset({"__module__", "__qualname__"})
_LOOPS = ("for_statement", "while_statement", "if_statement", "match_statement", "try_statement")
_MOST_ANSWERS = 50_000
_ANNOTATIONS = (Role.ANNOTATION, Role.LAZY_ANNOTATION)


class Reason(NamedTuple):
    """Why a function is not self-contained: which reference, on which line, and what it leads to."""

    reference: str
    line: int
    why: str


class LibraryUse(NamedTuple):
    """A use of an allowed library: the dotted path as far as the text shows it."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Dependencies:
    """The dependency set of one function, and the class that follows from it.

    `imports` are exactly the statements that must precede the function's text; what it imports itself is not among
    them. `annotation_only` says that a WSC function needs its imports for annotations alone.
    """

    kind: DependencyClass
    reasons: tuple[Reason, ...] = ()
    libraries: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    annotation_only: bool = False
    uses: tuple[LibraryUse, ...] = ()


# Asked of a reference that an import of the package itself binds, or a star import may: a text refuses it, definitions
# take the place of those of the file, none of both leaves it to the libraries; an empty text says that it is taken.
Borrow = Callable[[Reference, Sequence[Definition], tuple[str, ...]], "str | list[Definition] | None"]


@dataclass
class Needed:
    """Names of the module itself that a definition needs: when it runs or is called, or for annotations alone."""

    always: set[str] = field(default_factory=set[str])
    annotated: set[str] = field(default_factory=set[str])
    borrow: Borrow | None = None


class _Resolver:
    """Collects what one function needs."""

    def __init__(
        self, graph: ScopeGraph, site: Site, libraries: Libraries, needed: Needed | None, around: Surroundings
    ) -> None:
        self.graph = graph
        self.site = site
        self.libraries = libraries
        self.needed = needed
        self.around = around
        self.reasons: dict[tuple[str, str], Reason] = {}
        self.owners: set[str] = set()
        self.imports: set[str] = set()
        self.uses: list[LibraryUse] = []
        self.needs_library_in_body = False
        # Names from outside that were refused already: asking again gives the same answer.
        self.refused: set[tuple[str, int]] = set()

    def run(self) -> Dependencies:
        """Read the slices of the graph that belong to the function."""
        graph, site = self.graph, self.site
        first, last = site.scopes
        own_name = site.name
        start = site.references.first
        for position, reference in enumerate(graph.references[start : site.references.last], start):
            name, _, scope, role = reference
            if role == Role.NEVER:
                continue
            found = scope.lookup(name)
            if found is not None:
                if first <= found.index < last:
                    if found.kind == "class" and found is scope:
                        self._class_read(reference, found, position)
                    elif found.bindings[name][0].imported is not None:
                        self._own_import(reference, found)
                elif name == own_name and self._is_itself(reference, found):
                    if role == Role.LAZY_ANNOTATION and site.form == "class":
                        # While the body of a class is run, the class has no name yet.
                        self._need_future()
                else:
                    self._outside(reference, found)
            elif name not in BUILTIN_NAMES or graph.stars or name == "super":
                self._unbound(reference)
        self._decorators()
        self._local_imports()
        self._declarations()
        self._python2()
        if graph.lazy_annotations and must_stay_texts(site.outer):
            self._need_future()
        return self._answer()

    def _answer(self) -> Dependencies:
        if self.reasons:
            reasons = tuple(sorted(self.reasons.values(), key=lambda reason: (reason.line, reason.reference)))
            return Dependencies("DISCARDED", reasons)
        if not self.owners:
            return Dependencies("SC")
        imports = in_import_order(self.imports)
        return Dependencies(
            "WSC", (), tuple(sorted(self.owners)), imports, not self.needs_library_in_body, tuple(self.uses)
        )

    def _refuse(self, name: str, start: int, why: str) -> None:
        self.reasons.setdefault((name, why), Reason(name, self.graph.line(start), why))

    # References.

    def _is_itself(self, reference: Reference, found: Scope) -> bool:
        """A call of the function by its own name, unless the name is bound anew later.

        Decorators, defaults and annotations are evaluated before the name is bound: there it means something else.
        """
        site = self.site
        if found is not site.scope or found.kind == "class" or reference.scope.index < site.body_scope.index:
            return False
        later = [d for d in found.bindings[site.name] if d.start >= site.outer.end_byte]
        if found is self.graph.module and star_behind(self.graph, self.around, reference) is not None:
            return False
        return all(parted(site.node, definition.start, site.outer.start_byte) for definition in later)

    def _class_read(self, reference: Reference, found: Scope, position: int) -> None:
        """A class body reads the module's name until it has bound its own."""
        module = self.graph.module
        if found.bindings[reference.name][0].order <= position:
            if reference.name in module.bindings and not self._is_bound(found.bindings[reference.name]):
                self._refuse(reference.name, reference.start, "may be a name of the class or of its module")
            return
        if reference.name in module.bindings:
            self._outside(reference, module)
        elif reference.name not in BUILTIN_NAMES:
            self._unbound(reference)

    def _is_bound(self, definitions: list[Definition]) -> bool:
        """Whether a class body binds a name under no condition, and deletes it nowhere."""
        node = root_of(self.site.node).named_descendant_for_byte_range(definitions[0].start, definitions[0].start)
        while node is not None and node.parent is not None and node.parent.type != "block":
            node = node.parent
        above = node.parent.parent if node is not None and node.parent is not None else None
        plain = node is not None and node.type not in _LOOPS and above is not None and above.type == "class_definition"
        return plain and not any(each.kind == "delete" for each in definitions)

    def _unbound(self, reference: Reference) -> None:
        name, start, scope, role = reference
        if name == "super":
            call = _CALL_WITHOUT_ARGUMENTS.match(self.graph.source, start + len(name))
            cell = scope.enclosing_class()
            if call and (cell is None or not self.site.owns(cell)):
                self._refuse("super", start, "needs the class around the function")
        if self.graph.stars and role != Role.LAZY_ANNOTATION and self._borrowed(reference, []):
            return
        if self.graph.stars and self._from_star(reference):
            return
        if name in BUILTIN_NAMES:
            return
        cell = scope.enclosing_class()
        if cell is not None and self.site.owns(cell) and (name == "__class__" or name in _CLASS_NAMES):
            return
        if role == Role.LAZY_ANNOTATION:
            self._need_future()
        elif name == "__class__":
            self._refuse(name, start, "needs the class around the function")
        elif name in MODULE_NAMES:
            self._refuse(name, start, "is an attribute of the function's own module")
        else:
            self._refuse(name, start, "is defined nowhere in the file and is no built-in")

    def _from_star(self, reference: Reference) -> bool:
        """Whether a star import decides what a name means, a built-in's too; the last one that may bring it does."""
        name, start, _, role = reference
        for star in reversed(self.graph.stars):
            names = self.around.star_names(star)
            if names is not None and name not in names:
                continue
            imported = ImportedName(star.module, name, "", star.level)
            bringing = origin(star)
            if names is not None and not self.around.is_own(imported) and not branches(self.site.node, star.start):
                self._use(reference, imported, star.module)
            elif role == Role.LAZY_ANNOTATION:
                return False
            elif names is None:
                self._refuse(name, start, f"may come from the star import of {bringing}, which is not known")
            elif self.around.is_own(imported):
                self._refuse(name, start, f"comes from the star import of {bringing}, a part of the same package")
            else:
                self._refuse(name, start, f"may come from {bringing} by a star import under a condition")
            return True
        return False

    def _outside(self, reference: Reference, found: Scope) -> None:
        name, start, _, role = reference
        if role == Role.LAZY_ANNOTATION:
            self._need_future()
            if not self._is_mark(reference, found):
                return
        if (name, found.index) in self.refused:
            return
        definitions = found.bindings[name]
        if all(definition.kind == "delete" for definition in definitions):
            self._refuse(name, start, "is only deleted, never bound")
            return
        star = star_behind(self.graph, self.around, reference) if found is self.graph.module else None
        if star is not None:
            self.refused.add((name, found.index))
            self._refuse(
                name, start, f"may come from the star import of {origin(star)} on line {self.graph.line(star.start)}"
            )
            return
        if not any(definition.imported for definition in definitions):
            if self.needed is not None and found.kind == "module":
                (self.needed.annotated if role == Role.ANNOTATION else self.needed.always).add(name)
                return
            self.refused.add((name, found.index))
            self._refuse(name, start, self._describe(found, definitions))
            return
        if found.kind == "module" and self._borrowed(reference, definitions):
            return
        why = self._import(reference, [d for d in definitions if d.kind != "delete"])
        if why:
            if not why.startswith("uses "):
                self.refused.add((name, found.index))
            self._refuse(name, start, why)

    def _is_mark(self, reference: Reference, found: Scope) -> bool:
        """Whether a dataclass must find the name of an annotation in its module, though it is not evaluated."""
        imported = [each.imported.name for each in found.bindings[reference.name] if each.imported is not None]
        marks = reference.scope.kind == "class" and bool(MARKS & {*imported, *self._chain(reference)[:1]})
        return bool(imported) and marks

    def _borrowed(self, reference: Reference, definitions: list[Definition]) -> bool:
        """Whether another file of the package decides what a reference means."""
        borrow = self.needed.borrow if self.needed is not None else None
        answer = borrow(reference, definitions, self._chain(reference)) if borrow is not None else None
        if answer is None:
            return False
        why = answer if isinstance(answer, str) else self._import(reference, answer)
        if why:
            self._refuse(reference.name, reference.start, why)
        return True

    def _describe(self, found: Scope, definitions: list[Definition]) -> str:
        definition = definitions[0]
        line = self.graph.line(definition.start)
        what = KINDS_IN_WORDS[definition.kind]
        if found.kind == "module":
            return f"is {what} of the module, line {line}"
        if found.kind == "class":
            return f"is {what} of the class {found.name}, line {line}"
        return f"is {what} of the enclosing function {found.name}, line {line}"

    # Imports.

    def _import(self, reference: Reference, definitions: list[Definition]) -> str:
        """Take the name from a library; returns why that cannot be."""
        chain = self._chain(reference)
        refused = ""
        for chosen in definitions:
            imported = chosen.imported
            if imported is None:
                continue
            path, why = self._path(imported, chain)
            if why:
                refused = refused or f"{why} (line {self.graph.line(chosen.start)})"
                continue
            if rival := self._rival(chosen, definitions):
                refused = refused or rival
                continue
            self._use(reference, imported, path)
            return ""
        return refused

    def _rival(self, chosen: Definition, definitions: list[Definition]) -> str:
        """Says that another definition may be the one in force; empty where all others are the same or do not run."""
        for other in definitions:
            if other is chosen:
                continue
            if other.imported is not None and chosen.imported is not None:
                same = other.imported.origin == chosen.imported.origin
                # `import a.b` and `import a.c` bind the same `a`.
                package = _binds_package(other.imported) == _binds_package(chosen.imported) != ""
                if same or package:
                    continue
            absent, foreign = self._nothing(other), self._foreign(other)
            answer = stands(self.graph, self.site.node, chosen.start, other.start, absent=absent, foreign=foreign)
            if answer is None:
                return f"is also bound on line {self.graph.line(other.start)}"
            if not answer:
                return f"is bound otherwise on line {self.graph.line(other.start)}, which may be what runs"
        return ""

    def _nothing(self, definition: Definition) -> bool:
        """Whether a definition binds its name to nothing, or to a name of a library that this Python has not."""
        imported = definition.imported
        if imported is None:
            value = value_of(self.site.node, definition)
            return value is not None and value.type == "none"
        return bool(imported.name) and not imported.level and self.libraries.lacks(imported.module, imported.name)

    def _foreign(self, definition: Definition) -> bool:
        """Whether a definition is an import of neither an allowed library nor the package's own."""
        imported = definition.imported
        return imported is not None and not self.around.is_own(imported) and not self.libraries.owner(imported.origin)

    def _path(self, imported: ImportedName, chain: tuple[str, ...]) -> tuple[str, str]:
        """The dotted path that the text reaches through an import, or why no allowed library is behind it."""
        answers = self.libraries.answers
        key = (imported, chain)
        answer = answers.get(key)
        if answer is None:
            if len(answers) > _MOST_ANSWERS:
                answers.clear()
            answer = answers[key] = self._reach(imported, chain)
        return answer

    def _reach(self, imported: ImportedName, chain: tuple[str, ...]) -> tuple[str, str]:
        if imported.level:
            return "", f"is imported from {'.' * imported.level}{imported.module}, a part of the same package"
        if imported.name or imported.alias:
            path = ".".join([imported.origin, *chain])
            owner = self.libraries.owner(imported.origin) or self.libraries.owner(path)
        else:
            # `import a.b` binds `a`; the text must reach an allowed module through it.
            path = ".".join([imported.module.partition(".")[0], *chain])
            owner = self.libraries.owner(path)
            top = imported.module.partition(".")[0]
            if not f"{path}.".startswith(f"{imported.module}.") and not self.libraries.owner(top):
                owner = ""
        if not owner:
            return "", f"is imported from {imported.origin}, which is not an allowed library"
        missing = self._missing(imported, path)
        return (path, "") if not missing else ("", missing)

    def _missing(self, imported: ImportedName, path: str) -> str:
        """Says that the library has no such name, as far as that is known."""
        if imported.name and self.libraries.lacks(imported.module, imported.name):
            return f"is imported from {imported.module}, which has no {imported.name}"
        parts = path.split(".")
        for position in range(1, len(parts)):
            module = ".".join(parts[:position])
            if module in self.libraries.modules and self.libraries.lacks(module, parts[position]):
                return f"uses {module}.{parts[position]}, which does not exist"
        return ""

    def _use(self, reference: Reference, imported: ImportedName, path: str) -> None:
        owner = self.libraries.owner(path) or self.libraries.owner(imported.origin)
        self.owners.add(owner)
        self.imports.add(imported.statement)
        self.uses.append(LibraryUse(path, self.graph.line(reference.start)))
        if reference.role not in _ANNOTATIONS:
            self.needs_library_in_body = True

    def _need_future(self) -> None:
        self.owners.add("__future__")
        self.imports.add(FUTURE_ANNOTATIONS)

    def _own_import(self, reference: Reference, found: Scope) -> None:
        """A name that the function imports itself: only what it does with it matters."""
        chain = self._chain(reference)
        for definition in found.bindings[reference.name]:
            imported = definition.imported
            if imported is not None and not imported.level:
                path, why = self._path(imported, chain)
                if not why:
                    self.uses.append(LibraryUse(path, self.graph.line(reference.start)))
                elif why.startswith("uses "):
                    self._refuse(reference.name, reference.start, why)

    def _local_imports(self) -> None:
        for definition, _ in self.graph.imports[self.site.imports.first : self.site.imports.last]:
            imported = definition.imported
            if imported is None:
                continue
            owner = "" if imported.level else self.libraries.owner(imported.origin)
            if imported.level:
                self._refuse(
                    definition.name, definition.start, f"imports {imported.origin}, a part of the same package"
                )
            elif not owner:
                why = f"imports {imported.origin}, which is not an allowed library"
                self._refuse(definition.name, definition.start, why)
            elif imported.name and self.libraries.lacks(imported.module, imported.name):
                why = f"imports {imported.name} from {imported.module}, which has no such name"
                self._refuse(definition.name, definition.start, why)
            else:
                self.owners.add(owner)
                self.needs_library_in_body = True

    def _chain(self, reference: Reference) -> tuple[str, ...]:
        """The attribute names that follow a reference in the text."""
        end = reference.start + len(reference.name.encode())
        match = _CHAIN.match(self.graph.source, end)
        if match is None:
            return ()
        return tuple(part.strip() for part in match.group().decode("utf-8", "replace").split(".")[1:])

    # What else binds a function to its place.

    def _decorators(self) -> None:
        """What is registered with a decorated function, or called in its place, is not in its text."""
        for name, start in keeping(self.graph, self.site) if self.site.form != "class" else ():
            self._refuse(name, start, "is a decorator that may keep what others give it")

    def _declarations(self) -> None:
        site = self.site
        for declared in self.graph.declarations[site.declarations.first : site.declarations.last]:
            if declared.kind == "global":
                self._refuse(declared.name, declared.start, "is declared global: state of the module")
                continue
            found = declared.scope.lookup(declared.name)
            if found is None or not site.owns(found):
                self._refuse(declared.name, declared.start, "is declared nonlocal: state of the enclosing function")

    def _python2(self) -> None:
        site = self.site
        for start in self.graph.python2:
            if site.outer.start_byte <= start < site.outer.end_byte:
                self._refuse("print or exec", start, "is a statement of Python 2")


def _binds_package(imported: ImportedName) -> str:
    """The top package that a plain `import a.b` binds; empty for other imports."""
    return "" if imported.name or imported.alias else imported.module.partition(".")[0]


def in_import_order(statements: Iterable[str]) -> tuple[str, ...]:
    """Import statements as they must stand: what concerns the whole text comes first."""
    return tuple(sorted(statements, key=lambda text: (text != FUTURE_ANNOTATIONS, text)))


def find_dependencies(
    graph: ScopeGraph,
    site: Site,
    libraries: Libraries,
    needed: Needed | None = None,
    around: Surroundings | None = None,
) -> Dependencies:
    """The dependency set U of a function, resolved as far as the allowed libraries reach.

    Args:
        graph: The file.
        site: The function.
        libraries: The allowed libraries.
        needed: Takes the names that the file's own module defines, which are no dependencies then.
        around: The other files of the package, where they are known.
    """
    return _Resolver(graph, site, libraries, needed, around or Alone(libraries)).run()
