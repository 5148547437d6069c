"""Does a result hang on an order that its input does not fix? Variants of a ground truth that tell.

A set has no order, yet Python walks through small integers upwards whatever the hash seed is, so that running under
other seeds does not show that a function gives away the order of a set of numbers. The order of a map is Python's own:
other languages have none. Both are tried by running the ground truth with another order.
"""

from __future__ import annotations

import ast
from typing import cast

# Walks through sets downwards by their texts; whatever makes a set out of one makes another one of this kind.
_OTHER_SETS = """
def _ts_wrap(value):
    kind = type(value)
    return _ts_Set(value) if kind is set else _ts_FrozenSet(value) if kind is frozenset else value


class _ts_Walk:
    def __iter__(self):
        base = set if isinstance(self, set) else frozenset
        return iter(sorted(base.__iter__(self), key=repr, reverse=True))

    def __repr__(self):
        inner = "{" + ", ".join(map(repr, self)) + "}" if self else ""
        return (inner or "set()") if isinstance(self, set) else f"frozenset({inner})"


class _ts_Set(_ts_Walk, set):
    def pop(self):
        for item in self:
            set.discard(self, item)
            return item
        raise KeyError("pop from an empty set")


class _ts_FrozenSet(_ts_Walk, frozenset):
    pass


def _ts_wrapped(method):
    return lambda self, *others: _ts_wrap(method(self, *others))


for _ts_name in (
    "__or__", "__and__", "__sub__", "__xor__", "__ror__", "__rand__", "__rsub__", "__rxor__", "copy",
    "union", "intersection", "difference", "symmetric_difference",
):
    setattr(_ts_Set, _ts_name, _ts_wrapped(getattr(set, _ts_name)))
    setattr(_ts_FrozenSet, _ts_name, _ts_wrapped(getattr(frozenset, _ts_name)))


def _ts_give(value):
    kind = type(value)
    if kind in (list, tuple):
        return kind(map(_ts_give, value))
    if kind is dict:
        return {key: _ts_give(item) for key, item in value.items()}
    return _ts_wrap(value)


def _ts_undone(value):
    kind = type(value)
    if kind in (list, tuple):
        return kind(map(_ts_undone, value))
    if kind is dict:
        return {_ts_undone(key): _ts_undone(item) for key, item in value.items()}
    if kind is _ts_Set:
        return set(map(_ts_undone, value))
    return frozenset(map(_ts_undone, value)) if kind is _ts_FrozenSet else value
"""
_OTHER_MAPS = """
def _ts_give(value):
    kind = type(value)
    if kind in (list, tuple):
        return kind(map(_ts_give, value))
    if kind is dict:
        return {key: _ts_give(item) for key, item in reversed(list(value.items()))}
    return value
"""
_PLAIN = """

def _ts_undone(value):
    return value
"""
_ENTRY = """
_ts_entry = {entry}


def {entry}(*args, **kwargs):
    return _ts_undone(_ts_entry(*map(_ts_give, args), **{{key: _ts_give(item) for key, item in kwargs.items()}}))
"""
_SETS = {"set": "_ts_Set", "frozenset": "_ts_FrozenSet"}


def with_other_sets(source: str, entry_point: str) -> str:
    """The program with every set walked through in another order; empty when it makes none and is given none.

    Args:
        source: The ground truth's program.
        entry_point: The function's name; the wrapper has it too.
    """
    module = ast.parse(source)
    writer = _Sets()
    module = writer.visit(module)
    if not writer.found:
        return ""
    ast.fix_missing_locations(module)
    return wrapped(f"{_future(module)}{_OTHER_SETS}\n{ast.unparse(module)}", entry_point)


def with_other_maps(source: str, entry_point: str) -> str:
    """The program with the entries of every map that it is given in the opposite order."""
    return wrapped(f"{source}\n{_OTHER_MAPS}", entry_point)


def wrapped(program: str, entry_point: str) -> str:
    """A program whose function is given what `_ts_give` makes of its arguments, and gives what `_ts_undone` makes.

    Args:
        program: The ground truth with a function `_ts_give`; without a function `_ts_undone` results stay as they are.
        entry_point: The function's name; the wrapper has it too.
    """
    plain = "" if "def _ts_undone(" in program else _PLAIN
    return f"{program}\n{plain}{_ENTRY.format(entry=entry_point)}"


def _future(module: ast.Module) -> str:
    """Imports of `__future__`, taken out: they must stand first."""
    ahead = [node for node in module.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    module.body = [node for node in module.body if node not in ahead]
    return "".join(f"{ast.unparse(node)}\n" for node in ahead)


class _Sets(ast.NodeTransformer):
    """Puts the other kind of set in the place of every set that a program makes."""

    def __init__(self) -> None:
        self.found = False

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in _SETS and isinstance(node.ctx, ast.Load):
            self.found = True
            return ast.Name(_SETS[node.id], ast.Load())
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in {"isinstance", "issubclass"}:
            # The other kinds are subclasses: the test holds as it stands.
            node.args[:1] = [cast("ast.expr", self.visit(argument)) for argument in node.args[:1]]
            return node
        return self.generic_visit(node)

    def visit_Set(self, node: ast.Set) -> ast.AST:
        self.found = True
        self.generic_visit(node)
        return _call("_ts_Set", ast.Tuple(node.elts, ast.Load()))

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        self.found = True
        self.generic_visit(node)
        return _call("_ts_Set", node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)):
            # Views of maps give sets too.
            views = any(map(_is_view, (node.left, node.right)))
            self.found = self.found or views
            return _call("_ts_wrap", node) if views else node
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        # A parameter that is declared a set is given one.
        names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        self.found = self.found or bool(names & {*_SETS, "Set", "AbstractSet", "FrozenSet", "MutableSet"})
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        # A result that is declared a set says nothing of an order.
        node.args = cast("ast.arguments", self.visit(node.args))
        node.body = [cast("ast.stmt", self.visit(statement)) for statement in node.body]
        return node


def _is_view(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"keys", "items"}


def _call(name: str, argument: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [argument], [])


def in_key_order(value: object) -> object:
    """A value whose maps have their entries in ascending order of the keys, integers before texts.

    What several languages share must not depend on the order in which somebody wrote a map.

    Example:
        >>> in_key_order([{"b": 1, "a": {"d": 2, "c": 3}}])
        [{'a': {'c': 3, 'd': 2}, 'b': 1}]
    """
    if type(value) is list:
        return [in_key_order(item) for item in cast("list[object]", value)]
    if type(value) is tuple:
        return tuple(in_key_order(item) for item in cast("tuple[object, ...]", value))
    if type(value) is dict:
        items = cast("dict[object, object]", value)
        if all(type(key) in (str, int) for key in items):
            keys = sorted(items, key=lambda key: (isinstance(key, str), key))
            return {key: in_key_order(items[key]) for key in keys}
        return {key: in_key_order(item) for key, item in items.items()}
    return value


def has_maps(text: str) -> bool:
    """Whether the portable text of an input may hold a map of more than one entry."""
    return "{" in text


def has_orders(value: object) -> bool:
    """Whether a value has a map of more than one entry in it.

    Example:
        >>> has_orders([{"a": 1}]), has_orders([{"a": 1, "b": 2}])
        (False, True)
    """
    if type(value) in (list, tuple):
        return any(map(has_orders, cast("list[object]", value)))
    if type(value) is dict:
        items = cast("dict[object, object]", value)
        return len(items) > 1 or any(map(has_orders, items.values()))
    return False
