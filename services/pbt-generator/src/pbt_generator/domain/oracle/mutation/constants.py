"""Constants of a module that a function reads: limits and tables decide as much there as written in place."""

from __future__ import annotations

import ast
import copy
from collections import Counter

from pbt_generator.domain.oracle.mutation.operators import is_constant, near_literals, short, without_ends
from pbt_generator.domain.oracle.syntax import is_literal, last_name

# What a mutant says of a literal behind the name of what keeps it, and the literal that it has.
Change = tuple[str, ast.expr]
# Tables with more entries have no mutants, nor have the entries of one that had more than twice as many of them: no
# search meets each of so many.
_MOST = 40
_COLLECTIONS = {"tuple", "list", "set", "frozenset", "dict"}
# Methods that change what they are called on.
_CHANGING = {
    "append", "extend", "insert", "add", "update", "remove", "discard", "pop", "popitem", "clear", "setdefault", "sort",
    "reverse",
}  # fmt: skip


def constants_of(module: ast.Module) -> dict[str, tuple[int, list[Change]]]:
    """Names that a module gives a literal once and for all: the line, and what a mutant has in place of it.

    Example:
        >>> _, others = constants_of(ast.parse("UNITS = ('B', 'KB')"))["UNITS"]
        >>> [ast.unparse(other) for _, other in others]
        ["('KB',)", "('B',)", "('BX', 'KB')", "('B', 'KBX')"]
    """
    given: dict[str, ast.stmt] = {}
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                given[name] = statement
            case _:
                pass
    bound = Counter[str]()
    for node in ast.walk(module):
        bound.update(_bound(node))
    sets = sets_of_characters(module)
    found: dict[str, tuple[int, list[Change]]] = {}
    for name, statement in given.items():
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        others = near_constants(value, characters=name in sets) if value is not None and bound[name] == 1 else []
        if others:
            found[name] = statement.lineno, others
    return found


def sets_of_characters(module: ast.Module) -> frozenset[str]:
    """Names and attributes of which a program asks whether something is in them, or takes their characters off."""
    found: set[str] = set()
    for node in ast.walk(module):
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[read]):
                found.add(last_name(read))
            case ast.Call(func=ast.Attribute(attr="strip" | "lstrip" | "rstrip"), args=[read]):
                found.add(last_name(read))
            case _:
                pass
    return frozenset(found - {""})


def _bound(node: ast.AST) -> list[str]:
    """Names that a node gives a value, or of which it changes the value that they have."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            return [name]
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in _CHANGING:
            return [name]
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return [*names, *names]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.alias(name=name, asname=asname):
            return [asname or name]
        case _:
            return []


def near_constants(value: ast.expr, *, characters: bool = False) -> list[Change]:
    """Literals in place of one: near it; of a table, without an entry, or with another one in the place of an entry.

    A table loses its first or its last: any other one that is missing is another entry in its place.

    Args:
        value: The literal.
        characters: Whether a text is read as a set of characters.

    Example:
        >>> [words for words, _ in near_constants(ast.parse("{'a': 1, 'b': ('x', 40)}", mode="eval").body)]
        [" without 'a'", " without 'b'", "['a'] = 0", "['b'][0] = 'xx'", "['b'][1] = 41", "['b'][1] = 39"]
    """
    if characters and isinstance(value, ast.Constant) and isinstance(value.value, str):
        return [(f" = {fewer!r}", ast.Constant(fewer)) for fewer in without_ends(value.value, value.value)]
    if is_constant(value):
        return [(f" = {short(near)}", near) for near in near_literals(value)]
    match value:
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _COLLECTIONS:
            return [(words, _with(value, args=[other])) for words, other in _tables(inner)]
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            keys = [ast.Constant(each.arg) for each in keywords if each.arg]
            return _tables(ast.Dict([*keys], [each.value for each in keywords])) if len(keys) == len(keywords) else []
        case _:
            return _tables(value)


def _tables(value: ast.expr) -> list[Change]:
    """Tables in place of one of literals."""
    match value:
        case ast.Tuple(elts=entries) | ast.List(elts=entries):
            places = {0, len(entries) - 1}
        case ast.Dict(keys=entries, values=values):
            # What has no other value is missed alone.
            places = {0, len(entries) - 1, *(place for place, each in enumerate(values) if not _others(each))}
        case ast.Set(elts=entries):
            places = set[int]()
        case _:
            return []
    if len(entries) > _MOST or not is_literal(value):
        return []
    found = [_without(value, place) for place in sorted(places)] if len(entries) > 1 else []
    others = _others(value)
    return [*found, *others] if len(others) <= 2 * _MOST else found


def _others(value: ast.expr) -> list[Change]:
    """A table with another entry in the place of one; a set without one."""
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [
                (f"[{place}]{words}", _with(value, elts=[*parts[:place], other, *parts[place + 1 :]]))
                for place, part in enumerate(parts)
                for words, other in _others(part)
            ]
        case ast.Dict(keys=keys, values=values):
            return [
                (f"[{short(key)}]{words}", _with(value, values=[*values[:place], other, *values[place + 1 :]]))
                for place, (key, part) in enumerate(zip(keys, values, strict=True))
                if key is not None
                for words, other in _others(part)
            ]
        case ast.Set(elts=parts) if len(parts) > 1:
            return [_without(value, place) for place in range(len(parts))]
        case _:
            # A text that is empty is seen by whoever sees one that is longer.
            near = near_literals(value)[-1 if isinstance(value, ast.Constant) and isinstance(value.value, str) else 0 :]
            return [(f" = {short(other)}", other) for other in near]


def _without(table: ast.Tuple | ast.List | ast.Set | ast.Dict, place: int) -> Change:
    fields = ("keys", "values") if isinstance(table, ast.Dict) else ("elts",)
    entry = getattr(table, fields[0])[place]
    rest = {name: [each for at, each in enumerate(getattr(table, name)) if at != place] for name in fields}
    return f" without {short(entry)}", _with(table, **rest)


def _with(node: ast.expr, **fields: object) -> ast.expr:
    changed = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(changed, name, copy.deepcopy(value))
    return changed


def changed_within(module: ast.Module) -> frozenset[str]:
    """Attributes of which a program changes the value that they have."""
    found: set[str] = set()
    for node in ast.walk(module):
        match node:
            case ast.Attribute(value=ast.Attribute(attr=name), attr=attr) if attr in _CHANGING:
                found.add(name)
            case ast.Subscript(value=ast.Attribute(attr=name), ctx=ast.Store() | ast.Del()):
                found.add(name)
            case _:
                pass
    return frozenset(found)


__all__ = ["Change", "changed_within", "constants_of", "near_constants", "sets_of_characters"]
