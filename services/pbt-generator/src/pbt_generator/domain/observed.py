"""Types of parameters and results as the suite's values show them, and their names in five languages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
_RECORD_KEYS = 8


@dataclass(frozen=True)
class Observed:
    """What kind of value was seen.

    Attributes:
        name: The kind; "any" where several kinds were seen.
        item: Kind of the items of a list, or of the values of a map.
        optional: Whether nothing was seen beside it.
        keys: Keys that every map had, where those are few and the same.
        kinds: For "other", the kind in the portable form, for example "ndarray"; for "any", what was mixed.
    """

    name: Name
    item: Observed | None = None
    optional: bool = False
    keys: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


def observe(trees: Iterable[Any]) -> Observed:
    """The type that covers all of the trees.

    Args:
        trees: Parsed portable values.

    Example:
        >>> observe([1, 2.5, None])
        Observed(name='float', item=None, optional=True, keys=(), kinds=())
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
        return Observed("list", observe(items) if items else Observed("any"), optional)
    if kind == "map":
        keys = set[str].intersection(*(set(value) for value in present)) if present else set[str]()
        same = keys and all(set(value) == keys for value in present) and len(keys) <= _RECORD_KEYS and len(present) > 1
        inner = [item for value in present for item in value.values()]
        item = observe(inner) if inner else Observed("any")
        return Observed("map", item, optional, tuple(sorted(keys)) if same else ())
    if kind in ("bool", "text"):
        return Observed("bool" if kind == "bool" else "text", optional=optional)
    return Observed("other", optional=optional, kinds=(kind,))


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
        case _:
            tag = value.get("$")
            simple = {"tuple": "list", "int": "int", "float": "float", "str": "text"}
            return "map" if tag is None else simple.get(str(tag), str(tag))


def _items(value: Any) -> list[Any]:
    return cast("list[Any]", value if isinstance(value, list) else value["v"])


def words(seen: Observed) -> str:
    """The type in words that belong to no language.

    Example:
        >>> words(Observed("list", Observed("int"), optional=True))
        'a sequence of integers, or nothing'
    """
    if seen.name == "list":
        text = f"a sequence of {_plural(seen.item)}"
    elif seen.name == "map" and seen.keys:
        text = "a map with the keys " + ", ".join(f'"{key}"' for key in seen.keys)
    elif seen.name == "map":
        text = f"a map from texts to {_plural(seen.item)}"
    elif seen.name == "other":
        text = f"a value of kind {seen.kinds[0]}"
    elif seen.kinds:
        text = "one of several kinds: " + ", ".join(_WORDS.get(kind, f"a {kind}") for kind in seen.kinds)
    else:
        text = _WORDS[seen.name]
    return f"{text}, or nothing" if seen.optional and seen.name != "none" else text


def _plural(seen: Observed | None) -> str:
    if seen is None:
        return "values"
    if seen.name == "list":
        text = f"sequences of {_plural(seen.item)}"
    elif seen.name == "map":
        text = f"maps from texts to {_plural(seen.item)}"
    elif seen.name == "other":
        text = f"values of kind {seen.kinds[0]}"
    else:
        text = _PLURALS[seen.name]
    return f"{text} (or nothing)" if seen.optional and seen.name != "none" else text


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
        case "python", "list":
            base = f"list[{inner}]"
        case "python", "map":
            base = f"dict[str, {inner}]"
        case "typescript", "list":
            base = f"({inner})[]" if "|" in inner else f"{inner}[]"
        case "typescript", "map":
            base = f"Record<string, {inner}>"
        case "java", "list":
            base = f"List<{boxed}>"
        case "java", "map":
            base = f"Map<String, {boxed}>"
        case "go", "list":
            base = f"[]{inner}"
        case "go", "map":
            base = f"map[string]{inner}"
        case _:
            base = names[seen.name]
    return _optional(base, language) if seen.optional and seen.name not in ("none", "any") else base


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


def signatures(entry_point: str, parameters: Sequence[tuple[str, Observed]], result: Observed) -> dict[str, str]:
    """The function's head in every target language.

    Args:
        entry_point: The function's name, the same in all languages.
        parameters: Names and types in order.
        result: Type of the result.
    """
    names = [name for name, _ in parameters]
    typed = {
        language: [(name, type_name(seen, language)) for name, seen in parameters]
        for language in ("python", "typescript", "java", "go")
    }
    python = ", ".join(f"{name}: {kind}" for name, kind in typed["python"])
    typescript = ", ".join(f"{name}: {kind}" for name, kind in typed["typescript"])
    java = ", ".join(f"{kind} {name}" for name, kind in typed["java"])
    go = ", ".join(f"{name} {kind}" for name, kind in typed["go"])
    return {
        "python": f"def {entry_point}({python}) -> {type_name(result, 'python')}",
        "javascript": f"function {entry_point}({', '.join(names)})",
        "typescript": f"function {entry_point}({typescript}): {type_name(result, 'typescript')}",
        "java": f"static {type_name(result, 'java')} {entry_point}({java})",
        "go": f"func {entry_point}({go}) {type_name(result, 'go')}",
    }
