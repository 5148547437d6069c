"""Where an author's words and the cases disagree: examples, kinds of arguments and results, defaults."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from pbt_generator.domain.inputs.inference.docstrings import read_docstring
from pbt_generator.domain.oracle.syntax import NO_LITERAL, is_call_of
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

# What an example prints is not what the call gives, letter by letter.
_INEXACT = re.compile(r"#\s*doctest:.*\+(?:SKIP|ELLIPSIS|NORMALIZE_WHITESPACE)")


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
    known: dict[str, object] = {}
    # Names that stand for what a call gave, as portable texts.
    given: dict[str, str] = {}
    for source, wanted in zip(read.calls, read.wanted, strict=True):
        if _INEXACT.search(source):
            continue
        try:
            body = ast.parse(source).body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
        for statement in body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    known.pop(name, None)
                    given.pop(name, None)
                    if (result := _result(value, entry_point, known, results, encode, parameters)) is not None:
                        given[name] = result
                    elif (literal := _value(value, known)) is not None:
                        known[name] = literal[0]
                case ast.Expr(value=value) if statement is body[-1]:

                    def result_of(node: ast.expr) -> str | None:
                        if isinstance(node, ast.Name):
                            return given.get(node.id)
                        return _result(node, entry_point, known, results, encode, parameters)

                    if _is_another(value, wanted, result_of, encode):
                        found.append(f"`{source}`")
                case _:
                    # What else a statement does to names is not followed.
                    for node in ast.walk(statement):
                        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                            known.pop(node.id, None)
                            given.pop(node.id, None)
            for name in _changeable(statement):
                if isinstance(known.get(name), (list, dict, set)):
                    del known[name]
                if given.get(name, "").startswith(("[", "{")):
                    del given[name]
    return found


def _changeable(statement: ast.stmt) -> set[str]:
    """Names of which a statement may change what is in them: any but those that it only shows, or gives a value."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[ast.Name()], keywords=[]) | ast.Name()):
            return set()
        case ast.Expr(value=ast.Compare(left=ast.Name(), comparators=[other])):
            read = ast.walk(other)
        case ast.Assign(targets=[ast.Name()], value=value):
            read = ast.walk(value)
        case _:
            read = ast.walk(statement)
    return {node.id for node in read if isinstance(node, ast.Name)}


def _is_another(shown: ast.expr, wanted: str, result_of: Callable[[ast.expr], str | None], encode: _Encode) -> bool:
    """Whether an example prints something else than what the case holds; not where it does more than to show it."""
    match shown:
        case ast.Call(func=ast.Name(id="print"), args=[call], keywords=[]):
            expected = result_of(call)
            if expected is not None and expected.startswith('"'):
                plain = wanted.replace("<BLANKLINE>", "")
                return "..." not in wanted and plain.strip() != str(json.loads(expected)).strip()
        case ast.Compare(left=call, ops=[ast.Eq() | ast.NotEq() as op], comparators=[other]):
            expected, literal = result_of(call), _value(other, {})
            if expected is None or literal is None or wanted not in ("True", "False"):
                return False
            same = encode(literal[0]) in (None, expected)
            return encode(literal[0]) is not None and (same is isinstance(op, ast.Eq)) is not (wanted == "True")
        case _:
            expected = result_of(shown)
    if expected is None:
        return False
    if wanted.startswith("Traceback (most recent call last)"):
        return True
    literal = _literal(wanted)
    return literal is not None and encode(literal[0]) not in (None, expected)


def _result(
    node: ast.expr, entry_point: str, known: Mapping[str, object], results: Mapping[str, str], encode: _Encode,
    parameters: Sequence[str],
) -> str | None:  # fmt: skip
    """What the case of a call holds; None for what is no call of the function, or for which no case is known."""
    # A method of that name may be another one.
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not is_call_of(node, entry_point):
        return None
    places = [_value(each, known) for each in node.args]
    named = {each.arg: _value(each.value, known) for each in node.keywords}
    if None in places or None in named or None in named.values():
        return None
    values = {str(name): value[0] for name, value in named.items() if value is not None}
    placed = _placed([value[0] for value in places if value is not None], values, parameters)
    given = encode(placed) if placed is not None else None
    return results.get(given) if given is not None else None


def _value(node: ast.expr, known: Mapping[str, object]) -> tuple[object] | None:
    """The value of a literal, or of a name for one; None for another expression."""
    if isinstance(node, ast.Name) and node.id in known:
        return (known[node.id],)
    return _literal(node)


def _literal(source: ast.expr | str) -> tuple[object] | None:
    try:
        return (ast.literal_eval(source),)
    except NO_LITERAL:
        return None


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
        if _differs(named, each.seen) or _partly(named, each.seen, {"bool"}):
            found.append(f"`{each.name}` is {_a(named)} in words, and {words(each.seen)} in the cases")
        elif each.seen.name == "bool" and _is_no_flag(each, docstring):
            found.append(f"`{each.name}` sounds like a value, and is a truth value in the cases")
        found.extend(_unlike(each, named))
        found.extend(f"`{each.name}` has {key}, of which the cases show no kind" for key in _kindless(each.seen))
        said = _DEFAULT.search(each.meaning)
        if said and each.default and not _same(said["value"], each.default):
            found.append(f"the default of `{each.name}` is {said['value']} in words, and {each.default} in the head")
    text = inspect.cleandoc(docstring)
    stated = next((match["type"] for form in (_RTYPE, _GOOGLE_RETURN, _NUMPY_RETURN)
                   if (match := form.search(text))), "")  # fmt: skip
    spoken = _RETURNS_A.search(text)
    returned = stated or (spoken["type"] if spoken else "")
    if _differs(returned, result) or _partly(stated, result):
        found.append(f"the result is {_a(returned)} in words, and {words(result)} in the cases")
    elif _YIELDS.search(text) and result.name not in ("list", "any"):
        found.append(f"it says what it yields, and the result is {words(result)}")
    elif result.name == "other" and result.kinds[0] in _MOMENTS and (promised := _SAYS_MOMENT.findall(text)):
        if result.kinds[0] not in {each.lower() for each in promised}:
            found.append(f"the result is a {promised[-1].lower()} in words, and {words(result)} in the cases")
    elif not _kinds(returned) and _SAYS_TRUTH.match(text) and _is_no_truth(result):
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
    if seen.name == "any":
        return bool(kinds and seen.kinds) and _known(seen) == set(seen.kinds) and not _known(seen) & kinds
    return bool(kinds) and seen.name not in ("other", "none") and seen.name not in kinds and not _whole(kinds, seen)


def _partly(named: str, seen: Observed, beside: Collection[str] = ()) -> bool:
    """Whether some of several kinds of values are none that a text names.

    Args:
        named: The text of a type.
        seen: The values.
        beside: Kinds that may stand beside any.

    Example:
        >>> mixed = Observed("any", kinds=("int", "text"))
        >>> [_partly(named, mixed) for named in ("int", "int or str", "Color", "")]
        [True, False, False, False]
    """
    kinds = _kinds(named)
    return bool(kinds) and seen.name == "any" and not _known(seen) <= {*kinds, *beside}


def _known(seen: Observed) -> set[str]:
    """Those of several kinds that words have a name for."""
    return set(seen.kinds) & set().union(*_KINDS.values())


def _is_no_truth(seen: Observed) -> bool:
    return seen.name not in ("bool", "any", "other") or (
        seen.name == "any" and bool(seen.kinds) and "bool" not in seen.kinds
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
