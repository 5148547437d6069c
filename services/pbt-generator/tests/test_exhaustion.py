"""Proofs by trying all values on which a mutant's place differs."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.exhaustion import Differing, differing
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.ports import Harness


@pytest.mark.parametrize(
    ("plain", "changed", "differs"),
    [
        ("not x", "False", (None, False, 0, 0.0, -0.0, "", b"", [], (), {}, set(), frozenset())),
        ("len(x) > 0", "len(x) >= 0", ("", b"", [], (), {}, set(), frozenset())),
        ("len(x) > 1", "len(x) > 0", None),
        ("x is None", "False", (None,)),
        ("isinstance(x, bool)", "False", (False, True)),
        ("isinstance(x, str)", "False", None),
        ("x > 0", "x >= 0", (False, 0, 0.0, -0.0)),
        ("x > 255", "x >= 255", (255, 255.0)),
        ("0 <= x < 3", "0 <= x <= 3", (3, 3.0)),
        ("x in (2, 4)", "x in (2, 5)", (4, 4.0, 5, 5.0)),
        ("x < -1", "x <= -1", (-1, -1.0)),
        ("x > 9007199254740993", "x >= 9007199254740993", None),
        ("x > 'a'", "x >= 'a'", None),
        # Numbers have no length: what asks them for one raises, and is no case.
        ("x is not None and len(x) > 0", "x is not None", ("", b"", [], (), {}, set(), frozenset())),
        ("x or 0", "x or 1", (None, False, 0, 0.0, -0.0, "", b"", [], (), {}, set(), frozenset())),
        ("x == 0", "x != 0", None),
        ("f(x)", "x", None),
    ],
)
def test_values_on_which_two_expressions_differ(plain: str, changed: str, differs: tuple[object, ...] | None) -> None:
    first, second = (ast.parse(text, mode="eval").body for text in (plain, changed))
    found = differing(first, second, "x")
    assert (found and found.values) == differs
    assert not (found and found.beyond)


@pytest.mark.parametrize(
    ("plain", "changed", "values", "beyond"),
    [
        # A whole number is beside none, and a fraction is.
        ("x < 1", "x < 0", (False, 0, 0.0, -0.0), (0.5,)),
        ("x > 255", "x > 254", (255, 255.0), (254.5,)),
        ("x < 0", "x < 5", (False, True, 0, 0.0, -0.0), (1, 2.5)),
        ("isinstance(x, int)", "isinstance(x, bool)", (0,), (-1, 1)),
    ],
)
def test_classes_of_many_numbers_are_told_by_one_of_them(
    plain: str, changed: str, values: tuple[object, ...], beyond: tuple[object, ...]
) -> None:
    first, second = (ast.parse(text, mode="eval").body for text in (plain, changed))
    assert differing(first, second, "x") == Differing(values, beyond)


@pytest.mark.parametrize(
    "before",
    ["xs.clear()", "ys = xs\n    ys.clear()", "g(xs)", "[xs][0].clear()", "xs += []", "del xs[:]", "xs[:] = []",
     "change = xs.clear\n    change()", "def rows():\n        return xs\n    rows().clear()",
     "def rows():\n        return n and xs\n    rows().clear()",
     "list.clear(xs)", "for ys in [xs]:\n        ys.clear()"],
)  # fmt: skip
def test_an_object_that_may_be_changed_before_the_place_proves_nothing(before: str) -> None:
    after = "    if not xs:\n        return n\n    return 0\n"
    source = f"def g(x):\n    x.clear()\ndef f(xs):\n    n = len(xs)\n    {before}\n{after}"
    found = [mutant for mutant in mutate(source, "f").mutants if mutant.change == "if not xs → if False"]
    assert all(mutant.differs_on is None or [] in mutant.differs_beyond for mutant in found)


@pytest.mark.parametrize("name", ["len", "bool", "isinstance", "str"])
def test_a_builtin_of_another_meaning_proves_nothing(name: str) -> None:
    body = "    if not xs or len(xs) > 0:\n        return 1\n    return 0\n"
    source = f"def {name}(x, y=0):\n    return x\ndef f(xs):\n{body}"
    assert all(mutant.differs_on is None for mutant in mutate(source, "f").mutants)


def test_the_limit_of_a_number_is_decided_by_running_it(harness: Harness) -> None:
    clip = "def f(value, other):\n    return 0 if value < 0 else 255 if value > 255 else value\n"
    assert alike(clip, harness, "value < 0 → value <= 0", [[[0, None], [1]]])
    assert alike(clip, harness, "value > 255 → value >= 255", [[[255, None], [1]]])
    kept = "def f(value, other):\n    return 1 if value < 0 else value\n"
    assert not alike(kept, harness, "value < 0 → value <= 0", [[[0, None], [1]]])


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
