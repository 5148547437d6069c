"""Mutants: what they change, what they leave alone, and what runs them."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.mutation.kills import EVIDENCE, FELT, UNMOVED, KillMatrix
from pbt_generator.domain.mutation.mutants import Mutant, mutate
from pbt_generator.domain.proofs.reachability import leaves, reached
from pbt_generator.domain.search.instrument import instrument
from pbt_generator.ports import Harness
from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite

CACHED = """
from functools import lru_cache

@lru_cache(maxsize=None)
def f(word):
    if word:
        return word.upper()
    return "none"
"""


def loaded(text: str, harness_text: str) -> dict[str, object]:
    space: dict[str, object] = {}
    exec(compile(f"{text}\n\n_ts_ENTRY = 'f'\n{harness_text}", "program", "exec"), space)
    return space


def changes(source: str) -> list[str]:
    return [mutant.change for mutant in mutate(source, "f").mutants]


def test_a_cache_does_not_answer_for_mutants(harness: Harness) -> None:
    program = mutate(CACHED, "f")
    space = loaded(program.source, harness.mutate)
    plan = [[mutant.number, [0, 1], []] for mutant in program.mutants]
    answers = space["_ts_mutate"]([["ab"], [""]], plan, 5, False, 400, 1.0)
    assert len(answers) >= 5
    assert all(killers for _, killers, _ in answers)


def test_a_cache_does_not_hide_the_second_run(harness: Harness) -> None:
    rewritten = instrument(CACHED, "f")
    space = loaded(rewritten.source, harness.explore)
    first, second = space["_ts_explore"]([["ab"], ["ab"]], [], 400, 1.0)
    assert first[1] == second[1] != []


@pytest.mark.parametrize(
    ("expression", "wanted", "unwanted"),
    [
        ("c in 'abc'", ["c in ''", "c in 'bc'", "c in 'ab'"], ["c in 'abcx'"]),
        ("c not in 'aba'", ["c not in 'b'"], ["c not in 'abax'", "c not in 'ba'"]),
        ("c.strip('+-')", ["c.strip('-')", "c.strip('+')", "c.strip('')"], ["c.strip('+-x')"]),
        # The text that is looked for is used whole.
        ("'abc' in c", ["'' in c", "'abcx' in c"], ["'bc' in c"]),
        ("c.startswith('abc')", ["c.startswith('abcx')"], ["c.startswith('bc')"]),
        ("quote(c, safe='')", ["quote(c, safe='/')"], ["quote(c, safe='x')"]),
        ("quote(c, safe='a/:')", ["quote(c, safe='a:')", "quote(c, safe='a/')"], ["quote(c, safe='/:')"]),
        ("dump(c, safe='a')", ["dump(c, safe='ax')"], []),
    ],
)
def test_texts_that_are_sets_of_characters_lose_members(
    expression: str, wanted: list[str], unwanted: list[str]
) -> None:
    found = [change.split(" → ")[1] for change in changes(f"def f(c):\n    return {expression}\n")]
    assert [text for text in wanted if text not in found] == []
    assert [text for text in unwanted if text in found] == []


DEAD = """
def f(x):
    if x > 3:
        raise ValueError("no")
        return x + 7
    while True:
        if x:
            return x * 2
        x += 1
    return x if x < 5 else 9
"""


def test_nothing_behind_a_statement_that_leaves_is_mutated_or_covered() -> None:
    lines = {mutant.line for mutant in mutate(DEAD, "f").mutants}
    assert {6, 7, 8} & lines
    assert not {5, 10} & lines
    assert {goal.line for goal in instrument(DEAD, "f").goals} == {3, 7}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if x:\n    return 1\nelse:\n    raise A", True),
        ("if x:\n    return 1", False),
        ("try:\n    return g(x)\nexcept A:\n    raise", True),
        ("try:\n    return g(x)\nexcept A:\n    pass", False),
        ("try:\n    y = g(x)\nfinally:\n    return 1", True),
        # What its manager swallows goes on behind it.
        ("with suppress(A):\n    return g(x)", False),
        ("while True:\n    x()", True),
        ("while True:\n    for y in x:\n        break", True),
        ("while True:\n    if x:\n        break", False),
        ("while True:\n    for y in x:\n        pass\n    else:\n        break", False),
        ("for y in x:\n    return y", False),
    ],
)
def test_statements_that_leave(body: str, *, expected: bool) -> None:
    module = ast.parse(body)
    assert leaves(module.body[0]) is expected
    assert reached([*module.body, *module.body]) == (1 if expected else 2)


def _mutant(number: int, operator: str = "constant", line: int = 1) -> Mutant:
    return Mutant(number, operator, line, "a → b")


def test_without_effect_says_something_only_where_the_result_hangs_on_the_line() -> None:
    matrix = KillMatrix((_mutant(1, "drop call"), _mutant(2, "swap call"), _mutant(3, "drop call", line=2)))
    inputs = {f"[{number}]" for number in range(40)}
    matrix.infected[1] = inputs
    matrix.infected[3] = inputs
    assert not matrix.shown(_mutant(1, "drop call"))
    # A neighbour changed the result on some of these inputs, so that the line matters there.
    matrix.add(2, sorted(inputs)[:FELT], 40)
    assert matrix.shown(matrix.mutants[0])
    matrix.killers[2] = {"[99]"}
    assert not matrix.shown(matrix.mutants[0])
    # Without such a neighbour many more inputs are asked for.
    assert not matrix.shown(matrix.mutants[2])
    matrix.infected[3] = {f"[{number}]" for number in range(4 * EVIDENCE)}
    assert matrix.shown(matrix.mutants[2])


def test_two_ways_from_a_test_that_leaves_may_agree() -> None:
    inputs = {f"[{number}]" for number in range(4 * EVIDENCE)}
    for guards, shown in ((frozenset({1}), True), (frozenset[int](), False)):
        matrix = KillMatrix((_mutant(1, "never"), _mutant(2, "comparison")), guards=guards)
        matrix.add(2, ["[999]"], 1)
        matrix.infected[1] = inputs
        assert matrix.shown(matrix.mutants[0]) is shown


def test_parts_of_conditions_that_never_differed_are_not_shown_equivalent() -> None:
    for operator, shown in (("operand", False), ("connective", False), ("drop call", True)):
        matrix = KillMatrix((_mutant(1, operator),))
        matrix.came[1] = UNMOVED
        assert matrix.shown(matrix.mutants[0]) is shown


def test_at_a_limit_many_equal_sides_are_enough() -> None:
    for operator, shown in (("boundary", True), ("limit", True), ("comparison", False)):
        matrix = KillMatrix((_mutant(1, operator), _mutant(2)))
        matrix.add(2, ["[999]"], 1)
        matrix.infected[1] = {f"[{number}]" for number in range(2 * EVIDENCE)}
        assert matrix.shown(matrix.mutants[0]) is shown


LUHN = '''
def luhn(digits: list[int]) -> int:
    """A check sum."""
    total = 0
    for place, digit in enumerate(digits):
        if not 0 <= digit <= 9:
            raise ValueError("no digit")
        if place % 2:
            digit = digit * 2
            if digit > 9:
                digit -= 9
        total += digit
    return total % 10
'''


async def test_a_limit_that_values_step_over_is_no_survivor(workshop: Workshop) -> None:
    built = await build_suite(Candidate("id-luhn", "luhn", "luhn", LUHN.strip(), (), "SC"), workshop)
    assert isinstance(built, BuiltSuite), built.refusal.words
    assert any("digit > 9 → digit >= 9" in line for line in built.certificate.mutants_without_effect)
