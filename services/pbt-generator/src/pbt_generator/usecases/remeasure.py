"""Measures again what a certificate says, from the frozen cases of a task.

Coverage, mutants, readings of other languages, misreadings of arguments, wrong programs of a model, and what the score
rests on.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pbt_generator.domain.oracle.certificate import Weight
from pbt_generator.domain.oracle.edges import edges_of
from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.misreadings import READING, read_misreading
from pbt_generator.domain.oracle.mutation.mutants import Mutant, MutantProgram, mutate
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.release import ReleasedTask
from pbt_generator.ports import ForeignProgram, Harness, RunLimits, Sandbox
from pbt_generator.usecases.certify import LIMITS

_LIMITS = RunLimits(case_timeout_s=60.0, total_timeout_s=300.0, output_bytes=64 * 1024 * 1024)
# Steps of one call, many more than the search grants: a case is known to return.
_STEPS = 2_000_000
_SPARE = 400
_PLANS = 6
# Mutants by their numbers, each with the places of the cases that it is tried on.
_Plan = list[tuple[int, list[int]]]


@dataclass(frozen=True)
class Remeasured:
    """What measuring again found.

    Attributes:
        problems: What differs from the certificate, one line each.
        cpu_s: CPU-seconds of the sandbox.
    """

    problems: tuple[str, ...]
    cpu_s: float


class Remeasurer:
    """Measures tasks again.

    Args:
        sandbox: Where foreign code runs.
        harness: Program texts to put before the ground truth.
    """

    def __init__(self, sandbox: Sandbox, harness: Harness) -> None:
        self._sandbox = sandbox
        self._harness = harness

    async def measure(self, task: ReleasedTask) -> Remeasured:
        """Run the instrumented ground truth and all mutants on the cases; compare with the certificate."""
        entry = task.entry["entry_point"]
        cases = [arguments for arguments, _ in task.cases]
        covered, first = await self._coverage(task, entry, cases)
        killed, second = await self._mutation(task, entry, cases)
        made_up, third = await self._made_up(task, entry)
        return Remeasured((*covered, *killed, *made_up), first + second + third)

    async def _coverage(self, task: ReleasedTask, entry: str, cases: Sequence[str]) -> tuple[list[str], float]:
        program = instrument(task.source, entry)
        foreign = self._with(program.source, entry, self._harness.explore, "_ts_explore")
        raising: list[str] = list(task.certificate["raising_inputs"])
        calls = [f"[[{','.join(part)}],[],{_STEPS}]" for part in (cases, raising) if part]
        result = await self._sandbox.run_cases(foreign, calls, limits=_LIMITS)
        if any(outcome.outcome != "returned" for outcome in result.outcomes):
            return ["coverage could not be measured: the instrumented ground truth did not end"], result.cpu_s
        answers: list[list[Any]] = [json.loads(outcome.value) for outcome in result.outcomes]
        returned = {goal for row in answers[0] if row[0] == 0 for goal in row[1]}
        raised = {goal for rows in answers[1:] for row in rows if row[0] == 1 for goal in row[1]}
        branches = program.branches
        reached = [goal for goal in branches if goal.number in returned]
        only_raising = [goal for goal in branches if goal.raises and goal.number in raised - returned]
        found = {"branches": len(branches), "returning": len(reached), "raising": len(only_raising)}
        said: Mapping[str, Any] = task.certificate["coverage"]
        problems = [
            f"coverage: {count} {name} when measured again, the certificate says {said[name]}"
            for name, count in found.items()
            if count != said[name]
        ]
        dead = len(branches) - len(reached) - len(only_raising)
        if dead != said["dead"] or len(task.certificate["unreachable"]) < dead:
            problems.append(f"coverage: {dead} branches are reached by nothing, {said['dead']} of them are proved dead")
        return problems, result.cpu_s

    async def _mutation(self, task: ReleasedTask, entry: str, cases: Sequence[str]) -> tuple[list[str], float]:
        readings: list[Mapping[str, Any]] = task.certificate.get("readings", [])
        try:
            misread = [read_misreading(each["change"]) for each in readings if each["rule"] == READING]
        except ValueError as error:
            return [f"mutation: nobody knows the misreading {error}: another builder?"], 0.0
        program = mutate(task.source, entry, misread=misread)
        counted = [mutant for mutant in program.mutants if not mutant.reading]
        said: Mapping[str, Any] = task.certificate["mutation"]
        if len(counted) != said["mutants"]:
            return [f"mutation: {len(counted)} mutants, the certificate says {said['mutants']}: another builder?"], 0.0
        killed, unsteady, cpu_s = await self._killed(task, entry, cases, program)
        told = [mutant for mutant in program.mutants if mutant.reading and mutant.number in killed | unsteady]
        return [
            *_of_mutants(counted, killed, unsteady - killed, said),
            *_of_readings(told, readings),
            *_of_weight(task.certificate, sum(mutant.reading == READING for mutant in told), cases),
        ], cpu_s

    async def _made_up(self, task: ReleasedTask, entry: str) -> tuple[list[str], float]:
        """Wrong programs of a model that no case tells apart, though the certificate says that one does."""
        said: Sequence[Mapping[str, Any]] = task.certificate.get("mistakes", {}).get("programs", ())
        problems, cpu_s = list[str](), 0.0
        for each in said:
            judged = await self._sandbox.judge(ForeignProgram(each["code"], entry), task.suite, limits=LIMITS)
            cpu_s += judged.cpu_s
            if each["told_apart"] and judged.verdict == "passed":
                problems.append(
                    f"mistakes: no case tells it apart, the certificate says that one does: {each['words']}"
                )
        return problems, cpu_s

    async def _killed(
        self, task: ReleasedTask, entry: str, cases: Sequence[str], program: MutantProgram
    ) -> tuple[set[int], set[int], float]:
        """Numbers of the mutants and readings that a case tells from the ground truth, and of those that show nothing.

        These leave the ground truth other than it was, so that the next run hangs on theirs.
        """
        foreign = self._with(program.source, entry, self._harness.mutate, "_ts_mutate")
        mode = json.dumps("portable" if task.entry["kind"] == "SC" else "exact")
        places = list(range(len(cases)))
        waiting = _parted([(mutant.number, places) for mutant in program.mutants])
        killed, unsteady, cpu_s = set[int](), set[int](), 0.0
        while waiting:
            plans = [json.dumps([[number, at[:1], at[1:]] for number, at in plan]) for plan in waiting]
            calls = [f"[[{','.join(cases)}],{plan},1,{mode},{_SPARE}]" for plan in plans]
            result = await self._sandbox.run_cases(foreign, calls, limits=_LIMITS)
            cpu_s += result.cpu_s
            again: list[_Plan] = []
            rest: _Plan = []
            for plan, outcome in zip(waiting, result.outcomes, strict=True):
                if outcome.outcome == "returned":
                    rows: list[list[Any]] = json.loads(outcome.value)
                    killed |= {row[0] for row in rows if row[1]}
                    # What leaves the ground truth other than it was shows nothing; another process runs the rest.
                    unsteady |= {row[0] for row in rows if row[3] < 0}
                    answered = {row[0] for row in rows}
                    rest.extend(each for each in plan if each[0] not in answered)
                else:
                    again.extend(_smaller(plan))
            again.append(rest)
            left = ([(number, at) for number, at in plan if number not in killed] for plan in again)
            waiting = [plan for plan in left if plan]
        return killed, unsteady, cpu_s

    def _with(self, text: str, entry: str, harness: str, called: str) -> ForeignProgram:
        return ForeignProgram(with_harness(text, entry, harness), called)


def _parted(plan: _Plan) -> list[_Plan]:
    """A plan in a few calls."""
    size = max(1, -(-len(plan) // _PLANS))
    return [plan[start : start + size] for start in range(0, len(plan), size)]


def _smaller(plan: _Plan) -> list[_Plan]:
    """The parts of a plan of which something stopped the whole process: fewer mutants, then fewer cases of one.

    A mutant on one case that stops it shows nothing.
    """
    if len(plan) > 1:
        return _parted(plan)
    ((number, places),) = plan
    size = -(-len(places) // _PLANS)
    return [[(number, places[at : at + size])] for at in range(0, len(places), size)] if len(places) > 1 else []


def _of_mutants(counted: Sequence[Mutant], killed: set[int], unsteady: set[int], said: Mapping[str, Any]) -> list[str]:
    """Mutants that fare otherwise than a certificate says; what is said of unsteady ones holds."""
    problems: list[str] = []
    gone = sum(mutant.number in killed | unsteady for mutant in counted)
    if gone < said["killed"]:
        problems.append(f"mutation: {gone} killed when measured again, {said['killed']} in the certificate")
    proved, alive = list(said["proved"]), list(said["survivors"])
    for mutant in counted:
        told = _told(mutant)
        if mutant.number in killed | unsteady:
            continue
        if told in alive:
            alive.remove(told)
        elif (reason := next((text for text in proved if text.startswith(told)), None)) is not None:
            proved.remove(reason)
        else:
            problems.append(f"mutation: {told} lives, and the certificate does not list it")
    refuted = [
        text for text in proved for mutant in counted if mutant.number in killed and text.startswith(_told(mutant))
    ]
    return problems + [f"mutation: killed, though the certificate calls it proved: {text}" for text in refuted]


def _of_readings(told: Sequence[Mutant], readings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Readings that a certificate calls told apart, and no case tells from the ground truth."""
    again = Counter((mutant.reading, mutant.line, mutant.change) for mutant in told)
    said = Counter((each["rule"], each["line"], each["change"]) for each in readings if each["told_apart"])
    return [
        f"readings: no case tells it apart, the certificate says that one does: {rule}: line {line}: {change}"
        for rule, line, change in (said - again)
    ]


