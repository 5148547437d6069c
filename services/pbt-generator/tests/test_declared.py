"""What declared kinds decide: tests of parameters that nothing in the function gives another value."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.inputs.domains.domain import InputDomain, ParameterDomain
from pbt_generator.domain.inputs.domains.given import given_kinds
from pbt_generator.domain.inputs.shapes import AnyShape, NoneShape, TextShape, UnionShape
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.proofs.declared import Declared
from pbt_generator.domain.oracle.proofs.unreachable import unreachable_reason

KINDS = {"s": frozenset({"str"}), "n": frozenset({"int"}), "k": frozenset({"int", "none"})}


def truth(test: str, first: str = "pass", before: str = "", behind: str = "return 0") -> bool | None:
    source = f"{before}def f(s, n, k, x=None):\n    for _ in range(2):\n        {first}\n        if {test}:\n"
    module = ast.parse(f"{source}            return 1\n        {behind}\n")
    (function,) = (node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == "f")
    (test_node,) = (node.test for node in ast.walk(function) if isinstance(node, ast.If))
    return Declared(module, function, KINDS).truth(test_node)


@pytest.mark.parametrize(
    ("test", "known"),
    [
        ("isinstance(s, str)", True), ("isinstance(s, bytes)", False), ("isinstance(s, (bytes, list))", False),
        ("isinstance(n, bool | str)", False), ("isinstance(k, int)", None), ("s is None", False),
        ("s is not None", True), ("k is None", None), ("not isinstance(s, str)", False),
        ("s and isinstance(s, bytes)", False), ("s or isinstance(s, str)", True), ("s and isinstance(s, str)", None),
        ("isinstance(x, str)", None), ("isinstance(s, Text)", None), ("s == None", None), ("s", None),
        ("isinstance(s, (str, Text))", None), ("isinstance(n, int)", True),
    ],
)  # fmt: skip
def test_the_kinds_of_a_parameter_decide_a_test(test: str, known: bool | None) -> None:
    assert truth(test) is known


@pytest.mark.parametrize(
    ("kind", "asked", "known"),
    [
        ("set", "isdisjoint", None), ("set", "add", None), ("set", "strip", False), ("list", "append", True),
        ("str", "isdisjoint", False), ("dict", "most_common", None), ("deque", "appendleft", True),
        # Of a kind that is none of these nothing is known.
        ("array", "strip", None),
    ],
)  # fmt: skip
def test_the_types_of_a_kind_decide_what_it_has(kind: str, asked: str, known: bool | None) -> None:
    module = ast.parse(f"def f(s):\n    return hasattr(s, {asked!r})\n")
    (function,) = module.body
    assert isinstance(function, ast.FunctionDef)
    (test,) = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    assert Declared(module, function, {"s": frozenset({kind})}).truth(test) is known


@pytest.mark.parametrize(
    "write",
    ["s = n", "for s in n: pass", "[s for s in n]", "(s := n)", "del s", "g = lambda s: s", "import s", "global s"],
)
def test_a_name_with_another_value_decides_nothing(write: str) -> None:
    # Behind the test it has that value in the next round.
    assert truth("isinstance(s, bytes)", write) is None
    assert truth("isinstance(s, bytes)", behind=write) is None


def test_what_came_in_is_known_until_another_value_comes() -> None:
    source = "def f(s):\n    if s is None:\n        return 1\n    s = g(s)\n    if s is None:\n        return 2\n"
    assert unreachable_reason(source, "f", 2, "if", "true", KINDS)
    assert not unreachable_reason(source, "f", 5, "if", "true", KINDS)
    mutants = {
        mutant.change: mutant.proof
        for mutant in mutate("def f(n):\n    n = int(n)\n    return n\n", "f", KINDS).mutants
    }
    assert mutants["int(n) → n"]


@pytest.mark.parametrize("before", ["bytes = str\n", "def isinstance(a, b): return True\n", "from x import bytes\n"])
def test_builtins_with_another_meaning_decide_nothing(before: str) -> None:
    assert truth("isinstance(s, bytes)", before=before) is None


@pytest.mark.parametrize(
    ("head", "whole"), [("", True), ("import pandas as pd\n", False), ("from x import round\n", False)]
)
def test_what_round_gives_is_whole_where_nothing_else_rounds(head: str, whole: bool) -> None:
    source = f"{head}def f(x):\n    return int(round(x * 0.5))\n"
    proved = [mutant.change for mutant in mutate(source, "f").mutants if mutant.proof and not mutant.reading]
    assert bool(proved) is whole


def test_what_stands_behind_is_never_reached() -> None:
    source = (
        "def f(s):\n    if isinstance(s, str):\n        return 1\n    if s > 2:\n        return 3\n    return s + 4\n"
    )
    assert unreachable_reason(source, "f", 2, "if", "false", KINDS) and not unreachable_reason(
        source, "f", 2, "if", "true"
    )
    assert unreachable_reason(source, "f", 4, "if", "true", KINDS) == "control never comes to it"
    proved = {mutant.line for mutant in mutate(source, "f", KINDS).mutants if mutant.proof}
    assert proved == {4, 5, 6}
    assert not any(mutant.proof for mutant in mutate(source, "f").mutants)


def test_a_text_of_an_input_never_fails() -> None:
    source = "def f(x):\n    try:\n        return str(x)\n    except ValueError:\n        return ''\n"
    assert unreachable_reason(source, "f", 4, "except", "entered")
    assert not unreachable_reason("import numpy as np\n" + source, "f", 5, "except", "entered")
    assert not unreachable_reason(source.replace("str(x)", "str(x())"), "f", 4, "except", "entered")


def test_kinds_that_are_declared_alone_are_given() -> None:
    either = UnionShape((TextShape(), NoneShape()))
    domain = InputDomain(
        (ParameterDomain("s", kinds=either), ParameterDomain("t"), ParameterDomain("u", kinds=AnyShape()))
    )
    assert given_kinds(domain) == {"s": {"str", "none"}}


OWN = "class M:\n    def __{}__(self):\n        return 3.5\n\n"


@pytest.mark.parametrize(
    ("program", "change"),
    [
        ("def f(n):\n    if n > 100:\n        return f(n / 2)\n    return int(n)\n", "int(n) → n"),
        ("def g(n):\n    return f(n / 2)\n\ndef f(n):\n    return int(n)\n", "int(n) → n"),
        ("def halved(g):\n    return lambda n: g(n / 2)\n\n@halved\ndef f(n):\n    return int(n)\n", "int(n) → n"),
        ("def f(n):\n    return int(n) if (n := n / 2) else 0\n", "int(n) → n"),
        ("def f(n):\n    return globals()['f'](n / 2) if n > 9 else int(n)\n", "int(n) → n"),
        (OWN.format("round") + "def f(n):\n    return int(round(M()))\n", "int(round(M())) → round(M())"),
        ("import math\n" + OWN.format("floor") + "def f(n):\n    return int(math.floor(M()))\n",
         "int(math.floor(M())) → math.floor(M())"),
        ("from pandas import Series\ndef f(n):\n    return int(round(Series([n])))\n",
         "int(round(Series([n]))) → round(Series([n]))"),
        ("from numpy import *\ndef f(n):\n    return int(round(n))\n", "int(round(n)) → round(n)"),
    ],
)  # fmt: skip
def test_what_the_program_gives_itself_and_what_others_round_to_is_not_known(program: str, change: str) -> None:
    proofs = {mutant.change: mutant.proof for mutant in mutate(program, "f", KINDS).mutants}
    assert not proofs.get(change)


def test_a_line_that_a_call_of_its_own_comes_to_is_not_dead() -> None:
    program = "def f(s, k):\n    if k is None:\n        return 7\n    return f(s[1:], None) + 1 if s else 0\n"
    assert not unreachable_reason(program, "f", 2, "if", "true", {"s": frozenset({"str"}), "k": frozenset({"int"})})
