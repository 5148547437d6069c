"""One walk over a syntax tree that writes the scope graph.

The walk is a table of small integers indexed by node kind, with an explicit stack: nothing per node but a few table
look-ups, and no recursion in deep expressions.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Literal, cast

from tree_sitter import Node, Tree

from ingester.domain.grammar import KIND_COUNT, Field, kind_set
from ingester.domain.scopes import (
    Declaration,
    Definition,
    DefinitionKind,
    ImportedName,
    Reference,
    Role,
    Scope,
    ScopeGraph,
    ScopeKind,
    Site,
    Span,
    StarImport,
)

_SKIP, _DESCEND, _NAME, _FIRST, _LAST, _STRING, _BRANCH = range(7)
_FIRST_HANDLER = _BRANCH + 1

_LEAVES = (
    "integer", "float", "true", "false", "none", "ellipsis", "comment", "line_continuation", "pass_statement",
    "break_statement", "continue_statement", "type_conversion", "string_start", "string_content", "string_end",
    "escape_sequence", "escape_interpolation", "keyword_separator", "positional_separator", "import_prefix",
)  # fmt: skip

_ASSIGNMENT = kind_set("assignment")
_INTERPOLATION = kind_set("interpolation")
_IDENTIFIER = kind_set("identifier")
_DOTTED_NAME = kind_set("dotted_name")
_ALIASED_IMPORT = kind_set("aliased_import")
_RELATIVE_IMPORT = kind_set("relative_import")
_WILDCARD = kind_set("wildcard_import")
_DECORATOR = kind_set("decorator")
_COMMENT = kind_set("comment", "line_continuation")
_CLAUSES = kind_set("for_in_clause", "if_clause")
_FOR_CLAUSE = kind_set("for_in_clause")
_NESTED_TARGETS = kind_set(
    "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "dictionary_splat_pattern", "tuple", "list",
    "list_splat", "parenthesized_expression", "expression_list", "as_pattern_target",
)  # fmt: skip
_SPLAT_PARAMETERS = kind_set("list_splat_pattern", "dictionary_splat_pattern")
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
_DICT_PATTERN = kind_set("dict_pattern")
_STRINGS = kind_set("string", "concatenated_string")


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


class _Builder:
    """The state of one walk."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.scopes: list[Scope] = []
        self.references: list[Reference] = []
        self.sites: list[Site] = []
        self.imports: list[tuple[Definition, Scope]] = []
        self.declarations: list[Declaration] = []
        self.stars: list[StarImport] = []
        self.decisions: list[int] = []
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
        codes, handlers, source, names = _CODES, _METHODS, self.source, self.names
        scope, role, private = self.scope, self.role, self.private
        refer = self.references.append
        # What Reference(...) does, without the call in between: this is the innermost loop of the service.
        make = _new_reference
        stack = [top]
        pop, push = stack.pop, stack.extend
        while stack:
            node = pop()
            code = codes[node.kind_id]
            if code == _NAME:
                start = node.start_byte
                name = names[source[start : node.end_byte]]
                if private and name[:2] == "__" and name[-2:] != "__":
                    name = private + name
                refer(make(Reference, (name, start, scope, role)))
            elif code == _DESCEND:
                for child in reversed(node.named_children):
                    code = codes[child.kind_id]
                    if code == _NAME:
                        start = child.start_byte
                        name = names[source[start : child.end_byte]]
                        if private and name[:2] == "__" and name[-2:] != "__":
                            name = private + name
                        refer(make(Reference, (name, start, scope, role)))
                    elif code:
                        stack.append(child)
            elif code == _FIRST:
                push(node.named_children[:1])
            elif code == _LAST:
                push(node.named_children[-1:])
            elif code == _STRING:
                push([child for child in node.named_children if child.kind_id in _INTERPOLATION])
            elif code == _BRANCH:
                self.decisions.append(node.start_byte)
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
        (scope or self.scope).bind(Definition(name, kind, start))

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
        parts = node.named_children
        while len(parts) == 2 and parts[1].kind_id in _ASSIGNMENT:
            # A chain `a = b = value` may be long: a loop, no recursion.
            self._target(parts[0], "assignment")
            node = parts[1]
            parts = node.named_children
        if len(parts) == 2 and parts[1].kind_id not in _TYPE:
            self.walk(parts[1])
            self._target(parts[0], "assignment")
            return
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
            self.walk(left)
        in_function = self.scope.kind not in ("module", "class")
        self._walk_as(annotation, Role.NEVER if in_function else self._annotation_role())

    def augmented_assignment(self, node: Node) -> None:
        """`target += value` reads and binds."""
        left = node.child_by_field_id(Field.LEFT)
        right = node.child_by_field_id(Field.RIGHT)
        if left is not None:
            if left.kind_id in _IDENTIFIER:
                self._define(left, "augmented")
            self.walk(left)
        if right is not None:
            self.walk(right)

    def named_expression(self, node: Node) -> None:
        """`name := value` binds in the nearest scope that is no comprehension."""
        name = node.child_by_field_id(Field.NAME)
        value = node.child_by_field_id(Field.VALUE)
        if name is not None:
            scope = self.scope
            while scope.kind == "comprehension" and scope.parent is not None:
                scope = scope.parent
            self._define(name, "walrus", scope)
        if value is not None:
            self.walk(value)

    def for_statement(self, node: Node) -> None:
        """The target is bound; the rest is read."""
        left = node.child_by_field_id(Field.LEFT)
        for child in node.named_children:
            if left is not None and child == left:
                self._target(child, "for")
            else:
                self.walk(child)

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
        definition = Definition(name, "import", node.start_byte, imported)
        self.scope.bind(definition)
        self.imports.append((definition, self.scope))

    # Functions, classes, lambdas, comprehensions.

    def _annotation_role(self) -> int:
        return Role.LAZY_ANNOTATION if self.lazy_annotations else Role.ANNOTATION

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
        scope.bind(
            Definition(
                self._name(name_node), "class" if is_class else "function", name_node.start_byte, None, found.index
            )
        )
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
        found.references = Span(starts[0], len(self.references))
        found.scopes = Span(starts[1], len(self.scopes))
        found.imports = Span(starts[2], len(self.imports))
        found.declarations = Span(starts[3], len(self.declarations))
        found.stars = Span(starts[4], len(self.stars))

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


