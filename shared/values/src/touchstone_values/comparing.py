"""The one comparator: two texts in, the first difference out.

It works on checked trees, never on objects, so nothing that a candidate defined takes part. What counts
as equal is written in `docs/values.md`.
"""

# JSON trees and foreign objects have no static types; `type(x) is dict` narrows to unknown parts.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportMissingTypeStubs=false, reportUnknownParameterType=false
# pyright: reportArgumentType=false
from __future__ import annotations

import base64
import decimal
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from touchstone_values.encoding import dump
from touchstone_values.errors import MalformedValueError
from touchstone_values.parsing import MAPS, SEQUENCES, SETS, TAG, parse

Mode = Literal["portable", "exact"]
Step = str | int

# Elements of two sets that have no identical partner are paired by trying; more than this is a difference.
MAX_UNPAIRED = 200
# Numbers, texts and so on that are looked at while trying; what would take more is a difference as well.
MAX_PAIRING_STEPS = 2_000_000
_SHOWN = 120
_NUMBERS = frozenset({"int", "float", "complex", "decimal", "fraction"})
_EXACT_TEXT = frozenset({"date", "datetime", "time", "timestamp", "timedelta", "pandas_timedelta", "path", "nat", "na"})


@dataclass(frozen=True)
class Difference:
    """The first place where two values differ; `expected` and `actual` are shortened texts."""

    path: str
    reason: str
    expected: str = ""
    actual: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.reason} (expected {self.expected}, got {self.actual})"


def compare(expected: str, actual: str, mode: Mode, tolerance: float = 1e-6) -> Difference | None:
    """Compare two portable values.

    Args:
        expected: What the ground truth returned; trusted.
        actual: What a candidate returned; not trusted.
        mode: `portable` takes any sequence kind for another and 1 for 1.0; `exact` wants equal kinds.
        tolerance: Largest absolute error, and largest error relative to the expected number, of a number
            that is not an integer on both sides.

    Returns:
        None when they are equal, otherwise the first difference.

    Raises:
        MalformedValueError: `expected` is not in the portable form.

    Example:
        >>> compare("[1,2]", '{"$":"tuple","v":[1.0,2]}', "portable") is None
        True
        >>> str(compare("[1,2]", "[1,3]", "exact"))
        '$[1]: numbers differ (expected 2, got 3)'
    """
    left = parse(expected)
    if expected == actual:
        return None
    try:
        right = parse(actual)
    except MalformedValueError as error:
        return Difference(error.path, f"malformed: {error.reason}", _short(left), actual[:_SHOWN])
    return compare_trees(left, right, mode, tolerance)


def compare_trees(expected: Any, actual: Any, mode: Mode, tolerance: float = 1e-6) -> Difference | None:
    """Compare two checked trees (see `parse`); otherwise as `compare`."""
    found = _Comparison(mode == "portable", tolerance).nodes(expected, actual)
    if found is None:
        return None
    path = "$" + "".join(f"[{step}]" if type(step) is int else f".{step}" for step in reversed(found.steps))
    return Difference(path, found.reason, _short(found.expected), _short(found.actual))


@dataclass
class _Found:
    steps: list[Step]
    reason: str
    expected: Any
    actual: Any


def _short(tree: Any) -> str:
    text = dump(tree)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _kind(node: Any) -> str:
    kind = type(node)
    if kind is dict:
        return node.get(TAG, "map")
    return _PLAIN[kind]


_PLAIN: dict[type, str] = {
    list: "list",
    str: "text",
    int: "int",
    float: "float",
    bool: "bool",
    type(None): "null",
}


def _integer(node: Any) -> int:
    return node if type(node) is int else int(node["v"])


def _real(node: Any) -> float:
    return node if type(node) is float else float(node["v"])


def _text(node: Any) -> Any:
    return node if type(node) is str else tuple(node["v"])


def _pairs(node: Any) -> list[tuple[Any, Any]]:
    if TAG in node:
        return [(key, item) for key, item in node["v"]]
    return list(node.items())


