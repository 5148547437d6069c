"""Methods as functions of what they read of their object.

`def area(self, scale): return self.width * scale` becomes `def rect_area(width, scale): return width * scale`: a field
that is read is a parameter, a constant of the class one of the module, a call of another
method a call of its function with the fields that it needs. For every object of just this class whose fields hold
the given values the function returns what the method returns; what cannot be said so exactly is no function: an object
that goes anywhere as a whole, attributes that are not known, methods that are taken as values.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from ingester.domain import changing
from ingester.domain.changes import written
from ingester.domain.class_names import SETTER, is_private
from ingester.domain.classes import ClassFacts, Member, target_of
from ingester.domain.extraction import string_lines
from ingester.domain.grammar import Field, is_shown, kind_set, text_of
from ingester.domain.plans import Plan, Read, spread, taken_back
from ingester.domain.scopes import Reference, Role, ScopeGraph, Site

_ATTRIBUTE = kind_set("attribute")
_CALL = kind_set("call")
_TYPED = kind_set("typed_parameter")
_IDENTIFIER = kind_set("identifier")
_SLASH = kind_set("positional_separator")
_ANY_NAME = kind_set("dictionary_splat_pattern")
_MOVED = ("moved", "moved_on", "own_moved", "moved_own", "all_moved")
_MANGLED = re.compile(r"(?<!\w)__[A-Za-z]\w*?(?<!__)(?!\w)")
_WORD_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_INSIDE_TARGETS = frozenset(
    {
        "pattern_list",
        "tuple_pattern",
        "list_pattern",
        "list_splat_pattern",
        "as_pattern_target",
        "attribute",
        "subscript",
    }
)


class NotLiftedError(Exception):
    """The method is no function of its object's fields; the message says why."""


class Lifted(NamedTuple):
    """A method as the text of a function of the module.

    Attributes:
        site: The method.
        name: The function's name.
        text: Its definition.
        fields: What it takes of the object, by the names of the fields.
    """

    site: Site
    name: str
    text: str
    fields: tuple[str, ...]


