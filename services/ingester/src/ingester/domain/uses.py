"""Whether anything in a package may change a value that one of its files makes.

A table, a registry or an object is cut out as its file writes it. It is what the package has only where nothing fills
it: the places where it is read are followed to what it is handed to, called by and kept under, in whatever file. A
place that is not understood counts as one that changes it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from tree_sitter import Node

from ingester.domain.classes import target_of
from ingester.domain.decorators import last_name
from ingester.domain.extraction import read_decorators
from ingester.domain.grammar import Field, kind_set, text_of
from ingester.domain.meanings import FIXED, HOLDER, MOST_FILES, UNKNOWN, Meaning, Meanings, Value, assigned, scope_at
from ingester.domain.occurrences import (
    attributes,
    copied_until,
    function_around,
    is_called,
    names_for,
    occurrences,
    parameters_for,
    place_of,
    site_of,
    together,
)
from ingester.domain.packages import Module, Package
from ingester.domain.scopes import Role, Scope, Site
from ingester.domain.standard_names import CHANGERS, GIVERS, MUTATORS, PASSERS, READERS, TAKERS

# What becomes of a value at a place: nothing, it is changed, it or a part of it is what the function gives back.
_CHANGED, _GIVEN = 1, 2

_IDENTIFIER = kind_set("identifier")
_ATTRIBUTE = kind_set("attribute")
_SUBSCRIPT = kind_set("subscript")
_CALL = kind_set("call")
_ARGUMENTS = kind_set("argument_list")
_KEYWORD = kind_set("keyword_argument")
_SPLATS = kind_set("list_splat", "dictionary_splat")
_DECORATOR = kind_set("decorator")
_ASSIGNMENT = kind_set("assignment")
_AUGMENTED = kind_set("augmented_assignment")
_WALRUS = kind_set("named_expression")
_LOOPS = kind_set("for_statement", "for_in_clause")
_GIVING = kind_set("return_statement", "yield")
_OPERATOR = kind_set("binary_operator")
_DEFAULTS = kind_set("default_parameter", "typed_default_parameter")
_PAIR = kind_set("pair")
_CONDITIONAL = kind_set("conditional_expression")
# The value goes on as it is, or in a collection.
_ON = kind_set("parenthesized_expression", "boolean_operator", "await", "conditional_expression")
_HOLDING = kind_set(
    "list", "tuple", "set", "dictionary", "expression_list", "list_comprehension", "set_comprehension",
    "dictionary_comprehension", "generator_expression",
)  # fmt: skip
_READING = kind_set(
    "comparison_operator", "not_operator", "unary_operator", "augmented_assignment", "if_statement",
    "elif_clause", "while_statement", "if_clause", "assert_statement", "expression_statement", "interpolation",
    "format_expression", "raise_statement", "slice", "type", "except_clause", "keyword_argument",
    "type_alias_statement", "delete_statement", "print_statement",
)  # fmt: skip
_PATTERNS = kind_set("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern")
_ANNOTATIONS = (Role.ANNOTATION, Role.LAZY_ANNOTATION, Role.NEVER, Role.BASE)

_PROPERTIES = frozenset({"property", "cached_property"})
_UNBOUND = frozenset({"staticmethod", "classmethod"})
_FIELD_MAKERS = frozenset({"ib", "attrib", "field", "Factory"})

# A question that leads to more others is not answered.
_MOST_STEPS = 2000

Key = tuple[str | int, ...]


class Uses:
    """Follows values through a package.

    Args:
        package: The files; none where only the file itself is known.
    """

    def __init__(self, package: Package | None) -> None:
        self._package = package
        self._meanings = Meanings(package)
        self._known: dict[Key, int] = package.fates if package is not None else {}
        self._active: set[Key] = set()
        self._circular = False
        self._steps = 0

    # What is asked.

    def name_changed(self, module: Module, name: str) -> bool:
        """Whether anything may change the value of a module's own name, or what it holds."""
        value = self._meanings.named(module, name)
        used_up = self._meanings.used_up(module, self._meanings.node_of(module, name))
        return used_up or (self._changeable(value) and bool(self._of_name(module, name, value) & _CHANGED))

    def class_changed(self, module: Module, site: Site) -> str:
        """The attribute that a class has for all its objects and something may change; empty where there is none."""
        for name, definitions in site.body_scope.bindings.items():
            if len(definitions) != 1 or definitions[0].imported is not None or name.startswith("__"):
                continue
            if definitions[0].site >= 0:
                method = module.graph.sites[definitions[0].site]
                kinds = {last_name(text) for text in read_decorators(method, module.graph.source)}
                if "classmethod" in kinds and self._of_parameter(module, method, 0, UNKNOWN) & _CHANGED:
                    return name
            elif self.attribute_changed(module, name, assigned(module, definitions[0])):
                return name
        return ""

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
        return self._meanings.used_up(module, node) or bool(fate & _CHANGED)

    def default_changed(self, module: Module, default: Node) -> bool:
        """Whether anything may change the value of a parameter's default, which is the same one at every call."""
        node = default.child_by_field_id(Field.VALUE)
        value = self._meanings.value(module, node)
        used_up = self._meanings.used_up(module, node)
        return used_up or (self._changeable(value) and bool(self._default(module, default, value) & _CHANGED))

    def _changeable(self, value: Value) -> bool:
        return value.what != "fixed" and (value.what != "object" or bool(self._unknown(value)))

    # Names, parameters and attributes.

    def _of_name(self, module: Module, name: str, value: Value) -> int:
        def found() -> int:
            fate = self._of_references(module, name, module.graph.module, value)
            return fate | (self._elsewhere(module, name, value) if not fate & _CHANGED else 0)

        return self._once(("name", module.path, name, *value.key), found)

    def _of_references(self, module: Module, name: str, scope: Scope, value: Value) -> int:
        """What becomes of a value at the places that read a name of a scope."""
        fate = 0
        shared = scope.kind in ("module", "class")
        for reference in module.graph.named(name):
            if reference.role in _ANNOTATIONS or fate & _CHANGED:
                continue
            if module.graph.found(reference) is scope:
                node = module.root.named_descendant_for_byte_range(reference.start, reference.start)
                if node is not None:
                    fate |= self._shared(module, node, value) if shared else self._fate(module, node, value)
        return fate

    def _shared(self, module: Module, node: Node, value: Value) -> int:
        """What becomes of a value at a place of one of many functions, and where these give it."""
        fate = self._fate(module, node, value)
        return fate & _CHANGED | (
            self._given(module, site_of(module, function_around(node)), value) if fate & _GIVEN else 0
        )

    def _elsewhere(self, module: Module, name: str, value: Value) -> int:
        """What becomes of a module's value in the other files that import it or the module."""
        fate = 0
        for path in self._package.holding(name) if self._package is not None else ():
            other = self._package.module(path) if self._package is not None and path != module.path else None
            if other is None:
                continue
            for node in occurrences(other, names_for(other, name)):
                if not fate & _CHANGED and self._meanings.may_be(other, node, module.path, name):
                    fate |= self._shared(other, node, value)
        return fate

    def _of_attribute(self, module: Module, name: str, value: Value, *, called: bool = False) -> int:
        """What becomes of a value that objects have under a name, or that their methods give, whatever they are."""

        def found() -> int:
            paths = self._package.holding(name) if self._package is not None else [module.path]
            if len(paths) > MOST_FILES:
                return _CHANGED
            fate = 0
            for path in dict.fromkeys([*paths, module.path]):
                other = self._package.module(path) if self._package is not None else module
                for node in attributes(other, name) if other is not None else ():
                    place = node.parent if called and node.parent is not None and is_called(node.parent, node) else node
                    if other is not None and not fate & _CHANGED and (place is not node or not called):
                        fate |= self._shared(other, place, value)
            return fate & _CHANGED

        return self._once(("attribute", name, called, *value.key), found)

    def _of_parameter(self, module: Module, site: Site, place: int | str | None, value: Value) -> int:
        """What becomes of a value that a function is given, by place, by name, or as any of its arguments."""
        chosen, rest = parameters_for(site, module.graph.source, place)
        fate = 0
        for name in (*chosen, *rest):
            held = value if name in chosen else HOLDER
            fate |= self._of_own(module, site, name, held)
        return fate

    def _of_own(self, module: Module, site: Site, name: str, value: Value) -> int:
        """What becomes of a value under a parameter's name."""
        key = ("parameter", module.path, len(module.graph.source), site.qualname, site.outer.start_byte, name)

        def found() -> int:
            # Behind a statement that copies it, the name means the copy.
            fate = self._of_references(module, name, site.body_scope, value)
            copied = copied_until(site, name) if fate & _CHANGED else -1
            if copied < 0:
                return fate
            before = [each for each in module.graph.named(name) if each.start <= copied]
            return self._at(
                module, [each.start for each in before if module.graph.found(each) is site.body_scope], value
            )

        return self._once((*key, *value.key), found)

    def _at(self, module: Module, places: Iterable[int], value: Value) -> int:
        fate = 0
        for start in places:
            node = module.root.named_descendant_for_byte_range(start, start)
            fate |= self._fate(module, node, value) if node is not None else _CHANGED
        return fate

    def _once(self, key: Key, find: Callable[[], int]) -> int:
        """An answer that is kept; what is asked for while it is being found is nothing yet."""
        if key in self._known:
            return self._known[key]
        if key in self._active:
            self._circular = True
            return 0
        self._steps = self._steps + 1 if self._active else 0
        if self._steps > _MOST_STEPS:
            return _CHANGED
        self._active.add(key)
        fate = find()
        self._active.discard(key)
        # What was found in a circle may lack what another member of it does.
        if not self._circular or not self._active or fate & _CHANGED:
            self._known[key] = fate
        if not self._active:
            self._circular = False
        return fate

    # Places.

    def _fate(self, module: Module, node: Node, value: Value) -> int:
        """What becomes of a value at the place of an expression that gives it."""
        fate = 0
        while True:
            above = node.parent
            if above is None:
                return fate
            kind = above.kind_id
            if target_of(node) is not None:
                # The name gets another value, or this one more.
                return fate | (_CHANGED if kind in _AUGMENTED and not value.fresh else 0)
            if kind in _ATTRIBUTE:
                return fate | self._of_member(module, above, value)
            if kind in _CALL or kind in _DECORATOR:
                return fate | self._called(module, above, node, value)
            if kind in _SUBSCRIPT:
                if above.child_by_field_id(Field.VALUE) != node:
                    return fate
                if target_of(above) is not None:
                    return fate | (0 if value.fresh else _CHANGED)
                if value.what == "collection" and not value.inner:
                    return fate
                node, value = above, UNKNOWN
            elif kind in _ARGUMENTS or (kind in _KEYWORD and above.named_children[-1] == node):
                return fate | self._handed(module, node, value)
            elif kind in _SPLATS:
                if not value.inner:
                    return fate
                node, value = above, HOLDER
            elif kind in _ON:
                if kind in _CONDITIONAL and above.named_children[1] == node:
                    return fate
                node = above
            elif kind in _HOLDING or kind in _PAIR:
                if kind in _PAIR and above.named_children[0] == node:
                    return fate
                node, value = above, value if kind in _PAIR else HOLDER
            elif kind in _OPERATOR:
                if not value.inner or value.what != "collection":
                    return fate
                node, value = above, HOLDER
            elif kind in _WALRUS:
                fate |= self._kept(module, above.named_children[0], value)
                node = above
            elif kind in _ASSIGNMENT:
                left = above.child_by_field_id(Field.LEFT)
                given = above.child_by_field_id(Field.RIGHT) == node
                fate |= self._kept(module, left, value) if given and left is not None else 0
                if above.parent is None or above.parent.kind_id not in _ASSIGNMENT:
                    return fate
                node = above
            elif kind in _LOOPS:
                left = above.child_by_field_id(Field.LEFT)
                taken = above.child_by_field_id(Field.RIGHT) == node and value.inner and left is not None
                return fate | (self._kept(module, left, UNKNOWN) if taken and left is not None else 0)
            elif kind in _GIVING:
                return fate | _GIVEN
            elif kind in _DEFAULTS:
                return fate | self._default(module, above, value)
            else:
                return fate | (0 if kind in _READING else _CHANGED)

    def _kept(self, module: Module, left: Node, value: Value) -> int:
        """What becomes of a value under what it is assigned to."""
        if left.kind_id in _PATTERNS:
            inner = UNKNOWN if value.inner else FIXED
            kept = (self._kept(module, each, inner) for each in left.named_children)
            return together(kept) if value.inner else 0
        if left.kind_id in _ATTRIBUTE:
            return self._of_attribute(module, text_of(left.child_by_field_id(Field.ATTRIBUTE)), value)
        if left.kind_id not in _IDENTIFIER:
            return _CHANGED
        name = text_of(left)
        scope = scope_at(module, left.start_byte)
        scope = scope if name in scope.bindings else scope.lookup(name)
        if scope is None:
            return _CHANGED
        if scope is module.graph.module:
            return self._of_name(module, name, value) & _CHANGED
        if scope.kind == "class":
            return self._of_attribute(module, name, value)
        key = ("local", module.path, len(module.graph.source), scope.index, name, *value.key)
        return self._once(key, lambda: self._of_references(module, name, scope, value))

    def _given(self, module: Module, site: Site | None, value: Value) -> int:
        """What becomes of a value where a function that gives it is called."""
        if site is None or (site.parent is not None and site.form != "method"):
            return 0
        value = HOLDER if site.has_yield else value if not value.inner else UNKNOWN
        if site.form == "method":
            read = any(last_name(text) in _PROPERTIES for text in read_decorators(site, module.graph.source))
            return self._of_attribute(module, site.name, value, called=not read)

        def found() -> int:
            fate = 0
            for reference in module.graph.named(site.name):
                node = module.root.named_descendant_for_byte_range(reference.start, reference.start)
                call = node.parent if node is not None else None
                if call is not None and call.kind_id in _CALL and call.child_by_field_id(Field.FUNCTION) == node:
                    fate |= self._fate(module, call, value)
            return fate & _CHANGED

        key = ("given", module.path, len(module.graph.source), site.outer.start_byte, *value.key)
        return self._once(key, found)

    def _default(self, module: Module, default: Node, value: Value) -> int:
        """What becomes of a value that a parameter has where nothing is given for it."""
        function = default.parent.parent if default.parent is not None else None
        site = site_of(module, function) if function is not None else None
        if site is None:
            return self._unknown(value)
        fate = self._of_own(module, site, text_of(default.child_by_field_id(Field.NAME)), value)
        return fate & _CHANGED | (self._given(module, site, value) if fate & _GIVEN else 0)

    def _unknown(self, value: Value) -> int:
        """What becomes of a value at a place that is not understood."""
        if value.what != "object" or value.site is None or value.module is None:
            return _CHANGED
        module, site = value.module, value.site
        key = ("harmless", module.path, len(module.graph.source), site.outer.start_byte)

        def found() -> int:
            # An object that holds nothing cannot be changed.
            methods = [each for each in module.graph.sites if each.parent is site and each.form == "method"]
            plain = all(each.what == "builtin" for each in self._meanings.bases(module, site))
            kept = together(self._of_parameter(module, each, 0, UNKNOWN) for each in methods)
            return kept & _CHANGED if plain else _CHANGED

        return self._once(key, found)

    # Members and calls.

    def _of_member(self, module: Module, node: Node, value: Value) -> int:
        """What becomes of a value of which an attribute is read, set or called."""
        name = text_of(node.child_by_field_id(Field.ATTRIBUTE))
        above = node.parent
        call = above if above is not None and is_called(above, node) else None
        if target_of(node) is not None or name in MUTATORS:
            return 0 if value.fresh else _CHANGED
        if value.what == "object" and value.module is not None and value.site is not None:
            method = self._meanings.method(value.module, value.site, name)
            if method is not None:
                return self._by_method([method], module, call or node, value)
        elif value.what == "collection":
            gives = call is not None and value.inner and name in GIVERS
            return self._fate(module, call, UNKNOWN if name == "get" else HOLDER) if gives and call is not None else 0
        if call is None:
            return self._fate(module, node, UNKNOWN)
        if name in READERS:
            return self._fate(module, call, UNKNOWN) if name in GIVERS else 0
        methods = self._meanings.methods(module, name)
        return self._by_method(methods, module, call, UNKNOWN) if methods else _CHANGED

    def _by_method(self, methods: list[tuple[Module, Site]], module: Module, call: Node, value: Value) -> int:
        """What becomes of an object of which one of some methods is called, or read as a property."""
        fate = 0
        for owner, site in methods:
            kinds = {last_name(text) for text in read_decorators(site, owner.graph.source)}
            fate |= 0 if kinds & _UNBOUND else self._of_parameter(owner, site, 0, value)
        followed = self._fate(module, call, UNKNOWN) if fate & _GIVEN and not fate & _CHANGED else 0
        return fate & _CHANGED | followed

    def _called(self, module: Module, call: Node, node: Node, value: Value) -> int:
        """What becomes of a value that is called, or decorates."""
        if call.kind_id in _CALL and call.child_by_field_id(Field.FUNCTION) != node:
            return self._handed(module, node, value)
        if value.what == "object" and value.module is not None and value.site is not None:
            method = self._meanings.method(value.module, value.site, "__call__")
            if method is not None:
                return self._by_method([method], module, call, value)
        decorates = call.kind_id in _DECORATOR or (call.parent is not None and call.parent.kind_id in _DECORATOR)
        return _CHANGED if decorates else 0

    def _handed(self, module: Module, node: Node, value: Value) -> int:
        """What becomes of a value that is an argument of a call."""
        call = node.parent
        while call is not None and (call.kind_id in _ARGUMENTS or call.kind_id in _KEYWORD):
            call = call.parent
        function = call.child_by_field_id(Field.FUNCTION) if call is not None else None
        if call is None or function is None:
            # Bases of a class.
            return 0
        place = place_of(node)
        found = self._meanings.of(module, function)
        if found.what in ("builtin", "library"):
            return self._to_library(module, found, call, value)
        methods: list[tuple[Module, Site]] = []
        bound = 0
        if found.site is not None and found.module is not None:
            if found.site.form == "class":
                return self._constructed(found.module, found.site, place, value)
            kinds = {last_name(text) for text in read_decorators(found.site, found.module.graph.source)}
            bound = int("classmethod" in kinds)
            methods = [(found.module, found.site)]
        elif function.kind_id in _ATTRIBUTE:
            bound = 1
            name = text_of(function.child_by_field_id(Field.ATTRIBUTE))
            methods = self._meanings.received(module, function)
            if not methods and name in TAKERS:
                return self._fate(module, call, value) if name in ("get", "pop") else 0
        if not methods:
            return self._unknown(value)
        fate = 0
        for owner, site in methods:
            static = any(last_name(text) == "staticmethod" for text in read_decorators(site, owner.graph.source))
            moved = place + bound - (bound and static) if isinstance(place, int) else place
            fate |= self._of_parameter(owner, site, moved, value)
        followed = value if not value.inner else UNKNOWN
        return fate & _CHANGED | (self._fate(module, call, followed) if fate & _GIVEN and not fate & _CHANGED else 0)

    def _to_library(self, module: Module, found: Meaning, call: Node, value: Value) -> int:
        """What becomes of a value that a function which is not the package's is given."""
        name = found.path.rpartition(".")[2]
        # A method of a built-in class may be called with its object as an argument.
        if name in CHANGERS or (found.what == "builtin" and name in MUTATORS):
            return _CHANGED
        if found.what == "library" and found.path.partition(".")[0] not in sys.stdlib_module_names:
            return self._unknown(value)
        if name in PASSERS:
            # The value itself, what it holds, or a collection of that.
            same = name in ("cast", "getattr", "min", "max")
            return self._fate(module, call, value if same else HOLDER) if value.inner or name == "cast" else 0
        return 0

    def _constructed(self, module: Module, site: Site, place: int | str | None, value: Value) -> int:
        """What becomes of a value that an object is made of: what the constructor, or who reads its field, does."""
        init = self._meanings.method(module, site, "__init__")
        if init is not None:
            moved = place + 1 if isinstance(place, int) else place
            return self._of_parameter(*init, moved, value) & _CHANGED
        fields = [name for name, found in site.body_scope.bindings.items() if found[0].site < 0]
        name = (
            place if isinstance(place, str) else next(iter(fields[place : place + 1]), "") if place is not None else ""
        )
        if name in fields:
            return self._of_attribute(module, name, value)
        bases = [each.path for each in self._meanings.bases(module, site) if each.what == "builtin"]
        return 0 if any(each.endswith(("Error", "Exception", "Warning")) for each in bases) else self._unknown(value)
