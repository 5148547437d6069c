"""The other files of a package: which definition a name of one file means in another.

Imports are followed as the language does it: relative ones and those by the package's own name, through `__init__`,
aliases, re-exports and star imports whose names are known. What is not certain is a refusal in words: a name that is
bound twice or under a condition, a star import that may bring it too, a submodule of the same name.

Source: the import system of the language reference, sections 5.2 to 5.7 and 7.11.
"""

from __future__ import annotations

import re
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from tree_sitter import Node

from ingester.domain.grammar import Field, kind_set, python_parser
from ingester.domain.libraries import Libraries
from ingester.domain.places import is_test
from ingester.domain.reading import UnparsableError, decode, parse
from ingester.domain.scope_builder import build_scope_graph
from ingester.domain.scopes import Definition, ImportedName, ScopeGraph, StarImport

# Parsed files of a package that are kept at a time: most names come from a few of them.
_KEPT_MODULES = 32
_LONGEST_FILE = 1 << 20
# A name as bytes of UTF-8.
_WORD = re.compile(rb"[\w\x80-\xff]+")
# Where projects keep what is imported by its own name.
_SOURCE_FOLDERS = frozenset({"src", "lib", "python", "source"})
_IMPORTS = frozenset({"import_statement", "import_from_statement", "future_import_statement"})
_COLLECTIONS = kind_set("list", "tuple")
_STRING = kind_set("string")


class Siblings(Hashable, Protocol):
    """The Python files of the source that a file is a part of."""

    def paths(self) -> Collection[str]:
        """Their paths, with slashes."""
        ...

    def read(self, path: str) -> bytes | None:
        """The content of one; none where it cannot be read."""
        ...


@dataclass(frozen=True, eq=False)
class Module:
    """One file of a package, parsed."""

    path: str
    graph: ScopeGraph
    root: Node


@dataclass(frozen=True)
class Defined:
    """A name that a module itself binds, once and under no condition."""

    module: Module
    name: str


@dataclass(frozen=True)
class Outside:
    """A name that a module imports from something that is no part of its package."""

    imported: ImportedName


class Unbound(str):
    """A refusal: the name is bound nowhere."""

    __slots__ = ()


# What a name leads to; a text says why that is not certain.
Target = Defined | Module | Outside | str


def tops(paths: Collection[str]) -> frozenset[str]:
    """What a source is imported as: the packages and modules that lie at its top.

    Example:
        >>> sorted(tops(["shelf-1.0/src/shelf/__init__.py", "shelf-1.0/tests/test_a.py", "shelf-1.0/setup.py"]))
        ['setup', 'shelf']
    """
    split = [path.split("/") for path in paths]
    first = {parts[0] for parts in split}
    if len(first) == 1 and f"{next(iter(first))}/__init__.py" not in paths:
        # An archive has everything in one folder.
        split = [parts[1:] for parts in split if len(parts) > 1]
    inner = [parts[1:] if parts[0] in _SOURCE_FOLDERS and len(parts) > 1 else parts for parts in split]
    found = {parts[0] for parts in inner if len(parts) == 2 and parts[1] == "__init__.py"}
    found |= {parts[0].removesuffix(".py") for parts in inner if len(parts) == 1}
    return frozenset(found - sys.stdlib_module_names)


