"""A model's rewording of an instruction: values, names, kinds and cases stand in it as they stood, and no others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbt_generator.domain.task.wording.instruction import without_examples
from pbt_generator.domain.task.wording.mentions import unmentioned
from pbt_generator.domain.task.wording.observed import Observed, words
from pbt_generator.domain.task.wording.told import Told

_LISTED = re.compile(r"^\s*\d+[.)]\s+", re.MULTILINE)
_VALUE = re.compile(
    r"`+(?P<code>[^`\n]+)`+|\"(?P<double>[^\"\n]+)\"|(?<!\w)'(?P<single>[^'\n]+)'(?!\w)"
    r"|(?<![\w.])(?P<number>-?\d+(?:\.\d+)?)(?!\w)|^\s*(?P<example>>>>.+)$",
    re.MULTILINE,
)
# What readers call a kind of values; each row is one kind.
_KINDS = tuple(
    re.compile(rf"\b(?:{names})\b", re.IGNORECASE)
    for names in (
        r"texts?|strings?",
        r"(?:sequence|list|array|tuple)s?",
        r"(?:map|dictionar(?:y|ie)|object)s?",
        r"sets?",
        r"truth values?|booleans?|bools?|flags?|true|false",
        r"integers?|whole numbers?|ints?",
        r"bytes",
        r"dates?|datetimes?",
    )
)


def with_facts(own: str, new: str, told: Sequence[Told], result: Observed, rules: Sequence[str]) -> str | None:
    """A model's rewording with the facts that it left out; None where it lost a value or says one that nobody told.

    Cases stand as they stood, and what a model writes in their place goes. Its words may be wrong all the same: that is
    seen by a program that is written from them.

    Args:
        own: The instruction.
        new: The same in a model's words.
        told: The parameters.
        result: The results as the cases show them.
        rules: What else decides the result, a sentence each.

    Example:
        >>> number, step = Observed("int"), Told("by", Observed("int"))
        >>> with_facts("Give `by` and 5, an integer.", "Add 5 to the integer `by`: an integer.", [step], number, [])
        'Add 5 to the integer `by`: an integer.'
        >>> with_facts("Give `by` and 5, an integer.", "Add 6 to the integer `by`: an integer.", [step], number, [])
    """
    plain = without_examples(own)
    shown = [part for part in own.split("\n\n") if part not in plain.split("\n\n")]
    cases = [line.removeprefix("- ") for part in shown for line in part.splitlines()[1:]]
    parts = [
        part
        for part in new.split("\n\n")
        if part in shown or (without_examples(part) and not any(case in part for case in cases))
    ]
    said = without_examples("\n\n".join(parts))
    if unmentioned(_values(plain), said) or unmentioned(_values(said), plain):
        return None
    if any(kind.search(said) and not kind.search(plain) for kind in _KINDS):
        return None
    kinds = [f"`{each.name}`: {words(each.seen)}." for each in told if words(each.seen) not in said]
    kinds += [f"Result: {words(result)}."] if words(result) not in said else []
    lacking = ["\n".join(kinds), *rules, *shown]
    return "\n\n".join([*parts, *(fact for fact in lacking if fact and fact not in parts and fact not in said)])


def _values(text: str) -> list[str]:
    """What stands in a text as code, in quotes or as a number."""
    return [next(filter(None, each.groups())) for each in _VALUE.finditer(_LISTED.sub("", text))]


__all__ = ["with_facts"]
