"""Makes the parts of an input equal to or contained in each other.

Values drawn one by one hardly ever meet: a key is not in the other map, a piece not in the text, two sequences have no
member in common, and a function that brings its arguments together does nothing. What is rewritten keeps its shape.
"""

from __future__ import annotations

import copy
import random
from typing import cast

from pbt_generator.domain.inputs.drawing.parts import (
    SCALARS,
    Spot,
    family_of,
    members_of,
    parts_of,
    rewritten,
)
from pbt_generator.domain.inputs.drawing.splicing import replaced
from pbt_generator.domain.inputs.fitting import fits
from pbt_generator.domain.inputs.shapes import (
    InputShape,
    ListShape,
    LiteralShape,
    MapShape,
    RecordShape,
    SetShape,
    Shape,
    TupleShape,
    VariadicTupleShape,
    options_of,
)
from pbt_generator.domain.oracle.runs import Input

_BRACKETS = (("{", "}"), ("{{", "}}"), ("${", "}"), ("<", ">"), ("[", "]"), ("%", "%"), ('"', '"'))
_COLLECTIONS = (list, tuple, set, frozenset, dict)


class Relater:
    """Relates the parts of inputs.

    Args:
        rng: Decides everything.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def share(self, shape: InputShape) -> float:
        """How many of the inputs should be related."""
        if len(shape.parameters) > 1:
            return 0.25
        return 0.1 if _nested(shape) else 0.0

    def relate(self, given: Input, shape: InputShape) -> Input:
        """An input like the given one whose parts have to do with each other; the same one where it has too few."""
        made: Input | None = None
        match self.rng.randrange(8):
            case 0 | 1 | 2:
                made = self._contained(given, shape)
            case 3 | 4 | 5:
                made = self._picked(given, shape)
            case _:
                pass
        if made is None:
            made = self._pooled(given, shape)
        return made if _fits(made, shape) else given

    def _spots(self, given: Input, shape: InputShape, kinds: tuple[type, ...]) -> list[Spot]:
        found: list[Spot] = []
        for place, parameter in enumerate(shape.parameters):
            own = VariadicTupleShape(parameter.shape) if parameter.variadic else parameter.shape
            found.extend(
                spot
                for spot in parts_of(given[place], own, (place,))
                if type(spot.value) in kinds and not isinstance(spot.shape, LiteralShape)
            )
        return found[:80]

    def _pair(self, spots: list[Spot]) -> tuple[Spot, Spot] | None:
        """Two parts, neither of which holds the other."""
        if len(spots) < 2:
            return None
        for _ in range(6):
            first, second = self.rng.sample(spots, 2)
            if first.path[: len(second.path)] != second.path and second.path[: len(first.path)] != first.path:
                return first, second
        return None

    def _pooled(self, given: Input, shape: InputShape) -> Input:
        """All leaves of a kind from a small pool, with near variants."""
        rng = self.rng
        pools: dict[tuple[object, ...], list[object]] = {}
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

        for value, kind in zip(given, own, strict=True):
            rewritten(value, kind, gather)
        kept = {family: rng.sample(pool, min(len(pool), rng.choice((2, 2, 3, 4)))) for family, pool in pools.items()}
        return tuple(rewritten(value, kind, write) for value, kind in zip(given, own, strict=True))

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

    def _contained(self, given: Input, shape: InputShape) -> Input | None:
        """A text that holds another one, or begins or ends with it."""
        rng = self.rng
        spots = self._spots(given, shape, (str,))
        maps = self._spots(given, shape, (dict,))
        keys = [Spot((*spot.path, None), key, spot.shape) for spot in maps for key in members_of(spot.value)]
        pair = self._pair([*spots, *keys])
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

    def _picked(self, given: Input, shape: InputShape) -> Input | None:
        """A leaf, or a member, that is somewhere else in the input too."""
        rng = self.rng
        spots = self._spots(given, shape, (*SCALARS, *_COLLECTIONS))
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
        value = rng.choice(fitting)
        if isinstance(value, list) and rng.random() < 0.3:
            members = cast("list[object]", value)
            value = rng.sample(members, len(members))
        value = copy.deepcopy(cast("object", value))
        return cast("Input", replaced(given, target.path, self._near(value, fitting) if rng.random() < 0.2 else value))


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
