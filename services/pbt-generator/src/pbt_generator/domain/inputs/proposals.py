"""Inputs that somebody proposes for a function, as data: read, checked, and brought into the search's own form.

What a language model proposes is treated like any other input: it is run in the sandbox, and counts for what it does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from pbt_generator.domain.inputs.drawing.library_values import ArrayValue
from pbt_generator.domain.inputs.drawing.matching import is_readable
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    InputShape,
    ListShape,
    OpaqueShape,
    ParameterShape,
    Shape,
    TextShape,
    UnionShape,
    mapped,
    union,
)
from pbt_generator.domain.oracle.runs import Input
from touchstone_values import MAX_PLAIN_INT, MalformedValueError, decode, parse

MAX_INPUTS = 24
MAX_PATTERNS = 8
_MAX_PATTERN = 300
# Kinds of values that are made without loading a library.
_PLAIN_KINDS = {
    "tuple", "set", "frozenset", "bytes", "map", "date", "datetime", "time", "timedelta", "decimal", "fraction",
    "complex", "float", "int",
}  # fmt: skip
_DTYPES = {"<f8": "float64", "<i8": "int64", "|b1": "bool"}


@dataclass(frozen=True)
class Proposal:
    """What is proposed for one function.

    Attributes:
        inputs: JSON arrays with one value a parameter, in the portable form.
        patterns: Names of parameters, each with a regular expression that its texts may match.
        model: Who proposed it.
    """

    inputs: tuple[str, ...] = ()
    patterns: tuple[tuple[str, str], ...] = ()
    model: str = ""


def proposed_inputs(proposal: Proposal, shape: InputShape, most: int = MAX_INPUTS) -> list[Input]:
    """The first proposed inputs that can be given to the function at all; the others are passed over.

    Example:
        >>> shape = InputShape((ParameterShape("text", TextShape()), ParameterShape("size", AnyShape(), default=(8,))))
        >>> proposed_inputs(Proposal(('["a"]', '["b", 2]', '[1, 2, 3]', 'no JSON')), shape)
        [('a', 8), ('b', 2)]
    """
    found: list[Input] = []
    for text in proposal.inputs[:most]:
        try:
            written = parse(json.dumps(_tagged(json.loads(text))))
            if not _plain(written):
                continue
            values = _values(written)
        except (MalformedValueError, ValueError, RecursionError):
            continue
        given = _fitted(values, shape.parameters)
        if given is not None:
            found.append(given)
    return found


def _tagged(node: Any) -> Any:
    """The same with whole numbers beyond 2^53 in their own form: whoever proposes inputs writes them plainly."""
    if isinstance(node, list):
        return [_tagged(each) for each in cast("list[Any]", node)]
    if isinstance(node, dict):
        return {key: _tagged(each) for key, each in cast("dict[str, Any]", node).items()}
    if type(node) is int and abs(node) > MAX_PLAIN_INT:
        return {"$": "int", "v": str(node)}
    return node


def _plain(node: Any) -> bool:
    if isinstance(node, list):
        return all(map(_plain, cast("list[Any]", node)))
    if not isinstance(node, dict):
        return True
    fields = cast("dict[str, Any]", node)
    array = fields.get("$") == "ndarray" and fields["dtype"] in _DTYPES
    return (array or fields.get("$", "tuple") in _PLAIN_KINDS) and all(map(_plain, fields.values()))


def _values(node: Any) -> object:
    """What a checked node says; arrays as the search has them, which needs no library."""
    if isinstance(node, list):
        return [_values(each) for each in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return cast("object", node)
    fields = cast("dict[str, Any]", node)
    if "$" not in fields:
        return {key: _values(each) for key, each in fields.items()}
    if fields["$"] == "ndarray":
        # The names of the search are numpy's; the portable form has numpy's short ones.
        items = tuple(_values(each) for each in fields["v"])
        return ArrayValue(_DTYPES[fields["dtype"]], tuple(fields["shape"]), items)
    if fields["$"] == "tuple":
        return tuple(_values(each) for each in fields["v"])
    text = json.dumps(fields)
    if '"ndarray"' in text:
        raise ValueError("an array stands in lists, tuples and maps by text alone")
    return decode(text)


def _fitted(values: object, parameters: Sequence[ParameterShape]) -> Input | None:
    if isinstance(values, dict):
        # By name, as models like to write it.
        named = cast("dict[object, object]", values)
        if not set(named) <= {parameter.name for parameter in parameters}:
            return None
        values = [named[parameter.name] for parameter in parameters if parameter.name in named]
        if len(values) < len(named) or any(p.name not in named and not p.default for p in parameters):
            return None
        return tuple(named[p.name] if p.name in named else p.default[0] for p in parameters)
    if not isinstance(values, list):
        return None
    left = list(cast("list[object]", values))
    given: list[object] = []
    for parameter in parameters:
        if parameter.variadic:
            given.append(tuple(left))
            left = []
        elif left:
            given.append(left.pop(0))
        elif parameter.default:
            given.append(parameter.default[0])
        else:
            return None
    return None if left else tuple(given)


def with_patterns(proposal: Proposal, shape: InputShape) -> InputShape:
    """The parameters, with the proposed patterns in the texts that they are meant for."""
    for name, pattern in proposal.patterns[:MAX_PATTERNS]:
        place = next((place for place, each in enumerate(shape.parameters) if each.name == name), None)
        if place is None or not _readable(pattern):
            continue
        shape = shape.with_shape(place, _with_pattern(shape.parameters[place].shape, pattern))
    return shape


def _readable(pattern: str) -> bool:
    if not pattern or len(pattern) > _MAX_PATTERN or not is_readable(pattern):
        return False
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _with_pattern(shape: Shape, pattern: str) -> Shape:
    seen = False

    def add(part: Shape) -> Shape:
        nonlocal seen
        if isinstance(part, TextShape):
            seen = True
            return replace(part, patterns=tuple(dict.fromkeys((*part.patterns, pattern))))
        return part

    changed = mapped(shape, add)
    if seen:
        return changed
    text = TextShape(patterns=(pattern,))
    if isinstance(shape, (AnyShape, OpaqueShape)):
        return text
    if isinstance(shape, ListShape) and isinstance(shape.element, AnyShape):
        return replace(shape, element=text)
    return union(*(shape.options if isinstance(shape, UnionShape) else (shape,)), text)
