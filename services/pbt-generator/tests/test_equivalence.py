"""Mutants proved equivalent, and near misses that are not."""

from __future__ import annotations

import ast

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
