"""Random small programs on all inputs of a small domain: what is proved never happens is never seen to happen."""

from __future__ import annotations

import itertools
import random

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.proofs.unreachable import Unreachable
from pbt_generator.ports import Harness

PROGRAMS = 150
NUMBERS = [-2, 0, 1, 3]
LISTS: list[list[int]] = [[], [0], [1, 1], [3, 0, 2]]


class Writer:
    """Writes functions of a number and a list of numbers."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def number(self) -> str:
        return self.rng.choice(["a", "n", "len(xs)", "len(ys)", "abs(a)", "n % 3", "0", "1", "2", "a + 1", "n - 1"])

    def test(self) -> str:
        left, right = self.number(), self.number()
        plain = f"{left} {self.rng.choice(['<', '<=', '>', '>=', '==', '!='])} {right}"
        simple = self.rng.choice(
            [plain, plain, plain, "xs", "not xs", "not ys", "n", "ys", "k is None", "isinstance(a, int)"]
        )
        if self.rng.random() < 0.2:
            return f"{simple} {self.rng.choice(['and', 'or'])} {plain}"
        return simple

    def block(self, depth: int, *, loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randrange(1, 4)):
            lines += self.statement(depth, loop=loop)
        return lines

    def statement(self, depth: int, *, loop: bool) -> list[str]:
        kinds = [
            "n = {0}", "n += 1", "ys.append({0})", "ys = list(xs)", "ys = [x + 1 for x in xs]", "k = n", "zs = ys",
            "zs.clear()", "xs = ys", "ys = sorted(set(xs))", "return n", "return [n, k]", "raise ValueError(n)",
        ]  # fmt: skip
        kinds += ["break", "continue"] if loop else []
        roll = self.rng.random()
        inner = ["    " + line for line in self.block(depth - 1, loop=loop)] if depth else []
        if depth and roll < 0.35:
            other = ["    " + line for line in self.block(depth - 1, loop=loop)]
            return [f"if {self.test()}:", *inner, *(["else:", *other] if self.rng.random() < 0.4 else [])]
        if depth and roll < 0.45:
            body = ["    " + line for line in self.block(depth - 1, loop=True)]
            return [f"for x in {self.rng.choice(['xs', 'ys', '(1, 2, 3)', 'range(n)'])}:", *body]
        if depth and roll < 0.55:
            caught = ["    " + line for line in self.block(0, loop=loop)]
            return ["try:", *inner, f"except {self.rng.choice(['ValueError', 'Exception', 'TypeError'])}:", *caught]
        if depth and roll < 0.6:
            return ["with suppress(ValueError):", *inner]
        return [self.rng.choice(kinds).format(self.number())]

    def program(self) -> str:
        head = ["from contextlib import suppress", "", "def f(a: int, xs: list[int]):"]
        body = ["n, k, ys, zs = a, None, [], []", *self.block(3, loop=False), "return [n, k, len(ys), len(zs)]"]
        return "\n".join([*head, *("    " + line for line in body)]) + "\n"


def loaded(source: str, harness: str) -> dict[str, object]:
    space: dict[str, object] = {"__name__": "candidate"}
    exec(compile(with_harness(source, "f", harness), "program", "exec"), space)
    return space


@pytest.mark.parametrize("part", range(5))
def test_no_run_contradicts_a_proof(part: int, harness: Harness) -> None:
    inputs = [[a, list(xs)] for a, xs in itertools.product(NUMBERS, LISTS)]
    dead = equivalent = 0
    for seed in range(part * PROGRAMS // 5, (part + 1) * PROGRAMS // 5):
        source = Writer(seed).program()
        rewritten = instrument(source, "f")
        given = [[a, list(xs)] for a, xs in inputs]
        rows = loaded(rewritten.source, harness.explore)["_ts_explore"](given, [], 2000)
        hit = {goal for row in rows for goal in row[1]}
        returning = {goal for row in rows if row[0] == 0 for goal in row[1]}
        proofs = Unreachable(source, "f", portable=True)
        for goal in rewritten.branches:
            reason = proofs.reason(goal.line, goal.kind, goal.outcome)
            dead += bool(reason)
            assert not (reason and goal.number in hit), (seed, goal, reason, source)
            assert not (goal.raises and goal.number in returning), (seed, goal, source)
        program = mutate(source, "f")
        proved = [mutant for mutant in program.mutants if mutant.proof]
        equivalent += len(proved)
        plan = [[mutant.number, list(range(len(inputs))), []] for mutant in proved]
        answers = loaded(program.source, harness.mutate)["_ts_mutate"](inputs, plan, 99, "exact", 400)
        told = {number: killers for number, killers, *_ in answers if killers}
        assert not told, (seed, [m for m in proved if m.number in told], source)
    assert dead > 5 and equivalent > 20
