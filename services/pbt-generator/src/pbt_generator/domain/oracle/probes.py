"""Rewrites a ground truth so that a run tells which branches it took and what its comparisons saw.

What counts as a branch: both outcomes of every `if`, `while` and conditional expression, and of every `assert` whose
error is caught; body and exhaustion of every `for`, every `except` arm, what `suppress` catches, every `case` and the
way past all of them, and entry of every inner function, of every one beside the entry, and of every lambda that a
module or a class keeps. Where an error may be caught it counts too that the last work of a block was done, `return`
with its value among it, and that each of the two values of a conditional expression was made. Tests that are constants
have one outcome. This covers each arc that coverage.py calls a branch, and is stricter: conditional expressions,
exception arms and one-line bodies count too. Operands of `and`/`or`, filters of comprehensions and the two ends of
comparisons are goals of the search, but not required.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from pbt_generator.domain.oracle.loading import beside
from pbt_generator.domain.oracle.proofs.catching import Catching
from pbt_generator.domain.oracle.proofs.reachability import (
    RaisingWays,
    constant_truth,
    live_statements,
    reached,
)
from pbt_generator.domain.oracle.proofs.unused import only_raised
from pbt_generator.domain.oracle.syntax import READING_ALL, FunctionNode, docstring_first, parsed, takes_all
from pbt_generator.domain.oracle.work import is_plain, last_work, suppressed

_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
_OBSERVED_METHODS = {
    "startswith", "endswith", "find", "rfind", "split", "rsplit", "count", "partition", "rpartition", "get", "index",
    "isdigit", "isalpha", "isupper", "islower", "isspace", "isalnum", "isnumeric", "isdecimal", "match", "search",
    "fullmatch",
}  # fmt: skip


# Behind the outcome of a test whose value was made.
MADE = "made"
# By these a block is left otherwise than by its end.
_LEAVING = (ast.Return, ast.Break, ast.Continue)
# By these an expression asks the very function that it stands in.
_FRAME = {"super", "__class__", *READING_ALL}


@dataclass(frozen=True)
class Goal:
    """Something that a run may reach.

    Attributes:
        number: Its place in the list of goals.
        kind: if, while, assert, for, except, with, case, ternary, function, try (branches), operand, filter, order,
            equal, test.
        outcome: "true", "false", "true made", "false made", "body", "exhausted", "entered", "completed", "suppressed",
            "past", "less", "equal", "greater".
        line: Line in the program's source.
        branch: Whether it belongs to branch coverage.
        raises: Whether every path from here ends in an exception, so that no returning input can be a case of it.
        site: Number of the comparison, or of the test, that it belongs to.
    """

    number: int
    kind: str
    outcome: str
    line: int
    branch: bool
    raises: bool = False
    site: int = -1


@dataclass(frozen=True)
class Instrumented:
    """A rewritten program and the goals that its runs report."""

    source: str
    goals: tuple[Goal, ...]
    sites: int

    @property
    def branches(self) -> tuple[Goal, ...]:
        """The goals of branch coverage."""
        return tuple(goal for goal in self.goals if goal.branch)


def instrument(source: str, entry_point: str) -> Instrumented:
    """Put probes into the function `entry_point` of a program, and into functions, classes and lambdas beside it.

    The result needs the probes (`_ts_b` and its like) that the explore harness defines.
    """
    module = parsed(source)
    functions = [
        node
        for node in module.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == entry_point
    ]
    writer = _Prober(RaisingWays(module, functions[-1]) if functions else None, Catching(module, None))
    if writer.ways is not None:
        writer.asserts = Catching(module, AssertionError).asserts(writer.ways.swallowing)
    errors = only_raised(module)
    # What a slice took along is a part of the ground truth: every branch of it counts.
    parts: list[ast.AST] = [*beside(module, entry_point), *functions[-1:]]
    defaults = {id(each) for node in ast.walk(module) if isinstance(node, ast.arguments) for each in ast.walk(node)}
    for node in sorted(parts, key=lambda part: getattr(part, "lineno", 0)):
        writer.of_error = node in errors
        if functions and node is functions[-1]:
            writer.function(functions[-1])
        elif isinstance(node, ast.Lambda):
            writer.kept_lambda(node, default=id(node) in defaults)
        else:
            writer.visit(node)
    ast.fix_missing_locations(module)
    return Instrumented(ast.unparse(module), tuple(writer.goals), writer.sites)


class _Prober(ast.NodeTransformer):
    def __init__(self, ways: RaisingWays | None, catching: Catching) -> None:
        self.goals: list[Goal] = []
        self.sites = 0
        self.ways = ways
        self.catching = catching
        # Whether an error may be caught where it stands, and whether what is left there with none may only raise later.
        self.guarded: bool = False
        self.ending: bool = False
        # Whether what is being visited lies on ways that only end in an exception.
        self.doomed = False
        # Asserts whose errors are caught, by their identity: both of their outcomes may return.
        self.asserts: frozenset[int] = frozenset()
        # Whether it belongs to a class of errors that are raised and not caught: only what raises comes there.
        self.of_error = False
        # Whether it runs when the program is called, and not while it loads.
        self.called = False
        # Whether it stands in the body of a class, whose names no function in it sees.
        self.in_class: bool = False

    def function(self, node: FunctionNode) -> None:
        """Rewrite the body of the entry function; defaults, annotations and decorators stay as they are."""
        self.called, self.guarded = True, self.may_catch(node)
        words, body = docstring_first(node.body)
        node.body = [*words, _call("_ts_t"), *self.statements(body)]
        self.called = self.guarded = False

    def statements(self, body: Sequence[ast.stmt], *, raises: bool = False) -> list[ast.stmt]:
        """Rewrite a block; `raises` says that every way on from its end ends in an exception."""
        result: list[ast.stmt] = []
        count = reached(body)
        outer = self.doomed
        last = last_work(body[:count]) if self.guarded else None
        for statement in body[:count]:
            self.doomed = self.ways is not None and self.ways.statement(statement)
            visited = self.visit(statement)
            result.append(visited)
            falls = not isinstance(body[count - 1], _LEAVING)
            if statement is last and not (self.doomed or (falls and self.ending and not raises)):
                number = self.goal("try", "completed", statement.lineno, raises=falls and raises)
                if isinstance(visited, ast.Return) and visited.value is not None:
                    visited.value = _probe("_ts_d", number, visited.value)
                else:
                    result.append(_call("_ts_h", number))
        self.doomed = outer
        # Nothing behind a statement that leaves is ever run: it has no goals.
        result.extend(body[count:])
        return result

    def raises(self, node: ast.AST, outcome: str) -> bool:
        """Whether every way on from an outcome ends in an exception."""
        return self.ways is not None and self.ways.arm(node, outcome)

    def may_catch(self, function: ast.AST) -> bool:
        """Whether who asks a function may go on after its error, or take it for an answer."""
        return self.catching.around(function) or bool(self.ways is not None and self.ways.swallowing.taken(function))

    def goal(
        self, kind: str, outcome: str, line: int, *, branch: bool = True, raises: bool = False, site: int = -1
    ) -> int:
        number = len(self.goals)
        self.goals.append(Goal(number, kind, outcome, line, branch, raises or self.doomed or self.of_error, site))
        return number

    def pair(self, kind: str, node: ast.If | ast.While | ast.Assert) -> int:
        number = self.goal(kind, "true", node.lineno, raises=self.raises(node, "true"))
        self.goal(kind, "false", node.lineno, raises=self.raises(node, "false"))
        return number

    # Statements

    def visit_If(self, node: ast.If) -> ast.stmt:
        truth = constant_truth(node.test)
        if truth is None:
            number = self.pair("if", node)
            node.test = _probe("_ts_b", number, self.visit(node.test))
        # An arm that a constant rules out is never run: nothing in it is a goal.
        if truth is not False:
            node.body = self.statements(node.body)
        if truth is not True:
            node.orelse = self.statements(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> ast.stmt:
        truth = constant_truth(node.test)
        if truth is None:
            number = self.pair("while", node)
            node.test = _probe("_ts_b", number, self.visit(node.test))
        node.body = [_call("_ts_t"), *self.statements(node.body)]
        node.orelse = self.statements(node.orelse)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        if id(node) not in self.asserts or constant_truth(node.test) is not None:
            return self.generic_visit(node)  # type: ignore[return-value]
        number = self.pair("assert", node)
        node.test = _probe("_ts_b", number, self.visit(node.test))
        return node

    def visit_For(self, node: ast.For | ast.AsyncFor) -> ast.stmt:
        inside = self.goal("for", "body", node.lineno, raises=self.raises(node, "body"))
        after = self.goal("for", "exhausted", node.lineno, raises=self.raises(node, "exhausted"))
        node.iter = self.visit(node.iter)
        node.body = [_call("_ts_h", inside), _call("_ts_t"), *self.statements(node.body)]
        node.orelse = [_call("_ts_h", after), *self.statements(node.orelse)]
        return node

    visit_AsyncFor = visit_For  # type: ignore[assignment]

    def within(self, node: ast.Try | ast.TryStar | ast.With | ast.AsyncWith, outcome: str) -> list[ast.stmt]:
        """Rewrite the body of what may catch its errors; the outcome is that nothing was left to catch."""
        outer = self.guarded, self.ending
        raises = self.raises(node, outcome)
        self.guarded = self.guarded or self.catching.catches(node)
        self.ending = self.ending or raises
        body = self.statements(node.body, raises=raises)
        self.guarded, self.ending = outer
        return body

    def visit_Try(self, node: ast.Try | ast.TryStar) -> ast.stmt:
        node.body = self.within(node, "entered")
        for handler in node.handlers:
            number = self.goal("except", "entered", handler.lineno, raises=self.raises(handler, "entered"))
            handler.body = [_call("_ts_h", number), *self.statements(handler.body)]
        if node.orelse:
            number = self.goal("try", "entered", node.orelse[0].lineno, raises=self.raises(node, "entered"))
            node.orelse = [_call("_ts_h", number), *self.statements(node.orelse)]
        node.finalbody = self.statements(node.finalbody)
        return node

    visit_TryStar = visit_Try  # type: ignore[assignment]

    def visit_With(self, node: ast.With | ast.AsyncWith) -> ast.stmt:
        errors = suppressed(node)
        node.items = [self.visit(item) for item in node.items]
        node.body = self.within(node, "past")
        if errors is not None:
            number = self.goal("with", "suppressed", node.lineno, raises=self.raises(node, "past"))
            arm = ast.ExceptHandler(errors, None, [_call("_ts_h", number), ast.Raise()])
            node.body = [ast.Try(node.body, [arm], [], [])]
        return node

    visit_AsyncWith = visit_With  # type: ignore[assignment]

    def visit_Match(self, node: ast.Match) -> ast.stmt:
        node.subject = self.visit(node.subject)
        for case in node.cases:
            number = self.goal("case", "entered", case.pattern.lineno, raises=self.raises(case, "entered"))
            if case.guard is not None:
                case.guard = self.visit(case.guard)
            case.body = [_call("_ts_h", number), *self.statements(case.body)]
        last = node.cases[-1]
        if not takes_all(last):
            past = self.goal("case", "past", last.pattern.lineno, raises=self.raises(node, "past"))
            node.cases.append(ast.match_case(pattern=ast.MatchAs(), guard=None, body=[_call("_ts_h", past)]))
        return node

    def visit_FunctionDef(self, node: FunctionNode) -> ast.stmt:
        number = self.goal("function", "entered", node.lineno)
        outer = self.called, self.in_class, self.guarded, self.ending
        self.called, self.in_class, self.guarded, self.ending = True, False, self.may_catch(node), False
        words, body = docstring_first(node.body)
        node.body = [*words, _call("_ts_h", number), _call("_ts_t"), *self.statements(body)]
        self.called, self.in_class, self.guarded, self.ending = outer
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        """The methods of a class have branches like any function; what stands beside them runs where the class does."""
        if self.called:
            outer, self.in_class = self.in_class, True
            words, body = docstring_first(node.body)
            node.body = [*words, *self.statements(body)]
            self.in_class = outer
            return node
        for each in list(live_statements(node.body)):
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.visit(each)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    # Expressions

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        if constant_truth(node.test) is None:
            number = self.goal("ternary", "true", node.lineno)
            self.goal("ternary", "false", node.lineno)
            node.test = _probe("_ts_b", number, self.visit(node.test))
            node.body = self.arm(node.body, f"true {MADE}", node.lineno)
            node.orelse = self.arm(node.orelse, f"false {MADE}", node.lineno)
        else:
            node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def arm(self, node: ast.expr, outcome: str, line: int) -> ast.expr:
        """Rewrite one of two values: like a block, it is a branch that it was made where an error may be caught."""
        told = self.guarded and not (self.doomed or self.ending or is_plain(node))
        value = self.visit(node)
        return _probe("_ts_d", self.goal("ternary", outcome, line), value) if told else value

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        values: list[ast.expr] = []
        for value in node.values:
            if constant_truth(value) is None and value is not node.values[-1]:
                number = self.goal("operand", "true", value.lineno, branch=False)
                self.goal("operand", "false", value.lineno, branch=False)
                values.append(_probe("_ts_v", number, self.visit(value)))
            else:
                values.append(self.visit(value))
        node.values = values
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        node.iter = self.visit(node.iter)
        conditions: list[ast.expr] = [ast.Call(func=ast.Name("_ts_k", ast.Load()), args=[], keywords=[])]
        for condition in node.ifs:
            number = self.goal("filter", "true", condition.lineno, branch=False)
            self.goal("filter", "false", condition.lineno, branch=False)
            conditions.append(_probe("_ts_b", number, self.visit(condition)))
        node.ifs = conditions
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        trees = [node.left, *node.comparators]
        if any(isinstance(inner, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)) for inner in ast.walk(node)):
            return self.generic_visit(node)  # type: ignore[return-value]
        if len(node.ops) > 1 and (self.in_class or any(map(_of_frame, trees))):
            return self.generic_visit(node)  # type: ignore[return-value]
        measured = "len" if any(_is_len(tree) for tree in trees) else ""
        visited = [self.visit(tree) for tree in trees]
        numbers: list[int] = []
        names: list[str] = []
        for op in node.ops:
            name = _OPERATORS[type(op)]
            numbers.append(self.comparison_site(name, node.lineno))
            names.append(measured + name)
        if len(node.ops) == 1:
            parts: list[ast.expr] = [ast.Constant(numbers[0]), ast.Constant(names[0]), *visited]
            return ast.Call(func=ast.Name("_ts_c", ast.Load()), args=parts, keywords=[])
        later = [_thunk(tree) for tree in visited[1:]]
        heads = [
            ast.Tuple([ast.Constant(number) for number in numbers], ast.Load()),
            ast.Tuple([ast.Constant(name) for name in names], ast.Load()),
        ]
        return ast.Call(func=ast.Name("_ts_chain", ast.Load()), args=[*heads, visited[0], *later], keywords=[])

    def comparison_site(self, name: str, line: int) -> int:
        """Goals of one comparison; its number is that of the first of them."""
        site = self.sites
        self.sites += 1
        if name in {"<", "<=", ">", ">="}:
            first = self.goal("order", "less", line, branch=False, site=site)
            self.goal("order", "equal", line, branch=False, site=site)
            self.goal("order", "greater", line, branch=False, site=site)
        else:
            first = self.goal("equal", "false", line, branch=False, site=site)
            self.goal("equal", "true", line, branch=False, site=site)
        return first

    def visit_Call(self, node: ast.Call) -> ast.expr:
        func = node.func
        if (
            isinstance(func, ast.Attribute)
            and func.attr in _OBSERVED_METHODS
            and not node.keywords
            and not any(isinstance(argument, ast.Starred) for argument in node.args)
        ):
            site = self.sites
            self.sites += 1
            first = self.goal("test", "false", node.lineno, branch=False, site=site)
            self.goal("test", "true", node.lineno, branch=False, site=site)
            parts: list[ast.expr] = [
                ast.Constant(first),
                ast.Constant(func.attr),
                self.visit(func.value),
                *(self.visit(a) for a in node.args),
            ]
            return ast.Call(func=ast.Name("_ts_m", ast.Load()), args=parts, keywords=[])
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        return self.visit(plain_format(node))

    def kept_lambda(self, node: ast.Lambda, *, default: bool) -> None:
        """A lambda that a module or a class keeps: it is entered like a function, if it is more than a default."""
        body: ast.expr = self.visit(node.body)
        if default:
            node.body = body
            return
        number = self.goal("function", "entered", node.lineno)
        entered = ast.Call(func=ast.Name("_ts_h", ast.Load()), args=[ast.Constant(number)], keywords=[])
        node.body = ast.BoolOp(ast.Or(), [entered, body])

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        node.body = self.visit(node.body)
        return node


def plain_format(node: ast.JoinedStr) -> ast.expr:
    """An f-string as a call of `_ts_join`, so that any expression can stand in it."""
    parts: list[ast.expr] = []
    for value in node.values:
        if not isinstance(value, ast.FormattedValue):
            parts.append(value)
            continue
        inner = value.value
        if value.conversion in (115, 114, 97):
            name = {115: "_ts_str", 114: "_ts_repr", 97: "_ts_ascii"}[value.conversion]
            inner = ast.Call(func=ast.Name(name, ast.Load()), args=[inner], keywords=[])
        spec = value.format_spec
        shown = plain_format(spec) if isinstance(spec, ast.JoinedStr) else ast.Constant("")
        parts.append(ast.Call(func=ast.Name("_ts_format", ast.Load()), args=[inner, shown], keywords=[]))
    if len(parts) == 1 and isinstance(parts[0], ast.Constant):
        return parts[0]
    listed = ast.Tuple(elts=parts, ctx=ast.Load())
    result = ast.Call(func=ast.Name("_ts_join", ast.Load()), args=[listed], keywords=[])
    return ast.fix_missing_locations(ast.copy_location(result, node))


def _is_len(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


def _of_frame(node: ast.expr) -> bool:
    """Whether an expression asks the function that it stands in, and would ask a function around it otherwise."""
    return any(isinstance(inner, ast.Name) and inner.id in _FRAME for inner in ast.walk(node))


def _thunk(node: ast.expr) -> ast.expr:
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(args=arguments, body=node)


def _probe(name: str, number: int, value: ast.expr) -> ast.expr:
    return ast.Call(func=ast.Name(name, ast.Load()), args=[ast.Constant(number), value], keywords=[])


def _call(name: str, *numbers: int) -> ast.stmt:
    return ast.Expr(
        ast.Call(func=ast.Name(name, ast.Load()), args=[ast.Constant(number) for number in numbers], keywords=[])
    )
