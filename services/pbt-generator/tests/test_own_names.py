"""A name that a program gives a meaning of its own is not the language's: nothing is proved of it as if it were."""

from __future__ import annotations

import pytest

from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.proofs.unreachable import Unreachable

STRIPPING = """
class Line:
    def __init__(self, text):
        self.text = text
    def METHOD(self, *given):
        return self.text[1:]
def f(s):
    line = Line(s)
    if not line.strip():
        return 1
    return line.strip().startswith("a")
"""
GETTING = (
    "class Rows:\n    def __init__(self, rows):\n        BODY\ndef f(d, key):\n    return Rows(d).get(key, None)\n"
)


def proved(source: str) -> set[str]:
    return {each.change for each in mutate(source, "f").mutants if each.proof}


@pytest.mark.parametrize("method", ["strip", "lstrip", "rstrip", "__getattr__"])
def test_a_class_of_the_program_strips_as_it_likes(method: str) -> None:
    assert not [change for change in proved(STRIPPING.replace("METHOD", method)) if "line.strip()" in change]
    assert "line.strip() → line.lstrip()" in proved(STRIPPING.replace("METHOD", "cut"))


def test_what_begins_with_a_text_is_a_text() -> None:
    source = STRIPPING.replace("METHOD", "startswith").replace("not line.strip()", "not s")
    assert not proved(source)


@pytest.mark.parametrize(
    ("body", "own"),
    [
        ("self.get = rows.pop", True),
        ("vars(self).update(get=rows.pop)", True),
        ("setattr(self, 'get', rows.pop)", True),
        ("self.rows = rows", False),
        ('"""Rows to get."""', False),
    ],
)
def test_an_attribute_that_is_called_is_no_method_of_a_map(body: str, own: bool) -> None:
    assert ("Rows(d).get(key, None) → Rows(d).get(key)" in proved(GETTING.replace("BODY", body))) is not own


CHECKED = [
    ("from typing import TYPE_CHECKING\n", "TYPE_CHECKING", True),
    ("import typing as t\n", "t.TYPE_CHECKING", True),
    (
        "try:\n    from typing import TYPE_CHECKING\nexcept ImportError:\n    TYPE_CHECKING = False\n",
        "TYPE_CHECKING",
        True,
    ),
    ("import sys\n", "sys.version_info < (3, 8)", True),
    ("TYPE_CHECKING = True\n", "TYPE_CHECKING", False),
    ("from typing import Any as TYPE_CHECKING\n", "TYPE_CHECKING", False),
    ("class Mode:\n    TYPE_CHECKING = 1\n", "Mode.TYPE_CHECKING", False),
    ("import typing\nclass typing:\n    TYPE_CHECKING = 1\n", "typing.TYPE_CHECKING", False),
    ("import elsewhere as sys\n", "sys.version_info < (3, 8)", False),
]


@pytest.mark.parametrize(("head", "test", "constant"), CHECKED)
def test_a_constant_is_one_where_it_is_the_library_s(head: str, test: str, constant: bool) -> None:
    source = f"{head}def f(x):\n    if {test}:\n        return x + 1\n    return x\n"
    assert [goal.kind for goal in instrument(source, "f").branches] == ([] if constant else ["if", "if"])
    assert any("x + 1" in each.change for each in mutate(source, "f").mutants) is not constant


@pytest.mark.parametrize("name", ["TYPE_CHECKING", "sys"])
def test_a_parameter_is_no_constant(name: str) -> None:
    test = "sys.version_info < (3, 8)" if name == "sys" else name
    source = f"def f(x, {name}):\n    if {test}:\n        return x\n    return 0\n"
    assert [goal.kind for goal in instrument(source, "f").branches] == ["if", "if"]


@pytest.mark.parametrize(
    ("parameter", "rest", "dead"),
    [
        ("n", "0", True),
        ("n=None", "0", True),
        ("n", "f(n ** 999)", False),
        ("n=10 ** 5000", "0", False),
        ("n=Own()", "0", False),
    ],
)
def test_only_what_comes_in_is_known_to_have_a_text(parameter: str, rest: str, dead: bool) -> None:
    source = f"def f({parameter}):\n    try:\n        return str(n)\n    except ValueError:\n        return {rest}\n"
    assert bool(Unreachable(source, "f").reason(4, "except", "entered")) is dead
