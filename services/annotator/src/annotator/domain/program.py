"""The two forms of a test: cases as data, and a program with assertions."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import Literal, cast

from annotator.domain.assembly import assembled, body_of
from annotator.domain.subject import Subject, without_future
from touchstone_values import MalformedValueError, decode, encode

Expectation = Literal["value", "check", "raises"]

MAX_CASES = 8
_MAX_CHECK = 300
_LOOKS_LIKE_ASSERT = re.compile(r"^\s*assert[\s(]|\.assert\w+\(", re.MULTILINE)
_ASSERT = {
    "php": re.compile(r"\bassert\s*\(|AssertionError"),
    "javascript": re.compile(r"\bassert\b\s*[.(]"),
    "typescript": re.compile(r"\bassert\b\s*[.(]"),
    "java": re.compile(r"\bassert\s|AssertionError"),
    "go": re.compile(r"\bpanic\s*\("),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One call of the code under test, and what the query lets us expect from it.

    Attributes:
        arguments: Portable value, JSON text: an array of arguments, or an object of named ones.
        kind: "value": `expected` is a portable value; "check": a Python expression over `args` and `result`;
            "raises": the name of an exception.
    """

    arguments: str
    kind: Expectation
    expected: str


@dataclass(frozen=True, slots=True)
class DataTest:
    """Cases as data: the code under test never sees what is expected of it."""

    interpretation: str
    setup: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class ProgramTest:
    """A program with assertions, which shares its process with the code under test."""

    interpretation: str
    setup: str
    tests: str


def source_of(subject: Subject, setup: str) -> str:
    """Source for calling the entry point alone: scaffolding, then the code under test, unchanged."""
    if subject.language == "python":
        return _joined(
            [
                "" if subject.evaluated else "from __future__ import annotations",
                *subject.imports,
                without_future(setup),
                without_future(subject.code),
            ]
        )
    return assembled(subject, setup, "")


def program_of(subject: Subject, test: ProgramTest) -> str:
    """The whole program: scaffolding, the code under test, unchanged, and then the assertions.

    The model writes only what stands before and after the code, so that no repair can change the code itself.
    """
    if subject.language == "python":
        return _joined([source_of(subject, test.setup), without_future(test.tests)])
    return assembled(subject, test.setup, test.tests)


def lines_of_code(subject: Subject, source: str) -> range:
    """The lines of an assembled program in which the code under test stands, counted from 1."""
    code = without_future(subject.code) if subject.language == "python" else body_of(subject)
    place = source.find(code.strip("\n"))
    if place < 0:
        return range(0)
    first = source.count("\n", 0, place) + 1
    return range(first, first + code.strip("\n").count("\n") + 1)


def checks_of(cases: DataTest) -> str:
    """Source of a function that says whether results satisfy the cases' check expressions.

    It runs in a sandbox of its own, on results that have become data: `holds(index, args, result)`.
    """
    # A comment behind a check ends with its line.
    lines = [
        f"    {index}: lambda args, result: (\n{case.expected}\n    ),"
        for index, case in enumerate(cases.cases)
        if case.kind == "check"
    ]
    body = "    return bool(CHECKS[index](args, result))"
    return _joined(
        ["import math", "import re", "\n".join(["CHECKS = {", *lines, "}"]), f"def holds(index, args, result):\n{body}"]
    )


def is_expression(text: str) -> bool:
    """Whether a check is one Python expression of bounded length; it is only read here, never run."""
    if not text.strip() or len(text) > _MAX_CHECK or "\n" in text:
        return False
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    nodes = list(ast.walk(tree))
    # What waits or yields can stand in no function that answers at once, and would keep all other checks from loading.
    if any(isinstance(node, ast.Await | ast.Yield | ast.YieldFrom) or getattr(node, "is_async", 0) for node in nodes):
        return False
    # A constant says nothing about the result.
    return any(isinstance(node, ast.Name) and node.id == "result" for node in nodes)


def is_arguments(text: str) -> bool:
    """Whether a portable value is something to call with: an array, or an object of named arguments."""
    value: object = json.loads(text)
    return isinstance(value, list) or (isinstance(value, dict) and "$" not in value)


def assertions_in(test: DataTest | ProgramTest | None, language: str) -> int:
    """How many things a test checks.

    Source: CoSQA+, table of statistics: 4.31 on average.
    """
    if test is None:
        return 0
    if isinstance(test, DataTest):
        return len(test.cases)
    if language != "python":
        return len(_ASSERT[language].findall(test.tests))
    try:
        tree = ast.parse(test.tests)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    # Prose that happens to parse has no assertion either.
    return sum(_asserts(node) for node in ast.walk(tree))


def holds_assertion(test: ProgramTest, language: str) -> bool:
    """Whether a program can fail on what it finds: without an assertion its normal end says nothing.

    Text that does not parse counts by its looks, since a repair may make it parse.
    """
    return assertions_in(test, language) > 0 or bool(language == "python" and _LOOKS_LIKE_ASSERT.search(test.tests))


def _asserts(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return True
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr.startswith("assert")


def portable(value: object) -> str:
    """The portable form of a JSON value that a model wrote; it may use tagged forms itself.

    Raises:
        ValueFormError: the value has no portable form.

    Example:
        >>> portable([1, {"$": "tuple", "v": [2.5]}])
        '[1,{"$":"tuple","v":[2.5]}]'
    """
    try:
        return encode(decode(json.dumps(value)))
    except MalformedValueError:
        if _is_tagged(value):
            raise
        # Integers beyond 2^53 need no tag where they are Python's own.
        return encode(value)


def _is_tagged(value: object) -> bool:
    """Whether an object somewhere inside claims to be a tagged form."""
    if isinstance(value, dict):
        fields = cast("dict[object, object]", value)
        return "$" in fields or any(_is_tagged(item) for item in fields.values())
    return isinstance(value, list) and any(_is_tagged(item) for item in cast("list[object]", value))


def _joined(parts: list[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
