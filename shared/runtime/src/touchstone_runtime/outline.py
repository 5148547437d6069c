"""What a text in JavaScript, TypeScript, Java, Go or PHP defines, told from its words and brackets.

This is no parser: a program's own compiler reads it, in the sandbox. Which of an answer's blocks is the program, and
whether a fence stands in a comment, has to be told before, where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from touchstone_runtime.extraction import FENCE, Sight

# What a line begins with that may be a program's first.
START = re.compile(
    r"(?:import|export|package|public|private|protected|static|final|abstract|sealed|async|function|const|let|var|class|"
    r"interface|enum|record|type|declare|func|namespace|use)\b|//|/\*|@|<\?php|[\"']use |(?:module\.)?exports\b"
)
_SLASHES = r"//[^\n]*|/\*[\s\S]*?\*/"
_DOUBLE = r'"(?:[^"\\\n]|\\[\s\S])*"'
_SINGLE = r"'(?:[^'\\\n]|\\[\s\S])*'"
_BLOCK = r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*"""'
_HEREDOC = r"<<<[ \t]*(?P<mark>['\"]?)(?P<label>\w+)(?P=mark)\n[\s\S]*?^[ \t]*(?P=label)\b"
_LINES = r'"(?:[^"\\]|\\[\s\S])*"|' r"'(?:[^'\\]|\\[\s\S])*'"
_SIGNS = r"=>|->|[=!]==?|[<>]=|&&|\|\||\?\?|\?\.|\+\+|--|::|:=|\.\.\.|[^\w\s]"
_SCRIPT = (rf"{_SLASHES}|\A\#![^\n]*", rf"{_DOUBLE}|{_SINGLE}")
# Comments and texts of each language; templates are read apart, since code stands in them.
_LEXICON = {
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "java": (_SLASHES, rf"{_BLOCK}|{_DOUBLE}|{_SINGLE}"),
    "go": (_SLASHES, rf"{_DOUBLE}|{_SINGLE}|`[^`]*`"),
    "php": (rf"{_SLASHES}|\#(?!\[)[^\n]*", rf"{_HEREDOC}|{_LINES}"),
}
_TOKENS = {
    language: re.compile(
        rf"(?P<space>\s+)|(?P<comment>{comment})|(?P<text>{text})|(?P<word>[\w$]+)|(?P<sign>{_SIGNS})", re.MULTILINE
    )
    for language, (comment, text) in _LEXICON.items()
}
_SCRIPTS = ("javascript", "typescript")
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?P<end>`|\$\{)")
_EXPRESSION = re.compile(r"/(?![/*])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,1000}+\]){1,1000}+/\w*")
# Behind these signs a slash divides, behind the others it begins a regular expression, as it does behind these words.
_OPERANDS = frozenset((")", "]", "}", "++", "--", '"'))
_OPERATORS = frozenset(
    ("return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "await", "yield")
)
_PAIRS = {"(": ")", "[": "]", "{": "}", "${": "}"}
_CLOSING = frozenset(_PAIRS.values())
# What comments and texts begin with; none of it is a sign.
_MARKS = ("/*", '"', "'", "`", "<<<")
# No head goes on for so many words behind its parameters.
_FAR = 100

_BINDING = frozenset(("const", "let", "var"))
_EXPORTING = frozenset(("exports", "globalThis", "global"))
# Behind these a brace opens a type of TypeScript, and not the body of a function.
_TYPE_BEFORE = frozenset((":", "|", "&", "=>", "<", ",", "?", "is", "keyof", "typeof", "readonly", "extends", "infer"))
# Words of Java behind which a name is no method's: there is no type before it.
_NO_TYPE = frozenset(
    (
        "new", "return", "throw", "else", "case", "assert", "yield", "record", "class", "interface", "enum", "do",
        "public", "protected", "private", "static", "final", "abstract", "native", "synchronized", "default", "when",
    )
)  # fmt: skip
_WORD = re.compile(r"[^\W\d]")
_SENTENCE = re.compile(r"(?!//|/\*|\*|#)\S+ .*[.:!?]$")


@dataclass(frozen=True)
class _Code:
    """The words and signs of a text; a text within it is one word, its quotation mark."""

    words: list[str] = field(default_factory=list[str])
    # Whether each stands first on its line.
    first: list[bool] = field(default_factory=list[bool])
    # The place of the bracket that each stands in; -1 is none.
    within: list[int] = field(default_factory=list[int])
    # Where the bracket at a place closes.
    closing: dict[int, int] = field(default_factory=dict[int, int])

    def __getitem__(self, at: int) -> str:
        return self.words[at] if 0 <= at < len(self.words) else ""

    def behind(self, at: int) -> int:
        """The place behind a bracket and all that stands in it; behind the text's end where it does not close."""
        return self.closing.get(at, len(self.words)) + 1

    def body(self, at: int) -> Sight:
        """What a function amounts to whose body is expected at a place."""
        if self[at] != "{":
            return Sight.HEAD
        # A body that does nothing but fail stands for one that is to come.
        stub = self[at + 1] in ("}", "throw", "panic") or (self[at + 1], self[at + 2]) == ("...", "}")
        return Sight.PLACEHOLDER if stub else Sight.PROGRAM


