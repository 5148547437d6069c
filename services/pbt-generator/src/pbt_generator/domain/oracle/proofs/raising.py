"""Which exceptions a statement can raise, where that is known: a short list of forms, each checked against CPython.

Running out of memory or of stack is left aside: no input of a task nests deep enough for it.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Sequence

from pbt_generator.domain.oracle.proofs.abstract_values import FIXED, NUMBERS, WHOLE, Value
from pbt_generator.domain.oracle.proofs.evaluation import State
from pbt_generator.domain.oracle.proofs.interpretation import Interpretation

Raised = frozenset[str]
_NOTHING: Raised = frozenset()
# Too large an integer cannot become a float; no other complaint of numbers about these forms.
_OVERFLOW: Raised = frozenset({"OverflowError"})
_NUMBER_FORMAT = re.compile(r"[+\- ]?0?\d{0,3},?\.\d{1,3}[feg%]")
_LENIENT = {"ignore", "replace"}
_ENCODINGS = {"ascii", "latin-1", "latin1", "utf-8", "utf8"}
_TEXT_METHODS = {"strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold", "splitlines"}


def never_entered(handler: ast.ExceptHandler, body: Sequence[ast.stmt], found: Interpretation) -> bool:
    """Whether nothing in a try body can raise what an arm catches."""
    caught = _caught(handler)
    if caught is None or not found.understood:
        return False
    for statement in body:
        raised = _statement(statement, found)
        if raised is None or any(issubclass(_class(name), caught) for name in sorted(raised)):
            return False
    return True


def _class(name: str) -> type[BaseException]:
    found: object = getattr(builtins, name)
    assert isinstance(found, type) and issubclass(found, BaseException)
    return found


def _caught(handler: ast.ExceptHandler) -> tuple[type[BaseException], ...] | None:
    """The classes that an arm catches; None where one of them is not built in."""
    match handler.type:
        case None:
            return (BaseException,)
        case ast.Tuple(elts=parts):
            nodes = parts
        case single:
            nodes = [single]
    classes: list[type[BaseException]] = []
    for node in nodes:
        found: object = getattr(builtins, node.id, None) if isinstance(node, ast.Name) else None
        if not (isinstance(found, type) and issubclass(found, BaseException)):
            return None
        classes.append(found)
    return tuple(classes)


def _statement(statement: ast.stmt, found: Interpretation) -> Raised | None:
    state = found.states.get(id(statement))
    if state is None:
        return None
    match statement:
        case ast.Pass():
            return _NOTHING
        case ast.Return(value=None):
            return _NOTHING
        case ast.Return(value=ast.expr() as value):
            return _expression(value, state, found)
        case ast.Assign(targets=targets, value=value) if all(isinstance(target, ast.Name) for target in targets):
            return _expression(value, state, found)
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[part], keywords=[])
        ):
            if not state.get(name, Value()).only(frozenset({"list"})):
                return None
            return _expression(part, state, found)
        case _:
            return None


def _expression(node: ast.expr, state: State, found: Interpretation) -> Raised | None:
    match node:
        case ast.Constant():
            return _NOTHING
        case ast.Name(id=name):
            # A variable that may not be bound raises too.
            return _NOTHING if name in state and name not in found.untracked else None
        case ast.JoinedStr(values=parts):
            return _all([_formatted(part, state, found) for part in parts])
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            inner = _all([_expression(left, state, found), _expression(right, state, found)])
            sides = [found.value(side, dict(state)) for side in (left, right)]
            if inner is None or not all(side.only(NUMBERS) for side in sides):
                return None
            return inner if all(side.only(WHOLE) for side in sides) else inner | _OVERFLOW
        case ast.IfExp(test=ast.Name() as test, body=body, orelse=orelse):
            return _all([_called("bool", test, state, found), *(_expression(p, state, found) for p in (body, orelse))])
        case ast.Call(func=ast.Name(id="str" | "repr" | "bool" as name), args=[value], keywords=[]):
            return _called(name, value, state, found)
        case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=arguments, keywords=keywords):
            return _method(owner, attr, arguments, keywords, state, found)
        case _:
            return None


def _called(name: str, value: ast.expr, state: State, found: Interpretation) -> Raised | None:
    inner = _expression(value, state, found)
    given = found.value(value, dict(state))
    if inner is None or name in found.shadowed:
        return None
    if name == "bool":
        return inner if not given.kinds & {"other", "object"} else None
    return inner if _shown(given, found) else None


def _shown(given: Value, found: Interpretation) -> bool:
    """Whether a value surely has a text: an integer that was computed may have too many digits for one.

    Those of an input have not, and dates, decimals, paths and their like always have a text; arrays and tables may not.
    """
    if given.constant:
        return True
    odd = {"object", "other"} if found.tables else {"object"}
    return given.only(FIXED - {"int"}) or (given.data and not given.kinds & odd)


def _formatted(part: ast.expr, state: State, found: Interpretation) -> Raised | None:
    if not isinstance(part, ast.FormattedValue):
        return _NOTHING
    inner = _expression(part.value, state, found)
    given = found.value(part.value, dict(state))
    if inner is None:
        return None
    if part.format_spec is None or part.conversion != -1:
        return inner if part.format_spec is None and _shown(given, found) else None
    match part.format_spec:
        case ast.JoinedStr(values=[ast.Constant(value=str() as spec)]):
            numeric = _NUMBER_FORMAT.fullmatch(spec) and given.only(NUMBERS)
            return inner | _OVERFLOW if numeric else None
        case _:
            return None


def _method(
    owner: ast.expr, attr: str, arguments: list[ast.expr], keywords: list[ast.keyword], state: State,
    found: Interpretation,
) -> Raised | None:  # fmt: skip
    inner = _expression(owner, state, found)
    given = found.value(owner, dict(state))
    if inner is None:
        return None
    if attr in _TEXT_METHODS and given.only(frozenset({"str"})) and not arguments and not keywords:
        return inner
    kind = {"encode": "str", "decode": "bytes"}.get(attr, "")
    if not kind or not given.only(frozenset({kind})) or len(arguments) != 1 or len(keywords) != 1:
        return None
    match arguments[0], keywords[0]:
        case (
            ast.Constant(value=str() as encoding),
            ast.keyword(arg="errors", value=ast.Constant(value=str() as errors)),
        ):
            return inner if encoding.lower() in _ENCODINGS and errors in _LENIENT else None
        case _:
            return None


def _all(parts: Sequence[Raised | None]) -> Raised | None:
    known = [part for part in parts if part is not None]
    return frozenset[str]().union(*known) if len(known) == len(parts) else None
