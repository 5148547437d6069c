"""What a block of a program ends with, and whether that may fail, told by its form alone."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from pbt_generator.domain.oracle.syntax import last_name

# Statements without blocks, behind which a block may end with its work done.
_SIMPLE = (
    ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Assert, ast.Delete, ast.Return, ast.Pass, ast.Break,
    ast.Continue, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom,
)  # fmt: skip
# Of these alone an expression cannot fail.
_PLAIN = (ast.Constant, ast.Name, ast.Tuple, ast.List, ast.expr_context)


def last_work(body: Sequence[ast.stmt]) -> ast.stmt | None:
    """The statement that ends a block's work and may fail; None where there is none, or the blocks in it tell.

    Example:
        >>> ast.unparse(last_work(ast.parse("a = f(x); b = a; pass").body))
        'a = f(x)'
    """
    for statement in reversed(body):
        if not isinstance(statement, _SIMPLE):
            return None
        if not _cannot_fail(statement):
            return statement
    return None


def _cannot_fail(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=targets, value=value) if all(isinstance(target, ast.Name) for target in targets):
            parts = [value]
        case ast.Return(value=value) | ast.Expr(value=value):
            parts = [value] if value is not None else []
        case ast.Import() | ast.ImportFrom():
            # No input decides whether there is such a module.
            parts = []
        case _:
            return isinstance(statement, (ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal))
    return all(map(is_plain, parts))


def is_plain(node: ast.expr) -> bool:
    """Whether an expression cannot fail: it is made of constants and names."""
    return all(isinstance(inner, _PLAIN) for inner in ast.walk(node))


def suppressed(node: ast.With | ast.AsyncWith) -> ast.expr | None:
    """The errors that `contextlib.suppress` catches around the body of a statement."""
    for item in node.items:
        match item.context_expr:
            case ast.Call(func=func, args=args, keywords=[]) if last_name(func) == "suppress" and args:
                named = (ast.Name, ast.Attribute, ast.Starred, ast.expr_context)
                if all(isinstance(inner, named) for each in args for inner in ast.walk(each)):
                    return ast.Tuple(copy.deepcopy(args), ast.Load())
            case _:
                pass
    return None
