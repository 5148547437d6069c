"""Whether anything in a package may change a value that one of its files makes.

A table, a registry or an object is cut out as its file writes it. It is what the package has only where nothing fills
it: the places where it is read are followed to what it is handed to, called by and kept under, in whatever file. A
place that is not understood counts as one that changes it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from tree_sitter import Node

from ingester.domain.decorators import last_name
from ingester.domain.extraction import read_decorators, read_parameters
from ingester.domain.fates import CHANGED, Fates
from ingester.domain.grammar import Field, kind_set, text_of
from ingester.domain.meanings import UNKNOWN, Value, assigned, owner, scope_at
from ingester.domain.occurrences import attributes, function_around, occurrences, site_of, together
from ingester.domain.packages import Module, Package
from ingester.domain.scopes import Scope, Site

_ATTRIBUTE = kind_set("attribute")
_SUBSCRIPT = kind_set("subscript")
_CALL = kind_set("call")
_ON_TYPE = re.compile(
    rb"(?:\btype\((?:[^()\n]|\([^()\n]{0,80}\)){0,80}\)|\.__class__)\s*\.\s*(\w+)\s*(?:[-+*/|&^%@]|//|\*\*|<<|>>)?=(?!=)"
)
_ITSELF = re.compile(rb"modules\s*\[\s*__name__\s*\]")
_FIELD_MAKERS = frozenset({"ib", "attrib", "field", "Factory"})


class Uses(Fates):
    """Follows values through a package.

    Args:
        package: The files; none where only the file itself is known.
    """

    # What is asked.

    def name_changed(self, module: Module, name: str) -> bool:
        """Whether anything may change the value of a module's own name, or what it holds."""
        value = self._meanings.named(module, name)
        used_up = self._meanings.used_up(module, self._meanings.node_of(module, name)) or self._acts(value)
        return used_up or (self._changeable(value) and bool(self._of_name(module, name, value) & CHANGED))

    def _acts(self, value: Value) -> bool:
        """Whether reading an object may change it, by a method that the language calls."""
        if value.what != "object" or value.module is None or value.site is None:
            return False
        found = self._meanings.called_by_language(value.module, value.site)
        return any(self._of_parameter(module, site, 0, value) & CHANGED for module, site in found)

    def class_changed(self, module: Module, site: Site) -> str:
        """The attribute that a class has for all its objects and something may change; empty where there is none."""
        if self.class_set(module, site):
            return "an attribute"
        for name, definitions in site.body_scope.bindings.items():
            if len(definitions) != 1 or definitions[0].imported is not None or name.startswith("__"):
                continue
            if definitions[0].site >= 0:
                method = module.graph.sites[definitions[0].site]
                kinds = {last_name(text) for text in read_decorators(method, module.graph.source)}
                if "classmethod" in kinds and self._of_parameter(module, method, 0, UNKNOWN) & CHANGED:
                    return name
            elif self.attribute_changed(module, name, assigned(module, definitions[0])):
                return name
        return ""

    def class_set(self, module: Module, site: Site, names: Collection[str] = ()) -> bool:
        """Whether anything may set an attribute of a class, by whatever name it knows it: its objects' ones too.

        Args:
            module: The file of the class.
            site: The class.
            names: The attributes that count; any where none are given.
        """
        if not site.body_scope.bindings.keys().isdisjoint(self._set_on_types(module)):
            return True
        # That nothing is set at all is asked once for all names.
        return self._is_set(module, site, "") and (not names or any(self._is_set(module, site, name) for name in names))

    def _is_set(self, module: Module, site: Site, attribute: str) -> bool:
        asked, inside = owner(attribute), range(site.outer.start_byte, site.outer.end_byte)
        if self._of_name(module, site.name, asked) & CHANGED:
            return True
        of_objects = (node for node in _types(module) if node.start_byte in inside)
        fates = [self._shared(module, node, asked) for node in of_objects]
        makers = (each for each in module.graph.sites if each.parent is site and _is_of_class(module, each))
        return bool(together(fates + [self._of_parameter(module, each, 0, asked) for each in makers]) & CHANGED)

    def _set_on_types(self, module: Module) -> frozenset[str]:
        """Attributes that something sets on the class of an object, whatever that is."""
        package = self._package
        if package is None:
            return _set_on_types([module.graph.source])
        if package.set_on_types is None:
            package.set_on_types = _set_on_types(map(package.text, package.holding("type")))
            package.set_on_types |= _set_on_types(map(package.text, package.holding("__class__")))
        return package.set_on_types

    def set_in_module(self, module: Module, name: str) -> bool:
        """Whether anything may set a name of a module by way of the module, under whatever name that goes."""
        fates = (self._shared(other, node, owner(name)) for other, node in self._places(module))
        return any(fate & CHANGED for fate in fates)

    def _places(self, module: Module) -> Iterator[tuple[Module, Node]]:
        """Where a module stands as a value, and not for what it holds."""
        for match in _ITSELF.finditer(module.graph.source):
            node = module.root.named_descendant_for_byte_range(match.start(), match.end())
            while node is not None and node.kind_id not in _SUBSCRIPT:
                node = node.parent
            if node is not None:
                yield module, node
        package = self._package
        if package is None:
            return
        if module.path not in package.as_values:
            package.as_values[module.path] = [*self._as_values(package, module.path)]
        for path, start, end in package.as_values[module.path]:
            other = package.module(path)
            node = other.root.named_descendant_for_byte_range(start, end) if other is not None else None
            if other is not None and node is not None:
                yield other, node

    def _as_values(self, package: Package, path: str) -> Iterator[tuple[str, int, int]]:
        """The places of other files that name a module, but for those that read an attribute of it."""
        folder, _, name = path.removesuffix("/__init__.py").removesuffix(".py").rpartition("/")
        word, parent = re.escape(name.encode()), re.escape(folder.rpartition("/")[2].encode())
        # Few files that hold the word import it, or reach it by the package that it is in.
        reached = re.compile(
            rb"\bimport\b(?:[^\n(\\]|\\\n){0,2000}\b" + word + rb"\b|\bimport\s*\([^)]{0,4000}\b" + word + rb"\b"
            + (rb"|\b" + parent + rb"(?:\s*\.\s*" + word + rb"\b|\s+as\b)" if parent else b"")
        )  # fmt: skip
        for other in (package.module(each) for each in package.holding(name) if reached.search(package.text(each))):
            if other is None:
                continue
            known = {
                each.name
                for each, _ in other.graph.imports
                if each.imported is not None
                and package.is_own(other.path, each.imported)
                and name in each.imported.origin.split(".")
            }
            for node in occurrences(other, {*known, name}):
                above = node.parent
                inside = above is not None and above.kind_id in _ATTRIBUTE and above.named_children[0] == node
                if inside and text_of(above.child_by_field_id(Field.ATTRIBUTE) if above else None) != "__dict__":
                    continue
                found = self._meanings.of(other, node)
                if found.what == "module" and found.module is not None and found.module.path == path:
                    yield other.path, node.start_byte, node.end_byte

    def attribute_changed(self, module: Module, name: str, node: Node | None) -> bool:
        """Whether anything may change the value that the body of a class gives an attribute.

        Args:
            module: The file of the class.
            name: The attribute.
            node: The expression of its value; none where it has none.
        """
        if node is None or (node.kind_id in _CALL and last_name(text_of(node)) in _FIELD_MAKERS):
            return False
        value = self._meanings.value(module, node)
        scope: Scope | None = scope_at(module, node.start_byte)
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        if scope is None or not self._changeable(value):
            return False
        fate = self._of_references(module, name, scope, value)
        fate |= self._of_attribute(module, name, value)
        return self._meanings.used_up(module, node) or bool(fate & CHANGED)

    def default_changed(self, module: Module, default: Node) -> bool:
        """Whether anything may change the value of a parameter's default, which is the same one at every call."""
        node = default.child_by_field_id(Field.VALUE)
        value = self._meanings.value(module, node)
        used_up = self._meanings.used_up(module, node)
        return used_up or (self._changeable(value) and bool(self._default(module, default, value) & CHANGED))

    def _changeable(self, value: Value) -> bool:
        return value.what != "fixed" and (value.what != "object" or bool(self._unknown(value)))


