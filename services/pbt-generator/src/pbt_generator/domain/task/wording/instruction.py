"""What a solver is told: signature, docstring, observed rules and examples; never the implementation."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Sequence

from pbt_generator.domain.oracle.syntax import entry_function
from pbt_generator.domain.task.wording.observed import Observed, words
from pbt_generator.domain.task.wording.prose import Prose
from pbt_generator.domain.task.wording.told import Told, calling_rules

_EXAMPLES = "Examples, as JSON"
# Words of Python's own and what a reader of any language calls the same, singular and plural. A list is none of them: a
# text may hold "a list of pages".
_PYTHON_WORDS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"\btuple(s?)\b", re.IGNORECASE), "sequence", "sequences"),
    # Words are in dictionary order, whatever holds them.
    (re.compile(r"\bdict(?:ionary)?(s?)\b(?! order)", re.IGNORECASE), "map", "maps"),
    (re.compile(r"\bdictionarie(s)\b", re.IGNORECASE), "map", "maps"),
    (re.compile(r"\bstr()\b"), "text", "text"),
)
_VALUES: tuple[tuple[re.Pattern[str], str], ...] = (
    # None of the items is no value.
    (re.compile(r"\bNone\b(?! of\b)"), "nothing (null)"),
    (re.compile(r"\bTrue\b"), "true"),
    (re.compile(r"\bFalse\b"), "false"),
)
# Behind these a word is spoken of as a word.
_AS_WORD = re.compile(
    r"\b(?:words?|texts?|strings?|literals?|names?|letters|labels?|spelled|written(?: as)?)\s+\Z", re.IGNORECASE
)
_VALUES_AS_CODE = {"`None`": "nothing (null)", "`True`": "true", "`False`": "false"}
_CODE = re.compile(r"(`[^`]*`|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|\b(?:list|tuple|dict|str)\(\))")
MAP_ORDER = (
    "The entries of every map are given in ascending order of their keys, integers first and by value, texts by code "
    "point, and the result depends on it: this order is meant wherever the order of a map's entries is spoken of."
)
_NOTATIONS = {
    "map": '`{"$":"map","v":[[key,value],…]}` is a map whose keys are not texts',
    "tuple": '`{"$":"tuple","v":[…]}` is a sequence of fixed length',
    "set": '`{"$":"set","v":[…]}` is a set',
    "bytes": '`{"$":"bytes","v":…}` are bytes, written in base64',
    "float": '`{"$":"float","v":…}` is a number that is not finite',
}
# What they hold is for annotations.
_NOTES = ("__future__", "typing", "typing_extensions")
_DOCTEST = re.compile(r"^\s*(?:>>>|\.\.\.)")


def compose(
    entry_point: str,
    kind: str,
    prose: Prose,
    parameters: Sequence[Told],
    result: Observed,
    cases: Sequence[tuple[str, str]],
    values: Sequence[str] = (),
    libraries: Sequence[str] = (),
    rules: Sequence[str] = (),
    refused: Sequence[str] = (),
    own: Collection[str] = (),
) -> str:
    """The instruction of a task, without a model's help.

    SC tasks get words that belong to no language; what the docstring gives as examples stays as it stands.

    Args:
        entry_point: The function's name.
        kind: "SC" or "WSC".
        prose: What its author wrote.
        parameters: What is told of each.
        result: Observed type of the result.
        cases: Examples: arguments and result as portable texts.
        values: What values decide that stand nowhere else, a sentence each.
        libraries: What a WSC solution may import.
        rules: What else decides the result, a sentence each.
        refused: Inputs that raise an error, as portable texts; they are not among the cases.
        own: Texts that the program writes down: such a word may stand for itself.
    """
    portable = kind == "SC"
    maps = any(map(_holds_maps, (result, *(each.seen for each in parameters))))

    def worded(text: str) -> str:
        return neutral(text, own, maps=maps) if portable and not prose.neutral else text

    parts = [f"Write a function named `{entry_point}`."]
    if prose.text:
        told = worded(prose.text)
        parts.append(told[:1].upper() + told[1:])
    lines = [_parameter(each, worded, portable=portable) for each in parameters]
    returns = f". {_sentence(worded(prose.returns))}" if prose.returns else ""
    parts.append("Parameters:\n" + "\n".join(lines) + f"\n\nResult: {words(result)}{returns}")
    parts.extend([*calling_rules(parameters, portable=portable), *rules, *values])
    if cases:
        parts.append(_shown(_lines(cases)))
    if refused or prose.raises:
        parts.append(_refused([worded(each) for each in prose.raises], refused))
    usable = [library for library in libraries if library not in _NOTES]
    if usable and not portable:
        parts.append(f"You may use: {', '.join(usable)}.")
    return "\n\n".join(parts)


def _lines(cases: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"- `{visible(arguments)}` gives `{visible(expected)}`" for arguments, expected in cases)


def _shown(lines: str) -> str:
    return f"{_EXAMPLES} (arguments in order, then the result{_notation(lines)}):\n{lines}"


def with_examples(instruction: str, cases: Sequence[tuple[str, str]]) -> str:
    """An instruction with further examples behind its own; it stays as it is where it shows them all.

    Example:
        >>> print(with_examples("Twice it.\\n\\nYou may use: math.", [("[1]", "2")]))
        Twice it.
        <BLANKLINE>
        You may use: math.
        <BLANKLINE>
        Examples, as JSON (arguments in order, then the result):
        - `[1]` gives `2`
    """
    lines = [line for line in _lines(cases).splitlines() if line not in instruction.splitlines()]
    if not lines:
        return instruction
    parts = instruction.split("\n\n")
    own = next((place for place, part in enumerate(parts) if part.startswith(_EXAMPLES)), None)
    if own is None:
        return "\n\n".join([*parts, _shown("\n".join(lines))])
    parts[own] = _shown("\n".join([*parts[own].splitlines()[1:], *lines]))
    return "\n\n".join(parts)


def without_examples(instruction: str) -> str:
    """An instruction without its cases; examples that an author wrote stay.

    Example:
        >>> without_examples(with_examples("Twice it.", [("[1]", "2")]))
        'Twice it.'
    """
    return "\n\n".join(part for part in instruction.split("\n\n") if not part.startswith(_EXAMPLES))


def _parameter(told: Told, worded: Callable[[str], str], *, portable: bool) -> str:
    notes = [words(told.seen)]
    if told.variadic:
        notes = [f"any number of further arguments, together {words(told.seen)}"]
    if told.named and not portable:
        notes.append("given by name")
    if told.default:
        notes.append(f"default {told.shown(portable=portable)}")
    meaning = f". {_sentence(worded(told.meaning))}" if told.meaning else ""
    return f"- `{told.name}`: {', '.join(notes)}{meaning}"


def _refused(conditions: Sequence[str], inputs: Sequence[str]) -> str:
    """That some inputs are refused, such inputs, and when that is.

    Example:
        >>> _refused(["if it is negative"], [])
        'Inputs that are refused with an error are not among the cases. An error is raised: if it is negative.'
    """
    shown = f", such as {', '.join(f'`{visible(text)}`' for text in inputs)}," if inputs else ""
    when = f" An error is raised: {'; '.join(' '.join(each.split()) for each in conditions)}." if conditions else ""
    return f"Inputs that are refused with an error{shown} are not among the cases.{when}"


def _sentence(text: str) -> str:
    """Words of a section as a sentence on one line."""
    joined = " ".join(text.split())
    return joined[:1].upper() + joined[1:] if joined[:1].islower() and joined[1:2].islower() else joined


def visible(text: str) -> str:
    r"""A portable text in which every character can be seen: what does not print, or joins its neighbour, is escaped.

    Example:
        >>> visible('["a\u0080 b"]')
        '["a\\u0080 b"]'
    """
    return "".join(
        json.dumps(character)[1:-1]
        if not character.isprintable() or unicodedata.category(character) in ("Mn", "Me")
        else character
        for character in text
    )


def _notation(shown: str) -> str:
    """How values are written that JSON does not have, where examples hold some."""
    kinds = dict.fromkeys(re.findall(r'\{"\$":"(\w+)"', shown))
    notes = [_NOTATIONS[kind] for kind in kinds if kind in _NOTATIONS]
    others = [kind for kind in kinds if kind not in _NOTATIONS]
    if others:
        notes.append(f'`{{"$":…}}` is a value of the kind that it names ({", ".join(others)})')
    return "".join(f"; {note}" for note in notes)


def _holds_maps(seen: Observed) -> bool:
    parts = [seen.item, *seen.parts, *(each.value for each in seen.entries)]
    return seen.name == "map" or "map" in seen.kinds or any(_holds_maps(part) for part in parts if part is not None)


def neutral(docstring: str, own: Collection[str] = (), *, maps: bool = True) -> str:
    """The docstring in words of no language; examples and code stay verbatim.

    Args:
        docstring: The words.
        own: Texts that the program writes down: such a word may stand for itself, and stays.
        maps: Cases hold maps; where they hold none, a dictionary is one of words.

    Example:
        >>> neutral("The word None, or None."), neutral("None for no entry.", ["None"])
        ('The word None, or nothing (null).', 'None for no entry.')
        >>> neutral("A dict of names."), neutral("A dictionary of names.", maps=False)
        ('A map of names.', 'A dictionary of names.')
    """
    lines: list[str] = []
    in_example = False
    for line in docstring.splitlines():
        in_example = bool(_DOCTEST.match(line)) or (in_example and bool(line.strip()))
        lines.append(line if in_example else _replaced(line, own, maps=maps))
    return "\n".join(lines)


def _replaced(line: str, own: Collection[str], *, maps: bool) -> str:
    # What stands in backticks or quotes is code or a value, and stays.
    return "".join(
        _VALUES_AS_CODE.get(part, part) if place % 2 else _in_words(part, own, maps=maps)
        for place, part in enumerate(_CODE.split(line))
    )


def _in_words(part: str, own: Collection[str], *, maps: bool) -> str:
    def put(one: str, many: str) -> Callable[[re.Match[str]], str]:
        def neutral(match: re.Match[str]) -> str:
            itself = match[0] in own or _AS_WORD.search(match.string[: match.start()])
            return match[0] if itself else many if match.lastindex and match[1] else one

        return neutral

    for pattern, text in _VALUES:
        part = pattern.sub(put(text, text), part)
    for pattern, one, many in _PYTHON_WORDS:
        if maps or one != "map":
            part = pattern.sub(put(one, many), part)
    return part


def own_parameters(source: str, entry_point: str) -> tuple[list[str], list[str]]:
    """Names of a ground truth's parameters: those that have a place, in order, and the other ones."""
    arguments = entry_function(source, entry_point).args
    others = [arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    return (
        [each.arg for each in (*arguments.posonlyargs, *arguments.args)],
        [each.arg for each in others if each is not None],
    )
