"""Definitions, comprehensions, type parameters and patterns of the walk that writes the scope graph."""

from __future__ import annotations

from bisect import bisect_left
from typing import Literal

from tree_sitter import Node, Tree

from ingester.domain.control_flow import is_irrefutable
from ingester.domain.grammar import KIND_COUNT, Field, kind_set
from ingester.domain.scope_walk import (
    BRANCH,
    DESCEND,
    FIRST,
    FIRST_HANDLER,
    LAST,
    NAME,
    SKIP,
    STATEMENT,
    STRING,
    Codes,
    Walk,
)
from ingester.domain.scopes import Definition, Reference, Role, Scope, ScopeGraph, Site, Span

_LEAVES = (
    "integer", "float", "true", "false", "none", "ellipsis", "comment", "line_continuation", "pass_statement",
    "break_statement", "continue_statement", "type_conversion", "string_start", "string_content", "string_end",
    "escape_sequence", "escape_interpolation", "keyword_separator", "positional_separator", "import_prefix",
)  # fmt: skip
_IDENTIFIER = kind_set("identifier")
_DOTTED_NAME = kind_set("dotted_name")
_DECORATOR = kind_set("decorator")
_CLAUSES = kind_set("for_in_clause", "if_clause")
_FOR_CLAUSE = kind_set("for_in_clause")
_NESTED_TARGETS = kind_set(
    "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "dictionary_splat_pattern", "tuple", "list",
    "list_splat", "parenthesized_expression", "expression_list", "as_pattern_target",
)  # fmt: skip
_DEFAULT_PARAMETERS = kind_set("default_parameter", "typed_default_parameter")
_TYPED_PARAMETERS = kind_set("typed_parameter")
_GENERIC_TYPE = kind_set("generic_type")
_CONSTRAINED_TYPE = kind_set("constrained_type")
_SPLAT_TYPE = kind_set("splat_type")
_TYPE = kind_set("type")
_CASE_PATTERN = kind_set("case_pattern")
_KEYWORD_PATTERN = kind_set("keyword_pattern")
_CLASS_PATTERN = kind_set("class_pattern")
_SPLAT_PATTERN = kind_set("splat_pattern")
_AS_PATTERN = kind_set("as_pattern")
_STRINGS = kind_set("string", "concatenated_string")


