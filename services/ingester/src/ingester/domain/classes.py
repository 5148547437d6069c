"""Classes whose objects are data: their fields, their members, and where these may come from.

An attribute of such an object is a *field* (a value that some method stores, or that the class declares), a *constant*
of the class, a property or a method; which of them a name is must be certain. It is not where a base is unknown, a
decorator or a metaclass makes the class, attributes are computed by name, or the value of a name in the body may be a
descriptor.

Source: the data model of the language reference, section 3.3.2 (attribute access and descriptors).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from tree_sitter import Node

from ingester.domain.class_names import SETTER, as_written, is_private, setter, slots
from ingester.domain.decorators import last_name
from ingester.domain.extraction import read_decorators
from ingester.domain.grammar import Field, kind_set, text_of
from ingester.domain.packages import Defined, Module, Outside, Package
from ingester.domain.scopes import Definition, ImportedName, ScopeGraph, Site

MemberKind = Literal["method", "property", "setter", "cached", "static", "classmethod"]

_ATTRIBUTE = kind_set("attribute")
_IDENTIFIER = kind_set("identifier")
_SUBSCRIPT = kind_set("subscript", "generic_type")
_ASSIGNMENT = kind_set("assignment")
_EXPRESSION_STATEMENT = kind_set("expression_statement")
_KEYWORD_ARGUMENT = kind_set("keyword_argument")
_COMMENT = kind_set("comment")
_CALL = kind_set("call")
_PLAIN = kind_set(
    "integer", "float", "string", "concatenated_string", "true", "false", "none", "list", "tuple", "set", "dictionary",
    "pair", "unary_operator", "binary_operator", "parenthesized_expression", "string_start", "string_content",
    "string_end", "escape_sequence", "comment",
)  # fmt: skip
# What makes values that are no descriptors, by name.
_MAKERS = frozenset({"frozenset", "set", "dict", "list", "tuple", "re.compile", "float", "int", "bytes", "range"})
_TYPED = kind_set("typed_parameter", "typed_default_parameter")
_DEFAULTED = kind_set("default_parameter", "typed_default_parameter")

# Decorators that add methods and leave attributes what they are; those of the second row declare fields.
_KEEPING = frozenset({"total_ordering", "final", "runtime_checkable", "unique"})
_DECLARING = frozenset({"dataclass", "s", "attrs", "define", "frozen", "mutable", "attributes"})
_FIELD_MAKERS = frozenset({"ib", "attrib", "field", "Factory"})
# `__getattr__` is asked for names that nothing else has, and those are never known.
_COMPUTING = frozenset({"__getattribute__", "__setattr__"})
_METACLASSES = frozenset({"ABCMeta", "abc.ABCMeta"})
_MEMBERS: dict[str, MemberKind] = {
    "property": "property",
    "cached_property": "cached",
    "staticmethod": "static",
    "classmethod": "classmethod",
}
# Decorators of methods that only say something to readers and checkers.
_SAYING = frozenset({"override", "final"})
# Bases from outside whose attributes can be asked of the standard library: importing these modules does nothing else.
_ASKED = frozenset({"builtins", "abc", "argparse", "ast", "codecs", "collections", "collections.abc", "configparser",
                    "contextlib", "datetime", "decimal", "email.message", "fractions", "html.parser", "io", "json",
                    "logging", "numbers", "optparse", "queue", "string", "threading", "typing",
                    "xml.sax.handler"})  # fmt: skip


class Member(NamedTuple):
    """A function of a class body: what it is, where it stands."""

    kind: MemberKind
    site: Site


@dataclass(slots=True)
class ClassFacts:
    """What is known of a class of a file.

    Attributes:
        site: Its place.
        problem: Why it is not certain what the attributes of its objects are; empty where it is.
        members: Functions in its body and in bases of the same file, by name; those that set a property by `x.setter`.
        constants: Values in these bodies that are no descriptors: the node of the value.
        fields: What is declared or stored, with the annotation where one stands, in the order of the text.
        barred: Names that are something else, with what that is.
        outside: Its bases from the standard library.
        guarded: Whether the class may check or forbid that a field is stored.
        lineage: File and name of the class and of its bases in the package.
    """

    site: Site
    problem: str = ""
    members: dict[str, Member] = field(default_factory=dict[str, Member])
    constants: dict[str, Node] = field(default_factory=dict[str, Node])
    fields: dict[str, str] = field(default_factory=dict[str, str])
    barred: dict[str, str] = field(default_factory=dict[str, str])
    outside: tuple[type, ...] = ()
    guarded: bool = False
    lineage: tuple[tuple[str, str], ...] = ()

    def clash(self, name: str) -> bool:
        """Whether a base from outside has an attribute of the name."""
        return any(hasattr(each, name) for each in self.outside)


class _Uncertain(Exception):
    """It is not certain what the attributes of a class are; the message says why."""


class ClassReader:
    """Reads the classes of one file.

    Args:
        graph: The file.
        root: Its syntax tree.
        path: Where it lies.
        package: The other files, where they are known.
    """

    def __init__(self, graph: ScopeGraph, root: Node, path: str, package: Package | None) -> None:
        self._graph = graph
        self._module = Module(path, graph, root)
        self._package = package
        self._inside: dict[int, list[Site]] = {}
        for site in graph.sites:
            if site.parent is not None:
                self._inside.setdefault(site.parent.index, []).append(site)

    def read(self, site: Site) -> ClassFacts:
        """The facts of a class of the module's own scope, bound once and under no condition."""
        facts = ClassFacts(site)
        try:
            if site.outer.parent is None or site.outer.parent.type != "module":
                raise _Uncertain("is no class of the module")
            if len(self._graph.module.bindings.get(site.name, ())) != 1:
                raise _Uncertain("is bound more than once")
            outside: list[type] = []
            lineage: list[tuple[str, str]] = []
            answers = False
            for module, each in self._lineage(self._module, site, outside, frozenset()):
                self._add(facts, module, each)
                lineage.append((module.path, each.name))
                answers |= "__getattr__" in each.body_scope.bindings
            facts.outside, facts.lineage = tuple(outside), tuple(lineage)
            for name in [name for name, each in facts.members.items() if answers and each.kind == "property"]:
                # Where a property lacks an attribute of something, the class is asked in its place.
                del facts.members[name]
                facts.barred[name] = "is a property of a class that answers for names that it lacks"
        except _Uncertain as error:
            facts.problem = str(error)
        return facts

    # Bases.

    def _lineage(
        self, module: Module, site: Site, outside: list[type], seen: frozenset[tuple[str, int]]
    ) -> Iterator[tuple[Module, Site]]:
        """A class and its bases in the order in which attributes are looked up."""
        key = module.path, site.index
        if key in seen:
            raise _Uncertain("inherits from itself")
        yield module, site
        bases = site.node.child_by_field_id(Field.SUPERCLASSES)
        own = 0
        for node in bases.named_children if bases is not None else []:
            if node.kind_id in _COMMENT:
                continue
            if node.kind_id in _KEYWORD_ARGUMENT:
                name, _, value = (part.strip() for part in text_of(node).partition("="))
                if name == "metaclass" and value not in _METACLASSES:
                    raise _Uncertain(f"is made by {value}")
                continue
            found = self._base(module, node)
            if isinstance(found, type):
                outside.append(found)
                continue
            own += 1
            if own > 1:
                raise _Uncertain("inherits from several classes")
            yield from self._lineage(*found, outside, seen | {key})

    def _base(self, module: Module, node: Node) -> tuple[Module, Site] | type:
        if node.kind_id in _SUBSCRIPT:
            node = node.named_children[0]
        text = "".join(text_of(node).split())
        if node.kind_id not in _IDENTIFIER and node.kind_id not in _ATTRIBUTE:
            raise _Uncertain(f"inherits from {text}, which is computed")
        name, *chain = text.split(".")
        definitions = module.graph.module.bindings.get(name, [])
        if not definitions and not module.graph.stars:
            return _asked("builtins", text)
        if len(definitions) != 1:
            raise _Uncertain(f"inherits from {text}, which may be several things")
        (definition,) = definitions
        if definition.imported is None:
            if definition.site < 0 or chain or module.graph.sites[definition.site].form != "class":
                raise _Uncertain(f"inherits from {text}, which is no class of the file")
            return module, module.graph.sites[definition.site]
        return self._imported(module, definition.imported, text, chain)

    def _imported(
        self, module: Module, imported: ImportedName, text: str, chain: list[str]
    ) -> tuple[Module, Site] | type:
        package = self._package
        if package is None or not package.is_own(module.path, imported):
            path = [*(imported.name or imported.module).split("."), *chain] if imported.name or imported.alias else []
            if imported.name:
                return _asked(imported.module, ".".join([imported.name, *chain]), level=imported.level)
            whole = ".".join([imported.module, *chain]) if path else text
            return _asked(*_split(whole))
        target = package.follow(module, imported)
        for part in chain:
            if not isinstance(target, Module):
                break
            target = package.attribute(target, part)
        if isinstance(target, Outside):
            return _asked(target.imported.module, target.imported.name, level=target.imported.level)
        if not isinstance(target, Defined):
            raise _Uncertain(f"inherits from {text}: {target if isinstance(target, str) else 'a module'}")
        definitions = target.module.graph.module.bindings[target.name]
        if len(definitions) != 1 or definitions[0].site < 0:
            raise _Uncertain(f"inherits from {text}, which is no class")
        return target.module, target.module.graph.sites[definitions[0].site]

    # Bodies.

    def _add(self, facts: ClassFacts, module: Module, site: Site) -> None:
        """What a class or a base adds; names that are known already hide its own."""
        source = module.graph.source
        declares = False
        for text in read_decorators(site, source):
            last = last_name(text)
            if last in _DECLARING:
                declares = True
                facts.guarded |= last != "dataclass" or "frozen" in text
            elif last not in _KEEPING:
                raise _Uncertain(f"is decorated with {last}")
        declares |= any(each.__name__ == "NamedTuple" for each in facts.outside)
        bases = site.node.child_by_field_id(Field.SUPERCLASSES)
        declares |= bases is not None and "NamedTuple" in text_of(bases)
        facts.guarded |= bases is not None and "NamedTuple" in text_of(bases)
        own = module.graph is self._graph
        members: dict[str, Member] = {}
        for bound, definitions in site.body_scope.bindings.items():
            name = as_written(bound, site)
            if name in _COMPUTING:
                raise _Uncertain(f"has {name}")
            if is_private(name) and site is not facts.site:
                # It is another attribute, but for classes that are called alike.
                if site.name.lstrip("_") == facts.site.name.lstrip("_"):
                    facts.barred[name] = "is a private name of a base"
                continue
            if name in facts.fields and definitions[0].site >= 0:
                # What a base computes when the name is read or set.
                facts.barred[name] = "is a function of a base"
            if name in facts.members or name in facts.constants or name in facts.barred or name in facts.fields:
                continue
            setting = setter(module, site, definitions)
            if len(definitions) != 1 and setting is None:
                facts.barred[name] = "is bound more than once in its class"
            elif definitions[0].site >= 0:
                self._function(facts, module, module.graph.sites[definitions[0].site], members, own=own)
                if setting is not None and name in members:
                    members[name + SETTER] = Member("setter", setting)
            else:
                self._value(facts, module, site, definitions[0], declares=declares, own=own)
                if name != bound and facts.fields.pop(bound, None) is None:
                    facts.barred[name] = "is a private value of its class"
        facts.members |= members
        inside = self._inside if own else None
        methods = (
            inside.get(site.index, [])
            if inside is not None
            else [each for each in module.graph.sites if each.parent is site]
        )
        for method in methods:
            if method.form == "method":
                self._stored(facts, module, method)
        for name in slots(module, site):
            if not any(name in known for known in (facts.members, facts.barred, facts.constants)):
                facts.fields.setdefault(name, "")

    def _function(
        self, facts: ClassFacts, module: Module, site: Site, members: dict[str, Member], *, own: bool
    ) -> None:
        if site.form == "class":
            facts.barred[site.name] = "is a class inside the class"
            return
        if not own:
            facts.barred[site.name] = "is defined in a base of another file"
            return
        kind: MemberKind = "method"
        for text in read_decorators(site, module.graph.source):
            last = last_name(text)
            if last in _MEMBERS:
                kind = _MEMBERS[last]
            elif last not in _SAYING:
                facts.barred[site.name] = f"is decorated with {last}"
                return
        members[site.name] = Member(kind, site)

    def _value(
        self, facts: ClassFacts, module: Module, site: Site, definition: Definition, *, declares: bool, own: bool
    ) -> None:
        name, start = definition.name, definition.start
        node = module.root.named_descendant_for_byte_range(start, start)
        while node is not None and node.kind_id not in _ASSIGNMENT:
            node = node.parent
        statement = node.parent if node is not None else None
        if node is None or statement is None or statement.kind_id not in _EXPRESSION_STATEMENT:
            facts.barred[name] = "is bound in its class by a statement that is no plain assignment"
            return
        annotation = node.child_by_field_id(Field.TYPE)
        value = node.child_by_field_id(Field.RIGHT)
        noted = text_of(annotation) if annotation is not None else ""
        made = value is not None and value.kind_id in _CALL and last_name(text_of(value)) in _FIELD_MAKERS
        declared = value is None or (declares and (made or _is_plain(value)))
        plain = value is not None and (_is_plain(value) or (annotation is None and self._is_class(module, value, site)))
        if "InitVar" in noted:
            facts.barred[name] = "is no attribute of the objects"
        elif annotation is not None and "ClassVar" not in noted and declared:
            facts.fields[name] = noted if own else ""
        elif made and declares:
            facts.fields[name] = ""
        elif value is None or not plain:
            facts.barred[name] = "is a value of its class that may be computed when it is read"
        elif own and node.child_by_field_id(Field.LEFT) is not None:
            facts.constants[name] = value
        else:
            facts.barred[name] = "is a value of a base in another file"

    def _is_class(self, module: Module, value: Node, site: Site) -> bool:
        """Whether a value is the name of an earlier class of the file, and so no descriptor."""
        name = text_of(value)
        definitions = module.graph.module.bindings.get(name, [])
        if value.kind_id not in _IDENTIFIER or name in site.body_scope.bindings or len(definitions) != 1:
            return False
        (definition,) = definitions
        if module.graph is not self._graph or definition.site < 0 or definition.start >= site.outer.start_byte:
            return False
        other = module.graph.sites[definition.site]
        return other.form == "class" and not self.read(other).problem

    def _stored(self, facts: ClassFacts, module: Module, method: Site) -> None:
        """Attributes of the object that a method stores are fields."""
        header = method.node.child_by_field_id(Field.PARAMETERS)
        first = header.named_children[0] if header is not None and header.named_child_count else None
        if first is None:
            return
        name = text_of(first.named_children[0] if first.kind_id in _TYPED else first)
        kinds = {last_name(text) for text in read_decorators(method, module.graph.source)}
        given = _annotations(header) if method.name == "__init__" and header is not None else {}
        span = method.references
        for reference in module.graph.references[span.first : span.last]:
            if reference.name != name:
                continue
            node = module.root.named_descendant_for_byte_range(reference.start, reference.start)
            attribute = node.parent if node is not None else None
            if attribute is None or attribute.kind_id not in _ATTRIBUTE or attribute.named_children[0] != node:
                continue
            stored = target_of(attribute)
            bound = text_of(attribute.child_by_field_id(Field.ATTRIBUTE))
            if stored is None or (is_private(bound) and method.parent is not facts.site):
                continue
            if kinds & {"classmethod", "staticmethod"}:
                facts.barred[bound] = "is set on the class"
                continue
            if bound in facts.members:
                if facts.members[bound].kind not in ("property", "cached"):
                    facts.barred[bound] = "is a method that objects replace"
                continue
            facts.constants.pop(bound, None)
            annotation = ""
            if stored.kind_id in _ASSIGNMENT and module.graph is self._graph:
                noted = stored.child_by_field_id(Field.TYPE)
                value = stored.child_by_field_id(Field.RIGHT)
                annotation = text_of(noted) if noted is not None else given.get(text_of(value), "")
            facts.fields[bound] = facts.fields.get(bound) or annotation


