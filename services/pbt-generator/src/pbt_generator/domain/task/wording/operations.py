"""What a solver is told of a class that became a function of operations: what they are called, take, mean and give."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pbt_generator.domain.oracle.driver import DrivenOperation, driver_of, methods_of
from pbt_generator.domain.oracle.syntax import FunctionNode, entry_function, placed_parameters
from pbt_generator.domain.task.wording.constants import deciding_constants
from pbt_generator.domain.task.wording.giveaways import OwnLines, own_lines, without_lines
from pbt_generator.domain.task.wording.instruction import neutral
from pbt_generator.domain.task.wording.prose import Prose, read_prose, without_doctests

# Such a task is shown by example: no rule says yet when the words of every operation suffice.
UNJUDGED = "no rule judges the words of its operations"
# How the list of operations begins.
OPERATIONS = "Operations:"


def operation_rules(source: str, entry_point: str, *, portable: bool) -> list[str]:
    """The operations of a driver with their meaning, and what it gives, as rules; none for another function.

    Args:
        source: The ground truth.
        entry_point: Its name.
        portable: The words shall belong to no language.
    """
    driver = driver_of(entry_function(source, entry_point))
    if driver is None:
        return []
    methods = methods_of(ast.parse(source), driver.class_name)
    lines = own_lines(source, entry_point)
    texts = [each for each in deciding_constants(source) if isinstance(each, str)]
    told = [_told(each, methods.get(each.attribute), lines, texts if portable else None) for each in driver.operations]
    nothing = "nothing (null)" if portable else "None"
    return [
        f"`{driver.parameter}` holds operations, each a list of its name and its arguments. One object is made for the "
        "call, of the other parameters. The operations are carried out on it in order, and each may depend on those "
        f"before it. The result is a list with what each operation gave, {nothing} where it gave none: as it was when "
        "that operation ended, whatever later ones do. No operation of a case raises an error.",
        "\n".join([OPERATIONS, *told]),
    ]


def constructor_words(source: str, entry_point: str) -> dict[str, str]:
    """What the docstring of the constructor says of its parameters; empty for a function that is no driver."""
    driver = driver_of(entry_function(source, entry_point))
    method = methods_of(ast.parse(source), driver.class_name).get("__init__") if driver is not None else None
    return dict(_prose(method, OwnLines(())).parameters) if method is not None else {}


def _prose(method: FunctionNode, lines: OwnLines) -> Prose:
    return without_lines(read_prose(ast.get_docstring(method) or ""), lines)


def _told(operation: DrivenOperation, method: FunctionNode | None, lines: OwnLines, own: Sequence[str] | None) -> str:
    """An operation in words; `own` are the program's texts where the words shall belong to no language."""
    if method is None or operation.is_property:
        prose = _prose(method, lines) if method is not None else Prose()
        return _line(f"- `{operation.name}`", [_joined(prose.text), _joined(prose.returns)], own)
    placed = placed_parameters(method.args)[1:]
    heads = [
        f"`{each.arg}`" + (f" (may be left out, then {ast.unparse(default)})" if default else "")
        for each, default in placed
    ]
    prose = _prose(method, lines)
    meanings = [f"`{name}`: {_joined(prose.parameters[name])}" for name in (each.arg for each, _ in placed)
                if prose.parameters.get(name)]  # fmt: skip
    taken = f", arguments {', '.join(heads)}" if heads else ""
    words = [_joined(prose.text), *meanings, _joined(prose.returns)]
    return _line(f"- `{operation.name}`{taken}", words, own)


def _line(head: str, words: list[str], own: Sequence[str] | None) -> str:
    text = " ".join(each if each.endswith((".", "!", "?")) else f"{each}." for each in words if each)
    line = f"{head}: {text}" if text else head
    return neutral(line, own) if own is not None else line


def _joined(text: str) -> str:
    """Words on one line, examples left out."""
    return " ".join(without_doctests(text).split())


__all__ = ["OPERATIONS", "UNJUDGED", "constructor_words", "operation_rules"]
