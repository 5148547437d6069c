"""Our bindings against the standard library's `symtable`, name by name.

`symtable` is the interpreter's own account of which scope a name belongs to; it reads source text and runs nothing.
"""

from __future__ import annotations

import symtable
from dataclasses import dataclass, field
from typing import Literal

from ingester.domain.scopes import Reference, Role, Scope, ScopeGraph

Category = Literal["local", "global", "explicit global", "free", "absent"]

# The interpreter's own names for scopes without one, before and after 3.13.
_SCOPE_NAMES = {
    "listcomp": "list", "setcomp": "set", "dictcomp": "dictionary", "genexpr": "generator",
    "<listcomp>": "list", "<setcomp>": "set", "<dictcomp>": "dictionary", "<genexpr>": "generator",
    "<lambda>": "lambda",
}  # fmt: skip
# Symbols that the compiler adds for itself.
_SYNTHETIC = frozenset({"__classdict__", ".type_params", ".generic_base", ".defaults", ".kwdefaults", ".format"})


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One name that the two sides bind differently."""

    scope: str
    line: int
    name: str
    ours: str
    theirs: str


@dataclass(slots=True)
class Agreement:
    """Counts over the bindings of one file."""

    bindings: int = 0
    scopes: int = 0
    functions: int = 0
    disagreements: list[Disagreement] = field(default_factory=list[Disagreement])


def compare_with_symtable(graph: ScopeGraph, filename: str = "<source>") -> Agreement:
    """Compare every binding of a file.

    Args:
        graph: the scope graph of the file.
        filename: for the interpreter's messages.

    Raises:
        SyntaxError: the running interpreter does not take the file.
        ValueError: the file holds null bytes.
    """
    table = symtable.symtable(graph.source.decode("utf-8-sig"), filename, "exec")
    result = Agreement()
    children: dict[int, list[Scope]] = {}
    for scope in graph.scopes[1:]:
        if scope.parent is not None:
            children.setdefault(scope.parent.index, []).append(scope)
    used: dict[int, set[str]] = {}
    for reference in graph.references:
        hidden = reference.role == Role.LAZY_ANNOTATION or (reference.role == Role.NEVER and graph.lazy_annotations)
        # For the interpreter `super += x` and `del super` are no uses of `super`, which would bring `__class__`.
        hidden = hidden or (reference.name == "super" and _is_target(reference))
        if not hidden:
            used.setdefault(reference.scope.index, set()).add(reference.name)
    _compare(graph, graph.module, table, children, used, result)
    return result


def _compare(
    graph: ScopeGraph,
    scope: Scope,
    table: symtable.SymbolTable,
    children: dict[int, list[Scope]],
    used: dict[int, set[str]],
    result: Agreement,
) -> None:
    result.scopes += 1
    result.functions += scope.kind == "function"
    references = used.get(scope.index, set())
    theirs = {symbol.get_name(): _category(symbol) for symbol in table.get_symbols()}
    ours = {name: _our_category(scope, name) for name in _own_names(scope) | references}
    if "super" in references and scope.kind not in ("module", "class"):
        ours.setdefault("__class__", "free" if scope.enclosing_class() else "global")
    for name in sorted(theirs.keys() | ours.keys()):
        if name in _SYNTHETIC or name == ".0" or (name == "__class__" and scope.kind == "class"):
            continue
        other = theirs.get(name, "absent")
        # The interpreter also lists, as free, names that only pass through on their way to an inner scope.
        mine = ours.get(name) or (_our_category(scope, name) if other == "free" else "absent")
        # The target of a walrus is listed in the comprehension too; we bind it where it lives.
        if mine == "absent" and scope.kind == "comprehension":
            mine = _our_category(scope, name)
        if other == "explicit global" and scope.kind == "comprehension":
            other = "global"
        # A `global` statement anywhere marks the name in the module's table.
        if other == "explicit global" and scope.kind == "module":
            other = mine
        if mine == other or (name == "__class__" and other == "free"):
            result.bindings += 1
            continue
        result.disagreements.append(Disagreement(scope.name or "module", graph.line(scope.start), name, mine, other))
    rest = children.get(scope.index, []).copy()
    for child in table.get_children():
        name = child.get_name()
        key = _SCOPE_NAMES.get(name, name)
        line = child.get_lineno()
        fitting = [found for found in rest if _matches(graph, found, key, line)]
        match = min(fitting, key=lambda found: _distance(found, child, children, used), default=None)
        if match is None:
            result.disagreements.append(Disagreement(scope.name or "module", line, name, "absent", "scope"))
            continue
        rest.remove(match)
        _compare(graph, match, child, children, used, result)
    for left in rest:
        # A type alias or a definition without type parameters opens no scope for the interpreter.
        if left.kind != "type_parameters":
            line = graph.line(left.start)
            result.disagreements.append(Disagreement(scope.name or "module", line, left.name, "scope", "absent"))


def _matches(graph: ScopeGraph, scope: Scope, name: str, line: int) -> bool:
    return scope.name == name and graph.line(scope.start) <= line <= graph.line(scope.end)


def _distance(
    scope: Scope, table: symtable.SymbolTable, children: dict[int, list[Scope]], used: dict[int, set[str]]
) -> int:
    """How far two scopes of one name on one line are from being the same: names and inner scopes not shared."""
    ours = _own_names(scope) | used.get(scope.index, set())
    if "super" in used.get(scope.index, set()):
        ours |= {"__class__"}
    theirs = set(table.get_identifiers())
    inner = children.get(scope.index, [])
    tables = table.get_children()
    total = len(ours ^ theirs) + 2 * abs(len(inner) - len(tables))
    rest = list(inner)
    for child in tables:
        name = child.get_name()
        alike = [each for each in rest if each.name == _SCOPE_NAMES.get(name, name)]
        if alike:
            nearest = min(alike, key=lambda each: _distance(each, child, children, used))
            rest.remove(nearest)
            total += _distance(nearest, child, children, used)
    return total


def _is_target(reference: Reference) -> bool:
    found = reference.scope.bindings.get(reference.name, [])
    return any(item.kind in ("augmented", "delete") and item.start == reference.start for item in found)


def _own_names(scope: Scope) -> set[str]:
    bound = {name for name, found in scope.bindings.items() if len(found) > scope.remote.get(name, 0)}
    return bound | scope.global_names | scope.nonlocal_names


def _our_category(scope: Scope, name: str) -> Category:
    if name in scope.global_names:
        return "explicit global"
    if name in scope.bindings and len(scope.bindings[name]) > scope.remote.get(name, 0):
        return "local"
    found = scope.lookup(name)
    if found is None or found.kind == "module":
        return "global"
    return "free"


def _category(symbol: symtable.Symbol) -> Category:
    if symbol.is_declared_global():
        return "explicit global"
    if symbol.is_local():
        return "local"
    if symbol.is_free():
        return "free"
    return "global" if symbol.is_global() else "absent"