class Package:
    """Follows imports between the files of one source.

    Args:
        siblings: The files.
        libraries: Tells which names a star import of an allowed library brings.
    """

    def __init__(self, siblings: Siblings, libraries: Libraries) -> None:
        self._siblings = siblings
        self._libraries = libraries
        self.paths = frozenset(path for path in siblings.paths() if path.endswith(".py"))
        self._modules: OrderedDict[str, Module | None] = OrderedDict()
        # What was asked of all files: where a name of a file is changed, and whether an attribute is set. Every class
        # below another one asks the same.
        self.changed: dict[tuple[str, str, bool], str] = {}
        self.is_set: dict[str, bool] = {}
        # The libraries whose state a file sets at import, with the line.
        self.libraries_set: dict[str, Mapping[str, int]] = {}
        # What becomes of values, see `uses`.
        self.fates: dict[tuple[str | int, ...], int] = {}
        # Attributes that something sets on the class of an object.
        self.set_on_types: frozenset[str] | None = None
        # Where modules stand as values: file, begin and end of each place.
        self.as_values: dict[str, list[tuple[str, int, int]]] = {}

    @cached_property
    def tops(self) -> frozenset[str]:
        """What the source is imported as."""
        return tops(self.paths)

    def text(self, path: str) -> bytes:
        """The bytes of a file; empty where it cannot be read."""
        return self._siblings.read(path) or b""

    def holding(self, name: str) -> Sequence[str]:
        """The files that hold a name anywhere, in order; tests are left out.

        Large packages are asked for thousands of names: every file is read once for all of them.
        """
        return self._words.get(name.encode(), ())

    @cached_property
    def _words(self) -> Mapping[bytes, Sequence[str]]:
        found: defaultdict[bytes, list[str]] = defaultdict(list)
        for path in sorted(self.paths):
            for word in () if is_test(path) else {*_WORD.findall(self.text(path))}:
                found[word].append(path)
        return dict(found)

    def adopt(self, path: str, graph: ScopeGraph, root: Node) -> Module:
        """Take over a file that is parsed already."""
        self._modules[path] = module = Module(path, graph, root)
        self._modules.move_to_end(path)
        return module

    def module(self, path: str) -> Module | None:
        """A file, parsed; none where it is none of the source's, cannot be read, is very long, or does not parse."""
        if path in self._modules:
            self._modules.move_to_end(path)
            return self._modules[path]
        self._modules[path] = found = self._parsed(path)
        if len(self._modules) > _KEPT_MODULES:
            self._modules.popitem(last=False)
        return found

    def _parsed(self, path: str) -> Module | None:
        content = self._siblings.read(path) if path in self.paths else None
        if content is None or len(content) > _LONGEST_FILE:
            return None
        try:
            source = decode(content)
            tree = parse(python_parser(), source)
            return Module(path, build_scope_graph(tree, source), tree.root_node)
        except (UnparsableError, RecursionError):
            return None

    # Where modules lie.

    def is_own(self, path: str, imported: ImportedName) -> bool:
        """Whether an import of a file names a part of the file's own package."""
        return bool(imported.level) or imported.module.partition(".")[0] == self._top(path) != ""

    def _top(self, path: str) -> str:
        """What the package of a file is imported as; empty where that is not certain.

        A folder below others that are named like packages may be a part of a namespace, whose name is longer.
        """
        above, _, name = self._root(path).rpartition("/")
        if any(part.isidentifier() and part not in _SOURCE_FOLDERS for part in above.split("/")):
            return ""
        return "" if name in sys.stdlib_module_names else name

    def _root(self, path: str) -> str:
        folder, root = path.rpartition("/")[0], ""
        while folder and f"{folder}/__init__.py" in self.paths:
            root, folder = folder, folder.rpartition("/")[0]
        return root

    def around(self, path: str) -> list[str]:
        """The `__init__` files that are run before a file is, and the file."""
        root = self._root(path)
        folder, found = path.rpartition("/")[0], [path]
        while root and folder.startswith(root):
            found.append(f"{folder}/__init__.py")
            folder = folder.rpartition("/")[0]
        return list(dict.fromkeys(found))

    def _place(self, path: str, module: str, level: int) -> str:
        """Folder or file, without its ending, that a module is; empty where it lies outside."""
        if level:
            folder = path.rpartition("/")[0]
            for _ in range(level - 1):
                folder = folder.rpartition("/")[0]
        else:
            folder = self._root(path).rpartition("/")[0]
        return "/".join(part for part in (folder, *module.split(".")) if part)

    def _file(self, place: str) -> str:
        """The file of a module; empty where there is none."""
        for path in (f"{place}/__init__.py", f"{place}.py"):
            if path in self.paths:
                return path
        return ""

    # What names mean.

    def follow(self, module: Module, imported: ImportedName) -> Target:
        """What an import of a module's own scope binds."""
        return self._follow(module, imported, frozenset())

    def _follow(self, module: Module, imported: ImportedName, seen: frozenset[tuple[str, str]]) -> Target:
        if not self.is_own(module.path, imported):
            return Outside(imported)
        if not imported.name and not imported.alias and not imported.level:
            # `import a.b` binds `a`.
            return self._named(self._place(module.path, imported.module.partition(".")[0], 0), imported.origin)
        place = self._place(module.path, imported.module, imported.level)
        if not imported.name:
            return self._named(place, imported.origin)
        path = self._file(place)
        if not path:
            return self._named(f"{place}/{imported.name}", imported.origin)
        owner = self.module(path)
        if path == module.path and not imported.alias:
            # `from . import name` in an `__init__`: the name is that of a file.
            return self._named(f"{place}/{imported.name}", imported.origin)
        return f"{path} cannot be read" if owner is None else self._export(owner, imported.name, seen)

    def _named(self, place: str, origin: str) -> Target:
        path = self._file(place)
        found = self.module(path) if path else None
        return found if found is not None else f"{origin} is no file of the package"

    def attribute(self, module: Module, name: str, *, inside: bool = False) -> Target:
        """What an attribute of a module is once everything is imported.

        Args:
            module: The file.
            name: The attribute.
            inside: Whether the file itself reads it as a name: its `__getattr__` is not asked then.
        """
        return self._export(module, name, frozenset(), inside=inside)

    def _export(self, module: Module, name: str, seen: frozenset[tuple[str, str]], *, inside: bool = False) -> Target:
        if (module.path, name) in seen:
            return f"{name} is imported in a circle"
        seen |= {(module.path, name)}
        bindings = module.graph.module.bindings
        definitions = bindings.get(name, [])
        if "__getattr__" in bindings and not definitions and not inside:
            return f"{module.path} computes its attributes"
        submodule = self._submodule(module, name)
        stars = [star for star in module.graph.stars if star.scope is module.graph.module]
        if len(module.graph.stars) != len(stars):
            return f"{module.path} has a star import inside a definition"
        if not definitions:
            return self._from_stars(module, name, submodule, seen)
        for star in stars:
            brought = self.star_names(module, star)
            if brought is None or name in brought:
                return f"{name} of {module.path} may come from a star import too"
        if len(definitions) != 1:
            return f"{name} is bound more than once in {module.path}"
        (definition,) = definitions
        if definition.imported is None:
            return f"{name} of {module.path} is a submodule too" if submodule else Defined(module, name)
        if not at_top(module, definition):
            return f"{name} is imported under a condition in {module.path}"
        if submodule and not self._leads_into(module, definition.imported, submodule):
            return f"{name} of {module.path} is a submodule too"
        return self._follow(module, definition.imported, seen)

    def _from_stars(self, module: Module, name: str, submodule: str, seen: frozenset[tuple[str, str]]) -> Target:
        for star in reversed(module.graph.stars):
            brought = self.star_names(module, star)
            if brought is None:
                return f"{name} may come from a star import of {module.path}, whose names are not known"
            if name not in brought:
                continue
            if submodule or not _is_top(module, star.start):
                return f"{name} of {module.path} comes from a star import that does not decide it"
            imported = ImportedName(star.module, name, "", star.level)
            return self._follow(module, imported, seen)
        found = self.module(submodule) if submodule else None
        return found if found is not None else Unbound(f"{name} is not bound in {module.path}")

    def _submodule(self, module: Module, name: str) -> str:
        folder, _, file = module.path.rpartition("/")
        return self._file(f"{folder}/{name}" if folder else name) if file == "__init__.py" else ""

    def _leads_into(self, module: Module, imported: ImportedName, submodule: str) -> bool:
        """Whether an import loads the submodule itself, which then sets its name no more."""
        place = self._place(module.path, imported.module, imported.level)
        inside = self._file(place)
        if inside == submodule or self._file(f"{place}/{imported.name}") == submodule:
            return True
        return submodule.endswith("/__init__.py") and inside.startswith(submodule.removesuffix("__init__.py"))

    # Star imports.

    def star_names(self, module: Module, star: StarImport) -> frozenset[str] | None:
        """The names that a star import of a file brings; none when that is not known."""
        name, level = star.module, star.level
        if not self.is_own(module.path, ImportedName(name, "*", "", level)):
            return self._libraries.star_names(name)
        owner = self.module(self._file(self._place(module.path, name, level)))
        return None if owner is None else self._public(owner.path, frozenset({module.path}))

    def _public(self, path: str, seen: frozenset[str]) -> frozenset[str] | None:
        module = self.module(path)
        if module is None or path in seen:
            return None
        names = set(module.graph.module.bindings)
        if "__all__" in names:
            return listed(module)
        for star in module.graph.stars:
            if not self.is_own(path, ImportedName(star.module, "*", "", star.level)):
                brought = self._libraries.star_names(star.module)
            else:
                brought = self._public(
                    self._file(self._place(path, star.module, star.level)), seen | {path}
                )  # fmt: skip
            if brought is None:
                return None
            names |= brought
        if path.endswith("/__init__.py"):
            # Whatever else is imported first may have set a submodule here.
            folder = path.removesuffix("__init__.py")
            names |= {each.removeprefix(folder).partition("/")[0].removesuffix(".py") for each in self.paths
                      if each.startswith(folder)}  # fmt: skip
        return frozenset(name for name in names if not name.startswith("_"))


