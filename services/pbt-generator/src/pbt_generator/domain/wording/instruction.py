"""What a solver is told: signature, docstring, observed rules and examples; never the implementation."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence

from pbt_generator.domain.wording.observed import Observed, words

_EXAMPLE_CHARACTERS = 160
_EXAMPLES = 8
_LEAST_EXAMPLES = 4
# Cases that tell programs apart best come first in a suite: some of them are shown too.
_TELLING, _TELLING_AMONG = 4, 25
# A longer constant is cut: its beginning tells what it is.
_CONSTANT_CHARACTERS = 500
# Constants that need no word: everybody tries them.
_OBVIOUS = (True, False, None, 0, 1, -1, 2, "", " ", 0.0, 1.0)
# Words of Python's own and what a reader of any language calls the same, singular and plural.
_PYTHON_WORDS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"\b(?:list|tuple)(s?)\b", re.IGNORECASE), "sequence", "sequences"),
    (re.compile(r"\bdict(?:ionary)?(s?)\b", re.IGNORECASE), "map", "maps"),
    (re.compile(r"\bdictionarie(s)\b", re.IGNORECASE), "map", "maps"),
    (re.compile(r"\bstr()\b"), "text", "text"),
    (re.compile(r"(?:``?|\b)None()(?:``?|\b)"), "nothing (null)", ""),
    (re.compile(r"(?:``?|\b)True()(?:``?|\b)"), "true", ""),
    (re.compile(r"(?:``?|\b)False()(?:``?|\b)"), "false", ""),
)
MAP_ORDER = (
    "Read the entries of every map in ascending order of their keys, integers by value and texts by code point: "
    "the result depends on the order."
)
_NOTATIONS = {
    "map": '`{"$":"map","v":[[key,value],…]}` is a map whose keys are not texts',
    "tuple": '`{"$":"tuple","v":[…]}` is a sequence of fixed length',
    "set": '`{"$":"set","v":[…]}` is a set',
    "float": '`{"$":"float","v":…}` is a number that is not finite',
}
_DOCTEST = re.compile(r"^\s*(?:>>>|\.\.\.)")


def compose(
    entry_point: str,
    kind: str,
    docstring: str,
    parameters: Sequence[tuple[str, Observed]],
    result: Observed,
    cases: Sequence[tuple[str, str]],
    constants: Sequence[object],
    libraries: Sequence[str],
    rules: Sequence[str] = (),
) -> str:
    """The instruction of a task, without a model's help.

    SC tasks get words that belong to no language; what the docstring gives as examples stays as it stands.

    Args:
        entry_point: The function's name.
        kind: "SC" or "WSC".
        docstring: The docstring, dedented.
        parameters: Names and observed types.
        result: Observed type of the result.
        cases: Examples: arguments and result as portable texts.
        constants: Constants that decide outcomes in the body.
        libraries: What a WSC solution may import.
        rules: What else decides the result, a sentence each.
    """
    portable = kind == "SC"
    parts = [f"Write a function named `{entry_point}`."]
    described = _neutral(docstring.strip()) if portable else docstring.strip()
    if described:
        parts.append(described)
    lines = [f"- `{name}`: {words(seen)}" for name, seen in parameters]
    parts.append("Parameters:\n" + "\n".join(lines) + f"\n\nResult: {words(result)}")
    missing = unmentioned(constants, described)
    if missing:
        shown = ", ".join(f"`{_cut(json.dumps(value, ensure_ascii=False))}`" for value in missing)
        parts.append(f"Values that the rules treat specially: {shown}")
    parts.extend(rules)
    shown_cases = [f"`{arguments}` gives `{expected}`" for arguments, expected in cases]
    if shown_cases:
        shown = "\n".join(f"- {case}" for case in shown_cases)
        parts.append(f"Examples, as JSON (arguments in order, then the result{_notation(shown)}):\n{shown}")
    if libraries and not portable:
        parts.append(f"You may use: {', '.join(libraries)}.")
    return "\n\n".join(parts)


def examples(cases: Sequence[tuple[str, str, int]]) -> list[tuple[str, str]]:
    """Cases to show: the shortest of every way through the program and the most telling, as long as they are short.

    Args:
        cases: Arguments and result as portable texts, and a number that cases of one way share.

    Example:
        >>> examples([("[12]", "1", 0), ("[5]", "5", 0), ("[-1]", "0", 1)])
        [('[5]', '5'), ('[-1]', '0'), ('[12]', '1')]
    """
    short = [case for case in cases if len(case[0]) + len(case[1]) <= _EXAMPLE_CHARACTERS]
    best: dict[int, tuple[str, str, int]] = {}
    for case in short:
        best[case[2]] = min(best.get(case[2], case), case, key=lambda each: (len(each[0]) + len(each[1]), each[0]))
    chosen = list(best.values())[:_EXAMPLES]
    telling = [case for case in cases[:_TELLING_AMONG] if case in short and case not in chosen]
    chosen += telling[:_TELLING]
    chosen += [case for case in short if case not in chosen][: max(0, _LEAST_EXAMPLES - len(chosen))]
    return [(arguments, expected) for arguments, expected, _ in chosen]


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
    for pattern, one, many in _PYTHON_WORDS:

        def neutral(match: re.Match[str], one: str = one, many: str = many) -> str:
            return many if match.group(1) else one

        line = pattern.sub(neutral, line)
    return line


def deciding_constants(source: str, entry_point: str) -> list[object]:
    """Constants of a function's body that a reader could not guess, in order of appearance.

    Names of keys and separators count as much as numbers; docstrings and messages of raised errors do not.
    """
    tree = next(
        node
        for node in reversed(ast.parse(source).body)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == entry_point
    )
    skipped = {id(node) for raised in ast.walk(tree) if isinstance(raised, ast.Raise) for node in ast.walk(raised)}
    # Forms of numbers inside texts are no values; a rule says how numbers are written.
    forms = [node.format_spec for node in ast.walk(tree) if isinstance(node, ast.FormattedValue) and node.format_spec]
    skipped |= {id(node) for form in forms for node in ast.walk(form)}
    skipped |= {id(statement.value) for statement in ast.walk(tree) if isinstance(statement, ast.Expr)}
    found: list[object] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in skipped and isinstance(node.value, int | float | str):
            value = node.value
            if not any(value == each and type(value) is type(each) for each in (*_OBVIOUS, *found)):
                found.append(value)
    return found


def unmentioned(constants: Sequence[object], text: str) -> list[object]:
    """The constants that a text does not mention: what would leave a solver guessing (sufficiency check)."""
    return [value for value in constants if _cut(str(value)) not in text][:30]


def _cut(text: str) -> str:
    return text if len(text) <= _CONSTANT_CHARACTERS else f"{text[:_CONSTANT_CHARACTERS]}…"


def leaks(instruction: str, source: str, entry_point: str, docstring: str) -> list[str]:
    """Lines and inner names of the ground truth that an instruction gives away; the docstring's own are no leak.

    Args:
        instruction: The text.
        source: The ground truth.
        entry_point: Its name.
        docstring: What its author published.
    """
    tree = next(
        node
        for node in reversed(ast.parse(source).body)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == entry_point
    )
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    found = [
        line
        for statement in body
        for line in ast.unparse(statement).splitlines()
        if len(line.strip()) >= 12 and line.strip() in instruction and line.strip() not in docstring
    ]
    arguments = tree.args
    public = {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)} | {entry_point}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in public:
            telling = len(node.id) > 5 and "_" in node.id
            if telling and re.search(rf"\b{re.escape(node.id)}\b", instruction) and node.id not in docstring:
                found.append(node.id)
    return sorted(set(found))
