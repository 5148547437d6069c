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


# The same function gives the same suite: each is built once.
MADE: dict[str, ReleasedTask] = {}


async def _released(name: str, source: str, workshop: Workshop) -> ReleasedTask:
    if name in MADE:
        return replace(MADE[name], certificate=copy.deepcopy(MADE[name].certificate))
    built = await build_suite(Candidate("id", name, name, source.strip(), (), "SC"), workshop)
    assert isinstance(built, BuiltSuite)
    cases = tuple((case.arguments, case.expected) for case in built.cases)
    entry: dict[str, Any] = {"entry_point": name, "kind": "SC"}
    certificate = json.loads(json.dumps(built.certificate.to_dict()))
    MADE[name] = ReleasedTask(entry, {}, certificate, built.program.source, "portable", cases, built.suite.data)
    return replace(MADE[name], certificate=copy.deepcopy(certificate))


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


@pytest.mark.parametrize(
    ("part", "name", "value", "line"),
    [
        (
            "mutation",
            "proved",
            ["line 99: a → b (nobody made it)"],
            "no mutant is what the certificate lists: line 99: a",
        ),
        ("mutation", "survivors", ["line 99: a → b"], "no mutant is what the certificate lists: line 99: a → b"),
        (
            "",
            "score_first_25",
            1.01,
            "mutation: the first 25 cases score 1.0 when measured again, the certificate says",
        ),
        ("", "goals", 99, "goals when measured again, the certificate says 99"),
        ("", "goals_reached", 0, "goals reached when measured again, the certificate says 0"),
        ("", "distinct_results", 2, "distinct results when measured again, the certificate says 2"),
        ("", "largest_share", 0.5, "the largest share of a result is"),
        ("", "unreachable", ["line 99 true: nobody"], "line 99 true is no branch that cases leave out, and the cert"),
        ("", "unreachable", ["line 3 true: nobody"], "line 3 true is no branch that cases leave out, and the certi"),
    ],
)
async def test_what_a_certificate_states_otherwise_is_named(
    task: ReleasedTask, sandbox: Sandbox, harness: Harness, part: str, name: str, value: Any, line: str
) -> None:
    certificate = copy.deepcopy(task.certificate)
    (certificate[part] if part else certificate)[name] = value
    measured = await Remeasurer(sandbox, harness).measure(replace(task, certificate=certificate))
    assert line in "\n".join(measured.problems)


async def test_a_branch_that_nothing_reaches_is_named_unless_it_is_proved(
    task: ReleasedTask, sandbox: Sandbox, harness: Harness
) -> None:
    said = task.certificate["coverage"]
    certificate = task.certificate | {
        "raising_inputs": [],
        "coverage": said | {"raising": 0, "dead": said["raising"]},
        "unreachable": ["line 99 true: it counts all the same"] * said["raising"],
    }
    problems = (await Remeasurer(sandbox, harness).measure(replace(task, certificate=certificate))).problems
    assert [line for line in problems if "does not prove it dead" in line]


async def test_a_rule_that_a_case_asks_for_is_told(task: ReleasedTask, sandbox: Sandbox, harness: Harness) -> None:
    again = Remeasurer(sandbox, harness)
    readings = [each | {"told_apart": False} for each in task.certificate["readings"]]
    assert any(each["rule"] == "case mapping" for each in readings)
    line = "readings: a case tells it apart, the certificate says that none does: case mapping"
    for listed in (readings, []):
        problems = (await again.measure(replace(task, certificate=task.certificate | {"readings": listed}))).problems
        assert [each for each in problems if each.startswith(line)]
    # Another builder may not have known the rule, and says what it says.
    older = task.certificate | {"readings": [], "builder": "pbt-20", "goals": 99, "distinct_results": 2}
    assert (await again.measure(replace(task, certificate=older))).problems == ()


async def test_what_few_mutants_are_told_with_is_no_choice_of_the_certificate(
    workshop: Workshop, sandbox: Sandbox, harness: Harness
) -> None:
    task = await _released("joined", JOINED, workshop)
    idle = next(case for case in task.cases if json.loads(case[0])[0] == [])
    weight = task.certificate["weight"] | {"floor": 1, "offered": [], "met": [], "misread": 0, "told_apart": 0}
    certificate = task.certificate | {"readings": [], "weight": weight}
    again = await Remeasurer(sandbox, harness).measure(replace(task, cases=(idle,), certificate=certificate))
    assert again.problems[-1].startswith("weight: it does not suffice: it rests on 4 mutants and ")
    assert " 0 misreadings" not in again.problems[-1]


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
    (count, lives, first) = (await Remeasurer(always, harness).measure(task)).problems  # pyright: ignore[reportArgumentType]
    assert "killed when measured again" in count and "lives, and the certificate does not list it" in lives
    assert "the first 25 cases score" in first


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
    # Less may be said of them than there is; which there are is what the values of the cases make of them.
    assert await found(readings=kept) == ""
    assert "it is none, and the certificate lists it" in await found(readings=[*every, every[0]])
    assert "nobody knows the misreading" in await found(
        readings=[kept[0] | {"rule": "misreading", "change": "nobody: in order"}]
    )
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
    assert await found(wrong | {"told_apart": False}) == [
        "mistakes: a case tells it apart, the certificate says that none does: the second is not small"
    ]
    assert await found(right | {"told_apart": True}) == [
        "mistakes: no case tells it apart, the certificate says that one does: nothing is wrong"
    ]
