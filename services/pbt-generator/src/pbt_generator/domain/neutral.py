"""Inputs that mean the same in five languages.

Where a language has one kind of sequence, or objects whose keys are texts, an input must not hang on the difference;
nor on spellings that only Python reads.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, cast

# Python's int() and float() take 1_000 and digits of other scripts for numbers; most languages do not.
_OWN_SPELLING = re.compile(r"\d_\d|(?![0-9])\d")
_WITH_LISTS = """
def _ts_give(value):
    kind = type(value)
    if kind in (list, tuple):
        return list(map(_ts_give, value))
    return {{key: _ts_give(item) for key, item in value.items()}} if kind is dict else value


_ts_entry = {entry}


def {entry}(*args, **kwargs):
    return _ts_entry(*map(_ts_give, args), **{{key: _ts_give(item) for key, item in kwargs.items()}})
"""


def has_tuples(text: str) -> bool:
    """Whether the portable text of an input holds a tuple."""
    return '"$":"tuple"' in text


def with_lists(source: str, entry_point: str) -> str:
    """The program with every tuple that it is given as a list, as languages without tuples have it."""
    return f"{source}\n{_WITH_LISTS.format(entry=entry_point)}"


def own_spelling(text: str) -> bool:
    """Whether a text holds digits that only Python reads as a number.

    Example:
        >>> own_spelling("1_000"), own_spelling("a_1"), own_spelling("٣")
        (True, False, True)
    """
    return bool(_OWN_SPELLING.search(text))


def texts_of(tree: Any) -> Iterator[str]:
    """Every text of a portable tree, keys included."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, list):
        for item in cast("list[Any]", tree):
            yield from texts_of(item)
    elif isinstance(tree, dict):
        for key, item in cast("dict[str, Any]", tree).items():
            yield key
            yield from texts_of(item)


def mixed_keys(texts: Sequence[str]) -> set[int]:
    """Places of the inputs whose maps have other keys than most maps that stand where they stand.

    Keys are texts or integers; a language may have one kind of map for the one and another for the other.

    Args:
        texts: JSON texts of inputs.

    Example:
        >>> sorted(mixed_keys(['[{"a":1}]', '[{"b":1}]', '[{"$":"map","v":[[1,2]]}]', '[{}]']))
        [2]
    """
    seen = [list(_keys(json.loads(text), "")) for text in texts]
    counts: dict[str, Counter[str]] = {}
    for found in seen:
        for path, kind in set(found):
            counts.setdefault(path, Counter())[kind] += 1
    usual = {path: "int" if count["int"] > count["text"] else "text" for path, count in counts.items()}
    return {place for place, found in enumerate(seen) if any(kind != usual[path] for path, kind in found)}


def _keys(node: Any, path: str) -> Iterator[tuple[str, str]]:
    """The kind of keys of every map with the kind of place that it stands in: "text", "int" or "mixed"."""
    if isinstance(node, list):
        for place, item in enumerate(cast("list[Any]", node)):
            yield from _keys(item, f"{path}[]" if path else f"/{place}")
    elif isinstance(node, dict):
        fields = cast("dict[str, Any]", node)
        kind = fields.get("$")
        if kind == "tuple":
            yield from (found for item in fields["v"] for found in _keys(item, f"{path}[]"))
            return
        pairs = fields["v"] if kind == "map" else [] if kind else list(fields.items())
        kinds = {"text" if isinstance(key, str) else "int" for key, _ in pairs}
        if path and kinds:
            yield path, kinds.pop() if len(kinds) == 1 else "mixed"
        for key, item in pairs:
            yield from _keys(item, f"{path}{{}}" if path else f"/{key}")
