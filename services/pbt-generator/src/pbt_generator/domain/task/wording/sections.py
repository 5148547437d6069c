"""Cuts a page of documentation to the part that tells the function; the rest helps no solver."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
from collections.abc import Collection, Iterator, Sequence

from pbt_generator.domain.oracle.syntax import is_call_of

_HEADER = re.compile(r"^(?P<name>[A-Z][\w /'-]{0,40}?)\s*:\s*$")
_RULER = re.compile(r"^\s*(?:-{3,}|={3,}|~{3,})\s*$")
# Sections that the reader of docstrings takes apart himself.
_READ = {
    "args", "arguments", "parameters", "params", "keyword args", "keyword arguments", "other parameters", "return",
    "returns", "return value", "yield", "yields", "raises", "attributes", "type parameters", "input", "output",
}  # fmt: skip
# Sections whose names say that they are none of the task's matter.
_BESIDE = {
    "see also", "references", "reference", "bibliography", "further reading", "credits", "acknowledgements",
    "acknowledgments", "author", "authors", "contributors", "maintainer", "maintainers", "license", "licence",
    "copyright", "changelog", "change log", "todo", "to do", "conformance", "property parameters", "side effects",
    "thread safety", "performance", "benchmarks", "time complexity", "space complexity", "dependencies", "called by",
    "used by", "warns", "methods",
}  # fmt: skip
_EXAMPLES = {"example", "examples"}
# An example that shows code or a command, and no words.
_CODE = re.compile(r">>>|\w\(|::|^\s*[$%] ", re.MULTILINE)
_ADDRESS = re.compile(r"\W*\w+://\S")
_TARGET = re.compile(r"^\s*\.\. _[^:]*:.*$")
_LINK = re.compile(r"`(?P<shown>[^`<]+?)\s*<[^<>`]*>`__?|`(?P<name>[^`<>]+)`__?(?![\w(`])")
_DOCTEST = re.compile(r"^\s*(?:>>>|\.\.\.)(?:\s|$)")
_NAMES = re.compile(r"^\s*>>>\s*\w+(?:\s*,\s*\w+)*\s*=[^=]|^\s*\.\.\.")
_IMPORT = re.compile(r"^\s*>>>\s*(?:from\s+(?P<of>\w+)\S*\s+import\b|import\s+(?P<module>\w+))")
_SKIPPED = re.compile(r"\s*#\s*doctest:\s*[+-]\w+(?:\s*,\s*[+-]\w+)*\s*$")
# A sentence that only sends the reader elsewhere, and what every reader can look up.
_SEE = re.compile(
    r"(?:^[ \t]*|(?<=[.!?])[ \t]+)See(?:[ \t]+also)?:?[ \t]+"
    r"(?::[\w:]+:)?`+~?(?P<name>[A-Za-z_][\w.]*)(?:\(\))?`+\.?[ \t]*$",
    re.MULTILINE,
)
_LIBRARIES = frozenset({*sys.stdlib_module_names, "numpy", "pandas"})
_COMMON = _LIBRARIES | {*dir(builtins)}
# Beyond this many characters of running text a docstring is a page, and paragraphs must speak of the function.
PAGE = 1500
_RESULT = re.compile(r"\b(?:returns?|results?|gives?|raises?|default)\b", re.IGNORECASE)


def cut(docstring: str, entry_point: str, parameters: Sequence[str]) -> str:
    """The docstring without sections that tell nothing of the function.

    Sections of examples in code stay where these call the function; sections whose name says that they are none of the
    task's matter (references, authors …) stay where they speak of a parameter, and all others, whatever their names,
    unless they hold nothing but addresses. Of a page, paragraphs stay that
    speak of a parameter or of what comes back. Link targets, imports in examples, and examples that call something else
    go: what a solver cannot run tells him nothing.

    Args:
        docstring: As written.
        entry_point: The function's name.
        parameters: Names of its parameters.

    Example:
        >>> cut("Sort keys.\\n\\nConformance:\\n    See RFC 1.\\n\\nExample:\\n    >>> other(1)\\n    2", "f", ["keys"])
        'Sort keys.'
        >>> cut("Sort keys. See `Other.sort`", "f", ["keys"]), cut("Sort. See `list.sort`.", "f", [])
        ('Sort keys.', 'Sort. See `list.sort`.')
    """
    clean = inspect.cleandoc(docstring)
    blocks = list(_blocks(clean.splitlines()))
    kept = [lines for name, lines in blocks if _stays(name, lines, entry_point, parameters)]
    if sum(len(line) for name, lines in blocks if name not in _READ for line in lines) > PAGE:
        kept = [part for lines in kept for part in _telling(lines, entry_point, parameters)]
    lines = [line for part in kept for line in part if not (_TARGET.match(line) or _IMPORT.match(line))]
    imported = {
        name
        for line in clean.splitlines()
        if (found := _IMPORT.match(line)) and (found["of"] or found["module"]) in _LIBRARIES
        for name in re.findall(r"\w+", line)
    }
    lines = _callable(lines, entry_point, imported)
    text = "\n".join(_SKIPPED.sub("", line) if _DOCTEST.match(line) else _LINK.sub(_shown, line) for line in lines)
    text = _SEE.sub(lambda found: found[0] if found["name"].split(".")[0] in {*_COMMON, *parameters} else "", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _callable(lines: Sequence[str], entry_point: str, known: Collection[str] = ()) -> list[str]:
    """The lines without examples that do not call the function, and without what announces these.

    Those that only give names to values stay; what is given as a function, or needs a name that nothing defines, is no
    case that a solver could meet.

    Example:
        >>> _callable(["Adds.", "", ">>> x = 1", ">>> f(x)", "2", "", "Others", "are:", "", ">>> g(1)", "3"], "f")
        ['Adds.', '', '>>> x = 1', '>>> f(x)', '2', '']
        >>> _callable(["Adds.", "", ">>> x = Own(1)", ">>> f(x)", "2", "", ">>> f(1, len)", "", ">>> f(1)", "1"], "f")
        ['Adds.', '', '', '', '>>> f(1)', '1']
    """
    called = re.compile(rf"(?<![\w.])_*{re.escape(entry_point)}\(")
    kept: list[str] = []
    group: list[str] = []
    names = {*known}
    for line in [*lines, ""]:
        if group and not line.strip():
            named = all(_NAMES.match(each) for each in group)
            if (named or any(called.search(each) for each in group)) and _defined(group, entry_point, names):
                kept += group
            else:
                _unannounced(kept)
            group = []
        if _DOCTEST.match(line) or group:
            group.append(line)
        else:
            kept.append(line)
    return kept[:-1]


def _defined(group: Sequence[str], entry_point: str, names: set[str]) -> bool:
    """Whether an example gives values alone, made of what is known; its own names are known from there on."""
    code = "\n".join(line.strip()[4:] for line in group if _DOCTEST.match(line))
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return True
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    given = [
        part
        for call in calls
        if is_call_of(call, entry_point)
        for part in (*call.args, *(each.value for each in call.keywords))
    ]
    given += [node.value for node in tree.body if isinstance(node, ast.Assign)]
    read = [node for part in given for node in ast.walk(part)]
    open_names = {node.id for node in read if isinstance(node, ast.Name)} - own - names - _COMMON - {entry_point}
    handed = any(isinstance(part, ast.Lambda) or (isinstance(part, ast.Name) and part.id in _COMMON) for part in given)
    if open_names or handed:
        return False
    names |= own
    return True


def _unannounced(lines: list[str]) -> None:
    """Takes a paragraph that ends with a colon off the end, unless it is the only one."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    if end and lines[end - 1].rstrip().endswith(":"):
        while end and lines[end - 1].strip():
            end -= 1
        if end:
            del lines[end:]


