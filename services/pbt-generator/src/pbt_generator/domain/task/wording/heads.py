"""Heads of a function in five languages, each as its harness calls it.

A default is said where the language has defaults and can write the value; Java and Go have none, and are always given
all arguments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pbt_generator.domain.inputs.portable import UnportableError, tree_of
from pbt_generator.domain.task.reserved import free_name
from pbt_generator.domain.task.wording.observed import Observed, joined, observe, type_name
from pbt_generator.domain.task.wording.told import Told, omissible

# What a value is whose kind a head leaves open.
_ANYTHING = {
    "java": (
        "Object",
        "// An Object is null, a Boolean, an Integer (a Long beyond 32 bits, a BigInteger beyond 64), a Double, "
        "a String, a List or a Map.",
    ),
    "go": (
        "any",
        "// An any is nil, a bool, an int (a *big.Int beyond 64 bits), a float64, a string, a []any or a map[string]any"
        " (a map[any]any where keys are no texts).",
    ),
}


def signatures(entry_point: str, parameters: Sequence[Told], result: Observed) -> dict[str, str]:
    """The function's head in every target language.

    Args:
        entry_point: The function's name, the same in all languages.
        parameters: What is told of each, in order.
        result: Type of the result.

    Example:
        >>> told = [Told("text", Observed("text")), Told("width", Observed("int"), default="3")]
        >>> heads = signatures("cut", told, Observed("text"))
        >>> for language in ("python", "typescript", "go"):
        ...     print(heads[language])
        def cut(text: str, width: int = 3) -> str
        function cut(text: string, width: number = 3): string
        func cut(text string, width int64) string
    """
    told = [replace(each, default=each.default if each.name in omissible(parameters) else "") for each in parameters]
    types = {
        language: [type_name(_given(each, language), language) for each in told]
        for language in ("python", "typescript", "java", "go")
    }
    pairs = {language: list(zip(told, kinds, strict=True)) for language, kinds in types.items()}
    notes = {
        language: f"{note}\n"
        for language, (kind, note) in _ANYTHING.items()
        if any(re.search(rf"\b{kind}\b", one) for one in types[language])
    }
    javascript = [f"{_rest(each)}{free_name(each.name, 'javascript')}{_is(each)}" for each in told]
    typescript = [
        f"{_rest(each)}{free_name(each.name, 'javascript')}: {_all(each, kind)}{_is(each)}"
        for each, kind in pairs["typescript"]
    ]
    java = [f"{kind}{_rest(each)} {free_name(each.name, 'java')}" for each, kind in pairs["java"]]
    go = [f"{free_name(each.name, 'go')} {_rest(each)}{kind}" for each, kind in pairs["go"]]
    return {
        "python": f"def {entry_point}({_python(pairs['python'])}) -> {type_name(result, 'python')}",
        "javascript": f"{_comment(pairs['typescript'], result)}\nfunction {entry_point}({', '.join(javascript)})",
        "typescript": f"function {entry_point}({', '.join(typescript)}): {type_name(result, 'typescript')}",
        "java": f"{notes.get('java', '')}static {type_name(result, 'java')} {entry_point}({', '.join(java)})",
        "go": f"{notes.get('go', '')}func {entry_point}({', '.join(go)}) {type_name(_with_nothing(result), 'go')}",
    }


def _with_nothing(result: Observed) -> Observed:
    """A result for Go, whose lists and maps are never nothing inside of another: what may be either is anything there.

    Example:
        >>> words = Observed("list", Observed("text"), optional=True)
        >>> type_name(_with_nothing(Observed("map", words)), "go"), type_name(_with_nothing(words), "go")
        ('map[string]any', '[]string')
    """
    item = result.item
    if item is None:
        return result
    either = item.optional and item.name in ("list", "map")
    return replace(result, item=Observed("any") if either else _with_nothing(item))


def _given(told: Told, language: str) -> Observed:
    """What a head says of a parameter: one of its arguments where it takes several, its default where that stands."""
    seen = (told.seen.item or Observed("any")) if told.variadic else told.seen
    said = told.default if language == "python" else told.json if language == "typescript" else ""
    if not said:
        return seen
    try:
        return joined(seen, observe([tree_of(told.value)]))
    except UnportableError:
        return seen


def _python(pairs: Sequence[tuple[Told, str]]) -> str:
    parts: list[str] = []
    starred = False
    for told, kind in pairs:
        if told.named and not starred:
            parts.append("*")
        starred = starred or told.named or told.variadic
        default = f" = {told.default}" if told.default else ""
        parts.append(f"{'*' if told.variadic else ''}{told.name}: {kind}{default}")
    return ", ".join(parts)


def _rest(told: Told) -> str:
    return "..." if told.variadic else ""


def _all(told: Told, kind: str) -> str:
    """TypeScript's type of a parameter, of which a variadic one is a list."""
    return kind if not told.variadic else f"({kind})[]" if "|" in kind else f"{kind}[]"


def _is(told: Told) -> str:
    """The default behind a parameter of JavaScript or TypeScript."""
    return f" = {told.json}" if told.json else ""


def _comment(pairs: Sequence[tuple[Told, str]], result: Observed) -> str:
    """Types for a language that has none in its heads."""
    lines = [f" * @param {{{_rest(told)}{kind}}} {free_name(told.name, 'javascript')}" for told, kind in pairs]
    return "\n".join(("/**", *lines, f" * @returns {{{type_name(result, 'typescript')}}}", " */"))
