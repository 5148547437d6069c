"""The one comparator: two values in, the first difference out.

It works on checked trees, never on objects, so nothing that a candidate defined takes part; it keeps its own stack, so
no depth of nesting breaks it; and what it costs grows with the sizes of both sides. What counts as equal is written in
`docs/values.md`.
"""

# JSON trees and foreign objects have no static types; `type(x) is dict` narrows to unknown parts.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportMissingTypeStubs=false, reportUnknownParameterType=false
# pyright: reportArgumentType=false
from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from touchstone_values.closeness import NUMBERS, meets, number_of
from touchstone_values.encoding import tree_of
from touchstone_values.errors import MalformedValueError, UnportableError
from touchstone_values.excerpts import SHOWN, excerpt
from touchstone_values.moments import CLOCKS, clock_text, counted
from touchstone_values.pairing import Budget, Pairing, PairingError, kind_of, text_of, unwrapped
from touchstone_values.parsing import MAPS, SEQUENCES, SETS, TAG, Path, parse, path_text

Mode = Literal["portable", "exact"]
Step = str | int

_WRITTEN = frozenset({"date", "timedelta", "pandas_timedelta", "path", "nat", "na"})
_SIMPLE = frozenset({int, str, bool})


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
        mode: `portable` takes any sequence kind for another and 1.0 for 1; `exact` wants equal kinds.
        tolerance: Largest absolute error, and largest error relative to it, of an expected float. An expected
            integer, decimal or fraction is met by that number only.

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
        return Difference(error.path, f"malformed: {error.reason}", excerpt(left), actual[:SHOWN])
    return compare_trees(left, right, mode, tolerance)


def compare_values(expected: object, actual: object, mode: Mode, tolerance: float = 1e-6) -> Difference | None:
    """Compare two Python values by the same rules as their texts; otherwise as `compare`.

    A value without a portable form differs from every other.

    Raises:
        UnportableError: `expected` has no portable form.

    Example:
        >>> compare_values([1, 2.0], (1, 2.0000001), "portable") is None
        True
        >>> compare_values(4, 4.5, "portable").reason
        'numbers differ'
    """
    kind = type(expected)
    if kind is type(actual) and kind in _SIMPLE and expected == actual:
        return None
    left = tree_of(expected)
    try:
        right = tree_of(actual)
    except UnportableError as error:
        return Difference(error.path, f"{error.type_name} has no portable form", excerpt(left), "")
    return compare_trees(left, right, mode, tolerance)


def compare_trees(expected: Any, actual: Any, mode: Mode, tolerance: float = 1e-6) -> Difference | None:
    """Compare two checked trees (see `parse` and `tree_of`); otherwise as `compare`."""
    try:
        found = _Comparison(expected, actual, tolerance).first(expected, actual, mode == "portable")
    except PairingError as error:
        return Difference("$", str(error), excerpt(expected), excerpt(actual))
    if found is None:
        return None
    path: Path = ()
    for step in found.steps:
        path = (path, step)
    return Difference(path_text(path), found.reason, excerpt(found.expected), excerpt(found.actual))


@dataclass
class _Found:
    reason: str
    expected: Any
    actual: Any
    steps: tuple[Step, ...] = ()


# Where two children sit, the expected one, the actual one, and whether kinds may differ as languages do.
_Child = tuple[Step, Any, Any, bool]


