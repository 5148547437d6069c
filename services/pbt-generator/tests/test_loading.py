"""What a program calls while it loads has probes like the rest, and is data where nothing calls it later."""

from __future__ import annotations

import ast
import re

import pytest

from pbt_generator.domain.oracle.loading import beside, load_only, with_harness
from pbt_generator.domain.oracle.mutation.mutants import mutate, witnesses
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.ports import Harness

TABLE = """
'''A module.'''
from __future__ import annotations

def quoted(safe):
    made = {}
    for number in range(30000):
        made[chr(number)] = chr(number) if chr(number) in safe else '%'
    return made

QUOTED = quoted('abc')

def f(text):
    return ''.join([QUOTED[letter] for letter in text])
"""
SENTINEL = """
def sentinel(name):
    class Sentinel:
        def __repr__(self):
            return name if name else ''
    return Sentinel()

MISSING = sentinel('missing')

def f(value, other):
    return other if value is MISSING else value
"""


def run(text: str, called: str, harness: str, *given: object) -> object:
    space: dict[str, object] = {"__name__": "candidate"}
    exec(compile(with_harness(text, "f", harness), "program", "exec"), space)
    return space[called](*given)  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize(("source", "given"), [(TABLE, ["ab1"]), (SENTINEL, [1, 2])])
def test_what_is_called_while_a_program_loads_has_probes(source: str, given: list[object], harness: Harness) -> None:
    (row,) = run(instrument(source, "f").source, "_ts_explore", harness.explore, [given], [], 20_000)  # pyright: ignore[reportGeneralTypeIssues]
    assert row[0] == 0
    program = mutate(source, "f")
    plan = [[mutant.number, [0], []] for mutant in program.mutants]
    rows = run(program.source, "_ts_mutate", harness.mutate, [given], plan, 1, "portable", 400)
    assert len(rows) == len(program.mutants) > 0  # pyright: ignore[reportArgumentType]
    watched = witnesses(source, "f")
    numbers = [mutant.number for mutant in watched.mutants if mutant.witnessed]
    assert len(run(watched.source, "_ts_witness", harness.mutate, [given], numbers)) == len(numbers)  # pyright: ignore[reportArgumentType]


def test_what_only_runs_while_a_program_loads_is_neither_covered_nor_mutated() -> None:
    first = TABLE.splitlines().index("def f(text):") + 1
    assert all(goal.line >= first for goal in instrument(TABLE, "f").goals)
    assert all(mutant.line >= first for mutant in mutate(TABLE, "f").mutants)
    # What holds methods may run whenever they are called.
    assert any(goal.kind == "function" for goal in instrument(SENTINEL, "f").goals)


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("T = g(3)\ndef f(x): return T[x]", {"g"}),
        ("T = [g(n) for n in range(3)]\ndef f(x): return T[x]", {"g"}),
        ("def h(n): return g(n)\nT = h(3)\ndef f(x): return T[x]", {"g", "h"}),
        ("def h(n): return g(n)\nT = h(3)\ndef f(x): return h(x)", set()),
        ("T = g(3)\ndef f(x): return T[x] + g(x)", set()),
        ("T = {'g': g}\ndef f(x): return T[x](x)", set()),
        ("T = (g(n) for n in range(3))\ndef f(x): return next(T)", set()),
        ("T = lambda n: g(n)\ndef f(x): return T(x)", set()),
        ("class C:\n    def m(self): return g(1)\nT = g(2)\ndef f(x): return C().m()", set()),
        ("def f(x, y=g(3)): return y[x]", set()),
        ("T = g(3)\ndef f(x): return globals()['g'](x)", set()),
        ("T = g(3)\nh = g\ndef f(x): return h(x)", set()),
        ("def f(x): return x", set()),
    ],
)
def test_which_functions_run_while_a_program_loads_alone(program: str, found: set[str]) -> None:
    assert load_only(ast.parse(f"def g(n): return [n] * n\n{program}"), "f") == found


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("T = dict(g(3))\ndef f(x): return T[x]", {"g"}),
        ("T = sorted(g(3), reverse=True)\nU = list(g(4))\ndef f(x): return T[x]", {"g"}),
        ("T = g(3)\ndef f(x): return next(T)", set()),
        ("T = list(g(3))\nU = g(4)\ndef f(x): return next(U)", set()),
        ("T = any(g(3))\ndef f(x): return T", set()),
        ("T = zip(g(3))\ndef f(x): return next(T)", set()),
        ("T = list(map(str, g(3)))\ndef f(x): return T[x]", set()),
        ("T = list(g(3))\ndef f(x): return list(g(x))", set()),
        ("def list(x): return x\nT = list(g(3))\ndef f(x): return next(T)", {"list"}),
        ("def h(n): return list(g(n))\nT = h(3)\ndef f(x): return T[x]", {"g", "h"}),
    ],
)
def test_a_generator_runs_while_a_program_loads_where_it_is_read_to_its_end(program: str, found: set[str]) -> None:
    text = f"def g(n):\n    for each in range(n):\n        yield each, each\n{program}"
    assert load_only(ast.parse(text), "f") == found


@pytest.mark.parametrize(
    ("program", "kept"),
    [
        ("key = lambda x: x", ["lambda x: x"]),
        ("T = {'a': lambda x: x, 'b': [partial(lambda y: y)]}", ["lambda x: x", "lambda y: y"]),
        ("class K:\n    size = property(lambda self: 1)", ["class K", "lambda self: 1"]),
        ("class K:\n    def g(self, key=lambda x: x): pass", ["class K", "lambda x: x"]),
        ("def g(x, key=lambda x: x): pass", ["lambda x: x", "def g"]),
        ("if T:\n    def g(x): pass\nelse:\n    g = lambda x: x", ["def g", "lambda x: x"]),
        ("if True:\n    def g(x): pass\nelse:\n    g = lambda x: x", ["def g"]),
        ("try:\n    import h\nexcept ImportError:\n    h = lambda x: x", ["lambda x: x"]),
        ("T = [lambda x, n=n: x + n for n in (1, 2)]", ["lambda x, n=n: x + n"]),
        ("T = dict(a=lambda x: x)", ["lambda x: x"]),
        ("T = map(lambda x: x, U)", ["lambda x: x"]),
        # It is done with when the program is loaded.
        ("T = sorted(U, key=lambda x: -x)", []),
        ("T = list(map(lambda x: x, U))", []),
        ("T = (lambda x: x)(3)", []),
        ("key = lambda x: -x\nT = [key(n) for n in U]", []),
    ],
)
def test_what_may_be_called_beside_the_entry(program: str, kept: list[str]) -> None:
    text = f"{program}\ndef f(x):\n    return (lambda y: y)(x)\n"
    found = map(ast.unparse, beside(ast.parse(text), "f"))
    assert [each if each.startswith("lambda") else re.split("[:(]", each)[0] for each in found] == kept
