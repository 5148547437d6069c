"""Mutants proved equivalent, and near misses that are not."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.inputs.domains.domain import InputDomain, ParameterDomain
from pbt_generator.domain.inputs.domains.given import given_kinds, kinds_of
from pbt_generator.domain.inputs.shapes import IntShape, TextShape
from pbt_generator.domain.oracle.mutation.equivalence import Prover
from pbt_generator.domain.oracle.mutation.kills import KillMatrix
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.proofs.declared import Declared
from pbt_generator.domain.oracle.proofs.unreachable import unreachable_reason

TEXT = TextShape()
DECLARED = """def f(s: str, n=None):
    if s is None:
        return 1
    if n is None:
        return 2
    return 3
"""


def proved(source: str) -> list[str]:
    return [mutant.change for mutant in mutate(source, "f", {"s": kinds_of(TEXT)}).mutants if mutant.proof]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "import re\ndef f(s):\n    return bool(re.match(r'^a+', s))\n",
            ["re.match('^a+', s) → re.search('^a+', s)"],
        ),
        ("import re\nP = re.compile(r'^a+|b', re.I)\ndef f(s):\n    return bool(P.match(s))\n", []),
        ("import re\nP = re.compile(r'^a+', re.M)\ndef f(s):\n    return bool(P.match(s))\n", []),
        (
            "import re\nP = re.compile(r'(^a|^-)b*\\Z', re.I)\ndef f(s):\n    return bool(P.match(s))\n",
            ["P.match(s) → P.search(s)"],
        ),
        (
            "def f(s):\n    return s.strip() == '' or s.strip().startswith('#') or not s.rstrip('/')\n",
            ["s.strip() → s.lstrip()", "s.strip() → s.lstrip()", "s.rstrip('/') → s.lstrip('/')"],
        ),
        ("def f(s):\n    return s.strip().startswith('# '), s.strip() == '#', s.strip() or 1\n", []),
        ("def f(s):\n    return s.strip('#').startswith('a#'), s.strip().endswith('#')\n", []),
        ("def f(s):\n    return s.rstrip().endswith('#'), s.rstrip().startswith('#')\n", []),
    ],
)
def test_what_one_end_of_a_text_decides_is_the_same(source: str, expected: list[str]) -> None:
    assert proved(source) == expected


PLAIN = """import re
from collections.abc import Iterator, Sized
from typing import Callable
class Own:
    pass
class Registered(metaclass=Meta):
    pass
def f(x, y=None, z=re):
    if TEST:
        return 1
    return 2
