"""What a solver is told: signature, docstring, observed rules and examples; never the implementation."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbt_generator.domain.oracle.syntax import entry_function, named_parameters
from pbt_generator.domain.task.wording.constants import ground_truth
from pbt_generator.domain.task.wording.observed import Observed, words
from pbt_generator.domain.task.wording.prose import Prose

_EXAMPLE_CHARACTERS = 160
_EXAMPLES = 8
_LEAST_EXAMPLES = 4
# Cases that tell programs apart best come first in a suite: some of them are shown too.
_TELLING, _TELLING_AMONG = 4, 25
# Real inputs that are shown where there are as many, and cases that decide between two readings.
_REAL, _DECIDING = 4, 4
# Cases that are shown beside, for a kind of argument or result that none of the others has.
_UNSHOWN = 5
# A shorter line of a program tells nothing of how it works.
_TELLING_LINE = 12
# Words of Python's own and what a reader of any language calls the same, singular and plural. A list is none of them: a
# text may hold "a list of pages".
_PYTHON_WORDS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"\btuple(s?)\b", re.IGNORECASE), "sequence", "sequences"),
    (re.compile(r"\bdict(?:ionary)?(s?)\b", re.IGNORECASE), "map", "maps"),
    (re.compile(r"\bdictionarie(s)\b", re.IGNORECASE), "map", "maps"),
    (re.compile(r"\bstr()\b"), "text", "text"),
)
_VALUES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"`None`|\bNone\b(?![`'\"])"), "nothing (null)"),
    (re.compile(r"`True`|\bTrue\b(?![`'\"])"), "true"),
    (re.compile(r"`False`|\bFalse\b(?![`'\"])"), "false"),
)
_CODE = re.compile(r"(`[^`]*`|\"[^\"]*\"|\b(?:list|tuple|dict|str)\(\))")
MAP_ORDER = (
    "Read the entries of every map in ascending order of their keys, integers by value and texts by code point: "
    "the result depends on the order."
)
_NOTATIONS = {
    "map": '`{"$":"map","v":[[key,value],…]}` is a map whose keys are not texts',
    "tuple": '`{"$":"tuple","v":[…]}` is a sequence of fixed length',
    "set": '`{"$":"set","v":[…]}` is a set',
    "bytes": '`{"$":"bytes","v":…}` are bytes, written in base64',
    "float": '`{"$":"float","v":…}` is a number that is not finite',
}
_DOCTEST = re.compile(r"^\s*(?:>>>|\.\.\.)")


@dataclass(frozen=True)
class Told:
    """A parameter as a solver reads of it.

    Attributes:
        name: Its name.
        seen: Its type as the cases show it.
        meaning: What its author says of it.
        default: Its default as Python writes it; empty when there is none.
        variadic: It takes all further arguments.
        named: It is given by name.
    """

    name: str
    seen: Observed
    meaning: str = ""
    default: str = ""
    variadic: bool = False
    named: bool = False


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
    """
    portable = kind == "SC"
    worded = _neutral if portable else str
    parts = [f"Write a function named `{entry_point}`."]
    if prose.text:
        told = worded(prose.text)
        parts.append(told[:1].upper() + told[1:])
    lines = [_parameter(each, worded) for each in parameters]
    returns = f". {_sentence(worded(prose.returns))}" if prose.returns else ""
    parts.append("Parameters:\n" + "\n".join(lines) + f"\n\nResult: {words(result)}{returns}")
    parts.extend([*rules, *values])
    shown_cases = [f"`{visible(arguments)}` gives `{visible(expected)}`" for arguments, expected in cases]
    if shown_cases:
        shown = "\n".join(f"- {case}" for case in shown_cases)
        parts.append(f"Examples, as JSON (arguments in order, then the result{_notation(shown)}):\n{shown}")
    if refused:
        shown = ", ".join(f"`{visible(text)}`" for text in refused)
        parts.append(f"Inputs that are refused with an error, such as {shown}, are not among the cases.")
    usable = [library for library in libraries if library != "__future__"]
    if usable and not portable:
        parts.append(f"You may use: {', '.join(usable)}.")
    return "\n\n".join(parts)


def _parameter(told: Told, worded: Callable[[str], str]) -> str:
    notes = [words(told.seen)]
    if told.variadic:
        notes = [f"any number of further arguments, together {words(told.seen)}"]
    if told.named:
        notes.append("given by name")
    if told.default:
        notes.append(f"default `{told.default}`")
    meaning = f". {_sentence(worded(told.meaning))}" if told.meaning else ""
    return f"- `{told.name}`: {', '.join(notes)}{meaning}"


def _sentence(text: str) -> str:
    """Words of a section as a sentence on one line."""
    joined = " ".join(text.split())
    return joined[:1].upper() + joined[1:] if joined[:1].islower() and joined[1:2].islower() else joined


