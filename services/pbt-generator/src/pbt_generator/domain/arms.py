"""The arms of a ground truth's tests: what lies in them, and which inputs lead into those that only raise."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pbt_generator.domain.exploration import Exploration
from pbt_generator.domain.instrument import Goal


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
        if not isinstance(node, (ast.If, ast.While, ast.For)):
            continue
        for goal in goals:
            if goal.line != node.lineno:
                continue
            arm = node.orelse if goal.outcome in {"false", "exhausted"} else node.body
            for statement in arm:
                lines.update(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
    return lines


def raising_inputs(found: Exploration, goals: Sequence[Goal]) -> list[str]:
    """For every branch that can only raise, an input that came there: kept beside the suite as evidence."""
    texts: list[str] = []
    for goal in goals:
        text = next((run.text for run in found.raised if goal.number in run.goals), "")
        if text and text not in texts:
            texts.append(text)
    return texts
