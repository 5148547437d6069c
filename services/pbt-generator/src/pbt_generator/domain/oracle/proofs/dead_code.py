"""Statements that a walk over a function never came to."""

from __future__ import annotations

import ast
from collections.abc import Container, Sequence

from pbt_generator.domain.oracle.syntax import FunctionNode


def dead_statements(body: Sequence[ast.stmt], seen: Container[int]) -> set[int]:
    """Identities of the statements, at any depth, that were not seen; what the walk does not enter is left out."""
    dead: set[int] = set()
    for statement in body:
        if id(statement) not in seen:
            dead |= {id(inner) for inner in ast.walk(statement) if isinstance(inner, ast.stmt)}
            continue
        for block in _entered(statement):
            dead |= dead_statements(block, seen)
    return dead


def _entered(statement: ast.stmt) -> list[list[ast.stmt]]:
    match statement:
        case ast.If(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse) | ast.For(body=body, orelse=orelse):
            return [body, orelse]
        case ast.With(body=body):
            return [body]
        case ast.Try(body=body, handlers=handlers, orelse=orelse):
            return [body, orelse, *(handler.body for handler in handlers)]
        case _:
            return []


def lines_of(function: FunctionNode, dead: Container[int]) -> frozenset[int]:
    """Lines that belong to dead statements only."""
    gone: set[int] = set()
    live: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and node is not function:
            (gone if id(node) in dead else live).update(_own_lines(node))
    return frozenset(gone - live)


def _own_lines(statement: ast.stmt) -> range:
    """The lines of a statement, those of its blocks left out."""
    end = statement.end_lineno or statement.lineno
    inner = [node.lineno for node in ast.iter_child_nodes(statement) if isinstance(node, ast.stmt)]
    return range(statement.lineno, max(statement.lineno, min(inner) - 1 if inner else end) + 1)
