"""Where an author's words and the cases disagree: examples, kinds of arguments and results, defaults."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from pbt_generator.domain.inputs.inference.docstrings import example_calls, read_docstring
from pbt_generator.domain.oracle.syntax import NO_LITERAL
from pbt_generator.domain.task.wording.observed import Observed, words
from pbt_generator.domain.task.wording.told import Told

_Encode = Callable[[object], "str | None"]

# What authors call a kind, and what cases may hold then.
_NUMBERS = frozenset({"int", "float"})
_KINDS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("int", "integer", "long"), frozenset({"int"})),
    **dict.fromkeys(("float", "double", "number", "numeric", "real"), _NUMBERS),
    **dict.fromkeys(("str", "string", "unicode", "basestring", "text"), frozenset({"text"})),
    **dict.fromkeys(("bool", "boolean"), frozenset({"bool"})),
    **dict.fromkeys(("list", "tuple"), frozenset({"list"})),
    **dict.fromkeys(("dict", "dictionary", "mapping"), frozenset({"map"})),
}
_NOTHING = frozenset({"none", "nonetype", "optional"})
_PARTS = re.compile(r"\s*(?:\||,|/|\bor\b)\s*")
_RTYPE = re.compile(r"^\s*[:@]rtype\s*:\s*(?P<type>.+)$", re.MULTILINE)
_GOOGLE_RETURN = re.compile(r"^[ \t]*Returns?:[ \t]*\n[ \t]+(?P<type>[A-Za-z][\w \[\],.|]*?):[ \t]", re.MULTILINE)
_NUMPY_RETURN = re.compile(
    r"^[ \t]*Returns?[ \t]*\n[ \t]*-{3,}[ \t]*\n[ \t]*(?:\w+[ \t]*:[ \t]*)?(?P<type>[\w ,|.]+)$", re.M
)
_RETURNS_A = re.compile(
    r"\breturns?\s+(?:an?|the)\s+(?:new|sorted|flat|single|plain|python)?\s*"
    r"(?P<type>list|tuple|dict|dictionary|string|str|integer|int|float|bool|boolean)\b(?!\s*[-/]|\s+(?:or|and)\b)",
    re.IGNORECASE,
)
# Kinds of moments that a text may promise, as values of them are called.
_SAYS_MOMENT = re.compile(
    r"\b(?:into|to|returns?|gives?|creates?|builds?)\s+(?:an?|the)\s+(?:\w+\s+)?`*(?P<kind>datetime|date|time|timedelta)`*"
    r"(?:\s+objects?)?(?=[\s.,;]|$)(?!\s+(?:string|text|format|or)\b)",
    re.IGNORECASE,
)
# A section or field on what is yielded: the result is a sequence then.
_YIELDS = re.compile(r"^[ \t]*(?:Yields?[ \t]*(?::[ \t]*$|\n[ \t]*-{3,})|[:@]yields?\b[^:\n]*:)", re.MULTILINE)
_MOMENTS = frozenset({"datetime", "date", "time", "timedelta"})
_SAYS_TRUTH = re.compile(
    r"\A\W*(?:(?:return|returns)\s+)?(?:`*true`*\s+(?:if|when|for|only)|whether\b|(?:check|checks|test|tests|determine|"
    r"determines|tell|tells)\s+(?:if|whether)\b(?![^.]*\b(?:and|then|else|otherwise)\b))",
    re.IGNORECASE,
)
_SAYS_FLAG = re.compile(r"\b(?:bool|boolean|true|false|whether|if|flag|when)\b", re.IGNORECASE)
# Names of what is counted, measured or read: it is no truth value.
_NO_FLAG = re.compile(
    r"(?:^|_)(?:n|num|number|count|index|idx|size|length|len|width|height|weekday|month|year|hours?|minutes?|seconds?|days?"
    r"|limit|amount|offset|position|pos|age|level|depth|text|string|str|name|path|url|items|values|list|dict|prefix"
    r"|suffix|sep|separator|delimiter|pattern|format|fmt|date|datetime|timestamp|version|id)$"
)
# So many kinds of values at one place are all that were tried.
_EVERY_KIND = 4
# Words by which an author lets a parameter be whatever it is.
_SAYS_ANY = re.compile(r"\b(?:any|anything|arbitrary|whatever|all types|every type)\b", re.IGNORECASE)
# Of what an author says that a sequence is.
_SAYS_ITEMS = re.compile(
    r"\b(?:lists?|tuples?|iterables?|sequences?|sets?|collections?|arrays?)[`*]*\s+of\s+[`*]*(?P<type>[A-Za-z]+?)[`*]*s?\b",
    re.IGNORECASE,
)
_DEFAULT = re.compile(
    r"\bdefaults?\s*(?:to|is|:|=|value(?:\s+is)?)?\s*`*(?P<value>-?\d+(?:\.\d+)?|True|False|None|'[^']*'|\"[^\"]*\")`*(?![\w.]*\w)"
)


def contradictions(
    docstring: str, entry_point: str, results: Mapping[str, str], encode: _Encode, parameters: Sequence[str] = ()
) -> list[str]:
    """Examples of a docstring whose printed result is not what the case of the same arguments holds.

    Args:
        docstring: As written.
        entry_point: The function's name.
        results: Results by arguments, as portable texts.
        encode: The portable text of a value; None for one that has none.
        parameters: Names of the parameters in order, for examples that give some by name.
    """
    read = read_docstring(docstring)
    found: list[str] = []
    for call, wanted in zip(read.calls, read.wanted, strict=True):
        arguments = example_calls((call,), entry_point)
        if len(arguments) != 1 or not call.startswith(f"{entry_point}("):
            continue
        placed = _placed(*arguments[0], parameters)
        given = encode(placed) if placed is not None else None
        expected = results.get(given) if given is not None else None
        if expected is None:
            continue
        if wanted.startswith("Traceback (most recent call last)"):
            found.append(f"`{call}`")
            continue
        try:
            value: object = ast.literal_eval(wanted)
        except NO_LITERAL:
            continue
        if encode(value) not in (None, expected):
            found.append(f"`{call}`")
    return found


def _placed(places: list[object], named: Mapping[str, object], parameters: Sequence[str]) -> list[object] | None:
    """Arguments in their places; None where one that is given by name has no place next to the others."""
    rest = parameters[len(places) :]
    if not set(named) <= set(rest[: len(named)]):
        return None
    return [*places, *(named[name] for name in rest[: len(named)])]


def disagreements(docstring: str, told: Sequence[Told], result: Observed) -> list[str]:
    """What words say of kinds and defaults and cases do not show, a phrase each.

    Args:
        docstring: As written.
        told: The parameters as the cases show them.
        result: The results as the cases show them.

    Example:
        >>> disagreements("Step on.\\n\\n:param int n: days", [Told("n", Observed("bool"))], Observed("int"))
        ['`n` is an int in words, and a truth value in the cases']
    """
    types = read_docstring(docstring).types
    found: list[str] = []
    for each in told:
        named = types.get(each.name, "")
        if _differs(named, each.seen):
            found.append(f"`{each.name}` is {_a(named)} in words, and {words(each.seen)} in the cases")
        elif each.seen.name == "bool" and _is_no_flag(each, docstring):
            found.append(f"`{each.name}` sounds like a value, and is a truth value in the cases")
        found.extend(_unlike(each, named))
        found.extend(f"`{each.name}` has {key}, of which the cases show no kind" for key in _kindless(each.seen))
        said = _DEFAULT.search(each.meaning)
        if said and each.default and not _same(said["value"], each.default):
            found.append(f"the default of `{each.name}` is {said['value']} in words, and {each.default} in the head")
    text = inspect.cleandoc(docstring)
    returned = next((match["type"] for form in (_RTYPE, _GOOGLE_RETURN, _NUMPY_RETURN, _RETURNS_A)
                     if (match := form.search(text))), "")  # fmt: skip
    if _differs(returned, result):
        found.append(f"the result is {_a(returned)} in words, and {words(result)} in the cases")
    elif _YIELDS.search(text) and result.name not in ("list", "any"):
        found.append(f"it says what it yields, and the result is {words(result)}")
    elif result.name == "other" and result.kinds[0] in _MOMENTS and (promised := _SAYS_MOMENT.findall(text)):
        if result.kinds[0] not in {each.lower() for each in promised}:
            found.append(f"the result is a {promised[-1].lower()} in words, and {words(result)} in the cases")
    elif not _kinds(returned) and _SAYS_TRUTH.match(text) and result.name not in ("bool", "any", "other"):
        found.append(f"the result is a truth value in words, and {words(result)} in the cases")
    return found


def _unlike(told: Told, named: str) -> list[str]:
    """What the name of a parameter or its author's words on what it holds say, and cases do not show."""
    sounds = told.name.strip("_").lower()
    if sounds in _KINDS and not _kinds(named) and told.seen.name != "bool" and _differs(sounds, told.seen):
        return [f"`{told.name}` sounds like {_a(sounds)}, and is {words(told.seen)} in the cases"]
    said = _SAYS_ITEMS.search(f"{named} {told.meaning}")
    item = told.seen.item
    if said and item is not None and told.seen.name == "list" and (kinds := _kinds(said["type"])):
        seen = set(item.kinds) if item.name == "any" else {item.name}
        if seen and not seen - {"other", "none"} <= kinds:
            return [f"`{told.name}` holds {said['type']} in words, and {words(item)} in the cases"]
    open_to_all = _SAYS_ANY.search(f"{named} {told.meaning}") or "object" in named.lower() or _kinds(named)
    if len(told.seen.kinds) >= _EVERY_KIND and not open_to_all:
        return [f"`{told.name}` is of every kind in the cases, and nobody said of which"]
    return []