class _Comparison:
    """One comparison's rules."""

    def __init__(self, portable: bool, tolerance: float) -> None:
        self._portable = portable
        self._tolerance = tolerance

    def nodes(self, left: Any, right: Any) -> _Found | None:
        """Compare two trees."""
        kind, other = _kind(left), _kind(right)
        if kind == "scalar" or other == "scalar":
            # A numpy scalar is the number that it holds: no program can be asked to tell them apart.
            return self.nodes(_unwrapped(left), _unwrapped(right))
        if kind == "str":
            kind = "text"
        if other == "str":
            other = "text"
        if kind in _NUMBERS and other in _NUMBERS:
            return self._numbers(left, right, kind, other)
        if kind == "list" or kind in SEQUENCES:
            if other != kind and not (self._portable and (other == "list" or other in SEQUENCES)):
                return self._kinds(left, right, kind, other)
            return self._sequences(_items(left), _items(right), left, right)
        if kind in SETS:
            if other != kind and not (self._portable and other in SETS):
                return self._kinds(left, right, kind, other)
            return self._sets(left, right)
        if kind in MAPS:
            if other != kind and not (self._portable and other in MAPS):
                return self._kinds(left, right, kind, other)
            return self._maps(left, right)
        if kind != other:
            return self._kinds(left, right, kind, other)
        return self._same_kind(left, right, kind)

    def _same_kind(self, left: Any, right: Any, kind: str) -> _Found | None:
        if kind == "null":
            return None
        if kind == "text":
            return None if _text(left) == _text(right) else _Found([], "texts differ", left, right)
        if kind == "bool":
            return None if left is right else _Found([], "booleans differ", left, right)
        if kind in ("bytes", "bytearray"):
            same = base64.b64decode(left["v"]) == base64.b64decode(right["v"])
            return None if same else _Found([], "bytes differ", left, right)
        if kind == "range":
            same = range(*left["v"]) == range(*right["v"])
            return None if same else _Found([], "ranges differ", left, right)
        if kind in _EXACT_TEXT:
            return None if left == right else _Found([], f"values of kind {kind} differ", left, right)
        if kind == "record":
            return self._records(left, right)
        if kind == "ndarray":
            return self._arrays(left, right)
        if kind == "index":
            return self._indexes(left, right)
        if kind == "series":
            return self._series(left, right)
        return self._frames(left, right)

    def _kinds(self, left: Any, right: Any, kind: str, other: str) -> _Found:
        return _Found([], f"kinds differ: expected {kind}, got {other}", left, right)

    # Numbers

    def _numbers(self, left: Any, right: Any, kind: str, other: str) -> _Found | None:
        try:
            same = self._same_number(left, right, kind, other)
        except OverflowError:
            # One side is too large for a float, the other is a float.
            same = False
        if same is None:
            return self._kinds(left, right, kind, other)
        return None if same else _Found([], "numbers differ", left, right)

    def _same_number(self, left: Any, right: Any, kind: str, other: str) -> bool | None:
        """Whether two numbers are equal; None when their kinds forbid it."""
        if kind == "int" and other == "int":
            return _integer(left) == _integer(right)
        if kind != other and not self._portable:
            return None
        if kind == "float" and other == "float":
            return self._close(_real(left), _real(right))
        if "complex" in (kind, other):
            (a, b), (c, d) = _parts(left, kind), _parts(right, other)
            return self._close(a, c) and self._close(b, d)
        if "decimal" in (kind, other):
            return self._close_decimals(_as_decimal(left, kind), _as_decimal(right, other))
        if "fraction" in (kind, other):
            return self._close_fractions(left, right, kind, other)
        return self._close(_widened(left, kind), _widened(right, other))

    def _close(self, expected: float, actual: float) -> bool:
        if expected == actual:
            return True
        if math.isnan(expected) or math.isnan(actual):
            return math.isnan(expected) and math.isnan(actual)
        if math.isinf(expected) or math.isinf(actual):
            return False
        return abs(expected - actual) <= self._tolerance + self._tolerance * abs(expected)

    def _close_decimals(self, expected: decimal.Decimal, actual: decimal.Decimal) -> bool:
        # A bounded context: a decimal's exponent must not decide how long the comparison takes.
        with decimal.localcontext(decimal.Context(prec=60, Emax=10**8, Emin=-(10**8), traps=[])):
            if not (expected.is_finite() and actual.is_finite()):
                return str(expected) == str(actual) or (expected.is_nan() and actual.is_nan())
            tolerance = decimal.Decimal(repr(self._tolerance))
            return bool(abs(expected - actual) <= tolerance + tolerance * abs(expected))

    def _close_fractions(self, left: Any, right: Any, kind: str, other: str) -> bool:
        sides: list[Fraction] = []
        for node, its_kind in ((left, kind), (right, other)):
            if its_kind == "fraction":
                sides.append(Fraction(int(node["v"][0]), int(node["v"][1])))
            elif its_kind == "int":
                sides.append(Fraction(_integer(node)))
            elif math.isfinite(_real(node)):
                sides.append(Fraction(_real(node)))
            else:
                return False
        tolerance = Fraction(self._tolerance)
        return abs(sides[0] - sides[1]) <= tolerance + tolerance * abs(sides[0])

    # Containers

    def _sequences(self, a: list[Any], b: list[Any], left: Any, right: Any) -> _Found | None:
        if len(a) != len(b):
            return _Found([], f"lengths differ: expected {len(a)}, got {len(b)}", left, right)
        for index, (x, y) in enumerate(zip(a, b, strict=True)):
            found = self.nodes(x, y)
            if found is not None:
                found.steps.append(index)
                return found
        return None

    def _sets(self, left: Any, right: Any) -> _Found | None:
        a, b = left["v"], right["v"]
        if len(a) != len(b):
            return _Found([], f"sizes differ: expected {len(a)}, got {len(b)}", left, right)
        pairing = self._pairing(a, b)
        return None if pairing is not None else _Found([], "elements differ", left, right)

    def _maps(self, left: Any, right: Any) -> _Found | None:
        if len(left) != len(right) and TAG not in left and TAG not in right:
            return _Found([], f"sizes differ: expected {len(left)}, got {len(right)}", left, right)
        if TAG not in left and TAG not in right:
            if left.keys() != right.keys():
                return _Found([], "keys differ", sorted(left), sorted(right))
            pairs = [(key, left[key], right[key]) for key in left]
        else:
            ours, theirs = _pairs(left), _pairs(right)
            pairing = self._pairing([key for key, _ in ours], [key for key, _ in theirs])
            if pairing is None:
                return _Found([], "keys differ", left, right)
            pairs = [(dump(key), item, theirs[pairing[i]][1]) for i, (key, item) in enumerate(ours)]
        for key, x, y in pairs:
            found = self.nodes(x, y)
            if found is not None:
                found.steps.append(key)
                return found
        if _kind(left) == "ordered_map" and _kind(right) == "ordered_map":
            return self._sequences([k for k, _ in left["v"]], [k for k, _ in right["v"]], left, right)
        return None

    def _pairing(self, a: list[Any], b: list[Any]) -> list[int] | None:
        """For each of `a` the position of its equal in `b`, each used once; None when there is no such pairing."""
        if len(a) != len(b):
            return None
        places: dict[str, list[int]] = {}
        for position, item in enumerate(b):
            places.setdefault(dump(item), []).append(position)
        pairing = [-1] * len(a)
        open_a: list[int] = []
        for position, item in enumerate(a):
            same = places.get(dump(item))
            if same:
                pairing[position] = same.pop()
            else:
                open_a.append(position)
        if not open_a:
            return pairing
        open_b = [position for rest in places.values() for position in rest]
        if len(open_a) > MAX_UNPAIRED or sum(_size(a[i]) for i in open_a) * len(open_b) > MAX_PAIRING_STEPS:
            return None
        return pairing if self._match(a, b, open_a, open_b, pairing) else None

    def _match(self, a: list[Any], b: list[Any], open_a: list[int], open_b: list[int], pairing: list[int]) -> bool:
        """Pair what is left by augmenting paths: closeness is not transitive, so the first fit may be wrong."""
        close = {i: [j for j in open_b if self.nodes(a[i], b[j]) is None] for i in open_a}
        taken: dict[int, int] = {}

        def place(i: int, tried: set[int]) -> bool:
            for j in close[i]:
                if j not in tried:
                    tried.add(j)
                    if j not in taken or place(taken[j], tried):
                        taken[j] = i
                        return True
            return False

        if not all(place(i, set()) for i in open_a):
            return False
        for j, i in taken.items():
            pairing[i] = j
        return True

    def _records(self, left: Any, right: Any) -> _Found | None:
        names, others = [name for name, _ in left["fields"]], [name for name, _ in right["fields"]]
        if names != others or left["name"] != right["name"]:
            return _Found([], "records differ in name or fields", left, right)
        for (name, x), (_, y) in zip(left["fields"], right["fields"], strict=True):
            found = self.nodes(x, y)
            if found is not None:
                found.steps.append(name)
                return found
        return None

    # Arrays, series, frames

    def _arrays(self, left: Any, right: Any) -> _Found | None:
        if left["shape"] != right["shape"]:
            return _Found([], f"shapes differ: expected {left['shape']}, got {right['shape']}", left, right)
        ours, theirs = _class_of(left["dtype"]), _class_of(right["dtype"])
        if ours != theirs:
            return _Found([], f"dtypes differ: expected {left['dtype']}, got {right['dtype']}", left, right)
        if left["dtype"][1] in "Mm" and left["dtype"] != right["dtype"]:
            return _Found([], f"units differ: expected {left['dtype']}, got {right['dtype']}", left, right)
        return self._cells(left["v"], right["v"], left, right)

    def _cells(self, a: list[Any], b: list[Any], left: Any, right: Any) -> _Found | None:
        # As numpy.allclose: an array of integers may be close to one of floats.
        return _Comparison(True, self._tolerance)._sequences(a, b, left, right)

    def _indexes(self, left: Any, right: Any) -> _Found | None:
        found = self._sequences(left["names"], right["names"], left["names"], right["names"])
        if found is not None:
            found.steps.append("names")
            return found
        a, b = _labels(left), _labels(right)
        if _column_class(left["dtype"]) != _column_class(right["dtype"]) and a:
            return _Found([], f"dtypes differ: expected {left['dtype']}, got {right['dtype']}", left, right)
        return self._cells(a, b, left, right)

    def _columns(self, a: list[Any], b: list[Any], dtypes: tuple[str, str], left: Any, right: Any) -> _Found | None:
        ours, theirs = (_column_class(dtype) for dtype in dtypes)
        if ours != theirs:
            return _Found([], f"dtypes differ: expected {dtypes[0]}, got {dtypes[1]}", left, right)
        return self._cells(a, b, left, right)

    def _series(self, left: Any, right: Any) -> _Found | None:
        for part in ("name", "index"):
            found = self.nodes(left[part], right[part])
            if found is not None:
                found.steps.append(part)
                return found
        return self._columns(left["v"], right["v"], (left["dtype"], right["dtype"]), left, right)

    def _frames(self, left: Any, right: Any) -> _Found | None:
        for part in ("columns", "index"):
            found = self.nodes(left[part], right[part])
            if found is not None:
                found.steps.append(part)
                return found
        for position, (a, b) in enumerate(zip(left["v"], right["v"], strict=True)):
            dtypes = (left["dtypes"][position], right["dtypes"][position])
            found = self._columns(a, b, dtypes, left, right)
            if found is not None:
                found.steps.append(position)
                return found
        return None


