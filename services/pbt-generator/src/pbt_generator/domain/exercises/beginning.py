"""The beginning of a ground truth, cut at a branch: a solver goes on from there."""

from __future__ import annotations

import ast

from pbt_generator.domain.exercises.exercise import drawn
from pbt_generator.domain.exercises.given import first_line
from pbt_generator.domain.oracle.syntax import FunctionNode

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def beginning(source: str, entry_point: str, task_id: str) -> str:
    """The ground truth up to the head of one of its branches, that head included.

    Everything else that the program defines stands before the function, so that what follows is the rest of the
    function and nothing besides.

    Args:
        source: The ground truth's program.
        entry_point: The function's name.
        task_id: Decides which branch.

    Returns:
        The text, its last line the head of a branch; empty where the function has no branch whose arms stand on lines
        of their own, or where something that runs while the program loads uses the function.
    """
    module = ast.parse(source)
    places = [
        place for place, node in enumerate(module.body) if isinstance(node, _FUNCTIONS) and node.name == entry_point
    ]
    if len(places) != 1:
        return ""
    function = module.body[places[0]]
    assert isinstance(function, _FUNCTIONS)
    after = module.body[places[0] + 1 :]
    if any(_uses(node, entry_point) for node in after if not isinstance(node, _FUNCTIONS)):
        return ""
    cuts = drawn(_cuts(function), str, "completion", task_id)
    if not cuts:
        return ""
    lines = source.split("\n")
    start = first_line(function) - 1
    before = "\n".join(lines[:start]).rstrip()
    moved = "\n\n\n".join(ast.unparse(node) for node in after)
    head = "\n".join(lines[start : cuts[0] - 1])
    return "\n\n\n".join(part for part in (before, moved, head) if part.strip()) + "\n"


def _cuts(function: FunctionNode) -> list[int]:
    """Lines on which the arms of the function's branches begin; what its inner functions hold is left out.

    So is what a `try` guards: cut there, the beginning would lack the handlers, and nobody could go on in its form.
    """
    found: list[int] = []
    waiting: list[ast.stmt] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            continue
        if isinstance(node, (ast.If, ast.For, ast.While)) and (begins := first_line(node.body[0])) > _head_ends(node):
            found.append(begins)
        names = ("orelse", "finalbody") if isinstance(node, ast.Try) else ("body", "orelse")
        blocks: list[list[ast.stmt]] = [getattr(node, name, []) for name in names]
        blocks += [part.body for name in ("handlers", "cases") for part in getattr(node, name, [])]
        waiting.extend(statement for block in blocks for statement in block)
    return found


def _head_ends(node: ast.If | ast.For | ast.While) -> int:
    """The last line of a branch's head."""
    head = node.iter if isinstance(node, ast.For) else node.test
    return head.end_lineno or node.lineno


def _uses(node: ast.AST, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node))
