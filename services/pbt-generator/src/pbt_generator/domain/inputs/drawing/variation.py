"""Makes new inputs from old ones: near a branch that was not taken, with pieces of the program and of each other."""

# The functions that change a value share one signature.
# ruff: noqa: ARG001
from __future__ import annotations

import copy
import datetime
import math
import random
from collections.abc import Callable
from typing import cast

from pbt_generator.domain.inputs.drawing.library_values import ArrayValue, FrameValue, SeriesValue
from pbt_generator.domain.inputs.drawing.moments import later
from pbt_generator.domain.inputs.drawing.sampling import Sampler, hashable
from pbt_generator.domain.inputs.drawing.splicing import places, replaced
from pbt_generator.domain.inputs.drawing.texts import WORDS
from pbt_generator.domain.inputs.fitting import fits
from pbt_generator.domain.inputs.shapes import NoneShape, OperationShape, Shape, UnionShape, options_of
from pbt_generator.domain.oracle.runs import Input

Path = tuple[object, ...]


class Variation:
    """Varies inputs with the sampler's own chance.

    Args:
        sampler: Draws fresh values; its random generator decides everything.
    """

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler
        self.rng: random.Random = sampler.rng
        self.names = [parameter.name for parameter in sampler.shape.parameters]

    def vary(self, base: Input, other: Input | None = None) -> Input:
        """Change one to three places of an input; `other` gives pieces to splice in."""
        values = list(base)
        if not values:
            return base
        relater = self.sampler.relater
        share = 0.5 * relater.share(self.sampler.shape)
        if share and self.rng.random() < share:
            related = relater.relate(base, self.sampler.shape)
            if self.rng.random() < 0.7:
                return related
            values = list(related)
        for _ in range(self.rng.choice((1, 1, 1, 2, 3))):
            place = self.rng.randrange(len(values))
            values[place] = self.change_parameter(place, values, other)
        return tuple(values)

    def retype(self, base: Input) -> Input:
        """An input with one part of another kind: what a program that guards itself may meet."""
        rng = self.rng
        spots = [(path, part) for path, part in places(base) if path]
        if not spots:
            return base
        path, part = rng.choice(spots[:60])
        others: tuple[object, ...] = (None, 0, -1, 1.5, "", "abc", "12", [], [1], {}, {"a": 1}, True)
        chosen = rng.choice([other for other in others if type(other) is not type(part)])
        if isinstance(base[cast("int", path[0])], (ArrayValue, SeriesValue, FrameValue)):
            path = path[:1]
        return cast("Input", replaced(base, path, copy.deepcopy(chosen)))

    def padded(self, base: Input) -> Input:
        """An input with one text blank, or with blanks at its ends or around a sign in it."""
        rng = self.rng
        spots = [(path, part) for path, part in places(base) if path and isinstance(part, str)]
        if not spots:
            return base
        path, text = rng.choice(spots[:60])
        signs = [place for place, char in enumerate(text) if not char.isalnum() and not char.isspace()]
        left, right = (rng.choice(("", " ", "  ", "\t")) for _ in range(2))
        roll = rng.random()
        if roll < 0.15:
            made = rng.choice((" ", "  ", "\t ", "\n"))
        elif signs and roll < 0.7:
            place = rng.choice(signs) + rng.choice((0, 1))
            made = text[:place] + (left or " ") + text[place:]
        else:
            made = left + text + (right or " ")
        return cast("Input", replaced(base, path, made))

    def change_parameter(self, place: int, values: list[object], other: Input | None) -> object:
        """A changed value of one parameter."""
        rng = self.rng
        parameter = self.sampler.shape.parameters[place]
        roll = rng.random()
        if parameter.variadic:
            items = list(cast("tuple[object, ...]", values[place]))
            return tuple(cast("list[object]", self.change_list(items, parameter.shape)))
        if roll < 0.12:
            return self.sampler.value(parameter.shape)
        if roll < 0.18 and other is not None:
            return copy.deepcopy(other[place])
        if roll < 0.23 and len(values) > 1:
            return self.sampler.echo(values[place], [value for index, value in enumerate(values) if index != place])
        if roll < 0.25 and parameter.default:
            return parameter.default[0]
        return self.change(values[place], parameter.shape)

    def change(self, value: object, shape: Shape | None = None) -> object:
        """A value near another one."""
        options = options_of(shape) if shape is not None else ()
        if options and NoneShape() in options and self.rng.random() < 0.06:
            return None
        operation = next((each for each in options if isinstance(each, OperationShape) and fits(value, each)), None)
        if operation is not None:
            return self.change_operation(cast("list[object]", value), operation)
        if isinstance(shape, UnionShape) and self.rng.random() < 0.06:
            return self.sampler.value(self.rng.choice(shape.options))
        for kind, changer in _CHANGERS.items():
            if type(value) is kind:
                return changer(self, value, shape)
        if isinstance(value, (ArrayValue, SeriesValue, FrameValue)):
            return self.change_table(value, shape)
        return self.sampler.value(shape) if shape is not None else value

    def change_text(self, text: str, shape: Shape | None) -> str:
        """A text near another one."""
        rng = self.rng
        pieces = self.sampler.texts.pieces
        tokens = getattr(shape, "tokens", ()) or pieces
        if pieces and rng.random() < 0.3:
            tokens = pieces
        formats = getattr(shape, "formats", ())
        if formats and rng.random() < 0.25:
            tokens = (self.sampler.texts.formatted(rng.choice(formats)),)
        match rng.randrange(16):
            case 14:
                return rng.choice((text + text, f"{text} {text}", f"{text}\n{text}"))
            case 15 if text:
                start = rng.randrange(len(text))
                piece = text[start : start + rng.randrange(1, 12)]
                return text[:start] + piece + text[start:]
            case 0 if text:
                place = rng.randrange(len(text))
                return text[:place] + text[place + 1 :]
            case 1 | 2 | 3 if tokens:
                place = rng.randrange(len(text) + 1)
                return text[:place] + rng.choice(tokens) + text[place:]
            case 4 if text:
                start = rng.randrange(len(text))
                stop = rng.randrange(start, len(text) + 1)
                return text[:start] + text[stop:]
            case 5:
                place = rng.randrange(len(text) + 1)
                return text[:place] + self.sampler.texts.char() + text[place:]
            case 6 if text:
                start = rng.randrange(len(text))
                piece = text[start : start + rng.randrange(1, 6)]
                place = rng.randrange(len(text) + 1)
                return text[:place] + piece + text[place:]
            case 7:
                return rng.choice((text.upper(), text.lower(), text.swapcase(), text.title(), text.strip(), text[::-1]))
            case 8 if self.sampler.sizes:
                size = max(0, rng.choice(self.sampler.sizes) + rng.choice((-1, 0, 1)))
                filler = text or rng.choice(WORDS)
                return (filler * (size // max(1, len(filler)) + 1))[:size]
            case 9 if tokens:
                token = rng.choice(tokens)
                return rng.choice(
                    (text.replace(token, ""), text.replace(token, rng.choice(tokens)), token + text, text + token)
                )
            case 10:
                return rng.choice((" ", "\n", "\t", "")) + text + rng.choice((" ", "\n", "", "\t"))
            case 11 if text:
                place = rng.randrange(len(text))
                return text[:place] + rng.choice("0123456789aZ .-_") + text[place + 1 :]
            case 12 if text:
                return rng.choice((text[: len(text) // 2], text[len(text) // 2 :], text + text))
            case _:
                return (
                    cast("str", self.sampler.value(shape))
                    if shape is not None and type(text) is str
                    else text + rng.choice(WORDS)
                )

    def change_int(self, value: int, shape: Shape | None) -> object:
        """An integer near another one."""
        changed = self.int_near(value, shape)
        return self.sampler.bounded(changed) if type(changed) is int else changed

    def int_near(self, value: int, shape: Shape | None) -> object:
        """An integer near another one, of any size."""
        rng = self.rng
        ints = self.sampler.ints
        match rng.randrange(8):
            case 0 | 1:
                return value + rng.choice((-1, 1))
            case 2:
                return -value
            case 3 if ints:
                return rng.choice(ints) + rng.choice((-1, 0, 1))
            case 4 if ints:
                return value + rng.choice(ints) * rng.choice((-1, 1))
            case 5:
                return rng.choice((value * 2, value // 2, value * 10, value // 10, 0, 1))
            case 6:
                return value + rng.randint(-10, 10)
            case _:
                return self.sampler.value(shape) if shape is not None else value + 1

    def change_float(self, value: float, shape: Shape | None) -> object:
        """A float near another one."""
        rng = self.rng
        floats = self.sampler.floats
        if not math.isfinite(value):
            return rng.choice((0.0, 1.0))
        match rng.randrange(7):
            case 0 if floats:
                return rng.choice(floats) + rng.choice((0.0, 0.0, 0.01, -0.01, 1.0, -1.0))
            case 1:
                return -value
            case 2:
                return round(value + rng.choice((-1, 1, 0.5, 0.1, -0.1)), 4)
            case 3:
                return float(round(value))
            case 4:
                return round(value * rng.choice((2, 0.5, 10, 0.1)), 6)
            case 5:
                return 0.0
            case _:
                return self.sampler.value(shape) if shape is not None else value + 1.0

    def change_list(self, items: list[object], shape: Shape | None) -> object:
        """A list near another one: an item more, less, twice, elsewhere or changed."""
        rng = self.rng
        element = getattr(shape, "element", None)
        items = copy.deepcopy(items)
        match rng.randrange(10):
            case 0 if items:
                items.pop(rng.randrange(len(items)))
            case 1 if items:
                items.insert(rng.randrange(len(items) + 1), copy.deepcopy(rng.choice(items)))
            case 2 if element is not None:
                items.insert(rng.randrange(len(items) + 1), self.sampler.value(element, 1))
            case 3 if len(items) > 1:
                first, second = rng.sample(range(len(items)), 2)
                items[first], items[second] = items[second], items[first]
            case 4:
                items.reverse()
            case 5:
                try:
                    items.sort()  # pyright: ignore[reportCallIssue, reportArgumentType]
                except (TypeError, ArithmeticError):
                    items.reverse()
            case 6:
                items = items[: rng.randrange(len(items) + 1)]
            case _ if items:
                place = rng.randrange(len(items))
                items[place] = self.change(items[place], self.item_shape(shape, place))
            case _ if element is not None:
                items.append(self.sampler.value(element, 1))
            case _:
                pass
        return items

    def item_shape(self, shape: Shape | None, place: int) -> Shape | None:
        """The shape of an item of a sequence."""
        items = getattr(shape, "items", None)
        if isinstance(items, tuple) and place < len(cast("tuple[object, ...]", items)):
            return cast("tuple[Shape, ...]", items)[place]
        return getattr(shape, "element", None)

    def change_operation(self, items: list[object], shape: OperationShape) -> object:
        """An operation with another argument; one without arguments stays."""
        if not shape.arguments:
            return items
        place = self.rng.randrange(len(shape.arguments))
        changed = self.change(items[place + 1], shape.arguments[place])
        return [*items[: place + 1], changed, *items[place + 2 :]]

    def change_tuple(self, items: tuple[object, ...], shape: Shape | None) -> object:
        """A tuple near another one; one of known length keeps it."""
        if hasattr(shape, "items") and items:
            place = self.rng.randrange(len(items))
            changed = self.change(items[place], self.item_shape(shape, place))
            return (*items[:place], changed, *items[place + 1 :])
        return tuple(cast("list[object]", self.change_list(list(items), shape)))

    def change_dict(self, items: dict[object, object], shape: Shape | None) -> object:
        """A map near another one: an entry more, less, renamed or changed."""
        rng = self.rng
        items = copy.deepcopy(items)
        keys = list(items)
        entries = {entry.name: entry.shape for entry in getattr(shape, "fields", ())}
        match rng.randrange(8):
            case 0 if keys:
                del items[rng.choice(keys)]
            case 1 if entries:
                name = rng.choice(list(entries))
                items[name] = self.sampler.value(entries[name], 1)
            case 2 if self.sampler.texts.pieces:
                items[rng.choice(self.sampler.texts.pieces)] = (
                    self.sampler.any(1) if not keys else copy.deepcopy(items[rng.choice(keys)])
                )
            case 3 if keys:
                items[hashable(self.change(rng.choice(keys)))] = copy.deepcopy(items[rng.choice(keys)])
            case 4 if keys:
                items[rng.choice(keys)] = copy.deepcopy(items[rng.choice(keys)])
            case _ if keys:
                key = rng.choice(keys)
                items[key] = self.change(items[key], entries.get(key) or getattr(shape, "value", None))
            case _:
                return self.sampler.value(shape) if shape is not None else items
        return items

    def change_set(self, items: set[object], shape: Shape | None) -> object:
        """A set near another one."""
        values = sorted(items, key=repr)
        if values and self.rng.random() < 0.5:
            return set(values) - {self.rng.choice(values)}
        element = getattr(shape, "element", None)
        return set(values) | {
            hashable(
                self.sampler.value(element, 1) if element is not None else self.change(self.rng.choice(values or [0]))
            )
        }

    def change_table(self, value: ArrayValue | SeriesValue | FrameValue, shape: Shape | None) -> object:
        """An array or table near another one."""
        if isinstance(value, FrameValue) or not value.items or self.rng.random() < 0.2:
            return self.sampler.value(shape) if shape is not None and not isinstance(shape, UnionShape) else value
        items = list(value.items)
        place = self.rng.randrange(len(items))
        items[place] = self.rng.choice(items) if self.rng.random() < 0.4 else self.change(items[place])
        if type(items[place]) is not type(value.items[place]):
            return value
        if isinstance(value, ArrayValue):
            return ArrayValue(value.dtype, value.shape, tuple(items))
        return SeriesValue(value.dtype, tuple(items), value.name)


def _change_bool(variation: Variation, value: object, shape: Shape | None) -> object:
    return not value


def _change_none(variation: Variation, value: object, shape: Shape | None) -> object:
    known = [option for option in options_of(shape) if not isinstance(option, NoneShape)] if shape is not None else []
    return variation.sampler.value(variation.rng.choice(known)) if known else variation.sampler.any(1)


def _change_moment(variation: Variation, value: object, shape: Shape | None) -> object:
    return later(cast("datetime.date", value), variation.rng.choice((-365, -31, -1, 1, 7, 30, 366)))


_CHANGERS: dict[type, Callable[[Variation, object, Shape | None], object]] = {
    str: lambda variation, value, shape: variation.change_text(cast("str", value), shape),
    bool: _change_bool,
    int: lambda variation, value, shape: variation.change_int(cast("int", value), shape),
    float: lambda variation, value, shape: variation.change_float(cast("float", value), shape),
    list: lambda variation, value, shape: variation.change_list(cast("list[object]", value), shape),
    tuple: lambda variation, value, shape: variation.change_tuple(cast("tuple[object, ...]", value), shape),
    dict: lambda variation, value, shape: variation.change_dict(cast("dict[object, object]", value), shape),
    set: lambda variation, value, shape: variation.change_set(cast("set[object]", value), shape),
    type(None): _change_none,
    datetime.date: _change_moment,
    datetime.datetime: _change_moment,
}
