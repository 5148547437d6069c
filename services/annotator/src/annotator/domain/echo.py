"""Tests that take their expectation from the code instead of the query: they pass on whatever the code does."""

from __future__ import annotations

import re
from collections.abc import Iterable

from annotator.domain.literals import TOKEN
from annotator.domain.program import Case, ProgramTest
from annotator.domain.subject import Subject

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_VALUE = re.compile(r"""\d[\w.]*|["'].*""", re.DOTALL)
# Where an expression begins and ends, in any of the languages.
_STATEMENT = re.compile(r"(?:\breturn\b|(?<![=!<>+\-*/%&|^])=(?![=>])|:=)([^;\n]+)")
_KEYWORDS = frozenset(
    (
        *("return", "if", "else", "for", "while", "not", "and", "or", "in", "is", "new", "lambda", "await", "yield"),
        *("True", "False", "None", "true", "false", "null", "nil", "self", "this", "from", "import", "class"),
        *("def", "func", "function", "var", "let", "const", "int", "long", "double", "float", "String", "boolean"),
        *("bool", "string"),
    )
)
_LEASTTOKENS = 4
_ALIKE = 0.7


def echoes_program(test: ProgramTest, subject: Subject) -> str:
    """Say how the assertions echo the code; empty where they do not.

    Found are: the entry point defined anew, the code's own source read, and an expression of the code used to
    work out what is expected.
    """
    text = f"{test.setup}\n{test.tests}"
    name = re.escape(subject.entry_point)
    if not name:
        return ""
    # `$` of PHP belongs to its names.
    again = re.search(
        rf"\b(?:def|func|function)\s+{name}\s*[(\[]|^[ \t]*(?:const|let|var)?[ \t]*{name}\s*:?=(?!=)",
        test.tests,
        re.MULTILINE,
    )
    if again:
        return f"it defines {subject.entry_point} anew"
    if re.search(
        r"\binspect\b|getsource|__code__|__file__|ReflectionFunction|\.toString\(\)\.(?:match|includes)", text
    ):
        return "it reads the code's own source"
    return _repeated(expressions(subject.code), test.tests, subject)


def echoes_case(case: Case, subject: Subject) -> str:
    """Say how a check echoes the code; empty where it does not, and for expectations that are values."""
    return _repeated(expressions(subject.code), case.expected, subject) if case.kind == "check" else ""


def alike(one: str, other: str) -> bool:
    """Whether two codes are nearly the same, whatever their names."""
    first, second = set(_grams(one)), set(_grams(other))
    return len(first & second) >= _ALIKE * max(1, len(first | second))


def _grams(code: str) -> list[tuple[str, ...]]:
    shape = _shape(code)
    return [tuple(shape[start : start + 3]) for start in range(max(1, len(shape) - 2))]


def expressions(code: str) -> tuple[tuple[str, ...], ...]:
    """What the code returns or assigns, with its own names taken out.

    Example:
        >>> expressions("def f(text):\\n    return text[::-1]")
        (('_', '[', ':', ':', '-', '_', ']'),)
    """
    found = (tuple(_shape(match.group(1))) for match in _STATEMENT.finditer(code))
    return tuple(dict.fromkeys(shape for shape in found if len(shape) >= _LEASTTOKENS and _computes(shape)))


def _repeated(shapes: Iterable[tuple[str, ...]], text: str, subject: Subject) -> str:
    tokens = tuple(_shape(text, keep=subject.entry_point))
    for shape in shapes:
        # A call of the entry point inside is the test's own use of it, which the shape has not.
        if any(tokens[start : start + len(shape)] == shape for start in range(len(tokens) - len(shape) + 1)):
            return f"it works out what to expect as the code does: {' '.join(shape)}"
    return ""


def _shape(text: str, keep: str = "") -> list[str]:
    """Tokens with variables and literals alike, so that a renamed copy is the same."""
    tokens = TOKEN.findall(re.sub(r"\bargs\s*\[\s*(?:\d+|'[^']*'|\"[^\"]*\")\s*\]", "arg", text))
    shape: list[str] = []
    for index, token in enumerate(tokens):
        called = index + 1 < len(tokens) and tokens[index + 1] == "("
        member = index > 0 and tokens[index - 1] in {".", ">", ":"} and called
        if _VALUE.fullmatch(token) or (
            _NAME.fullmatch(token) and token not in _KEYWORDS and not called and not member and token != keep
        ):
            shape.append("_")
        else:
            shape.append(token)
    return shape


def _computes(shape: tuple[str, ...]) -> bool:
    """Whether something is worked out of at least one variable, rather than written down."""
    return "_" in shape and any(token in "([+-*/%&|^<>?" for token in shape) and shape[0] not in {"[]", "{}"}
