"""When two portable values are equal, written a second time from `docs/values.md`: slow, short, and for tests only.

It follows the page and not the comparator: exact rational numbers, every pairing of sets tried. Where the page leaves
room (a hair's breadth beside a tolerance, where floats round), it answers nothing instead of guessing.
"""

from __future__ import annotations

import base64
import json
import re
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

TOLERANCE = Fraction(1, 10**6)
_NUMBERS = ("int", "float", "decimal", "fraction", "complex")
_SEQUENCES = ("list", "tuple", "deque")
_SETS = ("set", "frozenset")
_MAPS = ("map", "ordered_map", "counter", "default_map")


class UnsureError(Exception):
    """The page does not decide this pair."""


def equal(expected: str, actual: str, mode: str) -> bool | None:
    """Whether two well-formed texts are equal; None when that cannot be told from the page."""
    try:
        return _same(json.loads(expected), json.loads(actual), mode == "portable")
    except UnsureError:
        return None


def _kind(node: Any) -> str:
    if isinstance(node, dict):
        kind = node.get("$", "map")
        return {"str": "text"}.get(kind, kind)
    names = {list: "list", str: "text", bool: "bool", int: "int", float: "float", type(None): "null"}
    return names[type(node)]


def _bare(node: Any) -> Any:
    """A numpy scalar is what it holds; one of time is an array without axes."""
    while isinstance(node, dict) and node.get("$") == "scalar":
        if node["dtype"][1] in "Mm":
            return {"$": "ndarray", "dtype": node["dtype"], "shape": [], "v": [node["v"]]}
        node = node["v"]
    return node


def _same(left: Any, right: Any, portable: bool) -> bool:
    left, right = _bare(left), _bare(right)
    kind, other = _kind(left), _kind(right)
    if kind in _NUMBERS and other in _NUMBERS:
        return (portable or kind == other) and _meets(left, right)
    if portable and (kind == "record") != (other == "record"):
        left, right = _as_neighbour(left, other), _as_neighbour(right, kind)
        kind, other = _kind(left), _kind(right)
    for family in (_SEQUENCES, _SETS, _MAPS):
        if kind in family and other in family:
            if not portable and kind != other:
                return False
            return _FAMILIES[family](left, right, portable)
    return kind == other and _ALIKE.get(kind, lambda a, b, _: a == b)(left, right, portable)


def _as_neighbour(node: Any, other: str) -> Any:
    """A record beside a list counts by the order of its fields, beside a map by their names."""
    if _kind(node) != "record":
        return node
    if other in _SEQUENCES:
        return [value for _, value in node["fields"]]
    return {"$": "map", "v": node["fields"]} if other in _MAPS else node


def _all(left: list[Any], right: list[Any], portable: bool) -> bool:
    return len(left) == len(right) and all(_same(a, b, portable) for a, b in zip(left, right, strict=True))


def _sequences(left: Any, right: Any, portable: bool) -> bool:
    return _all(*(node if isinstance(node, list) else node["v"] for node in (left, right)), portable)


def _sets(left: Any, right: Any, portable: bool) -> bool:
    return _paired(left["v"], right["v"], portable, lambda i, j: True)


def _maps(left: Any, right: Any, portable: bool) -> bool:
    ours, theirs = ([list(p) for p in (node["v"] if "$" in node else node.items())] for node in (left, right))
    if _kind(left) == _kind(right) == "ordered_map":
        return _all([x for pair in ours for x in pair], [x for pair in theirs for x in pair], portable)
    for pairs in (ours, theirs):
        keys = [pair[0] for pair in pairs]
        if any(_same(x, y, portable) for i, x in enumerate(keys) for y in keys[:i]):
            # Two keys that are one: which of them an answer means is nowhere written.
            raise UnsureError
    values = [pair[1] for pair in ours], [pair[1] for pair in theirs]
    return _paired(
        [pair[0] for pair in ours],
        [pair[0] for pair in theirs],
        portable,
        lambda i, j: _same(values[0][i], values[1][j], portable),
    )


def _paired(left: list[Any], right: list[Any], portable: bool, also: Any) -> bool:
    """Whether each has exactly one partner; `also` is asked of partners."""
    if len(left) != len(right):
        return False
    fits = [[j for j, b in enumerate(right) if _same(a, b, portable) and also(i, j)] for i, a in enumerate(left)]
    owner: dict[int, int] = {}

    def place(i: int, seen: set[int]) -> bool:
        for j in fits[i]:
            if j not in seen:
                seen.add(j)
                if j not in owner or place(owner[j], seen):
                    owner[j] = i
                    return True
        return False

    return all(place(i, set()) for i in range(len(left)))


