"""A task in a neutral dress: its names say nothing any more, its cases and all that is said of them stay.

Renamed are the function, its parameters, and the other names of its file and package, wherever they stand as names: in
the heads, in code and examples, before a parenthesis. Words that merely look like a name stay, so that a description
says what it said, and so do keys of maps and names of operations, which cases hold; where a word of the description is
the name of a parameter, the list of parameters says so, for that is how the word was understood before. A task for
which this cannot be done faithfully is left out, by the reasons below.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from pbt_generator.domain.exercises.heads import renamed_heads
from pbt_generator.domain.task.wording.afterwards import KEPT
from pbt_generator.domain.task.wording.operations import OPERATIONS

ENTRY = "function_1"
NAMED_ARGUMENTS = "cases give arguments by name"
NAME_IN_RESULTS = "results hold the function's name"
NAME_IN_WORDS = "the words or examples hold the function's name in another meaning"
PACKAGE_IN_WORDS = "the words speak of the package"
OTHER_FORM = "the instruction is not in the platform's own form"
OTHER_HEADS = "the heads and the instruction do not name the same parameters"
TAKEN = "a neutral name stands in the task already"

_PARAMETER = re.compile(r"- `(?P<name>[^`]+)`: ")
_SPAN = re.compile(r"(``.+?``|`[^`\n]+`)")
_DOCTEST = re.compile(r"^(?P<prompt>\s*(?:>>>|\.\.\.) ?)(?P<code>.*)$")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_QUOTED_TEXT = re.compile(r"\"[^\"\n]*\"")
# Where a name in our sentences is none of the task's: an attribute, an option, a function of a library.
_ELSEWHERE = re.compile(r"(?<=\bthe )`\w+`(?= of )|^`\w+`(?= is given `)|^`\w+` of `\w+`(?= is )")
_BECOMES = re.compile(r"(?<= what )`\w+`(?= has become)")
# What stands for a missing argument ends before the next argument: else many have too many ways to be told.
_LEFT_OUT = r"(?: \(may be left out, then (?:(?!, `\w+`).)*?\))?"
_OPERATION = re.compile(rf"- `[^`]+`(?:, arguments `\w+`{_LEFT_OUT}(?:, `\w+`{_LEFT_OUT})*(?=: |$))?")
_ARGUMENT = re.compile(r"(?:, arguments |, )`(\w+)`")
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|(?P<name>[^\W\d]\w*)")


@dataclass(frozen=True)
class Wearer:
    """What a neutral dress is made for.

    Attributes:
        entry_point: The function's name.
        instruction: What a solver is told, in the form of `instruction.compose`.
        signatures: The function's head by language.
        source: The ground truth's program.
        cases: Arguments and results as portable texts.
        qualname: The function's own name with its enclosing scopes.
        packages: Names of the package or repository, and of the module that the function stands in.
    """

    entry_point: str
    instruction: str
    signatures: Mapping[str, str]
    source: str
    cases: Sequence[tuple[str, str]]
    qualname: str = ""
    packages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dress:
    """The same task under other names.

    Attributes:
        names: What became what; no two names become one, but for a private name of the function itself.
    """

    entry_point: str
    instruction: str
    signatures: dict[str, str]
    names: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class _Names:
    """What is renamed, by the part that it has."""

    function: Mapping[str, str]
    parameters: Mapping[str, str]
    helpers: Mapping[str, str]
    packages: Mapping[str, str]
    # Texts of cases that hold a name and stand in the instruction in quotes: there they are what cases hold.
    held: Sequence[str] = ()

    @property
    def all(self) -> dict[str, str]:
        return {**self.packages, **self.helpers, **self.parameters, **self.function}


class _LeftOutError(Exception):
    """A task has no neutral dress; the message is the reason."""


def dressed(wearer: Wearer) -> Dress | str:
    """A task in neutral dress, or why it has none: one of the reasons of this module.

    The same task gives the same dress, and a dressed one stays as it is.
    """
    parameters = _parameters(wearer.signatures.get("python", ""))
    if parameters is None or len(set(parameters)) < len(parameters):
        return OTHER_HEADS
    if wearer.entry_point == ENTRY and parameters == _neutral("arg", len(parameters)):
        return Dress(ENTRY, wearer.instruction, dict(wearer.signatures))
    if any(arguments.lstrip().startswith("{") for arguments, _ in wearer.cases):
        return NAMED_ARGUMENTS
    whole = _whole(wearer.entry_point)
    if any(whole.search(result) and not whole.search(arguments) for arguments, result in wearer.cases):
        return NAME_IN_RESULTS
    names = _named(wearer, parameters)
    taken = "|".join(map(re.escape, dict.fromkeys(names.all.values())))
    if re.search(rf"(?<!\w)(?:{taken})(?!\w)", "\n".join([wearer.instruction, wearer.source])):
        return TAKEN
    heads = renamed_heads(wearer.signatures, wearer.entry_point, ENTRY, names.parameters)
    if heads is None:
        return OTHER_HEADS
    try:
        worded = _instruction(wearer, names)
    except _LeftOutError as left_out:
        return str(left_out)
    if any(spelled(name).search(worded) for name in names.function):
        return NAME_IN_WORDS
    return Dress(ENTRY, worded, heads, names.all)


def spelled(name: str) -> re.Pattern[str]:
    """Finds a name as a whole, however its parts are joined: parse_it, parseIt, ParseIt, parse-it, "parse it".

    Example:
        >>> [bool(spelled("parse_it").search(text)) for text in ("Parse it.", "ParseIt", "parse its", "parse")]
        [True, True, False, False]
    """
    parts = [part for piece in name.split("_") for part in _HUMP.findall(piece)] or [name]
    joined = r"[_\-\s]*".join(map(re.escape, parts))
    return re.compile(rf"(?<!\w){joined}(?!\w)", re.IGNORECASE)


def _named(wearer: Wearer, parameters: Sequence[str]) -> _Names:
    own = [part for part in wearer.qualname.split(".") if part.isidentifier()]
    function = dict.fromkeys([wearer.entry_point, *own[-1:]], ENTRY)
    beside = [name for name in (*own[:-1], *_defined(wearer.source)) if name not in function and name not in parameters]
    beside = list(dict.fromkeys(beside))
    packages = dict.fromkeys(
        spelling
        for name in wearer.packages
        for spelling in (name, name.replace("-", "_"), name.rpartition("/")[2])
        if spelling and spelling not in function and spelling not in parameters and spelling not in beside
    )
    names = _Names(
        function,
        dict(zip(parameters, _neutral("arg", len(parameters)), strict=True)),
        dict(zip(beside, _neutral("name", len(beside)), strict=True)),
        dict(zip(packages, _neutral("package", len(packages)), strict=True)),
    )
    texts = {text for case in wearer.cases for part in case for text in _texts(part)}
    quoted = sorted(text for text in texts if f'"{text}"' in wearer.instruction)
    return replace(names, held=[text for text in quoted if any(name in text for name in names.all)])


def _texts(portable: str) -> Iterator[str]:
    """All texts and keys of a portable value, in an order of their own."""
    waiting: list[Any] = [json.loads(portable)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            waiting += cast("list[Any]", value)
        elif isinstance(value, dict):
            entries = cast("dict[str, Any]", value)
            waiting += [*entries, *entries.values()]


def _neutral(kind: str, count: int) -> list[str]:
    return [f"{kind}_{number}" for number in range(1, count + 1)]


def _parameters(head: str) -> list[str] | None:
    """Names of the parameters of a Python head; None where it is none."""
    try:
        (function,) = ast.parse(f"{head.rstrip().rstrip(':')}: ...").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(function, ast.FunctionDef):
        return None
    arguments = function.args
    several = [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *several)]


def _defined(source: str) -> list[str]:
    """Names that a program's own top level defines, in their order; imported ones keep their names."""
    found: list[str] = []
    for node in ast.parse(source).body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.append(name)
            case ast.Assign(targets=targets):
                found += [target.id for target in targets if isinstance(target, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.append(name)
            case _:
                pass
    return [name for name in found if not name.startswith("__")]


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def _instruction(wearer: Wearer, names: _Names) -> str:
    """The instruction under other names.

    Raises:
        _LeftOutError: it cannot be had, for the reason of the message.
    """
    parts = wearer.instruction.split("\n\n")
    place = next((at for at, part in enumerate(parts) if part.startswith("Parameters:\n- `")), 0)
    first = f"Write a function named `{wearer.entry_point}`."
    if parts[0] != first or not place or not parts[place + 1 : place + 2] or not parts[place + 1].startswith("Result:"):
        raise _LeftOutError(OTHER_FORM)
    lines = parts[place].split("\n")[1:]
    told = [found["name"] if (found := _PARAMETER.match(line)) else "" for line in lines]
    if told != list(names.parameters):
        raise _LeftOutError(OTHER_HEADS)
    described = "\n\n".join(parts[1:place])
    meanings = [line[len(f"- `{name}`: ") :] for name, line in zip(told, lines, strict=True)]
    if any(_speaks_of(names.packages, text) for text in (described, *meanings, parts[place + 1])):
        raise _LeftOutError(PACKAGE_IN_WORDS)
    described, result = _words(described, names), _words(parts[place + 1], names)
    meanings = [_words(text, names) for text in meanings]
    rules = [_rule(part, names) for part in parts[place + 2 :]]
    rows: list[str] = []
    for number, (name, text) in enumerate(zip(told, meanings, strict=True)):
        elsewhere = [described, *map(_meaning, [result, *meanings[:number], *meanings[number + 1 :]])]
        link = f" (“{name}” in words)" if any(_in_words(name, each) for each in elsewhere) else ""
        rows.append(f"- `{names.parameters[name]}`{link}: {text}")
    head = f"Write a function named `{ENTRY}`."
    dressed_parts = [head, *([described] if described else []), "Parameters:\n" + "\n".join(rows), result, *rules]
    return "\n\n".join(dressed_parts)


def _in_words(name: str, text: str) -> bool:
    """Whether a parameter's name stands among the words of a text, as the word that it is."""
    return re.search(rf"\b{re.escape(name)}\b", _running(text), re.IGNORECASE) is not None


def _speaks_of(packages: Iterable[str], text: str) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", _running(text), re.IGNORECASE) for name in packages)


def _running(text: str) -> str:
    """The words of a text without code, values, and examples up to the empty line behind them."""
    lines: list[str] = []
    inside = False
    for line in text.split("\n"):
        inside = bool(_DOCTEST.match(line)) or (inside and bool(line.strip()))
        lines.append("" if inside else line)
    return _QUOTED_TEXT.sub("", _SPAN.sub("", "\n".join(lines)))


def _meaning(line: str) -> str:
    """What an author says of a parameter or of the result, behind the kinds that the cases show."""
    return line.partition(". ")[2]


def _rule(part: str, names: _Names) -> str:
    """A sentence of ours: a name alone in backticks is one; all else there is a value, and cases stay as they are."""
    if part.startswith(("Examples, as JSON (", "Inputs that are refused with an error")):
        return part
    if part.startswith(f"{OPERATIONS}\n"):
        return _operations(part, names)
    if part.startswith(KEPT):
        return _BECOMES.sub(lambda span: _renamed(span[0], names), part)
    stay = {at for found in _ELSEWHERE.finditer(part) for at in range(*found.span())}
    return _SPAN.sub(lambda span: span[0] if span.start() in stay else _renamed(span[0], names), part)


def _renamed(span: str, names: _Names) -> str:
    """A span with the neutral name, where it is a name alone."""
    known = {**names.parameters, **names.function}
    return f"`{known[span[1:-1]]}`" if span[1:-1] in known else span


def _operations(part: str, names: _Names) -> str:
    """The list of operations: its own names, and arguments that a line names, are no parameters of the function."""
    first, *lines = part.split("\n")
    heads = [found[0] if (found := _OPERATION.match(line)) else "" for line in lines]
    called = {head.split("`")[1] for head in heads if head}
    worded: list[str] = []
    for head, line in zip(heads, lines, strict=True):
        own = {*called, *_ARGUMENT.findall(head)}
        text = _SPAN.sub(
            lambda span, own=own: span[0] if span[0][1:-1] in own else _renamed(span[0], names), line[len(head) :]
        )
        worded.append(f"{head}{text}")
    return "\n".join([first, *worded])


def _words(text: str, names: _Names) -> str:
    """What an author wrote, with its names changed where they stand as names."""
    lines: list[str] = []
    for line in text.split("\n"):
        example = _DOCTEST.match(line)
        if example:
            lines.append(example["prompt"] + _code(example["code"], names, always=True))
            continue
        spans = _SPAN.split(line)
        lines.append("".join(_span(part, names) if at % 2 else _plain(part, names) for at, part in enumerate(spans)))
    return "\n".join(lines)


def _span(span: str, names: _Names) -> str:
    ticks = "``" if span.startswith("``") else "`"
    return f"{ticks}{_code(span[len(ticks) : -len(ticks)], names)}{ticks}"


def _plain(text: str, names: _Names) -> str:
    """Running words: what can only be a name is one, but for texts of cases in quotes."""
    stay = {
        at for held in names.held for found in re.finditer(re.escape(f'"{held}"'), text) for at in range(*found.span())
    }

    def renamed(match: re.Match[str]) -> str:
        name, after = match[0], text[match.end() : match.end() + 2]
        if match.start() in stay:
            return name
        called = after.startswith("(") or bool(re.match(r"=[^=\s]", after))
        if name in names.parameters:
            starred = text[match.start() - 1 : match.start()] == "*" == after[:1]
            alone = len(name) == 1 and name not in "aAI"
            return names.parameters[name] if called or starred or alone or _no_word(name) else name
        known = {**names.helpers, **names.function}
        return known[name] if name in known and (after.startswith("(") or _no_word(name)) else name

    return re.sub(r"(?<![\w\-.'’\\%])[^\W\d]\w*(?![\w\-'’])", renamed, text)


def _no_word(name: str) -> bool:
    """Whether a name cannot be a word of a sentence: parts joined by underscores or humps, or digits."""
    return "_" in name or any(map(str.isdigit, name)) or bool(re.search(r"[a-z][A-Z]", name))


def _code(text: str, names: _Names, *, always: bool = False) -> str:
    """Code with its names changed; what is no Python is no code, unless it says so.

    Args:
        text: The code.
        names: What becomes what.
        always: It is code even where it does not parse, as a line of a longer statement.
    """
    try:
        tree = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError):
        return _QUOTED.sub(lambda found: names.all.get(found["name"] or "", found[0]), text) if always else text
    if _is_value(text):
        return text
    margin = text[: len(text) - len(text.lstrip())]
    lines = [line.encode() for line in text.strip().split("\n")]
    for row, column, old, new in sorted(_places(tree, names), reverse=True):
        line = lines[row - 1]
        if line[column : column + len(old.encode())] == old.encode():
            lines[row - 1] = line[:column] + new.encode() + line[column + len(old.encode()) :]
    return margin + b"\n".join(lines).decode() + text[len(text.rstrip()) :]


def _is_value(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _places(tree: ast.AST, names: _Names) -> set[tuple[int, int, str, str]]:
    """Where names stand in a program: line, column in bytes, what stands there, what becomes of it."""
    found: set[tuple[int, int, str, str]] = set()
    known, not_given = names.all, {**names.packages, **names.helpers, **names.function}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) if name in known:
                found.add((node.lineno, node.col_offset, name, known[name]))
            case ast.arg(arg=name) if name in known:
                found.add((node.lineno, node.col_offset, name, known[name]))
            case ast.Attribute(attr=name) if name in not_given:
                end = cast("int", node.end_col_offset)
                found.add((cast("int", node.end_lineno), end - len(name.encode()), name, not_given[name]))
            case ast.ImportFrom(module=str() as module):
                found |= _imported(module, node.lineno, node.col_offset + len("from "), names)
            case ast.alias(name=module):
                found |= _imported(module, node.lineno, node.col_offset, names)
            case ast.FunctionDef(name=name) if name in known:
                found.add((node.lineno, node.col_offset + len("def "), name, known[name]))
            case ast.Call(func=function, keywords=keywords) if _last(function) in names.function:
                for each in keywords:
                    if each.arg and each.arg in names.parameters:
                        found.add((each.lineno, each.col_offset, each.arg, names.parameters[each.arg]))
            case _:
                pass
    return found


def _imported(module: str, row: int, column: int, names: _Names) -> set[tuple[int, int, str, str]]:
    """The first part of what is imported, where it is renamed."""
    first, known = module.split(".")[0], {**names.packages, **names.helpers, **names.function}
    return {(row, column, first, known[first])} if first in known else set()


def _last(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
