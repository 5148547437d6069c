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
from dataclasses import dataclass

from pbt_generator.domain.shapes import LibraryShape


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
_NAMES = ("a", "b", "c", "d", "value", "group")


def draw_library(rng: random.Random, shape: LibraryShape, sizes: tuple[int, ...] = ()) -> object:
    """One value of a library type."""
    match shape.kind:
        case "date":
            return _moment(rng).date()
        case "datetime":
            moment = _moment(rng)
            return moment.replace(tzinfo=datetime.UTC) if shape.aware else moment
        case "time":
            return _moment(rng).time()
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
            return draw_array(rng, shape)
        case "series":
            return SeriesValue(_DTYPES[shape.dtype], _items(rng, shape.dtype, rng.choice((0, 1, 2, 3, 4, 5, 8))))
        case "index":
            return SeriesValue(_DTYPES[shape.dtype], _items(rng, shape.dtype, rng.choice((1, 2, 3, 5))), "__index__")
        case _:
            return draw_frame(rng, shape)


def draw_array(rng: random.Random, shape: LibraryShape) -> ArrayValue:
    """One array; axes of known length keep it, square ones are square."""
    dimensions = shape.dimensions or rng.choice((1, 1, 1, 2, 2))
    lengths = [rng.choice((1, 2, 3, 3, 4, 5)) for _ in range(dimensions)]
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
    return ArrayValue(_DTYPES[dtype], tuple(lengths), _items(rng, dtype, total))


def draw_frame(rng: random.Random, shape: LibraryShape) -> FrameValue:
    """One table with the columns that the program reads, or a few of its own."""
    rows = rng.choice((0, 1, 2, 3, 4, 5, 7))
    columns = shape.columns or tuple(
        (name, rng.choice(("float", "int", "text"))) for name in rng.sample(_NAMES, rng.randrange(1, 5))
    )
    made: list[tuple[str, SeriesValue]] = []
    for name, dtype in columns:
        kind = "int" if dtype == "float" and rng.random() < 0.3 else dtype
        made.append((name, SeriesValue(_DTYPES[kind], _items(rng, kind, rows), name)))
    return FrameValue(tuple(made))


def _items(rng: random.Random, dtype: str, count: int) -> tuple[object, ...]:
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
            items.append(_moment(rng))
        elif rng.random() < 0.04:
            items.append(float("nan"))
        else:
            items.append(
                rng.choice((round(rng.uniform(0, 1), 2), round(rng.uniform(-10, 10), 1), float(rng.randint(-5, 20))))
            )
    return tuple(items)


def _moment(rng: random.Random) -> datetime.datetime:
    if rng.random() < 0.25:
        return rng.choice((
            datetime.datetime(2024, 2, 29), datetime.datetime(2023, 12, 31, 23, 59, 59), datetime.datetime(2000, 1, 1),
            datetime.datetime(1970, 1, 1), datetime.datetime(2024, 6, 15, 12), datetime.datetime(2021, 3, 28, 2, 30),
        ))  # fmt: skip
    year = rng.choice((2024, 2023, 2022, 2000, 1999, rng.randrange(1950, 2050)))
    hour, minute, second = rng.randrange(24), rng.randrange(60), rng.choice((0, 0, rng.randrange(60)))
    return datetime.datetime(year, rng.randrange(1, 13), rng.randrange(1, 29), hour, minute, second)
