"""A file with its methods as functions of records beside them: what slices are cut from.

The functions stand behind the file's own text, so that everything that holds for functions of a module holds for them:
what they need is found by the same scope graph and cut out by the same rules.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ingester.domain.changes import FileChanges, attribute_is_set, changed_elsewhere
from ingester.domain.classes import ClassFacts, ClassReader
from ingester.domain.lifting import ClassLifter, Lifted, taken_names
from ingester.domain.packages import Module, Package
from ingester.domain.scopes import ScopeGraph, Site
from ingester.domain.uses import Uses

_GAP = b"\n\n\n"
# What a class has under these names decides what all others are.
_DECIDING = ("__bases__", "__getattribute__", "__getattr__", "__setattr__", "__delattr__")


class Placed(NamedTuple):
    """A lifted method, and where its function begins in the longer text."""

    start: int
    lifted: Lifted


class Records(NamedTuple):
    """A file's text with functions of its methods behind it.

    Attributes:
        source: The text.
        placed: The functions of the methods that may be tasks, in the order of the text.
        origins: Lines of the longer text from which what was lifted stands, each with the lines, first and last, that
            it was lifted from.
        refused: Why others are none, by the index of their site.
    """

    source: bytes
    placed: tuple[Placed, ...]
    origins: tuple[tuple[int, int, int], ...]
    refused: dict[int, str]

    def lines(self, line: int) -> tuple[int, int] | None:
        """Where in the file what stands at a line of the longer text comes from; none for the file's own lines."""
        place = bisect_right(self.origins, line, key=lambda origin: origin[0]) - 1
        return self.origins[place][1:] if place >= 0 else None


def lift(graph: ScopeGraph, root: Node, path: str, package: Package | None, wanted: frozenset[int]) -> Records | None:
    """Lift the methods of a file's classes.

    Args:
        graph: The file.
        root: Its syntax tree.
        path: Where it lies in its source.
        package: The other files of the source, where they are known.
        wanted: Indices of the methods that are asked for; what they call is lifted too.

    Returns:
        Nothing where no method is wanted.
    """
    classes = {site.index: site for site in graph.sites if site.form == "class"}
    asked = {site.index: site for site in graph.sites if site.index in wanted}
    owners = {site.parent.index for site in asked.values() if site.parent is not None}
    if not owners:
        return None
    reader = ClassReader(graph, root, path, package)
    changes = FileChanges(graph, root)
    settled = _Settled(Module(path, graph, root), package)
    taken = taken_names(graph)
    texts: list[tuple[bytes, int, int, Lifted | None]] = []
    refused: dict[int, str] = {}
    for index in sorted(owners):
        facts = reader.read(classes[index])
        if not facts.problem and any(each in changes.rebound for place, each in facts.lineage if place == path):
            facts.problem = "or a base is changed in its file"
        mine = [site for site in asked.values() if site.parent is classes[index]]
        own = {site.index for site in mine}
        if facts.problem:
            refused |= dict.fromkeys(own, f"its class {facts.problem}")
            continue
        settled.bar(facts)
        lifter = ClassLifter(graph, root, facts, taken)
        lifted = list(lifter.lifted())
        found = {each.site.index for each in lifted}
        for site in mine:
            if site.index not in found:
                refused[site.index] = lifter.problem(site) or "another function of its name is meant"
        if not found & own:
            continue
        if where := next((found for each in facts.lineage if (found := settled.changed(each, facts))), ""):
            refused |= dict.fromkeys(own, f"its class or a base is changed in {where}")
            continue
        texts += _constants(graph, lifter)
        texts += [
            (each.text.encode(), *_lines(graph, each.site), each if each.site.index in own else None) for each in lifted
        ]
    return _joined(graph, texts, refused)


class _Settled:
    """Whether something in the package changes a class or a constant of one."""

    def __init__(self, module: Module, package: Package | None) -> None:
        self._module = module
        self._package = package
        self._uses = Uses(package)

    def bar(self, facts: ClassFacts) -> None:
        """Leave out the constants that something sets."""
        for name, value in list(facts.constants.items()):
            if self._is_set(name) or self._uses.attribute_changed(self._module, name, value):
                del facts.constants[name]
                facts.barred[name] = "is a value of its class that something sets"

    def changed(self, named: tuple[str, str], facts: ClassFacts) -> str:
        """What changes a class, by its file and name, in what is known of it; empty where nothing does."""
        path, name = named
        known = [*facts.members, *facts.constants, *facts.fields, *_DECIDING]
        if self._package is not None and (where := changed_elsewhere(self._package, path, name, inside=False)):
            return where
        own = path == self._module.path or self._package is None
        module = self._module if own or self._package is None else self._package.module(path)
        defined = module.graph.module.bindings.get(name, []) if module is not None else []
        sites = [module.graph.sites[each.site] for each in defined if module is not None and each.site >= 0]
        set_by_others = module is None or any(self._uses.class_set(module, site, known) for site in sites)
        return "a place that may set its attributes" if set_by_others else ""

    def _is_set(self, name: str) -> bool:
        package = self._package
        if package is not None and name not in package.is_set:
            package.is_set[name] = attribute_is_set(map(package.text, package.holding(name)), name)
        return (package is not None and package.is_set[name]) or attribute_is_set([self._module.graph.source], name)


def _constants(graph: ScopeGraph, lifter: ClassLifter) -> Iterator[tuple[bytes, int, int, None]]:
    for _, name, value in lifter.constants():
        text = f"{name} = ".encode() + graph.source[value.start_byte : value.end_byte]
        yield text, graph.line(value.start_byte), graph.line(value.end_byte - 1), None


def _lines(graph: ScopeGraph, site: Site) -> tuple[int, int]:
    return graph.line(site.outer.start_byte), graph.line(site.outer.end_byte - 1)


def _joined(graph: ScopeGraph, texts: list[tuple[bytes, int, int, Lifted | None]], refused: dict[int, str]) -> Records:
    source = graph.source + (b"" if graph.source.endswith(b"\n") else b"\n")
    placed: list[Placed] = []
    origins: list[tuple[int, int, int]] = []
    parts = [source]
    length, line = len(source), source.count(b"\n") + 1
    for text, first, last, lifted in texts:
        length += len(_GAP)
        line += len(_GAP)
        origins.append((line, first, last))
        if lifted is not None:
            placed.append(Placed(length, lifted))
        parts += [_GAP, text]
        length += len(text)
        line += text.count(b"\n")
    return Records(b"".join([*parts, b"\n"]), tuple(placed), tuple(origins), refused)
