"""Which of several possible kinds of an undeclared parameter is meant: real calls decide, then its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from pbt_generator.domain.inputs.fitting import fits
from pbt_generator.domain.inputs.inference.refining import compatible, refine
from pbt_generator.domain.inputs.inference.roles import Roles
from pbt_generator.domain.inputs.shapes import (
    NUMBER,
    AnyShape,
    BoolShape,
    FloatShape,
    InputShape,
    IntShape,
    ListShape,
    MapShape,
    NoneShape,
    ParameterShape,
    SetShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    VariadicTupleShape,
    contains_any,
    one_of,
    options_of,
    union,
)

# Names of amounts: who converts them to numbers is given numbers.
_AMOUNTS = {"bytes", "nbytes", "size", "seconds", "minutes", "count", "total", "amount", "bits", "milliseconds"}
# Names that mean one text whatever else could be walked through; a "version" may be a list of parts.
_TEXTS = {
    "text", "string", "str", "s", "name", "word", "line", "sentence", "title", "label", "message", "msg", "content",
    "phrase", "paragraph", "prefix", "suffix",
}  # fmt: skip


def chosen(
    shape: InputShape, declared: Mapping[str, tuple[Shape, str]], named: Callable[[str], Shape], roles: Roles
) -> InputShape:
    """The shape with the kinds of undeclared parameters settled as far as calls, roles and names settle them.

    Args:
        shape: What use and defaults show; its examples are the real calls.
        declared: Kinds of the parameters that declare them, each with what declares it: they stay.
        named: What a parameter's name alone suggests.
        roles: What the body does with each.
    """
    parameters = list(shape.parameters)
    for place, parameter in enumerate(parameters):
        if parameter.variadic:
            continue
        real = [given[place] for given in shape.examples]
        if parameter.name in declared:
            # The kind stands; what it leaves open, such as the members of a sequence, callers tell.
            kinds = declared[parameter.name][0]
            known = all(fits(value, kinds) for value in real)
            parameters[place] = _opened(parameter, kinds, real) if real and known else parameter
            continue
        if real:
            parameters[place] = _by_calls(parameter, real)
        else:
            parameters[place] = _by_name(_by_role(parameter, roles), named(parameter.name))
    unknown = [place for place, each in enumerate(parameters) if each.name not in declared and not each.variadic]
    return replace(shape, parameters=tuple(_in_order(parameters, unknown, roles)))


def _by_role(parameter: ParameterShape, roles: Roles) -> ParameterShape:
    """The parameter as the body uses it: a count is whole, what is compared or written no flag, and so on."""
    options = list(options_of(parameter.shape))
    if parameter.name in roles.called and parameter.default:
        return replace(parameter, shape=shape_of_real(parameter.default[0]), certain=True)
    if isinstance(parameter.shape, UnionShape) and parameter.shape.checked:
        # The body asks which kind it has.
        return parameter
    if parameter.name in roles.counts and not any(isinstance(value, float) for value in parameter.default):
        if any(isinstance(each, IntShape) for each in options):
            options = [each for each in options if not isinstance(each, FloatShape)]
        else:
            options = [IntShape() if isinstance(each, FloatShape | AnyShape | BoolShape) else each for each in options]
    if parameter.name in roles.written and not any(isinstance(value, bool) for value in parameter.default):
        options = [TextShape() if isinstance(each, BoolShape) else each for each in options]
    if parameter.name in roles.compared and not any(isinstance(value, bool) for value in parameter.default):
        options = [AnyShape() if isinstance(each, BoolShape) else each for each in options]
    if tuple(options) == options_of(parameter.shape):
        return parameter
    guessed = isinstance(parameter.shape, UnionShape) and parameter.shape.guessed
    return replace(parameter, shape=one_of(*options) if guessed else union(*options))


def _in_order(parameters: list[ParameterShape], unknown: Sequence[int], roles: Roles) -> list[ParameterShape]:
    """Parameters that are compared by their order and of which nothing is known, of the kind of those beside them."""
    places = {each.name: place for place, each in enumerate(parameters)}
    found = list(parameters)
    for _ in roles.ordered:
        for group in roles.ordered:
            # In their order: that of a set is another in each process.
            members = sorted(places[name] for name in group if name in places)
            known = next((found[place].shape for place in members if not contains_any(found[place].shape)), NUMBER)
            for place in members:
                shape = found[place].shape
                if place in unknown and any(isinstance(each, AnyShape) for each in options_of(shape)):
                    rest = [each for each in options_of(shape) if not isinstance(each, AnyShape)]
                    found[place] = replace(found[place], shape=union(known, *rest))
    return found


def _opened(parameter: ParameterShape, kinds: Shape, real: Sequence[object]) -> ParameterShape:
    """The parameter with the open parts of its declared kinds as callers send them."""
    options = options_of(parameter.shape)
    sent = list(dict.fromkeys(map(shape_of_real, real)))
    for place, option in enumerate(options):
        own = next((each for each in options_of(kinds) if compatible(each, option)), None)
        if own is None or not contains_any(own):
            continue
        of_kind = [each for each in sent if type(each) is type(own) and not contains_any(each)]
        if of_kind:
            filled = refine(own, _merged(of_kind))
            options = (*options[:place], filled, *options[place + 1 :])
    shape = parameter.shape
    shape = replace(shape, options=options) if isinstance(shape, UnionShape) else options[0]
    return replace(parameter, shape=shape) if all(fits(value, shape) for value in real) else parameter


def _merged(shapes: Sequence[Shape]) -> Shape:
    """One container of several whose members differ."""
    first = shapes[0]
    match first:
        case ListShape():
            return replace(first, element=union(*(each.element for each in shapes if isinstance(each, ListShape))))
        case SetShape():
            return replace(first, element=union(*(each.element for each in shapes if isinstance(each, SetShape))))
        case MapShape():
            maps = [each for each in shapes if isinstance(each, MapShape)]
            return MapShape(union(*(each.key for each in maps)), union(*(each.value for each in maps)))
        case _:
            return first


def _by_calls(parameter: ParameterShape, real: Sequence[object]) -> ParameterShape:
    """Only the kinds that callers send, and the default's; with what use knows of them."""
    kinds = [shape_of_real(value) for value in real]
    if any(isinstance(kind, AnyShape) for kind in kinds):
        return parameter
    options = options_of(parameter.shape)
    kept: list[Shape] = []
    for kind in dict.fromkeys(kinds):
        fitting = next((option for option in options if compatible(option, kind)), None)
        kept.append(kind if fitting is None or isinstance(fitting, AnyShape) else _joined(fitting, kind))
    if parameter.default and parameter.default[0] is None:
        kept.append(NoneShape())
    checked = parameter.shape.options if isinstance(parameter.shape, UnionShape) and parameter.shape.checked else ()
    kept += [option for option in checked if not any(compatible(option, kind) for kind in kept)]
    shape = union(*kept)
    # Where the values themselves do not fit what was joined, use was read too narrowly.
    if not all(fits(value, shape) for value in real):
        shape = union(shape, *kinds)
    return replace(parameter, shape=shape, certain=True)


