"""Portable values as people write them."""

# JSON trees have no static types.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

import json
from typing import Any

from touchstone_values.limits import MAX_DEPTH


def written(tree: Any) -> str:
    """A value of the portable form for people to read, not to be read back.

    Args:
        tree: Parsed JSON.

    Example:
        >>> print(written([1, {"$": "tuple", "v": [2]}]), written({"a": {"$": "float", "v": "nan"}}))
        [1, (2,)] {"a": nan}
        >>> print(written({"$": "date", "v": "2026-01-31"}), written({"$": "ndarray", "dtype": "int64", "v": [1]}))
        date("2026-01-31") ndarray(dtype "int64", [1])
    """
    return _written(tree, MAX_DEPTH)


def call_written(entry_point: str, arguments: Any) -> str:
    """The call that a case makes.

    Args:
        entry_point: What is called.
        arguments: Parsed JSON: an array of positional arguments or an object of named ones.

    Example:
        >>> call_written("f", [1, "a"]), call_written("f", {"x": [True]})
        ('f(1, "a")', 'f(x=[true])')
    """
    if isinstance(arguments, dict):
        return f"{entry_point}({', '.join(f'{name}={written(value)}' for name, value in arguments.items())})"
    return f"{entry_point}({', '.join(map(written, arguments))})"


def _written(tree: Any, depth: int) -> str:
    if depth <= 0:
        return "…"

    def each(items: Any) -> str:
        return ", ".join(_written(item, depth - 1) for item in items)

    if isinstance(tree, list):
        return f"[{each(tree)}]"
    if not isinstance(tree, dict):
        return json.dumps(tree, ensure_ascii=False)
    kind, inner = tree.get("$"), tree.get("v")
    match kind, inner:
        case None, _:
            return _map([[key, item] for key, item in tree.items()], depth)
        case "tuple", list():
            return f"({each(inner)}{',' if len(inner) == 1 else ''})"
        case "map", list() if all(isinstance(pair, list) and len(pair) == 2 for pair in inner):
            return _map(inner, depth)
        case (("set" | "frozenset"), list()):
            return f"{kind}({each(inner)})"
        case (("int" | "float" | "decimal" | "fraction"), str()):
            return inner
        case _:
            parts = [
                _written(item, depth - 1) if name == "v" else f"{name} {_written(item, depth - 1)}"
                for name, item in tree.items()
                if name != "$"
            ]
            return f"{kind}({', '.join(parts)})"


def _map(pairs: list[Any], depth: int) -> str:
    return f"{{{', '.join(f'{_written(key, depth - 1)}: {_written(value, depth - 1)}' for key, value in pairs)}}}"
