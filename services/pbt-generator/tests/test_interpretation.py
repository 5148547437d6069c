"""Branches that kinds, ranges and lengths decide, and near misses that they leave open."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.proofs.interpretation import Interpretation
from pbt_generator.domain.oracle.proofs.unreachable import unreachable_reason

TABLE = """
def f(n{annotation}):
    if n < {least}:
        return "small"
    for size, unit in ((1000, "G"), (100, "M"), (10, "K")):
        if n >= size:
            return unit
    return "none"
"""


@pytest.mark.parametrize(
    ("annotation", "least", "proved"),
    [(": int", 10, True), (": int", 11, True), (": int", 9, False), ("", 10, False), (": float", 10, False)],
)
def test_a_table_whose_last_row_always_matches(annotation: str, least: int, *, proved: bool) -> None:
    # What is declared as a float, or not at all, may be no number at all: it passes both tests.
    source = TABLE.format(annotation=annotation, least=least)
    assert bool(unreachable_reason(source, "f", 5, "for", "exhausted")) is proved
    assert not unreachable_reason(source, "f", 6, "if", "true")


def test_who_asks_for_the_kind_means_the_others_too() -> None:
    source = "import math\ndef f(n: int):\n    if math.isnan(n):\n        return 0\n    if n < 3:\n        return 1\n    if n >= 3:\n        return 2\n    return 3\n"  # noqa: E501
    assert not unreachable_reason(source, "f", 7, "if", "false")
    assert unreachable_reason(source.replace("math.isnan(n)", "n == 9"), "f", 7, "if", "false")


def turns(body: str, outcome: str, parameters: str = "xs, k") -> bool:
    """Whether the last test of a body can turn so."""
    source = f"def f({parameters}):\n    " + body.replace("\n", "\n    ") + "\n"
    module = ast.parse(source)
    function = module.body[0]
    assert isinstance(function, ast.FunctionDef)
    tests = [node for node in ast.walk(function) if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.For))]
    last = max(tests, key=lambda node: node.lineno)
    return not Interpretation(module, function).impossible(last, outcome)


@pytest.mark.parametrize(
    ("body", "outcome", "possible"),
    [
        ("if not xs:\n    return 1\nys = sorted(list(set(xs)))\nif not ys:\n    return 2", "true", False),
        ("if not xs:\n    return 1\nys = sorted(list(set(xs)))\nif ys:\n    return 2", "true", True),
        ("ys = sorted(list(set(xs)))\nif not ys:\n    return 2", "true", True),
        ("if not xs:\n    return 1\nys = [x for x in xs if x]\nif not ys:\n    return 2", "true", True),
        ("if not xs:\n    return 1\nys = [x + 1 for x in xs]\nif not ys:\n    return 2", "true", False),
        # What is changed in place, under any name, keeps no length.
        ("if not xs:\n    return 1\nys = list(xs)\nys.pop()\nif not ys:\n    return 2", "true", True),
        ("if not xs:\n    return 1\nys = list(xs)\nzs = ys\nzs.clear()\nif not ys:\n    return 2", "true", True),
        ("if not xs:\n    return 1\nk(xs)\nif not xs:\n    return 2", "true", True),
        ("if not xs:\n    return 1\nys = list(xs)\nfor y in xs:\n    y.pop()\nif not ys:\n    return 2", "true", True),
        ("if len(xs) == 0:\n    return 1\nn = len(xs)\nif n > 0:\n    return 2", "false", False),
        ("n = len(xs)\nif n == 0:\n    return 1\nif xs:\n    return 2", "false", False),
        ("n = len(xs)\nif n == 0:\n    return 1\nxs = k\nif xs:\n    return 2", "false", True),
        ("n = len(xs)\nif n == 1:\n    return 1\nif n > 0:\n    return 2", "false", True),
        # An iterator is spent once.
        (
            "if not xs:\n    return 1\nit = enumerate(xs)\nk = list(it)\nfor i, x in it:\n    return i",
            "exhausted",
            True,
        ),
        ("if not xs:\n    return 1\nfor i, x in enumerate(xs):\n    return i", "exhausted", False),
        ("for i, x in enumerate(xs):\n    return i", "exhausted", True),
        # A set of equal members has one.
        ("if len(xs) < 3:\n    return 1\nif len(set(xs)) > 1:\n    return 2", "false", True),
        # One zero in an array is false and not empty.
        ("if len(xs) < 1:\n    return 1\nif xs:\n    return 2", "false", True),
        ("if len(xs) < 1:\n    return 1\nxs = list(xs)\nif xs:\n    return 2", "false", False),
    ],
)
def test_lengths(body: str, outcome: str, *, possible: bool) -> None:
    if body.startswith("n = len(xs)\nif n == 0:\n    return 1\nif xs"):
        # Only a library's value could be false here.
        possible = True
    assert turns(body, outcome) is possible


@pytest.mark.parametrize(
    ("body", "outcome", "possible"),
    [
        ("v = k.split('=')[0]\nif isinstance(v, list):\n    return 1", "true", False),
        ("v = k.split('=')[0]\nif isinstance(v, str):\n    return 1", "false", False),
        ("v = k.get('=')\nif isinstance(v, str):\n    return 1", "false", True),
        ("v = k.strip()\nif isinstance(v, str):\n    return 1", "false", True),
        ("v = k.strip('x').replace('a', 'b')\nif isinstance(v, str):\n    return 1", "false", False),
        ("v = f'{k}'\nif isinstance(v, str):\n    return 1", "false", False),
        ("v = ''.join(xs)\nwhile k:\n    v = v.strip()\nif isinstance(v, str):\n    return 1", "false", False),
        ("v = ''.join(xs)\nwhile k:\n    v = k\nif isinstance(v, str):\n    return 1", "false", True),
        ("v = ''.join(xs)\nif k:\n    v = None\nif v is None:\n    return 1", "true", True),
        ("v = len(xs)\nif v is None:\n    return 1", "true", False),
        # `re.split` gives None for groups that took no part.
        ("import re\nv = re.split('(a)|b', k)[0]\nif isinstance(v, str):\n    return 1", "false", True),
        ("if not isinstance(k, str):\n    return 1\nif isinstance(k, (int, str)):\n    return 2", "false", False),
        ("if not isinstance(k, str):\n    return 1\nk = xs\nif isinstance(k, str):\n    return 2", "false", True),
        ("if isinstance(k, (str, xs)):\n    return 1\nif isinstance(k, str):\n    return 2", "true", False),
        ("if isinstance(k, set):\n    return 1\nif isinstance(k, frozenset):\n    return 2", "true", True),
        ("if isinstance(k, int):\n    return 1\nif isinstance(k, bool):\n    return 2", "true", False),
        ("if isinstance(k, bool):\n    return 1\nif isinstance(k, int):\n    return 2", "true", True),
        ("width = 8\nif width == 2:\n    return 1", "true", False),
        ("width = 8\nfor x in xs:\n    width = x\nif width == 2:\n    return 1", "true", True),
        (
            "width = 8\ntry:\n    width = 2\n    k()\nexcept ValueError:\n    if width == 2:\n        return 1",
            "true",
            True,
        ),
        ("width = 8\ntry:\n    k()\nexcept ValueError:\n    if width == 2:\n        return 1", "true", False),
        ("width = 8\ntry:\n    k()\nfinally:\n    width = 2\nif width == 2:\n    return 1", "true", True),
        ("def g():\n    nonlocal xs\n    xs = 2\nxs = 8\ng()\nif xs == 2:\n    return 1", "true", True),
        ("n = 0\nwhile k:\n    n += 1\nif n < 0:\n    return 1", "true", False),
        ("n = 0\nwhile k:\n    n -= 1\nif n < 0:\n    return 1", "true", True),
        ("for i in range(5):\n    if i > 4:\n        return 1", "true", False),
        ("for i in range(5):\n    if i > 3:\n        return 1", "true", True),
        ("for i in range(9, 0, -3):\n    if i > 4:\n        return 1", "true", True),
        ("n = abs(int(k))\nif n % 3 > 1:\n    return 1", "true", True),
        ("n = abs(int(k))\nm = n % 3\nif m > 2:\n    return 1", "true", False),
    ],
)
def test_kinds_and_ranges(body: str, outcome: str, *, possible: bool) -> None:
    assert turns(body, outcome) is possible


FIRST_TWO = """
def f(lines):
    first = None
    second = None
    for number, line in enumerate(lines):
        if line:
            if first is None:
                first = number
            elif second is None:
                second = number
                {leave}
    return first, second
