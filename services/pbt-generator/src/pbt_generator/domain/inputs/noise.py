"""Inputs that no caller sends though the ground truth takes them: members of several kinds, and kinds that are no use.

Where nothing is declared and no caller is known, that nothing is raised says little: an empty list can be
sorted by any key, and a filler that no branch needs may be anything.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from typing import cast

from pbt_generator.domain.inputs.fitting import fits
from pbt_generator.domain.inputs.inference.choosing import shape_of_real
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    InputShape,
    ListShape,
    MapShape,
    SetShape,
    Shape,
    VariadicTupleShape,
    options_of,
)
from pbt_generator.domain.oracle.runs import RAISED, RETURNED, Exploration, Input

# So many runs that all raise show that a kind is no use in a branch.
_ENOUGH = 8
_ASKING = {"isinstance", "issubclass", "type", "callable", "hasattr"}


def asks_kinds(source: str) -> bool:
    """Whether a program asks what its values are: then members of several kinds may be meant.

    Example:
        >>> asks_kinds("def f(x): return isinstance(x, str)"), asks_kinds("def f(x): return x[:1]")
        (True, False)
    """
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return any(isinstance(call.func, ast.Name) and call.func.id in _ASKING for call in calls)


def mixes_kinds(given: Input, shape: InputShape) -> bool:
    """Whether a collection of whose members nothing is known holds several kinds of them; nothing (None) is no kind.

    Example:
        >>> from pbt_generator.domain.inputs.shapes import ParameterShape
        >>> shape = InputShape((ParameterShape("xs", ListShape(AnyShape())),))
        >>> mixes_kinds(([1, None, 2.5],), shape), mixes_kinds(([1, "a"],), shape)
        (False, True)
    """
    return any(_mixes(value, each.shape) for value, each in zip(given, shape.parameters, strict=True))


def _mixes(value: object, shape: Shape) -> bool:
    if isinstance(value, dict):
        # What stands in a map under different names may be of different kinds.
        items, inner = list(cast("dict[object, object]", value).values()), _values(shape)
        return inner is not None and any(_mixes(item, inner) for item in items)
    if not isinstance(value, list | tuple | set | frozenset):
        return False
    items, inner = list(cast("Sequence[object]", value)), _members(shape)
    if inner is None:
        return False
    return (isinstance(inner, AnyShape) and _several(items)) or any(_mixes(item, inner) for item in items)


def _values(shape: Shape) -> Shape | None:
    """The shape of what a map holds."""
    for option in options_of(shape):
        if isinstance(option, MapShape | AnyShape):
            return option.value if isinstance(option, MapShape) else option
    return None


def _members(shape: Shape) -> Shape | None:
    """The shape of the members of a collection, where all of them have one."""
    for option in options_of(shape):
        match option:
            case ListShape(element=inner) | VariadicTupleShape(element=inner) | SetShape(element=inner):
                return inner
            case AnyShape():
                return option
            case _:
                continue
    return None


def _several(items: Sequence[object]) -> bool:
    kinds = {float if type(item) is int else type(item) for item in items if item is not None}
    return len(kinds) > 1


def useful_kinds(found: Exploration, place: int, options: Sequence[Shape]) -> list[Shape]:
    """The kinds of a parameter that serve in every branch in which some kind does; empty where all of them do.

    A kind is no use where none of many runs with it returns from a branch from which runs with another kind return:
    where it does return, its value is not used.

    Args:
        found: What was run.
        place: The parameter's place.
        options: Its kinds.
    """
    tried: dict[int, Counter[int]] = {}
    alive: dict[int, set[int]] = {}
    others: dict[int, list[object]] = {}
    branches = {goal.number for goal in found.program.branches}
    for run in found.runs:
        if run.status not in (RETURNED, RAISED):
            continue
        value = run.given[place]
        kind = next((number for number, option in enumerate(options) if fits(value, option)), -1)
        good = run.status == RETURNED and run.portability <= found.highest_portability
        for goal in run.goals & branches:
            tried.setdefault(goal, Counter())[kind] += 1
            if good:
                alive.setdefault(goal, set()).add(kind)
                if kind < 0:
                    others.setdefault(goal, []).append(value)
    dead = {
        kind
        for goal, served in alive.items()
        for kind, count in tried[goal].items()
        if kind >= 0 and count >= _ENOUGH and kind not in served
    }
    kept = [option for number, option in enumerate(options) if number not in dead]
    if kept or not dead:
        return kept if dead else []
    # None of the kinds that were thought of is right: those that do serve where these do not.
    serving = [goal for goal, served in alive.items() if served == {-1}]
    return list(dict.fromkeys(shape_of_real(value) for goal in serving for value in others[goal]))[:2]


__all__ = ["asks_kinds", "mixes_kinds", "useful_kinds"]
