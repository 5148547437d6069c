"""Branches, dead branches, and mutants: what can be said of a program without running it."""

from __future__ import annotations

import ast
from types import SimpleNamespace

from pbt_generator.domain.oracle.branches import lines_inside
from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import mutate, witnesses
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.proofs.reachability import always_raises, constant_truth
from pbt_generator.domain.oracle.proofs.unreachable import unreachable_reason
from pbt_generator.ports import Harness


def test_except_arms() -> None:
    source = (
        "def f(x):\n    try:\n        y = 1\n    except ValueError:\n        y = 2\n"
        "    try:\n        y = int(x)\n    except ValueError:\n        y = 3\n    except (ValueError,):\n        y = 4\n"  # noqa: E501
        "    except TypeError:\n        y = 5\n    return y\n"
    )
    assert unreachable_reason(source, "f", 4, "except", "entered")
    assert not unreachable_reason(source, "f", 8, "except", "entered")
    assert unreachable_reason(source, "f", 10, "except", "entered")
    assert not unreachable_reason(source, "f", 12, "except", "entered")


def test_constant_tests() -> None:
    def truth(text: str) -> bool | None:
        return constant_truth(ast.parse(text, mode="eval").body)

    assert truth("True") is True and truth("not 0") is True and truth("TYPE_CHECKING") is False
    assert truth("False and x") is False and truth("x or True") is None and truth("x") is None
    assert truth("sys.version_info >= (3, 8)") is True
    assert truth("sys.version_info >= ('a',)") is None


def test_paths_that_only_raise() -> None:
    def raises(text: str) -> bool:
        return always_raises(ast.parse(text).body)

    assert raises("message = 'x'\nraise ValueError(message)")
    assert raises("if a:\n    raise A\nelse:\n    raise B")
    assert not raises("if a:\n    raise A")
    assert not raises("if a:\n    x = 1\nreturn 2")
    assert not raises("def f():\n    if a:\n        return 1\n    raise B\n")
    assert not raises("for x in y:\n    if x:\n        break\n    raise B")


def test_goals_name_every_outcome_once() -> None:
    source = "def f(x):\n    for y in x:\n        if y > 1 and y < 9:\n            return 'a' if y == 2 else 'b'\n    return None\n"  # noqa: E501
    goals = instrument(source, "f").goals
    assert [goal.number for goal in goals] == list(range(len(goals)))
    branches = {(goal.kind, goal.outcome) for goal in goals if goal.branch}
    assert branches == {
        ("for", "body"), ("for", "exhausted"), ("if", "true"), ("if", "false"), ("ternary", "true"), ("ternary", "false"),  # noqa: E501
    }  # fmt: skip
    assert {goal.outcome for goal in goals if goal.kind == "order"} == {"less", "equal", "greater"}


def loaded(text: str, entry_point: str, harness_text: str) -> dict[str, object]:
    space: dict[str, object] = {}
    exec(compile(with_harness(text, entry_point, harness_text), "program", "exec"), space)
    return space


def test_rewritten_programs_behave_like_the_original(truths: dict[str, SimpleNamespace], harness: Harness) -> None:
    inputs = {
        "shorten": [["abcdef", 4], ["abc", 9], ["abcdef", 2], ["x", 0]],
        "parse_duration": [["1h 30m"], ["2s"], ["x"], ["5q"]],
        "normalise_command": [["GO north"], ["take cup and saucer"], ["quit"], ["dance"], [""]],
        "group_by_status": [[[{"name": " a "}, {"name": "b", "status": "on"}, {"name": " "}]]],
        "human_size": [[5], [2048], [10**9], [10**13]],
        "top_words": [["A b a. c", 2]],
        "flatten": [[[1, [2, [3]]]]],
    }
    for name, given in inputs.items():
        truth = truths[name]
        space: dict[str, object] = {}
        exec(compile(truth.source, "truth", "exec"), space)
        rewritten = loaded(instrument(truth.source, name).source, name, harness.explore)
        mutants = loaded(mutate(truth.source, name).source, name, harness.mutate)
        watched = loaded(witnesses(truth.source, name).source, name, harness.mutate)
        for arguments in given:
            for other in (rewritten, mutants, watched):
                assert outcome(other[name], arguments) == outcome(space[name], arguments), name


def outcome(function, arguments):
    try:
        return "returned", function(*arguments)
    except Exception as error:  # noqa: BLE001
        return "raised", f"{type(error).__name__}: {error}"


def test_each_mutant_differs_from_the_original_somewhere(truths: dict[str, SimpleNamespace], harness: Harness) -> None:
    truth = truths["shorten"]
    program = mutate(truth.source, "shorten")
    space = loaded(program.source, "shorten", harness.mutate)
    inputs = [
        [text, width, "..."] for text in ("", "a", "abcd", "hello world") for width in (-1, 0, 1, 2, 3, 4, 5, 11, 12)
    ]
    # Those that follow another language's rule may well agree everywhere: they do not count.
    counted = [mutant for mutant in program.mutants if not mutant.reading]
    plan = [[mutant.number, list(range(len(inputs))), []] for mutant in counted]
    answers = {number: killers for number, killers, *_ in space["_ts_mutate"](inputs, plan, 5, "portable", 400)}
    alive = [mutant.change for mutant in counted if not answers[mutant.number]]
    assert len(counted) > 20
    # At width 0 the later arms give the empty text too.
    assert alive == ["width <= 0 → width < 0"]


def test_guards_of_exceptions_have_only_widening_mutants() -> None:
    source = "def f(n):\n    if n < 0 or n > 100:\n        raise ValueError('no')\n    return n + 1\n"
    guards = [mutant.change for mutant in mutate(source, "f").mutants if mutant.line == 2]
    assert guards == ["n < 0 → n <= 0", "n > 100 → n >= 100"]


def test_mutants_of_both_programs_have_the_same_numbers(truths: dict[str, SimpleNamespace]) -> None:
    for truth in truths.values():
        first, second = mutate(truth.source, truth.name).mutants, witnesses(truth.source, truth.name).mutants
        assert [mutant.change for mutant in first] == [mutant.change for mutant in second]


def test_endless_mutants_are_stopped(harness: Harness) -> None:
    source = "def f(n):\n    i = 0\n    while i < n:\n        i += 1\n    return i\n"
    program = mutate(source, "f")
    space = loaded(program.source, "f", harness.mutate)
    plan = [[m.number, [0, 1], []] for m in program.mutants]
    answers = space["_ts_mutate"]([[3], [5]], plan, 5, "portable", 400)
    left_out = next(mutant.number for mutant in program.mutants if mutant.change == "i += 1 left out")
    assert next(killers for number, killers, *_ in answers if number == left_out) == [0, 1]


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
