"""What a ground truth calls of its own: given to a solver, who writes the function alone."""

from __future__ import annotations

import ast

from pbt_generator.domain.oracle.driver import driver_of

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def given_beside(source: str, entry_point: str) -> str:
    """Everything that a ground truth holds but the function that is asked for.

    Args:
        source: The ground truth's program.
        entry_point: The function's name.

    Returns:
        The text, comments between definitions left out; empty where the function stands alone, where nothing but
        imports and constants stands beside it, where something beside it uses the function, or where it only drives a
        class, which is what is asked for.

    Example:
        >>> print(given_beside("def twice(x):\\n    return 2 * x\\n\\ndef f(x):\\n    return twice(x) + 1\\n", "f"))
        def twice(x):
            return 2 * x
    """
    module = ast.parse(source)
    own = [node for node in module.body if isinstance(node, _DEFINITIONS) and node.name == entry_point]
    beside = [node for node in module.body if node not in own]
    if any(not isinstance(node, ast.ClassDef) and driver_of(node) is not None for node in own):
        return ""
    if len(own) != 1 or not any(isinstance(node, _DEFINITIONS) for node in beside):
        return ""
    names = (inner for node in beside for inner in ast.walk(node))
    if any(isinstance(inner, ast.Name) and inner.id == entry_point for inner in names):
        return ""
    lines = source.split("\n")
    return "\n\n\n".join("\n".join(lines[first_line(node) - 1 : node.end_lineno]) for node in beside)


def first_line(node: ast.stmt) -> int:
    """The line on which a statement begins, its decorators included."""
    decorators = node.decorator_list if isinstance(node, _DEFINITIONS) else []
    return min([node.lineno, *(each.lineno for each in decorators)])
