"""From text to objects: the inverse of encoding."""

# Readers and writers share one signature.
# ruff: noqa: ARG001
# JSON trees and foreign objects have no static types; `type(x) is dict` narrows to unknown parts.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportMissingTypeStubs=false, reportUnknownParameterType=false
# pyright: reportArgumentType=false
from __future__ import annotations

import base64
import builtins
import collections
import datetime
import decimal
import fractions
import importlib
import pathlib
import zoneinfo
from collections.abc import Callable
from typing import Any

from touchstone_values.errors import MalformedValueError
from touchstone_values.parsing import TAG, parse
from touchstone_values.record import Record

Node = dict[str, Any]


def decode(text: str) -> Any:
    """Build the value that a text describes; numpy and pandas are loaded when it holds theirs.

    Raises:
        MalformedValueError: the text is not in the portable form.

    Example:
        >>> decode('{"$":"tuple","v":[1,{"$":"float","v":"inf"}]}')
        (1, inf)
    """
    return build(parse(text))


def build(tree: Any) -> Any:
    """Build the value of a checked tree.

    Raises:
        MalformedValueError: the tree describes something that cannot exist, such as a list in a set.
    """
    try:
        return _build(tree)
    except (TypeError, ValueError, ArithmeticError, LookupError, MemoryError, RecursionError, OSError) as error:
        # OSError: a zone's name that is a folder of the zone database. The zone's own error is a LookupError.
        raise MalformedValueError("$", f"no such value: {str(error)[:200]}") from None


def _build(node: Any) -> Any:
    kind = type(node)
    if kind is list:
        return [_build(item) for item in node]
    if kind is dict:
        if TAG in node:
            return _READERS[node[TAG]](node)
        return {key: _build(item) for key, item in node.items()}
    return node


def _text(node: Node) -> str:
    raw = b"".join(unit.to_bytes(2, "little") for unit in node["v"])
    return raw.decode("utf-16-le", "surrogatepass")


def _pairs(node: Node) -> dict[Any, Any]:
    found = {_build(key): _build(item) for key, item in node["v"]}
    if len(found) != len(node["v"]):
        raise ValueError("a key occurs twice")
    return found


def _default_map(node: Node) -> Any:
    factory = None if node["factory"] is None else getattr(builtins, node["factory"])
    return collections.defaultdict(factory, _pairs(node))


def _set_of(kind: type) -> Callable[[Node], Any]:
    def read(node: Node) -> Any:
        found = kind(_build(item) for item in node["v"])
        if len(found) != len(node["v"]):
            raise ValueError("an element occurs twice")
        return found

    return read


def _timestamp(node: Node) -> Any:
    pd = importlib.import_module("pandas")
    moment = pd.Timestamp(node["v"])
    return moment if node["zone"] is None else moment.tz_convert(zoneinfo.ZoneInfo(node["zone"]))


def _pandas_timedelta(node: Node) -> Any:
    pd = importlib.import_module("pandas")
    return pd.Timedelta(_build(node["v"]), unit="ns")


def _in_zone(node: Node, moment: Any) -> Any:
    if node["zone"] is not None:
        moment = moment.replace(tzinfo=zoneinfo.ZoneInfo(node["zone"]))
    return moment.replace(fold=node["fold"])


def _array(node: Node) -> Any:
    from touchstone_values.libraries import read_array

    return read_array(node, [_build(item) for item in (node["v"] if node[TAG] == "ndarray" else [node["v"]])])


def _index(node: Node) -> Any:
    from touchstone_values.libraries import read_index

    return read_index(node, [_build(item) for item in node["v"]], [_build(name) for name in node["names"]])


def _series(node: Node) -> Any:
    from touchstone_values.libraries import read_series

    return read_series([_build(i) for i in node["v"]], node["dtype"], _build(node["index"]), _build(node["name"]))


def _frame(node: Node) -> Any:
    from touchstone_values.libraries import read_frame

    columns = [[_build(item) for item in column] for column in node["v"]]
    return read_frame(columns, node["dtypes"], _build(node["index"]), _build(node["columns"]))


def _missing(name: str) -> Callable[[Node], Any]:
    def read(node: Node) -> Any:
        pd = importlib.import_module("pandas")
        return getattr(pd, name)

    return read


_READERS: dict[str, Callable[[Node], Any]] = {
    "int": lambda node: int(node["v"]),
    "float": lambda node: float(node["v"]),
    "str": _text,
    "tuple": lambda node: tuple(_build(item) for item in node["v"]),
    "deque": lambda node: collections.deque((_build(item) for item in node["v"]), node["maxlen"]),
    "set": _set_of(set),
    "frozenset": _set_of(frozenset),
    "bytes": lambda node: base64.b64decode(node["v"]),
    "bytearray": lambda node: bytearray(base64.b64decode(node["v"])),
    "map": _pairs,
    "ordered_map": lambda node: collections.OrderedDict(_pairs(node)),
    "counter": lambda node: collections.Counter(_pairs(node)),
    "default_map": _default_map,
    "complex": lambda node: complex(*(_build(part) for part in node["v"])),
    "decimal": lambda node: decimal.Decimal(node["v"]),
    "fraction": lambda node: fractions.Fraction(*(int(part) for part in node["v"])),
    "date": lambda node: datetime.date.fromisoformat(node["v"]),
    "datetime": lambda node: _in_zone(node, datetime.datetime.fromisoformat(node["v"])),
    "time": lambda node: _in_zone(node, datetime.time.fromisoformat(node["v"])),
    "timestamp": _timestamp,
    "timedelta": lambda node: datetime.timedelta(*node["v"]),
    "path": lambda node: (pathlib.PurePosixPath if node["pure"] else pathlib.PosixPath)(node["v"]),
    "range": lambda node: range(*node["v"]),
    "record": lambda node: Record(node["name"], tuple((name, _build(item)) for name, item in node["fields"])),
    "ndarray": _array,
    "scalar": _array,
    "index": _index,
    "series": _series,
    "frame": _frame,
    "pandas_timedelta": _pandas_timedelta,
    "nat": _missing("NaT"),
    "na": _missing("NA"),
}
