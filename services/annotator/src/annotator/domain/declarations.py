"""Functions and methods of Java, Go, PHP, JavaScript and TypeScript, found by their text.

What a compiler would know is not needed here: the name to call, the class around it, parameters, the type of the
result and where the body begins. Comments and literals are blanked first, so that nothing inside them counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from annotator.domain.literals import quoted

_C_COMMENTS = r"//[^\n]*|/\*.*?\*/"
_LINE = quoted('"', r"\n") + "|" + quoted("'", r"\n")
_LINES = quoted('"') + "|" + quoted("'")
_PAGE = r"\?>.*?(?:(<\?(?:php\b|=))|\Z)"
_TICKS = quoted("`")
_BLANKED = {
    "java": re.compile(rf'{_C_COMMENTS}|""".*?"""|{_LINE}', re.DOTALL),
    "go": re.compile(rf"{_C_COMMENTS}|`[^`]*`|{_LINE}", re.DOTALL),
    # A tag that closes ends a comment of one line, and what follows is a page until the next one opens.
    "php": re.compile(rf"/\*.*?\*/|(?://|\#(?!\[))(?:(?!\?>)[^\n])*|{_PAGE}|{_LINES}", re.DOTALL),
    "javascript": re.compile(rf"{_C_COMMENTS}|{_TICKS}|{_LINE}", re.DOTALL),
}
_BLANKED["typescript"] = _BLANKED["javascript"]

_CLASS = {
    "java": re.compile(r"\b(?:class|enum|record|interface)\s+(\w+)[^{;]*\{"),
    "php": re.compile(r"\b(?:class|trait|enum|interface)\s+(\w+)[^{;]*\{"),
    # An object that is written out holds functions as a class does.
    "javascript": re.compile(
        r"\bclass\s+([\w$]+)[^{;]*\{|^(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]+)?=\s*\{", re.MULTILINE
    ),
}
_CLASS["typescript"] = _CLASS["javascript"]
# In Java and Go what stands before the name tells a declaration from a call.
_DECLARED = {
    "java": re.compile(
        r"(?:^|(?<=[;{}\n)]))[ \t]*((?:@\w++[ \t]*+(?:\([^)]*\))?\s*+|public\s+|private\s+|protected\s+|static\s+"
        r"|final\s+|synchronized\s+|strictfp\s+|native\s+|default\s+)*)(?:<[^(){};]*?>\s*)?([\w.]+(?:\s*<[^(){};=]*>)?(?:\s*\[\s*\])*)\s+(\w+)\s*\("
    ),
    "go": re.compile(
        r"^func\s*(?:\(\s*(?:\w+\s+)?\*?(\w+)(?:\[[^\]]*\])?\s*\)\s*)?(\w+)\s*+"
        r"(?:\[(?:[^\[\]]|\[[^\[\]]*\])*+\])?\s*+\(",
        re.MULTILINE,
    ),
    "php": re.compile(r"((?:\b(?:public|private|protected|static|final|abstract)\s+)*)\bfunction\s++&?\s*+(\w+)\s*\("),
    "javascript": re.compile(
        r"^[ \t]*(?:export\s+(?:default\s+)?|(?:module\.)?exports(?:\.[\w$]+)?\s*=\s*)?"
        r"(async\s+)?function\s*+(\*?)\s*+([\w$]+)\s*(?:<[^(]*>)?\(",
        re.MULTILINE,
    ),
}
_DECLARED["typescript"] = _DECLARED["javascript"]
_ARROW = re.compile(
    r"^[ \t]*(?:(?:export\s+)?(?:const|let|var)\s+|(?:module\.)?exports\.)([\w$]+)\s*(?::[^=\n]+)?=\s*(async\s+)?"
    r"(?:function\s*+(\*?)\s*+[\w$]*+\s*+)?(?:<[^(]*>\s*)?(?:\(|(?!function\b)([\w$]++)(?=\s*=>))",
    re.MULTILINE,
)
_MEMBER = re.compile(
    r"^[ \t]*+(?:(?:public|private|protected)\s+)?(static\s+)?(async\s+)?(\*?)[ \t]*+([\w$]+)\s*(?:<[^(){};]*>)?\(",
    re.MULTILINE,
)
_PROPERTY = re.compile(
    r"^[ \t]*+([\w$]+)\s*:\s*(async\s+)?(?:function\s*+(\*?)\s*+[\w$]*+\s*+)?(?:\(|(?!function\b)([\w$]++)(?=\s*=>))",
    re.MULTILINE,
)
_ENDS = re.compile(r"[(\[{]|[)\]}]|[,;]|\n(?=(?:export|const|let|var|function|class|module|async)\b)")
_OPENED_BY = {")": "(", "}": "{", "]": "[", ">": "<"}
_NO_NAMES = frozenset(
    (
        *("if", "for", "while", "switch", "catch", "return", "new", "function", "else", "do", "try", "synchronized"),
        *("throw", "constructor", "super", "this", "assert", "case"),
    )
)


@dataclass(frozen=True, slots=True)
class Declaration:
    """A function or a method.

    Attributes:
        owner: The class or receiver that it belongs to; empty for a function.
        parameters: Names, in order, without their types; `$` of PHP included.
        returns: Type of the result as it is written; empty where none is.
        body: Where its body begins, just after the brace, or the arrow of an expression.
        end: Where its body ends.
        trouble: Why it cannot simply be called with data; empty where it can.
    """

    name: str
    owner: str
    parameters: tuple[str, ...]
    returns: str
    start: int
    body: int
    end: int
    trouble: str = ""


def blanked(code: str, language: str) -> str:
    """The code with comments and literals as blanks of the same length.

    Example:
        >>> blanked('f("a{") // }', "java")
        'f(    )     '
    """
    return _BLANKED[language].sub(lambda found: re.sub(r"[^\n]", " ", found.group()), code)


def texts(code: str, language: str) -> list[str]:
    """The literals of a code that are texts, as they are written; no comments."""
    return [found.group() for found in _BLANKED[language].finditer(code) if found.group()[0] in "\"'`"]


def pages(code: str) -> Iterator[re.Match[str]]:
    """What stands between tags of PHP, from one that closes to one that opens; the first group is that one."""
    return (found for found in _BLANKED["php"].finditer(code) if found.group().startswith("?>"))


def declarations(code: str, language: str) -> tuple[Declaration, ...]:
    """Every function and method with a body, in order; constructors and inner functions are left out."""
    text = blanked(code, language)
    classes = [
        (next(filter(None, found.groups())), found.end(), closing_of(text, found.end() - 1))
        for found in _class(text, language)
    ]
    found = [each for each in _candidates(text, language, classes) if each is not None]
    outer: list[Declaration] = []
    for each in sorted(found, key=lambda declaration: declaration.start):
        if not any(other.body <= each.start < other.end for other in outer):
            outer.append(each)
    return tuple(outer)


def _class(text: str, language: str) -> list[re.Match[str]]:
    pattern = _CLASS.get(language)
    return list(pattern.finditer(text)) if pattern else []


def _candidates(text: str, language: str, classes: list[tuple[str, int, int]]) -> list[Declaration | None]:
    def owner(place: int) -> str:
        inside = [(end - begin, name) for name, begin, end in classes if begin <= place < end]
        return min(inside)[1] if inside else ""

    made: list[Declaration | None] = []
    for found in _DECLARED[language].finditer(text):
        groups = found.groups(default="")
        if language == "java":
            trouble = "it is abstract" if "native" in groups[0] else ""
            keyword = groups[1].split("<")[0].strip() in {"new", "return", "else", "throw", "case"}
            made.append(
                None if keyword else _made(text, found, groups[2], owner(found.start()), groups[1], trouble, language)
            )
        elif language == "go":
            made.append(_made(text, found, groups[1], groups[0], "", "", language))
        elif language == "php":
            made.append(_made(text, found, groups[1], owner(found.start()), "", "", language))
        else:
            made.append(_made(text, found, groups[2], "", "", _script_trouble(groups[0], groups[1]), language))
    if language in {"javascript", "typescript"}:
        for found in _ARROW.finditer(text):
            groups = found.groups(default="")
            made.append(
                _made(text, found, groups[0], "", "", _script_trouble(groups[1], groups[2]), language, groups[3])
            )
        for found in _PROPERTY.finditer(text):
            groups = found.groups(default="")
            if inside := owner(found.start()):
                trouble = _script_trouble(groups[1], groups[2])
                made.append(_made(text, found, groups[0], inside, "", trouble, language, groups[3]))
        for found in _MEMBER.finditer(text):
            groups = found.groups(default="")
            if inside := owner(found.start()):
                made.append(_made(text, found, groups[3], inside, "", _script_trouble(groups[1], groups[2]), language))
    return made


def _script_trouble(asynchronous: str, star: str) -> str:
    return "it is a generator" if star else ("it is asynchronous" if asynchronous else "")


def _made(
    text: str,
    found: re.Match[str],
    name: str,
    owner: str,
    returns: str,
    trouble: str,
    language: str,
    alone: str = "",
) -> Declaration | None:
    """A declaration whose parameters begin where a match ends, or of one parameter without brackets, `alone`."""
    if name in _NO_NAMES or name == owner or name == "__construct":
        return None
    opening = found.end() - 1
    closing = opening if alone else closing_of(text, opening)
    if closing < 0:
        return None
    head = _head(text, closing + 1, language)
    if head is None:
        return None
    told, body = head
    end = closing_of(text, body - 1) if text[body - 1] == "{" else end_of_expression(text, body)
    if end < 0:
        return None
    parameters = names_of_parameters(alone or text[opening + 1 : closing], language)
    return Declaration(name, owner, parameters, " ".join((returns or told).split()), found.start(), body, end, trouble)


def _head(text: str, place: int, language: str) -> tuple[str, int] | None:
    """What stands between parameters and body: the type of the result; and where the body begins."""
    if language == "go":
        # A result in brackets, or a type that may have braces of its own (`interface{}`, `struct{ A int }`).
        found = re.compile(
            r"\s*((?:\((?:[^{}]|(?<=interface)\s*\{[^{}]*\}|(?<=struct)\s*\{[^{}]*\})*?\)"
            r"|(?:interface|struct)\s*\{[^{}]*\}"
            r"|[^\s{(][^{\n]*?(?:(?:interface|struct)\s*\{[^{}]*\}[^{\n]*?)?)?)\s*\{"
        ).match(text, place)
    elif language in {"javascript", "typescript"}:
        return _head_of_script(text, place)
    elif language == "php":
        found = re.compile(r"\s*+(?::\s*+([^{;=]*+))?(?:=>\s*+)?\{").match(text, place)
    else:
        found = re.compile(r"\s*(?:\[\s*\]\s*)?(?:throws\s+([\w.,\s]+))?\s*\{").match(text, place)
        return ("", found.end()) if found else None
    return ((found.group(1) or "").strip(), found.end()) if found else None


def _head_of_script(text: str, place: int) -> tuple[str, int] | None:
    """The same for JavaScript and TypeScript, where a body may be an expression, and a type may have braces."""
    told = ""
    if colon := re.compile(r"\s*:").match(text, place):
        place = _end_of_type(text, colon.end())
        told = text[colon.end() : place].strip()
    body = re.compile(r"\s*+(?:=>\s*+\{|=>|\{)").match(text, place)
    return (told, body.end()) if body else None


def _end_of_type(text: str, place: int) -> int:
    """Where a type of TypeScript ends that begins at a place: braces are its own where a type may begin.

    Example:
        >>> text = "{ a: number } | (() => void)[] {"
        >>> text[_end_of_type(text, 0) :]
        '{'
    """
    due, before = True, ""
    sign = re.compile(r"=>|[\w$.]+|\S")
    while found := sign.search(text, place):
        token = found.group()
        if due and token in "({[":
            end = closing_of(text, found.start())
            after = sign.search(text, end + 1) if end >= 0 else None
            if after is None or (token == "{" and after.group() not in ("{", "=>", "|", "&", "[")):
                return found.start()
            due, before, place = False, token, end + 1
            continue
        if not due:
            if token == "{" or (token == "=>" and before != "("):
                return found.start()
            if token in "<[":
                place = max(closing_of(text, found.start()), found.start()) + 1
                continue
        due = token in ("=>", "|", "&", "?", ":", "keyof", "typeof", "readonly", "is", "extends", "asserts", "infer")
        before, place = token, found.end()
    return place


def end_of_expression(text: str, place: int) -> int:
    """Where an expression ends: at the bracket around it, a comma or a semicolon, or before a declaration."""
    depth = 0
    for found in _ENDS.finditer(text, place):
        sign = found.group()
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 or (not depth and sign in ",;\n"):
            return found.start()
    return len(text)


def names_of_parameters(text: str, language: str) -> tuple[str, ...]:
    """Names of parameters as they stand between brackets, in order, without their types and defaults.

    Example:
        >>> names_of_parameters("sum: number, item: Item", "typescript"), names_of_parameters("List<Item> all", "java")
        (('sum', 'item'), ('all',))
    """
    return tuple(_parameter(part, language) for part in _split(text))


def _parameter(part: str, language: str) -> str:
    words = re.findall(r"\$?[\w$]+", part.split("=")[0])
    if not words:
        return ""
    if language == "php":
        return next((word for word in words if word.startswith("$")), words[-1])
    return words[0] if language in {"go", "javascript", "typescript"} else words[-1]


def _split(text: str) -> list[str]:
    parts: list[str] = []
    depth, begin = 0, 0
    for place, sign in enumerate(text):
        depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}.get(sign, 0)
        if sign == "," and not depth:
            parts.append(text[begin:place])
            begin = place + 1
    return [part for part in [*parts, text[begin:]] if part.strip()]


def closing_of(text: str, opening: int) -> int:
    """Where the bracket at a place is closed; -1 where it is not."""
    return _closings(text).get(opening, -1)


@lru_cache(maxsize=4)
def _closings(text: str) -> Mapping[int, int]:
    """Where each bracket is closed that is: read once, however many of a foreign text nobody closes."""
    openings: dict[str, list[int]] = {sign: [] for sign in _OPENED_BY.values()}
    found: dict[int, int] = {}
    # The sign of an arrow closes nothing.
    for bracket in re.finditer(r"[({\[<)}\]]|(?<!=)>", text):
        sign, place = bracket.group(), bracket.start()
        if sign in openings:
            openings[sign].append(place)
        elif openings[_OPENED_BY[sign]]:
            found[openings[_OPENED_BY[sign]].pop()] = place
    return found