"""


@pytest.mark.parametrize(
    ("test", "truth"),
    [
        ("isinstance(x, (bytes, bytearray, memoryview))", False),
        ("isinstance(x, re.Pattern) or callable(y)", False),
        ("isinstance(x, (Callable, Iterator, Own, complex))", False),
        ("not hasattr(x, 'read')", True),
        ("not isinstance(x, re.Pattern) and not isinstance(y, type)", True),
        # Some plain values are, and some are not.
        ("isinstance(x, (bytes, str))", None),
        ("isinstance(x, Sized)", None),
        ("hasattr(x, 'keys')", None),
        ("isinstance(x, Registered)", None),
        ("isinstance(x, Unknown)", None),
        # Nobody knows what it is.
        ("callable(z)", None),
        ("callable(g(x))", None),
    ],
)
def test_no_plain_value_is_of_a_class_of_others(test: str, truth: bool | None) -> None:
    source = PLAIN.replace("TEST", test)
    given = given_kinds(InputDomain(tuple(map(ParameterDomain, "xyz"))), portable=True)
    dead = [bool(unreachable_reason(source, "f", 9, "if", outcome, given=given)) for outcome in ("true", "false")]
    assert dead == [truth is False, truth is True]
    assert not any(unreachable_reason(source, "f", 9, "if", outcome) for outcome in ("true", "false"))


@pytest.mark.parametrize(
    ("test", "change", "same"),
    [
        ("isinstance(x, bytes) or x == 3", "x == 3", True),
        ("callable(y) and x > 3", "callable(y)", True),
        ("isinstance(x, bytes) or x == 3", "isinstance(x, bytes)", False),
        ("x == 3 and not callable(y)", "x == 3", True),
        ("x == 3 and callable(y)", "if x == 3 and callable(y) → if False", True),
        ("x.pop() and callable(y)", "if x.pop() and callable(y) → if False", False),
    ],
)
def test_a_part_of_a_test_that_is_decided_makes_no_difference(test: str, change: str, *, same: bool) -> None:
    given = given_kinds(InputDomain(tuple(map(ParameterDomain, "xyz"))), portable=True)
    program = mutate(PLAIN.replace("TEST", test), "f", given)
    found = [mutant for mutant in program.mutants if f" → {mutant.change}".endswith(f" → {change}")]
    assert [bool(mutant.proof) for mutant in found] == [same]


def test_what_is_not_there_is_none_by_itself() -> None:
    def found(source: str) -> list[str]:
        return [each.change for each in mutate(source, "f").mutants if each.proof]

    source = "def f(d, k):\n    return d.get(k, None), d.get(k, 0)\n"
    assert found(source) == ["d.get(k, None) → d.get(k)"]
    assert not found(f"class Own(dict):\n    def get(self, k, default=1):\n        return default\n{source}")
    assert not found(f"import elsewhere\n{source}")


def test_an_expression_tied_to_the_beginning_is_replaced_once() -> None:
    for pattern, same in (("^a+(.*?)", True), ("a+", False), ("(?m)^a", False)):
        source = f"import re\nP = re.compile({pattern!r})\ndef f(s):\n    return P.sub('b', s)\n"
        found = [each for each in mutate(source, "f").mutants if each.change.endswith(", s, 1)")]
        assert [bool(each.proof) for each in found] == [same]


def test_a_place_that_differs_refutes_no_proof_about_the_result() -> None:
    source = "import re\nP = re.compile(r'^a+')\ndef f(s):\n    return bool(P.match(s))\n"
    program = mutate(source, "f", {"s": kinds_of(TEXT)})
    (mutant,) = (mutant for mutant in program.mutants if mutant.proof)
    matrix = KillMatrix(program.mutants)
    matrix.prove(mutant.number, mutant.proof)
    matrix.watch(mutant, ['["a"]'], 1)
    assert matrix.exclusion(mutant) is not None and mutant.number in matrix.proofs
    matrix.add(mutant.number, ['["a"]'], 1)
    assert mutant.number not in matrix.proofs


def test_declared_kinds_decide_branches_and_undeclared_ones_do_not() -> None:
    domain = InputDomain((ParameterDomain("s", TEXT), ParameterDomain("n", IntShape(), default=(None,))))
    given = given_kinds(domain)
    assert unreachable_reason(DECLARED, "f", 2, "if", "true", given=given)
    assert not unreachable_reason(DECLARED, "f", 4, "if", "true", given=given)
    assert not unreachable_reason(DECLARED, "f", 2, "if", "true")
    assert "s" not in given_kinds(InputDomain((ParameterDomain("s"),)))


def prove(source: str, plain: str, changed: str, *kinds: str) -> str:
    module = ast.parse(source)
    function = module.body[0]
    assert isinstance(function, ast.FunctionDef)
    prover = Prover(function, Declared(module, function, {"n": frozenset(kinds)} if kinds else {}))
    [place] = [n for n in ast.walk(function) if isinstance(n, ast.expr) and ast.unparse(n) == plain]
    return prover.reason(place, ast.parse(changed, mode="eval").body)


@pytest.mark.parametrize(
    ("plain", "changed", "same"),
    [
        ("list(sorted(s))", "sorted(s)", True),
        ("list([c for c in s])", "[c for c in s]", True),
        ("str(f'{s}')", "f'{s}'", True),
        ("list(reversed(s))", "reversed(s)", False),
        ("list(s)", "s", False),
        ("str(repr(s))", "s", False),
        ("list(sorted(s))", "list(s)", False),
    ],
)
def test_what_is_made_anew_needs_no_copy(plain: str, changed: str, *, same: bool) -> None:
    assert bool(prove(f"def f(s):\n    return {plain}\n", plain, changed)) is same


def test_a_copy_by_a_function_of_another_meaning_is_no_copy() -> None:
    source = "def f(s):\n    return list(sorted(s))\n"
    for before, same in (("", True), ("def sorted(s):\n    return s\n", False), ("list = tuple\n", False)):
        found = [each for each in mutate(before + source, "f").mutants if each.change == "list(sorted(s)) → sorted(s)"]
        assert [bool(each.proof) for each in found] == [same]


def test_whole_numbers_need_no_rounding() -> None:
    source = "def f(n):\n    return round(n)\n"
    assert prove(source, "round(n)", "n", "int")
    # A truth value becomes a number, a float loses its fraction.
    assert not prove(source, "round(n)", "n", "int", "bool")
    assert not prove(source, "round(n)", "n")
    assert not prove(source, "round(n)", "1", "int")
    assert not prove("def f(n, round):\n    return round(n)\n", "round(n)", "n", "int")
    assert not prove("def f(n):\n    return round(n, -1)\n", "round(n, -1)", "n", "int")


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
    source = "def f(a, b):\n    later = lambda: a < b\n    a = b\n    return later()\n"
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    place = next(node for node in ast.walk(function) if isinstance(node, ast.Compare))
    assert Prover(function).reads_parameters(place) is None
    [kept] = ast.parse("def f(a, b):\n    return (lambda: a < b)()\n").body
    assert isinstance(kept, ast.FunctionDef)
    place = next(node for node in ast.walk(kept) if isinstance(node, ast.Compare))
    assert Prover(kept).reads_parameters(place) == {"a", "b"}
