"""What an expression of a file means: what its names lead to, and whether anything could change its value."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Literal, NamedTuple

from tree_sitter import Node

from ingester.domain.branches import value_of
from ingester.domain.builtin_names import BUILTIN_NAMES
from ingester.domain.closures import functions_given
from ingester.domain.extraction import read_parameters
from ingester.domain.grammar import Field, kind_set, text_of
from ingester.domain.occurrences import function_around, site_of
from ingester.domain.packages import Defined, Module, Outside, Package, Target
from ingester.domain.scopes import Definition, ImportedName, Scope, Site, StarImport
from ingester.domain.standard_names import COLLECTION_MAKERS, FIXED_MAKERS, GIVERS, ITERATOR_MAKERS, READERS

_IDENTIFIER = kind_set("identifier")
_ATTRIBUTE = kind_set("attribute")
_CALL = kind_set("call")
_SUBSCRIPT = kind_set("subscript")
_LITERAL = kind_set(
    "integer", "float", "string", "concatenated_string", "true", "false", "none", "ellipsis", "lambda",
    "comparison_operator", "not_operator",
)  # fmt: skip
_COLLECTION = kind_set("list", "set", "dictionary")
_TUPLE = kind_set("tuple", "expression_list")
_MADE_EACH = kind_set("list_comprehension", "set_comprehension", "dictionary_comprehension")
# Their value is that of their parts, or is made of them alone.
_PARTS = kind_set(
    "parenthesized_expression", "unary_operator", "binary_operator", "boolean_operator", "conditional_expression",
    "pair", "keyword_argument", "named_expression",
)  # fmt: skip
_OPERATOR = kind_set("binary_operator")
_TEXT = kind_set("string", "concatenated_string")
_PATTERN = kind_set("pattern_list", "tuple_pattern")
_ASSIGNMENT = kind_set("assignment")
_SPLATS = kind_set("list_splat", "dictionary_splat")
_GENERATOR = kind_set("generator_expression")
_CLAUSE = kind_set("for_in_clause")
_COMMENT = kind_set("comment")
# Methods that are called where an object is made or stored to, or by its name alone.
_WRITING = frozenset({
    "__init__", "__new__", "__post_init__", "__attrs_post_init__", "__setattr__", "__delattr__", "__setitem__",
    "__delitem__", "__call__", "__set_name__", "__init_subclass__", "__class_getitem__", "__setstate__", "__del__",
    "__iadd__", "__isub__", "__imul__", "__iand__", "__ior__", "__ixor__", "__itruediv__", "__ifloordiv__", "__imod__",
})  # fmt: skip

# More files than these are not asked for the methods or attributes of one name.
MOST_FILES = 40


class Value(NamedTuple):
    """What may be changed of a value.

    Attributes:
        what: Nothing, a built-in collection, an object of a class of the package, a class or module of which
            attributes may be set, or that is not known.
        inner: Whether what a collection holds may be changed as well.
        fresh: Whether a collection is one of its own: what it holds alone is of interest.
        module: The file of the object's class.
        site: That class.
        attribute: Of a class or module, or of a collection of some, the attribute that is asked about.
    """

    what: Literal["fixed", "collection", "object", "owner", "unknown"]
    inner: bool = True
    fresh: bool = False
    module: Module | None = None
    site: Site | None = None
    attribute: str | None = None

    @property
    def tells(self) -> bool:
        """Whether it is changed where an item of it is stored, or one more."""
        return not self.fresh and self.what != "owner"

    @property
    def part(self) -> Value:
        """What may be changed of something that is inside of it."""
        return UNKNOWN if self.attribute is None else owner(self.attribute)

    @property
    def holder(self) -> Value:
        """What may be changed of a collection that it is inside of."""
        return HOLDER._replace(attribute=self.attribute)

    @property
    def key(self) -> tuple[str | int, ...]:
        """What tells values apart."""
        of = (self.module.path, self.site.outer.start_byte) if self.module is not None and self.site is not None else ()
        return self.what, self.inner, self.fresh, "" if self.attribute is None else f".{self.attribute}", *of


FIXED = Value("fixed", inner=False)
UNKNOWN = Value("unknown")
HOLDER = Value("collection", fresh=True)


def owner(attribute: str) -> Value:
    """A class or a module, asked whether an attribute of it is set; any of them where the name is empty."""
    return Value("owner", inner=False, attribute=attribute)


class Meaning(NamedTuple):
    """What a name or an attribute leads to.

    Attributes:
        what: A built-in, something of a library, a function or class of the package, another name of one of its
            modules, a module, a name of a function's own, or that is not known.
        path: The dotted path in a library, or the name.
        module: The file of the package.
        site: The function or class.
        scope: The scope of a function's own name.
    """

    what: Literal["builtin", "library", "site", "name", "module", "local", "unknown"]
    path: str = ""
    module: Module | None = None
    site: Site | None = None
    scope: Scope | None = None


_NOTHING = Meaning("unknown")


def star_name(star: StarImport) -> ImportedName:
    """A star import as if it brought one name."""
    return ImportedName(star.module, "*", "", star.level)


def scope_at(module: Module, start: int) -> Scope:
    """The innermost scope around a byte."""
    inside = (scope for scope in module.graph.scopes if scope.start <= start < scope.end)
    return max(inside, key=lambda scope: (scope.start, scope.index), default=module.graph.module)


class Meanings:
    """Reads expressions of a package's files.

    Args:
        package: The files; none where only the file itself is known.
    """

    def __init__(self, package: Package | None) -> None:
        self._package = package

    def of(self, module: Module, node: Node) -> Meaning:
        """What a name, or attributes of one, lead to."""
        if node.kind_id in _IDENTIFIER:
            name = text_of(node)
            found = next((each for each in module.graph.named(name) if each.start == node.start_byte), None)
            return self._named(module, name, module.graph.found(found)) if found is not None else _NOTHING
        if node.kind_id not in _ATTRIBUTE:
            return _NOTHING
        inner, name = node.child_by_field_id(Field.OBJECT), text_of(node.child_by_field_id(Field.ATTRIBUTE))
        base = self.of(module, inner) if inner is not None else _NOTHING
        if base.what in ("library", "builtin"):
            return base._replace(path=f"{base.path}.{name}")
        if base.what == "module" and base.module is not None and self._package is not None:
            return self._led(self._package.attribute(base.module, name))
        if base.what == "site" and base.site is not None and base.module is not None and base.site.form == "class":
            return self._member(base.module, base.site, name)
        return _NOTHING

    def may_be(self, module: Module, node: Node, path: str, name: str) -> bool:
        """Whether a name or an attribute in one file may mean a name of another one's module.

        Args:
            module: The one file.
            node: The name, or the attribute of a module.
            path: The other file.
            name: Its name.
        """
        package = self._package
        inner = node.child_by_field_id(Field.OBJECT) if node.kind_id in _ATTRIBUTE else node
        found = self.of(module, node)
        if package is None or inner is None or found.what != "unknown":
            return found.path == name and found.module is not None and found.module.path == path
        # Bound more than once, or by a star import among others.
        while inner.kind_id in _ATTRIBUTE:
            inner = inner.named_children[0]
        reference = next((each for each in module.graph.named(text_of(inner)) if each.start == inner.start_byte), None)
        if reference is None:
            return False
        scope = module.graph.found(reference)
        if scope is None:
            return any(package.is_own(module.path, star_name(star)) for star in module.graph.stars)
        bound = [each.imported for each in scope.bindings[reference.name] if each.imported is not None]
        led = [package.follow(module, each) for each in bound if package.is_own(module.path, each)]
        return any(not isinstance(each, Defined) or (each.module.path, each.name) == (path, name) for each in led)

    def _named(self, module: Module, name: str, scope: Scope | None) -> Meaning:
        if scope is None:
            if module.graph.stars and self._package is not None:
                found = self._led(self._package.attribute(module, name, inside=True))
                if found.what != "unknown":
                    return found
            return Meaning("builtin", name) if name in BUILTIN_NAMES else _NOTHING
        definitions = scope.bindings[name]
        if len(definitions) != 1:
            return Meaning("local", name, module, scope=scope) if scope is not module.graph.module else _NOTHING
        return self._defined(module, definitions[0], scope)

    def _defined(self, module: Module, definition: Definition, scope: Scope) -> Meaning:
        imported = definition.imported
        if imported is not None:
            if self._package is not None and self._package.is_own(module.path, imported):
                return self._led(self._package.follow(module, imported))
            if imported.level:
                return _NOTHING
            bound = imported.name or imported.alias
            return Meaning("library", imported.origin if bound else imported.module.partition(".")[0])
        if definition.site >= 0:
            return Meaning("site", definition.name, module, module.graph.sites[definition.site])
        if scope is module.graph.module:
            return Meaning("name", definition.name, module)
        return Meaning("local", definition.name, module, scope=scope)

    def _led(self, target: Target) -> Meaning:
        if isinstance(target, Defined):
            definitions = target.module.graph.module.bindings[target.name]
            return self._defined(target.module, definitions[0], target.module.graph.module)
        if isinstance(target, Module):
            return Meaning("module", module=target)
        return Meaning("library", target.imported.origin) if isinstance(target, Outside) else _NOTHING

    def _member(self, module: Module, site: Site, name: str) -> Meaning:
        """A function or class in the body of a class."""
        definitions = site.body_scope.bindings.get(name, [])
        if len(definitions) != 1 or definitions[0].site < 0:
            return _NOTHING
        return Meaning("site", name, module, module.graph.sites[definitions[0].site])

    def method(self, module: Module, site: Site, name: str) -> tuple[Module, Site] | None:
        """The function that a class or a base in the package defines under a name."""
        seen: set[tuple[str, int]] = set()
        while (module.path, site.index) not in seen:
            seen.add((module.path, site.index))
            found = self._member(module, site, name)
            if found.site is not None:
                return module, found.site
            for base in self.bases(module, site):
                if base.site is not None and base.module is not None:
                    module, site = base.module, base.site
                    break
        return None

    def called_by_language(self, module: Module, site: Site) -> Iterator[tuple[Module, Site]]:
        """The methods of a class, and of bases in the package, that the language calls where an object is read."""
        seen: set[tuple[str, int]] = set()
        waiting = [(module, site)]
        while waiting:
            module, site = waiting.pop()
            if (module.path, site.index) in seen:
                continue
            seen.add((module.path, site.index))
            for each in module.graph.sites:
                special = each.name.startswith("__") and each.name.endswith("__")
                if each.parent is site and each.form == "method" and special and each.name not in _WRITING:
                    yield module, each
            for base in self.bases(module, site):
                if base.site is not None and base.module is not None:
                    waiting.append((base.module, base.site))

    def methods(self, module: Module, name: str) -> list[tuple[Module, Site]]:
        """The methods of a name in the package; none where there are too many files to ask."""
        paths = self._package.holding(name) if self._package is not None else [module.path]
        files = [self._package.module(each) if self._package is not None else module for each in paths[:MOST_FILES]]
        found = [
            (each, site)
            for each in files
            for site in (each.graph.sites if each is not None else ())
            if each is not None and site.form == "method" and site.name == name
        ]
        return found if len(paths) <= MOST_FILES else []

    def received(self, module: Module, function: Node) -> list[tuple[Module, Site]]:
        """The methods that a call of an attribute may be for: of the object itself, of a base, or of the name."""
        receiver = text_of(function.child_by_field_id(Field.OBJECT))
        name = text_of(function.child_by_field_id(Field.ATTRIBUTE))
        method = site_of(module, function_around(function))
        if method is None or method.form != "method" or method.parent is None:
            return self.methods(module, name)
        parameters = read_parameters(method, module.graph.source)
        if parameters and receiver == parameters[0].name:
            own = self.method(module, method.parent, name)
            # A class that others inherit from beside this one may have it.
            return [own] if own is not None else self.methods(module, name)
        if not receiver.startswith("super("):
            return self.methods(module, name)
        found: list[tuple[Module, Site]] = []
        for base in self.bases(module, method.parent):
            inherited = self.method(base.module, base.site, name) if base.module and base.site else None
            if inherited is not None:
                found.append(inherited)
        return found

    def own_class(self, module: Module, function: Node) -> Site | None:
        """The class of `type(self)` and `self.__class__` in a method; none for any other expression."""
        asked = function.child_by_field_id(Field.FUNCTION) if function.kind_id in _CALL else None
        attribute = function.child_by_field_id(Field.ATTRIBUTE) if function.kind_id in _ATTRIBUTE else None
        if text_of(asked) != "type" and text_of(attribute) != "__class__":
            return None
        method = site_of(module, function_around(function))
        return method.parent if method is not None and method.form == "method" else None

    def bases(self, module: Module, site: Site) -> list[Meaning]:
        """What the bases of a class lead to."""
        header = site.node.child_by_field_id(Field.SUPERCLASSES)
        nodes = [each for each in header.named_children if each.kind_id not in _PARTS] if header is not None else []
        return [self.of(module, each) for each in nodes if each.kind_id not in _COMMENT]

    # Values.

    def value(self, module: Module, node: Node | None, depth: int = 0) -> Value:
        """What may be changed of the value of an expression."""
        if node is None or depth > 8:
            return UNKNOWN
        kind = node.kind_id
        if kind in _LITERAL:
            return FIXED
        if kind in _COLLECTION or kind in _MADE_EACH:
            first = node.named_children[:1] if kind in _MADE_EACH else node.named_children
            return Value("collection", not self._all_fixed(module, first, depth))
        if kind in _TUPLE:
            return FIXED if self._all_fixed(module, node.named_children, depth) else Value("collection")
        if kind in _PARTS:
            # A text with places for others is a text.
            written = node.named_children[0].kind_id in _TEXT if kind in _OPERATOR else False
            return FIXED if written else self._joined(module, node, depth)
        if kind in _CALL:
            return self._made(module, node, depth)
        if kind in _SUBSCRIPT:
            of = node.child_by_field_id(Field.VALUE)
            found = self.of(module, of) if of is not None else _NOTHING
            # A type with its parameters.
            return FIXED if found.what in ("builtin", "library", "site") else UNKNOWN
        return self._meant(module, self.of(module, node), depth)

    def _all_fixed(self, module: Module, nodes: list[Node], depth: int) -> bool:
        """Whether nothing changes any of the elements, or of what is spread among them."""
        for node in (each for each in nodes if each.kind_id not in _COMMENT):
            spread = node.kind_id in _SPLATS
            value = self.value(module, node.named_children[0] if spread else node, depth + 1)
            if value.what != "fixed" and not (spread and value.what == "collection" and not value.inner):
                return False
        return True

    def _joined(self, module: Module, node: Node, depth: int) -> Value:
        """The value of parts of which any may be the whole."""
        # The name of an argument is no part of its value.
        parts = node.named_children[1:] if node.type == "keyword_argument" else node.named_children
        values = [self.value(module, each, depth + 1) for each in parts if each.kind_id not in _COMMENT]
        if all(each.what == "fixed" for each in values):
            return FIXED
        if len(values) == 1:
            return values[0]
        if all(each.what in ("fixed", "collection") for each in values):
            return Value("collection", any(each.inner for each in values))
        return UNKNOWN

    def _made(self, module: Module, node: Node, depth: int) -> Value:
        """What a call gives."""
        function = node.child_by_field_id(Field.FUNCTION)
        arguments = node.child_by_field_id(Field.ARGUMENTS)
        if function is None or arguments is None:
            return UNKNOWN
        found = self.of(module, function)
        if found.what == "site" and found.site is not None:
            if found.site.form == "class":
                return Value("object", module=found.module, site=found.site)
            given = functions_given(found.module, found.site) if found.module is not None else None
            return FIXED if given == "plain" and self._all_fixed(module, arguments.named_children, depth) else UNKNOWN
        name = text_of(function).rpartition(".")[2]
        receiver = function.child_by_field_id(Field.OBJECT) if function.kind_id in _ATTRIBUTE else None
        if receiver is not None and name in READERS and not self._is_function(found):
            of = self.value(module, receiver, depth + 1)
            if of.what in ("fixed", "collection"):
                makes = of.what == "collection" or name in GIVERS or name in COLLECTION_MAKERS
                return Value("collection", of.inner) if makes else FIXED
        if found.what not in ("builtin", "library"):
            return UNKNOWN
        if name in FIXED_MAKERS or (name == "partial" and self._all_fixed(module, arguments.named_children, depth)):
            return FIXED
        if name == "map" and arguments.named_child_count > 1:
            by = self.of(module, arguments.named_children[0])
            known = by.what in ("builtin", "library") and by.path.rpartition(".")[2] in FIXED_MAKERS
            return Value("collection", not known)
        if name not in COLLECTION_MAKERS:
            return UNKNOWN
        several = arguments.named_children[: 1 if arguments.kind_id in _GENERATOR else None]
        given = [(each, self.value(module, each, depth + 1)) for each in several]
        # What is given by name, or for every key, is inside as it is; of others what they hold is.
        whole = name == "fromkeys"
        inner = any(
            each.what == "unknown" or (each.what != "fixed" and (each.inner or whole or node.kind_id in _PARTS))
            for node, each in given
        )
        fixed = name in ("frozenset", "tuple") and not inner
        return FIXED if fixed else Value("collection", inner)

    def _is_function(self, found: Meaning) -> bool:
        """Whether what is called is known to be a function of a module, and no method."""
        return found.what in ("builtin", "site") or found.path.rpartition(".")[0] in sys.stdlib_module_names

    def _meant(self, module: Module, found: Meaning, depth: int) -> Value:
        if found.what in ("builtin", "library", "site"):
            return FIXED
        if found.what == "name" and found.module is not None:
            return self.named(found.module, found.path, depth + 1)
        if found.what == "local" and found.scope is not None and found.scope.kind == "comprehension":
            return self._each(module, found.scope.bindings[found.path][0], depth)
        return UNKNOWN

    def _each(self, module: Module, definition: Definition, depth: int) -> Value:
        """What may be changed of what a comprehension goes through."""
        node = module.root.named_descendant_for_byte_range(definition.start, definition.start)
        while node is not None and node.kind_id not in _CLAUSE:
            node = node.parent
        over = self.value(module, node.child_by_field_id(Field.RIGHT) if node is not None else None, depth + 1)
        return UNKNOWN if over.what not in ("fixed", "collection") or over.inner else FIXED

    def named(self, module: Module, name: str, depth: int = 0) -> Value:
        """What may be changed of the value that a module's own name has."""
        definitions = module.graph.module.bindings.get(name, [])
        if len(definitions) != 1 or definitions[0].imported is not None:
            return UNKNOWN
        if definitions[0].site >= 0:
            return FIXED
        return self.value(module, assigned(module, definitions[0]), depth)

    def node_of(self, module: Module, name: str) -> Node | None:
        """The expression that a module's own name gets its value from, among others' or alone; none of several."""
        definitions = module.graph.module.bindings.get(name, [])
        if len(definitions) != 1:
            return None
        start = definitions[0].start
        node = assigned(module, definitions[0]) or module.root.named_descendant_for_byte_range(start, start)
        while node is not None and node.kind_id in (*_IDENTIFIER, *_PATTERN):
            node = node.parent
        return node.child_by_field_id(Field.RIGHT) if node is not None and node.kind_id in _ASSIGNMENT else node

    def used_up(self, module: Module, node: Node | None) -> bool:
        """Whether reading a value changes it: it is an iterator or makes what it lacks, or holds such a value."""
        if node is None:
            return False
        kind = node.kind_id
        if kind in _GENERATOR:
            return True
        if kind in _COLLECTION or kind in _TUPLE or kind in _PARTS or kind in _SPLATS:
            return any(self.used_up(module, each) for each in node.named_children)
        function = node.child_by_field_id(Field.FUNCTION) if kind in _CALL else None
        if function is None:
            return False
        found = self.of(module, function)
        if found.what == "site" and found.site is not None and found.module is not None:
            return found.site.has_yield or functions_given(found.module, found.site) == "keeping"
        if found.what not in ("builtin", "library"):
            # `re.compile("a").finditer(text)`.
            return text_of(function.child_by_field_id(Field.ATTRIBUTE)) in ITERATOR_MAKERS
        top, _, name = found.path.rpartition(".")
        if name == "defaultdict" and found.what == "library":
            return True
        if name == "partial" and found.what == "library":
            arguments = node.child_by_field_id(Field.ARGUMENTS)
            return arguments is not None and not self._all_fixed(module, arguments.named_children, 0)
        return name in ITERATOR_MAKERS if found.what == "builtin" or top in ("re", "csv") else top == "itertools"


def assigned(module: Module, definition: Definition) -> Node | None:
    """What an assignment gives a name, alone or among others."""
    alone = value_of(module.root, definition)
    node = module.root.named_descendant_for_byte_range(definition.start, definition.start)
    pattern = node.parent if node is not None else None
    whole = pattern.parent if pattern is not None and pattern.kind_id in _PATTERN else None
    if alone is not None or node is None or pattern is None or whole is None or whole.kind_id not in _ASSIGNMENT:
        return alone
    right = whole.child_by_field_id(Field.RIGHT)
    if right is None or right.kind_id not in _TUPLE or right.named_child_count != pattern.named_child_count:
        return None
    return right.named_children[pattern.named_children.index(node)]
