"""What the expressions of one function give, in a state that says what its variables hold."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from pbt_generator.domain.oracle.proofs import abstract_expressions as expressions
from pbt_generator.domain.oracle.proofs.abstract_values import (
    ANY,
    DATA_KINDS,
    FIXED,
    Value,
    being,
    constant,
    joined,
    of_kind,
    shrunk,
    truths,
)
from pbt_generator.domain.oracle.proofs.assumptions import assume

State = dict[str, Value]
BUILTINS = {
    "len", "str", "repr", "chr", "ascii", "hex", "bin", "oct", "format", "ord", "int", "float", "bool", "isinstance",
    "issubclass", "callable", "hasattr", "any", "all", "round", "abs", "min", "max", "list", "tuple", "sorted", "set",
    "frozenset", "dict", "range", "enumerate", "reversed",
}  # fmt: skip


class Evaluation:
    """What is known of one function's names, and how its expressions are read.

    Attributes:
        outcomes: Which way tests can turn: a node's identity and the outcome.
        untracked: Variables of which nothing is known.
        fragile: Variables whose value may be changed in place.
        shadowed: Builtins that have another meaning here.
        tables: The program uses libraries of arrays or tables.
        rounders: How the program calls `floor`, `ceil` and `trunc` of `math`.
    """

    def __init__(self) -> None:
        self.outcomes: set[tuple[int, str]] = set()
        self.untracked: set[str] = set()
        self.fragile: set[str] = set()
        self.shadowed: set[str] = set()
        self.tables = False
        self.rounders: frozenset[str] = frozenset()

    def put(self, state: State, name: str, value: Value) -> None:
        """Write a variable."""
        if name in self.untracked:
            return
        for other, held in list(state.items()):
            if held.measures == name:
                state[other] = replace(held, measures="")
        if value.measures == name:
            value = replace(value, measures="")
        # An iterator is spent by the first who asks it.
        state[name] = shrunk(value) if name in self.fragile or "object" in value.kinds else value

    def bind(self, state: State, target: ast.expr, value: Value) -> None:
        """Write a target."""
        match target:
            case ast.Name(id=name):
                self.put(state, name, value)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                known = value.items if value.items is not None and value.only(frozenset({"list", "tuple"})) else None
                if known is not None and len(known) == len(parts):
                    for part, piece in zip(parts, known, strict=True):
                        self.bind(state, part, piece)
                    return
                for part in parts:
                    starred = isinstance(part, ast.Starred)
                    self.bind(state, part.value if starred else part, of_kind("list") if starred else value.part())
            case ast.Subscript(value=owner, slice=index):
                self.value(owner, state)
                self.value(index, state)
            case ast.Attribute(value=owner):
                self.value(owner, state)
            case _:
                pass

    def value(self, node: ast.expr, state: State) -> Value:
        """What an expression gives in a state."""
        match node:
            case ast.Constant(value=held):
                return constant(held)
            case ast.Name(id=name):
                return ANY if name in self.untracked else state.get(name, ANY)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                kind = "list" if isinstance(node, ast.List) else "tuple"
                values = [self.value(part, state) for part in parts]
                if any(isinstance(part, ast.Starred) for part in parts):
                    return of_kind(kind)
                return of_kind(kind, items=tuple(values), least=len(values), most=len(values))
            case ast.Set(elts=parts):
                values = [self.value(part, state) for part in parts]
                return of_kind("set", least=1, most=len(values))
            case ast.Dict(keys=keys, values=parts):
                for part in (*keys, *parts):
                    if part is not None:
                        self.value(part, state)
                return of_kind("dict", least=1 if any(key is not None for key in keys) else 0)
            case ast.JoinedStr(values=parts):
                least = 0
                for part in parts:
                    if isinstance(part, ast.FormattedValue):
                        self.value(part.value, state)
                        if part.format_spec is not None:
                            self.value(part.format_spec, state)
                    elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                        least += len(part.value)
                return of_kind("str", least=least)
            case ast.BinOp(left=left, op=op, right=right):
                return expressions.binary(self.value(left, state), op, self.value(right, state))
            case ast.UnaryOp(op=op, operand=operand):
                return _unary(op, self.value(operand, state))
            case ast.BoolOp(op=op, values=parts):
                return self.connected(op, parts, state)
            case ast.Compare(left=left, ops=ops, comparators=rest):
                values = [self.value(left, state), *(self.value(part, state) for part in rest)]
                plain = all(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in ops)
                known = FIXED | {"list", "tuple", "dict", "set"}
                return of_kind("bool") if plain or all(value.only(known) for value in values) else ANY
            case ast.IfExp():
                return self.choice(node, state)
            case ast.Call():
                return self.call(node, state)
            case ast.Subscript(value=owner, slice=index):
                held = self.value(owner, state)
                at = self.value(index, state) if not isinstance(index, ast.Slice) else ANY
                if isinstance(index, ast.Slice):
                    for bound in (index.lower, index.upper, index.step):
                        if bound is not None:
                            self.value(bound, state)
                return expressions.subscript(held, at, sliced=isinstance(index, ast.Slice))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self.comprehension(node, state)
            case ast.Lambda():
                self.anything(node)
                return ANY
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.value(child, state)
                return ANY

    def anything(self, node: ast.AST) -> None:
        """What runs elsewhere may turn either way."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.IfExp):
                self.outcomes |= {(id(inner), "true"), (id(inner), "false")}

    def connected(self, op: ast.boolop, parts: Sequence[ast.expr], state: State) -> Value:
        """Operands of `and` and `or`, each with what the ones before it say."""
        found: list[Value] = []
        here: State | None = state
        going = isinstance(op, ast.And)
        for place, part in enumerate(parts):
            if here is None:
                break
            given = self.value(part, here)
            kept = given if place == len(parts) - 1 else being(given, truth=not going)
            if kept is not None:
                found.append(kept)
            here = assume(self, here, part, truth=going)
        return joined(*found) if found else ANY

    def choice(self, node: ast.IfExp, state: State) -> Value:
        """A conditional expression."""
        self.value(node.test, state)
        found: list[Value] = []
        for truth, arm, outcome in ((True, node.body, "true"), (False, node.orelse, "false")):
            inside = assume(self, state, node.test, truth=truth)
            if inside is not None:
                self.outcomes.add((id(node), outcome))
                found.append(self.value(arm, inside))
        return joined(*found) if found else ANY

    def call(self, node: ast.Call, state: State) -> Value:
        """A call of a builtin, or of a method of a built-in kind."""
        values = [self.value(part.value if isinstance(part, ast.Starred) else part, state) for part in node.args]
        for keyword in node.keywords:
            self.value(keyword.value, state)
        if any(isinstance(part, ast.Starred) for part in node.args):
            return ANY
        if len(values) == 1 and ast.unparse(node.func) in self.rounders:
            # Whatever has these gives a whole number.
            return of_kind("int")
        match node.func:
            case ast.Name(id=name):
                if name not in BUILTINS or name in self.shadowed or name in self.untracked:
                    return ANY
                if name == "round" and len(values) == 1 and values[0].only(DATA_KINDS) and not self.tables:
                    # Rounded to no digits, numbers of every kind are whole.
                    return replace(expressions.function(name, values, 0), kinds=frozenset({"int"}))
                result = expressions.function(name, values, len(node.keywords))
                if name == "len" and len(node.args) == 1 and isinstance(node.args[0], ast.Name):
                    return replace(result, measures=node.args[0].id)
                return result
            case ast.Attribute(value=owner, attr=attr):
                receiver = self.value(owner, state)
                if attr == "replace" and self.tables and "other" in receiver.kinds:
                    return ANY
                if attr in {"items", "keys", "values"} and receiver.data and not self.tables:
                    # Of data, only maps and tables have them.
                    receiver = replace(receiver, kinds=receiver.kinds - {"other"})
                return expressions.method(receiver, attr, values, len(node.keywords))[0]
            case other:
                self.value(other, state)
                return ANY

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, state: State) -> Value:
        """A comprehension: its parts once, for all rounds."""
        inside: State | None = dict(state)
        first: Value | None = None
        for generator in node.generators:
            if inside is None:
                break
            given = self.value(generator.iter, inside)
            first = given if first is None else first
            self.bind(inside, generator.target, given.part())
            for test in generator.ifs:
                if inside is not None:
                    self.value(test, inside)
                    inside = assume(self, inside, test, truth=True)
        if isinstance(node, ast.GeneratorExp):
            # It runs when it is asked, with what its variables hold then.
            self.anything(node)
            return ANY
        part = ANY
        if inside is not None:
            if isinstance(node, ast.DictComp):
                self.value(node.key, inside)
                self.value(node.value, inside)
            else:
                part = self.value(node.elt, inside)
        kind = {"ListComp": "list", "SetComp": "set", "DictComp": "dict"}[type(node).__name__]
        whole = len(node.generators) == 1 and not node.generators[0].ifs and first is not None
        if not whole or first is None or not first.only(DATA_KINDS):
            return of_kind(kind, element=part if kind == "list" else None)
        least = first.least if kind == "list" else min(first.least, 1)
        return of_kind(kind, least=least, most=first.most, element=part if kind == "list" else None)


