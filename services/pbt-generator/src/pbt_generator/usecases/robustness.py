"""Inputs outside of a function's domain, with what the ground truth does: a track of its own, in no suite."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from pbt_generator.domain.inputs.domains.domain import InputDomain
from pbt_generator.domain.inputs.inference.signature import Program
from pbt_generator.domain.inputs.portable import UnportableError, arguments_tree, dump
from pbt_generator.domain.inputs.shapes import InputShape
from pbt_generator.domain.oracle.runs import Input
from pbt_generator.ports import Comparison, ForeignProgram, Freezer, FrozenSuite, RunLimits, Sandbox
from pbt_generator.usecases.certify import SEEDS

MOST = 60
_LIMITS = RunLimits(case_timeout_s=5.0, total_timeout_s=30.0)
# What callers send by mistake: nothing, other kinds, empty and negative values.
_MISTAKES: tuple[object, ...] = (None, 0, -1, 1.5, "", "abc", "12", True, [], ["a", 1], {}, {"a": 1})


@dataclass(frozen=True)
class Robustness:
    """What the ground truth does with inputs that no caller should send.

    Attributes:
        suite: The inputs that it answers, with its answers, frozen apart from the task's own suite; None where it
            answers none.
        cases: How many those are.
        refused: The inputs that it refuses with an error, each with the error's type.
        cpu_s: CPU-seconds in the sandbox.
    """

    suite: FrozenSuite | None = None
    cases: int = 0
    refused: tuple[tuple[str, str], ...] = ()
    cpu_s: float = 0.0


def outside(domain: InputDomain, shape: InputShape, inside: Sequence[Input], seed: int) -> list[str]:
    """Inputs outside of a domain, each one change away from one inside, as portable texts.

    Args:
        domain: What callers may send.
        shape: The parameters.
        inside: Inputs of cases.
        seed: Decides which are changed.
    """
    rng = random.Random(seed)
    found: dict[str, None] = {}
    places = [place for place in range(len(shape.parameters)) if place != domain.variadic]
    for _ in range(MOST * 4 if inside and places else 0):
        base, place = rng.choice(inside), rng.choice(places)
        limits = domain.parameters[place].limits
        edges = [edge for edge in (limits.low - 1, limits.high + 1) if math.isfinite(edge)]
        wrong = rng.choice([*(int(edge) if edge == int(edge) else edge for edge in edges), *_MISTAKES])
        given = (*base[:place], wrong, *base[place + 1 :])
        if domain.parameters[place].holds(wrong):
            continue
        try:
            found[dump(arguments_tree(shape, given))] = None
        except (UnportableError, RecursionError):
            continue
        if len(found) >= MOST:
            break
    return list(found)


async def measure_robustness(
    sandbox: Sandbox, freezer: Freezer, program: Program, comparison: Comparison, seed: int, inputs: Sequence[str]
) -> Robustness:
    """Run inputs from outside of the domain on the ground truth and freeze what it answers."""
    if not inputs:
        return Robustness()
    foreign = ForeignProgram(program.source, program.entry_point)
    result = await sandbox.run_cases(foreign, inputs, limits=_LIMITS, hash_seed=SEEDS[0])
    pairs = [
        (text, outcome.value)
        for text, outcome in zip(inputs, result.outcomes, strict=True)
        if outcome.outcome == "returned"
    ]
    refused = [
        (text, outcome.error_type)
        for text, outcome in zip(inputs, result.outcomes, strict=True)
        if outcome.outcome == "raised"
    ]
    suite = freezer.freeze(comparison, program.entry_point, seed, pairs) if pairs else None
    return Robustness(suite, len(pairs), tuple(refused), result.cpu_s)


__all__ = ["Robustness", "measure_robustness", "outside"]