class _Comparison:
    """One comparison: walks both trees side by side, depth first."""

    def __init__(self, expected: Any, actual: Any, tolerance: float) -> None:
        self._roots = expected, actual
        self._tolerance = tolerance
        self._budget: Budget | None = None

    def first(self, left: Any, right: Any, portable: bool) -> _Found | None:
        """The first difference of two trees."""
        levels: list[Iterator[_Child]] = [iter([("", left, right, portable)])]
        steps: list[Step] = []
        while levels:
            child = next(levels[-1], None)
            if child is None:
                levels.pop()
                if steps:
                    steps.pop()
                continue
            step, x, y, loose = child
            found = self._look(x, y, loose)
            if found is None:
                continue
            if isinstance(found, _Found):
                found.steps = (*steps[1:], step, *found.steps) if steps else found.steps
                return found
            levels.append(found)
            steps.append(step)
        return None

    def _look(self, left: Any, right: Any, portable: bool) -> _Found | Iterator[_Child] | None:
        """Compare two nodes without their children, which are given back to be compared."""
        left, right = unwrapped(left), unwrapped(right)
        kind, other = kind_of(left), kind_of(right)
        if kind in NUMBERS and other in NUMBERS:
            if kind != other and not portable:
                return _kinds(left, right, kind, other)
            same = meets(number_of(left, kind), number_of(right, other), self._tolerance)
            return None if same else _Found("numbers differ", left, right)
        if portable and kind != other and "record" in (kind, other):
            # A pair is a tuple in one language and a record in another: fields count by order, or by name.
            left, right = _by_fields(left, other), _by_fields(right, kind)
            kind, other = kind_of(left), kind_of(right)
        if kind == "list" or kind in SEQUENCES:
            if other != kind and not (portable and (other == "list" or other in SEQUENCES)):
                return _kinds(left, right, kind, other)
            return _sequences(_items(left), _items(right), left, right, portable)
        if kind in SETS:
            if other != kind and not (portable and other in SETS):
                return _kinds(left, right, kind, other)
            if len(left["v"]) != len(right["v"]):
                return _Found(f"sizes differ: expected {len(left['v'])}, got {len(right['v'])}", left, right)
            found = self._pairing(portable).find(left["v"], right["v"])
            if found is None:
                return _Found("elements differ", left, right)
            return (("element", left["v"][i], right["v"][found.places[i]], portable) for i in found.unseen)
        if kind in MAPS:
            if other != kind and not (portable and other in MAPS):
                return _kinds(left, right, kind, other)
            return self._maps(left, right, portable)
        if kind != other:
            return _kinds(left, right, kind, other)
        return self._same_kind(left, right, kind, portable)

    def _same_kind(self, left: Any, right: Any, kind: str, portable: bool) -> _Found | Iterator[_Child] | None:
        if kind == "null":
            return None
        if kind == "text":
            return None if text_of(left) == text_of(right) else _Found("texts differ", left, right)
        if kind == "bool":
            return None if left is right else _Found("booleans differ", left, right)
        if kind in ("bytes", "bytearray"):
            same = base64.b64decode(left["v"]) == base64.b64decode(right["v"])
            return None if same else _Found("bytes differ", left, right)
        if kind == "range":
            same = range(*left["v"]) == range(*right["v"])
            return None if same else _Found("ranges differ", left, right)
        if kind in _WRITTEN or kind in CLOCKS:
            same = clock_text(left) == clock_text(right) if kind in CLOCKS else left == right
            return None if same else _Found(f"values of kind {kind} differ", left, right)
        if kind == "record":
            return _records(left, right, portable)
        if kind == "ndarray":
            return _arrays(left, right, portable)
        if kind == "index":
            return _indexes(left, right, portable)
        if kind == "series":
            return _series(left, right, portable)
        return _frames(left, right, portable)

    def _pairing(self, portable: bool) -> Pairing:
        if self._budget is None:
            self._budget = Budget(*self._roots)
        return Pairing(portable, self._tolerance, lambda x, y: self.first(x, y, portable) is None, self._budget)

    def _maps(self, left: Any, right: Any, portable: bool) -> _Found | Iterator[_Child] | None:
        if TAG not in left and TAG not in right:
            if len(left) != len(right):
                return _Found(f"sizes differ: expected {len(left)}, got {len(right)}", left, right)
            missing = next((key for key in left if key not in right), None)
            if missing is not None:
                return _Found("keys differ", missing, next(key for key in right if key not in left))
            return ((key, item, right[key], portable) for key, item in left.items())
        (keys, items), (other_keys, other_items) = _parts(left), _parts(right)
        if kind_of(left) == kind_of(right) == "ordered_map":
            found = self.first(keys, other_keys, portable)
            return found or (
                (excerpt(key), *both, portable) for key, *both in zip(keys, items, other_items, strict=True)
            )
        partners = self._pairing(portable).find(keys, other_keys)
        if partners is None:
            return _Found("keys differ", left, right)
        if partners.twins:
            # Their values tell who belongs to whom.
            entries, others = ([[*each] for each in zip(*side, strict=True)] for side in (_parts(left), _parts(right)))
            partners = self._pairing(portable).find(entries, others)
            if partners is None:
                return _Found("values of equal keys differ", left, right)
        unseen = (("key", keys[i], other_keys[partners.places[i]], portable) for i in partners.unseen)
        pairs = ((excerpt(key), items[i], other_items[partners.places[i]], portable) for i, key in enumerate(keys))
        return chain(unseen, pairs)


