"""A task that two blind solutions read otherwise than it is meant gets a new version that shows where they went wrong.

What the instruction left open is then decided by an example; the suite and its cases stay as they are. The ground truth
runs on every case once more before the new version is released, and the old one is taken back with a note.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from pbt_generator.domain.foreign import set_of
from pbt_generator.domain.task.record import amended_version
from pbt_generator.domain.task.wording.examples import SHOWN_CHARACTERS, odd
from pbt_generator.domain.task.wording.instruction import with_examples
from pbt_generator.domain.trial import Point, Trial
from pbt_generator.ports import Blobs, ForeignProgram, Freezer, RunLimits, Sandbox
from pbt_generator.usecases.serve import StoredTask, TaskDesk
from touchstone_values import compare

# So many examples answer one trial: the next one shows whether they were enough.
_MOST_TOLD = 2
# So often a task is made anew: where examples do not help, the solutions are at fault, or the words are.
_MOST_VERSIONS = 3
_LIMITS = RunLimits(case_timeout_s=5.0, total_timeout_s=120.0)


class Amender:
    """Makes new versions of tasks.

    Args:
        desk: Knows the tasks, and tells others of new and of retracted ones.
        sandbox: Runs ground truths.
        freezer: Opens suites and names tasks.
        blobs: Where suites, certificates and ground truths lie.
    """

    def __init__(self, desk: TaskDesk, sandbox: Sandbox, freezer: Freezer, blobs: Blobs) -> None:
        self._desk = desk
        self._sandbox = sandbox
        self._freezer = freezer
        self._blobs = blobs

    async def amend(self, stored: StoredTask, trial: Trial) -> StoredTask | str:
        """The task that takes the place of an open one, or why there is none.

        Raises:
            SandboxUnavailableError: the sandbox cannot be reached or broke down.
        """
        task = stored.task
        # The trial took its time: meanwhile somebody may have taken the task back, or another trial replaced it.
        if gone := await self._gone(task.task_id):
            return gone
        if set_of(stored.function):
            return "it belongs to another set, which is not ours to change"
        certificate: dict[str, Any] = json.loads(await self._blobs.get(task.certificate_digest))
        history: list[dict[str, Any]] = certificate.get("blind", [])
        if len(history) >= _MOST_VERSIONS:
            return f"examples were added {len(history)} times, and did not help"
        told = self._showable(task.instruction, trial.points)
        if not told:
            return "its instruction shows these inputs, or they are too long to be shown"
        problem = await self._not_certified(stored)
        if problem:
            return problem
        seen = {"task_id": task.task_id, "model": trial.model, "asked": trial.asked, "solved": trial.solved}
        certificate["blind"] = [*history, seen | {"pointed": trial.pointed, "told": [asdict(point) for point in told]}]
        # What is measured is what the task's own builder measured, and a certificate is held against what that one did.
        version = amended_version(certificate["builder"], task.task_id)
        # With it function and suite give the new task's id, which is what a release proves.
        certificate["builder"] = version
        data = json.dumps(certificate, sort_keys=True, ensure_ascii=False).encode()
        digest = await self._blobs.put(data)
        made = replace(
            task,
            task_id=self._freezer.task_id(task.function_id, task.suite_digest, version),
            instruction=with_examples(task.instruction, [(point.arguments, point.expected) for point in told]),
            certificate_digest=digest,
        )
        inputs = ", ".join(f"`{point.arguments}`" for point in told)
        note = (
            f"replaced by {made.task_id}, whose instruction shows {inputs}: "
            f"{told[0].solutions} of {trial.asked} blind solutions by {trial.model} agreed on another result"
        )
        stands = await self._desk.supersede(stored, made, version, note)
        return stands or await self._gone(task.task_id)

    async def _gone(self, task_id: str) -> str:
        """Why a task does not stand any more; empty where it does."""
        found = await self._desk.find(task_id)
        return f"it was taken back: {found.retracted}" if found.retracted else ""

    def _showable(self, instruction: str, points: Sequence[Point]) -> list[Point]:
        """The plainest points that the instruction does not show, of different results where there are some."""
        fitting = [
            point
            for point in points
            if len(point.arguments) + len(point.expected) <= SHOWN_CHARACTERS
            and with_examples(instruction, [(point.arguments, point.expected)]) != instruction
        ]
        fitting.sort(key=lambda point: (odd(point.arguments), len(point.arguments), point.case))
        first = {point.expected: point for point in reversed(fitting)}
        fitting.sort(key=lambda point: first[point.expected] is not point)
        return fitting[:_MOST_TOLD]

    async def _not_certified(self, stored: StoredTask) -> str:
        """Why the ground truth is no longer what the suite says; empty where it gives every result once more."""
        task = stored.task
        suite = self._freezer.open(await self._blobs.get(task.suite_digest))
        source = (await self._blobs.get(task.ground_truth_digest)).decode()
        ran = await self._sandbox.run_cases(
            ForeignProgram(source, task.entry_point), [arguments for arguments, _ in suite.cases], limits=_LIMITS
        )
        for (arguments, expected), outcome in zip(suite.cases, ran.outcomes, strict=True):
            if outcome.outcome != "returned" or compare(expected, outcome.value, suite.comparison) is not None:
                return f"its ground truth does not give `{expected}` for `{arguments}` any more"
        return ""


__all__ = ["Amender"]
