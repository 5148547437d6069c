"""Calls that leave arguments to their defaults, as callers do.

Only Python's cases can: programs in Java and Go take as many arguments as they have parameters.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from pbt_generator.domain.inputs.inference.docstrings import example_calls
from pbt_generator.domain.inputs.portable import UnportableError, dump, tree_of
from pbt_generator.domain.inputs.shapes import InputShape, ParameterShape

# So many such calls show what a default is worth.
_MOST = 8


def shorter_calls(texts: Iterable[str], shape: InputShape, calls: tuple[str, ...], name: str) -> dict[str, str]:
    """For inputs that hold defaults which some caller leaves out, the same call without these arguments.

    Args:
        texts: Arguments of the cases, as portable texts.
        shape: The parameters.
        calls: How callers call the function, as source texts.
        name: The function.

    Returns:
        By the text of the whole call the shorter one, so many at most, in the order of the texts.
    """
    omitted = _omitted(shape, calls, name)
    found: dict[str, str] = {}
    for text in texts:
        shorter = _without(json.loads(text), shape, omitted) if omitted and len(found) < _MOST else text
        if shorter != text:
            found[text] = shorter
    return found


def _omitted(shape: InputShape, calls: tuple[str, ...], name: str) -> dict[str, str]:
    """Parameters that some call leaves out, with the text of their default."""
    found: dict[str, str] = {}
    needed = _needed(shape)
    for places, named in example_calls(calls, name):
        for place, parameter in enumerate(shape.parameters):
            given = parameter.name in named or (place < len(places) and not parameter.keyword_only)
            if parameter.default and not given and parameter.name not in needed and _stays(parameter.default[0]):
                try:
                    found[parameter.name] = dump(tree_of(parameter.default[0]))
                except UnportableError:
                    continue
    return found


def _needed(shape: InputShape) -> frozenset[str]:
    """Parameters that a head gives no default: a place before one whose default is unknown can have none there."""
    places = [each for each in shape.parameters if not each.keyword_only and not each.variadic]
    unknown = [number for number, each in enumerate(places) if not each.default]
    return frozenset(each.name for each in places[: max(unknown, default=-1) + 1])


def _stays(default: object) -> bool:
    """Whether no call can change a default for the calls behind it: what can be changed has no hash."""
    try:
        hash(default)
    except TypeError:
        return False
    return True


def _without(arguments: Any, shape: InputShape, omitted: dict[str, str]) -> str:
    def default(parameter: ParameterShape, value: Any) -> bool:
        return omitted.get(parameter.name) == dump(value)

    if isinstance(arguments, dict):
        given = cast("dict[str, Any]", arguments)
        kept = {
            each.name: given[each.name]
            for each in shape.parameters
            if each.name in given and not default(each, given[each.name])
        }
        return dump(kept)
    values = list(cast("list[Any]", arguments))
    places = [each for each in shape.parameters if not each.variadic]
    while len(values) == len(places) and values and default(places[-1], values[-1]):
        values.pop()
        places.pop()
    return dump(values)


__all__ = ["shorter_calls"]
