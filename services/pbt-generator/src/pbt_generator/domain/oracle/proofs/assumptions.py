"""What a test says of the variables it reads: the state in which it is true, or false."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Protocol

from pbt_generator.domain.oracle.proofs.abstract_values import NUMBERS, SIZED, WHOLE, Value, being, consistent, joined
from pbt_generator.domain.oracle.syntax import class_nodes

State = dict[str, Value]
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq,
}  # fmt: skip
# Kinds that a class covers, and whether what is none of its instances is surely of another kind.
_CLASSES: dict[str, tuple[frozenset[str], bool]] = {
    "str": (frozenset({"str"}), True),
    "int": (WHOLE, True),
    "float": (frozenset({"float"}), True),
    "bool": (frozenset({"bool"}), True),
    "list": (frozenset({"list"}), True),
    "tuple": (frozenset({"tuple"}), True),
    "dict": (frozenset({"dict"}), True),
    "set": (frozenset({"set"}), False),
    "frozenset": (frozenset({"set"}), False),
    "bytes": (frozenset({"bytes"}), False),
    "bytearray": (frozenset({"bytes"}), False),
}


class Reader(Protocol):
    """Who knows what an expression gives, and which builtins have another meaning here."""

    shadowed: set[str]
    fragile: set[str]
    untracked: set[str]

    def value(self, node: ast.expr, state: State) -> Value:
        """What an expression gives in a state."""
        ...

    def put(self, state: State, name: str, value: Value) -> None:
        """Write a variable."""
        ...


def assume(reader: Reader, state: State, test: ast.expr, *, truth: bool) -> State | None:
    """The state where a test has a truth value; None when it cannot have it."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return assume(reader, state, operand, truth=not truth)
        case ast.BoolOp(op=op, values=values):
            if isinstance(op, ast.And) == truth:
                here: State | None = state
                for value in values:
                    if here is None:
                        return None
                    here = assume(reader, here, value, truth=truth)
                return here
            return _any(reader, state, values, truth=truth)
        case ast.Compare(ops=[_]):
            return _compared(reader, state, test, truth=truth)
        case ast.Compare(left=left, ops=ops, comparators=rest):
            sides = [left, *rest]
            links = [ast.Compare(sides[place], [op], [sides[place + 1]]) for place, op in enumerate(ops)]
            return assume(reader, state, ast.BoolOp(ast.And(), list[ast.expr](links)), truth=truth)
        case ast.Call(func=ast.Name(id="isinstance"), args=[subject, kinds], keywords=[]):
            return _of_class(reader, state, subject, kinds, truth=truth)
        case ast.Name(id=name):
            kept = being(reader.value(test, state), truth=truth)
            return None if kept is None else _with(reader, state, name, kept)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]) if "len" not in reader.shadowed:
            kept = being(reader.value(test, state), truth=truth)
            if kept is None:
                return None
            return _sized(reader, state, name, kept.low if truth else 0, kept.high)
        case _:
            return state if being(reader.value(test, state), truth=truth) is not None else None


def _any(reader: Reader, state: State, values: list[ast.expr], *, truth: bool) -> State | None:
    """A true `or`, a false `and`: one operand decides, those before it went the other way."""
    found: list[State] = []
    here: State | None = state
    for value in values:
        if here is None:
            break
        decided = assume(reader, here, value, truth=truth)
        if decided is not None:
            found.append(decided)
        here = assume(reader, here, value, truth=not truth)
    if not found:
        return None
    names = set(found[0]).intersection(*found[1:])
    return {name: joined(*(one[name] for one in found)) for name in sorted(names)}


def _with(reader: Reader, state: State, name: str, value: Value) -> State:
    """The state with more known of one variable; what it measures is known better too."""
    if name in reader.untracked or name not in state:
        return state
    result = dict(state)
    if value.measures and value.measures in result:
        held = result[value.measures]
        if value.measures not in reader.fragile:
            sized = replace(held, least=max(held.least, value.low), most=min(held.most, value.high))
            result[value.measures] = consistent(sized) or sized
    # No write: what measures this variable goes on doing so.
    kept = value
    if name in reader.fragile:
        before = state[name]
        kept = replace(before, kinds=value.kinds & before.kinds, low=value.low, high=value.high)
    result[name] = kept
    return result


def _sized(reader: Reader, state: State, name: str, low: float, high: float) -> State | None:
    held = state.get(name)
    if held is None or name in reader.untracked or name in reader.fragile:
        return state
    kept = consistent(replace(held, least=max(held.least, low), most=min(held.most, high)))
    return None if kept is None else {**state, name: kept}


