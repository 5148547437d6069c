"""What stands in a block of a class's body is a part of the program like any other, and rewriting leaves what it is."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.proofs.reachability import RaisingWays
from pbt_generator.domain.oracle.proofs.unused import unused
from pbt_generator.ports import Harness

METHOD = "def size(self):\n{}    if self.n > 3:\n{}        return 3\n{}    return self.n"
BLOCKS = [
    "    if sys.version_info >= (3, 8):\n        METHOD",
    "    if len(sys.argv) >= 0:\n        METHOD\n    else:\n        size = None",
    "    try:\n        from nowhere_at_all import size\n    except ImportError:\n        METHOD",
    "    with suppress(ValueError):\n        METHOD",
    "    for _ in '1':\n        METHOD",
    "    match sys.platform:\n        case _:\n            METHOD",
]
OWN = """
import sys
from contextlib import suppress
class Own:
    def __init__(self, n):
        self.n = n
BLOCK
def f(n):
    return Own(n).size()
"""


def own(block: str) -> str:
    last = next(line for line in block.splitlines() if "METHOD" in line)
    margin = " " * (len(last) - len(last.lstrip()))
    return OWN.replace("BLOCK", block.replace("METHOD", METHOD.format(margin, margin, margin)))


@pytest.mark.parametrize("block", BLOCKS)
def test_a_method_in_a_block_of_a_class_has_branches_and_mutants(block: str) -> None:
    source = own(block)
    line = next(number for number, text in enumerate(source.splitlines(), 1) if "self.n > 3" in text)
    inside = [(goal.kind, goal.outcome) for goal in instrument(source, "f").branches if line - 1 <= goal.line <= line]
    assert inside == [("function", "entered"), ("if", "true"), ("if", "false")]
    assert {"self.n > 3 → self.n > 4", "return 3 → return None"} <= {
        each.change for each in mutate(source, "f").mutants
    }


def test_an_arm_of_a_class_that_a_constant_rules_out_has_none() -> None:
    source = own("    size = None\n    if sys.version_info < (3, 8):\n        METHOD")
    assert [goal.kind for goal in instrument(source, "f").branches] == ["function"]


LOCAL = """
def f(n):
    class Cut:
        "Cuts."
        most, least = n % 7, 0
        if n == 424242:
            most = -1
        near = least < most < 5
        def of(self, text):
            "The cut."
            return text[: self.most], self.near
    return Cut().of("abcdefgh"), Cut.__doc__, Cut.of.__doc__
"""


def test_a_body_of_a_class_that_the_function_runs_is_a_part_of_the_function(harness: Harness) -> None:
    found = instrument(LOCAL, "f")
    assert [(goal.kind, goal.line, goal.outcome) for goal in found.branches][:2] == [
        ("if", 6, "true"),
        ("if", 6, "false"),
    ]
    program = mutate(LOCAL, "f")
    assert "n == 424242 → n == 424243" in {each.change for each in program.mutants}
    assert runs(found.source, harness.explore, 3) == runs(program.source, harness.mutate, 3) == runs(LOCAL, "", 3)


IDENTITY = [
    """
class Low:
    def least(self):
        return 1
class Span(Low):
    def holds(self, x):
        return 0 < super().least() < x
def f(x):
    return Span().holds(x)
""",
    'def first(s):\n    """First."""\n    return s\ndef f(x):\n    """All."""\n    return first.__doc__, f.__doc__\n',
    "def f(x):\n    return 0 < len(vars()) < 2 < x\n",
]


@pytest.mark.parametrize("source", IDENTITY)
def test_a_rewritten_program_gives_what_the_program_gives(source: str, harness: Harness) -> None:
    for text, probes in (
        (instrument(source, "f").source, harness.explore),
        (mutate(source, "f").source, harness.mutate),
    ):
        assert runs(text, probes, 3) == runs(source, "", 3)


def runs(source: str, probes: str, given: object) -> object:
    space: dict[str, object] = {"__name__": "candidate"}
    exec(compile(with_harness(source, "f", probes), "program", "exec"), space)
    entry = space["f"]
    assert callable(entry)
    return entry(given)


LENGTH = """
class Row:
    def __init__(self, xs):
        self.xs = xs
    try:
        from nowhere_at_all import size as __len__
    except ImportError:
        def __len__(self):
            return known(self.xs)
def known(xs):
    return min(len(xs), 2)
def f(xs):
    return len(Row(xs))
"""


def test_what_the_language_calls_is_called_wherever_its_class_defines_it() -> None:
    assert not unused(ast.parse(LENGTH), "f").reasons


TAKEN = """
class Own:
    if True:
        def __getitem__(self, at):
            if at > 3:
                raise IndexError
            return at
def f(n):
    return list(Own())[n]
"""


def test_an_error_that_ends_a_loop_ends_it_wherever_its_class_defines_it() -> None:
    module = ast.parse(TAKEN)
    entry = module.body[-1]
    assert isinstance(entry, ast.FunctionDef)
    ways = RaisingWays(module, entry)
    assert not any(ways.arm(node, "true") for node in ast.walk(module) if isinstance(node, ast.If))