def _unary(op: ast.unaryop, value: Value) -> Value:
    if isinstance(op, ast.Not):
        known = truths(value)
        return constant(not next(iter(known))) if len(known) == 1 else of_kind("bool")
    if isinstance(op, ast.USub) and value.only(frozenset({"int", "bool"})):
        if value.constant and isinstance(value.constant[0], int):
            return constant(-value.constant[0])
        return of_kind("int", low=-value.high, high=-value.low)
    return of_kind("float") if isinstance(op, ast.USub) and value.only(frozenset({"float"})) else ANY


def rounders_of(module: ast.Module) -> frozenset[str]:
    """How a program calls `floor`, `ceil` and `trunc` of the standard library's `math`; no name that means more.

    Example:
        >>> sorted(rounders_of(ast.parse("import math\\nfrom math import ceil as up, floor\\nfloor = len")))
        ['math.ceil', 'math.floor', 'math.trunc', 'up']
    """
    wholes = ("floor", "ceil", "trunc")
    found: dict[str, set[str]] = {}
    others: set[str] = set()
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    name = alias.asname or alias.name.partition(".")[0]
                    found.setdefault(name, set()).add("math" if alias.name == "math" else "")
            case ast.ImportFrom(module=source, names=names):
                for alias in names:
                    known = source == "math" and alias.name in wholes
                    found.setdefault(alias.asname or alias.name, set()).add("call" if known else "")
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                others.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                others.add(name)
            case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
                others.add(name)
            case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
                others.add(name)
            case _:
                pass
    sure = {name: kinds for name, kinds in found.items() if name not in others}
    called = {name for name, kinds in sure.items() if kinds == {"call"}}
    return frozenset(
        called | {f"{name}.{each}" for name, kinds in sure.items() if kinds == {"math"} for each in wholes}
    )
