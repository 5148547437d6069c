"""What a result says where its language cannot say it otherwise: expectations are plain JSON, written for any language.

PHP has one kind of array: `[]` is an empty list and an empty map, and keys that are numerals become integers. Go's nil
is no list, and an empty one. No plain JSON names an integer as a key. A result of such a form is read as what is
expected, where that is another reading of the same value; the one comparator judges it then.

Sets, bytes, moments and complex numbers no plain JSON names at all. Whether one of them is wished for, or the list or
text that names its content, an expectation cannot tell.
"""

from __future__ import annotations

import base64
import datetime
from typing import cast

from touchstone_values import Difference, MalformedValueError, compare, compare_trees, parse

_TAG = "$"
_MAPS = frozenset({"map", "ordered_map", "counter", "default_map"})


def difference(expected: str, actual: str, language: str) -> Difference | None:
    """Where a result differs from what is expected of it; None where it does not.

    Args:
        expected: A JSON value.
        actual: What a call returned, a portable value.
        language: That of the code that was called.
    """
    found = compare(expected, actual, "portable")
    if found is None:
        return None
    try:
        wanted, given = parse(expected), parse(actual)
    except MalformedValueError:
        return found
    return compare_trees(wanted, _as_meant(wanted, given, language), "portable")


def only_named(expected: str, actual: str, language: str) -> bool:
    """Whether what is expected may name the content of a result for whose kind plain JSON has no name.

    Args:
        expected: A JSON value.
        actual: What a call returned, a portable value.
        language: That of the code that was called.

    Example:
        >>> only_named("[2,1]", '{"$":"set","v":[1,2]}', "python"), only_named("[1]", '{"$":"set","v":[1,2]}', "python")
        (True, False)
    """
    try:
        wanted, given = parse(expected), parse(actual)
    except MalformedValueError:
        return False
    read = _as_meant(wanted, _named(wanted, given, language), language)
    return compare_trees(wanted, read, "portable") is None


def _named(wanted: object, given: object, language: str) -> object:
    """A result with the JSON value that may name it in the place of whatever JSON has no name for."""
    items, node = _items(given), _node(given)
    if items is not None:
        inside = _items(wanted) or []
        return [_named(inside[n] if n < len(inside) else None, item, language) for n, item in enumerate(items)]
    if node is None:
        return given
    tag, held = node.get(_TAG), node.get("v")
    if tag is None:
        fields = _node(wanted) or {}
        return {name: _named(fields.get(name), item, language) for name, item in node.items()}
    if tag == "tuple":
        return {**node, "v": _named(wanted, held, language)}
    if tag in _MAPS:
        return _named_map(wanted, node, language)
    if isinstance(wanted, list):
        return _named_items(cast("list[object]", wanted), node, language)
    return _named_text(wanted, node) if isinstance(wanted, str) else given


def _named_map(wanted: object, node: dict[str, object], language: str) -> object:
    pairs = cast("list[tuple[object, object]]", node["v"])
    if isinstance(wanted, list):
        wanted = cast("list[object]", wanted)
        # An array of PHP keeps its keys where some of its items go.
        kept = language == "php" and all(type(key) is int for key, _ in pairs)
        return _named(wanted, [item for _, item in pairs], language) if kept else node
    fields = _node(wanted) or {}
    return {**node, "v": [[key, _named(fields.get(str(key)), item, language)] for key, item in pairs]}


def _named_items(wanted: list[object], node: dict[str, object], language: str) -> object:
    match node[_TAG]:
        case "set" | "frozenset":
            items = _in_order(wanted, [_named(None, item, language) for item in cast("list[object]", node["v"])])
            return node if items is None else items
        case "bytes" | "bytearray":
            return list(base64.b64decode(str(node["v"])))
        case "complex":
            return node["v"]
        case _:
            return node


def _in_order(wanted: list[object], left: list[object]) -> list[object] | None:
    """What a set holds in the order of a list that holds the same; None where it holds something else."""
    if len(wanted) != len(left):
        return None
    same: dict[str, list[object]] = {}
    for item in left:
        same.setdefault(repr(item), []).append(item)
    # What is written alike is found at once; only numbers that are nearly so are compared with all that is left.
    found: dict[int, object] = {}
    for place, each in enumerate(wanted):
        if items := same.get(repr(each)):
            found[place] = items.pop()
    left = [item for items in same.values() for item in items]
    for place, each in enumerate(wanted):
        if place not in found:
            near = next((n for n, item in enumerate(left) if compare_trees(each, item, "portable") is None), -1)
            if near < 0:
                return None
            found[place] = left.pop(near)
    return [found[place] for place in range(len(wanted))]


def _named_text(wanted: str, node: dict[str, object]) -> object:
    told = str(node.get("v"))
    match node[_TAG]:
        case "bytes" | "bytearray":
            same = wanted.encode("utf-8", "surrogatepass") == base64.b64decode(told)
        case "date" | "datetime" | "time":
            same = _moment(wanted) in (None, _moment(told))
        case "path" | "decimal":
            same = wanted == told
        case "complex" | "timedelta" | "timestamp" | "fraction" | "range":
            # A text may name these in many ways.
            same = True
        case _:
            same = False
    return wanted if same else node


def _moment(text: str) -> object:
    """A moment or a time of day as it is told in ISO's form; None where it is told in another one."""
    for read in (datetime.datetime.fromisoformat, datetime.time.fromisoformat):
        try:
            return read(text)
        except ValueError:
            continue
    return None


def _as_meant(wanted: object, given: object, language: str) -> object:
    if given is None:
        return wanted if language == "go" and wanted in ([], {}) else None
    items, by_name = _items(wanted), _node(wanted)
    if items is not None:
        return _items_as_meant(items, given, language)
    if by_name is None or _TAG in by_name:
        return given
    node = _node(given)
    if node is not None and node.get(_TAG) == "record":
        fields = cast("list[tuple[str, object]]", node["fields"])
        return {**node, "fields": [[name, _as_meant(by_name.get(name), item, language)] for name, item in fields]}
    entries = _entries(given, language)
    if entries is None:
        return given
    return {name: _as_meant(by_name.get(name), item, language) for name, item in entries.items()}


def _items_as_meant(wanted: list[object], given: object, language: str) -> object:
    node, items = _node(given), _items(given)
    if node is not None and node.get(_TAG) == "tuple":
        return {**node, "v": _items_as_meant(wanted, node["v"], language)}
    if items is None:
        return given
    return [
        _as_meant(wanted[place], item, language) if place < len(wanted) else item for place, item in enumerate(items)
    ]


def _entries(given: object, language: str) -> dict[str, object] | None:
    """A result as a map with text keys; None where it is none."""
    items, node = _items(given), _node(given)
    if items is not None:
        return {str(place): item for place, item in enumerate(items)} if language == "php" else None
    if node is None or _TAG not in node:
        return node
    if node[_TAG] not in _MAPS:
        return None
    pairs = cast("list[tuple[object, object]]", node["v"])
    entries = {str(key): item for key, item in pairs if type(key) is str or type(key) is int}
    # What is no text and no integer, and two keys of one text, stay a map of their own; so does what looks like a tag.
    return entries if len(entries) == len(pairs) and _TAG not in entries else None


def _node(value: object) -> dict[str, object] | None:
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _items(value: object) -> list[object] | None:
    return cast("list[object]", value) if isinstance(value, list) else None
