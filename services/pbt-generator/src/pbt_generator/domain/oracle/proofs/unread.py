"""What only an error that leaves the program reads or makes: words of messages, and calls that only check."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pbt_generator.domain.oracle.proofs.reachability import RaisingWays
from pbt_generator.domain.oracle.proofs.swallowing import Swallowing
from pbt_generator.domain.oracle.syntax import (
    CATCHING,
    READING_ALL,
    FunctionNode,
    bound_names,
    functions_of,
    last_name,
    spelled,
)

# They go through nothing, so that they use nothing up.
_LOOKING = {
    "len", "isinstance", "issubclass", "type", "callable", "hasattr", "abs", "bool", "str", "repr", "float", "int",
}  # fmt: skip
# Methods that making an object runs, and no operator.
_MAKING = {"__init__", "__new__", "__post_init__", "__init_subclass__", "__class_getitem__"}
# What is done later, binds a name, goes through something or asks a map for an entry, which may make it.
_DOING = (
    ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Starred, ast.GeneratorExp, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.Subscript,
)  # fmt: skip


def of_errors_alone(module: ast.Module, ways: RaisingWays) -> frozenset[int]:
    """The assignments of a program's functions, by their nodes' identity, whose values no way that returns reads.

    Every place that reads the name lies on ways that only raise, and making the value fails nowhere that something
    catches: whatever stands there, an input that returns gives the same.

    Args:
        module: The program that `ways` knows.
        ways: Which ways only raise.
    """
    functions = [node for node in ast.walk(module) if isinstance(node, FunctionNode)]
    named = {name for node in functions for name in spelled(node.name)}
    caught: set[int] = set()
    for node in ast.walk(module):
        if isinstance(node, CATCHING):
            inside = [inner for statement in node.body for inner in ast.walk(statement)]
            caught |= {id(inner) for inner in inside}
            if any(isinstance(inner, ast.Call) and spelled(last_name(inner.func)) & named for inner in inside):
                # A text of a value can fail for its size alone, and is caught where the call is.
                caught |= {id(inner) for each in functions for inner in ast.walk(each)}
    caught |= _asked_for_answers(functions, ways.swallowing)
    return frozenset[int]().union(*(_in_function(each, ways, caught) for each in functions))


def checks_alone(module: ast.Module, swallowing: Swallowing | None = None) -> frozenset[int]:
    """The statements of a program, by their nodes' identity, that raise or do nothing: calls of helpers that check.

    Nothing in such a program catches an error, nor takes one of theirs for an answer, so that an input that returns
    gives the same without them.

    Args:
        module: The program.
        swallowing: What is known of it already.
    """
    nodes = list(ast.walk(module))
    known = swallowing or Swallowing(module)
    bound = bound_names(module)
    helpers = _looking(module, bound)
    if any(isinstance(node, CATCHING) for node in nodes) or not _classes_look(module, bound.keys() - helpers, helpers):
        return frozenset()
    if known.ends_said:
        return frozenset()
    asked = _asked_for_answers(nodes, known)
    return frozenset(
        id(node)
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(call := node.value, ast.Call) and id(node) not in asked
        if isinstance(call.func, ast.Name) and call.func.id in helpers
        if all(_looks(each, bound) for each in (*call.args, *(keyword.value for keyword in call.keywords)))
    )


def _asked_for_answers(nodes: Iterable[ast.AST], swallowing: Swallowing) -> set[int]:
    """All that lies in functions of which some errors are taken for answers."""
    return {id(inner) for node in nodes if swallowing.taken(node) for inner in ast.walk(node)}


def _only_raises(body: Sequence[ast.stmt], bound: Collection[str], pure: Collection[str] = ()) -> bool:
    """Whether statements change nothing, whatever they raise."""
    for statement in body:
        match statement:
            case ast.Raise() | ast.Pass() | ast.Expr(value=ast.Constant()) | ast.Return(value=None):
                pass
            case ast.Return(value=ast.expr() as value) | ast.Assert(test=value):
                if not _looks(value, bound, pure):
                    return False
            case ast.If(test=test, body=first, orelse=second):
                arms = (*first, *second)
                if not (_looks(test, bound, pure) and _only_raises(arms, bound, pure)):
                    return False
            case _:
                return False
    return True


def _looking(module: ast.Module, bound: Mapping[str, int]) -> frozenset[str]:
    """The functions of a program that change nothing, whatever they raise."""
    return frozenset(
        node.name
        for node in module.body
        if isinstance(node, ast.FunctionDef) and bound[node.name] == 1 and not node.decorator_list
        if _only_raises(node.body, bound)
    )


def _classes_look(module: ast.Module, bound: Collection[str], pure: Collection[str]) -> bool:
    """Whether what operators and attributes run of a program's classes changes nothing."""
    return all(
        _only_raises(method.body, bound, pure)
        for owner in ast.walk(module)
        if isinstance(owner, ast.ClassDef)
        for method in functions_of(owner)
        if (method.name.startswith("__") and method.name not in _MAKING) or method.decorator_list
    )


