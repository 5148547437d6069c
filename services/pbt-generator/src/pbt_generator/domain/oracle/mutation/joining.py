"""What names hold, as far as a program shows: `+` joins texts and lists, and an operator of numbers raises on them.

This chooses mutants that a wrong program could stand for, and proves nothing.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence

from pbt_generator.domain.oracle.proofs.declared import Kinds
from pbt_generator.domain.oracle.syntax import FunctionNode, last_name, named_parameters

# Kinds by the name of a class; tuples join like lists.
_CLASSES = {
    "str": "str", "list": "list", "List": "list", "tuple": "list", "Tuple": "list", "set": "set", "Set": "set",
    "frozenset": "set", "FrozenSet": "set", "dict": "dict", "Dict": "dict", "Path": "path", "PurePath": "path",
    "PosixPath": "path", "PurePosixPath": "path",
}  # fmt: skip
_TEXT_METHODS = {"join", "strip", "lower", "upper", "format", "replace", "title", "zfill"}
_LIST_METHODS = {"split", "rsplit", "splitlines", "findall"}
_TEXT_FUNCTIONS = {"str", "repr", "chr", "hex", "bin", "_ts_join"}
JOINED = frozenset({"str", "list"})


def held_kinds(function: FunctionNode | ast.Lambda, given: Kinds | None = None) -> dict[str, str]:
    """The kind of what each name of a function holds, where all that it is given is of one: str, list, set, dict, path.

    Args:
        function: The function.
        given: Declared kinds of its parameters.

    Example:
        >>> held_kinds(ast.parse("def f(s: str, n):\\n t = s + n\\n t = t + 'a'\\n n = len(t)\\n return t").body[0])
        {'s': 'str', 't': 'str'}
    """
    found: dict[str, str] = {}
    for each in named_parameters(function.args):
        kinds = (given or {}).get(each.arg, frozenset())
        found[each.arg] = _CLASSES.get(next(iter(kinds)), "") if len(kinds) == 1 else _annotated(each.annotation)
    values = _values(function, [name for name, kind in found.items() if not kind])
    found = {name: kind for name, kind in found.items() if kind}
    size = -1
    while len(found) != size:
        size = len(found)
        for name, given_to in values.items():
            kinds = {kind_of(value, found) for value in given_to} - {""}
            if name not in found and len(kinds) == 1:
                found |= dict.fromkeys([name], *kinds)
    # One value of a kind made it probable; all of them have to agree.
    while wrong := [
        name for name, kind in found.items() if any(kind_of(value, found) != kind for value in values.get(name, ()))
    ]:
        found = {name: kind for name, kind in found.items() if name not in wrong}
    return found


def _values(function: FunctionNode | ast.Lambda, unknown: Sequence[str]) -> dict[str, list[ast.expr]]:
    """What names are given; what nobody sees, as in a loop, stands for itself."""
    values: dict[str, list[ast.expr]] = defaultdict(list)
    seen: set[int] = set()
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                pairs = [(target, value) for target in targets]
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                pairs = [(target, value)]
            case ast.AugAssign(target=target):
                # What is added to stays of the kind that it was.
                seen.add(id(target))
                continue
            case _:
                continue
        for target, value in pairs:
            if isinstance(target, ast.Name):
                seen.add(id(target))
                values[target.id].append(value)
    unseen = [
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in seen
    ]
    for name in (*unknown, *unseen):
        values[name].append(ast.Constant(None))
    return values


def kind_of(node: ast.expr, names: Mapping[str, str]) -> str:
    """The kind of an expression by its form and by the kinds of names; empty where neither tells."""
    match node:
        case ast.Name(id=name):
            return names.get(name, "")
        case ast.JoinedStr() | ast.Constant(value=str()):
            return "str"
        case ast.List() | ast.ListComp() | ast.Tuple():
            return "list"
        case ast.Set() | ast.SetComp():
            return "set"
        case ast.Dict() | ast.DictComp():
            return "dict"
        case ast.BinOp(left=left, op=ast.Mod()):
            return "str" if kind_of(left, names) == "str" else ""
        case ast.BinOp(left=left, op=ast.Div()):
            return "path" if kind_of(left, names) == "path" else ""
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
            sides = (kind_of(left, names), kind_of(right, names))
            return next((side for side in sides if side in JOINED), "")
        case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor(), right=right):
            sides = (kind_of(left, names), kind_of(right, names))
            return next((side for side in sides if side in {"set", "dict"}), "")
        case ast.IfExp(body=body, orelse=orelse):
            return kind_of(body, names) or kind_of(orelse, names)
        case ast.BoolOp(values=values):
            kinds = {kind_of(value, names) for value in values}
            return kinds.pop() if len(kinds) == 1 else ""
        case ast.Subscript(value=value, slice=ast.Slice()):
            # A part of what has parts.
            return kind_of(value, names) or "list"
        case ast.Subscript(value=value):
            return "str" if kind_of(value, names) == "str" else ""
        case ast.Call(func=ast.Attribute(attr=name)) if name in _TEXT_METHODS | _LIST_METHODS:
            return "str" if name in _TEXT_METHODS else "list"
        case ast.Call(func=ast.Name(id=name)):
            return "str" if name in _TEXT_FUNCTIONS else "list" if name == "sorted" else _CLASSES.get(name, "")
        case _:
            return ""


def _annotated(node: ast.expr | None) -> str:
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return _annotated(left)
        case ast.Subscript(value=value, slice=part) if last_name(value) == "Optional":
            return _annotated(part)
        case ast.Subscript(value=value):
            return _annotated(value)
        case ast.Name() | ast.Attribute():
            return _CLASSES.get(last_name(node), "")
        case _:
            return ""


__all__ = ["JOINED", "held_kinds", "kind_of"]
