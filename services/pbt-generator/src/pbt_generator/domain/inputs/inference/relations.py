"""Which parameters a function compares with each other, or looks up in each other: their values must be related.

Read from the syntax tree: a name depends on the parameters that its value was made from, and a comparison, a
membership test, a key or a search joins what its two sides depend on. Lengths and counters depend on nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pbt_generator.domain.oracle.syntax import FunctionNode

_SEARCHES = {
    "get", "index", "count", "startswith", "endswith", "find", "rfind", "remove", "discard", "replace", "split",
    "partition", "rsplit", "rpartition", "removeprefix", "removesuffix", "pop", "setdefault", "update", "issubset",
    "issuperset", "isdisjoint", "intersection", "difference", "symmetric_difference", "union", "strip", "lstrip",
    "rstrip", "relative_to", "is_relative_to", "match",
}  # fmt: skip
_COUNTS = {"len", "range", "isinstance", "type", "bool", "id", "hash"}
_JOINING = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
_MIXING = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Mod)

Pair = tuple[int, int]


def related_parameters(tree: FunctionNode) -> tuple[Pair, ...]:
    """Pairs of parameters, by place, whose values the function brings together; a pair may be one parameter twice.

    Example:
        >>> related_parameters(ast.parse("def f(names, known): return [n for n in names if n in known]").body[0])
        ((0, 1),)
    """
    arguments = tree.args
    listed = [*arguments.posonlyargs, *arguments.args]
    listed += [arguments.vararg] if arguments.vararg is not None else []
    listed += arguments.kwonlyargs
    reader = _Reader({argument.arg: frozenset({place}) for place, argument in enumerate(listed)})
    reader.settle(tree)
    pairs: dict[Pair, None] = {}
    for node in ast.walk(tree):
        for first, second in reader.joined(node):
            for a in sorted(first):
                for b in sorted(second):
                    pairs.setdefault((min(a, b), max(a, b)))
    return tuple(sorted(pairs))[:12]


_Places = frozenset[int]
_NOTHING: _Places = frozenset()


class _Reader:
    def __init__(self, names: dict[str, _Places]) -> None:
        self.names = names

    def settle(self, tree: FunctionNode) -> None:
        """Let what names depend on flow through assignments and loops until nothing changes."""
        for _ in range(4):
            before = dict(self.names)
            for node in ast.walk(tree):
                match node:
                    case ast.Assign(targets=targets, value=value):
                        for target in targets:
                            self.bind(target, value)
                    case ast.AnnAssign(target=target, value=ast.expr() as value):
                        self.bind(target, value)
                    case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                        self.bind(target, value)
                    case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                        self.loop(target, value)
                    case ast.withitem(optional_vars=ast.expr() as target, context_expr=value):
                        self.bind(target, value)
                    case ast.Call(func=ast.Attribute(value=ast.Name() as holder, attr=name), args=[*_, value]) if (
                        name in {"append", "add", "insert", "extend", "update", "setdefault"}
                    ):
                        self.bind(holder, value)
                    case _:
                        pass
            if before == self.names:
                return

    def loop(self, target: ast.expr, value: ast.expr) -> None:
        """Bind the target of a loop; the counter of `enumerate` depends on nothing, `zip` keeps its parts apart."""
        parts = target.elts if isinstance(target, ast.Tuple) else []
        match value:
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]) if len(parts) == 2:
                self.loop(parts[1], inner)
            case ast.Call(func=ast.Name(id="zip" | "zip_longest"), args=args) if len(parts) == len(args):
                for part, inner in zip(parts, args, strict=True):
                    self.bind(part, inner)
            case _:
                self.bind(target, value)

    def bind(self, target: ast.expr, value: ast.expr) -> None:
        """Note what a target depends on from now on, beside what it depended on before."""
        match target:
            case ast.Name(id=name):
                self.names[name] = self.names.get(name, _NOTHING) | self.of(value)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                values = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(targets) else None
                for place, inner in enumerate(targets):
                    self.bind(inner, values[place] if values is not None else value)
            case ast.Starred(value=inner):
                self.bind(inner, value)
            case ast.Subscript(value=ast.Name() as holder, slice=key):
                self.bind(holder, value)
                self.bind(holder, key)
            case _:
                pass

    def of(self, node: ast.AST | None) -> _Places:
        """The parameters that an expression's value is made from."""
        match node:
            case ast.Name(id=name):
                return self.names.get(name, _NOTHING)
            case ast.Call(func=ast.Name(id=name)) if name in _COUNTS:
                return _NOTHING
            case ast.Call(func=ast.Attribute(attr="keys" | "values" | "items", value=value)):
                return self.of(value)
            case ast.Subscript(value=value):
                return self.of(value)
            case ast.Compare() | ast.Constant() | ast.Lambda() | None:
                return _NOTHING
            case ast.ListComp(elt=elt) | ast.SetComp(elt=elt) | ast.GeneratorExp(elt=elt):
                return self.of(elt)
            case ast.IfExp(body=body, orelse=orelse):
                return self.of(body) | self.of(orelse)
            case _:
                return _NOTHING.union(*(self.of(child) for child in ast.iter_child_nodes(node)))

    def joined(self, node: ast.AST) -> Iterable[tuple[_Places, _Places]]:
        """The sides that one node brings together."""
        match node:
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                trees = [left, *comparators]
                for place, op in enumerate(ops):
                    # An order alone is met by numbers drawn one by one.
                    if isinstance(op, _JOINING):
                        yield self.of(trees[place]), self.of(trees[place + 1])
            case ast.Subscript(value=value, slice=key) if not isinstance(key, (ast.Slice, ast.Constant)):
                yield self.of(value), self.of(key)
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=[first, *_]) if name in _SEARCHES:
                yield self.of(value), self.of(first)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=[first, *_, last]):
                yield self.of(first), self.of(last)
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _MIXING):
                yield self.of(left), self.of(right)
            case _:
                pass
