"""Branches of helpers that no call of the program takes, and those that some call may take."""

from __future__ import annotations

import random

import pytest

from pbt_generator.domain.inputs.domains.given import value_of
from pbt_generator.domain.inputs.shapes import IntShape, ListShape, TextShape
from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.proofs.unreachable import Unreachable
from pbt_generator.ports import Harness

PROGRAM = """
def f(s):
    {call}

def part(text, end=None, start=0):
    if end is None:
        end = len(text)
    return text[start:end]
"""
GIVEN = {"s": value_of(TextShape()), "n": value_of(IntShape()), "xs": value_of(ListShape(IntShape()))}


@pytest.mark.parametrize(
    ("call", "proved"),
    [
        ("return part(s, len(s))", True),
        ("return part(s, end=3) + part(s, 2)", True),
        ("return part(s) + part(s, 2)", False),
        ("return part(s, s)", True),
        ("return part(*s)", False),
        ("return part(s, **{})", False),
        ("return list(map(part, s))", False),
        ("return [part(s, 2) for x in s]", False),
        ("g = part\n    return g(s, None)", False),
        ("return part(s, f(s[1:]))", False),
        ("return part(s, globals()['part'](s))", False),
        ("return part(s, 2)\n    return part(s)", True),
        ("part = len\n    return part(s, 2)", False),
    ],
)
def test_what_calls_give(call: str, proved: bool) -> None:
    source = PROGRAM.format(call=call)
    line = source.splitlines().index("    if end is None:") + 1
    assert bool(Unreachable(source, "f", given=GIVEN).reason(line, "if", "true")) is proved


def test_a_helper_that_calls_itself_may_be_given_anything() -> None:
    source = PROGRAM.format(call="return part(s, 2)").replace("return text[", "part(text)\n    return text[")
    assert not Unreachable(source, "f", given=GIVEN).reason(6, "if", "true")


def test_an_entry_that_calls_itself_gives_itself_what_nobody_declared() -> None:
    source = "def f(s):\n    if s is None:\n        return 0\n    return f(None) if s else 1\n"
    assert not Unreachable(source, "f", given=GIVEN).reason(2, "if", "true")