class View:
    """A package as one of its files sees it; see `surroundings.Surroundings`.

    Args:
        package: The files.
        module: The one that looks.
    """

    def __init__(self, package: Package, module: Module) -> None:
        self._package = package
        self._module = module
        self._stars: dict[tuple[str, int], frozenset[str] | None] = {}

    def is_own(self, imported: ImportedName) -> bool:
        """Whether an import of the file names a part of the package."""
        return self._package.is_own(self._module.path, imported)

    def star_names(self, star: StarImport) -> frozenset[str] | None:
        """The names that a star import of the file brings; none when that is not known."""
        key = star.module, star.level
        if key not in self._stars:
            self._stars[key] = self._package.star_names(self._module, star)
        return self._stars[key]


def listed(module: Module) -> frozenset[str] | None:
    """The names in a module's `__all__`, where it is one list of texts that nothing changes; none otherwise."""
    definitions = module.graph.module.bindings.get("__all__", [])
    if len(definitions) != 1 or any(each.name == "__all__" for each in module.graph.references):
        return None
    node = module.root.named_descendant_for_byte_range(definitions[0].start, definitions[0].start)
    while node is not None and node.type != "assignment":
        node = node.parent
    value = node.child_by_field_id(Field.RIGHT) if node is not None else None
    if value is None or value.kind_id not in _COLLECTIONS or not _is_top(module, definitions[0].start):
        return None
    texts = [(child, (child.text or b"").decode("utf-8", "replace")) for child in value.named_children]
    texts = [(child, text) for child, text in texts if child.type != "comment"]
    if not all(child.kind_id in _STRING and text[1:-1].isidentifier() for child, text in texts):
        return None
    return frozenset(text[1:-1] for _, text in texts)


def at_top(module: Module, definition: Definition) -> bool:
    """Whether a definition is a statement of the module's own, under no condition."""
    return _is_top(module, definition.start)


def _is_top(module: Module, start: int) -> bool:
    node = module.root.named_descendant_for_byte_range(start, start)
    while node is not None and node.parent is not None and node.parent.type != "module":
        if node.type in _IMPORTS:
            return False
        node = node.parent
    return node is not None and node.type in (*_IMPORTS, "expression_statement")
