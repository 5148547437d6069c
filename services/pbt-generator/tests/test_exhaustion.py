"""Proofs by trying all values on which a mutant's place differs."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.exhaustion import differing
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.ports import Harness


@pytest.mark.parametrize(
    ("plain", "changed", "differs"),
    [
        ("not x", "False", (None, False, 0, 0.0, -0.0, "", b"", [], (), {}, set(), frozenset())),
        ("len(x) > 0", "len(x) >= 0", ("", b"", [], (), {}, set(), frozenset())),
        ("len(x) > 1", "len(x) > 0", None),
        ("x is None", "False", (None,)),
        # Numbers have no length: what asks them for one raises, and is no case.
        ("x is not None and len(x) > 0", "x is not None", ("", b"", [], (), {}, set(), frozenset())),
        ("x or 0", "x or 1", (None, False, 0, 0.0, -0.0, "", b"", [], (), {}, set(), frozenset())),
        ("x > 0", "x >= 0", None),
        ("x == 0", "x != 0", None),
        ("f(x)", "x", None),
    ],
)
def test_values_on_which_two_expressions_differ(plain: str, changed: str, differs: tuple[object, ...] | None) -> None:
    first, second = (ast.parse(text, mode="eval").body for text in (plain, changed))
    assert differing(first, second, "x") == differs


def alike(source: str, harness: Harness, change: str, inputs: list[list[object]]) -> bool:
    program = mutate(source, "f")
    space: dict[str, object] = {}
    exec(compile(with_harness(program.source, "f", harness.mutate), "program", "exec"), space)
    mutant = next(mutant for mutant in program.mutants if mutant.change == change)
    assert mutant.differs_on is not None
    return space["_ts_exhaust"]([[mutant.number, inputs]], "portable") == [mutant.number]


GUARD = "def f(xs, other):\n    if not xs:\n        return {guarded}\n    total = 0\n    for x in xs:\n        total += x\n    return {result}\n"  # noqa: E501


@pytest.mark.parametrize(
    ("guarded", "result", "same"),
    [
        ("0", "total", True),
        ("1", "total", False),
        ("other", "other", True),
        # What becomes of the other parameter is not the same for all of its values.
        ("0", "total + other", False),
        ("[other]", "[other]", False),
        ("0", "total if other else 0", False),
        ("0", "total if isinstance(other, str) else 0", False),
        ("'' ", "''.join([other])", False),
    ],
)
def test_an_empty_value_decides_a_guard(guarded: str, result: str, *, same: bool, harness: Harness) -> None:
    source = GUARD.format(guarded=guarded, result=result)
    assert alike(source, harness, "if not xs → if False", [[[[], None], [1]]]) is same


@pytest.mark.parametrize(
    "result", ["total if other is None else 0", "total if type(other) is str else 0", "g(other)", "h(other)"]
)
def test_looks_that_leave_no_trace_prove_nothing(result: str) -> None:
    inner = "    def g(y):\n        try:\n            return y + 1\n        except TypeError:\n            return 0\n"
    source = GUARD.format(guarded="0", result=result).replace("    total = 0\n", inner + "    total = 0\n")
    assert all(mutant.differs_on is None for mutant in mutate(source, "f").mutants)
