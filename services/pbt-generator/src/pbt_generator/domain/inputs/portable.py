"""Between values of the generator and the portable form, and what all five languages can express."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, cast

from pbt_generator.domain.inputs.drawing.library_values import ArrayValue, FrameValue, SeriesValue
from pbt_generator.domain.inputs.drawing.sampling import MAX_INT
from pbt_generator.domain.inputs.shapes import InputShape
from pbt_generator.domain.oracle.runs import Input
from touchstone_values import UnportableError, dump, encode, parse
from touchstone_values.encoding import Encoder

_ARRAY_DTYPES = {"float64": "<f8", "int64": "<i8", "bool": "|b1", "datetime64[ns]": "<M8[ns]"}
MAX_FLOAT = 1e20
MAX_DEPTH = 6
MAX_LENGTH = 2000
# Longest suite case, in characters of both texts: more than this no reader looks at.
MAX_CASE_CHARACTERS = 20_000


def tree_of(value: object) -> Any:
    """The portable tree of one value; arrays and frames are written without their libraries.

    Raises:
        UnportableError: some part has no portable form.
    """
    match value:
        case ArrayValue():
            return _array(value)
        case SeriesValue():
            return _index(value) if value.name == "__index__" else _series(value)
        case FrameValue():
            return _frame(value)
        case list():
            return [tree_of(item) for item in cast("list[object]", value)]
        case tuple() if type(cast("object", value)) is tuple:
            return {"$": "tuple", "v": [tree_of(item) for item in cast("tuple[object, ...]", value)]}
        case dict():
            items = cast("dict[object, object]", value)
            if all(type(key) is str and key != "$" for key in items):
                return {key: tree_of(item) for key, item in items.items()}
            return Encoder().node(items, (), 1)
        case _:
            return Encoder().node(value, (), 1)


def arguments_text(shape: InputShape, values: Input) -> str:
    """The JSON text of one input: an array of arguments, or an object of named ones.

    Args:
        shape: The parameters.
        values: One value per parameter, a tuple of values for `*args`.

    Raises:
        UnportableError: some value has no portable form.
    """
    return dump(arguments_tree(shape, values))


def arguments_tree(shape: InputShape, values: Input) -> Any:
    """The tree of one input; see `arguments_text`."""
    for parameter, value in zip(shape.parameters, values, strict=True):
        if parameter.variadic and type(value) is not tuple:
            raise UnportableError(f"*{parameter.name}", type(value).__name__)
    if shape.named:
        return {
            parameter.name: tree_of(value)
            for parameter, value in zip(shape.parameters, values, strict=True)
            if not parameter.variadic
        }
    trees: list[Any] = []
    for parameter, value in zip(shape.parameters, values, strict=True):
        if parameter.variadic:
            trees.extend(tree_of(item) for item in cast("tuple[object, ...]", value))
        else:
            trees.append(tree_of(value))
    return trees


def _array(value: ArrayValue) -> Any:
    if value.dtype == "str":
        width = max((len(str(item)) for item in value.items), default=1) or 1
        dtype = f"<U{width}"
    else:
        dtype = _ARRAY_DTYPES[value.dtype]
    return {
        "$": "ndarray",
        "dtype": dtype,
        "shape": list(value.shape),
        "v": [_cell(item, value.dtype) for item in value.items],
    }


def _cell(item: object, dtype: str) -> Any:
    if dtype == "float64":
        number = float(cast("float", item))
        return number if math.isfinite(number) else {"$": "float", "v": str(number)}
    return Encoder().node(item, (), 1)


def _range_index(size: int) -> Any:
    return {"$": "index", "class": "RangeIndex", "dtype": "int64", "names": [None], "v": [0, size, 1]}


def _index(value: SeriesValue) -> Any:
    kind = "DatetimeIndex" if value.dtype.startswith("datetime") else "Index"
    return {
        "$": "index",
        "class": kind,
        "dtype": value.dtype,
        "names": [None],
        "v": [_cell(item, value.dtype) for item in value.items],
    }


def _series(value: SeriesValue) -> Any:
    cells = [_cell(item, value.dtype) for item in value.items]
    return {"$": "series", "name": value.name, "dtype": value.dtype, "index": _range_index(len(cells)), "v": cells}


def _frame(value: FrameValue) -> Any:
    names = [name for name, _ in value.columns]
    rows = len(value.columns[0][1].items) if value.columns else 0
    return {
        "$": "frame",
        "columns": {"$": "index", "class": "Index", "dtype": "str", "names": [None], "v": names},
        "dtypes": [column.dtype for _, column in value.columns],
        "index": _range_index(rows),
        "v": [[_cell(item, column.dtype) for item in column.items] for _, column in value.columns],
    }


def with_uniform_maps(texts: Sequence[str]) -> list[str]:
    """Inputs of one suite, with every map that stands where others have integer keys written as those are.

    An empty map has no keys to tell its kind by; a language whose objects have texts for keys would be given an object
    in one case and a map in the next.

    Args:
        texts: JSON texts of inputs.

    Example:
        >>> with_uniform_maps(['[{"$":"map","v":[[1,2]]}]', '[{}]', '[[{}]]'])
        ['[{"$":"map","v":[[1,2]]}]', '[{"$":"map","v":[]}]', '[[{}]]']
    """
    trees: list[Any] = [json.loads(text) for text in texts]
    tagged: set[str] = set()
    for tree in trees:
        _find_tagged(tree, "", tagged)
    if not tagged:
        return list(texts)
    return [dump(_tagged(tree, "", tagged)) for tree in trees]


def _inner(node: Any, path: str) -> list[tuple[Any, str]]:
    """The parts of a node with the kind of place that they stand in."""
    if isinstance(node, list):
        top = not path
        return [(item, f"{path}/{place}" if top else f"{path}[]") for place, item in enumerate(cast("list[Any]", node))]
    if not isinstance(node, dict):
        return []
    fields = cast("dict[str, Any]", node)
    match fields.get("$"):
        case None if not path:
            return [(item, f"/{name}") for name, item in fields.items()]
        case None:
            return [(item, f"{path}{{}}") for item in fields.values()]
        case "map":
            return [(item, f"{path}{{}}") for _, item in fields["v"]]
        case "tuple":
            return [(item, f"{path}[]") for item in fields["v"]]
        case _:
            return []


def _find_tagged(node: Any, path: str, found: set[str]) -> None:
    if path and isinstance(node, dict) and cast("dict[str, Any]", node).get("$") == "map":
        found.add(path)
    for item, place in _inner(node, path):
        _find_tagged(item, place, found)


def _tagged(node: Any, path: str, tagged: set[str]) -> Any:
    parts = [_tagged(item, place, tagged) for item, place in _inner(node, path)]
    if isinstance(node, list):
        return parts
    if not isinstance(node, dict):
        return node
    fields = cast("dict[str, Any]", node)
    if not parts and path not in tagged:
        return fields
    match fields.get("$"):
        case None if path in tagged:
            return {"$": "map", "v": [[key, part] for key, part in zip(fields, parts, strict=True)]}
        case None:
            return dict(zip(fields, parts, strict=True))
        case "map":
            return {"$": "map", "v": [[pair[0], part] for pair, part in zip(fields["v"], parts, strict=True)]}
        case "tuple":
            return {"$": "tuple", "v": parts}
        case _:
            # Whatever else has a kind is no map, and stays as it was given.
            return fields


def has_negative_zero(node: Any) -> bool:
    """Whether a portable tree holds -0.0, which compares as 0 and reads otherwise."""
    if isinstance(node, float):
        return node == 0.0 and math.copysign(1.0, node) < 0
    if isinstance(node, list):
        return any(map(has_negative_zero, cast("list[Any]", node)))
    return isinstance(node, dict) and any(map(has_negative_zero, cast("dict[str, Any]", node).values()))


def is_plain(tree: object) -> bool:
    """Whether a portable tree is the value itself, written as JSON."""
    if isinstance(tree, dict):
        return "$" not in tree and all(map(is_plain, cast("dict[str, object]", tree).values()))
    return all(map(is_plain, cast("list[object]", tree))) if isinstance(tree, list) else True


def shared_by_languages(node: Any, depth: int = 0) -> str:
    """Why a portable tree cannot be expressed in all five target languages; empty when it can.

    Null, booleans, integers of 53 bits, finite floats of bounded size, text, sequences, and maps with text or integer
    keys are shared.
    """
    if node is None or node is True or node is False:
        return ""
    if isinstance(node, str):
        return ""
    if isinstance(node, int):
        return "" if abs(node) <= MAX_INT else "an integer beyond 53 bits"
    if isinstance(node, float):
        return "" if abs(node) <= MAX_FLOAT else "a float beyond 1e20"
    if depth > MAX_DEPTH:
        return f"nesting deeper than {MAX_DEPTH}"
    if isinstance(node, list):
        return _first(cast("list[Any]", node), depth)
    fields = cast("dict[str, Any]", node)
    kind = fields.get("$")
    if kind is None:
        return _first(list(fields.values()), depth)
    if kind == "tuple":
        return _first(fields["v"], depth)
    if kind in {"map", "ordered_map", "counter", "default_map"}:
        keys = [key for key, _ in fields["v"]]
        if not all(isinstance(key, (str, int)) and not isinstance(key, bool) for key in keys):
            return "a map whose keys are neither texts nor integers"
        if "$" in keys:
            # It would be written as no other map with texts for keys is.
            return "a map with the key $"
        return _first([item for _, item in fields["v"]], depth)
    if kind == "deque":
        return _first(fields["v"], depth)
    names = {
        "float": "a float that is not finite",
        "int": "an integer beyond 53 bits",
        "str": "text with a lone surrogate",
    }
    return names.get(str(kind), f"a value of kind {kind}")


def _first(nodes: list[Any], depth: int) -> str:
    for node in nodes:
        reason = shared_by_languages(node, depth + 1)
        if reason:
            return reason
    return ""


__all__ = [
    "MAX_CASE_CHARACTERS",
    "MAX_LENGTH",
    "UnportableError",
    "arguments_text",
    "arguments_tree",
    "dump",
    "encode",
    "has_negative_zero",
    "parse",
    "shared_by_languages",
    "tree_of",
    "with_uniform_maps",
]
