"""Pieces of syntax that the program of all mutants is written with."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def chosen(number: int) -> ast.expr:
    """The question whether a mutant is the one that runs."""
    return ast.Compare(ast.Name("_ts_M", ast.Load()), [ast.Eq()], [ast.Constant(number)])


def chosen_among(numbers: Sequence[int]) -> ast.expr:
    """The question whether one of these mutants, which follow each other, is the one that runs."""
    ends: list[ast.expr] = [ast.Name("_ts_M", ast.Load()), ast.Constant(numbers[-1])]
    return ast.Compare(ast.Constant(numbers[0]), [ast.LtE(), ast.LtE()], ends)


def chosen_none(numbers: Sequence[int]) -> ast.expr:
    """The question whether none of these mutants is the one that runs."""
    those = ast.Tuple([ast.Constant(each) for each in numbers], ast.Load())
    return ast.Compare(ast.Name("_ts_M", ast.Load()), [ast.NotIn()], [those])


def tick(name: str = "_ts_t") -> ast.stmt:
    """A call that counts a step."""
    return ast.Expr(ast.Call(func=ast.Name(name, ast.Load()), args=[], keywords=[]))


def statement_call(name: str, number: int) -> ast.stmt:
    """A call that says which statement is begun."""
    return ast.Expr(ast.Call(func=ast.Name(name, ast.Load()), args=[ast.Constant(number)], keywords=[]))


def no_arguments() -> ast.arguments:
    """The parameters of a function that takes none."""
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