def sight(text: str, name: str, language: str) -> Sight:
    """How much a text is of a program that defines a name.

    Args:
        text: What may be the program.
        name: What it is to define.
        language: One of five, lower case.

    Example:
        >>> sight("function cut(text) { return text; }", "cut", "javascript").name
        'PROGRAM'
        >>> sight("function cut(text)", "cut", "javascript").name, sight("cut('a');", "cut", "javascript").name
        ('HEAD', 'OTHER')
    """
    if not text.strip():
        return Sight.NOTHING
    # In PHP a function's name has no case.
    same = str.lower if language == "php" else str
    if same(name) not in same(text) and "export" not in text:
        return Sight.OTHER
    code, whole = _read(text, language)
    look = _LOOKS[language]
    places = (at for at, word in enumerate(code.words) if same(word) == same(name))
    best = min((look(code, at) for at in places), default=Sight.OTHER)
    if best > Sight.MENTION and language in _SCRIPTS and _exports_one(code):
        return Sight.MENTION
    return Sight.BROKEN if best in (Sight.PROGRAM, Sight.PLACEHOLDER) and not whole else best


def is_whole(text: str, language: str) -> bool:
    """Whether a script closes all that it opens, and has no fence but in comments and texts.

    Other languages have no ways of defining a name that are not known here.

    Example:
        >>> is_whole("/*\\n```\\n*/ f();", "javascript"), is_whole("f(`\\n```\\n`);", "javascript")
        (True, False)
    """
    return language in _SCRIPTS and _read(text, language)[1]


def is_prose(line: str) -> bool:
    """Whether a line is a sentence and no code.

    Example:
        >>> is_prose("Here it is:"), is_prose("// Here it is:"), is_prose("return it;")
        (True, False, False)
    """
    said = line.strip()
    return _SENTENCE.match(said) is not None and re.search(r"[;{}=]", said) is None


def _read(text: str, language: str) -> tuple[_Code, bool]:
    """The code of a text as far as it makes sense, and whether it does to its end."""
    code, opened, at, first = _Code(), list[int](), 0, True
    scripted, pattern = language in _SCRIPTS, _TOKENS[language]
    while at < len(text):
        found = pattern.match(text, at)
        assert found is not None
        word, kind, end = found.group(), found.lastgroup, found.end()
        if kind in ("space", "comment"):
            first, at = first or "\n" in word, end
            continue
        if first and word[0] in "`~" and FENCE.match(text, text.rfind("\n", 0, at) + 1):
            return code, False
        if scripted and (word == "`" or (word == "}" and opened and code[opened[-1]] == "${")):
            if word == "}":
                code.closing[opened.pop()] = len(code.words)
            template = _TEMPLATE.match(text, end)
            if template is None:
                return code, False
            word, kind, end = ('"' if template["end"] == "`" else "${"), "text", template.end()
        elif scripted and word == "/" and (expression := _expression(text, at, code)):
            word, kind, end = '"', "text", expression
        elif text.startswith(_MARKS, at):
            if kind == "sign" or (word == '""' and text.startswith('"""', at)):
                return code, False
            word = '"'
        elif word in _CLOSING:
            if not opened or _PAIRS[code[opened[-1]]] != word:
                return code, False
            code.closing[opened.pop()] = len(code.words)
        code.words.append(word)
        code.first.append(first)
        code.within.append(opened[-1] if opened else -1)
        if word in _PAIRS:
            opened.append(len(code.words) - 1)
        at, first = end, False
    return code, not opened


def _expression(text: str, at: int, code: _Code) -> int:
    """Where a regular expression ends that begins at a slash; 0 where the slash divides."""
    before = code[len(code.words) - 1]
    if before in _OPERANDS or (before and _is_word(before) and before not in _OPERATORS) or before[:1].isdigit():
        return 0
    found = _EXPRESSION.match(text, at)
    return found.end() if found else 0


def _is_word(word: str) -> bool:
    return _WORD.match(word) is not None or word.startswith("$")


def _script(code: _Code, at: int) -> Sight:
    """JavaScript and TypeScript."""
    before, behind, within = code[at - 1], code[at + 1], code.within[at]
    if before == "function" or (before == "*" and code[at - 2] == "function"):
        found = code.body(_behind_head(code, _behind_angles(code, at + 1)))
        return found if within < 0 or found is Sight.HEAD else Sight.MENTION
    if within < 0 and before == "class":
        return Sight.PROGRAM
    if _is_taken(code, at) or before == "import":
        return Sight.OTHER
    if behind == "=":
        if code[at + 2] in ("require", "await"):
            return Sight.OTHER
        exported = before == "." and code[at - 2] in _EXPORTING
        bound = within < 0 and (before in _BINDING or before in ("", ";", "}", ",") or code.first[at])
        return Sight.PROGRAM if exported or bound else Sight.MENTION
    if behind == ":" and within < 0 and before in _BINDING:
        return Sight.PROGRAM if _is_given(code, at + 2) else Sight.HEAD
    if _is_exported(code, at):
        return Sight.PROGRAM
    if behind in ("(", "?."):
        return Sight.MENTION if code[_behind_head(code, at + 1)] == "{" else Sight.OTHER
    return Sight.MENTION


