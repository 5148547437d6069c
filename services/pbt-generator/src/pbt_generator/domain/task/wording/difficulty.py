"""How hard a task is, when no model is configured to say."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

Difficulty = Literal["Easy", "Medium", "Hard"]


@dataclass(frozen=True)
class Measures:
    """What the heuristic looks at.

    Attributes:
        complexity: Cyclomatic complexity.
        statements: Statements of the body, the docstring left out.
        depth: Deepest nesting of loops, branches, tries and comprehensions.
        operators: Distinct operators and called names.
    """

    complexity: int
    statements: int
    depth: int
    operators: int


_NESTING = (ast.For, ast.While, ast.If, ast.Try, ast.With, ast.comprehension)


def measure(source: str, entry_point: str, complexity: int) -> Measures:
    """Measure a ground truth.

    Raises:
        ValueError: the source holds no such function.
    """
    found = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == entry_point]
    if not found:
        raise ValueError(f"the source defines no function {entry_point}")
    body = [node for node in ast.parse(source).body if not isinstance(node, (ast.Import, ast.ImportFrom))]
    tree = ast.Module(body, [])
    documented = sum(
        isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None
        for node in ast.walk(tree)
    )
    statements = sum(isinstance(node, ast.stmt) for node in ast.walk(tree)) - len(tree.body) - documented
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {each.attr for each in called if isinstance(each, ast.Attribute)}
    names |= {each.id for each in called if isinstance(each, ast.Name)}
    marks = (ast.operator, ast.cmpop, ast.boolop)
    operators = {type(node).__name__ for node in ast.walk(tree) if isinstance(node, marks)}
    return Measures(complexity, statements, _depth(tree), len(names) + len(operators))


def _depth(node: ast.AST) -> int:
    inner = max((_depth(child) for child in ast.iter_child_nodes(node)), default=0)
    return inner + isinstance(node, _NESTING)


def difficulty(measures: Measures) -> Difficulty:
    """The documented heuristic: one point each for much of something; 0 to 1 is Easy, 2 to 3 Medium, more is Hard.

    Points: complexity above 3, above 6; statements above 6, above 14; depth above 2; operators above 7.

    Example:
        >>> difficulty(Measures(complexity=2, statements=3, depth=1, operators=2))
        'Easy'
    """
    points = (
        (measures.complexity > 3)
        + (measures.complexity > 6)
        + (measures.statements > 6)
        + (measures.statements > 14)
        + (measures.depth > 2)
        + (measures.operators > 7)
    )
    if points <= 1:
        return "Easy"
    return "Medium" if points <= 3 else "Hard"
