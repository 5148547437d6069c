"""Errors that end as an answer: what they are made with is read where they are caught.

The words of an error that nothing reads decide nothing. Where `except Done as done: return done.args[0]` stands, what
`raise Done(...)` says is a result.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pbt_generator.domain.oracle.proofs.reachability import RaisingWays, always_raises
from pbt_generator.domain.oracle.proofs.swallowing import builtin_error
from pbt_generator.domain.oracle.syntax import class_nodes, functions_of, last_name

# Whatever an error holds, whichever class it has.
_ALL = ""
_LAST_ERROR = {"exc_info", "format_exc", "format_exception", "exception"}
# They ask for the class, or for where it was raised.
_OF_THE_CLASS = {"isinstance", "type", "id"}
_NO_WORDS = {"__class__", "__traceback__", "__cause__", "__context__", "with_traceback"}
_LOG = re.compile(r"_*(log|logger|logging|warnings)", re.IGNORECASE)


@dataclass(frozen=True)
class _Read:
    """Where something that is caught is read.

    Attributes:
        attribute: The attribute that is read, empty for all that it holds.
        raised: The errors that it is read for alone, by their statements' identity; empty where it is read for more.
    """

    attribute: str
    raised: frozenset[int]


@dataclass(frozen=True)
class _Arm:
    """What catches errors and reads them."""

    kinds: tuple[ast.expr, ...] | None
    reads: tuple[_Read, ...]


def answers(module: ast.Module, ways: RaisingWays) -> frozenset[int]:
    """What the errors of a program are made with, by identity, as far as something that catches them may read it.

    Args:
        module: The program.
        ways: Which of its ways only raise.
    """
    nodes = list(ast.walk(module))
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    arms = list(_arms(nodes, ways))
    raised = [
        node
        for node in nodes
        if isinstance(node, (ast.Raise, ast.Assert)) and (isinstance(node, ast.Assert) or not ways.statement(node))
    ]
    told: dict[int, set[int]] = {}
    while True:
        found: dict[int, set[int]] = {}
        for node in raised if arms else ():
            kind = "AssertionError" if isinstance(node, ast.Assert) else _kind(node)
            above = _above(kind, classes)
            read = {
                each.attribute
                for arm in arms
                if _takes(arm.kinds, above, stored)
                for each in arm.reads
                if not each.raised or each.raised & told.keys()
            }
            held = _held(node, read, classes.get(kind)) if read else set[int]()
            if held:
                found[id(node)] = held
        if found == told:
            return frozenset[int]().union(*found.values())
        told = found


def _arms(nodes: Sequence[ast.AST], ways: RaisingWays) -> Iterator[_Arm]:
    for node in nodes:
        match node:
            case ast.ExceptHandler(name=str(name), type=ast.expr() as kind):
                around = frozenset[int]()
                if always_raises(node.body):
                    around = frozenset(id(each) for each in _inside(node.body) if isinstance(each, ast.Raise))
                reads = tuple(_reads(node.body, name, ways, around))
                if reads:
                    yield _Arm(tuple(class_nodes(kind)), reads)
            case ast.FunctionDef(name="__exit__", args=ast.arguments(args=[_, _, ast.arg(arg=name), *_]), body=body):
                if reads := tuple(_reads(body, name, ways, frozenset())):
                    yield _Arm(None, reads)
            case ast.Call(func=func) if last_name(func) in _LAST_ERROR and not _logs(node):
                yield _Arm(None, (_Read(_ALL, frozenset()),))
            case _:
                pass


def _inside(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


def _reads(body: Iterable[ast.AST], name: str, ways: RaisingWays, around: frozenset[int]) -> Iterator[_Read]:
    """The places in some statements where a name of an error is read."""
    for node in body:
        match node:
            case ast.Name(ctx=ast.Load()) if node.id == name:
                yield _Read(_ALL, around)
            case ast.Attribute(value=ast.Name(), attr=attribute, ctx=ast.Load()) if last_name(node.value) == name:
                if attribute not in _NO_WORDS:
                    yield _Read(_ALL if attribute == "args" else attribute, around)
            case ast.Raise():
                # The same error again is read by who catches that, and so is its cause.
                parts = [] if node.exc is None or isinstance(node.exc, ast.Name) else [node.exc]
                yield from _reads(parts, name, ways, frozenset({id(node)}))
            case ast.Call(func=ast.Name(id=function)) if function in _OF_THE_CLASS:
                pass
            case ast.Expr(value=ast.Call() as call) if _logs(call):
                pass
            case ast.stmt() if ways.statement(node):
                pass
            case _:
                yield from _reads(ast.iter_child_nodes(node), name, ways, around)


def _logs(call: ast.Call) -> bool:
    """Whether a call only says something to who looks on."""
    owner = last_name(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return last_name(call.func) == "print" or _LOG.fullmatch(owner) is not None


def _kind(node: ast.Raise) -> str:
    """The name of what makes the error that is raised."""
    return last_name(node.exc.func) if isinstance(node.exc, ast.Call) else ""


def _above(kind: str, classes: dict[str, ast.ClassDef], depth: int = 0) -> set[str] | None:
    """The names of a class of errors and of all classes above it; None where they are not known."""
    known = builtin_error(kind)
    owner = classes.get(kind)
    if owner is None:
        return None if known is None else {each.__name__ for each in known.__mro__}
    found = {kind}
    for base in owner.bases if depth < len(classes) else ():
        above = _above(last_name(base), classes, depth + 1)
        found |= {last_name(base)} if above is None else above
    return found


def _takes(kinds: tuple[ast.expr, ...] | None, above: set[str] | None, stored: set[str]) -> bool:
    """Whether an arm may catch errors of a class, of which the classes above are told."""
    if kinds is None or above is None:
        return True
    names = {last_name(kind) for kind in kinds}
    # A name that the program stores stands for some classes.
    return bool(names & (above | stored))


def _held(node: ast.Raise | ast.Assert, read: set[str], owner: ast.ClassDef | None) -> set[int]:
    """What an error is made with, by identity, of which something reads these attributes."""
    if isinstance(node, ast.Assert):
        return set() if node.msg is None else {id(node.msg)}
    if not isinstance(node.exc, ast.Call):
        return set()
    named = [(each.arg, each.value) for each in node.exc.keywords]
    known = None if owner is None or _ALL in read else _parameters(owner, read)
    if known is None:
        parts = (*node.exc.args, *(value for _, value in named))
        return {id(each) for each in parts if not isinstance(each, ast.Starred)}
    placed, wanted = known
    pairs = [*zip(placed, node.exc.args, strict=False), *named]
    return {id(value) for name, value in pairs if name in wanted}


def _parameters(owner: ast.ClassDef, read: set[str]) -> tuple[list[str], set[str]] | None:
    """The parameters of a class, and those that some attributes are made of; None where that is not known."""
    methods = {each.name: each for each in functions_of(owner)}
    made = methods.get("__init__")
    if made is None or read & methods.keys() or made.args.vararg or made.args.kwarg:
        return None
    wanted: set[str] = set()
    for node in ast.walk(made):
        pairs: list[tuple[ast.expr, ast.expr]] = []
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = list(zip(targets, values, strict=False))
            case ast.Assign(targets=[target], value=value):
                pairs = [(target, value)]
            case _:
                pass
        for target, value in pairs:
            if last_name(target) in read:
                wanted |= {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
    placed = [each.arg for each in (*made.args.posonlyargs, *made.args.args)][1:]
    return (placed, wanted) if wanted else None


__all__ = ["answers"]
