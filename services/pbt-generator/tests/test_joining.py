"""Operators on texts, lists, sets and paths have mutants that a program could be, and none that only raise."""

from __future__ import annotations

import pytest

from pbt_generator.domain.oracle.mutation.mutants import mutate

JOINS = [
    ("def f(a: str, b):\n    return a + b", "a + b", {"b + a", "a", "b"}),
    ("def f(a, b):\n    c = str(a)\n    c = c + b\n    return c", "c + b", {"b + c", "c", "b"}),
    ("def f(a: list[int], b: list[int]):\n    return a + b", "a + b", {"b + a", "a", "b"}),
    ("def f(a):\n    c = []\n    for x in a:\n        c = c + x\n    return c", "c + x", {"x + c", "c", "x"}),
    ("def g(a: str, b: str):\n    return a + b\ndef f(a, b):\n    return g(a, b)", "a + b", {"b + a", "a", "b"}),
    ("class K:\n    def g(self, a: str):\n        return a + self.b\ndef f(a):\n    return K().g(a)", "a + self.b",
     {"self.b + a", "a", "self.b"}),
    ("def f(a: str, n):\n    return a * n", "a * n", {"a"}),
    ("def f(a, b):\n    return set(a) - set(b)", "set(a) - set(b)", {"set(a) | set(b)"}),
    ("def f(a: set[int], b):\n    return a & b", "a & b", {"a | b"}),
    ("def f(a: dict, b: dict):\n    return a | b", "a | b", {"b | a", "a", "b"}),
    ("from pathlib import Path\ndef f(a):\n    p = Path(a)\n    return str(p / 'x')", "p / 'x'", {"p"}),
    ("def f(a: str, b):\n    return a % b", "a % b", set()),
    # Numbers, and what is of another kind now and then, are computed with.
    ("def f(a, b):\n    return a + b", "a + b", {"a - b"}),
    ("def f(a, b):\n    c = ''\n    c = len(a)\n    return c + b", "c + b", {"c - b"}),
    ("def f(a, b):\n    for c in a:\n        c = ''\n    return c + b", "c + b", {"c - b"}),
    ("def f(a: str, b):\n    def g(a):\n        return a + b\n    return g(len(a))", "a + b", {"a - b"}),
    ("def f(a, b):\n    return a * b", "a * b", {"a + b"}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "place", "expected"), JOINS)
def test_what_is_joined_is_turned_round_or_left_out(source: str, place: str, expected: set[str]) -> None:
    operators = {"swap", "drop", "arithmetic"}
    found = [each for each in mutate(source, "f").mutants if each.operator in operators]
    assert {
        each.change.removeprefix(f"{place} → ") for each in found if each.change.startswith(f"{place} → ")
    } == expected


@pytest.mark.parametrize(
    ("statement", "swapped"),
    [
        ("c = ''\n    c += a", False),
        ("c = []\n    c += a", False),
        ("c = set(a)\n    c -= b", False),
        ("c = set(a)\n    c |= b", True),
        ("c = 0\n    c += a", True),
    ],
)
def test_what_is_added_to_is_computed_with_where_it_can_be(statement: str, swapped: bool) -> None:
    found = mutate(f"def f(a, b):\n    {statement}\n    return c\n", "f").mutants
    assert any(each.operator == "arithmetic" for each in found) is swapped


def test_a_list_is_not_asked_from_its_end() -> None:
    changes = [
        {each.change for each in mutate(f"def f(a: {kind}, b):\n    return a.index(b)\n", "f").mutants}
        for kind in ("list", "str")
    ]
    assert ["a.index(b) → a.rindex(b)" in each for each in changes] == [False, True]
