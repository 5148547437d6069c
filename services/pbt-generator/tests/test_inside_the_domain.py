"""Mutants that no input of the domain tells apart, and domains that leave what the program and its callers accept."""

from __future__ import annotations

import pytest

from pbt_generator.domain.inputs.domains.domain import input_domain, opened
from pbt_generator.domain.inputs.domains.given import given_kinds
from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite


def counted(source: str) -> list[str]:
    program = read_program(source, (), "f", ())
    given = given_kinds(input_domain(program, input_shape(program)))
    return [m.change for m in mutate(source, "f", given).mutants if not m.reading and not m.proof]


@pytest.mark.parametrize(
    ("source", "same"),
    [
        ("def f(n: int):\n    return abs(int(n))\n", "int(n) → n"),
        ("import math\ndef f(n):\n    return int(math.ceil(n / 2))\n", "int(math.ceil(n / 2)) → math"),
        ("from math import ceil\ndef f(n):\n    return int(ceil(n / 2))\n", "int(ceil(n / 2)) → ceil"),
        ("import math as m\ndef f(n):\n    return int(m.floor(n / 2))\n", "int(m.floor(n / 2)) → m"),
        ("def f(n):\n    return {1: 'a', 2: 'b'}.get(n, 'c')\n", ".get(n) or 'c'"),
        ("import re\nP = re.compile('^a+')\ndef f(s):\n    return bool(P.match(s))\n", "P.search(s)"),
    ],
)
def test_what_is_the_same_for_every_input_of_the_domain_does_not_count(source: str, same: str) -> None:
    assert [change for change in counted(source) if same in change] == []


@pytest.mark.parametrize(
    ("source", "other"),
    [
        ("from numpy import ceil\ndef f(n):\n    return int(ceil(n / 2))\n", "int(ceil(n / 2)) → ceil"),
        ("from math import ceil\ndef f(n, ceil):\n    return int(ceil(n / 2))\n", "int(ceil(n / 2)) → ceil"),
        ("def f(n):\n    return abs(int(n))\n", "int(n) → n"),
        ("def f(n: float):\n    return abs(int(n))\n", "int(n) → n"),
        ("def f(n: int):\n    return int(n) if isinstance(n, str) else int(n) + 1\n", "int(n) → n"),
        ("def f(n):\n    return {1: '', 2: 'b'}.get(n, 'c')\n", ".get(n) or 'c'"),
        ("T = {1: 'a'}\ndef f(n):\n    T[2] = ''\n    return T.get(n, 'c')\n", "T.get(n) or 'c'"),
        ("import re\nP = re.compile('^a|b')\ndef f(s):\n    return bool(P.match(s))\n", "P.search(s)"),
        ("import re\nP = re.compile('^a', re.M)\ndef f(s):\n    return bool(P.match(s))\n", "P.search(s)"),
        ("import re\nP = re.compile('^a+$')\ndef f(s):\n    return bool(P.match(s))\n", "P.fullmatch(s)"),
        ("def f(a):\n    r = []\n    for x in a:\n        r.append(x)\n    return r\n", "r.insert(0, x)"),
        ("def f(a):\n    r = []\n    r.append(a)\n    r.append(2)\n    return r\n", "r.insert(0, a)"),
        ("def f(a):\n    r = [3]\n    r.append(a)\n    return r\n", "r.insert(0, a)"),
        ("def f(a):\n    r = []\n    r.append(a)\n    return r\n", "r.append(a) twice"),
        ("def f(a):\n    r = 0\n    for x in a:\n        r += x\n    return r\n", "r += x twice"),
    ],
)
def test_what_some_input_tells_apart_counts(source: str, other: str) -> None:
    assert any(other in change for change in counted(source))


async def test_bytes_are_the_integers_in_them_where_languages_share_none(workshop: Workshop) -> None:
    code = (
        "def bits(blob: bytes) -> list[int]:\n    found = []\n    for place, byte in enumerate(blob):\n"
        "        for bit in range(8):\n            if byte & (1 << bit):\n"
        "                found.append(place * 8 + bit)\n"
        "    return found\n"
    )
    built = await build_suite(Candidate("f", "bits", "bits", code, (), "SC"), workshop)
    assert isinstance(built, BuiltSuite)
    assert built.cases[0].arguments.startswith("[[")


async def test_a_domain_in_which_nothing_is_accepted_is_opened_and_says_so(workshop: Workshop) -> None:
    source = (
        'def f(x: int):\n    """Cut.\n\n    >>> f("a,b")\n    [\'a\', \'b\']\n    >>> f("c")\n    [\'c\']\n    """\n'
        "    return [part.upper() if part else '-' for part in x.split(',')]\n"
    )
    program = read_program(source, (), "f", ())
    domain = input_domain(program, input_shape(program))
    assert not domain.holds(("a",)) and opened(domain).holds(("a",))
    built = await build_suite(Candidate("f", "f", "f", source, (), "SC"), workshop)
    assert isinstance(built, BuiltSuite)
    assert [clause["source"] for clause in built.certificate.inputs.domain["x"]] == ["inferred"]
