"""Mutants: what they change, what they leave alone, and what runs them."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.oracle.certificate import MutationScore
from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.kills import KillMatrix
from pbt_generator.domain.oracle.mutation.mutant import KEPT
from pbt_generator.domain.oracle.mutation.mutants import Mutant, mutate, witnesses
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.proofs.reachability import leaves, reached
from pbt_generator.domain.refusals import Reason
from pbt_generator.ports import Harness
from pbt_generator.usecases.build import Candidate, RefusedSuite, Workshop, build_suite

CACHED = """
from functools import lru_cache

@lru_cache(maxsize=None)
def f(word):
    if word:
        return word.upper()
    return "none"
"""

CACHED_HELPERS = [
    """
from functools import cache

@cache
def _loud(word):
    return word.upper() + "!"

def f(word):
    return _loud(word)
""",
    """
import functools

class _Voice:
    @staticmethod
    @functools.lru_cache(maxsize=8)
    def loud(word):
        return word.upper() + "!"

    @classmethod
    @functools.cache
    def soft(cls, word):
        return word.lower() + "?"

def f(word):
    return _Voice.loud(word) + _Voice.soft(word)
""",
]


def loaded(text: str, harness_text: str) -> dict[str, object]:
    space: dict[str, object] = {}
    exec(compile(with_harness(text, "f", harness_text), "program", "exec"), space)
    return space


def changes(source: str) -> list[str]:
    return [mutant.change for mutant in mutate(source, "f").mutants]


def test_a_cache_does_not_answer_for_mutants(harness: Harness) -> None:
    program = mutate(CACHED, "f")
    space = loaded(program.source, harness.mutate)
    plan = [[mutant.number, [0, 1], []] for mutant in program.mutants if not mutant.reading]
    answers = space["_ts_mutate"]([["ab"], [""]], plan, 5, "portable", 400)
    assert len(answers) >= 5
    assert all(killers for _, killers, *_ in answers)


@pytest.mark.parametrize("source", CACHED_HELPERS)
def test_a_cache_of_a_helper_does_not_answer_for_mutants(source: str, harness: Harness) -> None:
    program = mutate(source, "f")
    space = loaded(program.source, harness.mutate)
    plan = [[mutant.number, [0], []] for mutant in program.mutants if not mutant.reading]
    answers = space["_ts_mutate"]([["aB"]], plan, 5, "portable", 400)
    assert len(answers) >= 4
    assert all(killers for _, killers, *_ in answers)


def test_a_cache_does_not_hide_the_second_run(harness: Harness) -> None:
    rewritten = instrument(CACHED, "f")
    space = loaded(rewritten.source, harness.explore)
    first, second = space["_ts_explore"]([["ab"], ["ab"]], [], 400)
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


def test_a_range_ends_one_earlier_or_later() -> None:
    found = changes("def f(n, k):\n    return [i for i in range(n)] + [i for i in range(k, n)]\n")
    assert {"range(n) → range(n + 1)", "range(n) → range(n - 1)", "range(k, n) → range(k, n - 1)"} <= set(found)
    found = changes("def f(n, k):\n    return [i for i in range(n, 0, -1)] + [i for i in range(n, 1, -1)]\n")
    assert {f"range(n, 0, -1) → range(n, {end}, -1)" for end in (1, -1)} <= set(found)
    assert {f"range(n, 1, -1) → range(n, {end}, -1)" for end in (0, 2)} <= set(found)
    found = changes("def f(n, k):\n    return [i for i in range(n, k, -1)] + [i for i in range(0, n, 2)]\n")
    assert {f"range(n, k, -1) → range(n, k {sign} 1, -1)" for sign in "+-"} <= set(found)
    assert not any(f"range(0, n {sign} 1, 2)" in change for sign in "+-" for change in found)


def test_division_makes_a_float_anyway() -> None:
    changes = [mutant.change for mutant in mutate("def f(a, b):\n    return [a / float(b), float(a)]\n", "f").mutants]
    assert "float(a) → a" in changes and "float(b) → b" not in changes


def test_who_takes_something_away_is_not_asked_twice() -> None:
    source = "from heapq import heappop\ndef f(h):\n    return heappop(h)[0] + len(h)\n"
    # A mutant's place that is looked at beside the original must not change what the original finds.
    watched = [m for m in witnesses(source, "f").mutants if m.witnessed and "heappop" in m.change]
    assert watched == []


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


def _mutant(number: int, operator: str = "constant", line: int = 1, proof: str = "") -> Mutant:
    return Mutant(number, operator, line, "a → b", proof=proof)


def test_only_proofs_leave_the_score() -> None:
    matrix = KillMatrix(tuple(_mutant(number) for number in range(1, 5)))
    matrix.add(1, ["[1]"], 9)
    matrix.watch(matrix.mutants[1], [f"[{number}]" for number in range(5000)], 5000)
    matrix.unfinished.add(3)
    assert matrix.score() == 1 / 4
    shown = [matrix.exclusion(mutant) for mutant in matrix.mutants]
    assert [reason.kind if reason else "" for reason in shown] == ["", "evidence", "evidence", ""]
    matrix.prove(4, "both are the same")
    assert matrix.score() == 1 / 3
    proof = matrix.exclusion(matrix.mutants[3])
    assert proof is not None and proof.kind == "proof"


def test_a_weaker_search_never_raises_the_score() -> None:
    strong, weak = (KillMatrix(tuple(_mutant(number) for number in range(1, 9))) for _ in range(2))
    for number in range(1, 6):
        strong.add(number, ["[1]"], 9)
        if number % 2:
            weak.add(number, ["[1]"], 1)
    assert weak.score() < strong.score()


def test_entries_of_a_table_make_up_for_nothing_that_survives_in_code() -> None:
    matrix = KillMatrix((*(_mutant(number, KEPT) for number in range(1, 41)), *map(_mutant, range(41, 51))))
    for number in range(1, 50):
        matrix.add(number, ["[1]"], 9)
    assert (matrix.score(), matrix.least_score()) == (49 / 50, 9 / 10)
    assert matrix.least_score(frozenset({"[2]"})) == 0.0
    alone = KillMatrix((_mutant(1, KEPT),))
    alone.add(1, ["[1]"], 9)
    assert alone.least_score() == 1.0


def test_a_score_over_nothing_is_no_score() -> None:
    matrix = KillMatrix(())
    assert matrix.score() == 0.0
    only = KillMatrix((_mutant(1),))
    only.prove(1, "both are the same")
    assert only.score() == 0.0
    assert MutationScore(1, 0, ("line 1",), (), ()).score == 0.0


def test_runs_refute_proofs() -> None:
    matrix = KillMatrix((_mutant(1, proof="the same"), _mutant(2), _mutant(3)))
    for number in (1, 2, 3):
        matrix.prove(number, "no input reaches its line", dead=number == 2)
    matrix.watch(matrix.mutants[0], ["[1]"], 1)
    matrix.watch(matrix.mutants[1], [], 1)
    matrix.add(3, ["[1]"], 1)
    assert matrix.proofs == {}


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


async def test_a_limit_that_values_step_over_counts_as_alive(workshop: Workshop) -> None:
    # Nothing is 9 there. No proof of ours shows it, so both mutants count, and too few are killed for a release.
    refused = await build_suite(Candidate("id-luhn", "luhn", "luhn", LUHN.strip(), (), "SC"), workshop)
    assert isinstance(refused, RefusedSuite) and refused.refusal.reason is Reason.MUTATION_SCORE_LOW
    assert "digit > 9 → digit >= 9" in refused.refusal.words and refused.mutation_score < 0.95