def _is_taken(code: _Code, at: int) -> bool:
    """Whether a name stands in the braces of an import, or of what a `require` gives."""
    within = code.within[at]
    if within < 0 or code[within] != "{":
        return False
    imported = code[within - 1] == "import" or (code[within - 1] == "," and code[within - 3] == "import")
    end = code.behind(within)
    return imported or (code[end] == "=" and code[end + 1] in ("require", "await"))


def _is_exported(code: _Code, at: int) -> bool:
    """Whether a name stands in the braces of what a program exports."""
    within = code.within[at]
    if within < 0 or code[within] != "{" or code[code.behind(within)] == "from":
        return False
    exported = code[within - 1] in ("export", "default") or (code[within - 1], code[within - 2]) == ("=", "exports")
    return exported and code[at - 1] in ("{", ",", "as", "async", "get", "*")


def _exports_one(code: _Code) -> bool:
    """Whether a program exports one function that may have any name."""
    triples = zip(code.words, code.words[1:], code.words[2:], strict=False)
    return any(
        (first, second) in (("exports", "="), ("export", "default")) and (third == "(" or third.isidentifier())
        for first, second, third in triples
    )


def _is_given(code: _Code, at: int) -> bool:
    """Whether a declaration with a type goes on to a value."""
    for place in range(at, min(at + _FAR, len(code.words))):
        if code.within[place] < 0:
            if code[place] == "=":
                return True
            if code[place] == ";" or (code.first[place] and code[place] in (*_BINDING, "function", "class", "export")):
                return False
    return False


def _behind_angles(code: _Code, at: int) -> int:
    """The place behind the type parameters that may stand at a place."""
    depth = 0
    for _ in range(_FAR):
        depth += (code[at] == "<") - (code[at] == ">")
        if depth == 0:
            return at + (code[at] == ">")
        at = code.behind(at) if code[at] in _PAIRS else at + 1
    return len(code.words)


def _behind_head(code: _Code, at: int) -> int:
    """The place behind the parameters that begin at a place, and the type of TypeScript that may follow them."""
    if code[at] != "(":
        return len(code.words)
    at = code.behind(at)
    if code[at] != ":":
        return at
    for _ in range(_FAR):
        at = code.behind(at) if code[at] in _PAIRS else at + 1
        word, before = code[at], code[at - 1]
        if word == "{" and before not in _TYPE_BEFORE:
            return at
        ends = word in ("", ";", "=", ")", "}")
        if ends or (code.first[at] and not {word, before} & _TYPE_BEFORE):
            break
    return len(code.words)


def _java(code: _Code, at: int) -> Sight:
    before = code[at - 1]
    typed = before in (">", "]") or (_is_word(before) and before not in _NO_TYPE)
    if code[at + 1] != "(" or not typed:
        return Sight.OTHER
    end = code.behind(at + 1)
    while code[end] == "[":
        end = code.behind(end)
    if code[end] == "throws":
        end = _next(code, end, "{", ";")
    return code.body(end)


def _go(code: _Code, at: int) -> Sight:
    before, behind = code[at - 1], code[at + 1]
    if before == "func":
        start = code.behind(at + 1) if behind == "[" else at + 1
        return code.body(_behind_results(code, code.behind(start)) if code[start] == "(" else len(code.words))
    within = code.within[at]
    declared = before == "var" or (within >= 0 and code[within - 1] == "var" and code.first[at])
    if declared and any(code[place] == "=" for place in _line(code, at + 1)):
        return Sight.PROGRAM
    return Sight.OTHER if behind == "(" else Sight.MENTION


def _line(code: _Code, at: int) -> Iterator[int]:
    """Places from one on to the end of its line, without what stands in brackets."""
    for _ in range(_FAR):
        if at >= len(code.words) or code.first[at]:
            return
        yield at
        at = code.behind(at) if code[at] in _PAIRS else at + 1


def _behind_results(code: _Code, at: int) -> int:
    """The place of the body behind the results of a function, which stand on the line where its parameters end."""
    for place in _line(code, at):
        if code[place] == "{" and code[place - 1] not in ("interface", "struct"):
            return place
    return len(code.words)


def _php(code: _Code, at: int) -> Sight:
    before = code[at - 1 if code[at - 1] != "&" else at - 2].lower()
    if before != "function" or code[at + 1] != "(":
        return Sight.OTHER if code[at + 1] == "(" else Sight.MENTION
    return code.body(_next(code, code.behind(at + 1), "{", ";", "}"))


def _next(code: _Code, at: int, *wanted: str) -> int:
    """The next place of one of some words; behind the text's end where none comes soon."""
    places = range(at, min(at + _FAR, len(code.words)))
    return next((place for place in places if code[place] in wanted), len(code.words))


_LOOKS: dict[str, Callable[[_Code, int], Sight]] = {
    "javascript": _script,
    "typescript": _script,
    "java": _java,
    "go": _go,
    "php": _php,
}
