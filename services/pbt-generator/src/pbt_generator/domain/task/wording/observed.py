"""Types of parameters and results as the suite's values show them, and their names in five languages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

Name = Literal["none", "bool", "int", "float", "text", "list", "map", "other", "any"]

_WORDS = {
    "none": "nothing",
    "bool": "a truth value",
    "int": "an integer",
    "float": "a number",
    "text": "a text",
    "any": "a value",
}
_PLURALS = {
    "none": "nothings",
    "bool": "truth values",
    "int": "integers",
    "float": "numbers",
    "text": "texts",
    "any": "values",
}
# A map of few keys, most of them in many of the maps, is a record; what is seen less often is chance.
_RECORD_KEYS = 8
_RECORD_SHARE = 0.8
_SEEN_SHARE = 0.1
# Sequences of one length, seen so often, have that length by design.
_SAME_LENGTH = 8
_MOST_PARTS = 4


@dataclass(frozen=True)
class Entry:
    """One key of a record: its value, and whether every record has it."""

    name: str
    value: Observed
    always: bool


@dataclass(frozen=True)
class Observed:
    """What kind of value was seen.

    Attributes:
        name: The kind; "any" where several kinds were seen.
        item: Kind of the items of a list, or of the values of a map.
        optional: Whether nothing was seen beside it.
        kinds: For "other", the kind in the portable form, for example "ndarray"; for "any", what was mixed.
        key: Kind of the keys of a map: "text", "int", or "any" for both.
        entries: Keys that the maps share, where those are few.
        parts: Kind at each place, where every sequence has the same small length.
    """

    name: Name
    item: Observed | None = None
    optional: bool = False
    kinds: tuple[str, ...] = ()
    key: Name = "text"
    entries: tuple[Entry, ...] = ()
    parts: tuple[Observed, ...] = ()


def observe(trees: Iterable[Any]) -> Observed:
    """The type that covers all of the trees.

    Args:
        trees: Parsed portable values.

    Example:
        >>> words(observe([1, 2.5, None]))
        'a number, or nothing'
    """
    values = list(trees)
    present = [value for value in values if value is not None]
    optional = len(present) < len(values)
    if not present:
        return Observed("none")
    kinds = {_kind(value) for value in present}
    if kinds <= {"int", "float"}:
        return Observed("float" if "float" in kinds else "int", optional=optional)
    if len(kinds) > 1:
        return Observed("any", optional=optional, kinds=tuple(sorted(kinds)))
    (kind,) = kinds
    if kind == "list":
        items = [item for value in present for item in _items(value)]
        return Observed("list", observe(items) if items else Observed("any"), optional, parts=_parts(present))
    if kind == "map":
        return _observed_map([_pairs(value) for value in present], optional=optional)
    if kind in ("bool", "text"):
        return Observed("bool" if kind == "bool" else "text", optional=optional)
    return Observed("other", optional=optional, kinds=(kind,))


def joined(seen: Observed, other: Observed) -> Observed:
    """The type that covers two, as coarse as it has to be.

    Example:
        >>> words(joined(Observed("int"), Observed("float"))), words(joined(Observed("text"), Observed("none")))
        ('a number', 'a text, or nothing')
    """
    optional = seen.optional or other.optional or "none" in (seen.name, other.name)
    if "none" in (seen.name, other.name):
        return replace(other if seen.name == "none" else seen, optional=optional)
    if {seen.name, other.name} == {"int", "float"}:
        return Observed("float", optional=optional)
    if seen.name == other.name or seen.name == "any":
        return replace(seen, optional=optional)
    kinds = {*(seen.kinds or (seen.name,)), *(other.kinds or (other.name,))}
    return Observed("any", optional=optional, kinds=tuple(sorted(kinds)))


def with_keys(seen: Observed, names: Collection[str], outermost: Collection[str] = ()) -> Observed:
    """What was seen with these keys of its records alone, and those that every record has.

    Args:
        seen: What was seen.
        names: Keys of any record.
        outermost: Further ones of what was seen itself.

    Example:
        >>> once = observe([{"a": 1}, {"a": 2, "%d": 3}, {"a": 3, "%d": 4}, {"a": 5, "%d": 1}])
        >>> words(with_keys(once, []))
        'a map with "a" (an integer)'
    """
    entries = tuple(
        replace(each, value=with_keys(each.value, names))
        for each in seen.entries
        if each.always or each.name in names or each.name in outermost
    )
    item = with_keys(seen.item, names) if seen.item else None
    parts = tuple(with_keys(each, names) for each in seen.parts)
    return replace(seen, entries=entries, item=item, parts=parts)


def _parts(lists: Sequence[Any]) -> tuple[Observed, ...]:
    lengths = {len(_items(value)) for value in lists}
    if len(lists) < _SAME_LENGTH or len(lengths) > 1 or not lengths <= set(range(2, _MOST_PARTS + 1)):
        return ()
    return tuple(observe(_items(value)[place] for value in lists) for place in range(*lengths))


def _observed_map(maps: Sequence[list[tuple[Any, Any]]], *, optional: bool) -> Observed:
    kinds = {_kind(key) for pairs in maps for key, _ in pairs}
    key: Name = "int" if kinds == {"int"} else "text" if kinds <= {"text"} else "any"
    values = [value for pairs in maps for _, value in pairs]
    item = observe(values) if values else Observed("any")
    return Observed("map", item, optional, key=key, entries=_entries(maps) if key == "text" else ())


def _entries(maps: Sequence[list[tuple[Any, Any]]]) -> tuple[Entry, ...]:
    counts = Counter(key for pairs in maps for key, _ in pairs)
    known = [key for key, count in counts.items() if count >= max(3, _SEEN_SHARE * len(maps))]
    if not 0 < len(known) <= _RECORD_KEYS or sum(counts[key] for key in known) < _RECORD_SHARE * counts.total():
        return ()
    return tuple(
        Entry(name, observe(value for pairs in maps for key, value in pairs if key == name), counts[name] == len(maps))
        for name in sorted(known)
    )


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "bool"
        case int():
            return "int"
        case float():
            return "float"
        case str():
            return "text"
        case list():
            return "list"
        case None:
            return "nothing"
        case _:
            tag = value.get("$")
            simple = {"tuple": "list", "int": "int", "float": "float", "str": "text"}
            return "map" if tag is None else simple.get(str(tag), str(tag))


def _items(value: Any) -> list[Any]:
    return cast("list[Any]", value if isinstance(value, list) else value["v"])


def _pairs(value: dict[str, Any]) -> list[tuple[Any, Any]]:
    return [(key, item) for key, item in (value["v"] if value.get("$") == "map" else value.items())]


def words(seen: Observed) -> str:
    """The type in words that belong to no language.

    Example:
        >>> words(Observed("list", Observed("int"), optional=True))
        'a sequence of integers, or nothing'
    """
    if seen.name == "list" and seen.parts:
        text = f"a sequence of {_places(seen.parts)}"
    elif seen.name == "list":
        text = f"a sequence of {_plural(seen.item)}"
    elif seen.name == "map":
        text = f"a map {_mapping(seen)}"
    elif seen.name == "other":
        text = f"a value of kind {seen.kinds[0]}"
    elif seen.kinds:
        text = "one of several kinds: " + ", ".join(_WORDS.get(kind, f"a {kind}") for kind in seen.kinds)
    else:
        text = _WORDS[seen.name]
    return f"{text}, or nothing" if seen.optional and seen.name != "none" else text


def _places(parts: tuple[Observed, ...]) -> str:
    if len(set(parts)) == 1:
        return f"{len(parts)} {_plural(parts[0])}"
    return f"{len(parts)}: " + "; ".join(map(words, parts))


def _mapping(seen: Observed) -> str:
    if seen.entries:
        shown = [
            f'"{entry.name}" ({words(entry.value)}{"" if entry.always else "; may be missing"})'
            for entry in seen.entries
        ]
        return f"with {', '.join(shown)}"
    keys = {"text": "texts", "int": "integers"}.get(seen.key, "texts and integers")
    return f"from {keys} to {_plural(seen.item)}"


def _plural(seen: Observed | None) -> str:
    if seen is None:
        return "values"
    absent = " (or nothing)" if seen.optional and seen.name != "none" else ""
    # Behind its own noun: at the end it would be read of the innermost.
    if seen.name == "list":
        return f"sequences{absent} of {_places(seen.parts) if seen.parts else _plural(seen.item)}"
    if seen.name == "map":
        return f"maps{absent} {_mapping(seen)}"
    if seen.name == "other":
        text = f"values of kind {seen.kinds[0]}"
    elif seen.kinds:
        text = "values of several kinds (" + ", ".join(_PLURALS.get(kind, f"{kind}s") for kind in seen.kinds) + ")"
    else:
        text = _PLURALS[seen.name]
    return f"{text}{absent}"


_TYPES: dict[str, dict[str, str]] = {
    "python": {"none": "None", "bool": "bool", "int": "int", "float": "float", "text": "str", "any": "object"},
    "typescript": {
        "none": "null",
        "bool": "boolean",
        "int": "number",
        "float": "number",
        "text": "string",
        "any": "unknown",
    },
    "java": {"none": "Object", "bool": "boolean", "int": "long", "float": "double", "text": "String", "any": "Object"},
    "go": {"none": "any", "bool": "bool", "int": "int64", "float": "float64", "text": "string", "any": "any"},
}
_BOXED = {"boolean": "Boolean", "long": "Long", "double": "Double"}


def type_name(seen: Observed, language: str) -> str:
    """The type in a language; "python", "typescript", "java" or "go".

    Example:
        >>> [type_name(Observed("list", Observed("int")), each) for each in ("python", "typescript", "java", "go")]
        ['list[int]', 'number[]', 'List<Long>', '[]int64']
    """
    names = _TYPES[language]
    inner = type_name(seen.item or Observed("any"), language) if seen.name in ("list", "map") else ""
    boxed = _BOXED.get(inner, inner)
    match language, seen.name:
        case _, "other":
            return names["any"]
        case "python" | "typescript", "any" if seen.kinds:
            return _union(seen, language)
        case "python", "list":
            base = f"list[{inner}]"
        case "python", "map":
            base = f"dict[{_keys(seen, language)}, {inner}]"
        case "typescript", "list" if len(set(seen.parts)) > 1:
            base = f"[{', '.join(type_name(part, language) for part in seen.parts)}]"
        case "typescript", "list":
            base = f"({inner})[]" if "|" in inner else f"{inner}[]"
        case "typescript", "map" if seen.entries:
            base = f"{{ {'; '.join(_property(entry) for entry in seen.entries)} }}"
        case "typescript", "map" if seen.key != "text":
            # Keys of an object are texts; a map keeps integers.
            base = f"Map<{_keys(seen, language)}, {inner}>"
        case "typescript", "map":
            base = f"Record<string, {inner}>"
        case "java", "list":
            base = f"List<{boxed}>"
        case "java", "map":
            base = f"Map<{_keys(seen, language)}, {boxed}>"
        case "go", "list":
            base = f"[]{inner}"
        case "go", "map":
            base = f"map[{_keys(seen, language)}]{inner}"
        case _:
            base = names[seen.name]
    return _optional(base, language) if seen.optional and seen.name not in ("none", "any") else base


_WIDE = {
    "python": {"list": "list[object]", "map": "dict[object, object]", "tuple": "tuple[object, ...]"},
    "typescript": {"list": "unknown[]", "map": "object"},
}


def _union(seen: Observed, language: str) -> str:
    names = _TYPES[language] | _WIDE[language]
    kinds = list(dict.fromkeys(names.get(kind, names["any"]) for kind in seen.kinds))
    if names["any"] in kinds:
        return names["any"]
    return " | ".join([*kinds, names["none"]] if seen.optional else kinds)


def _keys(seen: Observed, language: str) -> str:
    if language == "typescript" and seen.key == "any":
        return "string | number"
    name = _TYPES[language][seen.key]
    return _BOXED.get(name, name)


def _property(entry: Entry) -> str:
    name = entry.name if entry.name.isidentifier() and entry.name.isascii() else json.dumps(entry.name)
    return f"{name}{'' if entry.always else '?'}: {type_name(entry.value, 'typescript')}"


def _optional(base: str, language: str) -> str:
    match language:
        case "python":
            return f"{base} | None"
        case "typescript":
            return f"{base} | null"
        case "java":
            return _BOXED.get(base, base)
        case _:
            return base if base.startswith(("[]", "map[")) else f"*{base}"
