"""What can be said of a block without running it: constant tests, paths that only raise, statements that leave."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from pbt_generator.domain.oracle.proofs.swallowing import Swallowing
from pbt_generator.domain.oracle.syntax import CATCHING, NO_LITERAL, FunctionNode, OwnLoad, blocks_of

# Whether what a statement raises leaves who asks its function.
Leaving = Callable[[ast.stmt], bool]


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
        case ast.Name(ctx=OwnLoad()) | ast.Attribute(ctx=OwnLoad()):
            return None
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
            left=ast.Attribute(value=ast.Name(id="sys", ctx=ctx), attr="version_info"), ops=[op], comparators=[limit]
        ) if not isinstance(ctx, OwnLoad):
            return _version(op, limit)
        case _:
            return None


def _version(op: ast.cmpop, limit: ast.expr) -> bool | None:
    """Tests of the running version: the sandbox runs one, 3.11 or later."""
    try:
        value: object = ast.literal_eval(limit)
        # Members of other kinds than a version's have no order beside it.
        if not isinstance(value, tuple) or not value or value > (3, 11):  # pyright: ignore[reportUnknownVariableType]
            return None
    except NO_LITERAL:
        return None
    return True if isinstance(op, (ast.GtE, ast.Gt)) else False if isinstance(op, (ast.Lt, ast.LtE)) else None


def live_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block and of all blocks in it, but for arms that a constant rules out.

    What stands in a function or class is its own.
    """
    for each in body:
        yield each
        match each:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                pass
            case ast.If(test=test, body=first, orelse=second):
                truth = constant_truth(test)
                yield from live_statements(first if truth is not False else ())
                yield from live_statements(second if truth is not True else ())
            case _:
                yield from live_statements(blocks_of(each))


class RaisingWays:
    """What of a program lies only on ways that end in an exception which leaves its entry.

    Nothing inside a `with`, or a `try` whose arms or whose `finally` may go on, is on such a way by what it does
    itself. In a program that catches anything, nor is anything in a function that others call: its callers may go on.
    In any other, what the language or a library may ask for raises no error that is taken for an answer there.

    Args:
        module: The program, before anything in it is rewritten.
        entry: The function that is called from outside.
    """

    def __init__(self, module: ast.Module, entry: FunctionNode) -> None:
        # Kept, so that no other node gets the identity of one of these.
        self._nodes = list(ast.walk(module))
        self._doomed: set[int] = set()
        self._arms: set[tuple[int, str]] = set()
        self._catches = any(isinstance(node, CATCHING) for node in self._nodes)
        self.swallowing = Swallowing(module)
        self._leaving: Leaving = _always
        called = bool(entry.decorator_list) or any(
            isinstance(node, ast.Name) and node.id == entry.name for node in self._nodes
        )
        for node in module.body:
            if node is entry:
                self._function(entry, caught=self._catches and called)
            else:
                self._statement(node, [], doomed=False, caught=True)

    def statement(self, node: ast.stmt) -> bool:
        """Whether no way on from a statement returns."""
        return id(node) in self._doomed

    def arm(self, node: ast.AST, outcome: str) -> bool:
        """Whether no way on from one outcome of a test, a loop or an arm returns."""
        return (id(node), outcome) in self._arms

    def _function(self, node: FunctionNode, *, caught: bool) -> None:
        outer, self._leaving = self._leaving, partial(self.swallowing.leaves, node)
        self._block(node.body, [], doomed=False, caught=caught)
        self._leaving = outer

    def _block(self, body: Sequence[ast.stmt], following: Sequence[ast.stmt], *, doomed: bool, caught: bool) -> None:
        doomed = doomed or (not caught and always_raises(body, self._leaving))
        for place, statement in enumerate(body[: reached(body)]):
            # What is only said before an error is raised is on its way as well.
            doomed = doomed or (not caught and always_raises([*body[place:], *following], self._leaving))
            if doomed:
                self._doomed.add(id(statement))
            self._statement(statement, [*body[place + 1 :], *following], doomed=doomed, caught=caught)

    def _statement(self, node: ast.stmt, following: Sequence[ast.stmt], *, doomed: bool, caught: bool) -> None:
        def arm(owner: ast.AST, outcome: str, body: Sequence[ast.stmt], *, alone: bool = False) -> None:
            if doomed or (not caught and always_raises([*body, *([] if alone else following)], self._leaving)):
                self._arms.add((id(owner), outcome))

        def go(body: Sequence[ast.stmt], *, alone: bool = False, shielded: bool = False) -> None:
            self._block(body, () if alone or shielded else following, doomed=doomed, caught=caught or shielded)

        match node:
            case ast.If(body=body, orelse=orelse):
                arm(node, "true", body)
                arm(node, "false", orelse)
                go(body)
                go(orelse)
            case ast.While(body=body, orelse=orelse):
                # Where no round leaves, what stands behind `else` comes behind the rounds.
                arm(node, "true", [*body, *orelse])
                arm(node, "false", orelse)
                go(body, alone=True)
                go(orelse)
            case ast.For(body=body, orelse=orelse) | ast.AsyncFor(body=body, orelse=orelse):
                arm(node, "body", body, alone=True)
                arm(node, "exhausted", orelse)
                go(body, alone=True)
                go(orelse)
            case ast.With(body=body) | ast.AsyncWith(body=body):
                arm(node, "past", [])
                go(body, shielded=True)
            case ast.Try() | ast.TryStar():
                swallowed = goes_on(node.finalbody)
                # What its arms catch leaves all the same where each of them only raises.
                again = all(always_raises([*arm.body, *following], self._leaving) for arm in node.handlers)
                shielded = swallowed or not again or (isinstance(node, ast.TryStar) and bool(node.handlers))
                rest = () if shielded else [*node.orelse, *following]
                self._block(node.body, rest, doomed=doomed, caught=caught or shielded)
                caught = caught or swallowed
                arm(node, "entered", node.orelse)
                for handler in node.handlers:
                    arm(handler, "entered", handler.body)
                    go(handler.body)
                go(node.orelse)
                # It is run on the way of what leaves the body as well.
                go(node.finalbody, alone=True)
            case ast.Match(cases=cases):
                arm(node, "past", [])
                for case in cases:
                    arm(case, "entered", case.body)
                    go(case.body)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(node, caught=self._catches)
            case ast.ClassDef(body=body):
                for each in body:
                    self._statement(each, [], doomed=False, caught=True)
            case _:
                pass