def _kinds(left: Any, right: Any, kind: str, other: str) -> _Found:
    return _Found(f"kinds differ: expected {kind}, got {other}", left, right)


def _sequences(
    a: Sequence[Any], b: Sequence[Any], left: Any, right: Any, portable: bool
) -> _Found | Iterator[_Child] | None:
    if len(a) != len(b):
        return _Found(f"lengths differ: expected {len(a)}, got {len(b)}", left, right)
    kinds = set(map(type, a))
    if len(kinds) == 1 and kinds <= _SIMPLE and kinds == set(map(type, b)) and list(a) == list(b):
        return None
    return _children(a, b, portable)


def _children(a: Iterable[Any], b: Iterable[Any], portable: bool) -> Iterator[_Child]:
    return ((index, x, y, portable) for index, (x, y) in enumerate(zip(a, b, strict=True)))


def _items(node: Any) -> list[Any]:
    return node if type(node) is list else node["v"]


def _parts(node: Any) -> tuple[list[Any], list[Any]]:
    """Keys and items of a map, however it is written."""
    pairs = node["v"] if TAG in node else node.items()
    return [key for key, _ in pairs], [item for _, item in pairs]


def _records(left: Any, right: Any, portable: bool) -> _Found | Iterator[_Child]:
    names = [name for name, _ in left["fields"]]
    if names != [name for name, _ in right["fields"]] or left["name"] != right["name"]:
        return _Found("records differ in name or fields", left, right)
    return ((name, x, y, portable) for (name, x), (_, y) in zip(left["fields"], right["fields"], strict=True))


def _by_fields(node: Any, other: str) -> Any:
    """A record as what it shall be compared with: its values in order, or a map of its fields."""
    if kind_of(node) != "record":
        return node
    if other == "list" or other in SEQUENCES:
        return [value for _, value in node["fields"]]
    return {TAG: "map", "v": node["fields"]} if other in MAPS else node


# Arrays, indexes, series, frames


def _arrays(left: Any, right: Any, portable: bool) -> _Found | Iterator[_Child] | None:
    if left["shape"] != right["shape"]:
        return _Found(f"shapes differ: expected {left['shape']}, got {right['shape']}", left, right)
    if _class_of(left["dtype"]) != _class_of(right["dtype"]):
        return _Found(f"dtypes differ: expected {left['dtype']}, got {right['dtype']}", left, right)
    if left["dtype"][1] in "Mm" and left["dtype"] != right["dtype"]:
        return _counts(left, right)
    # As numpy.allclose: a column of integers may hold what one of floats holds. Objects are values of their own.
    loose = portable or left["dtype"] != "|O"
    return _sequences(left["v"], right["v"], left, right, loose)


def _counts(left: Any, right: Any) -> _Found | None:
    """Compare two arrays of moments, or of spans, that count in different units."""
    pairs = zip(counted(left["dtype"], left["v"]), counted(right["dtype"], right["v"]), strict=True)
    place = next((place for place, (x, y) in enumerate(pairs) if x != y), None)
    if place is None:
        return None
    reason = f"counts differ: expected one of {left['dtype']}, got one of {right['dtype']}"
    return _Found(reason, left["v"][place], right["v"][place], (place,))