def _looks(value: ast.expr, bound: Collection[str], pure: Collection[str] = ()) -> bool:
    """Whether an expression is made of operators, and of functions that only look at what they are given."""
    for node in ast.walk(value):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in pure or (name in _LOOKING and name not in bound):
                pass
            case ast.Compare(ops=ops, comparators=others) if any(
                # Whatever else it is looked for in may be gone through once.
                isinstance(op, (ast.In, ast.NotIn))
                and not isinstance(other, (ast.Constant, ast.Tuple, ast.List, ast.Set))
                for op, other in zip(ops, others, strict=True)
            ):
                return False
            case ast.Call():
                return False
            case _ if isinstance(node, _DOING):
                return False
            case _:
                pass
    return True


def _in_function(function: FunctionNode, ways: RaisingWays, caught: Collection[int]) -> frozenset[int]:
    nodes = list(ast.walk(function))
    if any(isinstance(node, ast.Name) and node.id in READING_ALL for node in nodes):
        return frozenset()
    taken = {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    taken |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    doomed = {id(inner) for statement in _doomed(function, ways) for inner in ast.walk(statement)}
    written: dict[str, list[ast.Assign]] = {}
    told: set[int] = set()
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if _text_of_names(value) and (
                isinstance(value, ast.Constant) or id(node) not in caught
            ):
                written.setdefault(name, []).append(node)
                told.add(id(target))
            case _:
                pass
    for node in nodes:
        match node:
            case ast.Name(id=name) if id(node) not in told and id(node) not in doomed:
                taken.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                taken.add(name)
            case ast.MatchMapping(rest=str(name)):
                taken.add(name)
            case ast.alias():
                taken.add(node.asname or node.name.partition(".")[0])
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                taken.add(name)
            case _:
                pass
    return frozenset(id(node) for name, assigned in written.items() if name not in taken for node in assigned)


def _doomed(function: FunctionNode, ways: RaisingWays) -> Iterator[ast.stmt]:
    """The outermost statements of a function that lie on ways which only raise."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt) and ways.statement(node):
            yield node
        else:
            waiting.extend(ast.iter_child_nodes(node))


def _text_of_names(value: ast.expr) -> bool:
    """Whether a value is a literal, or a text of literals and of what names stand for."""
    match value:
        case ast.Constant():
            return True
        case ast.JoinedStr(values=parts):
            return all(map(_text_of_names, parts))
        case ast.FormattedValue(value=ast.Name(), format_spec=None):
            return True
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return all(isinstance(side, (ast.JoinedStr, ast.BinOp)) or _is_text(side) for side in (left, right)) and (
                _text_of_names(left) and _text_of_names(right)
            )
        case _:
            return False


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


__all__ = ["checks_alone", "of_errors_alone"]
