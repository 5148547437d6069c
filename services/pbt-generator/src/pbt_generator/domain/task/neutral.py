"""Inputs that mean the same in five languages.

Where a language has one kind of sequence, or objects whose keys are texts, an input must not hang on the difference;
nor on spellings that only Python reads.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from pbt_generator.domain.oracle.orders import wrapped
from pbt_generator.domain.oracle.runs import Input

# Python's int() and float() take 1_000 and digits of other scripts for numbers; most languages do not.
_OWN_SPELLING = re.compile(r"\d_\d|(?![0-9])\d")
_KINDS_OF_SEQUENCE = {"list", "tuple", "List", "Tuple", "Sequence", "MutableSequence", "Iterable", "Collection"}
_WITH_LISTS = """
def _ts_give(value):
    kind = type(value)
    if kind in (list, tuple):
        return list(map(_ts_give, value))
    return {key: _ts_give(item) for key, item in value.items()} if kind is dict else value
"""


def has_tuples(text: str) -> bool:
    """Whether the portable text of an input holds a tuple."""
    return '"$":"tuple"' in text


def with_lists(source: str, entry_point: str) -> str:
    """The program with every tuple that it is given as a list, as languages without tuples have it."""
    return wrapped(f"{source}\n{_WITH_LISTS}", entry_point)


def asks_for_kinds_of_sequence(source: str) -> bool:
    """Whether a program tells lists from tuples by asking; comparing them is another matter.

    That `(1, 2) == [1, 2]` is false decides many results too, but there a language with one kind of sequence gives what
    Python gives for tuples.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
                asked = kinds
            case ast.Compare(left=ast.Call(func=ast.Name(id="type")), comparators=[kinds]):
                asked = kinds
            case ast.MatchClass(cls=kinds):
                asked = kinds
            case _:
                continue
        names = {inner.id for inner in ast.walk(asked) if isinstance(inner, ast.Name)}
        names |= {inner.attr for inner in ast.walk(asked) if isinstance(inner, ast.Attribute)}
        if names & _KINDS_OF_SEQUENCE:
            return True
    return False


def differs_in_text(expected: Any, other: Any) -> bool:
    """Whether two results hold different texts at the same place: a sequence was written into one of them."""
    if isinstance(expected, str) or isinstance(other, str):
        return expected != other
    if isinstance(expected, dict) and isinstance(other, dict):
        mine, theirs = cast("dict[str, Any]", expected), cast("dict[str, Any]", other)
        return any(differs_in_text(mine[key], theirs[key]) for key in mine if key in theirs)
    if isinstance(expected, list) and isinstance(other, list):
        pairs = zip(cast("list[Any]", expected), cast("list[Any]", other), strict=False)
        return any(differs_in_text(mine, theirs) for mine, theirs in pairs)
    return False


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


def usual_keys(inputs: Sequence[Input]) -> dict[str, str]:
    """For every kind of place where maps stand, whether most of them have texts or integers for keys.

    A language may have one kind of map for the one and another for the other.

    Example:
        >>> usual_keys([({"a": 1},), ({"b": {1: 2}},), ({3: 4},), ({},)])
        {'/0': 'text', '/0{}': 'int'}
    """
    counts: dict[str, Counter[str]] = {}
    for given in inputs:
        for path, kind in set(_keys(given, "")):
            counts.setdefault(path, Counter())[kind] += 1
    return {path: "int" if counts[path]["int"] > counts[path]["text"] else "text" for path in sorted(counts)}


def has_usual_keys(given: Input, usual: Mapping[str, str]) -> bool:
    """Whether the maps of an input have the keys that are usual where they stand."""
    return all(usual.get(path, kind) == kind for path, kind in _keys(given, ""))


def _keys(value: object, path: str) -> Iterator[tuple[str, str]]:
    """The kind of keys of every map with the kind of place that it stands in: "text", "int" or "mixed"."""
    if isinstance(value, (list, tuple)):
        for place, item in enumerate(cast("Sequence[object]", value)):
            yield from _keys(item, f"{path}[]" if path else f"/{place}")
    elif isinstance(value, dict):
        items = cast("dict[object, object]", value)
        kinds = {"text" if isinstance(key, str) else "int" for key in items}
        if kinds:
            yield path, kinds.pop() if len(kinds) == 1 else "mixed"
        for item in items.values():
            yield from _keys(item, f"{path}{{}}")