# Numbers


def _parts(node: Any) -> tuple[Any, Any, str]:
    """Real and imaginary part, exactly, or the name of what is no number (nan, snan, inf, -inf), and the kind."""
    kind = _kind(node)
    if kind == "complex":
        return *(_parts(part)[0] for part in node["v"]), kind
    if not isinstance(node, dict):
        return (Fraction(node), Fraction(0), kind)
    if kind == "fraction":
        return Fraction(*map(int, node["v"])), Fraction(0), kind
    if kind == "decimal":
        number = Decimal(node["v"])
        if number.is_nan():
            return "snan" if number.is_snan() else "nan", Fraction(0), kind
        if number.is_infinite():
            return "inf" if number > 0 else "-inf", Fraction(0), kind
        if number and abs(number.adjusted()) > 5000:
            # As a rational it would fill the memory; what it meets is shown by its own text only.
            return f"far {number.normalize()}", Fraction(0), kind
        return Fraction(number), Fraction(0), kind
    return node["v"] if kind == "float" else Fraction(int(node["v"])), Fraction(0), kind


def _meets(expected: Any, actual: Any) -> bool:
    (real, imaginary, kind), (other, other_imaginary, other_kind) = _parts(expected), _parts(actual)
    tolerant = kind in ("float", "complex")
    if kind == "complex":
        return _near(real, other, tolerant) and _near(imaginary, other_imaginary, tolerant)
    if other_imaginary != 0:
        return False
    if "snan" in (real, other):
        return real == other and (kind, other_kind) == ("decimal", "decimal")
    return _near(real, other, tolerant)


def _near(expected: Any, actual: Any, tolerant: bool) -> bool:
    if isinstance(expected, str) or isinstance(actual, str):
        if tolerant and str(actual).startswith("far"):
            # Next to nothing is within reach of small floats, and far out of reach of all others.
            tiny = Decimal(actual.split()[1]).adjusted() < 0
            return tiny and not isinstance(expected, str) and _near(expected, Fraction(0), tolerant)
        return expected == actual
    if not tolerant:
        return bool(expected == actual)
    off, reach = abs(expected - actual), TOLERANCE + TOLERANCE * abs(expected)
    if abs(off - reach) <= reach / 10**6:
        raise UnsureError
    return bool(off <= reach)


# Kinds with rules of their own


def _text(node: Any) -> list[int]:
    if isinstance(node, dict):
        return node["v"]
    raw = node.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)]


def _records(left: Any, right: Any, portable: bool) -> bool:
    names = [[name for name, _ in node["fields"]] for node in (left, right)]
    values = [[value for _, value in node["fields"]] for node in (left, right)]
    return left["name"] == right["name"] and names[0] == names[1] and _all(*values, portable)


def _arrays(left: Any, right: Any, portable: bool) -> bool:
    letters = [node["dtype"][1] for node in (left, right)]
    classes = ["number" if letter in "iufc" else letter for letter in letters]
    if left["shape"] != right["shape"] or classes[0] != classes[1]:
        return False
    if letters[0] in "Mm" and left["dtype"] != right["dtype"]:
        return _spans(left) == _spans(right)
    return _all(left["v"], right["v"], portable or left["dtype"] != "|O")


# Seconds of a unit; months and years have none, but begin on a day.
_SECONDS = {
    "W": Fraction(604_800), "D": Fraction(86_400), "h": Fraction(3600), "m": Fraction(60), "s": Fraction(1),
    **{unit: Fraction(1, 1000**power) for power, unit in enumerate(("ms", "us", "ns", "ps", "fs", "as"), 1)},
}  # fmt: skip


