"""What stays the same between two places of one function, and which tests hold on the way to a place.

Everything is decided on the syntax tree and on the safe side: a change that may lie between two places counts as one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbt_generator.domain.oracle.mutation.tables import PURE_METHODS
from pbt_generator.domain.oracle.proofs.reachability import ends
from pbt_generator.domain.oracle.syntax import FunctionNode, named_parameters

Position = tuple[int, int]

_LATER = (ast.GeneratorExp, ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
PURE_FUNCTIONS = {
    "len", "isinstance", "issubclass", "str", "int", "float", "bool", "list", "tuple", "dict", "set", "frozenset",
    "sorted", "min", "max", "sum", "abs", "round", "range", "enumerate", "ord", "chr", "repr", "divmod", "hash", "any",
    "all", "bytes", "hex", "bin", "oct", "format", "callable", "type", "print", "ValueError", "TypeError", "KeyError",
}  # fmt: skip


# Functions of well-known modules that leave their arguments as they are.
_PURE_ELSEWHERE = {
    "median", "stdev", "pstdev", "variance", "pvariance", "mode", "fsum", "gcd", "lcm", "log2", "log10", "exp", "tan",
    "hypot", "isclose", "isinf", "trunc", "unquote", "quote", "unquote_plus", "quote_plus", "urlparse", "urlsplit",
    "urlunparse", "urlunsplit", "parse_qs", "parse_qsl", "normalize", "category", "combining", "deepcopy", "b64encode",
    "b64decode", "unescape", "finditer", "bisect_left", "bisect_right", "dedent", "__repr__", "__str__",
}  # fmt: skip


@dataclass(frozen=True)
class Fact:
    """A test, its truth at some place, and the arm that is not taken on the way there."""

    test: ast.expr
    truth: bool
    skipped: tuple[ast.stmt, ...] = ()


class Flow:
    """One function's tree, with its parents and its writes.

    Args:
        function: The function as it was written, with positions.
    """

    def __init__(self, function: FunctionNode) -> None:
        self.function = function
        self.parents: dict[int, ast.AST] = {}
        self.nodes: list[ast.AST] = list(ast.walk(function))
        for node in self.nodes:
            for child in ast.iter_child_nodes(node):
                self.parents[id(child)] = node
        self.shared = {
            name for node in self.nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names
        }
        arguments = function.args
        every = named_parameters(arguments)
        every += [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
        self.parameters = frozenset(argument.arg for argument in every)
        self.writes: dict[str, list[ast.AST]] = {}
        for node in self.nodes:
            for name in _written(node, function):
                self.writes.setdefault(name, []).append(node)
        # Names of builtins that mean something else here.
        self.renamed = PURE_FUNCTIONS & {*self.parameters, *self.writes}
        self.by_place: dict[tuple[object, ...], ast.expr | None] = {}
        for node in self.nodes:
            if isinstance(node, ast.expr):
                # Positions inside formatted texts are not always right: two nodes in one place are none.
                self.by_place[_key(node)] = None if _key(node) in self.by_place else node

    def find(self, node: ast.expr) -> ast.expr | None:
        """The function's own node that stands where a copied one stood."""
        found = self.by_place.get(_key(node))
        return found if found is not None and ast.dump(found) == ast.dump(node) else None

    def ancestors(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Pairs of a node and its parent, from here up to the function."""
        while node is not self.function:
            parent = self.parents.get(id(node))
            if parent is None:
                return
            yield node, parent
            node = parent

    def facts(self, place: ast.expr) -> list[Fact]:
        """Atomic tests that hold whenever control comes to a place, as far as nothing they read changes after them."""
        found: list[Fact] = []
        for node, parent in self.ancestors(place):
            if isinstance(parent, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef)) and parent is not self.function:
                # What runs later knows nothing of the tests around its definition.
                break
            found.extend(_around(node, parent))
            found.extend(_before(node, parent))
        return [atom for fact in found for atom in atoms(fact)]

    def holds(self, fact: Fact, place: ast.expr) -> bool:
        """Whether nothing that a fact reads can change between its test and a place."""
        names = names_of(fact.test)
        return self.unchanged(names, fact.test, place, fact.skipped) and (
            _scalar(fact.test) or self.undisturbed(fact.test, place, fact.skipped)
        )

    def unchanged(
        self, names: frozenset[str], start: ast.AST | None, place: ast.expr, skipped: Sequence[ast.stmt] = ()
    ) -> bool:
        """Whether no write to these names may run after `start` (None: the entry) and before `place`."""
        if names & self.shared:
            return False
        left_out = {id(inner) for statement in skipped for inner in ast.walk(statement)}
        between = self._between(start, place)
        return not any(
            between(node) for name in names for node in self.writes.get(name, ()) if id(node) not in left_out
        )

    def undisturbed(self, start: ast.AST, place: ast.expr, skipped: Sequence[ast.stmt] = ()) -> bool:
        """Whether nothing between two places may change a value in place."""
        left_out = {id(inner) for statement in skipped for inner in ast.walk(statement)}
        between = self._between(start, place)
        return not any(between(node) for node in self.nodes if id(node) not in left_out and self._changes(node))

    def _changes(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.renamed:
            return True
        return changes(node)

    def _between(self, start: ast.AST | None, place: ast.expr):
        begin: Position = (0, 0) if start is None else self._end(start)
        finish = self._start(place)
        inside = {id(node) for node in ast.walk(start)} if start is not None else set[int]()
        around: list[set[int]] = []
        late = False
        for node, parent in self.ancestors(place):
            body = {id(inner) for inner in ast.walk(parent)}
            if start is not None and id(start) in body and not _once(parent, start):
                if begin > finish:
                    # The test stands behind its arm, as in `arm if test else …`: all of the arm may come between.
                    around.append({id(inner) for inner in ast.walk(node)})
                break
            if parent is self.function:
                break
            late = late or isinstance(parent, _LATER)
            if _repeated(node, parent):
                around.append(body)

        def between(node: ast.AST) -> bool:
            if id(node) in inside or node is place:
                return False
            # What runs later may see every write, wherever it stands.
            return late or begin <= self._effect(node) <= finish or any(id(node) in part for part in around)

        return between

    def _start(self, node: ast.AST) -> Position:
        text = self._formatted(node)
        return _start(node if text is None else text)

    def _end(self, node: ast.AST) -> Position:
        text = self._formatted(node)
        return _end(node if text is None else text)

    def _formatted(self, node: ast.AST) -> ast.AST | None:
        """The formatted text around a node: positions inside it are not to be trusted."""
        outer = [parent for _, parent in self.ancestors(node) if isinstance(parent, ast.JoinedStr)]
        return outer[-1] if outer else None

    def _effect(self, node: ast.AST) -> Position:
        """Where a write takes effect: the value of an assignment is computed before its target changes."""
        if isinstance(node, ast.AugAssign):
            return _end(node)
        for inner, parent in self.ancestors(node):
            if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                return _end(parent) if inner is not parent.value and _one_target(parent) else self._start(node)
            if isinstance(parent, ast.stmt):
                break
        return self._start(node)


def atoms(fact: Fact) -> list[Fact]:
    """A fact taken apart: a true `and`, a false `or`, a `not`, links of a chain."""
    match fact.test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return atoms(Fact(operand, not fact.truth, fact.skipped))
        case ast.BoolOp(op=ast.And(), values=values) if fact.truth:
            return [atom for value in values for atom in atoms(Fact(value, truth=True, skipped=fact.skipped))]
        case ast.BoolOp(op=ast.Or(), values=values) if not fact.truth:
            return [atom for value in values for atom in atoms(Fact(value, truth=False, skipped=fact.skipped))]
        case _:
            return [fact]


def names_of(node: ast.AST) -> frozenset[str]:
    """All names that an expression reads."""
    return frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def pure_call(node: ast.Call) -> bool:
    """Whether a call changes nothing that stands in a variable, given values of the built-in kinds."""
    match node.func:
        case ast.Name(id=name):
            return name in PURE_FUNCTIONS
        case ast.Attribute(attr=attr):
            return attr in PURE_METHODS or attr in _PURE_ELSEWHERE
        case _:
            return False


def changes(node: ast.AST) -> bool:
    """Whether a node may change a value in place."""
    match node:
        case ast.Call():
            return not pure_call(node)
        case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
            return True
        case ast.AugAssign(value=value):
            return not _scalar(value)
        case ast.Await() | ast.Yield() | ast.YieldFrom() | ast.With() | ast.AsyncWith():
            return True
        case _:
            return False


def _scalar(node: ast.expr) -> bool:
    """Whether an expression reads only values that nothing changes in place: comparisons of names with numbers."""
    match node:
        case ast.Constant(value=value):
            return not isinstance(value, (str, bytes))
        case ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.Compare(left=ast.Name(), ops=[op], comparators=[right]) if not isinstance(op, (ast.In, ast.NotIn)):
            return _scalar(right)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr="isinf" | "isnan"), args=[ast.Name()]):
            return True
        case _:
            return False


def _written(node: ast.AST, function: FunctionNode) -> list[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if node is not function:
            return [node.name]
        case ast.alias():
            return [node.asname or node.name.split(".")[0]]
        case ast.arg() if node in ast.walk(function.args):
            return []
        case ast.arg(arg=name):
            return [name]
        case _:
            return []


def _around(node: ast.AST, parent: ast.AST) -> list[Fact]:
    """What an enclosing test says of one of its arms."""
    match parent:
        case ast.If(test=test, body=body, orelse=orelse):
            if node in body:
                return [Fact(test, truth=True)]
            return [Fact(test, truth=False, skipped=tuple(body))] if node in orelse else []
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return [Fact(test, truth=node is body)] if node in (body, orelse) else []
        case ast.BoolOp(op=op, values=values) if node in values:
            earlier = values[: values.index(node)]  # pyright: ignore[reportArgumentType]
            return [Fact(value, truth=isinstance(op, ast.And)) for value in earlier]
        case ast.While(test=test, body=body) if node in body:
            return [Fact(test, truth=True)]
        case ast.ListComp(generators=generators) | ast.SetComp(generators=generators):
            return _filters(node, generators)
        case ast.GeneratorExp(generators=generators) | ast.DictComp(generators=generators):
            return _filters(node, generators)
        case ast.comprehension(ifs=ifs) if node in ifs:
            return [Fact(test, truth=True) for test in ifs[: ifs.index(node)]]  # pyright: ignore[reportArgumentType]
        case _:
            return []


def _filters(node: ast.AST, generators: Sequence[ast.comprehension]) -> list[Fact]:
    # Names that an earlier filter reads may be bound again by a later source: the last one counts.
    return [] if isinstance(node, ast.comprehension) else [Fact(test, truth=True) for test in generators[-1].ifs]


def _one_target(statement: ast.Assign | ast.AnnAssign | ast.AugAssign) -> bool:
    """Whether an assignment writes one place, or plain names: nothing of its target is read after a write."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if len(targets) != 1:
        return False
    target = targets[0]
    return not isinstance(target, (ast.Tuple, ast.List)) or all(isinstance(part, ast.Name) for part in target.elts)


def _before(node: ast.AST, parent: ast.AST) -> list[Fact]:
    """What guards that stand before a statement in its block say of it."""
    if not isinstance(node, ast.stmt):
        return []
    for _, block in ast.iter_fields(parent):
        if isinstance(block, list) and node in block:
            break
    else:
        return []
    found: list[Fact] = []
    for statement in block[: block.index(node)]:  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType, reportUnknownArgumentType]
        if isinstance(statement, ast.If):
            if ends(statement.body):
                found.append(Fact(statement.test, truth=False, skipped=tuple(statement.body)))
            elif statement.orelse and ends(statement.orelse):
                found.append(Fact(statement.test, truth=True, skipped=tuple(statement.orelse)))
        elif isinstance(statement, ast.Assert):
            found.append(Fact(statement.test, truth=True))
    return found


def _repeated(node: ast.AST, parent: ast.AST) -> bool:
    """Whether a part of a loop runs again in each of its rounds."""
    match parent:
        case ast.For(body=body) | ast.AsyncFor(body=body):
            return node in body
        case ast.While(orelse=orelse):
            return node not in orelse
        case _:
            return isinstance(parent, _COMPREHENSIONS)


def _once(parent: ast.AST, start: ast.AST) -> bool:
    """Whether a part of a loop runs before it, and not in every round."""
    match parent:
        case ast.For(iter=once) | ast.AsyncFor(iter=once):
            return any(inner is start for inner in ast.walk(once))
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return any(inner is start for inner in ast.walk(parent.generators[0].iter))
        case _:
            return False


def _key(node: ast.expr) -> tuple[str, int, int, int | None, int | None]:
    return type(node).__name__, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _start(node: ast.AST) -> Position:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end(node: ast.AST) -> Position:
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0


__all__ = ["PURE_FUNCTIONS", "Fact", "Flow", "atoms", "changes", "names_of", "pure_call"]
