"""The arms of a ground truth's tests: what lies in them, and which inputs lead into those that only raise."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pbt_generator.domain.oracle.probes import Goal
from pbt_generator.domain.oracle.runs import Exploration


def own_nodes(statement: ast.AST) -> list[ast.AST]:
    """The nodes of a statement, inner functions and classes left out."""
    nodes: list[ast.AST] = [statement]
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            nodes.extend(own_nodes(child))
    return nodes


def lines_inside(source: str, goals: Sequence[Goal]) -> set[int]:
    """Lines of the arms that belong to unreachable outcomes."""
    lines: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        for goal in goals:
            arm = _arm(node, goal)
            for statement in arm:
                # A line that the test shares with its arm is reached by the other outcome too.
                first = max(statement.lineno, getattr(node, "lineno", 0) + 1)
                lines.update(range(first, (statement.end_lineno or statement.lineno) + 1))
    return lines


def _arm(node: ast.AST, goal: Goal) -> Sequence[ast.stmt]:
    """The statements that belong to an outcome, if it is one of this node's."""
    match node:
        case ast.If() | ast.While() | ast.For() if goal.line == node.lineno and goal.kind in {"if", "while", "for"}:
            return node.orelse if goal.outcome in {"false", "exhausted"} else node.body
        case ast.ExceptHandler() if goal.line == node.lineno and goal.kind == "except":
            return node.body
        case ast.Try(orelse=[first, *_]) if goal.line == first.lineno and goal.outcome == "entered":
            return node.orelse if goal.kind == "try" else []
        case _:
            return []


def raising_inputs(found: Exploration, goals: Sequence[Goal]) -> list[str]:
    """For every branch that can only raise, an input that came there: kept beside the suite as evidence."""
    texts: list[str] = []
    for goal in goals:
        text = next((run.text for run in found.raised if goal.number in run.goals), "")
        if text and text not in texts:
            texts.append(text)
    return texts
