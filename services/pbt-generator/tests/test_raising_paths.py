"""Which goals only inputs that raise can reach: an exception that something may catch ends nothing."""

from __future__ import annotations

import pytest

from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.probes import instrument

CAUGHT = """
def f(x):
    try:
        if x > 3:
            raise ValueError("large")
    except ValueError:
        return "large"
    return "small"
"""
SUPPRESSED = """
from contextlib import suppress
def f(x):
    with suppress(ValueError):
        if x > 3:
            raise ValueError("large")
        return "small"
    return "large"
"""
FINALLY = """
def f(x):
    try:
        if x > 3:
            raise ValueError("large")
    finally:
        return "done" + str(x > 3)
"""
BEHIND = """
def f(x):
    try:
        if x > 3:
            x = 0
        raise ValueError("large")
    except ValueError:
        return x
"""
INNER = """
def f(x):
    def check(y):
        if y > 3:
            raise ValueError("large")
        return y
    try:
        return check(x)
    except ValueError:
        return "large"
"""
ITSELF = """
def f(x):
    if x > 3:
        raise ValueError("large")
    try:
        return f(x + 1)
    except ValueError:
        return x
"""
PLAIN = """
def f(x):
    if x > 3:
        raise ValueError("large")
    try:
        return 1 / x
    except ZeroDivisionError:
        if x > 3:
            return "large"
        raise
"""

TRIED = """
def f(x):
    if x:
        try:
            if x > 3:
                return "large"
        except TypeError:
            raise ValueError("none")
        else:
            raise KeyError("small")
    return x
"""
CLOSED = """
def f(x, y):
    try:
        if y:
            return [x]
    finally:
        y.append(x > 3)
    raise ValueError("none")
"""
COUNTED = """
def f(x):
    while x > 3:
        x -= 1
    else:
        return x
    raise ValueError("none")
"""
HANDED = """
def f(x):
    return next(g(x))
def g(x):
    if x > 3:
        yield x
    raise ValueError((yield 0))
"""


@pytest.mark.parametrize("source", [CAUGHT, SUPPRESSED, FINALLY, BEHIND, INNER, ITSELF])
def test_what_may_be_caught_is_no_end(source: str) -> None:
    assert not [goal for goal in instrument(source, "f").goals if goal.raises and goal.branch]
    line = next(place for place, text in enumerate(source.splitlines(), 1) if "> 3" in text)
    changes = {mutant.change for mutant in mutate(source, "f").mutants if mutant.line == line}
    # Both ways on may return: the test has mutants that make it true less often, too.
    assert any("<= 3" in change for change in changes) and any("> 4" in change for change in changes)


@pytest.mark.parametrize(
    ("source", "raising"),
    [
        # What leaves the body comes past no `else`, and through `finally`.
        (TRIED, {(5, "false"), (7, "entered"), (10, "entered")}),
        (CLOSED, {(4, "false")}),
        # Behind the last round stands the `else`.
        (COUNTED, set()),
        (COUNTED.replace("return x", "raise KeyError"), {(3, "true"), (3, "false")}),
        # Whoever is given a value need not come back for the error.
        (HANDED, set()),
    ],
)
def test_what_leaves_on_the_way_to_an_error_may_return(source: str, raising: set[tuple[int, str]]) -> None:
    assert {(goal.line, goal.outcome) for goal in instrument(source, "f").branches if goal.raises} == raising
    if "> 3" in source and "KeyError\n" not in source:
        line = next(place for place, text in enumerate(source.splitlines(), 1) if "> 3" in text)
        changes = {mutant.change for mutant in mutate(source, "f").mutants if mutant.line == line}
        assert any("<= 3" in change for change in changes) and any("> 4" in change for change in changes)


def test_what_nothing_catches_ends_the_function() -> None:
    raising = {(goal.line, goal.outcome) for goal in instrument(PLAIN, "f").branches if goal.raises}
    assert raising == {(3, "true"), (8, "false")}


def test_a_class_of_errors_says_nothing_of_what_stands_behind_it() -> None:
    error = "class Bad(ValueError):\n    def __str__(self):\n        return 'no'\n"
    program = error + "def f(x):\n    if x > 3:\n        return 1\n    if x < 0:\n        raise Bad\n    return 2\n"
    raising = {(goal.line, goal.outcome) for goal in instrument(program, "f").branches if goal.raises}
    assert raising == {(2, "entered"), (7, "true")}


ASSERTED = """
def f(x):
    try:
        assert x > 3
    except AssertionError:
        return 0
    return x
"""
MANAGED = """
from contextlib import suppress
def f(x):
    with suppress(AssertionError):
        assert x > 3
    return x
"""
CHECKED = """
def check(x):
    assert x > 3
    return x
def f(x):
    try:
        return check(x)
    except Exception:
        return 0
"""


@pytest.mark.parametrize(
    ("source", "caught"),
    [
        (ASSERTED, True),
        (CHECKED, True),
        (ASSERTED.replace("AssertionError", "(KeyError, AssertionError)"), True),
        (MANAGED, True),
        # Its error leaves the function.
        (ASSERTED.replace("AssertionError", "ValueError"), False),
        (ASSERTED.replace("return 0", "raise ValueError"), False),
        (CHECKED.replace("return check(x)", "x = int(x)").replace("return 0", "return 0\n    return check(x)"), False),
        (CHECKED.replace("Exception", "KeyError"), False),
    ],
)  # fmt: skip
def test_an_assert_whose_error_is_caught_is_a_test_like_any_other(source: str, *, caught: bool) -> None:
    goals = [goal for goal in instrument(source, "f").branches if goal.kind == "assert"]
    assert [(goal.outcome, goal.raises) for goal in goals] == [("true", False), ("false", False)] * caught
    changes = {mutant.change for mutant in mutate(source, "f").mutants}
    wider = {"x > 3 → x >= 3", "x > 3 → x > 2", "assert x > 3 left out"}
    assert changes & wider == (wider if caught else set())
    assert "x > 3 → x > 4" in changes
