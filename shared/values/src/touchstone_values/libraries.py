"""numpy and pandas objects; imported only once a program has loaded numpy itself."""

# Readers and writers share one signature.
# ruff: noqa: ARG005
# JSON trees and foreign objects have no static types; `type(x) is dict` narrows to unknown parts.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportMissingTypeStubs=false, reportUnknownParameterType=false
# pyright: reportArgumentType=false
from __future__ import annotations

import importlib
import math
import re
from typing import Any

from touchstone_values.encoding import Encoder, Writer, clock, type_name
from touchstone_values.errors import UnportableError
from touchstone_values.limits import MAX_TEXT
from touchstone_values.parsing import TAG, Path, path_text

_INDEXES = ("Index", "RangeIndex", "MultiIndex", "DatetimeIndex", "TimedeltaIndex")
_PLAIN_KINDS = frozenset("biufcUSMmO")
# Column types whose values come back from their plain items.
COLUMN_TYPES = re.compile(
    r"bool|boolean|object|str|string|u?int(8|16|32|64)|U?Int(8|16|32|64)|float(16|32|64)|Float(32|64)|complex(64|128)"
    r"|datetime64\[(s|ms|us|ns)(, [A-Za-z0-9_+\-/]{1,40}(:\d\d)?)?\]|timedelta64\[(s|ms|us|ns)\]",
    re.ASCII,
)


def writer_of(kind: type, numpy: Any, pandas: Any) -> Writer | None:
    """The writer for exactly this type, or None."""
    if kind is numpy.ndarray:
        return _ndarray
    if issubclass(kind, numpy.generic) and kind.__module__ == "numpy":
        return _scalar
    if pandas is None or not hasattr(pandas, "DataFrame"):
        return None
    if kind is pandas.Series:
        return _series
    if kind is pandas.DataFrame:
        return _frame
    if any(kind is getattr(pandas, name) for name in _INDEXES):
        return _index
    if kind is pandas.Timestamp:
        return lambda encoder, value, path, depth: clock("timestamp", value, path)
    if kind is pandas.Timedelta:
        return _timedelta
    if kind is type(pandas.NaT):
        return lambda encoder, value, path, depth: {TAG: "nat"}
    if kind is type(pandas.NA):
        return lambda encoder, value, path, depth: {TAG: "na"}
    return None


def _load(name: str) -> Any:
    """Import by name: the codec itself depends on no library, only values that hold one's objects do."""
    return importlib.import_module(name)


def _timedelta(encoder: Encoder, value: Any, path: Path, depth: int) -> Any:
    return {TAG: "pandas_timedelta", "v": encoder.node(int(value.as_unit("ns").value), path, depth + 1)}


def _array_type(dtype: Any, path: Path) -> str:
    text = dtype.newbyteorder("<").str
    if dtype.kind not in _PLAIN_KINDS or dtype.names is not None or (dtype.kind in "fc" and dtype.itemsize > 16):
        raise UnportableError(path_text(path), f"an array of dtype {dtype}")
    if text in ("<f16", "<c32"):
        raise UnportableError(path_text(path), f"an array of dtype {dtype}")
    return str(text)


def _cells(encoder: Encoder, flat: Any, path: Path, depth: int) -> list[Any]:
    if flat.dtype.kind in "Mm":
        counts: list[int] = flat.view("i8").tolist()
        lowest = -(2**63)
        return [None if count == lowest else encoder.node(count, path, depth + 1) for count in counts]
    return encoder.items(flat.tolist(), path, depth)


def _ndarray(encoder: Encoder, value: Any, path: Path, depth: int) -> Any:
    dtype = _array_type(value.dtype, path)
    native = value.astype(value.dtype.newbyteorder("="), copy=False)
    return {
        TAG: "ndarray",
        "dtype": dtype,
        "shape": list(value.shape),
        "v": _cells(encoder, native.ravel(), path, depth),
    }


def _scalar(encoder: Encoder, value: Any, path: Path, depth: int) -> Any:
    dtype = _array_type(value.dtype, path)
    (cell,) = _cells(encoder, value.reshape(1), path, depth)
    return {TAG: "scalar", "dtype": dtype, "v": cell}


def _column_type(dtype: Any, path: Path) -> str:
    text = str(dtype)
    if COLUMN_TYPES.fullmatch(text) is None:
        raise UnportableError(path_text(path), f"a column of dtype {text[:80]}")
    return text


