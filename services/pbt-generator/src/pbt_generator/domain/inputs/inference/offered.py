"""Values that words offer for a parameter: "a string like '#000000'", "e.g. 0.75", quoted texts beside its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pbt_generator.domain.inputs.fitting import fits
from pbt_generator.domain.inputs.inference.docstrings import Docstring, read_docstring
from pbt_generator.domain.inputs.shapes import InputShape, ListShape, ParameterShape, TextShape, options_of
from pbt_generator.domain.oracle.syntax import NO_LITERAL, entry_function

# Of a parameter; who lists more describes a table.
_MOST = 8
_LITERAL = r"\"[^\"\n]{1,80}\"|'[^'\n]{1,80}'|\[[^\[\]\n]{1,80}\]|\{[^{}\n]{1,80}\}|-?\d+(?:\.\d+)?(?![\w.:/-]*\w)"
_OPENED = r"(?:``?)?"
_LIKE = re.compile(
    r"\b(?:like|such\s+as|e\.?\s?g\b\.?|for\s+(?:example|instance))\s*[,:]?\s*(?:an?\s+|the\s+)?"
    rf"(?P<all>{_OPENED}(?:{_LITERAL}){_OPENED}(?:\s*(?:,\s*(?:or\b|and\b)?|\bor\b|\band\b|/)\s*"
    rf"{_OPENED}(?:{_LITERAL}){_OPENED})*)",
    re.IGNORECASE,
)
_EACH = re.compile(_LITERAL)
_QUOTED = re.compile(r"(?<![\w'\"])(?:\"[^\"\n]{1,60}\"|'[^'\n]{1,60}')(?![\w'\"])")
_DIGIT = re.compile(r"[0-9]")
# What is said of the result offers no argument.
_OF_RESULT = re.compile(
    r"^\s*(?::returns?:?|@returns?|:rtype|returns?\b|yields?\b|raises?\b|:raises?\b)", re.IGNORECASE
)


def offered_values(source: str, entry_point: str, shape: InputShape) -> dict[str, tuple[object, ...]]:
    """By the name of a parameter the values that the docstring offers for it; those without any are left out.

    What stands in words on no parameter is offered where one parameter alone takes such a value.

    Args:
        source: The ground truth.
        entry_point: The function's name.
        shape: Its parameters: a value of a kind that none takes is offered for none.

    Example:
        >>> from pbt_generator.domain.inputs.shapes import IntShape
        >>> text = 'def f(dm):\\n    "Reads degrees (eg, \\'12319.94\\' = 123 degrees)."\\n'
        >>> offered_values(text, "f", InputShape((ParameterShape("dm", TextShape()),)))
        {'dm': ('12319.94',)}
        >>> offered_values(text, "f", InputShape((ParameterShape("dm", IntShape()),)))
        {}
    """
    written = ast.get_docstring(entry_function(source, entry_point)) or ""
    docs = read_docstring(written)
    names = {each.name for each in shape.parameters}
    found: dict[str, dict[str, object]] = {}
    for parameter in shape.parameters:
        own = docs.words.get(parameter.name, "")
        _offer(found, parameter, [*_like(own), *_quoted(own)], names)
    for value in _like(_general(written, docs)):
        takers = [each for each in shape.parameters if _takes(each, value)]
        if len(takers) == 1:
            _offer(found, takers[0], [value], names)
    return {name: tuple(values.values())[:_MOST] for name, values in found.items()}


def _offer(
    found: dict[str, dict[str, object]], parameter: ParameterShape, values: Iterable[object], names: Collection[str]
) -> None:
    for value in values:
        # The name of a parameter is spoken of, not given.
        if not (isinstance(value, str) and value in names) and _takes(parameter, value):
            found.setdefault(parameter.name, {}).setdefault(repr(value), value)


def _takes(parameter: ParameterShape, value: object) -> bool:
    return not parameter.variadic and fits(value, parameter.shape)


def _general(written: str, docs: Docstring) -> str:
    """The words without those on one parameter, on the result and on errors, and without examples as code."""
    own = " ".join(docs.words.values())
    kept = (
        line
        for line in written.splitlines()
        if not _OF_RESULT.match(line) and ">>>" not in line and (not line.strip() or line.strip() not in own)
    )
    return re.sub(r"(?s)\n\s*(?:Returns?|Yields?|Raises)\s*:?\s*\n.*", "\n", "\n".join(kept) + "\n")


def _like(words: str) -> Iterator[object]:
    for said in _LIKE.finditer(words):
        yield from _values(_EACH.findall(said["all"]))


def _quoted(words: str) -> Iterator[object]:
    # What a default is, the head says.
    yield from _values(_QUOTED.findall(re.sub(r"(?i)\bdefaults?\b.{0,12}", "", words)))


def _values(literals: Sequence[str]) -> Iterator[object]:
    for literal in literals:
        try:
            yield ast.literal_eval(literal)
        except NO_LITERAL:
            continue


def signs_of(values: Iterable[object]) -> str:
    """The signs that the texts among some values hold: an ordinary text beside them may hold these too.

    Example:
        >>> signs_of(["#000000", 5, "a.b"])
        '#.'
    """
    texts = (value for value in values if isinstance(value, str))
    return "".join(sorted({each for text in texts for each in text if each.isprintable() and not each.isalnum()}))


def is_offered(value: object, offered: Iterable[object]) -> bool:
    """Whether a value is one that was offered, or has the same signs at the same places with other digits.

    Example:
        >>> [is_offered(each, ["#000000"]) for each in ("#000000", "#250417", "#000", 5)]
        [True, True, False, False]
    """
    return any(_serves(value, other) for other in offered)


def _serves(value: object, other: object) -> bool:
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    if isinstance(value, str) and isinstance(other, str):
        return value == other or (bool(_DIGIT.search(other)) and _DIGIT.sub("0", value) == _DIGIT.sub("0", other))
    # A whole number may stand for one with a fraction.
    return value == other


def offered_texts(shape: InputShape, offered: Mapping[str, Sequence[object]]) -> list[str]:
    """The texts that are offered for any parameter, with those that the program compares with and plain defaults."""
    found = [value for values in offered.values() for value in values if isinstance(value, str)]
    for parameter in shape.parameters:
        found += [value for value in parameter.default if isinstance(value, str)]
        for option in options_of(parameter.shape):
            held = option.element if isinstance(option, ListShape) else option
            found += held.hints if isinstance(held, TextShape) else ()
    return found


__all__ = ["is_offered", "offered_texts", "offered_values", "signs_of"]
