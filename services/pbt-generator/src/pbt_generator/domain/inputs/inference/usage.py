"""Infers what a function's parameters must be from how its body uses them.

One walk over the syntax tree builds a graph of `Var` nodes: an expression gives a node, a use adds facts to it.
Assignments bind names to nodes, branches work on copies of the binding and are joined afterwards, and loop bodies
are read twice, so that a name that changes its type (`x = x.split(",")`) is two nodes and not one confused one.
Nothing is executed.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pbt_generator.domain.inputs.inference.facts import WEAK, Var
from pbt_generator.domain.inputs.inference.usage_expressions import Env, ExpressionReader
from pbt_generator.domain.inputs.inference.usage_literals import imported, regexes_of, scalar
from pbt_generator.domain.inputs.inference.usage_tables import CLASS_KINDS
from pbt_generator.domain.oracle.proofs.catching import Catching
from pbt_generator.domain.oracle.syntax import FunctionNode, last_name, named_parameters


class UsageReader(ExpressionReader):
    """Walks one function.

    Args:
        modules: names bound by imports, to the dotted name of what they stand for.
        depth: How many functions enclose it.
        catching: Who catches what in the outermost of them.
    """

    def __init__(self, modules: dict[str, str], depth: int = 0, catching: Catching | None = None) -> None:
        super().__init__(modules)
        self._catching = catching or Catching(ast.Module([], []))
        self.returned: list[Var] = []
        self._depth = depth

    def read(self, function: FunctionNode) -> dict[str, Var]:
        """Give the node of every parameter."""
        env: Env = {}
        self.regexes = regexes_of(function)
        self._catching = Catching(function)
        self.caught = self._catching.around(function)
        arguments = function.args
        for argument in named_parameters(arguments):
            env[argument.arg] = Var()
        if arguments.vararg:
            env[arguments.vararg.arg] = Var("list")
        if arguments.kwarg:
            env[arguments.kwarg.arg] = Var("map")
        parameters = dict(env)
        own = Var("callable")
        names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        own.function = (names, [env[name] for name in names], Var())
        if function.name not in env:
            env[function.name] = own
        self.block(function.body, env)
        return parameters

    def block(self, body: Sequence[ast.stmt], env: Env) -> None:
        """Read statements in order; `env` is changed in place."""
        for statement in body:
            self.statement(statement, env)

    def statement(self, node: ast.stmt, env: Env) -> None:
        """Read one statement."""
        match node:
            case ast.Assign(targets=targets, value=value):
                result = self.expression(value, env)
                for target in targets:
                    self.bind(target, result, env)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.bind(target, self.expression(value, env), env)
            case ast.AugAssign(target=target, op=op, value=value):
                left = self.expression(target, env)
                result = self.binary(left, op, self.expression(value, env))
                if isinstance(target, ast.Name):
                    env[target.id] = result
            case ast.Import() | ast.ImportFrom():
                self.modules = {**self.modules, **imported(node)}
            case ast.Return(value=value):
                if value is not None:
                    self.returned.append(self.expression(value, env))
            case ast.Expr(value=value) | ast.Assert(test=value):
                self.expression(value, env)
                if isinstance(node, ast.Assert):
                    self.narrow(value, env)
            case ast.If(test=test, body=body, orelse=orelse):
                self.branch(test, body, orelse, env)
            case ast.For() | ast.AsyncFor():
                self.loop(node, env)
            case ast.While(test=test, body=body, orelse=orelse):
                for _ in range(2):
                    self.expression(test, env)
                    inner = dict(env)
                    self.block(body, inner)
                    self.join(env, [inner, dict(env)])
                self.block(orelse, env)
            case ast.Try() | ast.TryStar():
                self.attempt(node, env)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for item in items:
                    result = self.expression(item.context_expr, env)
                    if item.optional_vars is not None:
                        self.bind(item.optional_vars, result, env)
                self.within(node, body, env)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.nested(node, env)
            case ast.Match(subject=subject, cases=cases):
                self.match(self.expression(subject, env), cases, env)
            case ast.Raise(exc=exc):
                if exc is not None:
                    self.expression(exc, env)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.expression(target, env)
            case _:
                pass

    def branch(self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt], env: Env) -> None:
        """Read an if statement: each arm on its own copy, narrowed by the test."""
        self.truth(test, env)
        then, other = dict(env), dict(env)
        self.narrow(test, then)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.narrow(test.operand, other)
        self.block(body, then)
        self.block(orelse, other)
        alive = [arm for arm, code in ((then, body), (other, orelse)) if not _leaves(code)]
        self.join(env, alive or [then, other])

    def loop(self, node: ast.For | ast.AsyncFor, env: Env) -> None:
        """Read a for statement; twice, so that what a round changes is seen by the next."""
        iterable = self.expression(node.iter, env)
        element = self.iterate(iterable)
        for _ in range(2):
            inner = dict(env)
            self.bind(node.target, element, inner)
            self.block(node.body, inner)
            self.join(env, [inner, dict(env)])
        self.block(node.orelse, env)

    def attempt(self, node: ast.Try | ast.TryStar, env: Env) -> None:
        """Read a try statement."""
        arms = [dict(env)]
        self.within(node, node.body, arms[0])
        for handler in node.handlers:
            arm = dict(env)
            if handler.name:
                arm[handler.name] = Var()
            self.block(handler.body, arm)
            if not _leaves(handler.body):
                arms.append(arm)
        self.block(node.orelse, arms[0])
        self.join(env, arms)
        self.block(node.finalbody, env)

    def within(self, node: ast.stmt, body: Sequence[ast.stmt], env: Env) -> None:
        """Read the body of a statement that may catch what a wrong number of parts raises."""
        outer, self.caught = self.caught, self.caught or self._catching.catches(node)
        self.block(body, env)
        self.caught = outer

    def nested(self, node: FunctionNode, env: Env) -> None:
        """Read an inner function once; calls unify their arguments with its parameters."""
        inner = UsageReader(self.modules, self._depth + 1, self._catching)
        inner.caught = self._catching.around(node)
        inner.regexes = self.regexes
        scope = dict(env)
        names = [argument.arg for argument in named_parameters(node.args)]
        parameters = [Var() for _ in names]
        scope.update(zip(names, parameters, strict=True))
        for extra in (node.args.vararg, node.args.kwarg):
            if extra is not None:
                scope[extra.arg] = Var()
        result = Var()
        own = Var("callable")
        own.function = (names, parameters, result)
        env[node.name] = scope[node.name] = own
        if self._depth < 4:
            inner.block(node.body, scope)
            for returned in inner.returned:
                result.draw(returned)

    def match(self, subject: Var, cases: Sequence[ast.match_case], env: Env) -> None:
        """Read a match statement: literal patterns are constants of the subject."""
        arms: list[Env] = []
        for case in cases:
            arm = dict(env)
            for pattern in ast.walk(case.pattern):
                if isinstance(pattern, ast.MatchAs | ast.MatchStar) and pattern.name:
                    arm[pattern.name] = subject if pattern is case.pattern else Var()
            for pattern in _options(case.pattern):
                match pattern:
                    case ast.MatchValue(value=ast.Constant(value=value)):
                        self.compare_constant(subject, scalar(value), WEAK)
                    case ast.MatchClass(cls=cls) if last_name(cls) in CLASS_KINDS:
                        kind = CLASS_KINDS[last_name(cls)]
                        subject.find().alternatives.append((kind, Var(kind)))
                    case _:
                        pass
            if case.guard is not None:
                self.expression(case.guard, arm)
            self.block(case.body, arm)
            arms.append(arm)
        self.join(env, [*arms, dict(env)])

    def join(self, env: Env, arms: list[Env]) -> None:
        """Merge the bindings of arms: a name that differs gets a node whose facts flow to all of its sources."""
        for name in dict.fromkeys(name for arm in arms for name in arm):
            nodes = list(dict.fromkeys(arm[name].find() for arm in arms if name in arm))
            if len(nodes) == 1:
                env[name] = nodes[0]
            else:
                env[name] = Var().draw(*nodes)


def _options(pattern: ast.pattern) -> list[ast.pattern]:
    """The alternatives of a pattern."""
    match pattern:
        case ast.MatchOr(patterns=patterns):
            return [option for each in patterns for option in _options(each)]
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _options(inner)
        case _:
            return [pattern]


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))
