"""Values that an author names for a parameter, and cases that give it others."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Sequence

from pbt_generator.domain.oracle.syntax import NO_LITERAL
from pbt_generator.domain.task.wording.suggestions import given
from pbt_generator.domain.task.wording.told import Told

_VALUE = r"`*(?:-?\d+(?:\.\d+)?|'[^'\n]*'|\"[^\"\n]*\"|None|True|False)`*"
_LIST = rf"{_VALUE}(?:\s*(?:,\s*(?:or\b|and\b)?|\bor\b|\band\b|/|\|)\s*{_VALUE})+"
_SAID = re.compile(
    rf"(?:\b(?i:either|must\s+be|can\s+be|one\s+of)\s+[({{\[]?\s*|^[{{(\[]\s*)(?P<list>{_LIST})",
)
# Words as values, without quotes: with a stroke between them, or to the end of the sentence.
_PLAIN = r"[a-z][a-z0-9_-]*"
_STROKES = re.compile(rf"\b(?i:either|one\s+of):?\s+(?P<list>{_PLAIN}(?:\s?[/|]\s?{_PLAIN})+)(?![\w/])")
# Words that name kinds of values.
_KINDS = {
    "bool", "bytes", "dict", "false", "float", "int", "iterable", "list", "none", "set", "str", "string", "true",
    "tuple",
}  # fmt: skip
_COMMAS = re.compile(
    rf"\b(?i:one\s+of):?\s+(?P<list>{_PLAIN}(?:,\s{_PLAIN})*,?\s(?:or|and)\s{_PLAIN})\s*(?=[.;)]|$)", re.MULTILINE
)


def outside_choices(docstring: str, told: Sequence[Told], cases: Iterable[tuple[str, str]]) -> list[str]:
    """Parameters whose values an author lists and that cases give others, a phrase each.

    Args:
        docstring: As written.
        told: The parameters in order.
        cases: Arguments and result as portable texts.

    Example:
        >>> from pbt_generator.domain.task.wording.observed import Observed
        >>> step = Told("step", Observed("int"))
        >>> outside_choices("Go one `step` (-1 or 1) on.", [step], [("[1]", "0"), ("[2]", "0")])
        ['`step` is -1 or 1 in words, and 2 in a case']
        >>> side = Told("side", Observed("str"), meaning="one of left/right")
        >>> outside_choices("", [side], [('["left"]', "0"), ('["a"]', "0")])
        ['`side` is left/right in words, and "a" in a case']
    """
    known = {str(place): each for place, each in enumerate(told)} | {each.name: each for each in told}
    named = {
        each.name: (text, values) for each in told if not each.variadic for text, values in _named(docstring, each)
    }
    found: dict[str, str] = {}
    for arguments, _ in cases if named else ():
        for place, value in given(arguments).items():
            name = known[place].name if place in known else ""
            if name in named and name not in found and value not in named[name][1]:
                shown = json.dumps(value, ensure_ascii=False)
                found[name] = f"`{name}` is {named[name][0]} in words, and {shown} in a case"
    return list(found.values())


def _named(docstring: str, told: Told) -> list[tuple[str, list[object]]]:
    """The list of values that words give a parameter, as written and as values; its default is among them."""
    behind = re.search(rf"[`*]{re.escape(told.name)}[`*]+\s*\((?P<list>{_LIST})\)", docstring)
    default = [told.value] if told.default else []
    if said := behind or _SAID.search(told.meaning):
        try:
            values: list[object] = [ast.literal_eval(each.strip("`")) for each in re.findall(_VALUE, said["list"])]
        except NO_LITERAL:
            # As a month that is written `01`: nobody says whether a number or a text is meant.
            return []
        return [(said["list"], [*values, *default])]
    plain = _STROKES.search(told.meaning) or _COMMAS.search(told.meaning)
    words: list[str] = re.findall(rf"\b(?!(?:or|and)\b){_PLAIN}", plain["list"]) if plain else []
    return [(plain["list"], [*words, *default])] if plain and not _KINDS.intersection(words) else []


__all__ = ["outside_choices"]