class _Builder(Walk):
    """Reads what opens scopes."""

    def decorated_definition(self, node: Node) -> None:
        """Decorators are evaluated outside, before the name is bound."""
        definition = node.child_by_field_id(Field.DEFINITION)
        if definition is None:
            return
        decorators = [child for child in node.named_children if child.kind_id in _DECORATOR]
        self._definition(definition, node, decorators)

    def definition(self, node: Node) -> None:
        """A function or class without decorators."""
        self._definition(node, node, [])

    def _definition(self, node: Node, outer: Node, decorators: list[Node]) -> None:
        name_node = node.child_by_field_id(Field.NAME)
        body = node.child_by_field_id(Field.BODY)
        if name_node is None or body is None:
            self._walk_all(node.named_children)
            return
        scope, site = self.scope, self.site
        name = self._text(name_node)
        is_class = node.child_by_field_id(Field.PARAMETERS) is None
        form = "class" if is_class else "method" if scope.kind == "class" else "nested" if site else "function"
        prefix = "" if site is None else site.qualname + ("." if site.form == "class" else ".<locals>.")
        starts = (
            len(self.references), len(self.scopes), len(self.imports), len(self.declarations), len(self.stars),
        )  # fmt: skip
        found = Site(len(self.sites), form, name, prefix + name, node, outer, scope, scope, body, site)
        found.is_async = node.children[0].type == "async"
        found.decorators = tuple(decorators)
        self.sites.append(found)
        for decorator in decorators:
            self._walk_as(decorator, Role.DECORATOR)
        parameters = node.child_by_field_id(Field.PARAMETERS)
        if parameters is not None:
            self._defaults(parameters)
        type_parameters = node.child_by_field_id(Field.TYPE_PARAMETERS)
        if type_parameters is not None:
            self.scope = self._open("type_parameters", name, scope, outer.start_byte, outer.end_byte)
            private, self.private = self.private, (_private_prefix(name) if is_class else self.private)
            self._type_parameters(type_parameters)
            self.private = private
        if is_class:
            bases = node.child_by_field_id(Field.SUPERCLASSES)
            self._walk_as(bases, Role.BASE)
        elif parameters is not None:
            self._annotations(parameters)
            self._walk_as(node.child_by_field_id(Field.RETURN_TYPE), self._annotation_role())
        if not is_class:
            self._bind_definition(name_node, "function", found, scope)
        body_scope = self._open("class" if is_class else "function", name, self.scope, outer.start_byte, outer.end_byte)
        found.body_scope = self.scope = body_scope
        private, role = self.private, self.role
        self.role, self.site = Role.BODY, found
        if is_class:
            self.private = _private_prefix(name)
        if parameters is not None:
            self._bind_parameters(parameters)
        self.walk(body)
        self.scope, self.site, self.private, self.role = scope, site, private, role
        if is_class:
            self._bind_definition(name_node, "class", found, scope)
        found.references = Span(starts[0], len(self.references))
        found.scopes = Span(starts[1], len(self.scopes))
        found.imports = Span(starts[2], len(self.imports))
        found.declarations = Span(starts[3], len(self.declarations))
        found.stars = Span(starts[4], len(self.stars))

    def _bind_definition(self, name: Node, kind: Literal["function", "class"], site: Site, scope: Scope) -> None:
        scope.bind(Definition(self._name(name), kind, name.start_byte, len(self.references), None, site.index))

    def _defaults(self, parameters: Node) -> None:
        for child in parameters.named_children:
            if child.kind_id in _DEFAULT_PARAMETERS:
                self._walk_as(child.child_by_field_id(Field.VALUE), Role.DEFAULT)

    def _annotations(self, parameters: Node) -> None:
        role = self._annotation_role()
        for child in parameters.named_children:
            annotation = child.child_by_field_id(Field.TYPE)
            if annotation is not None:
                self._walk_as(annotation, role)

    def _bind_parameters(self, parameters: Node) -> None:
        for child in parameters.named_children:
            kind = child.kind_id
            if kind in _IDENTIFIER:
                self._define(child, "parameter")
            elif kind in _DEFAULT_PARAMETERS:
                name = child.child_by_field_id(Field.NAME)
                if name is not None:
                    self._target(name, "parameter")
            elif kind in _TYPED_PARAMETERS:
                self._target(child.named_children[0], "parameter")
            elif kind in _NESTED_TARGETS:
                self._target(child, "parameter")

    def lambda_expression(self, node: Node) -> None:
        """Defaults are evaluated outside; the body is a scope of its own."""
        parameters = node.child_by_field_id(Field.PARAMETERS)
        body = node.child_by_field_id(Field.BODY)
        if parameters is not None:
            self._defaults(parameters)
        outer, role = self.scope, self.role
        self.scope = self._open("lambda", "lambda", outer, node.start_byte, node.end_byte)
        self.role = Role.BODY if role not in (Role.LAZY_ANNOTATION, Role.NEVER) else role
        if parameters is not None:
            self._bind_parameters(parameters)
        if body is not None:
            self.walk(body)
        self.scope, self.role = outer, role

    def comprehension(self, node: Node) -> None:
        """The first iterable is evaluated outside, all else in a scope of its own."""
        outer = self.scope
        clauses = [child for child in node.named_children if child.kind_id in _CLAUSES]
        first = clauses[0] if clauses else None
        if first is not None:
            self._iterables(first)
        name = node.type.partition("_")[0]
        self.scope = self._open("comprehension", name, outer, node.start_byte, node.end_byte)
        for clause in clauses:
            self.decisions.append(clause.start_byte)
            if clause.kind_id in _FOR_CLAUSE:
                left = clause.child_by_field_id(Field.LEFT)
                if left is not None:
                    self._target(left, "for")
        for child in node.named_children:
            if first is not None and child == first:
                continue
            if child.kind_id in _FOR_CLAUSE:
                self._iterables(child)
            else:
                self.walk(child)
        self.scope = outer

    def _iterables(self, clause: Node) -> None:
        for child in clause.children_by_field_id(Field.RIGHT):
            if child.is_named:
                self.walk(child)

    # Type parameters and aliases.

    def _type_parameters(self, node: Node) -> None:
        for child in node.named_children:
            self._type_parameter(child)

    def _type_parameter(self, node: Node) -> None:
        kind = node.kind_id
        if kind in _IDENTIFIER:
            self._define(node, "type_parameter")
        elif kind in _CONSTRAINED_TYPE:
            name, *bounds = node.named_children
            self._type_parameter(name)
            for bound in bounds:
                self._walk_as(bound, Role.NEVER)
        elif kind in _TYPE or kind in _SPLAT_TYPE:
            for child in node.named_children:
                self._type_parameter(child)

    def type_alias_statement(self, node: Node) -> None:
        """`type Name[T] = value`: the value is evaluated only when somebody asks for it."""
        left = node.child_by_field_id(Field.LEFT)
        right = node.child_by_field_id(Field.RIGHT)
        if left is None or right is None:
            return
        if self.source[node.start_byte + 4 : left.start_byte + 1].lstrip()[:1] == b"(":
            # The grammar takes `type(x).attribute = value` for an alias.
            self.references.append(Reference("type", node.start_byte, self.scope, self.role))
            self.walk(left)
            self.walk(right)
            return
        while left.kind_id in _TYPE and left.named_children:
            left = left.named_children[0]
        outer = self.scope
        parameters: list[Node] = []
        if left.kind_id in _GENERIC_TYPE:
            left, *parameters = left.named_children
        self._define(left, "type_alias")
        self.scope = self._open("type_parameters", self._text(left), outer, node.start_byte, node.end_byte)
        for parameter in parameters:
            self._type_parameters(parameter)
        self._walk_as(right, Role.NEVER)
        self.scope = outer

    # Pattern matching.

    def case_clause(self, node: Node) -> None:
        """Patterns bind; guard and body are read."""
        if not is_irrefutable(node):
            self.branches.append(node.start_byte)
        for child in node.named_children:
            if child.kind_id in _CASE_PATTERN:
                self._pattern(child)
            elif child.kind_id in _CLAUSES:
                self._walk_all(child.named_children)
            else:
                self.walk(child)

    def _pattern(self, node: Node) -> None:
        kind = node.kind_id
        if kind in _DOTTED_NAME:
            parts = node.named_children
            if len(parts) == 1:
                self._define(parts[0], "capture")
            else:
                self._refer(parts[0])
        elif kind in _CLASS_PATTERN:
            parts = node.named_children
            self._refer(parts[0].named_children[0])
            for child in parts[1:]:
                self._pattern(child)
        elif kind in _KEYWORD_PATTERN:
            for child in node.named_children[1:]:
                self._pattern(child)
        elif kind in _AS_PATTERN:
            *patterns, name = node.named_children
            for child in patterns:
                self._pattern(child)
            self._target(name, "capture")
        elif kind in _SPLAT_PATTERN:
            for child in node.named_children:
                self._target(child, "capture")
        elif kind in _STRINGS:
            self.walk(node)
        elif kind in _IDENTIFIER:
            self._define(node, "capture")
        elif kind not in _LEAF_IDS:
            for child in node.named_children:
                self._pattern(child)

    # Marks for what is not a scope's business.

    def return_statement(self, node: Node) -> None:
        """Remembered for the filters."""
        if self.site is not None:
            self.site.returns.append(node)
        self._walk_all(node.named_children)

    def yield_expression(self, node: Node) -> None:
        """Makes a generator of the function, unless a lambda takes it."""
        scope = self.scope
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        if self.site is not None and scope is self.site.body_scope:
            self.site.has_yield = True
        self._walk_all(node.named_children)

    def python2_statement(self, node: Node) -> None:
        """`print x` and `exec x`."""
        self.python2.append(node.start_byte)
        self._walk_all(node.named_children)