"""


def test_what_is_found_once_ends_the_loop() -> None:
    assert unreachable_reason(FIRST_TWO.format(leave="break"), "f", 9, "if", "false")
    assert not unreachable_reason(FIRST_TWO.format(leave="continue"), "f", 9, "if", "false")
    assert not unreachable_reason(FIRST_TWO.format(leave="break"), "f", 7, "if", "false")


def test_all_tests_of_a_line_must_be_decided() -> None:
    source = "def f(k):\n    n = 3\n    return (1 if n else 2, 1 if k else 2)\n"
    assert not unreachable_reason(source, "f", 3, "ternary", "false")
    assert unreachable_reason(source.replace("if k", "if not not n"), "f", 3, "ternary", "false")


def test_libraries_of_tables_have_texts_methods() -> None:
    source = "import pandas\ndef f(s):\n    s = s.replace('a', 'b')\n    if isinstance(s, str):\n        return 1\n"
    assert not unreachable_reason(source, "f", 4, "if", "false")
    assert unreachable_reason(source.replace("import pandas", ""), "f", 4, "if", "false")


def test_builtins_with_another_meaning_prove_nothing() -> None:
    source = "def f(k):\n    n = len(k)\n    if n < 0:\n        return 1\n    return 2\n"
    assert unreachable_reason(source, "f", 3, "if", "true")
    assert not unreachable_reason(f"def len(x):\n    return -1\n{source}", "f", 5, "if", "true")
    assert not unreachable_reason(f"from m import *\n{source}", "f", 4, "if", "true")


def test_kinds_reach_the_proofs_of_mutants() -> None:
    source = "def f(a, b):\n    a = int(a)\n    s = b.upper()\n    if s[0] == s[1]:\n        return round(a // 2, 0), s[0]\n    return round(a / 2, 0), s[1]\n"  # noqa: E501
    proved = [mutant.change for mutant in mutate(source, "f").mutants if mutant.proof]
    assert "round(a // 2, 0) → a // 2" in proved
    assert not any("a / 2" in change for change in proved)
    looped = source.replace("    s = b.upper()", "    s = b.upper()\n    while a:\n        a = b")
    assert not any("round" in mutant.change for mutant in mutate(looped, "f").mutants if mutant.proof)


DEAD = """
def f(xs, k):
    if not xs:
        return 0
    n = len(xs)
    mean = sum(xs) / n if n > 0 else float("nan")
    for limit in (0, 1):
        if n > limit:
            return mean
        if n == k:
            continue
    return [n, mean]
