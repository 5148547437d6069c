"""What only an error that leaves the program reads or makes, and near misses that more comes of."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.proofs.reachability import RaisingWays
from pbt_generator.domain.oracle.proofs.unread import checks_alone, of_errors_alone

WORDS = """
def f(col):
    words = f"'{col}' is no column"
    if len(col) > 3:
        raise ValueError(words)
    number = 0
    for letter in col:
        try:
            number += TABLE[letter]
        except KeyError:
            raise ValueError(words)
    return number
"""

CHECKS = """
def check(value, most=3):
    \"\"\"Refuse what is large.\"\"\"
    if value is None:
        return
    if isinstance(value, int) and value > most:
        raise ValueError(f"{value} is too large")
    assert len(str(value)) < 9, value

def f(n):
    check(n)
    check(n - 1, most=2)
    return n + 1
"""


def told(source: str) -> list[str]:
    """The assignments that only errors read."""
    module = ast.parse(source)
    entry = module.body[-1]
    assert isinstance(entry, ast.FunctionDef)
    found = of_errors_alone(module, RaisingWays(module, entry))
    return [ast.unparse(node) for node in ast.walk(module) if id(node) in found]


def test_words_of_an_error_have_no_mutants() -> None:
    assert told(WORDS) == ["words = f\"'{col}' is no column\""]
    lines = {mutant.line for mutant in mutate(WORDS, "f").mutants}
    assert 3 not in lines and 6 in lines


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return number", "return number or words"),
        ("    number = 0\n", "    number = 0\n    print(words)\n"),
        ("    number = 0\n", "    number = 0\n    later = lambda: words\n"),
        ("    number = 0\n", "    number = 0\n    del words\n"),
        ("    number = 0\n", "    number = locals()\n"),
        ("    number = 0\n", "    global words\n    number = 0\n"),
        ("            raise ValueError(words)", "            number = words"),
        # Somebody may catch what they are raised with, or that they cannot be made.
        (
            "def f(col):",
            "def g(col):\n    try:\n        return f(col)\n    except ValueError:\n        pass\ndef f(col):",
        ),
        ('is no column"', 'is no column" + str(col[0])'),
        ("{col}'", "{col:>9}'"),
        ("{col}'", "{col[0]}'"),
    ],
)
def test_words_of_which_more_may_come_are_a_value_like_any_other(old: str, new: str) -> None:
    assert not told(WORDS.replace(old, new, 1) if old != "def f(col):" else WORDS.replace(old, new))


def checks(source: str) -> list[str]:
    """The statements that raise or do nothing."""
    module = ast.parse(source)
    found = checks_alone(module)
    return [ast.unparse(node) for node in ast.walk(module) if id(node) in found]


def test_a_call_that_only_checks_is_not_left_out() -> None:
    assert checks(CHECKS) == ["check(n)", "check(n - 1, most=2)"]
    changes = [mutant.change for mutant in mutate(CHECKS, "f").mutants]
    assert not any("left out" in change or "twice" in change for change in changes)
    # What it checks is a rule of the function, where it keeps inputs from coming.
    assert any("value > most" in change for change in changes)


def test_tests_for_listed_values_and_classes_that_only_look_change_nothing() -> None:
    listed = CHECKS.replace("value is None", "value in (None, 'x')")
    looking = "class N(int):\n    def __eq__(self, other):\n        return isinstance(other, int)\ndef f"
    assert "check(n)" in checks(listed.replace("def f", looking))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        raise ValueError", "        SEEN.append(value)\n        raise ValueError"),
        ("    if value is None:", "    global last\n    last = value\n    if value is None:"),
        ("    if value is None:", "    for each in value:\n        pass\n    if value is None:"),
        ("len(str(value)) < 9", "next(value)"),
        ("len(str(value)) < 9", "list(value)"),
        ("len(str(value)) < 9", "value.pop()"),
        # Looking for something goes through what is gone through once, and asking a map for an entry may make it.
        ("len(str(value)) < 9", "9 not in value"),
        ("len(str(value)) < 9", "[each for each in value]"),
        ("len(str(value)) < 9", "value[0]"),
        ("    check(n)\n", "    check(SEEN[n])\n"),
        # Operators run what a class says of them.
        ("def f", "class N(int):\n    def __gt__(self, other):\n        SEEN.append(other)\ndef f"),
        ("def f", "class N:\n    @property\n    def size(self):\n        self.seen = 1\ndef f"),
        ("def f", "class N(int):\n    def __eq__(self, other):\n        return noted(other)\ndef f"),
        ("    check(n)\n", "    check(g(n))\n"),
        ("    check(n)\n", "    check(n := n + 1)\n"),
        ("    return n + 1", "    try:\n        check(n)\n    except ValueError:\n        return 0\n    return n + 1"),
        ("def check", "@register\ndef check"),
        ("def f", "check = print\ndef f"),
        ("def f", "def len(value):\n    SEEN.append(value)\ndef f"),
    ],
)
def test_a_call_that_may_do_more_is_a_statement_like_any_other(old: str, new: str) -> None:
    assert "check(n)" not in checks(CHECKS.replace(old, new))
