"""Tasks that are one question asked several times are recognised, and others are not."""

from __future__ import annotations

import pytest

from touchstone_runtime.likeness import Comparable, likeness_of, similar

BASE = """def le(self, other):
    \"\"\"Whether it is not above.\"\"\"
    if other is None:
        return False
    return self.rank <= other.rank
"""


@pytest.mark.parametrize(
    "code",
    [
        BASE.replace("<=", ">").replace("def le", "def gt").replace("not above", "above"),
        BASE.replace("self", "one").replace("other", "two"),
        BASE.replace("rank", "weight"),
        BASE.replace("(self, other)", "(self: object, other: object | None = None) -> bool").replace(" = None", ""),
        BASE.replace("return False", "return True"),
        "@cached\n" + BASE,
        BASE.replace('    """Whether it is not above."""\n', ""),
        BASE.replace("is None", "is not None"),
    ],
)
def test_names_constants_and_signs_make_no_difference(code: str) -> None:
    assert likeness_of(code) == likeness_of(BASE)


@pytest.mark.parametrize(
    "code",
    [
        BASE.replace("self.rank <= other.rank", "other.rank <= self.rank"),
        BASE.replace("return False", "return None"),
        BASE.replace("self.rank", "self.rank + 1"),
        BASE.replace("<=", "=="),
        BASE.replace("if other is None", "if not other"),
        BASE.replace("(self, other)", "(self, other, more)"),
        BASE.replace("self.rank <=", "self.rank() <="),
        BASE.replace("if", "while"),
    ],
)
def test_another_form_is_another_task(code: str) -> None:
    assert likeness_of(code) != likeness_of(BASE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(xs): return min(xs)", "def f(xs): return sum(xs)"),
        ("def f(s): return s.strip()", "def f(s): return s.title()"),
        ("def f(x): return math.sqrt(x)", "def f(x): return math.factorial(x)"),
        ("def f(x): return [int(p) for p in x.split('.')]", "def f(y): return [len(w) for w in y.split(' ')]"),
        ("def f(x): return first_of(x)", "def f(x): return last_of(x)"),
    ],
)
def test_what_is_called_is_no_name_among_others(one: str, other: str) -> None:
    assert likeness_of(one) != likeness_of(other)


def test_own_names_make_no_difference_though_they_are_called_or_hide_a_builtin() -> None:
    assert likeness_of("def f(g, x): return g(x)") == likeness_of("def f(min, y): return min(y)")
    assert likeness_of("def a(x): return a(x) in ONES") == likeness_of("def b(x): return b(x) in TWOS")


def test_tables_of_any_length_are_constants_and_broken_code_is_like_nothing() -> None:
    one, other = "def f(x):\n    return x in ('a', 'b')", "def g(y):\n    return y not in ('c',)"
    assert likeness_of(one) == likeness_of(other) != likeness_of("def f(x):\n    return x in (x, 'b')")
    assert likeness_of("def f(:") == likeness_of("") == ""


def test_one_of_a_file_ranks_and_words_that_suffice_come_first() -> None:
    here, there = ("shelf", "a.py"), ("shelf", "b.py")
    tasks = [
        Comparable("1", here, "is_a", "x"),
        Comparable("2", here, "is_b", "x", described=True),
        Comparable("3", here, "is_c", "x", described=True),
        Comparable("4", here, "is_b", "x"),
        Comparable("5", here, "other", "y"),
        Comparable("6", there, "is_a", "x"),
        Comparable("7", here, "unknown", ""),
        Comparable("8", here, "unknown_too", ""),
    ]
    assert similar(tasks) == similar(tasks[::-1]) == {"1": "2", "3": "2"}


def test_of_tasks_of_one_function_one_ranks_whatever_their_code() -> None:
    """Two versions of the builder made them."""
    here = ("shelf", "a.py")
    tasks = [
        Comparable("1", here, "lt", "x", function_id="a"),
        Comparable("2", here, "lt", "x", described=True, function_id="a"),
        Comparable("3", here, "ge", "x", described=True, function_id="b"),
        Comparable("4", here, "broken", "", function_id="c"),
        Comparable("5", here, "broken", "", function_id="c"),
        # Of another version of the code.
        Comparable("6", here, "ge", "x", described=True, function_id="d"),
    ]
    assert similar(tasks) == similar(tasks[::-1]) == {"1": "3", "2": "3", "5": "4"}