def _of_weight(certificate: Mapping[str, Any], told: int, cases: Sequence[str]) -> list[str]:
    """What a score rests on that is not there when it is counted again."""
    if "weight" not in certificate:
        # Certificates before version 3 say nothing of it.
        return []
    stated: Mapping[str, Any] = certificate["weight"]
    met = edges_of(cases)[1]
    missing = sorted(set(stated["met"]) - met)
    problems = [f"edges: no case holds {name}, the certificate says that one does" for name in missing]
    mutation: Mapping[str, Any] = certificate["mutation"]
    counted = mutation["mutants"] - len(mutation["proved"])
    listed = sum(each["rule"] == READING for each in certificate["readings"])
    if (counted, listed if counted < stated["floor"] else 0) != (stated["mutants"], stated["misread"]):
        problems.append(
            f"weight: the certificate lists {counted} mutants that count and {listed} misreadings, "
            f"and says that it rests on {stated['mutants']} and {stated['misread']}"
        )
    offered = tuple(stated["offered"])
    weight = Weight(counted, stated["floor"], offered, tuple(sorted(met & set(offered))), stated["misread"])
    weight = replace(weight, told_apart=told if weight.misread else 0)
    if weight.told_apart < stated["told_apart"]:
        problems.append(
            f"weight: {weight.told_apart} misreadings are told apart when measured again, "
            f"{stated['told_apart']} in the certificate"
        )
    return problems if weight.holds else [*problems, f"weight: it does not suffice: {weight.words}"]


def _told(mutant: Mutant) -> str:
    return f"line {mutant.line}: {mutant.change}"
