"""What is known of the inputs of a task before anything is run, as proofs read it: declared kinds, and no others."""

from __future__ import annotations

from collections.abc import Mapping

from pbt_generator.domain.inputs.domains.domain import InputDomain
from pbt_generator.domain.inputs.inference.signature import shape_of_value
from pbt_generator.domain.inputs.shapes import (
    BoolShape,
    BytesShape,
    FloatShape,
    IntShape,
    ListShape,
    LiteralShape,
    MapShape,
    NoneShape,
    RecordShape,
    SetShape,
    Shape,
    TextShape,
    TupleShape,
    VariadicTupleShape,
    options_of,
)
from pbt_generator.domain.oracle.proofs.declared import SHARED

_KINDS: dict[type[Shape], tuple[str, ...]] = {
    NoneShape: ("none",), BoolShape: ("bool",), IntShape: ("int",), FloatShape: ("int", "float"), TextShape: ("str",),
    BytesShape: ("bytes",), ListShape: ("list",), TupleShape: ("tuple",), VariadicTupleShape: ("tuple",),
    SetShape: ("set",), MapShape: ("dict",), RecordShape: ("dict",),
}  # fmt: skip


def given_kinds(domain: InputDomain, *, portable: bool = False) -> Mapping[str, frozenset[str]]:
    """Per parameter with known kinds which ones: an input of another kind is never a case.

    Args:
        domain: What callers may send.
        portable: Inputs are what five languages share; a parameter of no declared kinds has all that they share.
    """
    found: dict[str, frozenset[str]] = {}
    for place, parameter in enumerate(domain.parameters):
        if place == domain.variadic:
            continue
        if parameter.kinds is not None:
            shapes = [parameter.kinds, *map(shape_of_value, parameter.default[:1])]
            kinds = [kinds_of(shape) for shape in shapes]
            if all(kinds):
                found[parameter.name] = frozenset[str]().union(*kinds)
        if portable:
            found.setdefault(parameter.name, SHARED)
    return found


def kinds_of(shape: Shape) -> frozenset[str]:
    """The kinds of the values of a shape; empty where they are not a few plain ones.

    Example:
        >>> from pbt_generator.domain.inputs.shapes import UnionShape
        >>> sorted(kinds_of(UnionShape((TextShape(), NoneShape()))))
        ['none', 'str']
    """
    found: list[tuple[str, ...]] = []
    for option in options_of(shape):
        if isinstance(option, LiteralShape):
            found.extend(_KINDS.get(type(shape_of_value(value)), ()) for value in option.values)
        else:
            found.append(_KINDS.get(type(option), ()))
    return frozenset(kind for kinds in found for kind in kinds) if all(found) else frozenset()


__all__ = ["given_kinds", "kinds_of"]
