"""Makes the parts of an input equal to, contained in, or derived from each other.

Values drawn one by one hardly ever meet: a key is not in the other map, a piece not in the text, two sequences have no
member in common, and a function that brings its arguments together does nothing. What is rewritten keeps its shape.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import cast

from pbt_generator.domain.inputs.drawing.parts import (
    ANY,
    SCALARS,
    Spot,
    family_of,
    inner_shape,
    members_of,
    option_of,
    parts_of,
    rewritten,
)
from pbt_generator.domain.inputs.drawing.splicing import replaced
from pbt_generator.domain.inputs.fitting import fits
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    InputShape,
    ListShape,
    LiteralShape,
    MapShape,
    RecordShape,
    SetShape,
    Shape,
    TextShape,
    TupleShape,
    VariadicTupleShape,
    options_of,
)
from pbt_generator.domain.oracle.runs import Input

_BRACKETS = (("{", "}"), ("{{", "}}"), ("${", "}"), ("<", ">"), ("[", "]"), ("%", "%"), ('"', '"'))
_REMADE: dict[type, Callable[[list[object]], object]] = {
    list: list, tuple: tuple, set: set, frozenset: frozenset,
}  # fmt: skip
_COLLECTIONS = (list, tuple, set, frozenset, dict)


class Relater:
    """Relates the parts of inputs.

    Args:
        rng: Decides everything.
        draw: Draws a fresh value of a shape.
    """

    def __init__(self, rng: random.Random, draw: Callable[[Shape], object]) -> None:
        self.rng = rng
        self.draw = draw

    def share(self, shape: InputShape) -> float:
        """How many of the inputs should be related: more where the program brings parameters together."""
        if shape.relations:
            return 0.35
        return 0.1 if len(shape.parameters) > 1 or _nested(shape) else 0.0

    def relate(self, given: Input, shape: InputShape) -> Input:
        """An input like the given one whose parts have to do with each other; the same one where it has too few."""
        rng = self.rng
        chosen = self._parameters(shape)
        made: Input | None = None
        match rng.randrange(13):
            case 0 | 1:
                made = self._pooled(given, shape, chosen)
            case 2 | 3:
                made = self._derived(given, shape, chosen)
            case 4:
                made = self._contained(given, shape, chosen)
            case 5:
                made = self._mirrored(given, shape, chosen)
            case 6:
                made = self._measured(given, shape, chosen)
            case 9 | 10:
                made = self._inserted(given, shape, chosen)
            case 11:
                made = self._worded(given, shape, chosen)
            case 12:
                made = self._followed(given, chosen) or self._picked(given, shape, chosen)
            case 7 | 8 if len(shape.relations) > 1:
                made = self.aligned(given, shape)
            case _:
                made = self._picked(given, shape, chosen)
        if made is None and rng.random() < 0.5:
            made = self._contained(given, shape, chosen)
        if made is None:
            made = self._pooled(given, shape, chosen)
        return made if _fits(made, shape) else given

    def _parameters(self, shape: InputShape) -> tuple[int, int] | None:
        """The pair of parameters to relate; None for all with all."""
        return self.rng.choice(shape.relations) if shape.relations and self.rng.random() < 0.8 else None

    def _spots(
        self, given: Input, shape: InputShape, chosen: tuple[int, int] | None, kinds: tuple[type, ...]
    ) -> list[Spot]:
        found: list[Spot] = []
        for place, parameter in enumerate(shape.parameters):
            if chosen is None or place in chosen:
                own = VariadicTupleShape(parameter.shape) if parameter.variadic else parameter.shape
                found.extend(
                    spot
                    for spot in parts_of(given[place], own, (place,))
                    if type(spot.value) in kinds and not isinstance(spot.shape, LiteralShape)
                )
        return found[:80]

    def _pair(self, spots: list[Spot], chosen: tuple[int, int] | None) -> tuple[Spot, Spot] | None:
        """Two parts, neither of which holds the other; of both parameters of a pair."""
        if len(spots) < 2:
            return None
        for _ in range(6):
            first, second = self.rng.sample(spots, 2)
            if first.path[: len(second.path)] == second.path or second.path[: len(first.path)] == first.path:
                continue
            if chosen is None or chosen[0] == chosen[1] or first.parameter != second.parameter:
                return first, second
        return None

    def _pooled(self, given: Input, shape: InputShape, chosen: tuple[int, int] | None) -> Input:
        """All leaves of a kind from a small pool, with near variants."""
        rng = self.rng
        pools: dict[tuple[object, ...], list[object]] = {}
        places = [place for place in range(len(given)) if chosen is None or place in chosen]
        own = [
            VariadicTupleShape(parameter.shape) if parameter.variadic else parameter.shape
            for parameter in shape.parameters
        ]

        def gather(value: object, leaf: Shape) -> object:
            pool = pools.setdefault(family_of(value, leaf), [])
            if value not in pool:
                pool.append(value)
            return value

        def write(value: object, leaf: Shape) -> object:
            pool = kept[family_of(value, leaf)]
            if rng.random() < 0.15:
                return value
            picked = rng.choice(pool)
            return self._near(picked, pool) if rng.random() < 0.25 else picked

        for place in places:
            rewritten(given[place], own[place], gather)
        kept = {family: rng.sample(pool, min(len(pool), rng.choice((2, 2, 3, 4)))) for family, pool in pools.items()}
        values = list(given)
        for place in places:
            values[place] = rewritten(given[place], own[place], write)
        return tuple(values)

    def aligned(self, given: Input, shape: InputShape) -> Input:
        """All maps with the same few keys, and all other names among them: tables about the same things."""
        rng = self.rng
        names = [str(self.draw(TextShape())) for _ in range(rng.choice((2, 3, 3, 4)))]
        keys: list[object] = list(dict.fromkeys(names)) if rng.random() < 0.7 else list(range(len(names)))

        def write(value: object, leaf: Shape) -> object:
            free = isinstance(leaf, AnyShape) or (isinstance(leaf, TextShape) and not leaf.formats)
            return rng.choice(keys) if free and type(value) in (str, type(keys[0])) else value

        values: list[object] = []
        for value, parameter in zip(given, shape.parameters, strict=True):
            own = VariadicTupleShape(parameter.shape) if parameter.variadic else parameter.shape
            table = next((option for option in options_of(own) if isinstance(option, MapShape)), None)
            if table is not None and isinstance(table.key, (AnyShape, TextShape)):
                kept = [key for key in keys if rng.random() < 0.95]
                made: object = {
                    key: rewritten(self._named(self.draw(table.value), table.value, keys), table.value, write)
                    for key in kept
                }
            else:
                made = rewritten(self._named(value, own, keys), own, write)
            values.append(made)
        return tuple(values)

    def _named(self, value: object, shape: Shape, names: list[object]) -> object:
        """The value with names for members of which nothing is known."""
        option = option_of(value, shape)
        if isinstance(option, ListShape) and isinstance(value, list):
            items = cast("list[object]", value)
            if isinstance(option.element, AnyShape):
                return [self.rng.choice(names) for _ in items]
            return [self._named(item, option.element, names) for item in items]
        return value

    def _near(self, value: object, pool: list[object]) -> object:
        """Something that is nearly a value of the pool, holds it, or is held by it."""
        rng = self.rng
        if isinstance(value, str):
            other = str(rng.choice(pool))
            middle = rng.randrange(len(value) + 1)
            return rng.choice(
                (
                    value[:middle], value[middle:], value.swapcase(), value.upper(), value + other,
                    f"{other}{rng.choice((' ', '.', '_', '-', ''))}{value}", f"x{value}y", f"{value} ", value[::-1],
                )
            )  # fmt: skip
        if isinstance(value, int) and not isinstance(value, bool):
            return value + rng.choice((-1, 1))
        if isinstance(value, float):
            return value + rng.choice((-1.0, 1.0, 0.5))
        return value

    def _derived(self, given: Input, shape: InputShape, chosen: tuple[int, int] | None) -> Input | None:
        """One collection made from another: permuted, cut, thinned out, edited; keys from members and the reverse."""
        rng = self.rng
        pair = self._pair(self._spots(given, shape, chosen, _COLLECTIONS), chosen)
        if pair is None:
            return None
        source, target = pair
        if isinstance(target.shape, (RecordShape, TupleShape)) or not source.value:
            source, target = target, source
        if isinstance(target.shape, (RecordShape, TupleShape)) or not source.value:
            return None
        members = members_of(source.value)
        given_at = source.value
        if type(given_at) is dict and rng.random() < 0.25:
            members = list(cast("dict[object, object]", given_at).values())
        made = self._like(self._arranged(members), target)
        if made is None:
            # The members of the source's members: a map's keys from the pairs of a list.
            inner = [item for member in members if type(member) in (list, tuple) for item in members_of(member)]
            made = self._like(self._arranged(inner), target) if inner else None
        return None if made is None else cast("Input", replaced(given, target.path, made))

    def _arranged(self, members: list[object]) -> list[object]:
        rng = self.rng
        items = [copy.deepcopy(item) for item in members]
        match rng.randrange(8):
            case 0 | 7:
                rng.shuffle(items)
            case 1:
                items = items[: rng.randrange(len(items) + 1)]
            case 2:
                items = items[rng.randrange(len(items) + 1) :]
            case 3 | 4:
                items = rng.sample(items, rng.randint(min(1, len(items)), len(items)))
            case 5:
                items.reverse()
            case _:
                items += rng.sample(items, min(len(items), 2))
        if items and rng.random() < 0.3:
            place = rng.randrange(len(items))
            items[place] = self._near(items[place], items)
        return items

    def _like(self, items: list[object], target: Spot) -> object | None:
        """A collection of the target's kind with these members, where they fit it."""
        value, shape = target.value, target.shape
        if isinstance(value, dict):
            if not all(isinstance(item, (str, int)) for item in items):
                return None
            had = list(cast("dict[object, object]", value).values())
            inner = shape.value if isinstance(shape, MapShape) else ANY
            values = [had[place] if place < len(had) else self.draw(inner) for place in range(len(items))]
            made: object = dict(zip(items, values, strict=True))
        else:
            if self.rng.random() < 0.3:
                # Some of its own stay.
                items = [*items, *members_of(value)[:2]]
                self.rng.shuffle(items)
            try:
                made = _REMADE[type(value)](items)
            except TypeError:
                return None
        return made if fits(made, shape) else None

    def _followed(self, given: Input, chosen: tuple[int, int] | None) -> Input | None:
        """A way into the data of one parameter, key by key, as the value of another."""
        rng = self.rng
        held = [place for place, value in enumerate(given) if isinstance(value, dict | list | tuple) and value]
        ways = [place for place, value in enumerate(given) if isinstance(value, str | list | tuple)]
        pairs = [
            (data, way)
            for data in held
            for way in ways
            if data != way and (chosen is None or {data, way} <= set(chosen))
        ]
        if not pairs:
            return None
        data, way = rng.choice(pairs)
        keys: list[object] = []
        inside: object = given[data]
        while isinstance(inside, dict | list | tuple) and inside and (not keys or rng.random() < 0.8):
            if isinstance(inside, dict):
                known = cast("dict[object, object]", inside)
                keys.append(rng.choice(list(known)))
                inside = known[keys[-1]]
            else:
                members = cast("list[object]", inside)
                place = rng.randrange(len(members))
                keys.append(place if rng.random() < 0.9 else place - len(members))
                inside = members[place]
        value: object = rng.choice((".", "/")).join(map(str, keys))
        if not isinstance(given[way], str):
            value = tuple(keys) if isinstance(given[way], tuple) else keys
        return (*given[:way], value, *given[way + 1 :])

    def _contained(self, given: Input, shape: InputShape, chosen: tuple[int, int] | None) -> Input | None:
        """A text that holds another one, or begins or ends with it."""
        rng = self.rng
        spots = self._spots(given, shape, chosen, (str,))
        maps = self._spots(given, shape, chosen, (dict,))
        keys = [Spot((*spot.path, None), key, spot.shape) for spot in maps for key in members_of(spot.value)]
        pair = self._pair([*spots, *keys], chosen)
        if pair is None:
            if not spots:
                return None
            spot = rng.choice(spots)
            return cast("Input", replaced(given, spot.path, self._repeating(str(spot.value))))
        if pair[1] not in spots:
            pair = (pair[1], pair[0])
        if pair[1] not in spots:
            return None
        piece, target = str(pair[0].value), str(pair[1].value)
        if rng.random() < 0.25:
            # Templates name what they take in some kind of brackets.
            before, after = rng.choice(_BRACKETS)
            piece = before + piece + after
        place = rng.randrange(len(target) + 1)
        space = rng.choice(("", "", " ", "\n", ".", "_"))
        whole = rng.choice(
            (
                target[:place] + space + piece + space + target[place:], piece + space + target, target + space + piece,
                piece, target[:place] + piece.swapcase() + target[place:], piece + space + piece,
                piece + space + target + space + piece,
            )
        )  # fmt: skip
        return cast("Input", replaced(given, pair[1].path, whole))

    def _worded(self, given: Input, shape: InputShape, chosen: tuple[int, int] | None) -> Input | None:
        """A collection of the words of a text, or a text made of the members of a collection."""
        rng = self.rng
        texts = self._spots(given, shape, chosen, (str,))
        holders = [spot for spot in self._spots(given, shape, chosen, _COLLECTIONS) if spot.value]
        pairs = [
            (text, holder)
            for text in texts
            for holder in holders
            if text.path[: len(holder.path)] != holder.path and (chosen is None or text.parameter != holder.parameter)
        ]
        if not pairs:
            return None
        text, holder = rng.choice(pairs)
        if rng.random() < 0.5:
            words = str(text.value).split() if rng.random() < 0.8 else list(str(text.value)[:6])
            if rng.random() < 0.4:
                words = [word.lower() for word in words]
            made = self._like(self._arranged(list[object](words)), holder) if words else None
            return None if made is None else cast("Input", replaced(given, holder.path, made))
        members = [str(member) for member in members_of(holder.value) if isinstance(member, (str, int))]
        parts = rng.sample(members, min(len(members), rng.choice((1, 2, 2, 3)))) if rng.random() < 0.5 else members[:6]
        whole = rng.choice((" ", " ", ", ", "\n", "", "_", ".")).join(parts)
        return cast("Input", replaced(given, text.path, whole)) if whole else None

    def _repeating(self, text: str) -> str:
        """A text whose characters are equal to each other here and there."""
        rng = self.rng
        letters = list(dict.fromkeys(text)) or ["a", "b"]
        few = [rng.choice(letters) for _ in range(rng.choice((1, 2, 2)))]
        made = rng.choice(
            (
                [letter for letter in text[:4] for _ in range(2)], [rng.choice(few) for _ in text],
                [letter for letter in (rng.choice(letters) for _ in range(rng.choice((2, 3, 4)))) for _ in range(2)],
                [*text[:6], *reversed(text[:6])], [*text[:6], *reversed(text[:5])],
            )
        )  # fmt: skip
        if made and rng.random() < 0.4:
            made[rng.randrange(len(made))] = rng.choice([*letters, "a", "1"])
        return "".join(made)

    def _mirrored(self, given: Input, shape: InputShape, chosen: tuple[int, int] | None) -> Input | None:
        """A part like another part, with some of its leaves changed."""
        rng = self.rng
        pair = self._pair(self._spots(given, shape, chosen, _COLLECTIONS), chosen)
        if pair is None:
            return None
        source, target = pair
        if not fits(source.value, target.shape):
            source, target = target, source
        if not fits(source.value, target.shape):
            return None
        rate = rng.choice((0.0, 0.2, 0.5, 0.9))

        def change(value: object, leaf: Shape) -> object:
            if rng.random() >= rate:
                return value
            fresh = self.draw(leaf) if not isinstance(leaf, AnyShape) else value
            return fresh if type(fresh) is type(value) and rng.random() < 0.6 else self._near(value, [value])

        made = rewritten(copy.deepcopy(source.value), target.shape, change, keys=rng.random() < 0.3)
        return cast("Input", replaced(given, target.path, made))

    def _picked(self, given: Input, shape: InputShape, chosen: tuple[int, int] | None) -> Input | None:
        """A leaf, or a member, that is somewhere else in the input too."""
        rng = self.rng
        spots = self._spots(given, shape, chosen, (*SCALARS, *_COLLECTIONS))
        targets = [spot for spot in spots if len(spot.path) == 1 or rng.random() < 0.3]
        if not targets:
            return None
        target = rng.choice(targets)
        others: list[object] = []
        for spot in spots:
            if spot.path[: len(target.path)] == target.path or target.path[: len(spot.path)] == spot.path:
                continue
            others.append(spot.value)
            if type(spot.value) in (dict, set, frozenset):
                others.extend(members_of(spot.value))
        kind = type(target.value)
        same = [value for value in others if type(value) is kind or kind not in (int, float, bool)]
        fitting = [value for value in same if fits(value, target.shape)]
        if not fitting:
            return None
        value = copy.deepcopy(rng.choice(fitting))
        return cast("Input", replaced(given, target.path, self._near(value, fitting) if rng.random() < 0.2 else value))

    def _inserted(self, given: Input, shape: InputShape, chosen: tuple[int, int] | None) -> Input | None:
        """A collection that has a part of the input among its members."""
        rng = self.rng
        spots = self._spots(given, shape, chosen, (*SCALARS, *_COLLECTIONS))
        pairs = [
            (part, holder)
            for holder in spots
            if type(holder.value) in (list, set, frozenset)
            for part in spots
            if part.path[:1] != holder.path[:1] and fits(part.value, inner_shape(holder.shape, None))
        ]
        if not pairs:
            return None
        part, holder = rng.choice(pairs)
        members = members_of(holder.value)
        members.insert(rng.randrange(len(members) + 1), copy.deepcopy(part.value))
        made = self._like(members, holder)
        return None if made is None else cast("Input", replaced(given, holder.path, made))

    def _measured(self, given: Input, shape: InputShape, chosen: tuple[int, int] | None) -> Input | None:
        """A number that stands in a simple ratio to another one, or a whole multiple of it; or a length."""
        rng = self.rng
        spots = self._spots(given, shape, chosen, (int, float))
        sized = [
            len(cast("str", spot.value)) for spot in self._spots(given, shape, chosen, (str, *_COLLECTIONS))
        ]  # fmt: skip
        if sized and spots and (len(spots) < 2 or rng.random() < 0.3):
            target = rng.choice(spots)
            if isinstance(target.value, int):
                return cast("Input", replaced(given, target.path, rng.choice(sized) + rng.choice((-1, 0, 0, 1))))
        pair = self._pair(spots, chosen)
        if pair is None:
            return None
        number, old = cast("float", pair[0].value), pair[1].value
        # What is no number is not smaller either.
        if not abs(number) <= 10**6:
            return None
        times = rng.choice((1, 2, 2, 3, 4, 5, 10, -1))
        if isinstance(old, int):
            made: float = int(number) * times if rng.random() < 0.6 else int(number) // max(1, abs(times))
            made += rng.choice((0, 0, 0, -1, 1))
        else:
            made = float(number) * rng.choice((0.25, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)) + rng.choice((0.0, 0.0, 0.5))
        return cast("Input", replaced(given, pair[1].path, made))


def _nested(shape: InputShape) -> bool:
    """Whether some parameter holds several values that may be equal to each other."""
    return any(
        isinstance(option, (ListShape, TupleShape, VariadicTupleShape, MapShape, RecordShape, SetShape))
        for parameter in shape.parameters
        for option in options_of(parameter.shape)
    )


def _fits(given: Input, shape: InputShape) -> bool:
    return all(
        fits(value, VariadicTupleShape(parameter.shape) if parameter.variadic else parameter.shape)
        for value, parameter in zip(given, shape.parameters, strict=True)
        if not (parameter.default and value is parameter.default[0])
    )
