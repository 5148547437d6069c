"""Inputs that callers really send, as the generator has inputs: one value per parameter, in order."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import cast

from pbt_generator.domain.inputs.inference.docstrings import example_calls
from pbt_generator.domain.inputs.shapes import InputShape
from pbt_generator.domain.inputs.traced import TracedCall, sent
from pbt_generator.domain.oracle.runs import Input

# A name that is private to a class, as the object holds it.
_MANGLED = re.compile(r"^_\w+?(?=__)")


def real_inputs(traced: Sequence[TracedCall], calls: tuple[str, ...], name: str, shape: InputShape) -> list[Input]:
    """What callers and the docstring's examples send.

    Calls that were seen come first: what somebody wrote down need not be run.

    Args:
        traced: Calls that were seen.
        calls: Calls as source texts.
        name: The function.
        shape: Its parameters.
    """
    inputs = [given for _, given in traced_inputs(traced, shape)]
    for positional, named in example_calls(calls, name):
        given = _in_order(positional, named, shape)
        # What is given beyond the parameters of a case would make it another call.
        if given is not None and set(named) <= {each.name for each in shape.parameters}:
            inputs.append(given)
    return inputs


def traced_inputs(traced: Sequence[TracedCall], shape: InputShape) -> list[tuple[TracedCall, Input]]:
    """The calls that were seen while tests ran, each with its input."""
    variadic = next((each.name for each in shape.parameters if each.variadic), "")
    found: list[tuple[TracedCall, Input]] = []
    for call, values in sent(traced):
        if call.owner:
            names = [each.name for each in shape.parameters]
            if call.owner in names:
                # An object that a function without one of its own was given.
                continue
            values |= _fields(values.pop(call.owner), [name for name in names if name not in values])
        # A record has every parameter by its name, those of `*args` as a list.
        listed = values.pop(variadic, [])
        if isinstance(listed, list):
            given = _in_order([], values, shape, tuple(cast("list[object]", listed)))
            if given is not None:
                found.append((call, given))
    return found


def parameter_of(field: str, names: Collection[str]) -> str:
    """The parameter that stands for a field of a method's object in its record; empty where none does.

    It has the name of the field without underscores, and `own_` before it where that is another one's.

    Args:
        field: As the method names it.
        names: Of the parameters.

    Example:
        >>> [parameter_of(field, ["low", "own_high"]) for field in ("_low", "high", "step")]
        ['low', 'own_high', '']
    """
    plain = field.strip("_")
    return next((name for name in (field, plain, f"own_{plain}") if name in names), "")


def _fields(held: object, names: Sequence[str]) -> dict[str, object]:
    """Fields of a method's object by these parameters of its record; a field of just that name comes first."""
    fields = cast("dict[str, object]", held) if isinstance(held, dict) else {}
    found: dict[str, object] = {}
    for field in sorted(fields, key=lambda field: field not in names):
        name = parameter_of(_MANGLED.sub("", field), [name for name in names if name not in found])
        if name:
            found[name] = fields[field]
    return found


def _in_order(
    positional: Sequence[object], named: Mapping[str, object], shape: InputShape, variadic: tuple[object, ...] = ()
) -> Input | None:
    """One value per parameter; None where one that has no default is missing."""
    values: list[object] = []
    for place, parameter in enumerate(shape.parameters):
        if parameter.variadic:
            values.append((*positional[place:], *variadic))
            positional = positional[:place]
        elif place < len(positional):
            values.append(positional[place])
        elif parameter.name in named:
            values.append(named[parameter.name])
        elif parameter.default:
            values.append(parameter.default[0])
        else:
            return None
    return tuple(values)


__all__ = ["parameter_of", "real_inputs", "traced_inputs"]