def goes_on(finalbody: Sequence[ast.stmt]) -> bool:
    """Whether a `finally` may end an exception by leaving in another way."""
    leaving = (ast.Return, ast.Break, ast.Continue)
    return any(isinstance(inner, leaving) for statement in finalbody for inner in ast.walk(statement))


def _always(_statement: ast.stmt) -> bool:
    return True


def always_raises(body: Sequence[ast.stmt], leaving: Leaving = _always) -> bool:
    """Whether every path through these statements ends in an exception that leaves them.

    Args:
        body: The statements.
        leaving: Whether what a statement raises leaves; what does not ends their way as `return` does.

    Example:
        >>> always_raises(ast.parse("message = 'no'; raise ValueError(message)").body)
        True
    """
    return any(_raises(statement, leaving) for statement in _until_leaving(body, leaving))


def _until_leaving(body: Sequence[ast.stmt], leaving: Leaving) -> list[ast.stmt]:
    kept: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, (ast.Return, ast.Continue, ast.Break)) or _may_leave(statement, leaving):
            break
        kept.append(statement)
    return kept


def _may_leave(statement: ast.stmt, leaving: Leaving) -> bool:
    """Whether control may leave by this statement in another way than by an exception."""
    inside = list(ast.walk(statement))
    if not leaving(statement) or any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in inside):
        # Whoever is given a value need not come back.
        return True
    return not _raises(statement, leaving) and any(
        isinstance(inner, (ast.Return, ast.Continue, ast.Break)) for inner in inside
    )


def _raises(statement: ast.stmt, leaving: Leaving) -> bool:
    match statement:
        case ast.Raise():
            return True
        case ast.Assert(test=test):
            return constant_truth(test) is False
        case ast.If(test=test, body=body, orelse=orelse):
            truth = constant_truth(test)
            if truth is not None:
                return always_raises(body if truth else orelse, leaving)
            return bool(orelse) and always_raises(body, leaving) and always_raises(orelse, leaving)
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
            if always_raises(finalbody, leaving):
                return True
            if goes_on(finalbody):
                return False
            # What leaves the body comes past no `else`.
            arms = all(always_raises(handler.body, leaving) for handler in handlers)
            return arms and always_raises([*body, *orelse], leaving)
        case _:
            # A context manager may swallow what its body raises.
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