def _compared(reader: Reader, state: State, test: ast.Compare, *, truth: bool) -> State | None:
    left, op, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(op, (ast.Is, ast.IsNot)) or (
        isinstance(op, (ast.Eq, ast.NotEq)) and any(_none(side) for side in (left, right))
    ):
        return _noneness(reader, state, left, op, right, truth=truth)
    kind = type(op)
    if kind not in _OPPOSITE:
        return state
    if not truth:
        kind = _OPPOSITE[kind]
    here = _side(reader, state, left, kind, right, strict=truth or kind in (ast.Eq, ast.NotEq))
    if here is None:
        return None
    return _side(reader, here, right, _MIRRORED[kind], left, strict=True)


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _noneness(
    reader: Reader, state: State, left: ast.expr, op: ast.cmpop, right: ast.expr, *, truth: bool
) -> State | None:
    if _none(left):
        left, right = right, left
    if not _none(right):
        return state
    same = isinstance(op, (ast.Is, ast.Eq)) == truth
    held = reader.value(left, state)
    # Values of libraries may call themselves equal to None, or answer with an array.
    odd = held.kinds & {"other", "object"} if isinstance(op, (ast.Eq, ast.NotEq)) else frozenset[str]()
    kinds = (held.kinds & {"none"}) | odd if same else held.kinds - {"none"}
    if not kinds:
        return None
    kept = consistent(replace(held, kinds=kinds))
    if kept is None:
        return None
    return _with(reader, state, left.id, kept) if isinstance(left, ast.Name) else state


def _side(
    reader: Reader, state: State, subject: ast.expr, kind: type[ast.cmpop], limit: ast.expr, *, strict: bool
) -> State | None:
    """What a comparison says of one of its sides.

    The operator is the one that holds among whole numbers; where a float may take part, nothing is said of the float.
    """
    held, bound = reader.value(subject, state), reader.value(limit, state)
    decided = _decided(held, kind, bound)
    if decided is False and (strict or (held.only(WHOLE) and bound.only(WHOLE))):
        return None
    if not bound.only(WHOLE):
        return state
    low, high = held.low, held.high
    if kind is ast.Lt:
        high = min(high, bound.high - 1)
    elif kind is ast.LtE:
        high = min(high, bound.high)
    elif kind is ast.Gt:
        low = max(low, bound.low + 1)
    elif kind is ast.GtE:
        low = max(low, bound.low)
    elif kind is ast.Eq:
        low, high = max(low, bound.low), min(high, bound.high)
    elif bound.low == bound.high:
        low = low + 1 if low == bound.low else low
        high = high - 1 if high == bound.high else high
    kinds = held.kinds
    if kind in (ast.Lt, ast.LtE, ast.Gt, ast.GtE):
        # Nothing else of the built-in kinds can be ordered with a number.
        kinds &= NUMBERS | {"other", "object"}
    elif kind is ast.Eq:
        kinds &= NUMBERS | {"other", "object"}
    kept = consistent(replace(held, kinds=kinds, low=low, high=high)) if kinds else None
    if kept is None:
        return None
    match subject:
        case ast.Name(id=name):
            return _with(reader, state, name, kept)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]) if "len" not in reader.shadowed:
            return _sized(reader, state, name, kept.low, kept.high)
        case _:
            return state


def _decided(held: Value, kind: type[ast.cmpop], bound: Value) -> bool | None:
    """Whether two known values compare so."""
    if not held.constant or not bound.constant:
        return None
    one, two = held.constant[0], bound.constant[0]
    if kind is ast.Eq:
        return one == two
    if kind is ast.NotEq:
        return one != two
    return None


def _of_class(reader: Reader, state: State, subject: ast.expr, kinds: ast.expr, *, truth: bool) -> State | None:
    """What `isinstance` says: by kind, where every class is a built-in one."""
    held = reader.value(subject, state)
    if reader.shadowed & ({"isinstance"} | set(_CLASSES)):
        return state
    named = [part.id if isinstance(part, ast.Name) else "" for part in class_nodes(kinds)]
    known = [_CLASSES[name] for name in named if name in _CLASSES]
    covered = frozenset[str]().union(*(part for part, _ in known))
    if truth:
        if len(known) < len(named):
            return state
        left = held.kinds & covered
    else:
        left = held.kinds - frozenset[str]().union(*(part for part, exact in known if exact))
    if not left:
        return None
    kept = consistent(replace(held, kinds=left)) if left != held.kinds else held
    if kept is None:
        return None
    return _with(reader, state, subject.id, kept) if isinstance(subject, ast.Name) else state


__all__ = ["SIZED", "assume"]
