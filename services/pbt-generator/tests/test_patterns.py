"""Cases of `match` and arms of `try`: what mutants have in their place, and that one that is off changes nothing."""

from __future__ import annotations

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import mutate, witnesses
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.ports import Harness

BINDING = """
def f(v, n):
    x = n
    match v:
        case [x, 3]:
            return -x
        case {"k": x, "l": 2}:
            return x + 1
        case [_, 4] | {"l": _}:
            x = n
            return x
        case _:
            return [x, n]
"""
ASKING = """
class Pair:
    def __init__(self):
        self.asked = 0
    @property
    def left(self):
        self.asked += 1
        return 5
def f(n):
    pair = Pair()
    match pair:
        case Pair(left=1 | 2):
            return n
        case Pair(left=None):
            return n
    return pair.asked
"""
PLACES = [[[7, 4], 1], [[7, 3], 1], [[1], 2], [{"k": 9, "l": 3}, 4], [{"k": 9, "l": 2}, 4], [{"l": 1}, 4]]


def called(source: str, probes: str, mutant: int, given: list[object]) -> object:
    space: dict[str, object] = {"__name__": "candidate"}
    exec(compile(with_harness(source, "f", probes), "program", "exec"), space)
    space["_ts_M"] = mutant
    entry = space["f"]
    assert callable(entry)
    return entry(*given)


@pytest.mark.parametrize(("source", "inputs"), [(BINDING, PLACES), (ASKING, [[3]])])
def test_a_pattern_is_not_tried_while_its_mutant_is_off(
    source: str, inputs: list[list[object]], harness: Harness
) -> None:
    program = mutate(source, "f")
    for given in inputs:
        assert called(program.source, harness.mutate, 0, given) == called(source, "", 0, given)


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        ("case [x, 3] left out", "case [x, 3]", "case [x, 3] if len([x]) > 1"),
        ("case [x, 3] → case [x, 4]", "case [x, 3]", "case [x, 4]"),
        ("case {'k': x, 'l': 2} → case {'k': x, 'l': 3}", "'l': 2", "'l': 3"),
        ("case [_, 4] | {'l': _} → case [_, 4]", "[_, 4] | {'l': _}", "[_, 4]"),
        ("x = n left out", "            x = n\n", ""),
    ],
)
def test_a_mutant_of_a_case_is_the_program_that_it_names(change: str, old: str, new: str, harness: Harness) -> None:
    program = mutate(BINDING, "f")
    number = next(each.number for each in program.mutants if each.change == change)
    other = BINDING.replace('"', "'").replace(old, new)
    for given in PLACES:
        if change == "case [x, 3] left out" and given[0] == [7, 3]:
            # Left out it binds nothing, as the one with a guard would.
            assert called(program.source, harness.mutate, number, given) == [1, 1]
            continue
        assert called(program.source, harness.mutate, number, given) == called(other, "", 0, given)


def test_what_a_class_pattern_asks_has_mutants() -> None:
    source = "def f(v):\n    match v:\n        case [int(), str(x)] | (True, x):\n            return x\n    return 0\n"
    assert {each.change.partition(" → ")[2] for each in mutate(source, "f").mutants if each.operator == "case"} == {
        "case [True, x]",
        "case [int(), str(x)]",
        "case [_, str(x)] | [True, x]",
        "case [int(), str(x)] | [_, x]",
    }
    changes = {each.change for each in mutate(ASKING, "f").mutants if each.operator == "case"}
    assert changes == {
        "case Pair(left=1 | 2) → case Pair(left=1)",
        "case Pair(left=1 | 2) → case Pair(left=2)",
        "case Pair(left=None) → case Pair(left=_)",
    }