def _is_of_class(module: Module, site: Site) -> bool:
    """Whether a method is given its class."""
    return any(last_name(text) == "classmethod" for text in read_decorators(site, module.graph.source))


def _set_on_types(texts: Iterable[bytes]) -> frozenset[str]:
    return frozenset(name.decode("utf-8", "replace") for text in texts for name in _ON_TYPE.findall(text))


def _types(module: Module) -> Iterator[Node]:
    """The places of a file that give the class of an object, which may be the one around."""
    yield from attributes(module, "__class__")
    for reference in module.graph.named("type"):
        node = module.root.named_descendant_for_byte_range(reference.start, reference.start)
        call = node.parent if node is not None else None
        if call is None or call.kind_id not in _CALL or call.child_by_field_id(Field.FUNCTION) != node:
            continue
        method = site_of(module, function_around(call))
        given = text_of(call.child_by_field_id(Field.ARGUMENTS))[1:-1]
        # Of another parameter, or of what a comprehension goes through, it is another one.
        named = [each.name for each in read_parameters(method, module.graph.source)] if method is not None else []
        inside = [each for each in module.graph.named(given) if call.start_byte <= each.start < call.end_byte]
        each_one = any(found.kind == "comprehension" for each in inside if (found := module.graph.found(each)))
        if given not in named[1:] and not each_one:
            yield call
