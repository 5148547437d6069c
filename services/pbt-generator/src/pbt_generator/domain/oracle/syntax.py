"""Names in syntax trees, as all who read programs need them."""

from __future__ import annotations

import ast
import operator
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Statements that may catch what is raised within them.
CATCHING = (ast.Try, ast.TryStar, ast.With, ast.AsyncWith)

# What `ast.literal_eval` raises for foreign text or code: `01`, `f(1)`, a list as a key, brackets nested too deeply.
NO_LITERAL = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)

# What is asked by these is asked by a name, which a program may compute.
ASKING = frozenset({"getattr", "setattr", "hasattr", "delattr"})
# By these a function reads names that it does not say.
READING_ALL = frozenset({"locals", "vars", "dir", "eval", "exec"})
# Where the name is from that is false whenever a program runs.
_TYPING, _CHECKING = {"typing", "typing_extensions"}, "TYPE_CHECKING"
# What each comparison of two values decides.
ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip


def entry_function(source: str, entry_point: str) -> FunctionNode:
    """The function of a program that is called; of several of its name the last one."""
    return next(
        node for node in reversed(ast.parse(source).body) if isinstance(node, FunctionNode) and node.name == entry_point
    )


class OwnLoad(ast.Load):
    """How a name is read that stands for a constant elsewhere, and that a program gives a meaning of its own."""


def parsed(source: str) -> ast.Module:
    """The tree of a program, in which `TYPE_CHECKING` and `sys` are read as its own where they are no library's.

    Raises:
        SyntaxError: it is no program.
    """
    module = ast.parse(source)
    nodes = list(ast.walk(module))
    bound = bound_names(module)
    given = Counter[str]()
    typing: set[str] = set()
    for node in nodes:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    own = alias.asname or alias.name
                    given[own] += own == alias.name == "sys"
                    typing |= {own} if alias.name in _TYPING else set()
            case ast.ImportFrom(module=library, names=names) if library in _TYPING:
                given[_CHECKING] += any(alias.name == _CHECKING == (alias.asname or alias.name) for alias in names)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=False)) if name == _CHECKING:
                given[name] += 1
            case _:
                pass
    own = {name for name in (_CHECKING, "sys") if bound[name] != given[name]}
    typing = {name for name in typing if bound[name] == 1}
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name in own:
                node.ctx = OwnLoad()
            case ast.Attribute(value=ast.Name(id=name), ctx=ast.Load()) if name in typing:
                pass
            case ast.Attribute(attr=name, ctx=ast.Load()) if name == _CHECKING:
                node.ctx = OwnLoad()
            case _:
                pass
    return module


