"""Functions that only compare: what all weak orders show holds on every input of a domain that is tried whole."""

from __future__ import annotations

import ast
import itertools
import random

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.proofs.weak_orders import only_compares, weak_orders
from pbt_generator.ports import Harness
from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite
from touchstone_values import compare_values

NAMES = ["a", "b", "c"]
NUMBERS = [-2, -1, 0, 0.5, 1, 2, 3]


class Writer:
    """Writes functions of three numbers that only compare."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def side(self) -> str:
        return self.rng.choice([*NAMES, *NAMES, "m", "0", "1", "-1", "min(a, b)", "max(b, c)", "min(a, 1)"])

    def test(self) -> str:
        plain = f"{self.side()} {self.rng.choice(['<', '<=', '>', '>=', '==', '!='])} {self.side()}"
        roll = self.rng.random()
        if roll < 0.2:
            return f"{plain} {self.rng.choice(['and', 'or'])} {self.test()}"
        return f"not ({plain})" if roll < 0.3 else plain

    def block(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randrange(1, 3)):
            if depth and self.rng.random() < 0.7:
                lines += [f"if {self.test()}:", *("    " + line for line in self.block(depth - 1))]
            else:
                choices = [f"m = {self.side()}", f"return {self.side()}", f"return [{self.side()}, {self.test()}]"]
                lines.append(self.rng.choice([*choices, f"return a if {self.test()} else m", "raise ValueError(a)"]))
        return lines

    def program(self) -> str:
        body = ["m = a", *self.block(2), "return m"]
        return "\n".join(["def f(a: float, b: float, c: float):", *("    " + line for line in body)]) + "\n"


@pytest.mark.parametrize("part", range(4))
def test_what_all_weak_orders_give_alike_never_differs(part: int, harness: Harness) -> None:
    proved = 0
    for seed in range(part * 15, part * 15 + 15):
        source = Writer(seed).program()
        program = mutate(source, "f")
        space: dict[str, object] = {}
        exec(compile(with_harness(program.source, "f", harness.mutate), "program", "exec"), space)
        plan = [
            [mutant.number, [[list(values), []] for values in weak_orders(3, mutant.orders) or ()]]
            for mutant in program.mutants
            if mutant.orders is not None
        ]
        domain = [list(values) for values in itertools.product(NUMBERS, repeat=3)]
        for number in space["_ts_exhaust"](plan, "portable"):
            proved += 1
            for values in domain:
                results = [space["_ts_call"](space["f"], lambda: None, values.copy, each, 10**4, lambda s: None)
                           for each in (0, number)]  # fmt: skip
                (status, value), (other, changed) = results
                if status == 0:
                    assert other == 0 and compare_values(value, changed, "portable") is None, (source, number, values)
    assert proved


@pytest.mark.parametrize(
    ("body", "holds"),
    [
        ("return max(low, min(x, high))", True),
        ("if x < low:\n        return low\n    return x", True),
        ("if not 0 <= x <= 1:\n        raise ValueError(x + 1)\n    return x", True),
        ("return x + 1", False),
        ("return low if x else high", False),  # whether it is true is no matter of order
        ("t = x < low\n    return t < high", False),  # a truth value becomes a number
        ("return x is low", False),
        ("return -x", False),
        ("return abs(x)", False),
        ("return [y for y in (x, low)]", False),
        ("return x == 'a'", False),
    ],
)
def test_functions_that_only_compare(body: str, *, holds: bool) -> None:
    (function,) = ast.parse(f"def f(x, low, high):\n    {body}\n").body
    assert isinstance(function, ast.FunctionDef)
    assert only_compares(function) is holds


def test_who_calls_a_parameter_min_is_left_alone() -> None:
    (function,) = ast.parse("def f(x, min):\n    return x if x > min else min\n").body
    assert isinstance(function, ast.FunctionDef) and not only_compares(function)


@pytest.mark.parametrize(
    ("count", "constants", "orders"), [(1, [], 1), (2, [], 3), (3, [], 13), (4, [], 75), (1, [0, 1], 5), (2, [0], 13)]
)
def test_every_weak_order_stands_once(count: int, constants: list[float], orders: int) -> None:
    found = weak_orders(count, constants)
    assert found is not None and len(found) == len(set(found)) == orders


CLAMP = '''
def clamp(value: float, low: float, high: float) -> float:
    """Keep a value between two limits."""
    if value < low:
        return low
    if value > high:
        return high
    return value
'''


async def test_a_function_that_only_compares_is_released(workshop: Workshop) -> None:
    built = await build_suite(Candidate("id-clamp", "clamp", "clamp", CLAMP.strip(), (), "SC"), workshop)
    assert isinstance(built, BuiltSuite)
    proofs = [text for text in built.certificate.mutation.proved if "weak orders" in text]
    # Where the limits stand the wrong way round, `value <= low` is another program: a case kills it.
    assert [text.split(" (")[0] for text in proofs] == ["line 5: value > high → value >= high"]
