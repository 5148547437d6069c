"""What a docstring says: types and words per parameter, examples, and quoted texts."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from dataclasses import dataclass, field

from pbt_generator.domain.oracle.syntax import NO_LITERAL, is_call_of

_GOOGLE_SECTION = re.compile(r"^(Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments)\s*:\s*$", re.I)
_OTHER_SECTION = re.compile(
    r"^(Returns?|Yields?|Raises|Examples?|Notes?|See Also|References|Warnings?|Attributes|Todo|Usage|Input|Output)"
    r"\b\s*:?",
    re.I,
)
# Each part of an expression on foreign words matches in one way: two ways a part are too many for long words.
_GOOGLE_ITEM = re.compile(r"^\s*\*{0,2}(\w+)\s*(?:\(((?:[^()]*\([^)]*\))*?[^)]*)\))?\s*:\s*(.*)$")
_NUMPY_ITEM = re.compile(r"^\*{0,2}(\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::\s*(.*))?$")
# What a type lists between braces is said nowhere else.
_CHOICES = re.compile(r"\{[^{}]*,[^{}]*\}")
# A type of more words is what its author says of the parameter.
_TYPE_WORDS = 4
_SPHINX_PARAM = re.compile(
    r"^\s*[:@](?:param|parameter|arg|argument|key|keyword)\s+(?:(.+?)\s+)?\*{0,2}(\w+)\s*:\s*(.*)$"
)
# A field as Javadoc has it, whose words follow without a colon.
_WITHOUT_COLON = re.compile(r"(?m)^([ \t]*@(?:returns?|param[ \t]+\w+))(?=[ \t]+[^:\s][^:\n]*$)")
_SPHINX_TYPE = re.compile(r"^\s*[:@]type\s+(\w+)\s*:\s*(.+)$")
# A prompt without the blank behind it.
_GLUED = re.compile(r"(?m)^([ \t]*>>>)(?=\S)")
_QUOTED = re.compile(
    r"""(?<![\w'"`])(?:"([^"\n]{1,60})"|'([^'\n]{1,60})'|``([^`\n]{1,60})``|`([^`\n]{1,60})`)(?![\w'"`])"""
)


@dataclass(frozen=True)
class Docstring:
    """A docstring taken apart.

    Attributes:
        types: type text per parameter.
        words: description per parameter.
        calls: source texts of doctest expressions.
        wanted: printed result of each of `calls`.
        mentioned: source texts of other calls in its words, such as `f("1h") -> 3600`.
        quoted: short texts in quotes or backticks.
    """

    types: dict[str, str] = field(default_factory=dict[str, str])
    words: dict[str, str] = field(default_factory=dict[str, str])
    calls: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()


def cleaned(text: str) -> str:
    """A docstring without its margin, and with a colon in every field.

    Example:
        >>> cleaned("Adds.\\n\\n    @param x  a number\\n    @return the sum")
        'Adds.\\n\\n@param x:  a number\\n@return: the sum'
    """
    return _WITHOUT_COLON.sub(r"\1:", inspect.cleandoc(text))


def goes_on(line: str) -> bool:
    """Whether a line right below a field is more of it, whatever its margin: no other field, section or example."""
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith((":", "@", ">>>", ".. ")) and not _OTHER_SECTION.match(stripped)


def read_docstring(text: str) -> Docstring:
    """Take a docstring apart; Google, NumPy and Sphinx styles may be mixed.

    Args:
        text: The docstring as written, indentation included.
    """
    clean = cleaned(text)
    types: dict[str, str] = {}
    words: dict[str, str] = {}
    lines = clean.splitlines()
    _read_google(lines, types, words)
    _read_numpy(lines, types, words)
    _read_sphinx(lines, types, words)
    calls, wanted = _read_examples(clean)
    quoted = tuple(dict.fromkeys(next(g for g in found.groups() if g) for found in _QUOTED.finditer(clean)))
    return Docstring(types, words, calls, wanted, _mentioned(clean), quoted[:40])


def _mentioned(text: str) -> tuple[str, ...]:
    """Calls written in running text: a name, and an argument list with balanced parentheses."""
    found: list[str] = []
    for match in re.finditer(r"(?<![\w.])([A-Za-z_]\w*)\(", text):
        depth, end = 0, match.end() - 1
        while end < min(len(text), match.end() + 400):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                found.append(text[match.start() : end])
                break
    return tuple(found[:30])


def _ruler(line: str) -> bool:
    return (len(line) >= 3 and set(line) <= {"-"}) or (len(line) >= 3 and set(line) <= {"="})


def _read_google(lines: list[str], types: dict[str, str], words: dict[str, str]) -> None:
    inside = False
    indent: int | None = None
    current = ""
    for line in lines:
        stripped = line.strip()
        if _GOOGLE_SECTION.match(stripped):
            inside, indent = True, None
            continue
        if not inside or not stripped:
            continue
        depth = len(line) - len(line.lstrip())
        if indent is None:
            indent = depth
        if depth < indent or (depth == 0 and _OTHER_SECTION.match(stripped)):
            inside = False
            continue
        found = _GOOGLE_ITEM.match(line) if depth == indent else None
        if found:
            current = found[1]
            if found[2]:
                types.setdefault(current, found[2])
            words.setdefault(current, found[3])
        elif current:
            words[current] = f"{words[current]} {stripped}".strip()


def _read_numpy(lines: list[str], types: dict[str, str], words: dict[str, str]) -> None:
    current: tuple[str, ...] = ()
    inside = False
    for number, line in enumerate(lines):
        stripped = line.strip()
        following = lines[number + 1].strip() if number + 1 < len(lines) else ""
        if _ruler(following):
            inside = stripped.lower() in {"parameters", "other parameters", "arguments", "args", "inputs"}
            current = ()
            continue
        if not inside or _ruler(stripped):
            continue
        found = _NUMPY_ITEM.match(line) if line[:1].strip() else None
        if found:
            current = tuple(name.strip(" *") for name in found[1].split(","))
            named = (found[2] or "").strip()
            for name in current:
                if named:
                    types.setdefault(name, named)
                words.setdefault(name, _words_of_type(named))
        elif stripped and line[:1] == " ":
            for name in current:
                words[name] = f"{words.get(name, '')} {stripped}".strip()
        elif stripped:
            # Words at the margin name no parameter, and what is indented below them is none's.
            current = ()


def _words_of_type(named: str) -> str:
    """What the text of a type says beside the kind: its choices, or words that stand in its place.

    Example:
        >>> _words_of_type("{'first', 'last'}, default 'first'"), _words_of_type("int, optional")
        ("One of {'first', 'last'}.", '')
    """
    choices = _CHOICES.search(named)
    if choices:
        return f"One of {choices[0]}."
    bare = re.sub(r"[\[(][^\[\]()]*[\])]|,?\s*\b(?:optional|default\b.*)$", "", named).strip(" ,")
    return named if len(bare.split()) > _TYPE_WORDS and not re.search(r"\bof\b|\bor\b|,", bare) else ""


def _read_sphinx(lines: list[str], types: dict[str, str], words: dict[str, str]) -> None:
    current, below = "", False
    for line in lines:
        found = _SPHINX_TYPE.match(line)
        if found:
            types.setdefault(found[1], found[2].strip())
            current = ""
            continue
        found = _SPHINX_PARAM.match(line)
        if found:
            current, below = found[2], True
            if found[1]:
                types.setdefault(current, found[1])
            words.setdefault(current, found[3].strip())
        elif current and (line[:1].isspace() or below) and goes_on(line):
            words[current] = f"{words[current]} {line.strip()}".strip()
        elif line.strip():
            current = ""
        else:
            # An empty line ends no block: what is indented below it goes on.
            below = False


def _read_examples(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    parser = doctest.DocTestParser()
    examples: list[doctest.Example] = []
    try:
        examples = parser.get_examples(text)
    except ValueError:
        # One that is written otherwise than the others hides none of them.
        for block in re.split(r"\n\s*\n", _GLUED.sub(r"\1 ", text)):
            try:
                examples += parser.get_examples(block)
            except ValueError:
                continue
    return tuple(e.source.strip() for e in examples), tuple(e.want.strip() for e in examples)


def example_calls(calls: tuple[str, ...], name: str) -> list[tuple[list[object], dict[str, object]]]:
    """The literal arguments with which examples call a function.

    Args:
        calls: Source texts of doctest expressions.
        name: The function.

    Returns:
        For each call whose arguments are all literals, or names assigned a literal before: positional and named values.
    """
    found: list[tuple[list[object], dict[str, object]]] = []
    known: dict[str, object] = {}
    for source in calls:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        for statement in tree.body:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target = statement.targets[0]
                if isinstance(target, ast.Name):
                    ok, value = _literal(statement.value, known)
                    if ok:
                        known[target.id] = value
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and is_call_of(node, name)):
                continue
            values = [_literal(argument, known) for argument in node.args]
            named = {keyword.arg: _literal(keyword.value, known) for keyword in node.keywords if keyword.arg}
            if all(ok for ok, _ in values) and all(ok for ok, _ in named.values()):
                found.append(([value for _, value in values], {key: value for key, (_, value) in named.items()}))
    return found


def _literal(node: ast.expr, known: dict[str, object]) -> tuple[bool, object]:
    if isinstance(node, ast.Name) and node.id in known:
        return True, known[node.id]
    try:
        return True, ast.literal_eval(node)
    except NO_LITERAL:
        return False, None