def statements_of(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block, and of all blocks in it that run where it runs: those of functions and classes do not.

    Example:
        >>> text = "if v:\\n def a(): b = 1\\nelse:\\n try: c = 1\\n except E: d = 1"
        >>> [type(each).__name__ for each in statements_of(ast.parse(text).body)]
        ['If', 'FunctionDef', 'Try', 'Assign', 'Assign']
    """
    for each in body:
        yield each
        if not isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from statements_of(blocks_of(each))


def blocks_of(node: ast.stmt) -> list[ast.stmt]:
    """The statements of the blocks of a statement, in their order."""
    found: list[ast.stmt] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            found.append(child)
        elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
            found += child.body
    return found


def takes_all(case: ast.match_case) -> bool:
    """Whether everything that comes to a case enters it.

    Example:
        >>> cases = ast.parse("match v:\\n case [_]: pass\\n case _ if v: pass\\n case int() | _: pass").body[0].cases
        >>> [takes_all(case) for case in cases]
        [False, False, True]
    """
    return case.guard is None and _irrefutable(case.pattern)


def _irrefutable(pattern: ast.pattern) -> bool:
    match pattern:
        case ast.MatchAs(pattern=inner):
            return inner is None or _irrefutable(inner)
        case ast.MatchOr(patterns=patterns):
            return any(map(_irrefutable, patterns))
        case _:
            return False


def functions_of(owner: ast.ClassDef) -> list[FunctionNode]:
    """The functions that the body of a class defines, in its tests of a version and other blocks as well."""
    return [each for each in statements_of(owner.body) if isinstance(each, FunctionNode)]


def docstring_first(body: Sequence[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The statement that documents a function or a class, if there is one, and the statements behind it."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str())) as words, *rest]:
            return [words], rest
        case _:
            return [], list(body)


def named_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """The parameters of a function in order, without those that take all further arguments."""
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def placed_parameters(arguments: ast.arguments) -> list[tuple[ast.arg, ast.expr | None]]:
    """The parameters of a function that are given by place, in order, each with its default where it has one."""
    placed = [*arguments.posonlyargs, *arguments.args]
    lacking: list[ast.expr | None] = [None] * (len(placed) - len(arguments.defaults))
    return list(zip(placed, [*lacking, *arguments.defaults], strict=True))


def parameter_names(function: FunctionNode) -> list[str]:
    """The names of these parameters."""
    return [parameter.arg for parameter in named_parameters(function.args)]


def last_name(node: ast.expr) -> str:
    """The last part of a dotted name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case _:
            return ""


def spelled(name: str) -> frozenset[str]:
    """What a name may be written as: the private ones of a class have its name in front wherever else they are said.

    Example:
        >>> sorted(spelled("_Box__size")), sorted(spelled("__size")), sorted(spelled("_size"))
        (['_Box__size', '__size'], ['__size'], ['_size'])
    """
    found = [name]
    if re.match("_[^_]", name):
        found += [name[place:] for place in range(2, len(name)) if name.startswith("__", place)]
    return frozenset(found)


def is_call_of(call: ast.Call, name: str) -> bool:
    """Whether a call is of a function by its name, the private one of its package or the public one of its task.

    Example:
        >>> [is_call_of(ast.parse(call, mode="eval").body, "cut") for call in ("_cut(1)", "self.cut()", "cutter()")]
        [True, True, False]
    """
    return last_name(call.func).strip("_") == name.strip("_")


def class_names(node: ast.expr) -> list[str]:
    """The class names in the second argument of isinstance."""
    return [name for name in map(last_name, class_nodes(node)) if name]


def class_nodes(node: ast.expr) -> list[ast.expr]:
    """The classes in the second argument of isinstance, each by itself."""
    match node:
        case ast.Tuple(elts=items):
            return [inner for item in items for inner in class_nodes(item)]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*class_nodes(left), *class_nodes(right)]
        case _:
            return [node]


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is a literal, or a table of them, and no code."""
    try:
        ast.literal_eval(node)
    except NO_LITERAL:
        return False
    return True


def bound_names(module: ast.Module) -> Counter[str]:
    """Names that a program gives a meaning, and how often it does."""
    return Counter(name for node in ast.walk(module) for name in names_bound_by(node))


def names_bound_by(node: ast.AST) -> list[str]:
    """Names to which a node by itself gives a meaning where it stands."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
        case ast.alias():
            return [node.asname or node.name.split(".")[0]]
        case _:
            return []


def may_be_methods(module: ast.Module) -> frozenset[str]:
    """Names that something in a program may have as a method of its own, or as an attribute that is called like one."""
    return set_otherwise(module) | bound_names(module).keys()


def set_otherwise(module: ast.Module) -> frozenset[str]:
    """Names of attributes that a program may give a value by other ways than binding them in a class.

    Those that it stores, passes by keyword, or says as a text: `Row = namedtuple('Row', 'get')`.
    """
    found: set[str] = set()
    spoken = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()) | ast.keyword(arg=str(name)):
                found.add(name)
            case ast.Constant(value=str() as text) if id(node) not in spoken and re.fullmatch(r"[\w\s,]+", text):
                found.update(text.replace(",", " ").split())
            case _:
                pass
    return frozenset(found)


def called_as(module: ast.Module, library: str, functions: Collection[str]) -> frozenset[str]:
    """Texts by which a program calls functions of a library, where nothing else has these names.

    Example:
        >>> sorted(called_as(ast.parse("import math\\nfrom math import ceil as up"), "math", ["ceil"]))
        ['math.ceil', 'up']
    """
    return frozenset(named_as(module, {library: functions}))


def named_as(module: ast.Module, wanted: Mapping[str, Collection[str]]) -> dict[str, tuple[str, str]]:
    """Texts by which a program names what libraries hold, with the library and what is named.

    Args:
        module: The program.
        wanted: Names by their library. Where something else in the program has the same text it is not found.
    """
    found: dict[str, tuple[str, str, str]] = {}
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    own = alias.asname or alias.name
                    found |= {f"{own}.{name}": (own, alias.name, name) for name in wanted.get(alias.name, ())}
            case ast.ImportFrom(module=str(library), names=names) if library in wanted:
                for alias in names:
                    if alias.name in wanted[library]:
                        own = alias.asname or alias.name
                        found[own] = own, library, alias.name
            case _:
                pass
    bound = bound_names(module) if found else Counter[str]()
    return {text: (library, name) for text, (own, library, name) in found.items() if bound[own] == 1}


def whole_number(node: ast.expr) -> int | None:
    """The number that a literal, with or without a sign, stands for."""
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)) if not isinstance(value, bool):
            return -value
        case _:
            return None
