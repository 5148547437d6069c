"""Has a model solve tasks from their instruction alone, keeps what its solutions say of them, and acts on it."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from pbt_generator.domain.trial import Attempt, Trial, judge
from pbt_generator.errors import SandboxRefusedError, UnknownTaskError
from pbt_generator.ports import Blobs, ForeignProgram, Freezer, RunLimits, Sandbox, Solver, Trials
from pbt_generator.usecases.amending import Amender
from pbt_generator.usecases.serve import StoredTask, TaskDesk
from touchstone_runtime.extraction import with_prelude

MOST_SOLUTIONS = 10
_LIMITS = RunLimits(case_timeout_s=5.0, total_timeout_s=120.0)


@dataclass(frozen=True)
class Tried:
    """What came of a task.

    Attributes:
        stored: The task.
        trial: What the solutions say of it.
        replaced_by: The id of the new version that takes its place; empty where there is none.
        kept_as: Why an open task was left as it is, where a new version was asked for.
    """

    stored: StoredTask
    trial: Trial
    replaced_by: str = ""
    kept_as: str = ""


class TrialDesk:
    """Tries tasks.

    Args:
        desk: Knows the tasks.
        solver: Asks models.
        sandbox: Runs what they write.
        freezer: Opens suites.
        blobs: Where suites lie, and records go.
        trials: What came of each.
    """

    def __init__(
        self, desk: TaskDesk, solver: Solver, sandbox: Sandbox, freezer: Freezer, blobs: Blobs, trials: Trials
    ) -> None:
        self._amender = Amender(desk, sandbox, freezer, blobs)
        self._desk = desk
        self._solver = solver
        self._sandbox = sandbox
        self._freezer = freezer
        self._blobs = blobs
        self._trials = trials

    async def run(
        self, model: str, solutions: int, task_ids: Sequence[str], *, act: bool = False
    ) -> AsyncIterator[Tried]:
        """Try tasks one after the other, and give what came of each.

        Args:
            model: A catalogue name, or `name@base_url`.
            solutions: How many independent ones of each task; more than `MOST_SOLUTIONS` are not asked for.
            task_ids: Ids or prefixes; none tries every task that stands.
            act: Make a new version of each task that is open, with examples of the inputs that solutions read
                otherwise, and try that one in its turn.

        Raises:
            UnknownTaskError: an id is none, or several tasks begin with it.
            UnknownModelError: nobody knows the model.
            SandboxUnavailableError: the sandbox cannot be reached or broke down.
        """
        self._solver.check(model)
        tasks = [await self._desk.find(each) for each in task_ids] or list(await self._desk.decisions.tasks())
        if not tasks:
            raise UnknownTaskError("there is no task", thing="trial", way_out="see `touchstone tasks list`")
        waiting = deque(tasks)
        while waiting:
            stored = waiting.popleft()
            trial = await self._try(stored, model, min(max(solutions, 2), MOST_SOLUTIONS))
            # Without an answer nothing is claimed, and an earlier trial stands.
            if trial.answered:
                record = json.dumps(trial.to_dict(), sort_keys=True, ensure_ascii=False).encode()
                await self._trials.save(trial, await self._blobs.put(record))
            made = await self._amender.amend(stored, trial) if act and trial.standing == "open" else ""
            if isinstance(made, str):
                yield Tried(stored, trial, kept_as=made)
            else:
                yield Tried(stored, trial, replaced_by=made.task.task_id)
                waiting.appendleft(made)

    async def solved_by(self) -> Mapping[str, Mapping[str, str]]:
        """By task and model how many of how many solutions pass."""
        return await self._trials.solved_by()

    async def _try(self, stored: StoredTask, model: str, solutions: int) -> Trial:
        task = stored.task
        suite = self._freezer.open(await self._blobs.get(task.suite_digest))
        attempts: list[Attempt] = []
        for number in range(solutions):
            code = await self._solver.solve(
                model, task.entry_point, task.instruction, task.signatures["python"], number
            )
            program = with_prelude(task.prelude, code)
            attempts.append(await self._attempt(program, task.entry_point, suite.cases) if code else Attempt("", ()))
        return judge(task.task_id, model, attempts, suite.cases, suite.comparison)

    async def _attempt(self, code: str, entry_point: str, cases: Sequence[tuple[str, str]]) -> Attempt:
        try:
            ran = await self._sandbox.run_cases(
                ForeignProgram(code, entry_point), [arguments for arguments, _ in cases], limits=_LIMITS
            )
        except SandboxRefusedError:
            # An answer it is, and passes nothing.
            return Attempt(code, (None,) * len(cases))
        return Attempt(code, tuple(each.value if each.outcome == "returned" else None for each in ran.outcomes))


__all__ = ["MOST_SOLUTIONS", "TrialDesk", "Tried"]