def _items(encoder: Encoder, values: Any, path: Path, depth: int) -> list[Any]:
    items: list[Any] = values.tolist()
    if values.dtype == "str" or values.dtype == "string":
        # A missing text is NaN or NA, whatever stands for it inside.
        return [encoder.node(item, (path, i), depth + 1) for i, item in enumerate(items)]
    return encoder.items(items, path, depth)


def _index(encoder: Encoder, value: Any, path: Path, depth: int) -> Any:
    kind = type(value).__name__
    names = encoder.items(list(value.names), path, depth + 1)
    if kind == "RangeIndex":
        dtype, items = "int64", [value.start, value.stop, value.step]
    elif kind == "MultiIndex":
        dtype, items = "object", encoder.items(value.tolist(), path, depth + 1)
    elif kind in _INDEXES:
        dtype, items = _column_type(value.dtype, path), _items(encoder, value, path, depth + 1)
    else:
        raise UnportableError(path_text(path), type_name(type(value)))
    return {TAG: "index", "class": kind, "dtype": dtype, "names": names, "v": items}


def _series(encoder: Encoder, value: Any, path: Path, depth: int) -> Any:
    return {
        TAG: "series",
        "name": encoder.node(value.name, (path, "name"), depth + 1),
        "dtype": _column_type(value.dtype, path),
        "index": encoder.node(value.index, (path, "index"), depth + 1),
        "v": _items(encoder, value, path, depth + 1),
    }


def _frame(encoder: Encoder, value: Any, path: Path, depth: int) -> Any:
    columns = [value.iloc[:, position] for position in range(value.shape[1])]
    return {
        TAG: "frame",
        "columns": encoder.node(value.columns, (path, "columns"), depth + 1),
        "dtypes": [_column_type(column.dtype, path) for column in columns],
        "index": encoder.node(value.index, (path, "index"), depth + 1),
        "v": [_items(encoder, column, (path, i), depth + 1) for i, column in enumerate(columns)],
    }


def read_array(node: dict[str, Any], items: list[Any]) -> Any:
    """Build an array, or a scalar, from its checked tree and its decoded items."""
    np = _load("numpy")

    dtype = np.dtype(node["dtype"])
    if dtype.kind in "Mm":
        items = [-(2**63) if item is None else item for item in items]
        flat = np.array(items, dtype="i8").view(dtype)
    elif dtype.kind == "O":
        flat = np.empty(len(items), dtype=object)
        for position, item in enumerate(items):
            flat[position] = item
    elif dtype.itemsize * len(items) > MAX_TEXT * 4:
        raise ValueError(f"an array of {dtype.itemsize * len(items)} bytes")
    else:
        flat = np.array(items, dtype=dtype)
    if node[TAG] == "scalar":
        return flat[0]
    return flat.reshape(node["shape"])


def read_index(node: dict[str, Any], items: list[Any], names: list[Any]) -> Any:
    """Build an index from its checked tree and its decoded parts."""
    pd = _load("pandas")

    if node["class"] == "RangeIndex":
        return pd.RangeIndex(*items, name=names[0])
    if node["class"] == "MultiIndex":
        return pd.MultiIndex.from_tuples(items, names=names)
    return pd.Index(_column(items, node["dtype"]), dtype=node["dtype"], name=names[0])


def read_series(items: list[Any], dtype: str, index: Any, name: Any) -> Any:
    """Build a series from its decoded parts."""
    pd = _load("pandas")

    return pd.Series(_column(items, dtype), dtype=dtype, index=index, name=name)


def read_frame(columns: list[list[Any]], dtypes: list[str], index: Any, labels: Any) -> Any:
    """Build a frame from its decoded parts; labels may repeat, so columns are joined by position."""
    pd = _load("pandas")

    # Without its type said again, a column of objects becomes one of what is in it.
    parts = enumerate(zip(columns, dtypes, strict=True))
    data = {i: pd.Series(_column(items, dtype), dtype=dtype, index=index) for i, (items, dtype) in parts}
    frame = pd.DataFrame(data, index=index)
    frame.columns = labels
    return frame


def _column(items: list[Any], dtype: str) -> Any:
    np, pd = _load("numpy"), _load("pandas")

    if dtype == "object":
        cells = np.empty(len(items), dtype=object)
        for position, item in enumerate(items):
            cells[position] = item
        return cells
    if dtype in ("str", "string"):
        return pd.array([None if _is_missing(item) else item for item in items], dtype=dtype)
    return pd.array(items, dtype=dtype)


def _is_missing(item: Any) -> bool:
    return not isinstance(item, str) and (item is None or type(item).__name__ == "NAType" or math.isnan(item))
