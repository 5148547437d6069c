"""What data cannot be: objects, callables, classes and iterators that a function asks for."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.inputs.inference.demands import missing_attribute, needed_by_test, needed_objects


def _function(text: str) -> ast.FunctionDef:
    found = ast.parse(text).body[0]
    assert isinstance(found, ast.FunctionDef)
    return found


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("def f(node):\n    for child in node:\n        print(child.tag)", "node: attribute 'tag'"),
        (
            "def f(a, b):\n    here = a\n    while here:\n        here = here.above\n    return b",
            "a: attribute 'above'",
        ),
        ("def f(xs, by):\n    return [by(x) for x in xs]", "by: is called"),
        ("def f(xs, by):\n    return sorted(xs, key=by)", "by: is called"),
        ("def f(xs, by):\n    return list(map(by, xs))", "by: is called"),
        ("def f(source):\n    return next(source)", "source: an iterator"),
        ("def f(xs, kind):\n    return [x for x in xs if isinstance(x, kind)]", "kind: a class"),
        ("def f(found: re.Match[str]):\n    return found[1]", "found: Match"),
        ("def f(table: dict[str, Callable[[int], int]]):\n    return len(table)", "table: Callable"),
        ("def f(by: Pattern[str] | Callable[[str], str]):\n    return str(by)", "by: Pattern"),
        ("def f(kinds: 'list[type]'):\n    return len(kinds)", "kinds: type"),
        ("def f(by: Pattern[str] = COMMA, limit: int = 3):\n    return by.split('a', limit)", "by: Pattern"),
    ],
)
def test_objects_that_a_body_needs_are_named(text: str, needed: str) -> None:
    assert needed_objects(_function(text), {}, portable=True) == needed


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return x.tag if hasattr(x, 'tag') else x",
        "def f(x):\n    return getattr(x, 'tag', None) or x.tag",
        "def f(x):\n    try:\n        return x.tag\n    except AttributeError:\n        return x",
        "def f(x):\n    return x and x.tag",
        "def f(x):\n    if isinstance(x, Tag):\n        return x.tag\n    return x",
        "def f(x):\n    x = Tag(x)\n    return x.tag",
        "def f(x, by=None):\n    return by(x) if by else x",
        "def f(x):\n    return x.strip().split()[0].upper()",
        "def f(text):\n    it = iter(text)\n    return next(it)",
        "def f(by: str | Pattern[str]):\n    return by.split('a')",
        "def f(by: Optional[Callable[[str], str]]):\n    return by",
        "def f(by: Callable[[str], str] = upper):\n    return by('a')",
        "def f(text: str, by: Pattern[str] = COMMA):\n    return by.split(text)",
        "def f(text: str, *, by: Pattern[str] = COMMA, limit: int = 3):\n    return by.split(text, limit)",
        "def f(type: str):\n    return type",
    ],
)
def test_what_is_guarded_or_made_by_the_body_is_not_asked(text: str) -> None:
    assert needed_objects(_function(text), {}, portable=True) == ""


def test_library_values_have_their_attributes_where_a_task_may_use_them() -> None:
    function = _function("def f(day):\n    return day.isocalendar()")
    assert needed_objects(function, {}, portable=False) == ""
    assert needed_objects(function, {}, portable=True) == "day: attribute 'isocalendar'"
    column = _function("def f(table):\n    return table.price.sum()")
    assert needed_objects(column, {"pd": "pandas"}, portable=False) == ""
    assert needed_objects(column, {}, portable=False) != ""


@pytest.mark.parametrize(
    ("test", "outcome", "needed"),
    [
        ("callable(x)", "true", "x: a callable"),
        ("not callable(x)", "false", "x: a callable"),
        ("callable(x)", "false", ""),
        ("isinstance(x, uuid.UUID)", "true", "x: UUID"),
        ("isinstance(x, (str, uuid.UUID))", "true", ""),
        ("isinstance(x, str) or callable(x)", "true", ""),
        ("y and callable(x)", "true", "x: a callable"),
        ("hasattr(x, 'tag')", "true", "x: attribute 'tag'"),
        ("hasattr(x, 'strip')", "true", ""),
        ("iter(x) is x", "true", "x: an iterator"),
        ("x > 3", "true", ""),
    ],
)
def test_what_an_outcome_of_a_test_needs(test: str, outcome: str, needed: str) -> None:
    function = _function(f"def f(x, y):\n    if {test}:\n        return 1\n    return 2")
    assert needed_by_test(function, {}, 2, outcome, portable=True) == needed


def test_an_arm_that_calls_an_optional_argument_needs_a_callable() -> None:
    function = _function("def f(xs, key=None):\n    if key is not None:\n        xs = map(key, xs)\n    return max(xs)")
    assert needed_objects(function, {}, portable=True) == ""
    assert needed_by_test(function, {}, 2, "true", portable=True) == "key: is called"


def test_an_error_names_an_attribute_that_no_data_has() -> None:
    note = "AttributeError: 'list' object has no attribute 'tag'"
    assert missing_attribute(note, modules={}, portable=True) == "tag"
    assert missing_attribute("AttributeError: 'list' object has no attribute 'strip'", modules={}, portable=True) == ""
    assert missing_attribute("AttributeError: 'Tag' object has no attribute 'tag'", modules={}, portable=True) == ""
