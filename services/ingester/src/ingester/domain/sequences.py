"""Classes whose state is driven by calls, as functions of a list of operations.

`class Stack` with `push` and `pop` becomes the class beside `def stack_operations(operations): …`, a driver that makes
one object, calls the named methods in order and gives what each returned. The class is the file's own text; methods
that no operation comes to are left out where nobody else can call them: where the object never goes anywhere as a
whole, only its own methods see it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from ingester.domain.classes import ClassFacts, ClassReader, Member
from ingester.domain.effects import MUTABLE_DEFAULT
from ingester.domain.extraction import ParameterText, read_decorators, read_parameters, read_returns
from ingester.domain.grammar import Field, kind_set, text_of
from ingester.domain.lifting import is_written, taken_names
from ingester.domain.packages import Package
from ingester.domain.scopes import Reference, Role, ScopeGraph, Site
from ingester.domain.standard_names import MUTATORS

_ATTRIBUTE = kind_set("attribute")
_WORD_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Stands for each line of a method that is left out, so that all others keep their number.
_LEFT_OUT = b"#left-out-by-touchstone"
_GAPS = re.compile(rf"(?:\n[ \t]*)*(?:\n{_LEFT_OUT.decode()})+")
# Methods that the language calls, and what an operation of them is called.
_NAMED = {
    "__len__": "len", "__contains__": "contains", "__getitem__": "getitem", "__setitem__": "setitem",
    "__delitem__": "delitem", "__call__": "call",
}  # fmt: skip
# Methods that the language calls without the object going anywhere as a whole.
_HOOKS = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__del__"})
# What makes functions of an object from names that are written as texts.
_BY_NAME = frozenset({"attrgetter", "methodcaller", "operator"})
_PLAIN_BASES = frozenset({"object", "ABC", "Generic", "Protocol"})
_MOST_OPERATIONS = 16
# Names in annotations that begin with a capital and may still be data.
_DATA = frozenset({
    "Any", "AnyStr", "Collection", "Counter", "Decimal", "DefaultDict", "Deque", "Dict", "Final", "Fraction",
    "FrozenSet", "Hashable", "Iterable", "KeysView", "List", "Literal", "Mapping", "MutableMapping", "MutableSequence",
    "MutableSet", "None", "Number", "Optional", "OrderedDict", "Path", "Sequence", "Set", "Text", "Tuple", "Union",
})  # fmt: skip
# What the driver needs of the standard library: a result is what the operation gave, whatever is changed later.
COPYING = "from copy import deepcopy"
# Behind the name of a value: it, or what it holds, is stored to or changed in place.
_CHANGED = rf"\s*(?:\[[^\]]*\]\s*)*(?:(?:[-+*/|&^%@]|//|\*\*|<<|>>)?=(?!=)|\.(?:{'|'.join(sorted(MUTATORS))})\()"
_CALL = "methods[name](*given)"


class Operation(NamedTuple):
    """A method or property that is called by name."""

    name: str
    member: Member


class Driven(NamedTuple):
    """A class with its driver behind the file's text.

    Attributes:
        site: The class.
        name: The driver.
        source: The file's text, methods that nobody calls left out, and the driver behind it.
        start: Where the driver begins in it, in bytes.
    """

    site: Site
    name: str
    source: bytes
    start: int


class NotDrivenError(Exception):
    """The class is no sequence of operations; the message says why."""


def drive(graph: ScopeGraph, root: Node, path: str, package: Package | None) -> Iterator[Driven | tuple[Site, str]]:
    """Drivers for the classes of a file, in the order of the text; for others why there is none.

    Args:
        graph: The file.
        root: Its syntax tree.
        path: Where it lies in its source.
        package: The other files of the source, where they are known.
    """
    classes = [site for site in graph.sites if site.form == "class" and site.parent is None]
    if not classes:
        return
    reader = ClassReader(graph, root, path, package)
    taken = taken_names(graph)
    for site in classes:
        try:
            yield _Driver(graph, root, reader.read(site), taken).driven()
        except NotDrivenError as error:
            yield site, str(error)


def finished(code: str, driven: Driven) -> str:
    """The text of a slice around a driver: what was left out is gone, and results are copied.

    Raises:
        NotDrivenError: what the class needs names the class, so that others might call what was left out, or the rest
            is no program.
    """
    name, whole = driven.name, _LEFT_OUT.decode() not in code
    code = _GAPS.sub("", code)
    head, _, body = code.rpartition(f"def {name}(")
    if not whole:
        try:
            tree = ast.parse(head)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise NotDrivenError("cannot do without the methods that nobody calls") from error
        if any(isinstance(node, ast.Name) and node.id == driven.site.name for node in ast.walk(tree)):
            raise NotDrivenError("is named by what it needs")
    return f"{head}def {name}({body.replace(_CALL, f'deepcopy({_CALL})')}"


def rows_left_out(code: str, whole: str, name: str) -> set[int]:
    """Rows of a class's text, from 0, of the methods that its sequence does without.

    Args:
        code: The sequence.
        whole: The class as its file has it.
        name: What the class is called.
    """
    try:
        kept = {each.name for each in _methods(code, name)}
        gone = [each for each in _methods(whole, name) if each.name not in kept]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    starts = [min([each.lineno, *(above.lineno for above in each.decorator_list)]) for each in gone]
    return {
        row - 1 for start, each in zip(starts, gone, strict=True) for row in range(start, (each.end_lineno or 0) + 1)
    }


def _methods(code: str, name: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    classes = [node for node in ast.parse(code).body if isinstance(node, ast.ClassDef) and node.name == name]
    return [each for node in classes for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]


class _Driver:
    """Writes the driver of one class."""

    def __init__(self, graph: ScopeGraph, root: Node, facts: ClassFacts, taken: frozenset[str]) -> None:
        self._graph = graph
        self._root = root
        self._facts = facts
        self._taken = taken
        self._whole = False
        self._chained = set[str]()

    def driven(self) -> Driven:
        """The driver.

        Raises:
            NotDrivenError: the class is no sequence of operations.
        """
        facts, site = self._facts, self._facts.site
        if facts.problem:
            raise NotDrivenError(facts.problem)
        if read_decorators(site, self._graph.source):
            raise NotDrivenError("is decorated")
        if others := [each.__name__ for each in facts.outside if each.__name__ not in _PLAIN_BASES]:
            raise NotDrivenError(f"inherits from {others[0]}")
        if "__new__" in site.body_scope.bindings or "__init__" in facts.barred:
            raise NotDrivenError("is made in another way than by a plain __init__")
        operations = [each for name, member in facts.members.items() if (each := self._operation(name, member))]
        if len(operations) < 2 or len(operations) > _MOST_OPERATIONS:
            raise NotDrivenError(f"has {len(operations)} operations, not 2 to {_MOST_OPERATIONS}")
        if not any(each.member.kind == "property" or self._gives(each.member.site) for each in operations):
            raise NotDrivenError("has no operation that gives a value")
        kept = self._kept(operations)
        if not any(self._changes(facts.members[name]) for name in kept if name != "__init__" and name in facts.members):
            raise NotDrivenError("has no operation that changes the object")
        self._keeps_nothing(kept)
        name = f"{_WORD_BORDER.sub('_', site.name.strip('_')).lower()}_operations"
        if name in self._taken or "deepcopy" in self._taken:
            raise NotDrivenError(f"has a file in which {name} or deepcopy is a name already")
        source = self._without(kept) + b"\n\n\n"
        return Driven(site, name, source + self._text(name, operations).encode(), len(source))

    def _operation(self, name: str, member: Member) -> Operation | None:
        """A method or property that callers can use with data by place; none for another one."""
        site = member.site
        called = _NAMED.get(name, name)
        if called.startswith("_") or (called != name and called in self._facts.members):
            return None
        if member.kind not in ("method", "property") or site.is_async or site.has_yield:
            return None
        given = read_parameters(site, self._graph.source)
        if not given or given[0].kind not in ("positional", "positional_only"):
            return None
        for each in given[1:]:
            if each.kind == "var_positional" or (each.kind == "keyword_only" and each.default is None):
                return None
            if each.default is None and not _is_data(each.annotation):
                return None
        if self._gives_itself(site):
            taken = member.kind == "method"
        else:
            taken = _is_data(read_returns(site, self._graph.source))
        return Operation(called, member) if taken else None

    def _receiver(self, method: Site) -> str:
        """What a method calls its object; empty where it takes none."""
        return next((each.name for each in read_parameters(method, self._graph.source)), "")

    def _gives(self, site: Site) -> bool:
        return any(node.named_child_count for node in site.returns) and not self._gives_itself(site)

    def _gives_itself(self, site: Site) -> bool:
        """Whether a method gives its object each time, so that calls can be chained: it tells nothing."""
        given = [text_of(node.named_children[0]) for node in site.returns if node.named_child_count]
        return bool(given) and set(given) == {self._receiver(site)}

    # What is used.

    def _kept(self, operations: Sequence[Operation]) -> set[str]:
        """Names of the functions of the class that something may call."""
        facts, own = self._facts, self._facts.site
        functions = [each for each in self._graph.sites if each.parent is own and each.form != "class"]
        roots = {each.member.site.name for each in operations} | {"__init__"} | _HOOKS & {e.name for e in functions}
        roots |= {name for name, member in facts.members.items() if member.site.parent is not own}
        inside = {place for each in functions for place in range(each.references.first, each.references.last)}
        for place in range(own.references.first, own.references.last):
            reference = self._graph.references[place]
            if place in inside:
                continue
            if reference.scope is own.body_scope:
                # `__str__ = __repr__`.
                roots.add(reference.name)
            self._whole |= self._may_call(reference)
        # `push = lambda self, x: self._push(x)`.
        spans = [each.outer for each in functions]
        self._whole |= any(
            scope.kind == "lambda" and not any(e.start_byte <= scope.start < e.end_byte for e in spans)
            for scope in self._graph.scopes[own.scopes.first : own.scopes.last]
        )
        waiting, kept, named = sorted(roots), set[str](), set[str]()
        while waiting:
            name = waiting.pop()
            if name in kept:
                continue
            kept.add(name)
            # A property has a function for each of reading, setting and deleting.
            for site in (each for each in functions if each.name == name):
                used = set(self._used(site))
                named |= used
                waiting += sorted(used - kept)
        inner = any(each.parent is own and each.form == "class" for each in self._graph.sites)
        # A base may call anything by `super()`, a class inside what it is handed.
        # What gives its object to a method of the class, and not to the driver alone, lets it go.
        everything = self._whole or not self._chained.isdisjoint(named) or inner or len(facts.lineage) > 1
        return kept | {each.name for each in functions} if everything else kept

    def _may_call(self, reference: Reference) -> bool:
        """Whether a name in the body of a class may lead to a function that calls methods of its objects."""
        if reference.role in (Role.ANNOTATION, Role.LAZY_ANNOTATION, Role.NEVER, Role.BASE, Role.DECORATOR):
            return False
        if self._graph.found(reference) is not self._graph.module:
            return False
        for each in self._graph.module.bindings[reference.name]:
            made_here = each.site >= 0 and self._graph.sites[each.site].form != "class"
            imported = each.imported
            foreign = imported is not None and imported.module.partition(".")[0] not in sys.stdlib_module_names
            if made_here or foreign or reference.name in _BY_NAME:
                return True
        return False

    def _used(self, method: Site) -> Iterator[str]:
        """Attributes of its object, or of its class, that a method names."""
        receiver = self._receiver(method)
        kinds = read_decorators(method, self._graph.source)
        span = method.references
        for reference in self._graph.references[span.first : span.last]:
            found = self._graph.found(reference)
            mine = reference.name == receiver and found is method.body_scope and "staticmethod" not in kinds
            if reference.name in (self._facts.site.name, "__class__") and found in (self._graph.module, None):
                self._whole = True
            elif reference.scope is self._facts.site.body_scope:
                # A default, or a decorator such as `size.setter`.
                yield reference.name
            elif mine:
                attribute = self._attribute(reference)
                if attribute is None and self._gives_itself(method) and self._is_returned(reference):
                    self._chained.add(method.name)
                    continue
                name = text_of(attribute.child_by_field_id(Field.ATTRIBUTE)) if attribute is not None else ""
                if not name or (name.startswith("__") and name.endswith("__")):
                    self._whole = True
                else:
                    yield name

    def _attribute(self, reference: Reference) -> Node | None:
        node = self._node(reference)
        above = node.parent if node is not None else None
        return above if above is not None and above.kind_id in _ATTRIBUTE and above.named_children[0] == node else None

    def _is_returned(self, reference: Reference) -> bool:
        node = self._node(reference)
        return node is not None and node.parent is not None and node.parent.type == "return_statement"

    def _node(self, reference: Reference) -> Node | None:
        return self._root.named_descendant_for_byte_range(reference.start, reference.start + 1)

    def _changes(self, member: Member) -> bool:
        """Whether a method stores to its object, or changes in place what that holds."""
        site, receiver = member.site, self._receiver(member.site)
        span = site.references
        for reference in self._graph.references[span.first : span.last]:
            if reference.name == receiver and reference.scope.lookup(receiver) is site.body_scope:
                attribute = self._attribute(reference)
                if attribute is not None and is_written(attribute):
                    return True
        return False

    def _keeps_nothing(self, kept: set[str]) -> None:
        """Refuse what one call would leave to the next: values of the class, or defaults, that may be changed."""
        owners = [self._facts.site]
        for path, name in self._facts.lineage[1:]:
            base = next((each for each in self._graph.sites if each.parent is None and each.name == name), None)
            if base is None or path != self._facts.lineage[0][0]:
                raise NotDrivenError(f"inherits from {name}, which stands in another file")
            owners.append(base)
        text = self._graph.source.decode("utf-8", "replace")
        for owner in owners:
            for child in owner.body.named_children:
                statement = child.named_children[0] if child.type == "expression_statement" else None
                value = statement.child_by_field_id(Field.RIGHT) if statement is not None else None
                if value is None or statement is None or not _may_change(value):
                    continue
                name = text_of(statement.child_by_field_id(Field.LEFT))
                changed = re.search(rf"\.{re.escape(name)}\b{_CHANGED}", text)
                if changed or not (name.isupper() or name.startswith("__")):
                    raise NotDrivenError(f"has a value of the class, {name}, that may be changed")
        for site in self._graph.sites:
            if site.parent in owners and (site.name in kept or site.parent is not self._facts.site):
                for each in read_parameters(site, self._graph.source) if site.form != "class" else ():
                    if each.default is not None and MUTABLE_DEFAULT.match(each.default):
                        raise NotDrivenError(f"has a default of {each.name} that may be changed")

    # Text.

    def _without(self, kept: set[str]) -> bytes:
        """The file's text with the lines of functions that nobody calls marked as left out."""
        lines = self._graph.source.split(b"\n")
        for site in self._graph.sites:
            if site.parent is not self._facts.site or site.form == "class" or site.name in kept:
                continue
            (first, column), (last, end) = site.outer.start_point, site.outer.end_point
            if site.outer.parent != self._facts.site.body:
                # A block within the class would be left empty.
                continue
            if not lines[first][:column].strip() and not lines[last][end:].strip():
                lines[first : last + 1] = [_LEFT_OUT] * (last + 1 - first)
        return b"\n".join(lines)

    def _text(self, name: str, operations: Sequence[Operation]) -> str:
        init = self._facts.members.get("__init__")
        given = read_parameters(init.site, self._graph.source)[1:] if init is not None else ()
        if any(each.kind == "var_positional" for each in given):
            raise NotDrivenError("takes any number of arguments when it is made")
        given = tuple(each for each in given if each.kind != "var_keyword")
        if others := [each.name for each in given if each.default is None and not _is_data(each.annotation)]:
            raise NotDrivenError(f"is made of what is no data, {others[0]}")
        if {"operations", "methods", "driven", "deepcopy", self._facts.site.name} & {each.name for each in given}:
            raise NotDrivenError("has a parameter that is called as something of the driver")
        by_name = [each for each in given if each.kind == "keyword_only"]
        by_place = [each for each in given if each.kind != "keyword_only"]
        heads = ["operations", *map(self._head, by_place), *(["*"] if by_name else []), *map(self._head, by_name)]
        handed = [*(each.name for each in by_place), *(f"{each.name}={each.name}" for each in by_name)]
        called = ", ".join(f'"{each.name}": {self._callee(each)}' for each in operations)
        return (
            f"def {name}({', '.join(heads)}):\n"
            f"    driven = {self._facts.site.name}({', '.join(handed)})\n"
            f"    methods = {{{called}}}\n"
            f"    return [{_CALL} for name, *given in operations]\n"
        )

    def _head(self, parameter: ParameterText) -> str:
        """A parameter of the constructor as one of the driver; an annotation that means another thing is left out."""
        inside = set(self._facts.site.body_scope.bindings)
        default, annotation = parameter.default, parameter.annotation
        if default is not None and (inside & set(re.findall(r"[^\W\d]\w*", default)) or "\n" in default):
            raise NotDrivenError("has a default that means another thing outside of the class")
        if inside & set(re.findall(r"[^\W\d]\w*", annotation)) or "\n" in annotation:
            annotation = ""
        noted = f"{parameter.name}: {annotation}" if annotation else parameter.name
        return noted if default is None else f"{noted} = {default}"

    def _callee(self, operation: Operation) -> str:
        attribute = f"driven.{operation.member.site.name}"
        if operation.member.kind == "property":
            return f"lambda: {attribute}"
        return (
            f"lambda *given: ({attribute}(*given), None)[1]" if self._gives_itself(operation.member.site) else attribute
        )


def _is_data(annotation: str) -> bool:
    """Whether what an annotation names may be data: no class of a package, no function, no iterator."""
    names = re.findall(r"[^\W\d]\w*", re.sub(r"Literal\[[^\]]*\]", "", annotation))
    return all(name[:1].islower() or len(name) <= 2 or name in _DATA for name in names)


def _may_change(value: Node) -> bool:
    """Whether a value of a class body is one that can be changed in place."""
    if value.type == "call":
        return text_of(value.child_by_field_id(Field.FUNCTION)) not in ("frozenset", "tuple", "re.compile", "range")
    return value.type in ("list", "dictionary", "set", "list_comprehension", "dictionary_comprehension",
                          "set_comprehension", "identifier", "attribute")  # fmt: skip