def _annotations(header: Node) -> dict[str, str]:
    """The annotations of parameters by name; of one with a default of `None` none, as it may be that too."""
    found: dict[str, str] = {}
    for child in header.named_children:
        if child.kind_id not in _TYPED:
            continue
        name = child.child_by_field_id(Field.NAME) if child.kind_id in _DEFAULTED else child.named_children[0]
        if name is not None and name.kind_id in _IDENTIFIER:
            found[text_of(name)] = text_of(child.child_by_field_id(Field.TYPE))
    return found


_TARGETS = kind_set(
    "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "as_pattern_target", "expression_list"
)
_STORING = kind_set("assignment", "augmented_assignment", "for_statement", "for_in_clause")
_DELETE = kind_set("delete_statement")
_AS = kind_set("as_pattern")


def target_of(node: Node) -> Node | None:
    """The statement that stores to an attribute; none where it is only read."""
    child, above = node, node.parent
    while above is not None and above.kind_id in _TARGETS:
        child, above = above, above.parent
    if above is None:
        return None
    if above.kind_id in _STORING:
        return above if above.child_by_field_id(Field.LEFT) == child else None
    if above.kind_id in _DELETE:
        return above
    return above if above.kind_id in _AS and child.kind_id in _TARGETS else None


def _is_plain(value: Node) -> bool:
    """Whether a value is made of literals, so that it is no descriptor."""
    if value.kind_id in _CALL:
        function = value.child_by_field_id(Field.FUNCTION)
        arguments = value.child_by_field_id(Field.ARGUMENTS)
        if function is None or arguments is None or text_of(function) not in _MAKERS:
            return False
        return all(_is_plain_argument(child) for child in arguments.named_children)
    return value.kind_id in _PLAIN and all(_is_plain(child) for child in value.named_children)


