"""What can be said of a branch without running it: tests that are constants, paths that only raise, arms that nothing reaches."""

from __future__ import annotations

import ast
from collections.abc import Sequence

_NEVER_RAISES = (ast.Pass, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom)


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


def unreachable_reason(source: str, line: int, kind: str, outcome: str) -> str:
    """A proof, in words, that no input reaches a branch; empty when there is none.

    Two arguments are known: an except arm after a body that cannot raise, and an arm of `isinstance` of a name that an
    earlier arm of the same test already took.
    """
    module = ast.parse(source)
    for node in ast.walk(module):
        if kind == "except" and isinstance(node, ast.Try):
            for handler in node.handlers:
                if handler.lineno == line and all(_cannot_raise(statement) for statement in node.body):
                    return "nothing in the try body can raise"
            seen: set[str] = set()
            for handler in node.handlers:
                names = {ast.unparse(item) for item in _exception_types(handler)}
                if handler.lineno == line and (seen & {"Exception", "BaseException", ""} or (names and names <= seen)):
                    return "an earlier arm catches everything that this one would"
                seen |= names or {""}
        if kind in {"if", "while"} and isinstance(node, (ast.If, ast.While)) and node.test.lineno == line:
            reason = _settled(module, node, outcome)
            if reason:
                return reason
        if kind == "for" and outcome == "exhausted" and isinstance(node, ast.For) and node.lineno == line:
            if _endless(node.iter):
                return "the iterator never ends"
        if (
            kind == "for"
            and isinstance(node, ast.For)
            and node.lineno == line
            and outcome == "body"
            and _empty(node.iter)
        ):
            return "the iterable is always empty"
    return ""


def _exception_types(handler: ast.ExceptHandler) -> list[ast.expr]:
    match handler.type:
        case None:
            return []
        case ast.Tuple(elts=items):
            return list(items)
        case single:
            return [single]


def _cannot_raise(statement: ast.stmt) -> bool:
    if isinstance(statement, _NEVER_RAISES):
        return not isinstance(statement, (ast.Import, ast.ImportFrom))
    if isinstance(statement, ast.Assign):
        return all(isinstance(target, ast.Name) for target in statement.targets) and isinstance(
            statement.value, ast.Constant
        )
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _endless(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and ast.unparse(node.func) in {"itertools.count", "count", "itertools.cycle", "itertools.repeat"}
        and not (ast.unparse(node.func).endswith("repeat") and len(node.args) > 1)
    )


def _empty(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) and not node.elts


def _settled(module: ast.Module, target: ast.If | ast.While, outcome: str) -> str:
    """Whether enclosing or earlier arms already decide a test: the same test in an enclosing arm, with no write between."""
    text = ast.unparse(target.test)
    names = {node.id for node in ast.walk(target.test) if isinstance(node, ast.Name)}
    if any(
        isinstance(node, (ast.Call, ast.Subscript, ast.Attribute, ast.NamedExpr)) for node in ast.walk(target.test)
    ) and not (
        isinstance(target.test, ast.Call)
        and isinstance(target.test.func, ast.Name)
        and target.test.func.id == "isinstance"
    ):
        return ""
    for node in ast.walk(module):
        if not isinstance(node, ast.If) or node is target or ast.unparse(node.test) != text:
            continue
        for arm, truth in ((node.body, "true"), (node.orelse, "false")):
            inside = any(inner is target for statement in arm for inner in ast.walk(statement))
            written = {
                inner.id
                for statement in arm
                for inner in ast.walk(statement)
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, (ast.Store, ast.Del))
            }
            if inside and not written & names and outcome != truth:
                return f"the same test on line {node.lineno} already decided it"
    return ""
