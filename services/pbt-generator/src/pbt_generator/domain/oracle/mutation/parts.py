"""How many parts a value can have, and whether each is there once, as far as the form of its expression tells."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from pbt_generator.domain.oracle.syntax import FunctionNode, last_name, whole_number

# Functions and methods that give a fixed number of parts.
_FIXED = {
    "divmod": 2, "partition": 3, "rpartition": 3, "splitext": 2, "splitdrive": 2, "popitem": 2, "as_integer_ratio": 2,
    "modf": 2, "frexp": 2, "subn": 2, "span": 2, "isocalendar": 3, "urlsplit": 5, "urlparse": 6, "monthrange": 2,
    "polar": 2, "rgb_to_hsv": 3, "hsv_to_rgb": 3, "rgb_to_hls": 3, "hls_to_rgb": 3,
}  # fmt: skip
# Calls that give as many parts as they are given, or fewer.
_SAME = {"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "enumerate"}
_ONCE = {"set", "frozenset", "dict", "Counter", "OrderedDict", "defaultdict", "range"}
_ONCE_METHODS = {"items", "keys", "fromkeys"}
# Methods of sets and maps that give another of their kind.
_KEPT = {"copy", "union", "intersection", "difference", "symmetric_difference"}


@dataclass(frozen=True)
class Sizes:
    """What a program tells of the numbers of parts that its own names give.

    Attributes:
        functions: The most parts that each of its functions gives; None where that is not known.
        patterns: Names of compiled expressions: how many parts they cut depends on their groups.
    """

    functions: Mapping[str, int | None] = field(default_factory=dict[str, int | None])
    patterns: frozenset[str] = frozenset()


def most_parts(value: ast.expr, sizes: Sizes) -> int | None:
    """The most parts that a value can be taken apart in; None where its form does not tell.

    Args:
        value: The expression.
        sizes: What the program tells of its own names.

    Example:
        >>> [most_parts(ast.parse(each, mode="eval").body, Sizes()) for each in ("divmod(a, b)", "a[:3]", "a")]
        [2, 3, None]
    """
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return None if any(isinstance(part, ast.Starred) for part in parts) else len(parts)
        case ast.IfExp(body=body, orelse=orelse):
            sides = [most_parts(body, sizes), most_parts(orelse, sizes)]
            return None if None in sides else max(side for side in sides if side is not None)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in sizes.functions:
            return sizes.functions[name]
        case ast.Call(func=ast.Attribute(value=owner, attr="split" | "rsplit"), args=args, keywords=keywords):
            return None if _pattern(owner, sizes) else _cut(args, keywords)
        case ast.Call(func=ast.Name(id="map"), args=[_, source]):
            return most_parts(source, sizes)
        case ast.Call(func=ast.Name(id="zip"), args=[_, *_] as sources):
            known = [size for size in (most_parts(source, sizes) for source in sources) if size is not None]
            return min(known, default=None)
        case ast.Call(func=ast.Name(id=name), args=[source, *_]) if name in _SAME:
            return most_parts(source, sizes)
        case ast.Call(func=ast.Attribute(attr="partition" | "rpartition"), args=args) if len(args) != 1:
            return None  # of an array
        case ast.Call(func=ast.Name() | ast.Attribute() as called):
            return _FIXED.get(last_name(called))
        case ast.ListComp(generators=[each]) | ast.SetComp(generators=[each]) | ast.GeneratorExp(generators=[each]):
            return most_parts(each.iter, sizes)
        case ast.Subscript(value=held, slice=ast.Slice(lower=lower, upper=upper)):
            return _sliced(lower, upper, most_parts(held, sizes))
        case _:
            return None


def _pattern(owner: ast.expr, sizes: Sizes) -> bool:
    return last_name(owner) in sizes.patterns | {"re", "regex"} or _compiles(owner)


def _compiles(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and last_name(value.func) == "compile"


def _cut(args: list[ast.expr], keywords: list[ast.keyword]) -> int | None:
    given = args[1] if len(args) == 2 else next((each.value for each in keywords if each.arg == "maxsplit"), None)
    most = whole_number(given) if given is not None else None
    return most + 1 if most is not None and most >= 0 else None


def _sliced(lower: ast.expr | None, upper: ast.expr | None, held: int | None) -> int | None:
    first = whole_number(lower) if lower is not None else 0
    last = whole_number(upper) if upper is not None else None
    if first is None:
        return held
    if last is not None and (first < 0) == (last < 0):
        return max(last - first, 0)
    return -first if upper is None and first < 0 else held


def sizes_of(module: ast.Module) -> Sizes:
    """What a program tells of the numbers of parts that its functions give wherever they return, and its patterns.

    Example:
        >>> sizes_of(ast.parse("def f(a): return a, 1\\ndef g(a): return a")).functions
        {'f': 2, 'g': None}
    """
    nodes = list(ast.walk(module))
    bound = Counter(node.arg for node in nodes if isinstance(node, ast.arg))
    bound.update(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    functions = [node for node in nodes if isinstance(node, FunctionNode)]
    bound.update(function.name for function in functions)
    found: dict[str, int | None] = {}
    for function in functions:
        plain = not function.decorator_list and not isinstance(function, ast.AsyncFunctionDef)
        found[function.name] = _returned(function) if plain and bound[function.name] == 1 else None
    patterns = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _compiles(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return Sizes(found, frozenset(patterns))


def _returned(function: FunctionNode) -> int | None:
    inner = {id(node) for each in ast.walk(function) if _apart(each, function) for node in ast.walk(each)}
    own = [node for node in ast.walk(function) if id(node) not in inner]
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own):
        return None
    values = [node.value for node in own if isinstance(node, ast.Return) and node.value is not None]
    sizes = [most_parts(value, Sizes()) for value in values if not _nothing(value)]
    return None if None in sizes else max((size for size in sizes if size is not None), default=None)


def _apart(node: ast.AST, function: FunctionNode) -> bool:
    return node is not function and isinstance(node, (FunctionNode, ast.ClassDef, ast.Lambda))


def _nothing(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def once(value: ast.expr | None, held: Mapping[str, ast.expr]) -> bool:
    """Whether the members of a value are there once: those of a set, the keys of a map.

    Args:
        value: The expression; None for one that is not known.
        held: Names with the only value that they are given.

    Example:
        >>> [once(ast.parse(each, mode="eval").body, {}) for each in ("{*a}", "a.keys() - b", "set()", "[]")]
        [True, True, True, False]
    """
    match value:
        case ast.Set() | ast.SetComp() | ast.Dict() | ast.DictComp():
            return True
        case ast.Name(id=name) if name in held:
            return once(held[name], {other: each for other, each in held.items() if other != name})
        case ast.IfExp(body=body, orelse=orelse):
            return once(body, held) and once(orelse, held)
        case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.BitXor(), right=right):
            return once(left, held) or once(right, held)
        case ast.BinOp(left=left, op=ast.Sub()):
            return once(left, held)
        case ast.Call(func=ast.Name(id=name)):
            return name in _ONCE
        case ast.Call(func=ast.Attribute(value=owner, attr=attr)):
            sets = isinstance(owner, ast.Name) and owner.id in {"set", "frozenset"}
            return attr in _ONCE | _ONCE_METHODS or (attr in _KEPT and (sets or once(owner, held)))
        case _:
            return False


__all__ = ["Sizes", "most_parts", "once", "sizes_of"]