class ClassLifter:
    """Makes functions of the methods of one class.

    Args:
        graph: The file.
        root: Its syntax tree.
        facts: The class.
        taken: Names that the file uses already.
    """

    def __init__(self, graph: ScopeGraph, root: Node, facts: ClassFacts, taken: frozenset[str]) -> None:
        self._graph = graph
        self._root = root
        self._facts = facts
        self._taken = taken
        # One that is called as its function would be keeps that name.
        order = sorted(facts.members, key=lambda name: (name != name.lower().strip("_"), name))
        self._named = _told_apart(facts.site.name, order)
        self._plans = {name: self._plan(member) for name, member in facts.members.items()}
        spread(self._plans, list(facts.fields))

    def problem(self, site: Site) -> str:
        """Why a method cannot be lifted; empty where it can, or where another one of its name is meant."""
        if site.name not in self._plans:
            return self._facts.barred.get(site.name, "is no method of the class")
        return next((each.problem for each in self._plans.values() if each.member.site is site), "")

    def lifted(self) -> Iterator[Lifted]:
        """The functions of all methods that can be lifted, and of what they call."""
        for name, plan in self._plans.items():
            if not plan.problem:
                try:
                    yield self._written(name, plan)
                except NotLiftedError as error:
                    plan.problem = str(error)

    def constants(self) -> Iterator[tuple[str, str, Node]]:
        """Name in the class, name in the module and value of each constant that a lifted method reads."""
        used = {read.name for plan in self._plans.values() if not plan.problem for read in plan.reads
                if read.use == "constant"}  # fmt: skip
        for name in sorted(used):
            yield name, self._constant(name), self._facts.constants[name]

    def named(self, name: str) -> str:
        """The name of a method's function."""
        return self._named[name]

    def _constant(self, name: str) -> str:
        stem = _WORD_BORDER.sub("_", self._facts.site.name.strip("_"))
        return f"{stem.upper()}_{name.strip('_').upper()}"

    # What is used.

    def _plan(self, member: Member) -> Plan:
        site = member.site
        header = site.node.child_by_field_id(Field.PARAMETERS)
        first = next((child for child in header.named_children if child.type != "comment"), None) if header else None
        plan = Plan(member, "", None)
        try:
            self._form(site)
            if member.kind != "static":
                if first is None or first.kind_id not in (_IDENTIFIER | _TYPED):
                    raise NotLiftedError("takes its object in no parameter of its own")
                named = first.named_children[0] if first.kind_id in _TYPED else first
                if named.kind_id not in _IDENTIFIER:
                    raise NotLiftedError("takes its object in no parameter of its own")
                plan.first, plan.receiver = first, text_of(named)
                if len(site.body_scope.bindings.get(plan.receiver, ())) != 1:
                    raise NotLiftedError("binds the name of its object anew")
            self._references(plan)
        except NotLiftedError as error:
            plan.problem = str(error)
        return plan

    def _form(self, site: Site) -> None:
        if site.is_async or site.has_yield:
            raise NotLiftedError("is a coroutine or a generator")
        if site.node.child_by_field_id(Field.TYPE_PARAMETERS) is not None:
            raise NotLiftedError("has type parameters")

    def _references(self, plan: Plan) -> None:
        graph, site = self._graph, plan.member.site
        for reference in graph.references[site.references.first : site.references.last]:
            if reference.role == Role.DECORATOR:
                continue
            scope = graph.found(reference)
            if scope is not None and scope.kind == "class" and not site.owns(scope):
                raise NotLiftedError(f"reads {reference.name} of the class where it is defined")
            if reference.name == plan.receiver and scope is site.body_scope:
                plan.reads.append(self._use(plan, reference))
            elif reference.name == self._facts.site.name and scope is graph.module:
                found = self._of_class(reference)
                if found is not None:
                    plan.reads.append(found)

    def _use(self, plan: Plan, reference: Reference) -> Read:
        """What a method does with its object, or its class, at one place."""
        node = self._node(reference)
        above = node.parent
        is_class = plan.member.kind == "classmethod"
        if above is None or above.kind_id not in _ATTRIBUTE or above.named_children[0] != node:
            if is_class and not is_shown(node):
                return Read(node.start_byte, node.end_byte, "class", self._facts.site.name)
            if above is not None and _is_type_of(above):
                call = above.parent
                assert call is not None
                return Read(call.start_byte, call.end_byte, "class", self._facts.site.name)
            raise NotLiftedError("uses its object as a whole")
        name = text_of(above.child_by_field_id(Field.ATTRIBUTE))
        if is_private(name) and plan.member.site.parent is not self._facts.site:
            raise NotLiftedError(f"{name} belongs to a base")
        if name in self._facts.fields and is_written(above):
            self._change(plan, above, name, inside=reference.scope is not plan.member.site.body_scope)
        return self._attribute(above, is_class=is_class)

    def _change(self, plan: Plan, attribute: Node, name: str, *, inside: bool) -> None:
        """Note that a method changes a field, where what it holds afterwards can be said."""
        stored = target_of(attribute)
        if plan.member.kind not in ("method", "property", "setter") or (
            stored is not None and (inside or stored.type == "delete_statement")
        ):
            raise NotLiftedError(f"changes {name} of its object")
        if stored is not None and self._facts.guarded:
            raise NotLiftedError(f"changes {name} of its object, and its class may check what is stored")
        if name not in plan.changed:
            plan.changed.append(name)

    def _attribute(self, attribute: Node, *, is_class: bool) -> Read:
        facts = self._facts
        name = text_of(attribute.child_by_field_id(Field.ATTRIBUTE))
        if is_shown(attribute):
            raise NotLiftedError(f"shows how {name} is written")
        start, end = attribute.start_byte, attribute.end_byte
        if name == "__class__" and not is_class:
            return Read(start, end, "class", facts.site.name)
        if name in facts.barred:
            raise NotLiftedError(f"{name} {facts.barred[name]}")
        if facts.clash(name):
            raise NotLiftedError(f"{name} is an attribute of a base outside the package")
        if name in facts.fields:
            if is_class:
                raise NotLiftedError(f"reads the field {name} of the class")
            return Read(start, end, "field", name, node=attribute)
        if name in facts.constants:
            if is_written(attribute):
                raise NotLiftedError(f"changes {name} of its class")
            return Read(start, end, "constant", name)
        member = facts.members.get(name)
        if member is None:
            raise NotLiftedError(f"{name} is no known attribute of the class")
        if is_class and member.kind in ("method", "property", "cached"):
            raise NotLiftedError(f"takes {name} from the class")
        if member.kind == "cached":
            # What is kept is one object, however often it is read.
            raise NotLiftedError(f"{name} is computed once and kept")
        if member.kind == "property":
            if is_written(attribute):
                raise NotLiftedError(f"changes {name} of its object")
            return Read(start, end, "property", name, node=attribute)
        return self._called(attribute, name)

    def _called(self, attribute: Node, name: str) -> Read:
        call = attribute.parent
        arguments = call.child_by_field_id(Field.ARGUMENTS) if call is not None and call.kind_id in _CALL else None
        if call is None or arguments is None or call.child_by_field_id(Field.FUNCTION) != attribute:
            raise NotLiftedError(f"takes the method {name} as a value")
        if not text_of(arguments).startswith("("):
            raise NotLiftedError(f"calls {name} with a generator")
        given = any(child.type != "comment" for child in arguments.named_children)
        start, end = attribute.start_byte, attribute.end_byte
        return Read(start, end, "method", name, arguments.start_byte + 1, given, call)

    def _of_class(self, reference: Reference) -> Read | None:
        """A constant, a static method or a class method that is read off the class by its name."""
        node = self._node(reference)
        above = node.parent
        if above is None or above.kind_id not in _ATTRIBUTE or above.named_children[0] != node:
            return None
        name = text_of(above.child_by_field_id(Field.ATTRIBUTE))
        member = self._facts.members.get(name)
        known = name in self._facts.constants or (member is not None and member.kind in ("static", "classmethod"))
        return self._attribute(above, is_class=True) if known and name not in self._facts.barred else None

    # Text.

    def _written(self, name: str, plan: Plan) -> Lifted:
        graph, site = self._graph, plan.member.site
        function = self.named(name)
        inner = {bound for scope in graph.scopes[site.scopes.first : site.scopes.last] for bound in scope.bindings}
        free = {
            each.name
            for each in graph.references[site.references.first : site.references.last]
            if each.name != plan.receiver
        }
        self._may_be_called(function, inner)
        names = self._names(plan, inner, free)
        edits: list[tuple[int, int, str]] = []
        named = site.node.child_by_field_id(Field.NAME)
        assert named is not None
        edits.append((named.start_byte, named.end_byte, function))
        edits.append(self._header(plan, names))
        moved = next((word for word in _MOVED if word not in inner | free | self._made() | {*names.values()}), "")
        for read in plan.reads:
            edits.extend(self._edit(read, names, inner, moved, plan))
        if plan.changed:
            edits.extend(changing.edits(site.node, plan.changed, names))
        text = self._applied(site, edits)
        if _MANGLED.search(text):
            raise NotLiftedError("has names that are private to the class")
        return Lifted(site, function, text, tuple(plan.fields))

    def _may_be_called(self, name: str, inner: set[str]) -> None:
        if name in self._taken or name in inner or keyword.iskeyword(name) or hasattr(builtins, name):
            raise NotLiftedError(f"{name} is a name of the file already")

    def _names(self, plan: Plan, inner: set[str], free: set[str]) -> dict[str, str]:
        """The parameter of each field: its own name without underscores, told apart from other names."""
        names: dict[str, str] = {}
        made = self._made()
        for each in (*plan.fields, *(name for name in plan.changed if name not in plan.fields)):
            plain = each.strip("_")
            new = next(
                (
                    word
                    for word in (plain, f"own_{plain}")
                    if word.isidentifier()
                    and not keyword.iskeyword(word)
                    and word not in inner - {plan.receiver}
                    and word not in free
                    and word not in made
                    and word not in names.values()
                ),
                "",
            )
            if not new:
                raise NotLiftedError(f"{each} cannot be told apart from another name")
            names[each] = new
        return names

    def _made(self) -> set[str]:
        """What texts call and read in the place of methods and constants."""
        return {*self._named.values(), *map(self._constant, self._facts.constants)}

    def _header(self, plan: Plan, names: dict[str, str]) -> tuple[int, int, str]:
        """The object's parameter makes way for the fields."""
        header = plan.member.site.node.child_by_field_id(Field.PARAMETERS)
        assert header is not None
        told = ", ".join(self._parameter(each, names[each]) for each in plan.fields)
        if plan.first is None:
            if told:
                raise NotLiftedError("is static and reads fields")
            return header.start_byte, header.start_byte, ""
        others = [child for child in header.named_children if child.start_byte >= plan.first.end_byte]
        others = [child for child in others if child.type != "comment"]
        if not told and any(child.kind_id in _SLASH for child in others):
            raise NotLiftedError("takes nothing but its object by place")
        named = any(child.kind_id in _ANY_NAME for child in others)
        if told and named and not any(child.kind_id in _SLASH for child in others):
            # Callers may give any name, that of a field too.
            told += ", /"
        end = others[0].start_byte if others else header.end_byte - 1
        return plan.first.start_byte, end, told + (", " if told and others else "")

    def _parameter(self, name: str, new: str) -> str:
        annotation = self._facts.fields[name]
        return f"{new}: {annotation}" if annotation and self._is_known(annotation) else new

    def _is_known(self, annotation: str) -> bool:
        """Whether an annotation means in the module what it means in the class."""
        words = set(re.findall(r"[^\W\d]\w*", annotation))
        return not words & set(self._facts.site.body_scope.bindings) and "\n" not in annotation

    def _edit(
        self, read: Read, names: dict[str, str], inner: set[str], moved: str, plan: Plan
    ) -> Iterator[tuple[int, int, str]]:
        if read.use == "field":
            yield read.start, read.end, names[read.name]
        elif read.use == "constant":
            new = self._constant(read.name)
            self._may_be_called(new, inner)
            yield read.start, read.end, new
        elif read.use == "class":
            if read.name in inner:
                raise NotLiftedError(f"binds {read.name} anew")
            yield read.start, read.end, read.name
        else:
            function = self.named(read.name)
            self._may_be_called(function, inner)
            other = self._plans[read.name]
            told = ", ".join(names[each] for each in other.fields)
            before, behind = "", ""
            if other.changed and read.node is not None:
                if not moved:
                    raise NotLiftedError("has no name left for what a call gives")
                held = {each.strip("_"): names[each] for each in other.changed}
                node, margin = other.member.site.node, len(self._margin(plan.member.site))
                before, behind = taken_back(
                    read.node, held, moved, self._graph.source, margin, says=changing.says(node)
                )  # fmt: skip
            if read.use == "property":
                yield read.start, read.end, f"{before}{function}({told}){behind}"
                return
            yield read.start, read.end, before + function
            if told:
                yield read.arguments, read.arguments, told + (", " if read.given else "")
            if behind and read.node is not None:
                yield read.node.end_byte, read.node.end_byte, behind

    def _margin(self, site: Site) -> bytes:
        source, start = self._graph.source, site.node.start_byte
        return source[source.rfind(b"\n", 0, start) + 1 : start]

    def _applied(self, site: Site, edits: list[tuple[int, int, str]]) -> str:
        """The definition without decorators, edited, at the left margin; lines inside strings keep their text."""
        source, node = self._graph.source, site.node
        margin = self._margin(site)
        kept = string_lines(site, source)
        first = node.start_point[0]
        place = node.start_byte
        for row in range(first + 1, node.end_point[0] + 1):
            place = source.index(b"\n", place) + 1
            inside = any(start < place < end for start, end, _ in edits)
            if row not in kept and not inside and source.startswith(margin, place):
                edits.append((place, place + len(margin), ""))
        text, last = b"", node.start_byte
        for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
            if start < last:
                raise NotLiftedError("uses its object inside of such a use")
            text += source[last:start] + new.encode()
            last = end
        return (text + source[last : node.end_byte]).decode("utf-8", "replace")

    def _node(self, reference: Reference) -> Node:
        node = self._root.named_descendant_for_byte_range(reference.start, reference.start + 1)
        if node is None or node.kind_id not in _IDENTIFIER or text_of(node) != reference.name:
            raise NotLiftedError(f"{reference.name} is spelled otherwise")
        return node