def _is_plain_argument(node: Node) -> bool:
    if node.kind_id in _KEYWORD_ARGUMENT:
        return _is_plain(node.named_children[-1])
    # Flags of a pattern.
    return _is_plain(node) or text_of(node).startswith("re.")


def _asked(module: str, name: str, *, level: int = 0) -> type:
    """A class of the standard library.

    Raises:
        _Uncertain: it is none, or its attributes are computed.
    """
    words = f"inherits from {name or module}, which is no part of the package"
    if level or module not in _ASKED:
        raise _Uncertain(words)
    found: object = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if name in ("NamedTuple", "Generic", "Protocol") and module == "typing":
        return _SPECIAL[name]
    if module == "typing":
        # `typing.MutableMapping` as a base is the class that it is another name of.
        found = getattr(found, "__origin__", found)
    if not isinstance(found, type):
        raise _Uncertain(words)
    base: type[object] = found
    if issubclass(base, type):
        raise _Uncertain(words)
    computed = hasattr(base, "__getattr__") or any(
        type(getattr(base, each)).__name__ != "wrapper_descriptor" for each in ("__getattribute__", "__setattr__")
    )
    if computed or type(base).__name__ not in ("type", "ABCMeta"):
        raise _Uncertain(f"inherits from {name}, which computes attributes")
    return base


_SPECIAL: dict[str, type] = {
    name: type(name, (tuple if name == "NamedTuple" else object,), {}) for name in ("NamedTuple", "Generic", "Protocol")
}


def _split(path: str) -> tuple[str, str]:
    """Module and name of a dotted path that ends in a class."""
    module, _, name = path.rpartition(".")
    return module, name
