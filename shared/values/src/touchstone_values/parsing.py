"""From text to a checked tree.

The tree is what JSON gives (dict, list, str, int, float, bool, None) with every tagged form proved
well formed, so that later steps need no checks of their own. Nothing here creates objects of other types.
"""

# JSON trees and foreign objects have no static types; `type(x) is dict` narrows to unknown parts.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportMissingTypeStubs=false, reportUnknownParameterType=false
# pyright: reportArgumentType=false
from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

from touchstone_values.errors import MalformedValueError
from touchstone_values.excerpts import excerpt
from touchstone_values.limits import MAX_DEPTH, MAX_INT_DIGITS, MAX_NODES, MAX_PLAIN_INT, MAX_TEXT

Tree = Any
Path = tuple[Any, ...]
"""Empty for the whole value, otherwise (path of the container, step in it): a step down costs the same at any depth."""

TAG = "$"
SEQUENCES = frozenset({"tuple", "deque"})
SETS = frozenset({"set", "frozenset"})
MAPS = frozenset({"map", "ordered_map", "counter", "default_map"})
FACTORIES = ("bool", "dict", "float", "int", "list", "set", "str", "tuple")

_DECIMAL_INT = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)
_DECIMAL = re.compile(r"-?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(E[+-]?[0-9]+)?|Infinity|s?NaN[0-9]*)", re.ASCII | re.IGNORECASE)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_TIME = r"[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?([+-][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{6})?)?)?"
_CLOCK = re.compile(_TIME, re.ASCII)
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T" + _TIME, re.ASCII)
_ZONE = re.compile(r"[A-Za-z0-9_+\-/]{1,64}", re.ASCII)
_ARRAY_TYPE = re.compile(
    r"(\|b1|[<|][iu][1248]|<f[248]|<c(8|16)|<U[0-9]{1,7}|\|S[0-9]{1,7}|<[mM]8(\[[0-9]{0,4}[a-zA-Z]{1,2}\])?|\|O)",
    re.ASCII,
)
_COLUMN_TYPE = re.compile(r"[A-Za-z0-9_]{1,20}(\[[A-Za-z0-9_+\-/:, ]{1,60}\])?", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# Characters of one key that a path shows.
_STEP, _LONGEST_PATH = 80, 120
_NAME = re.compile(r"[^\x00-\x1f]{1,200}")


def parse(text: str) -> Tree:
    """Read a text into a checked tree.

    Args:
        text: One JSON text.

    Returns:
        The JSON tree; every object with the key `$` is a well-formed tagged form.

    Raises:
        MalformedValueError: the text is not JSON, repeats a key, is too large or too deep, or breaks a form.
    """
    if len(text) > MAX_TEXT:
        raise MalformedValueError("$", f"text longer than {MAX_TEXT} characters")
    try:
        tree = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        raise MalformedValueError("$", "nesting too deep") from None
    except ValueError as error:
        raise MalformedValueError("$", f"not JSON: {str(error)[:200]}") from None
    # Surrogates can come in only as escapes (or raw, from a careless reader of bytes).
    surrogates = bool(_ESCAPED_SURROGATE.search(text) or _SURROGATE.search(text))
    _Checker(surrogates).check(tree)
    return tree


def path_text(path: Path) -> str:
    """Write a path as `$[0].name`, a long one without its middle: the words behind it shall be seen.

    Example:
        >>> path_text((((), 0), "name"))
        '$[0].name'
    """
    steps: list[str] = []
    while path:
        path, step = path
        steps.append(f"[{step}]" if type(step) is int else f".{step}"[:_STEP])
    text = "$" + "".join(reversed(steps))
    return text if len(text) <= _LONGEST_PATH else f"{text[:60]}…{text[-40:]}"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"key {key!r} occurs twice")
            seen.add(key)
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def is_name(text: str) -> bool:
    """Whether a record, or a field of one, may have this name."""
    return _NAME.fullmatch(text) is not None and _SURROGATE.search(text) is None


def _holds(node: Any, count: int) -> bool:
    return type(node) is list and len(node) == count