def _told_apart(owner: str, methods: Iterable[str]) -> dict[str, str]:
    """Names of functions for the methods of a class: `total` and `_total` are two."""
    stem = _WORD_BORDER.sub("_", owner.strip("_")).lower()
    named: dict[str, str] = {}
    for method in methods:
        name = _WORD_BORDER.sub("_", method.removesuffix(SETTER).strip("_")).lower()
        name = f"set_{name}" if method.endswith(SETTER) else name
        while f"{stem}_{name}" in named.values():
            name = f"own_{name}"
        named[method] = f"{stem}_{name}"
    return named


def taken_names(graph: ScopeGraph) -> frozenset[str]:
    """Every name that a file binds or reads anywhere."""
    bound = {name for scope in graph.scopes for name in scope.bindings}
    return frozenset(bound | {each.name for each in graph.references})


def _is_type_of(arguments: Node) -> bool:
    """Whether arguments are those of `type(object)`."""
    call = arguments.parent
    function = call.child_by_field_id(Field.FUNCTION) if call is not None and call.kind_id in _CALL else None
    return function is not None and text_of(function) == "type" and arguments.named_child_count == 1


def is_written(attribute: Node) -> bool:
    """Whether an attribute of the object, or what it holds, is stored to, deleted or changed in place."""
    if written(attribute, reached=True):
        return True
    node, above = attribute, attribute.parent
    while above is not None and above.type in _INSIDE_TARGETS:
        if above.type in ("attribute", "subscript") and above.named_children[0] != node:
            return False
        node, above = above, above.parent
    if above is None:
        return False
    if above.type in ("for_statement", "for_in_clause"):
        return above.child_by_field_id(Field.LEFT) == node
    return above.type == "as_pattern" and node.type == "as_pattern_target"
