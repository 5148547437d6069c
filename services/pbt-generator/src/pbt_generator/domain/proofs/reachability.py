"""What can be said of a block without running it: constant tests, paths that only raise, statements that leave."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def constant_truth(node: ast.expr) -> bool | None:
    """The truth of a test that no input can change; None when inputs can.

    Example:
        >>> constant_truth(ast.parse("not 0", mode="eval").body)
        True
    """
    match node:
        case ast.Constant(value=value):
            return bool(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = constant_truth(operand)
            return None if inner is None else not inner
        case ast.Name(id="__debug__"):
            return True
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return False
        case ast.BoolOp(op=ast.And(), values=values):
            truths = [constant_truth(value) for value in values]
            return False if truths and truths[0] is False else True if all(truth is True for truth in truths) else None
        case ast.BoolOp(op=ast.Or(), values=values):
            truths = [constant_truth(value) for value in values]
            return True if truths and truths[0] is True else False if all(truth is False for truth in truths) else None
        case ast.Compare(
            left=ast.Attribute(value=ast.Name(id="sys"), attr="version_info"), ops=[op], comparators=[limit]
        ):
            return _version(op, limit)
        case _:
            return None


def _version(op: ast.cmpop, limit: ast.expr) -> bool | None:
    """Tests of the running version: the sandbox runs one, 3.11 or later."""
    try:
        value: object = ast.literal_eval(limit)
    except (ValueError, SyntaxError):
        return None
    if not isinstance(value, tuple) or not value or value > (3, 11):  # pyright: ignore[reportUnknownVariableType]
        return None
    return True if isinstance(op, (ast.GtE, ast.Gt)) else False if isinstance(op, (ast.Lt, ast.LtE)) else None


def always_raises(body: Sequence[ast.stmt]) -> bool:
    """Whether every path through these statements ends in an exception.

    Example:
        >>> always_raises(ast.parse("message = 'no'; raise ValueError(message)").body)
        True
    """
    return any(_raises(statement) for statement in _until_leaving(body))


def _until_leaving(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    kept: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, (ast.Return, ast.Continue, ast.Break)) or _may_leave(statement):
            break
        kept.append(statement)
    return kept


def _may_leave(statement: ast.stmt) -> bool:
    """Whether control may leave by this statement in another way than by an exception."""
    if _raises(statement):
        return False
    return any(
        isinstance(inner, (ast.Return, ast.Continue, ast.Break, ast.Yield, ast.YieldFrom))
        for inner in ast.walk(statement)
    )


def _raises(statement: ast.stmt) -> bool:
    match statement:
        case ast.Raise():
            return True
        case ast.Assert(test=test):
            return constant_truth(test) is False
        case ast.If(test=test, body=body, orelse=orelse):
            truth = constant_truth(test)
            if truth is not None:
                return always_raises(body if truth else orelse)
            return bool(orelse) and always_raises(body) and always_raises(orelse)
        case ast.With(body=body):
            return always_raises(body)
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
            if always_raises(finalbody):
                return True
            return all(always_raises(handler.body) for handler in handlers) and (
                always_raises(body) or always_raises(orelse)
            )
        case _:
            return False


def leaves(statement: ast.stmt) -> bool:
    """Whether control never goes on to what stands behind a statement in its block.

    Example:
        >>> leaves(ast.parse("if x: raise A\\nelse: raise B").body[0])
        True
    """
    match statement:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return True
        case ast.If(test=test, body=body, orelse=orelse):
            truth = constant_truth(test)
            if truth is not None:
                return ends(body if truth else orelse)
            return ends(body) and ends(orelse)
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
            through = ends(body) or ends(orelse)
            return ends(finalbody) or (through and all(ends(handler.body) for handler in handlers))
        case ast.While(test=test, body=body):
            return constant_truth(test) is True and not _breaks(body)
        case _:
            # A context manager may swallow what its body raises.
            return False


def reached(body: Sequence[ast.stmt]) -> int:
    """How many statements of a block control can come to; the rest stands behind one that leaves."""
    return next((place + 1 for place, statement in enumerate(body) if leaves(statement)), len(body))


def ends(body: Sequence[ast.stmt]) -> bool:
    """Whether control never comes to the end of a block."""
    return any(leaves(statement) for statement in body)


def _breaks(body: Sequence[ast.stmt]) -> bool:
    """Whether a `break` of this very loop stands in its body."""
    for statement in body:
        if isinstance(statement, ast.Break):
            return True
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            inner: list[Sequence[ast.stmt]] = [statement.orelse]
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = []
        else:
            inner = _blocks(statement)
        if any(_breaks(block) for block in inner):
            return True
    return False


def _blocks(statement: ast.stmt) -> list[Sequence[ast.stmt]]:
    match statement:
        case ast.If(body=body, orelse=orelse):
            return [body, orelse]
        case ast.With(body=body) | ast.AsyncWith(body=body):
            return [body]
        case ast.Try() | ast.TryStar():
            arms = [handler.body for handler in statement.handlers]
            return [statement.body, *arms, statement.orelse, statement.finalbody]
        case ast.Match(cases=cases):
            return [case.body for case in cases]
        case _:
            return []