def _blocks(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Sections with their names in small letters; what stands before the first has none."""
    name, block = "", list[str]()
    for number, line in enumerate(lines):
        found = _header(line, lines[number + 1 :])
        # Back at the margin an indented section is over.
        over = bool(name) and block[0].endswith(":") and len(block) > 1 and line.strip() and not line[:1].isspace()
        if found or over:
            yield name, block
            name, block = found, []
        block.append(line)
    yield name, block


def _header(line: str, below: Sequence[str]) -> str:
    """The name of the section that a line opens: an indented text follows, or a ruler."""
    if line[:1].isspace() or not line.strip():
        return ""
    if below and _RULER.match(below[0]):
        return line.strip().lower()
    found = _HEADER.match(line)
    following = next((each for each in below if each.strip()), "")
    return found["name"].lower() if found and following[:1].isspace() else ""


def _stays(name: str, lines: Sequence[str], entry_point: str, parameters: Sequence[str]) -> bool:
    if not name or name in _READ:
        return True
    text = "\n".join(lines[1:])
    if name in _EXAMPLES and _CODE.search(text):
        return re.search(rf"(?<![\w.]){re.escape(entry_point)}\(|\.{re.escape(entry_point)}\(", text) is not None
    return not (name in _BESIDE and not _speaks_of(text, parameters)) and not _is_addresses(text)


def _is_addresses(text: str) -> bool:
    """Whether a text holds addresses, and no word beside them.

    Example:
        >>> [_is_addresses(each) for each in ("- <a://b>\\n- c://d/e://f", "See a://b", "")]
        [True, False, False]
    """
    spoken = [each for each in text.split() if re.search(r"\w", each)]
    return bool(spoken) and all(map(_ADDRESS.match, spoken))


def _telling(lines: Sequence[str], entry_point: str, parameters: Sequence[str]) -> Iterator[list[str]]:
    """Of a page: its first paragraph, and those that speak of a parameter, of the result, or show a call."""
    paragraph = list[str]()
    paragraphs = list[list[str]]()
    for line in lines:
        paragraph.append(line)
        if not line.strip():
            paragraphs.append(paragraph)
            paragraph = []
    paragraphs.append(paragraph)
    name = next((line.strip().rstrip(":").lower() for line in lines if line.strip()), "")
    for place, part in enumerate(paragraphs):
        text = "\n".join(part)
        speaks = _speaks_of(text, parameters) or _RESULT.search(text) or f"{entry_point}(" in text
        if place == 0 or name in _READ or speaks:
            yield part


def _speaks_of(text: str, parameters: Sequence[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text) for each in parameters if len(each) > 1)


def _shown(found: re.Match[str]) -> str:
    return found["shown"] or found["name"]


__all__ = ["PAGE", "cut"]
