"""Values of library types: dates, decimals, paths, arrays and frames, without importing the libraries.

Arrays and frames are described by small records that `portable` writes in the portable form; the sandbox makes the
real ones.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import pathlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from pbt_generator.domain.inputs.shapes import LibraryShape

Moments: TypeAlias = Callable[[], datetime.datetime]


@dataclass(frozen=True)
class ArrayValue:
    """An array: numpy's dtype name, its shape, and its items in row order."""

    dtype: str
    shape: tuple[int, ...]
    items: tuple[object, ...]


@dataclass(frozen=True)
class SeriesValue:
    """A column with a plain range index."""

    dtype: str
    items: tuple[object, ...]
    name: str | None = None


@dataclass(frozen=True)
class FrameValue:
    """A table with a plain range index: columns in order, each with a name."""

    columns: tuple[tuple[str, SeriesValue], ...]


_DTYPES = {"float": "float64", "int": "int64", "bool": "bool", "text": "str", "date": "datetime64[ns]"}
# Where a program asks for the time zone, half of the moments have none.
_ZONES = (
    None, None, None, datetime.UTC, datetime.UTC, datetime.timezone(datetime.timedelta(hours=2)),
    datetime.timezone(datetime.timedelta(hours=-5, minutes=-30)),
)  # fmt: skip
_NAMES = ("a", "b", "c", "d", "value", "group")


def draw_library(rng: random.Random, shape: LibraryShape, moment: Moments) -> object:
    """One value of a library type.

    Args:
        rng: The source of chance.
        shape: Which type.
        moment: Draws moments.
    """
    match shape.kind:
        case "date":
            return moment().date()
        case "datetime":
            drawn = moment()
            return drawn.replace(tzinfo=rng.choice(_ZONES)) if shape.aware else drawn
        case "time":
            return moment().time()
        case "timedelta":
            return datetime.timedelta(
                days=rng.choice((0, 0, 1, -1, 7, 30, 365, rng.randrange(1000))),
                seconds=rng.choice((0, 1, 59, 60, 61, 3599, 3600, 86399, rng.randrange(86400))),
                microseconds=rng.choice((0, 0, 0, 1, 500000)),
            )
        case "decimal":
            return decimal.Decimal(
                rng.choice(
                    (
                        "0",
                        "1",
                        "-1",
                        "0.1",
                        "1.005",
                        "99.99",
                        "-12.5",
                        "1E+3",
                        "3.14159265358979323846264338327950288",
                        "0.10",
                        str(rng.randrange(1000)),
                        f"{rng.uniform(-100, 100):.3f}",
                    )
                )
            )
        case "fraction":
            return fractions.Fraction(rng.randint(-20, 20), rng.randint(1, 12))
        case "complex":
            return complex(rng.randint(-5, 5), rng.randint(-5, 5))
        case "path":
            return pathlib.PurePosixPath(
                rng.choice(
                    (
                        "/a/b/c.txt",
                        "a/b",
                        "x.py",
                        "/",
                        "../up/file.tar.gz",
                        ".hidden",
                        "dir/sub/",
                        "/tmp/a b.md",
                        "noext",
                    )
                )
            )
        case "range":
            return range(rng.randint(-3, 3), rng.randint(0, 10), rng.choice((1, 1, 2, -1)))
        case "ndarray":
            return draw_array(rng, shape, moment)
        case "series":
            return SeriesValue(
                _DTYPES[shape.dtype], _items(rng, moment, shape.dtype, rng.choice((0, 1, 2, 3, 4, 5, 8)))
            )
        case "index":
            return SeriesValue(
                _DTYPES[shape.dtype], _items(rng, moment, shape.dtype, rng.choice((1, 2, 3, 5))), "__index__"
            )
        case _:
            return draw_frame(rng, shape, moment)


def draw_array(rng: random.Random, shape: LibraryShape, moment: Moments) -> ArrayValue:
    """One array; axes of known length keep it, square ones are square."""
    dimensions = shape.dimensions or rng.choice((1, 1, 1, 2, 2))
    lengths = [rng.choice((1, 2, 3, 3, 4, 5) if dimensions < 3 else (1, 2, 2, 3)) for _ in range(dimensions)]
    if dimensions >= 2 and (rng.random() < 0.45 or (-1 in shape.sizes and len(shape.sizes) == 1)):
        lengths[-1] = lengths[-2]
    for axis, size in enumerate(shape.sizes[:dimensions]):
        if size > 0:
            lengths[axis] = max(size, 1) if rng.random() < 0.85 else size + 1
    if dimensions == 1 and rng.random() < 0.06:
        lengths = [0]
    total = 1
    for length in lengths:
        total *= length
    dtype = shape.dtype
    if dtype == "float" and rng.random() < 0.25:
        dtype = "int"
    return ArrayValue(_DTYPES[dtype], tuple(lengths), _items(rng, moment, dtype, total))


def draw_frame(rng: random.Random, shape: LibraryShape, moment: Moments) -> FrameValue:
    """One table with the columns that the program reads, or a few of its own."""
    rows = rng.choice((0, 1, 2, 3, 4, 5, 7))
    columns = shape.columns or tuple(
        (name, rng.choice(("float", "int", "text"))) for name in rng.sample(_NAMES, rng.randrange(1, 5))
    )
    made: list[tuple[str, SeriesValue]] = []
    for name, dtype in columns:
        kind = "int" if dtype == "float" and rng.random() < 0.3 else dtype
        made.append((name, SeriesValue(_DTYPES[kind], _items(rng, moment, kind, rows), name)))
    return FrameValue(tuple(made))


def _items(rng: random.Random, moment: Moments, dtype: str, count: int) -> tuple[object, ...]:
    items: list[object] = []
    repeats = rng.random() < 0.3
    for _ in range(count):
        if repeats and items and rng.random() < 0.5:
            items.append(rng.choice(items))
        elif dtype == "int":
            items.append(rng.choice((rng.randint(0, 9), rng.randint(-20, 100))))
        elif dtype == "bool":
            items.append(rng.random() < 0.5)
        elif dtype == "text":
            items.append(rng.choice(("a", "b", "x y", "alpha", "beta", "", "A", "10")))
        elif dtype == "date":
            items.append(moment())
        elif rng.random() < 0.04:
            items.append(float("nan"))
        else:
            items.append(
                rng.choice((round(rng.uniform(0, 1), 2), round(rng.uniform(-10, 10), 1), float(rng.randint(-5, 20))))
            )
    return tuple(items)