def _indexes(left: Any, right: Any, portable: bool) -> _Found | Iterator[_Child]:
    a, b = _labels(left), _labels(right)
    if len(a) != len(b):
        return _Found(f"lengths differ: expected {len(a)}, got {len(b)}", left, right)
    if a and _column_class(left["dtype"]) != _column_class(right["dtype"]):
        return _Found(f"dtypes differ: expected {left['dtype']}, got {right['dtype']}", left, right)
    names = ("names", left["names"], right["names"], portable)
    if type(a) is range and type(b) is range:
        return iter([names]) if a == b else iter([names, ("labels", left["v"], right["v"], True)])
    # The levels of a MultiIndex have types of their own, as arrays have: their labels are no objects.
    loose = portable or "MultiIndex" in (left["class"], right["class"]) or not _objects(left["dtype"], right["dtype"])
    return chain([names], _children(*_columns(a, b, left["dtype"], right["dtype"]), loose))


def _series(left: Any, right: Any, portable: bool) -> _Found | Iterator[_Child]:
    if _column_class(left["dtype"]) != _column_class(right["dtype"]):
        return _Found(f"dtypes differ: expected {left['dtype']}, got {right['dtype']}", left, right)
    if len(left["v"]) != len(right["v"]):
        return _Found(f"lengths differ: expected {len(left['v'])}, got {len(right['v'])}", left, right)
    parts = [(part, left[part], right[part], portable) for part in ("name", "index")]
    loose = portable or not _objects(left["dtype"], right["dtype"])
    return chain(parts, _children(*_columns(left["v"], right["v"], left["dtype"], right["dtype"]), loose))


def _frames(left: Any, right: Any, portable: bool) -> _Found | Iterator[_Child]:
    if len(left["dtypes"]) != len(right["dtypes"]):
        return _Found(f"widths differ: expected {len(left['dtypes'])}, got {len(right['dtypes'])}", left, right)
    for ours, theirs in zip(left["dtypes"], right["dtypes"], strict=True):
        if _column_class(ours) != _column_class(theirs):
            return _Found(f"dtypes differ: expected {left['dtypes']}, got {right['dtypes']}", left, right)
    parts = [(part, left[part], right[part], portable) for part in ("columns", "index")]
    rows = zip(left["v"], right["v"], left["dtypes"], right["dtypes"], strict=True)
    columns = (
        (place, *_columns(a, b, ours, theirs), portable or not _objects(ours, theirs))
        for place, (a, b, ours, theirs) in enumerate(rows)
    )
    return chain(parts, columns)


def _columns(a: Sequence[Any], b: Sequence[Any], dtype: str, other: str) -> tuple[Sequence[Any], Sequence[Any]]:
    """The cells of two columns: where their types differ, so do their marks of a missing value, which are one then."""
    if dtype == other or type(a) is range or type(b) is range:
        return a, b
    return [{TAG: "na"} if _is_missing(x) else x for x in a], [{TAG: "na"} if _is_missing(x) else x for x in b]


def _is_missing(node: Any) -> bool:
    kind = kind_of(node)
    return kind in ("null", "nat", "na") or (kind == "float" and math.isnan(number_of(node, kind)))


def _class_of(dtype: str) -> str:
    """Dtypes of one class may hold equal arrays: the width of a number is not the answer."""
    letter = dtype[1]
    return "number" if letter in "iufc" else letter


def _objects(dtype: str, other: str) -> bool:
    """Whether columns hold Python's own objects, whose kinds count."""
    return dtype == "object" and other == "object"


def _column_class(dtype: str) -> str:
    name = dtype.lower().split("[")[0].rstrip("0123456789")
    if name in ("int", "uint", "float", "complex"):
        return "number"
    # pandas stores texts as objects or as strings, depending on its version and options.
    return {"str": "object", "string": "object", "boolean": "bool"}.get(name, name)


def _labels(node: Any) -> Sequence[Any]:
    """The labels of an index; those of a stored range are never written out, as it may be endless for us."""
    return range(*node["v"]) if node["class"] == "RangeIndex" else node["v"]