def examples(
    cases: Sequence[tuple[str, str, int]], rank: Sequence[int] = (), deciding: Sequence[int] = ()
) -> list[tuple[str, str]]:
    """Cases to show, as long as they are short: one of every way, those that decide between readings, telling ones.

    Args:
        cases: Arguments and result as portable texts, and a number that cases of one way share.
        rank: How real the input of each is: 0 callers send it, 1 it is near such a one, 2 neither. Where some are real,
            others stand only for ways that no real one takes, or decide.
        deciding: Places of cases that tell the program from one that differs on few inputs, a most telling one first.

    Example:
        >>> examples([("[12]", "1", 0), ("[5]", "5", 0), ("[-1]", "0", 1)])
        [('[5]', '5'), ('[-1]', '0'), ('[12]', '1')]
    """
    ranks = dict(zip(cases, rank, strict=False))
    short = [case for case in cases if len(case[0]) + len(case[1]) <= _EXAMPLE_CHARACTERS]
    best: dict[int, tuple[str, str, int]] = {}
    for case in short:
        best[case[2]] = min(best.get(case[2], case), case, key=lambda each: _plainness(each, ranks))
    chosen = sorted(best.values(), key=lambda case: ranks.get(case, 2))[:_EXAMPLES]
    sent = [case for case in short if ranks.get(case, 2) == 0 and case not in chosen]
    chosen += sent[: max(0, _REAL - sum(ranks.get(case, 2) == 0 for case in chosen))]
    decisive = [cases[place] for place in deciding if cases[place] in short and cases[place] not in chosen]
    chosen += decisive[:_DECIDING]
    real = any(each == 0 for each in ranks.values())
    telling = [
        case
        for case in cases[:_TELLING_AMONG]
        if case in short and case not in chosen and (not real or ranks.get(case, 2) < 2)
    ]
    chosen += telling[: max(0, _TELLING - len(decisive))]
    chosen += [case for case in short if case not in chosen][: max(0, _LEAST_EXAMPLES - len(chosen))]
    chosen += _unshown(short, chosen, ranks)
    return [(arguments, expected) for arguments, expected, _ in chosen]


def _unshown(
    cases: Sequence[tuple[str, str, int]],
    chosen: Sequence[tuple[str, str, int]],
    ranks: Mapping[tuple[str, str, int], int],
) -> list[tuple[str, str, int]]:
    """Cases that show what no chosen one does: a kind of argument or of result, empty or not."""
    shown = {kind for case in chosen for kind in _kinds(case)}
    found: list[tuple[str, str, int]] = []
    for case in sorted(cases, key=lambda each: _plainness(each, ranks)):
        kinds = set(_kinds(case))
        if kinds - shown and len(found) < _UNSHOWN:
            shown |= kinds
            found.append(case)
    return found


def _kinds(case: tuple[str, str, int]) -> list[tuple[str, str, bool]]:
    given: Any = json.loads(case[0])
    values = given.items() if isinstance(given, dict) else enumerate(given)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    sides = [*((str(place), value) for place, value in values), ("result", json.loads(case[1]))]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return [(place, type(value).__name__, bool(value)) for place, value in sides]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _plainness(case: tuple[str, str, int], ranks: Mapping[tuple[str, str, int], int]) -> tuple[int, int, str]:
    """What callers send first, then its neighbours, then what is short."""
    return ranks.get(case, 2), len(case[0]) + len(case[1]), case[0]


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


def _neutral(docstring: str) -> str:
    """The docstring in words of no language; examples and code stay verbatim."""
    lines: list[str] = []
    in_example = False
    for line in docstring.splitlines():
        in_example = bool(_DOCTEST.match(line)) or (in_example and bool(line.strip()))
        lines.append(line if in_example else _replaced(line))
    return "\n".join(lines)


def _replaced(line: str) -> str:
    for pattern, text in _VALUES:
        line = pattern.sub(text, line)
    # What stands in backticks or quotes is code or a value, and stays.
    return "".join(part if place % 2 else _in_words(part) for place, part in enumerate(_CODE.split(line)))


def _in_words(part: str) -> str:
    for pattern, one, many in _PYTHON_WORDS:

        def neutral(match: re.Match[str], one: str = one, many: str = many) -> str:
            return many if match.group(1) else one

        part = pattern.sub(neutral, part)
    return part


def own_parameters(source: str, entry_point: str) -> tuple[list[str], list[str]]:
    """Names of a ground truth's parameters: those that have a place, in order, and the other ones."""
    arguments = entry_function(source, entry_point).args
    others = [arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    return (
        [each.arg for each in (*arguments.posonlyargs, *arguments.args)],
        [each.arg for each in others if each is not None],
    )


def own_lines(source: str, entry_point: str) -> list[str]:
    """Lines of a ground truth that say how it works, each without its margin: shorter ones say nothing."""
    tree = entry_function(source, entry_point)
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    beside = [node for node in ground_truth(source).body if getattr(node, "name", "") != entry_point]
    lines = [line.strip() for statement in (*body, *beside) for line in ast.unparse(statement).splitlines()]
    return [line for line in dict.fromkeys(lines) if len(line) >= _TELLING_LINE]


def leaks(instruction: str, source: str, entry_point: str, docstring: str) -> list[str]:
    """Lines and inner names of the ground truth that an instruction gives away; the docstring's own are no leak.

    Args:
        instruction: The text.
        source: The ground truth.
        entry_point: Its name.
        docstring: What its author published.
    """
    tree = entry_function(source, entry_point)
    found = [line for line in own_lines(source, entry_point) if line in instruction and line not in docstring]
    arguments = tree.args
    public = {each.arg for each in named_parameters(arguments)} | {entry_point}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in public:
            telling = len(node.id) > 5 and "_" in node.id
            if telling and re.search(rf"\b{re.escape(node.id)}\b", instruction) and node.id not in docstring:
                found.append(node.id)
    return sorted(set(found))