class _Checker:
    """Walks a tree once, with a stack of its own; `surrogates` says that strings must be looked into."""

    def __init__(self, surrogates: bool) -> None:
        self._surrogates = surrogates
        self._nodes = 0
        self._open: list[tuple[Any, Path, int]] = []

    def check(self, tree: Any) -> None:
        """Prove the whole tree well formed."""
        self.later(tree, (), 1)
        while self._open:
            node, path, depth = self._open.pop()
            if type(node) is list:
                self.sequence_body(node, path, depth)
            else:
                self.object_body(node, path, depth)

    def later(self, node: Any, path: Path, depth: int) -> None:
        """Check a node: a container when its turn comes, so that no nesting is too deep for Python's stack."""
        kind = type(node)
        if kind is list or kind is dict:
            self._open.append((node, path, depth))
        elif kind is str:
            self.text(node, path)
        elif kind is int:
            if not -MAX_PLAIN_INT <= node <= MAX_PLAIN_INT:
                self.fail(path, "a plain integer beyond 2^53")
        elif kind is float and not math.isfinite(node):
            self.fail(path, "a plain number that is not finite")

    def sequence_body(self, node: list[Any], path: Path, depth: int) -> None:
        self.enter(len(node), path, depth)
        kinds = set(map(type, node))
        if kinds == {int}:
            if min(node) < -MAX_PLAIN_INT or max(node) > MAX_PLAIN_INT:
                self.fail(path, "a plain integer beyond 2^53")
        elif kinds == {float}:
            if not all(map(math.isfinite, node)):
                self.fail(path, "a plain number that is not finite")
        elif kinds == {str} and not self._surrogates:
            return
        else:
            for index, item in enumerate(node):
                self.later(item, (path, index), depth + 1)

    def object_body(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.enter(len(node), path, depth)
        if TAG in node:
            kind = node[TAG]
            form = _FORMS.get(kind) if type(kind) is str else None
            if form is None:
                self.fail(path, f"unknown kind {excerpt(kind, 40)}")
            form(self, node, path, depth)
            return
        for key, item in node.items():
            self.text(key, path)
            self.later(item, (path, key), depth + 1)

    def enter(self, children: int, path: Path, depth: int) -> None:
        if depth > MAX_DEPTH:
            self.fail(path, f"nesting deeper than {MAX_DEPTH}")
        self._nodes += children
        if self._nodes > MAX_NODES:
            self.fail(path, f"more than {MAX_NODES} values")

    def text(self, text: str, path: Path) -> None:
        if self._surrogates and _SURROGATE.search(text):
            self.fail(path, "a lone surrogate in plain text")

    def fail(self, path: Path, reason: str) -> NoReturn:
        raise MalformedValueError(path_text(path), reason)

    # Pieces of tagged forms

    def keys(self, node: dict[str, Any], path: Path, *keys: str) -> None:
        if node.keys() != {TAG, *keys}:
            self.fail(path, f"{node[TAG]} has the keys {excerpt(sorted(node))}, expected {sorted((TAG, *keys))}")

    def matches(self, value: Any, pattern: re.Pattern[str], path: Path, what: str, longest: int = 200) -> str:
        if type(value) is not str or len(value) > longest or pattern.fullmatch(value) is None:
            self.fail(path, f"not {what}")
        self.text(value, path)
        return value

    def array(self, value: Any, path: Path) -> list[Any]:
        if type(value) is not list:
            self.fail(path, "v is not an array")
        return value

    def items(self, value: Any, path: Path, depth: int) -> list[Any]:
        items = self.array(value, path)
        self.sequence_body(items, path, depth)
        return items

    def integer(self, value: Any, path: Path) -> int:
        if type(value) is not int or not -MAX_PLAIN_INT <= value <= MAX_PLAIN_INT:
            self.fail(path, "not a plain integer")
        return value

    def number(self, value: Any, path: Path) -> None:
        """A float: plain, or tagged when not finite."""
        if type(value) is dict and value.get(TAG) == "float":
            self.float_form(value, path, 1)
        elif type(value) is not float or not math.isfinite(value):
            self.fail(path, "not a float")

    # Forms

    def int_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v")
        self.decimal_int(node["v"], path)

    def decimal_int(self, value: Any, path: Path) -> None:
        """The decimal text of an integer, whose sign is no digit."""
        text = self.matches(value, _DECIMAL_INT, path, "an integer's decimal text", MAX_INT_DIGITS + 1)
        if len(text.lstrip("-")) > MAX_INT_DIGITS:
            self.fail(path, f"an integer of more than {MAX_INT_DIGITS} digits")

    def float_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v")
        if node["v"] not in ("nan", "inf", "-inf"):
            self.fail(path, "not nan, inf or -inf")

    def str_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v")
        units = self.array(node["v"], path)
        self.enter(len(units), path, depth)
        if units and (set(map(type, units)) != {int} or min(units) < 0 or max(units) > 0xFFFF):
            self.fail(path, "not UTF-16 code units")

    def sequence_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v")
        self.items(node["v"], path, depth)

    def deque_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v", "maxlen")
        items = self.items(node["v"], path, depth)
        if node["maxlen"] is not None and self.integer(node["maxlen"], path) < len(items):
            self.fail(path, "maxlen smaller than the content")

    def pairs(self, node: dict[str, Any], path: Path, depth: int) -> None:
        pairs = self.array(node["v"], path)
        self.enter(len(pairs), path, depth)
        for index, pair in enumerate(pairs):
            if type(pair) is not list or len(pair) != 2:
                self.fail((path, index), "not a pair of key and value")
            self.sequence_body(pair, (path, index), depth)

    def map_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v")
        self.pairs(node, path, depth)

    def default_map_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v", "factory")
        if node["factory"] is not None and node["factory"] not in FACTORIES:
            self.fail(path, "unknown factory")
        self.pairs(node, path, depth)

    def bytes_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v")
        if type(node["v"]) is not str:
            self.fail(path, "not base64")
        try:
            base64.b64decode(node["v"], validate=True)
        except (binascii.Error, ValueError):
            self.fail(path, "not base64")

    def complex_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v")
        parts = self.array(node["v"], path)
        if len(parts) != 2:
            self.fail(path, "not two parts")
        for part in parts:
            self.number(part, path)

    def decimal_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v")
        text = self.matches(node["v"], _DECIMAL, path, "a decimal's text", MAX_INT_DIGITS)
        exponent = re.search(r"[eE]([+-]?[0-9]+)$", text)
        if exponent is not None and abs(int(exponent[1])) > 10**6:
            self.fail(path, "an exponent beyond a million")

    def fraction_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v")
        parts = self.array(node["v"], path)
        if len(parts) != 2:
            self.fail(path, "not numerator and denominator")
        for part in parts:
            self.decimal_int(part, path)
        if parts[1].startswith("-") or parts[1] == "0":
            self.fail(path, "denominator is not positive")

    def date_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v")
        self.matches(node["v"], _DATE, path, "a date")

    def time_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v", "zone", "fold")
        self.matches(node["v"], _MOMENT if node[TAG] != "time" else _CLOCK, path, "an ISO 8601 text")
        if node["zone"] is not None:
            self.matches(node["zone"], _ZONE, path, "a zone name")
        if node["fold"] not in (0, 1) or type(node["fold"]) is not int:
            self.fail(path, "fold is not 0 or 1")

    def timedelta_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v")
        parts = self.array(node["v"], path)
        if len(parts) != 3:
            self.fail(path, "not days, seconds, microseconds")
        for part in parts:
            self.integer(part, path)

    def path_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v", "pure")
        if type(node["v"]) is not str or "\0" in node["v"] or type(node["pure"]) is not bool:
            self.fail(path, "not a path")
        self.text(node["v"], path)

    def range_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v")
        parts = self.array(node["v"], path)
        if len(parts) != 3:
            self.fail(path, "not start, stop, step")
        for part in parts:
            self.integer(part, path)
        if parts[2] == 0:
            self.fail(path, "a range with step 0")

    def record_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "name", "fields")
        self.matches(node["name"], _NAME, path, "a name")
        fields = self.array(node["fields"], path)
        self.enter(len(fields), path, depth)
        names: set[str] = set()
        for field in fields:
            if type(field) is not list or len(field) != 2:
                self.fail(path, "not a pair of name and value")
            name = self.matches(field[0], _NAME, path, "a name")
            if name in names:
                self.fail(path, f"field {name!r} occurs twice")
            names.add(name)
            self.text(name, path)
            self.later(field[1], (path, name), depth + 1)

    # Forms of numpy and pandas

    def ndarray_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "dtype", "shape", "v")
        self.matches(node["dtype"], _ARRAY_TYPE, path, "an array's dtype")
        shape = self.array(node["shape"], path)
        if len(shape) > 32 or any(type(n) is not int or not 0 <= n <= MAX_PLAIN_INT for n in shape):
            self.fail(path, "not a shape")
        items = self.items(node["v"], path, depth)
        if math.prod(shape) != len(items):
            self.fail(path, f"shape {shape} does not hold {len(items)} values")
        self.cells(node["dtype"], items, path)

    def scalar_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "dtype", "v")
        self.matches(node["dtype"], _ARRAY_TYPE, path, "an array's dtype")
        self.later(node["v"], path, depth + 1)
        self.cells(node["dtype"], [node["v"]], path)

    def cells(self, dtype: str, items: list[Any], path: Path) -> None:
        allowed = _CELLS[dtype[1]]
        for item in items:
            if allowed is not None and (item.get(TAG) if type(item) is dict else type(item).__name__) not in allowed:
                self.fail(path, f"a value that {dtype} does not hold")

    def column_type(self, dtype: Any, path: Path) -> None:
        self.matches(dtype, _COLUMN_TYPE, path, "a column's dtype")

    def index_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "class", "dtype", "names", "v")
        self.matches(node["class"], _NAME, path, "a class name")
        self.column_type(node["dtype"], path)
        names = self.items(node["names"], path, depth)
        if not names or len(names) > 64:
            self.fail(path, "an index needs its names")
        items = self.items(node["v"], path, depth)
        if node["class"] == "RangeIndex":
            self.range_form({TAG: "range", "v": items}, path, depth)
        if node["class"] == "MultiIndex" and any(
            type(item) is not dict or item.get(TAG) != "tuple" or not _holds(item.get("v"), len(names))
            for item in items
        ):
            self.fail(path, "a MultiIndex holds tuples of its levels")

    def labels(self, node: Any, path: Path, depth: int) -> int:
        if type(node) is not dict or node.get(TAG) != "index":
            self.fail(path, "not an index")
        self.object_body(node, path, depth + 1)
        return len(range(*node["v"])) if node["class"] == "RangeIndex" else len(node["v"])

    def series_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "name", "dtype", "index", "v")
        self.column_type(node["dtype"], path)
        self.later(node["name"], (path, "name"), depth + 1)
        rows = self.labels(node["index"], (path, "index"), depth)
        if len(self.items(node["v"], path, depth)) != rows:
            self.fail(path, "index and values differ in length")

    def frame_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "columns", "dtypes", "index", "v")
        rows = self.labels(node["index"], (path, "index"), depth)
        width = self.labels(node["columns"], (path, "columns"), depth)
        columns, dtypes = self.array(node["v"], path), self.array(node["dtypes"], path)
        if not len(columns) == len(dtypes) == width:
            self.fail(path, "columns, dtypes and values differ in length")
        for dtype, column in zip(dtypes, columns, strict=True):
            self.column_type(dtype, path)
            if len(self.items(column, path, depth)) != rows:
                self.fail(path, "index and values differ in length")

    def count_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path, "v")
        self.later(node["v"], path, depth + 1)
        if type(node["v"]) is not int and (type(node["v"]) is not dict or node["v"].get(TAG) != "int"):
            self.fail(path, "not a count of nanoseconds")

    def mark_form(self, node: dict[str, Any], path: Path, depth: int) -> None:
        self.keys(node, path)