def _spans(array: Any) -> list[Any]:
    """The cells of an array of moments or spans in seconds, in months, or in a unit of their own."""
    dtype = array["dtype"]
    multiple, unit = re.fullmatch(r"(?:\[([0-9]*)([A-Za-z]+)\])?", dtype[3:]).groups()  # type: ignore[union-attr]
    found: list[Any] = []
    for cell in array["v"]:
        count = None if cell is None else int(cell["v"] if isinstance(cell, dict) else cell) * int(multiple or 1)
        if count is None:
            found.append(None)
        elif unit in _SECONDS:
            found.append(count * _SECONDS[unit])
        elif unit in ("Y", "M"):
            months = count * (12 if unit == "Y" else 1)
            if dtype[1] == "M" and not 1 <= 1970 + months // 12 <= 9999:
                raise UnsureError
            epoch = date(1970, 1, 1)
            day = date(1970 + months // 12, months % 12 + 1, 1) if dtype[1] == "M" else epoch
            found.append((day - epoch).days * _SECONDS["D"] if dtype[1] == "M" else (months,))
        else:
            found.append((unit, count))
    return found


def _clock(node: Any) -> Any:
    """Day, seconds of it, and the offset in seconds: what a moment says."""
    day, _, rest = node["v"].rpartition("T")
    sign = next((sign for sign in "+-" if sign in rest), "")
    clock, offset = rest.split(sign) if sign else (rest, "")
    return day, _seconds(clock), Fraction(f"{sign}1") * _seconds(offset) if sign else None


def _seconds(text: str) -> Fraction:
    return sum((Fraction(part) * 60 ** (2 - place) for place, part in enumerate(text.split(":"))), Fraction(0))


def _column_class(dtype: str) -> str:
    name = dtype.lower().split("[")[0].rstrip("0123456789")
    classes = {"int": "number", "uint": "number", "float": "number", "complex": "number", "boolean": "bool"}
    return {"str": "object", "string": "object"}.get(name, classes.get(name, name))


def _loose(left: str, right: str, portable: bool) -> bool:
    return portable or not left == right == "object"


def _cells(items: Any, dtype: str, other: str) -> list[Any]:
    """Cells of a column: beside one of another type every missing one is marked alike."""
    marks = (None, {"$": "float", "v": "nan"}, {"$": "nat"}, {"$": "na"})
    return [None if dtype != other and item in marks else item for item in items]


def _indexes(left: Any, right: Any, portable: bool) -> bool:
    ours, theirs = (range(*n["v"]) if n["class"] == "RangeIndex" else n["v"] for n in (left, right))
    if len(ours) != len(theirs):
        return False
    if len(ours) and _column_class(left["dtype"]) != _column_class(right["dtype"]):
        return False
    if isinstance(ours, range) and isinstance(theirs, range):
        same = ours == theirs
    else:
        several = "MultiIndex" in (left["class"], right["class"])
        loose = several or _loose(left["dtype"], right["dtype"], portable)
        types = left["dtype"], right["dtype"]
        same = _all(_cells(ours, *types), _cells(theirs, *types), loose)
    return same and _all(left["names"], right["names"], portable)


def _series(left: Any, right: Any, portable: bool) -> bool:
    return (
        _column_class(left["dtype"]) == _column_class(right["dtype"])
        and _same(left["name"], right["name"], portable)
        and _same(left["index"], right["index"], portable)
        and _all(
            _cells(left["v"], left["dtype"], right["dtype"]),
            _cells(right["v"], left["dtype"], right["dtype"]),
            _loose(left["dtype"], right["dtype"], portable),
        )
    )


def _frames(left: Any, right: Any, portable: bool) -> bool:
    types = [list(map(_column_class, node["dtypes"])) for node in (left, right)]
    return (
        types[0] == types[1]
        and _same(left["columns"], right["columns"], portable)
        and _same(left["index"], right["index"], portable)
        and all(
            _all(_cells(a, x, y), _cells(b, x, y), _loose(x, y, portable))
            for a, b, x, y in zip(left["v"], right["v"], left["dtypes"], right["dtypes"], strict=True)
        )
    )


_FAMILIES: dict[tuple[str, ...], Any] = {_SEQUENCES: _sequences, _SETS: _sets, _MAPS: _maps}
_ALIKE: dict[str, Any] = {
    "text": lambda a, b, _: _text(a) == _text(b),
    "bool": lambda a, b, _: a is b,
    "bytes": lambda a, b, _: base64.b64decode(a["v"]) == base64.b64decode(b["v"]),
    "bytearray": lambda a, b, _: base64.b64decode(a["v"]) == base64.b64decode(b["v"]),
    "range": lambda a, b, _: range(*a["v"]) == range(*b["v"]),
    **dict.fromkeys(("datetime", "time", "timestamp"), lambda a, b, _: _clock(a) == _clock(b)),
    "record": _records,
    "ndarray": _arrays,
    "index": _indexes,
    "series": _series,
    "frame": _frames,
}
