"""What becomes of a value in a package: the places where it is read, what it is handed to, called by, kept under.

A place that is not understood counts as one that changes it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from tree_sitter import Node

from ingester.domain.answers import Answers
from ingester.domain.changes import written
from ingester.domain.classes import target_of
from ingester.domain.decorators import last_name
from ingester.domain.extraction import read_decorators
from ingester.domain.grammar import Field, kind_set, text_of
from ingester.domain.meanings import FIXED, MOST_FILES, UNKNOWN, Meaning, Meanings, Value, scope_at
from ingester.domain.occurrences import (
    arguments,
    attributes,
    copied_until,
    function_around,
    is_called,
    names_for,
    names_inside,
    occurrences,
    parameters_for,
    place_of,
    sets,
    site_of,
    together,
)
from ingester.domain.packages import Module, Package
from ingester.domain.scopes import Role, Scope, Site
from ingester.domain.standard_names import CHANGERS, GIVERS, MUTATORS, PASSERS, READERS, TAKERS

# What becomes of a value at a place: nothing, it is changed, it or a part of it is what the function gives back.
CHANGED, GIVEN = 1, 2

_IDENTIFIER = kind_set("identifier")
_ATTRIBUTE = kind_set("attribute")
_SUBSCRIPT = kind_set("subscript")
_CALL = kind_set("call")
_ARGUMENTS = kind_set("argument_list")
_KEYWORD = kind_set("keyword_argument")
_SPLATS = kind_set("list_splat", "dictionary_splat")
_SPREAD_MAP = kind_set("dictionary_splat")
_DECORATOR = kind_set("decorator")
_ASSIGNMENT = kind_set("assignment")
_AUGMENTED = kind_set("augmented_assignment")
_WALRUS = kind_set("named_expression")
_LOOPS = kind_set("for_statement", "for_in_clause")
_GIVING = kind_set("return_statement", "yield")
_OPERATOR = kind_set("binary_operator")
_DEFAULTS = kind_set("default_parameter", "typed_default_parameter")
_AS = kind_set("as_pattern")
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
    "type_alias_statement", "delete_statement", "print_statement", "dotted_name",
    "generic_type",
)  # fmt: skip
_PATTERNS = kind_set("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern")
_ANNOTATIONS = (Role.ANNOTATION, Role.LAZY_ANNOTATION, Role.NEVER, Role.BASE)

_LAMBDA = kind_set("lambda")

_PROPERTIES = frozenset({"property", "cached_property"})
_UNBOUND = frozenset({"staticmethod", "classmethod"})


class Fates(Answers):
    """Follows values through a package.

    Args:
        package: The files; none where only the file itself is known.
    """

    def __init__(self, package: Package | None) -> None:
        super().__init__(package.fates if package is not None else {}, CHANGED)
        self._package = package
        self._meanings = Meanings(package)

    # Names, parameters and attributes.

    def _of_name(self, module: Module, name: str, value: Value) -> int:
        def found() -> int:
            fate = self._of_references(module, name, module.graph.module, value)
            return fate | (self._elsewhere(module, name, value) if not fate & CHANGED else 0)

        return self._once(("name", module.path, name, *value.key), found)

    def _of_references(self, module: Module, name: str, scope: Scope, value: Value) -> int:
        """What becomes of a value at the places that read a name of a scope."""
        fate = 0
        shared = scope.kind in ("module", "class")
        for reference in module.graph.named(name):
            if reference.role in _ANNOTATIONS or fate & CHANGED:
                continue
            if module.graph.found(reference) is scope:
                node = module.root.named_descendant_for_byte_range(reference.start, reference.start)
                if node is not None:
                    fate |= self._shared(module, node, value) if shared else self._fate(module, node, value)
        return fate

    def _shared(self, module: Module, node: Node, value: Value) -> int:
        """What becomes of a value at a place of one of many functions, and where these give it."""
        fate = self._fate(module, node, value)
        return fate & CHANGED | (
            self._given(module, site_of(module, function_around(node)), value) if fate & GIVEN else 0
        )

    def _elsewhere(self, module: Module, name: str, value: Value) -> int:
        """What becomes of a module's value in the other files that import it or the module."""
        fate = 0
        for path in self._package.holding(name) if self._package is not None else ():
            other = self._package.module(path) if self._package is not None and path != module.path else None
            if other is None:
                continue
            for node in occurrences(other, names_for(other, name)):
                if not fate & CHANGED and self._meanings.may_be(other, node, module.path, name):
                    fate |= self._shared(other, node, value)
        return fate

    def _of_attribute(self, module: Module, name: str, value: Value, *, called: bool = False) -> int:
        """What becomes of a value that objects have under a name, or that their methods give, whatever they are."""

        def found() -> int:
            paths = self._package.holding(name) if self._package is not None else [module.path]
            if len(paths) > MOST_FILES:
                return CHANGED
            fate = 0
            for path in dict.fromkeys([*paths, module.path]):
                other = self._package.module(path) if self._package is not None else module
                for node in attributes(other, name) if other is not None else ():
                    place = node.parent if called and node.parent is not None and is_called(node.parent, node) else node
                    if other is not None and not fate & CHANGED and (place is not node or not called):
                        fate |= self._shared(other, place, value)
            return fate & CHANGED

        return self._once(("attribute", name, called, *value.key), found)

    def _of_parameter(self, module: Module, site: Site, place: int | str | None, value: Value) -> int:
        """What becomes of a value that a function is given, by place, by name, or as any of its arguments."""
        chosen, rest = parameters_for(site, module.graph.source, place)
        fate = 0
        for name in (*chosen, *rest):
            held = value if name in chosen else value.holder
            fate |= self._of_own(module, site, name, held)
        return fate

    def _of_own(self, module: Module, site: Site, name: str, value: Value) -> int:
        """What becomes of a value under a parameter's name."""
        key = ("parameter", module.path, len(module.graph.source), site.qualname, site.outer.start_byte, name)

        def found() -> int:
            # Behind a statement that copies it, the name means the copy.
            fate = self._of_references(module, name, site.body_scope, value)
            copied = copied_until(site, name) if fate & CHANGED else -1
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
            fate |= self._fate(module, node, value) if node is not None else CHANGED
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
                return fate | (CHANGED if kind in _AUGMENTED and value.tells else 0)
            if kind in _ATTRIBUTE:
                return fate | self._of_member(module, above, value)
            if kind in _CALL or kind in _DECORATOR:
                return fate | self._called(module, above, node, value)
            if kind in _SUBSCRIPT:
                if above.child_by_field_id(Field.VALUE) != node:
                    return fate
                if target_of(above) is not None:
                    return fate | (CHANGED if value.tells else 0)
                if value.what == "collection" and not value.inner:
                    return fate
                node, value = above, value.part
            elif kind in _ARGUMENTS or (kind in _KEYWORD and above.named_children[-1] == node):
                return fate | self._handed(module, node, value)
            elif kind in _SPLATS:
                # Which argument a class among others is, a map of arguments says at run time alone.
                if not value.inner or (kind in _SPREAD_MAP and value.attribute is not None):
                    return fate
                # A call is given what it holds one by one.
                handed = above.parent is not None and above.parent.kind_id in _ARGUMENTS
                node, value = above, value.part if handed else value.holder
            elif kind in _ON:
                if kind in _CONDITIONAL and above.named_children[1] == node:
                    return fate
                node = above
            elif kind in _HOLDING or kind in _PAIR:
                if kind in _PAIR and above.named_children[0] == node:
                    return fate
                node, value = above, value if kind in _PAIR else value.holder
            elif kind in _OPERATOR:
                if not value.inner or value.what != "collection":
                    return fate
                node, value = above, value.holder
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
                inside = value.inner or value.what == "owner"
                taken = above.child_by_field_id(Field.RIGHT) == node and inside and left is not None
                return fate | (self._kept(module, left, value.part) if taken and left is not None else 0)
            elif kind in _GIVING:
                return fate | GIVEN
            elif kind in _DEFAULTS:
                return fate | self._default(module, above, value)
            else:
                # What `with` and `except` name is an object of the class.
                reads = kind in _READING or (kind in _AS and value.attribute is not None)
                return fate | (0 if reads else CHANGED)

    def _kept(self, module: Module, left: Node, value: Value) -> int:
        """What becomes of a value under what it is assigned to."""
        if left.kind_id in _PATTERNS:
            inner = value.part if value.inner else FIXED
            kept = (self._kept(module, each, inner) for each in left.named_children)
            return together(kept) if value.inner else 0
        if left.kind_id in _ATTRIBUTE:
            return self._of_attribute(module, text_of(left.child_by_field_id(Field.ATTRIBUTE)), value)
        if left.kind_id in _SUBSCRIPT and value.attribute is not None:
            inside = left.child_by_field_id(Field.VALUE)
            return self._kept(module, inside, value.holder) if inside is not None else CHANGED
        if left.kind_id not in _IDENTIFIER:
            return CHANGED
        name = text_of(left)
        scope = scope_at(module, left.start_byte)
        scope = scope if name in scope.bindings else scope.lookup(name)
        if scope is None:
            return CHANGED
        if scope is module.graph.module:
            return self._of_name(module, name, value) & CHANGED
        if scope.kind == "class":
            return self._of_attribute(module, name, value) | self._of_references(module, name, scope, value) & CHANGED
        key = ("local", module.path, len(module.graph.source), scope.index, name, *value.key)
        return self._once(key, lambda: self._of_references(module, name, scope, value))

    def _given(self, module: Module, site: Site | None, value: Value) -> int:
        """What becomes of a value where a function that gives it is called."""
        if site is None or (site.parent is not None and site.form != "method"):
            return 0
        value = value.holder if site.has_yield else value if not value.inner else value.part
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
            return fate & CHANGED

        key = ("given", module.path, len(module.graph.source), site.outer.start_byte, *value.key)
        return self._once(key, found)

    def _default(self, module: Module, default: Node, value: Value) -> int:
        """What becomes of a value that a parameter has where nothing is given for it."""
        function = default.parent.parent if default.parent is not None else None
        site = site_of(module, function) if function is not None else None
        if site is None:
            return self._unknown(value)
        fate = self._of_own(module, site, text_of(default.child_by_field_id(Field.NAME)), value)
        return fate & CHANGED | (self._given(module, site, value) if fate & GIVEN else 0)

    def _unknown(self, value: Value) -> int:
        """What becomes of a value at a place that is not understood."""
        if value.what != "object" or value.site is None or value.module is None:
            return CHANGED
        module, site = value.module, value.site
        key = ("harmless", module.path, len(module.graph.source), site.outer.start_byte)

        def found() -> int:
            # An object that holds nothing cannot be changed.
            methods = [each for each in module.graph.sites if each.parent is site and each.form == "method"]
            plain = all(each.what == "builtin" for each in self._meanings.bases(module, site))
            kept = together(self._of_parameter(module, each, 0, UNKNOWN) for each in methods)
            return kept & CHANGED if plain else CHANGED

        return self._once(key, found)

    # Members and calls.

    def _of_member(self, module: Module, node: Node, value: Value) -> int:
        """What becomes of a value of which an attribute is read, set or called."""
        name = text_of(node.child_by_field_id(Field.ATTRIBUTE))
        above = node.parent
        call = above if above is not None and is_called(above, node) else None
        if value.what == "owner":
            return self._of_owner(module, node, value)
        if target_of(node) is not None or name in MUTATORS:
            return CHANGED if value.tells else 0
        if value.what == "object" and value.module is not None and value.site is not None:
            method = self._meanings.method(value.module, value.site, name)
            if method is not None:
                return self._by_method([method], module, call or node, value)
        elif value.what == "collection":
            gives = call is not None and value.inner and name in GIVERS
            return (
                self._fate(module, call, value.part if name == "get" else value.holder)
                if gives and call is not None
                else 0
            )
        if call is None:
            return self._fate(module, node, UNKNOWN)
        if name in READERS:
            return self._fate(module, call, UNKNOWN) if name in GIVERS else 0
        methods = self._meanings.methods(module, name)
        return self._by_method(methods, module, call, UNKNOWN) if methods else CHANGED

    def _of_owner(self, module: Module, node: Node, value: Value) -> int:
        """What becomes of a class or a module of which an attribute stands somewhere."""
        name = text_of(node.child_by_field_id(Field.ATTRIBUTE))
        if name == "__dict__":
            return self._fate(module, node, Value("collection", inner=False))
        return CHANGED if value.attribute in ("", name) and written(node, reached=True) else 0

    def _by_method(self, methods: list[tuple[Module, Site]], module: Module, call: Node, value: Value) -> int:
        """What becomes of an object of which one of some methods is called, or read as a property."""
        fate = 0
        for owner, site in methods:
            kinds = {last_name(text) for text in read_decorators(site, owner.graph.source)}
            fate |= 0 if kinds & _UNBOUND else self._of_parameter(owner, site, 0, value)
        followed = self._fate(module, call, UNKNOWN) if fate & GIVEN and not fate & CHANGED else 0
        return fate & CHANGED | followed

    def _called(self, module: Module, call: Node, node: Node, value: Value) -> int:
        """What becomes of a value that is called, or decorates."""
        if call.kind_id in _CALL and call.child_by_field_id(Field.FUNCTION) != node:
            return self._handed(module, node, value)
        if value.what == "object" and value.module is not None and value.site is not None:
            method = self._meanings.method(value.module, value.site, "__call__")
            if method is not None:
                return self._by_method([method], module, call, value)
        if value.what == "collection" and value.tells:
            # No collection is called: this is one of its methods, by `getattr`.
            return CHANGED
        decorates = call.kind_id in _DECORATOR or (call.parent is not None and call.parent.kind_id in _DECORATOR)
        return CHANGED if decorates and value.what != "owner" else 0

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
            return self._to_library(module, found, call, node, value)
        own = self._meanings.own_class(module, function)
        if own is not None:
            return self._constructed(module, own, place, value)
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
            if not methods and name in MUTATORS and value.attribute is not None:
                into = function.child_by_field_id(Field.OBJECT)
                return self._kept(module, into, value.holder) if into is not None else CHANGED
            if not methods and name in TAKERS:
                return self._fate(module, call, value) if name in ("get", "pop") else 0
        if not methods:
            # A method that the package has nowhere knows no class or module of it.
            foreign = function.kind_id in _ATTRIBUTE and value.attribute is not None
            return 0 if foreign else self._unknown(value)
        fate = 0
        for owner, site in methods:
            static = any(last_name(text) == "staticmethod" for text in read_decorators(site, owner.graph.source))
            moved = place + bound - (bound and static) if isinstance(place, int) else place
            fate |= self._of_parameter(owner, site, moved, value)
        followed = value if not value.inner else value.part
        return fate & CHANGED | (self._fate(module, call, followed) if fate & GIVEN and not fate & CHANGED else 0)

    def _to_library(self, module: Module, found: Meaning, call: Node, node: Node, value: Value) -> int:
        """What becomes of a value that a function which is not the package's is given."""
        name, place = found.path.rpartition(".")[2], place_of(node)
        if value.what == "owner" and name == "vars":
            return self._fate(module, call, Value("collection", inner=False))
        if value.what == "owner" and name not in PASSERS:
            return CHANGED if place == 0 and sets(name, call, value.attribute or "") else 0
        # A method of a built-in class may be called with its object as an argument.
        if name in CHANGERS or (found.what == "builtin" and name in MUTATORS):
            # Of a collection of classes none of these sets an attribute, and what `next` gives is one.
            given = value.part if name == "next" else value.holder
            return CHANGED if value.attribute is None else self._fate(module, call, given)
        if found.what == "library" and found.path.partition(".")[0] not in sys.stdlib_module_names:
            return self._unknown(value)
        if self._by_others(module, call, node, value):
            return CHANGED
        if name in PASSERS:
            if (name == "cast" and place == 0) or (name == "type" and value.attribute is not None):
                return 0
            # The value itself, what it holds, or a collection of that.
            same = name in ("cast", "getattr", "min", "max")
            return self._fate(module, call, value if same else value.holder) if value.inner or name == "cast" else 0
        return 0

    def _by_others(self, module: Module, call: Node, node: Node, value: Value) -> int:
        """What functions do that a call is given beside a value, which it may call with that or with parts of it."""
        fate = 0
        for given in arguments(call):
            if given == node:
                continue
            found = self._meanings.of(module, given)
            if given.kind_id in _LAMBDA:
                fate |= CHANGED if any(written(each) for each in names_inside(given)) else 0
            elif found.module is not None and found.site is not None:
                takes = self._constructed if found.site.form == "class" else self._of_parameter
                for each in (value, value.part) if value.inner else (value,):
                    fate |= takes(found.module, found.site, None, each) & CHANGED
            elif found.what == "builtin" and found.path.rpartition(".")[2] in MUTATORS:
                fate |= CHANGED if value.attribute is None else 0
        return fate

    def _constructed(self, module: Module, site: Site, place: int | str | None, value: Value) -> int:
        """What becomes of a value that an object is made of: what the constructor, or who reads its field, does."""
        init = self._meanings.method(module, site, "__init__")
        if init is not None:
            moved = place + 1 if isinstance(place, int) else place
            return self._of_parameter(*init, moved, value) & CHANGED
        fields = [name for name, found in site.body_scope.bindings.items() if found[0].site < 0]
        name = (
            place if isinstance(place, str) else next(iter(fields[place : place + 1]), "") if place is not None else ""
        )
        if name in fields:
            return self._of_attribute(module, name, value)
        bases = [each.path for each in self._meanings.bases(module, site) if each.what == "builtin"]
        return 0 if any(each.endswith(("Error", "Exception", "Warning")) for each in bases) else self._unknown(value)