"""


def test_nothing_is_asked_of_a_suite_where_control_never_comes() -> None:
    proved = {mutant.change for mutant in mutate(DEAD, "f").mutants if mutant.proof}
    # With a whole length of at least one the first row always returns.
    assert {"n > 0 → n >= 0", "float('nan') → float('')", "return [n, mean] → return None"} <= proved
    assert not {"sum(xs) / n → sum(xs) * n", "return mean → return None"} & proved
    assert "n > limit → n <= limit" not in proved
    open_ended = DEAD.replace("if not xs:", "if not k:")
    proved = {mutant.change for mutant in mutate(open_ended, "f").mutants if mutant.proof}
    assert not {"n > 0 → n >= 0", "float('nan') → float('')", "return [n, mean] → return None"} & proved


def test_truths_that_no_input_changes() -> None:
    source = "def f(k):\n    width = 8\n    if width == 2:\n        k = 3\n    return k + width\n"
    proved = [mutant.change for mutant in mutate(source, "f").mutants if mutant.proof]
    assert "width == 2 → width == 3" in proved
    assert "width == 2 → width != 2" not in proved
    assert "k + width → k - width" not in proved
    nearer = source.replace("== 2", "== 7")
    assert "width == 7 → width == 8" not in [mutant.change for mutant in mutate(nearer, "f").mutants if mutant.proof]


@pytest.mark.parametrize(("limit", "proved"), [("9", False), ("10", True), ("11", True)])
def test_tests_of_a_number_that_agree_on_all_that_it_may_be(limit: str, *, proved: bool) -> None:
    source = f"def f(xs):\n    n = len(xs) % 10\n    return 1 if n < {limit} else 2\n"
    mutants = {mutant.change: mutant.proof for mutant in mutate(source, "f").mutants}
    assert bool(mutants[f"n < {limit} → n < {int(limit) + 1}"]) is proved
    assert bool(mutants[f"n < {limit} → n <= {limit}"]) is proved
