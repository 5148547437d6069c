"""The walk over a syntax tree that writes the scope graph: the loop, and the statements that bind names.

The walk is a table of small integers indexed by node kind, with an explicit stack: nothing per node but a few table
look-ups, and no recursion in deep expressions.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any, ClassVar, Literal, cast

from tree_sitter import Node

from ingester.domain.grammar import Field, kind_set
from ingester.domain.scopes import (
    Declaration,
    Definition,
    DefinitionKind,
    ImportedName,
    Reference,
    Role,
    Scope,
    ScopeKind,
    Site,
    StarImport,
)

# What the loop does with a node; from FIRST_HANDLER on, the position of a handler.
SKIP, DESCEND, NAME, FIRST, LAST, STRING, BRANCH, STATEMENT = range(8)
FIRST_HANDLER = STATEMENT + 1
_QUOTES = b"\"'"

_ASSIGNMENT = kind_set("assignment")
_INTERPOLATION = kind_set("interpolation")
_IDENTIFIER = kind_set("identifier")
_DOTTED_NAME = kind_set("dotted_name")
_ALIASED_IMPORT = kind_set("aliased_import")
_RELATIVE_IMPORT = kind_set("relative_import")
_WILDCARD = kind_set("wildcard_import")
_COMMENT = kind_set("comment", "line_continuation")
_NESTED_TARGETS = kind_set(
    "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "dictionary_splat_pattern", "tuple", "list",
    "list_splat", "parenthesized_expression", "expression_list", "as_pattern_target",
)  # fmt: skip
_TYPE = kind_set("type")


_new_reference = cast(
    "Callable[[type[Reference], tuple[str, int, Scope, int]], Reference]",
    tuple.__new__,  # pyright: ignore[reportUnknownMemberType]
)


class _Names(dict[bytes, str]):
    """Identifiers as the language compares them (NFKC), decoded once per file."""

    def __missing__(self, text: bytes) -> str:
        name = text.decode("utf-8", "replace")
        self[text] = name = name if name.isascii() else unicodedata.normalize("NFKC", name)
        return name


class Codes(dict[int, int]):
    """What to do with a node of a kind; a kind that the table lacks (an error node has one) is descended into."""

    def __missing__(self, kind: int) -> int:
        return DESCEND


class Walk:
    """The state of one walk, and the statements that bind names; definitions come in the subclass."""

    codes: ClassVar[Codes] = Codes()
    # Plain functions, not bound methods: a walk that held these would be a cycle, and wait for the collector.
    handlers: ClassVar[list[Callable[[Any, Node], None]]] = []

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.scopes: list[Scope] = []
        self.references: list[Reference] = []
        self.sites: list[Site] = []
        self.imports: list[tuple[Definition, Scope]] = []
        self.declarations: list[Declaration] = []
        self.stars: list[StarImport] = []
        self.decisions: list[int] = []
        self.branches: list[int] = []
        self.python2: list[int] = []
        self.lazy_annotations = False
        self.role = Role.BODY
        self.site: Site | None = None
        self.private = ""
        self.scope = self._open("module", "", None, 0, len(source))
        self.names = _Names()

    # The walk.

    def walk(self, top: Node) -> None:
        """Read a subtree in the scope and role that are current."""
        codes, handlers, source, names = self.codes, self.handlers, self.source, self.names
        scope, role, private = self.scope, self.role, self.private
        refer = self.references.append
        # What Reference(...) does, without the call in between: this is the innermost loop of the service.
        make = _new_reference
        stack = [top]
        pop, push = stack.pop, stack.extend
        while stack:
            node = pop()
            code = codes[node.kind_id]
            if code == DESCEND:
                for child in reversed(node.named_children):
                    code = codes[child.kind_id]
                    while code == FIRST:
                        child = child.named_children[0]
                        code = codes[child.kind_id]
                    if code == NAME:
                        start = child.start_byte
                        name = names[source[start : child.end_byte]]
                        if private and name[:2] == "__" and name[-2:] != "__":
                            name = private + name
                        refer(make(Reference, (name, start, scope, role)))
                    elif code == STRING:
                        # Only a string with a prefix can hold expressions.
                        if source[child.start_byte] not in _QUOTES:
                            stack.append(child)
                    elif code:
                        stack.append(child)
            elif code == NAME:
                start = node.start_byte
                name = names[source[start : node.end_byte]]
                if private and name[:2] == "__" and name[-2:] != "__":
                    name = private + name
                refer(make(Reference, (name, start, scope, role)))
            elif code == FIRST:
                push(node.named_children[:1])
            elif code == LAST:
                push(node.named_children[-1:])
            elif code == STRING:
                push([child for child in node.named_children if child.kind_id in _INTERPOLATION])
            elif code == BRANCH:
                self.decisions.append(node.start_byte)
                push(node.named_children[::-1])
            elif code == STATEMENT:
                self.branches.append(node.start_byte)
                push(node.named_children[::-1])
            elif code:
                handlers[code](self, node)

    def _walk_as(self, node: Node | None, role: int) -> None:
        if node is None:
            return
        outer, self.role = self.role, role
        self.walk(node)
        self.role = outer

    def _walk_all(self, nodes: list[Node]) -> None:
        for node in nodes:
            self.walk(node)

    def _annotation_role(self) -> int:
        return Role.LAZY_ANNOTATION if self.lazy_annotations else Role.ANNOTATION

    # Names and scopes.

    def _text(self, node: Node) -> str:
        return self.names[self.source[node.start_byte : node.end_byte]]

    def _name(self, node: Node) -> str:
        name = self.names[self.source[node.start_byte : node.end_byte]]
        if self.private and name[:2] == "__" and name[-2:] != "__":
            return self.private + name
        return name

    def _open(self, kind: ScopeKind, name: str, parent: Scope | None, start: int, end: int) -> Scope:
        scope = Scope(len(self.scopes), kind, name, parent, start, end)
        self.scopes.append(scope)
        return scope

    def _define(self, node: Node, kind: DefinitionKind, scope: Scope | None = None) -> None:
        start = node.start_byte
        name = self.names[self.source[start : node.end_byte]]
        if self.private and name[:2] == "__" and name[-2:] != "__":
            name = self.private + name
        (scope or self.scope).bind(Definition(name, kind, start, len(self.references)))

    def _refer(self, node: Node) -> None:
        self.references.append(Reference(self._name(node), node.start_byte, self.scope, self.role))

    def _target(self, node: Node, kind: DefinitionKind) -> None:
        """Bind the names of an assignment target; an attribute or an index is an expression like any other."""
        kind_id = node.kind_id
        if kind_id in _IDENTIFIER:
            self._define(node, kind)
            if kind == "delete":
                self._refer(node)
        elif kind_id in _NESTED_TARGETS:
            for child in node.named_children:
                self._target(child, kind)
        else:
            self.walk(node)

    # Statements that bind.

    def assignment(self, node: Node) -> None:
        """`target: annotation = value`, each part optional but the target."""
        parts, targets = node.named_children, list[Node]()
        while len(parts) == 2 and parts[1].kind_id in _ASSIGNMENT:
            # A chain `a = b = value` may be long: a loop, no recursion.
            targets.append(parts[0])
            node = parts[1]
            parts = node.named_children
        if len(parts) == 2 and parts[1].kind_id not in _TYPE:
            self.walk(parts[1])
            for target in (*targets, parts[0]):
                self._target(target, "assignment")
            return
        for target in targets:
            self._target(target, "assignment")
        left = node.child_by_field_id(Field.LEFT)
        right = node.child_by_field_id(Field.RIGHT)
        annotation = node.child_by_field_id(Field.TYPE)
        if right is not None:
            self.walk(right)
        if left is None:
            return
        if annotation is None:
            self._target(left, "assignment")
            return
        if left.kind_id in _IDENTIFIER:
            self._define(left, "assignment" if right is not None else "annotation")
        elif right is not None or left.kind_id not in _NESTED_TARGETS:
            self._target(left, "assignment")
        else:
            # `(name): annotation` alone neither binds nor reads the name.
            self._walk_all([child for child in left.named_children if child.kind_id not in _IDENTIFIER])
        in_function = self.scope.kind not in ("module", "class")
        self._walk_as(annotation, Role.NEVER if in_function else self._annotation_role())

    def augmented_assignment(self, node: Node) -> None:
        """`target += value` reads and binds."""
        left = node.child_by_field_id(Field.LEFT)
        right = node.child_by_field_id(Field.RIGHT)
        if left is None or right is None:
            return
        self.walk(left)
        self.walk(right)
        if left.kind_id in _IDENTIFIER:
            self._define(left, "augmented")

    def named_expression(self, node: Node) -> None:
        """`name := value` binds in the nearest scope that is no comprehension."""
        name = node.child_by_field_id(Field.NAME)
        value = node.child_by_field_id(Field.VALUE)
        if value is not None:
            self.walk(value)
        if name is not None:
            scope = self.scope
            while scope.kind == "comprehension" and scope.parent is not None:
                scope = scope.parent
            self._define(name, "walrus", scope)

    def for_statement(self, node: Node) -> None:
        """The target is bound; the rest is read."""
        self.branches.append(node.start_byte)
        left, right, *rest = [child for child in node.named_children if child.kind_id not in _COMMENT]
        self.walk(right)
        self._target(left, "for")
        self._walk_all(rest)

    def as_pattern(self, node: Node) -> None:
        """`expression as target` of `with` and `except`."""
        first, *rest = [child for child in node.named_children if child.kind_id not in _COMMENT]
        self.walk(first)
        for child in rest:
            self._target(child, "as")

    def delete_statement(self, node: Node) -> None:
        """`del name` makes the name local, as every binding does."""
        for child in node.named_children:
            self._target(child, "delete")

    def global_statement(self, node: Node) -> None:
        """Names that live in the module."""
        self._declare(node, "global")

    def nonlocal_statement(self, node: Node) -> None:
        """Names that live in an enclosing function."""
        self._declare(node, "nonlocal")

    def _declare(self, node: Node, kind: Literal["global", "nonlocal"]) -> None:
        names = self.scope.global_names if kind == "global" else self.scope.nonlocal_names
        for child in node.named_children:
            if child.kind_id in _IDENTIFIER:
                name = self._name(child)
                names.add(name)
                self.declarations.append(Declaration(kind, name, child.start_byte, self.scope))

    # Imports.

    def import_statement(self, node: Node) -> None:
        """`import a.b, c as d`."""
        for child in node.named_children:
            if child.kind_id in _DOTTED_NAME:
                module = self._dotted(child)
                first = module.partition(".")[0]
                self._import(first, child, ImportedName(module, "", "", 0))
            elif child.kind_id in _ALIASED_IMPORT:
                self._import_alias(child, "", 0)

    def import_from_statement(self, node: Node) -> None:
        """`from module import a, b as c` and `from module import *`."""
        children = [child for child in node.named_children if child.kind_id not in _COMMENT]
        module, level = self._module(children[0])
        for child in children[1:]:
            if child.kind_id in _WILDCARD:
                self.stars.append(StarImport(module, level, node.start_byte, self.scope))
            elif child.kind_id in _ALIASED_IMPORT:
                self._import_alias(child, module, level)
            else:
                name = self._dotted(child)
                self._import(name, child, ImportedName(module, name, "", level))

    def future_import_statement(self, node: Node) -> None:
        """`from __future__ import annotations` keeps annotations from being evaluated."""
        for child in node.named_children:
            if child.kind_id in _ALIASED_IMPORT:
                name = child.child_by_field_id(Field.NAME)
                self.lazy_annotations |= name is not None and self._dotted(name) == "annotations"
                self._import_alias(child, "__future__", 0)
            elif child.kind_id in _DOTTED_NAME:
                name = self._dotted(child)
                self.lazy_annotations |= name == "annotations"
                self._import(name, child, ImportedName("__future__", name, "", 0))

    def _module(self, node: Node) -> tuple[str, int]:
        if node.kind_id not in _RELATIVE_IMPORT:
            return self._dotted(node), 0
        level, module = 0, ""
        for child in node.named_children:
            if child.kind_id in _DOTTED_NAME:
                module = self._dotted(child)
            else:
                level += self._text(child).count(".")
        return module, level

    def _dotted(self, node: Node) -> str:
        return ".".join(self._text(child) for child in node.named_children if child.kind_id in _IDENTIFIER)

    def _import_alias(self, node: Node, module: str, level: int) -> None:
        name = node.child_by_field_id(Field.NAME)
        alias = node.child_by_field_id(Field.ALIAS)
        if name is None or alias is None:
            return
        origin, bound = self._dotted(name), self._text(alias)
        plain = module or level
        self._import(
            bound, node, ImportedName(module, origin, bound, level) if plain else ImportedName(origin, "", bound, 0)
        )

    def _import(self, name: str, node: Node, imported: ImportedName) -> None:
        if self.private and name[:2] == "__" and name[-2:] != "__":
            name = self.private + name
        definition = Definition(name, "import", node.start_byte, len(self.references), imported)
        self.scope.bind(definition)
        self.imports.append((definition, self.scope))
