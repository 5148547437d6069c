"""Does a result hang on an order that its input does not fix? Variants of a ground truth that tell.

A set has no order, yet Python walks through small integers upwards whatever the hash seed is, so that running under
other seeds does not show that a function gives away the order of a set of numbers. The order of a map is Python's own:
other languages have none. Both are tried by running the ground truth with another order.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import cast

from pbt_generator.domain.oracle.syntax import FunctionNode, called_as, named_as, names_bound_by

# Walks through sets downwards by their texts; whatever makes a set out of one makes another one of this kind.
_OTHER_SETS = """
import collections as _ts_collections
import copy as _ts_copy
import operator as _ts_operator
import types as _ts_types


def _ts_wrap(value):
    kind = type(value)
    return _ts_Set(value) if kind is set else _ts_FrozenSet(value) if kind is frozenset else value


class _ts_Walk:
    def __iter__(self):
        items = list((set if isinstance(self, set) else frozenset).__iter__(self))
        return iter(sorted(items, key=repr, reverse=True))

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


_ts_Set.__name__ = _ts_Set.__qualname__ = "set"
_ts_FrozenSet.__name__ = _ts_FrozenSet.__qualname__ = "frozenset"


def _ts_wrapping(function):
    return lambda *given, **named: _ts_wrap(function(*given, **named))


def _ts_changed(operate, value, other):
    result = operate(value, other)
    return result if result is value else _ts_wrap(result)


def _ts_change_item(operate, holder, key, other):
    holder[key] = _ts_changed(operate, holder[key], other)


def _ts_change_attribute(operate, holder, name, other):
    setattr(holder, name, _ts_changed(operate, getattr(holder, name), other))


def _ts_through(change, value):
    # Whatever the codec goes through.
    kind = type(value)
    if kind in (list, tuple):
        return kind(change(item) for item in value)
    if kind in (dict, _ts_collections.OrderedDict, _ts_collections.Counter):
        made = kind()
        for key, item in kind.items(value):
            made[change(key)] = change(item)
        return made
    if kind is _ts_collections.defaultdict:
        factory = _ts_PLAIN.get(value.default_factory, value.default_factory)
        return kind(factory, {change(key): change(item) for key, item in dict.items(value)})
    if kind is _ts_collections.deque:
        return kind((change(item) for item in value), value.maxlen)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return tuple.__new__(kind, (change(item) for item in tuple.__iter__(value)))
    if hasattr(kind, "__dataclass_fields__"):
        made = _ts_copy.copy(value)
        for name in kind.__dataclass_fields__:
            if hasattr(value, name):
                object.__setattr__(made, name, change(getattr(value, name)))
        return made
    return value


_ts_PLAIN = {_ts_Set: set, _ts_FrozenSet: frozenset}


def _ts_give(value):
    kind = type(value)
    return _ts_wrap(value) if kind in (set, frozenset) else _ts_through(_ts_give, value)


def _ts_got(value):
    # Also where a library gives one thing after the other.
    return map(_ts_give, value) if isinstance(value, _ts_types.GeneratorType) else _ts_give(value)


def _ts_undone(value):
    plain = _ts_PLAIN.get(type(value))
    return _ts_through(_ts_undone, value) if plain is None else plain(map(_ts_undone, value))
