"""Slices: every branch of what a function took along counts, and its mutants too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.inputs.shapes import TextShape
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.task.wording.constants import deciding_constants
from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite

SLICE = '''
UNITS = {"s": 1, "m": 60, "h": 3600}


class Total:
    def __init__(self):
        self.seconds = 0

    def add(self, amount, unit):
        if unit in UNITS:
            self.seconds += amount * UNITS[unit]
        else:
            self.seconds += 7 * amount


def _amount(text):
    digits = "".join(c for c in text if c.isdigit())
    return int(digits) if digits else 1


def seconds_of(text: str) -> int:
    """Seconds of a text such as "2h 5m"."""
    total = Total()
    for word in text.split():
        total.add(_amount(word), word[-1])
    return total.seconds
'''


def test_branches_and_mutants_of_helpers_and_methods_count() -> None:
    lines = SLICE.splitlines()
    branches = {lines[goal.line - 1].strip() for goal in instrument(SLICE, "seconds_of").branches}
    assert {"if unit in UNITS:", "return int(digits) if digits else 1", "for word in text.split():"} <= branches
    changed = {lines[mutant.line - 1].strip() for mutant in mutate(SLICE, "seconds_of").mutants}
    assert {"self.seconds += 7 * amount", "return int(digits) if digits else 1", "return total.seconds"} <= changed
    # The variables of the entry say nothing about those of a helper, though the names are alike.
    helper = [
        m for m in mutate(SLICE, "seconds_of").mutants if lines[m.line - 1].strip().startswith(("return int", "digits"))
    ]
    assert helper and all(mutant.reads is None or not mutant.reads for mutant in helper)


def test_helpers_tell_what_is_handed_to_them() -> None:
    source = SLICE.replace("def seconds_of(text: str) -> int:", "def seconds_of(text):").replace(
        "text.split()", "[text]"
    )
    program = read_program(source, (), "seconds_of")
    assert [each.name for each in program.helpers] == ["_amount"]
    handed = "def first(line):\n    return line.strip().upper()\n\n\ndef f(x):\n    return first(x)\n"
    (parameter,) = input_shape(read_program(handed, (), "f")).parameters
    assert isinstance(parameter.shape, TextShape)
    assert {"s", "m", "h", 60, 3600, 7} <= set(deciding_constants(source))


async def test_a_slice_is_certified_as_a_whole(
    workshop: Workshop, measure_branches: Callable[[str, str, Sequence[str]], dict[str, list[list[int]]]]
) -> None:
    built = await build_suite(Candidate("s", "seconds_of", "seconds_of", SLICE, (), "SC", "slice", 6), workshop)
    assert isinstance(built, BuiltSuite), built.refusal.words
    inputs = [*(case.arguments for case in built.cases), *built.certificate.raising_inputs]
    assert measure_branches(built.program.source, "seconds_of", inputs) == {"missing": [], "lines": []}
    assert built.certificate.mutation.score >= 0.95


async def test_a_helper_s_branch_that_no_input_reaches_refuses_the_slice(workshop: Workshop) -> None:
    code = (
        "def _part(x, wide=False):\n    if wide:\n        return x * 2\n    return x + 1\n\n\n"
        "def f(x: int) -> int:\n    return _part(x, chr(x % 7) == 'w') if x > 3 else 0\n"
    )
    built = await build_suite(Candidate("s", "f", "f", code, (), "SC", "slice", 3), workshop)
    assert not isinstance(built, BuiltSuite)
    assert built.refusal.reason.value == "coverage_incomplete"