def _joined(used: Shape, real: Shape) -> Shape:
    """A kind as it is used, with elements as callers send them."""
    match used, real:
        case ((ListShape() | TupleShape() | VariadicTupleShape() | MapShape() | SetShape()), _) if type(used) is type(
            real
        ):
            return refine(real, used)
        case (IntShape(), FloatShape()) | (TupleShape() | VariadicTupleShape(), ListShape()):
            return real
        case ListShape(), TupleShape() | VariadicTupleShape():
            return real
        case _:
            return used


def shape_of_real(value: object) -> Shape:
    """The kind of a value that a caller sends; what cannot be told from it stays open."""
    match value:
        case None:
            return NoneShape()
        case bool():
            return BoolShape()
        case int():
            return IntShape()
        case float():
            return FloatShape()
        case str():
            return TextShape()
        case list():
            return ListShape(_element(cast("list[object]", value)))
        case tuple():
            return TupleShape(tuple(map(shape_of_real, cast("tuple[object, ...]", value))))
        case set() | frozenset():
            return SetShape(_element(sorted(cast("set[object]", value), key=repr)), isinstance(value, frozenset))
        case dict():
            items = cast("dict[object, object]", value)
            return MapShape(_element(list(items)), _element(list(items.values())))
        case _:
            return AnyShape()


def _element(values: Sequence[object]) -> Shape:
    return union(*map(shape_of_real, values)) if values else AnyShape()


def _by_name(parameter: ParameterShape, by_name: Shape) -> ParameterShape:
    """Of kinds that use does not tell apart, the one that the name names."""
    shape = parameter.shape
    if isinstance(shape, TextShape) and {"integer", "number", "float"} & set(shape.formats):
        amount = parameter.name.lower().rpartition("_")[2] in _AMOUNTS
        return replace(parameter, shape=union(IntShape(), FloatShape()), certain=True) if amount else parameter
    fixed = parameter.name.lower().strip("_").rpartition("_")[2] in _TEXTS and isinstance(by_name, TextShape)
    if not (fixed and isinstance(shape, UnionShape) and shape.guessed):
        return parameter
    texts = [option for option in shape.options if isinstance(option, TextShape)]
    nullable = [option for option in shape.options if isinstance(option, NoneShape)]
    return replace(parameter, shape=union(*texts, *nullable), certain=True) if texts else parameter


__all__ = ["chosen", "shape_of_real"]