class _Codes(dict[int, int]):
    """What to do with a node of a kind; a kind that the table lacks (an error node has one) is descended into."""

    def __missing__(self, kind: int) -> int:
        return _DESCEND


def _codes() -> _Codes:
    codes = _Codes.fromkeys(range(KIND_COUNT), _DESCEND)
    plain = {
        _SKIP: _LEAVES,
        _NAME: ("identifier",),
        _FIRST: ("attribute", "member_type"),
        _LAST: ("keyword_argument",),
        _STRING: ("string",),
        _BRANCH: ("boolean_operator", "conditional_expression"),
    }
    for code, names in plain.items():
        for kind in kind_set(*names):
            codes[kind] = code
    for position, names in enumerate(_HANDLERS.values()):
        for kind in kind_set(*names):
            codes[kind] = _FIRST_HANDLER + position
    return _Codes(codes)


_LEAF_IDS = kind_set(*_LEAVES)
_CODES = _codes()
# Plain functions, not bound methods: a builder that held these would be a cycle, and wait for the collector.
_METHODS: list[Callable[[_Builder, Node], None]] = [_Builder.walk] * _FIRST_HANDLER
_METHODS.extend(getattr(_Builder, name) for name in _HANDLERS)


def build_scope_graph(tree: Tree, source: bytes) -> ScopeGraph:
    """Read a parsed file.

    Args:
        tree: the syntax tree of `source`.
        source: UTF-8 text.
    """
    builder = _Builder(source)
    builder.walk(tree.root_node)
    builder.decisions.sort()
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