def _kindless(seen: Observed) -> list[str]:
    """Entries of a record that hold values of every kind: nobody said what they are, and cases were drawn at random."""
    inside = [key for part in (seen.item, *seen.parts) if part is not None for key in _kindless(part)]
    return [f'"{entry.name}"' for entry in seen.entries if len(entry.value.kinds) >= _EVERY_KIND] + inside


def _differs(named: str, seen: Observed) -> bool:
    """Whether values are of none of the kinds that a text names; what it names beside kinds leaves that open."""
    kinds = _kinds(named)
    return (
        bool(kinds) and seen.name not in ("any", "other", "none") and seen.name not in kinds and not _whole(kinds, seen)
    )


def _whole(kinds: Iterable[str], seen: Observed) -> bool:
    return "float" in kinds and seen.name == "int"


def _kinds(named: str) -> frozenset[str]:
    """What a text of a type allows; nothing where a part of it is no kind that is known.

    Example:
        >>> sorted(_kinds("int or None, optional")), sorted(_kinds("list of str")), sorted(_kinds("Color"))
        (['int'], ['list'], [])
    """
    found: set[str] = set()
    # What is inside of brackets says of what a sequence is.
    bare = re.sub(r"\[.*\]|\bof\b[^|]*$", "", named.strip().strip("`:*"))
    for part in filter(None, _PARTS.split(bare.lower())):
        word = part.strip(" `:.*~")
        if word in _NOTHING or word.startswith("default"):
            continue
        if word not in _KINDS:
            return frozenset()
        found |= _KINDS[word]
    return frozenset(found)


def _is_no_flag(told: Told, docstring: str) -> bool:
    if told.default in ("True", "False") or not _NO_FLAG.search(told.name.lower()):
        return False
    return not _SAYS_FLAG.search(told.meaning) and not re.search(
        rf"\b(?:if|whether|when)\s+(?:the\s+)?[`*]*{re.escape(told.name)}\b", docstring
    )


def _same(said: str, default: str) -> bool:
    try:
        return bool(ast.literal_eval(said) == ast.literal_eval(default))
    except NO_LITERAL:
        return True


def _a(named: str) -> str:
    bare = " ".join(named.split()).strip("`: ")
    return f"{'an' if bare[:1].lower() in 'aeiou' else 'a'} {bare}"
