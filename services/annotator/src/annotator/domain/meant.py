"""What a result says where its language cannot say it otherwise: expectations are plain JSON, written for any language.

PHP has one kind of array: `[]` is an empty list and an empty map, and keys that are numerals become integers. Go's nil
is no list, and an empty one. No plain JSON names an integer as a key. A result of such a form is read as what is
expected, where that is another reading of the same value; the one comparator judges it then.
"""

from __future__ import annotations

from typing import cast

from touchstone_values import Difference, MalformedValueError, compare, compare_trees, parse

_TAG = "$"


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
    if node[_TAG] != "map":
        return None
    pairs = cast("list[tuple[object, object]]", node["v"])
    entries = {str(key): item for key, item in pairs if type(key) is str or type(key) is int}
    # What is no text and no integer, and two keys of one text, stay a map of their own; so does what looks like a tag.
    return entries if len(entries) == len(pairs) and _TAG not in entries else None


def _node(value: object) -> dict[str, object] | None:
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _items(value: object) -> list[object] | None:
    return cast("list[object]", value) if isinstance(value, list) else None
