"""Except arms that nothing can enter, and near misses that something can."""

from __future__ import annotations

import pytest

from pbt_generator.domain.oracle.branches import lines_inside
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.proofs.unreachable import unreachable_reason

PROGRAM = """
def f(x, d):
    parts = []
    for name, value in d.items():
        if {guard}:
            try:
                {body}
            except {caught}:
                parts.append("?")
    return parts
"""


def entered(body: str, caught: str, guard: str = "isinstance(value, (int, float))", *, portable: bool = False) -> bool:
    source = PROGRAM.format(guard=guard, body=body, caught=caught)
    return not unreachable_reason(source, "f", 8, "except", "entered", portable=portable)


@pytest.mark.parametrize(
    ("body", "caught", "possible"),
    [
        ("parts.append(f'{name}: {value:.2f}')", "(ValueError, TypeError)", False),
        ("parts.append(f'{value:+.2f}')", "ValueError", False),
        ("parts.append(f'{value:,.2f}')", "ValueError", False),
        # Too large an integer has no float.
        ("parts.append(f'{value:.2f}')", "OverflowError", True),
        ("parts.append(f'{value:.2f}')", "ArithmeticError", True),
        ("parts.append(f'{value:.2f}')", "Exception", True),
        # A float has no such format.
        ("parts.append(f'{value:d}')", "ValueError", True),
        ("parts.append(f'{value:.{x}f}')", "ValueError", True),
        ("parts.append(f'{x:.2f}')", "ValueError", True),
        ("parts.append(f'{value - value:.2f}')", "(ValueError, TypeError)", False),
        # What was computed may have too many digits for a text.
        ("parts.append(f'{value * value}')", "ValueError", True),
        ("parts.append(f'{value / value:.2f}')", "ArithmeticError", True),
        ("parts.append(f'{value / value:.2f}')", "ValueError", True),
        ("x.append(f'{value:.2f}')", "ValueError", True),
        ("parts.append(f'{unknown:.2f}')", "ValueError", True),
        ("parts.append(value)", "NoSuchError", True),
        ("parts.append(value)", "Exception", False),
    ],
)
def test_formats_of_numbers(body: str, caught: str, *, possible: bool) -> None:
    assert entered(body, caught) is possible


def test_the_guard_counts() -> None:
    assert entered("parts.append(f'{value:.2f}')", "ValueError", guard="value")
    assert entered("parts.append(f'{value:.2f}')", "ValueError", guard="isinstance(value, (int, str))")
    assert not entered("parts.append(f'{value:.2f}')", "ValueError", guard="isinstance(value, int)")


@pytest.mark.parametrize(
    ("body", "caught", "possible"),
    [
        ("name = value.encode('latin-1', errors='ignore').decode('utf-8', errors='ignore')", "Exception", False),
        ("name = value.encode('latin-1', errors='ignore').decode('utf-8')", "Exception", True),
        ("name = value.encode('latin-1').decode('utf-8', errors='ignore')", "Exception", True),
        ("name = value.encode(x, errors='ignore')", "Exception", True),
        ("name = value.strip().lower()", "Exception", False),
        ("name = value.strip(x)", "Exception", True),
        ("name = value.split(x)", "ValueError", True),
    ],
)
def test_texts(body: str, caught: str, *, possible: bool) -> None:
    assert entered(body, caught, guard="isinstance(value, str)") is possible
    assert entered(body, caught, guard="value")


@pytest.mark.parametrize("body", ["name = bool(x)", "name = str(x)", "name = f'{x}'"])
def test_what_libraries_make_of_a_value(body: str) -> None:
    # An array has no truth value, and a table shows itself as it likes.
    source = "import numpy\n" + PROGRAM.format(guard="x", body=body, caught="ValueError")
    assert not unreachable_reason(source, "f", 9, "except", "entered")
    assert not entered(body, "Exception", portable=True)
    assert entered(body.replace("x", "x * x"), "Exception", portable=True)


def test_the_truth_of_a_librarys_value_is_not_known() -> None:
    assert entered("name = bool(x)", "ValueError")
    assert not entered("name = str(x)", "ValueError")


def test_lines_of_arms_that_nothing_reaches() -> None:
    source = (
        "def f(x):\n    try:\n        y = 1\n    except ValueError:\n        y = 2\n        return y\n"
        "    if x: return (1 if y else 2)\n    elif y:\n        y = 3\n    return y\n"
    )
    goals = instrument(source, "f").goals

    def inside(kind: str, outcome: str, line: int) -> set[int]:
        return lines_inside(source, [g for g in goals if (g.kind, g.outcome, g.line) == (kind, outcome, line)])

    assert inside("except", "entered", 4) == {5, 6}
    # The arm shares its line with the test, and with another choice.
    assert inside("if", "true", 7) == set()
    assert inside("ternary", "false", 7) == set()
    assert inside("if", "false", 7) == {8, 9}
    assert inside("if", "true", 8) == {9}
