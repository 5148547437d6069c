"""Many values of one place of an input, tried one after the other where mutants of numbers survive.

Where a rounded or compared expression is exactly at its edge (a half, a limit, a remainder of zero) only few inputs
are, and which ones no draw finds: 7,500 pixels per metre times 0.0254 is 190.5. Small whole numbers, multiples of 250
and short decimals hold such an edge for every factor of up to four decimals.
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pbt_generator.domain.inputs.drawing.splicing import Path, places, replaced
from pbt_generator.domain.oracle.runs import Input

_WHOLE = (*range(-60, 401), *range(425, 2_001, 25), *range(2_250, 50_001, 250))
_DECIMAL = tuple(
    dict.fromkeys(
        [step / 2 for step in range(-41, 82)]
        + [step / 8 for step in range(-17, 40)]
        + [step / 10 for step in range(60)]
        + [whole + part for whole in range(12) for part in (0.005, 0.015, 0.025, 0.045, 0.125, 0.675, 0.995)]
        + [float(step) for step in range(0, 2_001, 25)]
    )
)
# Two years, one of them a leap year, and ends of centuries.
_FIRST_DAY, _DAYS = datetime.date(2023, 1, 1), 731
_ENDS = ((1900, 2, 28), (1900, 3, 1), (2000, 2, 29), (2100, 2, 28), (1999, 12, 31), (2000, 1, 1))
_DIGITS = re.compile(r"\d{1,4}")
_TWO_DIGITS = re.compile(r"\d.*\d", re.DOTALL)
_MOST_PLACES = 3


@dataclass(frozen=True)
class Sweep:
    """One input, the way to one of its places, and the values that stand there in turn."""

    base: Input
    path: Path
    values: tuple[object, ...]

    def at(self, place: int) -> Input:
        """The input with one of the values."""
        made = replaced(self.base, self.path, self.values[place])
        assert isinstance(made, tuple)
        return made  # pyright: ignore[reportUnknownVariableType]


def sweeps(bases: Sequence[Input], allowed: Callable[[Input], bool]) -> list[Sweep]:
    """The sweeps over the first numbers, days and texts with numbers of some inputs.

    Args:
        bases: Inputs that returned.
        allowed: Whether a caller may send an input.

    Example:
        >>> found = sweeps([(3, "a")], lambda given: given[0] > 0)
        >>> [sweep.path for sweep in found], (7500, "a") in map(found[0].at, range(len(found[0].values)))
        ([(0,)], True)
    """
    found: list[Sweep] = []
    for base in bases:
        swept = 0
        for path, part in itertools.islice(places(base), 1, 40):
            values = [value for value in _column(part) if allowed(_put(base, path, value))]
            if values and swept < _MOST_PLACES:
                swept += 1
                found.append(Sweep(base, path, tuple(values)))
    return found


def last_digits(base: Input, pieces: Sequence[str], longer: int = 0) -> Iterator[Input]:
    """An input with every digit, and every two digits, at the end of a text that has some.

    Who checks a number by its last digits accepts one of these.

    Args:
        base: The input.
        pieces: Short texts of the program; single characters of these stand at the end as digits do.
        longer: So many characters longer, or shorter, than it was.

    Example:
        >>> [text for (text,) in last_digits(("a-12",), "X")][8:12], len(list(last_digits(("a-12", 5), ())))
        (['a-18', 'a-19', 'a-1X', 'a-00'], 110)
    """
    ends = [*map(str, range(10)), *(piece for piece in pieces if len(piece) == 1), *map("{:02}".format, range(100))]
    for path, part in itertools.islice(places(base), 1, 40):
        if isinstance(part, str) and _TWO_DIGITS.search(part):
            yield from (
                _put(base, path, part[: len(part) + longer - len(end)].ljust(len(part) + longer - len(end), "0") + end)
                for end in ends
            )


def _put(base: Input, path: Path, value: object) -> Input:
    return Sweep(base, path, (value,)).at(0)


def _column(part: object) -> Sequence[object]:
    match part:
        case bool() | None:
            return ()
        case int():
            return (*_WHOLE, *_DECIMAL)
        case float():
            return _DECIMAL
        case datetime.date():
            days = [_FIRST_DAY + datetime.timedelta(days=step) for step in range(_DAYS)]
            days += [datetime.date(*end) for end in _ENDS]
            return [part.replace(year=day.year, month=day.month, day=day.day) for day in days]
        case str():
            return [
                f"{part[: number.start()]}{value:0{len(number.group())}}{part[number.end() :]}"
                for number in itertools.islice(_DIGITS.finditer(part), 3)
                for value in range(102)
            ]
        case _:
            return ()


__all__ = ["Sweep", "last_digits", "sweeps"]
