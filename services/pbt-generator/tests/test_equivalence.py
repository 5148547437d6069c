"""Mutants proved equivalent, and near misses that are not."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.oracle.mutation.equivalence import Prover
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.proofs.flow import Fact, Flow


def proved(source: str) -> list[str]:
    return [mutant.change for mutant in mutate(source, "f").mutants if mutant.proof]


GUARDED = """
def f(n):
    if n == 0:
        return ""
    sign = n < 0
    while n > 1:
        n = n // 2
    return sign and n < 0
"""
FINITE = """
import math

def f(x):
    if math.isnan(x):
        return "?"
    if math.isinf(x) and x < 0:
        return "low"
    return "high" if x > 0 else "none"
"""


def test_a_guard_excludes_the_boundary() -> None:
    # A later write ends what the guard says; between whole numbers a float may lie.
    assert proved(GUARDED) == ["n < 0 → n <= 0"]


def test_infinities_have_no_neighbours() -> None:
    assert proved(FINITE) == ["x < 0 → x <= 0", "x < 0 → x < 1"]


def test_lengths_are_whole_and_not_negative() -> None:
    source = "def f(xs):\n    if len(xs) == 0:\n        return 1\n    return 2 if len(xs) < 1 else len(xs) < 2\n"
    # No length differs from 0 and lies below 1 or 0.
    assert "len(xs) < 1 → len(xs) < 0" in proved(source)
    assert "len(xs) < 1 → len(xs) <= 1" not in proved(source)
    grown = source.replace("    return 2", "    xs.append(1)\n    return 2")
    assert proved(grown) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if a == b:\n        return 0\n    return a < b", ["a < b → a <= b"]),
        ("if a != b:\n        return a < b\n    return 0", ["a < b → a <= b"]),
        ("if a == b:\n        return 0\n    b = 3\n    return a < b", []),
        ("if a == b:\n        c = 0\n    return a < b", []),
        # In a loop the second round has other values.
        ("for i in b:\n        if a == i:\n            continue\n        b += a < i\n    return b", ["a < i → a <= i"]),
        ("if a == b:\n        return 0\n    for i in [1, 2]:\n        a += a < b\n    return a", []),
        ("return [a < i for i in b if a != i]", ["a < i → a <= i"]),
        ("return [lambda: a < b for i in b if a != b]", []),
        ("return (a < b) if a != b else (a > b)", ["a < b → a <= b"]),
    ],
)
def test_sides_that_a_test_told_apart(body: str, expected: list[str]) -> None:
    assert proved(f"def f(a, b):\n    {body}\n") == expected


@pytest.mark.parametrize(
    ("body", "holds"),
    [
        ("if d.get(k):\n        return d.get(k, '')", True),
        ("if k in d:\n        return d.get(k, 7)", True),
        ("if k not in d:\n        return 1\n    return d.get(k, 7)", True),
        ("if d.get(k, 2):\n        return d.get(k, 7)", False),
        ("if d.get(j):\n        return d.get(k, 7)", False),
        ("if k in d:\n        d.pop(k)\n        return d.get(k, 7)", False),
        ("if k in d:\n        k = j\n        return d.get(k, 7)", False),
        ("if k in d:\n        change(d)\n        return d.get(k, 7)", False),
        ("return [(d.pop(k), d.get(k, 7)) for k in j if k in d]", False),
        ("return [d.get(k, 7) for k in j if k in d]", True),
        ("if d.get(k) or j:\n        return d.get(k, 7)", False),
        ("for k in j:\n        if k in d:\n            j = d.get(k, 7)\n    return j", True),
        ("import d\n    if d.get(k):\n        return d.get(k, 7)", False),
    ],
)
def test_defaults_of_keys_that_are_there(body: str, *, holds: bool) -> None:
    found = [change for change in proved(f"def f(d, k, j):\n    {body}\n") if "get" in change]
    assert bool(found) is holds


@pytest.mark.parametrize(
    ("body", "holds"),
    [
        ("if t.count('<') != 1:\n        return t\n    return t.find('<')", True),
        ("return t.find('<') if t.count('<') == 1 else t", True),
        ("if t.count('<') != 2:\n        return t\n    return t.find('<')", False),
        ("if t.count('<') != 1:\n        return t\n    return t.find('>')", False),
        # Counted once, it may stand in two places that overlap.
        ("if t.count('aa') != 1:\n        return t\n    return t.find('aa')", False),
        ("if t.count('ab') != 1:\n        return t\n    return t.find('ab')", True),
        ("if t.count('<') != 1:\n        return t\n    t = t + t\n    return t.find('<')", False),
        # A list has no `rindex`.
        ("if t.count('<') != 1:\n        return t\n    return t.index('<')", False),
    ],
)
def test_what_occurs_once_is_found_from_both_ends(body: str, *, holds: bool) -> None:
    found = [change for change in proved(f"def f(t):\n    {body}\n") if "→ t.r" in change]
    assert bool(found) is holds


class Kinds:
    """What a walk would know, as a table of texts."""

    def __init__(self, kinds: dict[str, str]) -> None:
        self.kinds = kinds

    def kind(self, node: ast.expr) -> str:
        return self.kinds.get(ast.unparse(node), "")

    def agree(self, plain: ast.expr, changed: ast.expr) -> bool:
        return False

    def never(self, node: ast.expr) -> bool:
        return False


def prove(source: str, plain: str, changed: str, kinds: dict[str, str]) -> str:
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    prover = Prover(function, Kinds(kinds))
    [place] = [n for n in ast.walk(function) if isinstance(n, ast.expr) and ast.unparse(n) == plain]
    return prover.reason(place, ast.parse(changed, mode="eval").body)


def test_whole_numbers_need_no_rounding() -> None:
    source = "def f(n):\n    return round(n, 0)\n"
    assert prove(source, "round(n, 0)", "n", {"n": "int"})
    assert prove(source, "round(n, 0)", "round(n, 1)", {"n": "int"})
    assert not prove(source, "round(n, 0)", "round(n, -1)", {"n": "int"})
    # A truth value becomes a number, a float loses its fraction.
    assert not prove(source, "round(n, 0)", "n", {"n": "whole"})
    assert not prove(source, "round(n, 0)", "n", {})
    assert not prove("def f(n, round):\n    return round(n, 0)\n", "round(n, 0)", "n", {"n": "int"})
    assert not prove("def f(n):\n    return round(n, -1)\n", "round(n, -1)", "n", {"n": "int"})
    assert prove("def f(n):\n    return str(n)\n", "str(n)", "n", {"n": "str"})


def test_numbers_that_are_whole_have_nothing_in_between() -> None:
    source = "def f(n):\n    if n == 0:\n        return 1\n    return n < 0\n"
    assert prove(source, "n < 0", "n < 1", {"n": "whole"})
    assert not prove(source, "n < 0", "n < 2", {"n": "whole"})
    assert not prove(source, "n < 0", "n < 1", {})


def test_equal_characters_are_the_same() -> None:
    source = "def f(s):\n    if s[0] == s[1]:\n        return s[0]\n    return s[1]\n"
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    places = [n for n in ast.walk(function) if isinstance(n, ast.Subscript)]
    inside = next(n for n in places if n.lineno == 3)
    outside = next(n for n in places if n.lineno == 4)
    other = ast.parse("s[1]", mode="eval").body
    assert Prover(function, Kinds({"s": "str"})).reason(inside, other)
    # In a list 1 equals 1.0 and True.
    assert not Prover(function).reason(inside, other)
    assert not Prover(function, Kinds({"s": "str"})).reason(outside, ast.parse("s[0]", mode="eval").body)


def test_a_parameter_is_read_as_it_came_in_until_it_is_written() -> None:
    source = (
        "def f(t, n):\n    if not t:\n        return t\n    for i in n:\n        t = g(t)\n        n = i\n    return t"
    )
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    prover = Prover(function)
    names = {
        n.lineno: prover.reads_parameters(n) for n in ast.walk(function) if isinstance(n, ast.Name) and n.id != "i"
    }
    assert names[2] == {"t"}
    assert names[4] == {"n"}
    assert names[5] is None
    assert names[7] is None


def test_later_code_sees_every_write() -> None:
    source = (
        "def f(a, b):\n    if a == b:\n        return 0\n    later = lambda: a < b\n    a = b\n    return later()\n"
    )
    assert proved(source) == []
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    flow = Flow(function)
    place = next(n for n in ast.walk(function) if isinstance(n, ast.Compare) and n.lineno == 4)
    guard = next(n for n in ast.walk(function) if isinstance(n, ast.Compare) and n.lineno == 2)
    assert not flow.holds(Fact(guard, truth=False), place)
