"""Whether the tests on the way to a branch already decide it: a small reasoner over one function's syntax tree.

Facts are the tests of enclosing arms and of earlier guards that left the block. A test is decided when the facts and
its outcome cannot hold together: the same test with the other truth, None against a value, or a length that no number
satisfies. Only names that are written once, before the facts, and never changed in place take part.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

_CHANGING = {
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "add", "discard", "update", "setdefault",
    "popitem", "popleft", "appendleft",
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}


@dataclass(frozen=True)
class Fact:
    """A test and its truth at some place."""

    test: ast.expr
    truth: bool


def decided(function: FunctionNode, target: ast.AST, test: ast.expr, *, truth: bool) -> str:
    """Why a test cannot have an outcome at its place; empty when nothing forbids it."""
    facts = [*_facts(function, target), Fact(test, truth)]
    atoms = [atom for fact in facts for atom in _atoms(fact)]
    stable = _stable_names(function)
    atoms = [atom for atom in atoms if _names(atom.test) <= stable]
    lengths = _lengths(function)
    for first in atoms:
        for second in atoms:
            if first is not second and _contradict(first, second):
                return f"`{ast.unparse(first.test)}` is decided by an earlier test"
    subjects = {text for atom in atoms for text in [_length_subject(atom.test)] if text}
    for subject in sorted(subjects):
        low = lengths.get(subject, 0)
        mine = [atom for atom in atoms if _length_subject(atom.test) == subject]
        if not any(_allows(mine, length) for length in _candidates(mine, low)):
            return f"no length of `{subject}` (at least {low}) satisfies the tests on the way"
    return ""


def _facts(function: FunctionNode, target: ast.AST) -> list[Fact]:
    """The tests of enclosing arms, and of guards before that left their block."""
    facts: list[Fact] = []
    block = function.body
    while True:
        for statement in block:
            if any(inner is target for inner in ast.walk(statement)):
                break
            if isinstance(statement, ast.If) and _leaves(statement.body) and not statement.orelse:
                facts.append(Fact(statement.test, truth=False))
        else:
            return facts
        if statement is target:
            return facts
        following: list[ast.stmt] | None = None
        for arm, fact in _arms(statement):
            if any(inner is target for part in arm for inner in ast.walk(part)):
                following = arm
                if fact is not None:
                    facts.append(fact)
        if following is None:
            return facts
        block = following


def _arms(statement: ast.stmt) -> Iterator[tuple[list[ast.stmt], Fact | None]]:
    match statement:
        case ast.If(test=test, body=body, orelse=orelse):
            yield body, Fact(test, truth=True)
            yield orelse, Fact(test, truth=False)
        case ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
            yield body, None
            yield orelse, None
        case ast.With(body=body):
            yield body, None
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
            for part in (body, *(handler.body for handler in handlers), orelse, finalbody):
                yield part, None
        case _:
            return


def _leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _atoms(fact: Fact) -> list[Fact]:
    """A fact taken apart: a true `and`, a false `or`, a `not`."""
    match fact.test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _atoms(Fact(operand, not fact.truth))
        case ast.BoolOp(op=ast.And(), values=values) if fact.truth:
            return [atom for value in values for atom in _atoms(Fact(value, truth=True))]
        case ast.BoolOp(op=ast.Or(), values=values) if not fact.truth:
            return [atom for value in values for atom in _atoms(Fact(value, truth=False))]
        case _:
            return [fact]


def _contradict(first: Fact, second: Fact) -> bool:
    if not (_pure(first.test) and _pure(second.test)):
        return False
    first, second = _positive(first), _positive(second)
    if ast.dump(first.test) == ast.dump(second.test):
        return first.truth != second.truth
    mine, other = _noneness(first), _noneness(second)
    if mine is not None and other is not None and mine[0] == other[0]:
        return mine[1] != other[1]
    # What is None is not true.
    return (
        mine is not None
        and mine[1]
        and second.truth
        and isinstance(second.test, ast.Name)
        and second.test.id == mine[0]
    )


def _positive(fact: Fact) -> Fact:
    """`a not in b` as `a in b` with the other truth; likewise `!=` and `is not`."""
    match fact.test:
        case ast.Compare(left=left, ops=[ast.NotIn()], comparators=right):
            return Fact(ast.Compare(left, [ast.In()], right), not fact.truth)
        case ast.Compare(left=left, ops=[ast.NotEq()], comparators=right):
            return Fact(ast.Compare(left, [ast.Eq()], right), not fact.truth)
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=right):
            return Fact(ast.Compare(left, [ast.Is()], right), not fact.truth)
        case _:
            return fact


def _noneness(fact: Fact) -> tuple[str, bool] | None:
    match fact.test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=None)]):
            return name, fact.truth
        case ast.Compare(
            left=ast.Name(id=name), ops=[ast.IsNot() | ast.NotEq()], comparators=[ast.Constant(value=None)]
        ):
            return name, not fact.truth
        case _:
            return None


def _pure(test: ast.expr) -> bool:
    for node in ast.walk(test):
        if isinstance(node, ast.Call):
            if not (isinstance(node.func, ast.Name) and node.func.id in {"len", "isinstance"}):
                return False
        elif isinstance(node, (ast.Attribute, ast.Subscript, ast.NamedExpr, ast.Await, ast.Yield, ast.Lambda)):
            return False
    return True


def _names(test: ast.expr) -> set[str]:
    known = {"len", "isinstance", "str", "int", "float", "bool", "list", "dict", "tuple", "set", "bytes"}
    return {node.id for node in ast.walk(test) if isinstance(node, ast.Name)} - known


def _stable_names(function: FunctionNode) -> set[str]:
    """Names written at most once, outside loops, and never changed in place."""
    arguments = function.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    written = dict.fromkeys(names, 1)
    unstable: set[str] = set()
    loops = [inner for node in ast.walk(function) if isinstance(node, (ast.For, ast.While)) for inner in ast.walk(node)]
    inside_loops = {id(node) for node in loops}
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                written[name] = written.get(name, 0) + 1
                if id(node) in inside_loops:
                    unstable.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if attr in _CHANGING:
                unstable.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                unstable.add(name)
            case ast.Global(names=shared) | ast.Nonlocal(names=shared):
                unstable.update(shared)
            case _:
                pass
    return {name for name, count in written.items() if count == 1} - unstable


def _lengths(function: FunctionNode) -> dict[str, int]:
    """Names whose value has a least length by construction: splitting at a separator gives at least one part."""
    found: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            least = _least_length(node.value)
            if least:
                found[node.targets[0].id] = least
    return found


def _least_length(value: ast.expr) -> int:
    match value:
        case ast.Call(func=ast.Attribute(attr="split" | "rsplit"), args=[ast.Constant(value=str() as separator), *_]):
            return 1 if separator else 0
        case ast.Call(func=ast.Attribute(attr="partition" | "rpartition"), args=[_]):
            return 3
        case ast.List(elts=items) | ast.Tuple(elts=items) if not any(isinstance(item, ast.Starred) for item in items):
            return len(items)
        case ast.ListComp(generators=[ast.comprehension(iter=inner, ifs=[])]):
            return _least_length(inner)
        case _:
            return 0


def _length_subject(test: ast.expr) -> str:
    match test:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]),
            ops=[op],
            comparators=[ast.Constant(value=int())],
        ) if type(op) in _COMPARE:
            return name
        case ast.Name(id=name):
            return name
        case _:
            return ""


def _candidates(atoms: list[Fact], low: int) -> list[int]:
    numbers = {low}
    for atom in atoms:
        if isinstance(atom.test, ast.Compare) and isinstance(atom.test.comparators[0], ast.Constant):
            value = atom.test.comparators[0].value
            if isinstance(value, int):
                numbers |= {value - 1, value, value + 1}
    return sorted(number for number in numbers | {low + 1} if number >= low)


def _allows(atoms: list[Fact], length: int) -> bool:
    for atom in atoms:
        if isinstance(atom.test, ast.Name):
            # Only a length known to be positive says something of a bare name: numbers may be false too.
            if length > 0 and not atom.truth and _certainly_sized(atoms):
                return False
            continue
        assert isinstance(atom.test, ast.Compare) and isinstance(atom.test.comparators[0], ast.Constant)
        limit = atom.test.comparators[0].value
        if isinstance(limit, int) and _COMPARE[type(atom.test.ops[0])](length, limit) != atom.truth:
            return False
    return True


def _certainly_sized(atoms: list[Fact]) -> bool:
    return any(isinstance(atom.test, (ast.Compare, ast.Name)) for atom in atoms)
