"""Show a value to a model: short, with type, shape and statistics where the whole would be too long.

Works on the portable JSON form (docs/values.md); nothing of a candidate becomes an object here.

Source: CoCoST, serialisation of inputs and outputs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, cast

from evaluator.domain.pictures import reduced

_ITEMS = 8
_ROWS = 5
_TEXT = 300
_DEPTH = 5
_TOTAL = 1500
_TOTAL_WITH_PICTURES = 6000
# How what runs behind a draft says that something is a picture, or a tensor.
PICTURE = "$picture"
TENSOR = "$tensor"


def describe(text: str) -> str:
    """Describe one portable value.

    Args:
        text: The value's JSON text, as the sandbox gives it.

    Returns:
        At most some 1,500 characters in Python's notation, 6,000 where there are pictures; arrays, frames and tensors
        with dtype, shape and statistics, pictures as SVG.

    Example:
        >>> describe('[1, {"$": "tuple", "v": [2.5, null]}]')
        '[1, (2.5, None)]'
    """
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return _cut(text, _TOTAL)
    return _cut(_show(value, 0), _TOTAL_WITH_PICTURES if f'"{PICTURE}"' in text else _TOTAL)


def shorten(text: str) -> str:
    """The plain form without serialisation: the JSON text, cut."""
    return _cut(text, _TEXT)


def _show(value: object, depth: int) -> str:
    match value:
        case None:
            return "None"
        case bool() | int():
            return str(value)
        case float():
            return repr(value)
        case str():
            return _text(value)
        case list():
            items = cast("list[object]", value)
            return f"[{_items(items, depth)}]{_count(items)}"
        case dict():
            node = cast("dict[str, Any]", value)
            if PICTURE in node and isinstance(node.get("svg"), str):
                return f"{_cut(str(node[PICTURE]), _TEXT)} as SVG:\n{reduced(node['svg'])}\n"
            if TENSOR in node and "array" in node:
                return f"{_cut(str(node[TENSOR]), _TEXT)} of {_show(node['array'], depth + 1)}"
            return _tagged(node, depth) if "$" in node else _map([(k, v) for k, v in node.items()], depth)
        case _:
            return _cut(str(value), _TEXT)


def _text(value: str) -> str:
    return repr(value) if len(value) <= _TEXT else f"{value[:_TEXT]!r}… (text of {len(value)} characters)"


def _items(items: list[object], depth: int) -> str:
    if depth >= _DEPTH and items:
        return "…"
    shown = [_show(item, depth + 1) for item in items[:_ITEMS]]
    return ", ".join([*shown, "…"] if len(items) > _ITEMS else shown)


def _count(items: list[object]) -> str:
    return f" (length {len(items)})" if len(items) > _ITEMS else ""


def _map(pairs: list[tuple[object, object]], depth: int) -> str:
    if depth >= _DEPTH and pairs:
        return f"{{…}} ({len(pairs)} keys)"
    shown = [f"{_show(key, depth + 1)}: {_show(item, depth + 1)}" for key, item in pairs[:_ITEMS]]
    more = f", …}} ({len(pairs)} keys)" if len(pairs) > _ITEMS else "}"
    return "{" + ", ".join(shown) + more


def _tagged(node: dict[str, Any], depth: int) -> str:
    try:
        shower = _KINDS.get(str(node["$"]))
        return shower(node, depth) if shower else _cut(json.dumps(node, ensure_ascii=False), _TEXT)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        # A malformed form is shown as it came: it is the candidate's, and the model may learn from it.
        return _cut(json.dumps(node, ensure_ascii=False), _TEXT)


def _plain(kind: str) -> Callable[[dict[str, Any], int], str]:
    return lambda node, depth: f"{kind}({_show(node['v'], depth + 1)})"


def _tuple(node: dict[str, Any], depth: int) -> str:
    items = list(node["v"])
    return f"({_items(items, depth)}{',' if len(items) == 1 else ''}){_count(items)}"


def _set(node: dict[str, Any], depth: int) -> str:
    items = list(node["v"])
    body = f"{{{_items(items, depth)}}}" if items else "set()"
    return (body if node["$"] == "set" else f"frozenset({body})") + _count(items)


def _pairs(node: dict[str, Any], depth: int) -> str:
    shown = _map([(key, item) for key, item in node["v"]], depth)
    return shown if node["$"] == "map" else f"{node['$']}({shown})"


def _record(node: dict[str, Any], depth: int) -> str:
    fields = [f"{name}={_show(item, depth + 1)}" for name, item in node["fields"][:_ITEMS]]
    return f"{node['name']}({', '.join(fields)})"


def _array(node: dict[str, Any], depth: int) -> str:
    cells, shape = list(node["v"]), [int(size) for size in node["shape"]]
    return (
        f"ndarray(dtype={node['dtype']}, shape={tuple(shape)}{_statistics(cells)}, "
        f"values=[{_items(cells, depth + 1)}]{_count(cells)})"
    )


def _index_labels(node: dict[str, Any], depth: int) -> str:
    items = list(node["v"])
    if node.get("class") == "RangeIndex":
        return f"range({', '.join(str(item) for item in items)})"
    return f"[{_items(items, depth + 1)}]{_count(items)}"


def _series(node: dict[str, Any], depth: int) -> str:
    cells = list(node["v"])
    return (
        f"Series(name={_show(node['name'], depth + 1)}, dtype={node['dtype']}, length={len(cells)}"
        f"{_statistics(cells)}, index={_index_labels(node['index'], depth)}, values=[{_items(cells, depth + 1)}])"
    )


def _frame(node: dict[str, Any], depth: int) -> str:
    columns, dtypes = [list(column) for column in node["v"]], list(node["dtypes"])
    labels = node["columns"]["v"] if node["columns"].get("class") != "RangeIndex" else range(len(columns))
    rows = len(columns[0]) if columns else 0
    described = [
        f"{_show(label, depth + 1)}: {dtype}{_statistics(column)}, "
        f"values=[{', '.join(_show(cell, depth + 2) for cell in column[:_ROWS])}{', …' if rows > _ROWS else ''}]"
        for label, dtype, column in list(zip(labels, dtypes, columns, strict=False))[:_ITEMS]
    ]
    more = "; …" if len(columns) > _ITEMS else ""
    return (
        f"DataFrame(shape=({rows}, {len(columns)}), index={_index_labels(node['index'], depth)}, "
        f"columns: {'; '.join(described)}{more})"
    )


def _statistics(cells: list[object]) -> str:
    """Minimum, maximum and mean of the numbers among the cells, and how many are missing."""
    numbers = [float(cell) for cell in cells if isinstance(cell, int | float) and not isinstance(cell, bool)]
    missing = sum(cell is None or _is_nan(cell) for cell in cells)
    finite = [number for number in numbers if math.isfinite(number)]
    told = f", missing={missing}" if missing else ""
    if len(finite) < 2:
        return told
    mean = math.fsum(number / len(finite) for number in finite)
    return f", min={min(finite):.6g}, max={max(finite):.6g}, mean={mean:.6g}{told}"


def _is_nan(cell: object) -> bool:
    return isinstance(cell, dict) and cast("dict[str, object]", cell) == {"$": "float", "v": "nan"}


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}… ({len(text)} characters)"


_KINDS: dict[str, Callable[[dict[str, Any], int], str]] = {
    "int": lambda node, _: _cut(str(node["v"]), _TEXT),
    "float": lambda node, _: f"float('{node['v']}')",
    "str": lambda node, _: f"text with lone surrogates, {len(node['v'])} code units",
    "tuple": _tuple,
    "set": _set,
    "frozenset": _set,
    "bytes": _plain("base64_bytes"),
    "bytearray": _plain("base64_bytearray"),
    "map": _pairs,
    "ordered_map": _pairs,
    "counter": _pairs,
    "default_map": _pairs,
    "deque": _plain("deque"),
    "complex": lambda node, depth: f"complex({_items(list(node['v']), depth)})",
    "decimal": _plain("Decimal"),
    "fraction": lambda node, _: f"Fraction({node['v'][0]}, {node['v'][1]})",
    "date": _plain("date"),
    "datetime": _plain("datetime"),
    "time": _plain("time"),
    "timestamp": _plain("Timestamp"),
    "timedelta": lambda node, depth: f"timedelta({_items(list(node['v']), depth)})",
    "path": _plain("Path"),
    "range": lambda node, _: f"range({', '.join(str(part) for part in node['v'])})",
    "record": _record,
    "ndarray": _array,
    "scalar": lambda node, depth: f"{node['dtype']}({_show(node['v'], depth + 1)})",
    "index": lambda node, depth: f"{node['class']}({_index_labels(node, depth)}, dtype={node['dtype']})",
    "series": _series,
    "frame": _frame,
    "nat": lambda _node, _depth: "NaT",
    "na": lambda _node, _depth: "NA",
}
