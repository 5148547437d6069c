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
from pbt_generator.domain.oracle.syntax import entry_function

KINDS = {"s": frozenset({"str"}), "n": frozenset({"int"}), "k": frozenset({"int", "none"})}


def truth(test: str, rest: str = "return 0", before: str = "") -> bool | None:
    source = f"{before}def f(s, n, k, x=None):\n    if {test}:\n        return 1\n    {rest}\n"
    function = entry_function(source, "f")
    known = Declared(ast.parse(source), function, KINDS)
    statement = function.body[0]
    assert isinstance(statement, ast.If)
    return known.truth(statement.test)


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
    "rest", ["s = n", "for s in n: pass", "[s for s in n]", "(s := n)", "del s", "g = lambda s: s", "import s"]
)
def test_a_name_with_another_value_decides_nothing(rest: str) -> None:
    assert truth("isinstance(s, bytes)", rest) is None


@pytest.mark.parametrize("before", ["bytes = str\n", "def isinstance(a, b): return True\n", "from x import bytes\n"])
def test_builtins_with_another_meaning_decide_nothing(before: str) -> None:
    assert truth("isinstance(s, bytes)", before=before) is None


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