"""
_TURNED, _AS_IT_IS = "sorted(items, key=repr, reverse=True)", "items"
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
# Operators that may give a set, as `operator` calls them, and the methods that do the same.
_GIVING_SETS: dict[type[ast.operator], str] = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.Sub: "sub"}
_METHODS = {f"__{side}{name}__" for side in ("", "r", "i") for name in _GIVING_SETS.values()}
# Libraries of others that give no sets.
_SETLESS = {"numpy", "pandas", "scipy", "mpmath", "dateutil", "regex", "typing_extensions"}
_SCOPES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp,
)  # fmt: skip
_CALLED = [f"{name}{last}" for name in ("and", "or", "xor", "sub") for last in ("", "_")]


def with_other_sets(source: str, entry_point: str, *, given: bool = False, turned: bool = True) -> str:
    """The program with every set walked through in another order; empty when none can come up in it.

    Where it is given no set, makes none, and has no operator that gives one, also of two views of maps, there is none.

    Args:
        source: The ground truth's program.
        entry_point: The function's name; the wrapper has it too.
        given: Whether its arguments hold sets.
        turned: Whether the order is another one; without, only the kind of set is, so that what fails hangs on that.
    """
    module = ast.parse(source)
    writer = _Sets(module, given=given)
    module = writer.visit(module)
    if not writer.found:
        return ""
    ast.fix_missing_locations(module)
    others = _OTHER_SETS if turned else _OTHER_SETS.replace(_TURNED, _AS_IT_IS)
    return wrapped(f"{_future(module)}{others}\n{ast.unparse(module)}", entry_point)


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

    def __init__(self, module: ast.Module, *, given: bool) -> None:
        self.found = given
        self._operators = called_as(module, "operator", _CALLED)
        self._libraries = _giving_libraries(module)
        self._called = {text: name for text, (_, name) in named_as(module, {"builtins": _SETS}).items()}
        # Names of the language's that mean something else where it stands; those of a class's body are no function's.
        self._own: set[str] = set()
        self._seen: set[str] = set()

    def visit_Name(self, node: ast.Name) -> ast.AST:
        kind = self._called.get(node.id, "" if node.id in self._own else node.id)
        return self._made(kind) if kind in _SETS and isinstance(node.ctx, ast.Load) else self._giving(node)

    def _made(self, name: str) -> ast.Name:
        self.found = True
        return ast.Name(_SETS[name], ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in {"isinstance", "issubclass"}:
            # The other kinds are subclasses: the test holds as it stands.
            node.args[:1] = [cast("ast.expr", self.visit(argument)) for argument in node.args[:1]]
            return node
        given = _root(node.func) in self._libraries
        self.generic_visit(node)
        self.found = self.found or given
        return _call("_ts_got", node) if given else node

    def visit_Set(self, node: ast.Set) -> ast.AST:
        self.found = True
        self.generic_visit(node)
        return _call("_ts_Set", ast.Tuple(node.elts, ast.Load()))

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        self.found = True
        return _call("_ts_Set", cast("ast.expr", self._scope(node)))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if type(node.op) not in _GIVING_SETS or any(map(_is_number, (node.left, node.right))):
            return node
        # Views of maps give sets too, and so may what a library made: what is none stays as it is.
        self.found = True
        return _call("_ts_wrap", node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        name = _GIVING_SETS.get(type(node.op))
        if name is None or _is_number(node.value):
            return node
        self.found = True
        operate: list[ast.expr] = [ast.Attribute(ast.Name("_ts_operator", ast.Load()), f"i{name}", ast.Load())]
        match node.target:
            case ast.Name(id=target):
                changed = _call("_ts_changed", *operate, ast.Name(target, ast.Load()), node.value)
                return ast.Assign([node.target], changed)
            case ast.Subscript(value=holder, slice=key) if not isinstance(key, ast.Slice):
                return ast.Expr(_call("_ts_change_item", *operate, holder, key, node.value))
            case ast.Attribute(value=holder, attr=target) if not _is_mangled(target):
                return ast.Expr(_call("_ts_change_attribute", *operate, holder, ast.Constant(target), node.value))
            case _:
                return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        # What a name is declared to be makes no set.
        node.value = None if node.value is None else cast("ast.expr", self.visit(node.value))
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if self._called and isinstance(node.ctx, ast.Load) and (kind := self._called.get(ast.unparse(node))):
            return self._made(kind)
        self.generic_visit(node)
        return self._giving(node)

    def _giving(self, node: ast.Name | ast.Attribute) -> ast.expr:
        """What stands there, with its results as the other kind of set where it is an operator that is called."""
        method = isinstance(node, ast.Attribute) and node.attr in _METHODS
        if not isinstance(node.ctx, ast.Load) or not (method or ast.unparse(node) in self._operators):
            return node
        self.found = True
        return _call("_ts_wrapping", node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        # What a parameter is declared to be makes no set.
        return node

    def visit_FunctionDef(self, node: FunctionNode) -> ast.AST:
        # A result that is declared a set says nothing of an order.
        node.args = cast("ast.arguments", self.visit(node.args))
        with self._inside(node):
            node.body = [cast("ast.stmt", self.visit(statement)) for statement in node.body]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def _scope(self, node: ast.AST) -> ast.AST:
        with self._inside(node):
            return self.generic_visit(node)

    visit_Module = visit_ClassDef = visit_Lambda = visit_ListComp = visit_DictComp = visit_GeneratorExp = _scope

    @contextmanager
    def _inside(self, node: ast.AST) -> Generator[None]:
        outer = self._own, self._seen
        own = _SETS.keys() & _bound_in(node)
        self._own = self._seen | own
        self._seen = self._seen if isinstance(node, ast.ClassDef) else self._own
        yield
        self._own, self._seen = outer


def _bound_in(scope: ast.AST) -> set[str]:
    """Names that a module, a class, a function or a comprehension binds itself."""
    found = set[str]()
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        found.update(names_bound_by(node))
        if not isinstance(node, _SCOPES):
            waiting.extend(ast.iter_child_nodes(node))
    return found


def _is_number(node: ast.expr) -> bool:
    """Whether an operand is a number, so that no set comes of it."""
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float, complex))


def _giving_libraries(module: ast.Module) -> frozenset[str]:
    """Names of what is imported from libraries that may give sets: others' own, but for those of numbers."""
    found: set[str] = set()
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                found |= {each.asname or each.name.split(".")[0] for each in names if _gives_sets(each.name)}
            case ast.ImportFrom(module=str(library), names=names) if _gives_sets(library):
                found |= {each.asname or each.name for each in names}
            case _:
                pass
    return frozenset(found)


def _gives_sets(library: str) -> bool:
    root = library.split(".")[0]
    return root not in sys.stdlib_module_names and root not in _SETLESS


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_mangled(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


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


def has_sets(text: str) -> bool:
    """Whether the portable text of an input holds a set.

    Example:
        >>> has_sets('[{"$":"frozenset","v":[1]}]'), has_sets('[["set"]]')
        (True, False)
    """
    return '"$":"set"' in text or '"$":"frozenset"' in text


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