TOLD = """
def f(v):
    match v:
        case ["go", "north" | "up", *rest] | ["walk", {"k": "a" | "b", **rest}]:
            return rest
        case {"w": int(w), "h": int() as h}:
            return [w, h]
        case [str() | int() as n]:
            return n
        case _:
            return "?"
"""
SAID = [
    ["go", "up", 1], ["go", "north"], ["walk", {"k": "a"}], ["walk", {"k": "b", "l": 2}], {"w": 1, "h": 2},
    {"w": "x", "h": 2}, {"w": 1, "h": "x"}, ["s"], [3], 4,
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"north" | "up"', '"north"'),
        ('"north" | "up"', '"up"'),
        ('"a" | "b"', '"a"'),
        ('"a" | "b"', '"b"'),
        ('["go", "north" | "up", *rest] | ', ""),
        ("str() | int() as n", "str() as n"),
    ],
)
def test_what_an_alternative_asks_has_mutants(old: str, new: str, harness: Harness) -> None:
    program = mutate(TOLD, "f")

    def given(source: str, probes: str = "", mutant: int = 0) -> list[object]:
        return [called(source, probes, mutant, [each]) for each in SAID]

    assert given(program.source, harness.mutate) == given(TOLD)
    numbers = [each.number for each in program.mutants if each.operator == "case"]
    expected = given(TOLD.replace(old, new))
    assert expected != given(TOLD)
    assert expected in [given(program.source, harness.mutate, number) for number in numbers]
    assert len(witnesses(TOLD, "f").mutants) == len(program.mutants)


CAUGHT = """
def f(parts, at):
    try:
        return int(float(parts[at]))
    except (IndexError, ValueError, OverflowError):
        return -1
    except (KeyError, IndexError, TypeError):
        return -2
"""


def test_each_class_that_an_arm_catches_may_be_forgotten(harness: Harness) -> None:
    program = mutate(CAUGHT, "f")
    kinds = {each.change.partition(" → ")[2]: each.number for each in program.mutants if each.operator == "class"}
    assert list(kinds) == [
        "except (ValueError, OverflowError)",
        "except (IndexError, OverflowError)",
        "except (IndexError, ValueError)",
        # IndexError is caught before.
        "except (IndexError, TypeError)",
        "except (KeyError, IndexError)",
    ]
    for given in ([["inf"], 0], [["x"], 0], [[], 0], [None, 0], [["4"], 0]):
        assert called(program.source, harness.mutate, 0, given) == called(CAUGHT, "", 0, given)
    with pytest.raises(OverflowError):
        called(program.source, harness.mutate, kinds["except (IndexError, ValueError)"], [["inf"], 0])
    assert len(witnesses(CAUGHT, "f").mutants) == len(program.mutants)


def test_an_arm_that_only_raises_forgets_nothing() -> None:
    source = (
        "def f(x):\n    try:\n        return int(x)\n    except (TypeError, ValueError):\n        raise KeyError(x)\n"
    )
    assert not [each for each in mutate(source, "f").mutants if each.operator == "class"]


@pytest.mark.parametrize("last", ["int() | _", "other as same", "_", "(int() | _) as same"])
def test_nothing_comes_past_a_case_that_takes_everything(last: str, harness: Harness) -> None:
    source = (
        f"def f(v):\n    match v:\n        case 0:\n            return 1\n        case {last}:\n            return 2\n"
    )
    found = instrument(source, "f")
    assert [goal.outcome for goal in found.branches] == ["entered", "entered"]
    assert called(found.source, harness.explore, 0, [5]) == 2
    assert called(mutate(source, "f").source, harness.mutate, 0, [5]) == 2


def test_what_an_arm_does_stands_there_once_however_many_mutants_the_cases_have() -> None:
    def repeats(cases: int) -> int:
        arms = "".join(f"        case ('op{i}', int(a)):\n            return [a, 'mark{i}']\n" for i in range(cases))
        return mutate(f"def f(v):\n    match v:\n{arms}    return 0\n", "f").source.count("'mark0'")

    assert repeats(2) == repeats(5)


INNER = """
def g(v):
    match v:
        case [1, x] if g(x):
            return x
        case {"k": x}:
            return [x]
    return 0
def f(v):
    match v:
        case [int(x), y] if g(y):
            match y:
                case [1, z]:
                    return z
            return -x
        case [x, 4] if g(x):
            return x
    return g(v)
"""


def test_a_case_that_asks_a_function_with_cases_is_entered_all_the_same(harness: Harness) -> None:
    program = mutate(INNER, "f")
    for given in ([2, [1, {"k": 3}]], [2, {"k": 3}], [[1, {"k": 1}], 4], [1, 1], {"k": 0}, [[], 4], 7, [1, [1, 2]]):
        assert called(program.source, harness.mutate, 0, [given]) == called(INNER, "", 0, [given]), given