_HANDLERS = {
    "assignment": ("assignment",),
    "augmented_assignment": ("augmented_assignment",),
    "named_expression": ("named_expression",),
    "for_statement": ("for_statement",),
    "as_pattern": ("as_pattern",),
    "delete_statement": ("delete_statement",),
    "global_statement": ("global_statement",),
    "nonlocal_statement": ("nonlocal_statement",),
    "import_statement": ("import_statement",),
    "import_from_statement": ("import_from_statement",),
    "future_import_statement": ("future_import_statement",),
    "decorated_definition": ("decorated_definition",),
    "definition": ("function_definition", "class_definition"),
    "lambda_expression": ("lambda",),
    "comprehension": (
        "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression",
    ),
    "type_alias_statement": ("type_alias_statement",),
    "case_clause": ("case_clause",),
    "return_statement": ("return_statement",),
    "yield_expression": ("yield",),
    "python2_statement": ("print_statement", "exec_statement"),
}  # fmt: skip


def _private_prefix(class_name: str) -> str:
    """What the compiler puts before a private name (`__x`) inside a class."""
    stripped = class_name.lstrip("_")
    return f"_{stripped}" if stripped else ""


def _codes() -> Codes:
    codes = Codes.fromkeys(range(KIND_COUNT), DESCEND)
    plain = {
        SKIP: _LEAVES,
        NAME: ("identifier",),
        FIRST: ("attribute", "member_type"),
        LAST: ("keyword_argument",),
        STRING: ("string",),
        BRANCH: ("boolean_operator", "conditional_expression"),
        STATEMENT: ("if_statement", "elif_clause", "while_statement", "except_clause", "assert_statement"),
    }
    for code, names in plain.items():
        for kind in kind_set(*names):
            codes[kind] = code
    for position, names in enumerate(_HANDLERS.values()):
        for kind in kind_set(*names):
            codes[kind] = FIRST_HANDLER + position
    return Codes(codes)


