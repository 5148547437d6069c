"""Measures coverage and mutation again, from the frozen cases of a task and what its certificate says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbt_generator.domain.oracle.mutation.mutants import Mutant, mutate
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.release import ReleasedTask
from pbt_generator.ports import ForeignProgram, Harness, RunLimits, Sandbox

_LIMITS = RunLimits(case_timeout_s=60.0, total_timeout_s=300.0, output_bytes=64 * 1024 * 1024)
# Steps of one call, many more than the search grants: a case is known to return.
_STEPS = 2_000_000
_SPARE = 400
_PLANS = 6


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
        harness: Program texts to put behind the ground truth.
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
        return Remeasured((*covered, *killed), first + second)

    async def _coverage(self, task: ReleasedTask, entry: str, cases: Sequence[str]) -> tuple[list[str], float]:
        program = instrument(task.source, entry)
        foreign = self._behind(program.source, entry, self._harness.explore, "_ts_explore")
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
        program = mutate(task.source, entry)
        counted = [mutant for mutant in program.mutants if not mutant.reading]
        said: Mapping[str, Any] = task.certificate["mutation"]
        if len(counted) != said["mutants"]:
            return [f"mutation: {len(counted)} mutants, the certificate says {said['mutants']}: another builder?"], 0.0
        foreign = self._behind(program.source, entry, self._harness.mutate, "_ts_mutate")
        mode = json.dumps("portable" if task.entry["kind"] == "SC" else "exact")
        places = list(range(len(cases)))
        size = max(1, -(-len(counted) // _PLANS))
        calls: list[str] = []
        for start in range(0, len(counted), size):
            plan = [[mutant.number, places, []] for mutant in counted[start : start + size]]
            calls.append(f"[[{','.join(cases)}],{json.dumps(plan)},1,{mode},{_SPARE}]")
        result = await self._sandbox.run_cases(foreign, calls, limits=_LIMITS)
        killed: set[int] = set()
        for outcome in result.outcomes:
            rows: list[list[Any]] = json.loads(outcome.value) if outcome.outcome == "returned" else []
            killed |= {row[0] for row in rows if row[1]}
        problems: list[str] = []
        if len(killed) < said["killed"]:
            problems.append(f"mutation: {len(killed)} killed when measured again, {said['killed']} in the certificate")
        proved, alive = list(said["proved"]), list(said["survivors"])
        for mutant in counted:
            told = _told(mutant)
            if mutant.number in killed:
                continue
            if told in alive:
                alive.remove(told)
            elif (reason := next((text for text in proved if text.startswith(told)), None)) is not None:
                proved.remove(reason)
            else:
                problems.append(f"mutation: {told} lives, and the certificate does not list it")
        refuted = [text for text in proved for number in killed if text.startswith(_told(program.mutants[number - 1]))]
        problems += [f"mutation: killed, though the certificate calls it proved: {text}" for text in refuted]
        return problems, result.cpu_s

    def _behind(self, text: str, entry: str, harness: str, called: str) -> ForeignProgram:
        return ForeignProgram(f"{text}\n\n_ts_ENTRY = {entry!r}\n{harness}", called)


def _told(mutant: Mutant) -> str:
    return f"line {mutant.line}: {mutant.change}"
