"""Coverage and mutation measured again from frozen cases: what a certificate says too much of is named."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from pbt_generator.domain.release import ReleasedTask
from pbt_generator.ports import CaseOutcome, CasesResult, ForeignProgram, Harness, Sandbox
from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite
from pbt_generator.usecases.remeasure import Remeasurer

DOUBLED = '''
def doubled(mark: str | None) -> str:
    """A mark, and the same in small letters behind it; nothing where there is none."""
    if mark is None:
        return ""
    if mark == "no":
        raise ValueError(mark)
    return mark + mark.lower()
'''
JOINED = '''
def joined(parts: list[str], sep: str) -> str:
    """The parts in one text, those that are empty left out."""
    return sep.join(part for part in parts if part)
'''


@pytest.fixture
async def task(workshop: Workshop) -> ReleasedTask:
    return await _released("doubled", DOUBLED, workshop)


async def _released(name: str, source: str, workshop: Workshop) -> ReleasedTask:
    built = await build_suite(Candidate("id", name, name, source.strip(), (), "SC"), workshop)
    assert isinstance(built, BuiltSuite)
    cases = tuple((case.arguments, case.expected) for case in built.cases)
    entry: dict[str, Any] = {"entry_point": name, "kind": "SC"}
    certificate = json.loads(json.dumps(built.certificate.to_dict()))
    return ReleasedTask(entry, {}, certificate, built.program.source, "portable", cases, built.suite.data)


async def test_what_a_certificate_says_is_measured_again(
    task: ReleasedTask, sandbox: Sandbox, harness: Harness
) -> None:
    again = Remeasurer(sandbox, harness)
    measured = await again.measure(task)
    assert measured.problems == () and measured.cpu_s > 0
    assert task.certificate["mutation"]["proved"] and task.certificate["raising_inputs"]

    async def found(**changes: Any) -> str:
        certificate = copy.deepcopy(task.certificate)
        for path, value in changes.items():
            part, _, name = path.partition("__")
            certificate[part] = certificate[part] | {name: value} if name else value
        return "\n".join((await again.measure(replace(task, certificate=certificate))).problems)

    mutation, coverage = task.certificate["mutation"], task.certificate["coverage"]
    assert "killed when measured again" in await found(mutation__killed=mutation["killed"] + 1)
    assert "lives, and the certificate does not list it" in await found(mutation__proved=[])
    assert "another builder" in await found(mutation__mutants=mutation["mutants"] + 1)
    assert "returning when measured again" in await found(coverage__returning=coverage["returning"] + 1)
    # Without the inputs that raise, their branch is reached by nothing.
    assert "reached by nothing" in await found(raising_inputs=[])


class Fragile:
    """A sandbox whose process ends wherever one mutant meets one of some cases."""

    def __init__(self, sandbox: Sandbox, number: int, places: set[int]) -> None:
        self._sandbox, self._number, self._places = sandbox, number, places

    async def run_cases(self, program: ForeignProgram, inputs: Sequence[str], **how: Any) -> CasesResult:
        result = await self._sandbox.run_cases(program, inputs, **how)
        pairs = zip(inputs, result.outcomes, strict=True)
        ended = tuple(CaseOutcome("memory") if self._meets(program, text) else outcome for text, outcome in pairs)
        return CasesResult(ended, result.cpu_s)

    def _meets(self, program: ForeignProgram, text: str) -> bool:
        if program.entry_point != "_ts_mutate":
            return False
        plan: list[tuple[int, list[int], list[int]]] = json.loads(text)[1]
        return any(number == self._number and self._places & {*first, *later} for number, first, later in plan)


async def test_a_mutant_that_ends_the_process_takes_no_other_along(
    task: ReleasedTask, sandbox: Sandbox, harness: Harness
) -> None:
    # It is told apart by other cases all the same.
    fragile = Fragile(sandbox, 1, {0, len(task.cases) - 1})
    assert (await Remeasurer(fragile, harness).measure(task)).problems == ()  # pyright: ignore[reportArgumentType]
    always = Fragile(sandbox, 1, set(range(len(task.cases))))
    (count, lives) = (await Remeasurer(always, harness).measure(task)).problems  # pyright: ignore[reportArgumentType]
    assert "killed when measured again" in count and "lives, and the certificate does not list it" in lives


async def test_fewer_cases_kill_less(task: ReleasedTask, sandbox: Sandbox, harness: Harness) -> None:
    problems = (await Remeasurer(sandbox, harness).measure(replace(task, cases=task.cases[:1]))).problems
    assert any(line.startswith("mutation: ") for line in problems)
    assert any(line.startswith("coverage: ") for line in problems)


async def test_misreadings_and_edges_are_counted_again(workshop: Workshop, sandbox: Sandbox, harness: Harness) -> None:
    task = await _released("joined", JOINED, workshop)
    again = Remeasurer(sandbox, harness)
    weight, readings = task.certificate["weight"], task.certificate["readings"]
    assert weight["mutants"] < weight["floor"] and weight["told_apart"] and weight["met"]
    assert (await again.measure(task)).problems == ()

    async def found(**changes: Any) -> str:
        return "\n".join((await again.measure(replace(task, certificate=task.certificate | changes))).problems)

    every = [each | {"told_apart": True} for each in readings]
    kept = [each for each in readings if each["told_apart"]]
    assert len(kept) < len(every)
    assert "no case tells it apart" in await found(readings=every)
    assert "misreadings are told apart when measured again" in await found(weight=weight | {"told_apart": 999})
    assert "no case holds negative number" in await found(weight=weight | {"met": [*weight["met"], "negative number"]})
    assert "misreadings, and says that it rests on" in await found(readings=kept)
    assert "nobody knows the misreading" in await found(readings=[kept[0] | {"rule": "misreading", "change": "x: y"}])
    offered = [f"edge {number}" for number in range(99)]
    assert "does not suffice" in await found(weight=weight | {"offered": offered})


async def test_one_case_tells_few_misreadings_apart(workshop: Workshop, sandbox: Sandbox, harness: Harness) -> None:
    task = await _released("joined", JOINED, workshop)
    problems = (await Remeasurer(sandbox, harness).measure(replace(task, cases=task.cases[:1]))).problems
    assert any(line.startswith("readings: ") for line in problems)
    assert any(line.startswith("edges: ") for line in problems)


async def test_wrong_programs_of_a_model_are_judged_again(
    task: ReleasedTask, sandbox: Sandbox, harness: Harness
) -> None:
    wrong = {"words": "the second is not small", "code": "def doubled(mark):\n    return 2 * (mark or '')\n"}
    right = {"words": "nothing is wrong", "code": task.source}

    async def found(*programs: dict[str, Any]) -> list[str]:
        certificate = task.certificate | {"mistakes": {"model": "m", "programs": programs}}
        again = replace(task, certificate=certificate)
        return [*(await Remeasurer(sandbox, harness).measure(again)).problems]

    assert await found(wrong | {"told_apart": True}, right | {"told_apart": False}) == []
    assert await found(right | {"told_apart": True}) == [
        "mistakes: no case tells it apart, the certificate says that one does: nothing is wrong"
    ]
