"""Which tasks of one module are nearly the same: their code differs in names, constants and the sign of a comparison.

`lt`, `le` and `gt` of a class, `is_x` and `is_y` of a module are one question asked several times; so are the tasks
that two versions of the builder made of one function. One of them ranks, the others are marked as similar to it; who
names them gets them.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

_SIGNS: tuple[tuple[tuple[type[ast.cmpop], ...], str], ...] = (
    ((ast.Lt, ast.LtE, ast.Gt, ast.GtE), "order"),
    ((ast.Eq, ast.NotEq), "equal"),
    ((ast.Is, ast.IsNot), "is"),
    ((ast.In, ast.NotIn), "in"),
)
_BUILTINS = frozenset(dir(builtins))
# Of no use in telling what a function does.
_PASSED_OVER = {"annotation", "returns", "decorator_list", "type_comment", "type_params", "ctx", "kind", "lineno"}


@dataclass(frozen=True)
class Comparable:
    """A task as it is compared with others.

    Attributes:
        task_id: Its id.
        place: Where its code stands: package or repository, and file.
        qualname: The function's name there.
        likeness: What `likeness_of` gives for its code; empty where nobody knows.
        described: Its words suffice.
        function_id: The function that it was made of; empty where nobody knows.
    """

    task_id: str
    place: tuple[str, str]
    qualname: str
    likeness: str
    described: bool = False
    function_id: str = ""


@lru_cache(maxsize=1 << 14)
def likeness_of(code: str) -> str:
    """32 hexadecimal characters, equal for code that differs in names, constants and signs of comparisons alone.

    Docstrings, annotations and decorators do not count; what is called does, and so do builtins, whose names are no
    choice of the author's. Empty for what does not parse, and for no code.

    Example:
        >>> first, second = "def lt(a, b):\\n    return a.n < b.n", "def ge(x, y):\\n    return x.size >= y.size"
        >>> likeness_of(first) == likeness_of(second)
        True
        >>> likeness_of(first) == likeness_of("def f(a, b): return b.n < a.n")
        False
        >>> likeness_of("def f(xs): return min(xs)") == likeness_of("def f(xs): return sum(xs)")
        False
    """
    try:
        tree = ast.parse(code)
        text = "\0".join(_tokens(tree, {}, _own(tree)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32] if tree.body else ""


def _own(tree: ast.AST) -> frozenset[str]:
    """Names that the code itself gives something: parameters, variables, functions."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case _:
                pass
    return frozenset(found)


def _tokens(node: ast.AST, names: dict[str, str], own: frozenset[str], *, called: bool = False) -> Iterator[str]:
    """A tree in order; names that stand alone are numbered as they come, those of attributes say nothing."""
    match node:
        case ast.cmpop():
            yield next((word for kinds, word in _SIGNS if isinstance(node, kinds)), type(node).__name__)
            return
        case ast.Constant(value=value):
            yield "number" if type(value) in (int, float) else type(value).__name__
            return
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items) if items and _fixed(items):
            # However long a table is.
            yield f"{type(node).__name__} of constants"
            return
        case ast.Dict(keys=keys, values=values) if keys and _fixed([*keys, *values]):
            yield "Dict of constants"
            return
        case ast.Expr(value=ast.Constant(value=str())):
            return
        case _:
            pass
    yield f"<{type(node).__name__}"
    for field, value in ast.iter_fields(node):
        if field in _PASSED_OVER:
            continue
        for part in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType]
            if isinstance(part, ast.AST):
                yield from _tokens(part, names, own, called=isinstance(node, ast.Call) and field == "func")
            elif isinstance(part, str) and part not in own and (called or part in _BUILTINS):
                yield part
            elif isinstance(part, str):
                alone = isinstance(node, (ast.Name, ast.arg)) or field == "name"
                yield names.setdefault(part, f"v{len(names)}") if alone else "."
            elif part is not None:
                yield str(part)  # pyright: ignore[reportUnknownArgumentType]
    yield ">"


def _fixed(items: Iterable[ast.expr | None]) -> bool:
    return all(isinstance(each, ast.Constant) for each in items)


def similar(tasks: Iterable[Comparable]) -> dict[str, str]:
    """Tasks that are nearly the same as another one of their file, each with the id of the one that ranks for them.

    That one is the first by name of those whose words suffice, else of all. Tasks of one name in a file are of
    different versions of the code, and are not similar to each other; those of one function are.

    Example:
        >>> place, same = ("shelf", "a.py"), likeness_of("def f(x): return x < 1")
        >>> similar([Comparable("2", place, "le", same), Comparable("3", place, "lt", same),
        ...          Comparable("1", ("other", "a.py"), "lt", same)])
        {'3': '2'}
    """
    functions: dict[str, list[Comparable]] = {}
    groups: dict[tuple[tuple[str, str], str], list[Comparable]] = {}
    for each in tasks:
        functions.setdefault(each.function_id or f"of {each.task_id}", []).append(each)
    of_function = {each.task_id: _first(made).task_id for made in functions.values() for each in made}
    for each in map(_first, functions.values()):
        if each.likeness:
            groups.setdefault((each.place, each.likeness), []).append(each)
    found: dict[str, str] = {}
    for group in groups.values():
        first = _first(group)
        found |= {each.task_id: first.task_id for each in group if each.qualname != first.qualname}
    ranking = {task_id: found.get(first, first) for task_id, first in of_function.items()}
    return {task_id: other for task_id, other in ranking.items() if other != task_id}


def _first(tasks: Iterable[Comparable]) -> Comparable:
    return min(tasks, key=lambda each: (not each.described, each.qualname, each.task_id))


__all__ = ["Comparable", "likeness_of", "similar"]