_CELLS: dict[str, frozenset[str] | None] = {
    "b": frozenset({"bool"}),
    "i": frozenset({"int"}),
    "u": frozenset({"int"}),
    "f": frozenset({"float"}),
    "c": frozenset({"complex"}),
    "U": frozenset({"str"}),
    "S": frozenset({"bytes"}),
    # Counts since the epoch in the dtype's unit; null is NaT.
    "M": frozenset({"int", "NoneType"}),
    "m": frozenset({"int", "NoneType"}),
    "O": None,
}

_Form = Callable[[_Checker, dict[str, Any], Path, int], None]
_FORMS: dict[str, _Form] = {
    "int": _Checker.int_form,
    "float": _Checker.float_form,
    "str": _Checker.str_form,
    "tuple": _Checker.sequence_form,
    "deque": _Checker.deque_form,
    "set": _Checker.sequence_form,
    "frozenset": _Checker.sequence_form,
    "bytes": _Checker.bytes_form,
    "bytearray": _Checker.bytes_form,
    "map": _Checker.map_form,
    "ordered_map": _Checker.map_form,
    "counter": _Checker.map_form,
    "default_map": _Checker.default_map_form,
    "complex": _Checker.complex_form,
    "decimal": _Checker.decimal_form,
    "fraction": _Checker.fraction_form,
    "date": _Checker.date_form,
    "datetime": _Checker.time_form,
    "time": _Checker.time_form,
    "timestamp": _Checker.time_form,
    "timedelta": _Checker.timedelta_form,
    "path": _Checker.path_form,
    "range": _Checker.range_form,
    "record": _Checker.record_form,
    "ndarray": _Checker.ndarray_form,
    "scalar": _Checker.scalar_form,
    "index": _Checker.index_form,
    "series": _Checker.series_form,
    "frame": _Checker.frame_form,
    "pandas_timedelta": _Checker.count_form,
    "nat": _Checker.mark_form,
    "na": _Checker.mark_form,
}
KINDS = frozenset(_FORMS)