class Writer:
    """Writes an entry and two helpers that hand on numbers, texts and lists."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def value(self, names: str) -> str:
        return self.rng.choice([*names, *names, "None", "0", "1", "'a'", "[]", "len(s)", "n + 1", "s[1:]", "xs + [1]"])

    def test(self, names: str) -> str:
        name = self.rng.choice(names)
        return self.rng.choice(
            [f"{name} is None", f"not {name}", f"isinstance({name}, int)", f"isinstance({name}, str)", f"{name} == 1"]
        )

    def function(self, name: str, names: list[str], calls: list[str]) -> list[str]:
        choice = self.rng.choice
        lines = [f"def {name}({', '.join(names)}):", "    s, n, xs = 'ab', 2, [3]" if name != "f" else "    k = 0"]
        plain = [each.split("=")[0] for each in names]
        for _ in range(choice([2, 3, 4])):
            call = choice(calls)
            arguments = ", ".join(self.value(plain) for _ in range(choice([1, 2, 2]))) if calls else ""  # pyright: ignore[reportArgumentType]
            inner = choice(
                [f"{call}({arguments})", f"return {choice(plain)}", f"{choice(plain)} = {self.value(plain)}"]
            )  # pyright: ignore[reportArgumentType]
            lines += [f"    if {self.test(plain)}:", f"        {inner}"]  # pyright: ignore[reportArgumentType]
        return [*lines, "    return 0"]

    def program(self) -> str:
        calls = self.rng.choice([["g", "h"], ["g"], ["g", "h", "h"]])
        first = self.function("f", ["s", "n", "xs"], calls)
        second = self.function("g", ["a", "b=None"], self.rng.choice([["h"], ["len"], ["h", "g"]]))
        return "\n".join([*first, *second, *self.function("h", ["a", "b=1"], ["str"])]) + "\n"


@pytest.mark.parametrize("part", range(3))
def test_no_run_contradicts_a_proof(part: int, harness: Harness) -> None:
    rows = [[s, n, list(xs)] for s in ("", "a", "abc") for n in (-1, 0, 1, 2) for xs in ((), (0,), (1, 2))]
    dead = 0
    for seed in range(part * 120, part * 120 + 120):
        source = Writer(seed).program()
        rewritten = instrument(source, "f")
        space: dict[str, object] = {"__name__": "candidate"}
        exec(compile(with_harness(rewritten.source, "f", harness.explore), "program", "exec"), space)
        runs = space["_ts_explore"]([list(row) for row in rows], [], 2000)  # pyright: ignore[reportCallIssue]
        hit = {goal for run in runs for goal in run[1]}
        proofs = Unreachable(source, "f", portable=True, given=GIVEN)
        for goal in rewritten.branches:
            reason = proofs.reason(goal.line, goal.kind, goal.outcome)
            dead += bool(reason) and goal.line > source[: source.index("def g")].count("\n")
            assert not (reason and goal.number in hit), (seed, goal, reason, source)
    assert dead > 20


@pytest.mark.parametrize("part", range(2))
def test_no_run_contradicts_a_proof_about_a_mutant_of_a_helper(part: int, harness: Harness) -> None:
    rows = [[s, n, list(xs)] for s in ("", "a", "abc") for n in (-1, 0, 1, 2) for xs in ((), (0,), (1, 2))]
    proved = 0
    for seed in range(part * 60, part * 60 + 60):
        source = Writer(seed).program()
        program = mutate(source, "f", GIVEN)
        inside = source[: source.index("def g")].count("\n")
        mutants = [mutant for mutant in program.mutants if mutant.proof]
        proved += sum(mutant.line > inside for mutant in mutants)
        space: dict[str, object] = {"__name__": "candidate"}
        exec(compile(with_harness(program.source, "f", harness.mutate), "program", "exec"), space)
        plan = [[mutant.number, list(range(len(rows))), []] for mutant in mutants]
        answers = space["_ts_mutate"]([list(row) for row in rows], plan, 99, "exact", 400)  # pyright: ignore[reportCallIssue]
        told = {number for number, killers, *_ in answers if killers}
        assert not told, (seed, [mutant for mutant in mutants if mutant.number in told], source)
    assert proved > 20


def test_what_a_helper_is_given_proves_its_mutants() -> None:
    source = PROGRAM.format(call="return part(s, 2)")
    proofs = {mutant.change: mutant.proof for mutant in mutate(source, "f", GIVEN).mutants}
    proved = {change for change, proof in proofs.items() if proof and "encode" not in change}
    assert proved == {"if end is None → if False", "end is None → not end"}
    # What raises in a helper may be caught by whoever calls it.
    caught = (
        "def f(xs, ys):\n    try:\n        return g(xs, ys)\n    except ValueError:\n        return []\n\n"
        "def g(xs, ys):\n    if len(xs) > 2:\n        return list(zip(xs, ys, strict=True))\n    raise ValueError\n"
    )
    assert not [mutant.change for mutant in mutate(caught, "f").mutants if mutant.proof and mutant.line > 6]


def test_a_helper_is_not_read_with_what_is_known_of_the_entry() -> None:
    loop = "    seen = []\n    for x in xs:\n        if x not in seen:\n            seen.append(x)\n"
    entry = f"def f(xs):\n{loop}    return g(xs)\n\n"
    helper = "def g(xs):\n    seen = []\n    for x in xs:\n        seen.append(x)\n    return seen\n"
    changes = [mutant.change for mutant in mutate(entry + helper, "f").mutants if mutant.line > 7]
    assert {"seen.append(x) twice", "seen.append(x) → seen.insert(0, x)"} <= set(changes)
