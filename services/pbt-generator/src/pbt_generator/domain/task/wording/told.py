"""A parameter as a solver reads of it, and how cases give it."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from dataclasses import dataclass

from pbt_generator.domain.inputs.inference.signature import takes_places_alone
from pbt_generator.domain.inputs.shapes import has_literal
from pbt_generator.domain.oracle.syntax import NO_LITERAL, READING_ALL, entry_function
from pbt_generator.domain.task.wording.observed import Observed

ALL_GIVEN = "Every case gives all arguments, also those with a default."
SOME_LEFT_OUT = "Cases may leave out arguments that have a default."
BY_NAME = "Arguments are given by their names."
BY_NAME_IN_PYTHON = "In Python arguments are given by their names, in other languages in this order."


@dataclass(frozen=True)
class Told:
    """A parameter as a solver reads of it.

    Attributes:
        name: Its name.
        seen: Its type as the cases show it; of a variadic one, that of all its arguments together.
        meaning: What its author says of it.
        default: Its default as Python writes it; empty when there is none.
        variadic: It takes all further arguments.
        named: It is given by name.
        left_out: Some case leaves it to its default.
    """

    name: str
    seen: Observed
    meaning: str = ""
    default: str = ""
    variadic: bool = False
    named: bool = False
    left_out: bool = False

    @property
    def value(self) -> object:
        """The default as a value."""
        return ast.literal_eval(self.default)

    @property
    def json(self) -> str:
        """The default as JSON, a tuple as an array; empty where there is none, or where JSON has no such value.

        Example:
            >>> [Told("x", Observed("any"), default=text).json for text in ("None", "('a', 1)", "b'a'", "{1: 2}")]
            ['null', '["a", 1]', '', '']
        """
        if not self.default:
            return ""
        value = self.value
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False)
            return text if _plain(value) else ""
        except (TypeError, ValueError):
            return ""

    def shown(self, *, portable: bool) -> str:
        """The default in words of the instruction.

        Args:
            portable: The task is for five languages.
        """
        if portable and self.default == "None":
            return "nothing (null)"
        return f"`{self.json if portable and self.json else self.default}`"


def _plain(value: object) -> bool:
    """Whether JSON says the value as it is: keys of another kind than text become texts there."""
    match value:
        case dict():
            return all(type(key) is str and _plain(item) for key, item in value.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case list() | tuple():
            return all(map(_plain, value))  # pyright: ignore[reportUnknownArgumentType]
        case _:
            return True


def omissible(parameters: Sequence[Told]) -> frozenset[str]:
    """Names of parameters whose default stands in a head: one that has a place needs defaults at all places behind it.

    Example:
        >>> seen = Observed("int")
        >>> sorted(omissible([Told("a", seen, default="1"), Told("b", seen), Told("c", seen, default="2")]))
        ['c']
    """
    found: set[str] = set()
    behind = True
    for each in reversed(parameters):
        if each.named or each.variadic:
            found |= {each.name} if each.default else set()
            continue
        behind = behind and bool(each.default)
        found |= {each.name} if behind else set()
    return frozenset(found)


def calling_rules(parameters: Sequence[Told], *, portable: bool) -> list[str]:
    """How cases give their arguments, a sentence each, where a head alone does not tell.

    Args:
        parameters: What is told of each.
        portable: The task is for five languages.

    Example:
        >>> calling_rules([Told("x", Observed("int"), default="1")], portable=True)
        ['Every case gives all arguments, also those with a default.']
    """
    rules: list[str] = []
    if any(each.named for each in parameters):
        rules.append(BY_NAME_IN_PYTHON if portable else BY_NAME)
    if any(each.default for each in parameters):
        rules.append(SOME_LEFT_OUT if any(each.left_out for each in parameters) else ALL_GIVEN)
    return rules


def unchanging(source: str, entry_point: str, *, portable: bool) -> list[str]:
    """What the parameters are that no case can give since it gives others by place alone, a sentence each.

    Args:
        source: The ground truth.
        entry_point: Its name.
        portable: The task is for five languages.

    Example:
        >>> unchanging("def f(*xs, k=5, mark=None, by=len):\\n    return k", "f", portable=True)
        ['`k` is always `5`.', '`mark` is always nothing (null).']
    """
    arguments = entry_function(source, entry_point).args
    rules: list[str] = []
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is None or not takes_places_alone(arguments):
            continue
        try:
            value = ast.literal_eval(default)
        except NO_LITERAL:
            continue
        if has_literal(value):
            told = Told(argument.arg, Observed("any"), default=repr(value))
            rules.append(f"`{told.name}` is always {told.shown(portable=portable)}.")
    return rules


def without_effect(source: str, entry_point: str, names: Sequence[str]) -> list[str]:
    """Which parameters are never read, as a rule: nobody guesses that from a name, and words may promise an effect.

    Args:
        source: The ground truth.
        entry_point: Its name.
        names: Names of the parameters that cases give.

    Example:
        >>> without_effect("def f(xs, recursive=False):\\n    return len(xs)", "f", ["xs", "recursive"])
        ['`recursive` makes no difference.']
        >>> without_effect("def f(x, y):\\n    return locals()", "f", ["x", "y"])
        []
    """
    body = ast.Module(entry_function(source, entry_point).body, [])
    # What is deleted or written over is not read by that; a nested function may read it.
    read = {node.id for node in ast.walk(body) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    idle = [] if read & READING_ALL else [f"`{name}`" for name in names if name not in read]
    return [f"{', '.join(idle)} {'make' if len(idle) > 1 else 'makes'} no difference."] if idle else []


__all__ = ["Told", "calling_rules", "omissible", "unchanging", "without_effect"]