_LEAF_IDS = kind_set(*_LEAVES)
Walk.codes = _codes()
Walk.handlers = [Walk.walk] * FIRST_HANDLER + [getattr(_Builder, name) for name in _HANDLERS]


def _count_branches(site: Site, branches: list[int]) -> None:
    """Count the branches of a body; those of definitions inside are theirs, and are taken off again."""
    body, outer = site.body, site.outer
    site.branches += bisect_left(branches, body.end_byte) - bisect_left(branches, body.start_byte)
    if site.parent is not None:
        # Parents come first, so theirs is counted already.
        site.parent.branches -= bisect_left(branches, outer.end_byte) - bisect_left(branches, outer.start_byte)


def build_scope_graph(tree: Tree, source: bytes) -> ScopeGraph:
    """Read a parsed file.

    Args:
        tree: the syntax tree of `source`.
        source: UTF-8 text.
    """
    builder = _Builder(source)
    builder.walk(tree.root_node)
    builder.decisions.sort()
    branches = sorted(builder.decisions + builder.branches)
    for site in builder.sites:
        _count_branches(site, branches)
    return ScopeGraph(
        source=source,
        scopes=builder.scopes,
        references=builder.references,
        sites=builder.sites,
        imports=builder.imports,
        declarations=builder.declarations,
        stars=builder.stars,
        decisions=builder.decisions,
        python2=builder.python2,
        lazy_annotations=builder.lazy_annotations,
    )