def _size(node: Any) -> int:
    """How many values a tree holds, roughly."""
    if type(node) is list:
        return 1 + sum(map(_size, node))
    return 1 + sum(map(_size, node.values())) if type(node) is dict else 1


def _items(node: Any) -> list[Any]:
    return node if type(node) is list else node["v"]


def _unwrapped(node: Any) -> Any:
    if _kind(node) != "scalar":
        return node
    if node["dtype"][1] in "Mm":
        return {TAG: "ndarray", "dtype": node["dtype"], "shape": [], "v": [node["v"]]}
    return node["v"]


def _parts(node: Any, kind: str) -> tuple[float, float]:
    if kind == "complex":
        real, imaginary = (_real(part) for part in node["v"])
        return real, imaginary
    if kind == "decimal":
        return float(decimal.Decimal(node["v"])), 0.0
    if kind == "fraction":
        return int(node["v"][0]) / int(node["v"][1]), 0.0
    return _widened(node, kind), 0.0


def _widened(node: Any, kind: str) -> float:
    return _real(node) if kind == "float" else float(_integer(node))


def _as_decimal(node: Any, kind: str) -> decimal.Decimal:
    if kind == "decimal":
        return decimal.Decimal(node["v"])
    if kind == "int":
        return decimal.Decimal(_integer(node))
    if kind == "fraction":
        with decimal.localcontext(decimal.Context(prec=60, traps=[])):
            return decimal.Decimal(int(node["v"][0])) / decimal.Decimal(int(node["v"][1]))
    return decimal.Decimal(_real(node))


def _class_of(dtype: str) -> str:
    """Dtypes of one class may hold equal arrays: the width of a number is not the answer."""
    letter = dtype[1]
    return "number" if letter in "iufc" else letter


def _column_class(dtype: str) -> str:
    name = dtype.lower().split("[")[0].rstrip("0123456789")
    if name in ("int", "uint", "float", "complex"):
        return "number"
    # pandas stores texts as objects or as strings, depending on its version and options.
    return {"str": "object", "string": "object", "boolean": "bool"}.get(name, name)


def _labels(node: Any) -> list[Any]:
    return list(range(*node["v"])) if node["class"] == "RangeIndex" else node["v"]
