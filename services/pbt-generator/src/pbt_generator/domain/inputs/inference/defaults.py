"""Defaults that a program gives by the name of a constant: what callers send most of all, though no literal says it."""

from __future__ import annotations

import ast
import string
from typing import Any

from pbt_generator.domain.oracle.syntax import NO_LITERAL, bound_names

# Characters of the longest such default: it stands in the head of the task.
_LONGEST = 200


def spell_out_defaults(arguments: ast.arguments, module: ast.Module) -> None:
    """Put a constant's value in the place of its name where it is a default.

    Those count that the module binds once to a literal that nothing can change, and texts of the module `string`.

    Args:
        arguments: Of one of the module's functions; its defaults are replaced.
        module: The whole program.

    Example:
        >>> module = ast.parse("KEYS = 'ab'\\nimport string\\ndef f(a=KEYS, b=string.digits, c=other): pass")
        >>> spell_out_defaults(module.body[-1].args, module)
        >>> ast.unparse(module.body[-1].args)
        "a='ab', b='0123456789', c=other"
    """
    bound = bound_names(module)
    constants: dict[str, ast.expr] = {}
    for statement in module.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if bound[name] == 1 and _is_settled(value):
                constants[name] = value
            case _:
                pass

    def spelt(default: ast.expr) -> ast.expr:
        match default:
            case ast.Name(id=name):
                return constants.get(name, default)
            case ast.Attribute(value=ast.Name(id="string"), attr=name) if bound["string"] == 1:
                text = getattr(string, name, None)
                return ast.copy_location(ast.Constant(text), default) if isinstance(text, str) else default
            case _:
                return default

    arguments.defaults = [spelt(each) for each in arguments.defaults]
    arguments.kw_defaults = [spelt(each) if each is not None else None for each in arguments.kw_defaults]


def _is_settled(node: ast.expr) -> bool:
    """Whether an expression is a short literal that nothing changes: a scalar, or a tuple of such."""
    try:
        value: Any = ast.literal_eval(node)
    except NO_LITERAL:
        return False
    if any(isinstance(each, ast.List | ast.Dict | ast.Set) for each in ast.walk(node)):
        return False
    return isinstance(value, tuple | str | bytes | int | float | None) and len(ast.unparse(node)) <= _LONGEST


__all__ = ["spell_out_defaults"]
