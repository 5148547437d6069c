"""How the mutants of a ground truth fail its suite: what a wrong answer is compared with."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from pbt_generator.domain.exercises.broken import broken_programs
from pbt_generator.errors import SandboxRefusedError
from pbt_generator.ports import Blobs, Failure, ForeignProgram, Judgement, KillPatterns, RunLimits, Sandbox
from pbt_generator.usecases.serve import TaskDesk

# Goes up when the same task gives other patterns: what was kept before is computed anew.
VERSION = 1
# Mutants of one task that are run; the drawing that decides which is that of the track `repair`.
_MOST = 60
_LIMITS = RunLimits(case_timeout_s=2.0, total_timeout_s=20.0)
# Ends that the program alone decides. Where a limit ended it, the machine has a part in which cases failed.
_OWN_ENDS = frozenset({"wrong_output", "raised"})


@dataclass(frozen=True)
class KillPattern:
    """A mutant, and what the suite says of it.

    Attributes:
        line: Line of the ground truth that it changes.
        change: What became what, for people.
        cases: Cases of the suite.
        passed: Cases that it passes.
        failures: Cases that it fails with what it did there, in their order; the first fifty, as verdicts have them.
    """

    line: int
    change: str
    cases: int
    passed: int
    failures: tuple[Failure, ...]


class PatternDesk:
    """Answers for how mutants fail; computes a task's patterns once.

    Args:
        tasks: Knows the tasks.
        blobs: Where their parts lie, and the patterns.
        kept: Which patterns were computed.
        sandbox: Where mutants are judged, on the path that candidates take.
    """

    def __init__(self, tasks: TaskDesk, blobs: Blobs, kept: KillPatterns, sandbox: Sandbox) -> None:
        self._tasks = tasks
        self._blobs = blobs
        self._kept = kept
        self._sandbox = sandbox

    async def patterns(self, task_id: str) -> tuple[KillPattern, ...]:
        """How each mutant of a task fails that the suite fails by its results, in the order of the drawing.

        Raises:
            UnknownTaskError: there is no such task.
            SandboxUnavailableError: the sandbox cannot be reached or broke down.
        """
        task = (await self._tasks.find(task_id)).task
        if digest := await self._kept.find(task.task_id, VERSION):
            return _read(await self._blobs.get(digest))
        source = (await self._blobs.get(task.ground_truth_digest)).decode("utf-8", "surrogatepass")
        suite = await self._blobs.get(task.suite_digest)
        found: list[KillPattern] = []
        for broken in broken_programs(source, task.entry_point, task.task_id)[:_MOST]:
            judged = await self._judged(ForeignProgram(broken.text, task.entry_point), suite)
            if judged and judged.failures and all(failure.outcome in _OWN_ENDS for failure in judged.failures):
                counts = judged.cases, judged.passed
                found.append(KillPattern(broken.line, broken.change, *counts, judged.failures))
        text = json.dumps([asdict(pattern) for pattern in found], separators=(",", ":"))
        await self._kept.save(task.task_id, VERSION, await self._blobs.put(text.encode()))
        return tuple(found)

    async def _judged(self, program: ForeignProgram, suite: bytes) -> Judgement | None:
        try:
            return await self._sandbox.judge(program, suite, limits=_LIMITS)
        except SandboxRefusedError:
            # A program that no sandbox takes fails no case.
            return None


def _read(data: bytes) -> tuple[KillPattern, ...]:
    rows: list[dict[str, Any]] = json.loads(data)
    for row in rows:
        row["failures"] = tuple(Failure(**each) for each in row["failures"])
    return tuple(KillPattern(**row) for row in rows)
