"""What a file does to its names, or to those of others, besides defining them.

A definition can be cut out of its file only when it is the same wherever and whenever it is read: nothing fills it
later, and nothing that runs at import changes what the interpreter does.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping

from tree_sitter import Node

from ingester.domain.branches import value_of
from ingester.domain.builtin_names import BUILTIN_NAMES
from ingester.domain.classes import target_of
from ingester.domain.grammar import Field, kind_set, text_of
from ingester.domain.packages import Package
from ingester.domain.scopes import ImportedName, Role, ScopeGraph, Site
from ingester.domain.standard_names import MUTATORS

DEFINITIONS = kind_set("function_definition", "class_definition", "decorated_definition")
_EXPRESSION_STATEMENT = kind_set("expression_statement")
_ASSIGNMENT = kind_set("assignment")
_WRITES = kind_set("assignment", "augmented_assignment")
_ATTRIBUTE = kind_set("attribute")
_SUBSCRIPT = kind_set("subscript")
_IDENTIFIER = kind_set("identifier")
_CALL = kind_set("call")
_AUGMENTED = kind_set("augmented_assignment")
_DELETE = kind_set("delete_statement")
_STRING = kind_set("string")
_COMPARISON = kind_set("comparison_operator")
_NOT_NOW = kind_set("function_definition", "class_definition", "decorated_definition", "lambda")
# Functions that set something, and may give back what it was before.
_SETTING = re.compile(r"set|add_|register|unregister|install|seed|enable|disable|tzset|textdomain|bindtextdomain")
_MAIN = re.compile(rb"if\s*\(?\s*(__name__\s*==|TYPE_CHECKING|typing\.TYPE_CHECKING)")
# Libraries with settings that other code computes by.
_STATEFUL = frozenset(
    {
        "builtins", "codecs", "copyreg", "csv", "decimal", "gettext", "importlib", "locale", "mimetypes", "os",
        "random", "signal", "sys", "time",
    }
)  # fmt: skip
# What a candidate may use of these does not depend on what is set: paths are texts, and what `codecs` is given it gives
# to those alone who ask for it by name.
_APART = frozenset({"codecs", "os", "sys"})
_NAMESPACES = frozenset({"globals", "locals", "vars"})
_READING = frozenset({"get", "keys", "values", "items", "copy", "__contains__", "__getitem__"})
_PLAIN_TEXT = re.compile(r"""["'](\w+)["']""")
_IMPORTING = re.compile(rb"sys\.(modules|path|meta_path|path_hooks)\b")
_SETTERS = frozenset({"setattr", "delattr"})
# What sets a name of the file's own module by a text, or by way of the module.
_OWN_NAMES = re.compile(
    rb"""globals\(\)(?:\[|\.setdefault\(|\.update\(\{?)\s*["']?(\w+)|\bmodules\[__name__\]\s*(?:\.\s*|,\s*["'])(\w+)"""
)


class FileChanges:
    """What one file does besides defining.

    Args:
        graph: The file.
        root: Its syntax tree.
    """

    def __init__(self, graph: ScopeGraph, root: Node | None) -> None:
        self._graph = graph
        self._root = root
        self._statements = list(root.children) if root is not None else []
        self._names: frozenset[str] | None = None
        self._rebound: frozenset[str] | None = None
        self._at_import: dict[tuple[bool, bool], str] = {}
        self._libraries: dict[str, int] | None = None
        self._hidden: set[str] | None = None

    @property
    def names(self) -> frozenset[str]:
        """Names of the module that something in the file sets, deletes or changes in place where it names them."""
        if self._names is None:
            self._names = self.rebound | {*self._own(written)}
        return self._names

    @property
    def rebound(self) -> frozenset[str]:
        """Names of the module that something in the file binds anew, or deletes, besides what its text binds."""
        if self._rebound is None:
            declared = {each.name for each in self._graph.declarations if each.kind == "global"}
            names = self._defined()
            self._rebound = frozenset(
                {*declared, *self._by_text(names), *self._by_program(names), *self._own(_is_deleted)}
            )
        return self._rebound

    def hidden(self, site: Site) -> str:
        """The first built-in that a definition reads and its file hides, by a name that it sets as its own module's."""
        if self._hidden is None:
            found = {name for each in _OWN_NAMES.finditer(self._graph.source) for name in each.groups() if name}
            named = {name.decode("utf-8", "replace") for name in found}
            self._hidden = (named & BUILTIN_NAMES) - self._graph.module.bindings.keys()
        if not self._hidden:
            return ""
        read = self._graph.references[site.references.first : site.references.last]
        return next((each.name for each in read if each.name in self._hidden and not self._graph.found(each)), "")

    def _defined(self) -> set[str]:
        return {name for name, found in self._graph.module.bindings.items() if found[0].imported is None}

    def _own(self, does: Callable[[Node | None], bool]) -> Iterator[str]:
        """Names of the module for which something holds at a place that reads them."""
        graph, names, root = self._graph, self._defined(), self._root
        if root is None:
            return
        for reference in graph.references:
            if reference.name not in names or reference.role != Role.BODY:
                continue
            if graph.found(reference) is graph.module:
                node = root.named_descendant_for_byte_range(reference.start, reference.start)
                if does(node):
                    yield reference.name

    def _by_text(self, names: set[str]) -> Iterator[str]:
        """Names that are set through `globals()`; all where it is not plain which."""
        for reference in self._graph.named("globals"):
            if self._root is None or self._graph.found(reference) is not None:
                continue
            node = self._root.named_descendant_for_byte_range(reference.start, reference.start)
            call = node.parent if node is not None else None
            above = call.parent if call is not None else None
            if call is None or call.kind_id not in _CALL or above is None or above.kind_id in _COMPARISON:
                continue
            name = text_of(above.named_children[1]) if above.kind_id in _SUBSCRIPT else ""
            if above.kind_id in _ATTRIBUTE and text_of(above.child_by_field_id(Field.ATTRIBUTE)) in _READING:
                continue
            if above.kind_id in _SUBSCRIPT and not written(call, reached=True):
                continue
            plain = _PLAIN_TEXT.fullmatch(name)
            yield from names if plain is None else {plain[1]} & names

    def _by_program(self, names: set[str]) -> Iterator[str]:
        """Names that a text may bind which is run while the file is imported."""
        for reference in self._graph.named("exec"):
            node = self._root.named_descendant_for_byte_range(reference.start, reference.start) if self._root else None
            call = node.parent if node is not None and self._graph.found(reference) is None else None
            arguments = call.child_by_field_id(Field.ARGUMENTS) if call is not None else None
            if reference.scope is self._graph.module and arguments is not None and arguments.named_child_count == 1:
                (text,) = arguments.named_children
                yield from names & {*re.findall(r"\w+", text_of(text))} if text.kind_id in _STRING else names

    def at_import(self, *, own_calls: bool = True, modules: bool = True) -> str:
        """What the file does at import that may change more than its own variables; empty when there is nothing.

        Args:
            own_calls: Whether a call of a function of its own counts.
            modules: Whether it counts what changes where modules are found (`sys.modules`, `sys.path`, finders).
        """
        key = own_calls, modules
        if key not in self._at_import:
            self._at_import[key] = self._acts(own_calls=own_calls, modules=modules)
        return self._at_import[key]

    def _acts(self, *, own_calls: bool, modules: bool) -> str:
        for node, called in self._acting():
            name = _root_name(node)
            if not modules and _IMPORTING.match(node.text or b""):
                continue
            if name and self._counts(name, node, called=called, own_calls=own_calls):
                line = self._graph.line(node.start_byte)
                return f"line {line} {'calls' if called else 'changes'} {name} when the file is imported"
        return ""

    @property
    def libraries(self) -> Mapping[str, int]:
        """Libraries, by their top package, whose state the file may set at import; the line for each."""
        if self._libraries is None:
            self._libraries = found = dict[str, int]()
            for node, called in self._acting():
                line = self._graph.line(node.start_byte)
                for top in self._set_by(_root_name(node), called=called):
                    found.setdefault(top, line)
        return self._libraries

    def _set_by(self, name: str, *, called: bool) -> Iterator[str]:
        """The libraries that a call of a name may set, or that setting an attribute of it does."""
        imported = self._imported(name)
        if imported is not None:
            top = imported.module.partition(".")[0]
            if not imported.level and (not called or top in _STATEFUL or top not in sys.stdlib_module_names):
                yield top
            return
        for each in self._graph.module.bindings.get(name, ()) if called else ():
            if each.site >= 0:
                named = named_libraries(self._graph, self._graph.sites[each.site])
                yield from (top for top in named if top in _STATEFUL or top not in sys.stdlib_module_names)

    def _imported(self, name: str) -> ImportedName | None:
        """The import that a name is, or whose state it was assigned."""
        known = self._graph.module.bindings.get(name, [])
        imported = next((each.imported for each in known if each.imported is not None), None)
        value = value_of(self._root, known[0]) if imported is None and len(known) == 1 and self._root else None
        source = self._graph.module.bindings.get(_root_name(value), [])
        behind = next((each.imported for each in source if each.imported is not None), None)
        if behind is not None and not behind.level and behind.module.partition(".")[0] in _STATEFUL:
            return behind
        return imported

    def _counts(self, name: str, node: Node, *, called: bool, own_calls: bool) -> bool:
        """Whether what is called or set at import may change what other code computes."""
        known = self._graph.module.bindings.get(name)
        if known is None:
            return name in _NAMESPACES or (called and name in _SETTERS and self._of_others(node))
        imported = self._imported(name)
        if imported is not None:
            top = imported.module.partition(".")[0]
            if not called or imported.level or top not in sys.stdlib_module_names or top in _STATEFUL:
                return True
            return top == "warnings" and b"error" in ((node.parent or node).text or b"")
        return called and own_calls and any(each.site >= 0 and self._sets_state(each.site) for each in known)

    def _of_others(self, function: Node) -> bool:
        """Whether the first argument of `setattr` or `delattr` is anything but a definition of the file."""
        arguments = function.parent.child_by_field_id(Field.ARGUMENTS) if function.parent is not None else None
        first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
        known = self._graph.module.bindings.get(_root_name(first), [])
        return not known or any(each.imported is not None for each in known)

    def _sets_state(self, site: int) -> bool:
        """Whether a function or class of the file uses what could change more than the file's own names."""
        graph = self._graph
        span = graph.sites[site].references
        bindings = graph.module.bindings
        for reference in graph.references[span.first : span.last]:
            scope = graph.found(reference)
            if scope is None and reference.name in (*_NAMESPACES, *_SETTERS, "exec", "eval", "__import__"):
                return True
            imported = [each.imported for each in bindings.get(reference.name, []) if each.imported is not None]
            if scope is graph.module and any(_may_set(each) for each in imported):
                return True
        own = graph.imports[graph.sites[site].imports.first : graph.sites[site].imports.last]
        return any(_may_set(definition.imported) for definition, _ in own if definition.imported is not None)

    def _acting(self) -> Iterator[tuple[Node, bool]]:
        """What statements outside of definitions call, and what attributes and items they set.

        Of calls whose results are assigned, those count that set something by their name.
        """
        stack = [node for node in self._statements if not _MAIN.match(node.text or b"")]
        while stack:
            node = stack.pop()
            if node.kind_id in _NOT_NOW:
                continue
            if node.kind_id in _EXPRESSION_STATEMENT:
                for inner in node.named_children:
                    function = inner.child_by_field_id(Field.FUNCTION) if inner.kind_id in _CALL else None
                    left = inner.child_by_field_id(Field.LEFT) if inner.kind_id in _WRITES else None
                    right = inner.child_by_field_id(Field.RIGHT) if left is not None else None
                    assigned = right.child_by_field_id(Field.FUNCTION) if right and right.kind_id in _CALL else None
                    if assigned is not None and _SETTING.match(text_of(assigned).rpartition(".")[2]):
                        yield assigned, True
                    if function is not None:
                        yield function, True
                    elif left is not None and (left.kind_id in _ATTRIBUTE or left.kind_id in _SUBSCRIPT):
                        yield left, False
                continue
            stack.extend(node.named_children)


def named_libraries(graph: ScopeGraph, site: Site) -> set[str]:
    """The libraries, by their top package, that a definition names, in annotations too."""
    found: set[str] = set()
    for reference in graph.references[site.references.first : site.references.last]:
        scope = graph.found(reference)
        for each in scope.bindings[reference.name] if scope is not None else ():
            if each.imported is not None and not each.imported.level:
                found.add(each.imported.module.partition(".")[0])
    return found


def library_set(package: Package | None, path: str, own: FileChanges, libraries: Iterable[str]) -> tuple[str, str]:
    """The first of some libraries whose state a package sets at import, and where; empty texts where there is none.

    Args:
        package: The other files, where they are known: those that are run before the file, and for a library that
            others compute by any that may be imported meanwhile.
        path: The file that uses the libraries.
        own: What it does.
        libraries: Their top packages.
    """
    for top in sorted({*libraries} - _APART):
        if top in own.libraries:
            return top, f"is set by its file when it is imported, line {own.libraries[top]}"
        if package is None:
            continue
        others = [*package.around(path)[1:], *(package.holding(top) if top in _STATEFUL else ())]
        for other in others:
            if other != path and top in _libraries_of(package, other):
                return top, f"is set by {other} when it is imported"
    return "", ""


def _libraries_of(package: Package, path: str) -> Mapping[str, int]:
    if path not in package.libraries_set:
        module = package.module(path)
        nothing: Mapping[str, int] = {}
        changes = FileChanges(module.graph, module.root) if module is not None else None
        package.libraries_set[path] = changes.libraries if changes is not None else nothing
    return package.libraries_set[path]


def changed_elsewhere(package: Package, path: str, name: str, *, inside: bool = True) -> str:
    """The first other file of the package that sets or fills a name of a file; empty where none does.

    Args:
        package: The files; tests are left out.
        path: Where the name is defined.
        name: A name of that file's module.
        inside: Whether it counts what changes in place what the name is bound to, an attribute of it too.
    """
    # What nothing changes nothing binds anew either.
    if not inside and not changed_elsewhere(package, path, name):
        return ""
    key = (path, name, inside)
    if key not in package.changed:
        package.changed[key] = _first_changing(package, path, name, inside)
    return package.changed[key]


def _first_changing(package: Package, path: str, name: str, inside: bool) -> str:
    # What follows a name that is written, filled or read on; a quote stands around the name given to `setattr`.
    word = re.escape(name.encode())
    written = re.compile(
        rb"(?<![\w])"
        + word
        + rb"(?=[\"']|\s*[\[.=+\-*/|&^%@<>,:)\]]|\s+(?:as|in)\s)|\bdel\b[^\n]*\."
        + word
        + rb"(?!\w)"
    )
    others = (other for other in package.holding(name) if other != path and written.search(package.text(other)))
    return next((other for other in others if _changes(package, other, name, inside)), "")


def attribute_is_set(texts: Iterable[bytes], name: str) -> bool:
    """Whether anything sets, deletes or changes in place an attribute of a name, of whatever object.

    Args:
        texts: The files to look through.
        name: The attribute.
    """
    word = re.escape(name.encode())
    changing = "|".join(sorted(MUTATORS)).encode()
    # What is in brackets is taken at once, up to any bracket that ends on the line: to try each would never end.
    set_here = re.compile(
        rb"\.\s*" + word + rb"(?!\w)(?:\s*\[[^\n]*\])?\s*(?:(?:[-+*/|&^%@]|//|\*\*|<<|>>)?=(?!=)|\.\s*(?:"
        + changing + rb")\s*\()|(?:setattr|delattr)\s*\([^)\n]*[\"']" + word + rb"[\"']|\bdel\b[^\n]*\.\s*" + word
        + rb"(?!\w)|\bfor\b[\w.*, \t(\[]{0,200}\.\s*" + word + rb"[, \t)\]]+in\b"
        + rb"|\bas\b[\w.*, \t(\[]{0,200}\.\s*" + word + rb"\s*[:,)\]]"
    )  # fmt: skip
    # One of several targets: nothing but targets stands before it on its line, and behind it up to the sign.
    among = re.compile(rb"(?:^|\n)[ \t(\[]*[\w.*, \t]{0,200}$")
    target = re.compile(rb"\.[ \t]*" + word + rb"(?!\w)[\w.*, \t)\]]{0,200}=(?!=)")
    return any(
        name.encode() in text
        and (
            set_here.search(text)
            or any(among.search(text[max(0, m.start() - 250) : m.start()]) for m in target.finditer(text))
        )
        for text in texts
    )


def _changes(package: Package, path: str, name: str, inside: bool) -> bool:
    module = package.module(path)
    if module is None:
        return True
    graph = module.graph
    # Functions may import too.
    imported = {"__import__", *(definition.name for definition, _ in graph.imports)}
    called = {name} | {
        definition.name
        for definition, _ in graph.imports
        if definition.imported is not None and definition.imported.name == name
    }
    for alias in called:
        for match in re.finditer(rb"(?<![\w])" + re.escape(alias.encode()) + rb"(?![\w])", graph.source):
            node = module.root.named_descendant_for_byte_range(match.start(), match.end())
            if node is None:
                continue
            if node.kind_id not in _IDENTIFIER:
                if node.type in ("string", "string_content") and _is_set_by_name(node):
                    return True
                continue
            parent = node.parent
            if parent is not None and parent.kind_id in _ATTRIBUTE and parent.named_children[-1] == node:
                stored = written(parent, reached=True) if inside else target_of(parent) is not None
                if alias == name and _root_name(parent) in imported and stored:
                    return True
            elif inside and (alias in imported or graph.stars) and written(node):
                return True
    return False


def _is_set_by_name(node: Node) -> bool:
    """Whether a text is an argument of `setattr` or `delattr`."""
    above: Node | None = node
    for _ in range(4):
        above = above.parent if above is not None else None
        if above is not None and above.kind_id in _CALL:
            function = above.child_by_field_id(Field.FUNCTION)
            return function is not None and (function.text or b"").endswith((b"setattr", b"delattr"))
    return False


def _may_set(imported: ImportedName) -> bool:
    top = imported.module.partition(".")[0]
    return bool(imported.level) or top in _STATEFUL or top not in sys.stdlib_module_names


def _root_name(node: Node | None) -> str:
    """The name that attributes, items and calls start from; empty where it is no name."""
    while node is not None and (node.kind_id in _ATTRIBUTE or node.kind_id in _SUBSCRIPT or node.kind_id in _CALL):
        node = node.named_children[0]
    return (node.text or b"").decode("utf-8", "replace") if node is not None and node.kind_id in _IDENTIFIER else ""


def _is_deleted(node: Node | None) -> bool:
    stored = target_of(node) if node is not None else None
    return stored is not None and stored.kind_id in _DELETE


def written(node: Node | None, *, reached: bool = False) -> bool:
    """Whether a name is the root of something that is stored to, deleted, or changed by a method.

    Args:
        node: The name, or an attribute of a module that is one.
        reached: Whether an assignment to the node itself counts.
    """
    while node is not None and (parent := node.parent) is not None:
        kind = parent.kind_id
        if kind in _ATTRIBUTE and parent.named_children[0] == node:
            attribute = parent.child_by_field_id(Field.ATTRIBUTE)
            call = parent.parent
            if call is not None and call.kind_id in _CALL and call.child_by_field_id(Field.FUNCTION) == parent:
                return attribute is not None and (attribute.text or b"").decode("utf-8", "replace") in MUTATORS
            reached = True
        elif kind in _SUBSCRIPT and parent.named_children[0] == node:
            reached = True
        else:
            stored = target_of(node)
            return stored is not None and (reached or stored.kind_id in _AUGMENTED)
        node = parent
    return False
